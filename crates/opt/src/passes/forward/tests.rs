//! Programs before and after the pass.

use super::*;
use crate::testing::{body, lines, parse, run_on_body, run_on_module};
use cairn_ir::Func;

/// A function after the pass.
pub(super) fn after(text: &str) -> String {
    run_on_body("(%x : u256, %y : u256)", text, &[run]).1
}

/// Labels of the blocks of a printed body that load from storage, one for each load.
pub(super) fn loading_blocks(body: &str) -> Vec<&str> {
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

#[track_caller]
fn check(text: &str, expected: &str) {
    let (changed, after) = run_on_body("(%x : u256, %y : u256)", text, &[run]);
    assert_eq!(after, lines(expected));
    assert_eq!(changed, Changed::from(lines(text) != lines(expected)));
}

#[test]
fn what_was_stored_is_not_loaded() {
    check(
        "^e:
           evm.sstore %x, %y
           evm.mstore %y, %x
           %a = evm.sload %x : u256
           %b = evm.mload %y : u256
           evm.sstore %a, %b
           evm.stop",
        "^e:
           evm.sstore %x, %y
           evm.mstore %y, %x
           evm.sstore %y, %x
           evm.stop",
    );
}

#[test]
fn unknown_stores_forget_their_space_only() {
    check(
        "^e:
           %k = evm.constant 64 : u256
           %m = evm.mload %k : u256
           %s = evm.sload %k : u256
           evm.mstore %x, %y
           %n = evm.mload %k : u256
           %t = evm.sload %k : u256
           evm.log1 %m, %n, %s
           evm.log1 %m, %n, %t
           evm.stop",
        "^e:
           %k = evm.constant 64 : u256
           %m = evm.mload %k : u256
           %s = evm.sload %k : u256
           evm.mstore %x, %y
           %n = evm.mload %k : u256
           evm.log1 %m, %n, %s
           evm.log1 %m, %n, %s
           evm.stop",
    );
}

#[test]
fn places_of_one_base_are_told_apart_by_their_constants() {
    check(
        "^e:
           %a = evm.constant 32 : u256
           %b = evm.constant 64 : u256
           %c = evm.constant 63 : u256
           %p = evm.add %x, %a : u256
           %q = evm.add %x, %b : u256
           %r = evm.add %c, %x : u256
           evm.mstore %p, %y
           evm.mstore %q, %x
           %1 = evm.mload %p : u256
           evm.mstore %r, %y
           %2 = evm.mload %p : u256
           evm.log2 %a, %a, %1, %2
           evm.stop",
        "^e:
           %a = evm.constant 32 : u256
           %b = evm.constant 64 : u256
           %c = evm.constant 63 : u256
           %p = evm.add %x, %a : u256
           %q = evm.add %x, %b : u256
           %r = evm.add %c, %x : u256
           evm.mstore %p, %y
           evm.mstore %q, %x
           evm.mstore %r, %y
           %0 = evm.mload %p : u256
           evm.log2 %a, %a, %y, %0
           evm.stop",
    );
}

#[test]
fn a_store_of_what_is_there_goes() {
    check(
        "^e:
           evm.log0 %x, %x
           %a = evm.sload %x : u256
           evm.sstore %x, %a
           evm.mstore %x, %y
           evm.mstore %x, %y
           evm.stop",
        "^e:
           evm.log0 %x, %x
           %a = evm.sload %x : u256
           evm.mstore %x, %y
           evm.stop",
    );
}

#[test]
fn the_first_change_of_the_state_stays() {
    check(
        "^e:
           %a = evm.sload %x : u256
           %b = evm.tload %x : u256
           evm.sstore %x, %a
           evm.sstore %x, %a
           evm.tstore %x, %b
           evm.stop",
        "^e:
           %a = evm.sload %x : u256
           %b = evm.tload %x : u256
           evm.sstore %x, %a
           evm.stop",
    );
}

#[test]
fn a_call_of_another_contract_forgets_storage_and_its_output() {
    check(
        "^e:
           %z = evm.constant 0 : u256
           %w = evm.constant 32 : u256
           evm.mstore %z, %x
           evm.mstore %w, %y
           evm.sstore %x, %y
           %s = evm.call %x, %y, %z, %z, %w, %z, %w : bool
           %a = evm.mload %z : u256
           %b = evm.mload %w : u256
           %c = evm.sload %x : u256
           evm.log3 %z, %z, %a, %b, %c
           evm.stop",
        "^e:
           %z = evm.constant 0 : u256
           %w = evm.constant 32 : u256
           evm.mstore %z, %x
           evm.mstore %w, %y
           evm.sstore %x, %y
           %s = evm.call %x, %y, %z, %z, %w, %z, %w : bool
           %a = evm.mload %z : u256
           %c = evm.sload %x : u256
           evm.log3 %z, %z, %a, %y, %c
           evm.stop",
    );
}

#[test]
fn merges_keep_what_all_ways_agree_on() {
    check(
        "^e:
           %a = evm.sload %x : u256
           %k = evm.tload %x : u256
           evm.condbr %y, ^b, ^c
         ^b:
           evm.sstore %y, %x
           evm.br ^d
         ^c:
           evm.br ^d
         ^d:
           %b = evm.sload %x : u256
           %l = evm.tload %x : u256
           evm.log4 %x, %y, %a, %b, %k, %l
           evm.stop",
        "^e:
           %a = evm.sload %x : u256
           %k = evm.tload %x : u256
           evm.condbr %y, ^b, ^c
         ^b:
           evm.sstore %y, %x
           %0 = evm.sload %x : u256
           evm.br ^d(%0)
         ^c:
           evm.br ^d(%a)
         ^d(%1 : u256):
           evm.log4 %x, %y, %a, %1, %k, %k
           evm.stop",
    );
}

#[test]
fn loops_keep_what_they_do_not_write() {
    check(
        "^e:
           %a = evm.sload %x : u256
           %m = evm.mload %x : u256
           evm.br ^loop
         ^loop:
           %b = evm.sload %x : u256
           %n = evm.mload %x : u256
           evm.mstore %y, %b
           evm.condbr %n, ^loop, ^done
         ^done:
           evm.log2 %x, %x, %a, %m
           evm.stop",
        "^e:
           %a = evm.sload %x : u256
           %m = evm.mload %x : u256
           evm.br ^loop
         ^loop:
           %n = evm.mload %x : u256
           evm.mstore %y, %a
           evm.condbr %n, ^loop, ^done
         ^done:
           evm.log2 %x, %x, %a, %m
           evm.stop",
    );
}

#[test]
fn hashes_of_the_same_words_are_the_same() {
    check(
        "^e:
           %z = evm.constant 0 : u256
           %w = evm.constant 32 : u256
           %l = evm.constant 64 : u256
           evm.mstore %z, %x
           evm.mstore %w, %y
           %h = evm.keccak256 %z, %l : u256
           evm.mstore %z, %y
           evm.mstore %z, %x
           %i = evm.keccak256 %z, %l : u256
           %j = evm.keccak256 %z, %w : u256
           evm.log3 %z, %z, %h, %i, %j
           evm.stop",
        "^e:
           %z = evm.constant 0 : u256
           %w = evm.constant 32 : u256
           %l = evm.constant 64 : u256
           evm.mstore %z, %x
           evm.mstore %w, %y
           %h = evm.keccak256 %z, %l : u256
           evm.mstore %z, %y
           evm.mstore %z, %x
           %j = evm.keccak256 %z, %w : u256
           evm.log3 %z, %z, %h, %h, %j
           evm.stop",
    );
}

#[test]
fn hashes_of_one_word_are_the_same() {
    check(
        "^e:
           %z = evm.constant 0 : u256
           %w = evm.constant 32 : u256
           evm.mstore %z, %x
           %h = evm.keccak256 %z, %w : u256
           %i = evm.keccak256 %z, %w : u256
           evm.mstore %z, %y
           %j = evm.keccak256 %z, %w : u256
           evm.log3 %z, %z, %h, %i, %j
           evm.stop",
        "^e:
           %z = evm.constant 0 : u256
           %w = evm.constant 32 : u256
           evm.mstore %z, %x
           %h = evm.keccak256 %z, %w : u256
           evm.mstore %z, %y
           %j = evm.keccak256 %z, %w : u256
           evm.log3 %z, %z, %h, %h, %j
           evm.stop",
    );
}

#[test]
fn a_byte_written_into_a_word_forgets_it() {
    check(
        "^e:
           %a = evm.constant 31 : u256
           %z = evm.constant 0 : u256
           evm.mstore %z, %x
           evm.mstore8 %a, %y
           %v = evm.mload %z : u256
           evm.sstore %v, %v
           evm.stop",
        "^e:
           %a = evm.constant 31 : u256
           %z = evm.constant 0 : u256
           evm.mstore %z, %x
           evm.mstore8 %a, %y
           %v = evm.mload %z : u256
           evm.sstore %v, %v
           evm.stop",
    );
}

#[test]
fn internal_calls_forget_what_they_write_when_they_come_back() {
    let mut module = parse(
        "module @m {
           func @f(%x : u256) {
           ^e:
             %a = evm.sload %x : u256
             evm.icall @check(%x)
             %b = evm.sload %x : u256
             evm.icall @write(%x)
             %c = evm.sload %x : u256
             evm.log3 %x, %x, %a, %b, %c
             evm.iret
           }
           func @check(%x : u256) {
           ^e:
             evm.condbr %x, ^bad, ^good
           ^bad:
             evm.sstore %x, %x
             evm.revert %x, %x
           ^good:
             evm.iret
           }
           func @write(%x : u256) {
           ^e:
             evm.sstore %x, %x
             evm.iret
           }
         }",
    );
    run_on_module(&mut module, &[run]);
    let text = body(&module, Func::from_u32(0));
    assert!(text.contains("evm.log3 %x, %x, %a, %a, %c"), "{text}");
}
