//! `simplify`: one sweep over the dominator tree that folds constants, applies the algebraic
//! rules, removes repeated pure computations, and decides branches from known bits and bounds.
//!
//! Effect, before and after:
//!
//! ```text
//! %m = evm.and %x, %mask            %s = evm.shr 160, %x
//! %e = evm.eq %x, %m         =>     evm.condbr %s, ^fail, ^ok
//! %n = evm.iszero %e              ^ok:
//! evm.condbr %n, ^fail, ^ok         … %x …                      (mask known to change nothing)
//! ^ok:
//!   … evm.and %x, %mask …
//! ```
//!
//! Definitions: the *leader* of a value is the value used instead of it; the *scope* of a block is
//! what is known on every path to it: leaders of expressions, and facts from branches. Blocks are
//! visited in preorder of the dominator tree with children in reverse postorder, so every value is
//! visited before its uses and every forward predecessor before its successor.
//!
//! Comparisons are decided by the order of words, too, where bounds of each alone don't tell ([`order`]), and
//! a parameter that counts from a small number in small steps stays small ([`crate::counters`], A16), and one of a
//! loop has what no round changes ([`crate::inductive`]).
//!
//! A branch tells of its condition, and so of the words that this was computed from: where the low byte of a word is 0,
//! a mask of the other bits changes nothing.
//!
//! A check goes that a later one makes again: who fails it fails there as well, and nobody can tell ([`implied`]).
//!
//! Memory of no bytes (logs and calls without data) begins at address 0.
//!
//! A call of an internal function that reads and writes nothing, once it came back, comes back
//! again with the same results: a second one with the same operands goes.
//!
//! Instructions are never changed into others: a simplified value gets a leader, its uses name
//! the leader, and `dce` removes what is left over. Terminators are changed in place; blocks that
//! become unreachable go. Constants that are made stand at the start of
//! the entry block; `localize` moves them to their uses.
//!
//! Needs: slots promoted. Preserves: promotion. Cost: O(n · rules per opcode), each
//! instruction rewritten at most [`BUDGET`] times.

mod branch;
mod foresee;
mod implied;
mod order;
mod reduce;
mod returned;
mod scope;

use crate::calls::CallFacts;
use crate::counters::Counters;
use crate::edit::remove_unreachable_blocks;
use crate::inductive::Inductive;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::rules::RuleSet;
use cairn_analysis::{Cfg, Dominators, FuncEffects};
use cairn_evm::Word;
use cairn_evm::memory::{MemoryLength, memory_read, memory_write};
use cairn_ir::{Block, Const, EntityRef, Function, Inst, Op, SecondaryMap, Type, Value, sized};
use cairn_rules::{Facts, transfer};
use cranelift_entity::packed_option::PackedOption;
pub(crate) use foresee::Foreseen;
use foresee::Foresight;
use returned::Returned;
use rustc_hash::FxHashMap;
use scope::Scope;
use smallvec::SmallVec;

/// Rewrites that one instruction may cause.
const BUDGET: u32 = 24;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "simplify",
    summary: "folds constants, applies algebraic rules, shares computations, decides branches",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::CallersFirst(run_after_callers),
};

/// Runs the pass on a function alone.
#[cfg(test)]
fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    run_after_callers(func, cx, &mut CallFacts::default())
}

/// Runs the pass on a function whose callers it has been run on.
fn run_after_callers(func: &mut Function, cx: &mut PassContext<'_>, calls: &mut CallFacts) -> Changed {
    sweep(func, cx, calls, Ahead::Ignored).0
}

/// Simplifies a function, and finds the edges behind which the next branch is decided.
pub(crate) fn simplify_and_foresee(
    func: &mut Function,
    cx: &mut PassContext<'_>,
    calls: &mut CallFacts,
) -> (Changed, Vec<Foreseen>) {
    sweep(func, cx, calls, Ahead::Foreseen)
}

/// Whether a sweep looks behind edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ahead {
    Ignored,
    Foreseen,
}

