"""Random statements of what lanes compute: numbers, indices, ways that differ, collections.

Names are given once and used in their scope, so a body is correct by construction; what it reads
is in range or guarded, and it divides by literals, so nothing in it can trap.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

INTEGERS = ("i32", "i64", "u8")
FLOATS = ("f32", "f64")
NUMBERS = INTEGERS + FLOATS
LITERALS = {
    "i32": ("0", "1", "2", "3", "7", "-1", "-5", "1000003", "2147483647"),
    "i64": ("0", "1", "2", "-3", "9", "4294967297", "-9223372036854775807"),
    "u8": ("0", "1", "2", "3", "7", "200", "255"),
    "f32": ("0.0", "-0.0", "0.5", "1.25", "-3.0", "1000000.5"),
    "f64": ("0.0", "-0.0", "0.1", "1.75", "-3.5", "100000000000.5"),
    "bool": ("true", "false"),
}
_LENGTHS = (1, 2, 3, 4, 4, 4, 5, 7, 9, 17)
"""Of arrays inside of a body."""


def element(array: str, index: str) -> str:
    """An element of an array, or a component of one."""
    name, dot, part = array.partition(".")
    return f"{name}[{index}]{dot}{part}"


class Body:
    """Statements that give names to values. `names` maps types to names in scope, `arrays` the
    element types of the arrays of `count` elements to theirs; the array `a.b` is the component
    `b` of the elements of `a`. `inside` are names of what is an index of these arrays here."""

    def __init__(self, random: Random, count: int, helpers: dict[str, tuple[list[str], str]]):
        self.random = random
        self.count = count
        self.helpers = helpers
        self.names: dict[str, list[str]] = {ty: [] for ty in (*NUMBERS, "bool")}
        self.arrays: dict[str, list[str]] = {}
        self.lines: list[str] = []
        self.index: str | None = None
        self.inside: list[str] = []
        self.fresh = iter(range(1 << 30))

    def inner(self) -> Body:
        """A block inside of this one."""
        other = Body(self.random, self.count, self.helpers)
        other.names = {ty: list(names) for ty, names in self.names.items()}
        other.arrays, other.index, other.fresh = self.arrays, self.index, self.fresh
        other.inside = list(self.inside)
        return other

    def new(self) -> str:
        return f"v{next(self.fresh)}"

    def define(self, ty: str, text: str) -> str:
        """A statement that gives a value a name."""
        name = self.new()
        self.lines.append(f"{text} -> {name}: {ty};")
        self.names[ty].append(name)
        return name

    def name(self, ty: str) -> str:
        """A name of a type, of the newest most often."""
        if not self.names[ty]:
            source = next(of for of in NUMBERS if self.names[of])
            number = self.names[source][-1]
            self.define(
                ty, f"{number} > {LITERALS[source][1]}" if ty == "bool" else f"{number} -> to_{ty}"
            )
        found = self.names[ty]
        return found[-1] if self.random.random() < 0.4 else self.random.choice(found)

    def newest(self) -> tuple[str, str]:
        """Type and name of what was named last, if that is in scope."""
        found = {name: ty for ty, names in self.names.items() for name in names if name[0] == "v"}
        last = max(found, key=lambda name: int(name[1:]))
        return found[last], last

    def mixed(self, ty: str, known: str) -> str:
        """A value that depends on a known one of the type, or another."""
        other = self.name(ty)
        if self.random.random() < 0.25:
            return other
        if ty == "bool":
            return self.define(ty, f"{known} {self.random.choice(('&&', '||', '!='))} {other}")
        return self.define(ty, f"{known} {self.random.choice('+-*')} {other}")

    def atom(self, ty: str) -> str:
        if self.random.random() < 0.25:
            return self.random.choice(LITERALS[ty])
        return self.name(ty)

    def block(self, ty: str, depth: int, most: int = 3, inside: str | None = None) -> str:
        """Statements in braces with a value at their end, where a name is `inside`."""
        body = self.inner()
        if inside is not None:
            body.inside.append(inside)
        body.statements(depth, most)
        last = body.name(ty)
        return f"{{ {' '.join(body.lines)} {last} }}"

    def statements(self, depth: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        light = [self.arithmetic] * 4 + [self.conversion, self.comparison, self.pattern] * 2
        light += [self.rounding, self.read, self.read]
        heavy: list[Callable[[int], None]] = [self.guard, self.match, self.loop, self.loop]
        heavy += [self.search, self.fold, self.inner_map, self.inner_records, self.call]
        self.random.choice(light + heavy * 2 if depth > 0 else light)(depth)

    # Numbers --------------------------------------------------------------------------

    def arithmetic(self, _: int = 0) -> None:
        random, ty = self.random, self.random.choice(NUMBERS)
        a, b = self.name(ty), self.atom(ty)
        if random.random() < 0.25:
            self.define(ty, f"({a}, {b}) -> {random.choice(('min', 'max'))}")
        elif random.random() < 0.15:
            self.define(ty, f"{a} -> abs" if ty == "u8" or random.random() < 0.5 else f"-{a}")
        elif ty in FLOATS:
            c = self.name(ty)
            forms = (f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} / {b}", f"{a} * {b} + {c}")
            self.define(ty, random.choice((*forms, f"{c} - {a} * {b}")))
        elif random.random() < 0.3:
            divisor = random.choice((1, 2, 3, 4, 7, 8, 10, 100))
            self.define(ty, f"{a} {random.choice('/%')} {divisor}")
        else:
            self.define(ty, f"{a} {random.choice('+-*')} {b}")

    def conversion(self, _: int = 0) -> None:
        source, target = self.random.sample(NUMBERS, 2)
        self.define(target, f"{self.name(source)} -> to_{target}")

    def rounding(self, _: int = 0) -> None:
        ty = self.random.choice(FLOATS)
        stage = self.random.choice(("sqrt", "floor", "ceil", "round", "trunc"))
        self.define(ty, f"{self.name(ty)} -> {stage}")

    def comparison(self, _: int = 0) -> None:
        ty = self.random.choice(NUMBERS)
        text = f"{self.name(ty)} {self.random.choice(('<', '<=', '>', '>=', '==', '!='))} "
        text += self.atom(ty)
        if self.random.random() < 0.3:
            text += f" {self.random.choice(('&&', '||'))} {self.name('bool')}"
        self.define("bool", text)

    # Indices and arrays ---------------------------------------------------------------

    def pattern(self, _: int = 0) -> None:
        """What is known of an index: sums, strides, quotients and remainders."""
        random = self.random
        i = self.index if self.index and random.random() < 0.6 else self.name("i32")
        c = random.choice((1, 2, 3, 4, 5, 8, 16, 20, 32, 50))
        if random.random() < 0.5:
            c = random.choice([d for d in range(1, self.count + 1) if self.count % d == 0])
        forms = [f"{i} + {c}", f"{i} - {c}", f"{c} - {i}", f"{i} * {c}", f"{i} * -{c}"]
        forms += [f"{i} % {c}", f"{i} / {c}", f"{i} / {c} * {c}", f"{i} % {c} / 2"] * 2
        forms += [f"{i} % {c} * {self.count // c or 1}", f"{i} - {self.name('i32')}"]
        forms += [f"{i} * {random.choice((1073741824, 1073741825, 1000000000))}"]
        self.define("i32", random.choice(forms))

    def read(self, _: int = 0) -> None:
        """An element of an array, if it is in range."""
        if not self.arrays:
            return
        random = self.random
        ty = random.choice(list(self.arrays))
        array = random.choice(self.arrays[ty])
        if self.index and random.random() < 0.2:
            # What is known of the index, wrapping or not, is used at once.
            if random.random() < 0.5:
                self.pattern()
            else:
                factor = random.choice((1073741824, 536870912, 2147483647))
                self.define("i32", f"{self.index} * {factor} + {random.randrange(self.count)}")
            self._read_at(ty, array, self.count, self.names["i32"][-1])
            return
        self.guarded_read(ty, array, self.count)

    def guarded_read(self, ty: str, array: str, length: int) -> None:
        """An element at an index that may be out of range, or is known not to be."""
        random = self.random
        if array.startswith("v") and random.random() < 0.4:
            self.define(ty, element(array, str(random.randrange(length))))
            return
        if self.index and length == self.count and random.random() < 0.2:
            self.define(ty, element(array, self.index))
            return
        if self.inside and length == self.count and random.random() < 0.6:
            self.define(ty, element(array, random.choice(self.inside)))
            return
        self._read_at(ty, array, length, self.name(random.choice(("i32", "i32", "i64", "u8"))))

    def _read_at(self, ty: str, array: str, length: int, j: str) -> None:
        """An element at an index if that is in range."""
        other = self.atom(ty)
        self.define(
            ty,
            f"({j} >= 0 && {j} < {length}) -> {{ -true-> {element(array, j)}; -false-> {other}; }}",
        )

    # Ways -----------------------------------------------------------------------------

    def guard(self, depth: int) -> None:
        """A guard on any condition, or on an index, around what reads there."""
        ty, inside = self.random.choice((*NUMBERS, "bool")), None
        condition = self.name("bool")
        if self.arrays and self.random.random() < 0.5:
            inside = self.name("i32")
            condition = self.define("bool", f"{inside} >= 0 && {inside} < {self.count}")
        yes, no = self.block(ty, depth - 1, inside=inside), self.block(ty, depth - 1)
        if self.random.random() < 0.3:
            no = f"{self.name(ty)};"
        self.define(ty, f"{condition} -> {{ -true-> {yes} -false-> {no} }}")

    def match(self, depth: int) -> None:
        ty = self.random.choice(NUMBERS)
        on = self.name(self.random.choice(INTEGERS))
        arms = self.random.sample(range(6), self.random.randint(1, 4))
        text = " ".join(f"-{arm}-> {self.block(ty, depth - 1, 2)}" for arm in arms)
        self.define(ty, f"{on} -> {{ {text} -_-> {self.name(ty)}; }}")

    def loop(self, depth: int) -> None:
        """A loop that ends after a few passes, sooner in some lanes."""
        random = self.random
        kinds = [random.choice((*NUMBERS, "bool")) for _ in range(random.randint(1, 3))]
        k, states = self.new(), [self.new() for _ in kinds]
        starts = [self.name(ty) for ty in kinds]
        for name, ty, start in zip(states, kinds, starts, strict=True):
            self.lines.append(f"mut {name}: {ty} <- {start};")
        self.lines.append(f"mut {k}: i32 <- 0;")
        body = self.inner()
        body.names["i32"].append(k)
        for name, ty in zip(states, kinds, strict=True):
            body.names[ty].append(name)
        if random.random() < 0.6:
            body.statements(depth - 1, 3)
        passes = random.randint(1, 9)
        condition = f"{k} < {passes}"
        if random.random() < 0.7:
            condition += f" && {body.name('bool')}"
        step = body.inner()
        step.inside += [k] * (passes <= self.count)
        if random.random() < 0.7:
            step.statements(depth - 1, 2)
        nexts = [step.mixed(ty, state) for ty, state in zip(kinds, states, strict=True)]
        temporaries = [step.new() for _ in kinds]
        step.lines += [f"{a} -> {t};" for a, t in zip(nexts, temporaries, strict=True)]
        step.lines += [f"{t} -> {name};" for t, name in zip(temporaries, states, strict=True)]
        leave = body.inner()
        if random.random() < 0.5:
            leave.statements(depth - 1, 2)
        (ty, state), out = random.choice(list(zip(kinds, states, strict=True))), self.new()
        last = leave.mixed(ty, state)
        self.lines.append(
            f"loop {{ {' '.join(body.lines)} ({condition}) -> {{ "
            f"-true-> {{ {' '.join(step.lines)} {k} + 1 -> {k}; -> loop; }} "
            f"-false-> {{ {' '.join(leave.lines)} {last} -> {out}: {ty}; }} }} }}"
        )
        self.names[ty].append(out)

    def search(self, _: int) -> None:
        """A loop in an arm that reads where only the lanes of that arm may."""
        found = [(ty, array) for ty in NUMBERS for array in self.arrays.get(ty, ())]
        if not found:
            return
        random, (ty, array) = self.random, self.random.choice(found)
        at, state, k, out = self.name("i32"), self.new(), self.new(), self.new()
        start, other, going = self.name(ty), self.atom(ty), self.name("bool")
        self.define(
            ty,
            f"({at} >= 0 && {at} < {self.count}) -> {{ -true-> {{ mut {state}: {ty} <- {start}; "
            f"mut {k}: i32 <- 0; loop {{ ({k} < {random.randint(1, 5)} && {going}) -> {{ "
            f"-true-> {{ {state} {random.choice('+-*')} {element(array, at)} -> {state}; "
            f"{k} + 1 -> {k}; -> loop; }} -false-> {state} -> {out}; }} }} {out} }} "
            f"-false-> {other}; }}",
        )

    # Collections ----------------------------------------------------------------------

    def small_array(self, ty: str, length: int) -> str:
        """The name of an array of so many elements."""
        name, random = self.new(), self.random
        forms = [f"[{', '.join(self.name(ty) for _ in range(length))}]"]
        if length > 1:
            forms.append(f"({self.name(ty)}, {length}) -> fill")
        if ty == "i32":
            forms.append(f"{length} -> iota")
        self.lines.append(f"{random.choice(forms)} -> {name};")
        return name

    def fold(self, depth: int) -> None:
        random = self.random
        ty, of = random.choice((*NUMBERS, "bool")), random.choice(NUMBERS)
        length = random.choice(_LENGTHS)
        array = self.small_array(of, length)
        accumulator, element = self.new(), self.new()
        body = self.inner()
        form = random.random()
        if form < 0.3:
            numbered = self.new()
            self.lines.append(f"{array} -> enumerate -> {numbered};")
            body.lines += [f"{element}.1 -> {element}e;", f"{element}.0 -> {element}n;"]
            body.names[of].append(f"{element}e")
            body.names["i32"].append(f"{element}n")
            array = numbered
        elif form < 0.5:
            paired = self.new()
            other_array = self.small_array(of, length)
            self.lines.append(f"({array}, {other_array}) -> zip -> {paired};")
            body.lines += [f"{element}.{at} -> {element}{'ab'[at]};" for at in (0, 1)]
            body.names[of] += [f"{element}a", f"{element}b"]
            array = paired
        else:
            body.names[of].append(element)
        if random.random() < 0.4:
            other = random.choice(NUMBERS)
            body.lines += [f"{accumulator}.{at} -> {accumulator}{'ab'[at]};" for at in (0, 1)]
            body.names[ty].append(f"{accumulator}a")
            body.names[other].append(f"{accumulator}b")
            body.statements(depth - 1, 3)
            values = body.mixed(ty, f"{accumulator}a"), body.mixed(other, f"{accumulator}b")
            result = f"({', '.join(values)})"
            seed, out = f"({self.name(ty)}, {self.name(other)})", self.new()
            self.lines.append(
                f"({seed}, {array}) -> fold {{ {accumulator}, {element} -> "
                f"{' '.join(body.lines)} {result} }} -> {out};"
            )
            self.define(ty, f"{out}.0")
            self.define(other, f"{out}.1")
            return
        body.names[ty].append(accumulator)
        body.statements(depth - 1, 3)
        last = body.mixed(ty, accumulator)
        self.define(
            ty,
            f"({self.name(ty)}, {array}) -> fold {{ {accumulator}, {element} -> "
            f"{' '.join(body.lines)} {last} }}",
        )

    def inner_map(self, depth: int) -> None:
        of = ty = self.random.choice(NUMBERS)
        if self.random.random() < 0.5:
            ty = self.random.choice((*NUMBERS, "bool"))
        length = self.random.choice(_LENGTHS)
        array, element, made = self.small_array(of, length), self.new(), self.new()
        body = self.inner()
        body.names[of].append(element)
        body.statements(depth - 1, 2)
        last = body.mixed(ty, element) if of == ty else body.name(ty)
        self.lines.append(
            f"{array} -> map {{ {element} -> {' '.join(body.lines)} {last} }} -> {made};"
        )
        self.guarded_read(ty, made, length)
        if self.random.random() < 0.5:
            self.guarded_read(ty, made, length)

    def inner_records(self, depth: int) -> None:
        """An array of pairs made in the body, read in its components, or picked from by a fold."""
        first, second = self.random.choice(NUMBERS), self.random.choice((*NUMBERS, "bool"))
        length = self.random.choice(_LENGTHS)
        array, element, made = self.small_array(first, length), self.new(), self.new()
        body = self.inner()
        body.names[first].append(element)
        body.statements(depth - 1, 2)
        pair = f"({body.mixed(first, element)}, {body.name(second)})"
        self.lines.append(
            f"{array} -> map {{ {element} -> {' '.join(body.lines)} {pair} }} -> {made};"
        )
        if self.random.random() < 0.5:
            self.guarded_read(first, f"{made}.0", length)
            self.guarded_read(second, f"{made}.1", length)
            return
        picked = self.new()
        self.lines.append(
            f"({made}[0], {made}) -> fold {{ a, b -> "
            f"(b.0 {self.random.choice(('<', '>='))} a.0) -> {{ -true-> b; -false-> a; }} }} "
            f"-> {picked};"
        )
        self.define(first, f"{picked}.0")
        self.define(second, f"{picked}.1")

    def call(self, _: int) -> None:
        if self.helpers:
            helper = self.random.choice(list(self.helpers))
            taken, given = self.helpers[helper]
            arguments = ", ".join(self.atom(ty) for ty in taken)
            self.define(given, f"({arguments}) -> {helper}")
