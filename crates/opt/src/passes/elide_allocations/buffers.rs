//! Which values of a function point into which buffer, and which buffers are used through nothing else.
//!
//! An *origin* is a value that a buffer may be known by: a parameter of the function, or a load of the
//! pointer to free memory. A value *belongs* to the origins that it is a sum of, each once, besides what
//! does not depend on where buffers lie: sums and differences of values, sums rounded to words, results
//! of calls that are such sums of arguments, block parameters all of whose ways in bring such values.
//!
//! An origin *escapes* when where it lies becomes part of anything else: stored, returned (loads), passed
//! to a function that lets it escape, added to another load, mixed with something else in one variable,
//! compared with it, or computed with in any other way. What is left are addresses, and differences and
//! comparisons inside one buffer, which are the same wherever it lies.
//!
//! Cost: linear; [`MAX_ROUNDS`] sweeps at most.

use super::callee::{Callees, Use};
use super::parts::{Origin, Parts};
use crate::memory::{is_sure_to_write, only_writes};
use crate::pointer_word::{self, ADDRESS};
use cairn_analysis::{Cfg, callgraph};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{EntityRef, Family, Function, Inst, Op, SecondaryMap, Value};

/// Sweeps until all are taken to escape.
const MAX_ROUNDS: usize = 8;

/// The lowest bits, which rounding takes off.
const MAX_ROUNDED: u64 = 0xfff;

/// What pointers and their sums are checked against is 2^64, wherever they lie: they have no bits above.
const CHECKED_BITS: usize = 64;

/// The origins that a value belongs to; nothing before a way to the value was seen.
type State = Option<Parts>;

/// What happens to an origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fate {
    /// Where it lies became part of something else.
    pub(super) escapes: bool,
    /// It was stored as the pointer to free memory, with something added, here or in a function it was
    /// passed to.
    pub(super) moves_pointer: bool,
    /// Another origin was added to it.
    pub(super) is_summed: bool,
    /// What lies there may be read.
    pub(super) is_read: bool,
}

/// See the head of this module.
pub(super) struct Buffers {
    /// Parameters, then loads.
    origins: Vec<Value>,
    n_params: usize,
    states: SecondaryMap<Value, State>,
    fates: Vec<Fate>,
    /// What the results of the function belong to.
    results: Vec<State>,
    is_new: bool,
}

impl Buffers {
    /// Looks through a function.
    pub(super) fn compute(func: &Function, cfg: &Cfg, callees: &Callees) -> Buffers {
        let mut origins: Vec<Value> = func.params().to_vec();
        let n_params = origins.len();
        let insts = cfg.rpo().iter().flat_map(|block| func.layout.insts(*block));
        let loads = insts.filter(|inst| pointer_word::is_loaded(func, *inst));
        origins.extend(loads.map(|inst| func.dfg.result(inst)));
        let mut states = SecondaryMap::new();
        for (index, value) in origins.iter().enumerate() {
            states[*value] = Some(Parts::of(Origin::new(index)));
        }
        let fates = vec![Fate::default(); origins.len()];
        let mut buffers = Buffers { origins, n_params, states, fates, results: Vec::new(), is_new: true };
        for _ in 0..MAX_ROUNDS {
            if !std::mem::replace(&mut buffers.is_new, false) {
                return buffers;
            }
            for block in cfg.rpo() {
                func.layout.insts(*block).for_each(|inst| buffers.visit(func, inst, callees));
            }
        }
        buffers.fates.iter_mut().for_each(|fate| fate.escapes = true);
        buffers
    }

    /// The loads that a value belongs to.
    pub(super) fn loads_of(&self, value: Value) -> impl Iterator<Item = Origin> {
        let n_params = self.n_params;
        self.parts(value).iter().filter(move |origin| origin.index() >= n_params)
    }

    /// The load of the pointer that a value belongs to, if that does not escape.
    pub(super) fn buffer_of(&self, value: Value) -> Option<Origin> {
        self.loads_of(value).find(|origin| !self.fate(*origin).escapes)
    }

    /// The load of the pointer that an instruction is.
    pub(super) fn loaded_at(&self, func: &Function, inst: Inst) -> Option<Origin> {
        let result = *func.dfg.results(inst).first()?;
        pointer_word::is_loaded(func, inst).then(|| self.loads_of(result).next())?
    }

    /// The allocated buffer that a store writes, if nothing that is done through its word reads it.
    pub(super) fn only_written_by(&self, func: &Function, store: Inst) -> Option<Origin> {
        if func.dfg.op(store) != Op::DataCopy && !only_writes(func, store) {
            return None;
        }
        let mut parts = self.parts(func.dfg.args(store)[0]).iter();
        let buffer =
            parts.next().filter(|origin| origin.index() >= self.n_params && parts.next().is_none())?;
        let Fate { escapes, is_read, is_summed, moves_pointer } = self.fate(buffer);
        (moves_pointer && !escapes && !is_read && !is_summed).then_some(buffer)
    }

