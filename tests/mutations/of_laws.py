"""Mutations of what all passes rely on: plan laws, the order, totality."""

from __future__ import annotations

from tests.mutations.mutation import Mutation, tests_of

_PLAN = "rewrite/plan.py"
_ORDER = "rewrite/order_law.py"
_REPLAY = "rewrite/replay.py"
_TOTALITY = "analysis/totality.py"
_OF_LAWS = tests_of("plan_laws", "regions", "constant_folding")
_OF_TOTALITY = ("tests/analysis/test_totality.py", *tests_of("dead_code", "regions"))

OF_LAWS = (
    # Plans
    Mutation(
        "P1: the result",
        "plan law",
        _PLAN,
        "            self.graph.objects[obj].kind is ObjectKind.TEMPORARY\n            and obj not",
        "            obj not",
        _OF_LAWS,
    ),
    Mutation(
        "P2: the frames of loops",
        "plan law",
        _PLAN,
        "            and obj not in _loop_frame(self.graph)\n",
        "",
        _OF_LAWS,
    ),
    Mutation(
        "P2: the token",
        "token",
        _PLAN,
        "            and not self.graph.is_token_bearing(obj)\n",
        "",
        (*_OF_LAWS, *tests_of("common_subexpressions")),
    ),
    Mutation(
        "P2: a value of another region",
        "cross-region",
        _PLAN,
        "        if not spans.encloses(graph.region_of(value), graph.region_of(obj)):\n"
        "            return False\n",
        "",
        _OF_LAWS,
    ),
    Mutation(
        "P2: a value that comes later",
        "order",
        _PLAN,
        "        return comes_before(graph, value, obj)\n",
        "        return True\n",
        (*_OF_LAWS, *tests_of("order")),
    ),
    Mutation(
        "P2: a value of another type",
        "type",
        _PLAN,
        "if obj == value or not self.may_replace(obj) or graph.ty(obj) != graph.ty(value):",
        "if obj == value or not self.may_replace(obj):",
        _OF_LAWS,
    ),
    Mutation(
        "P2: loops without a state",
        "divergence",
        _PLAN,
        "return without_loops(self.graph, plan, stuck) if stuck else plan",
        "return plan",
        _OF_LAWS,
    ),
    Mutation(
        "P4: dropping what can trap",
        "trap",
        _PLAN,
        '            raise PlanError("P4", f"object {obj} is not total")\n        self._drop',
        "            pass\n        self._drop",
        _OF_LAWS,
    ),
    Mutation(
        "P4: moving what can trap",
        "trap",
        _PLAN,
        '            raise PlanError("P4", f"object {obj} is not total")\n        if not positions',
        "            pass\n        if not positions",
        _OF_LAWS,
    ),
    Mutation(
        "P4: moving inwards",
        "cross-region",
        _PLAN,
        '            raise PlanError("P4", f"object {obj} would move to a region that is not '
        'around it")\n',
        "            pass\n",
        _OF_LAWS,
    ),
    # Order and replay
    Mutation(
        "order: what can trap may change places",
        "order",
        _ORDER,
        "            if place < last:\n",
        "            if False:\n",
        tests_of("order", "regions"),
    ),
    Mutation(
        "order: inlined operations forget their call",
        "order",
        _REPLAY,
        "        yield self.region(inside, record.body, into, key)\n",
        "        yield self.region(inside, record.body, into, ())\n",
        tests_of("inlining", "order"),
    ),
    Mutation(
        "order: arms that run forget their guard",
        "order",
        _REPLAY,
        "        yield self.region(scope, last.guard.arm_true if chosen else "
        "last.guard.arm_false, into, key)\n",
        "        yield self.region(scope, last.guard.arm_true if chosen else "
        "last.guard.arm_false, into, ())\n",
        tests_of("order", "constant_folding"),
    ),
    Mutation(
        "order: lifted loops are not late",
        "order",
        "rewrite/replacements.py",
        "made = f.fold(body, captures, seed, numbers, key, late=True)",
        "made = f.fold(body, captures, seed, numbers, key)",
        tests_of("order", "loop_lifting"),
    ),
    Mutation(
        "order: accesses whose proof is lost",
        "trap",
        _ORDER,
        "    if weakened:\n        return weakened\n",
        "",
        tests_of("proofs_of_place"),
    ),
    Mutation(
        "order: groups that wait for each other",
        "order",
        _ORDER,
        "    if stuck:\n        return stuck\n",
        "",
        ("tests/sweep/test_found.py", *tests_of("order")),
    ),
    # Totality
    Mutation(
        "total: division by zero",
        "trap",
        _TOTALITY,
        "return divisor.kind is ObjectKind.CONSTANT and divisor.value != 0",
        "return divisor.kind is ObjectKind.CONSTANT",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: division by what is not known",
        "trap",
        _TOTALITY,
        "return divisor.kind is ObjectKind.CONSTANT and divisor.value != 0",
        "return divisor.value != 0",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: literals after the end",
        "trap",
        _TOTALITY,
        "        and 0 <= found.value < ty.length\n",
        "        and 0 <= found.value\n",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: literals before the start",
        "trap",
        _TOTALITY,
        "        and 0 <= found.value < ty.length\n",
        "        and found.value < ty.length\n",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: loops without an end",
        "divergence",
        _TOTALITY,
        "all(regions[region].is_total for region in inside) and is_bounded(graph, loop.id)",
        "all(regions[region].is_total for region in inside)",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: loops whose passes can trap",
        "trap",
        _TOTALITY,
        "all(regions[region].is_total for region in inside) and is_bounded(graph, loop.id)",
        "is_bounded(graph, loop.id)",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: effects",
        "effect",
        _TOTALITY,
        "            return Summary(False, True, 1)\n",
        "            return Summary(True, True, 1)\n",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: bodies and callees",
        "trap",
        _TOTALITY,
        "    return functions[function][graph.functions[function].body].is_total\n",
        "    return True\n",
        _OF_TOTALITY,
    ),
    Mutation(
        "total: guards with arms that are not",
        "trap",
        _TOTALITY,
        "return regions[record.arm_true].is_total and regions[record.arm_false].is_total",
        "return regions[record.arm_true].is_total",
        _OF_TOTALITY,
    ),
)
