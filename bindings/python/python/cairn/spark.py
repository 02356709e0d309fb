"""Spark: facts of the codes of a data frame, in worker processes beside each executor.

A code that ends its worker, hangs, overflows the stack or eats memory costs its own row, which has an
``error``; the job goes on. What Spark loses, an executor or a machine, it does again. ``cairn`` must be
installed for the Python of the executors; a worker is that Python, once more, for each of Spark's own.
See docs/recipes.md.
"""

from __future__ import annotations

import functools
import json
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union

import pyarrow
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from . import _cairn
from ._arguments import names
from ._errors import CairnError
from ._work import work_request, worker

__all__ = ["analyze", "lift", "recompile"]

Names = Union[str, Iterable[str]]

# Names that the column of codes usually has.
_USUAL = ("runtime", "code", "bytecode")
# Columns of ours, on the way.
_CODE, _DIGEST = "cairn_code", "cairn_digest"
# Rows that are worked on together.
_ROWS = 256
# Facts that take less time than it takes to read a code twice.
_CHEAP = {"codes", "selectors", "functions", "arguments"}


def analyze(
    df: DataFrame,
    *,
    code: Optional[str] = None,
    key: Names = (),
    dedup: Union[bool, str] = True,
    facts: Names = "all",
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    row_time: float = 60.0,
    row_memory: int = 2048,
    partitions: Optional[int] = None,
) -> DataFrame:
    """The facts of codes, with the columns of docs/datasets.md: ``hash``, ``error``, lists of facts.

    ``code`` is the column with codes, bytes or hexadecimal text (``runtime``, ``code`` or ``bytecode``
    unless it is named), ``key`` the columns that the result begins with: a row for each row. Without
    ``key`` it has a row for each distinct code.

    ``dedup`` says how equal codes are worked on once; what comes out is the same. With ``"shuffle"`` Spark
    finds the distinct codes, works on them in ``partitions`` parts (those of shuffles, at most four a core)
    and joins the results to the rows: each code once, the input read twice. With ``"local"``, which needs
    ``key``, rows stay where they are, are read once, and each worker remembers what it knows, up to 256 MiB:
    nothing is shuffled, and a code is worked on once or so for each core. ``True`` is ``"local"`` where there are
    keys and the facts are cheap (``codes``, ``selectors``, ``functions``, ``arguments``), else
    ``"shuffle"``. ``False`` works on each row.

    ``row_time`` (seconds) and ``row_memory`` (MiB) bound what a code may
    take.
    """
    return _run("analyze", **locals())


def recompile(
    df: DataFrame,
    *,
    level: Union[int, str] = 2,
    runs: int = 200,
    code: Optional[str] = None,
    key: Names = (),
    dedup: Union[bool, str] = True,
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    row_time: float = 60.0,
    row_memory: int = 2048,
    partitions: Optional[int] = None,
) -> DataFrame:
    """Codes compiled anew (``code``, ``length``), or the same and why (``kept``); else as ``analyze``."""
    return _run("recompile", **locals())


def lift(
    df: DataFrame,
    *,
    code: Optional[str] = None,
    key: Names = (),
    dedup: Union[bool, str] = True,
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
    row_time: float = 60.0,
    row_memory: int = 2048,
    partitions: Optional[int] = None,
) -> DataFrame:
    """The EVM-IR of codes (``module``); else as ``analyze``."""
    return _run("lift", **locals())


def _run(
    task: str,
    df: DataFrame,
    code: Optional[str],
    key: Names,
    dedup: Union[bool, str],
    partitions: Optional[int],
    **options: Any,
) -> DataFrame:
    keys = names("key", key)
    codes = F.col(_column(df, code, keys))
    request = work_request(task, options)
    own: pyarrow.Schema = pyarrow.table(_cairn.Lane(request).empty()).schema
    for name in set(keys) & set(own.names):
        raise CairnError(f"the column `{name}` cannot be a key: the result has its own")
    results = [T.StructField(field.name, _type(field.type)) for field in own]
    how = _how(dedup, bool(keys), request)
    if how != "shuffle":
        kept = [df.schema[name] for name in keys]
        return _mapped(df.select(*keys, codes.alias(_CODE)), kept, results, request, distinct=how == "local")
    # A digest that Spark has itself, so that only distinct codes go to Python. These are found by the codes: a
    # digest of each row on this side would cost more than telling codes apart.
    digest = F.unhex(F.sha2(F.col(_CODE), 256)).alias(_DIGEST)
    distinct = df.where(codes.isNotNull()).select(codes.alias(_CODE)).distinct().select(digest, _CODE)
    found = distinct.repartition(partitions or _partitions(df), _DIGEST)
    found = _mapped(found, [T.StructField(_DIGEST, T.BinaryType())], results, request)
    if not keys:
        return found.drop(_DIGEST)
    joined = df.select(*keys, codes.alias(_CODE)).select(*keys, digest).join(found, _DIGEST, "left")
    return joined.select(*keys, *(_result(name) for name in own.names))


