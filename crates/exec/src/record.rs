//! Optional recording of a transaction: every step, and gas by opcode.
//!
//! The cost of a step is what it takes from its own frame, without what a called frame spends, so
//! that the costs of all steps add up to the execution gas (without the code deposit). A step that
//! halts takes all gas that is left.

use crate::environment::StateAccess;
use alloy_primitives::U256;
use cairn_evm::Opcode;
use revm::interpreter::interpreter_types::{Jumps, StackTr};
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, Gas, Interpreter, InterpreterTypes,
};
use revm::{Inspector, interpreter::InstructionResult};

/// What to record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Record {
    /// Nothing: the fastest.
    #[default]
    Nothing,
    /// Gas by opcode.
    Gas,
    /// Gas by opcode, and up to this many steps.
    Steps(usize),
    /// Branches and comparisons: [`crate::Watch`].
    Watch,
}

/// One executed instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Byte offset in the executing code.
    pub pc: usize,
    /// The instruction.
    pub opcode: Opcode,
    /// Number of frames below this one; 0 for the transaction's own.
    pub depth: usize,
    /// Gas left before.
    pub gas: u64,
    /// Gas it took from its frame; negative where an unused call stipend comes back.
    pub cost: i64,
    /// The stack before, top last.
    pub stack: Vec<U256>,
}

/// Executions and gas of one opcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpcodeGas {
    /// Times executed.
    pub count: u64,
    /// Gas in total; negative where unused call stipends came back.
    pub gas: i64,
}

/// Executions and gas by opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GasReport {
    by_opcode: Vec<OpcodeGas>,
}

impl Default for GasReport {
    fn default() -> Self {
        GasReport { by_opcode: vec![OpcodeGas::default(); 256] }
    }
}

impl GasReport {
    /// Counters of one opcode.
    pub fn get(&self, opcode: Opcode) -> OpcodeGas {
        self.by_opcode[usize::from(opcode.0)]
    }

    /// Opcodes that were executed, dearest first.
    pub fn sorted(&self) -> Vec<(Opcode, OpcodeGas)> {
        let rows = (0..=u8::MAX).map(|byte| (Opcode(byte), self.get(Opcode(byte))));
        let mut rows: Vec<_> = rows.filter(|(_, row)| row.count > 0).collect();
        rows.sort_by_key(|(opcode, row)| (-row.gas, *opcode));
        rows
    }

    /// Gas of all opcodes.
    pub fn total(&self) -> i64 {
        self.by_opcode.iter().map(|row| row.gas).sum()
    }

    /// Adds the counters of another report.
    pub fn add(&mut self, other: &GasReport) {
        for (row, other) in self.by_opcode.iter_mut().zip(&other.by_opcode) {
            row.count += other.count;
            row.gas += other.gas;
        }
    }
}

/// What was recorded of one transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The first steps, up to the limit asked for.
    pub steps: Vec<TraceStep>,
    /// Gas by opcode.
    pub gas: GasReport,
}

#[derive(Default)]
struct Frame {
    /// Opcode and gas before of the step that is not settled yet, and its place in the trace.
    last: Option<(u8, u64, Option<usize>)>,
    /// Gas spent by frames the last step called.
    called: u64,
}

/// Collects a [`Recording`] while revm runs.
pub(crate) struct Recorder {
    pub(crate) recording: Recording,
    max_steps: usize,
    /// Of the transaction's own frame.
    access: StateAccess,
    frames: Vec<Frame>,
}

impl Recorder {
    pub(crate) fn new(max_steps: usize, access: StateAccess) -> Self {
        Recorder { recording: Recording::default(), max_steps, access, frames: Vec::new() }
    }

    /// Gives the last step of the current frame its cost, now that `gas` is left.
    fn settle(&mut self, gas: u64) {
        let Some(frame) = self.frames.last_mut() else { return };
        let Some((opcode, before, step)) = frame.last.take() else { return };
        let cost = before as i64 - gas as i64 - frame.called as i64;
        frame.called = 0;
        let row = &mut self.recording.gas.by_opcode[usize::from(opcode)];
        row.count += 1;
        row.gas += cost;
        if let Some(step) = step {
            self.recording.steps[step].cost = cost;
        }
    }

    fn end_frame(&mut self, result: InstructionResult, gas: &Gas) {
        let left = if result.is_ok_or_revert() { gas.remaining() } else { 0 };
        let has_run = self.frames.last().is_some_and(|frame| frame.last.is_some());
        self.settle(left);
        self.frames.pop();
        // What a precompile spends counts for the call instruction.
        if let Some(caller) = self.frames.last_mut().filter(|_| has_run) {
            caller.called += gas.limit() - left;
        }
    }
}

impl<CTX, INTR: InterpreterTypes> Inspector<CTX, INTR> for Recorder {
    fn step(&mut self, interp: &mut Interpreter<INTR>, _: &mut CTX) {
        let gas = interp.gas.remaining();
        self.settle(gas);
        let opcode = interp.bytecode.opcode();
        let place = self.recording.steps.len();
        let step = (place < self.max_steps).then_some(place);
        if step.is_some() {
            self.recording.steps.push(TraceStep {
                pc: interp.bytecode.pc(),
                opcode: Opcode(opcode),
                depth: self.frames.len().saturating_sub(1),
                gas,
                cost: 0,
                stack: interp.stack.data().to_vec(),
            });
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.last = Some((opcode, gas, step));
        }
    }

    fn call(&mut self, _: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        inputs.is_static |= self.access == StateAccess::ReadOnly;
        self.frames.push(Frame::default());
        None
    }

    fn call_end(&mut self, _: &mut CTX, _: &CallInputs, outcome: &mut CallOutcome) {
        self.end_frame(outcome.result.result, &outcome.result.gas);
    }

    fn create(&mut self, _: &mut CTX, _: &mut CreateInputs) -> Option<CreateOutcome> {
        self.frames.push(Frame::default());
        None
    }

    fn create_end(&mut self, _: &mut CTX, _: &CreateInputs, outcome: &mut CreateOutcome) {
        self.end_frame(outcome.result.result, &outcome.result.gas);
    }
}

/// Makes the transaction's own frame static, and so all that it calls; records nothing.
pub(crate) struct StaticFrame;

impl<CTX, INTR: InterpreterTypes> Inspector<CTX, INTR> for StaticFrame {
    fn call(&mut self, _: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        inputs.is_static = true;
        None
    }
}
