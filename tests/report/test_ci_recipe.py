"""The recipe of `docs/ci.md`, executed step by step as it stands there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import yaml

from mapal.cli.main import main

RECIPE = Path(__file__).parents[2] / "docs" / "ci.md"
BY_HAND = ("install", "get what the main branch built")
"""Steps that need the network; the test does what they would do."""


def job() -> dict[str, Any]:
    """The job of the recipe."""
    (text,) = re.findall(r"```yaml\n(.*?)```", RECIPE.read_text(), re.DOTALL)
    document = yaml.safe_load(text)
    found: dict[str, Any] = document["jobs"]["build"]
    return found


def run_steps(directory: Path) -> str:
    """Runs the job in a checkout; gives what its steps printed."""
    recipe = job()
    environment = {**os.environ, **recipe["env"], "CI": "true", "MAPAL_CACHE": "on"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    printed = ""
    names = []
    for step in recipe["steps"]:
        if "run" not in step or step["name"] in BY_HAND:
            continue
        names.append(step["name"])
        result = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed += result.stdout
        assert result.returncode == 0, (step["name"], result.stdout)
    assert names == ["build", "compare with the main branch", "collect"]
    return printed


def checkout(path: Path) -> Path:
    """A project as a fresh clone has it."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        assert main(["new", path.name]) == 0
    finally:
        os.chdir(before)
    return path


def source_of(project: Path) -> Path:
    (source,) = (project / "src").glob("*.mapal")
    return source


def test_the_recipe_works_as_it_is_written(tmp_path: Path) -> None:
    first = checkout(tmp_path / "demo")
    printed = run_steps(first)
    assert re.search(r"^ran +[0-9.]+ s  parse:", printed, re.MULTILINE)
    assert "\x1b" not in printed
    kept = {file.name for file in (first / "kept").iterdir()}
    assert kept == {
        "manifest.json",
        "provenance.json",
        "junit.xml",
        "last-build.json",
        "index.html",
    }
    suites = ElementTree.fromstring((first / "kept" / "junit.xml").read_bytes())
    assert suites.attrib["failures"] == suites.attrib["errors"] == "0"
    verdicts = [line for line in printed.splitlines() if line.startswith("demo/")]
    assert int(suites.attrib["tests"]) == len(verdicts) > 10
    statement = json.loads((first / "kept" / "provenance.json").read_bytes())
    manifest = json.loads((first / "kept" / "manifest.json").read_bytes())
    assert [(one["name"], one["digest"]["sha256"]) for one in statement["subject"]] == [
        (one["path"], one["sha256"]) for one in manifest["artifacts"]
    ]
    for told in (first / "kept").glob("*.json"):
        if told.name != "last-build.json":
            assert not re.search(rf"(?<![\w.-]){os.uname().nodename}(?![\w.-])", told.read_text())
            assert str(tmp_path) not in told.read_text()

    # The next job has the cache and what the main branch kept, and nothing else.
    (tmp_path / "elsewhere").mkdir()
    second = checkout(tmp_path / "elsewhere" / "demo")
    shutil.copytree(first / ".mapal-cache", second / ".mapal-cache")
    shutil.copytree(first / "kept", second / "main-build")
    printed = run_steps(second)
    assert re.search(r"^tasks: 1 ran, [0-9]+ from the cache", printed, re.MULTILINE), printed
    assert (second / "kept" / "changes.txt").read_text() == f"{len(manifest['artifacts'])} equal\n"

    source = source_of(second)
    source.write_text(source.read_text() + "\n// a comment that tokens do not see\n")
    printed = run_steps(second)
    assert "tasks: 2 ran, " in printed, "parse and manifest, for other bytes of the source"
    assert (second / "kept" / "changes.txt").read_text() == f"{len(manifest['artifacts'])} equal\n"

    other = re.sub(r"\b([0-9]+)\b", lambda found: str(int(found[1]) + 1), source.read_text())
    source.write_text(other)
    run_steps(second)
    changes = (second / "kept" / "changes.txt").read_text()
    assert re.search(r"^changed +lower +lower/", changes, re.MULTILINE), changes
