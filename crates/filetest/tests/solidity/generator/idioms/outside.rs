//! Idioms that reach other contracts: proxies, clones, several calls at once, tokens that give nothing back.

use super::{Idiom, one_word, two_words};
use crate::generator::types::{Type, WORD};

pub(super) const ALL: &[Idiom] = &[
    Idiom { entries: &[("forwarded", || vec![WORD, Type::Bytes])], text: FORWARDED, is_callable: false },
    Idiom { entries: &[("cloned", one_word)], text: CLONED, is_callable: false },
    Idiom { entries: &[("severalCalls", two_words)], text: SEVERAL, is_callable: false },
    Idiom { entries: &[("safely", two_words)], text: SAFELY, is_callable: false },
    Idiom { entries: &[("tried", two_words), ("tellsWrong", one_word)], text: TRIED, is_callable: false },
    Idiom { entries: &[("slotted", two_words)], text: SLOTTED, is_callable: false },
];

/// A proxy: all of memory is its own, and nothing of Solidity's comes behind it.
const FORWARDED: &str =
    "function forwarded(uint256 way, bytes calldata data) external payable returns (uint256) {
address to = address(child);
if (way % 4 == 1) to = address(this);
bytes4 selector = way % 3 == 0 ? Child.poke.selector : way % 3 == 1 ? Child.boom.selector : bytes4(data);
assembly {
mstore(0, selector)
calldatacopy(4, data.offset, data.length)
let n := add(4, data.length)
let ok := 0
switch and(way, 0x80)
case 0 { ok := delegatecall(gas(), to, 0, n, 0, 0) }
default { ok := call(gas(), to, 0, 0, n, 0, 0) }
returndatacopy(0, 0, returndatasize())
switch ok
case 0 { revert(0, returndatasize()) }
default { return(0, returndatasize()) }
}
}";

const CLONED: &str = "function cloned(uint256 x) external returns (uint256 r, uint256 size) {
Child source = child;
if (address(source) == address(0)) return (1, 0);
address made;
assembly (\"memory-safe\") {
mstore(0x00, or(shr(0xe8, shl(0x60, source)), 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000))
mstore(0x20, or(shl(0x78, source), 0x5af43d82803e903d91602b57fd5bf3))
made := create(0, 0x09, 0x37)
}
require(made != address(0), \"clone\");
size = made.code.length;
r = Child(payable(made)).poke(x % 64) + Child(payable(made)).poke(x % $N);
try Child(payable(made)).boom(uint8(x)) returns (bytes memory b) { r ^= b.length; } catch (bytes memory b) { r ^= b.length << 16; }
}";

const SEVERAL: &str = "function severalCalls(uint256 a, uint256 b) external returns (bytes[] memory results) {
bytes[] memory calls = new bytes[](3);
calls[0] = abi.encodeCall(this.hop, (a));
calls[1] = abi.encodeWithSignature(\"fails(uint256)\", b);
calls[2] = abi.encodeWithSelector(this.skip.selector, a ^ b);
results = new bytes[](calls.length);
for (uint256 i = 0; i < calls.length; i++) {
(bool ok, bytes memory result) = i == 2 ? address(this).staticcall(calls[i]) : address(this).delegatecall(calls[i]);
if (!ok) {
if (result.length == 0) revert(\"no reason\");
if (a % 2 == 0) assembly (\"memory-safe\") { revert(add(32, result), mload(result)) }
}
results[i] = result;
}
}";

/// Whether a call succeeded that may give nothing back or has to give back `true`.
const SAFELY: &str = "function safely(uint256 x, uint256 what) external returns (bool ok, uint256 size) {
address to = what % 5 == 0 ? address(uint160(x)) : address(child);
bytes4 selector = what % 2 == 0 ? Child.poke.selector : Child.boom.selector;
assembly (\"memory-safe\") {
let free := mload(0x40)
mstore(0x00, selector)
mstore(0x04, and(x, 0xff))
mstore(0x24, to)
ok := and(or(and(eq(mload(0x00), 1), gt(returndatasize(), 31)), iszero(returndatasize())), call(gas(), to, 0, 0x00, 0x24, 0x00, 0x20))
size := returndatasize()
mstore(0x40, free)
if and(iszero(ok), gt(what, 0xffff)) { mstore(0x00, 0x90b8ec18) revert(0x1c, 0x04) }
}
if (ok && size == 0) ok = to.code.length > 0;
}";

const TRIED: &str = "function tellsWrong(uint256 x) external pure returns (uint256 a, bytes memory b) { if (x % 5 == 4) revert(string(abi.encode(x))); a = x; b = new bytes(x % 40); }
function tried(uint256 x, uint256 n) external returns (uint256 r) {
for (uint256 i; i < n % 4; ++i) {
try this.tellsWrong(x + i) returns (uint256 a, bytes memory b) { r ^= a + b.length; if (b.length == $N) break; }
catch Error(string memory why) { r += bytes(why).length; continue; }
catch Panic(uint256 code) { return code; }
catch { r = ~r; }
}
(bool ok, bytes memory d) = address(this).call(abi.encodeCall(this.tellsWrong, (r)));
if (ok) { (uint256 a, bytes memory b) = abi.decode(d, (uint256, bytes)); r ^= a ^ uint256(bytes32(b)); }
(ok, d) = address(this).call(abi.encodeWithSelector(bytes4(keccak256(\"fails(uint256)\")), x));
if (!ok && d.length == 36) { bytes4 s; uint256 code; assembly (\"memory-safe\") { s := mload(add(d, 0x20)) code := mload(add(d, 0x24)) } if (s == 0x4e487b71) r ^= code; }
}";

/// Slots that are named, as upgradeable contracts have them.
const SLOTTED: &str = "struct Slotted { uint96 a; address b; uint256[] c; mapping(uint256 => bytes32) d; }
bytes32 private constant SLOT = keccak256(abi.encode(uint256(keccak256(\"example.slotted\")) - 1)) & ~bytes32(uint256(0xff));
function slotted(uint256 x, uint256 y) external returns (bytes32 r) {
Slotted storage s; bytes32 slot = SLOT;
assembly (\"memory-safe\") { s.slot := slot }
s.a += uint96(x);
if (y % 3 == 0) s.b = msg.sender; else s.c.push(x);
s.d[y % 4] ^= bytes32(x);
uint256 place;
assembly (\"memory-safe\") { mstore(0x00, and(y, 3)) mstore(0x20, add(slot, 2)) place := keccak256(0x00, 0x40) r := xor(sload(place), sload(slot)) }
if (s.c.length > 2) { delete s.c; r = ~r; }
r ^= bytes32(uint256(s.a) << 100);
}";
