//! The orders in which the operands of a rule can match.

use crate::term::{N_CONSTS, N_VALUES, Operands, Rule, Term};

/// The left side of a rule with the operands of its commutative operations swapped, in each way that matches or
/// makes another thing than the ways before.
pub(crate) fn other_orders(rule: &Rule) -> Vec<Term> {
    let n_swaps = match rule.operands {
        Operands::InAnyOrder => 1u32 << num_commutative(&rule.from),
        Operands::AsWritten => 1,
    };
    let mut orders: Vec<Term> = Vec::new();
    for swaps in 1..n_swaps {
        let mut bit = n_swaps;
        let order = swapped(&rule.from, swaps, &mut bit);
        let is_known = |known: &Term| says_the_same(rule, known, &order);
        if !is_known(&rule.from) && !orders.iter().any(is_known) {
            orders.push(order);
        }
    }
    orders
}

/// Operations of a term whose operands match in each order.
fn num_commutative(term: &Term) -> u32 {
    match term {
        Term::Op(op, args) if !term.is_constant() => {
            u32::from(op.is_commutative()) + args.iter().map(num_commutative).sum::<u32>()
        }
        _ => 0,
    }
}

/// The term where those of its commutative operations are swapped whose bit is set. The first, from the left and
/// from the outside, has the bit below `bit`, which is moved behind the last.
fn swapped(term: &Term, swaps: u32, bit: &mut u32) -> Term {
    match term {
        Term::Op(op, args) if !term.is_constant() => {
            let mut is_swapped = false;
            if op.is_commutative() {
                *bit >>= 1;
                is_swapped = swaps & *bit != 0;
            }
            let mut args: Vec<Term> = args.iter().map(|arg| swapped(arg, swaps, bit)).collect();
            if is_swapped {
                args.reverse();
            }
            Term::Op(*op, args.into())
        }
        _ => term.clone(),
    }
}

/// True if a rule says the same with either left side, but for its names.
fn says_the_same(rule: &Rule, from: &Term, other: &Term) -> bool {
    let mut renaming = Renaming::default();
    let mut rest = [&rule.to].into_iter().chain(rule.when.iter());
    renaming.is_same(from, other) && rest.all(|term| renaming.is_same(term, term))
}

/// Names of one rule and those that stand in their places in another.
#[derive(Default)]
struct Renaming {
    values: [Option<u8>; N_VALUES],
    consts: [Option<u8>; N_CONSTS],
}

impl Renaming {
    /// True if the terms are the same but for names, those that were met before as they were then.
    fn is_same(&mut self, a: &Term, b: &Term) -> bool {
        match (a, b) {
            (Term::Value(a), Term::Value(b)) => stands_for(&mut self.values, *a, *b),
            (Term::Fact(fact, a), Term::Fact(other, b)) => {
                fact == other && stands_for(&mut self.values, *a, *b)
            }
            (Term::Const(a), Term::Const(b)) => stands_for(&mut self.consts, *a, *b),
            (Term::Op(op, args), Term::Op(other, others)) => {
                op == other
                    && args.len() == others.len()
                    && args.iter().zip(others.iter()).all(|(a, b)| self.is_same(a, b))
            }
            (Term::Width | Term::Word(_), _) => a == b,
            _ => false,
        }
    }
}

/// True if `b` can stand for `a`, and for no other name.
fn stands_for(names: &mut [Option<u8>], a: u8, b: u8) -> bool {
    let is_taken = names.iter().enumerate().any(|(name, other)| *other == Some(b) && name != usize::from(a));
    !is_taken && *names[usize::from(a)].get_or_insert(b) == b
}
