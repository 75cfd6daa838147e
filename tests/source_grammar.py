"""Random texts straight from the grammar: everything parses, little makes sense.

One small function over few names, beside some that it may call: now and then it has no error,
and otherwise it reaches a different one each time.
"""

from __future__ import annotations

import random

_TYPES = ("i32", "i64", "u8", "f32", "f64", "bool", "P", "(i32, bool)", "[i32; 2]", "[[f64; 2]; 3]")
_NAMES = ("n", "m", "v", "t", "x", "b", "p", "i", "k", "q")
_STAGES = (
    *("f", "g", "h", "print", "println", "time", "zip", "enumerate", "iota", "fill", "max", "abs"),
    *("to_u8", "to_f64", "sqrt", "widen_i64", "reduce"),
)
_PARAMETERS = (
    "n: i32, mut m: i32, v: [i32; 2], t: (i32, bool), x: f64, b: bool, p: P, mut i: i32",
    "n: i64, mut m: f32, mut v: [[f64; 2]; 3], mut t: (P, P), x: u8, mut b: bool, p: P, mut i: i32",
    "",
)
_OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||")
_LEAVES = ("0", "1", "7", "1.5", "true", '"s"')
_DEPTH = 3


class GrammarWriter:
    """Writes one program."""

    def __init__(self, source: random.Random) -> None:
        self._random = source

    def program(self) -> str:
        functions = [
            "fn f(n: i32) -> i32 { n * 2 }",
            self._random.choice(("fn g(n: i32) { n -> println; }", "fn g(n: i32) { }")),
            "fn h(n: i32, b: bool) -> (i32, P) { (n, P { x: n, y: true }) }",
            self._function("subject"),
        ]
        return "type P { x: i32, y: bool }\n" + "\n".join(functions) + "\nfn main() { }\n"

    def _function(self, name: str) -> str:
        parameters = self._random.choice(_PARAMETERS)
        result = self._random.choice(("", "", *(f"-> {ty}" for ty in _TYPES[:8])))
        statements = " ".join(
            self._statement(_DEPTH) for _ in range(self._random.choice((1, 1, 2, 3)))
        )
        end = f"{self._random.choice(_NAMES)} -> ret;" if result else ""
        body = f"{{ {statements} {end} }}"
        return f"fn {name}({parameters}) {result} {body}"

    def _some(self, most: int) -> range:
        return range(self._random.randint(0, most))

    def _block(self, depth: int, tail_chance: float = 0.4) -> str:
        statements = " ".join(self._statement(depth) for _ in self._some(3))
        tail = self._chain(depth) if self._random.random() < tail_chance else ""
        return f"{{ {statements} {tail} }}"

    def _statement(self, depth: int) -> str:
        draw = self._random
        name = draw.choice(_NAMES)
        match draw.randrange(9):
            case 0 if depth > 1:
                return self._loop(depth - 1)
            case 1:
                mutable = draw.choice(("", "mut "))
                annotation = draw.choice(("", "", f": {draw.choice(_TYPES)}"))
                return f"{mutable}{name}{annotation} <- {self._expression(depth)};"
            case 2:
                return f"{name}[{self._expression(1)}] <- {self._expression(depth)};"
            case _:
                return f"{self._chain(depth, stages=True)};"

    def _loop(self, depth: int) -> str:
        draw = self._random
        statements = " ".join(self._statement(depth) for _ in self._some(2))
        if draw.random() < 0.1:
            return f"loop {{ {statements} }}"
        condition = draw.choice(("(i < 3)", "(i < n)", "b", self._expression(2)))
        jumps = " ".join(self._statement(depth) for _ in self._some(2))
        leave = draw.choice(("i -> e;", "-> ret;", "i -> ret;", "-> done;", "m;", "i -> m;", "{ }"))
        if draw.random() < 0.3:
            leave = f"{{ {self._statement(depth)} {self._chain(depth)} }}"
        return (
            f"loop {{ {statements} {condition} -> {{ -true-> {{ {jumps} i + 1 -> i; -> loop; }}"
            f" -false-> {leave} }} }}"
        )

    def _chain(self, depth: int, *, stages: bool = False) -> str:
        head = "" if self._random.random() < 0.1 else self._expression(depth)
        count = self._random.randint(1 if stages or not head else 0, 3)
        return " ".join([head, *(f"-> {self._stage(depth - 1)}" for _ in range(count))])

    def _stage(self, depth: int) -> str:
        draw = self._random
        if depth <= 0:
            return draw.choice((*_STAGES, *_NAMES))
        match draw.randrange(14):
            case 0:
                return draw.choice(("ret", "ret.0", "ret.1", "loop"))
            case 1:
                return f"mut {draw.choice(_NAMES)}"
            case 2:
                return f"{draw.choice(_NAMES)}: {draw.choice(_TYPES)}"
            case 3:
                return f"seq {self._block(depth - 1)}"
            case 4:
                return f"map {{ {draw.choice(_NAMES)} -> {self._block(depth - 1, 0.95)[1:]}"
            case 5:
                operator = draw.choice(("fold", "reduce"))
                return f"{operator} {{ n, x -> {self._block(depth - 1, 0.95)[1:]}"
            case 6:
                return self._guard(depth - 1)
            case 7:
                branches = " ".join(f"-> {self._stage(depth - 1)};" for _ in range(2))
                return f"{{ {branches} }}"
            case 8:
                return f"{draw.choice(_OPERATORS)} {self._expression(1)}"
            case 9:
                return self._expression(1)
            case _:
                return draw.choice((*_STAGES, *_NAMES))

    def _guard(self, depth: int) -> str:
        draw = self._random
        heads = draw.choice(
            (("true", "false"), ("true", "_"), ("0", "1", "_"), ("_", "7"), ("true", "1"), ("_",))
        )
        arms = " ".join(f"-{head}-> {self._payload(depth)}" for head in heads)
        return f"{{ {arms} }}"

    def _payload(self, depth: int) -> str:
        if self._random.random() < 0.5:
            return self._block(depth, 0.95)
        return self._chain(depth).lstrip() + ";"

    def _expression(self, depth: int) -> str:
        draw = self._random
        if depth <= 0 or draw.random() < 0.35:
            return draw.choice((*_NAMES, *_NAMES, *_NAMES, *_LEAVES))
        inner = depth - 1
        match draw.randrange(9):
            case 0:
                return f"-{self._expression(inner)}"
            case 1:
                return f"!{self._expression(inner)}"
            case 2:
                return f"({self._expression(inner)}, {self._expression(inner)})"
            case 3:
                return f"[{self._expression(inner)}, {self._expression(inner)}]"
            case 4:
                return f"P {{ x: {self._expression(inner)}, y: {self._expression(inner)} }}"
            case 5:
                return f"({self._expression(inner)})[{self._expression(inner)}]"
            case 6:
                return f"({self._expression(inner)}).{draw.choice(('0', '1', '9', 'x', 'z'))}"
            case _:
                left, right = self._expression(inner), self._expression(inner)
                return f"({left} {draw.choice(_OPERATORS)} {right})"


def grammar_program(seed: int) -> str:
    """The program of a seed."""
    return GrammarWriter(random.Random(seed)).program()
