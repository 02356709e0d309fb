//! Idioms on numbers: wide products, roots, logarithms, powers, fixed point, tricks on bits.

use super::{Idiom, one_word, three_words, two_words};

pub(super) const ALL: &[Idiom] = &[
    Idiom { entries: &[("wideShare", three_words)], text: WIDE_SHARE, is_callable: true },
    Idiom { entries: &[("squareRoot", one_word)], text: SQUARE_ROOT, is_callable: true },
    Idiom { entries: &[("highestBit", one_word)], text: HIGHEST_BIT, is_callable: true },
    Idiom { entries: &[("powerOf", three_words)], text: POWER, is_callable: true },
    Idiom { entries: &[("growth", one_word)], text: GROWTH, is_callable: true },
    Idiom { entries: &[("signedShare", three_words)], text: SIGNED_SHARE, is_callable: true },
    Idiom { entries: &[("bitCounts", one_word)], text: BIT_COUNTS, is_callable: true },
    Idiom { entries: &[("turned", one_word)], text: TURNED, is_callable: true },
    Idiom { entries: &[("common", two_words)], text: COMMON, is_callable: true },
    Idiom { entries: &[("clamped", three_words)], text: CLAMPED, is_callable: true },
    Idiom { entries: &[("leapDay", one_word)], text: LEAP_DAY, is_callable: true },
];

/// The product of two words over a third, all 512 bits of it.
const WIDE_SHARE: &str =
    "function wideShare(uint256 a, uint256 b, uint256 d) public pure returns (uint256 r) {
unchecked {
uint256 low = a * b;
uint256 high;
assembly (\"memory-safe\") { let m := mulmod(a, b, not(0)) high := sub(sub(m, low), lt(m, low)) }
if (high == 0) return d == 0 ? $N : low / d;
require(d > high, \"wide\");
uint256 rest = mulmod(a, b, d);
assembly (\"memory-safe\") { high := sub(high, gt(rest, low)) low := sub(low, rest) }
uint256 twos = d & (0 - d);
d /= twos;
low /= twos;
low |= high * ((0 - twos) / twos + 1);
uint256 inverse = (3 * d) ^ 2;
for (uint256 i; i < 6; ++i) inverse *= 2 - d * inverse;
r = low * inverse;
}
}";

const SQUARE_ROOT: &str = "function squareRoot(uint256 x) public pure returns (uint256 z) {
if (x == 0) return 0;
unchecked {
uint256 y = x; z = 1;
if (y >> 128 > 0) { y >>= 128; z <<= 64; }
if (y >= 1 << 64) { y >>= 64; z <<= 32; }
if (y >= 1 << 32) { y >>= 32; z <<= 16; }
if (y >= 1 << 16) { y >>= 16; z <<= 8; }
if (y >= 1 << 8) { y >>= 8; z <<= 4; }
if (y >= 1 << 4) { y >>= 4; z <<= 2; }
if (y >= 1 << 2) { z <<= 1; }
for (uint256 i = 0; i < 7; i++) z = (z + x / z) >> 1;
return z < x / z ? z : x / z;
}
}";

const HIGHEST_BIT: &str = "function highestBit(uint256 x) public pure returns (uint256 r) {
assembly (\"memory-safe\") {
r := shl(7, lt(0xffffffffffffffffffffffffffffffff, x))
r := or(r, shl(6, lt(0xffffffffffffffff, shr(r, x))))
r := or(r, shl(5, lt(0xffffffff, shr(r, x))))
r := or(r, shl(4, lt(0xffff, shr(r, x))))
r := or(r, shl(3, lt(0xff, shr(r, x))))
}
unchecked { uint256 y = x >> r; while (y > 1) { y >>= 1; r++; } }
}";

