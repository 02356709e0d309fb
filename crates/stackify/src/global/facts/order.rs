//! What a block does, in order: the items of its search.
//!
//! A value with one use in its block is evaluated where it is used if nothing in between conflicts
//! with it (a *tree*), operands from right to left as the front end wrote them. Source order thus
//! costs nothing when it is already the order of evaluation, and a definition that stands too early
//! moves to its use. An operand that is no tree but lies deeper than one is fetched before it.
//!
//! *Pending*: a tree whose evaluation waits for its use. Linear: a bounded number of
//! them wait.

use super::graph::Graph;
use super::homes::Homes;
use super::live::{Liveness, executed, stack_operands};
use crate::code::Convention;
use crate::context::{ModuleCx, callee_of};
use crate::global::stack::slot::Slot;
use cairn_evm::Effects;
use cairn_ir::{Block, Func, Function, Inst, Op, SecondaryMap, Value};
use cranelift_entity::EntitySet;
use smallvec::SmallVec;

/// One thing that a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Pushes the return label of a call.
    Label(Inst),
    /// Brings an operand of a later instruction to the top.
    Fetch {
        /// The operand.
        slot: Slot,
        /// The instruction.
        user: Inst,
    },
    /// Carries out an instruction; operands come first.
    Exec(Inst),
    /// Saves what lives in memory across a call that can come back to the function.
    Save(Inst),
}

impl Item {
    /// The instruction that is carried out.
    pub(crate) fn as_exec(&self) -> Option<Inst> {
        match self {
            Item::Exec(inst) => Some(*inst),
            Item::Label(_) | Item::Fetch { .. } | Item::Save(_) => None,
        }
    }
}

/// What the order of a function's blocks is made from.
pub(crate) struct OrderCx<'a> {
    pub(crate) module: &'a ModuleCx<'a>,
    pub(crate) own: Func,
    pub(crate) func: &'a Function,
    pub(crate) graph: &'a Graph,
    pub(crate) live: &'a Liveness,
    pub(crate) homes: &'a Homes,
    pub(crate) conventions: &'a SecondaryMap<Func, Convention>,
    /// Calls that take the place of their function's return.
    pub(crate) tail_calls: &'a EntitySet<Inst>,
}

struct Tree {
    root: Inst,
    effects: Effects,
}

/// In which order a block carries out what.
pub(crate) struct Arrangement {
    /// Instructions that are carried out one after the other, each with its trees.
    pub(crate) roots: Vec<Inst>,
    /// Instructions that are evaluated where they are used.
    pub(crate) inner: EntitySet<Inst>,
    /// Operations with two operands in any order whose first operand is evaluated first.
    pub(crate) flipped: EntitySet<Inst>,
}

/// Sorts the instructions of a block into trees.
struct Forest<'a> {
    cx: &'a OrderCx<'a>,
    pending: Vec<Tree>,
    arrangement: Arrangement,
}

enum Task {
    Visit(Inst),
    Emit(Item),
}

/// True for opcodes that end execution.
pub(crate) fn halts(op: Op) -> bool {
    matches!(op, Op::Evm(opcode) if opcode.halts())
}

/// Source order, with trees.
pub(crate) fn arrange_block(cx: &OrderCx<'_>, block: Block) -> Arrangement {
    let arrangement = Arrangement { roots: Vec::new(), inner: EntitySet::new(), flipped: EntitySet::new() };
    let mut forest = Forest { cx, pending: Vec::new(), arrangement };
    for inst in executed(cx.func, cx.graph, block) {
        if cx.live.is_executed(cx.func, inst) && !cx.is_made(inst) {
            forest.add(inst);
        }
    }
    forest.flush(forest.pending.len());
    forest.arrangement
}

impl Arrangement {
    /// The items of a block, with those of its terminator's operands. The terminator itself is an
    /// item only if it takes operands from the top of what there is.
    pub(crate) fn items(&self, cx: &OrderCx<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut tasks = Vec::new();
        for root in &self.roots {
            tasks.push(Task::Visit(*root));
            while let Some(task) = tasks.pop() {
                match task {
                    Task::Emit(item) => items.push(item),
                    Task::Visit(inst) => self.visit(cx, inst, &mut tasks),
                }
            }
        }
        items
    }

