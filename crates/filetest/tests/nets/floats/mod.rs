//! Every operation on floating-point numbers of every format, compiled and run on revm, against the
//! arithmetic of the host ([`host`]).
//!
//! A program computes all operations on two numbers and an integer from calldata. Half of the programs
//! have a third of their operands as constants, so that folding is compared as well. Now and then the interpreter
//! of EVM-IR runs the same.
//!
//! Varies: the format; numbers from all corners ([`operands`]), with bits above them that a load cuts;
//! integers of any size; level, fork.

mod host;
mod operands;

use crate::harness::{Merge, check_seeds};
use crate::random::Random;
use cairn_diag::FileId;
use cairn_driver::{Emit, Level, Options, Session, build_module};
use cairn_evm::{Fork, Word};
use cairn_exec::{Address, Environment, Machine, Message, Status};
use cairn_ir::interp::{Env, Outcome, interpret};
use cairn_ir::types::float::FloatFormat;
use operands::Operands;

const CONTRACT: Address = Address::repeat_byte(0xcc);
const GAS_LIMIT: u64 = 1 << 40;
/// Operands that a program runs on: with 2000 programs, which `cargo xtask nets` runs, a million for each format.
const N_OPERANDS: usize = 1_502;
/// The interpreter runs on each of so many.
const INTERPRETED: usize = 250;
/// Programs with constants in them, for each seed.
const N_FOLDED: usize = 2;
/// Faults that are shown.
const MAX_SHOWN: usize = 12;

/// What happened.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    /// Operands of each format.
    operands: [u64; 3],
    interpreted: u64,
    folded: u64,
}

impl Merge for Counts {
    fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.operands = std::array::from_fn(|format| self.operands[format] + other.operands[format]);
        self.interpreted += other.interpreted;
        self.folded += other.folded;
    }
}

/// Checks as many programs as asked for.
pub(crate) fn run(default: u64) {
    let (counts, _) = check_seeds("floats", default, MAX_SHOWN, check);
    let compared: u64 = counts.operands.iter().sum();
    assert_eq!(compared, counts.programs * N_OPERANDS as u64, "all operands are compared");
}

fn options(seed: u64) -> Options {
    let level = [Level::O2, Level::O0, Level::Os, Level::O3, Level::O1][(seed / 3 % 5) as usize];
    let fork = if (seed / 3).is_multiple_of(4) { Fork::Frontier } else { Fork::default() };
    Options { level, fork, verify: seed.is_multiple_of(16), ..Options::default() }
}

/// What is wrong with the arithmetic of a program.
fn check(seed: u64, counts: &mut Counts) -> Option<String> {
    let mut random = Random::new(seed);
    let format = FloatFormat::ALL[(seed % 3) as usize];
    let options = options(seed);
    counts.programs += 1;
    let text = program(format, None);
    let mut machine = match deployed(&text, &options) {
        Ok(machine) => machine,
        Err(message) => return Some(format!("{message}\n{text}")),
    };
    for index in 0..N_OPERANDS {
        let operands = Operands::choose(&mut random, format);
        let outcome =
            machine.call(CONTRACT, &Message::new(operands.calldata())).expect("a valid transaction");
        counts.operands[format as usize] += 1;
        if outcome.status != Status::Success {
            return Some(format!("{operands:x?} ends with {}", outcome.halt_reason));
        }
        if let Some(fault) = differ(format, &operands, &outcome.output) {
            return Some(format!("-O{} {}: {fault}", options.level, options.fork));
        }
        if index.is_multiple_of(INTERPRETED) {
            counts.interpreted += 1;
            let found = interpreted(&text, &operands);
            if let Some(fault) = differ(format, &operands, &found) {
                return Some(format!("the interpreter: {fault}"));
            }
        }
    }
    for _ in 0..N_FOLDED {
        let operands = Operands::choose(&mut random, format);
        let text = program(format, Some(&operands));
        counts.folded += 1;
        let mut machine = match deployed(&text, &options) {
            Ok(machine) => machine,
            Err(message) => return Some(format!("{message}\n{text}")),
        };
        let outcome = machine.call(CONTRACT, &Message::new(Vec::new())).expect("a valid transaction");
        if let Some(fault) = differ(format, &operands, &outcome.output) {
            return Some(format!("folded, -O{} {}: {fault}", options.level, options.fork));
        }
    }
    None
}

