//! A9: an immutable is the same word everywhere in one deployed program.
//!
//! Constructors set immutables to words of the edges and of their surroundings, in any order, some
//! twice, some never read; the deployed programs read them in loops, branches, functions, around calls
//! and before reverts, whole or through masks, shifts, signs, sums, parameters and results, so that more or
//! fewer of their bits are asked for. Their upper bits are dirty. Not taken for granted: that an immutable is
//! read, is narrow, or is set once.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, code, return_word};
use crate::world;

/// Statements that ask for all bits.
const WHOLE: [&str; 10] = [
    "#v := loadimmutable(\"$i\")",
    "#v := add(#v, loadimmutable(\"$i\"))",
    "#v := sub(loadimmutable(\"$i\"), loadimmutable(\"$i\"))",
    "if eq(loadimmutable(\"$i\"), loadimmutable(\"$i\")) { #v := add(#v, 1) }",
    "if lt(#x, loadimmutable(\"$i\")) { mstore(0, loadimmutable(\"$i\")) revert(0, 0x20) }",
    "sstore(loadimmutable(\"$i\"), #x)",
    "#v := sload(loadimmutable(\"$i\"))",
    "mstore(0, loadimmutable(\"$i\"))",
    "#v := add(mload(0), iszero(loadimmutable(\"$i\")))",
    "if gt(loadimmutable(\"$i\"), #x) { #v := div(loadimmutable(\"$i\"), 3) }",
];

/// Statements that ask for some.
const PARTLY: [&str; 20] = [
    "#v := and(loadimmutable(\"$i\"), $m)",
    "#v := add(#v, and($m, loadimmutable(\"$i\")))",
    "#v := and(add(loadimmutable(\"$i\"), #x), $m)",
    "#v := and(mul(sub(#x, loadimmutable(\"$i\")), loadimmutable(\"$i\")), $m)",
    "#v := and(not(xor(loadimmutable(\"$i\"), or(#x, loadimmutable(\"$i\")))), $m)",
    "#v := shl($s, loadimmutable(\"$i\"))",
    "#v := shr($s, shl($s, loadimmutable(\"$i\")))",
    "#v := and(shr($s, loadimmutable(\"$i\")), $m)",
    "#v := and(sar($s, loadimmutable(\"$i\")), $m)",
    "#v := byte($b, loadimmutable(\"$i\"))",
    "#v := signextend($b, loadimmutable(\"$i\"))",
    "mstore8(0, loadimmutable(\"$i\"))",
    "#v := balance(loadimmutable(\"$i\"))",
    "#v := add(iszero(extcodesize(loadimmutable(\"$i\"))), iszero(extcodehash(loadimmutable(\"$i\"))))",
    "pop(call(90000, loadimmutable(\"$i\"), 0, 0, 0x20, 0, 0x20))",
    "if eq(and(loadimmutable(\"$i\"), $m), and(#x, $m)) { #v := add(#v, 1) }",
    "if lt(and(loadimmutable(\"$i\"), $m), #x) { #v := low(#x, $m) }",
    "#v := low(loadimmutable(\"$i\"), $m)",
    "#v := and(some(#x), $m)",
    "#v := and(turned(loadimmutable(\"$i\"), and(#x, 3)), $m)",
];

/// Functions that statements call: masks and loops lie behind parameters and results.
const FUNCTIONS: &str = "
function low(x, mask) -> y { y := and(x, mask) }
function some(x) -> y { switch and(x, 1) case 0 { y := loadimmutable(\"third\") } default { y := loadimmutable(\"fourth\") } }
function turned(x, n) -> y { y := x for { } n { n := sub(n, 1) } { y := shr(1, add(y, x)) } }
";

const NAMES: [&str; 4] = ["one", "other", "third", "fourth"];

const MASKS: [&str; 9] = [
    "1",
    "0xff",
    "0x1ff",
    "0xff00",
    "0xffffffff",
    "0x1ffffffff",
    "sub(shl(160, 1), 1)",
    "sub(shl(161, 1), 1)",
    "not(0xff)",
];

const SHIFTS: [&str; 9] = ["0", "1", "8", "95", "96", "97", "224", "248", "256"];

const BYTES: [&str; 8] = ["0", "3", "11", "12", "19", "30", "31", "32"];

/// What a program does that is called by itself: were it to call on, gas alone would end that.
const LEAF: &str = "if lt(calldatasize(), 0x41) {
    mstore(0, add(loadimmutable(\"one\"), loadimmutable(\"other\"))) return(0, 0x20)
}";

const VALUES: [&str; 13] = [
    "0",
    "1",
    "0xff",
    "0x100",
    "not(0)",
    "shl(255, 1)",
    "caller()",
    "address()",
    "timestamp()",
    "0xe1",
    "or(shl(160, timestamp()), address())",
    "or(shl(161, 5), caller())",
    "or(shl(8, not(0)), 0x12)",
];

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    // Both objects have frames, or neither.
    let (start, at): (fn(&mut Skeleton<'_>) -> String, _) = match random.below(4) {
        0 => (|_| LEAF.to_owned(), "0"),
        1 => (|_| LEAF.to_owned(), "0x60"),
        _ => (|_| format!("mstore(0x40, memoryguard(0x80))\n{LEAF}"), "memoryguard(0x80)"),
    };
    let body = code(&mut random, &Picture { start, special, end: return_word, functions: FUNCTIONS });
    let set = |random: &mut Random, name| format!("setimmutable(at, \"{name}\", {})\n", random.pick(&VALUES));
    let mut sets = NAMES.map(|name| set(&mut random, name));
    if random.once_in(2) {
        sets.reverse();
    }
    let again = if random.once_in(3) { set(&mut random, "one") } else { String::new() };
    let text = format!(
        "object \"a\" {{ code {{ let at := {at} let size := datasize(\"b\")\ndatacopy(at, dataoffset(\"b\"), size)\n{}{again}return(at, size) }}\n\
         object \"b\" {{ code {{\n{body}}} }} }}\n",
        sets.concat()
    );
    Case { text, role: Role::Creation, to: world::CONTRACT, calls: world::calls(&mut random) }
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    // Only some immutables are asked for whole, so that the others stay narrow.
    let (statements, names) =
        if skeleton.random.once_in(5) { (&WHOLE[..], &NAMES[..2]) } else { (&PARTLY[..], &NAMES[1..]) };
    let mut text = skeleton.one_of(statements);
    for (hole, choices) in [("$i", names), ("$m", &MASKS), ("$s", &SHIFTS), ("$b", &BYTES)] {
        while let Some(at) = text.find(hole) {
            text.replace_range(at..at + hole.len(), skeleton.random.pick::<&str>(choices));
        }
    }
    text
}
