"""The text form of a graph, version 1: one line per entry, read back exactly by `parse_graph`.

    mapal-ir 1
    entry f0

    function f0 named "main": io -> io @ 0-14 {
      objects {
        o0 parameter: io @ 0-14
        o1 return: io @ 0-14
        o2 constant: i32 = 7 @ 6
        o3 temporary: (io, i32) @ 6-9
      }
      r0 body {
        m0 o3 = Pair 0/2 o0 @ 6-9
        m1 o3 = Pair 1/2 o2 @ 6-9
        m2 o1 = Println o3 @ 6-9
      }
    }

A morphism reads "target = operation source @ key". Regions hold their morphisms in id order;
a loop follows its `LoopEnter`, a guard precedes its `Phi`, and the regions that they own are
indented under them. A key is token ranges, the outermost call site first: `3-9/20-24`; `late`
after it marks an operation that replaced a loop. Structs are declared before use, and types
that take long to spell get a name `%0`, `%1`, ….

The text is canonical: equal graphs have equal text. It holds no source positions.
"""

from __future__ import annotations

from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Guard, Loop, Object, ObjectKind
from mapal.ir.ops import RegionId
from mapal.ir.text_operations import op_text
from mapal.ir.text_parser import FORMAT_VERSION, GraphTextError, parse_graph
from mapal.ir.text_types import TypeSpeller
from mapal.ir.text_values import key_text, quoted, value_text

_DEEPEST_INDENTATION = 32
"""Levels that are indented further than the one before; deeper ones would make text quadratic."""

__all__ = ["FORMAT_VERSION", "GraphTextError", "parse_graph", "print_graph"]


def print_graph(graph: Graph) -> str:
    """The canonical text of a sealed graph."""
    return _Printer(graph).print()


class _Printer:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._types = TypeSpeller()
        self._lines: list[str] = []
        self._printed = 0
        self._members: list[list[int]] = [[] for _ in graph.regions]
        for morphism in graph.morphisms:
            self._members[morphism.region].append(morphism.id)

    def print(self) -> str:
        for obj in self._graph.objects:
            self._types.declare(obj.ty)
        self._lines = [f"mapal-ir {FORMAT_VERSION}", f"entry f{self._graph.entry}"]
        if self._types.declarations:
            self._lines += ["", *self._types.declarations]
        for function in self._graph.functions:
            self._function(function)
        if self._printed != len(self._graph.morphisms):
            raise CompilerBug("the graph is not sealed: some morphisms hang in no region")
        return "\n".join(self._lines) + "\n"

    def _function(self, function: Function) -> None:
        names = ", ".join(map(quoted, function.parameters))
        parameters = f" parameters {names}" if names else ""
        taken = self._types.spell(self._graph.objects[function.input].ty)
        given = self._types.spell(self._graph.objects[function.output].ty)
        self._lines += [
            "",
            f"function f{function.id} {function.kind.value} {quoted(function.name)}{parameters}: "
            f"{taken} -> {given} @ {key_text(function.key)} {{",
            "  objects {",
        ]
        for identity in function.objects:
            self._object(self._graph.objects[identity])
        self._lines.append("  }")
        self._region(function.body)
        self._lines.append("}")

    def _object(self, obj: Object) -> None:
        name = "" if obj.name is None else f" {quoted(obj.name)}"
        value = ""
        if obj.kind is ObjectKind.CONSTANT and obj.value is not None:
            value = f" = {value_text(obj.value)}"
        ty = self._types.spell(obj.ty)
        self._lines.append(
            f"    o{obj.id} {obj.kind.value}{name}: {ty}{value} @ {key_text(obj.key)}"
        )

    def _region(self, root: RegionId) -> None:
        """Prints a region tree with a stack of what is still to print: lines, and regions."""
        work: list[tuple[int, str | RegionId]] = [(1, root)]
        while work:
            level, entry = work.pop()
            indentation = "  " * min(level, _DEEPEST_INDENTATION)
            if isinstance(entry, str):
                self._lines.append(indentation + entry)
                continue
            head = f"r{entry} {self._graph.regions[entry].kind.value} {{"
            inside = self._contents(entry, level + 1)
            if inside:
                self._lines.append(indentation + head)
                work.append((level, "}"))
                work.extend(reversed(inside))
            else:
                self._lines.append(indentation + head + "}")

    def _contents(self, region: RegionId, level: int) -> list[tuple[int, str | RegionId]]:
        contents: list[tuple[int, str | RegionId]] = []
        for identity in self._members[region]:
            morphism = self._graph.morphisms[identity]
            if isinstance(morphism.op, ops.Phi):
                contents += self._guard(self._graph.guards[morphism.op.guard], level)
            contents.append(
                (
                    level,
                    f"m{identity} o{morphism.target} = {op_text(morphism.op)} "
                    f"o{morphism.source} @ {key_text(morphism.key)}{' late' * morphism.late}",
                )
            )
            self._printed += 1
            if isinstance(morphism.op, ops.LoopEnter):
                contents += self._loop(self._graph.loops[morphism.op.loop], level)
        owner = self._graph.regions[region].owner
        for loop in self._graph.loops[owner : owner + 1] if owner is not None else ():
            if loop.body == region:
                contents += [(level, loop.jump), (level, loop.exit)]
        return contents

    def _guard(self, guard: Guard, level: int) -> list[tuple[int, str | RegionId]]:
        rest = " rest" if guard.rest else ""
        head = (
            f"g{guard.id} guard{rest} if o{guard.cond} value m{guard.phi} "
            f"@ {key_text(guard.key)} {{"
        )
        return [
            (level, head),
            (level + 1, guard.arm_true),
            (level + 1, guard.arm_false),
            (level, "}"),
        ]

    def _loop(self, loop: Loop, level: int) -> list[tuple[int, str | RegionId]]:
        head = (
            f"l{loop.id} loop merge o{loop.merge} if o{loop.cond} enter m{loop.enter} "
            f"back m{loop.back} leave m{loop.leave} @ {key_text(loop.key)} {{"
        )
        return [(level, head), (level + 1, loop.body), (level, "}")]
