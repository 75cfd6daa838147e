"""The tuning file: what was chosen for a profile, and everything that was measured on the way.

It is text for reviewers and an input of builds. Kernels that are tuned again replace what the file
said of them; the others stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mapal.bench.tuning.search import Finding
from mapal.bench.tuning.trials import Numbers
from mapal.target.document import Entry, read_document
from mapal.target.tiles import parse_tiles, tiles_of


def tuning_text(
    name: str,
    cpu: str,
    chosen: Mapping[str, Numbers],
    findings: Sequence[Finding],
    former: bytes | None,
) -> str:
    """The file for the profile `name`, measured on a `cpu`; `former` is the one before."""
    numbers: dict[str, dict[str, int]] = {}
    evidence: list[str] = []
    if former is not None:
        numbers, evidence = _kept(former, set(chosen))
    numbers.update({kernel: dict(found) for kernel, found in chosen.items() if found})
    evidence += [line for finding in findings for line in _lines(finding)]
    tiles = tiles_of(numbers)
    lines = [_HEAD, f"name: {name}", f"cpu: '{cpu}'"]
    lines += ["tiles:", *tiles.to_yaml("  ")] if tiles.entries else ["tiles: {}"]
    lines += ["evidence:", *evidence] if evidence else ["evidence: []"]
    return "\n".join(lines) + "\n"


_HEAD = (
    "# Written by `doit tune`. Numbers of kernels that measurement found better than the\n"
    "# formulas; they change speed and never results. A ratio is the time of a candidate over\n"
    "# that of what was chosen before it, with the quartiles of the rounds."
)


def _lines(finding: Finding) -> list[str]:
    """One candidate in the evidence."""
    head = (
        f"  - {{kernel: {finding.kernel}, step: {finding.step}, "
        f"{_numbers(finding.numbers.items())}, chosen: {str(finding.is_chosen).lower()}"
    )
    rows = [f", {_row(name, figures)}" for name, figures in finding.rows.items()]
    return ["".join([head, *rows, "}"])]


def _numbers(numbers: Iterable[tuple[str, int]]) -> str:
    return f"numbers: {{{', '.join(f'{name}: {number}' for name, number in numbers)}}}"


def _row(name: str, figures: Mapping[str, Any]) -> str:
    low, high = figures["quartiles"]
    return (
        f"{name}: {{base_ms: {figures['base_ms']:.4f}, ms: {figures['median_ms']:.4f}, "
        f"ratio: {figures['ratio']:.4f}, quartiles: [{low:.4f}, {high:.4f}], "
        f"quiet: {figures['quiet_rounds']}, rounds: {figures['rounds']}}}"
    )


def require_evidence(former: bytes) -> None:
    """Raises `UserError` for a file whose evidence does not say which kernels it is about."""
    for item in _evidence(former):
        _kernel(item)


def _kept(former: bytes, renewed: set[str]) -> tuple[dict[str, dict[str, int]], list[str]]:
    """What a file says of kernels that are not tuned now."""
    tiles = parse_tiles(_root(former)["tiles"])
    numbers = {kernel: dict(found) for kernel, found in tiles.entries if kernel not in renewed}
    kept = [item for item in _evidence(former) if _kernel(item) not in renewed]
    return numbers, [f"  - {_written(item)}" for item in kept]


def _root(former: bytes) -> dict[str, Entry]:
    return read_document(former, "the former tuning file").mapping()


def _evidence(former: bytes) -> list[Entry]:
    return _root(former)["evidence"].items()


def _kernel(item: Entry) -> str:
    entries = item.mapping()
    if "kernel" not in entries:
        item.fail(f"key 'kernel' is missing in {item.path}")
    return entries["kernel"].text()


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*[A-Za-z0-9]\Z")
_NO_TEXT = ("true", "false", "null")


def _written(entry: Entry) -> str:
    """A value as one line of YAML, as `_lines` writes it, however people laid it out."""
    match entry.value:
        case dict():
            pairs = (f"{_word(key)}: {_written(value)}" for key, value in entry.value.items())
            return f"{{{', '.join(pairs)}}}"
        case list():
            return f"[{', '.join(map(_written, entry.value))}]"
        case float():
            short = f"{entry.value:.4f}"
            return short if float(short) == entry.value else repr(entry.value)
        case str():
            return _word(entry.value)
        case _:
            return json.dumps(entry.value)


def _word(text: str) -> str:
    """Plain if that is read as text again, in quotes otherwise."""
    return text if _PLAIN.match(text) and text not in _NO_TEXT else json.dumps(text)