    /// True if an instruction may read what lies in one of some buffers.
    pub(super) fn may_read(
        &self,
        func: &Function,
        inst: Inst,
        callees: &Callees,
        buffers: &[Origin],
    ) -> bool {
        let mut args = func.dfg.args(inst).iter().enumerate();
        args.any(|(index, arg)| {
            reads_through(func, inst, index, callees)
                && self.parts(*arg).iter().any(|origin| buffers.contains(&origin))
        })
    }

    /// True if a load of the pointer escapes behind which nothing is allocated: what is looked at then is not
    /// where something lies, but how far memory is in use.
    pub(super) fn shows_pointer(&self) -> bool {
        self.fates[self.n_params..].iter().any(|fate| fate.escapes && !fate.moves_pointer)
    }

    pub(super) fn fate(&self, origin: Origin) -> Fate {
        self.fates[origin.index()]
    }

    /// The value that an origin is.
    pub(super) fn value(&self, origin: Origin) -> Value {
        self.origins[origin.index()]
    }

    /// What happens to the parameters.
    pub(super) fn params(&self) -> &[Fate] {
        &self.fates[..self.n_params]
    }

    /// The parameters that each result is a sum of.
    pub(super) fn results(&self) -> Vec<Parts> {
        let kept = |state: &State| state.unwrap_or_default().filtered(|origin| !self.fate(origin).escapes);
        self.results.iter().map(kept).collect()
    }

    fn parts(&self, value: Value) -> Parts {
        self.states[value].unwrap_or_default()
    }

    fn escape(&mut self, parts: Parts) {
        parts.iter().for_each(|origin| self.fates[origin.index()].escapes = true);
    }

    fn read(&mut self, parts: Parts) {
        parts.iter().for_each(|origin| self.fates[origin.index()].is_read = true);
    }

    fn set(&mut self, value: Value, parts: Parts) {
        self.is_new |= self.states[value] != Some(parts);
        self.states[value] = Some(parts);
    }

    /// What two ways bring together; what only one of them brings escapes.
    fn join(&mut self, old: State, new: State) -> State {
        let (Some(one), Some(other)) = (old, new) else {
            return old.or(new);
        };
        self.escape(one.without(other));
        self.escape(other.without(one));
        Some(one.common(other))
    }

    fn visit(&mut self, func: &Function, inst: Inst, callees: &Callees) {
        let args = func.dfg.args(inst);
        let parts = match func.dfg.op(inst) {
            _ if pointer_word::is_loaded(func, inst) => return,
            Op::Icall => return self.visit_call(func, inst, callees),
            Op::Iret => return self.visit_return(args),
            op if op.family() == Family::Mark => return,
            Op::Evm(opcode) if opcode.is_arithmetic() => self.arithmetic(func, inst, opcode),
            Op::PtrAdd => self.sum(self.parts(args[0]), self.parts(args[1])),
            Op::PtrToInt | Op::IntToPtr => self.parts(args[0]),
            op => {
                for (index, arg) in args.iter().enumerate() {
                    if reads_through(func, inst, index, callees) {
                        self.read(self.parts(*arg));
                    }
                    if !is_address(op, index) && !self.moves_pointer(func, inst, index) {
                        self.escape(self.parts(*arg));
                    }
                }
                self.visit_edges(func, inst);
                Parts::default()
            }
        };
        func.dfg.results(inst).iter().for_each(|result| self.set(*result, parts));
    }

    /// True for the value that is stored as the pointer to free memory.
    fn moves_pointer(&mut self, func: &Function, inst: Inst, index: usize) -> bool {
        let is_move = index == 1 && is_move(func, inst);
        if is_move {
            for origin in self.parts(func.dfg.args(inst)[1]).iter() {
                self.fates[origin.index()].moves_pointer = true;
            }
        }
        is_move
    }

    fn arithmetic(&mut self, func: &Function, inst: Inst, opcode: Opcode) -> Parts {
        let args = func.dfg.args(inst);
        let word = |index: usize| func.dfg.as_const(args[index]);
        let parts = |index: usize| self.parts(args[index]);
        match opcode {
            Opcode::ADD => return self.sum(parts(0), parts(1)),
            Opcode::SUB => {
                let (one, other) = (parts(0), parts(1));
                self.escape(other.without(one));
                return one.without(other);
            }
            Opcode::AND if word(0).is_some_and(is_rounding) => return parts(1),
            Opcode::AND if word(1).is_some_and(is_rounding) => return parts(0),
            Opcode::SHR if word(0).is_some_and(|by| by >= Word::from(CHECKED_BITS as u64)) => {}
            Opcode::ISZERO => {}
            Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::EQ => {
                let (one, other) = (parts(0), parts(1));
                if !word(0).or(word(1)).is_some_and(is_answered_alike) {
                    self.escape(one.without(other));
                    self.escape(other.without(one));
                }
            }
            _ => args.iter().for_each(|arg| self.escape(self.parts(*arg))),
        }
        Parts::default()
    }

