//! Rules as SMT-LIB text: satisfiable exactly if the rule is wrong at some width.

use cairn_evm::{Opcode, Word};
use cairn_rules::{Fact, Rule, Term};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

const FULL: u32 = 256;
/// Seconds until the prover gives up.
const PATIENCE: u32 = 100;

/// What the prover says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proven,
    Refuted,
    Undecided(String),
}

/// True when the prover can be run.
pub(crate) fn has_prover() -> bool {
    let mut command = Command::new("z3");
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Asks z3 whether the rule holds on words of `width` bits.
pub(crate) fn prove(rule: &Rule, width: u32) -> Verdict {
    if width == FULL {
        let others = [super::bits::negation(rule), super::linear::negation(rule)];
        if others.into_iter().flatten().any(|text| ask(&text) == Verdict::Proven) {
            return Verdict::Proven;
        }
        if let Some(amount) = unknown_amount(rule) {
            return match ask_for(&negation(rule, width), 2) {
                Verdict::Undecided(_) => prove_each(rule, amount),
                decided => decided,
            };
        }
    }
    ask(&negation(rule, width))
}

/// A constant by which something is shifted.
fn unknown_amount(rule: &Rule) -> Option<u8> {
    let mut found = None;
    rule.from.for_each(&mut |term| {
        if let Term::Op(Opcode::SHL | Opcode::SHR | Opcode::SAR, args) = term
            && let Term::Const(name) = args[0]
        {
            found = Some(name);
        }
    });
    found
}

/// Proves the rule for each amount below the width, and for all others together.
fn prove_each(rule: &Rule, amount: u8) -> Verdict {
    let mut text = Smt { width: FULL }.declarations(rule);
    let smt = Smt { width: FULL };
    let mut n_cases = 0;
    for value in (0..FULL).map(|value| Some(Word::from(value))).chain([None]) {
        let replaced = |term: &Term| match value {
            Some(value) => replace(term, amount, value),
            None => term.clone(),
        };
        text += "(push)\n";
        if value.is_none() {
            writeln!(text, "(assert (bvuge c{amount} {}))", smt.number(FULL.into())).expect("a string");
        }
        let conditions: Vec<Term> = rule.when.iter().map(replaced).collect();
        text += &smt.assertions(&conditions, &replaced(&rule.from), &replaced(&rule.to));
        text += "(pop)\n";
        n_cases += 1;
    }
    let answer = answer(&text, PATIENCE);
    let n_proven = answer.lines().filter(|line| *line == "unsat").count();
    match (n_proven == n_cases, answer.lines().any(|line| line == "sat")) {
        (true, _) => Verdict::Proven,
        (false, true) => Verdict::Refuted,
        (false, false) => Verdict::Undecided(answer),
    }
}

fn replace(term: &Term, name: u8, word: Word) -> Term {
    match term {
        Term::Const(found) if *found == name => Term::Word(word),
        Term::Op(op, args) => Term::Op(*op, args.iter().map(|arg| replace(arg, name, word)).collect()),
        Term::Value(_) | Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) => term.clone(),
    }
}

fn ask(text: &str) -> Verdict {
    ask_for(text, PATIENCE)
}

fn ask_for(text: &str, seconds: u32) -> Verdict {
    match answer(text, seconds).as_str() {
        "unsat" => Verdict::Proven,
        "sat" => Verdict::Refuted,
        other => Verdict::Undecided(other.to_owned()),
    }
}

