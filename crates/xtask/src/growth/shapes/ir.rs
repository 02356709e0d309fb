//! Modules of EVM-IR that are large in one way.

use std::fmt::Write;

/// A module of one function.
fn module(body: &str) -> String {
    format!("module @m {{\n  func @__entry() {{\n{body}  }}\n}}\n")
}

/// Some text for each number below `n`, in order.
fn each(n: usize, part: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "{}", part(i));
    }
    text
}

const START: &str = "  ^entry:\n    %k = evm.constant 1 : u256\n    %x = evm.calldataload %k : u256\n";

/// `n` checks one after the other that share a failure block.
pub(super) fn checks(n: usize) -> String {
    let body =
        each(n, |i| format!("    %c{i} = evm.sload %x : u256\n    evm.condbr %c{i}, ^fail, ^b{i}\n  ^b{i}:"));
    module(&format!("{START}{body}    evm.stop\n  ^fail:\n    evm.revert %k, %k\n"))
}

/// `n` blocks with a store each, one after the other.
pub(super) fn blocks(n: usize) -> String {
    let body = each(n, |i| format!("    evm.sstore %x, %k\n    evm.br ^b{i}\n  ^b{i}:"));
    module(&format!("{START}{body}    evm.stop\n"))
}

/// `n` long constants at the start, each for blocks in three places.
pub(super) fn constants(n: usize) -> String {
    // No two are sums of one another.
    let word =
        |i: usize| format!("0x{:x}", (i as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
    let defs = each(n, |i| format!("    %k{i} = evm.constant {} : u256", word(i)));
    let body = each(n, |i| {
        let (a, b) = (i * 7 % n, i * 13 % n);
        format!(
            "    %v{i} = evm.sload %k{i} : u256\n    %w{i} = evm.sload %k{a} : u256\n    evm.sstore %k{b}, %v{i}\n    \
             evm.condbr %w{i}, ^b{i}, ^end\n  ^b{i}:"
        )
    });
    module(&format!("  ^entry:\n{defs}{body}    evm.stop\n  ^end:\n    evm.stop\n"))
}

/// `n` instructions in one block.
pub(super) fn straight(n: usize) -> String {
    let body = each(n, |i| format!("    %v{i} = evm.sload %x : u256\n    evm.sstore %v{i}, %k"));
    module(&format!("{START}{body}    evm.stop\n"))
}

/// A switch of `n` cases.
pub(super) fn cases(n: usize) -> String {
    let cases = each(n, |i| format!("      case {} -> ^b{i}", i * 7919));
    let arms = each(n, |i| {
        format!("  ^b{i}:\n    %c{i} = evm.constant {i} : u256\n    evm.sstore %c{i}, %x\n    evm.stop")
    });
    module(&format!("{START}    evm.switch %x, default ^end\n{cases}{arms}  ^end:\n    evm.stop\n"))
}

/// A buffer of `n` words in a frame.
pub(super) fn alloca(n: usize) -> String {
    let body = format!(
        "{START}    %p = evm.alloca {} : ptr<0>\n    evm.mstore %p, %x\n    %y = evm.mload %p : u256\n    evm.sstore %y, %x\n    evm.stop\n",
        n * 32
    );
    module(&body)
}

/// One function called from `n` places.
pub(super) fn call_sites(n: usize) -> String {
    let calls = each(n, |i| format!("    %r{i} = evm.icall @f(%x) : u256\n    evm.sstore %r{i}, %k"));
    let function = "  func @f(%a : u256) -> (u256) {\n  ^e:\n    %h = evm.keccak256 %a, %a : u256\n    evm.sstore %h, %a\n    evm.iret %h\n  }\n";
    format!("module @m {{\n  func @__entry() {{\n{START}{calls}    evm.stop\n  }}\n{function}}}\n")
}

/// `n` sums of words that take several words of the machine.
pub(super) fn words(n: usize) -> String {
    let sums = each(n, |i| {
        let before = if i == 0 { "%w".to_owned() } else { format!("%w{}", i - 1) };
        format!("    %w{i} = evm.add {before}, %w : u512")
    });
    let last = n.saturating_sub(1);
    module(&format!(
        "{START}    %w = evm.zext %x : u512\n{sums}    %low = evm.trunc %w{last} : u256\n    evm.sstore %x, %low\n    evm.stop\n"
    ))
}
