"""Random source programs: text over the whole language, well typed or with mistakes.

`ProgramWriter` writes one program from a `random.Random`. Without mistakes nearly every program
lowers; with them, names, types and places are wrong now and then. Loops end: each counts a
name of its own up to a small bound.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from tests.source_types import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    SCALARS,
    FunctionShape,
    Local,
    Shape,
    array_of,
    scalar,
    struct_of,
    tuple_of,
)

_ARITHMETIC = ("+", "-", "*", "/", "%")
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_BOOL = scalar("bool")
_I32 = scalar("i32")


class ProgramWriter:
    """Writes one program; `mistakes` is the chance of a wrong choice where one is made."""

    def __init__(self, source: random.Random, mistakes: float = 0.0, size: int = 4) -> None:
        self._random = source
        self._mistakes = mistakes
        self._size = size
        self._functions: list[FunctionShape] = []
        self._structs: list[Shape] = []
        self._locals: list[list[Local]] = []
        self._lines: list[list[str]] = []
        self._loops: list[set[Local]] = []
        self._floor = 0
        self._effects = False
        self._total = False
        self._effectful = False
        self._fresh = 0
        self._calls_total = True
        self._left = source.choice((1, 1, 1, 2, 9)) if mistakes else 0

    # Choices ------------------------------------------------------------------------

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _wrong(self) -> bool:
        """Whether to go wrong here; one mistake often hides the others, so there are few."""
        if self._left == 0 or not self._chance(self._mistakes):
            return False
        self._left -= 1
        return True

    def _name(self, stem: str) -> str:
        self._fresh += 1
        return f"{stem}{self._fresh}"

    def _any_shape(self, depth: int = 2) -> Shape:
        draw = self._random
        kinds = ["scalar"] * 4
        if depth > 0:
            kinds += ["array", "array", "tuple", *["struct"] * bool(self._structs)]
        match draw.choice(kinds):
            case "array":
                return array_of(self._any_shape(depth - 1), draw.randint(1, 3))
            case "tuple":
                count = draw.randint(2, 3)
                return tuple_of(*(self._any_shape(depth - 1) for _ in range(count)))
            case "struct":
                return draw.choice(self._structs)
            case _:
                return scalar(draw.choice(SCALARS))

    # Programs -----------------------------------------------------------------------

    def program(self) -> str:
        """The text of one program."""
        items: list[str] = []
        for _ in range(self._random.randint(0, 2)):
            items.append(self._struct())
        for _ in range(self._random.randint(0, 3)):
            items.append(self._function(self._name("call")))
        items.append(self._function("main"))
        return "\n".join(items) + "\n"

    def _struct(self) -> str:
        name = self._name("T")
        fields = {self._name("p"): self._any_shape(1) for _ in range(self._random.randint(1, 3))}
        if self._wrong():
            fields["x"] = struct_of(name, {})
        self._structs.append(struct_of(name, fields))
        return f"type {name} {{ {', '.join(f'{key}: {shape}' for key, shape in fields.items())} }}"

    def _function(self, name: str) -> str:
        draw = self._random
        is_main = name == "main"
        parameters: tuple[Shape, ...] = ()
        if not is_main:
            parameters = tuple(self._any_shape() for _ in range(draw.randint(1, 3)))
        elif self._chance(0.3):
            parameters = (array_of(scalar(draw.choice(SCALARS)), 3),)
        result = None if self._chance(0.3) else self._any_shape()
        if is_main:
            result = draw.choice((None, scalar(draw.choice(SCALARS)), array_of(_I32, 2)))
        names = tuple(self._name("a") for _ in parameters)
        self._locals, self._lines, self._loops = [[]], [[]], []
        self._floor, self._effects, self._effectful = 0, self._chance(0.6), False
        self._total, self._calls_total = self._chance(0.2), True
        mutable = [self._chance(0.3) for _ in names]
        for parameter, shape, mutates in zip(names, parameters, mutable, strict=True):
            self._declare(parameter, shape, mutable=mutates)
        self._statements(draw.randint(1, self._size), 3)
        self._return(result)
        self._functions.append(
            FunctionShape(name, parameters, result, self._effectful, self._calls_total)
        )
        heads = [
            f"{'mut ' * mutates}{parameter}: {shape}"
            for parameter, shape, mutates in zip(names, parameters, mutable, strict=True)
        ]
        arrow = "" if result is None else f" -> {result}"
        return f"fn {name}({', '.join(heads)}){arrow} {{\n    {self._text(self._lines[0])}\n}}"

    def _return(self, result: Shape | None) -> None:
        if result is None:
            return
        if self._wrong():
            self._emit(f"{self._flow(self._any_shape())} -> ret;")
        arity = {"tuple": len(result.items), "struct": len(result.items)}.get(result.kind)
        if arity and not self._effectful and self._chance(0.3):
            for slot in range(arity):
                self._emit(f"{self._typed(result.items[slot])} -> ret.{slot};")
        elif self._chance(0.5):
            self._emit(f"{self._flow(result)} -> ret;")
        else:
            self._emit(self._flow(result))

    # Text and scopes ----------------------------------------------------------------

    def _emit(self, line: str) -> None:
        self._lines[-1].append(line)

    @staticmethod
    def _text(lines: list[str]) -> str:
        return " ".join(lines)

    @contextmanager
    def _scope(self, *, floor: bool = False, effects: bool = True) -> Iterator[list[str]]:
        """A child scope with its own statements. `floor` forbids rebinding names outside."""
        before = (self._floor, self._effects)
        self._locals.append([])
        self._lines.append([])
        if floor:
            self._floor = len(self._locals) - 1
        self._effects = self._effects and effects
        try:
            yield self._lines[-1]
        finally:
            self._lines.pop()
            self._locals.pop()
            self._floor, self._effects = before

    def _declare(self, name: str, shape: Shape, *, mutable: bool = False) -> Local:
        depth = len(self._locals) - 1
        local = Local(name, shape, mutable, len(self._loops), depth)
        self._locals[-1].append(local)
        return local

    def _known(self, shape: Shape | None = None) -> list[Local]:
        return [
            local
            for scope in self._locals
            for local in scope
            if local.alive and (shape is None or local.shape == shape)
        ]

    def _rebindable(self) -> list[Local]:
        return [
            local for local in self._known() if local.mutable and local.scope_depth >= self._floor
        ]

    # Expressions --------------------------------------------------------------------

    def _typed(self, shape: Shape) -> str:
        """An expression whose type does not hang on its surroundings: a name of that type,
        declared here if there is none."""
        if self._wrong():
            shape = self._any_shape(1)
        known = self._known(shape)
        if known and self._chance(0.8):
            return self._random.choice(known).name
        if shape.kind == "scalar" and shape.text in ("i32", "f64", "bool") and self._chance(0.5):
            return self._literal(shape)
        if shape.kind == "scalar":
            name = self._name("v")
            self._emit(f"{self._literal(shape)} -> {name}: {shape};")
            self._declare(name, shape)
            return name
        return self._product(shape)

    def _literal(self, shape: Shape) -> str:
        draw = self._random
        if self._wrong():
            return draw.choice(('"text"', "300", "1.5", "true", "99999999999", "()"))
        match shape.text:
            case "bool":
                return draw.choice(("true", "false"))
            case "f32" | "f64":
                return draw.choice(("0.0", "1.5", "0.1", "100.25", "-2.5"))
            case "u8":
                return draw.choice(("0", "1", "7", "255"))
            case _:
                return draw.choice(("0", "1", "2", "7", "-3", "100"))

    def _product(self, shape: Shape) -> str:
        parts = [
            self._typed(shape.items[0] if shape.kind == "array" else item)
            for item in (shape.items * shape.length if shape.kind == "array" else shape.items)
        ]
        match shape.kind:
            case "array":
                return f"[{', '.join(parts)}]"
            case "tuple":
                return f"({', '.join(parts)})"
            case _:
                pairs = list(zip(shape.names, parts, strict=True))
                self._random.shuffle(pairs)
                return f"{shape} {{ {', '.join(f'{key}: {value}' for key, value in pairs)} }}"

    def _expression(self, shape: Shape, depth: int = 2) -> str:
        if self._wrong():
            return self._random.choice(
                ("ghost", *(local.name for local in self._known()), "main", "4", "print")
            )
        if depth <= 0 or self._chance(0.3):
            return self._typed(shape)
        options = [self._typed]
        if shape.kind == "scalar":
            options += [self._part, self._part]
            options += [self._arithmetic] * (3 if shape.text in NUMBERS else 0)
            options += [self._truth] * (3 if shape.text == "bool" else 0)
        else:
            options += [self._product, self._part]
        return self._random.choice(options)(shape)

    def _arithmetic(self, shape: Shape) -> str:
        draw = self._random
        if self._chance(0.15):
            return f"-({self._expression(shape, 1)})"
        operator = draw.choice(_ARITHMETIC)
        left = self._typed(shape)
        if self._total and operator in "/%" and shape.text in INTEGERS:
            return f"{left} {operator} 3"
        right = self._literal(shape) if self._chance(0.5) else self._expression(shape, 1)
        return f"({left} {operator} {right})"

    def _truth(self, shape: Shape) -> str:
        draw = self._random
        match draw.randint(0, 3):
            case 0:
                return f"!({self._expression(shape, 1)})"
            case 1:
                operator = draw.choice(("&&", "||"))
                return f"({self._expression(shape, 1)} {operator} {self._expression(shape, 1)})"
            case _:
                number = scalar(draw.choice(NUMBERS))
                left, right = self._expression(number, 1), self._typed(number)
                return f"({left} {draw.choice(_COMPARISONS)} {right})"

    def _part(self, shape: Shape) -> str:
        """A component or element of a name in scope."""
        draw = self._random
        found: list[str] = []
        for local in self._known():
            of = local.shape
            if of.kind == "array" and of.items[0] == shape:
                found.append(f"{local.name}[{self._index(of.length)}]")
            for slot, item in enumerate(of.items if of.kind in ("tuple", "struct") else ()):
                if item == shape:
                    found.append(f"{local.name}.{slot}")
                    if of.kind == "struct":
                        found.append(f"{local.name}.{of.names[slot]}")
        return draw.choice(found) if found else self._typed(shape)

    def _index(self, length: int) -> str:
        if self._total or self._chance(0.5):
            return str(self._random.randrange(length))
        if self._wrong():
            return self._expression(self._any_shape(1), 1)
        return self._expression(scalar(self._random.choice(INTEGERS)), 1)

    # Flows --------------------------------------------------------------------------

    def _flow(self, shape: Shape, depth: int = 2) -> str:
        """A chain that yields a value of a type."""
        if self._wrong():
            return self._strange()
        options = [self._plain, self._plain, self._guard, self._match, self._call, self._sequence]
        if shape.kind == "scalar" and shape.text in NUMBERS:
            options += [self._conversion, self._extremum, self._operator, self._fold, self._reduce]
            if shape.text in FLOATS:
                options += [self._rounding]
        if shape.kind == "array":
            options += [self._map, self._map, self._fill, self._range]
        if shape.kind == "tuple":
            options += [self._join]
        if depth <= 0:
            return self._plain(shape, 0)
        return self._random.choice(options)(shape, depth - 1)

    def _strange(self) -> str:
        """A chain that yields something else, or nothing, or belongs elsewhere."""
        names = [local.name for local in self._known()]
        functions = [f"{self._argument(f)} -> {f.name}" for f in self._functions if f.parameters]
        return self._random.choice(
            (
                *('"text"', "1 -> println", "() -> time", "1 -> ret", "-> loop", "()", "-> + 1"),
                *('"a" -> { -> text; }', '"a" -> seq { -> b; "c" }', "main", "[[1, 2], [3, 4]]"),
                *names,
                *functions,
            )
        )

    def _plain(self, shape: Shape, depth: int) -> str:
        return self._expression(shape, 1 + depth)

    def _arm(self, shape: Shape, depth: int) -> str:
        with self._scope(floor=True, effects=self._wrong()) as lines:
            if self._chance(0.3):
                self._statements(self._random.randint(1, 2), depth)
            tail = self._flow(shape, depth)
            if not lines and self._chance(0.6):
                return f"{tail};"
            return f"{{ {self._text(lines)} {tail} }}"

    def _guard(self, shape: Shape, depth: int) -> str:
        condition = self._expression(_BOOL)
        arms = [f"-true-> {self._arm(shape, depth)}", f"-false-> {self._arm(shape, depth)}"]
        if self._chance(0.2):
            arms[1] = arms[1].replace("-false->", "-_->", 1)
        if self._wrong():
            arms.pop()
        self._random.shuffle(arms)
        return f"({condition}) -> {{ {' '.join(arms)} }}"

    def _match(self, shape: Shape, depth: int) -> str:
        number = scalar(self._random.choice(INTEGERS))
        wire = self._expression(number)
        values = self._random.sample(range(5), self._random.randint(1, 3))
        arms = [f"-{value}-> {self._arm(shape, depth)}" for value in values]
        if not self._wrong():
            arms.insert(self._random.randint(0, len(arms)), f"-_-> {self._arm(shape, depth)}")
        return f"({wire}) -> {{ {' '.join(arms)} }}"

    def _call(self, shape: Shape, depth: int) -> str:
        fitting = [
            function
            for function in self._functions
            if function.result == shape
            and (self._effects or not function.effectful)
            and (function.total or not self._total)
            and function.parameters
        ]
        if not fitting:
            return self._plain(shape, depth)
        function = self._random.choice(fitting)
        self._effectful = self._effectful or function.effectful
        self._calls_total = self._calls_total and function.total
        return f"{self._argument(function)} -> {function.name}"

    def _argument(self, function: FunctionShape) -> str:
        wanted = function.parameters
        return self._typed(wanted[0] if len(wanted) == 1 else tuple_of(*wanted))

    def _sequence(self, shape: Shape, depth: int) -> str:
        wire = self._typed(self._any_shape(1))
        before = len(self._lines[-1])
        self._statements(1, depth)
        inside = self._lines[-1][before:]
        tail = self._flow(shape, depth)
        more = self._lines[-1][before + len(inside) :]
        del self._lines[-1][before:]
        return f"{wire} -> seq {{ {self._text(inside + more)} {tail} }}"

    def _conversion(self, shape: Shape, depth: int) -> str:
        number = scalar(self._random.choice(NUMBERS))
        wide = {"i64": ("i32",), "f32": ("i32",), "f64": ("i32", "f32")}.get(shape.text, ())
        if wide and self._chance(0.3):
            number = scalar(self._random.choice(wide))
            return f"{self._typed(number)} -> widen_{shape}"
        return f"{self._expression(number)} -> to_{shape}"

    def _extremum(self, shape: Shape, depth: int) -> str:
        name = self._random.choice(("min", "max"))
        return f"({self._typed(shape)}, {self._expression(shape)}) -> {name}"

    def _rounding(self, shape: Shape, depth: int) -> str:
        name = self._random.choice(("sqrt", "floor", "ceil", "round", "trunc", "abs"))
        return f"{self._typed(shape)} -> {name}"

    def _operator(self, shape: Shape, depth: int) -> str:
        operator = self._random.choice("+-*")
        return f"{self._typed(shape)} -> {operator} {self._expression(shape)}"

    def _join(self, shape: Shape, depth: int) -> str:
        wire = self._typed(_I32)
        if any(item.kind != "scalar" or item.text not in NUMBERS for item in shape.items):
            return self._plain(shape, depth)
        branches = " ".join(f"-> + 1 -> to_{item};" for item in shape.items)
        return f"{wire} -> {{ {branches} }}"

    # Collections --------------------------------------------------------------------

    def _body(self, parameters: list[tuple[str, Shape]], result: Shape, depth: int) -> str:
        with self._scope(floor=True, effects=self._wrong()) as lines:
            loops, self._loops = self._loops, []
            for name, shape in parameters:
                self._declare(name, shape)
            if self._chance(0.4) and not self._total:
                self._statements(1, depth)
            tail = self._flow(result, depth)
            self._loops = loops
            names = ", ".join(name for name, _ in parameters)
            return f"{{ {names} -> {self._text(lines)} {tail} }}"

    def _array(self, length: int | None = None) -> tuple[str, Shape]:
        known = [
            local
            for local in self._known()
            if local.shape.kind == "array" and length in (None, local.shape.length)
        ]
        if known:
            local = self._random.choice(known)
            return local.name, local.shape
        shape = array_of(scalar(self._random.choice(SCALARS)), length or 3)
        return self._typed(shape), shape

    def _map(self, shape: Shape, depth: int) -> str:
        array, of = self._array(shape.length)
        x = self._name("x")
        return f"{array} -> map {self._body([(x, of.items[0])], shape.items[0], depth)}"

    def _fold(self, shape: Shape, depth: int) -> str:
        array, of = self._array()
        acc, x = self._name("acc"), self._name("x")
        body = self._body([(acc, shape), (x, of.items[0])], shape, depth)
        return f"({self._typed(shape)}, {array}) -> fold {body}"

    def _reduce(self, shape: Shape, depth: int) -> str:
        array = self._typed(array_of(shape, self._random.randint(1, 3)))
        before, self._total = self._total, not self._wrong()
        left, right = self._name("l"), self._name("r")
        body = self._body([(left, shape), (right, shape)], shape, depth)
        self._total = before
        return f"{array} -> reduce {body}"

    def _fill(self, shape: Shape, depth: int) -> str:
        return f"({self._typed(shape.items[0])}, {shape.length}) -> fill"

    def _range(self, shape: Shape, depth: int) -> str:
        if shape.items[0] == _I32:
            return f"{shape.length} -> iota"
        element = shape.items[0]
        if element.kind == "tuple" and len(element.items) == 2:
            left, right = (self._typed(array_of(item, shape.length)) for item in element.items)
            if element.items[0] == _I32 and self._chance(0.5):
                return f"{right} -> enumerate"
            return f"({left}, {right}) -> zip"
        return self._plain(shape, depth)

    # Statements ---------------------------------------------------------------------

    def _statements(self, count: int, depth: int) -> None:
        for _ in range(count):
            self._statement(depth)

    def _statement(self, depth: int) -> None:
        options = [self._bind, self._bind, self._arrow, self._rebind, self._update]
        if depth > 0:
            options += [self._fanout, self._drop]
            if not self._total:
                options += [self._loop, self._loop]
        if self._effects:
            options += [self._print, self._print, self._effect_call]
        self._random.choice(options)(depth - 1)

    def _bind(self, depth: int) -> None:
        shape = self._any_shape()
        value = self._expression(shape)
        name, mutable = self._name("b"), self._chance(0.5)
        annotation = f": {shape}" if self._chance(0.5) else ""
        self._emit(f"{'mut ' * mutable}{name}{annotation} <- {value};")
        self._declare(name, shape, mutable=mutable)

    def _arrow(self, depth: int) -> None:
        shape = self._any_shape()
        value = self._flow(shape, max(depth, 0))
        known = [local.name for local in self._known() if not local.mutable]
        name, mutable = self._name("c"), self._chance(0.4)
        if known and self._chance(0.1):
            name, mutable = self._random.choice(known), True
        annotation = f": {shape}" if self._chance(0.4) else ""
        self._emit(f"{value} -> {'mut ' * mutable}{name}{annotation};")
        for local in self._known():
            if local.name == name:
                local.alive = False
        self._declare(name, shape, mutable=mutable)

    def _rebind(self, depth: int) -> None:
        targets = self._known() if self._wrong() else self._rebindable()
        if not targets:
            return
        local = self._random.choice(targets)
        value = self._flow(local.shape, max(depth, 0))
        self._emit(f"{value} -> {local.name};")
        self._carry(local)

    def _carry(self, local: Local) -> None:
        for loop in self._loops[local.loop_depth :]:
            loop.add(local)

    def _update(self, depth: int) -> None:
        targets = [
            local
            for local in (self._known() if self._wrong() else self._rebindable())
            if local.shape.kind == "array"
        ]
        if not targets:
            return
        local = self._random.choice(targets)
        index = self._index(local.shape.length)
        self._emit(f"{local.name}[{index}] <- {self._expression(local.shape.items[0])};")
        self._carry(local)

    def _print(self, depth: int) -> None:
        shape = scalar(self._random.choice(SCALARS))
        value = '"text\\n"' if self._chance(0.1) else self._flow(shape, max(depth, 0))
        self._emit(f"{value} -> {self._random.choice(('print', 'println'))};")
        self._effectful = True

    def _effect_call(self, depth: int) -> None:
        effectful = [function for function in self._functions if function.parameters]
        if not effectful or (self._total and not all(f.total for f in effectful)):
            return
        function = self._random.choice(effectful)
        self._effectful = self._effectful or function.effectful
        self._calls_total = self._calls_total and function.total
        self._emit(f"{self._argument(function)} -> {function.name};")

    def _drop(self, depth: int) -> None:
        """Work that nobody uses, or a value chosen and bound."""
        self._emit(f"{self._flow(self._any_shape(), depth)} -> {self._name('idle')};")

    def _fanout(self, depth: int) -> None:
        wire = self._typed(_I32)
        names = [self._name("d") for _ in range(2)]
        self._emit(f"{wire} -> {{ -> * 2 -> {names[0]}; -> + 1 -> to_f64 -> {names[1]}; }}")
        self._declare(names[0], _I32)
        self._declare(names[1], scalar("f64"))

    def _loop(self, depth: int) -> None:
        """A counted loop; both arms and the body may hold statements, and loops."""
        self._calls_total = False
        counter, bound = self._name("i"), self._random.randint(0, 4)
        self._emit(f"mut {counter}: i32 <- 0;")
        local = self._declare(counter, _I32, mutable=True)
        local.mutable = False
        result, name = self._any_shape(1), self._name("e")
        self._loops.append({local})
        with self._scope() as body:
            self._statements(self._random.randint(0, 2), depth)
            condition = f"{counter} < {bound}"
            if self._chance(0.2):
                condition = f"({condition}) && {self._expression(_BOOL, 1)}"
            with self._scope() as jump:
                if self._chance(0.7):
                    self._statements(self._random.randint(1, 2), depth)
                jumping = self._text([*jump, f"{counter} + 1 -> {counter};", "-> loop;"])
            with self._scope() as leaving:
                if self._chance(0.3):
                    self._statements(1, depth)
                value = self._flow(result, max(depth, 0))
                exiting = f"{{ {self._text(leaving)} {value} -> {name}; }}"
            poles = ("-true->", "-false->")
            if self._chance(0.2):
                condition, poles = f"!({condition})", poles[::-1]
            guard = f"{poles[0]} {{ {jumping} }} {poles[1]} {exiting}"
            text = f"loop {{ {self._text(body)} ({condition}) -> {{ {guard} }} }}"
        carried = self._loops.pop()
        for dead in carried:
            dead.alive = dead.alive and dead.loop_depth < len(self._loops)
        self._emit(text)
        self._declare(name, result)


def random_program(seed: int, mistakes: float = 0.0, size: int = 4) -> str:
    """The program of a seed."""
    return ProgramWriter(random.Random(seed), mistakes, size).program()
