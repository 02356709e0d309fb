"""Data sets: Parquet files of codes in, a folder of tables out, in worker processes.

See docs/datasets.md: each distinct code once, resumable, and a code that kills its worker costs its
own row only.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, NamedTuple, Optional, Union

from . import _cairn
from ._arguments import count, names, text
from ._work import work_request, worker

PathLike = Union[str, "os.PathLike[str]"]
Progress = Callable[[str, int, int], None]


class Summary(NamedTuple):
    """Rows of the input, distinct codes, and how many of these have an ``error``."""

    rows: int
    distinct: int
    failed: int


def analyze_dataset(
    input: PathLike,
    output: PathLike,
    *,
    facts: Union[str, Iterable[str]] = "all",
    column: Optional[str] = None,
    keep: Union[str, Iterable[str]] = (),
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    threads: int = 0,
    row_time: float = 60.0,
    row_memory: int = 2048,
    progress: Optional[Progress] = None,
) -> Summary:
    """The facts of each distinct code of a Parquet file, or of a folder of such files.

    ``row_time`` (seconds) and ``row_memory`` (MiB) bound what one code may take. ``progress`` hears
    ``"reading"`` or ``"working"``, what is done, and of how much; what it raises ends the run. A run
    that ended goes on when it is called again.
    """
    return _run("analyze", **locals())


def recompile_dataset(
    input: PathLike,
    output: PathLike,
    *,
    level: Union[int, str] = 2,
    runs: int = 200,
    column: Optional[str] = None,
    keep: Union[str, Iterable[str]] = (),
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    threads: int = 0,
    row_time: float = 60.0,
    row_memory: int = 2048,
    progress: Optional[Progress] = None,
) -> Summary:
    """Each distinct code compiled anew, or the same with the reason; otherwise as ``analyze_dataset``."""
    return _run("recompile", **locals())


def lift_dataset(
    input: PathLike,
    output: PathLike,
    *,
    column: Optional[str] = None,
    keep: Union[str, Iterable[str]] = (),
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    threads: int = 0,
    row_time: float = 60.0,
    row_memory: int = 2048,
    progress: Optional[Progress] = None,
) -> Summary:
    """The EVM-IR of each distinct code; otherwise as ``analyze_dataset``."""
    return _run("lift", **locals())


def _run(task: str, progress: Optional[Progress], **options: Any) -> Summary:
    request = {
        "input": os.fspath(options["input"]),
        "output": os.fspath(options["output"]),
        "column": text("column", options["column"]),
        "keep": names("keep", options["keep"]),
        "threads": count("threads", options["threads"]),
    }
    work = {**work_request(task, options), "worker": worker()}
    return Summary(*_cairn.run_dataset(request, work, progress))
