"""Many codes at once, over the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

from . import _cairn


def facts_text(facts: Union[str, Iterable[str]]) -> str:
    """Names of facts as one text."""
    return facts if isinstance(facts, str) else ",".join(facts)


def analyze_batch(
    data: Any,
    *,
    column: Optional[str] = None,
    facts: Union[str, Iterable[str]] = "all",
    keep: Iterable[str] = (),
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    threads: int = 1,
) -> _cairn.Table:
    """Analyses each row of a table, in the order of the rows.

    ``data`` is anything that exports Arrow: tables, data frames, readers, or a column of codes.
    ``column`` holds codes as bytes or hexadecimal text; it is ``runtime``, ``code`` or ``bytecode``
    unless it is named. ``facts`` are those of docs/columns.md: what is not asked for costs nothing.
    ``keep`` names columns of the input that the result begins with. ``threads=0`` takes all cores.
    Rows without a code, or with a broken one, have an ``error``. Other threads of Python run
    meanwhile.
    """
    request = {
        "column": column,
        "facts": facts_text(facts),
        "keep": list(keep),
        "evm_version": evm_version,
        "role": role,
        "threads": threads,
    }
    return _cairn.analyze_batch(data, request)
