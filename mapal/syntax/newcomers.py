"""Hints for habits that other languages teach: the corrected text, where it can be given.

Everything here looks at a bounded piece of text, so that a hint never costs more than the
token that it belongs to.
"""

from __future__ import annotations

import re

_GUARD_SHAPE = "`(condition) -> { -true-> …; -false-> …; } -> result;`"
_LOOP_SHAPE = "`loop { (condition) -> { -true-> { …; -> loop; } -false-> value -> result; } }`"

FOREIGN_STATEMENTS = {
    "if": f"choose a value with a guard: {_GUARD_SHAPE}",
    "else": f"the other case is an arm of the same guard: {_GUARD_SHAPE}",
    "elif": f"nest a guard in the false arm: {_GUARD_SHAPE}",
    "when": f"choose a value with a guard: {_GUARD_SHAPE}",
    "match": "match an integer with a guard: `value -> { -0-> …; -1-> …; -_-> …; } -> result;`",
    "switch": "match an integer with a guard: `value -> { -0-> …; -1-> …; -_-> …; } -> result;`",
    "case": "a case is an arm of a guard: `value -> { -0-> …; -_-> …; } -> result;`",
    "for": "go through an array with `array -> map { x -> … } -> result;` (`n -> iota` is the "
    f"array 0, 1, …, n-1), or repeat with {_LOOP_SHAPE}",
    "foreach": "go through an array with `array -> map { x -> … } -> result;`",
    "while": f"repeat with a guarded loop: {_LOOP_SHAPE}",
    "do": f"repeat with a guarded loop: {_LOOP_SHAPE}",
    "until": f"repeat with a guarded loop: {_LOOP_SHAPE}",
    "break": f"a loop ends through the exit arm of its guard: {_LOOP_SHAPE}",
    "continue": "the next pass of a loop is `-> loop;` at the end of the jump arm",
    "return": "return a value with `value -> ret;`",
    "yield": "return a value with `value -> ret;`",
    "let": "bind a name with `name <- value;`, or `mut name <- value;` if it changes",
    "var": "bind a name that changes with `mut name <- value;`",
    "val": "bind a name with `name <- value;`",
    "const": "bind a name with `name <- value;`",
    "def": "functions stand at the top level: `fn name(parameter: i32) -> i32 { … }`",
    "func": "functions stand at the top level: `fn name(parameter: i32) -> i32 { … }`",
    "function": "functions stand at the top level: `fn name(parameter: i32) -> i32 { … }`",
    "lambda": "a body stands where it is used: `array -> map { x -> … }`",
    "struct": "a named product is `type Name { field: i32, … }`, at the top level",
    "class": "a named product is `type Name { field: i32, … }`, at the top level",
    "print": 'send the value into it: `"text" -> print;`',
    "println": 'send the value into it: `"text" -> println;`',
    "not": "write `!` before the operand",
}
"""Words that begin a statement elsewhere, with what to write in Mapal."""

DECLARATORS = frozenset(("let", "var", "val", "const"))

FOREIGN_EXPRESSIONS = frozenset(("if", "match", "switch", "case", "when", "for", "while", "not"))
"""Words that begin an expression elsewhere, with another operand right behind them."""

FOREIGN_TYPES = {
    **dict.fromkeys(("int", "integer"), "i32"),
    **dict.fromkeys(("long", "size_t", "usize"), "i64"),
    **dict.fromkeys(("char", "byte"), "u8"),
    **dict.fromkeys(("float", "single"), "f32"),
    **dict.fromkeys(("double", "real"), "f64"),
    **dict.fromkeys(("boolean", "Bool"), "bool"),
    **{name: name for name in ("i32", "i64", "u8", "f32", "f64", "bool")},
}
"""Types that stand before a name elsewhere, or convert as functions do, and ours for them."""