/// With half of the scale added before each division, as rates are compounded.
const POWER: &str = "function powerOf(uint256 x, uint256 n, uint256 scale) public pure returns (uint256 z) {
n %= 4096; if (scale == 0) scale = $B;
z = n % 2 != 0 ? x : scale;
uint256 half = scale / 2;
for (n /= 2; n != 0; n /= 2) {
unchecked {
uint256 square = x * x;
if (x != 0 && square / x != x) revert(\"square\");
uint256 rounded = square + half;
if (rounded < square) revert(\"rounded\");
x = rounded / scale;
if (n % 2 != 0) {
uint256 product = z * x;
if (x != 0 && product / x != z) revert(\"product\");
z = (product + half) / scale;
}
}
}
}";

/// A factor for each bit.
const GROWTH: &str = "function growth(uint256 x) public pure returns (uint256) {
unchecked {
int24 tick = int24(int256(x));
uint256 size = uint256(tick < 0 ? -int256(tick) : int256(tick));
if (size > 887272) return size;
uint256 price = size & 1 != 0 ? 0xfffcb933bd6fad37aa2d162d1a594001 : 1 << 128;
if (size & 2 != 0) price = price * ($B | 1 << 120) >> 128;
if (size & 4 != 0) price = price * 0xfff2e50f5f656932ef12357cf3c7fdcc >> 128;
if (size & 8 != 0) price = price * ($B | 1 << 127) >> 128;
if (size & 0x10 != 0) price = price * 0xffcb9843d60f6159c9db58835c926644 >> 128;
if (size & 0x40000 != 0) price = price * 0x2216e584f5fa1ea926041bedfe98 >> 128;
if (tick > 0) price = type(uint256).max / (price | 1);
return uint160((price >> 32) + (price % (1 << 32) == 0 ? 0 : 1));
}
}";

const SIGNED_SHARE: &str = "function signedShare(uint256 a, uint256 b, uint256 d) public pure returns (uint256) {
int256 x = int256(a); int256 y = int256(b); int256 z;
assembly (\"memory-safe\") {
z := mul(x, y)
if iszero(or(iszero(x), and(eq(sdiv(z, x), y), or(slt(not(0), x), sgt(y, shl(255, 1)))))) { mstore(0, $N) revert(0x1c, 4) }
}
int128 e = int128(uint128(d));
if (e == 0) return uint256(z >> $N);
unchecked { return uint256(z / e) ^ uint256(z % e) ^ uint256(int256(e) >> ($N * 8)); }
}";

const BIT_COUNTS: &str = "function bitCounts(uint256 x) public pure returns (uint256 c) {
unchecked {
uint256 all = type(uint256).max;
uint256 y = x - ((x >> 1) & (all / 3));
y = (y & (all / 15 * 3)) + ((y >> 2) & (all / 15 * 3));
y = (y + (y >> 4)) & (all / 255 * 15);
c = x == all ? 256 : (y * (all / 255)) >> 248;
uint256 lowest = x & (0 - x);
assembly (\"memory-safe\") { c := or(shl(16, c), byte(and(div(80, mod(lowest, 255)), 31), 0x0706050400030201060504030201000706050403020100070605040302010000)) }
$W low = $W(x); low = low << $N | low >> $N; c ^= uint256(low) << 32;
}
}";

const TURNED: &str = "function turned(uint256 x) public pure returns (uint256 r) {
bytes32 v = bytes32(x);
v = ((v & 0xff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00) >> 8) | ((v & 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff) << 8);
v = ((v & 0xffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000) >> 16) | ((v & 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff) << 16);
v = (v >> 128) | (v << 128);
for (uint256 i; i < 32; ++i) { unchecked { r = r * $N + uint8(v[i]); if (v[31 - i] == v[i]) r++; } }
uint64 h = uint64(r); for (uint64 i = $N; i > 0; --i) { unchecked { h = (h ^ uint64(uint8(v[i]))) * 0x100000001b3; } }
r ^= h;
}";

const COMMON: &str = "function common(uint256 a, uint256 b) public pure returns (uint256) {
uint256 rounds;
while (b != 0 && rounds < 24) { (a, b) = (b, a % b); ++rounds; }
if (b != 0) return rounds;
(int256 x, int256 y, uint256 m, uint256 n) = (0, 1, $B, a);
while (n != 0) { uint256 q = m / n; (m, n) = (n, m - n * q); unchecked { (x, y) = (y, x - y * int256(q)); } if (rounds++ > 200) break; }
return a ^ uint256(x) ^ (m << 200);
}";

const CLAMPED: &str = "function clamped(uint256 x, uint256 low, uint256 high) public pure returns (uint256) {
if (low > high) (low, high) = (high, low);
uint256 middle = (low & high) + (low ^ high) / 2;
uint256 cut = x < low ? low : x > high ? high : x;
int256 signed = int256(x) < int256(low) ? int256(low) : int256(x);
unchecked {
uint256 mask = uint256(signed >> 255);
uint256 size = (uint256(signed) + mask) ^ mask;
if (cut - low > high - cut) return middle ^ size;
uint256 raised; uint256 sum = x + middle;
assembly (\"memory-safe\") { raised := or(sum, sub(0, lt(sum, x))) }
return raised ^ (size << 1) ^ uint256($W(cut));
}
}";

const LEAP_DAY: &str = "function leapDay(uint256 x) public pure returns (uint256) {
unchecked {
int256 l = int256(x % 4000000) + 68569 + 2440588;
int256 n = 4 * l / 146097;
l = l - (146097 * n + 3) / 4;
int256 year = 4000 * (l + 1) / 1461001;
l = l - 1461 * year / 4 + 31;
int256 month = 80 * l / 2447;
int256 day = l - 2447 * month / 80;
l = month / 11;
month = month + 2 - 12 * l;
year = 100 * (n - 49) + year + l;
bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
return uint256(year * 10000 + month * 100 + day) * 2 + (leap ? 1 : 0);
}
}";
