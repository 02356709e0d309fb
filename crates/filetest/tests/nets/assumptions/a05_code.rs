//! A5: where code lies is seen only by those who ask; what is data stays as it is.
//!
//! Objects with data that look like code, like each other, like nothing, or are empty, and with an
//! inner object that is created and run. Programs copy data in parts, by `datacopy`, `codecopy` and
//! `extcodecopy`, and ask only what holds for every layout: nothing is known of bytes that are not of
//! the data named, nor whether empty data lies within the code or behind it. Not taken for granted:
//! that data is at the end, in order, once, or aligned.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, code};
use crate::world;

const DATA: [&str; 7] = [
    "hex\"5b5b5b5b6000565b00fe\"",
    "hex\"\"",
    "\"text of more than a word, so that it does not fit into a push\"",
    "hex\"5b5b5b5b6000565b00fe\"",
    "hex\"7f\"",
    "hex\"00\"",
    "hex\"600160005500600160005500600160005500\"",
];

const STATEMENTS: [&str; 13] = [
    "datacopy(0, dataoffset(\"d\"), datasize(\"d\"))",
    "datacopy(0, dataoffset(\"e\"), datasize(\"e\"))",
    "codecopy(0x10, dataoffset(\"e\"), datasize(\"e\"))",
    "codecopy(0, add(dataoffset(\"d\"), and(#v, 3)), mul(2, gt(datasize(\"d\"), 4)))",
    "extcodecopy(address(), 0x20, dataoffset(\"d\"), datasize(\"d\"))",
    "#v := add(#v, datasize(\"d\"))",
    "#v := add(#v, lt(codesize(), dataoffset(\"d\")))",
    "#v := gt(add(dataoffset(\"e\"), datasize(\"e\")), codesize())",
    "#v := eq(codesize(), extcodesize(address()))",
    "mstore(0, #x)",
    "#v := keccak256(0, 0x40)",
    "#v := mload(and(#v, 0x1f))",
    "#v := inner()",
];

const FUNCTIONS: &str = "function inner() -> seen {
    datacopy(0x60, dataoffset(\"b\"), datasize(\"b\"))
    let made := create(0, 0x60, datasize(\"b\"))
    seen := add(extcodesize(made), shr(1, extcodehash(made)))
    mcopy(0x60, 0x3000, 0x1000)
}";

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let picture = Picture { start: |_| String::new(), special, end, functions: FUNCTIONS };
    let body = code(&mut random, &picture);
    let (one, other) = (*random.pick(&DATA), *random.pick(&DATA));
    let inner = "code { datacopy(0, dataoffset(\"c\"), datasize(\"c\")) mstore(0x20, 0x5b) return(0, 0x30) } data \"c\" hex\"5b00\"";
    let text = format!(
        "object \"a\" {{ code {{\n{body}}}\ndata \"d\" {one}\nobject \"b\" {{ {inner} }}\ndata \"e\" {other}\n}}\n"
    );
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls: world::calls(&mut random) }
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}

fn end(_: &mut Skeleton<'_>) -> String {
    "return(0, 0x60)".to_owned()
}
