"""EVM bytecode: analyses as objects and as Arrow tables, and a compiler.

``analyze`` looks at one code, ``analyze_batch`` at a column of an Arrow table, ``analyze_dataset``
at Parquet files. ``compile``, ``lift``, ``recompile``, ``disassemble`` and ``yul_optimize`` are
the compiler. Faults of inputs are ``CairnError``.
"""

from ._analysis import (
    Analysis,
    Arguments,
    Block,
    Edge,
    Event,
    Function,
    Internal,
    Jump,
    Mutability,
    Selector,
    StorageAccess,
    Variable,
    analyze,
)
from ._batch import analyze_batch
from ._cairn import Table, __version__
from ._compile import Code, Compiled, Link, Recompiled, compile, disassemble, lift, recompile, yul_optimize
from ._dataset import Summary, analyze_dataset, lift_dataset, recompile_dataset
from ._errors import CairnError, Diagnostic, Place

__all__ = [
    "Analysis",
    "Arguments",
    "Block",
    "CairnError",
    "Code",
    "Compiled",
    "Diagnostic",
    "Edge",
    "Event",
    "Function",
    "Internal",
    "Jump",
    "Link",
    "Mutability",
    "Place",
    "Recompiled",
    "Selector",
    "StorageAccess",
    "Summary",
    "Table",
    "Variable",
    "__version__",
    "analyze",
    "analyze_batch",
    "analyze_dataset",
    "compile",
    "disassemble",
    "lift",
    "lift_dataset",
    "recompile",
    "recompile_dataset",
    "yul_optimize",
]
