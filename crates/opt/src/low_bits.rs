//! How many of the low bits of each value a module asks for.
//!
//! Bits above those can be anything: no address, comparison, store or result depends on them. The low bits of
//! sums, products and of what bits are made of one by one come from the low bits of the operands; shifts by
//! known numbers move what is asked for, masks cut it off; accounts are 160 bits. Every other operation asks for
//! all bits, unless nobody asks for what it gives. Parameters and results of functions and blocks are asked for
//! what their uses ask for, over all of the module.
//!
//! Values start as asked for nothing, and what is asked for grows until nothing changes. Functions are visited
//! callees first, then callers first, and so on: parameters ask upwards, results downwards. Cost: linear;
//! numbers that still grow after [`SWEEPS`] are asked for whole, and so is everything after [`MAX_SWEEPS`].

use cairn_analysis::{CallGraph, Cfg, callgraph};
use cairn_evm::account::{ACCOUNT_BITS, account_operand};
use cairn_evm::{Opcode, Word};
use cairn_ir::{EntityRef, Func, Function, Inst, Module, Op, SecondaryMap, Value};

/// All bits of a word.
const WORD: u16 = 256;

/// Visits of each function until what still grows is asked for whole.
const SWEEPS: usize = 8;

/// Visits of each function until nothing is known.
const MAX_SWEEPS: usize = 24;

/// How far what is asked for grows when more is wanted.
#[derive(Clone, Copy)]
enum Growth {
    AsWanted,
    Whole,
}

/// See the head of this module.
pub(crate) struct LowBits {
    asked: SecondaryMap<Func, SecondaryMap<Value, u16>>,
    /// Results of functions.
    results: SecondaryMap<Func, Vec<u16>>,
    changed: bool,
    growth: Growth,
    /// False where more is asked for than was found.
    is_known: bool,
}

impl LowBits {
    /// What the functions of a module ask for. Nobody else calls them.
    pub(crate) fn compute(module: &Module) -> LowBits {
        let mut bits = LowBits {
            asked: SecondaryMap::new(),
            results: SecondaryMap::new(),
            changed: true,
            growth: Growth::AsWanted,
            is_known: false,
        };
        let cfgs: Vec<Cfg> = module.funcs.values().map(Cfg::compute).collect();
        let calls = CallGraph::compute_with(module, &cfgs);
        let mut order: Vec<Func> = calls.bottom_up().collect();
        for sweep in 0..MAX_SWEEPS {
            bits.growth = if sweep < SWEEPS { Growth::AsWanted } else { Growth::Whole };
            bits.changed = false;
            for id in &order {
                let func = &module.funcs[*id];
                for block in cfgs[id.index()].rpo().iter().rev() {
                    func.layout.insts_rev(*block).for_each(|inst| bits.visit(module, *id, func, inst));
                }
            }
            if !bits.changed {
                bits.is_known = true;
                break;
            }
            order.reverse();
        }
        bits
    }

    /// The number of low bits that are asked for, at most 256.
    pub(crate) fn of(&self, func: Func, value: Value) -> u16 {
        if self.is_known { self.asked[func][value] } else { WORD }
    }

    fn visit(&mut self, module: &Module, id: Func, func: &Function, inst: Inst) {
        match callgraph::callee(func, inst) {
            Some(callee) => self.visit_call(module, id, inst, callee),
            None => self.visit_operands(id, func, inst),
        }
        func.dfg.for_each_target(inst, |call| {
            for (param, arg) in func.dfg.params(call.block).iter().zip(func.dfg.call_args(call)) {
                self.ask(id, *arg, self.asked[id][*param]);
            }
        });
    }

    fn visit_call(&mut self, module: &Module, id: Func, inst: Inst, callee: Func) {
        let (func, called) = (&module.funcs[id], &module.funcs[callee]);
        for (index, result) in func.dfg.results(inst).iter().enumerate() {
            self.ask_result(callee, index, self.asked[id][*result]);
        }
        for (arg, param) in func.dfg.args(inst).iter().zip(called.dfg.params(called.layout.entry())) {
            self.ask(id, *arg, self.asked[callee][*param]);
        }
    }

    fn visit_operands(&mut self, id: Func, func: &Function, inst: Inst) {
        let (op, results) = (func.dfg.op(inst), func.dfg.results(inst));
        let of_results = results.iter().map(|value| self.asked[id][*value]).max();
        let is_unasked = op == Op::DbgTrace || op.effects().is_pure() && of_results == Some(0);
        for (index, arg) in func.dfg.args(inst).iter().enumerate() {
            let wanted = match op {
                _ if is_unasked => 0,
                Op::Iret => self.results[id].get(index).copied().unwrap_or(0),
                _ => of_operand(func, inst, index, of_results.unwrap_or(WORD)),
            };
            self.ask(id, *arg, wanted);
        }
    }

    fn ask(&mut self, id: Func, value: Value, wanted: u16) {
        let known = &mut self.asked[id][value];
        let raised = raised(*known, wanted, self.growth);
        self.changed |= raised != *known;
        *known = raised;
    }

    fn ask_result(&mut self, id: Func, index: usize, wanted: u16) {
        let results = &mut self.results[id];
        if results.len() <= index {
            results.resize(index + 1, 0);
        }
        let raised = raised(results[index], wanted, self.growth);
        self.changed |= raised != results[index];
        results[index] = raised;
    }
}

/// What is asked for if more is wanted than was known.
fn raised(known: u16, wanted: u16, growth: Growth) -> u16 {
    match growth {
        _ if wanted <= known => known,
        Growth::AsWanted => wanted,
        Growth::Whole => WORD,
    }
}

/// What an instruction asks of an operand if `wanted` bits of its result are asked for, at least one.
fn of_operand(func: &Function, inst: Inst, index: usize, wanted: u16) -> u16 {
    let args = func.dfg.args(inst);
    let number = |index: usize| args.get(index).and_then(|arg| func.dfg.as_const(*arg));
    let small = |index: usize| number(index).and_then(|word| u16::try_from(word).ok()).filter(|n| *n < WORD);
    match func.dfg.op(inst) {
        Op::Evm(opcode) => match opcode {
            Opcode::ADD | Opcode::SUB | Opcode::MUL | Opcode::OR | Opcode::XOR | Opcode::NOT => wanted,
            Opcode::AND => wanted.min(number(1 - index).map_or(WORD, bit_length)),
            Opcode::SHL if index == 1 => small(0).map_or(WORD, |by| wanted.saturating_sub(by)),
            Opcode::SHR if index == 1 => small(0).map_or(WORD, |by| (wanted + by).min(WORD)),
            Opcode::BYTE if index == 1 => small(0).map_or(WORD, |at| WORD.saturating_sub(8 * at)),
            Opcode::SIGNEXTEND if index == 1 => {
                small(0).map_or(WORD, |bytes| wanted.min(8 * (bytes.min(31) + 1)))
            }
            Opcode::MSTORE8 if index == 1 => 8,
            _ if account_operand(opcode) == Some(index) => ACCOUNT_BITS,
            _ => WORD,
        },
        Op::Zext | Op::PtrToInt | Op::IntToPtr | Op::PtrAdd => wanted,
        _ => WORD,
    }
}

fn bit_length(word: Word) -> u16 {
    (256 - word.leading_zeros()) as u16
}

#[cfg(test)]
mod tests;
