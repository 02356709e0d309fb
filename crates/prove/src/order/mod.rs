//! Conditions that can't hold at once because of the order of sums, found without a solver.
//!
//! Most questions on a path ask where memory lies: `p + 32 + n < q + 64` for a rounded `n`. Words are
//! integers below 2^256, a sum is one less a multiple of 2^256 that its bounds tell (or two, which are
//! tried), and comparisons are linear inequalities. What is rounded or shifted, and the like, is between bounds that are
//! linear, too (`made`); everything else is a variable. So what is impossible here is impossible, and nothing is
//! said of the rest.

mod integer;
mod made;
mod mean;
mod system;
#[cfg(test)]
mod tests;

use crate::term::{Node, Term, Terms};
use cairn_evm::{Opcode, Word, word};
use integer::Integer;
use made::is_made;
use rustc_hash::{FxHashMap, FxHashSet};
use system::{Row, System};

/// Variables at most.
const MAX_VARIABLES: usize = 120;
/// Conditions with alternatives that are tried one after the other.
const DEPTH: usize = 3;
/// Coefficients of a variable are less than two to this power.
const COEFFICIENT_BITS: usize = 40;
/// Rounds in which bounds tell more of sums, and these more of bounds.
const MAX_ROUNDS: usize = 6;

/// True if the conditions surely do not hold at once.
pub(crate) fn is_impossible(terms: &Terms, conditions: &[Term]) -> bool {
    let mut case = Case {
        terms,
        system: System::default(),
        variables: FxHashMap::default(),
        seen: FxHashSet::default(),
        pending: Vec::new(),
        made: Vec::new(),
        means: Vec::new(),
    };
    conditions.iter().for_each(|condition| case.assume(*condition, Truth::Holds));
    case.refuted(DEPTH)
}

/// A comparison, between which numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    Unsigned,
    Signed,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Truth {
    Holds,
    Fails,
}

impl Truth {
    /// That of a word as a condition: it fails where it is 0.
    pub(crate) fn of(word: Word) -> Truth {
        if word.is_zero() { Truth::Fails } else { Truth::Holds }
    }

    /// As a word, 0 or 1.
    pub(crate) fn word(self) -> Word {
        Word::from(u64::from(self == Truth::Holds))
    }

    pub(crate) fn other(self) -> Truth {
        match self {
            Truth::Holds => Truth::Fails,
            Truth::Fails => Truth::Holds,
        }
    }
}

/// What is known and not an inequality yet.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Literal {
    /// The first is less than the second, or it is not.
    Less(Term, Term, Signs, Truth),
    /// A word is 0, or it is not.
    Zero(Term, Truth),
    /// One of two conditions is such.
    Either([Term; 2], Truth),
    /// A word is made of another.
    Made(Term),
}

/// One way in which a literal holds.
enum Fact {
    Row(Row),
    Condition(Term, Truth),
}

/// Whether words can be made of others as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tied {
    Somehow,
    Never,
}

#[derive(Clone)]
struct Case<'a> {
    terms: &'a Terms,
    system: System,
    variables: FxHashMap<Term, usize>,
    seen: FxHashSet<(Term, Truth)>,
    pending: Vec<Literal>,
    /// Words that are made of others.
    made: Vec<Term>,
    /// Variables that are means, and of which words.
    means: Vec<(usize, [Term; 2])>,
}