/// One sweep.
fn sweep(
    func: &mut Function,
    cx: &mut PassContext<'_>,
    calls: &mut CallFacts,
    ahead: Ahead,
) -> (Changed, Vec<Foreseen>) {
    let cfg = Cfg::compute(func);
    let dominators = Dominators::compute(&cfg);
    let mut simplifier = Simplifier {
        facts: sized_for_values(func),
        leaders: sized_for_values(func),
        constants: FxHashMap::default(),
        scope: Scope::default(),
        reached: vec![false; func.num_blocks()],
        visited: vec![false; func.num_blocks()],
        rules: cx.rules,
        effects: &cx.summaries.effects,
        has_free_pointer: cx.summaries.heap.free_from.is_some(),
        changed: false,
        returned: Returned::new(func.num_blocks()),
        counters: Counters::of(func, &cfg),
        inductive: Inductive::of(func, &cfg),
        foresight: (ahead == Ahead::Foreseen).then(|| Foresight::new(func, &cfg)),
        calls,
        func,
        cfg,
    };
    simplifier.adopt_constants();
    simplifier.walk(&dominators);
    let changed = simplifier.changed;
    let foreseen = simplifier.foresight.map(|foresight| foresight.found).unwrap_or_default();
    (Changed::from(changed | remove_unreachable_blocks(func)), foreseen)
}

/// An empty map with room for the values of a function and some that are made.
fn sized_for_values<T: Clone + Default>(func: &Function) -> SecondaryMap<Value, T> {
    sized(func.dfg.num_values() * 5 / 4 + 8)
}

struct Simplifier<'a> {
    func: &'a mut Function,
    rules: &'a RuleSet,
    effects: &'a FuncEffects,
    has_free_pointer: bool,
    calls: &'a mut CallFacts,
    cfg: Cfg,
    facts: SecondaryMap<Value, Facts>,
    leaders: SecondaryMap<Value, PackedOption<Value>>,
    constants: FxHashMap<(Const, Type), Value>,
    scope: Scope,
    /// Blocks that an edge seen so far leads to.
    reached: Vec<bool>,
    visited: Vec<bool>,
    changed: bool,
    returned: Returned,
    counters: Counters,
    inductive: Inductive,
    /// Edges behind which the next branch is decided, where somebody wants to know.
    foresight: Option<Foresight>,
}

