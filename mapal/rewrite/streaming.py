"""A map or fold that goes over other arrays, and its body."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mapal.analysis.definitions import definition
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Key, Morphism
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.order import OperationItem, PackItem
from mapal.ir.types import I32, Array, Tuple, Type
from mapal.rewrite.emission import emit_product
from mapal.rewrite.entries import Streaming
from mapal.rewrite.synthesis import product_of
from mapal.rewrite.terms import Applied, Both, Element, Number, Outside, Term, parts

if TYPE_CHECKING:
    from mapal.rewrite.replay import Replay, Scope, Walk

Evaluation = Generator["Walk", None, ObjectId]
"""The walk that computes a term."""


def collection_operands(
    graph: Graph, morphism: Morphism
) -> tuple[tuple[ObjectId, ...], ObjectId | None, ObjectId] | None:
    """The captures, seed and array of a map or fold; no seed for a map. None for a fold of a
    pair that is assembled elsewhere."""
    operands = graph.operands(morphism)
    match morphism.op:
        case ops.Map():
            return operands[:-1], None, operands[-1]
        case ops.Fold(captures=0):
            pair = definition(graph, operands[0])
            if not isinstance(pair, PackItem):
                return None
            seed, array = pair.feeders
            return (), seed, array
        case ops.Fold():
            return operands[:-2], operands[-2], operands[-1]
        case _:
            raise CompilerBug(f"{morphism.op} goes over no array")


def stream(
    replay: Replay, scope: Scope, item: OperationItem, streaming: Streaming, prefix: Key
) -> None:
    """One map or fold in the place of a consumer and of the maps that it absorbs."""
    graph, f, consumer = replay.graph, replay.f, item.morphism
    place = graph.morphisms[streaming.place]
    key = prefix + place.key
    if streaming.sources:
        *others, array = (replay.read(scope, source) for source in streaming.sources)
        for other in reversed(others):
            array = f.zip(other, array, key)
    else:
        array = f.iota(f.constant(streaming.count, I32, key), key)
    captured = {old: replay.read(scope, old) for old in streaming.captures}
    for target, read, at in streaming.steady:
        captured[target] = f.index(replay.read(scope, read), replay.read(scope, at), key)
        scope.copy.hoisted.append(replay.builder.morphisms[-1].id)
    captures = tuple(dict.fromkeys(captured.values()))
    source = f.ty(array)
    assert isinstance(source, Array)
    body = replay.synthesise(
        StreamBody(
            streaming,
            consumer,
            scope.copy.path,
            tuple(map(f.ty, captures)),
            {old: captures.index(new) for old, new in captured.items()},
            source.element,
            place.key[-1:],
        )
    )
    dest = replay.destination(scope, item.target)
    if isinstance(consumer.op, ops.Fold):
        found = collection_operands(graph, consumer)
        assert found is not None
        assert found[1] is not None
        seed = replay.read(scope, found[1])
        made = f.fold(body, captures, seed, array, key, dest, late=place.late)
    elif streaming.is_numbered:
        values = f.map(body, captures, array, key, late=place.late)
        scope.copy.morphisms[consumer.id] = replay.builder.morphisms[-1].id
        replay.define(scope, item.target, f.enumerate(values, key), key)
        return
    else:
        made = f.map(body, captures, array, key, dest, late=place.late)
    replay.settle(scope, item.target, made, consumer.id)
    for part in parts(streaming.element) if streaming.element is not None else ():
        if isinstance(part, Applied):
            scope.copy.morphisms[part.map] = scope.copy.morphisms[consumer.id]


@dataclass(frozen=True)
class StreamBody:
    """From captures, accumulator (of a fold) and the element of the sources to what the
    consumer's body gives. `slots` are those of the captures, by their old ids."""

    streaming: Streaming
    consumer: Morphism
    path: tuple[int, ...]
    captures: tuple[Type, ...]
    slots: Mapping[ObjectId, int]
    element: Type
    key: Key
    name: str = "stream"

    @property
    def kind(self) -> FunctionKind:
        is_fold = isinstance(self.consumer.op, ops.Fold)
        return FunctionKind.FOLD_BODY if is_fold else FunctionKind.MAP_BODY

    def signature(self, graph: Graph) -> tuple[Type, Type]:
        given = graph.ty(self.consumer.target)
        if self.streaming.is_numbered:
            assert isinstance(given, Array)
            assert isinstance(given.element, Tuple)
            return product_of((*self.captures, self.element)), given.element.items[1]
        if self.kind is FunctionKind.FOLD_BODY:
            return product_of((*self.captures, given, self.element)), given
        assert isinstance(given, Array)
        return product_of((*self.captures, self.element)), given.element

    def build(self, replay: Replay, into: FunctionId) -> Walk:
        f = replay.f
        count = len(self.captures) + (2 if self.kind is FunctionKind.FOLD_BODY else 1)
        taken = [f.input]
        if count > 1:
            taken = [f.proj(f.input, slot, self.key) for slot in range(count)]
        terms = _Terms(self, replay, into, taken)
        op = self.consumer.op
        if isinstance(op, ops.Zip):
            assert self.streaming.element is not None
            result = yield from terms.value(self.streaming.element)
            f.enter(f.root)
            f.output(result, self.key)
            return
        assert isinstance(op, ops.Map | ops.Fold)
        found = collection_operands(replay.graph, self.consumer)
        assert found is not None
        arguments: list[ObjectId | None] = [
            None if slot in self.streaming.unread else terms.outside(capture)
            for slot, capture in enumerate(found[0])
        ]
        if isinstance(op, ops.Fold):
            arguments.append(taken[-2])
        element = self.streaming.element
        arguments.append(None if element is None else (yield from terms.value(element)))
        f.enter(f.root)
        prefix = self.consumer.key if terms.is_composed else ()
        path = (*self.path, self.consumer.id, len(terms.applied))
        is_numbered = self.streaming.is_numbered
        scope = replay.scope(op.body, into, path, prefix, is_inlined=is_numbered)
        yield self._applied(replay, scope, arguments, terms)
        if is_numbered:
            f.enter(f.root)
            pair = replay.returned(scope, replay.graph.ty(scope.record.output), self.key)
            f.output(f.proj(pair, 1, self.key), self.key)

    def _applied(
        self, replay: Replay, scope: Scope, arguments: list[ObjectId | None], terms: _Terms
    ) -> Walk:
        """Repeats the consumer's body. Where all arguments are there, it takes them as one
        product; otherwise each reader of one takes it by itself."""
        graph, record = replay.graph, scope.record
        reads = dict(self.streaming.reads)
        steady = [target for target, _, _ in self.streaming.steady]
        if reads or steady or None in arguments:
            for edge in graph.out_edges[record.input]:
                view = graph.morphisms[edge]
                assert isinstance(view.op, ops.Proj), "an input that is read as a whole stays"
                argument = arguments[view.op.index]
                if argument is not None:
                    scope.values[view.target] = argument
            for access, array in reads.items():
                scope.values[access] = yield from terms.value(Element(array))
            for access in steady:
                scope.values[access] = terms.outside(access)
            views = {graph.morphisms[edge].target for edge in graph.out_edges[record.input]}
            scope.given = frozenset(views | reads.keys() | set(steady))
        else:
            values = [argument for argument in arguments if argument is not None]
            key = scope.prefix or self.key
            scope.values[record.input] = (
                values[0] if len(values) == 1 else replay.f.pack(values, key)
            )
        yield replay.region(scope, record.body, replay.f.root, scope.prefix)
        if record.output in reads:
            replay.f.enter(replay.f.root)
            replay.f.output(scope.values[record.output], self.key)


