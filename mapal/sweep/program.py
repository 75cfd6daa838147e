"""From a script to a program: the graph, what it takes, and the shapes in it."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.ir.builder import GraphBuilder
from mapal.ir.entry import npy_form
from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import I32, IO, UNIT, Scalar, Tuple, Type
from mapal.sweep.catalogue import entry_type_at, type_at, value_of
from mapal.sweep.emission import run_block
from mapal.sweep.emission.emitter import Callee, Emitter, PendingBody, ProgramState
from mapal.sweep.script import FunctionScript, Script

ALLOWANCE = 12_000
"""Operations that one run of an entry may evaluate, roughly."""

HELPER_ALLOWANCE = 1_500

MOST_RESULTS = 6
"""Values of the entry that its result shows."""


@dataclass(frozen=True, slots=True)
class Program:
    """A built script. `inputs` holds the arguments of each run; `shapes` counts what the
    emission knows that it made."""

    graph: Graph
    inputs: tuple[dict[str, object], ...]
    shapes: dict[str, int]


def build(script: Script) -> Program:
    """The program of a script. Sealing always succeeds: a `BuilderError` is a bug of ours."""
    results: tuple[Type, ...] = ()
    if script.entry.result is not None or not script.entry.prints:
        results = _Build(script, None).results
    made = _Build(script, results)
    return Program(made.seal(), _inputs(script, made.parameters), made.state.shapes)


class _Build:
    """One interpretation of a script. The first one has no `results` and finds out what the
    entry has to show; the second one declares the entry with those as its result."""

    def __init__(self, script: Script, results: tuple[Type, ...] | None) -> None:
        self._is_trial = results is None
        builder = GraphBuilder()
        trap_free = script.mode == "trap_free"
        self.state = ProgramState(builder, trap_free, script.fused, run_block)
        for number, helper in enumerate(script.helpers):
            self._helper(number, helper)
        self.parameters = tuple(map(entry_type_at, script.entry.parameters))
        self.results = results or ()
        self._entry = self._build_entry(script.entry)

    def seal(self) -> Graph:
        return self.state.builder.seal(self._entry)

    def _helper(self, number: int, script: FunctionScript) -> None:
        """A named function; one that does not print has at least one parameter and a result."""
        state = self.state
        codes = script.parameters or (() if script.prints else (0,))
        parameters = tuple(map(type_at, codes))
        result = None if script.result is None else type_at(script.result)
        if result is None and not script.prints:
            result = type_at(0)
        function = _declare(state, f"helper{number}", parameters, result, script.prints)
        emitter = self._emitter(function, HELPER_ALLOWANCE)
        _take_parameters(emitter, parameters, script.prints)
        run_block(emitter, script.steps)
        _give_result(emitter, result, script.prints, len(script.steps))
        emitter.b.finish()
        self._build_bodies()
        state.callees.append(Callee(function, parameters, result, script.prints, emitter.spent + 8))

    def _build_entry(self, script: FunctionScript) -> FunctionId:
        state = self.state
        shown: Type | None = None
        if not self._is_trial and self.results:
            shown = self.results[0] if len(self.results) == 1 else Tuple(self.results)
        function = _declare(state, "main", self.parameters, shown, script.prints)
        emitter = self._emitter(function, ALLOWANCE)
        _take_parameters(emitter, self.parameters, script.prints)
        run_block(emitter, script.steps)
        if script.prints:
            _print_something(emitter)
        if self._is_trial:
            self.results = _showable(emitter)
            return function
        _give_results(emitter, self.results, script.prints, len(script.steps))
        emitter.b.finish()
        self._build_bodies()
        return function

    def _emitter(self, function: FunctionId, allowance: int) -> Emitter:
        return Emitter(self.state, self.state.builder.build(function), allowance=allowance)

    def _build_bodies(self) -> None:
        """Builds what is declared; a body may declare further ones. A trial needs none."""
        while self.state.pending and not self._is_trial:
            _build_body(self.state, self.state.pending.pop(0))


def _declare(
    state: ProgramState,
    name: str,
    parameters: tuple[Type, ...],
    result: Type | None,
    prints: bool,
) -> FunctionId:
    taken: Type = UNIT
    if parameters:
        taken = parameters[0] if len(parameters) == 1 else Tuple(parameters)
    given: Type = UNIT if result is None else result
    if prints:
        taken = Tuple((IO, taken)) if parameters else IO
        given = IO if result is None else Tuple((IO, given))
    names = tuple(f"p{slot}" for slot in range(len(parameters)))
    return state.builder.declare(FunctionKind.NAMED, name, taken, given, state.next_key(), names)


def _take_parameters(e: Emitter, parameters: tuple[Type, ...], prints: bool) -> None:
    argument = e.b.input
    if prints:
        e.may_print = True
        e.token = e.b.proj(argument, 0, e.key()) if parameters else argument
        if parameters:
            argument = e.b.proj(argument, 1, e.key())
    if len(parameters) == 1:
        e.know(argument)
    elif parameters:
        for slot in range(len(parameters)):
            e.know(e.b.proj(argument, slot, e.key()))


def _build_body(state: ProgramState, pending: PendingBody) -> None:
    builder = state.builder.build(pending.function)
    e = Emitter(state, builder, allowance=pending.allowance, total=pending.total)
    count = pending.captures + pending.arguments
    if count == 1:
        e.know(builder.input)
    else:
        for slot in range(count):
            e.know(builder.proj(builder.input, slot, e.key()))
    pending.make(e)
    builder.finish()


# Results --------------------------------------------------------------------------------------


def _give_result(e: Emitter, result: Type | None, prints: bool, choice: int) -> None:
    if not prints:
        e.give(choice)
        return
    assert e.token is not None
    if result is None:
        e.b.output(e.token, e.key())
    else:
        _give_with_token(e, e.demand(result), choice)


def _give_with_token(e: Emitter, value: ObjectId, choice: int) -> None:
    assert e.token is not None
    if choice % 2:
        e.b.output(value, e.key(), 1)
        e.b.output(e.token, e.key(), 0)
    else:
        e.b.pack([e.token, value], e.key(), Ret())


def _give_results(e: Emitter, results: tuple[Type, ...], prints: bool, choice: int) -> None:
    """The result of the entry: the most recent values of the types that it shows."""
    seen: dict[Type, int] = {}
    values: list[ObjectId] = []
    for ty in results:
        values.append(e.demand(ty, seen.get(ty, 0)))
        seen[ty] = seen.get(ty, 0) + 1
    if not values:
        assert e.token is not None, "a pure entry shows something"
        e.b.output(e.token, e.key())
    elif prints:
        whole = values[0] if len(values) == 1 else e.b.pack(values, e.key())
        _give_with_token(e, whole, choice)
    elif len(values) == 1:
        e.b.output(values[0], e.key())
    elif choice % 2:
        for slot, value in enumerate(values):
            e.b.output(value, e.key(), slot)
    else:
        e.b.pack(values, e.key(), Ret())


def _showable(e: Emitter) -> tuple[Type, ...]:
    """The types of the most recent values that a result can hold."""
    found = [ty for _, ty in reversed(e.values) if npy_form(ty) is not None]
    return tuple(found[:MOST_RESULTS]) or (I32,)


def _print_something(e: Emitter) -> None:
    """A program that prints does print, whatever its steps came to."""
    value = e.pick(lambda ty: isinstance(ty, Scalar), 0)
    assert e.token is not None
    shown = value if value is not None else e.number(0)
    e.token = e.b.print(e.token, shown, True, e.key())


def _inputs(script: Script, parameters: tuple[Type, ...]) -> tuple[dict[str, object], ...]:
    """The arguments of each run, by parameter name."""
    if not parameters:
        return ({},)
    return tuple(
        {f"p{slot}": value_of(ty, seed + slot) for slot, ty in enumerate(parameters)}
        for seed in script.arguments
    )
