//! Terms in the light of what holds on a path.
//!
//! On a path on which the upper bits of `x` are zero, `x` is `and(x, low)`; on which `x` is `y + 1`, that;
//! a comparison that is known is 0 or 1. So what one program masks and the other does not is one term,
//! and a solver need not be asked. Every step keeps the word on every run of the path.

use super::bounds::Conditions;
use crate::term::{Node, Term, Terms};
use cairn_evm::Opcode;

impl Conditions {
    /// A term that is the same word on every run of the path.
    pub(crate) fn simplify(&self, terms: &mut Terms, term: Term) -> Term {
        if !self.says_something() {
            return term;
        }
        if let Some(found) = self.remembered(term) {
            return found;
        }
        for part in terms.below(&[term]) {
            if self.remembered(part).is_none() {
                let simple = self.simplify_node(terms, part);
                self.remember(part, simple);
            }
        }
        self.remembered(term).unwrap_or(term)
    }

    /// A term whose operands were simplified.
    fn simplify_node(&self, terms: &mut Terms, term: Term) -> Term {
        if let Some(other) = self.replacement(terms, term) {
            return other;
        }
        let made = self.rebuilt(terms, term);
        if made == term { term } else { self.replacement(terms, made).unwrap_or(made) }
    }

    /// What the path says a term is.
    fn replacement(&self, terms: &mut Terms, term: Term) -> Option<Term> {
        if terms.as_word(term).is_some() {
            return None;
        }
        if let Node::Op(Opcode::EQ | Opcode::LT | Opcode::SLT, _) = terms.node(term) {
            let known = self.decide(terms, term)?;
            return Some(if known { terms.one } else { terms.zero });
        }
        if let Some(other) = self.equal_to(term) {
            return Some(other);
        }
        let facts = self.bound_of(term)?;
        if let Some(word) = facts.as_word() {
            return Some(terms.word(word));
        }
        let possible = facts.possible_ones();
        (possible & terms.facts(term).possible_ones() != terms.facts(term).possible_ones())
            .then(|| terms.and_word(term, possible))
    }

    /// The same node of simplified operands.
    fn rebuilt(&self, terms: &mut Terms, term: Term) -> Term {
        let simple = |old: &Term| self.remembered(*old).unwrap_or(*old);
        match terms.node(term).clone() {
            Node::Const(_) => term,
            Node::Sum(parts, constant) => {
                if parts.iter().all(|(part, _)| simple(part) == *part) {
                    return term;
                }
                let mut sum = terms.word(constant);
                for (part, coefficient) in &parts {
                    let product = terms.scale(simple(part), *coefficient);
                    sum = terms.add(sum, product);
                }
                sum
            }
            Node::Op(opcode, args) => {
                let simple: Vec<Term> = args.iter().map(simple).collect();
                match simple[..] == args[..] {
                    true => term,
                    false => terms.apply(opcode, &simple).unwrap_or(term),
                }
            }
            Node::Ite(args) => {
                let [condition, yes, no] = args.map(|arg| simple(&arg));
                terms.ite(condition, yes, no)
            }
            Node::Leaf(leaf, args) => {
                let simple: Vec<Term> = args.iter().map(simple).collect();
                if simple[..] == args[..] { term } else { terms.leaf(leaf, &simple) }
            }
        }
    }
}
