"""The compiler: Yul, EVM-IR and assembly to code, and code to better code and to text."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Tuple, Union

from . import _cairn
from ._analysis import CodeLike
from ._arguments import count, names, text
from ._errors import CairnError, Diagnostic, parse

_PLACEHOLDER = re.compile(r"__\$[0-9a-fA-F]{34}\$__")


class Link(NamedTuple):
    """Where in a code the address of a library belongs: 20 bytes from ``offset``."""

    offset: int
    placeholder: str


class Code(bytes):
    """Bytes of code, with zeros where addresses of libraries are missing; ``links`` says where."""

    links: Tuple[Link, ...] = ()

    @classmethod
    def of_digits(cls, digits: str) -> "Code":
        """Code of hexadecimal digits, in which placeholders of libraries may stand."""
        links = tuple(Link(found.start() // 2, found.group()) for found in _PLACEHOLDER.finditer(digits))
        code = cls(bytes.fromhex(_PLACEHOLDER.sub("0" * 40, digits)))
        code.links = links
        return code

    def digits(self) -> str:
        """Hexadecimal digits, with placeholders."""
        digits = self.hex()
        for link in self.links:
            start = 2 * link.offset
            digits = digits[:start] + link.placeholder + digits[start + 40 :]
        return digits

    def link(self, libraries: Mapping[str, Union[str, bytes]]) -> "Code":
        """The code with addresses of libraries, by their names, written into it."""
        digits = self.digits()
        for name, address in libraries.items():
            placeholder = _cairn.placeholder(name)
            if placeholder not in digits:
                raise CairnError(f"unknown library `{name}`: the code does not link it")
            digits = digits.replace(placeholder, _address(address).hex())
        return Code.of_digits(digits)


class Compiled(NamedTuple):
    """What a compilation gives."""

    code: Code
    runtime: Optional[Code]
    warnings: Tuple[Diagnostic, ...]
    artifacts: Dict[str, str]


class Recompiled(NamedTuple):
    """A code after recompilation: ``kept`` says why it is the original, ``None`` when it is new."""

    code: bytes
    kept: Optional[str]
    notes: Tuple[str, ...]


def compile(
    source: str,
    *,
    language: Optional[str] = None,
    level: Union[int, str] = 2,
    runs: int = 200,
    evm_version: Optional[str] = None,
    object: Optional[str] = None,
    libraries: Optional[Mapping[str, Union[str, bytes]]] = None,
    emit: Union[str, Iterable[str]] = (),
    name: str = "input",
) -> Compiled:
    """Compiles a text in ``yul``, ``evm-ir`` or ``asm``; Yul and EVM-IR are told apart without being named.

    ``level`` is 0 to 3 or ``"s"``; ``emit`` names further artifacts, as ``cairn build --emit`` does;
    they come as text in ``artifacts``. ``name`` is that of the text in diagnostics.
    """
    wanted = tuple(names("emit", emit))
    request: Dict[str, Any] = {
        "level": str(level),
        "runs": count("runs", runs),
        "evm_version": text("evm_version", evm_version),
        "language": text("language", language),
        "name": str(name),
        "object": text("object", object),
        "libraries": [(key, _address(address)) for key, address in (libraries or {}).items()],
        "emit": list(dict.fromkeys(("bin", "runtime", *wanted))),
    }
    made, diagnostics = _cairn.compile(source, request)
    texts = dict(made)
    runtime = texts.get("runtime")
    return Compiled(
        Code.of_digits(texts["bin"]),
        None if runtime is None else Code.of_digits(runtime),
        parse(diagnostics),
        {key: texts[key] for key in wanted if key in texts},
    )


def lift(code: CodeLike, *, evm_version: Optional[str] = None, role: Optional[str] = None) -> str:
    """The EVM-IR of a code, as text. A code that cannot be lifted is an error that says why."""
    return _cairn.lift(code, evm_version, role)


def recompile(
    code: CodeLike,
    *,
    level: Union[int, str] = 2,
    runs: int = 200,
    evm_version: Optional[str] = None,
    role: Optional[str] = None,
) -> Recompiled:
    """Compiles a code anew where that is safe and pays; otherwise it is kept, with the reason."""
    new, kept, notes = _cairn.recompile(code, str(level), count("runs", runs), evm_version, role)
    return Recompiled(bytes(new), kept, tuple(notes))


def disassemble(code: CodeLike, *, evm_version: Optional[str] = None) -> str:
    """Assembly text that assembles to the same bytes. Unlinked code keeps its libraries."""
    if isinstance(code, Code):
        digits = code.digits()
    elif isinstance(code, str):
        digits = code
    elif isinstance(code, (bytes, bytearray)):
        digits = code.hex()
    else:
        raise TypeError(f"a code is `bytes` or hexadecimal `str`, not `{type(code).__name__}`")
    return _cairn.disassemble(digits, evm_version)


def yul_optimize(
    source: str, *, steps: Optional[str] = None, runs: int = 200, evm_version: Optional[str] = None
) -> str:
    """The same Yul, smaller and cheaper: by solc's sequence, or by ``steps`` in solc's letters."""
    return _cairn.yul_optimize(source, steps, count("runs", runs), evm_version)


def _address(address: Union[str, bytes]) -> bytes:
    if isinstance(address, bytes):
        found = address
    else:
        try:
            found = bytes.fromhex(address[2:] if address[:2] in ("0x", "0X") else address)
        except ValueError as error:
            raise CairnError(f"the address `{address}` is not hexadecimal") from error
    if len(found) != 20:
        raise CairnError(f"an address has 20 bytes, not {len(found)}")
    return found
