//! Idioms on bytes and arrays in memory and calldata: decimal and hexadecimal numbers, slices, proofs, sorting,
//! readers of formats.

use super::{Idiom, many, one_word, two_words};
use crate::generator::types::{Type, WORD};

pub(super) const ALL: &[Idiom] = &[
    Idiom { entries: &[("decimal", one_word)], text: DECIMAL, is_callable: false },
    Idiom { entries: &[("hexadecimal", two_words)], text: HEXADECIMAL, is_callable: false },
    Idiom { entries: &[("sorted", || vec![many(WORD)])], text: SORTED, is_callable: false },
    Idiom {
        entries: &[("proven", || vec![many(Type::FixedBytes(32)), WORD])],
        text: PROVEN,
        is_callable: false,
    },
    Idiom { entries: &[("pieceOf", || vec![Type::Bytes, WORD, WORD])], text: PIECE, is_callable: false },
    Idiom {
        entries: &[("signerOf", || vec![Type::FixedBytes(32), Type::Bytes])],
        text: SIGNER,
        is_callable: false,
    },
    Idiom { entries: &[("encoded64", || vec![Type::Bytes])], text: BASE_64, is_callable: false },
    Idiom { entries: &[("variable", || vec![Type::Bytes])], text: VARIABLE, is_callable: false },
    Idiom {
        entries: &[("joined", || vec![many(Type::String), Type::String])],
        text: JOINED,
        is_callable: false,
    },
    Idiom { entries: &[("typed712", || vec![many(Type::Bytes), WORD])], text: TYPED, is_callable: false },
    Idiom {
        entries: &[("weighed", || {
            vec![many(Type::Fixed(Box::new(Type::Uint(64)), 3)), many(many(Type::Int(8)))]
        })],
        text: WEIGHED,
        is_callable: false,
    },
];

