//! Every operation on every combination of widths: what the interpreter makes of a module is what
//! its bytecode gives on revm.
//!
//! Operands come from calldata, with edge values of their widths and any bits above them; results of
//! a batch of operations are returned in memory together. Half of the batches have constants as
//! operands, so that folding is compared as well. The combinations are sampled by a fixed seed:
//! `CAIRN_WIDTHS=n` takes each n-th one, 1 all of them; `CAIRN_WIDTHS_OP` only those of one
//! operation.

use crate::generate::Choices;
use crate::pipeline::{CONTRACT, compile};
use cairn_diag::FileId;
use cairn_driver::{Level, Options};
use cairn_evm::{Fork, Opcode};
use cairn_exec::{Environment, Machine, Message, Status};
use cairn_ir::builder::opcode_result_type;
use cairn_ir::interp::{Env, Outcome, Wide, interpret};
use cairn_ir::{Family, Op};
use cairn_ir::{Module, Type};

const WIDTHS: [u16; 11] = [1, 7, 8, 64, 128, 248, 256, 257, 264, 512, 1024];

/// Operations in one module, and calls of it.
const BATCH: usize = 12;
const CALLS: usize = 4;

/// Each n-th combination is compared unless the environment says otherwise.
const DEFAULT_STRIDE: usize = 97;

/// An operation on operands of some widths with results of some widths.
#[derive(Clone, Debug)]
struct Case {
    op: Op,
    args: Vec<u16>,
    results: Vec<u16>,
}

