//! Rows of comparisons of one number, which some ways come to with a constant: what libraries do with a kind of
//! error, and states of machines.
//!
//! Each program has functions that choose a kind and a word on ways through branches, and functions that compare the
//! kind with one number after the other. Varies: how the kind is compared (`eq`, `lt`, `gt`, `switch`), what stands
//! between two comparisons (stores, logs, changes of the kind and of the word), how a row ends (a word, a failure,
//! `leave`), whether it stands in a loop, how many ways come with a constant, and whether a function is called with
//! constants.
//!
//! Not taken for granted: that the kind is one of the numbers that are compared, that it stays what it was from one
//! comparison to the next, that what a block of the row computes is used in that block alone.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::teeth::passes_have_something_to_do;
use crate::ways::{branch, rounds};
use crate::world;
use cairn_exec::{Message, U256};

/// Kinds are below this, most of the time.
const KINDS: usize = 5;
/// Functions that choose, and as many that compare.
const FUNCTIONS: usize = 2;
/// Calls of each program.
const CALLS: usize = 8;

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..random.between(1, 3) {
        text += &call(&mut random);
    }
    for index in 0..FUNCTIONS {
        let chosen = assignments(&mut random, 2);
        text += &format!("function choose{index}(x, y) -> kind, n {{\n{chosen}}}\n");
        let row = row(&mut random);
        text += &format!("function row{index}(kind, n) -> r {{\n{row}}}\n");
    }
    let calls = (0..CALLS).map(|_| world::words(&[word(&mut random), word(&mut random), word(&mut random)]));
    let calls: Vec<Message> = calls.collect();
    Case { text: format!("{{\n{text}}}\n"), role: Role::Runtime, to: world::CONTRACT, calls }
}

/// Small words more often than others.
fn word(random: &mut Random) -> U256 {
    match random.below(3) {
        0 => world::edge(random),
        _ => U256::from(random.below(KINDS + 1)),
    }
}

/// Chooses, compares, and keeps what comes of it.
fn call(random: &mut Random) -> String {
    let (choose, row, other) = (random.below(FUNCTIONS), random.below(FUNCTIONS), random.below(FUNCTIONS));
    let known = random.below(KINDS);
    let more = *random.pick(&["", "r := add(r, row#o(#k, n))", "r := add(r, row#o(kind, #k))"]);
    let more = more.replace("#o", &other.to_string()).replace("#k", &known.to_string());
    format!(
        "{{ let kind, n := choose{choose}(calldataload(0), calldataload(0x20))
        let r := row{row}(kind, n) {more}
        sstore(7, add(mul(sload(7), 31), r)) mstore(0, sload(7)) }}\n"
    ) + *random.pick(&["", "", "if calldataload(0x40) { return(0, 0x20) }\n"])
}

/// A word of a function that chooses.
fn value(random: &mut Random) -> String {
    let names = ["x", "y", "kind", "n", "calldataload(0x40)"];
    let name = *random.pick(&names);
    match random.below(5) {
        0 => format!("add({name}, {})", random.pick(&names)),
        1 => format!("lt({name}, {})", random.pick(&names)),
        2 => format!("and({name}, 3)"),
        3 => format!("eq({name}, {})", random.below(KINDS)),
        _ => name.to_owned(),
    }
}

/// Statements that choose a kind and a word.
fn assignments(random: &mut Random, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.between(1, 3) {
        text += &match random.below(4) {
            0 if depth > 0 => {
                let end = *random.pick(&["", "", "leave"]);
                let test = value(random);
                branch(&test, &format!("{}{end} ", assignments(random, depth - 1))) + "\n"
            }
            1 if depth > 0 => {
                let mut way = || assignments(random, depth - 1);
                let (zero, one, other) = (way(), way(), way());
                let by = value(random);
                format!("switch {by} case 0 {{\n{zero}}} case 1 {{\n{one}}} default {{\n{other}}}\n")
            }
            2 => format!("n := {}\n", value(random)),
            _ if random.below(4) > 0 => format!("kind := {}\n", random.below(KINDS)),
            _ => format!("kind := {}\n", value(random)),
        };
    }
    text
}

/// Comparisons one behind the other, maybe in a loop.
fn row(random: &mut Random) -> String {
    let mut text = String::new();
    for index in 0..random.between(2, 5) {
        let between = ["", "", "sstore(9, add(sload(9), n))\n", "let #h := mul(n, 3) r := xor(r, #h)\n"];
        text += &random.pick(&between).replace("#h", &format!("h{index}"));
        let taken = taken(random);
        let kind = random.below(KINDS);
        let test = match random.below(6) {
            0 => "lt",
            1 => "gt",
            2 => {
                let next = (kind + 1) % KINDS;
                text += &format!(
                    "switch kind case {kind} {{ {taken} }} case {next} {{ r := 3 }} default {{ n := add(n, r) }}\n"
                );
                continue;
            }
            _ => "eq",
        };
        text += &(branch(&format!("{test}(kind, {kind})"), &taken) + "\n");
    }
    if random.once_in(4) {
        let (kind, body) = (random.below(KINDS), text.replace("leave", "break"));
        text = rounds("i", 3, &format!("{body}kind := {kind}\n")) + "\n";
    }
    text
}

/// What is done where a comparison holds.
fn taken(random: &mut Random) -> String {
    let templates = [
        "sstore(#k, n)",
        "r := add(r, n)",
        "mstore(0, kind) log1(0, 0x20, n)",
        "revert(0, 0)",
        "mstore(0, shl(224, #k)) mstore(4, n) revert(0, 0x24)",
        "kind := #k",
        "n := add(n, 1)",
        "r := #k leave",
        "leave",
    ];
    random.pick(&templates).replace("#k", &random.below(KINDS).to_string())
}

#[test]
fn rows_are_decided() {
    passes_have_something_to_do(case, &["thread-branches"], 40, 2);
}
