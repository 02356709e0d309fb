"""Faults of inputs, with their places."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional, Sequence, Tuple


class Place(NamedTuple):
    """A place in a text: bytes from ``start`` to ``end``; line and column are counted from 1."""

    file: str
    start: int
    end: int
    line: int
    column: int


class Diagnostic(NamedTuple):
    """What is wrong with an input, or perhaps wrong, and where."""

    severity: str
    code: Optional[str]
    message: str
    place: Optional[Place]
    notes: Tuple[str, ...]
    help: Optional[str]


class CairnError(Exception):
    """An input is faulty. The text shows each place; ``diagnostics`` has them as data."""

    def __init__(self, text: str, diagnostics: Sequence[str] = ()) -> None:
        super().__init__(text, diagnostics)
        self.diagnostics: Tuple[Diagnostic, ...] = parse(diagnostics)

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def place(self) -> Optional[Place]:
        """Where the first error is; ``None`` if it concerns no place."""
        errors = (one for one in self.diagnostics if one.severity == "error")
        return next((one.place for one in errors if one.place), None)


def parse(texts: Sequence[str]) -> Tuple[Diagnostic, ...]:
    """Diagnostics from their JSON."""
    return tuple(_diagnostic(json.loads(text)) for text in texts)


def _diagnostic(value: Any) -> Diagnostic:
    place = value.get("place")
    return Diagnostic(
        value["severity"],
        value.get("code"),
        value["message"],
        Place(**place) if place else None,
        tuple(value.get("notes", ())),
        value.get("help"),
    )
