//! A9: an immutable is the same word everywhere in one deployed program.
//!
//! Constructors set immutables to words of the edges and of their surroundings, in any order, some
//! twice, some never read; the deployed programs read them in loops, branches, functions, around calls
//! and before reverts. Not taken for granted: that an immutable is read, is narrow, or is set once.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, code, return_word};
use crate::world;

const STATEMENTS: [&str; 10] = [
    "#v := loadimmutable(\"one\")",
    "#v := add(#v, loadimmutable(\"other\"))",
    "#v := sub(loadimmutable(\"one\"), loadimmutable(\"one\"))",
    "if eq(loadimmutable(\"one\"), loadimmutable(\"other\")) { #v := add(#v, 1) }",
    "if lt(#x, loadimmutable(\"other\")) { mstore(0, loadimmutable(\"one\")) revert(0, 0x20) }",
    "sstore(loadimmutable(\"one\"), #x)",
    "#v := sload(loadimmutable(\"other\"))",
    "pop(call(90000, loadimmutable(\"one\"), 0, 0, 0x20, 0, 0x20))",
    "mstore(0, loadimmutable(\"other\"))",
    "#v := add(mload(0), and(loadimmutable(\"one\"), 0xff))",
];

/// What a program does that is called by itself: were it to call on, gas alone would end that.
const LEAF: &str = "if lt(calldatasize(), 0x41) {
    mstore(0, add(loadimmutable(\"one\"), loadimmutable(\"other\"))) return(0, 0x20)
}";

const VALUES: [&str; 10] =
    ["0", "1", "0xff", "0x100", "not(0)", "shl(255, 1)", "caller()", "address()", "timestamp()", "0xe1"];

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    // Both objects have frames, or neither.
    let (start, at): (fn(&mut Skeleton<'_>) -> String, _) = match random.below(4) {
        0 => (|_| LEAF.to_owned(), "0"),
        1 => (|_| LEAF.to_owned(), "0x60"),
        _ => (|_| format!("mstore(0x40, memoryguard(0x80))\n{LEAF}"), "memoryguard(0x80)"),
    };
    let body = code(&mut random, &Picture { start, special, end: return_word, functions: "" });
    let set = |random: &mut Random, name| format!("setimmutable(at, \"{name}\", {})\n", random.pick(&VALUES));
    let mut sets = [set(&mut random, "one"), set(&mut random, "other")];
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
    skeleton.one_of(&STATEMENTS)
}