const DECIMAL: &str = "function decimal(uint256 x) external pure returns (string memory s) {
uint256 length = 1;
for (uint256 y = x / 10; y != 0; y /= 10) length++;
s = new string(length);
uint256 p;
assembly (\"memory-safe\") { p := add(s, add(32, length)) }
while (true) {
p--;
assembly (\"memory-safe\") { mstore8(p, byte(mod(x, 10), \"0123456789abcdef\")) }
x /= 10;
if (x == 0) break;
}
}";

const HEXADECIMAL: &str = "function hexadecimal(uint256 x, uint256 n) external pure returns (string memory) {
n %= 34;
bytes memory b = new bytes(2 * n + 2);
b[0] = \"0\"; b[1] = \"x\";
for (uint256 i = 2 * n + 1; i > 1; --i) { b[i] = bytes16(\"0123456789abcdef\")[x & 0xf]; x >>= 4; }
if (x != 0) revert(\"too short\");
for (uint256 i = 2; i < b.length; i += $N) if (uint8(b[i]) > 96 && b[i] < \"d\") b[i] = bytes1(uint8(b[i]) ^ 0x20);
return string(b);
}";

const SORTED: &str =
    "function sorted(uint256[] memory a) public pure returns (uint256[] memory, uint256 moves) {
for (uint256 i = 1; i < a.length; i++) {
uint256 v = a[i];
uint256 j = i;
while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; j--; moves++; }
a[j] = v;
}
uint256 kept;
for (uint256 i; i < a.length; ++i) if (i == 0 || a[i] != a[kept - 1]) a[kept++] = a[i];
assembly (\"memory-safe\") { mstore(a, kept) }
return (a, moves);
}";

const PROVEN: &str = "function proven(bytes32[] calldata path, uint256 leaf) external pure returns (bytes32 h, uint256 i) {
h = keccak256(abi.encode(leaf));
for (i = 0; i < path.length; i++) {
bytes32 other = path[i];
(bytes32 a, bytes32 b) = h < other ? (h, other) : (other, h);
if (leaf >> i & 1 == 0) h = keccak256(bytes.concat(a, b));
else assembly (\"memory-safe\") { mstore(0x00, b) mstore(0x20, a) h := keccak256(0x00, 0x40) }
}
bytes32[] memory all = path;
unchecked { for (uint256 n = all.length; n > 1; n /= 2) for (uint256 k; k < n / 2; ++k) all[k] = keccak256(abi.encodePacked(all[2 * k], all[2 * k + 1])); }
if (all.length > 0) h ^= all[0];
}";

const PIECE: &str = "function pieceOf(bytes memory data, uint256 at, uint256 n) public pure returns (bytes memory piece, uint32 four) {
at %= 80; n %= 80;
require(n + 31 >= n && at + n >= at && data.length >= at + n, \"outside\");
assembly (\"memory-safe\") {
switch iszero(n)
case 0 {
piece := mload(0x40)
let odd := and(n, 31)
let to := add(add(piece, odd), mul(0x20, iszero(odd)))
let end := add(to, n)
for { let from := add(add(add(data, odd), mul(0x20, iszero(odd))), at) } lt(to, end) { to := add(to, 0x20) from := add(from, 0x20) } { mstore(to, mload(from)) }
mstore(piece, n)
mstore(0x40, and(add(to, 31), not(31)))
}
default { piece := mload(0x40) mstore(piece, 0) mstore(0x40, add(piece, 0x20)) }
}
if (data.length >= at + 4) assembly (\"memory-safe\") { four := shr(224, mload(add(add(data, 0x20), at))) }
for (uint256 i; i < piece.length; i += $N) if (piece[i] == data[at + i]) four++;
}";

const SIGNER: &str = "function signerOf(bytes32 digest, bytes memory signature) public view returns (address a, uint8 v) {
bytes32 r; bytes32 s;
if (signature.length == 65) {
assembly (\"memory-safe\") { r := mload(add(signature, 0x20)) s := mload(add(signature, 0x40)) v := byte(0, mload(add(signature, 0x60))) }
} else if (signature.length == 64) {
assembly (\"memory-safe\") { r := mload(add(signature, 0x20)) let vs := mload(add(signature, 0x40)) s := and(vs, shr(1, not(0))) v := add(shr(255, vs), 27) }
} else { (r, s, v) = (keccak256(signature), bytes32(uint256($N)), 27); }
if (uint256(s) > 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0) return (address(1), v);
a = ecrecover(keccak256(abi.encodePacked(\"\\x19\\x01\", block.chainid, digest)), v, r, s);
if (a == address(0)) a = address(uint160(uint256(r)));
}";

const BASE_64: &str =
    "bytes private constant TABLE_64 = \"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\";
function encoded64(bytes calldata data) external pure returns (string memory) {
if (data.length == 0) return \"\";
bytes memory table = TABLE_64;
bytes memory out = new bytes(4 * ((data.length + 2) / 3));
uint256 at;
for (uint256 i; i < data.length; i += 3) {
uint24 three = uint24(uint8(data[i])) << 16;
if (i + 1 < data.length) three |= uint24(uint8(data[i + 1])) << 8;
if (i + 2 < data.length) three |= uint8(data[i + 2]);
for (uint256 k = 4; k > 0; k--) out[at++] = table[(three >> (6 * (k - 1))) & 0x3f];
}
if (data.length % 3 > 0) out[out.length - 1] = \"=\";
if (data.length % 3 == 1) out[out.length - 2] = \"=\";
return string(out);
}";

/// Numbers of several lengths, one after the other, as formats have them.
const VARIABLE: &str = "error Torn(uint256 at);
function variable(bytes calldata data) external pure returns (uint256 sum, uint256 count) {
uint256 at;
while (at < data.length) {
uint8 first = uint8(data[at++]);
uint256 v;
if (first < 0x70) v = first;
else if (first < 0x78) { uint256 n = first - 0x6f; if (at + n > data.length) revert Torn(at); for (uint256 i; i < n; ++i) v = v << 8 | uint8(data[at + i]); at += n; }
else if (first == 0x78) { if (data.length - at < 8) break; v = uint64(bytes8(data[at:at + 8])); at += 8; }
else { uint256 shift; uint8 b = first; do { v |= uint256(b & 0x3f) << shift; shift += 6; if (at == data.length) break; b = uint8(data[at++]); } while (b & 0x40 != 0 && shift < 250); }
unchecked { sum = sum * $N + v; }
if (++count == 40) return (sum, count);
}
}";

const JOINED: &str = "function joined(string[] calldata parts, string memory between) public pure returns (string memory s, uint256 found) {
for (uint256 i = 0; i < parts.length; ++i) {
if (bytes(parts[i]).length == 0) continue;
s = bytes(s).length == 0 ? parts[i] : string.concat(s, between, parts[i]);
if (keccak256(bytes(parts[i])) == keccak256(bytes(between))) found |= 1 << i;
}
bytes memory b = bytes(s);
bytes32 head;
assembly (\"memory-safe\") { head := mload(add(b, 0x20)) }
if (b.length >= 32) { assembly (\"memory-safe\") { found := xor(found, shr(128, head)) } }
for (uint256 i; i + 1 < b.length && i < 60; i += 2) (b[i], b[i + 1]) = (b[i + 1], b[i]);
}";

const TYPED: &str = "struct Mail { address to; bytes32[] parts; uint96 value; }
function typed712(bytes[] calldata parts, uint256 x) external view returns (bytes32 digest) {
Mail memory mail = Mail(msg.sender, new bytes32[](parts.length), uint96(x));
for (uint256 i; i < parts.length; i++) mail.parts[i] = keccak256(parts[i]);
digest = mailHash(mail);
if (x % 3 == 0) { mail.value ^= 1; digest ^= mailHash(mail); }
}
function mailHash(Mail memory mail) private view returns (bytes32) {
bytes32 domain = keccak256(abi.encode(keccak256(\"EIP712Domain(uint256 chainId)\"), block.chainid));
bytes32 inner = keccak256(abi.encode(keccak256(\"Mail(address to,bytes32[] parts,uint96 value)\"), mail.to, keccak256(abi.encodePacked(mail.parts)), mail.value));
bytes32 digest;
assembly (\"memory-safe\") { let p := mload(0x40) mstore(p, hex\"1901\") mstore(add(p, 2), domain) mstore(add(p, 0x22), inner) digest := keccak256(p, 0x42) }
return digest;
}";

const WEIGHED: &str = "function weighed(uint64[3][] calldata rows, int8[][] memory cells) public pure returns (int256 sum, uint64[3] memory best) {
for (uint256 i; i < rows.length; ++i) {
uint64[3] calldata row = rows[i];
if (row[0] > best[0] || (row[0] == best[0] && row[2] < best[2])) best = row;
unchecked { sum += int256(uint256(row[i % 3])) * int64(row[1]); }
}
for (uint256 i; i < cells.length; ++i) {
int8 most = type(int8).min;
for (uint256 j; j < cells[i].length; ++j) { if (cells[i][j] > most) most = cells[i][j]; unchecked { cells[i][j] = -cells[i][j]; } }
unchecked { sum = sum * $N + most; }
if (i > 0 && cells[i].length > 0) cells[i - 1] = cells[i];
}
if (cells.length > 1) sum ^= int256(uint256(keccak256(abi.encode(cells[0], cells[1], best))));
}";
