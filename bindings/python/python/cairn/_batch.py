"""Many codes at once, over the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

from . import _cairn
from ._arguments import arrow, count, names, text


def facts_text(facts: Union[str, Iterable[str]]) -> str:
    """Names of facts as one text."""
    return ",".join(names("facts", facts))


def analyze_batch(
    data: Any,
    *,
    column: Optional[str] = None,
    facts: Union[str, Iterable[str]] = "all",
    keep: Union[str, Iterable[str]] = (),
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    threads: int = 1,
) -> _cairn.Table:
    """Analyses each row of a table, in the order of the rows.

    ``data`` is anything that exports Arrow: tables, data frames, readers, or a column of codes.
    ``column`` holds codes as bytes or as hexadecimal text, which is read as ``analyze`` does; it is
    ``runtime``, ``code`` or ``bytecode`` unless it is named. ``facts`` are those of docs/columns.md: what is not asked for costs nothing.
    ``keep`` names columns of the input that the result begins with. ``threads=0`` takes all cores.
    Rows without a code, or with a broken one, have an ``error``. Other threads of Python run
    meanwhile.
    """
    request = {
        "column": text("column", column),
        "facts": facts_text(facts),
        "keep": names("keep", keep),
        "evm_version": text("evm_version", evm_version),
        "role": text("role", role),
        "threads": count("threads", threads),
    }
    return _cairn.analyze_batch(arrow(data), request)
