"""Codes that tests use."""

import cairn
import pytest

TOKEN = """
object "Token" {
    code {
        datacopy(0, dataoffset("runtime"), datasize("runtime"))
        return(0, datasize("runtime"))
    }
    object "runtime" {
        code {
            switch shr(224, calldataload(0))
            case 0x18160ddd { mstore(0, sload(2)) return(0, 32) }
            case 0x70a08231 { mstore(0, twice(sload(calldataload(4)))) return(0, 32) }
            case 0xa9059cbb { sstore(2, twice(calldataload(4))) log1(0, 0, 0x1234) stop() }
            default { revert(0, 0) }
            function twice(x) -> y { y := mul(add(x, 1), sub(x, 7)) sstore(3, y) }
        }
    }
}
"""


@pytest.fixture(scope="session")
def token() -> bytes:
    """Runtime code with three external functions."""
    runtime = cairn.compile(TOKEN, level=1).runtime
    assert runtime
    return bytes(runtime)


@pytest.fixture(scope="session")
def codes(token):
    """Codes and what is none: null, broken, empty."""
    return [token, bytes.fromhex("6001600155"), None, b"", bytes([0xFE] * 300), token]
