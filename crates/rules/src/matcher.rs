//! Matches rules against values and builds their right sides.
//!
//! A [`RuleSet`] holds rules by the opcode of their root, in the order in which they are tried. A
//! rule with commutative operations is held once for each order of their operands that can match
//! differently, the written order first; so matching never goes back. The values are seen only
//! through [`Shape`].

use crate::facts::Facts;
use crate::term::{Fact, N_CONSTS, N_VALUES, Operands, Rule, Term, Users};
use cairn_evm::{Fork, Opcode, Word, word};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::OnceLock;

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

/// Rules that an optimizer applies.
#[derive(Clone, Debug)]
pub struct RuleSet {
    by_root: Vec<Vec<Group>>,
    /// Opcodes whose constant operands are not folded.
    kept: &'static [Opcode],
}

/// A rule with one order of operands.
#[derive(Clone, Debug)]
struct Oriented {
    rule: &'static Rule,
    operands: Cow<'static, [Term]>,
}

/// Up to [`GROUP`] rules with the same root, in the order in which they are tried, and for each
/// operand which of them it can match by what it is at its root.
#[derive(Clone, Debug, Default)]
struct Group {
    rules: Vec<Oriented>,
    takers: SmallVec<[Takers; 3]>,
}

/// Rules of a group.
const GROUP: usize = u64::BITS as usize;

/// The rules that an operand can match: bit `n` stands for the rule with index `n`.
#[derive(Clone, Debug, Default)]
struct Takers {
    of_any: u64,
    of_const: u64,
    of_op: Vec<(Opcode, u64)>,
}

/// What an operand must be at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Any,
    Const,
    Op(Opcode),
}

struct Bindings<V> {
    values: [Option<V>; N_VALUES],
    /// Words, and the values that they were first matched with.
    consts: [Option<(Word, V)>; N_CONSTS],
}

impl RuleSet {
    /// All rules for a fork but those that only the Yul optimiser wants.
    pub fn all(fork: Fork) -> &'static RuleSet {
        static SETS: [OnceLock<RuleSet>; Fork::ALL.len()] = [const { OnceLock::new() }; Fork::ALL.len()];
        let is_used = |rule: &Rule| rule.users != Users::Yul;
        SETS[fork as usize].get_or_init(|| RuleSet::new(crate::all(), fork, &is_used, &[]))
    }

    /// The rules that solc's expression simplifier documents and shows, for a fork.
    pub fn solc(fork: Fork) -> &'static RuleSet {
        static SETS: [OnceLock<RuleSet>; Fork::ALL.len()] = [const { OnceLock::new() }; Fork::ALL.len()];
        let is_used = |rule: &Rule| rule.users != Users::Ir;
        // solc leaves these as they are, also on constants.
        let kept = &[Opcode::SAR, Opcode::CLZ];
        SETS[fork as usize].get_or_init(|| RuleSet::new(crate::all(), fork, &is_used, kept))
    }

    fn new<'r>(
        rules: impl Iterator<Item = &'static Rule> + 'r,
        fork: Fork,
        is_used: &dyn Fn(&Rule) -> bool,
        kept: &'static [Opcode],
    ) -> RuleSet {
        let mut by_root: Vec<Vec<Group>> = vec![Vec::new(); 256];
        for rule in rules.filter(|rule| is_used(rule) && exists_in(&rule.to, fork)) {
            let Term::Op(root, operands) = &rule.from else { continue };
            let groups = &mut by_root[usize::from(root.0)];
            Group::add(groups, Oriented { rule, operands: Cow::Borrowed(operands) });
            for order in other_orders(rule) {
                if let Term::Op(_, operands) = order {
                    Group::add(groups, Oriented { rule, operands: Cow::Owned(operands.into_vec()) });
                }
            }
        }
        RuleSet { by_root, kept }
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
        let groups = &self.by_root[usize::from(op.0)];
        if groups.is_empty() {
            return None;
        }
        let heads: SmallVec<[(bool, Option<Opcode>); 3]> = operands
            .iter()
            .map(|operand| (shape.as_const(*operand).is_some(), shape.opcode(*operand)))
            .collect();
        groups.iter().flat_map(|group| group.fitting(&heads)).find_map(|candidate| {
            let mut bindings = Bindings { values: [None; N_VALUES], consts: [None; N_CONSTS] };
            let is_match = candidate.operands.len() == operands.len()
                && match_list(shape, &candidate.operands, operands, &mut bindings)
                && candidate.rule.when.iter().all(|condition| bindings.allow(shape, condition));
            is_match.then(|| (candidate.rule, bindings.build(shape, &candidate.rule.to)))
        })
    }
}

impl Group {
    /// Adds a rule to the last of some groups, or to a new one.
    fn add(groups: &mut Vec<Group>, rule: Oriented) {
        if groups.last().is_none_or(|group| group.rules.len() == GROUP) {
            groups.push(Group::default());
        }
        let group = groups.last_mut().expect("invariant: there is one");
        let bit = 1 << group.rules.len();
        group.takers.resize(group.takers.len().max(rule.operands.len()), Takers::default());
        for (takers, operand) in group.takers.iter_mut().zip(rule.operands.iter()) {
            takers.add(head(operand), bit);
        }
        group.rules.push(rule);
    }

    /// The rules that operands with these roots can match, in order.
    fn fitting(&self, heads: &[(bool, Option<Opcode>)]) -> impl Iterator<Item = &Oriented> {
        let fitting = self.takers.iter().zip(heads).map(|(takers, head)| takers.of(*head));
        let mut left = fitting.fold(u64::MAX, |all, takers| all & takers);
        std::iter::from_fn(move || {
            let rule = self.rules.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(rule)
        })
    }
}

impl Takers {
    fn add(&mut self, head: Head, bit: u64) {
        match head {
            Head::Any => self.of_any |= bit,
            Head::Const => self.of_const |= bit,
            Head::Op(op) => match self.of_op.iter_mut().find(|(of, _)| *of == op) {
                Some((_, bits)) => *bits |= bit,
                None => self.of_op.push((op, bit)),
            },
        }
    }

    fn of(&self, (is_const, op): (bool, Option<Opcode>)) -> u64 {
        let of_const = if is_const { self.of_const } else { 0 };
        let of_op = op.and_then(|op| self.of_op.iter().find(|(of, _)| *of == op));
        self.of_any | of_const | of_op.map_or(0, |(_, bits)| *bits)
    }
}

fn head(term: &Term) -> Head {
    match term {
        Term::Value(_) => Head::Any,
        Term::Op(op, _) if !term.is_constant() => Head::Op(*op),
        Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) | Term::Op(..) => Head::Const,
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

/// The left side of a rule with the operands of its commutative operations swapped, in each way that matches or
/// makes another thing than the ways before.
fn other_orders(rule: &Rule) -> Vec<Term> {
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
            let mut args: Box<[Term]> = args.iter().map(|arg| swapped(arg, swaps, bit)).collect();
            if is_swapped {
                args.reverse();
            }
            Term::Op(*op, args)
        }
        _ => term.clone(),
    }
}

/// True if a rule says the same with either left side, but for its names.
fn says_the_same(rule: &Rule, from: &Term, other: &Term) -> bool {
    let mut renaming = Renaming::default();
    let mut rest = [&rule.to].into_iter().chain(&rule.when);
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
                    && args.iter().zip(others).all(|(a, b)| self.is_same(a, b))
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
