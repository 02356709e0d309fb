"""One code: its facts, each kind found when it is asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple, Type, TypeVar, Union

from . import _cairn

if TYPE_CHECKING:
    import networkx

CodeLike = Union[bytes, bytearray, str]
T = TypeVar("T")

# Facts that need no analysis of control flow, and the others: each group is computed at once.
_CHEAP = ("codes", "selectors", "functions", "arguments")
_GRAPH = ("closed", "mutability", "internals", "blocks", "edges", "jumps", "storage", "variables", "events")


class Selector(NamedTuple):
    """A selector and where control goes for it."""

    selector: str
    entry: int


class Function(NamedTuple):
    """An external function. Not ``payable``: it is seen to revert if it gets wei, before it does anything but checks."""

    selector: str
    entry: int
    payable: bool


class Arguments(NamedTuple):
    """Arguments of an external function, as in its signature; ``types`` is ``None`` where there were too many."""

    selector: str
    types: Optional[str]


class Mutability(NamedTuple):
    """What an external function does: ``pure``, ``view``, ``nonpayable`` or ``payable``."""

    selector: str
    mutability: str


class Internal(NamedTuple):
    """An internal function; ``rets`` is ``None`` when it never returns."""

    entry: int
    params: int
    rets: Optional[int]


class Block(NamedTuple):
    """A basic block; ``lowest`` and ``highest`` are words on the stack at its entry."""

    start: int
    end: int
    reached: bool
    lowest: Optional[int]
    highest: Optional[int]
    gas: int


class Edge(NamedTuple):
    """An edge between the blocks that start at ``source`` and ``target``; ``pc`` is where it leaves."""

    source: int
    target: int
    pc: int
    kind: str


class Jump(NamedTuple):
    """A jump and what is known of its targets."""

    pc: int
    status: str
    reason: Optional[str]
    targets: Tuple[int, ...]


class StorageAccess(NamedTuple):
    """An access to storage: to a field of ``slot``, or of what ``path`` leads to from there.

    ``slot`` is ``None`` for places that are not known.
    """

    pc: int
    access: str
    slot: Optional[int]
    path: str
    offset: int
    type: str


class Variable(NamedTuple):
    """A variable in storage, with the selectors of the functions that read and write it."""

    slot: int
    offset: int
    type: str
    readers: Tuple[str, ...]
    writers: Tuple[str, ...]


class Event(NamedTuple):
    """An event; ``topic`` is the first, ``None`` without topics or where it is no constant."""

    pc: int
    topics: int
    topic: Optional[str]


class Analysis:
    """What is known of a code. Facts and their names are those of the columns of batches."""

    def __init__(self, code: CodeLike, evm_version: Optional[str] = None, role: Optional[str] = None) -> None:
        # Facts are found later, too: of the code as it is now, whatever becomes of a buffer.
        given = bytes(code) if isinstance(code, bytearray) else code
        self._given = (given, evm_version, role)
        self._facts: Dict[str, Any] = {}
        self._items: Dict[str, Any] = {}
        self._find(_CHEAP)

    def _find(self, facts: Tuple[str, ...]) -> None:
        code, evm_version, role = self._given
        found = json.loads(_cairn.facts_json(code, ",".join(facts), evm_version, role))
        error = found.pop("error")
        if error is not None:
            from ._errors import CairnError

            raise CairnError(error)
        self._facts.update(found)

    def _fact(self, name: str) -> Any:
        if name not in self._facts:
            self._find(_GRAPH)
        return self._facts[name]

    def _list(self, name: str, make: Type[T]) -> Tuple[T, ...]:
        if name not in self._items:
            self._items[name] = tuple(make(**_fields(item)) for item in self._fact(name))
        items: Tuple[T, ...] = self._items[name]
        return items

    @property
    def hash(self) -> str:
        """Keccak-256 of the code, hexadecimal."""
        return str(self._fact("hash"))

    @property
    def length(self) -> int:
        """Bytes of the code."""
        return int(self._fact("length"))

    @property
    def compiler(self) -> Optional[str]:
        """``solc`` or ``vyper`` where the trailer says so."""
        compiler: Optional[str] = self._fact("compiler")
        return compiler

    @property
    def compiler_version(self) -> Optional[str]:
        """As the trailer says."""
        version: Optional[str] = self._fact("compiler_version")
        return version

    @property
    def closed(self) -> bool:
        """The targets of every jump are proven complete."""
        return bool(self._fact("closed"))

    @property
    def role(self) -> str:
        """``runtime``, ``creation`` or ``either``: whether bytes may follow the code."""
        return str(self._fact("role"))

    @property
    def selectors(self) -> Tuple[Selector, ...]:
        """Selectors that the dispatcher compares with."""
        return self._list("selectors", Selector)

    @property
    def functions(self) -> Tuple[Function, ...]:
        """External functions."""
        return self._list("functions", Function)

    @property
    def arguments(self) -> Tuple[Arguments, ...]:
        """Arguments of external functions."""
        return self._list("arguments", Arguments)

    @property
    def mutability(self) -> Tuple[Mutability, ...]:
        """What external functions do to the state."""
        return self._list("mutability", Mutability)

    @property
    def internals(self) -> Tuple[Internal, ...]:
        """Internal functions."""
        return self._list("internals", Internal)

    @property
    def blocks(self) -> Tuple[Block, ...]:
        """Basic blocks in the order of the code."""
        return self._list("blocks", Block)

    @property
    def edges(self) -> Tuple[Edge, ...]:
        """Edges between blocks."""
        return self._list("edges", Edge)

    @property
    def jumps(self) -> Tuple[Jump, ...]:
        """Jumps and what is known of them."""
        return self._list("jumps", Jump)

    @property
    def storage(self) -> Tuple[StorageAccess, ...]:
        """Accesses to storage, one for each field that they can touch."""
        return self._list("storage", StorageAccess)

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """Variables in storage."""
        return self._list("variables", Variable)

    @property
    def events(self) -> Tuple[Event, ...]:
        """Events, one for each first topic that they can have."""
        return self._list("events", Event)

    def to_dict(self) -> Dict[str, Any]:
        """All facts, with the names of docs/columns.md; words are hexadecimal text."""
        self._fact("closed")
        return json.loads(json.dumps(self._facts))  # type: ignore[no-any-return]

    def to_json(self, *, indent: Optional[int] = None) -> str:
        """All facts as JSON."""
        self._fact("closed")
        return json.dumps(self._facts, indent=indent)

    def report(self) -> Dict[str, Any]:
        """What ``cairn analyze --format json`` tells: stack heights, loops, dominators, dead pushes, too."""
        report: Dict[str, Any] = json.loads(self.draw("json"))
        del report["seconds"], report["name"]
        return report

    def draw(self, form: str = "svg") -> str:
        """The control flow as ``svg``, ``html``, ``dot``, ``mermaid``, ``text`` or ``json``."""
        code, evm_version, role = self._given
        return _cairn.draw(code, form, evm_version, role)

    def cfg(self) -> "networkx.MultiDiGraph[int]":
        """Control flow as a graph of networkx: nodes are starts of blocks, with the facts of blocks."""
        import networkx

        graph: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
        for block in self.blocks:
            graph.add_node(block.start, **block._asdict())
        for edge in self.edges:
            graph.add_edge(edge.source, edge.target, pc=edge.pc, kind=edge.kind)
        return graph

    def _repr_svg_(self) -> str:
        return self.draw("svg")

    def __repr__(self) -> str:
        compiler = " ".join(filter(None, (self.compiler, self.compiler_version))) or "unknown compiler"
        return f"<cairn.Analysis of {self.length} bytes, {compiler}, {len(self.selectors)} selectors>"


# Fields that are called otherwise than their columns: `from` is a word of Python.
_RENAMED = {"from": "source", "to": "target"}


def _fields(item: Dict[str, Any]) -> Dict[str, Any]:
    """Fields of a row from its columns."""
    fields = {_RENAMED.get(name, name): value for name, value in item.items()}
    for name in ("targets", "readers", "writers"):
        if name in fields:
            fields[name] = tuple(fields[name])
    if fields.get("slot") is not None:
        fields["slot"] = int(fields["slot"], 16)
    return fields


def analyze(code: CodeLike, *, evm_version: Optional[str] = None, role: Optional[str] = None) -> Analysis:
    """Analyses a code: bytes, or hexadecimal text. Facts are found when they are asked for.

    Text is read as files of bytecode are: with or without ``0x``, with white space anywhere and comments from
    ``;`` to the end of the line.

    ``role`` says whether bytes may follow the code (``runtime``, ``creation``, ``either``); without
    it, what the code does tells.
    """
    return Analysis(code, evm_version, role)
