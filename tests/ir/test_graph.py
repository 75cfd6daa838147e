"""Questions to a sealed graph: packs, operands, homes of values."""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.graph import ObjectKind, RegionKind
from mapal.ir.ops import BinaryCode, MorphismId, ObjectId, RegionId
from mapal.ir.types import I32, UNIT
from tests.ir import sample_graphs
from tests.ir.back_door import built, find, with_object
from tests.ir.sample_graphs import at


def test_feeders_and_operands() -> None:
    graph = sample_graphs.collections()
    update = find(graph, ops.Update)
    feeders = graph.feeders(update.source)
    assert graph.operands(update) == feeders
    assert [graph.slot_feeder(update.source, slot) for slot in range(4)] == [*feeders, None]
    fold = find(graph, ops.Fold)
    assert graph.operands(fold) == (fold.source,)
    assert len(graph.feeders(fold.source)) == 2
    assert graph.feeders(fold.target) == ()


def test_packs() -> None:
    graph = sample_graphs.collections()
    multiply = find(graph, ops.Binary(BinaryCode.MUL))
    assert graph.is_pack(multiply.source)
    assert graph.is_internal_pack(multiply.source)
    fold = find(graph, ops.Fold)
    assert graph.is_pack(fold.source)
    assert not graph.is_internal_pack(fold.source)
    output = graph.functions[graph.entry].output
    assert not graph.is_pack(output)
    assert not graph.is_pack(multiply.target)


def test_definers() -> None:
    graph = sample_graphs.collections()
    iota = find(graph, ops.Iota)
    assert graph.definer(iota.target) == iota
    assert graph.definer(iota.source) is None
    assert graph.definer(find(graph, ops.Update).source) is None


def test_which_operations_pack_for_themselves() -> None:
    body = sample_graphs.collections().functions[2].id
    yes = (ops.Index(), ops.Print(True), ops.Map(body, 1), ops.Reduce(body, 2), ops.Fold(body, 1))
    no = (ops.Proj(0), ops.Map(body, 0), ops.Fold(body, 0), ops.Output(), ops.Pair(0, 2))
    assert all(ops.takes_minted_pack(op) for op in yes)
    assert not any(ops.takes_minted_pack(op) for op in no)


def test_homes_of_values() -> None:
    graph = sample_graphs.guarded()
    quotient = find(graph, ops.Binary(BinaryCode.DIV))
    assert graph.regions[graph.region_of(quotient.target)].kind is RegionKind.ARM_FALSE
    assert graph.region_of(quotient.source) == quotient.region
    phi = find(graph, ops.Phi)
    assert graph.region_of(phi.source) == phi.region
    assert graph.region_of(graph.functions[0].input) == graph.functions[0].body

    graph = sample_graphs.looping()
    loop = graph.loops[0]
    assert graph.region_of(loop.merge) == loop.body
    assert graph.region_of(graph.morphisms[loop.back].source) == loop.body
    assert graph.region_of(graph.morphisms[loop.leave].source) == loop.body
    assert graph.region_of(graph.morphisms[loop.leave].target) == loop.region
    state = graph.slot_feeder(graph.morphisms[loop.back].source, 0)
    assert state is not None
    assert graph.region_of(state) == loop.jump


def test_homes_of_what_no_sealed_graph_has() -> None:
    graph = built(I32, UNIT, lambda f: f.constant(1, I32, at(1)))
    for kind in (ObjectKind.TEMPORARY, ObjectKind.LOOP_MERGE):
        loose = with_object(graph, I32, kind)
        assert loose.region_of(ObjectId(len(loose.objects) - 1)) == RegionId(0)


def test_enclosing() -> None:
    graph = sample_graphs.guarded()
    inner, outer = graph.guards[1], graph.guards[0]
    assert graph.encloses(graph.functions[0].body, inner.arm_true)
    assert graph.encloses(outer.arm_false, inner.arm_true)
    assert graph.encloses(inner.arm_true, inner.arm_true)
    assert not graph.encloses(outer.arm_true, inner.arm_true)
    assert not graph.encloses(inner.arm_true, outer.arm_false)


def test_facts_are_computed_once() -> None:
    graph = sample_graphs.guarded()
    calls: list[int] = []

    def compute() -> int:
        calls.append(1)
        return 42

    assert graph.remembered("answer", compute) == graph.remembered("answer", compute) == 42
    assert calls == [1]
    assert graph == sample_graphs.guarded()


def test_graphs_compare_by_their_tables() -> None:
    assert sample_graphs.guarded() != sample_graphs.looping()
    assert sample_graphs.guarded().morphisms[MorphismId(0)].id == 0