_ARROW = "the arrow is `->`, without a space in it"
_NO_SHIFT = "there are no shifts: multiply or divide by a power of two"
DOUBLED_OPERATORS = {
    ("-", ">"): _ARROW,
    ("-", "->"): "the arrow is `->`",
    ("<", ">"): "the operator is `!=`",
    ("*", "*"): "there is no power operator: write `x * x`",
    ("<", "<"): _NO_SHIFT,
    (">", ">"): _NO_SHIFT,
}
"""Two tokens that are one operator elsewhere."""


def conversion_hint(name: str, argument: str) -> str | None:
    """What to write for a type used as a function, `f64(x)`; None for any other name."""
    ty = FOREIGN_TYPES.get(name)
    if ty is None:
        return None
    return f"write `{argument} != 0`" if ty == "bool" else f"write `{argument} -> to_{ty}`"


FOREIGN_ITEMS = FOREIGN_STATEMENTS | {
    "import": "a program is one file; declare what it needs here",
    "include": "a program is one file; declare what it needs here",
    "from": "a program is one file; declare what it needs here",
    "enum": "there are no sum types; use an integer and a guard",
    "record": "a named product is `type Name { field: i32, … }`",
    "let": "statements stand inside a function: `fn main() { … }`",
    "const": "statements stand inside a function: `fn main() { … }`",
    "var": "statements stand inside a function: `fn main() { … }`",
    "print": "statements stand inside a function: `fn main() { … }`",
    "println": "statements stand inside a function: `fn main() { … }`",
}
"""Words that begin a declaration elsewhere."""

FOREIGN_OPERATORS = {
    "and": "write `&&`",
    "or": "write `||`",
    "xor": "write `!=` between truth values",
    "mod": "write `%`",
    "div": "write `/`; between integers it divides without remainder",
    "is": "write `==`",
    "as": "convert with a stage: `value -> to_f64`",
    "if": f"choose a value with a guard: {_GUARD_SHAPE}",
    "else": f"choose a value with a guard: {_GUARD_SHAPE}",
    "in": "go through an array with `array -> map { x -> … }`",
}
"""Words that stand between operands elsewhere."""

_EXPONENT = re.compile(r"[eE]([0-9]*)\Z")
_GREATEST_SPELLED_EXPONENT = 40


def exponent_digits(name: str) -> str | None:
    """The digits behind the `e` of a name that continues a number as an exponent would: "6"
    for the `e6` of `1e6`, "" for a lone `e`, None for any other name."""
    found = _EXPONENT.match(name)
    return found.group(1) if found else None


def without_exponent(mantissa: str, exponent: int) -> str | None:
    """A number in scientific notation as a plain float, `1e-6` as `0.000001`; None when the
    text would be too long to be a help."""
    if abs(exponent) > _GREATEST_SPELLED_EXPONENT or len(mantissa) > _GREATEST_SPELLED_EXPONENT:
        return None
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + exponent
    if point <= 0:
        digits, point = "0" * (1 - point) + digits, 1
    digits = digits.ljust(point, "0")
    whole, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0") or "0"
    return f"{whole}.{fraction}"


def based_number(name: str) -> int | None:
    """The value of a name that continues a `0` as a hexadecimal, octal or binary number would,
    such as the `x1F` of `0x1F`; None for any other name."""
    base = {"x": 16, "X": 16, "o": 8, "b": 2, "B": 2}.get(name[0])
    if base is None or len(name) > 20:
        return None
    try:
        return int(name[1:], base)
    except ValueError:
        return None