impl Simplifier<'_> {
    /// Constants at the very start of the entry block serve the whole function.
    fn adopt_constants(&mut self) {
        let entry = self.func.layout.entry();
        let insts: Vec<Inst> = self.func.layout.insts(entry).collect();
        for inst in insts {
            let Some(id) = self.func.dfg.inst_const_id(inst) else {
                return;
            };
            let value = self.func.dfg.result(inst);
            self.constants.entry((id, self.func.dfg.ty(value))).or_insert(value);
            self.facts[value] = Facts::exactly(self.func.dfg.word(id));
        }
    }

    fn walk(&mut self, dominators: &Dominators) {
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (place, block) in dominators.preorder().iter().enumerate() {
            while let Some((_, mark)) = open.pop_if(|(end, _)| *end <= place) {
                self.scope.roll_back(mark, &mut self.facts);
            }
            let end = dominators.subtree_end(*block).expect("invariant: the block is in the tree");
            open.push((end, self.scope.mark()));
            if self.is_executable(*block, dominators) {
                // Also where only an edge that was not seen yet may lead, into an irreducible loop:
                // what the block passes on counts.
                self.reached[block.index()] = true;
                self.visit_block(*block);
            }
            self.visited[block.index()] = true;
        }
    }

    /// False when every edge into the block was found to be never taken. Predecessors that the
    /// block dominates don't count: they run only after it.
    fn is_executable(&self, block: Block, dominators: &Dominators) -> bool {
        let is_unknown = |pred: &Block| !self.visited[pred.index()] && !dominators.dominates(block, *pred);
        block == self.func.layout.entry()
            || self.reached[block.index()]
            || self.cfg.preds(block).iter().any(is_unknown)
    }

    fn visit_block(&mut self, block: Block) {
        self.visit_edges(block);
        self.enter_with_return_data(block);
        let mut next = self.func.layout.first_inst(block);
        while let Some(inst) = next {
            next = self.func.layout.next_inst(inst);
            self.rename_uses(inst);
            self.place_nothing_at_zero(inst);
            if self.func.dfg.op(inst).is_terminator() {
                self.visit_terminator(inst);
            } else {
                self.visit_inst(inst);
                self.visit_return_data(inst);
            }
        }
        self.leave_with_return_data(block);
    }

    /// Makes an instruction use leaders. Where only a narrower type is legal, a value keeps its
    /// name: its definition is still there.
    fn rename_uses(&mut self, inst: Inst) {
        let mut is_settled = true;
        self.func.dfg.for_each_use(inst, |value| is_settled &= self.is_settled(value));
        if is_settled {
            return;
        }
        // Arguments of edges must fit the parameters they go to.
        let n_any_int = match self.func.dfg.op(inst) {
            Op::Evm(_) | Op::CondBr | Op::Switch => self.func.dfg.args(inst).len(),
            _ => 0,
        };
        let mut uses: SmallVec<[Value; 8]> = SmallVec::new();
        self.func.dfg.for_each_use(inst, |value| uses.push(value));
        let mut renamed = uses.clone();
        for (index, value) in renamed.iter_mut().enumerate() {
            let leader = self.resolve(*value);
            if leader == *value {
                continue;
            }
            let fits = self.func.dfg.ty(leader).widens_to(self.func.dfg.ty(*value));
            let both_ints =
                self.func.dfg.ty(leader).bits().is_some() && self.func.dfg.ty(*value).bits().is_some();
            if fits || (index < n_any_int && both_ints) {
                *value = leader;
            }
        }
        if uses != renamed {
            let mut renamed = renamed.into_iter();
            self.func.dfg.map_uses(inst, |old| renamed.next().unwrap_or(old));
            self.changed = true;
        }
    }

    /// Lets memory of no bytes begin at address 0: nobody asks where it does.
    fn place_nothing_at_zero(&mut self, inst: Inst) {
        let Op::Evm(opcode) = self.func.dfg.op(inst) else { return };
        for region in [memory_read(opcode), memory_write(opcode)].into_iter().flatten() {
            let MemoryLength::Operand(length) = region.length else { continue };
            let args = self.func.dfg.args(inst);
            let (start, length) = (usize::from(region.start), args[usize::from(length)]);
            let is_nothing = self.func.dfg.as_const(length).is_some_and(|length| length.is_zero());
            let is_at_zero = self.func.dfg.as_const(args[start]).is_some_and(|at| at.is_zero());
            if is_nothing && !is_at_zero && self.func.dfg.ty(args[start]) == Type::U256 {
                self.func.dfg.args_mut(inst)[start] = self.constant(Word::ZERO, Type::U256);
                self.changed = true;
            }
        }
    }

    /// True when [`Simplifier::resolve`] gives the value itself.
    fn is_settled(&self, value: Value) -> bool {
        self.leaders[value].is_none()
            && (self.facts[value].as_word().is_none() || self.func.dfg.const_id(value).is_some())
    }

    /// The value to use instead of `value` in the current scope.
    fn resolve(&mut self, value: Value) -> Value {
        let mut leader = value;
        while let Some(next) = self.leaders[leader].expand() {
            leader = next;
        }
        if leader != value {
            self.leaders[value] = leader.into();
        }
        if self.func.dfg.const_id(leader).is_some() {
            return leader;
        }
        match self.facts[leader].as_word() {
            Some(word) => self.constant_like(word, leader),
            None => leader,
        }
    }

    /// A constant that can stand wherever `value` does.
    fn constant_like(&mut self, word: Word, value: Value) -> Value {
        match self.func.dfg.ty(value) {
            Type::Ptr(..) => value,
            ty => self.constant(word, ty),
        }
    }

    fn constant(&mut self, word: Word, ty: Type) -> Value {
        let id = self.func.dfg.make_const(word);
        self.pooled_constant(id, ty)
    }

    /// The constant at the start of the entry block that has this word.
    fn pooled_constant(&mut self, id: Const, ty: Type) -> Value {
        let ty = if ty.bits().is_some() { ty } else { Type::U256 };
        if let Some(value) = self.constants.get(&(id, ty)) {
            return *value;
        }
        let word = self.func.dfg.word(id);
        let inst = self.func.make_constant(word, ty);
        let entry = self.func.layout.entry();
        self.func.layout.prepend_inst(inst, entry);
        let value = self.func.dfg.result(inst);
        self.facts[value] = Facts::exactly(word);
        self.constants.insert((id, ty), value);
        self.changed = true;
        value
    }

    fn set_leader(&mut self, value: Value, leader: Value) {
        if value != leader {
            self.leaders[value] = leader.into();
        }
    }
}

#[cfg(test)]
mod tests;
