"""Random programs about indexes: maps, folds, guards and counting loops around accesses whose
indexes are sums, products, quotients, remainders, minima and maxima of what is at hand.

Constants are drawn near the lengths of the arrays, so that indexes are often just inside or just
outside of them.
"""

from __future__ import annotations

from random import Random

LENGTH = 12
NAMES = ("v", "w")


class Writer:
    """Writes one program. `ints` are the integers in scope."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.fresh = 0

    def program(self) -> str:
        body = self.block(["k", "n"], depth=0)
        return (
            f"fn main(v: [i32; {LENGTH}], w: [i32; {LENGTH * 2}], k: i32, n: i32) -> i32 {{\n"
            f"{body}\n}}\n"
        )

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    # Expressions --------------------------------------------------------------------

    def literal(self) -> int:
        near = (0, 1, 2, 3, 4, LENGTH - 1, LENGTH, LENGTH + 1, 2 * LENGTH - 1, 2 * LENGTH)
        return self.random.choice(near)

    def integer(self, ints: list[str], depth: int) -> str:
        roll = self.random.random()
        if depth == 0 or roll < 0.25:
            if self.random.random() < 0.75:
                # What was made last is what the inner loops count.
                return self.random.choice(ints[-4:])
            return str(self.literal())
        a = self.integer(ints, depth - 1)
        if roll < 0.62:
            b = self.integer(ints, depth - 1)
            return f"({a} {self.random.choice('+--')} {b})"
        if roll < 0.74:
            return f"({a} * {self.random.choice((2, 3, 4, 6, 12))})"
        return f"({a} {self.random.choice('/%')} {self.random.choice((2, 3, 4, 5, 6, 12))})"

    def condition(self, ints: list[str]) -> str:
        def comparison() -> str:
            code = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
            return f"{self.integer(ints, 1)} {code} {self.integer(ints, 1)}"

        roll = self.random.random()
        if roll < 0.5:
            return comparison()
        return f"({comparison()}) {'&&' if roll < 0.85 else '||'} ({comparison()})"

    # Statements ---------------------------------------------------------------------

    def block(self, ints: list[str], depth: int) -> str:
        """Statements and the value of the block."""
        ints, lines = list(ints), []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(
                ("let", "bounded", "access", "access", "guard", "loop", "over")
            )
            made = self.name("x")
            if kind == "let":
                lines.append(f"{self.integer(ints, 2)} -> {made};")
            elif kind == "bounded":
                code, limit = self.random.choice((("min", LENGTH - 1), ("max", 0)))
                lines.append(f"({self.integer(ints, 1)}, {limit}) -> {code} -> {made};")
            elif kind == "access" or depth > 2:
                lines.append(f"{self.access(ints)} -> {made};")
            elif kind == "guard":
                lines.append(self.guard(ints, depth, made))
            elif kind == "loop":
                lines.append(self.loop(ints, depth, made))
            else:
                lines.append(self.over(ints, depth, made))
            ints.append(made)
        return "\n".join([*lines, self.access(ints)])

    def access(self, ints: list[str]) -> str:
        return f"{self.random.choice(NAMES)}[{self.integer(ints, 2)}]"

    def guard(self, ints: list[str], depth: int, made: str) -> str:
        arms = [self.block(ints, depth + 1), str(self.literal())]
        if self.random.random() < 0.4:
            arms.reverse()
        true, false = (f"{{\n{arm}\n}}" if "\n" in arm else f"{arm};" for arm in arms)
        return f"({self.condition(ints)}) -> {{ -true-> {true} -false-> {false} }} -> {made};"

    def over(self, ints: list[str], depth: int, made: str) -> str:
        """A fold over the range of a literal number, or over the results of a map."""
        count, i, s = self.random.choice((3, 4, LENGTH, LENGTH, 2 * LENGTH)), self.name("i"), "s"
        body = self.block([*ints, i], depth + 1)
        array = self.name("a")
        if self.random.random() < 0.5:
            made_by = self.integer([*ints, i], 2)
            j = self.name("j")
            inner = self.block([*ints, j], depth + 1)
            return (
                f"{count} -> iota -> map {{ {i} -> {made_by} }} -> {array};\n"
                f"(0, {array}) -> fold {{ {s}{j}, {j} -> {inner} }} -> {made};"
            )
        return (
            f"{count} -> iota -> {array};\n"
            f"(0, {array}) -> fold {{ {s}{i}, {i} -> {body} }} -> {made};"
        )

    def loop(self, ints: list[str], depth: int, made: str) -> str:
        """A loop with one or two counters that ends after a few passes whatever happens."""
        c, d, fuel = self.name("c"), self.name("d"), self.name("f")
        inside = [*ints, d, c]
        step, other = self.random.choice((1, 1, 1, 2, 3, -1)), self.random.choice((1, 2, -1, 3))
        test = self.random.choice((f"{c} < {self.integer(ints, 1)}", self.condition(inside)))
        body = self.block(inside, depth + 1)
        last = self.name("l")
        head, tail = body.rpartition("\n")[::2]
        return (
            f"mut {c}: i32 <- {self.integer(ints, 1)};\n"
            f"mut {d}: i32 <- {self.integer(ints, 1)};\n"
            f"mut {fuel}: i32 <- 0;\n"
            f"loop {{ ({test}) && ({fuel} < 30) -> {{\n"
            f"-true-> {{ {head}\n{tail} -> {last};\n"
            f"{c} + {step} -> {c}; {d} + {other} -> {d}; {fuel} + 1 -> {fuel}; -> loop; }}\n"
            f"-false-> {c} -> {made}; }} }}"
            if self.random.random() < 0.5
            else f"mut {c}: i32 <- {self.literal()};\n"
            f"loop {{ ({c} {'<' if step > 0 else '>='} {self.literal()}) -> {{\n"
            f"-true-> {{ {body.replace(d, c).rpartition(chr(10))[0]}\n"
            f"{tail.replace(d, c)} -> {last}; {c} + {step} -> {c}; -> loop; }}\n"
            f"-false-> {c} -> {made}; }} }}"
        )
