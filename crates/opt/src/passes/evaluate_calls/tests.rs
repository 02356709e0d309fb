//! Calls that go, and those that must stay.

use super::*;
use crate::testing::{body, parse, run_module_pass};

/// `power(base, exponent)` by squaring.
const POWER: &str = "func @power(%b : u256, %e : u256) -> u256 {
    ^entry:
      %one = evm.constant 1 : u256
      evm.br ^head(%one, %b, %e)
    ^head(%r : u256, %x : u256, %n : u256):
      evm.condbr %n, ^round, ^end
    ^round:
      %odd = evm.and %n, %one : u256
      evm.condbr %odd, ^multiply, ^next(%r)
    ^multiply:
      %product = evm.mul %r, %x : u256
      evm.br ^next(%product)
    ^next(%s : u256):
      %square = evm.mul %x, %x : u256
      %half = evm.shr %one, %n : u256
      evm.br ^head(%s, %square, %half)
    ^end:
      evm.iret %r
    }";

/// The first function after the pass.
fn evaluated(entry: &str, others: &str) -> (Changed, String) {
    let mut module = parse(&format!("module @m {{ func @f(%x : u256) {{\n^e:\n{entry}\n}}\n{others}\n}}"));
    let changed = run_module_pass(&mut module, run);
    (changed, body(&module, Func::from_u32(0)))
}

fn stays(entry: &str, others: &str) {
    let (changed, text) = evaluated(entry, others);
    assert_eq!(changed, Changed::No, "{text}");
}

#[test]
fn a_loop_on_constants_is_run() {
    let entry = "%a = evm.constant 10 : u256
        %b = evm.constant 18 : u256
        %p = evm.icall @power(%a, %b) : u256
        evm.sstore %x, %p
        evm.stop";
    let (changed, text) = evaluated(entry, POWER);
    assert_eq!(changed, Changed::Yes);
    assert!(text.contains("evm.constant 0xde0b6b3a7640000 : u256") && !text.contains("icall"), "{text}");
}

#[test]
fn a_result_is_a_constant_for_the_next_call() {
    let entry = "%a = evm.constant 2 : u256
        %b = evm.constant 3 : u256
        %p = evm.icall @power(%a, %b) : u256
        %q = evm.icall @power(%p, %p) : u256
        evm.sstore %x, %q
        evm.stop";
    let (_, text) = evaluated(entry, POWER);
    assert!(text.contains("evm.constant 0x1000000 : u256") && !text.contains("icall"), "{text}");
}

#[test]
fn an_unknown_argument_keeps_the_call() {
    let entry = "%a = evm.constant 2 : u256
        %p = evm.icall @power(%a, %x) : u256
        evm.sstore %x, %p
        evm.stop";
    stays(entry, POWER);
}

const HALF: &str = "func @half(%v : u256) -> u256 {
    ^entry:
      %one = evm.constant 1 : u256
      %odd = evm.and %v, %one : u256
      evm.condbr %odd, ^fail, ^go
    ^fail:
      %zero = evm.constant 0 : u256
      evm.mstore %zero, %one
      evm.revert %zero, %one
    ^go:
      %h = evm.shr %one, %v : u256
      evm.iret %h
    }";

#[test]
fn only_the_way_that_is_taken_counts() {
    let call = |argument: u32| {
        format!(
            "%a = evm.constant {argument} : u256
            %p = evm.icall @half(%a) : u256
            evm.sstore %x, %p
            evm.stop"
        )
    };
    let (changed, text) = evaluated(&call(14), HALF);
    assert_eq!((changed, text.contains("evm.constant 7 : u256")), (Changed::Yes, true), "{text}");
    stays(&call(15), HALF);
}

#[test]
fn what_reads_the_world_is_not_run() {
    for read in ["evm.sload %v : u256", "evm.mload %v : u256", "evm.calldataload %v : u256", "evm.gas : u256"]
    {
        let callee = format!("func @g(%v : u256) -> u256 {{\n^e:\n %w = {read}\n evm.iret %w\n}}");
        stays(
            "%a = evm.constant 2 : u256\n %p = evm.icall @g(%a) : u256\n evm.sstore %x, %p\n evm.stop",
            &callee,
        );
    }
}

#[test]
fn a_write_before_the_return_keeps_the_call() {
    for write in ["evm.sstore %v, %v", "evm.mstore %v, %v", "evm.tstore %v, %v", "evm.log0 %v, %v"] {
        let callee = format!("func @g(%v : u256) -> u256 {{\n^e:\n {write}\n evm.iret %v\n}}");
        stays(
            "%a = evm.constant 2 : u256\n %p = evm.icall @g(%a) : u256\n evm.sstore %x, %p\n evm.stop",
            &callee,
        );
    }
}

#[test]
fn a_loop_without_end_is_given_up() {
    let callee = "func @g(%v : u256) -> u256 {\n^e:\n evm.br ^l(%v)\n^l(%w : u256):
        %n = evm.not %w : u256\n evm.condbr %v, ^l(%n), ^end\n^end:\n evm.iret %w\n}";
    stays("%a = evm.constant 2 : u256\n %p = evm.icall @g(%a) : u256\n evm.sstore %x, %p\n evm.stop", callee);
}

#[test]
fn recursion_is_followed_as_far_as_it_goes_some_way() {
    let sum = |depth: u32| {
        evaluated(
            &format!(
                "%a = evm.constant {depth} : u256\n %p = evm.icall @g(%a) : u256\n evm.sstore %x, %p\n evm.stop"
            ),
            "func @g(%v : u256) -> u256 {
            ^e:
              %one = evm.constant 1 : u256
              evm.condbr %v, ^more, ^end
            ^more:
              %less = evm.sub %v, %one : u256
              %rest = evm.icall @g(%less) : u256
              %sum = evm.add %rest, %v : u256
              evm.iret %sum
            ^end:
              evm.iret %v
            }",
        )
    };
    let (changed, text) = sum(5);
    assert_eq!((changed, text.contains("evm.constant 15 : u256")), (Changed::Yes, true), "{text}");
    assert_eq!(sum(5000).0, Changed::No);
}

#[test]
fn several_results_and_a_switch() {
    let callee = "func @g(%v : u256) -> (u256, u256) {
        ^e:
          evm.switch %v, default ^other(%v)
            case 7 -> ^seven(%v)
        ^seven(%a : u256):
          %s = evm.mul %a, %a : u256
          evm.iret %s, %a
        ^other(%b : u256):
          %n = evm.not %b : u256
          evm.iret %b, %n
        }";
    let entry = "%c = evm.constant 7 : u256
        %p, %q = evm.icall @g(%c) : u256, u256
        evm.sstore %p, %q
        evm.stop";
    let (changed, text) = evaluated(entry, callee);
    assert_eq!((changed, text.contains("evm.constant 49 : u256")), (Changed::Yes, true), "{text}");
}

#[test]
fn a_long_result_with_many_uses_is_not_worth_its_bytes() {
    let callee = "func @g(%v : u256) -> u256 {\n^e:
        %k = evm.constant 0x123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0 : u256
        %w = evm.xor %v, %k : u256\n evm.iret %w\n}";
    let uses = |count: usize| {
        let stores = "evm.sstore %x, %p\n".repeat(count);
        format!("%a = evm.constant 2 : u256\n %p = evm.icall @g(%a) : u256\n{stores}evm.stop")
    };
    assert_eq!(evaluated(&uses(1), callee).0, Changed::Yes);
    stays(&uses(9), callee);
}
