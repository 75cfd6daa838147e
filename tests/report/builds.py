"""A build as the page gets it, small, with everything that a page can show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mapal.report.comparison import Artifact, Manifest, compare
from mapal.report.content import BuildContent, Check, ProgramContent, Task, Text

SOURCE = """\
// Scales a signal.
fn main(a: [f32; 64]) -> [f32; 64] {
    a -> map { x -> x * 2.0 } -> ret;
}
"""
LL = """\
define void @mapal_entry(ptr %a) {
  %v = load <8 x float>, ptr %a
  %w = fmul <8 x float> %v, splat (float 2.0)
  ret void
}
"""
SVG = """\
<?xml version="1.0"?>
<!-- Generated -->
<svg width="200pt" height="100pt"
 viewBox="0.00 0.00 200.00 100.00" xmlns="http://www.w3.org/2000/svg">
<g id="graph0" class="graph"><title>mapal</title>
<text xml:space="preserve" font-family="Helvetica" x="1" y="2">fn main</text></g>
</svg>
"""
PLAN: dict[str, Any] = {
    "schema": 1,
    "notes": [],
    "sites": [
        {
            "elements": 64,
            "function": "main",
            "kind": "map",
            "reason": "one pass, the body in place",
            "shape": "loop",
            "token": 5,
        }
    ],
}
REWRITING: dict[str, Any] = {
    "schema": 1,
    "passes": ["inlining", "loop_lifting"],
    "rounds": 2,
    "applied": [
        {
            "pass": "inlining",
            "count": 3,
            "laws": {"replace": 2, "erase": 1},
            "sites": ["5-9", "1/0"],
        }
    ],
    "validation": {"inputs": 3, "generated": 2, "undecided": ["one"], "changes": 4, "runs": 12},
    "declined": [{"pass": "loop_lifting", "site": "1/5-9", "reason": "the loop carries the token"}],
}
BENCH: dict[str, Any] = {
    "target": "generic",
    "not_timed": None,
    "host": {
        "cpu": "znver4",
        "cores": 2,
        "isa": "x86_64",
        "roofs": [
            {
                "threads": 1,
                "f32_gflop_per_s": 100.0,
                "f64_gflop_per_s": 50.0,
                "memory_gbyte_per_s": 20.0,
                "cache_gbyte_per_s": 80.0,
            }
        ],
    },
    "skipped": [{"program": "stop", "reason": "the program ends as trapped"}],
    "results": [
        {
            "program": "scale",
            "arithmetic": "exact",
            "threads": 1,
            "repeat": 11,
            "median_ms": 1.5,
            "min_ms": 1.0,
            "max_ms": 3.0,
            "flop": 3_000_000,
            "bytes": 12_000_000,
            "gflop_per_s": 2.0,
            "gbyte_per_s": None,
            "peers": [
                {"name": "numpy", "median_ms": 3.0, "min_ms": 2.5, "max_ms": 6.0, "ratio": 0.5,
                 "note": "NumPy 2"},
                {"name": "c", "median_ms": 1.0, "ratio": 1.5},
                {"name": "numba", "absent": "not installed"},
            ],
        }
    ],
}  # fmt: skip


def text(stage: str, content: str, target: str = "", name: str = "scale") -> Text:
    label = f"build/{stage}/{target}{'/' * bool(target)}{name}"
    return Text(stage=stage, target=target, label=label, sha256="ab" * 32, content=content)


def program(name: str = "scale", **changes: Any) -> ProgramContent:
    content = ProgramContent(
        name=name,
        project="demo",
        source=f"src/{name}.mapal",
        build="build",
        settings=[("arithmetic", "exact")],
        texts=[
            text("source", SOURCE, name=name),
            text("lower", "mapal-ir 1\n  o0 parameter: f32 @ 5-6\n", name=name),
            text("rewrite", "mapal-ir 1\n", name=name),
            text("ll", LL, "generic", name),
            text("ll", LL.replace("8 x", "16 x"), "zen4", name),
            text("optimized", LL, "generic", name),
            text("optimized", "define void @f() {\n}\n", "zen4", name),
            text("assembly", "main:\n  ret # done\n", "generic", name),
            text("assembly", "main:\n  ret # done\n", "zen4", name),
        ],
        former=[],
        pictures={"lower": SVG, "rewrite": SVG},
        rewriting=REWRITING,
        oracle={"class": "done", "trap": None},
        plans={"generic": PLAN, "zen4": PLAN},
        checks=[
            Check(
                target="generic",
                status="equal",
                document={
                    "runs": [{"threads": 1, "via": None, "equal": True, "trap": None}],
                },
            ),
            Check(target="zen4", status="skipped", reason="no such machine"),
        ],
        places={0: (2, 1), 1: (2, 4), 5: (3, 10)},
    )
    return replace(content, **changes)


def build(*programs: ProgramContent, **changes: Any) -> BuildContent:
    former = Manifest({"build/ll/generic/scale": Artifact("emit", "00" * 32, 10, ())}, {"cc": "1"})
    latter = Manifest({"build/ll/generic/scale": Artifact("emit", "ab" * 32, 12, ())}, {"cc": "2"})
    content = BuildContent(
        version="0.1",
        selection="",
        programs=programs or (scale_with_history(), trapped()),
        targets=["generic", "zen4"],
        tasks=[
            Task(name="parse:scale", action="ran", seconds=0.5, start=0.0),
            Task(name="parse:stop", action="cached", seconds=0.25, start=0.25),
            Task(name="lower:scale", action="failed", seconds=0.5, start=0.5),
        ],
        failures=[("lower:scale", "src/scale.mapal:3:1: error[L1000]: <no> & no")],
        changes=compare(former, latter),
        left_out="",
        benches=[BENCH],
        laws={"inlining": "small functions in place of calls"},
    )
    return replace(content, **changes)


def scale_with_history() -> ProgramContent:
    return program(former=[text("ll", LL.replace("2.0", "3.0"), "generic")])


def trapped() -> ProgramContent:
    """A program that traps in line 3."""
    return program("stop", oracle={"class": "trapped", "trap": {"kind": "index_oob", "token": 5}})
