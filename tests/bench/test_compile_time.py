"""The tables of compile times."""

from pathlib import Path

from mapal.bench.compile_time import STAGES, CompileTime, main, markdown
from mapal.target import load_profile

PROJECT = "name: tiny\nprograms:\n  p: {source: p.mapal, sizes: {N: [3]}}\n"
SOURCE = "fn main() {\n    {{N}} -> iota -> map { i -> i * 2 } -> v;\n    v[2] -> println;\n}\n"


def test_a_row_adds_up() -> None:
    processor = {stage: float(number) for number, stage in enumerate(STAGES)}
    wall = dict.fromkeys(STAGES, 2.0)
    text = markdown([CompileTime("a", "b", 7, processor, wall)], load_profile("generic"))
    assert "| a/b | 7 | 0.0 | 1.0 | 2.0 | 3.0 | 4.0 | 5.0 | 15.0 |" in text
    assert "| a/b | 7 | 2.0 | 2.0 | 2.0 | 2.0 | 2.0 | 2.0 | 12.0 |" in text


def test_a_project_is_compiled_stage_by_stage(tmp_path: Path, capsys: object) -> None:
    (tmp_path / "mapal.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "p.mapal").write_text(SOURCE, encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out  # type: ignore[attr-defined]
    rows = [line for line in printed.splitlines() if line.startswith("| tiny/p-3 | 4 |")]
    assert len(rows) == 2
