//! How words stand to each other, where bounds of each alone don't tell.
//!
//! A branch on a comparison tells the order of two words on its ways, and so does the way some words are
//! computed: a difference that does not wrap is at most what was subtracted from, a remainder is below what was
//! divided by, a sum that does not wrap is at least each of its operands. What follows from one another is
//! looked for in at most [`STEPS`] steps.
//!
//! Source: the idea of demand-driven bounds checks is that of R. Bodik, R. Gupta and V. Sarkar, "ABCD:
//! Eliminating Array Bounds Checks on Demand", PLDI 2000, here over the facts of a dominator tree.

use super::{Facts, Simplifier};
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;

/// How a value stands to a greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Below,
    AtMost,
}

/// Pairs of words that are looked at for one comparison.
const STEPS: u32 = 24;
/// How many orders are followed one behind the other.
const DEPTH: u32 = 5;

/// What is left of the two.
#[derive(Clone, Copy)]
struct Search<'a> {
    steps: &'a std::cell::Cell<u32>,
    depth: u32,
}

impl Search<'_> {
    /// The search one deeper, if that is not too much.
    fn deeper(self) -> Option<Self> {
        let steps = self.steps.get();
        if steps == 0 || self.depth == 0 {
            return None;
        }
        self.steps.set(steps - 1);
        Some(Search { depth: self.depth - 1, ..self })
    }
}

impl Simplifier<'_> {
    /// Whether a comparison holds, as far as the order of its operands tells.
    pub(super) fn compared(&self, opcode: Opcode, args: &[Value]) -> Option<bool> {
        let (a, b) = match (opcode, args) {
            (Opcode::LT | Opcode::EQ, [a, b]) | (Opcode::GT, [b, a]) => (*a, *b),
            _ => return None,
        };
        let is_below = |a, b| self.is_ordered(a, b, Order::Below);
        if opcode == Opcode::EQ {
            return (is_below(a, b) || is_below(b, a)).then_some(false);
        }
        if is_below(a, b) {
            return Some(true);
        }
        self.is_ordered(b, a, Order::AtMost).then_some(false)
    }

    /// True if the first is surely below the second, or at most that.
    pub(super) fn is_ordered(&self, first: Value, second: Value, order: Order) -> bool {
        let steps = std::cell::Cell::new(STEPS);
        self.follows(first, second, order, Search { steps: &steps, depth: DEPTH })
    }

    fn follows(&self, first: Value, second: Value, order: Order, search: Search<'_>) -> bool {
        let (low, high) = (&self.facts[first], &self.facts[second]);
        let by_bounds = match order {
            Order::Below => low.hi() < high.lo(),
            Order::AtMost => first == second || low.hi() <= high.lo(),
        };
        if by_bounds {
            return true;
        }
        let Some(search) = search.deeper() else { return false };
        self.follows_from_branch(first, second, order, search)
            || self.follows_from_first(first, second, order, search)
            || self.follows_from_second(first, second, order, search)
    }

    /// By a word that the first is known to be below.
    fn follows_from_branch(&self, first: Value, second: Value, order: Order, search: Search<'_>) -> bool {
        self.scope.above(first).iter().any(|(above, known)| {
            let rest = if *known == Order::Below { Order::AtMost } else { order };
            self.follows(*above, second, rest, search)
        })
    }

    /// By what the first is computed from.
    fn follows_from_first(&self, first: Value, second: Value, order: Order, search: Search<'_>) -> bool {
        let Some((opcode, args)) = self.func.dfg.as_evm(first) else { return false };
        let at_most = |operand: Value| self.follows(operand, second, order, search);
        match (opcode, args) {
            (Opcode::AND, [x, y]) => at_most(*x) || at_most(*y),
            (Opcode::DIV, [x, _]) | (Opcode::SHR, [_, x]) => at_most(*x),
            (Opcode::MOD, [x, y]) => {
                let below_divisor =
                    || self.facts[*y].is_nonzero() && self.follows(*y, second, Order::AtMost, search);
                at_most(*x) || below_divisor()
            }
            (Opcode::SUB, [x, y]) => {
                let rest = if self.facts[*y].is_nonzero() { Order::AtMost } else { order };
                self.follows(*x, second, rest, search) && self.follows(*y, *x, Order::AtMost, search)
            }
            // One more than a word below the second is at most that.
            (Opcode::ADD, [x, y]) if order == Order::AtMost => {
                let one_more = |x: Value, y: Value| {
                    self.facts[y] == Facts::exactly(Word::from(1))
                        && self.follows(x, second, Order::Below, search)
                };
                one_more(*x, *y) || one_more(*y, *x)
            }
            _ => false,
        }
    }

    /// By what the second is computed from.
    fn follows_from_second(&self, first: Value, second: Value, order: Order, search: Search<'_>) -> bool {
        let Some((opcode, args)) = self.func.dfg.as_evm(second) else { return false };
        match (opcode, args) {
            (Opcode::OR, [x, y]) => {
                self.follows(first, *x, order, search) || self.follows(first, *y, order, search)
            }
            (Opcode::ADD, [x, y]) if self.facts[*x].hi().checked_add(self.facts[*y].hi()).is_some() => {
                let at_least = |operand: Value, more: Value| {
                    let rest = if self.facts[more].is_nonzero() { Order::AtMost } else { order };
                    self.follows(first, operand, rest, search)
                };
                at_least(*x, *y) || at_least(*y, *x)
            }
            _ => false,
        }
    }
}
