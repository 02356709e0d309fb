//! Programs that jump by tables in their own code, as bytecode: each jump that is executed is an edge of
//! the graph that the analysis finds, and what is lifted and compiled anew does the same.
//!
//! Varies: what chooses an entry (a remainder, a mask, a shift, a byte, of calldata or of nothing that is
//! known), the width of entries and what stands beside the place, where the table is copied to and what is
//! loaded, what is written before, between and after (over the entry, beside it, nobody knows where), where
//! the block stands (the beginning, behind a jump, in a loop), and the table: entries that lead nowhere,
//! too few of them, with the end of the code among them.
//!
//! Not taken for granted: that memory is zero; that an entry is within the table; that what it says is a
//! destination; that the block runs once.

use crate::harness::{Merge, check_seeds};
use crate::random::Random;
use cairn_bytecode::{Role, analyze};
use cairn_driver::{Level, Options, Session, compile_lifted};
use cairn_evm::Opcode;
use cairn_exec::{Environment, Machine, Message, Record, account, find_difference};

/// Calls of a program, each with another first word.
const CALLS: u64 = 12;
/// Steps of a call that are looked at.
const STEPS: usize = 2_000;
/// Gas of a call: a loop ends by it.
const GAS: u64 = 60_000;
/// Faults that are shown.
const MAX_SHOWN: usize = 12;
/// Every so many programs that are lifted is compiled, too.
const COMPILED: u64 = 4;

/// Bytecode that is being written, with places that are filled in at the end.
#[derive(Default)]
struct Code {
    bytes: Vec<u8>,
    /// Places of pushes of two bytes, and what they push.
    fixes: Vec<(usize, Fix)>,
}

#[derive(Clone, Copy)]
enum Fix {
    /// The offset of the table, and so much more.
    Table(u16),
    /// The offset of this block.
    Block(usize),
}

impl Code {
    fn op(&mut self, opcodes: &[Opcode]) {
        self.bytes.extend(opcodes.iter().map(|op| op.0));
    }

    fn push(&mut self, word: u8) {
        self.bytes.extend([Opcode::PUSH1.0, word]);
    }

    fn push_later(&mut self, what: Fix) {
        self.fixes.push((self.bytes.len() + 1, what));
        self.bytes.extend([Opcode::PUSH2.0, 0, 0]);
    }
}

/// Leaves a word that chooses an entry on the stack, of so many.
fn choose(random: &mut Random, code: &mut Code, entries: usize) {
    match random.below(8) {
        0 => code.op(&[Opcode::CALLER]),
        1 => code.op(&[Opcode::CALLDATASIZE]),
        _ => code.op(&[Opcode::PUSH0, Opcode::CALLDATALOAD]),
    }
    let bound = (entries + random.below(3)).saturating_sub(random.below(2)).max(1) as u8;
    match random.below(5) {
        0 | 1 => {
            code.push(bound);
            code.op(&[Opcode::SWAP1, Opcode::MOD]);
        }
        2 => {
            code.push(*random.pick(&[1, 2, 3, 5, 7]));
            code.op(&[Opcode::AND]);
        }
        3 => {
            // The lowest bits become the highest.
            code.push(254);
            code.op(&[Opcode::SHL]);
            code.push(254);
            code.op(&[Opcode::SHR]);
        }
        _ => {
            code.push(31);
            code.op(&[Opcode::BYTE]);
        }
    }
}

/// Something that writes memory near the entry, or anywhere.
fn disturb(random: &mut Random, code: &mut Code) {
    let at = *random.pick(&[0u8, 1, 16, 30, 31, 32, 64]);
    match random.below(7) {
        0 => {
            code.push(random.below(256) as u8);
            code.push(at);
            code.op(&[Opcode::MSTORE]);
        }
        1 => {
            code.push(random.below(256) as u8);
            code.push(at);
            code.op(&[Opcode::MSTORE8]);
        }
        2 => {
            code.push(*random.pick(&[0, 1, 2, 32]));
            code.op(&[Opcode::PUSH0]);
            code.push(at);
            code.op(&[Opcode::CALLDATACOPY]);
        }
        3 => code.op(&[Opcode::CALLER, Opcode::PUSH0, Opcode::CALLDATALOAD, Opcode::MSTORE8]),
        4 => {
            code.push(*random.pick(&[1, 32]));
            code.push(at);
            code.op(&[Opcode::PUSH0, Opcode::PUSH0, Opcode::ADDRESS, Opcode::EXTCODECOPY]);
        }
        5 => {
            code.push(*random.pick(&[1, 31]));
            code.push(*random.pick(&[0, 32]));
            code.push(at);
            code.op(&[Opcode::MCOPY]);
        }
        _ => code.op(&[Opcode::CALLVALUE, Opcode::PUSH0, Opcode::MSTORE]),
    }
}

