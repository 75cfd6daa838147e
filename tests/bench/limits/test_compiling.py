"""The cost of compiling, next to gcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.bench.limits import __main__ as command
from mapal.bench.limits import building, compiling
from mapal.bench.limits.building import Builder
from mapal.bench.limits.compiling import CompileCost, compile_cost, render
from mapal.diagnostics import UserError
from mapal.native.toolchain import require_compiler
from mapal.target.detect import detect_host
from tests.bench.limits.small_rows import small_row


def test_a_row_is_compiled_both_ways() -> None:
    cost = compile_cost(small_row(), detect_host(), Builder(require_compiler(print)))
    assert list(cost.stages) == ["parse", "lower", "check", "rewrite", "emit", "object", "link"]
    assert min(cost.stages.values()) > 0
    assert cost.gcc > 0
    assert cost.ratio == pytest.approx(cost.ours / cost.gcc)


def test_a_ratio_beyond_the_goal_is_marked() -> None:
    good, bad = CompileCost("a", {"emit": 1.5}, 1.0), CompileCost("b", {"emit": 1.6}, 1.0)
    lines = render([good, bad]).splitlines()
    assert [line.endswith("MISSED") for line in lines] == [False, False, True]


def test_a_reference_that_does_not_compile_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "matmul.mapal").write_bytes((building.SOURCES / "matmul.mapal").read_bytes())
    (tmp_path / "matmul_reference.c").write_text("int x = ;\n", encoding="ascii")
    for module in (building, compiling):
        monkeypatch.setattr(module, "SOURCES", tmp_path)
    with pytest.raises(UserError, match="small-24: gcc failed"):
        compile_cost(small_row(), detect_host(), Builder(require_compiler(print)))


def test_the_command_prints_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "all_rows", lambda: (small_row(),))
    monkeypatch.setattr(
        command, "compile_cost", lambda row, *_: CompileCost(row.name, {"emit": 1.0}, 2.0)
    )
    assert command.main(["--compile"]) == 0
    assert "small-24" in capsys.readouterr().out