/// The first operation that gives something else than the host.
fn differ(format: FloatFormat, operands: &Operands, output: &[u8]) -> Option<String> {
    let expected = host::evaluate(format, operands);
    let found: Vec<Word> = output.chunks(32).map(Word::from_be_slice).collect();
    let lines = lines(format);
    if found.len() != lines.len() || expected.len() != lines.len() {
        return Some(format!("{} results, not {}", found.len(), lines.len()));
    }
    let index = (0..lines.len()).find(|index| found[*index] != expected[*index])?;
    let (line, found, expected) = (&lines[index], found[index], expected[index]);
    Some(format!("`{line}` of {format} {operands:x?} gives {found:#x} instead of {expected:#x}"))
}

/// What is computed of `%a`, `%b` and the integers, with the type of the result; in the order of
/// [`host::evaluate`].
fn lines(format: FloatFormat) -> Vec<String> {
    let binary = ["add", "sub", "mul", "div", "mod", "min", "max"];
    let binary = binary.map(|op| format!("evm.{op} %a, %b : {format}"));
    let unary = ["sqrt", "abs"].map(|op| format!("evm.{op} %a : {format}"));
    let tests = ["lt", "gt", "eq"].map(|op| format!("evm.{op} %a, %b : bool"));
    let to = [8, 64, 128, 256]
        .map(|bits| [format!("evm.convert %a : u{bits}"), format!("evm.sconvert %a : u{bits}")]);
    let from =
        ["n", "m"].map(|n| [format!("evm.convert %{n} : {format}"), format!("evm.sconvert %{n} : {format}")]);
    let others = FloatFormat::ALL.map(|to| format!("evm.convert %a : {to}"));
    let all = binary.into_iter().chain(unary).chain(tests).chain(["evm.iszero %a : bool".to_owned()]);
    all.chain(to.into_iter().flatten()).chain(from.into_iter().flatten()).chain(others).collect()
}

/// The program; with constants instead of calldata if operands are given.
fn program(format: FloatFormat, constants: Option<&Operands>) -> String {
    let mut text = "module @m { func @__entry() {\n  %reserved = evm.heap_base 4096\n".to_owned();
    let named = [("a", format.name()), ("b", format.name()), ("n", "u256"), ("m", "u64")];
    for (index, (name, ty)) in named.into_iter().enumerate() {
        text += &match constants {
            Some(operands) => {
                format!("  %{name} = evm.constant {:#x} : {ty}\n", operands.words(format)[index])
            }
            None => format!("  %{name} = evm.calldataload {} : {ty}\n", 32 * index),
        };
    }
    let lines = lines(format);
    for (index, line) in lines.iter().enumerate() {
        text += &format!("  %r{index} = {line}\n  evm.mstore {}, %r{index}\n", 32 * index);
    }
    text + &format!("  evm.return 0, {} }} }}\n", 32 * lines.len())
}

fn deployed(text: &str, options: &Options) -> Result<Machine, String> {
    let module = cairn_ir::text::parse(text, FileId(0)).expect("well-formed");
    let mut session = Session::default();
    let artifacts = build_module(module, &[Emit::Bin], options, &mut session)
        .map_err(|fault| format!("{fault:?}: {:?}", session.diagnostics))?;
    let code = artifacts.get(Emit::Bin).expect("asked for");
    let environment = Environment { fork: options.fork, gas_limit: GAS_LIMIT, ..Environment::default() };
    let mut machine = Machine::new(environment);
    machine.set_code(CONTRACT, cairn_evm::hex::decode(code.trim()).expect("hex"));
    Ok(machine)
}

fn interpreted(text: &str, operands: &Operands) -> Vec<u8> {
    let module = cairn_ir::text::parse(text, FileId(0)).expect("well-formed");
    let mut env = Env { calldata: operands.calldata(), ..Env::default() };
    match interpret(&module, &mut env).expect("verified").outcome {
        Outcome::Return(bytes) => bytes,
        _ => Vec::new(),
    }
}
