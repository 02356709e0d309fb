//! `pragma solidity …;`: where it stands in a source, and which versions it accepts.
//!
//! The syntax is npm's with solc's reading of it: numbers that are left out or `x`, `X` or `*`
//! accept all; a bare version is exactly that version; spaces and comments may stand between any
//! two tokens, and versions may be quoted. What solc would not accept is not read at all: solc
//! says so itself, at the right place.

use semver::Version;
use std::cmp::Ordering;

/// What one pragma asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// One of these is to hold; of each, all parts.
    choices: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    operator: Operator,
    /// Major, minor, patch as far as they are given; `None` accepts all.
    numbers: Vec<Option<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Exactly,
    Above,
    AtLeast,
    Below,
    AtMost,
    Caret,
    Tilde,
}

impl Requirement {
    /// Reads what stands between `pragma solidity` and `;`, without comments. `None` when solc
    /// would not accept it.
    pub fn parse(text: &str) -> Option<Requirement> {
        let unquoted = text.replace(['"', '\''], " ");
        let mut reader = Reader { rest: unquoted.trim_start() };
        let mut choices = vec![reader.choice()?];
        while reader.take("||") {
            choices.push(reader.choice()?);
        }
        reader.rest.is_empty().then_some(Requirement { choices })
    }

    /// Whether `version` satisfies it. A prerelease counts as older than its release.
    pub fn accepts(&self, version: &Version) -> bool {
        self.choices.iter().any(|parts| parts.iter().all(|part| part.accepts(version)))
    }
}

impl Part {
    fn accepts(&self, version: &Version) -> bool {
        let order = self.compare(version, self.numbers.len());
        let pinned = match self.operator {
            Operator::Exactly => return order == Ordering::Equal,
            Operator::Above => return order == Ordering::Greater,
            Operator::AtLeast => return order != Ordering::Less,
            Operator::Below => return order == Ordering::Less,
            Operator::AtMost => return order != Ordering::Greater,
            Operator::Tilde => 2,
            // Up to the first number that is not zero, all is pinned.
            Operator::Caret => 1 + self.numbers.iter().take_while(|number| **number == Some(0)).count(),
        };
        let pinned = pinned.min(self.numbers.len());
        order != Ordering::Less && self.equal(version, pinned)
    }

    /// How `version` compares with the first `count` numbers.
    fn compare(&self, version: &Version, count: usize) -> Ordering {
        let actual = [version.major, version.minor, version.patch];
        for (wanted, actual) in self.numbers.iter().zip(actual).take(count) {
            if let Some(wanted) = wanted
                && actual != *wanted
            {
                return actual.cmp(wanted);
            }
        }
        let compared = self.numbers.iter().take(count).any(Option::is_some);
        match compared && !version.pre.is_empty() && count == self.numbers.len() {
            true => Ordering::Less,
            false => Ordering::Equal,
        }
    }

    fn equal(&self, version: &Version, count: usize) -> bool {
        let actual = [version.major, version.minor, version.patch];
        let mut pairs = self.numbers.iter().zip(actual).take(count);
        pairs.all(|(wanted, actual)| wanted.is_none_or(|wanted| wanted == actual))
    }
}

/// Reads requirements; spaces before `rest` are always skipped.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Parts that must all hold, or a range.
    fn choice(&mut self) -> Option<Vec<Part>> {
        let mut parts = vec![self.part()?];
        if parts[0].operator == Operator::Exactly && self.take("-") {
            parts[0].operator = Operator::AtLeast;
            parts.push(Part { operator: Operator::AtMost, numbers: self.numbers()? });
            return Some(parts);
        }
        while !self.rest.is_empty() && !self.rest.starts_with("||") {
            parts.push(self.part()?);
        }
        Some(parts)
    }

    fn part(&mut self) -> Option<Part> {
        const OPERATORS: [(&str, Operator); 7] = [
            (">=", Operator::AtLeast),
            ("<=", Operator::AtMost),
            (">", Operator::Above),
            ("<", Operator::Below),
            ("=", Operator::Exactly),
            ("^", Operator::Caret),
            ("~", Operator::Tilde),
        ];
        let found = OPERATORS.iter().find(|(text, _)| self.take(text));
        let operator = found.map_or(Operator::Exactly, |(_, operator)| *operator);
        Some(Part { operator, numbers: self.numbers()? })
    }

    fn numbers(&mut self) -> Option<Vec<Option<u64>>> {
        let mut numbers = vec![self.number()?];
        while self.take(".") {
            numbers.push(self.number()?);
        }
        (numbers.len() <= 3).then_some(numbers)
    }

    /// A number, or `Some(None)` for a placeholder.
    fn number(&mut self) -> Option<Option<u64>> {
        if self.take("x") || self.take("X") || self.take("*") {
            return Some(None);
        }
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        let leading_zero = length > 1 && digits.starts_with('0');
        self.rest = rest.trim_start();
        if leading_zero {
            return None;
        }
        Some(Some(digits.parse::<u32>().ok()?.into()))
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
}

/// What stands between each `pragma solidity` and its `;` in a source, comments left out and
/// spaces squeezed.
pub(super) fn pragmas(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut tokens = Tokens { rest: source };
    while let Some(token) = tokens.next() {
        if token != "pragma" || tokens.next() != Some("solidity") {
            continue;
        }
        let mut text = String::new();
        let mut end = tokens.rest.len();
        while let Some(token) = tokens.next().filter(|token| *token != ";") {
            let start = tokens.rest.len() + token.len();
            if start != end && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(token);
            end = tokens.rest.len();
        }
        found.push(text);
    }
    found
}

/// Words, quoted text and single signs of Solidity, without spaces and comments.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            let after = match self.rest.as_bytes() {
                [b'/', b'/', ..] => self.rest.find(['\n', '\r']),
                [b'/', b'*', ..] => self.rest[2..].find("*/").map(|at| at + 4),
                _ => break,
            };
            self.rest = &self.rest[after.unwrap_or(self.rest.len())..];
        }
        let first = self.rest.chars().next()?;
        let length = match first {
            '"' | '\'' => quoted_length(self.rest.as_bytes()),
            _ if is_word(first) => self.rest.find(|sign| !is_word(sign)).unwrap_or(self.rest.len()),
            _ => first.len_utf8(),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }
}

fn is_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_' || sign == '$'
}

/// The length of a string literal; one without end reaches to the end of its line.
fn quoted_length(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if text.get(at + 1).is_some_and(u8::is_ascii) => at += 2,
            b'\n' | b'\r' => return at,
            sign if sign == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
