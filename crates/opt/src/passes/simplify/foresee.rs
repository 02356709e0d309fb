//! Which way a branch goes for those who come over one edge, and the branches behind it.
//!
//! The edge leads to a block that ends in a branch. Its parameters are the edge's arguments there, and
//! what the branch behind the edge says holds as well: with both the condition may be decided, where it
//! is not for all who come to the block. So may that of the block where it goes, and so on: a row of
//! comparisons of one number is decided as a whole.

use super::{Facts, Simplifier};
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, BlockCall, EntityRef, Function, Inst, Op, Payload, SwitchId, Value, ValueDef};
use cairn_rules::transfer;
use smallvec::SmallVec;

/// How deep a condition is looked into.
const DEPTH: u32 = 6;

/// An edge behind which the next branch is decided.
#[derive(Clone, Debug)]
pub(crate) struct Foreseen {
    /// The branch or jump that the edge leaves from.
    pub(crate) from: Inst,
    /// Which target of it.
    pub(crate) target: usize,
    /// The block that the edge leads to.
    pub(crate) through: Block,
    /// The block where the branch at the end of `through` goes, the one where that goes then, as far as it is
    /// decided.
    pub(crate) row: Row,
}

/// Blocks one behind the other.
pub(crate) type Row = SmallVec<[Block; 2]>;

/// Branches that are looked at behind one edge.
const MAX_ROW: usize = 8;

/// Cases of a switch that are looked at for each edge to it.
const MAX_CASES: usize = 64;

/// The edges that were looked behind.
#[derive(Debug)]
pub(super) struct Foresight {
    /// By block: true for one that ends in a branch and that all edges lead to forward.
    is_passable: Vec<bool>,
    /// What was found.
    pub(super) found: Vec<Foreseen>,
}

impl Foresight {
    pub(super) fn new(func: &Function, cfg: &Cfg) -> Foresight {
        let mut is_passable = vec![false; func.num_blocks()];
        for block in cfg.rpo() {
            let is_branch = func.terminator(*block).is_some_and(|end| branches(func, end));
            is_passable[block.index()] = is_branch && !cfg.begins_cycle(*block);
        }
        Foresight { is_passable, found: Vec::new() }
    }
}

fn branches(func: &Function, end: Inst) -> bool {
    match func.dfg.inst(end).payload {
        Payload::Branch(_) => true,
        Payload::Switch(id) => func.dfg.switch(id).cases.len() <= MAX_CASES,
        _ => false,
    }
}

/// A way: the blocks that it leads through, and the values of their parameters.
#[derive(Default)]
struct Way {
    steps: SmallVec<[(Block, SmallVec<[Value; 4]>); 2]>,
}

impl Way {
    fn arg(&self, block: Block, index: u16) -> Option<Value> {
        let (_, args) = self.steps.iter().find(|(through, _)| *through == block)?;
        args.get(usize::from(index)).copied()
    }
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
            // Where one edge leads alone the branch is decided with the block.
            if foresight.is_passable[call.block.index()] && self.cfg.preds(call.block).len() > 1 {
                calls.push((target, *call));
            }
            target += 1;
        });
        for (target, call) in calls {
            let mark = self.scope.mark();
            self.assume_edge(from, target);
            let row = self.row_behind(call);
            self.scope.roll_back(mark, &mut self.facts);
            if let (false, Some(foresight)) = (row.is_empty(), &mut self.foresight) {
                foresight.found.push(Foreseen { from, target, through: call.block, row });
            }
        }
    }

    /// Where those go who come over an edge, from the crossing that it leads to on.
    fn row_behind(&self, edge: BlockCall) -> Row {
        let is_passable = |block: Block| {
            self.foresight.as_ref().is_some_and(|foresight| foresight.is_passable[block.index()])
        };
        let mut way = Way::default();
        let mut row = Row::new();
        let mut next = Some(edge);
        while let Some(call) = next.filter(|call| row.len() < MAX_ROW && is_passable(call.block)) {
            let args = self.func.dfg.call_args(&call).iter().map(|arg| self.value_behind(*arg, &way));
            let args = args.collect();
            way.steps.push((call.block, args));
            next = self.way_on(call.block, &way);
            row.extend(next.map(|call| call.block));
        }
        row
    }

    /// The edge that those take at the end of a block who came on this way.
    fn way_on(&self, block: Block, way: &Way) -> Option<BlockCall> {
        let end = self.func.terminator(block)?;
        let payload = self.func.dfg.inst(end).payload;
        if !matches!(payload, Payload::Branch(_) | Payload::Switch(_)) {
            return None;
        }
        let facts = self.facts_behind(self.func.dfg.args(end)[0], way, DEPTH);
        match payload {
            Payload::Branch([then, _]) if facts.is_nonzero() => Some(then),
            Payload::Branch([_, otherwise]) if facts.as_word()?.is_zero() => Some(otherwise),
            Payload::Switch(id) => Some(self.case(id, facts.as_word()?)),
            _ => None,
        }
    }

    fn case(&self, id: SwitchId, word: Word) -> BlockCall {
        let data = self.func.dfg.switch(id);
        data.cases.iter().find(|(case, _)| *case == word).map_or(data.default, |(_, call)| *call)
    }

    /// What is known at the end of a way of a value that is used there.
    fn facts_behind(&self, value: Value, way: &Way, depth: u32) -> Facts {
        let value = self.value_behind(value, way);
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
        let args: SmallVec<[Value; 3]> = args.map(|arg| self.value_behind(*arg, way)).collect();
        let operands: SmallVec<[Facts; 3]> =
            args.iter().map(|arg| self.facts_behind(*arg, way, depth - 1)).collect();
        let operands: SmallVec<[&Facts; 3]> = operands.iter().collect();
        let computed = transfer(opcode, &operands);
        let earlier = self.scope.leader(&self.expression(Op::Evm(opcode), &args, Payload::None, value));
        let ordered = self.compared(opcode, &args).map(|holds| Facts::exactly(Word::from(u64::from(holds))));
        let found =
            [Some(computed), earlier.map(|value| self.facts[value]), ordered, facts_of_same(opcode, &args)];
        found.into_iter().flatten().fold(known, |a, b| a.meet(&b).unwrap_or(a))
    }

    /// What a value of the blocks on a way is called before it.
    fn value_behind(&self, value: Value, way: &Way) -> Value {
        let mut value = match self.func.dfg.def(value) {
            ValueDef::Param(block, index) => way.arg(block, index).unwrap_or(value),
            ValueDef::Result(..) => value,
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
