"""The comparison of a query with the rule that it replaced."""

from __future__ import annotations

import logging

import pytest

from mapal.affine import StricterQueryError, crosscheck, crosschecking


def never() -> bool:
    raise AssertionError("the rule was asked")


def test_switched_off_the_rule_is_not_asked() -> None:
    crosscheck("site", "context", never, False, "witness")
    with crosschecking(), crosschecking(False):
        crosscheck("site", "context", never, False, "witness")


def test_a_stricter_query_is_an_error() -> None:
    with crosschecking(), pytest.raises(StricterQueryError, match=r"site: .*witness; context"):
        crosscheck("site", "context", lambda: True, False, "witness")
    crosscheck("site", "context", never, False, "witness")


def test_a_gain_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with crosschecking(), caplog.at_level(logging.ERROR):
        crosscheck("site", "context", lambda: False, True, "witness")
        crosscheck("site", "context", lambda: True, True, "witness")
        crosscheck("site", "context", lambda: False, False, "witness")
    (line,) = caplog.messages
    assert line.startswith("site: the query accepts")
