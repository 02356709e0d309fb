//! Words that could be any: leaves, and what a question takes for one. Of two that are the same function
//! of their operands equal operands make equal words, and that is all that is known of them.

use super::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, Word};
use rustc_hash::FxHashSet;

/// Which operations are taken for any function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opaque {
    /// None.
    Nothing,
    /// Quotients and remainders by constants, of which bounds say all.
    Quotients,
    /// All products, quotients, remainders and powers.
    Products,
}

/// True of operations that are hard on a solver.
pub(crate) fn is_hard(opcode: Opcode) -> bool {
    [Opcode::MUL, Opcode::DIV, Opcode::MOD, Opcode::SDIV, Opcode::SMOD, Opcode::ADDMOD, Opcode::MULMOD]
        .contains(&opcode)
        || opcode == Opcode::EXP
}

impl Terms {
    /// True of leaves, and of operations that are taken for any function.
    pub(crate) fn is_atom(&self, term: Term, opaque: Opaque) -> bool {
        match self.node(term) {
            Node::Leaf(..) => true,
            Node::Op(opcode, _) => match opaque {
                Opaque::Nothing => false,
                Opaque::Quotients => self.as_quotient(term).is_some(),
                Opaque::Products => is_hard(*opcode),
            },
            Node::Const(_) | Node::Sum(..) | Node::Ite(_) => false,
        }
    }

    /// What is divided by a constant, and that, of quotients and remainders.
    pub(crate) fn as_quotient(&self, term: Term) -> Option<(Term, Word)> {
        let Node::Op(Opcode::DIV | Opcode::MOD, args) = self.node(term) else { return None };
        Some((args[0], self.as_word(args[1]).filter(|by| !by.is_zero())?))
    }

    /// The terms that these are made of, with them, oldest first; nothing that atoms are made of.
    pub(crate) fn below_to_atoms(&self, roots: &[Term], opaque: Opaque) -> Vec<Term> {
        let mut found: Vec<Term> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = roots.to_vec();
        while let Some(term) = open.pop() {
            if seen.insert(term) {
                found.push(term);
                if !self.is_atom(term, opaque) {
                    self.for_each_operand(term, |operand| open.push(operand));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The atoms of which these are made.
    pub(crate) fn atoms(&self, roots: &[Term], opaque: Opaque) -> Vec<Term> {
        let mut found = self.below_to_atoms(roots, opaque);
        found.retain(|term| self.is_atom(*term, opaque));
        found
    }

    /// The operands of an atom.
    pub(crate) fn operands(&self, atom: Term) -> &[Term] {
        match self.node(atom) {
            Node::Leaf(_, args) | Node::Op(_, args) => args,
            Node::Const(_) | Node::Sum(..) | Node::Ite(_) => &[],
        }
    }

    /// 1 where two atoms of the same function have the same operands.
    pub(crate) fn same_operands(&mut self, a: Term, b: Term) -> Term {
        let pairs: Vec<(Term, Term)> =
            self.operands(a).iter().copied().zip(self.operands(b).iter().copied()).collect();
        let mut all = self.one;
        for (a, b) in pairs {
            let equal = self.eq(a, b);
            all = self.and(all, equal);
            if all == self.zero {
                break;
            }
        }
        all
    }

    /// The function that an atom is of its operands; `None` of those without any.
    pub(crate) fn function(&self, atom: Term) -> Option<Function> {
        match self.node(atom) {
            Node::Leaf(_, args) if args.is_empty() => None,
            Node::Leaf(leaf, _) => Some(Function::Leaf(*leaf)),
            Node::Op(opcode, _) => Some(Function::Op(*opcode)),
            Node::Const(_) | Node::Sum(..) | Node::Ite(_) => None,
        }
    }
}

/// What an atom is of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Function {
    /// What a program is given.
    Leaf(Leaf),
    /// An operation.
    Op(Opcode),
}
