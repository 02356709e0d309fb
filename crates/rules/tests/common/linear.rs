//! Rules of sums and comparisons, on integers.
//!
//! A prover is slow on equations between sums of wide bit vectors, and fast on linear integer
//! arithmetic. So words are integers from 0 to 2^256 - 1 here, and a sum that leaves the range is
//! brought back. Conditions that don't fit are left out, so only a proof counts, not a model.

use cairn_evm::{Opcode, Word};
use cairn_rules::{Fact, Rule, Term};
use std::fmt::Write as _;

/// The assertion that the conditions hold and the sides differ; `None` if the rule has other
/// operations.
pub(crate) fn negation(rule: &Rule) -> Option<String> {
    let (from, to) = (integer(&rule.from)?, integer(&rule.to)?);
    let mut text = definitions();
    let (n_values, n_consts) = super::names(&rule.from);
    for value in 0..n_values {
        for prefix in ["v", "lo", "hi"] {
            text += &declaration(&format!("{prefix}{value}"));
        }
        writeln!(text, "(assert (<= lo{value} v{value} hi{value}))").expect("a string");
    }
    for constant in 0..n_consts {
        text += &declaration(&format!("c{constant}"));
    }
    for condition in rule.when.iter().filter_map(integer) {
        writeln!(text, "(assert (distinct {condition} 0))").expect("a string");
    }
    write!(text, "(assert (distinct {from} {to}))\n(check-sat)\n").expect("a string");
    Some(text)
}

fn declaration(name: &str) -> String {
    format!("(declare-const {name} Int)\n(assert (<= 0 {name} max))\n")
}

fn definitions() -> String {
    let mut text = format!("(define-fun max () Int {})\n", Word::MAX);
    let mut define = |name: &str, params: &str, body: &str| {
        writeln!(text, "(define-fun {name} ({params}) Int {body})").expect("a string");
    };
    let two = "(a Int) (b Int)";
    define("sum", two, "(ite (> (+ a b) max) (- (+ a b) max 1) (+ a b))");
    define("difference", two, "(ite (< a b) (+ (- a b) max 1) (- a b))");
    define("complement", "(a Int)", "(- max a)");
    define("signed", "(a Int)", "(ite (> (* 2 a) max) (- a max 1) a)");
    define("lt", two, "(ite (< a b) 1 0)");
    define("gt", two, "(ite (> a b) 1 0)");
    define("slt", two, "(ite (< (signed a) (signed b)) 1 0)");
    define("sgt", two, "(ite (> (signed a) (signed b)) 1 0)");
    define("eq", two, "(ite (= a b) 1 0)");
    define("iszero", "(a Int)", "(ite (= a 0) 1 0)");
    text
}

fn integer(term: &Term) -> Option<String> {
    if let Some(word) = term.evaluate(&|_| None) {
        return Some(word.to_string());
    }
    match term {
        Term::Value(name) => Some(format!("v{name}")),
        Term::Const(name) => Some(format!("c{name}")),
        Term::Fact(Fact::Lo, name) => Some(format!("lo{name}")),
        Term::Fact(Fact::Hi, name) => Some(format!("hi{name}")),
        Term::Fact(Fact::Ones | Fact::Maybe, _) | Term::Width | Term::Word(_) => None,
        Term::Op(op, args) => {
            let args: Option<Vec<String>> = args.iter().map(integer).collect();
            Some(format!("({} {})", function(*op)?, args?.join(" ")))
        }
    }
}

fn function(op: Opcode) -> Option<&'static str> {
    match op {
        Opcode::ADD => Some("sum"),
        Opcode::SUB => Some("difference"),
        Opcode::NOT => Some("complement"),
        Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::EQ | Opcode::ISZERO => {
            Some(op.known().lower)
        }
        _ => None,
    }
}
