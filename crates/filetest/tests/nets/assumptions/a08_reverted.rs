//! A8: what a path writes before it reverts is not observable, unless writing is forbidden.
//!
//! Programs call themselves and then look at all that the inner frame could have written, which
//! reverts behind effects, under checks and in functions. The net `statics` calls such programs where
//! writing is forbidden. Not taken for granted: that the frame that reverts is the outermost one.

use crate::harness::Case;
use crate::skeleton::{Picture, Skeleton, return_word};
use crate::statics;

const LOOKS: [&str; 8] = [
    "pop(call(700000, address(), 1, 0, and(#x, 0x40), 0, 0x20)) #v := add(#v, mload(0))",
    "#v := call(700000, address(), 0, 0, 0x20, 0, 0x20)",
    "#v := delegatecall(700000, address(), 0, 0x40, 0, 0x20)",
    "#v := add(sload(0), mul(sload(1), 3))",
    "#v := add(tload(0), mul(tload(1), 3))",
    "#v := add(selfbalance(), balance(0x1234))",
    "#v := add(sload(2), sload(3))",
    "mstore(0, #x)",
];

pub(crate) fn case(seed: u64) -> Case {
    super::runtime(seed, &Picture { start, special, end: return_word, functions: "" })
}

fn start(skeleton: &mut Skeleton<'_>) -> String {
    let guard = crate::skeleton::maybe_guard(skeleton);
    let mut body =
        "let v0 := calldataload(0) let v1 := calldataload(0x20) let v2 := callvalue()\n".to_owned();
    for _ in 0..skeleton.random.between(1, 4) {
        body += &statics::special(skeleton);
    }
    body += &statics::end(skeleton);
    format!("{guard}\nif lt(calldatasize(), 0x41) {{ {body} }}")
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    if skeleton.random.once_in(4) { statics::special(skeleton) } else { skeleton.one_of(&LOOKS) }
}
