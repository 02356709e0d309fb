from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ._analysis import CodeLike

__version__: str

class Table:
    """The facts of a batch: a row for each row of the input. Any engine that reads Arrow takes it."""

    def table(self, fact: str) -> Table:
        """The flat table of a kind of fact: a row for each item, ``row`` counts rows of the input."""
    @property
    def column_names(self) -> List[str]:
        """Names of the columns."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

def analyze_batch(data: Any, request: Dict[str, Any]) -> Table: ...

class Lane:
    """A worker process, which starts with the first codes and in whose place another comes if it dies."""

    def __init__(self, request: Dict[str, Any]) -> None: ...
    def empty(self) -> Table:
        """A result without rows."""
    def work_on(self, codes: Any, *, distinct: bool = False) -> Table:
        """Works on each row of a column of codes; with ``distinct`` once on those that are equal, now and later."""

def facts_json(
    code: CodeLike, facts: str, evm_version: Optional[str] = None, role_name: Optional[str] = None
) -> str: ...
def draw(
    code: CodeLike, form: str, evm_version: Optional[str] = None, role_name: Optional[str] = None
) -> str: ...
def compile(source: str, request: Dict[str, Any]) -> Tuple[List[Tuple[str, str]], List[str]]: ...
def lift(code: CodeLike, evm_version: Optional[str] = None, role_name: Optional[str] = None) -> str: ...
def recompile(
    code: CodeLike,
    level: str,
    runs: int,
    evm_version: Optional[str] = None,
    role_name: Optional[str] = None,
) -> Tuple[Union[bytes, List[int]], Optional[str], List[str]]: ...
def disassemble(digits: str, evm_version: Optional[str] = None) -> str: ...
def yul_optimize(
    source: str, steps: Optional[str] = None, runs: int = 200, evm_version: Optional[str] = None
) -> str: ...
def placeholder(library: str) -> str: ...
def run_dataset(
    request: Dict[str, Any], work: Dict[str, Any], progress: Optional[Callable[[str, int, int], None]]
) -> Tuple[int, int, int]: ...
def work() -> None: ...
