"""Loops: a head that runs the body, a step that goes on, and a leave that ends.

    before:  start of the carried state;                         -> head
    head:    phis; the body's items;              condition ? step : leave
    step:    the jump arm's items; next state;                   -> head
    leave:   the exit arm's items;                               emission goes on

The three regions come from the graph; an inner loop is an item of one of them and is emitted
where it stands.
"""

from __future__ import annotations

from mapal.analysis.legality import overwritten_components
from mapal.analysis.liveness import loop_reads
from mapal.codegen.llvm.carried import Carried
from mapal.codegen.llvm.control import RunRegion
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Frame, Scope
from mapal.codegen.llvm.values import Value
from mapal.codegen.llvm.wishes import offer
from mapal.ir.order import LoopItem


def loop(e: Emitter, scope: Scope, item: LoopItem, run: RunRegion) -> Value:
    """The exit value of a loop."""
    record = item.loop
    head, step, leave = (e.w.new_label(purpose) for purpose in ("loop", "step", "leave"))
    # What the loop reads from outside stays needed on every pass.
    scope.frames.append(Frame(always=loop_reads(e.graph, record.id)))
    wish = scope.wishes.get(record.merge)
    state_ty = e.graph.ty(record.merge)
    unseen = overwritten_components(e.graph, record.id)
    carried = Carried(e, state_ty, scope.values.get(item.init), [], wish, unseen)
    e.w.branch(head)
    e.w.start(head)
    carried.at_head()
    scope.bind(record.merge, carried.value)
    offer(e.graph, scope, item.next_state, carried.targets)
    run(e, scope, record.body)
    scope.frames.pop()
    condition = scope.values[record.cond]
    assert isinstance(condition, str)
    e.w.branch_if(condition, step, leave)
    e.w.start(step)
    run(e, scope, record.jump)
    carried.back(scope.values.get(item.next_state))
    scope.frames.pop()
    e.w.branch(head)
    carried.close()
    scope.frames.pop()
    e.w.start(leave)
    run(e, scope, record.exit)
    scope.frames.pop()
    return scope.values.get(item.payload)
