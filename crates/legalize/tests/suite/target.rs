//! The example of a target: a program for a chain with one more precompile, on revm with code in its place.

#[allow(unreachable_pub, reason = "it is written as for a program of its own")]
#[path = "../../../../examples/target.rs"]
mod example;

use crate::generate::Choices;
use crate::pipeline::{CONTRACT, compile};
use cairn_diag::FileId;
use cairn_driver::Options;
use cairn_evm::{Opcode, Word};
use cairn_exec::{Address, Environment, Machine, Message, Status};
use cairn_ir::interp::{Env, Outcome, interpret};
use cairn_ir::text::{parse, print};
use cairn_ir::{Module, Op, Type};
use cairn_legalize::{Target, TargetAction, legalize};

fn module(text: &str) -> Module {
    parse(text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// The quotient and the remainder of two numbers in calldata, in two widths.
const PROGRAM: &str = "module @m { func @__entry() {
  %a = evm.calldataload 0 : u512
  %b = evm.calldataload 64 : u512
  %q = evm.div %a, %b : u512
  %r = evm.mod %a, %b : u512
  %c = evm.trunc %a : u500
  %d = evm.trunc %b : u500
  %s = evm.div %c, %d : u500
  %p = evm.heap_base 0
  evm.mstore %p, %q
  evm.mstore %p+64, %r
  evm.mstore %p+128, %s
  evm.return %p, 192 } }";

/// What answers in the place of the precompile.
const DIVIDER: &str = "module @divider { func @__entry() {
  %a = evm.calldataload 0 : u512
  %b = evm.calldataload 64 : u512
  %q = evm.div %a, %b : u512
  evm.return %q } }";

fn legalized(text: &str, target: &'static dyn Target) -> Module {
    let mut module = module(text);
    let options = cairn_legalize::Options { target: Some(target), ..cairn_legalize::Options::default() };
    if let Err(faults) = legalize(&mut module, &options) {
        panic!("{:?}", faults.iter().map(|fault| &fault.message).collect::<Vec<_>>());
    }
    module
}

// Shows S003-18.
#[test]
fn the_precompile_divides() {
    let code = compile(legalized(PROGRAM, &example::Chain), Options::default()).expect("it builds");
    let divider = compile(module(DIVIDER), Options::default()).expect("it builds");
    let mut machine = Machine::new(Environment { gas_limit: 1 << 40, ..Environment::default() });
    machine.set_code(CONTRACT, code);
    machine.set_code(Address::from_word(Word::from(example::DIVIDER).into()), divider);
    let mut choices = Choices::from_seed(7);
    for _ in 0..50 {
        let mut calldata = Vec::new();
        for bits in [256, 256, [256, 0][choices.below(2) as usize], 256] {
            let word = if bits == 0 { Word::ZERO } else { choices.number(bits) };
            calldata.extend_from_slice(&word.to_be_bytes::<32>());
        }
        let mut env = Env { calldata: calldata.clone(), ..Env::default() };
        let expected = interpret(&module(PROGRAM), &mut env).expect("well-formed").outcome;
        let outcome = machine.call(CONTRACT, &Message::new(calldata)).expect("a valid transaction");
        assert_eq!(outcome.status, Status::Success);
        assert_eq!(Outcome::Return(outcome.output.to_vec()), expected);
    }
}

#[test]
fn what_the_target_does_not_name_is_cairns() {
    let text = "module @m { func @__entry() {
      %a = evm.calldataload 0 : u256
      %b = evm.div 7, %a : u256
      %c = evm.sdiv %b, %a : u64
      evm.return %c } }";
    let mut plain = module(text);
    legalize(&mut plain, &cairn_legalize::Options::default()).expect("legal");
    assert_eq!(print(&legalized(text, &example::Chain)), print(&plain));
}

/// A chain that has `clz` before its fork, shifts by multiplying, and divides for a remainder.
#[derive(Debug)]
struct Early;

impl Target for Early {
    fn action(&self, op: Op, _ty: Type) -> Option<TargetAction> {
        match op {
            Op::Evm(Opcode::CLZ) => Some(TargetAction::Legal),
            Op::Evm(Opcode::SHL | Opcode::MOD) => Some(TargetAction::Expand),
            Op::Evm(Opcode::SHR) => Some(TargetAction::LibCall("missing")),
            _ => None,
        }
    }

    fn lower(
        &self,
        _code: &mut cairn_ir::Cursor<'_>,
        _op: Op,
        args: &[cairn_ir::Value],
        _results: &[Type],
    ) -> Vec<cairn_ir::Value> {
        args.to_vec()
    }
}

#[test]
fn an_opcode_is_legal_or_expanded_whatever_the_fork() {
    let text = "module @m { func @__entry() {
      %a = evm.calldataload 0 : u256
      %n = evm.clz %a : u256
      %b = evm.shl %n, %a : u256
      evm.return %b } }";
    let mut module = module(text);
    let options = cairn_legalize::Options {
        target: Some(&Early),
        fork: cairn_evm::Fork::Cancun,
        ..cairn_legalize::Options::default()
    };
    legalize(&mut module, &options).expect("legal");
    let text = print(&module);
    assert!(text.contains("evm.clz") && !text.contains("evm.shl") && text.contains("evm.exp"), "{text}");
}

// Shows S003-63.
#[test]
fn a_remainder_is_what_the_quotient_leaves() {
    let text = "module @m { func @__entry() {
      %a = evm.calldataload 0 : u256
      %b = evm.calldataload 32 : u256
      %r = evm.mod %a, %b : u256
      evm.return %r } }";
    let expanded = legalized(text, &Early);
    assert!(!print(&expanded).contains("evm.mod"));
    for [a, b] in [[17u64, 5], [17, 0], [0, 3], [5, 17], [u64::MAX, 2]] {
        let calldata: Vec<u8> = [a, b].iter().flat_map(|n| Word::from(*n).to_be_bytes::<32>()).collect();
        let run = |module: &Module| {
            let mut env = Env { calldata: calldata.clone(), ..Env::default() };
            interpret(module, &mut env).expect("well-formed").outcome
        };
        assert_eq!(run(&expanded), run(&module(text)));
    }
}

#[test]
fn a_function_that_the_library_lacks_is_an_error() {
    let mut module = module(
        "module @m { func @__entry() { %a = evm.calldataload 0\n%b = evm.shr 1, %a\nevm.return %b } }",
    );
    let options = cairn_legalize::Options { target: Some(&Early), ..cairn_legalize::Options::default() };
    let faults = legalize(&mut module, &options).expect_err("no such function");
    let first = faults.iter().next().map(|fault| fault.message.clone());
    assert_eq!(first.as_deref(), Some("the target's library has no function `@missing`"));
}
