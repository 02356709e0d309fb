//! Rewrite rules on 256-bit words, as data: one table for every optimizer, each rule proven.
//!
//! A rule says that two terms are the same word on all operands for which its conditions hold, and
//! nothing else may be assumed; so each can be proven by itself, and the tests prove every one. Rules are directional. They stand in `rules/*.rules`, written as algebra:
//!
//! ```text
//! add-zero [solc]: add(x, 0) => x
//! and-and-const [solc]: and(and(x, A), B) => and(x, A & B)
//! iszero-iszero-bool: iszero(iszero(x)) => x if is_bool(x)
//! mul-power-of-two [solc]: mul(x, A) => shl(log2(A), x) if is_power_of_two(A)
//!     because a product with 2^k modulo 2^n is a shift by k, at every width
//! ```
//!
//! * `x y z w` match any value, `A B C D` any constant, a number itself; `MAX` has all bits set,
//!   `W` is the width of a word in bits. A name that comes twice must match the same value.
//!   Commutative operations match in each order.
//! * Opcodes are written as in Yul. The operators `+ - * % & | ~ << >> == != < <= > >=` (unsigned)
//!   and the functions `log2`, `bits`, `mask`, `is_power_of_two`, `is_mask` are computed by the
//!   compiler, so they stand over constants and facts only.
//! * Facts of values: `lo(x)`, `hi(x)` (unsigned bounds), `ones(x)` (bits that are set), `maybe(x)`
//!   (bits that can be set), `is_bool(x)`. See [`Facts`].
//! * `[solc]`: solc's expression simplifier has the rule too; `[solc-only]`: only the Yul optimiser
//!   applies it; no tag: only the EVM-IR optimizer does; `[late]`: it does when all else is done
//!   ([`RuleSet::late`]). `[solc in order]`: operands match only as they
//!   are written, since the order of those on the right side is visible in Yul.
//! * `because`: the rule is proven at small widths, and this says why it holds at 256 bits; other
//!   rules are proven at 256 bits. `by definition`: an equation between environment opcodes.
//! * A rule is used on the forks that have the opcodes which it makes.
//!
//! # Plugging in
//!
//! Give the matcher a view of your expressions, then ask a [`RuleSet`]: [`RuleSet::solc`] has
//! exactly solc's rules in solc's order, [`RuleSet::all`] has those that the EVM-IR optimizer uses.
//!
//! ```
//! use cairn_evm::{Fork, Opcode, Word};
//! use cairn_rules::{Built, RuleSet, Shape};
//! use smallvec::SmallVec;
//!
//! #[derive(PartialEq)]
//! enum Expr {
//!     Word(Word),
//!     Variable(&'static str),
//!     Call(Opcode, Vec<Expr>),
//! }
//!
//! struct View;
//!
//! impl<'a> Shape for &'a View {
//!     type Value = &'a Expr;
//!     fn as_const(&self, value: &'a Expr) -> Option<Word> {
//!         if let Expr::Word(word) = value { Some(*word) } else { None }
//!     }
//!     fn as_op(&self, value: &'a Expr) -> Option<(Opcode, SmallVec<[&'a Expr; 3]>)> {
//!         if let Expr::Call(op, args) = value { Some((*op, args.iter().collect())) } else { None }
//!     }
//!     fn is_same(&self, a: &'a Expr, b: &'a Expr) -> bool {
//!         a == b // and movable, where expressions can have effects
//!     }
//! }
//!
//! let args = [Expr::Variable("v"), Expr::Word(Word::ZERO)];
//! let args: Vec<&Expr> = args.iter().collect();
//! let rules = RuleSet::solc(Fork::Osaka);
//! let (rule, built) = rules.rewrite(&&View, Opcode::ADD, &args).expect("a rule");
//! assert_eq!(rule.name, "add-zero");
//! assert!(matches!(built, Built::Value(Expr::Variable("v"))));
//! assert_eq!(rules.fold(Opcode::ADD, &[Word::from(1), Word::from(2)]), Some(Word::from(3)));
//! ```
//!
//! For Yul: a value is an operand as it stands, an identifier or a literal. solc simplifies a call,
//! from the inside out and as long as a rule fires, only if all its operands are one of these;
//! `as_const` and `as_op` look through an identifier once, at the expression it is known to hold,
//! and see an operation only if its operands too are identifiers and literals. `is_same` compares
//! names; a literal and an identifier are never the same. Try [`RuleSet::fold`] first when all
//! operands are constants. [`Built::Value`] gives back the operand as it stood, so an identifier
//! stays an identifier.

mod facts;
mod matcher;
mod parse;
mod table;
mod term;

pub use facts::{Facts, transfer, transfer_back};
pub use matcher::{Built, RuleSet, Shape};
pub use parse::parse_rules;
pub use term::{Fact, N_CONSTS, N_VALUES, Operands, Rule, Term, Users};

/// Every rule by family, in the order in which they are tried.
pub fn families() -> &'static [(&'static str, &'static [Rule])] {
    &table::FAMILIES
}

/// Every rule, in the order in which rules with the same root are tried.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    families().iter().flat_map(|(_, rules)| *rules)
}
