//! What each operation asks for, and what is asked across blocks and functions.

use super::LowBits;
use cairn_diag::FileId;
use cairn_ir::{Func, Module, Op};

/// The bits that are asked for of the immutables of a module, in order.
#[track_caller]
fn asked(text: &str) -> Vec<u16> {
    let module: Module = cairn_ir::text::parse(text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
    let faults = cairn_ir::verify::verify(&module, cairn_ir::verify::Form::Ssa);
    assert!(faults.iter().next().is_none(), "{faults:?} in\n{text}");
    let low = LowBits::compute(&module);
    let loads = |id: Func| {
        let func = &module.funcs[id];
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block)).collect::<Vec<_>>();
        insts
            .into_iter()
            .filter(|inst| func.dfg.op(*inst) == Op::LoadImmutable)
            .map(|inst| func.dfg.result(inst))
    };
    module
        .funcs
        .keys()
        .flat_map(|id| loads(id).map(move |value| (id, value)))
        .map(|(id, value)| low.of(id, value))
        .collect()
}

/// What the entry asks of `%x`, its first immutable.
#[track_caller]
fn asks(body: &str, bits: u16) {
    let text = format!(
        "module @m {{ func @__entry() {{\n^entry:\n%x = evm.loadimmutable \"x\"\n%z = evm.calldatasize\n{body}\nevm.stop\n}} }}"
    );
    assert_eq!(asked(&text), [bits], "{body}");
}

/// The same of `%y`, made of `%x` and perhaps a constant `%k`, of which `wanted` bits are stored.
#[track_caller]
fn gives(op: &str, k: &str, wanted: usize, bits: u16) {
    let mask = format!("0x{}", "f".repeat(wanted / 4));
    asks(
        &format!(
            "%k = evm.constant {k}\n%y = {op}\n%mask = evm.constant {mask}\n%low = evm.and %y, %mask\nevm.sstore %z, %low"
        ),
        bits,
    );
}

#[test]
fn what_is_seen_is_asked_for_whole() {
    for all in [
        "evm.sstore %x, %z",
        "evm.sstore %z, %x",
        "evm.mstore %z, %x",
        "%y = evm.mload %x\nevm.sstore %z, %y",
        "evm.log1 %z, %z, %x",
        "%y = evm.call %z, %z, %x, %z, %z, %z, %z",
        "%y = evm.sload %x",
        "%y = evm.blockhash %x\nevm.sstore %z, %y",
    ] {
        asks(all, 256);
    }
    asks("evm.condbr %x, ^a, ^b\n^a:\nevm.stop\n^b:", 256);
    asks("evm.switch %x, default ^b\n^b:", 256);
}

#[test]
fn what_nobody_looks_at_is_not_asked_for() {
    asks("", 0);
    asks("%y = evm.div %x, %z", 0);
    asks("%k = evm.constant 8\n%y = evm.shr %k, %x\n%w = evm.mulmod %y, %z, %z", 0);
}

#[test]
fn low_bits_of_results_come_from_low_bits() {
    for op in ["add", "sub", "mul", "or", "xor"] {
        gives(&format!("evm.{op} %x, %z"), "0", 16, 16);
        gives(&format!("evm.{op} %z, %x"), "0", 16, 16);
    }
    gives("evm.not %x", "0", 16, 16);
    for op in [
        "div",
        "sdiv",
        "mod",
        "smod",
        "exp",
        "lt",
        "gt",
        "slt",
        "sgt",
        "eq",
        "sar",
        "shr",
        "byte",
        "signextend",
    ] {
        gives(&format!("evm.{op} %x, %z"), "0", 4, 256);
        gives(&format!("evm.{op} %z, %x"), "0", 4, 256);
    }
    gives("evm.shl %x, %z", "0", 4, 256);
    gives("evm.iszero %x", "0", 4, 256);
    gives("evm.mulmod %x, %z, %z", "0", 4, 256);
    gives("evm.addmod %z, %x, %z", "0", 4, 256);
    gives("evm.addmod %z, %z, %x", "0", 4, 256);
}

#[test]
fn masks_cut() {
    for (mask, bits) in [("0", 0), ("1", 1), ("0xff", 8), ("0x100", 9), ("0x8000", 16), ("-1", 64)] {
        gives("evm.and %x, %k", mask, 64, bits);
        gives("evm.and %k, %x", mask, 64, bits);
    }
    gives("evm.and %x, %z", "0", 64, 64);
}

#[test]
fn shifts_move() {
    for (by, bits) in [("0", 16), ("1", 15), ("15", 1), ("16", 0), ("255", 0), ("256", 256)] {
        gives("evm.shl %k, %x", by, 16, bits);
    }
    for (by, bits) in
        [("0", 16), ("1", 17), ("96", 112), ("240", 256), ("241", 256), ("255", 256), ("256", 256)]
    {
        gives("evm.shr %k, %x", by, 16, bits);
    }
    asks("%k = evm.constant 96\n%y = evm.shl %k, %x\nevm.mstore %z, %y", 160);
    asks("%k = evm.constant 255\n%y = evm.shl %k, %x\nevm.mstore %z, %y", 1);
}

