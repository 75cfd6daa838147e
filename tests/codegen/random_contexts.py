"""Puts the program of a case into another: called in a loop, a map, an arm, twice, or read back.

A kernel has to be right wherever its map stands: where its function is called several times, where
its result is one of many, where somebody else than the caller reads it, and where what it reads is
computed in the program, or a law.
"""

from __future__ import annotations

import dataclasses
import re
from random import Random

from tests.codegen.kernel_runs import Case
from tests.codegen.random_bodies import INTEGERS
from tests.codegen.random_inputs import random_literal

_MAIN = re.compile(r"fn main\((?P<taken>.*?)\) -> (?P<given>.*?) \{", re.DOTALL)
_ARRAY = re.compile(r"\[(?P<element>[a-z0-9]+); (?P<length>[0-9]+)\]")
_GRID = re.compile(r"\[\[(?P<element>[a-z0-9]+); (?P<columns>[0-9]+)\]; (?P<rows>[0-9]+)\]")


def in_context(random: Random, case: Case) -> Case:
    """The same map in another place; the case itself where its results do not allow that."""
    found = _MAIN.search(case.source)
    if found is None or found["given"].startswith("("):
        return case
    taken, given = " ".join(found["taken"].split()), found["given"]
    names = re.findall(r"(\w+): ", taken)
    call = f"{names[0]} -> inner" if len(names) == 1 else f"({', '.join(names)}) -> inner"
    forms = [_in_a_map, _in_arms, _twice, _in_a_loop]
    if _ARRAY.fullmatch(given):
        forms += [_read_back, _read_back]
    if _GRID.fullmatch(given):
        forms += [_rows_read_back] * 4
    result, body = random.choice(forms)(random, given, call)
    source = case.source.replace("fn main(", "fn inner(", 1)
    source += f"\nfn main({taken}) -> {result} {{ {body} }}\n"
    return dataclasses.replace(case, source=source)


def with_computed_inputs(random: Random, case: Case) -> Case:
    """The same program with other arrays in place of some of its inputs, made of these."""
    found = _MAIN.search(case.source)
    if found is None:
        return case
    taken, statements = " ".join(found["taken"].split()), []
    for name, ty, count in re.findall(r"(\w+): \[([a-z0-9]+); ([0-9]+)\]", taken):
        if random.random() < 0.6:
            taken = re.sub(rf"\b{name}: ", f"{name}_given: ", taken)
            statements.append(f"{_computed(random, f'{name}_given', ty, int(count))} -> {name};")
    head = f"fn main({taken}) -> {found['given']} {{ {' '.join(statements)}"
    return dataclasses.replace(
        case,
        source=case.source[: found.start()] + head + case.source[found.end() :],
        inputs={
            f"{name}_given" if f"{name}_given: " in taken else name: array
            for name, array in case.inputs.items()
        },
    )


def _computed(random: Random, name: str, ty: str, count: int) -> str:
    """A chain, perhaps after a statement, to an array of the type and length of a named one."""
    literal = random_literal(random, ty)
    forms = [
        f"{count} -> iota -> map {{ z -> {name}[{count - 1} - z] }}",
        f"({name}, {name}) -> zip -> map {{ z -> z.1 }}",
        f"{literal} -> {name}_each: {ty}; ({name}_each, {count}) -> fill",
    ]
    if ty != "bool":
        forms += [f"{name} -> map {{ z -> z + {literal} }}", f"{name} -> map {{ z -> z - z * z }}"]
    if ty == "i32":
        forms.append(f"{count} -> iota")
    if random.random() < 0.1:
        # These may trap, or do so at the last element.
        if ty in INTEGERS:
            forms = [f"{name} -> map {{ z -> 100 / z }}", f"{name} -> map {{ z -> z % (z - 1) }}"]
        forms.append(f"{count} -> iota -> map {{ z -> {name}[z + 1] }}")
    return random.choice(forms)


def _in_a_map(random: Random, given: str, call: str) -> tuple[str, str]:
    count = random.randint(1, 3)
    return f"[{given}; {count}]", f"{count} -> iota -> map {{ z -> {call} }} -> ret;"


def _in_arms(random: Random, given: str, call: str) -> tuple[str, str]:
    """In one arm or both, of which one is selected."""
    condition = random.choice(("1 > 0", "1 < 0"))
    text = f"{call} -> first: {given}; {condition} -> is; "
    text += f"is -> {{ -true-> {call}; -false-> first; }} -> chosen: {given}; "
    return given, text + "chosen -> ret;"


def _twice(_: Random, given: str, call: str) -> tuple[str, str]:
    return f"({given}, {given})", f"{call} -> ret.0; {call} -> ret.1;"


def _in_a_loop(random: Random, given: str, call: str) -> tuple[str, str]:
    passes = random.randint(0, 2)
    text = f"{call} -> first: {given}; mut last: {given} <- first; mut k: i32 <- 0; "
    text += f"loop {{ (k < {passes}) -> {{ -true-> {{ {call} -> next: {given}; next -> last; "
    return given, text + "k + 1 -> k; -> loop; } -false-> last -> ret; } }"


def _read_back(random: Random, given: str, call: str) -> tuple[str, str]:
    """Each element read by another map, by a fold, or by both."""
    array = _ARRAY.fullmatch(given)
    assert array is not None
    ty, length = array["element"], int(array["length"])
    backwards = f"{length} -> iota -> map {{ z -> made[{length - 1} - z] }}"
    text = f"{call} -> made: {given}; "
    if ty == "bool" or random.random() < 0.5:
        return given, f"{text}{backwards} -> ret;"
    total = f"({random_literal(random, ty)}, made) -> fold {{ s, v -> s * 3 + v }}"
    if ty[0] == "f":
        total = total.replace("* 3 +", "* 0.5 +")
    return f"({given}, {ty})", f"{text}{backwards} -> ret.0; {total} -> ret.1;"


def _rows_read_back(random: Random, given: str, call: str) -> tuple[str, str]:
    """Cells of rows, whole rows, or one of either."""
    grid = _GRID.fullmatch(given)
    assert grid is not None
    ty, columns, rows = grid["element"], int(grid["columns"]), int(grid["rows"])
    text = f"{call} -> made: {given}; "
    turned = f"{columns} -> iota -> map {{ c -> {rows} -> iota -> map {{ r -> made[r][c] }} }}"
    row, column = random.randrange(rows), random.randrange(columns)
    forms = [
        (f"[[{ty}; {rows}]; {columns}]", f"{turned} -> ret;"),
        (f"[{ty}; {rows}]", f"made -> map {{ row -> row[{column}] }} -> ret;"),
        (f"[{ty}; {columns}]", f"made[{row}] -> ret;"),
        (ty, f"made[{row}][{column}] -> ret;"),
        (
            f"[{ty}; {rows}]",
            f"{rows} -> iota -> map {{ r -> made[{rows - 1} - r][r % {columns}] }} -> ret;",
        ),
    ]
    if ty != "bool":
        seed = random_literal(random, ty)
        total = f"({seed}, row) -> fold {{ s, v -> s + v }}"
        forms.append((f"[{ty}; {rows}]", f"made -> map {{ row -> {total} }} -> ret;"))
        total = "row -> reduce { a, b -> a + b }"
        forms.append((f"[{ty}; {rows}]", f"made -> map {{ row -> {total} }} -> ret;"))
    result, last = random.choice(forms)
    return result, text + last
