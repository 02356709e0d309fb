//! What is known on every path to a block: undone when its subtree of the dominator tree is left.

use super::order::Order;
use cairn_ir::{Const, Inst, Op, SecondaryMap, Type, Value};
use cairn_rules::Facts;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An operand of an [`Expression`]: constants by pool entry, so that they are equal whatever their
/// types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Operand {
    Const(Const),
    Value(Value),
}

/// A pure computation: equal ones give equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expression {
    pub(super) op: Op,
    pub(super) operands: SmallVec<[Operand; 3]>,
    /// Size or symbol of the payload.
    pub(super) payload: u64,
    /// For operations whose result depends on its type.
    pub(super) ty: Option<Type>,
}

#[derive(Debug)]
enum Undo {
    Facts(Value, Facts),
    Forget(Expression),
    ForgetCall(Expression),
    ForgetAbove(Value),
}

/// Leaders of expressions and the undo log of the scope.
#[derive(Debug, Default)]
pub(super) struct Scope {
    leaders: FxHashMap<Expression, Value>,
    calls: FxHashMap<Expression, Inst>,
    above: FxHashMap<Value, SmallVec<[(Value, Order); 2]>>,
    log: Vec<Undo>,
}

impl Scope {
    /// The present state.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Goes back to a state.
    pub(super) fn roll_back(&mut self, mark: usize, facts: &mut SecondaryMap<Value, Facts>) {
        for undo in self.log.drain(mark..).rev() {
            match undo {
                Undo::Facts(value, before) => facts[value] = before,
                Undo::Forget(expression) => {
                    self.leaders.remove(&expression);
                }
                Undo::ForgetCall(expression) => {
                    self.calls.remove(&expression);
                }
                Undo::ForgetAbove(value) => {
                    self.above.get_mut(&value).and_then(SmallVec::pop);
                }
            }
        }
    }

    /// The value that computes the expression on every path here.
    pub(super) fn leader(&self, expression: &Expression) -> Option<Value> {
        self.leaders.get(expression).copied()
    }

    /// Makes `value` the leader of an expression that has none.
    pub(super) fn add_leader(&mut self, expression: Expression, value: Value) {
        self.leaders.insert(expression.clone(), value);
        self.log.push(Undo::Forget(expression));
    }

    /// The call that came back with the same operands on every path here.
    pub(super) fn call(&self, expression: &Expression) -> Option<Inst> {
        self.calls.get(expression).copied()
    }

    /// Remembers a call that has no like.
    pub(super) fn add_call(&mut self, expression: Expression, call: Inst) {
        self.calls.insert(expression.clone(), call);
        self.log.push(Undo::ForgetCall(expression));
    }

    /// The values that one is known to be below, or at most.
    pub(super) fn above(&self, value: Value) -> &[(Value, Order)] {
        self.above.get(&value).map_or(&[], |above| above)
    }

    /// Remembers that a value is below another, or at most that.
    pub(super) fn add_above(&mut self, value: Value, above: Value, order: Order) {
        self.above.entry(value).or_default().push((above, order));
        self.log.push(Undo::ForgetAbove(value));
    }

    /// Changes what is known of a value, until the scope is left.
    pub(super) fn refine(&mut self, value: Value, new: Facts, facts: &mut SecondaryMap<Value, Facts>) {
        let before = std::mem::replace(&mut facts[value], new);
        self.log.push(Undo::Facts(value, before));
    }
}
