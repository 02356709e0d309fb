//! Rules by the opcode of their root, as the matcher asks for them.

use crate::orders::other_orders;
use crate::term::{Rule, Term, Users};
use cairn_evm::{Fork, Opcode};
use std::collections::BTreeMap;

/// Rules of a group: each has a bit in a word of the machine.
const GROUP: usize = u64::BITS as usize;

/// Up to [`GROUP`] rules with the same root, in the order in which they are tried. In a set of rules, bit `n`
/// stands for the rule with index `n`.
#[derive(Default)]
pub(crate) struct Group {
    /// A rule by its family and its place there, and one order of its operands.
    pub(crate) rules: Vec<(usize, usize, Vec<Term>)>,
    /// For each operand the rules that it can match.
    pub(crate) takers: Vec<Takers>,
    /// The rules whose results each fork has the opcodes for.
    pub(crate) in_fork: [u64; Fork::ALL.len()],
    /// The rules that the EVM-IR optimizer applies.
    pub(crate) of_ir: u64,
    /// The rules that the Yul optimiser applies.
    pub(crate) of_yul: u64,
    /// The rules that the EVM-IR optimizer applies last.
    pub(crate) of_late: u64,
}

/// The rules that an operand can match by what it is at its root.
#[derive(Clone, Default)]
pub(crate) struct Takers {
    /// Whatever it is.
    pub(crate) of_any: u64,
    /// As a constant.
    pub(crate) of_const: u64,
    /// As an operation.
    pub(crate) of_op: Vec<(Opcode, u64)>,
}

/// The groups of each root. A rule is there once for each order of operands that can match differently, the
/// written order first.
pub(crate) fn groups(families: &[Vec<Rule>]) -> BTreeMap<u8, Vec<Group>> {
    let mut groups: BTreeMap<u8, Vec<Group>> = BTreeMap::new();
    for (family, rules) in families.iter().enumerate() {
        for (place, rule) in rules.iter().enumerate() {
            let orders = std::iter::once(rule.from.clone()).chain(other_orders(rule));
            for order in orders {
                let Term::Op(root, operands) = order else { continue };
                add(groups.entry(root.0).or_default(), rule, (family, place, operands.into_owned()));
            }
        }
    }
    groups
}

/// Adds a rule to the last of some groups, or to a new one.
fn add(groups: &mut Vec<Group>, rule: &Rule, oriented: (usize, usize, Vec<Term>)) {
    if groups.last().is_none_or(|group| group.rules.len() == GROUP) {
        groups.push(Group::default());
    }
    let group = groups.last_mut().expect("invariant: there is one");
    let bit = 1 << group.rules.len();
    let operands = &oriented.2;
    group.takers.resize(group.takers.len().max(operands.len()), Takers::default());
    for (takers, operand) in group.takers.iter_mut().zip(operands) {
        takers.add(operand, bit);
    }
    for (bits, fork) in group.in_fork.iter_mut().zip(Fork::ALL) {
        *bits |= if exists_in(&rule.to, fork) { bit } else { 0 };
    }
    let of = |users: &[Users]| if users.contains(&rule.users) { bit } else { 0 };
    group.of_ir |= of(&[Users::All, Users::Ir]);
    group.of_yul |= of(&[Users::All, Users::Yul]);
    group.of_late |= of(&[Users::All, Users::Ir, Users::Late]);
    group.rules.push(oriented);
}

impl Takers {
    fn add(&mut self, operand: &Term, bit: u64) {
        match operand {
            Term::Value(_) => self.of_any |= bit,
            Term::Op(op, _) if !operand.is_constant() => match self.of_op.iter_mut().find(|(of, _)| of == op)
            {
                Some((_, bits)) => *bits |= bit,
                None => self.of_op.push((*op, bit)),
            },
            Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) | Term::Op(..) => {
                self.of_const |= bit;
            }
        }
    }
}

/// Operations that a right side really makes exist in `fork`. Those on constants are computed by
/// the compiler.
fn exists_in(term: &Term, fork: Fork) -> bool {
    match term {
        Term::Op(op, args) if !term.is_constant() => {
            op.exists_in(fork) && args.iter().all(|arg| exists_in(arg, fork))
        }
        Term::Op(..) | Term::Value(_) | Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) => true,
    }
}
