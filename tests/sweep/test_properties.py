"""Properties of drawn programs; a failure is shrunk by its choices."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from mapal.sweep.battery import check
from mapal.sweep.script import Script, from_json, to_json
from mapal.target import load_profile
from tests.strategies_programs import program_scripts


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program_scripts())
def test_interpreters_and_rewriter_agree(script: Script) -> None:
    assert check([script], load_profile("native"), "each", native=False) == [None]


@settings(max_examples=20, deadline=None)
@given(program_scripts())
def test_scripts_survive_json(script: Script) -> None:
    assert from_json(to_json(script)) == script
