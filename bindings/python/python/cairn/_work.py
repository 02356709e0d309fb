"""What is done with codes in worker processes, as the extension is told it."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List

from ._batch import facts_text
from ._errors import CairnError


def work_request(task: str, options: Dict[str, Any]) -> Dict[str, Any]:
    """The options of a task; who works is not among them."""
    return {
        "task": task,
        "facts": facts_text(options.get("facts", "all")),
        "level": str(options.get("level", 2)),
        "runs": options.get("runs", 200),
        "evm_version": options["evm_version"],
        "role": options["role"],
        "row_seconds": options["row_time"],
        "row_megabytes": options["row_memory"],
        "worker": [],
    }


def worker() -> List[str]:
    """The command line of a worker: this Python, which finds this package where it is now."""
    if not sys.executable:
        raise CairnError("worker processes are this Python, whose program is not known (`sys.executable`)")
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = f"import sys; sys.path.insert(0, {folder!r}); from cairn import _cairn; _cairn.work()"
    return [sys.executable, "-c", program]
