//! Reads the text of rules; see [`crate`] for the language.
//!
//! The texts are part of the program, so a fault in one is a bug: [`parse_rules`] panics and says
//! where. The tests parse all of them.

use crate::term::{Fact, N_CONSTS, N_VALUES, Operands, Rule, Term, Users};
use cairn_evm::{Opcode, Word};

const VALUES: [&str; N_VALUES] = ["x", "y", "z", "w"];
const CONSTS: [&str; N_CONSTS] = ["A", "B", "C", "D"];

/// Binary operators with their precedence; higher binds stronger.
const OPERATORS: [(&str, u8); 14] = [
    ("==", 1),
    ("!=", 1),
    ("<=", 1),
    (">=", 1),
    ("<<", 4),
    (">>", 4),
    ("<", 1),
    (">", 1),
    ("|", 2),
    ("&", 3),
    ("+", 5),
    ("-", 5),
    ("*", 6),
    ("%", 6),
];

/// The rules of a text; see the crate's documentation for the language.
///
/// # Panics
/// If the text is not in the language.
pub fn parse_rules(text: &'static str) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = end_of_rule(rest);
        let (rule, after) = rest.split_at(end);
        rest = after;
        if !rule.trim().is_empty() && !rule.starts_with('#') {
            rules.push(parse_rule(rule.trim_end()));
        }
    }
    rules
}

/// A rule goes on while lines are indented.
fn end_of_rule(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if end > 0 && !line.starts_with(' ') {
            break;
        }
        end += line.len();
    }
    end
}

fn parse_rule(text: &'static str) -> Rule {
    let (head, body) = text.split_once(':').unwrap_or_else(|| fail(text, "a rule starts with `NAME:`"));
    let (name, users, operands) = match head.trim_end().split_once(' ') {
        None => (head, Users::Ir, Operands::InAnyOrder),
        Some((name, "[solc]")) => (name, Users::All, Operands::InAnyOrder),
        Some((name, "[solc-only]")) => (name, Users::Yul, Operands::InAnyOrder),
        Some((name, "[late]")) => (name, Users::Late, Operands::InAnyOrder),
        Some((name, "[solc in order]")) => (name, Users::All, Operands::AsWritten),
        Some((name, "[solc-only in order]")) => (name, Users::Yul, Operands::AsWritten),
        Some(_) => fail(text, "unknown tag"),
    };
    let mut parser = Parser { rest: body, rule: text };
    let from = parser.term(0);
    parser.expect("=>");
    let to = parser.term(0);
    let mut when = Vec::new();
    if parser.eat("if ") {
        when.push(parser.term(0));
        while parser.eat(",") {
            when.push(parser.term(0));
        }
    }
    let because = parser.reason("because ");
    let by_definition = parser.reason("by definition: ");
    if !parser.is_at_end() {
        fail(text, "something follows a term");
    }
    Rule { name, users, operands, from, to, when: when.into(), because, by_definition, text }
}

fn fail(rule: &str, message: &str) -> ! {
    panic!("{message} in rule `{rule}`")
}

struct Parser {
    rest: &'static str,
    rule: &'static str,
}

impl Parser {
    fn is_at_end(&mut self) -> bool {
        self.skip_spaces();
        self.rest.is_empty()
    }