class _Terms:
    """The terms of one body, each computed once. `applied` are the maps whose bodies were
    repeated so far."""

    def __init__(
        self, body: StreamBody, replay: Replay, into: FunctionId, taken: list[ObjectId]
    ) -> None:
        self._body = body
        self._replay = replay
        self._into = into
        self._taken = taken
        self._known: dict[object, ObjectId] = {}
        self.applied: list[MorphismId] = []
        element = body.streaming.element
        self.is_composed = element is not None and any(
            isinstance(part, Applied) for part in parts(element)
        )
        if not body.streaming.sources:
            self._known[Number()] = taken[-1]
        else:
            *others, last = body.streaming.sources
            at = taken[-1]
            for array in others:
                self._known[Element(array)] = replay.f.proj(at, 0, body.key)
                at = replay.f.proj(at, 1, body.key)
            self._known[Element(last)] = at

    def outside(self, obj: ObjectId) -> ObjectId:
        """A value of the function around: captured, or made again."""
        if obj in self._body.slots:
            return self._taken[self._body.slots[obj]]
        found = self._known.get(Outside(obj))
        if found is None:
            found = self._made_again(obj)
            self._known[Outside(obj)] = found
        return found

    def _made_again(self, obj: ObjectId) -> ObjectId:
        f, graph, key = self._replay.f, self._replay.graph, self._body.key
        record, item = graph.objects[obj], definition(graph, obj)
        if record.value is not None:
            return f.constant(record.value, record.ty, key)
        if isinstance(item, PackItem):
            return emit_product(f, list(map(self.outside, item.feeders)), record.ty, key)
        assert isinstance(item, OperationItem)
        assert isinstance(record.ty, Array)
        match item.morphism.op:
            case ops.Zip():
                return f.zip(self.outside(item.operands[0]), self.outside(item.operands[1]), key)
            case ops.Enumerate():
                return f.enumerate(self.outside(item.operands[0]), key)
            case ops.Fill():
                element = self.outside(item.operands[0])
                return f.fill(element, f.constant(record.ty.length, I32, key), key)
            case _:
                return f.iota(f.constant(record.ty.length, I32, key), key)

    def value(self, term: Term) -> Evaluation:
        found = self._known.get(term)
        if found is None:
            found = yield from self._computed(term)
            self._known[term] = found
        return found

    def _computed(self, term: Term) -> Evaluation:
        f, key = self._replay.f, self._body.key
        match term:
            case Element(array=array):
                return f.index(self.outside(array), (yield from self.value(Number())), key)
            case Outside(value=value):
                return self.outside(value)
            case Both(left=left, right=right):
                return f.pack([(yield from self.value(left)), (yield from self.value(right))], key)
            case Applied(map=identity, element=element):
                return (yield from self._result(identity, (yield from self.value(element))))
            case _:
                raise CompilerBug("a body that goes over arrays has no number")

    def _result(self, identity: MorphismId, element: ObjectId) -> Evaluation:
        """What the body of a map makes of an element."""
        replay, body = self._replay, self._body
        f, morphism = replay.f, replay.graph.morphisms[identity]
        assert isinstance(morphism.op, ops.Map), "only maps are absorbed"
        path = (*body.path, body.consumer.id, len(self.applied))
        self.applied.append(identity)
        captures = [self.outside(obj) for obj in replay.graph.operands(morphism)[:-1]]
        scope = replay.scope(morphism.op.body, self._into, path, morphism.key, is_inlined=True)
        argument = f.pack((*captures, element), morphism.key) if captures else element
        scope.values[scope.record.input] = argument
        yield replay.region(scope, scope.record.body, f.root, morphism.key)
        f.enter(f.root)
        return replay.returned(scope, replay.graph.ty(scope.record.output), morphism.key)