/// How entries look.
struct Shape {
    /// Bytes of an entry.
    width: u8,
    /// Bytes behind the place in it.
    behind: u8,
}

/// The block that reads the table, and jumps.
fn read_table(random: &mut Random, code: &mut Code, shape: &Shape, entries: usize) {
    let copies_all = random.once_in(4);
    let width = shape.width;
    if copies_all {
        code.push(width * entries as u8);
        code.push_later(Fix::Table(0));
        code.op(&[Opcode::PUSH0, Opcode::CODECOPY]);
        choose(random, code, entries);
        code.push(width);
        code.op(&[Opcode::MUL]);
    } else {
        choose(random, code, entries);
        code.push(width);
        code.op(&[Opcode::MUL]);
        code.push_later(Fix::Table(u16::from(random.once_in(12))));
        code.op(&[Opcode::ADD]);
        // Length and place, one of them a byte off at times.
        code.push(width + u8::from(random.once_in(12)));
        code.op(&[Opcode::SWAP1]);
        code.push(32 - width + u8::from(random.once_in(12)));
        code.op(&[Opcode::CODECOPY]);
        code.op(&[Opcode::PUSH0]);
    }
    if random.once_in(4) {
        disturb(random, code);
    }
    code.op(&[Opcode::MLOAD]);
    if copies_all {
        code.push(8 * (32 - width));
        code.op(&[Opcode::SHR]);
    }
    if shape.behind > 0 {
        code.push(8 * shape.behind);
        code.op(&[Opcode::SHR]);
    }
    if shape.width - shape.behind > 2 || random.once_in(3) {
        code.bytes.extend([Opcode::PUSH2.0, 0xff, 0xff, Opcode::AND.0]);
    }
    if random.once_in(5) {
        code.op(&[Opcode::CALLDATASIZE, Opcode::SWAP1, Opcode::JUMPI, Opcode::STOP]);
    } else {
        code.op(&[Opcode::JUMP]);
    }
}

/// A program, whole.
fn program(random: &mut Random) -> Vec<u8> {
    let mut code = Code::default();
    let entries = random.between(1, 6);
    let behind = random.below(3) as u8;
    let shape = Shape { width: behind + *random.pick(&[2u8, 2, 2, 3, 4, 6]), behind };
    if random.once_in(4) {
        disturb(random, &mut code);
    }
    let mut blocks = Vec::new();
    if random.once_in(3) {
        code.push_later(Fix::Block(0));
        code.op(&[Opcode::JUMP]);
        blocks.push(code.bytes.len());
        code.op(&[Opcode::JUMPDEST]);
    }
    if random.once_in(6) {
        disturb(random, &mut code);
    }
    read_table(random, &mut code, &shape, entries);
    for index in 0..random.between(1, 5) {
        blocks.push(code.bytes.len());
        code.op(&[Opcode::JUMPDEST]);
        code.push(index as u8 + 1);
        code.op(&[Opcode::PUSH0, Opcode::SSTORE]);
        match random.below(6) {
            0 => {
                code.push_later(Fix::Block(random.below(blocks.len())));
                code.op(&[Opcode::JUMP]);
            }
            1 => code.op(&[
                Opcode::PUSH0,
                Opcode::MLOAD,
                Opcode::PUSH0,
                Opcode::PUSH0,
                Opcode::LOG1,
                Opcode::STOP,
            ]),
            _ => code.op(&[Opcode::STOP]),
        }
    }
    finish(random, code, &blocks, &shape, entries)
}

/// Appends the table, and fills in what is pushed.
fn finish(random: &mut Random, mut code: Code, blocks: &[usize], shape: &Shape, entries: usize) -> Vec<u8> {
    let table = code.bytes.len();
    for _ in 0..entries.saturating_sub(usize::from(random.once_in(8))) {
        let place = match random.below(12) {
            0 => random.below(table + 40),
            _ => *random.pick(blocks),
        };
        let before = shape.width - shape.behind - 2;
        code.bytes.extend((0..before).map(|_| random.next() as u8));
        code.bytes.extend((place as u16).to_be_bytes());
        code.bytes.extend((0..shape.behind).map(|_| random.next() as u8));
    }
    for (at, fix) in code.fixes {
        let word = match fix {
            Fix::Table(more) => table as u16 + more,
            Fix::Block(index) => blocks[index % blocks.len()] as u16,
        };
        code.bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
    }
    code.bytes
}