    /// The texts are ASCII between their names and signs.
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The rest of the rule, if it starts so.
    fn reason(&mut self, word: &str) -> Option<&'static str> {
        self.eat(word).then(|| std::mem::take(&mut self.rest).trim())
    }

    fn expect(&mut self, token: &str) {
        if !self.eat(token) {
            fail(self.rule, &format!("expected `{token}` before `{}`", self.rest));
        }
    }

    fn term(&mut self, least: u8) -> Term {
        let mut left = self.unary();
        loop {
            self.skip_spaces();
            // Mostly a term ends here: one look at a byte tells.
            if self.rest.starts_with([',', ')']) || self.rest.is_empty() {
                return left;
            }
            let found = OPERATORS.iter().find(|(sign, _)| self.rest.starts_with(sign));
            let Some((sign, precedence)) = found.filter(|(_, precedence)| *precedence > least) else {
                return left;
            };
            self.expect(sign);
            let right = self.term(*precedence);
            left = infix(sign, left, right);
        }
    }

    fn unary(&mut self) -> Term {
        if self.eat("-") {
            return op(Opcode::SUB, [number(0), self.unary()]);
        }
        if self.eat("~") {
            return op(Opcode::NOT, [self.unary()]);
        }
        if self.eat("(") {
            let inner = self.term(0);
            self.expect(")");
            return inner;
        }
        self.atom()
    }

    fn atom(&mut self) -> Term {
        self.skip_spaces();
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let end = self.rest.bytes().take_while(is_part).count();
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if let Some(index) = VALUES.iter().position(|value| *value == name) {
            return Term::Value(index as u8);
        }
        if let Some(index) = CONSTS.iter().position(|constant| *constant == name) {
            return Term::Const(index as u8);
        }
        match name {
            "W" => return Term::Width,
            "MAX" => return op(Opcode::NOT, [number(0)]),
            _ => {}
        }
        if let Ok(value) = name.parse::<u64>() {
            return number(value);
        }
        if !self.eat("(") {
            fail(self.rule, &format!("unknown word `{name}`"));
        }
        let mut args = Vec::new();
        while !self.eat(")") {
            if !args.is_empty() {
                self.expect(",");
            }
            args.push(self.term(0));
        }
        self.call(name, args)
    }

    fn call(&self, name: &str, args: Vec<Term>) -> Term {
        if let Some(term) = function(name, &args) {
            return term;
        }
        let opcode = Opcode::from_name(name).filter(|op| usize::from(op.known().inputs) == args.len());
        match opcode {
            Some(opcode) => Term::Op(opcode, args.into()),
            None => fail(self.rule, &format!("unknown function `{name}`, or with another arity")),
        }
    }
}

fn number(value: u64) -> Term {
    Term::Word(Word::from(value))
}

fn op<const N: usize>(opcode: Opcode, args: [Term; N]) -> Term {
    Term::Op(opcode, Vec::from(args).into())
}

fn infix(sign: &str, left: Term, right: Term) -> Term {
    match sign {
        "==" => op(Opcode::EQ, [left, right]),
        "!=" => op(Opcode::ISZERO, [op(Opcode::EQ, [left, right])]),
        "<" => op(Opcode::LT, [left, right]),
        ">" => op(Opcode::GT, [left, right]),
        "<=" => op(Opcode::ISZERO, [op(Opcode::GT, [left, right])]),
        ">=" => op(Opcode::ISZERO, [op(Opcode::LT, [left, right])]),
        "<<" => op(Opcode::SHL, [right, left]),
        ">>" => op(Opcode::SHR, [right, left]),
        "|" => op(Opcode::OR, [left, right]),
        "&" => op(Opcode::AND, [left, right]),
        "+" => op(Opcode::ADD, [left, right]),
        "-" => op(Opcode::SUB, [left, right]),
        "*" => op(Opcode::MUL, [left, right]),
        _ => op(Opcode::MOD, [left, right]),
    }
}

/// Functions of the language that are not opcodes.
fn function(name: &str, args: &[Term]) -> Option<Term> {
    let [arg] = args else {
        return None;
    };
    let fact = |fact| match arg {
        Term::Value(index) => Some(Term::Fact(fact, *index)),
        Term::Const(_) | Term::Fact(..) | Term::Width | Term::Word(_) | Term::Op(..) => None,
    };
    let a = || arg.clone();
    Some(match name {
        "lo" => fact(Fact::Lo)?,
        "hi" => fact(Fact::Hi)?,
        "ones" => fact(Fact::Ones)?,
        "maybe" => fact(Fact::Maybe)?,
        "is_bool" => infix("<=", fact(Fact::Hi)?, number(1)),
        // Number of significant bits.
        "bits" => infix("-", Term::Width, op(Opcode::CLZ, [a()])),
        "log2" => infix("-", infix("-", Term::Width, number(1)), op(Opcode::CLZ, [a()])),
        "is_power_of_two" => infix(
            "&",
            infix(">", a(), number(0)),
            op(Opcode::ISZERO, [infix("&", a(), infix("-", a(), number(1)))]),
        ),
        // The word with its low bits set, at most all of them.
        "mask" => infix(">>", op(Opcode::NOT, [number(0)]), infix("-", Term::Width, a())),
        "is_mask" => op(Opcode::ISZERO, [infix("&", a(), infix("+", a(), number(1)))]),
        _ => return None,
    })
}