/// All sequences of `count` widths.
fn widths(count: usize) -> Vec<Vec<u16>> {
    (0..count).fold(vec![Vec::new()], |all, _| {
        let longer = |start: &Vec<u16>| {
            let start = start.clone();
            WIDTHS.into_iter().map(move |width| [&start[..], &[width]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// All combinations that docs/ir.md gives a meaning.
fn cases() -> Vec<Case> {
    let opcodes = Opcode::all().filter(|opcode| opcode.is_arithmetic() && opcode.exists_in(Fork::default()));
    let generic = Op::TABLE.iter().copied().filter(|op| {
        let family = op.family();
        // Conversions have a fixed-point number on one side.
        let is_converted = matches!(op, Op::Convert | Op::Sconvert);
        family.is_generic_arithmetic() || [Family::Cast, Family::Select].contains(&family) && !is_converted
    });
    opcodes.map(Op::Evm).chain(generic).flat_map(cases_of).collect()
}

fn cases_of(op: Op) -> Vec<Case> {
    let n_args = op.inputs().expect("a fixed number");
    let with = |args: &Vec<u16>, results: Vec<u16>| Case { op, args: args.clone(), results };
    let mut cases = Vec::new();
    for args in widths(n_args) {
        let widest = args.iter().copied().max().unwrap_or(1);
        cases.extend(WIDTHS.into_iter().filter_map(|width| {
            let fits = match op {
                Op::Evm(_) => true,
                Op::Trunc => width <= args[0],
                Op::Zext | Op::Sext => width >= args[0],
                Op::Select => width >= args[1].max(args[2]),
                _ => match op.family() {
                    Family::Rotate => width == args[1],
                    Family::Unary => width == args[0] && (op != Op::Bswap || width.is_multiple_of(8)),
                    Family::Count => true,
                    _ => width >= widest,
                },
            };
            let second = (op.outputs() == Some(2)).then_some(1);
            fits.then(|| with(&args, [Some(width), second].into_iter().flatten().collect()))
        }));
    }
    cases
}

fn ty(op: Op, width: u16) -> Type {
    let is_test = matches!(op, Op::Evm(opcode) if opcode_result_type(opcode) == Type::Bool);
    if width == 1 && is_test { Type::Bool } else { Type::Int(width) }
}

fn words(width: u16) -> usize {
    usize::from(width.div_ceil(256))
}

/// An edge value of a width.
fn edge(choices: &mut Choices, width: u16) -> Wide {
    let mask = (Wide::from(1) << usize::from(width)) - Wide::from(1);
    let top = Wide::from(1) << usize::from(width - 1);
    let small = [0, 1, 2, 3, 7, 8, 30, 31, 32, 33, 63, 64, 127, 128, 255, 256, 257, 263, 511, 512, 1024];
    let value = match choices.below(9) {
        0 => Wide::ZERO,
        1 | 2 => mask,
        3 => mask.wrapping_sub(Wide::from(choices.below(3))),
        4 => top,
        5 => top.wrapping_sub(Wide::from(1)),
        6 => (0..4).fold(Wide::ZERO, |all, _| (all << 256) | Wide::from(choices.number(256))),
        7 => Wide::from(1) << choices.below(u64::from(width)) as usize,
        _ => Wide::from(*choices.pick(&small)),
    };
    value & mask
}

/// The value of an operand; powers of several words have short exponents, which take no minute.
fn operand(choices: &mut Choices, case: &Case, index: usize) -> Wide {
    let value = edge(choices, case.args[index]);
    let is_long = case.op == Op::Evm(Opcode::EXP)
        && index == 1
        && *case.args.iter().chain(&case.results).max().unwrap_or(&0) > 256;
    if is_long { value & Wide::from(0xfff) } else { value }
}

/// A module that computes the cases and returns all results; operands are constants or come from
/// calldata.
fn program(batch: &[Case], constants: Option<&mut Choices>) -> String {
    let mut text = "module @m {\nfunc @__entry() {\n%base = evm.heap_base 0\n".to_owned();
    let (mut from, mut to) = (0, 0);
    let mut choices = constants;
    for (index, case) in batch.iter().enumerate() {
        let mut names = Vec::new();
        for (place, width) in case.args.iter().enumerate() {
            let name = format!("%a{index}_{place}");
            match &mut choices {
                Some(choices) => {
                    let value = operand(choices, case, place);
                    text += &format!("{name} = evm.constant {value:#x} : u{width}\n");
                }
                None => {
                    text += &format!(
                        "{name}p = evm.constant {from}\n{name} = evm.calldataload {name}p : u{width}\n"
                    );
                    from += 32 * words(*width);
                }
            }
            names.push(name);
        }
        let results: Vec<String> =
            (0..case.results.len()).map(|place| format!("%r{index}_{place}")).collect();
        let types: Vec<String> = case.results.iter().map(|width| ty(case.op, *width).to_string()).collect();
        let types = if case.results.len() == 2 { vec![types[0].clone(), "bool".to_owned()] } else { types };
        text += &format!(
            "{} = evm.{} {} : {}\n",
            results.join(", "),
            case.op.name(),
            names.join(", "),
            types.join(", ")
        );
        for (result, width) in results.iter().zip(&case.results) {
            text += &format!("{result}o = evm.constant {to}\n{result}p = evm.ptr_add %base, {result}o\n");
            text += &format!("evm.mstore {result}p, {result}\n");
            to += 32 * words(*width);
        }
    }
    text + &format!("%size = evm.constant {to}\nevm.return %base, %size\n}} }}\n")
}

/// Calldata with the operands of a batch, narrow ones with any bits above them.
fn calldata(batch: &[Case], choices: &mut Choices) -> Vec<u8> {
    let mut bytes = Vec::new();
    for case in batch {
        for (index, width) in case.args.iter().enumerate() {
            let is_short = case.op == Op::Evm(Opcode::EXP) && index == 1;
            let mut value = operand(choices, case, index);
            if !is_short && choices.below(2) == 0 {
                value |= Wide::from(choices.number(256)) << usize::from(*width);
            }
            let number: [u8; 1024] = value.to_be_bytes();
            bytes.extend_from_slice(&number[1024 - 32 * words(*width)..]);
        }
    }
    bytes
}

fn interpreted(module: &Module, calldata: &[u8], text: &str) -> Option<Vec<u8>> {
    let mut env = Env { calldata: calldata.to_vec(), ..Env::default() };
    match interpret(module, &mut env) {
        Ok(run) => match run.outcome {
            Outcome::Return(bytes) => Some(bytes),
            Outcome::Revert(_) => None,
            other => panic!("{other:?}\n{text}"),
        },
        Err(faults) => panic!("{:?}\n{text}", faults.iter().next()),
    }
}

/// Compares the runs of one batch.
fn check(batch: &[Case], seed: u64, fork: Fork) {
    let mut choices = Choices::from_seed(seed);
    let has_constants = seed % 2 == 1;
    let text = program(batch, has_constants.then_some(&mut choices));
    let module = match cairn_ir::text::parse(&text, FileId(0)) {
        Ok(module) => module,
        Err(faults) => panic!("{:?}\n{text}", faults.iter().next()),
    };
    let level = [Level::O0, Level::O2, Level::O1, Level::Os][(seed / 2 % 4) as usize];
    let options = Options { level, fork, spec: seed % 5 == 4, ..Options::default() };
    let code = compile(module.clone(), options).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    let mut machine = Machine::new(Environment { fork, gas_limit: 1 << 40, ..Environment::default() });
    machine.set_code(CONTRACT, code);
    let calls = if has_constants { 1 } else { CALLS };
    for _ in 0..calls {
        let calldata = if has_constants { Vec::new() } else { calldata(batch, &mut choices) };
        let expected = interpreted(&module, &calldata, &text);
        let outcome = machine.call(CONTRACT, &Message::new(calldata.clone())).expect("a valid transaction");
        let found = match outcome.status {
            Status::Success => Some(outcome.output.to_vec()),
            Status::Revert => None,
            Status::Halt => panic!("{}\n{text}", outcome.halt_reason),
        };
        if found != expected {
            panic!("{}", difference(batch, expected, found, &text, &calldata));
        }
    }
}

/// Which case differs.
fn difference(
    batch: &[Case],
    expected: Option<Vec<u8>>,
    found: Option<Vec<u8>>,
    text: &str,
    calldata: &[u8],
) -> String {
    let (Some(expected), Some(found)) = (expected, found) else { return format!("one reverts:\n{text}") };
    let mut at = 0;
    for case in batch {
        let size: usize = case.results.iter().map(|width| 32 * words(*width)).sum();
        let range = at..at + size;
        let hex = cairn_evm::hex::encode::<&[u8]>;
        if expected.get(range.clone()) != found.get(range.clone()) {
            let place = batch.iter().take_while(|other| !std::ptr::eq(*other, case));
            let start: usize = place.flat_map(|case| &case.args).map(|width| 32 * words(*width)).sum();
            let length: usize = case.args.iter().map(|width| 32 * words(*width)).sum();
            let operands = calldata.get(start..start + length).map(hex);
            let [expected, found] = [&expected, &found].map(|bytes| bytes.get(range.clone()).map(hex));
            return format!("{case:?}\n{operands:?}\ngives {found:?}\n not  {expected:?}\n{text}");
        }
        at += size;
    }
    text.to_owned()
}

#[test]
fn operand_and_result_widths_are_independent() {
    let variable = |name: &str| std::env::var(name).ok();
    let stride = variable("CAIRN_WIDTHS").and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_STRIDE);
    let only = variable("CAIRN_WIDTHS_OP");
    let mut choices = Choices::from_seed(stride as u64);
    let mut sample: Vec<Case> = Vec::new();
    for chunk in cases()
        .into_iter()
        .filter(|case| only.as_ref().is_none_or(|op| op == case.op.name()))
        .collect::<Vec<_>>()
        .chunks(stride)
    {
        sample.push(choices.pick(chunk).clone());
    }
    // A quotient that does not fit ends the run: it is alone.
    let (alone, together): (Vec<Case>, Vec<Case>) =
        sample.into_iter().partition(|case| case.op == Op::Muldiv);
    let total = alone.len() + together.len();
    let forks = [Fork::Osaka, Fork::Byzantium, Fork::Osaka, Fork::Cancun];
    let mut faults = Vec::new();
    for (seed, batch) in alone.chunks(1).chain(together.chunks(BATCH)).enumerate() {
        let fork = forks[seed % 4];
        let result = std::panic::catch_unwind(|| {
            check(batch, 2 * seed as u64, fork);
            check(batch, 2 * seed as u64 + 1, fork);
        });
        if let Err(fault) = result {
            faults.push(fault.downcast_ref::<String>().cloned().unwrap_or_default());
        }
    }
    eprintln!("{total} combinations, {} batches differ", faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
