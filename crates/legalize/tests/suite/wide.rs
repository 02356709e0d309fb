//! Arithmetic on wide integers against a library of big integers: each operation, compiled to
//! bytecode and run on revm, with operands from calldata.
//!
//! `CAIRN_CASES` sets the cases of each operation and width; the default is small.

use crate::generate::Choices;
use crate::pipeline::{CONTRACT, compile};
use cairn_diag::FileId;
use cairn_driver::{Level, Options};
use cairn_exec::{Environment, Machine, Message, Status};
use cairn_ir::Op;
use cairn_ir::interp::{Wide, eval_generic, eval_opcode};

const UNIFORM: [&str; 16] = [
    "add", "sub", "mul", "div", "mod", "sdiv", "smod", "and", "xor", "min", "smax", "uadd_sat", "usub_sat",
    "umul_sat", "mulhi", "exp",
];
const UNARY: [&str; 4] = ["not", "abs", "bswap", "clz"];
const SHIFTS: [&str; 7] = ["shl", "shr", "sar", "rotl", "rotr", "byte", "signextend"];
const TESTS: [&str; 5] = ["lt", "gt", "slt", "sgt", "eq"];
const TERNARY: [&str; 3] = ["mulmod", "addmod", "muldiv"];
const COUNTS: [&str; 3] = ["ctpop", "ctlz", "cttz"];

/// A program that loads operands of the width from calldata, applies the operation and returns the
/// result in memory.
fn program(op: &str, bits: usize) -> String {
    let n_bytes = bits.div_ceil(256) * 32;
    let shape =
        |types: &[&str], result: &str| (types.iter().map(|ty| (*ty).to_owned()).collect(), result.to_owned());
    let uint = format!("u{bits}");
    let ty = uint.as_str();
    let (types, result): (Vec<String>, String) = match op {
        op if UNARY.contains(&op) || COUNTS.contains(&op) => shape(&[ty], ty),
        op if SHIFTS.contains(&op) => shape(&["u256", ty], ty),
        op if TESTS.contains(&op) => shape(&[ty, ty], "bool"),
        op if TERNARY.contains(&op) => shape(&[ty, ty, ty], ty),
        _ => shape(&[ty, ty], ty),
    };
    // The result is returned from reserved memory.
    let mut text = "module @m { func @__entry() {\n%reserved = evm.heap_base 1024\n".to_owned();
    for (index, ty) in types.iter().enumerate() {
        // A `u256` is the last word of its place.
        let offset = index * n_bytes + if ty == "u256" { n_bytes - 32 } else { 0 };
        text +=
            &format!("%o{index} = evm.constant {offset}\n%a{index} = evm.calldataload %o{index} : {ty}\n");
    }
    let args: Vec<String> = (0..types.len()).map(|index| format!("%a{index}")).collect();
    text += &format!("%r = evm.{op} {} : {result}\n", args.join(", "));
    text += "%z = evm.constant 0\nevm.mstore %z, %r\n";
    text + &format!(
        "%n = evm.constant {}\nevm.return %z, %n }} }}\n",
        if result == "bool" { 32 } else { n_bytes }
    )
}

/// A chain with the program of an operation on it.
fn deployed(op: &str, bits: usize) -> Machine {
    let text = program(op, bits);
    let module = cairn_ir::text::parse(&text, FileId(0)).expect("well-formed");
    let options = Options { level: Level::O2, verify: true, ..Options::default() };
    let code =
        compile(module, options).unwrap_or_else(|fault| panic!("{op} of {bits} bits: {fault}\n{text}"));
    let environment = Environment { gas_limit: 1 << 40, ..Environment::default() };
    let mut machine = Machine::new(environment);
    machine.set_code(CONTRACT, code);
    machine
}

/// A number of at most `bits` bits with long runs of equal bits, or with few words.
fn number(choices: &mut Choices, bits: usize) -> Wide {
    let mut number = Wide::ZERO;
    for _ in 0..bits.div_ceil(256) {
        number = (number << 256) | Wide::from(choices.number(256));
    }
    let mask = (Wide::from(1) << bits) - Wide::from(1);
    let number = match choices.below(5) {
        0 => number >> choices.below(bits as u64) as usize,
        1 => mask - (number >> choices.below(bits as u64) as usize).min(mask),
        2 => Wide::from(1) << choices.below(bits as u64) as usize,
        _ => number,
    };
    number & mask
}

/// What the operation gives; `None` if it reverts.
fn expected(op: &str, args: &[Wide], bits: usize) -> Option<Wide> {
    match Op::from_name(op).expect("an operation") {
        Op::Evm(opcode) => Some(eval_opcode(opcode, args, bits).expect("arithmetic")),
        op => eval_generic(op, args, bits).map(|results| results[0]),
    }
}

fn check(op: &str, bits: usize, count: u64) {
    let mut machine = deployed(op, bits);
    let mut choices = Choices::from_seed(bits as u64);
    let n_args = Op::from_name(op).expect("an operation").inputs().expect("a fixed number");
    let n_bytes = bits.div_ceil(256) * 32;
    for _ in 0..count {
        let mut args: Vec<Wide> = (0..n_args).map(|_| number(&mut choices, bits)).collect();
        if SHIFTS.contains(&op) {
            let limit = if choices.below(4) == 0 { u64::MAX } else { bits as u64 + 2 };
            args[0] = Wide::from(choices.below(limit));
        }
        if op == "exp" && bits > 1024 {
            // A long exponent takes longer than it is worth.
            args[1] >>= bits - 20;
        }
        let calldata: Vec<u8> =
            args.iter().flat_map(|arg| arg.to_be_bytes::<1024>()[1024 - n_bytes..].to_vec()).collect();
        let outcome = machine.call(CONTRACT, &Message::new(calldata)).expect("a valid transaction");
        let found = match outcome.status {
            Status::Success => Some(Wide::from_be_slice(&outcome.output)),
            Status::Revert => None,
            Status::Halt => panic!("{op} of {bits} bits on {args:x?}: {}", outcome.halt_reason),
        };
        assert_eq!(found, expected(op, &args, bits), "{op} of {bits} bits on {args:x?}");
    }
}

/// Cases to run: `CAIRN_CASES` or the given number.
fn cases(count: u64) -> u64 {
    std::env::var("CAIRN_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(count)
}

#[expect(clippy::print_stderr, reason = "says how many cases ran")]
fn check_width(bits: usize, count: u64) {
    let count = cases(count);
    let plain = [&UNIFORM[..15], &UNARY, &SHIFTS, &TESTS, &COUNTS].concat();
    let ternary = TERNARY.iter().filter(|_| 2 * bits <= 4096);
    let mut total = count / 10 + 1;
    check("exp", bits, total);
    for op in plain.into_iter().chain(ternary.copied()) {
        check(op, bits, count);
        total += count;
    }
    eprintln!("{total} cases of {bits} bits");
}

// Shows S003-37.
#[test]
fn one_byte_more_than_a_word() {
    check_width(264, 60);
}

#[test]
fn two_words() {
    check_width(512, 60);
}

#[test]
fn three_words_less_a_byte() {
    check_width(760, 30);
}

#[test]
fn four_words() {
    check_width(1024, 30);
}

#[test]
fn sixteen_words() {
    check_width(4096, 4);
}
