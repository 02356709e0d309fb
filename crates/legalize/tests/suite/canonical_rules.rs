//! The nine rules of canonical form, each broken by hand: the verifier names the rule, and the
//! legalizer rewrites the code or rejects it.

use cairn_diag::FileId;
use cairn_ir::text::parse;
use cairn_ir::verify::{Form, verify, verify_strict_pointers};
use cairn_ir::{Cursor, Func, Module};
use cairn_legalize::{Options, legalize};

/// What the legalizer does about a breach.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Rewritten,
    Rejected,
}

fn module(body: &str) -> Module {
    let text = format!(
        "module @m {{ func @__entry() {{ evm.stop }} func @f(%x : u256, %p : ptr<0>) {{ ^e:\n{body}\n}} }}"
    );
    parse(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

#[track_caller]
fn broken(module: &mut Module, rules: &[&str], answer: Answer) {
    let found: Vec<&str> = verify(module, Form::Canonical).iter().map(|fault| fault.code).collect();
    assert_eq!(found, rules);
    let options = Options { recover: true, ..Options::default() };
    match (legalize(module, &options), answer) {
        (Ok(_), Answer::Rewritten) => assert!(!verify(module, Form::Canonical).has_errors()),
        (Err(_), Answer::Rejected) => {}
        (Ok(_), Answer::Rejected) => panic!("should be rejected"),
        (Err(faults), Answer::Rewritten) => panic!("should be rewritten: {faults:?}"),
    }
}

#[track_caller]
fn rewritten(body: &str, rules: &[&str]) {
    broken(&mut module(body), rules, Answer::Rewritten);
}

// Shows S000-05, S000-14, S000-23, S000-24, S000-74.
#[test]
fn no_phis() {
    let body = "evm.condbr %x, ^a, ^b\n^a:\nevm.br ^m\n^b:\nevm.br ^m\n^m:\n\
                %y = phi [ %x, ^a ], [ %x, ^b ] : u256\nevm.sstore %y, %y\nevm.iret";
    rewritten(body, &["no-block-params"]);
}

// Shows S000-05, S000-15.
#[test]
fn no_block_arguments() {
    rewritten("evm.br ^m(%x)\n^m(%y : u256):\nevm.sstore %y, %y\nevm.iret", &["no-block-params"]);
}

// Shows S000-16.
#[test]
fn no_critical_edges() {
    rewritten("evm.condbr %x, ^a, ^m\n^a:\nevm.sstore %x, %x\nevm.br ^m\n^m:\nevm.iret", &["critical-edge"]);
}

// Shows S000-17.
#[test]
fn branches_target_blocks() {
    let mut module = module("evm.br ^m\n^m:\nevm.iret");
    let func = &mut module.funcs[Func::from_u32(1)];
    let entry = func.layout.entry();
    let branch = func.terminator(entry).expect("a branch");
    func.layout.remove_inst(branch);
    let nowhere = func.make_block();
    Cursor::at_end(func, entry).br(nowhere, &[]);
    broken(&mut module, &["known-target"], Answer::Rejected);
}

// Shows S000-18, S000-23, S000-58.
#[test]
fn one_terminator() {
    rewritten("evm.sstore %x, %x", &["one-terminator"]);
    rewritten("evm.iret\nevm.iret", &["one-terminator"]);
}

// Shows S000-19, S000-34.
#[test]
fn no_switch() {
    rewritten("evm.switch %x, default ^a\ncase 1 -> ^b\n^a:\nevm.stop\n^b:\nevm.iret", &["canonical-op"]);
}

// Shows S000-20, S000-23.
#[test]
fn explicit_pointer_arithmetic() {
    rewritten(
        "%q = evm.add %p, %x : ptr<0>\nevm.mstore %q, %x\nevm.iret",
        &["pointer-arithmetic", "result-type"],
    );
}

// Shows S000-21, S000-23.
#[test]
fn no_composites() {
    rewritten("%s = evm.mload %p : struct<u256, bool>\nevm.mstore %p, %s\nevm.iret", &["legal-type"]);
}

// Shows S000-22.
#[test]
fn no_unreachable_code() {
    rewritten("evm.iret\n^dead:\nevm.stop", &["reachable"]);
}

/// What has pointers for all places in memory has them still when it is legalized, runtime included.
#[test]
fn own_code_has_pointers() {
    let text = "module @m { func @__entry() {
      %p = evm.heap_base 0
      %n = evm.calldatasize : u256
      evm.calldatacopy %p, 0, %n
      %a = evm.mload %p : u512
      %v = evm.mload %p : vec<8 x u256>
      %x = evm.extract %v, %n : u256
      %b = evm.zext %x : u512
      %q = evm.div %a, %b : u512
      %s = evm.exp %q, %b : u512
      %t = evm.mul %s, %q : u2048
      evm.mstore %p, %t
      evm.mcopy %p+32, %p, %n
      %byte = evm.mload8 %p
      evm.condbr %byte, ^some, ^none
      ^some: evm.return %q
      ^none: evm.return %byte } }";
    let mut module = parse(text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
    assert!(verify_strict_pointers(&module, None).is_empty());
    let options = Options { fork: cairn_evm::Fork::London, ..Options::default() };
    legalize(&mut module, &options).expect("nothing is rejected");
    let faults = verify_strict_pointers(&module, None);
    assert!(faults.is_empty(), "{:?}", faults.iter().map(|fault| &fault.notes).collect::<Vec<_>>());
}
