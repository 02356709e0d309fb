//! Programs that change state, run where they may not: below a `STATICCALL`.
//!
//! There each operation that changes state is a halt that takes all gas, so whether it is executed is
//! seen: by the caller, who has bounded the gas, looks whether all of it is gone, and goes on. Calls
//! come through probers ([`world`]): directly, through another contract that was called statically, as
//! library code, and not statically at all.
//!
//! Varies: the operation (storage, transient storage, logs, creations, calls with wei, calls of
//! contracts that write, `selfdestruct`), whether it is needed (overwritten, written back, equal to
//! what is there, before a revert), and where it stands: branches, loops, functions, behind and before
//! checks that revert.
//!
//! Not taken for granted: that a frame may write; that nobody sees what happened before a revert; that
//! a store that changes nothing does nothing.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, maybe_guard, program};
use crate::world;

/// Whom calls go to, the usual case more often.
const CALLERS: [cairn_exec::Address; 7] = [
    world::STATIC_PROBER,
    world::STATIC_PROBER,
    world::STATIC_PROBER,
    world::STATIC_TO_CALL,
    world::STATIC_TO_CALL,
    world::STATIC_TO_DELEGATE,
    world::CALL_PROBER,
];

/// Its creation code is `revert(0, 1)`. Were an account left behind, creating it again with the same salt
/// would take all gas but 1/64, and so little would be left that builds differ by what they cost alone.
const FAILED_CREATE2: &str = "mstore(0x20, shl(224, 0x60015ffd)) pop(create2(0, 0x20, 4, #x))";

/// Operations that change state, or are forbidden as if they did. 227 is [`world::COUNTER`].
const EFFECTS: [&str; 27] = [
    "sstore(0, #x)",
    "sstore(1, #x)",
    "sstore(#v, #x)",
    "sstore(and(#v, 1), #x)",
    "sstore(1, sload(1))",
    "{ let #n := sload(#v) sstore(#v, #n) }",
    "sstore(2, #x) sstore(2, #x)",
    "if #t { sstore(2, #x) } sstore(2, #x)",
    "{ let #n := sload(0) sstore(0, #x) sstore(0, #n) }",
    "tstore(0, #x)",
    "tstore(1, #x)",
    "tstore(0, tload(0))",
    "tstore(0, #x) tstore(0, 0)",
    "log0(0, 0x20)",
    "log1(0, 0, #x)",
    "log2(0x20, 1, #x, #x)",
    "log4(mload(0x40), 0x20, #x, #x, #x, 1)",
    "#v := iszero(create(0, 0, 0))",
    FAILED_CREATE2,
    "pop(call(50000, 0x1234, and(#v, 1), 0, 0, 0, 0))",
    "#v := call(50000, origin(), 1, 0, 0, 0, 0)",
    "#v := call(60000, 227, 0, 0, 0, 0, 0x20)",
    "pop(delegatecall(60000, 227, 0, 0, 0, 0))",
    "pop(callcode(60000, 227, 0, 0, 0, 0, 0))",
    "pop(callcode(60000, 227, 1, 0, 0, 0, 0))",
    "if #t { selfdestruct(#v) }",
    "if #t { sstore(3, 1) tstore(3, 1) }",
];

/// What does not change state.
const OTHERS: [&str; 9] = [
    "#v := sload(0)",
    "#v := sload(#v)",
    "#v := tload(0)",
    "mstore(0x20, #x)",
    "mstore(mload(0x40), #x)",
    "#v := returndatasize()",
    "#v := selfbalance()",
    "pop(staticcall(gas(), 4, 0, 0x20, 0x20, 0x20))",
    "#v := mload(0)",
];

const ENDS: [&str; 9] = [
    "revert(0, 0)",
    "mstore(0, #x) revert(0, 0x20)",
    "mstore(0, #x) revert(0, 0x20)",
    "mstore(0, shl(224, 0x4e487b71)) mstore(4, #x) revert(0, 0x24)",
    "invalid()",
    "stop()",
    "mstore(0, #x) return(0, 0x20)",
    "mstore(0, #x) return(0, 0x20)",
    "return(0x20, 0x20)",
];

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random, &Picture { start: maybe_guard, special, end, functions: "" });
    let to = *random.pick(&CALLERS);
    // The skeleton ends in a store that would be the only thing seen.
    let last = text.rfind("sstore(50").filter(|_| !random.once_in(4));
    let text =
        last.map_or(text.clone(), |at| format!("{}pop({}", &text[..at], &text[at + "sstore(50, ".len()..]));
    Case { text, role: Role::Runtime, to, calls: world::calls(&mut random) }
}

pub(crate) fn special(skeleton: &mut Skeleton<'_>) -> String {
    match skeleton.random.below(10) {
        0..5 => skeleton.one_of(&EFFECTS),
        5..8 => {
            let (test, end) = (skeleton.test(), end(skeleton));
            format!("if {test} {{ {end} }}")
        }
        _ => skeleton.one_of(&OTHERS),
    }
}

pub(crate) fn end(skeleton: &mut Skeleton<'_>) -> String {
    let effect = if skeleton.random.once_in(3) { skeleton.one_of(&EFFECTS) } else { String::new() };
    format!("{effect} {}", skeleton.one_of(&ENDS))
}
