"""The innermost part of a sliding window: outputs that share what they read.

Output `i` is a chain over the taps `k` of products with element `i + k`. A vector of the signal at
offset `o` serves the output vector `u` as tap `o - u * lanes`, for each `u` for which that is a tap.
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
    makes `vectors` vectors, at least one; together they fill the output without gaps."""
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
        complete nothing; chains that begin behind the last output are never stored."""
        w, lanes, width = self.w, self.stream.lanes, self.stream.under_way
        chains = [[self._first(output, 0)] for output in self.outputs]
        for step in range(1, width):
            ahead = [self.v.address(signal, (step - 1) * lanes) for signal in self.signals]
            chains = self._pass(ahead, chains)
            chains = self._shifted(chains, step)
        carried = [(self.vector, chain) for group in chains for chain in group]
        metadata = self.module.not_unrolled()
        with carrying_loop(w, (0, "%vectors", 1), carried, "window", metadata) as loop:
            state = loop.values
            chains = [state[at : at + width] for at in range(0, len(state), width)]
            place = w.value(f"mul nuw nsw i64 {loop.index}, {lanes}")
            here = self.v.sum(place, (width - 1) * lanes)
            chains = self._pass([self.v.address(signal, here) for signal in self.signals], chains)
            for group, output in zip(chains, self.outputs, strict=True):
                self.v.store(group.pop(), self.v.address(output, place), lanes)
            chains = self._shifted(chains, self.v.sum(loop.index, width))
            loop.values = [chain for group in chains for chain in group]
        w.line("ret void")

    def _pass(self, signals: list[str], chains: list[list[str]]) -> list[list[str]]:
        """The next `lanes` offsets of each stream: a tap of each of its chains at each."""
        stream, lanes = self.stream, self.stream.lanes
        chains = [list(group) for group in chains]
        for phase in range(lanes):
            taps = range(phase, min(len(chains[0]) * lanes, stream.taps), lanes)
            factors = [self._tap(tap) for tap in taps]
            for group, signal in zip(chains, signals, strict=True) if factors else ():
                read = self.v.load(self.v.address(signal, phase), lanes)
                for j, factor in enumerate(factors):
                    group[j] = self.v.multiply_add(
                        factor, read, group[j], lanes, is_fused=stream.is_fused
                    )
        return chains

    def _shifted(self, chains: list[list[str]], started: int | str) -> list[list[str]]:
        """The chains of the next pass: a new one, for output vector `started`, is the first."""
        starts = [self._first(output, started) for output in self.outputs]
        return [[start, *group] for start, group in zip(starts, chains, strict=True)]

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