impl Case<'_> {
    /// Splits a condition into literals that hold at once.
    fn assume(&mut self, condition: Term, truth: Truth) {
        if !self.seen.insert((condition, truth)) {
            return;
        }
        let is_flag = |term: Term| self.terms.facts(term).is_bool();
        let literal = match self.terms.node(condition) {
            Node::Op(Opcode::EQ, args) if args[1] == self.terms.zero && is_flag(args[0]) => {
                return self.assume(args[0], truth.other());
            }
            Node::Op(opcode @ (Opcode::AND | Opcode::OR), args) if args.iter().all(|arg| is_flag(*arg)) => {
                let (a, b) = (args[0], args[1]);
                if (truth == Truth::Holds) == (*opcode == Opcode::AND) {
                    self.assume(a, truth);
                    return self.assume(b, truth);
                }
                Literal::Either([a, b], truth)
            }
            Node::Op(Opcode::LT, args) => Literal::Less(args[0], args[1], Signs::Unsigned, truth),
            Node::Op(Opcode::SLT, args) => Literal::Less(args[0], args[1], Signs::Signed, truth),
            Node::Op(Opcode::EQ, _) => Literal::Zero(condition, truth),
            _ => Literal::Zero(condition, truth.other()),
        };
        self.pending.push(literal);
    }

    fn refuted(mut self, depth: usize) -> bool {
        for _ in 0..MAX_ROUNDS {
            let before = self.pending.len();
            for literal in std::mem::take(&mut self.pending) {
                let Some(mut ways) = self.ways(&literal) else { continue };
                match ways.len() {
                    0 => return true,
                    1 => ways.remove(0).into_iter().for_each(|fact| self.learn(fact)),
                    _ => self.pending.push(literal),
                }
            }
            if self.tie() == Tied::Never {
                return true;
            }
            if !self.system.propagate() && self.pending.len() == before {
                break;
            }
        }
        if self.system.is_infeasible() {
            return true;
        }
        if depth == 0 || self.pending.is_empty() {
            return false;
        }
        let literal = self.pending.remove(0);
        let Some(ways) = self.ways(&literal) else { return false };
        ways.into_iter().all(|way| {
            let mut case = self.clone();
            way.into_iter().for_each(|fact| case.learn(fact));
            case.refuted(depth - 1)
        })
    }

    /// Lets words that are made of others be bounded by them, and the other way round. Closer bounds may
    /// tell more, so this is done again.
    fn tie(&mut self) -> Tied {
        let mut index = 0;
        while let Some(term) = self.made.get(index).copied() {
            index += 1;
            let Some(mut ways) = self.ways_of_made(term) else { continue };
            match ways.len() {
                0 => return Tied::Never,
                1 => ways.remove(0).into_iter().for_each(|fact| self.learn(fact)),
                _ => {
                    let literal = Literal::Made(term);
                    if !self.pending.contains(&literal) {
                        self.pending.push(literal);
                    }
                }
            }
        }
        let mut index = 0;
        while index < self.means.len() {
            self.way_of_mean(index).into_iter().flatten().for_each(|fact| self.learn(fact));
            index += 1;
        }
        Tied::Somehow
    }

    fn learn(&mut self, fact: Fact) {
        match fact {
            Fact::Row(row) => self.system.add(row),
            Fact::Condition(condition, truth) => self.assume(condition, truth),
        }
    }

    /// All ways in which a literal can hold; `None` if nothing is said of them.
    fn ways(&mut self, literal: &Literal) -> Option<Vec<Vec<Fact>>> {
        match *literal {
            Literal::Either(either, truth) => {
                Some(either.iter().map(|one| vec![Fact::Condition(*one, truth)]).collect())
            }
            Literal::Less(a, b, signs, truth) => {
                let (a, b) = (self.placed(a, signs)?, self.placed(b, signs)?);
                let mut ways = Vec::new();
                for (first, first_bounds) in &a {
                    for (second, second_bounds) in &b {
                        // a < b is b − a − 1 ≥ 0; else a − b ≥ 0.
                        let order = match truth {
                            Truth::Holds => second.plus(first, -1)?.shifted(Integer::of_signed(Word::MAX))?,
                            Truth::Fails => first.plus(second, -1)?,
                        };
                        let rows = first_bounds.iter().chain(second_bounds).chain([&order]);
                        ways.push(rows.cloned().map(Fact::Row).collect());
                    }
                }
                Some(self.feasible(ways))
            }
            Literal::Zero(term, truth) => self.ways_of_zero(term, truth),
            Literal::Made(term) => self.ways_of_made(term),
        }
    }

    /// Those in which no inequality contradicts the bounds.
    fn feasible(&self, mut ways: Vec<Vec<Fact>>) -> Vec<Vec<Fact>> {
        ways.retain(|way| {
            way.iter().all(|fact| match fact {
                Fact::Row(row) => self.system.range(row).is_none_or(|(_, greatest)| !greatest.is_negative()),
                Fact::Condition(..) => true,
            })
        });
        ways
    }

    /// A word is 0 if that holds; an equality is one of both sides.
    fn ways_of_zero(&mut self, term: Term, truth: Truth) -> Option<Vec<Vec<Fact>>> {
        let row = match self.terms.node(term) {
            Node::Op(Opcode::EQ, args) => {
                let (a, b) = (args[0], args[1]);
                let (a, b) = (self.row(a)?, self.row(b)?);
                a.plus(&b, -1)?
            }
            _ => self.row(term)?,
        };
        let (least, greatest) = self.system.range(&row)?;
        let is_below = |number: Integer| number.window();
        let minus_one = Integer::of_signed(Word::MAX);
        let mut ways = Vec::new();
        if truth == Truth::Holds {
            // It is a multiple of 2^256.
            for window in is_below(least)..=is_below(greatest).min(is_below(least).checked_add(3)?) {
                let zero = row.shifted(Integer::windows(window).negated()?)?;
                let negative = Row::of_number(Integer::ZERO).plus(&zero, -1)?;
                ways.push(vec![Fact::Row(zero), Fact::Row(negative)]);
            }
            let is_all = is_below(greatest) - is_below(least) <= 3;
            return is_all.then(|| self.feasible(ways));
        }
        if is_below(least) < -1 || is_below(greatest) > 0 {
            return None;
        }
        let negative = Row::of_number(Integer::ZERO).plus(&row, -1)?;
        ways.push(vec![Fact::Row(row.shifted(minus_one)?)]);
        ways.push(vec![Fact::Row(negative.shifted(minus_one)?)]);
        Some(self.feasible(ways))
    }

    /// A word as an integer between 0 and 2^256, or between −2^255 and 2^255: the sum less a multiple of
    /// 2^256, for each multiple that is possible, and what bounds it. At most two, else `None`.
    fn placed(&mut self, term: Term, signs: Signs) -> Option<Vec<(Row, Vec<Row>)>> {
        let row = self.row(term)?;
        let half = Integer::of(word::MIN_SIGNED);
        // Where the signed window begins counts as 0 here.
        let raised = if signs == Signs::Signed { row.shifted(half)? } else { row.clone() };
        let (least, greatest) = self.system.range(&raised)?;
        let (first, last) = (least.window(), greatest.window());
        if last.checked_sub(first)? > 1 {
            return None;
        }
        let mut places = Vec::new();
        for window in first..=last {
            let back = Integer::windows(window).negated()?;
            let inside = raised.shifted(back)?;
            let zero = Row::of_number(Integer::of(Word::MAX));
            let bounds =
                if first == last { Vec::new() } else { vec![inside.clone(), zero.plus(&inside, -1)?] };
            places.push((row.shifted(back)?, bounds));
        }
        Some(places)
    }

    /// A word as a sum of variables, to which it is equal modulo 2^256.
    fn row(&mut self, term: Term) -> Option<Row> {
        let (parts, constant) = self.terms.linear(term);
        let mut row = Row::of_number(Integer::of_signed(constant));
        let (means, parts) = self.without_means(&parts);
        let mut all = means;
        for (part, coefficient) in parts {
            all.push((self.variable(part)?, coefficient));
        }
        for (variable, coefficient) in all {
            let is_small = |word: Word| word.bit_len() < COEFFICIENT_BITS;
            let coefficient = match (is_small(coefficient), is_small(coefficient.wrapping_neg())) {
                (true, _) => i64::try_from(coefficient).ok()?,
                (_, true) => -i64::try_from(coefficient.wrapping_neg()).ok()?,
                (false, false) => {
                    let variable = self.variable(term)?;
                    return Some(Row::of_variable(variable));
                }
            };
            row = row.plus(&Row::of_variable(variable), coefficient)?;
        }
        Some(row)
    }

    fn variable(&mut self, term: Term) -> Option<usize> {
        if let Some(variable) = self.variables.get(&term) {
            return Some(*variable);
        }
        if self.variables.len() >= MAX_VARIABLES {
            return None;
        }
        let facts = self.terms.facts(term);
        let variable = self.system.variable(Integer::of(facts.lo()), Integer::of(facts.hi()));
        self.variables.insert(term, variable);
        if let Node::Op(opcode, _) = self.terms.node(term)
            && is_made(*opcode)
        {
            self.made.push(term);
        }
        Some(variable)
    }
}
