//! The smaller of a word and a constant, handed to functions that compare it.
//!
//! Varies: how the smaller is chosen (which of the two is there first, which way round the comparison is, by `if` or
//! `switch`), the constant, the word (sizes, words of any kind, negative ones), calls that change the size of return
//! data between the comparison and the choice and before the function is called, and what functions ask: whether it
//! is below a constant, signed or not, equal to it, at most it, several of these, and what it is.
//!
//! Not taken for granted: that the constant of the function is that of the choice, that the smaller is chosen and not
//! the greater, that both sizes are of the same return data, that nobody else uses the smaller.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, maybe_guard, program, return_word};
use crate::teeth::passes_have_something_to_do;
use crate::world;

/// Each does so much that it is called from several places.
const FUNCTIONS: &str = "
function count(k) { sstore(k, add(sload(k), 1)) log1(0, 0x20, k) }
function less(p, n) -> r { if lt(n, 0x20) { count(4) mstore(0, p) revert(0, 0x20) } r := mload(and(p, 0x20)) count(p) }
function more(p, n) -> r { if gt(0x20, n) { count(5) mstore(0x20, p) r := not(p) leave } r := keccak256(0, 0x20) count(6) }
function less_signed(p, n) -> r { if slt(n, 0x20) { count(7) mstore(0, p) r := add(p, 3) leave } count(8) r := mload(0x20) }
function more_signed(p, n) -> r { if sgt(0x1f, n) { count(9) mstore(0, p) r := add(p, 4) leave } count(10) r := mload(0x20) }
function less_twice(p, n) -> r { if lt(n, 0x1f) { count(11) r := p leave } if lt(n, 0x20) { count(12) } r := keccak256(0, 0x40) }
function less_than_more(p, n) -> r { if lt(n, 0x21) { count(13) mstore(0x20, p) } r := mload(0) count(p) }
function at_most(p, n) -> r { if iszero(gt(n, 0x20)) { count(14) mstore(0x20, p) } r := mload(0) count(p) }
function equal(p, n) -> r { if eq(n, 0x20) { count(15) mstore(0x20, p) } r := mload(0) count(p) }
function both(p, n) -> r { if lt(n, 0x20) { count(16) mstore(0, p) } r := add(mload(0), n) count(p) }
function handed_on(p, n) -> r { r := less(add(p, 1), n) count(p) }
";

const NAMES: [&str; 10] = [
    "less",
    "more",
    "less_signed",
    "more_signed",
    "less_twice",
    "less_than_more",
    "at_most",
    "equal",
    "both",
    "handed_on",
];

const LIMITS: [&str; 6] = ["0x20", "0x20", "0x20", "0x1f", "0x21", "0x40"];

const WORDS: [&str; 8] = [
    "returndatasize()",
    "returndatasize()",
    "returndatasize()",
    "calldatasize()",
    "#v",
    "and(#v, 0x3f)",
    "not(#v)",
    "sub(returndatasize(), 1)",
];

/// The smaller as `#n`, in most of them: `#c` is the constant, `#w` the word, `#a` a call that may be there.
const CHOICES: [&str; 14] = [
    "let #n := #c if gt(#n, #w) { #n := #w }",
    "let #n := #c if gt(#n, #w) { #n := #w }",
    "let #n := #c if lt(#w, #n) { #n := #w }",
    "let #n := #w if lt(#c, #n) { #n := #c }",
    "let #n := #w if gt(#n, #c) { #n := #c }",
    "let #n switch gt(#c, #w) case 0 { #n := #c } default { #n := #w }",
    "let #n switch gt(#w, #c) case 0 { #n := #w } default { #n := #c }",
    "let #n := #c if lt(#n, #w) { #n := #w }",
    "let #n := #w if gt(#c, #n) { #n := #c }",
    "let #n switch lt(#w, #c) case 0 { #n := #w } default { #n := #c }",
    "let #n := #c if gt(0x20, #w) { #n := #w }",
    "let #n := #c if sgt(#n, #w) { #n := #w }",
    "let #n := #c if gt(#n, #w) { #a #n := #w }",
    "let old#n := #w #a let #n switch gt(#c, #w) case 0 { #n := #c } default { #n := old#n }",
];

/// An answer of 0 to 224 bytes.
const ASK: &str = "mstore(0, #x) pop(call(gas(), 0xe9, 0, 0, and(#v, 0x3f), 0, 0x20))";

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let picture = Picture { start: maybe_guard, special, end: return_word, functions: FUNCTIONS };
    let text = program(&mut random, &picture);
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls: world::calls(&mut random) }
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    (0..3).map(|_| handed(skeleton) + "\n").collect()
}

fn handed(skeleton: &mut Skeleton<'_>) -> String {
    let ask = |skeleton: &mut Skeleton<'_>, n| if skeleton.random.once_in(n) { ASK } else { "" };
    let (before, behind, between) = (ask(skeleton, 2), ask(skeleton, 6), ask(skeleton, 2));
    let (limit, word) = (*skeleton.random.pick(&LIMITS), *skeleton.random.pick(&WORDS));
    let word = word.replace("#v", &skeleton.variable());
    let (choice, name) = (*skeleton.random.pick(&CHOICES), *skeleton.random.pick(&NAMES));
    let choice = choice.replace("#c", limit).replace("#w", &word).replace("#a", between);
    let again = if skeleton.random.once_in(8) { "#v := add(#v, #n)" } else { "" };
    skeleton.one_of(&[&format!("{{ {before} {choice} {behind} #v := {name}(#x, #n) {again} }}")])
}

#[test]
fn passes_that_take_limits_off_have_something_to_do() {
    passes_have_something_to_do(case, &["uncap-args"], 16, 6);
}
