//! Loads that are done before loops, and where ways join.

use super::*;
use crate::testing::run_on_body;

fn after(text: &str) -> String {
    run_on_body("(%x : u256, %y : u256)", text, &[run]).1
}

/// Blocks of a printed body that load from storage, by the text before their colon, in order.
fn loading_blocks(body: &str) -> Vec<&str> {
    let mut block = "";
    let mut found = Vec::new();
    for line in body.lines() {
        if line.starts_with('^') {
            block = line.split([':', '(']).next().expect("a label");
        } else if line.contains("evm.sload") || line.contains("evm.tload") {
            found.push(block);
        }
    }
    found
}

/// A loop whose head loads from `%k`, and does this in each round.
fn with_loop(before: &str, round: &str) -> String {
    format!(
        "^e:
           %k = evm.constant 3 : u256
           %zero = evm.constant 0 : u256
           %one = evm.constant 1 : u256
           {before}
           evm.br ^head(%zero)
         ^head(%i : u256):
           %n = evm.sload %k : u256
           %c = evm.lt %i, %n : bool
           evm.condbr %c, ^round, ^end
         ^round:
           {round}
           %j = evm.add %i, %one : u256
           evm.br ^head(%j)
         ^end:
           evm.stop"
    )
}

#[test]
fn the_head_of_a_loop_finds_the_same_in_every_round() {
    for round in ["evm.mstore %i, %x", "evm.log0 %i, %x", "evm.sstore %one, %i", "evm.tstore %k, %i"] {
        assert_eq!(loading_blocks(&after(&with_loop("", round))), ["^e"], "{round}");
    }
}

#[test]
fn a_loop_that_may_change_the_word_loads_it_in_every_round() {
    let call = "%g = evm.gas : u256\n %s = evm.call %g, %x, %zero, %zero, %zero, %zero, %zero : bool";
    for round in ["evm.sstore %k, %i", "evm.sstore %x, %i", "evm.sstore %i, %x", call] {
        assert_eq!(loading_blocks(&after(&with_loop("", round))), ["^head"], "{round}");
    }
}

#[test]
fn a_key_of_the_round_is_looked_up_in_the_round() {
    let text = with_loop("", "").replace("evm.sload %k", "evm.sload %i");
    assert_eq!(loading_blocks(&after(&text)), ["^head"]);
}

#[test]
fn what_is_known_before_the_loop_is_not_loaded_again() {
    assert_eq!(loading_blocks(&after(&with_loop("evm.sstore %k, %x", ""))), [""; 0]);
}

#[test]
fn a_loop_that_a_branch_enters_gets_a_block_before_it() {
    let text = "^e:
           %k = evm.constant 3 : u256
           %zero = evm.constant 0 : u256
           evm.condbr %x, ^head(%zero), ^end
         ^head(%i : u256):
           %n = evm.tload %k : u256
           %c = evm.lt %i, %n : bool
           evm.condbr %c, ^round, ^end
         ^round:
           %j = evm.not %i : u256
           evm.br ^head(%j)
         ^end:
           evm.stop";
    let body = after(text);
    assert!(!loading_blocks(&body).contains(&"^e") && !loading_blocks(&body).contains(&"^head"), "{body}");
    assert_eq!(loading_blocks(&body).len(), 1);
}

#[test]
fn only_the_head_is_sure_to_run() {
    let text = with_loop("", "%w = evm.sload %x : u256\n evm.mstore %i, %w");
    assert_eq!(loading_blocks(&after(&text)), ["^e", "^round"]);
}

/// Two ways that join before a load from `%k`.
fn with_join(one: &str, other: &str, joined: &str) -> String {
    format!(
        "^e:
           %k = evm.constant 3 : u256
           evm.condbr %x, ^one, ^other
         ^one:
           {one}
           evm.br ^m
         ^other:
           {other}
           evm.br ^m
         ^m:
           {joined}
           %w = evm.sload %k : u256
           evm.mstore %k, %w
           evm.stop"
    )
}

#[test]
fn what_each_way_knows_is_passed_on() {
    let body = after(&with_join("evm.sstore %k, %x", "evm.sstore %k, %y", ""));
    assert_eq!(loading_blocks(&body), [""; 0], "{body}");
    assert!(body.contains("evm.br ^m(%x)") && body.contains("evm.br ^m(%y)"), "{body}");
}

#[test]
fn a_way_that_does_not_know_the_word_loads_it() {
    let body = after(&with_join("evm.sstore %k, %x", "", ""));
    assert_eq!(loading_blocks(&body), ["^other"], "{body}");
    let body = after(&with_join("evm.sstore %k, %x", "evm.sstore %y, %x", ""));
    assert_eq!(loading_blocks(&body), ["^other"], "{body}");
}

#[test]
fn where_no_way_knows_the_word_it_is_loaded_once() {
    let body = after(&with_join("", "evm.sstore %y, %x", ""));
    assert_eq!(loading_blocks(&body), ["^m"], "{body}");
}

#[test]
fn a_write_between_the_join_and_the_load_counts() {
    let call = "%g = evm.gas : u256\n %s = evm.call %g, %x, %k, %k, %k, %k, %k : bool";
    for write in ["evm.sstore %y, %x", call] {
        let body = after(&with_join("evm.sstore %k, %x", "evm.sstore %k, %y", write));
        assert_eq!(loading_blocks(&body), ["^m"], "{body}");
    }
}

#[test]
fn a_key_of_the_join_is_not_known_before_it() {
    let body = after(
        "^e:
           %k = evm.constant 3 : u256
           evm.sstore %x, %k
           evm.condbr %x, ^m(%x), ^other
         ^other:
           evm.br ^m(%y)
         ^m(%p : u256):
           %w = evm.sload %p : u256
           evm.mstore %k, %w
           evm.stop",
    );
    assert_eq!(loading_blocks(&body), ["^m"], "{body}");
}
