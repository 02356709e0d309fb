//! Matches rules against values and builds their right sides.
//!
//! Rules are tried in the order they are written in, per opcode of the root. The matcher sees
//! values only through [`Shape`], so any representation of expressions can use it.

use super::{Rule, Term, all};
use cairn_evm::{Fork, Opcode, Word, word};
use smallvec::SmallVec;

/// How the matcher sees values.
pub trait Shape {
    /// A value.
    type Value: Copy + Eq;

    /// The word of a value that is a constant.
    fn as_const(&self, value: Self::Value) -> Option<Word>;

    /// The operation that computes a value, with its operands.
    fn as_op(&self, value: Self::Value) -> Option<(Opcode, SmallVec<[Self::Value; 3]>)>;
}

/// The right side of a rule with its variables filled in; operations on constants are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Built<V> {
    /// A matched value.
    Value(V),
    /// A constant.
    Word(Word),
    /// An operation to make.
    Op(Opcode, SmallVec<[Box<Built<V>>; 3]>),
}

/// The rules whose right sides exist in a fork, by the opcode of their root.
#[derive(Clone, Debug)]
pub struct RuleSet {
    by_root: Vec<Vec<&'static Rule>>,
}

#[derive(Clone)]
struct Bindings<V> {
    values: [Option<V>; 3],
    consts: [Option<Word>; 3],
}

impl RuleSet {
    /// The rules for a fork.
    pub fn new(fork: Fork) -> RuleSet {
        let mut by_root = vec![Vec::new(); 256];
        for rule in all().filter(|rule| exists_in(&rule.to, fork)) {
            if let Term::Op(root, _) = rule.from {
                by_root[usize::from(root.0)].push(rule);
            }
        }
        RuleSet { by_root }
    }

    /// The right side of the first rule that `op` on `args` matches, and the rule.
    pub fn rewrite<S: Shape>(
        &self,
        shape: &S,
        op: Opcode,
        args: &[S::Value],
    ) -> Option<(&'static Rule, Built<S::Value>)> {
        self.by_root[usize::from(op.0)].iter().find_map(|rule| {
            let Term::Op(_, terms) = rule.from else {
                return None;
            };
            let empty = Bindings { values: [None; 3], consts: [None; 3] };
            let bindings = match_operands(shape, op, terms, args, empty, &|bound| is_allowed(rule, bound))?;
            Some((*rule, build(&rule.to, &bindings)))
        })
    }
}

/// Operations that a right side really makes exist in `fork`. Those on constants are computed by
/// the compiler.
fn exists_in(term: &Term, fork: Fork) -> bool {
    match term {
        Term::Op(op, args) if !is_constant(term) => {
            op.exists_in(fork) && args.iter().all(|arg| exists_in(arg, fork))
        }
        Term::Op(..) | Term::Any(_) | Term::Const(_) | Term::Word(_) => true,
    }
}

fn is_constant(term: &Term) -> bool {
    match term {
        Term::Any(_) => false,
        Term::Const(_) | Term::Word(_) => true,
        Term::Op(_, args) => args.iter().all(is_constant),
    }
}

fn is_allowed<V: Copy>(rule: &Rule, bindings: &Bindings<V>) -> bool {
    rule.when
        .iter()
        .all(|condition| evaluate(condition, &bindings.consts).is_some_and(|word| !word.is_zero()))
}

/// Matches the operands of an operation, in both orders if it is commutative.
fn match_operands<S: Shape>(
    shape: &S,
    op: Opcode,
    terms: &[Term],
    args: &[S::Value],
    bindings: Bindings<S::Value>,
    accept: &dyn Fn(&Bindings<S::Value>) -> bool,
) -> Option<Bindings<S::Value>> {
    let in_order = |args: &[S::Value]| match_list(shape, terms, args, bindings.clone(), accept);
    let found = in_order(args);
    match *args {
        [first, second] if found.is_none() && op.is_commutative() => in_order(&[second, first]),
        _ => found,
    }
}

fn match_list<S: Shape>(
    shape: &S,
    terms: &[Term],
    args: &[S::Value],
    bindings: Bindings<S::Value>,
    accept: &dyn Fn(&Bindings<S::Value>) -> bool,
) -> Option<Bindings<S::Value>> {
    match (terms, args) {
        ([], []) => Some(bindings).filter(|bindings| accept(bindings)),
        ([term, terms @ ..], [arg, args @ ..]) => match_term(shape, term, *arg, bindings, &|bound| {
            match_list(shape, terms, args, bound.clone(), accept).is_some()
        })
        .and_then(|bound| match_list(shape, terms, args, bound, accept)),
        _ => None,
    }
}

/// The first way to match one term that `accept` takes.
fn match_term<S: Shape>(
    shape: &S,
    term: &Term,
    value: S::Value,
    mut bindings: Bindings<S::Value>,
    accept: &dyn Fn(&Bindings<S::Value>) -> bool,
) -> Option<Bindings<S::Value>> {
    let is_match = match *term {
        Term::Any(name) => match bindings.values[usize::from(name)] {
            Some(bound) => bound == value,
            None => {
                bindings.values[usize::from(name)] = Some(value);
                true
            }
        },
        Term::Const(name) => match (shape.as_const(value), bindings.consts[usize::from(name)]) {
            (Some(word), Some(bound)) => word == bound,
            (Some(word), None) => {
                bindings.consts[usize::from(name)] = Some(word);
                true
            }
            (None, _) => false,
        },
        Term::Word(word) => shape.as_const(value) == Some(word),
        Term::Op(wanted, terms) => {
            let (op, args) = shape.as_op(value).filter(|(op, _)| *op == wanted)?;
            return match_operands(shape, op, terms, &args, bindings, accept);
        }
    };
    Some(bindings).filter(|bindings| is_match && accept(bindings))
}

fn evaluate(term: &Term, consts: &[Option<Word>; 3]) -> Option<Word> {
    match *term {
        Term::Any(_) => None,
        Term::Const(name) => consts[usize::from(name)],
        Term::Word(word) => Some(word),
        Term::Op(op, args) => {
            let args: Option<SmallVec<[Word; 3]>> = args.iter().map(|arg| evaluate(arg, consts)).collect();
            word::eval(op, &args?)
        }
    }
}

fn build<V: Copy>(term: &Term, bindings: &Bindings<V>) -> Built<V> {
    if let Some(word) = evaluate(term, &bindings.consts) {
        return Built::Word(word);
    }
    match *term {
        Term::Any(name) => {
            Built::Value(bindings.values[usize::from(name)].expect("invariant: the left side binds it"))
        }
        Term::Op(op, args) => Built::Op(op, args.iter().map(|arg| Box::new(build(arg, bindings))).collect()),
        Term::Const(_) | Term::Word(_) => unreachable!("constants are computed"),
    }
}
