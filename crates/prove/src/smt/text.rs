//! Conditions as SMT-LIB text: bit vectors alone, each word that could be any a constant.

use super::Exactness;
use super::arith::{exact, inverse_factor, leading_zeros_of_lowest, number, shifted};
use super::consistency::Consistency;
use crate::term::eval::{Evaluation, Given, Model};
use crate::term::{Node, Opaque, Term, Terms};
use cairn_evm::{Opcode, Word, word};

/// A question as text, and the leaves whose values are asked for.
pub(super) struct Question {
    /// Declarations and assertions.
    pub(super) text: String,
    /// What asks for the values.
    pub(super) values: String,
    leaves: Vec<Term>,
}

impl Question {
    /// The words of the leaves from the solver's values.
    pub(super) fn model(&self, terms: &Terms, values: &[Word]) -> Model {
        let by_term: Vec<(Term, Word)> = self.leaves.iter().copied().zip(values.iter().copied()).collect();
        let mut model = Model::default();
        // Operands of leaves are older than they are, so their leaves are in the model already.
        for (term, value) in by_term {
            let Node::Leaf(leaf, args) = terms.node(term) else { continue };
            let words = {
                let given: &dyn Given = &model;
                let mut evaluation = Evaluation::new(terms, given);
                args.iter().map(|arg| evaluation.word(*arg)).collect()
            };
            model.words.entry((*leaf, words)).or_insert(value);
        }
        model
    }
}

/// Satisfiable exactly if the conditions can hold at once, as far as the exactness and what is said of their words
/// tell.
pub(super) fn question(
    terms: &Terms,
    conditions: &[Term],
    exactness: Exactness,
    Consistency { conditions: more, hashes }: &Consistency,
) -> Question {
    let mut roots: Vec<Term> = conditions.iter().chain(more).copied().collect();
    roots.extend(hashes.iter().map(|(_, same)| same));
    let opaque = exactness.opaque();
    let mut writer = Writer { terms, opaque, text: String::new(), leaves: Vec::new(), products: 0 };
    for term in writer.terms.below_to_atoms(&roots, opaque) {
        writer.define(term);
    }
    for condition in conditions.iter().chain(more) {
        let condition = writer.truth(*condition);
        writer.line(&format!("(assert {condition})"));
    }
    writer.hashes(hashes, exactness);
    let leaves = std::mem::take(&mut writer.leaves);
    let names: Vec<String> = leaves.iter().map(|leaf| name(*leaf)).collect();
    let values = match names.is_empty() {
        true => String::new(),
        false => format!("(get-value ({}))\n", names.join(" ")),
    };
    let text = format!("(set-option :produce-models true)\n(set-logic QF_BV)\n{}", writer.text);
    Question { text, values, leaves }
}

struct Writer<'a> {
    terms: &'a Terms,
    opaque: Opaque,
    text: String,
    leaves: Vec<Term>,
    /// Products that are said by what they are multiplied with.
    products: usize,
}

const WORD: &str = "(_ BitVec 256)";

