//! Algebraic rewrite rules, as data.
//!
//! A [`Rule`] says that every value of the shape `from` equals `to`, on all 256-bit operands for
//! which the conditions in `when` (terms over the matched constants) are not zero. Nothing else
//! may be assumed, so each rule can be proven by itself.
//!
//! Rules are directional: `to` never has more operations than `from` costs to run. Written as
//! prefix algebra: `X Y Z` match any value, `A B C` any constant, a number itself, `MAX` the word
//! with all bits set; operands are in the EVM's order. Repeated names must match equal values.
//! Commutative operations match in both orders.

mod arithmetic;
mod bitwise;
mod compare;
mod matcher;
mod shift;

pub use matcher::{Built, RuleSet, Shape};

use cairn_evm::{Opcode, Word};

/// A term of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// Any value, by number.
    Any(u8),
    /// Any constant, by number.
    Const(u8),
    /// This word.
    Word(Word),
    /// An operation on terms.
    Op(Opcode, &'static [Term]),
}

/// A rewrite rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Unique name.
    pub name: &'static str,
    /// What is matched.
    pub from: Term,
    /// What it equals.
    pub to: Term,
    /// Terms over constants; the rule holds where all of them are not zero.
    pub when: &'static [Term],
}

/// Every rule, by family.
pub fn families() -> [(&'static str, &'static [Rule]); 4] {
    [
        ("arithmetic", arithmetic::RULES),
        ("bitwise", bitwise::RULES),
        ("compare", compare::RULES),
        ("shift", shift::RULES),
    ]
}

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    families().into_iter().flat_map(|(_, rules)| rules)
}

macro_rules! term {
    (X) => { $crate::rules::Term::Any(0) };
    (Y) => { $crate::rules::Term::Any(1) };
    (Z) => { $crate::rules::Term::Any(2) };
    (A) => { $crate::rules::Term::Const(0) };
    (B) => { $crate::rules::Term::Const(1) };
    (C) => { $crate::rules::Term::Const(2) };
    (MAX) => { $crate::rules::Term::Word(cairn_evm::Word::MAX) };
    ($word:literal) => { $crate::rules::Term::Word(cairn_evm::Word::from_limbs([$word, 0, 0, 0])) };
    (($op:ident $($arg:tt)*)) => {
        $crate::rules::Term::Op(cairn_evm::Opcode::$op, &[$($crate::rules::term!($arg)),*])
    };
}

macro_rules! rules {
    ($($name:literal: $from:tt => $to:tt $(when $($condition:tt),+)?;)*) => {
        &[$($crate::rules::Rule {
            name: $name,
            from: $crate::rules::term!($from),
            to: $crate::rules::term!($to),
            when: &[$($($crate::rules::term!($condition)),+)?],
        }),*]
    };
}

pub(crate) use {rules, term};

#[cfg(test)]
mod tests;
