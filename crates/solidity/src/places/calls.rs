//! Calls without arguments and results: `f();` is `fun_f_12()` in solc's Yul, without a place.
//!
//! The calls of one name in a function of the Yul are those in its source, in their order, if there are as
//! many there; otherwise they get no place. Of a `switch` over a condition the case 0, which is `else`, comes last in
//! the source; over one that is negated, as for `try`, it comes first. No condition is such a call: loops are in order.

use super::lexer::{Brace, Kind, Token, braces, tokens};
use super::{Range, comment};
use std::collections::BTreeMap;

/// A function of the Yul that comes from one of the source.
pub(super) struct Function<'t> {
    /// Where that stands, and its text.
    range: Range,
    source: &'t str,
    /// Braces around it.
    pub(super) depth: usize,
    order: Order,
    /// Calls without a place by the name of what they call.
    calls: BTreeMap<&'t str, Vec<Call>>,
}

struct Call {
    /// Its place among the calls in the source.
    order: Vec<usize>,
    /// Where it begins and ends in the Yul.
    at: std::ops::Range<usize>,
    /// The place in force.
    current: Option<Range>,
}

/// What the source of a function begins with.
const STARTS: [&str; 5] = ["function", "modifier", "constructor", "receive", "fallback"];

impl<'t> Function<'t> {
    /// The function that begins where this place is in force.
    pub(super) fn new(range: Range, source: &'t str, depth: usize) -> Option<Function<'t>> {
        let is_function = STARTS.iter().any(|start| source.starts_with(start));
        is_function.then(|| Function {
            range,
            source,
            depth,
            order: Order::default(),
            calls: BTreeMap::new(),
        })
    }

    /// Takes note of a line of it, which begins at this position.
    pub(super) fn line(&mut self, line: &'t str, at: usize, current: Option<Range>) {
        self.order.line(line);
        if let Some(name) = called(line) {
            let call = Call { order: self.order.key(), at: at..at + line.len(), current };
            self.calls.entry(name).or_default().push(call);
        }
    }

    /// What is to be written where: a place before each call, and the one in force before behind it.
    pub(super) fn places(&self) -> Vec<(usize, String)> {
        let mut written = Vec::new();
        for (name, calls) in &self.calls {
            let found = calls_in(self.source, name);
            if found.len() != calls.len() {
                continue;
            }
            let mut calls: Vec<&Call> = calls.iter().collect();
            calls.sort_by(|a, b| a.order.cmp(&b.order));
            for (call, found) in calls.into_iter().zip(found) {
                let (start, end) = (self.range.start + found.start, self.range.start + found.end);
                written.push((call.at.start, comment(Range { start, end, ..self.range })));
                let before = call.current.map_or_else(|| "/** @src -1:-1:-1 */".to_owned(), comment);
                written.push((call.at.end, format!(" {}", before.trim_end())));
            }
        }
        written
    }
}

/// The order in the source of what the lines of a function hold.
#[derive(Default)]
struct Order {
    /// Lines so far.
    n_lines: usize,
    /// The `switch` whose case comes next.
    switch: Switch,
    /// Open blocks: of cases, and others.
    open: Vec<Option<Case>>,
}

#[derive(Clone, Copy, Default)]
struct Switch {
    line: usize,
    is_negated: bool,
}

#[derive(Clone, Copy)]
struct Case {
    switch: Switch,
    is_default: bool,
}

impl Order {
    fn line(&mut self, line: &str) {
        self.n_lines += 1;
        let first = line.split(' ').next().unwrap_or_default();
        if first == "switch" {
            self.switch = Switch { line: self.n_lines, is_negated: line.starts_with("switch iszero(") };
        }
        let is_default = first == "default";
        let mut case = (is_default || first == "case").then_some(Case { switch: self.switch, is_default });
        for brace in braces(line) {
            match brace {
                Brace::Open => self.open.push(case.take()),
                Brace::Close => {
                    if let Some(Some(case)) = self.open.pop() {
                        self.switch = case.switch;
                    }
                }
            }
        }
    }

    /// Less for what comes before in the source.
    fn key(&self) -> Vec<usize> {
        let cases = self.open.iter().flatten();
        let is_last = |case: &Case| case.is_default == case.switch.is_negated;
        let of_cases = cases.flat_map(|case| [case.switch.line, usize::from(is_last(case))]);
        of_cases.chain([self.n_lines]).collect()
    }
}

/// `f` of `fun_f_12()`.
fn called(line: &str) -> Option<&str> {
    let (name, number) = line.strip_prefix("fun_")?.strip_suffix("()")?.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !name.contains(['(', ' ', ','])).then_some(name)
}

/// Where functions of this name are called without arguments, with what stands before their dots.
fn calls_in(source: &str, name: &str) -> Vec<std::ops::Range<usize>> {
    let tokens: Vec<Token<'_>> = tokens(source).collect();
    let mut found = Vec::new();
    for (index, window) in tokens.windows(3).enumerate() {
        let [word, open, close] = window else { continue };
        let mut parts = word.text.rsplit('.');
        let is_called = word.kind == Kind::Word && parts.next() == Some(name) && parts.next() != Some("this");
        let is_declared = index > 0 && STARTS.contains(&tokens[index - 1].text);
        if is_called && !is_declared && open.text == "(" && close.text == ")" {
            found.push(word.at.start..close.at.end);
        }
    }
    found
}
