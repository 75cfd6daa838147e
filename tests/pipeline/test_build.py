"""Whole builds: what is made, what runs again after which edit, and what errors look like."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapal.native.workers import WorkerPool
from mapal.target import list_profiles
from tests.pipeline.directories import ProjectDirectory

ARTIFACTS = {
    "parse/{}.ast.json",
    "parse/{}.loc.json",
    "lower/{}.ir",
    "check/{}.json",
    "rewrite/{}.ir",
    "rewrite/{}.report.json",
    "oracle/{}.json",
    "graph/{}.lower.mmd",
    "graph/{}.rewrite.mmd",
    "graph/{}.lower.svg",
    "graph/{}.rewrite.svg",
    "emit/generic/{}.ll",
    "emit/generic/{}.plan.json",
    "object/generic/{}.opt.ll",
    "object/generic/{}.s",
    "object/generic/{}.o",
    "link/generic/{}",
    "differential/generic/{}.json",
}


def test_a_build_makes_every_artifact_and_a_second_one_nothing(project: ProjectDirectory) -> None:
    result = project.doit("build")
    assert result.status == 0, result.err
    assert result.err == ""
    assert result.out.splitlines()[-2:] == [
        "demo/hello generic equal",
        "demo/scale generic equal",
    ]
    made = project.artifacts()
    expected = {name.format(p) for name in ARTIFACTS for p in ("hello", "scale")}
    expected |= {"manifest.json", "provenance.json"}
    expected |= {"runtime/generic/libmapal_rt.a", "oracle/scale/result.npy"}
    expected |= {f"differential/generic/scale/t{n}-o2.result.npy" for n in (1, 2)}
    assert set(made) == expected
    assert np.load(project.path / "build/oracle/scale/result.npy").tolist() == [
        0, 2, 4, 6, 8, 10, 12, 14,
    ]  # fmt: skip

    manifest = json.loads(made["manifest.json"])
    listed = {artifact["path"]: artifact for artifact in manifest["artifacts"]}
    assert set(listed) == {name for name in expected if not name.endswith(".svg") and ("/" in name)}
    assert list(listed) == sorted(listed)
    for path, artifact in listed.items():
        assert artifact["sha256"] == hashlib.sha256(made[path]).hexdigest()
        assert artifact["bytes"] == len(made[path])
    assert listed["lower/hello.ir"] | {"sha256": "", "bytes": 0} == {
        "path": "lower/hello.ir",
        "stage": "lower",
        "sha256": "",
        "bytes": 0,
        "inputs": ["parse/hello.ast.json"],
    }
    assert manifest["schema"] == 1
    assert "llvmlite" in manifest["tools"]

    entries = json.loads(project.read("build/last-build.json"))["tasks"]
    # One process compiles the runtime once, whichever test comes first.
    others = [entry for entry in entries if not entry["name"].startswith("runtime:")]
    assert {entry["action"] for entry in others} == {"ran"}
    assert all(entry["seconds"] >= 0 for entry in entries)
    project.tasks_run()
    state = {path: path.stat().st_mtime_ns for path in (project.path / "build").rglob("*")}
    again = project.doit("build")
    assert again.out.splitlines() == [
        "tasks: 22 up to date",
        "demo/hello generic equal",
        "demo/scale generic equal",
    ]
    assert project.tasks_run() == []
    assert state == {path: path.stat().st_mtime_ns for path in (project.path / "build").rglob("*")}


def test_the_differential_result_has_the_documented_form(project: ProjectDirectory) -> None:
    project.build()
    scale = json.loads(project.read("build/differential/generic/scale.json"))
    result = hashlib.sha256((project.path / "build/oracle/scale/result.npy").read_bytes())
    empty = hashlib.sha256(b"").hexdigest()
    assert scale["oracle"] == {
        "class": "done",
        "exit": 0,
        "trap": None,
        "stdout_sha256": empty,
        "outputs": {"result": result.hexdigest()},
    }
    assert scale["runs"] == [
        {
            "threads": threads,
            "opt": 2,
            "via": None,
            "exit": 0,
            "trap": None,
            "stdout_sha256": empty,
            "outputs": {"result": result.hexdigest()},
            "equal": True,
        }
        for threads in (1, 2)
    ]
    assert {key: scale[key] for key in scale if key not in ("oracle", "runs")} == {
        "schema": 1,
        "program": "scale",
        "target": "generic",
        "arithmetic": "exact",
        "status": "equal",
        "reason": None,
    }


def test_only_what_an_edit_touches_runs_again(project: ProjectDirectory) -> None:
    project.build()
    project.edit("src/hello.mapal", "fn main", "// a comment\n\n  fn main")
    assert project.build() == ["parse:hello", "manifest"]

    project.edit("src/hello.mapal", "1 + 2", "1 + 3")
    stages = ["parse", "lower", "check", "rewrite", "oracle", "graph"]
    targeted = ["emit", "object", "link", "differential"]
    every = {f"{stage}:hello" for stage in stages}
    every |= {f"{stage}:generic:hello" for stage in targeted}
    # The verdict of the checks is the same file, so nothing waits for it.
    assert set(project.build()) == every | {"manifest"}

    project.edit("src/hello.mapal", "1 + 3", "1 + 2")
    assert set(project.build()) == every | {"manifest"}

    project.edit("mapal.yaml", "targets:", "opt: 1\ntargets:")
    tasks = set(project.build())
    assert {"object:generic:hello", "object:generic:scale", "manifest"} <= tasks
    assert not {task for task in tasks if task.startswith(("parse", "emit", "oracle"))}

    np.save(project.path / "data" / "a.npy", np.ones(8, "f4"))
    assert set(project.build()) == {"oracle:scale", "differential:generic:scale", "manifest"}


def test_altered_and_deleted_artifacts_are_restored_and_never_used(
    project: ProjectDirectory,
) -> None:
    project.build()
    clean = project.artifacts()
    for name in clean:
        if name != "manifest.json":
            file = project.path / "build" / name
            file.write_bytes(clean[name] + b"\n")
            tasks = project.build()
            assert len(tasks) == 1, (name, tasks)
            assert project.artifacts() == clean
            file.unlink()
            assert project.build() == tasks
            assert project.artifacts() == clean
    (project.path / "build" / "manifest.json").write_text("{}")
    assert project.build() == ["manifest"]
    os.chmod(project.path / "build/link/generic/hello", 0o755)


def test_a_build_directory_may_be_deleted_and_gives_the_same_bytes(
    project: ProjectDirectory, tmp_path: Path
) -> None:
    project.build()
    clean = project.artifacts()
    project.path.rename(tmp_path / "elsewhere")
    project.path = tmp_path / "elsewhere"
    assert project.build() == []
    import shutil

    shutil.rmtree(project.path / "build")
    project.build()
    assert project.artifacts() == clean
    assert b"elsewhere" not in b"".join(clean.values())


def test_two_processes_give_the_same_bytes_in_any_order(project: ProjectDirectory) -> None:
    project.build()
    clean = project.artifacts()
    import shutil

    shutil.rmtree(project.path / "build")
    result = project.doit_process("-n", "2", "build", env={**os.environ, "PYTHONHASHSEED": "7"})
    assert result.status == 0, result.err
    assert result.out.splitlines()[-1] == "demo/scale generic equal"
    assert project.artifacts() == clean


def test_a_build_with_nothing_to_do_imports_nothing_heavy(project: ProjectDirectory) -> None:
    project.write("dodo.py", "from mapal.dodo import *\nimport atexit, sys\n"
                  "atexit.register(lambda: print(sorted(sys.modules)))\n")  # fmt: skip
    assert project.doit_process("build").status == 0
    second = project.doit_process("build").out.splitlines()
    assert second[:-1] == [
        "tasks: 22 up to date",
        "demo/hello generic equal",
        "demo/scale generic equal",
    ]
    modules = set(second[-1].strip("[]").replace("'", "").split(", "))
    assert "mapal.pipeline.doit_tasks" in modules
    heavy = {"llvmlite", "numpy", "msgspec", "yaml", "jinja2", "pygraphviz", "rich"}
    assert modules & heavy == set()
    ours = {name for name in modules if name.startswith("mapal.")}
    assert {name.split(".")[1] for name in ours} <= {
        "cache", "dodo", "pipeline", "project", "report", "target", "native", "diagnostics",
    }  # fmt: skip
    assert not {name for name in ours if name.startswith("mapal.pipeline.stages")}


def test_every_target_is_built_or_says_why_not(project: ProjectDirectory) -> None:
    project.write("mapal.yaml", "name: demo\nprograms:\n  scale: {source: src/scale.mapal, "
                  "inputs: {a: data/a.npy}}\n")  # fmt: skip
    result = project.doit("build", "target=all")
    assert result.status == 0, result.err
    targets = (*list_profiles(), "native")
    lines = [line for line in result.out.splitlines() if line.startswith("demo/")]
    assert [line.split()[1] for line in lines] == list(targets)
    for line, target in zip(lines, targets, strict=True):
        verdict = line.split(" ", 2)[2]
        assert verdict == "equal" or verdict.startswith("skipped: ")
        for suffix in (".opt.ll", ".s", ".o"):
            assert (project.path / f"build/object/{target}/scale{suffix}").stat().st_size
        assert (project.path / f"build/emit/{target}/scale.ll").stat().st_size
        if target.startswith("cuda"):
            assert (project.path / f"build/emit/{target}/scale.ptx").stat().st_size
            assert (project.path / f"build/emit/{target}/scale.device.ll").stat().st_size
        linked = (project.path / f"build/link/{target}/scale").exists()
        assert linked == (verdict == "equal")
    skipped = json.loads(project.read("build/differential/cuda-ada/scale.json"))
    assert skipped["status"] == "skipped"
    assert skipped["reason"] == "linking and running GPU targets comes later"
    assert skipped["runs"] == []
    assert (project.path / "build/targets/native.yaml").exists()


def test_errors_are_shown_once_and_the_rest_is_built(project: ProjectDirectory) -> None:
    project.edit("src/hello.mapal", "1 + 2", "1 + zz + yy")
    project.write("src/broken.mapal", "fn main() { 1 -> -> }\nfn f( {}\n")
    project.edit("mapal.yaml", "programs:", "programs:\n  broken: {source: src/broken.mapal}")
    result = project.doit("build")
    assert result.status != 0
    for place in ("src/hello.mapal:3:9: error[", "src/broken.mapal:1:18: error["):
        assert result.err.count(place) == 1, result.err
    assert "Traceback" not in result.err
    assert result.out.splitlines()[-3:] == [
        "demo/broken generic failed: parse:broken",
        "demo/hello generic failed: lower:hello",
        "demo/scale generic equal",
    ]
    actions = {
        task["name"]: task["action"]
        for task in json.loads(project.read("build/last-build.json"))["tasks"]
    }
    assert actions["parse:broken"] == actions["lower:hello"] == "failed"
    assert "check:hello" not in actions
    assert not (project.path / "build/lower/hello.ir").exists()
    assert not (project.path / "build/manifest.json").exists()
    project.edit("src/hello.mapal", "1 + zz + yy", "1 + 2")
    project.write("src/broken.mapal", "fn main() { 1 -> println; }\n")
    project.build()


def test_a_crash_of_llvm_is_one_failed_task(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = WorkerPool.call

    def crash_once(
        pool: WorkerPool, function: str, *arguments: Any, limit_seconds: float = 60.0
    ) -> Any:
        if function.endswith(":compile_object") and b"program hello" in arguments[0]["ll"]:
            return call(pool, "os:abort", limit_seconds=limit_seconds)
        return call(pool, function, *arguments, limit_seconds=limit_seconds)

    with monkeypatch.context() as patch:
        patch.setattr(WorkerPool, "call", crash_once)
        result = project.doit("-n", "2", "build")
    assert result.status != 0
    assert result.err.startswith(
        "object:generic:hello: stage object crashed (program hello, target generic): killed by SIG"
    )
    assert result.out.splitlines()[-2:] == [
        "demo/hello generic failed: object:generic:hello",
        "demo/scale generic equal",
    ]
    tasks = project.tasks_run()
    assert "differential:generic:scale" in tasks
    assert set(project.build("-n", "2")) == {
        "object:generic:hello", "link:generic:hello", "differential:generic:hello", "manifest",
    }  # fmt: skip


def test_processes_instead_of_threads_do_as_well(project: ProjectDirectory) -> None:
    result = project.doit_process("-n", "2", "-P", "process", "build")
    assert result.status == 0, result.err
    project.tasks_run()
    assert project.build() == []


def test_a_failure_after_a_success_does_not_count_as_built(project: ProjectDirectory) -> None:
    project.build()
    project.edit("src/hello.mapal", "fn main", "fn mai")
    assert project.doit("build").status != 0
    assert project.doit("build").status != 0
    project.edit("src/hello.mapal", "fn mai", "fn main")
    project.build()
    assert project.build() == []


def test_a_budget_that_is_spent_names_the_key(project: ProjectDirectory) -> None:
    project.edit("mapal.yaml", "targets:", "steps: 3\ntargets:")
    result = project.doit("build", "program=hello")
    assert result.status != 0
    assert "raise `steps` in mapal.yaml" in result.err
    assert json.loads(project.read("build/oracle/hello.json"))["class"] == "diverged"


def test_traps_are_part_of_what_must_be_equal(project: ProjectDirectory) -> None:
    project.write("src/hello.mapal", "fn main() {\n    7 -> println;\n    0 -> z;\n"
                  "    1 / z -> println;\n}\n")  # fmt: skip
    result = project.doit("build", "program=hello")
    assert result.status == 0, result.err
    entry = json.loads(project.read("build/differential/generic/hello.json"))
    assert entry["oracle"]["class"] == "trapped"
    assert entry["oracle"]["exit"] == entry["runs"][0]["exit"] == 101
    assert entry["oracle"]["trap"] == entry["runs"][0]["trap"]


def test_sizes_make_programs_and_reach_the_source(project: ProjectDirectory) -> None:
    project.write("src/hello.mapal", "fn main() { {{N*N}} -> println; }\n")
    project.edit("mapal.yaml", "{source: src/hello.mapal}",
                 "{source: src/hello.mapal, sizes: {N: [3, 4]}}")  # fmt: skip
    project.build()
    assert json.loads(project.read("build/oracle/hello-4.json"))["stdout"] == "16\n"
    project.write("src/hello.mapal", "fn main() {\n {{M}} -> println; }\n")
    result = project.doit("build")
    assert result.err.count("src/hello.mapal:2: error: '{{M}}' names 'M'; sizes are N") == 1
    assert "parse:hello-4: the same as parse:hello-3" in result.err


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (np.arange(8, dtype="f8"), "data/a.npy: found dtype '<f8', expected '<f4' for f32"),
        (np.arange(7, dtype="f4"), "found 7 elements"),
    ],
)
def test_a_wrong_input_is_one_clear_error(
    project: ProjectDirectory, data: np.ndarray[tuple[int], np.dtype[np.float64]], expected: str
) -> None:
    np.save(project.path / "data" / "a.npy", data)
    result = project.doit("build")
    assert result.status != 0
    assert result.err.startswith("oracle:scale: input 'a': ")
    assert expected in result.err
    assert len(result.err.splitlines()) == 1
    assert result.out.splitlines()[-1] == "demo/scale generic failed: oracle:scale"


def test_a_long_line_of_garbage_is_reported_briefly(project: ProjectDirectory) -> None:
    project.write("src/hello.mapal", "x$(@" * (1 << 13))
    result = project.doit("build")
    assert result.status != 0
    assert "src/hello.mapal:1:" in result.err
    assert len(result.err) < 100_000


def test_outputs_that_do_not_exist_are_refused(project: ProjectDirectory) -> None:
    project.edit("mapal.yaml", "{result: build", "{result.0: build")
    result = project.doit("build")
    assert "oracle:scale: output 'result.0' is no result; results are result" in result.err
