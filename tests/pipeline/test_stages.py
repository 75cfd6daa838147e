"""Each stage as a pure function: bytes and options in, bytes or diagnostics out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mapal.diagnostics import UserError
from mapal.ir.ops import BinaryCode
from mapal.ir.text import parse_graph, print_graph
from mapal.pipeline.stages import validated_rewrite
from mapal.pipeline.stages.check import check
from mapal.pipeline.stages.emit import emit
from mapal.pipeline.stages.emit_device import emit_device
from mapal.pipeline.stages.graph import draw
from mapal.pipeline.stages.lower import lower
from mapal.pipeline.stages.object import compile_object
from mapal.pipeline.stages.oracle import oracle
from mapal.pipeline.stages.parse import parse
from mapal.pipeline.stages.result import StageResult
from mapal.pipeline.stages.rewrite import rewrite
from mapal.rewrite import RewritePass, pipeline
from mapal.rewrite.plan import PlanMaker
from mapal.target import load_profile, profile_files
from tests.rewrite.test_validation import swapping

SCALE = b"fn main(a: [f32; 8]) -> [f32; 8] {\n    a -> map { x -> x * 2.0 } -> ret;\n}\n"


def parsed(source: bytes) -> StageResult:
    return parse({"source": source}, {"sizes": {}})


def lowered(source: bytes) -> bytes:
    ast = parsed(source).outputs["ast"]
    return lower({"ast": ast}, {"arithmetic": "exact"}).outputs["ir"]


def profile_inputs(name: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    files = {f"profile.{file}": data for file, data in profile_files(name).items()}
    return files, {"profile": f"{name}.yaml", "architecture": "x86_64"}


def test_comments_and_layout_reach_the_location_table_only() -> None:
    first = parsed(b"fn main() { 1 -> println; }\n")
    second = parsed(b"// a comment\nfn main() {\n\n    1 -> println; }\n")
    assert first.outputs["ast"] == second.outputs["ast"]
    assert first.outputs["locations"] != second.outputs["locations"]


def test_diagnostics_come_as_values() -> None:
    broken = parsed(b"fn main() { 1 -> -> }\n")
    assert broken.outputs == {}
    assert broken.diagnostics[0].span is not None
    unknown = parsed(b"fn main() { x -> println; }\n").outputs["ast"]
    result = lower({"ast": unknown}, {"arithmetic": "exact"})
    assert result.outputs == {}
    assert result.diagnostics[0].tokens is not None
    with pytest.raises(UserError, match=r"^<source>:1:3: the source is not UTF-8"):
        parsed(b"fn\xff")


def test_a_rule_that_is_broken_stops_the_check() -> None:
    source = b"fn main() { 1 -> { -> println; -> print; }; }\n"
    ast = parsed(source).outputs["ast"]
    result = lower({"ast": ast}, {"arithmetic": "exact"})
    assert result.diagnostics == ()
    verdict = check({"ast": ast, "ir": result.outputs["ir"]}, {})
    assert [diagnostic.code[0] for diagnostic in verdict.diagnostics] == ["T", "T"]
    assert verdict.outputs == {}


def test_the_oracle_says_what_happened() -> None:
    options: dict[str, Any] = {"steps": 10**9, "inputs": {}, "outputs": []}
    done = oracle({"ir": lowered(b'fn main() { "a\\n" -> print; }\n')}, options)
    document = json.loads(done.outputs["oracle"])
    assert (document["class"], document["exit"], document["stdout"]) == ("done", 0, "a\n")
    trapped = oracle({"ir": lowered(b"fn main() { 0 -> z; 1 / z -> println; }\n")}, options)
    document = json.loads(trapped.outputs["oracle"])
    assert (document["class"], document["exit"]) == ("trapped", 101)
    assert document["trap"]["kind"] == "div_zero"
    spent = oracle({"ir": lowered(b"fn main() { 1 -> println; }\n")}, {**options, "steps": 1})
    assert json.loads(spent.outputs["oracle"])["exit"] is None
    assert spent.failure is not None
    with pytest.raises(UserError, match="parameter 'a' has no input"):
        oracle({"ir": lowered(SCALE)}, options)


def test_rewriting_and_drawing() -> None:
    ir = lowered(SCALE)
    result = rewrite({"ir": ir, "check": b""}, {})
    assert result.outputs["ir"]
    assert json.loads(result.outputs["report"])
    pictures = draw({"lower": ir, "rewrite": result.outputs["ir"]}, {})
    assert set(pictures.outputs) == {"lower.mmd", "lower.svg", "rewrite.mmd", "rewrite.svg"}
    assert pictures.outputs["lower.svg"].startswith(b"<")


def test_code_for_a_processor() -> None:
    files, options = profile_inputs("zen3")
    emitted = emit({"ir": lowered(SCALE), **files}, {**options, "name": "scale"})
    assert json.loads(emitted.outputs["plan"])["target"] == "zen3"
    made = compile_object({"ll": emitted.outputs["ll"], **files}, {**options, "opt": 2})
    assert made.outputs["object"].startswith(b"\x7fELF")
    assert b"x float>" in made.outputs["optimized"]
    assert b"ymm" in made.outputs["assembly"]


@pytest.mark.parametrize("assembler", [False, True])
def test_code_for_a_device(
    assembler: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho \"Compiling entry function 'k'\"; echo Used 9 registers\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    files, options = profile_inputs("cuda-ada")
    options |= {"name": "scale", "ptxas": assembler}
    result = emit_device({"ir": lowered(SCALE), **files}, options)
    plan = json.loads(result.outputs["plan"])
    assert (plan["ptxas"] is not None) == assembler
    if assembler:
        assert plan["ptxas"]["k"]["registers"] == 9
    assert b".target sm_89" in result.outputs["ptx"]
    assert set(result.outputs) == {"ll", "plan", "device", "ptx"}
    assert load_profile("cuda-ada").is_gpu


def validated(source: bytes, **inputs: bytes) -> StageResult:
    options = {"name": "p", "steps": 10**6, "inputs": {name: f"{name}.npy" for name in inputs}}
    files = {f"input.{name}": data for name, data in inputs.items()}
    return validated_rewrite.rewrite({"ir": lowered(source), "check": b"", **files}, options)


def test_validated_rewriting_gives_the_same_graph_and_says_what_was_run() -> None:
    source = b"fn main() { 2 * 3 -> println; }\n"
    result = validated(source)
    plain = rewrite({"ir": lowered(source), "check": b""}, {})
    assert result.outputs["ir"] == plain.outputs["ir"]
    report = json.loads(result.outputs["report"])
    changes = report.pop("validation")["changes"]
    assert report == json.loads(plain.outputs["report"])
    assert result.summary == f"{changes} changes by passes, each validated on 1 inputs"
    with pytest.raises(UserError, match="parameter 'a' has no input"):
        validated(SCALE)


def test_validation_counts_what_it_could_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapal.rewrite.validation.MOST_STEPS", 1)
    found = validated(b"fn main() { 1 + 1 -> println; }\n").summary
    assert found is not None
    assert found.endswith("each validated on 0 inputs; 1 inputs undecided within their steps")


def test_a_pass_that_changes_the_program_fails_with_both_graphs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "PIPELINE", (swapping(BinaryCode.SUB),))
    result = validated(b"fn main() { 5 - 3 -> println; }\n")
    assert result.failure == (
        "pass swapping changed the program: on the program's inputs, "
        "line 1 of the output was '2' before and is '-2'\n"
        "  kept: rewrite/p/before.ir and rewrite/p/after.ir"
    )
    before, after = (parse_graph(result.outputs[role].decode()) for role in ("before", "after"))
    assert print_graph(before) != print_graph(after)


def test_a_pass_that_breaks_its_laws_fails_with_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    def analyse(maker: PlanMaker) -> None:
        maker.drop(maker.graph.functions[0].output)

    monkeypatch.setattr(pipeline, "PIPELINE", (RewritePass("broken", "", analyse),))
    result = validated(b"fn main() { 1 -> println; }\n")
    assert result.failure is not None
    assert "pass broken: plan law P1" in result.failure
    assert list(result.outputs) == ["before"]