_BEFORE_EQUALS = re.compile(
    r"(?:^|[;{}])[ \t]*(?:(?:let|var|val|const)[ \t]+)?(?P<mut>mut[ \t]+)?"
    r"(?:(?P<leading>[A-Za-z_][A-Za-z0-9_]*)[ \t]+)?"
    r"(?P<target>[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]\n]*\])?)[ \t]*(?P<type>:[^=:;\n]+?)?[ \t]*"
    r"(?P<operator>[-+*/%:]?)\Z"
)
_FIELD_BEFORE_EQUALS = re.compile(
    r"[A-Z][A-Za-z0-9_]*[ \t]*\{[^;{}]*?\.?(?P<field>[A-Za-z_][A-Za-z0-9_]*)[ \t]*\Z"
)
_AFTER_FIELD = re.compile(r"[ \t]*([^;,\n{}=]+?)[ \t]*[,}]")
_TYPE_BEFORE_EQUALS = re.compile(r"\btype[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]*\Z")
_AFTER_EQUALS = re.compile(r"[ \t]*([^;\n{}=]+?)[ \t]*(?:;|$|\n)")
_NEIGHBOURHOOD = 80


def equals_hint(source: str, position: int) -> str:
    """What to write instead of the lone `=` at a position, with the statement corrected."""
    line_start = source.rfind("\n", max(0, position - _NEIGHBOURHOOD), position) + 1
    if line_start == 0 and position > _NEIGHBOURHOOD:
        line_start = position - _NEIGHBOURHOOD
    line, rest = source[line_start:position], source[position + 1 : position + 1 + _NEIGHBOURHOOD]
    before = _BEFORE_EQUALS.search(line)
    after = _AFTER_EQUALS.match(rest)
    other = _other_equals_hint(line, rest)
    if other is not None:
        return other
    if before is None or after is None:
        return (
            "write `name <- value;` to bind a name, `value -> name;` to update a `mut` name, "
            "or `==` to compare"
        )
    target, value, operator = before["target"], after.group(1), before["operator"]
    leading = before["leading"]
    if leading is not None:
        ty = FOREIGN_TYPES.get(leading)
        return f"write `{target}{f': {ty}' if ty else ''} <- {value};`"
    if operator and operator != ":":
        if "[" in target:
            return f"write `{target} <- {target} {operator} {value};`"
        return f"write `{target} {operator} {value} -> {target};`"
    annotation = f": {before['type'][1:].strip()}" if before["type"] else ""
    mutable = "mut " if before["mut"] else ""
    corrected = f"write `{mutable}{target}{annotation} <- {value};`"
    if "[" in target or annotation or mutable:
        return corrected
    return f"{corrected} to bind a new name, `{value} -> {target};` to update a `mut` name"


def _other_equals_hint(line: str, rest: str) -> str | None:
    """What a `=` between two texts stands for, if not for a binding or an update."""
    if rest.startswith(">"):
        return "the arrow is `->`"
    if rest.startswith("/=") or line.endswith("=/"):
        return "write `!=`"
    if line.endswith(("==", "!=")):
        return f"write `{line[-2:]}`"
    declared = _TYPE_BEFORE_EQUALS.search(line)
    if declared is not None:
        return f"leave it out: `type {declared.group(1)} {{ field: i32, … }}`"
    field, value = _FIELD_BEFORE_EQUALS.search(line), _AFTER_FIELD.match(rest)
    if field is not None and value is not None:
        return f"write `{field['field']}: {value.group(1)}`"
    return None


def unknown_character_hint(text: str) -> str | None:
    """What the first of a run of unknown characters usually stands for elsewhere."""
    first = text[0]
    if first == "\ufeff":
        return "save the file as UTF-8 without a byte-order mark"
    if first in "\u2018\u2019\u201c\u201d'`":
        return 'strings stand between straight double quotes: `"text"`'
    if first == "#":
        return "a comment begins with `//`"
    if first == "^":
        return "there is no power or exclusive-or operator; multiply, or compare with `!=`"
    if first == "\\":
        return "a body needs no sign before its parameters: `array -> map { x -> … }`"
    if first in "\u2192\u27f6\u21d2":
        return "the arrow is `->`"
    if first.isspace():
        return "separate tokens with ordinary spaces"
    if first.isalpha():
        return "names consist of the letters a to z and A to Z, digits and `_`"
    return "remove it"
