//! Conditions as SMT-LIB text.

use super::Exactness;
use crate::term::eval::{Evaluation, Given, Model};
use crate::term::{Leaf, Node, Space, Term, Terms};
use cairn_evm::{Opcode, Word};
use std::collections::BTreeSet;

/// A question as text, and the leaves whose values are asked for.
pub(super) struct Question {
    pub(super) text: String,
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

/// Satisfiable exactly if the conditions can hold at once, as far as the exactness says.
pub(super) fn question(terms: &Terms, conditions: &[Term], exactness: Exactness) -> Question {
    let mut writer = Writer {
        terms,
        exactness,
        text: String::new(),
        functions: BTreeSet::new(),
        leaves: Vec::new(),
        hashes: Vec::new(),
    };
    for term in terms.below(conditions) {
        writer.define(term);
    }
    for condition in conditions {
        let condition = writer.truth(*condition);
        writer.line(&format!("(assert {condition})"));
    }
    writer.line("(check-sat)");
    let leaves = std::mem::take(&mut writer.leaves);
    if !leaves.is_empty() {
        let names: Vec<String> = leaves.iter().map(|leaf| name(*leaf)).collect();
        writer.line(&format!("(get-value ({}))", names.join(" ")));
    }
    let functions: String = writer.functions.iter().map(|line| format!("{line}\n")).collect();
    let head = "(set-option :produce-models true)\n(set-logic QF_UFBV)\n";
    Question { text: format!("{head}{functions}{}", writer.text), leaves }
}

struct Writer<'a> {
    terms: &'a Terms,
    exactness: Exactness,
    text: String,
    functions: BTreeSet<String>,
    leaves: Vec<Term>,
    hashes: Vec<Term>,
}

const WORD: &str = "(_ BitVec 256)";

fn name(term: Term) -> String {
    format!("t{}", term.0)
}