fn name(term: Term) -> String {
    format!("t{}", term.0)
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn value(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Const(word) => number(*word),
            _ => name(term),
        }
    }

    /// True of terms that are written as conditions, too.
    fn is_truth(&self, term: Term) -> bool {
        match self.terms.node(term) {
            Node::Op(Opcode::EQ | Opcode::LT | Opcode::SLT, _) => true,
            Node::Op(Opcode::AND | Opcode::OR, args) => {
                args.iter().all(|arg| self.terms.facts(*arg).is_bool())
            }
            _ => false,
        }
    }

    /// A term as a condition: not zero.
    fn truth(&self, term: Term) -> String {
        match self.terms.node(term) {
            Node::Const(word) => if word.is_zero() { "false" } else { "true" }.to_owned(),
            _ if self.is_truth(term) => format!("b{}", term.0),
            _ => format!("(distinct {} {})", self.value(term), number(Word::ZERO)),
        }
    }

    fn define(&mut self, term: Term) {
        let terms = self.terms;
        if terms.is_atom(term, self.opaque) {
            return self.declare(term);
        }
        let body = match terms.node(term) {
            Node::Const(_) => return,
            Node::Leaf(..) => return self.declare(term),
            Node::Sum(parts, constant) => self.sum(parts, *constant),
            Node::Ite([condition, yes, no]) => {
                let condition = self.truth(*condition);
                format!("(ite {condition} {} {})", self.value(*yes), self.value(*no))
            }
            Node::Op(..) if self.is_truth(term) => {
                let condition = self.condition(term);
                self.line(&format!("(define-fun b{} () Bool {condition})", term.0));
                format!("(ite b{} {} {})", term.0, number(Word::from(1)), number(Word::ZERO))
            }
            Node::Op(opcode, args) => self.operation(*opcode, args),
        };
        self.line(&format!("(define-fun {} () {WORD} {body})", name(term)));
    }

    fn declare(&mut self, term: Term) {
        let own = name(term);
        let (lo, hi) = (self.terms.facts(term).lo(), self.terms.facts(term).hi());
        let bits = hi.bit_len();
        match bits {
            256 => self.line(&format!("(declare-fun {own} () {WORD})")),
            _ => {
                self.line(&format!("(declare-fun n{own} () (_ BitVec {bits}))"));
                let above = 256 - bits;
                self.line(&format!("(define-fun {own} () {WORD} ((_ zero_extend {above}) n{own}))"));
            }
        }
        if hi.count_ones() != bits {
            self.line(&format!("(assert (bvule {own} {}))", number(hi)));
        }
        if !lo.is_zero() {
            self.line(&format!("(assert (bvuge {own} {}))", number(lo)));
        }
        if let Node::Leaf(..) = self.terms.node(term) {
            self.leaves.push(term);
        }
    }

    fn sum(&mut self, parts: &[(Term, Word)], constant: Word) -> String {
        // Nothing is carried where no bits are in common.
        let add = if self.terms.is_union(parts, constant) { "bvor" } else { "bvadd" };
        let mut sum = number(constant);
        for (index, (part, coefficient)) in parts.iter().enumerate() {
            let part = self.value(*part);
            if index == 0 && constant.is_zero() && *coefficient == Word::from(1) {
                sum = part;
                continue;
            }
            let negative = coefficient.wrapping_neg();
            sum = match *coefficient {
                one if one == Word::from(1) => format!("({add} {sum} {part})"),
                Word::MAX => format!("(bvsub {sum} {part})"),
                up if up.count_ones() == 1 => format!("({add} {sum} {})", shifted(&part, up)),
                _ if negative.count_ones() == 1 => format!("(bvsub {sum} {})", shifted(&part, negative)),
                other => format!("(bvadd {sum} {})", self.product(&part, other)),
            };
        }
        sum
    }

    /// A word times a constant. As a circuit that is an addition for each digit of the constant: an exact division,
    /// which is a product with an inverse of a hundred digits, is said by what gives the word back instead.
    fn product(&mut self, part: &str, by: Word) -> String {
        let Some(back) = inverse_factor(by) else { return format!("(bvmul {} {part})", number(by)) };
        let own = format!("m{}", self.products);
        self.products += 1;
        self.line(&format!(
            "(declare-fun {own} () {WORD})\n(assert (= {part} (bvmul {} {own})))",
            number(back)
        ));
        shifted(&own, Word::from(1) << by.trailing_zeros())
    }

    fn condition(&mut self, term: Term) -> String {
        let Node::Op(opcode, args) = self.terms.node(term) else { return self.truth(term) };
        match *opcode {
            Opcode::AND => format!("(and {} {})", self.truth(args[0]), self.truth(args[1])),
            Opcode::OR => format!("(or {} {})", self.truth(args[0]), self.truth(args[1])),
            Opcode::LT => format!("(bvult {} {})", self.value(args[0]), self.value(args[1])),
            Opcode::SLT => format!("(bvslt {} {})", self.value(args[0]), self.value(args[1])),
            _ if args[1] != self.terms.zero => {
                format!("(= {} {})", self.value(args[0]), self.value(args[1]))
            }
            _ if self.terms.facts(args[0]).is_bool() => format!("(not {})", self.truth(args[0])),
            _ => self.is_zero(args[0]),
        }
    }

    /// A sum that is zero is an equation: what is added is what is taken away.
    fn is_zero(&mut self, term: Term) -> String {
        let Node::Sum(parts, constant) = self.terms.node(term) else {
            return format!("(= {} {})", self.value(term), number(Word::ZERO));
        };
        let (less, more): (Vec<_>, Vec<_>) =
            parts.iter().copied().partition(|(_, coefficient)| word::is_negative(*coefficient));
        let less: Vec<_> = less.into_iter().map(|(part, by)| (part, by.wrapping_neg())).collect();
        format!("(= {} {})", self.sum(&more, *constant), self.sum(&less, Word::ZERO))
    }

    fn operation(&self, opcode: Opcode, args: &[Term]) -> String {
        let values: Vec<String> = args.iter().map(|arg| self.value(*arg)).collect();
        let [a, b] = [&values[0], values.get(1).unwrap_or(&values[0])];
        match opcode {
            Opcode::AND => format!("(bvand {a} {b})"),
            Opcode::OR => format!("(bvor {a} {b})"),
            Opcode::XOR => format!("(bvxor {a} {b})"),
            Opcode::SHL => format!("(bvshl {b} {a})"),
            Opcode::SHR => format!("(bvlshr {b} {a})"),
            Opcode::SAR => format!("(bvashr {b} {a})"),
            Opcode::BYTE => {
                let up = format!("(bvshl {a} {})", number(Word::from(3)));
                let top = format!("(bvlshr (bvshl {b} {up}) {})", number(Word::from(248)));
                format!("(ite (bvult {a} {}) {top} {})", number(Word::from(32)), number(Word::ZERO))
            }
            Opcode::SIGNEXTEND => self.signextend(args, a, b),
            Opcode::CLZ if let Some(word) = self.terms.as_lowest_bit(args[0]) => {
                leading_zeros_of_lowest(&self.value(word))
            }
            _ => exact(opcode, &values),
        }
    }

    fn signextend(&self, args: &[Term], index: &str, a: &str) -> String {
        if let Some(index) = self.terms.as_u64(args[0]).filter(|index| *index < 31) {
            let sign = 8 * index + 7;
            return format!("((_ sign_extend {}) ((_ extract {sign} 0) {a}))", 255 - sign);
        }
        let last = number(Word::from(31));
        let above = format!("(bvshl (bvsub {last} {index}) {})", number(Word::from(3)));
        format!("(ite (bvult {index} {last}) (bvashr (bvshl {a} {above}) {above}) {a})")
    }

    /// Hashes are equal exactly if what is hashed is, and far from each other otherwise (A11).
    fn hashes(&mut self, pairs: &[([Term; 2], Term)], exactness: Exactness) {
        let distance: Word = Word::from(1) << 64;
        let near = number(distance);
        // How far they are decides little and costs much.
        let is_exact = exactness == Exactness::Exact;
        let are_far = self.terms.hashes_are_far;
        for leaf in self.leaves.clone() {
            let is_hash = matches!(self.terms.node(leaf), Node::Leaf(leaf, _) if leaf.is_hash());
            if is_hash && are_far && is_exact {
                let (own, end) = (name(leaf), number(distance.wrapping_neg()));
                self.line(&format!("(assert (bvugt {own} {near}))\n(assert (bvult {own} {end}))"));
            }
        }
        for ([a, b], same) in pairs {
            let is_written = [a, b].iter().all(|hash| self.leaves.contains(hash));
            if !is_written {
                continue;
            }
            let (same, [a, b]) = (self.truth(*same), [a, b].map(|hash| name(*hash)));
            let apart = match is_exact {
                true => format!("(and (bvugt (bvsub {a} {b}) {near}) (bvugt (bvsub {b} {a}) {near}))"),
                false => format!("(distinct {a} {b})"),
            };
            let axiom = match are_far {
                true => format!("(ite {same} (= {a} {b}) {apart})"),
                false => format!("(=> {same} (= {a} {b}))"),
            };
            self.line(&format!("(assert {axiom})"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::consistency::consistency;
    use super::super::{Answer, Solver, find_solvers};
    use super::*;
    use crate::term::Leaf;
    use std::time::Duration;

    #[test]
    fn exact_divisions_are_few_additions() {
        let mut terms = Terms::default();
        let word = terms.leaf(Leaf::Any(0, 256), &[]);
        let mut text = |by: Word| {
            let product = terms.scale(word, by);
            let near = terms.lt(product, word);
            question(&terms, &[near], Exactness::Abstract, &Consistency::default()).text
        };
        let inverse = |odd: u64| Word::from(odd).inv_ring().expect("odd");
        for by in [inverse(25), inverse(3) << 7, inverse(10_u64.pow(9) >> 9)] {
            let text = text(by);
            assert!(text.contains("(declare-fun m0 ") && !text.contains(&number(by)), "{text}");
        }
        let dense =
            [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];
        for by in [Word::from(100), Word::from(25) << 200, Word::from_limbs(dense)] {
            assert!(!text(by).contains("m0"));
        }
    }

    #[test]
    fn exact_divisions_are_the_products() {
        let mut solver = Solver::new(&find_solvers());
        if !solver.exists() {
            return;
        }
        let mut terms = Terms::default();
        let word = terms.leaf(Leaf::Any(0, 256), &[]);
        let third = Word::from(3).inv_ring().expect("odd");
        for (by, value) in
            [(third, 300), (third, 301), (third << 9, 77), (third << 200, 5), (third << 254, 3)]
        {
            let value = Word::from(value);
            let product = terms.scale(word, by);
            let right = terms.word(value.wrapping_mul(by));
            let value = terms.word(value);
            let (given, less) = (terms.eq(word, value), terms.lt(product, right));
            let more = terms.lt(right, product);
            let equal = terms.eq(product, right);
            for (condition, is_possible) in [(less, false), (more, false), (equal, true)] {
                let asked = question(&terms, &[given, condition], Exactness::Exact, &Consistency::default());
                let answer = solver.put(&terms, &asked, Duration::from_secs(20));
                assert_eq!(matches!(answer, Answer::Possible(_)), is_possible, "{by:x} {value:?}");
                assert_eq!(answer.is_impossible(), !is_possible, "{by:x} {value:?}");
            }
        }
    }

    #[test]
    fn words_under_keys_that_may_be_the_same() {
        let mut terms = Terms::default();
        let [a, b, c] = [0, 1, 2].map(|number| terms.leaf(Leaf::Any(number, 160), &[]));
        let [slot, other] = [1, 2].map(|slot| terms.number(slot));
        let held = |terms: &mut Terms, key: Term, slot: Term| {
            let hash = terms.hash(64, &[key, slot]);
            terms.leaf(Leaf::Held(crate::term::Space::Storage, 0), &[hash])
        };
        let words = [held(&mut terms, a, slot), held(&mut terms, b, slot), held(&mut terms, c, other)];
        let less = [terms.lt(words[0], words[1]), terms.lt(words[1], words[2])];
        let found = consistency(&mut terms, &less, Exactness::Abstract).expect("few");
        // Of the first two only: the third lies under another slot.
        assert_eq!(found.conditions.len(), 1);
        let text = question(&terms, &less, Exactness::Abstract, &found).text;
        let [hidden, shown] = [c, a].map(|term| text.contains(&format!("fun {} ", name(term))));
        assert!(shown && !hidden, "{text}");
    }
}
