"""Reads the text form of a graph (`mapal.ir.text`) and verifies what it read.

The text is a file that people may edit, so nothing in it is trusted: whatever is wrong gives
one `GraphTextError` that names the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeVar

from mapal.diagnostics import CompilerBug, UserError
from mapal.ir.graph import (
    Function,
    FunctionKind,
    Graph,
    Guard,
    Key,
    Loop,
    Morphism,
    Object,
    ObjectKind,
    Region,
    RegionKind,
)
from mapal.ir.ops import FunctionId, GuardId, LoopId, MorphismId, ObjectId, Op, RegionId
from mapal.ir.order import schedule
from mapal.ir.text_operations import read_operation
from mapal.ir.text_types import TypeReader
from mapal.ir.text_values import STRING, read_key, read_string, read_value
from mapal.ir.types import Type
from mapal.ir.verify import Violation, verify

FORMAT_VERSION = 1

_ID = r"(\d{1,9})"
_KEY = r"([\d/-]+)"
_HEADER = re.compile(r"mapal-ir (\d{1,9})", re.ASCII)
_ENTRY = re.compile(rf"entry f{_ID}", re.ASCII)
_STRUCT = re.compile(r"struct (\w+) \{(.*)\}", re.ASCII)
_ALIAS = re.compile(r"type (%\d{1,9}) = (.*)", re.ASCII)
_FUNCTION = re.compile(
    rf"function f{_ID} ([a-z-]+) ({STRING})(?: parameters ({STRING}(?:, {STRING})*))?"
    rf': ([^"@]+?) -> ([^"@]+?) @ {_KEY} \{{',
    re.ASCII,
)
_OBJECT = re.compile(rf'o{_ID} ([a-z]+)(?: ({STRING}))?: ([^="@]+?)(?: = (.+))? @ {_KEY}', re.ASCII)
_MORPHISM = re.compile(rf"m{_ID} o{_ID} = ([A-Z][^@]*?) o{_ID} @ {_KEY}( late)?", re.ASCII)
_REGION = re.compile(rf"r{_ID} ([a-z-]+) \{{(\}}?)", re.ASCII)
_GUARD = re.compile(rf"g{_ID} guard( rest)? if o{_ID} value m{_ID} @ {_KEY} \{{", re.ASCII)
_LOOP = re.compile(
    rf"l{_ID} loop merge o{_ID} if o{_ID} enter m{_ID} back m{_ID} leave m{_ID} @ {_KEY} \{{",
    re.ASCII,
)


class GraphTextError(UserError):
    """The text is no graph. `line` is where, counted from 1, or 0 for the text as a whole."""

    def __init__(self, line: int, what: str) -> None:
        where = f"line {line}: " if line else ""
        super().__init__(f"not a graph that Mapal can read: {where}{what}")
        self.line = line


def parse_graph(text: str) -> Graph:
    """The graph that a text spells, verified. Raises `GraphTextError` for anything else."""
    parser = _Parser()
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped:
            parser.take(number, stripped)
    graph = parser.finish()
    violations = verify(graph)
    if violations:
        raise GraphTextError(parser.line_of(violations[0]), str(violations[0]))
    _check_keys(graph)
    return graph


def _check_keys(graph: Graph) -> None:
    """Keys that group operations must leave an order in which groups can run as one. The
    schedules found are remembered with the graph."""
    for region in graph.regions:
        try:
            schedule(graph, region.id)
        except CompilerBug as bug:
            raise GraphTextError(0, f"its keys leave no order of evaluation: {bug}") from None


@dataclass(slots=True)
class _FunctionHead:
    id: FunctionId
    kind: FunctionKind
    name: str
    parameters: tuple[str, ...]
    types: tuple[Type, Type]
    key: Key
    line: int


@dataclass(slots=True)
class _Block:
    """An open brace: `kind` is function, objects, region, guard or loop; `region` is the
    region itself, or the one around a guard or loop."""

    kind: str
    identity: int
    region: RegionId | None
    record: re.Match[str] | None
    arms: dict[RegionKind, RegionId]


_Entry = TypeVar("_Entry")


class _Parser:
    """Takes the text line by line; entries go into tables by id, in any order."""

    def __init__(self) -> None:
        self._number = 0
        self._types = TypeReader()
        self._keys: dict[str, Key] = {}
        self._ops: dict[str, Op] = {}
        self._version_read = False
        self._entry: FunctionId | None = None
        self._blocks: list[_Block] = []
        self._function = FunctionId(-1)
        self._functions: dict[int, _FunctionHead] = {}
        self._objects: dict[int, Object] = {}
        self._morphisms: dict[int, Morphism] = {}
        self._regions: dict[int, Region] = {}
        self._guards: dict[int, Guard] = {}
        self._loops: dict[int, Loop] = {}
        self._object_lines: dict[int, int] = {}
        self._morphism_lines: dict[int, int] = {}

    def line_of(self, violation: Violation) -> int:
        """Where a violation stands in the text; 0 if it names no place."""
        for morphism in violation.morphisms:
            return self._morphism_lines.get(morphism, 0)
        for obj in violation.objects:
            return self._object_lines.get(obj, 0)
        return 0

    def take(self, number: int, line: str) -> None:
        """Reads one line that is not blank."""
        self._number = number
        try:
            if not self._version_read:
                self._header(line)
            elif not self._blocks:
                self._declaration(line)
            elif line == "}":
                self._close()
            else:
                self._inside(self._blocks[-1], line)
        except ValueError as error:
            raise GraphTextError(number, str(error)) from None

    # Outside functions --------------------------------------------------------------

    def _header(self, line: str) -> None:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise ValueError("the first line is not `mapal-ir VERSION`")
        if int(match.group(1)) != FORMAT_VERSION:
            raise ValueError(
                f"the format version is {match.group(1)}, this Mapal reads {FORMAT_VERSION}"
            )
        self._version_read = True

    def _declaration(self, line: str) -> None:
        if match := _ENTRY.fullmatch(line):
            if self._entry is not None:
                raise ValueError("there are two entries")
            self._entry = FunctionId(int(match.group(1)))
        elif match := _STRUCT.fullmatch(line):
            self._types.declare_struct(match.group(1), match.group(2))
        elif match := _ALIAS.fullmatch(line):
            self._types.declare_alias(match.group(1), match.group(2))
        elif match := _FUNCTION.fullmatch(line):
            self._open_function(match)
        else:
            raise ValueError("neither an entry, a type nor a function")

    def _open_function(self, match: re.Match[str]) -> None:
        identity, kind, name, parameters, taken, given, key = match.groups()
        names = re.findall(STRING, parameters) if parameters else []
        head = _FunctionHead(
            FunctionId(int(identity)),
            FunctionKind(kind),
            read_string(name),
            tuple(map(read_string, names)),
            (self._types.read(taken), self._types.read(given)),
            self._key(key),
            self._number,
        )
        self._put(self._functions, int(identity), head, "function f")
        self._function = head.id
        self._blocks.append(_Block("function", head.id, None, None, {}))

    # Inside functions ---------------------------------------------------------------

    def _inside(self, block: _Block, line: str) -> None:
        match block.kind:
            case "objects":
                self._object(line)
            case "function":
                if line == "objects {":
                    self._blocks.append(_Block("objects", 0, None, None, {}))
                else:
                    self._region(block, line)
            case "region":
                self._in_region(block, line)
            case _:
                self._region(block, line)

    def _object(self, line: str) -> None:
        match = _OBJECT.fullmatch(line)
        if match is None:
            raise ValueError("not of the form `oID KIND: TYPE @ KEY`")
        identity, kind, name, spelled, value, key = match.groups()
        ty = self._types.read(spelled)
        made = Object(
            id=ObjectId(int(identity)),
            function=self._function,
            ty=ty,
            kind=ObjectKind(kind),
            value=None if value is None else read_value(value, ty),
            name=None if name is None else read_string(name),
            key=self._key(key),
        )
        self._put(self._objects, made.id, made, "object o")
        self._object_lines[made.id] = self._number

    def _in_region(self, block: _Block, line: str) -> None:
        match = _MORPHISM.fullmatch(line)
        if match is not None:
            self._morphism(block, match)
        elif match := _GUARD.fullmatch(line):
            self._blocks.append(_Block("guard", int(match.group(1)), block.region, match, {}))
        elif match := _LOOP.fullmatch(line):
            self._blocks.append(_Block("loop", int(match.group(1)), block.region, match, {}))
        else:
            self._region(block, line)

    def _morphism(self, block: _Block, match: re.Match[str]) -> None:
        identity, target, op, source, key, late = match.groups()
        assert block.region is not None, "morphisms are read in regions only"
        made = Morphism(
            id=MorphismId(int(identity)),
            function=self._function,
            op=self._op(op),
            source=ObjectId(int(source)),
            target=ObjectId(int(target)),
            region=block.region,
            key=self._key(key),
            late=late is not None,
        )
        self._put(self._morphisms, made.id, made, "morphism m")
        self._morphism_lines[made.id] = self._number

    def _region(self, block: _Block, line: str) -> None:
        """A region: the body in a function, arms in a guard, the body in a loop, and the two
        arms of a loop inside its body."""
        match = _REGION.fullmatch(line)
        if match is None:
            raise ValueError(f"this has no place in a {block.kind}")
        region, kind = RegionId(int(match.group(1))), RegionKind(match.group(2))
        holder = block
        if block.kind == "region":
            if kind not in (RegionKind.JUMP, RegionKind.EXIT) or len(self._blocks) < 2:
                raise ValueError(f"a region of kind {kind.value} has no place in a region")
            holder = self._blocks[-2]
        if kind in holder.arms:
            raise ValueError(f"a second region of kind {kind.value}")
        holder.arms[kind] = region
        owner: GuardId | LoopId | None = None
        if holder.kind == "guard":
            owner = GuardId(holder.identity)
        elif holder.kind == "loop":
            owner = LoopId(holder.identity)
        made = Region(
            id=region, function=self._function, kind=kind, parent=block.region, owner=owner
        )
        self._put(self._regions, region, made, "region r")
        if not match.group(3):
            self._blocks.append(_Block("region", region, region, None, {}))

    def _close(self) -> None:
        block = self._blocks.pop()
        match block.kind:
            case "guard":
                self._close_guard(block)
            case "loop":
                self._close_loop(block)
            case "function":
                if RegionKind.BODY not in block.arms:
                    raise ValueError("the function has no body")
            case _:
                pass

    def _close_guard(self, block: _Block) -> None:
        assert block.record is not None
        assert block.region is not None
        _, rest, cond, phi, key = block.record.groups()
        made = Guard(
            id=GuardId(block.identity),
            function=self._function,
            region=block.region,
            cond=ObjectId(int(cond)),
            phi=MorphismId(int(phi)),
            arm_true=self._arm(block, RegionKind.ARM_TRUE),
            arm_false=self._arm(block, RegionKind.ARM_FALSE),
            rest=rest is not None,
            key=self._key(key),
        )
        self._put(self._guards, made.id, made, "guard g")

    def _close_loop(self, block: _Block) -> None:
        assert block.record is not None
        assert block.region is not None
        _, merge, cond, enter, back, leave, key = block.record.groups()
        made = Loop(
            id=LoopId(block.identity),
            function=self._function,
            region=block.region,
            merge=ObjectId(int(merge)),
            cond=ObjectId(int(cond)),
            body=self._arm(block, RegionKind.LOOP_BODY),
            jump=self._arm(block, RegionKind.JUMP),
            exit=self._arm(block, RegionKind.EXIT),
            enter=MorphismId(int(enter)),
            back=MorphismId(int(back)),
            leave=MorphismId(int(leave)),
            key=self._key(key),
        )
        self._put(self._loops, made.id, made, "loop l")

    def _arm(self, block: _Block, kind: RegionKind) -> RegionId:
        if kind not in block.arms:
            raise ValueError(f"the {block.kind} that ends here has no region of kind {kind.value}")
        return block.arms[kind]

    # Parts of lines -----------------------------------------------------------------

    def _key(self, text: str) -> Key:
        if text not in self._keys:
            self._keys[text] = read_key(text)
        return self._keys[text]

    def _op(self, text: str) -> Op:
        if text not in self._ops:
            self._ops[text] = read_operation(text)
        return self._ops[text]

    def _put(self, table: dict[int, _Entry], identity: int, entry: _Entry, what: str) -> None:
        if identity in table:
            raise ValueError(f"{what}{identity} is defined twice")
        table[identity] = entry

    # The whole ----------------------------------------------------------------------

    def finish(self) -> Graph:
        """The graph that the tables make, not verified."""
        if not self._version_read:
            raise GraphTextError(1, "the text is empty")
        if self._blocks:
            raise GraphTextError(self._number, f"the text ends inside a {self._blocks[-1].kind}")
        if self._entry is None:
            raise GraphTextError(0, "no line names the entry")
        objects = _dense(self._objects, "object o")
        morphisms = _dense(self._morphisms, "morphism m")
        in_edges: list[list[MorphismId]] = [[] for _ in objects]
        out_edges: list[list[MorphismId]] = [[] for _ in objects]
        for morphism in morphisms:
            for end, edges in ((morphism.source, out_edges), (morphism.target, in_edges)):
                if end >= len(objects):
                    line = self._morphism_lines[morphism.id]
                    raise GraphTextError(line, f"object o{end} is not defined")
                edges[end].append(morphism.id)
        return Graph(
            objects=objects,
            morphisms=morphisms,
            functions=self._make_functions(objects, morphisms),
            regions=_dense(self._regions, "region r"),
            guards=_dense(self._guards, "guard g"),
            loops=_dense(self._loops, "loop l"),
            entry=self._entry,
            in_edges=tuple(map(tuple, in_edges)),
            out_edges=tuple(map(tuple, out_edges)),
        )

    def _make_functions(
        self, objects: tuple[Object, ...], morphisms: tuple[Morphism, ...]
    ) -> tuple[Function, ...]:
        heads = _dense(self._functions, "function f")
        of_objects = _by_function(len(heads), objects)
        of_morphisms = _by_function(len(heads), morphisms)
        of_regions = _by_function(len(heads), _dense(self._regions, "region r"))
        of_guards = _by_function(len(heads), _dense(self._guards, "guard g"))
        of_loops = _by_function(len(heads), _dense(self._loops, "loop l"))
        return tuple(
            Function(
                id=head.id,
                name=head.name,
                kind=head.kind,
                parameters=head.parameters,
                input=_end_of(head, of_objects[head.id], ObjectKind.PARAMETER, head.types[0]),
                output=_end_of(head, of_objects[head.id], ObjectKind.RETURN, head.types[1]),
                objects=tuple(obj.id for obj in of_objects[head.id]),
                morphisms=tuple(morphism.id for morphism in of_morphisms[head.id]),
                regions=tuple(region.id for region in of_regions[head.id]),
                guards=tuple(guard.id for guard in of_guards[head.id]),
                loops=tuple(loop.id for loop in of_loops[head.id]),
                key=head.key,
            )
            for head in heads
        )


_Owned = TypeVar("_Owned", Object, Morphism, Region, Guard, Loop)


def _by_function(count: int, table: tuple[_Owned, ...]) -> list[list[_Owned]]:
    owned: list[list[_Owned]] = [[] for _ in range(count)]
    for entry in table:
        owned[entry.function].append(entry)
    return owned


def _end_of(head: _FunctionHead, objects: list[Object], kind: ObjectKind, ty: Type) -> ObjectId:
    """The one Parameter or Return object of a function, which has the type of the header."""
    found = [obj for obj in objects if obj.kind is kind]
    if len(found) != 1:
        message = f"function f{head.id} has {len(found)} objects of kind {kind.value}"
        raise GraphTextError(head.line, message)
    if found[0].ty != ty:
        raise GraphTextError(head.line, f"the {kind.value} object is of another type than this")
    return found[0].id


def _dense(table: dict[int, _Entry], what: str) -> tuple[_Entry, ...]:
    for identity in range(len(table)):
        if identity not in table:
            raise GraphTextError(0, f"{what}{identity} is missing")
    return tuple(table[identity] for identity in range(len(table)))
