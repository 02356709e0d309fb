//! Terms and rules: what the text of the rules is parsed into.

use cairn_evm::{Opcode, Word, word};
use std::borrow::Cow;

/// Names of values in a rule: `x y z w`.
pub const N_VALUES: usize = 4;
/// Names of constants in a rule: `A B C D`.
pub const N_CONSTS: usize = 4;

/// What is known of a value, as a word; see [`crate::Facts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// `lo(x)`: least value, unsigned.
    Lo,
    /// `hi(x)`: greatest value, unsigned.
    Hi,
    /// `ones(x)`: bits that are set.
    Ones,
    /// `maybe(x)`: bits that can be set.
    Maybe,
}

/// A term of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// Any value, by number.
    Value(u8),
    /// Any constant, by number.
    Const(u8),
    /// A fact about a matched value; only in conditions and constants that are made.
    Fact(Fact, u8),
    /// The number of bits of a word: `W`.
    Width,
    /// This word.
    Word(Word),
    /// An operation on terms.
    Op(Opcode, Cow<'static, [Term]>),
}

/// Who applies a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// Every optimizer.
    All,
    /// The EVM-IR optimizer alone: solc has no such rule.
    Ir,
    /// The Yul optimiser alone: the rule prefers a form that the other does not want.
    Yul,
    /// The EVM-IR optimizer when all else is done: the rule hides what other passes look for.
    Late,
}

/// How the operands of commutative operations match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// In each order.
    InAnyOrder,
    /// As they are written: the right side keeps their order, which a Yul program shows.
    AsWritten,
}

/// A rewrite rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Unique name.
    pub name: &'static str,
    /// Who applies it.
    pub users: Users,
    /// Which orders of operands match.
    pub operands: Operands,
    /// What is matched.
    pub from: Term,
    /// What it equals.
    pub to: Term,
    /// The rule holds where all of these are not zero.
    pub when: Cow<'static, [Term]>,
    /// Why a rule that is proven at small widths holds at 256 bits. Other rules are proven there.
    pub because: Option<&'static str>,
    /// The definition that a rule about the environment states; it cannot be proven.
    pub by_definition: Option<&'static str>,
    /// The rule as it is written.
    pub text: &'static str,
}

impl Term {
    /// The term on which every path of the evaluation ends in constants: nothing is left for run
    /// time.
    pub fn is_constant(&self) -> bool {
        match self {
            Term::Value(_) => false,
            Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) => true,
            Term::Op(op, args) => op.is_arithmetic() && args.iter().all(Term::is_constant),
        }
    }

    /// Calls `visit` for the term and everything in it.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Term)) {
        visit(self);
        if let Term::Op(_, args) = self {
            args.iter().for_each(|arg| arg.for_each(visit));
        }
    }

    /// The value of a term; `None` if a leaf has none.
    pub fn evaluate(&self, leaf: &dyn Fn(&Term) -> Option<Word>) -> Option<Word> {
        match self {
            Term::Width => Some(Word::from(256)),
            Term::Word(word) => Some(*word),
            Term::Value(_) | Term::Const(_) | Term::Fact(..) => leaf(self),
            Term::Op(op, args) => {
                // No opcode that can be evaluated has more operands.
                let mut words = [Word::ZERO; 3];
                for (word, arg) in words.iter_mut().zip(args.iter()) {
                    *word = arg.evaluate(leaf)?;
                }
                word::eval(*op, words.get(..args.len())?)
            }
        }
    }
}
