//! Words that need not be loaded or computed again: storage that loops load in each round and that ways know where
//! they join, and calls whose arguments are constants.
//!
//! Varies: where a word is (constant keys, hashes, elements behind a hash, keys from the input; storage and transient
//! storage), which part of a loop loads it (the test at its head, the body, the end of a round), what is changed
//! between (the same key, one that may be the same, one that is another; by stores, by functions, by code of others
//! that is run on the same storage), and what each way to a join has done before. Functions are called with constants
//! and with words: loops, recursion, some that fail, some that look at storage.
//!
//! Not taken for granted: that a loop runs at all, that a way was taken, that a key is not another one, that a
//! function comes back.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, maybe_guard, program, return_word};
use crate::teeth::passes_have_something_to_do;
use crate::world;

const CALLERS: [cairn_exec::Address; 5] =
    [world::CONTRACT, world::CONTRACT, world::CONTRACT, world::STATIC_PROBER, world::CALL_PROBER];

const FUNCTIONS: &str = "
function hash(k) -> r { mstore(0, k) r := keccak256(0, 0x20) }
function power(b, e) -> r { r := 1 for { } e { e := shr(1, e) } { if and(e, 1) { r := mul(r, b) } b := mul(b, b) } }
function factorial(n) -> r { r := 1 for { } gt(n, 1) { n := sub(n, 1) } { r := mul(r, n) } }
function fibonacci(n) -> r { switch lt(n, 2) case 0 { r := add(fibonacci(sub(n, 1)), fibonacci(sub(n, 2))) } default { r := n } }
function half(n) -> r { if and(n, 1) { mstore(0, n) revert(0, 0x20) } r := shr(1, n) }
function kind(n) -> r, s { switch and(n, 3) case 0 { r := 7 } case 1 { r := not(n) s := 1 } default { s := shl(250, n) } }
function check(n) -> r { if gt(n, 9) { revert(0, 0) } r := n }
function keep(n) -> r { mstore(0x20, n) r := n }
function peek(n) -> r { r := n if gt(n, 3) { r := sload(and(n, 3)) } }
function bump(k) { sstore(k, add(sload(k), 1)) }
function all_ones() -> r { r := not(0) }
";

/// Keys, those of a constant more often; 227 is [`world::COUNTER`], which writes at 0.
const KEYS: [&str; 9] =
    ["0", "0", "1", "2", "hash(1)", "add(hash(1), and(#v, 3))", "add(hash(2), 1)", "and(#v, 1)", "#v"];

const CONSTANT_CALLS: [&str; 17] = [
    "#v := add(#v, check(7))",
    "if #t { #v := add(#v, check(10)) }",
    "{ #v := keep(5) #v := add(#v, mload(0x20)) }",
    "#v := power(3, 5)",
    "#v := add(#v, power(10, 18))",
    "#v := power(power(2, 3), 2)",
    "#v := factorial(6)",
    "#v := xor(#v, factorial(fibonacci(5)))",
    "#v := fibonacci(7)",
    "#v := fibonacci(and(#v, 3))",
    "#v := half(14)",
    "if #t { #v := half(7) }",
    "#v := half(shl(1, #v))",
    "{ let #n, #n_ := kind(6) #v := add(#n, #n_) }",
    "{ let #n, #n_ := kind(1) #v := add(#v, xor(#n, #n_)) }",
    "#v := peek(power(2, 3))",
    "#v := and(all_ones(), peek(3))",
];

const WRITES: [&str; 9] = [
    "sstore(#k, #x)",
    "sstore(#k, #x)",
    "sstore(#k, and(#x, 3))",
    "tstore(#k, and(#x, 3))",
    "sstore(#k, sload(#k))",
    "bump(#k)",
    "pop(delegatecall(60000, 227, 0, 0, 0, 0))",
    "pop(call(60000, 227, 0, 0, 0, 0, 0))",
    "#v := sload(#k)",
];

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let picture = Picture { start, special, end: return_word, functions: FUNCTIONS };
    let text = program(&mut random, &picture);
    let to = *random.pick(&CALLERS);
    Case { text, role: Role::Runtime, to, calls: world::calls(&mut random) }
}

