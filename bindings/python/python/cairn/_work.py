"""What is done with codes in worker processes, as the extension is told it."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List

from . import _cairn
from ._arguments import count, seconds, text
from ._batch import facts_text
from ._errors import CairnError


def work_request(task: str, options: Dict[str, Any]) -> Dict[str, Any]:
    """The options of a task; who works is not among them."""
    return {
        "task": task,
        "facts": facts_text(options.get("facts", "all")),
        "level": str(options.get("level", 2)),
        "runs": count("runs", options.get("runs", 200)),
        "evm_version": text("evm_version", options["evm_version"]),
        "role": text("role", options["role"]),
        "row_seconds": seconds("row_time", options["row_time"]),
        "row_megabytes": count("row_memory", options["row_memory"]),
        "worker": [],
    }


# The file of the extension, wherever this process goes later.
_EXTENSION = os.path.abspath(_cairn.__file__)

# What a worker runs. The extension is loaded by its file: no folder is searched for it, so none has to be added
# to those in which modules are searched, and no other `cairn` can be found in its place.
_PROGRAM = """
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("cairn._cairn", {extension!r})
module = module_from_spec(spec)
spec.loader.exec_module(module)
module.work()
"""


def worker() -> List[str]:
    """The command line of a worker: this Python with this extension.

    It is isolated (``-I``): neither the current folder nor ``PYTHONPATH`` can put modules in place of those of
    the standard library.
    """
    if not sys.executable:
        raise CairnError("worker processes are this Python, whose program is not known (`sys.executable`)")
    return [sys.executable, "-I", "-c", _PROGRAM.format(extension=_EXTENSION)]