    fn visit(&self, cx: &OrderCx<'_>, inst: Inst, tasks: &mut Vec<Task>) {
        let op = cx.func.dfg.op(inst);
        if cx.takes_whole_stack(inst) {
            return;
        }
        // A tail call is the end of its block: the shuffle there fetches its operands.
        let is_tail = cx.tail_calls.contains(inst);
        if !is_tail {
            tasks.push(Task::Emit(Item::Exec(inst)));
        }
        let operands = stack_operands(cx.func, cx.conventions, inst);
        let tree_of = |value: Value| cx.func.dfg.def_inst(value).filter(|inst| self.inner.contains(*inst));
        let is_free_order = matches!(op, Op::Evm(opcode) if opcode.with_swapped_operands().is_some());
        let mut is_under_tree = false;
        let is_flipped = self.flipped.contains(inst);
        for at in 0..operands.len() {
            let value = if is_flipped { &operands[at] } else { &operands[operands.len() - 1 - at] };
            if let Some(tree) = tree_of(*value) {
                tasks.push(Task::Visit(tree));
                is_under_tree = true;
            } else if is_under_tree && !is_free_order && !is_tail {
                tasks.push(Task::Emit(Item::Fetch { slot: cx.homes.slot(*value), user: inst }));
            }
        }
        let callee = callee_of(cx.func, inst).filter(|_| !is_tail);
        if let Some(callee) = callee.filter(|callee| cx.conventions[*callee].returns) {
            tasks.push(Task::Emit(Item::Label(inst)));
            if cx.homes.uses_memory() && cx.module.is_reentrant(cx.own, callee) {
                tasks.push(Task::Emit(Item::Save(inst)));
            }
        }
    }
}

impl OrderCx<'_> {
    /// True for a terminator that the stack is shuffled for as a whole.
    fn takes_whole_stack(&self, inst: Inst) -> bool {
        match self.func.dfg.op(inst) {
            Op::Br | Op::Iret => true,
            op => self.module.options.strict_stack && halts(op),
        }
    }

    /// What keeps an instruction in its order, with what is read right before it.
    pub(crate) fn effects(&self, inst: Inst) -> Effects {
        let op = self.func.dfg.op(inst);
        if op.is_terminator() {
            return Effects::all();
        }
        let is_gas = |first: &Value| self.homes.is_gas_of_call(self.func, self.homes.slot(*first));
        match self.func.dfg.args(inst).first() {
            Some(first) if is_gas(first) => op.effects() | Effects::READ_GAS,
            _ => op.effects(),
        }
    }

    /// True for instructions that are carried out at each use of their result.
    fn is_made(&self, inst: Inst) -> bool {
        let results = self.func.dfg.results(inst);
        results.len() == 1
            && self.homes.price(self.homes.slot(results[0])).is_some_and(|_| {
                !matches!(self.homes.home(results[0]), crate::global::facts::homes::Home::Memory(_))
            })
    }
}

impl Forest<'_> {
    fn add(&mut self, inst: Inst) {
        let func = self.cx.func;
        let operands = stack_operands(func, self.cx.conventions, inst);
        let op = func.dfg.op(inst);
        let takes_trees = !self.cx.takes_whole_stack(inst);
        let mut chosen: SmallVec<[usize; 8]> = SmallVec::new();
        if takes_trees {
            let find = |value: &Value| {
                self.pending.iter().position(|tree| func.dfg.results(tree.root).contains(value))
            };
            chosen.extend(operands.iter().filter_map(find));
        }
        if !self.can_join(&chosen) {
            let end = chosen.iter().max().map_or(0, |at| at + 1);
            self.flush(end);
            chosen.clear();
        }
        let mut effects = self.cx.effects(inst);
        chosen.iter().for_each(|at| effects |= self.pending[*at].effects);
        chosen.sort_unstable();
        for at in chosen.iter().rev() {
            let tree = self.pending.remove(*at);
            self.arrangement.inner.insert(tree.root);
        }
        if self.waits(inst) {
            if self.pending.len() == self.cx.module.options.effort.max_pending {
                self.flush(1);
            }
            self.pending.push(Tree { root: inst, effects });
            return;
        }
        let last = if op.is_terminator() {
            Some(self.pending.len().wrapping_sub(1)).filter(|at| *at != usize::MAX)
        } else {
            self.pending.iter().rposition(|tree| tree.effects.conflicts_with(effects))
        };
        self.flush(last.map_or(0, |at| at + 1));
        self.arrangement.roots.push(inst);
    }

    /// True when the only use of the instruction's result is an operand in the same block.
    fn waits(&self, inst: Inst) -> bool {
        let func = self.cx.func;
        let [value] = func.dfg.results(inst) else {
            return false;
        };
        let user = self.cx.live.only_user[*value].expand();
        self.cx.homes.is_on_stack(*value)
            && user.is_some_and(|user| {
                func.layout.inst_block(user) == func.layout.inst_block(inst)
                    && !self.cx.takes_whole_stack(user)
            })
    }

    /// True when the trees at these places (in order of evaluation) can move to their user, past
    /// the trees that wait between and past each other.
    fn can_join(&self, chosen: &[usize]) -> bool {
        let conflict = |a: usize, b: usize| self.pending[a].effects.conflicts_with(self.pending[b].effects);
        for (order, at) in chosen.iter().enumerate() {
            if chosen[order + 1..].iter().any(|later| later < at && conflict(*later, *at)) {
                return false;
            }
            let mut passed = *at + 1..self.pending.len();
            if passed.any(|other| !chosen.contains(&other) && conflict(*at, other)) {
                return false;
            }
        }
        true
    }

    /// Makes the first `count` pending trees roots.
    fn flush(&mut self, count: usize) {
        self.arrangement.roots.extend(self.pending.drain(..count).map(|tree| tree.root));
    }
}