fn number(word: Word) -> String {
    format!("#x{word:064x}")
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

    fn values(&self, args: &[Term]) -> String {
        let values: Vec<String> = args.iter().map(|arg| self.value(*arg)).collect();
        values.join(" ")
    }

    fn is_truth(&self, term: Term) -> bool {
        matches!(self.terms.node(term), Node::Op(Opcode::EQ | Opcode::LT | Opcode::SLT, _))
    }

    /// A term as a condition: not zero.
    fn truth(&self, term: Term) -> String {
        match self.is_truth(term) {
            true => format!("b{}", term.0),
            false => format!("(distinct {} {})", self.value(term), number(Word::ZERO)),
        }
    }

    fn define(&mut self, term: Term) {
        let terms = self.terms;
        let body = match terms.node(term) {
            Node::Const(_) => return,
            Node::Leaf(leaf, args) => return self.define_leaf(term, *leaf, args),
            Node::Sum(parts, constant) => self.sum(parts, *constant),
            Node::Ite([condition, yes, no]) => {
                let condition = self.truth(*condition);
                format!("(ite {condition} {} {})", self.value(*yes), self.value(*no))
            }
            Node::Op(opcode, args) => self.operation(term, *opcode, args),
        };
        self.line(&format!("(define-fun {} () {WORD} {body})", name(term)));
    }

    fn sum(&self, parts: &[(Term, Word)], constant: Word) -> String {
        let mut sum = number(constant);
        for (part, coefficient) in parts {
            let part = self.value(*part);
            let negative = coefficient.wrapping_neg();
            sum = match *coefficient {
                one if one == Word::from(1) => format!("(bvadd {sum} {part})"),
                Word::MAX => format!("(bvsub {sum} {part})"),
                up if up.count_ones() == 1 => format!("(bvadd {sum} {})", shifted(&part, up)),
                _ if negative.count_ones() == 1 => format!("(bvsub {sum} {})", shifted(&part, negative)),
                other => format!("(bvadd {sum} (bvmul {} {part}))", number(other)),
            };
        }
        sum
    }

    fn operation(&mut self, term: Term, opcode: Opcode, args: &[Term]) -> String {
        let values: Vec<String> = args.iter().map(|arg| self.value(*arg)).collect();
        if self.is_truth(term) {
            let relation = match opcode {
                Opcode::LT => "bvult",
                Opcode::SLT => "bvslt",
                _ => "=",
            };
            let is_flag = opcode == Opcode::EQ && self.terms.facts(args[0]).is_bool();
            let body = match is_flag && args[1] == self.terms.zero {
                true => format!("(not {})", self.truth(args[0])),
                false => format!("({relation} {} {})", values[0], values[1]),
            };
            self.line(&format!("(define-fun b{} () Bool {body})", term.0));
            return format!("(ite b{} {} {})", term.0, number(Word::from(1)), number(Word::ZERO));
        }
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
            _ if self.exactness == Exactness::Exact => exact(opcode, &values),
            _ => self.any_function(opcode, term, args, &values),
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

    /// A function of which a little is known.
    fn any_function(&mut self, opcode: Opcode, term: Term, args: &[Term], values: &[String]) -> String {
        let function = format!("any_{}", opcode.known().lower);
        self.declare(&function, args.len(), WORD);
        let applied = format!("({function} {})", values.join(" "));
        let hi = self.terms.facts(term).hi();
        if hi != Word::MAX {
            self.line(&format!("(assert (bvule {applied} {}))", number(hi)));
        }
        match opcode {
            Opcode::DIV => self.line(&format!("(assert (bvule {applied} {}))", values[0])),
            Opcode::MOD => {
                let zero = number(Word::ZERO);
                self.line(&format!("(assert (or (= {0} {zero}) (bvult {applied} {0})))", values[1]));
            }
            _ => {}
        }
        applied
    }

    fn declare(&mut self, function: &str, arity: usize, result: &str) {
        let params = vec![WORD; arity].join(" ");
        self.functions.insert(format!("(declare-fun {function} ({params}) {result})"));
    }

    fn define_leaf(&mut self, term: Term, leaf: Leaf, args: &[Term]) {
        self.leaves.push(term);
        let own = name(term);
        match leaf {
            Leaf::Keccak(_) | Leaf::KeccakOfRegion(_) => {
                self.line(&format!("(declare-fun {own} () {WORD})"));
                self.hash_axioms(term);
                return;
            }
            _ if args.is_empty() => self.line(&format!("(declare-fun {own} () {WORD})")),
            _ => {
                let body = self.applied_leaf(leaf, args);
                self.line(&format!("(define-fun {own} () {WORD} {body})"));
            }
        }
        let hi = self.terms.facts(term).hi();
        if hi != Word::MAX {
            self.line(&format!("(assert (bvule {own} {}))", number(hi)));
        }
    }

    /// A leaf as a function of its operands; words are made of bytes where that is asked for.
    fn applied_leaf(&mut self, leaf: Leaf, args: &[Term]) -> String {
        let (function, bytes) = function_of(leaf);
        let values = self.values(args);
        match (bytes, self.exactness) {
            (Bytes::None, _) | (Bytes::Word, Exactness::Abstract) => {
                self.declare(&function, args.len(), WORD);
                format!("({function} {values})")
            }
            (Bytes::One, _) => {
                let function = format!("{function}_byte");
                self.declare(&function, args.len(), "(_ BitVec 8)");
                format!("((_ zero_extend 248) ({function} {values}))")
            }
            (Bytes::Word, Exactness::Exact) => {
                let function = format!("{function}_byte");
                self.declare(&function, args.len(), "(_ BitVec 8)");
                let at = |index: u64| match self.terms.as_word(args[0]) {
                    Some(start) => number(start.wrapping_add(Word::from(index))),
                    None => format!("(bvadd {values} {})", number(Word::from(index))),
                };
                let bytes: Vec<String> = (0..32).map(|index| format!("({function} {})", at(index))).collect();
                format!("(concat {})", bytes.join(" "))
            }
        }
    }

    /// Hashes are equal exactly if what is hashed is, and far from each other otherwise (A11).
    fn hash_axioms(&mut self, term: Term) {
        let own = name(term);
        let distance: Word = Word::from(1) << 64;
        let near = number(distance);
        // How far they are decides little and costs much.
        let is_exact = self.exactness == Exactness::Exact;
        if self.terms.hashes_are_far && is_exact {
            let end = number(distance.wrapping_neg());
            self.line(&format!("(assert (bvugt {own} {near}))\n(assert (bvult {own} {end}))"));
        }
        let Node::Leaf(Leaf::Keccak(length), words) = self.terms.node(term) else { return };
        for other in self.hashes.clone() {
            let Node::Leaf(Leaf::Keccak(other_length), other_words) = self.terms.node(other) else {
                continue;
            };
            let other = name(other);
            let apart = match is_exact {
                true => {
                    format!("(and (bvugt (bvsub {own} {other}) {near}) (bvugt (bvsub {other} {own}) {near}))")
                }
                false => format!("(distinct {own} {other})"),
            };
            let pairs = words.iter().zip(other_words.iter());
            let equal: Vec<String> =
                pairs.map(|(a, b)| format!("(= {} {})", self.value(*a), self.value(*b))).collect();
            let equal = format!("(and true {})", equal.join(" "));
            let axiom = match (length == other_length, self.terms.hashes_are_far) {
                (true, true) => format!("(ite {equal} (= {own} {other}) {apart})"),
                (true, false) => format!("(=> {equal} (= {own} {other}))"),
                (false, true) => apart,
                (false, false) => continue,
            };
            self.line(&format!("(assert {axiom})"));
        }
        self.hashes.push(term);
    }
}

/// Whether a leaf is a byte, or a word of bytes.
#[derive(Clone, Copy)]
enum Bytes {
    None,
    One,
    Word,
}

/// The function that a leaf with operands is.
fn function_of(leaf: Leaf) -> (String, Bytes) {
    match leaf {
        Leaf::Calldata => ("calldata".to_owned(), Bytes::Word),
        Leaf::CalldataByte => ("calldata".to_owned(), Bytes::One),
        Leaf::Returned(call) => (format!("returned{call}"), Bytes::Word),
        Leaf::ReturnedByte(call) => (format!("returned{call}"), Bytes::One),
        Leaf::ForeignCode(calls) => (format!("code{calls}"), Bytes::One),
        Leaf::Held(Space::Storage, calls) => (format!("storage{calls}"), Bytes::None),
        Leaf::Held(Space::Transient, calls) => (format!("transient{calls}"), Bytes::None),
        Leaf::Ask(opcode, calls) => (format!("{}{calls}", opcode.known().lower), Bytes::None),
        other => (
            format!("leaf_{}", format!("{other:?}").replace(|c: char| !c.is_ascii_alphanumeric(), "_")),
            Bytes::None,
        ),
    }
}

fn shifted(part: &str, power: Word) -> String {
    format!("(bvshl {part} {})", number(Word::from(power.trailing_zeros())))
}

/// What the EVM computes.
fn exact(opcode: Opcode, values: &[String]) -> String {
    let zero = number(Word::ZERO);
    let (a, b) = (&values[0], values.get(1).unwrap_or(&values[0]));
    match opcode {
        Opcode::MUL => format!("(bvmul {a} {b})"),
        Opcode::DIV => format!("(ite (= {b} {zero}) {zero} (bvudiv {a} {b}))"),
        Opcode::MOD => format!("(ite (= {b} {zero}) {zero} (bvurem {a} {b}))"),
        Opcode::SDIV => format!("(ite (= {b} {zero}) {zero} (bvsdiv {a} {b}))"),
        Opcode::SMOD => format!("(ite (= {b} {zero}) {zero} (bvsrem {a} {b}))"),
        Opcode::ADDMOD | Opcode::MULMOD => {
            let function = if opcode == Opcode::ADDMOD { "bvadd" } else { "bvmul" };
            let wide = |value: &str| format!("((_ zero_extend 256) {value})");
            let modulus = &values[2];
            let rest = format!("(bvurem ({function} {} {}) {})", wide(a), wide(b), wide(modulus));
            format!("(ite (= {modulus} {zero}) {zero} ((_ extract 255 0) {rest}))")
        }
        Opcode::CLZ => leading_zeros(a),
        _ => power(a, b),
    }
}

/// The position of the first bit that is set, as a chain of choices.
fn leading_zeros(a: &str) -> String {
    let mut body = number(Word::from(256));
    for bit in 0..256u64 {
        body =
            format!("(ite (= ((_ extract {bit} {bit}) {a}) #b1) {} {body})", number(Word::from(255 - bit)));
    }
    body
}

/// Square and multiply, one bit of the exponent after the other.
fn power(a: &str, b: &str) -> String {
    let one = number(Word::from(1));
    let factor = |bit: u32| format!("(ite (= ((_ extract {bit} {bit}) {b}) #b1) p{bit} {one})");
    let product = (0..256).fold(one.clone(), |product, bit| format!("(bvmul {product} {})", factor(bit)));
    let body = (1..256).rev().fold(product, |body, bit| {
        let last = bit - 1;
        format!("(let ((p{bit} (bvmul p{last} p{last}))) {body})")
    });
    format!("(let ((p0 {a})) {body})")
}
