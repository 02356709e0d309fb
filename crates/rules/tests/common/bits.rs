//! Rules of shifts, masks and sign extensions, bit by bit.
//!
//! A prover is slow on shifts by unknown amounts of whole words. But the words differ exactly if
//! they differ in some bit `i`, and bit `i` of `shl(A, x)` is bit `i - A` of `x`. So words are
//! functions from places to bits here; amounts stay words, on which only sums and comparisons are
//! done. Conditions that don't fit are left out, so only a proof counts, not a model.

use super::smt::Smt;
use cairn_evm::Opcode;
use cairn_rules::{Fact, N_CONSTS, N_VALUES, Rule, Term};
use std::fmt::Write as _;

const SMT: Smt = Smt { width: 256 };

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Amount,
}

#[derive(Default)]
struct Bits {
    values: [Option<Kind>; N_VALUES],
    consts: [Option<Kind>; N_CONSTS],
    /// Where bits are looked at.
    places: Vec<String>,
}

/// The assertion that the conditions hold and the sides differ in a bit; `None` if the rule has
/// other operations.
pub(crate) fn negation(rule: &Rule) -> Option<String> {
    let mut bits = Bits { places: vec!["i".to_owned()], ..Bits::default() };
    let (from, to) = (bits.bit(&rule.from, "i")?, bits.bit(&rule.to, "i")?);
    let mut text = SMT.definitions().replace("QF_BV", "QF_UFBV");
    text += "(declare-const i (_ BitVec 256))\n";
    let (n_values, n_consts) = super::names(&rule.from);
    let values = bits.values.iter().take(n_values).enumerate().map(|(name, kind)| ('v', name, kind));
    let consts = bits.consts.iter().take(n_consts).enumerate().map(|(name, kind)| ('c', name, kind));
    for (letter, name, kind) in values.chain(consts) {
        match kind {
            Some(Kind::Word) if letter == 'v' => {
                let functions = ["v", "ones", "maybe"];
                functions.iter().try_for_each(|letter| {
                    writeln!(text, "(declare-fun {letter}{name} ((_ BitVec 256)) Bool)")
                })
            }
            Some(Kind::Word) => writeln!(text, "(declare-fun {letter}{name} ((_ BitVec 256)) Bool)"),
            Some(Kind::Amount) | None => writeln!(text, "(declare-const {letter}{name} (_ BitVec 256))"),
        }
        .expect("a string");
    }
    writeln!(text, "(assert (bvult i {}))", SMT.number(256)).expect("a string");
    text += &bits.facts();
    for condition in rule.when.iter() {
        if let Some(amounts) = bits.amount(condition) {
            writeln!(text, "(assert (distinct {amounts} {}))", SMT.number(0)).expect("a string");
        } else if let Term::Op(Opcode::EQ, sides) = condition {
            for place in bits.places.clone() {
                let (left, right) = (bits.bit(&sides[0], &place)?, bits.bit(&sides[1], &place)?);
                writeln!(text, "(assert (= {left} {right}))").expect("a string");
            }
        }
    }
    write!(text, "(assert (distinct {from} {to}))\n(check-sat)\n").expect("a string");
    Some(text)
}

impl Bits {
    /// A term as a word, of which no bits are looked at.
    fn amount(&mut self, term: &Term) -> Option<String> {
        let mut fits = true;
        term.for_each(&mut |term| match term {
            Term::Const(name) => {
                fits &= *self.consts[usize::from(*name)].get_or_insert(Kind::Amount) == Kind::Amount;
            }
            Term::Value(name) => {
                fits &= *self.values[usize::from(*name)].get_or_insert(Kind::Amount) == Kind::Amount;
            }
            Term::Fact(..) => fits = false,
            Term::Width | Term::Word(_) | Term::Op(..) => {}
        });
        fits.then(|| SMT.term(term))
    }

