"""The innermost part of a sliding window: outputs that share what they read.

Output `i` is a chain over the taps `k` of products with element `i + k`. A vector of the signal
at offset `o` serves the output vector `u` as tap `o - u * lanes`, for each `u` that has this tap.
So the function walks along the signal, reads each offset once, and keeps the vectors in
registers whose chains are under way: each pass of its loop starts one and completes one. Taps
ascend in every chain. Several such streams, side by side, fill the pipelines and share the taps.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    carrying_loop,
    function_attributes,
    vector_type,
)
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.ir.types import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowStream:
    """What one stream function does: `taps` taps, which lie `tap_step` elements apart. `seed` is
    the literal that chains start with, None to go on from the output as it is."""

    element: Scalar
    lanes: int
    taps: int
    tap_step: int
    streams: int
    seed: str | None
    is_fused: bool

    @property
    def under_way(self) -> int:
        """Chains of one stream that run at the same time."""
        return -(-self.taps // self.lanes)


def add_stream_function(module: ModuleBuilder, symbol: str, stream: WindowStream) -> None:
    """Adds `void symbol(ptr taps, ptr signal, ptr output, i64 vectors)` to a module. Each stream
    makes `vectors` vectors, at least one; together they fill the output without gaps. Whole vectors
    are read for the last taps, beyond the signal's end if `lanes` does not divide the taps."""
    w = FunctionWriter()
    _Streaming(module, w, stream).write()
    parameters = (
        "ptr noalias readonly %taps, ptr noalias readonly %signal, ptr noalias %output, "
        "i64 %vectors"
    )
    module.add_function(
        f"define internal void {symbol}({parameters}) noinline "
        f"{function_attributes(module)} {{\n{w.text()}\n}}"
    )


class _Streaming:
    """Writes one stream function."""

    def __init__(self, module: ModuleBuilder, w: FunctionWriter, stream: WindowStream) -> None:
        self.module = module
        self.w = w
        self.stream = stream
        self.v = Vectors(module, w, stream.element)
        self.vector = vector_type(stream.element, stream.lanes)
        span = self.v.product("%vectors", stream.lanes)
        self.outputs = ["%output"]
        self.signals = ["%signal"]
        for _ in range(stream.streams - 1):
            self.outputs.append(self.v.address(self.outputs[-1], span))
            self.signals.append(self.v.address(self.signals[-1], span))

    def write(self) -> None:
        """Chain j of a stream has j * lanes taps behind it when a pass begins. The first passes
        complete chains of no output, which are stored where the first output then goes; chains
        that begin behind the last output are never stored."""
        w, lanes, width = self.w, self.stream.lanes, self.stream.under_way
        nothing = self.v.splat(self.stream.seed or self._zero(), lanes)
        chains = [[self._first(output, 0), *[nothing] * (width - 1)] for output in self.outputs]
        passes = self.v.sum("%vectors", width - 1)
        carried = [(self.vector, chain) for group in chains for chain in group]
        metadata = self.module.not_unrolled()
        with carrying_loop(w, (0, passes, 1), carried, "window", metadata) as loop:
            state = loop.values
            chains = [state[at : at + width] for at in range(0, len(state), width)]
            here = w.value(f"mul nuw nsw i64 {loop.index}, {lanes}")
            chains = self._pass([self.v.address(signal, here) for signal in self.signals], chains)
            place = self._completed(loop.index)
            for group, output in zip(chains, self.outputs, strict=True):
                self.v.store(group.pop(), self.v.address(output, place), lanes)
            started = self.v.sum(loop.index, 1)
            starts = [self._first(output, started) for output in self.outputs]
            loop.values = [
                chain
                for start, group in zip(starts, chains, strict=True)
                for chain in (start, *group)
            ]
        w.line("ret void")

    def _completed(self, number: str) -> int | str:
        """Where the output lies that a pass completes; the first one for passes before it."""
        ahead = self.stream.under_way - 1
        if ahead:
            name = self.module.intrinsic("llvm.usub.sat.i64", "i64", "i64, i64")
            number = self.w.value(f"call i64 {name}(i64 {number}, i64 {ahead})")
        return self.v.product(number, self.stream.lanes)

    def _zero(self) -> str:
        return "0.0" if self.stream.element.is_float else "0"

    def _pass(self, signals: list[str], chains: list[list[str]]) -> list[list[str]]:
        """The next `lanes` offsets of each stream: a tap of each of its chains at each."""
        stream, lanes = self.stream, self.stream.lanes
        chains = [list(group) for group in chains]
        for phase in range(lanes):
            factors = [self._tap(tap) for tap in range(phase, stream.taps, lanes)]
            for group, signal in zip(chains, signals, strict=True) if factors else ():
                read = self.v.load(self.v.address(signal, phase), lanes)
                for j, factor in enumerate(factors):
                    group[j] = self.v.multiply_add(
                        factor, read, group[j], lanes, is_fused=stream.is_fused
                    )
        return chains

    def _first(self, output: str, vector: int | str) -> str:
        """What the chain of an output vector begins with; anything if there is no such vector."""
        stream = self.stream
        if stream.seed is not None:
            return self.v.splat(stream.seed, stream.lanes)
        exists = self.w.value(f"icmp ult i64 {vector}, %vectors")
        near = self.w.value(f"select i1 {exists}, i64 {vector}, i64 0")
        return self.v.load(self.v.address(output, self.v.product(near, stream.lanes)), stream.lanes)

    def _tap(self, tap: int) -> str:
        scalar = self.v.load_element(self.v.address("%taps", tap * self.stream.tap_step))
        return self.v.splat(scalar, self.stream.lanes)
