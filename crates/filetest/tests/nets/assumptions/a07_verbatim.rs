//! A7: `verbatim` does anything and sees everything but frames and the stack below its operands.
//!
//! The bytes read and write storage, memory, transient storage and return data, hash, log, ask for the
//! size of memory, call, and end the frame; equal ones stand next to each other. Not taken for granted:
//! that equal bytes give equal words, that bytes whose results nobody uses may go or move.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, maybe_guard, return_word};

const STATEMENTS: [&str; 19] = [
    "#v := verbatim_1i_1o(hex\"54\", 0)",
    "#v := verbatim_1i_1o(hex\"54\", #x)",
    "verbatim_2i_0o(hex\"55\", 0, #x)",
    "verbatim_2i_0o(hex\"55\", #v, #x)",
    "verbatim_0i_0o(hex\"600154600101600155\")",
    "#v := verbatim_1i_1o(hex\"51\", 0)",
    "verbatim_2i_0o(hex\"52\", 0x20, #x)",
    "verbatim_2i_0o(hex\"53\", 0x1f, #x)",
    "#v := verbatim_2i_1o(hex\"20\", 0, 0x40)",
    "#v := add(verbatim_0i_1o(hex\"5f54600101805f55\"), verbatim_0i_1o(hex\"5f54600101805f55\"))",
    "pop(verbatim_0i_1o(hex\"5f54600101805f55\"))",
    "#v := verbatim_2i_1o(hex\"03\", #x, #x)",
    "if #t { verbatim_0i_0o(hex\"5f5ffd\") }",
    "if #t { verbatim_0i_0o(hex\"00\") }",
    "verbatim_0i_0o(hex\"60205fa0\")",
    "sstore(0, #x)",
    "#v := sload(0)",
    "mstore(0, #x)",
    "#v := add(mload(0), mload(0x20))",
];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start: maybe_guard, special, end: return_word, functions: "" })
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&STATEMENTS)
}
