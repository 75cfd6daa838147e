"""Operations in the text form: spelling and reading."""

from __future__ import annotations

import re
from collections.abc import Callable

from mapal.ir import ops
from mapal.ir.ops import FunctionId, GuardId, LoopId, Op

_ID = r"(\d{1,9})"


def op_text(op: Op) -> str:
    """An operation with its payload, as the text form spells it."""
    match op:
        case ops.Pair(slot=slot, arity=arity):
            return f"Pair {slot}/{arity}"
        case ops.Proj(index=index):
            return f"Proj {index}"
        case ops.Binary(code=code):
            return code.value
        case ops.Unary(code=code):
            return code.value
        case ops.Fma(negate_product=product, negate_addend=addend):
            return f"Fma {'-' if product else '+'} {'-' if addend else '+'}"
        case ops.Phi(guard=guard):
            return f"Phi g{guard}"
        case ops.Call(function=function):
            return f"Call f{function}"
        case ops.Map(body=body, captures=count):
            return f"Map f{body}{_captures(count)}"
        case ops.Fold(body=body, captures=count):
            return f"Fold f{body}{_captures(count)}"
        case ops.Reduce(body=body, captures=count):
            return f"Reduce f{body}{_captures(count)}"
        case ops.Print(newline=newline):
            return "Println" if newline else "Print"
        case ops.LoopEnter(loop=loop) | ops.LoopBack(loop=loop) | ops.LoopExit(loop=loop):
            return f"{type(op).__name__} l{loop}"
        case _:
            return type(op).__name__


def _captures(count: int) -> str:
    return f" captures {count}" if count else ""


_OPERATIONS: tuple[tuple[str, Callable[..., Op]], ...] = (
    (rf"Pair {_ID}/(\d{{1,10}})", lambda slot, arity: ops.Pair(int(slot), int(arity))),
    (rf"Proj {_ID}", lambda index: ops.Proj(int(index))),
    (r"Fma ([+-]) ([+-])", lambda product, addend: ops.Fma(product == "-", addend == "-")),
    (rf"Phi g{_ID}", lambda guard: ops.Phi(GuardId(int(guard)))),
    (rf"Call f{_ID}", lambda function: ops.Call(FunctionId(int(function)))),
    (
        rf"(Map|Fold|Reduce) f{_ID}(?: captures {_ID})?",
        lambda name, body, captures: _COLLECTIONS[name](FunctionId(int(body)), int(captures or 0)),
    ),
    (
        rf"(LoopEnter|LoopBack|LoopExit) l{_ID}",
        lambda name, loop: _LOOP_OPERATIONS[name](LoopId(int(loop))),
    ),
)
_COLLECTIONS: dict[str, Callable[[FunctionId, int], Op]] = {
    "Map": ops.Map,
    "Fold": ops.Fold,
    "Reduce": ops.Reduce,
}
_LOOP_OPERATIONS: dict[str, Callable[[LoopId], Op]] = {
    "LoopEnter": ops.LoopEnter,
    "LoopBack": ops.LoopBack,
    "LoopExit": ops.LoopExit,
}
_PLAIN_OPERATIONS: dict[str, Op] = {
    **{code.value: ops.Binary(code) for code in ops.BinaryCode},
    **{code.value: ops.Unary(code) for code in ops.UnaryCode},
    "Widen": ops.Widen(),
    "Convert": ops.Convert(),
    "Index": ops.Index(),
    "Update": ops.Update(),
    "Zip": ops.Zip(),
    "Enumerate": ops.Enumerate(),
    "Iota": ops.Iota(),
    "Fill": ops.Fill(),
    "Print": ops.Print(newline=False),
    "Println": ops.Print(newline=True),
    "TimeMs": ops.TimeMs(),
    "Output": ops.Output(),
}
_PATTERNS = tuple((re.compile(pattern, re.ASCII), make) for pattern, make in _OPERATIONS)


def read_operation(text: str) -> Op:
    """The operation that a text spells; `ValueError` if there is none."""
    plain = _PLAIN_OPERATIONS.get(text)
    if plain is not None:
        return plain
    for pattern, make in _PATTERNS:
        match = pattern.fullmatch(text)
        if match is not None:
            return make(*match.groups())
    raise ValueError(f"there is no operation {text!r}")