#[test]
fn bytes_and_signs() {
    for (at, bits) in [("31", 8), ("30", 16), ("1", 248), ("0", 256), ("32", 0), ("256", 256)] {
        gives("evm.byte %k, %x", at, 8, bits);
    }
    for (bytes, bits) in [("0", 8), ("3", 32), ("7", 64), ("8", 64), ("31", 64), ("256", 256)] {
        gives("evm.signextend %k, %x", bytes, 64, bits);
    }
    asks("%k = evm.constant 30\n%y = evm.signextend %k, %x\nevm.sstore %z, %y", 248);
    asks("%k = evm.constant 31\n%y = evm.signextend %k, %x\nevm.sstore %z, %y", 256);
    asks("evm.mstore8 %z, %x", 8);
    asks("evm.mstore8 %x, %z", 256);
}

#[test]
fn accounts_are_160_bits() {
    for call in ["call %z, %x, %z, %z, %z, %z, %z", "callcode %z, %x, %z, %z, %z, %z, %z"] {
        asks(&format!("%y = evm.{call}"), 160);
    }
    for call in ["delegatecall %z, %x, %z, %z, %z, %z", "staticcall %z, %x, %z, %z, %z, %z"] {
        asks(&format!("%y = evm.{call}"), 160);
    }
    for call in ["call %x, %z, %z, %z, %z, %z, %z", "staticcall %z, %z, %x, %z, %z, %z"] {
        asks(&format!("%y = evm.{call}"), 256);
    }
    for account in ["balance", "extcodesize", "extcodehash"] {
        asks(&format!("%y = evm.{account} %x\nevm.sstore %z, %y"), 160);
    }
    asks("evm.extcodecopy %x, %z, %z, %z", 160);
    asks("evm.extcodecopy %z, %x, %z, %z", 256);
}

#[test]
fn loops_ask_for_what_grows() {
    let text = |shift: &str| {
        format!(
            "module @m {{ func @__entry() {{
             ^entry:
               %x = evm.loadimmutable \"x\"
               %one = evm.constant 1
               %mask = evm.constant 0xff
               evm.br ^loop(%x)
             ^loop(%i : u256):
               %next = evm.{shift} %one, %i
               %more = evm.calldataload %one
               evm.condbr %more, ^again, ^done
             ^again:
               evm.br ^loop(%next)
             ^done:
               %low = evm.and %i, %mask
               evm.sstore %one, %low
               evm.stop
             }} }}"
        )
    };
    assert_eq!(asked(&text("add")), [8]);
    assert_eq!(asked(&text("shl")), [8]);
    assert_eq!(asked(&text("shr")), [256]);
}

#[test]
fn functions_are_asked_by_their_callers_and_callees() {
    let text = |mask: &str| {
        format!(
            "module @m {{
             func @__entry() {{
             ^entry:
               %x = evm.loadimmutable \"x\"
               %a, %b = evm.icall @f(%x) : u256, u256
               %mask = evm.constant {mask}
               %low = evm.and %b, %mask
               evm.sstore %low, %low
               evm.stop
             }}
             func @f(%p : u256) -> (u256, u256) {{
             ^entry:
               %y = evm.loadimmutable \"y\"
               %one = evm.constant 1
               %q = evm.shl %one, %p
               evm.iret %q, %y
             }}
             func @nobody(%p : u256) -> u256 {{
             ^entry:
               %w = evm.loadimmutable \"w\"
               evm.iret %w
             }} }}"
        )
    };
    assert_eq!(asked(&text("0xff")), [0, 8, 0], "the first result is not asked for");
    assert_eq!(asked(&text("0x1ffffffff")), [0, 33, 0]);
    assert_eq!(asked(&text("0xff").replace("%low, %low", "%a, %low")), [255, 8, 0]);
}

#[test]
fn recursion_ends() {
    let text = "module @m {
      func @__entry() {
      ^entry:
        %x = evm.loadimmutable \"x\"
        %y = evm.icall @f(%x) : u256
        evm.mstore8 %y, %y
        evm.stop
      }
      func @f(%p : u256) -> u256 {
      ^entry:
        %one = evm.constant 1
        %more = evm.calldataload %one
        evm.condbr %more, ^again, ^done
      ^again:
        %q = evm.shr %one, %p
        %r = evm.icall @f(%q) : u256
        evm.iret %r
      ^done:
        evm.iret %p
      } }";
    assert_eq!(asked(text), [256]);
    assert_eq!(asked(&text.replace("evm.mstore8 %y, %y", "evm.mstore8 %x, %x")), [256]);
    let low = text.replace("evm.mstore8 %y, %y", "%k = evm.constant 3\nevm.mstore8 %k, %y");
    assert_eq!(asked(&low.replace("evm.shr %one", "evm.shl %one")), [8]);
    assert_eq!(asked(&low), [256], "what each call asks more of grows up to all");
}
