"""The tuning file: what was chosen for a profile, and everything that was measured on the way.

It is text for reviewers and an input of builds. Kernels that are tuned again replace what the file
said of them; the others stay.
"""

from __future__ import annotations

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


def _kept(former: bytes, renewed: set[str]) -> tuple[dict[str, dict[str, int]], list[str]]:
    """What a file says of kernels that are not tuned now. Its evidence is kept line by line."""
    root = read_document(former, "the former tuning file")
    entries = root.mapping()
    tiles = parse_tiles(entries["tiles"])
    numbers = {kernel: dict(found) for kernel, found in tiles.entries if kernel not in renewed}
    lines = former.decode().split("\n")
    evidence = [
        lines[item.line - 1] for item in entries["evidence"].items() if _kernel(item) not in renewed
    ]
    return numbers, evidence


def _kernel(item: Entry) -> str:
    return item.mapping()["kernel"].text()
