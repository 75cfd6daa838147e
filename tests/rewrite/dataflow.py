"""The dataflow of a graph as text: equal for graphs that differ only in what nobody can see.

Left out are ids, keys, names, and the order in which independent values are listed: values are
numbered as the result needs them, and what it does not need comes last, in evaluation order. A
body is written where it is used, with captures and element in the place of its parameters, so
that the order of captures does not matter either. Everything else is there: operations,
operands in their order, types, constants by their bits, and the region of each operation.
"""

from __future__ import annotations

from mapal.analysis.definitions import definition
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.text_operations import op_text
from mapal.ir.text_values import value_text


def dataflow(graph: Graph) -> str:
    """The text of the entry, bodies and callees in place."""
    function = graph.functions[graph.entry]
    lines: list[str] = []
    _Body(graph, graph.entry, {function.input: "input"}, lines, "").write()
    return "\n".join(lines) + "\n"


class _Body:
    """One use of a function. `names` are the texts of values written so far."""

    def __init__(
        self,
        graph: Graph,
        function: FunctionId,
        names: dict[ObjectId, str],
        lines: list[str],
        indentation: str,
        parts: list[str] | None = None,
    ) -> None:
        self.graph = graph
        self.function = graph.functions[function]
        self.names = names
        self.lines = lines
        self.indentation = indentation
        self.parts = parts
        self.regions: dict[RegionId, str] = {self.function.body: "body"}

    def write(self) -> None:
        graph, output = self.graph, self.function.output
        writers = graph.in_edges[output]
        slots = [graph.morphisms[writer] for writer in writers]
        if slots and isinstance(slots[0].op, ops.Pair):
            results = [self.name(writer.source) for writer in slots]
        else:
            found = definition(graph, output)
            results = [self.name(output)] if found is not None else []
        for region in self.function.regions:
            for item in schedule(graph, region):
                if not isinstance(item, ReturnSlotItem):
                    self.name(item.target)
        self.line(f"result {' '.join(results)}")

    def line(self, text: str) -> None:
        self.lines.append(self.indentation + text)

    def name(self, obj: ObjectId) -> str:
        found = self.names.get(obj)
        if found is not None:
            return found
        record = self.graph.objects[obj]
        if record.kind is ObjectKind.CONSTANT:
            assert record.value is not None
            return f"{value_text(record.value)}:{record.ty}"
        item = definition(self.graph, obj)
        assert item is not None, f"object {obj} has no definition"
        same = self.same(item)
        if same is not None:
            self.names[obj] = same
            return same
        text = self.described(item)
        made = f"v{len(self.lines)}"
        self.line(f"{made}: {record.ty} = {text} in {self.region(self.graph.region_of(obj))}")
        self.names[obj] = made
        return made

    def region(self, region: RegionId) -> str:
        return self.regions.get(region, self.graph.regions[region].kind.value)

    def same(self, item: Item) -> str | None:
        """The name of a value that an item only hands on."""
        if not isinstance(item, OperationItem):
            return None
        match item.morphism.op:
            case ops.Output():
                return self.name(item.operands[0])
            case ops.Proj(index=index) if (
                item.operands[0] == self.function.input and self.parts is not None
            ):
                return self.parts[index]
            case _:
                return None

    def described(self, item: Item) -> str:
        match item:
            case PackItem(feeders=feeders):
                return f"Pack {' '.join(map(self.name, feeders))}"
            case GuardItem(guard=guard, when_true=when_true, when_false=when_false):
                arms = f"{self.name(when_true)} {self.name(when_false)}"
                return f"Phi {self.name(guard.cond)} {arms}"
            case LoopItem(loop=loop, init=init, next_state=next_state, payload=payload):
                start = self.name(init)
                self.names[loop.merge] = f"state{len(self.lines)}"
                self.line(f"{self.names[loop.merge]} from {start}")
                inner = (loop.cond, next_state, payload)
                return f"Loop {' '.join(map(self.name, inner))}"
            case OperationItem(morphism=morphism, operands=operands):
                match morphism.op:
                    case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
                        return self.collection(type(morphism.op).__name__, body, operands)
                    case ops.Call(function=function):
                        names = {self.graph.functions[function].input: self.name(operands[0])}
                        return self.used("Call", function, [], names)
                    case op:
                        return f"{op_text(op)} {' '.join(map(self.name, operands))}"
            case _:
                raise AssertionError(item)

    def collection(self, name: str, body: FunctionId, operands: tuple[ObjectId, ...]) -> str:
        record = self.graph.functions[body]
        if name == "Fold" and len(operands) == 1:
            pair = definition(self.graph, operands[0])
            if isinstance(pair, PackItem):
                operands = pair.feeders
        values = self.operands(body, operands, {"Map": 1}.get(name, 2 if name == "Fold" else 1))
        mark = f"{name}{len(self.lines)}"
        if name == "Map":
            parts = [*values[:-1], f"{mark}.element"]
        elif name == "Fold" and len(values) > 1:
            parts = [*values[:-2], f"{mark}.accumulator", f"{mark}.element"]
        else:
            captures = values[:-1] if name == "Reduce" else []
            parts = [*captures, f"{mark}.accumulator", f"{mark}.element"]
        names = {record.input: parts[0]} if len(parts) == 1 else {}
        shown = values[-1:] if name == "Map" else values[-2:]
        return self.used(f"{name} {' '.join(shown)}", body, parts, names)

    def operands(self, body: FunctionId, operands: tuple[ObjectId, ...], own: int) -> list[str]:
        """The names of a collection's operands; those of captures are made in the order in
        which the body reads them."""
        count = len(operands) - own
        touched: list[int] = []
        record = self.graph.functions[body]
        if count:
            _Touching(self.graph, body, {record.input: "input"}, [], "", touched).write()
        for slot in touched:
            if slot < count:
                self.name(operands[slot])
        return [self.name(operand) for operand in operands]

    def used(
        self, head: str, function: FunctionId, parts: list[str], names: dict[ObjectId, str]
    ) -> str:
        record = self.graph.functions[function]
        mark = f"block{len(self.lines)}"
        self.line(f"{mark} {head} {{")
        known = names or {record.input: f"({', '.join(parts)})"}
        inside = _Body(
            self.graph,
            function,
            known,
            self.lines,
            self.indentation + "  ",
            parts if not names else None,
        )
        inside.write()
        self.line("}")
        return mark


class _Touching(_Body):
    """Finds the order in which a body reads the components of its input."""

    def __init__(
        self,
        graph: Graph,
        function: FunctionId,
        names: dict[ObjectId, str],
        lines: list[str],
        indentation: str,
        touched: list[int],
    ) -> None:
        super().__init__(graph, function, names, lines, indentation)
        self.touched = touched

    def same(self, item: Item) -> str | None:
        if (
            isinstance(item, OperationItem)
            and isinstance(item.morphism.op, ops.Proj)
            and item.operands[0] == self.function.input
        ):
            self.touched.append(item.morphism.op.index)
        return super().same(item)
