//! Runs internal functions on constants.
//!
//! A run follows the one way that the arguments choose. It ends without a result where that way does anything
//! but compute: where it reads or writes memory, storage or the environment, where it fails, and where it takes
//! more steps than there are left.

use crate::cost;
use cairn_evm::{Fork, Word, word};
use cairn_ir::{
    Block, BlockCall, Family, Func, Function, Inst, Module, Op, Payload, SecondaryMap, Value, sized,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Instructions that one call may run, with those of the functions that it calls.
const MAX_STEPS: u64 = 10_000;
/// Instructions that all calls of a module may run: this many, and so many for each instruction it has.
const STEPS: (u64, u64) = (100_000, 8);
/// Calls that may be active at once.
const MAX_DEPTH: u32 = 16;

/// Words passed or given back.
pub(super) type Words = SmallVec<[Word; 4]>;

/// What a call gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evaluated {
    /// Its results.
    pub(super) words: Words,
    /// Gas of the run, about.
    pub(super) gas: u64,
}

/// Why a call was not evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// It does more than compute, or fails.
    Effect,
    /// It takes too long.
    Steps,
}

/// Evaluates calls of a module's functions.
pub(super) struct Evaluator<'a> {
    module: &'a Module,
    fork: Fork,
    /// Steps left for the module.
    steps: u64,
    known: FxHashMap<(Func, Words), Result<Evaluated, Obstacle>>,
}

/// A function that is run.
struct Frame<'a> {
    func: &'a Function,
    values: SecondaryMap<Value, Word>,
    gas: u64,
}

/// Where a run goes on.
enum Next {
    Block(BlockCall),
    Return(Words),
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(module: &'a Module, fork: Fork) -> Evaluator<'a> {
        let n_insts: usize = module.funcs.values().map(|func| func.dfg.num_insts()).sum();
        let steps = STEPS.0 + STEPS.1 * n_insts as u64;
        Evaluator { module, fork, steps, known: FxHashMap::default() }
    }

    /// What a function gives back for these arguments.
    pub(super) fn evaluate(&mut self, func: Func, args: Words) -> Result<Evaluated, Obstacle> {
        let mut budget = MAX_STEPS.min(self.steps);
        let before = budget;
        let found = self.call(func, args, &mut budget, MAX_DEPTH);
        self.steps -= before - budget;
        found
    }

    fn call(&mut self, func: Func, args: Words, budget: &mut u64, depth: u32) -> Result<Evaluated, Obstacle> {
        if let Some(known) = self.known.get(&(func, args.clone())) {
            return known.clone();
        }
        let found = self.run(func, &args, budget, depth);
        // What stopped because others had taken the steps may go on another time.
        if found != Err(Obstacle::Steps) {
            self.known.insert((func, args), found.clone());
        }
        found
    }

    fn run(
        &mut self,
        func: Func,
        args: &[Word],
        budget: &mut u64,
        depth: u32,
    ) -> Result<Evaluated, Obstacle> {
        let depth = depth.checked_sub(1).ok_or(Obstacle::Steps)?;
        let func = &self.module.funcs[func];
        // Room for all values is cleared: steps, too.
        spend(budget, func.dfg.num_values() as u64 / 8)?;
        let mut frame = Frame { func, values: sized(func.dfg.num_values()), gas: 0 };
        let mut block = func.layout.first_block().ok_or(Obstacle::Effect)?;
        frame.enter(block, args)?;
        loop {
            match self.run_block(&mut frame, block, budget, depth)? {
                Next::Return(words) => return Ok(Evaluated { words, gas: frame.gas }),
                Next::Block(edge) => {
                    let args = frame.words(func.dfg.call_args(&edge));
                    block = edge.block;
                    frame.enter(block, &args)?;
                }
            }
        }
    }

    fn run_block(
        &mut self,
        frame: &mut Frame<'_>,
        block: Block,
        budget: &mut u64,
        depth: u32,
    ) -> Result<Next, Obstacle> {
        let func = frame.func;
        for inst in func.layout.insts(block) {
            spend(budget, 1)?;
            frame.gas += cost::of_inst(func, inst, self.fork).gas;
            match func.dfg.op(inst) {
                Op::Icall => {
                    let Payload::Func(callee) = func.dfg.inst(inst).payload else {
                        return Err(Obstacle::Effect);
                    };
                    let args = frame.words(func.dfg.args(inst));
                    let given = self.call(callee, args, budget, depth)?;
                    frame.gas += given.gas;
                    frame.define(func.dfg.results(inst), &given.words)?;
                }
                op if op.is_terminator() => return frame.leave(inst),
                op if op.family() == Family::Mark => {}
                _ => frame.compute(inst)?,
            }
        }
        Err(Obstacle::Effect)
    }
}

impl Frame<'_> {
    fn words(&self, values: &[Value]) -> Words {
        values.iter().map(|value| self.values[*value]).collect()
    }

    fn enter(&mut self, block: Block, args: &[Word]) -> Result<(), Obstacle> {
        self.define(self.func.dfg.params(block), args)
    }

    /// Gives values their words, if these are words of their types.
    fn define(&mut self, values: &[Value], words: &[Word]) -> Result<(), Obstacle> {
        if values.len() != words.len() {
            return Err(Obstacle::Effect);
        }
        for (value, word) in values.iter().zip(words) {
            let bits = self.func.dfg.ty(*value).bits().ok_or(Obstacle::Effect)?;
            if word.bit_len() > bits as usize {
                return Err(Obstacle::Effect);
            }
            self.values[*value] = *word;
        }
        Ok(())
    }

    /// Carries out what is no terminator and no call.
    fn compute(&mut self, inst: Inst) -> Result<(), Obstacle> {
        let func = self.func;
        let args = self.words(func.dfg.args(inst));
        let word = match func.dfg.op(inst) {
            Op::Constant => func.dfg.inst_const(inst),
            Op::Zext => args.first().copied(),
            Op::Evm(opcode) => word::eval(opcode, &args),
            _ => None,
        };
        self.define(func.dfg.results(inst), &[word.ok_or(Obstacle::Effect)?])
    }

    /// Where a terminator leads.
    fn leave(&self, inst: Inst) -> Result<Next, Obstacle> {
        let func = self.func;
        let args = self.words(func.dfg.args(inst));
        Ok(match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
            (Op::Iret, _) => Next::Return(args),
            (Op::Br, Payload::Jump(edge)) => Next::Block(edge),
            (Op::CondBr, Payload::Branch([nonzero, zero])) => {
                Next::Block(if args[0].is_zero() { zero } else { nonzero })
            }
            (Op::Switch, Payload::Switch(id)) => {
                let data = func.dfg.switch(id);
                let case = data.cases.iter().find(|(word, _)| *word == args[0]);
                Next::Block(case.map_or(data.default, |(_, edge)| *edge))
            }
            _ => return Err(Obstacle::Effect),
        })
    }
}

fn spend(budget: &mut u64, steps: u64) -> Result<(), Obstacle> {
    *budget = budget.checked_sub(steps).ok_or(Obstacle::Steps)?;
    Ok(())
}