def _how(dedup: Union[bool, str], has_keys: bool, request: Dict[str, Any]) -> str:
    """How equal codes are found: by a `shuffle`, in a `local` memory, or not (`none`)."""
    if isinstance(dedup, bool):
        is_cheap = request["task"] == "analyze" and {fact.strip() for fact in request["facts"].split(",")} <= _CHEAP
        return ("local" if is_cheap and has_keys else "shuffle") if dedup else "none"
    if dedup not in ("local", "shuffle"):
        raise CairnError(f"`dedup` is True, False, 'local' or 'shuffle', not {dedup!r}")
    if dedup == "local" and not has_keys:
        raise CairnError("`dedup='local'` gives a row for each row: name `key` columns, or use 'shuffle'")
    return dedup


def _partitions(df: DataFrame) -> int:
    """Partitions of distinct codes: those of shuffles, but no more than cores have use for."""
    shuffles = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 0)
    try:
        cores = int(df.sparkSession.sparkContext.defaultParallelism)
    except Exception:
        # A remote session does not know its cores.
        return shuffles
    return min(shuffles, _TASKS_A_CORE * cores)


def _column(df: DataFrame, code: Optional[str], keys: Sequence[str]) -> str:
    """The column with codes."""
    for name in (*keys, *([code] if code else [])):
        if name not in df.columns:
            raise CairnError(f"no column `{name}`; the data has {', '.join(df.columns)}")
    found = code or next((usual for usual in _USUAL if usual in df.columns), None)
    if found is None:
        raise CairnError(f"no column looks like code: name one of {', '.join(df.columns)} as `code`")
    if not isinstance(df.schema[found].dataType, (T.BinaryType, T.StringType)):
        raise CairnError(f"column `{found}` holds {df.schema[found].dataType}, neither bytes nor text")
    return found


def _result(name: str) -> Column:
    """A column of the result; a row without a code says so."""
    if name != "error":
        return F.col(name)
    return F.when(F.col(_DIGEST).isNull(), F.lit("null")).otherwise(F.col(name)).alias(name)


def _mapped(
    df: DataFrame,
    kept: List[T.StructField],
    results: List[T.StructField],
    request: Dict[str, Any],
    distinct: bool = False,
) -> DataFrame:
    perform = functools.partial(_perform, request=request, distinct=distinct)
    return df.mapInArrow(perform, T.StructType(kept + results))


def _type(arrow: pyarrow.DataType) -> T.DataType:
    """The type that Spark has for one of ours."""
    if pyarrow.types.is_list(arrow):
        return T.ArrayType(_type(arrow.value_type))
    if pyarrow.types.is_struct(arrow):
        fields = [arrow.field(index) for index in range(arrow.num_fields)]
        return T.StructType([T.StructField(field.name, _type(field.type)) for field in fields])
    types: Dict[str, T.DataType] = {
        "bool": T.BooleanType(),
        "int32": T.IntegerType(),
        "int64": T.LongType(),
        "string": T.StringType(),
        "binary": T.BinaryType(),
    }
    return types[str(arrow)]


# Tasks for each core: some, for they do not take equally long; each costs more than a thousand codes do.
_TASKS_A_CORE = 4

# Lanes of this process, by what they do: Spark's Python does many tasks, one after the other.
_lanes: Dict[str, _cairn.Lane] = {}


def _perform(
    batches: Iterator[pyarrow.RecordBatch], request: Dict[str, Any], distinct: bool
) -> Iterator[pyarrow.RecordBatch]:
    """Works on batches whose last column are codes; runs beside an executor."""
    order = json.dumps(request)
    if order not in _lanes:
        _lanes[order] = _cairn.Lane({**request, "worker": worker()})
    lane = _lanes[order]
    for batch in batches:
        # Work that is remembered bounds itself what it gives at once.
        rows = batch.num_rows if distinct else _ROWS
        for start in range(0, batch.num_rows, max(rows, 1)):
            part = batch.slice(start, rows)
            first = 0
            for found in pyarrow.table(lane.work_on(part.columns[-1], distinct=distinct)).to_batches():
                kept = part.slice(first, found.num_rows).columns[:-1]
                first += found.num_rows
                names = part.schema.names[:-1] + found.schema.names
                yield pyarrow.RecordBatch.from_arrays([*kept, *found.columns], names)