/// Stores of which nobody knows where, so that loops have rounds.
fn start(skeleton: &mut Skeleton<'_>) -> String {
    let guard = maybe_guard(skeleton);
    format!(
        "{guard}\n{{ let k := calldataload(0x40) sstore(and(k, 3), 3) sstore(and(add(k, 1), 3), 2) tstore(and(k, 1), 2) }}"
    )
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    match skeleton.random.below(12) {
        0..4 => looked_up_in_rounds(skeleton),
        4..7 => known_on_ways(skeleton),
        7..9 => skeleton.one_of(&CONSTANT_CALLS),
        _ => write(skeleton, "1"),
    }
}

fn key(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.one_of(&KEYS)
}

/// A load of a key.
fn load(skeleton: &mut Skeleton<'_>, key: &str) -> String {
    let op = if skeleton.random.once_in(4) { "tload" } else { "sload" };
    format!("{op}({key})")
}

/// A write to this key, or to another.
fn write(skeleton: &mut Skeleton<'_>, likely: &str) -> String {
    let template = (*skeleton.random.pick(&WRITES)).to_owned();
    let first = if skeleton.random.once_in(2) { likely.to_owned() } else { key(skeleton) };
    let second = key(skeleton);
    let text = template.replacen("#k", &first, 1).replace("#k", &second);
    skeleton.one_of(&[&text])
}

/// Some writes, of which each goes to this key or to another.
fn few(skeleton: &mut Skeleton<'_>, likely: &str) -> String {
    (0..skeleton.random.below(3)).map(|_| write(skeleton, likely) + "\n").collect()
}

/// A loop that loads a key in each round; each ends after three rounds at most.
fn looked_up_in_rounds(skeleton: &mut Skeleton<'_>) -> String {
    let (counter, variable, test) = (skeleton.fresh("i"), skeleton.variable(), skeleton.test());
    let key = key(skeleton);
    let load = load(skeleton, &key);
    let before = if skeleton.random.once_in(3) { few(skeleton, &key) } else { String::new() };
    let body = few(skeleton, &key);
    let next = format!("{counter} := add({counter}, 1)");
    match skeleton.random.below(5) {
        0 | 1 => format!(
            "{before} for {{ let {counter} := 0 }} lt({counter}, and({load}, 3)) {{ {next} }} {{ {body} \
             {variable} := add({variable}, {counter}) }}"
        ),
        2 => format!(
            "{before} for {{ let {counter} := 0 }} lt({counter}, 3) {{ {next} }} {{ {variable} := add({variable}, {load}) \
             {body} }}"
        ),
        3 => format!(
            "for {{ let {counter} := 0 }} 1 {{ {next} }} {{ {variable} := xor({variable}, {load}) \
             if gt({counter}, 1) {{ break }} {body} }}"
        ),
        _ => format!(
            "if {test} {{ for {{ let {counter} := 0 }} lt({counter}, and({load}, 3)) {{ {next} {body} }} {{ \
             if {test} {{ {variable} := {load} continue }} }} }}"
        ),
    }
}

/// Ways that know a word or do not, and what loads it where they join.
fn known_on_ways(skeleton: &mut Skeleton<'_>) -> String {
    let key = key(skeleton);
    let load = load(skeleton, &key);
    let test = skeleton.test();
    let mut way = || {
        let (variable, value, more) = (skeleton.variable(), skeleton.value(), few(skeleton, "2"));
        match skeleton.random.below(6) {
            0 | 1 => format!("sstore({key}, {value})"),
            2 => format!("{variable} := {load}"),
            3 => format!("tstore({key}, {value}) {more}"),
            4 => String::new(),
            _ => more,
        }
    };
    let (one, other) = (way(), way());
    let between = if skeleton.random.once_in(3) { few(skeleton, &key) } else { String::new() };
    let variable = skeleton.variable();
    format!(
        "switch {test} case 0 {{ {one} }} default {{ {other} }} {between} {variable} := add({variable}, {load})"
    )
}

#[test]
fn passes_that_keep_words_have_something_to_do() {
    passes_have_something_to_do(case, &["forward", "evaluate-calls"], 120, 10);
}
