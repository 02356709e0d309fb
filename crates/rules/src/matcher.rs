//! Matches rules against values and builds their right sides.
//!
//! The rules stand in a table by the opcode of their root, in the order in which they are tried. A
//! rule with commutative operations is there once for each order of their operands that can match
//! differently, the written order first; so matching never goes back. The values are seen only
//! through [`Shape`].

use crate::facts::Facts;
use crate::table::{BY_ROOT, Group, Oriented};
use crate::term::{Fact, N_CONSTS, N_VALUES, Rule, Term};
use cairn_evm::{Fork, Opcode, Word, word};
use smallvec::SmallVec;

/// How the matcher sees values.
pub trait Shape {
    /// A value: an operand as it stands in the program, cheap to copy.
    type Value: Copy;

    /// The word of a value that is a constant.
    fn as_const(&self, value: Self::Value) -> Option<Word>;

    /// The operation that computes a value, with its operands. A value that does not stay the same
    /// until here, or has effects, has none.
    fn as_op(&self, value: Self::Value) -> Option<(Opcode, SmallVec<[Self::Value; 3]>)>;

    /// True when both always are the same word, and computing it once instead of twice is not
    /// observable.
    fn is_same(&self, a: Self::Value, b: Self::Value) -> bool;

    /// The operation that computes a value, as [`Shape::as_op`] says.
    fn opcode(&self, value: Self::Value) -> Option<Opcode> {
        self.as_op(value).map(|(op, _)| op)
    }

    /// What is known of a value.
    fn facts(&self, _value: Self::Value) -> Facts {
        Facts::ANY
    }
}

/// The right side of a rule with its names filled in; operations on constants are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built<V> {
    /// A matched value.
    Value(V),
    /// A constant that is computed.
    Word(Word),
    /// A matched constant and the value that it was matched with, which may say how it is written.
    Constant(Word, V),
    /// An operation to make.
    Op(Opcode, SmallVec<[Box<Built<V>>; 3]>),
}

/// Rules that an optimizer applies on a fork.
#[derive(Clone, Copy, Debug)]
pub struct RuleSet {
    fork: Fork,
    /// Those of a group.
    of: fn(&Group) -> u64,
    /// Opcodes whose constant operands are not folded.
    kept: &'static [Opcode],
}

struct Bindings<V> {
    values: [Option<V>; N_VALUES],
    /// Words, and the values that they were first matched with.
    consts: [Option<(Word, V)>; N_CONSTS],
}

impl RuleSet {
    /// All rules for a fork but those that only the Yul optimiser wants, and those that come last.
    pub fn all(fork: Fork) -> RuleSet {
        RuleSet { fork, of: |group| group.of_ir, kept: &[] }
    }

    /// The same with those that come last.
    pub fn late(fork: Fork) -> RuleSet {
        RuleSet { fork, of: |group| group.of_late, kept: &[] }
    }

    /// The rules that solc's expression simplifier documents and shows, for a fork.
    pub fn solc(fork: Fork) -> RuleSet {
        // solc leaves these as they are, also on constants.
        RuleSet { fork, of: |group| group.of_yul, kept: &[Opcode::SAR, Opcode::CLZ] }
    }

    /// The word that an operation on constants gives.
    pub fn fold(&self, op: Opcode, operands: &[Word]) -> Option<Word> {
        if self.kept.contains(&op) { None } else { word::eval(op, operands) }
    }

    /// The right side of the first rule that `op` on `operands` matches, and the rule.
    pub fn rewrite<S: Shape>(
        &self,
        shape: &S,
        op: Opcode,
        operands: &[S::Value],
    ) -> Option<(&'static Rule, Built<S::Value>)> {
        let groups = BY_ROOT[usize::from(op.0)];
        if groups.is_empty() {
            return None;
        }
        let heads: SmallVec<[(bool, Option<Opcode>); 3]> = operands
            .iter()
            .map(|operand| (shape.as_const(*operand).is_some(), shape.opcode(*operand)))
            .collect();
        groups.iter().flat_map(|group| self.fitting(group, &heads)).find_map(|candidate| {
            let mut bindings = Bindings { values: [None; N_VALUES], consts: [None; N_CONSTS] };
            let is_match = candidate.operands.len() == operands.len()
                && match_list(shape, candidate.operands, operands, &mut bindings)
                && candidate.rule.when.iter().all(|condition| bindings.allow(shape, condition));
            is_match.then(|| (candidate.rule, bindings.build(shape, &candidate.rule.to)))
        })
    }

