"""The numbers of kernels that a profile may fix: which kernels, which numbers, in which bounds.

Code generation derives every number by formula from the facts of a profile. Where measurement
knows better, `policy.tiles` of a profile, or the file `NAME.tune.yaml` beside it that
`doit tune` writes, names it. These numbers change speed and never results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapal.target.document import Entry, closest

REALS = ("f32", "f64")
MODES = ("exact", "fused")

PARAMETERS: dict[str, dict[str, tuple[int, int]]] = {
    "matmul": {
        "rows": (1, 64),
        "vectors": (1, 16),
        "depth": (8, 1 << 20),
        "row_block": (1, 1 << 20),
    },
    "matmul-direct": {"rows": (1, 64), "vectors": (1, 16)},
}
"""For each kind of kernel its numbers and their bounds. `matmul` is a matrix product whose
operands are packed: its register tile has `rows` rows of `vectors` vectors, `depth` steps are
added before the next part of the right matrix is packed, and `row_block` rows of the left
matrix are packed at once. `matmul-direct` is one that reads its operands where they lie."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """Numbers by kernel. A kernel is a kind, the type of its numbers and the arithmetic mode,
    such as `matmul-f32-exact`."""

    entries: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()

    def get(self, kernel: str) -> Mapping[str, int]:
        """What is fixed for a kernel; nothing for one that is not listed."""
        return dict(dict(self.entries).get(kernel, ()))

    def updated(self, others: Tiles) -> Tiles:
        """These numbers, except where the others say something."""
        merged = {kernel: dict(numbers) for kernel, numbers in self.entries}
        for kernel, numbers in others.entries:
            merged[kernel] = {**merged.get(kernel, {}), **dict(numbers)}
        return tiles_of(merged)

    def to_yaml(self, indentation: str) -> list[str]:
        """Lines of a mapping, or none."""
        return [
            f"{indentation}{kernel}: {{{', '.join(f'{name}: {n}' for name, n in numbers)}}}"
            for kernel, numbers in self.entries
        ]


NO_TILES = Tiles()
"""Everything is left to formulas."""


def tiles_of(numbers: Mapping[str, Mapping[str, int]]) -> Tiles:
    """Tiles in their canonical order."""
    return Tiles(
        tuple((kernel, tuple(sorted(numbers[kernel].items()))) for kernel in sorted(numbers))
    )


def kernel_names() -> tuple[str, ...]:
    """Every kernel that numbers can be given for."""
    return tuple(f"{kind}-{real}-{mode}" for kind in PARAMETERS for real in REALS for mode in MODES)


def parse_tiles(entry: Entry) -> Tiles:
    """The tiles of a mapping in a document. Raises `DocumentError` for a kernel or number that
    does not exist or is out of bounds, with the closest valid name."""
    known = kernel_names()
    found: dict[str, dict[str, int]] = {}
    for kernel, numbers in entry.mapping().items():
        if kernel not in known:
            entry.fail_at_key(
                kernel, f"unknown kernel {kernel!r} in {entry.path}{closest(kernel, known)}"
            )
        bounds = PARAMETERS[kernel.rsplit("-", 2)[0]]
        given = numbers.mapping(tuple(bounds))
        found[kernel] = {name: value.integer(*bounds[name]) for name, value in given.items()}
    return tiles_of(found)
