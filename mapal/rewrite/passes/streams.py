"""What maps and folds go over, and what they take from outside: one form for all spellings.

| law | |
|---|---|
| zip and enumerate | the element of `zip a b` is the pair of the elements, that of `enumerate a` \
the number beside the element, that of `iota n` the number, that of `fill x` is `x` |
| fold of a map | `fold g s (map f a) = fold (g . f) s a`, also where the map is one side of a zip |
| zip of maps | `zip (map f a) (map g b) = map (f x g) (zip a b)`, where nobody goes over the zip |
| elements by number | `C (i -> g a[i]) (iota n) = C g a`, if the number has no other use |
| numbers of elements | `map (i, x -> (i, f x)) (enumerate a) = enumerate (map f a)` |
| captures | a literal or a range is made in the body, not captured; what no one reads is not |

The form is: a body that needs the number goes over `iota n` and captures the arrays that it
reads; one that does not goes over the arrays, zipped if there are several. So a consumer goes
over no enumeration, no zip of a range or fill, and no array twice.

Cost: no law adds a traversal of an array or an evaluation of a body. A map is absorbed where
nothing else reads its result, which saves a traversal and an array; two maps under a zip become
one. The forms that go over arrays read every element once and check no index; the form that
goes over numbers replaces pairs by single elements, at accesses that are proved by the range.
Absorbing a map runs its body on an element before the consumer's body on that element, and
after that on the elements before it: as for maps of maps, neither body may have a loop, and at
most one of all may trap.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mapal.analysis.body_reads import SteadyAccess, body_reads, gives_number
from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.definitions import definition, live_functions
from mapal.analysis.positions import comes_before
from mapal.analysis.totality import is_total_function, may_run_forever, referenced
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism, ObjectKind
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array
from mapal.rewrite.entries import Streaming
from mapal.rewrite.passes.map_fusion import LONGEST_KEY, key_length
from mapal.rewrite.plan import PlanMaker
from mapal.rewrite.remaking import captured_for
from mapal.rewrite.streaming import collection_operands
from mapal.rewrite.terms import (
    Applied,
    Both,
    Element,
    Number,
    Outside,
    Term,
    arrays_of,
    parts,
    side_by_side,
)

SHARED_ARRAY = "the array of the inner map has other readers"
OTHER_REGION = "the inner map stands in another region"
BOTH_TRAP = "two bodies can trap"
RUNS_FOREVER = "a body has a loop"
LATE_OPERAND = "the consumer needs what comes after the inner map"
TOO_DEEP = "bodies are fused too deep already"
SHARED_BODY = "the body has other sites and bodies of its own"
TOO_LARGE = "the element is made of too many parts"

LARGEST_TERM = 64
"""Parts of an element; a zip of zips of the same array can have any number."""


def analyse(maker: PlanMaker) -> None:
    """Plans the form of every map and fold, in every live function; a map takes part in one
    entry at a time."""
    graph = maker.graph
    taken: set[MorphismId] = set()
    for function in live_functions(graph):
        for identity in reversed(graph.functions[function].morphisms):
            morphism = graph.morphisms[identity]
            if isinstance(morphism.op, ops.Map | ops.Fold | ops.Zip) and identity not in taken:
                consumer = _Consumer(maker, morphism, taken)
                streaming = consumer.streaming()
                if streaming is not None and not _exists(graph, streaming):
                    consumer = _Consumer(maker, morphism, taken, stays=True)
                    streaming = consumer.streaming()
                for reason in dict.fromkeys(consumer.reasons):
                    maker.decline(morphism.key, reason)
                if streaming is not None:
                    maker.stream(streaming)
                    taken |= {identity, *consumer.maps}


def _exists(graph: Graph, streaming: Streaming) -> bool:
    """Whether all that a consumer will read exists where it will stand."""
    place = graph.morphisms[streaming.place].target
    reads = (*streaming.captures, *streaming.sources, *streaming.kept)
    return all(comes_before(graph, read, place) for read in reads)


@dataclass(slots=True)
class _Consumer:
    """One map, fold or zip. `maps` are those that it absorbs, `absorbed` all values that are
    not made any more; `trapping` is the one that can trap, consumer or map, if one can. `reasons`
    say why maps were not absorbed. `stays` tells that the consumer cannot stand earlier."""

    maker: PlanMaker
    morphism: Morphism
    taken: set[MorphismId]
    maps: list[MorphismId] = field(default_factory=list)
    absorbed: list[ObjectId] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    stays: bool = False
    trapping: MorphismId | None = None
    size: int = 0

    @property
    def graph(self) -> Graph:
        return self.maker.graph

    def streaming(self) -> Streaming | None:
        """The entry for the consumer; None if it has the form already."""
        graph, op = self.graph, self.morphism.op
        if isinstance(op, ops.Zip):
            return self._zip_of_maps()
        assert isinstance(op, ops.Map | ops.Fold)
        operands = collection_operands(graph, self.morphism)
        if operands is None:
            return None
        captures, seed, array = operands
        if not is_total_function(graph, op.body, accesses_in_range(graph)):
            self.trapping = self.morphism.id
        body, count = graph.functions[op.body], _length(graph, array)
        proved = accesses_in_range(graph)
        reads = body_reads(graph, body, len(captures), count, proved)
        term = self._term(array, seed)
        kept = captured_for(
            graph,
            (capture for slot, capture in enumerate(captures) if slot not in reads.unread),
            frozenset(captures[slot] for slot in reads.apart),
        )
        is_by_number = isinstance(term, Number) and reads.accesses and not reads.needs_number
        is_numbered = isinstance(term, Number) and gives_number(graph, body, len(captures))
        if (
            not is_by_number
            and kept == captures
            and not reads.steady
            and not is_numbered
            and _is_plain(graph, array, term)
        ):
            return None
        reason = TOO_LARGE if self.size > LARGEST_TERM else self._obstacle(body)
        if reason is not None:
            self.reasons.append(reason)
            return None
        entry = Streaming(
            consumer=self.morphism.id,
            place=self.morphism.id if self.trapping is None else self.trapping,
            sources=_sources(term),
            count=count,
            element=term,
            steady=tuple(_read_at(captures, access) for access in reads.steady),
            captures=self._captures(term, kept),
            unread=reads.unread,
            kept=() if seed is None else (seed,),
            absorbed=tuple(self.absorbed),
            is_numbered=is_numbered,
        )
        if not is_by_number:
            return entry
        accesses = tuple((access, captures[slot]) for access, slot in reads.accesses)
        sources = tuple(dict.fromkeys(read for _, read in accesses))
        return replace(entry, sources=sources, element=None, reads=accesses)

    def _term(self, array: ObjectId, seed: ObjectId | None) -> Term:
        """What the body takes as its element. The maps of a map are another pass's."""
        graph = self.graph
        is_paired = isinstance(self.morphism.op, ops.Fold) and self.morphism.op.captures == 0
        pair = graph.operands(self.morphism)[0] if is_paired else None
        is_read_once = pair is None or len(graph.out_edges[pair]) == 1
        term = self._element(array, is_read_once, absorbs=seed is not None)
        if self.maps and pair is not None:
            self.absorbed.append(pair)
        return term

    def _captures(self, term: Term, kept: tuple[ObjectId, ...]) -> tuple[ObjectId, ...]:
        """What the new body captures: of the old one, of the absorbed ones, and for the
        element."""
        graph = self.graph
        captures = dict.fromkeys(kept)
        has_sources = bool(_sources(term))
        for part in parts(term):
            match part:
                case Applied(map=identity):
                    inner = graph.operands(graph.morphisms[identity])[:-1]
                    captures |= dict.fromkeys(captured_for(graph, inner))
                case Outside(value=value):
                    captures |= dict.fromkeys(captured_for(graph, (value,)))
                case Element(array=array) if not has_sources:
                    captures |= dict.fromkeys(captured_for(graph, (array,)))
        return tuple(captures)

    def _obstacle(self, body: Function) -> str | None:
        """Why the body is not written anew for this site: copies of bodies that hold others
        would multiply."""
        graph = self.graph
        if _sites(graph).get(body.id, 0) > 1 and any(referenced(graph, body.id)):
            return SHARED_BODY
        return None

    # Terms --------------------------------------------------------------------------

    def _element(self, array: ObjectId, is_read_once: bool, *, absorbs: bool) -> Term:
        """The element of an array. `is_read_once` tells that nobody reads what stands between
        the array and the consumer beside it."""
        graph = self.graph
        self.size += 1
        item = definition(graph, array)
        if not isinstance(item, OperationItem) or self.size > LARGEST_TERM:
            return Element(array)
        once = is_read_once and len(graph.out_edges[array]) == 1
        before = len(self.maps)
        match item.morphism.op:
            case ops.Iota():
                return Number()
            case ops.Fill():
                return Outside(item.operands[0])
            case ops.Enumerate():
                term: Term = Both(Number(), self._element(item.operands[0], once, absorbs=True))
            case ops.Zip():
                left = self._element(item.operands[0], once, absorbs=True)
                term = Both(left, self._element(item.operands[1], once, absorbs=True))
            case ops.Map() if absorbs:
                return self._absorbed(item, once)
            case _:
                return Element(array)
        if len(self.maps) > before:
            self.absorbed.append(array)
        return term

    def _absorbed(self, item: OperationItem, is_read_once: bool) -> Term:
        """The element of a map, which the consumer computes itself if the laws allow it."""
        graph, inner = self.graph, item.morphism
        assert isinstance(inner.op, ops.Map), "only maps are absorbed"
        reason = self._obstacle_to(inner, item.target, is_read_once)
        if reason is not None:
            self.reasons.append(reason)
        if reason is not None or inner.id in self.taken:
            return Element(item.target)
        if not is_total_function(graph, inner.op.body, accesses_in_range(graph)):
            self.trapping = inner.id
        self.maps.append(inner.id)
        self.absorbed.append(item.target)
        return Applied(inner.id, self._element(item.operands[-1], False, absorbs=False))

    def _obstacle_to(self, inner: Morphism, target: ObjectId, is_read_once: bool) -> str | None:
        graph, consumer = self.graph, self.morphism
        assert isinstance(inner.op, ops.Map), "only maps are absorbed"
        bodies = [inner.op.body]
        if isinstance(consumer.op, ops.Map | ops.Fold):
            bodies.append(consumer.op.body)
        if not is_read_once or graph.objects[target].kind is not ObjectKind.TEMPORARY:
            return SHARED_ARRAY
        if inner.region != consumer.region:
            return OTHER_REGION
        if any(may_run_forever(graph, body) for body in bodies):
            return RUNS_FOREVER
        if not is_total_function(graph, inner.op.body, accesses_in_range(graph)):
            if self.trapping is not None:
                return BOTH_TRAP
            if self.stays:
                return LATE_OPERAND
        deepest = max(key_length(graph, graph.functions[body]) for body in bodies)
        if deepest + max(len(inner.key), len(consumer.key)) > LONGEST_KEY:
            return TOO_DEEP
        return None

    # Zips of maps -------------------------------------------------------------------

    def _zip_of_maps(self) -> Streaming | None:
        """Two maps that only a zip reads become one, unless a consumer will absorb them."""
        graph, target = self.graph, self.morphism.target
        left, right = graph.operands(self.morphism)
        if _is_consumed(graph, target) or not (_is_map(graph, left) and _is_map(graph, right)):
            return None
        terms = [self._element(side, True, absorbs=True) for side in (left, right)]
        if not all(isinstance(term, Applied) for term in terms):
            return None
        if self.size > LARGEST_TERM:
            self.reasons.append(TOO_LARGE)
            return None
        element = Both(*terms)
        return Streaming(
            consumer=self.morphism.id,
            place=self.morphism.id if self.trapping is None else self.trapping,
            sources=_sources(element),
            count=_length(graph, target),
            element=element,
            captures=self._captures(element, ()),
            absorbed=tuple(self.absorbed),
        )