    /// What is known of values, where bits are looked at.
    fn facts(&self) -> String {
        let mut text = String::new();
        for (name, _) in self.values.iter().enumerate().filter(|(_, kind)| **kind == Some(Kind::Word)) {
            for place in &self.places {
                writeln!(text, "(assert (=> (v{name} {place}) (maybe{name} {place})))").expect("a string");
                writeln!(text, "(assert (=> (ones{name} {place}) (v{name} {place})))").expect("a string");
            }
        }
        text
    }

    fn look_at(&mut self, place: &str) {
        if !self.places.iter().any(|seen| seen == place) {
            self.places.push(place.to_owned());
        }
    }

    /// The bit of a term at a place.
    fn bit(&mut self, term: &Term, at: &str) -> Option<String> {
        match term {
            Term::Value(name) => {
                self.look_at(at);
                let kind = self.values[usize::from(*name)].get_or_insert(Kind::Word);
                (*kind == Kind::Word).then(|| format!("(v{name} {at})"))
            }
            Term::Const(name) => {
                self.look_at(at);
                let kind = self.consts[usize::from(*name)].get_or_insert(Kind::Word);
                (*kind == Kind::Word).then(|| format!("(c{name} {at})"))
            }
            Term::Word(word) => Some(format!("(= #b1 ((_ extract 0 0) (bvlshr {} {at})))", SMT.word(*word))),
            Term::Fact(fact @ (Fact::Ones | Fact::Maybe), name) => {
                let kind = self.values[usize::from(*name)].get_or_insert(Kind::Word);
                let letter = if *fact == Fact::Ones { "ones" } else { "maybe" };
                (*kind == Kind::Word).then(|| format!("({letter}{name} {at})"))
            }
            Term::Fact(..) | Term::Width => None,
            Term::Op(op, args) => self.operation(*op, args, at),
        }
    }

    fn operation(&mut self, op: Opcode, args: &[Term], at: &str) -> Option<String> {
        let number = |value: u64| SMT.number(value);
        Some(match (op, args) {
            (Opcode::NOT, [a]) => format!("(not {})", self.bit(a, at)?),
            (Opcode::AND, [a, b]) => format!("(and {} {})", self.bit(a, at)?, self.bit(b, at)?),
            (Opcode::OR, [a, b]) => format!("(or {} {})", self.bit(a, at)?, self.bit(b, at)?),
            (Opcode::XOR, [a, b]) => format!("(xor {} {})", self.bit(a, at)?, self.bit(b, at)?),
            (Opcode::SHL, [a, b]) => {
                let by = self.amount(a)?;
                let from = self.bit(b, &format!("(bvsub {at} {by})"))?;
                format!("(and (bvuge {at} {by}) {from})")
            }
            (Opcode::SHR, [a, b]) => {
                let by = self.amount(a)?;
                let from = self.bit(b, &format!("(bvadd {at} {by})"))?;
                format!("(and (bvult {by} (bvsub {} {at})) {from})", number(256))
            }
            (Opcode::SAR, [a, b]) => {
                let by = self.amount(a)?;
                let from = self.bit(b, &format!("(bvadd {at} {by})"))?;
                let sign = self.bit(b, &number(255))?;
                format!("(ite (bvult {by} (bvsub {} {at})) {from} {sign})", number(256))
            }
            (Opcode::BYTE, [a, b]) => {
                let index = self.amount(a)?;
                let start = format!("(bvmul {} (bvsub {} {index}))", number(8), number(31));
                let from = self.bit(b, &format!("(bvadd {start} {at})"))?;
                format!("(and (bvult {at} {}) (bvult {index} {}) {from})", number(8), number(32))
            }
            (Opcode::SIGNEXTEND, [a, b]) => {
                let index = self.amount(a)?;
                let sign_place = format!("(bvadd (bvmul {} {index}) {})", number(8), number(7));
                let (kept, sign) = (self.bit(b, at)?, self.bit(b, &sign_place)?);
                let is_kept = format!("(or (bvuge {index} {}) (bvule {at} {sign_place}))", number(31));
                format!("(ite {is_kept} {kept} {sign})")
            }
            _ => return None,
        })
    }
}