    /// A sum. Of two loads of the pointer it points into neither buffer.
    fn sum(&mut self, one: Parts, other: Parts) -> Parts {
        let all = one.union(other).filter(|_| one.common(other).is_empty());
        let n_loads = |parts: Parts| parts.iter().filter(|origin| origin.index() >= self.n_params).count();
        let Some(all) = all.filter(|all| n_loads(*all) < 2) else {
            self.escape(one);
            self.escape(other);
            return Parts::default();
        };
        if !one.is_empty() && !other.is_empty() {
            all.iter().for_each(|origin| self.fates[origin.index()].is_summed = true);
        }
        all
    }

    fn visit_call(&mut self, func: &Function, inst: Inst, callees: &Callees) {
        let Some(callee) = callgraph::callee(func, inst).map(|id| callees.of(id)) else {
            return;
        };
        let args = func.dfg.args(inst);
        let mut summed = Parts::default();
        for (index, arg) in args.iter().enumerate() {
            let parts = self.parts(*arg);
            if reads_through(func, inst, index, callees) {
                self.read(parts);
            }
            if callee.moves_pointer(index) {
                parts.iter().for_each(|origin| self.fates[origin.index()].moves_pointer = true);
            }
            match callee.param(index) {
                Use::Kept => self.escape(parts),
                Use::Lent => {}
                Use::Summed => summed = self.sum(summed, parts),
            }
        }
        for (index, result) in func.dfg.results(inst).iter().enumerate() {
            let of_args = callee.result(index).iter().map(|param| self.parts(args[param.index()]));
            let parts = of_args
                .collect::<Vec<_>>()
                .into_iter()
                .fold(Parts::default(), |all, parts| self.sum(all, parts));
            self.set(*result, parts);
        }
    }

    fn visit_return(&mut self, args: &[Value]) {
        self.results.resize(args.len(), None);
        for (index, arg) in args.iter().enumerate() {
            let parts = self.parts(*arg);
            let of_params = parts.filtered(|origin| origin.index() < self.n_params);
            self.escape(parts.without(of_params));
            self.results[index] = self.join(self.results[index], Some(of_params));
        }
    }

    fn visit_edges(&mut self, func: &Function, inst: Inst) {
        let mut passed: Vec<(Value, Value)> = Vec::new();
        func.dfg.for_each_target(inst, |call| {
            let params = func.dfg.params(call.block).iter().copied();
            passed.extend(params.zip(func.dfg.call_args(call).iter().copied()));
        });
        for (param, arg) in passed {
            let state = self.join(self.states[param], self.states[arg]);
            self.is_new |= self.states[param] != state;
            self.states[param] = state;
        }
    }
}

/// True for numbers that all pointers and their sums compare alike with: zero, and what they are checked
/// against.
fn is_answered_alike(word: Word) -> bool {
    word.is_zero() || word >= word::low_mask(CHECKED_BITS)
}

/// True for a mask that takes off the lowest bits only.
pub(super) fn is_rounding(mask: Word) -> bool {
    !mask <= Word::from(MAX_ROUNDED)
}

/// True for a store of the pointer to free memory.
pub(super) fn is_move(func: &Function, inst: Inst) -> bool {
    func.dfg.op(inst) == Op::Evm(Opcode::MSTORE)
        && func.dfg.as_const(func.dfg.args(inst)[0]) == Some(Word::from(ADDRESS))
}

/// True for instructions that use what lies where their operands point, for which they get operands that
/// belong to origins which do not escape.
pub(super) fn is_use(func: &Function, inst: Inst) -> bool {
    match func.dfg.op(inst) {
        Op::Evm(opcode) => !opcode.is_arithmetic() && !is_move(func, inst),
        Op::PtrAdd | Op::PtrToInt | Op::IntToPtr => false,
        op => op.family() != Family::Mark,
    }
}

/// True for an operand through which an instruction may read, or pass on, what lies there.
fn reads_through(func: &Function, inst: Inst, index: usize, callees: &Callees) -> bool {
    let op = func.dfg.op(inst);
    let writes_only = match op {
        Op::Icall => return callees.moved_behind(func, inst) != Some(index),
        Op::Evm(opcode) => is_sure_to_write(opcode) || opcode == Opcode::RETURNDATACOPY,
        _ => op == Op::DataCopy,
    };
    is_address(op, index) && !(writes_only && index == 0)
}

/// True for an operand that says where a region of memory begins.
fn is_address(op: Op, index: usize) -> bool {
    let Op::Evm(opcode) = op else {
        return matches!(op, Op::DataCopy | Op::SetImmutable) && index == 0;
    };
    let regions = [memory_read(opcode), memory_write(opcode)];
    regions.into_iter().flatten().any(|region| usize::from(region.start) == index)
}
