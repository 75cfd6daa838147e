"""The extension's manifest names files that are there, or that packaging copies."""

from __future__ import annotations

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))


def test_files() -> None:
    (language,) = MANIFEST["contributes"]["languages"]
    assert (FOLDER / MANIFEST["main"]).is_file()
    assert (FOLDER / language["configuration"]).is_file()
    assert language["extensions"] == [".mapal"]


def test_grammar() -> None:
    (grammar,) = MANIFEST["contributes"]["grammars"]
    (language,) = MANIFEST["contributes"]["languages"]
    script = MANIFEST["scripts"]["copy-grammar"]
    source, target = re.findall(r"copyFileSync\('(.*?)', '(.*?)'\)", script)[0]
    assert f"./{target}" == grammar["path"]
    document = json.loads((FOLDER / source).read_text(encoding="utf-8"))
    assert document["scopeName"] == grammar["scopeName"]
    assert grammar["language"] == language["id"] == "mapal"
    assert "copy-grammar" in MANIFEST["scripts"]["vscode:prepublish"]


def test_server() -> None:
    (setting,) = MANIFEST["contributes"]["configuration"]["properties"].items()
    name, schema = setting
    assert schema["default"] == ["mapal", "lsp"]
    extension = (FOLDER / MANIFEST["main"]).read_text(encoding="utf-8")
    section, key = re.findall(r'getConfiguration\("(.*?)"\)\.get\("(.*?)"\)', extension)[0]
    assert f"{section}.{key}" == name
    (package,) = MANIFEST["dependencies"]
    assert f'require("{package}/node")' in extension


def test_configuration() -> None:
    text = (FOLDER / "language-configuration.json").read_text(encoding="utf-8")
    configuration = json.loads(text)
    assert configuration["comments"] == {"lineComment": "//"}
    assert ["{", "}"] in configuration["brackets"]
    re.compile(configuration["wordPattern"])