def _read_at(
    captures: tuple[ObjectId, ...], access: SteadyAccess
) -> tuple[ObjectId, ObjectId, ObjectId]:
    place = access.literal if access.place is None else captures[access.place]
    assert place is not None, "a steady access has a place"
    return access.target, captures[access.array], place


def _sources(term: Term) -> tuple[ObjectId, ...]:
    """The arrays to go over for a term; none where it needs the number."""
    if any(isinstance(part, Number) for part in parts(term)):
        return ()
    return arrays_of(term)


def _is_plain(graph: Graph, array: ObjectId, term: Term) -> bool:
    """Whether a consumer that goes over an array takes a term as it should."""
    if isinstance(term, Number | Element):
        return True
    arrays = arrays_of(term)
    return bool(arrays) and term == side_by_side(arrays)


def _is_consumed(graph: Graph, array: ObjectId) -> bool:
    """Whether one map or fold reads an array, and goes over it, and nobody else does."""
    readers = graph.out_edges[array]
    if len(readers) != 1:
        return False
    reader = graph.morphisms[readers[0]]
    while isinstance(reader.op, ops.Pair) and len(graph.out_edges[reader.target]) == 1:
        if reader.op.slot != reader.op.arity - 1:
            return False
        reader = graph.morphisms[graph.out_edges[reader.target][0]]
    return isinstance(reader.op, ops.Map | ops.Fold)


def _is_map(graph: Graph, array: ObjectId) -> bool:
    item = definition(graph, array)
    return isinstance(item, OperationItem) and isinstance(item.morphism.op, ops.Map)


def _length(graph: Graph, array: ObjectId) -> int:
    ty = graph.ty(array)
    assert isinstance(ty, Array)
    return ty.length


def _sites(graph: Graph) -> dict[FunctionId, int]:
    """How many collections use each body."""
    return graph.remembered("sites of bodies", lambda: _count_sites(graph))


def _count_sites(graph: Graph) -> dict[FunctionId, int]:
    found: dict[FunctionId, int] = {}
    for function in live_functions(graph):
        for identity in graph.functions[function].morphisms:
            op = graph.morphisms[identity].op
            if isinstance(op, ops.Map | ops.Fold | ops.Reduce):
                found[op.body] = found.get(op.body, 0) + 1
    return found
