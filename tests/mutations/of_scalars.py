"""Mutations of the passes over single operations."""

from __future__ import annotations

from tests.mutations.mutation import Mutation, tests_of

_FOLDING = "rewrite/passes/constant_folding.py"
_MERGING = "rewrite/passes/common_subexpressions.py"
_DEAD = "rewrite/passes/dead_code.py"
_HOISTING = "rewrite/passes/hoisting.py"
_OF_FOLDING = tests_of("constant_folding", "plan_laws", "regions")
_OF_MERGING = tests_of("common_subexpressions", "plan_laws", "regions")
_OF_DEAD = tests_of("dead_code", "regions")

OF_SCALARS = (
    # Constant folding
    Mutation(
        "folding: laws of integers for floats",
        "NaN and -0.0",
        _FOLDING,
        "        if not is_integer(ty) and ty != BOOL:\n            return\n",
        "",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: a division by zero becomes 0",
        "trap",
        _FOLDING,
        "                except scalars.DivisionByZero:\n                    return\n",
        "                except scalars.DivisionByZero:\n"
        "                    self._becomes(item.target, 0)\n",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: negative places are in range",
        "trap",
        _FOLDING,
        "0 <= place < ty.length",
        "place < ty.length",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: places after the end are in range",
        "trap",
        _FOLDING,
        "0 <= place < ty.length",
        "0 <= place",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: an element of an update elsewhere is what was written",
        "value",
        _FOLDING,
        "            if updated == place:\n",
        "            if True:\n",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: an update elsewhere is overwritten",
        "value",
        _FOLDING,
        "            if self._value(found.operands[1]) != place:\n                break\n",
        "",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: loops with a true condition are left at once",
        "divergence",
        _FOLDING,
        "if self._value(loop.cond) is False:",
        "if self._value(loop.cond) is not None:",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: the result and the frames of loops become constants",
        "plan law",
        _FOLDING,
        "        if self.maker.may_replace(obj):\n            self.maker.constify(obj, value)",
        "        if True:\n            self.maker.constify(obj, value)",
        _OF_FOLDING,
    ),
    Mutation(
        "folding: any value stands for another",
        "plan law",
        _FOLDING,
        "        elif self.maker.may_alias(obj, found):\n",
        "        else:\n",
        _OF_FOLDING,
    ),
    # Common subexpressions
    Mutation(
        "merging: 0.0 is -0.0",
        "NaN and -0.0",
        _MERGING,
        'return (constant.ty, struct.pack("<d", value))',
        "return (constant.ty, value)",
        _OF_MERGING,
    ),
    Mutation(
        "merging: constants of different types",
        "type",
        _MERGING,
        "return (constant.ty, type(value), value)",
        "return (type(value), value)",
        _OF_MERGING,
    ),
    Mutation(
        "merging: every operation commutes",
        "value",
        _MERGING,
        "isinstance(op, ops.Binary) and op.code in _COMMUTATIVE",
        "isinstance(op, ops.Binary)",
        _OF_MERGING,
    ),
    Mutation(
        "merging: operations of one kind are alike",
        "value",
        _MERGING,
        "return (op, ty, operands)",
        "return (type(op), ty, operands)",
        _OF_MERGING,
    ),
    Mutation(
        "merging: also where the earlier value does not exist",
        "cross-region",
        _MERGING,
        "elif maker.may_alias(item.target, earlier):",
        "else:",
        _OF_MERGING,
    ),
    # Dead code
    Mutation(
        "dead code: what can trap",
        "trap",
        _DEAD,
        "            return not is_total_morphism(graph, morphism.id, proved)\n",
        "            return False\n",
        _OF_DEAD,
    ),
    Mutation(
        "dead code: loops",
        "divergence",
        _DEAD,
        "            return not is_total_morphism(graph, loop.enter, proved)\n",
        "            return False\n",
        _OF_DEAD,
    ),
    Mutation(
        "dead code: what carries the token",
        "effect",
        _DEAD,
        "is ObjectKind.RETURN or graph.is_token_bearing(item.target):",
        "is ObjectKind.RETURN:",
        _OF_DEAD,
        "every token leads to the result, and effects are not total: both are kept anyway",
    ),
    Mutation(
        "dead code: guards and loops around what is kept",
        "cross-region",
        _DEAD,
        "            work.append(_owner(graph, at).target)\n",
        "",
        _OF_DEAD,
    ),
    # Hoisting
    Mutation(
        "hoisting: what can trap",
        "trap",
        _HOISTING,
        "            and is_total_morphism(graph, item.morphism.id, self.proved)\n",
        "",
        tests_of("hoisting", "regions"),
    ),
    Mutation(
        "hoisting: what reads the state of the loop",
        "cross-region",
        _HOISTING,
        "            if not all(self._exists_in(operand, around) for operand in item.operands):\n"
        "                return at\n",
        "",
        tests_of("hoisting"),
    ),
    Mutation(
        "hoisting: out of arms",
        "cross-region",
        _HOISTING,
        "        if record.kind not in (RegionKind.LOOP_BODY, RegionKind.JUMP) or "
        "record.owner is None:\n            return None\n",
        "        if record.owner is None:\n            return None\n",
        tests_of("hoisting", "regions"),
    ),
)