fn answer(text: &str, seconds: u32) -> String {
    let mut command = Command::new("z3");
    command
        .args(["-in", &format!("-T:{seconds}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("z3 starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("z3 reads");
    drop(input);
    let output = child.wait_with_output().expect("z3 ends");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The assertion that the conditions hold and the sides differ.
fn negation(rule: &Rule, width: u32) -> String {
    let smt = Smt { width };
    smt.declarations(rule) + &smt.assertions(&rule.when, &rule.from, &rule.to)
}

/// Words of a width.
pub(crate) struct Smt {
    pub(crate) width: u32,
}

impl Smt {
    fn declarations(&self, rule: &Rule) -> String {
        let mut text = self.definitions();
        let (n_values, n_consts) = super::names(&rule.from);
        for value in 0..n_values {
            text += &self.value(value);
        }
        for constant in 0..n_consts {
            writeln!(text, "(declare-const c{constant} (_ BitVec {}))", self.width).expect("a string");
        }
        text
    }

    fn assertions(&self, conditions: &[Term], from: &Term, to: &Term) -> String {
        let mut text = String::new();
        for condition in conditions {
            let condition = self.term(condition);
            writeln!(text, "(assert (distinct {condition} {}))", self.number(0)).expect("a string");
        }
        let (from, to) = (self.term(from), self.term(to));
        write!(text, "(assert (distinct {from} {to}))\n(check-sat)\n").expect("a string");
        text
    }

    /// A value with what can be known of it.
    fn value(&self, name: usize) -> String {
        let mut text = String::new();
        for prefix in ["v", "lo", "hi", "ones", "maybe"] {
            writeln!(text, "(declare-const {prefix}{name} (_ BitVec {}))", self.width).expect("a string");
        }
        writeln!(text, "(assert (bvule lo{name} v{name}))\n(assert (bvule v{name} hi{name}))")
            .expect("a string");
        writeln!(
            text,
            "(assert (= (bvand v{name} ones{name}) ones{name}))\n(assert (= (bvor v{name} maybe{name}) maybe{name}))"
        )
        .expect("a string");
        text
    }

    pub(crate) fn number(&self, value: u64) -> String {
        self.word(Word::from(value))
    }

    pub(crate) fn word(&self, word: Word) -> String {
        assert!(word.bit_len() <= self.width as usize, "{word} does not fit {} bits", self.width);
        format!("(_ bv{word} {})", self.width)
    }

    pub(crate) fn term(&self, term: &Term) -> String {
        match term {
            Term::Value(name) => format!("v{name}"),
            Term::Const(name) => format!("c{name}"),
            Term::Fact(fact, name) => match fact {
                Fact::Lo => format!("lo{name}"),
                Fact::Hi => format!("hi{name}"),
                Fact::Ones => format!("ones{name}"),
                Fact::Maybe => format!("maybe{name}"),
            },
            Term::Width => self.number(self.width.into()),
            Term::Word(word) => self.word(*word),
            Term::Op(op, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.term(arg)).collect();
                format!("({} {})", function(*op), args.join(" "))
            }
        }
    }

    /// The opcodes at this width, as functions.
    pub(crate) fn definitions(&self) -> String {
        let n = self.width;
        let (zero, one) = (self.number(0), self.number(1));
        let bytes = self.number(u64::from(n / 8));
        let mut text = "(set-logic QF_BV)\n".to_owned();
        let mut define = |name: &str, arity: usize, body: &str| {
            let params: Vec<String> =
                ["a", "b", "m"][..arity].iter().map(|param| format!("({param} (_ BitVec {n}))")).collect();
            writeln!(text, "(define-fun {name} ({}) (_ BitVec {n}) {body})", params.join(" "))
                .expect("a string");
        };
        for (name, relation) in
            [("lt", "bvult"), ("gt", "bvugt"), ("slt", "bvslt"), ("sgt", "bvsgt"), ("eq", "=")]
        {
            define(name, 2, &format!("(ite ({relation} a b) {one} {zero})"));
        }
        define("iszero", 1, &format!("(ite (= a {zero}) {one} {zero})"));
        for (name, function) in [("div", "bvudiv"), ("sdiv", "bvsdiv"), ("mod", "bvurem"), ("smod", "bvsrem")]
        {
            define(name, 2, &format!("(ite (= b {zero}) {zero} ({function} a b))"));
        }
        for (name, function) in [("shl", "bvshl"), ("shr", "bvlshr"), ("sar", "bvashr")] {
            define(name, 2, &format!("({function} b a)"));
        }
        for (name, function) in [("addmod", "bvadd"), ("mulmod", "bvmul")] {
            let wide = |name: &str| format!("((_ zero_extend {n}) {name})");
            let sum = format!("(bvurem ({function} {} {}) {})", wide("a"), wide("b"), wide("m"));
            define(name, 3, &format!("(ite (= m {zero}) {zero} ((_ extract {} 0) {sum}))", n - 1));
        }
        let last_byte = self.number(u64::from(n / 8 - 1));
        let mask = self.word(cairn_evm::word::low_mask(8.min(n as usize)));
        let index = format!("(bvshl (bvsub {last_byte} a) {})", self.number(3));
        define("byte", 2, &format!("(ite (bvult a {bytes}) (bvand (bvlshr b {index}) {mask}) {zero})"));
        let above = format!("(bvshl (bvsub {last_byte} a) {})", self.number(3));
        let extended = format!("(bvashr (bvshl b {above}) {above})");
        define("signextend", 2, &format!("(ite (bvult a {last_byte}) {extended} b)"));
        define("clz", 1, &self.leading_zeros());
        if n <= 16 {
            define("exp", 2, &self.power());
        }
        text
    }

    /// Halves the word until its highest bit is on top.
    fn leading_zeros(&self) -> String {
        let n = self.width;
        let mut body = format!("(ite (= a {}) {} count0)", self.number(0), self.number(n.into()));
        let mut shift = 1;
        while shift < n {
            let level = shift.trailing_zeros();
            let next = level + 1;
            let is_empty =
                format!("(= (bvlshr word{next} {}) {})", self.number(u64::from(n - shift)), self.number(0));
            let step = self.number(shift.into());
            body = format!(
                "(let ((word{level} (ite {is_empty} (bvshl word{next} {step}) word{next})) (count{level} (ite {is_empty} (bvadd count{next} {step}) count{next}))) {body})"
            );
            shift *= 2;
        }
        let top = n.next_power_of_two().trailing_zeros();
        format!("(let ((word{top} a) (count{top} {})) {body})", self.number(0))
    }

    /// Square and multiply, one bit of the exponent after the other.
    fn power(&self) -> String {
        let n = self.width;
        let factor =
            |bit: u32| format!("(ite (= ((_ extract {bit} {bit}) b) #b1) power{bit} {})", self.number(1));
        let product =
            (0..n).fold(self.number(1), |product, bit| format!("(bvmul {product} {})", factor(bit)));
        let body = (1..n).rev().fold(product, |body, bit| {
            let last = bit - 1;
            format!("(let ((power{bit} (bvmul power{last} power{last}))) {body})")
        });
        format!("(let ((power0 a)) {body})")
    }
}

/// The name of an opcode in the text.
fn function(op: Opcode) -> &'static str {
    match op {
        Opcode::ADD => "bvadd",
        Opcode::SUB => "bvsub",
        Opcode::MUL => "bvmul",
        Opcode::AND => "bvand",
        Opcode::OR => "bvor",
        Opcode::XOR => "bvxor",
        Opcode::NOT => "bvnot",
        _ => op.known().lower,
    }
}