    /// The rules of a group that operands with these roots can match, in order.
    fn fitting(
        self,
        group: &Group,
        heads: &[(bool, Option<Opcode>)],
    ) -> impl Iterator<Item = &'static Oriented> {
        let fitting = group.takers.iter().zip(heads).map(|(takers, head)| takers.of(*head));
        let mut left =
            fitting.fold((self.of)(group) & group.in_fork[self.fork as usize], |all, takers| all & takers);
        let rules = group.rules;
        std::iter::from_fn(move || {
            let rule = rules.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(rule)
        })
    }
}

fn match_list<S: Shape>(
    shape: &S,
    terms: &[Term],
    values: &[S::Value],
    bindings: &mut Bindings<S::Value>,
) -> bool {
    terms.iter().zip(values).all(|(term, value)| match_term(shape, term, *value, bindings))
}

fn match_term<S: Shape>(shape: &S, term: &Term, value: S::Value, bindings: &mut Bindings<S::Value>) -> bool {
    match term {
        Term::Value(name) => match bindings.values[usize::from(*name)] {
            Some(bound) => shape.is_same(bound, value),
            None => {
                bindings.values[usize::from(*name)] = Some(value);
                true
            }
        },
        Term::Const(name) => match (shape.as_const(value), bindings.consts[usize::from(*name)]) {
            (Some(word), Some((bound, _))) => word == bound,
            (Some(word), None) => {
                bindings.consts[usize::from(*name)] = Some((word, value));
                true
            }
            (None, _) => false,
        },
        Term::Op(wanted, terms) if !term.is_constant() => match shape.as_op(value) {
            Some((op, args)) => {
                op == *wanted && terms.len() == args.len() && match_list(shape, terms, &args, bindings)
            }
            None => false,
        },
        Term::Fact(..) | Term::Width | Term::Word(_) | Term::Op(..) => {
            let wanted = bindings.evaluate(shape, term);
            wanted.is_some() && shape.as_const(value) == wanted
        }
    }
}

impl<V: Copy> Bindings<V> {
    fn allow<S: Shape<Value = V>>(&self, shape: &S, condition: &Term) -> bool {
        self.evaluate(shape, condition).is_some_and(|word| !word.is_zero())
    }

    fn evaluate<S: Shape<Value = V>>(&self, shape: &S, term: &Term) -> Option<Word> {
        term.evaluate(&|leaf| match leaf {
            Term::Const(name) => self.consts[usize::from(*name)].map(|(word, _)| word),
            Term::Fact(fact, name) => {
                let facts = shape.facts(self.values[usize::from(*name)]?);
                Some(match fact {
                    Fact::Lo => facts.lo(),
                    Fact::Hi => facts.hi(),
                    Fact::Ones => facts.ones(),
                    Fact::Maybe => facts.possible_ones(),
                })
            }
            Term::Value(_) | Term::Width | Term::Word(_) | Term::Op(..) => None,
        })
    }

    fn build<S: Shape<Value = V>>(&self, shape: &S, term: &Term) -> Built<V> {
        if let Term::Const(name) = term
            && let Some((word, value)) = self.consts[usize::from(*name)]
        {
            return Built::Constant(word, value);
        }
        if term.is_constant() {
            let word = self.evaluate(shape, term);
            return Built::Word(word.expect("invariant: the left side binds every name"));
        }
        match term {
            Term::Value(name) => Built::Value(
                self.values[usize::from(*name)].expect("invariant: the left side binds every name"),
            ),
            Term::Op(op, args) => {
                Built::Op(*op, args.iter().map(|arg| Box::new(self.build(shape, arg))).collect())
            }
            Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) => {
                unreachable!("constants are computed")
            }
        }
    }
}