fn machine_with(code: &[u8]) -> Machine {
    let mut machine = Machine::new(Environment::default());
    machine.set_gas_limit(GAS);
    machine.set_code(account(7), code.to_vec());
    machine
}

fn message(call: u64) -> Message {
    let mut word = [0; 32];
    word[31] = call as u8;
    Message::new(word[..32 - (call as usize % 3) / 2].to_vec())
}

/// The jumps that a call executes, by the offsets of the jump and of its target.
fn jumps_of(code: &[u8], call: u64) -> Vec<(u32, u32)> {
    let mut machine = machine_with(code);
    machine.set_record(Record::Steps(STEPS));
    machine.call(account(7), &message(call)).expect("the intrinsic cost is paid");
    let steps = machine.recording().steps.iter().filter(|step| step.depth == 0);
    let steps: Vec<_> = steps.map(|step| (step.pc as u32, step.opcode)).collect();
    let pairs = steps.windows(2).filter(|pair| matches!(pair[0].1, Opcode::JUMP | Opcode::JUMPI));
    pairs.map(|pair| (pair[0].0, pair[1].0)).collect()
}

/// What happened in the net.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    /// Programs all of whose jumps are known.
    closed: u64,
    /// Jumps that were executed.
    jumps: u64,
    /// Programs that were compiled anew.
    compiled: u64,
}

impl Merge for Counts {
    fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.closed += other.closed;
        self.jumps += other.jumps;
        self.compiled += other.compiled;
    }
}

/// What is wrong with the analysis of a program, or with what it is compiled to.
fn check(seed: u64, counts: &mut Counts) -> Option<String> {
    let code = program(&mut Random::new(seed));
    let analysis = analyze(&code);
    counts.programs += 1;
    counts.closed += u64::from(analysis.is_closed());
    let is_edge = |from: u32, to: u32| {
        let (from, to) = (analysis.blocks.containing(from)?, analysis.blocks.starting_at(to)?);
        analysis.cfg.successors(from).any(|block| block == to).then_some(())
    };
    for call in 0..CALLS {
        for (from, to) in jumps_of(&code, call) {
            counts.jumps += 1;
            if is_edge(from, to).is_none() {
                let code = cairn_evm::hex::encode(&code);
                return Some(format!("call {call}: {from:#x} jumps to {to:#x}, which is no edge: {code}"));
            }
        }
    }
    match analysis.is_closed() && seed.is_multiple_of(COMPILED) {
        true => compare_compiled(&code, counts),
        false => None,
    }
}

/// Lifts and compiles a program, and runs both.
fn compare_compiled(code: &[u8], counts: &mut Counts) -> Option<String> {
    let (options, mut session) = (Options { level: Level::O2, ..Options::default() }, Session::default());
    let lifted = cairn_driver::lift(code, Some(Role::Runtime), &options, &mut session).ok()?;
    if !lifted.observed.hazards().is_empty() {
        return None;
    }
    let new = compile_lifted(lifted.module, &options, &mut session).ok()?;
    counts.compiled += 1;
    (0..CALLS).find_map(|call| {
        let run = |code: &[u8]| {
            let mut machine = machine_with(code);
            let outcome = machine.call(account(7), &message(call)).expect("the intrinsic cost is paid");
            (outcome.is_out_of_gas(), machine.observe(&outcome))
        };
        let ((is_out, before), (_, after)) = (run(code), run(&new));
        let difference = find_difference(&[before], &[after]).filter(|_| !is_out)?;
        Some(format!("call {call}: compiled anew: {difference}: {}", cairn_evm::hex::encode(code)))
    })
}

/// Looks at as many programs as asked for.
pub(crate) fn run(default: u64) {
    let (counts, _) = check_seeds("tables", default, MAX_SHOWN, check);
    let Counts { programs, closed, jumps, compiled } = counts;
    assert!(
        closed * 10 > programs && jumps > programs && compiled * 100 > programs,
        "hardly anything is looked at"
    );
}
