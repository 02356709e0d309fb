//! Which way a branch goes for those who come over one edge.
//!
//! The edge leads to a block that ends in a branch. Its parameters are the edge's arguments there, and
//! what the branch behind the edge says holds as well: with both the condition may be decided, where it
//! is not for all who come to the block.

use super::{Facts, Simplifier};
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, BlockCall, EntityRef, Function, Inst, Op, Payload, SwitchId, Value, ValueDef};
use cairn_rules::transfer;
use smallvec::SmallVec;

/// How deep a condition is looked into.
const DEPTH: u32 = 6;

/// An edge behind which the next branch is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreseen {
    /// The branch or jump that the edge leaves from.
    pub(crate) from: Inst,
    /// Which target of it.
    pub(crate) target: usize,
    /// The block that the edge leads to.
    pub(crate) through: Block,
    /// The block where the branch at the end of `through` goes.
    pub(crate) to: Block,
}

/// Cases of a switch that are looked at for each edge to it.
const MAX_CASES: usize = 64;

/// The edges that were looked behind.
#[derive(Debug)]
pub(super) struct Foresight {
    /// By block: true for one that ends in a branch and that several edges lead to, all of them forward.
    is_crossing: Vec<bool>,
    /// What was found.
    pub(super) found: Vec<Foreseen>,
}

impl Foresight {
    pub(super) fn new(func: &Function, cfg: &Cfg) -> Foresight {
        let mut is_crossing = vec![false; func.num_blocks()];
        for block in cfg.rpo() {
            is_crossing[block.index()] = cfg.preds(*block).len() > 1
                && func.terminator(*block).is_some_and(|end| branches(func, end))
                && !cfg.begins_cycle(*block);
        }
        Foresight { is_crossing, found: Vec::new() }
    }
}

fn branches(func: &Function, end: Inst) -> bool {
    match func.dfg.inst(end).payload {
        Payload::Branch(_) => true,
        Payload::Switch(id) => func.dfg.switch(id).cases.len() <= MAX_CASES,
        _ => false,
    }
}

/// An edge: the block that it leads to, and the values of its parameters.
struct Edge<'a> {
    block: Block,
    args: &'a [Value],
}

impl Simplifier<'_> {
    /// Looks behind each edge of a terminator, if somebody wants to know.
    pub(super) fn foresee(&mut self, from: Inst) {
        let Some(foresight) = &self.foresight else {
            return;
        };
        let mut calls: SmallVec<[(usize, BlockCall); 4]> = SmallVec::new();
        let mut target = 0;
        self.func.dfg.for_each_target(from, |call| {
            if foresight.is_crossing[call.block.index()] {
                calls.push((target, *call));
            }
            target += 1;
        });
        for (target, call) in calls {
            let through = call.block;
            let args: SmallVec<[Value; 4]> = self.func.dfg.call_args(&call).iter().copied().collect();
            let mark = self.scope.mark();
            self.assume_edge(from, target);
            let to = self.way_on(&Edge { block: through, args: &args });
            self.scope.roll_back(mark, &mut self.facts);
            if let (Some(to), Some(foresight)) = (to, &mut self.foresight) {
                foresight.found.push(Foreseen { from, target, through, to });
            }
        }
    }

    /// The block that the crossing goes to for those who come over the edge.
    fn way_on(&self, edge: &Edge<'_>) -> Option<Block> {
        let end = self.func.terminator(edge.block)?;
        let payload = self.func.dfg.inst(end).payload;
        if !matches!(payload, Payload::Branch(_) | Payload::Switch(_)) {
            return None;
        }
        let facts = self.facts_behind(self.func.dfg.args(end)[0], edge, DEPTH);
        match payload {
            Payload::Branch([then, _]) if facts.is_nonzero() => Some(then.block),
            Payload::Branch([_, otherwise]) if facts.as_word()?.is_zero() => Some(otherwise.block),
            Payload::Switch(id) => Some(self.case(id, facts.as_word()?)),
            _ => None,
        }
    }

    fn case(&self, id: SwitchId, word: Word) -> Block {
        let data = self.func.dfg.switch(id);
        data.cases.iter().find(|(case, _)| *case == word).map_or(data.default.block, |(_, call)| call.block)
    }

    /// What is known behind an edge of a value that is used there.
    fn facts_behind(&self, value: Value, edge: &Edge<'_>, depth: u32) -> Facts {
        let value = self.value_behind(value, edge);
        let known = self.facts[value];
        let Some(inst) = self.func.dfg.def_inst(value).filter(|_| depth > 0 && known.as_word().is_none())
        else {
            return known;
        };
        let Op::Evm(opcode) = self.func.dfg.op(inst) else {
            return known;
        };
        if !opcode.is_arithmetic() {
            return known;
        }
        let args = self.func.dfg.args(inst).iter();
        let args: SmallVec<[Value; 3]> = args.map(|arg| self.value_behind(*arg, edge)).collect();
        let operands: SmallVec<[Facts; 3]> =
            args.iter().map(|arg| self.facts_behind(*arg, edge, depth - 1)).collect();
        let operands: SmallVec<[&Facts; 3]> = operands.iter().collect();
        let computed = transfer(opcode, &operands);
        let earlier = self.scope.leader(&self.expression(Op::Evm(opcode), &args, Payload::None, value));
        let ordered = self.compared(opcode, &args).map(|holds| Facts::exactly(Word::from(u64::from(holds))));
        let found =
            [Some(computed), earlier.map(|value| self.facts[value]), ordered, facts_of_same(opcode, &args)];
        found.into_iter().flatten().fold(known, |a, b| a.meet(&b).unwrap_or(a))
    }

    /// What a value of the block is called before the edge.
    fn value_behind(&self, value: Value, edge: &Edge<'_>) -> Value {
        let mut value = match self.func.dfg.def(value) {
            ValueDef::Param(block, index) if block == edge.block => edge.args[usize::from(index)],
            _ => value,
        };
        while let Some(leader) = self.leaders[value].expand() {
            value = leader;
        }
        value
    }
}

/// What an operation gives for one word twice.
fn facts_of_same(opcode: Opcode, args: &[Value]) -> Option<Facts> {
    let [a, b] = *args else {
        return None;
    };
    match opcode {
        Opcode::EQ if a == b => Some(Facts::exactly(Word::from(1))),
        Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::XOR | Opcode::SUB if a == b => {
            Some(Facts::exactly(Word::ZERO))
        }
        _ => None,
    }
}
