"""Random stencils on grids with borders: flat and nested, of numbers and of records, repeated."""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Case
from tests.codegen.random_bodies import FLOATS, NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers, random_size

_BORDERS = ("literal", "literal", "own", "clamped", "wrapped", "nested guards")


class _Grid:
    """How one program sees its grid."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ty = random.choice(NUMBERS)
        self.rows, self.columns = random_size(random, 40), random_size(random, 70)
        self.layout = random.choice(("flat", "flat", "nested", "nested", "rows"))
        self.border = random.choice(_BORDERS)
        if random.random() < 0.04:
            self.border = "none"
        self.of_records = random.random() < 0.3
        self.gives_pairs = random.random() < 0.25

    @property
    def element(self) -> str:
        return "Cell" if self.of_records else self.ty

    def array(self, element: str) -> str:
        if self.layout == "flat":
            return f"[{element}; {self.rows * self.columns}]"
        return f"[[{element}; {self.columns}]; {self.rows}]"

    def read(self, row: str, column: str) -> str:
        place = f"[{row}][{column}]"
        if self.layout == "flat":
            place = f"[({row}) * {self.columns} + {column}]"
        return f"x{place}" + (f".{self.random.choice('uv')}" if self.of_records else "")

    def neighbour(self, number: int, down: int, along: int) -> str:
        """Statements that name a neighbour `nNUMBER`."""
        row, column = _moved("r", down), _moved("c", along)
        name = f"n{number}: {self.ty}"
        read = self.read(row, column)
        match self.border:
            case "none":
                return f"{read} -> {name};"
            case "clamped" | "wrapped":
                lines = [self._inside(row, f"r{number}", self.rows)]
                lines.append(self._inside(column, f"c{number}", self.columns))
                return " ".join([*lines, f"{self.read(f'r{number}', f'c{number}')} -> {name};"])
        other = random_literal(self.random, self.ty) if self.border != "own" else "own"
        conditions = self._conditions(down, along)
        if not conditions:
            return f"{read} -> {name};"
        if self.border == "nested guards":
            text = read + ";"
            for condition in conditions:
                text = f"({condition}) -> {{ -true-> {text} -false-> {other}; }}"
            return f"{text} -> {name};"
        return f"({' && '.join(conditions)}) -> {{ -true-> {read}; -false-> {other}; }} -> {name};"

    def _conditions(self, down: int, along: int) -> list[str]:
        found = []
        for name, step, size in (("r", down, self.rows), ("c", along, self.columns)):
            forms: tuple[str, ...]
            if step < 0:
                forms = (
                    f"{_moved(name, step)} >= 0",
                    f"{name} > {-step - 1}",
                    f"{name} >= {-step}",
                )
                found.append(self.random.choice(forms))
            if step > 0:
                forms = (f"{_moved(name, step)} < {size}", f"{name} < {size - step}")
                found.append(self.random.choice(forms))
        return found

    def _inside(self, place: str, name: str, size: int) -> str:
        if self.border == "wrapped":
            return f"({place} + {2 * size}) % {size} -> {name};"
        return f"({place}, 0) -> max -> {name}l; ({name}l, {size - 1}) -> min -> {name};"


def _moved(name: str, step: int) -> str:
    return name if step == 0 else f"{name} {'+' if step > 0 else '-'} {abs(step)}"


def grids(random: Random) -> Case:
    """A step over a grid, once or several times, or twice in a row."""
    grid = _Grid(random)
    body = _body(grid)
    given = f"({grid.ty}, {grid.ty})" if grid.gives_pairs else grid.ty
    match grid.layout:
        case "flat":
            cells = grid.rows * grid.columns
            text = f"{cells} -> iota -> map {{ t -> t / {grid.columns} -> r; "
            text += f"t % {grid.columns} -> c; {body} }}"
        case "nested":
            text = f"{grid.rows} -> iota -> map {{ r -> {grid.columns} -> iota -> map {{ c -> "
            text += f"{body} }} }}"
        case _:
            text = "x -> enumerate -> map { p -> p.0 -> r; p.1 -> row; "
            text += f"row -> enumerate -> map {{ q -> q.0 -> c; {body} }} }}"
    taken, made = grid.array(grid.element), grid.array(given)
    head = (
        f"type Cell {{ u: {grid.ty}, v: {grid.ty} }}\nfn step(x: {taken}) -> {made} {{ {text} }}\n"
    )
    return Case(
        source=f"{head}fn main(x: {taken}) -> {made} {{ {_main(grid, taken)} }}",
        inputs={
            "x": random_numbers(
                random, grid.ty, grid.rows * grid.columns * (2 if grid.of_records else 1)
            )
        },
        arithmetic="fused" if random.random() < 0.3 else "exact",
    )


def _main(grid: _Grid, taken: str) -> str:
    if grid.of_records or grid.gives_pairs or grid.random.random() < 0.6:
        return "x -> step -> ret;"
    if grid.random.random() < 0.5:
        return "x -> step -> once; once -> step -> ret;"
    passes = grid.random.randint(1, 3)
    return (
        f"mut g: {taken} <- x; mut k: i32 <- 0; loop {{ (k < {passes}) -> {{ "
        "-true-> { g -> step -> g; k + 1 -> k; -> loop; } -false-> g -> ret; } }"
    )


def _body(grid: _Grid) -> str:
    random = grid.random
    if random.random() < 0.25 and grid.border not in ("none", "clamped", "wrapped"):
        return _folded(grid)
    reach = random.choice((1, 1, 1, 2))
    steps = [(a, b) for a in range(-reach, reach + 1) for b in range(-reach, reach + 1)]
    near = random.sample(steps, random.randint(2, 6))
    lines = [f"{grid.read('r', 'c')} -> own: {grid.ty};"]
    lines += [grid.neighbour(number, *step) for number, step in enumerate(near)]
    before, value = _combined(grid, [f"n{number}" for number in range(len(near))])
    last = "(result, own)" if grid.gives_pairs else "result"
    return f"{' '.join(lines)} {before} {value} -> result: {grid.ty}; {last}"


def _combined(grid: _Grid, names: list[str]) -> tuple[str, str]:
    """Statements and the value that they lead to."""
    random, ty = grid.random, grid.ty
    form = random.random()
    if form < 0.25:
        lines, last = [], names[0]
        for name in names[1:]:
            stage = random.choice(("min", "max"))
            lines.append(f"({last}, {name}) -> {stage} -> m{name}: {ty};")
            last = f"m{name}"
        return " ".join(lines), last
    if form < 0.4:
        yes, no = ("1.0", "0.5") if ty in FLOATS else ("1", "0")
        lines = [
            f"({name} > own) -> {{ -true-> {yes}; -false-> {no}; }} -> t{name}: {ty};"
            for name in names
        ]
        return " ".join(lines), " + ".join(f"t{name}" for name in names)
    weights = ("0.25", "0.1", "-2.5", "1.0") if ty in FLOATS else ("1", "2", "3")
    terms = [random.choice((name, f"{name} * {random.choice(weights)}")) for name in names]
    text = f" {random.choice('+-')} ".join(terms)
    return "", text if ty in FLOATS else f"({text}) / {random.choice((1, 2, 3, 9))}"


def _folded(grid: _Grid) -> str:
    """The neighbours of a square by a fold with a guard."""
    random, ty = grid.random, grid.ty
    size = random.choice((3, 3, 5))
    half, other = size // 2, random_literal(random, ty)
    inside = f"a >= 0 && a < {grid.rows} && b >= 0 && b < {grid.columns}"
    read = grid.read("a", "b")
    step = f"r + k / {size} - {half} -> a; c + k % {size} - {half} -> b; "
    step += f"({inside}) -> {{ -true-> {read}; -false-> {other}; }} -> n: {ty}; "
    step += random.choice(("sum + n", "n - sum", "(sum, n) -> max", "sum * n + n"))
    last = "(result, own)" if grid.gives_pairs else "result"
    return (
        f"{grid.read('r', 'c')} -> own: {ty}; {size * size} -> iota -> ks; "
        f"{random_literal(random, ty)} -> seed: {ty}; "
        f"(seed, ks) -> fold {{ sum, k -> {step} }} -> result: {ty}; {last}"
    )
