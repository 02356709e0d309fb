//! Random programs in Solidity, as people write them: a contract with bases, libraries, a contract that it
//! creates, state of all types, and functions that use them.
//!
//! * Same seed, same text. Nearly every program is valid; the few that solc rejects are counted.
//! * Functions call those of lower levels only and loops are short, so programs end.
//! * Left out, because the answer is not the source's alone: gas, addresses of memory, code and its hash,
//!   memory that nobody wrote.

mod assembly;
mod contracts;
mod expressions;
mod functions;
mod idioms;
mod interactions;
mod operators;
mod references;
mod scope;
mod statements;
mod types;

pub(crate) use types::{Names, Type};

use crate::random::Random;
use cairn_evm::Fork;
use scope::Writer;

/// A program and what can be called.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) names: Names,
    /// Types of the constructor's parameters.
    pub(crate) constructor: Vec<Type>,
    /// Functions that can be called from outside, with the types of their parameters.
    pub(crate) entries: Vec<(String, Vec<Type>)>,
    /// Types that the data have which functions named `unpack_…` are given.
    pub(crate) unpacked: Vec<Type>,
}

/// The program of a seed.
pub(crate) fn program(seed: u64, fork: Fork) -> Program {
    let mut writer = Writer::new(Random::new(seed), fork);
    for _ in 0..2 {
        let [event, error] = [0; 2].map(|_| parameters(&mut writer));
        writer.events.push(event);
        writer.errors.push(error);
    }
    writer.libraries();
    writer.child();
    writer.bases();
    let constructor = writer.main_contract();
    let mut lines = writer.declarations();
    lines.extend(writer.fresh_functions());
    lines.extend(writer.lines.iter().cloned());
    Program {
        text: indented(&lines),
        names: writer.names,
        constructor,
        entries: writer.entries,
        unpacked: writer.unpacked,
    }
}

/// Types of an event's or an error's parameters.
fn parameters(writer: &mut Writer) -> Vec<Type> {
    let count = writer.random.between(1, 3);
    let one = |writer: &mut Writer| match writer.random.below(3) {
        0 => writer.names.reference(&mut writer.random, 1),
        _ => writer.names.value(&mut writer.random),
    };
    (0..count).map(|_| one(writer)).collect()
}

impl Writer {
    /// Enums, structs, value types, events and errors.
    fn declarations(&mut self) -> Vec<String> {
        let mut lines = vec!["// SPDX-License-Identifier: MIT".to_owned(), "pragma solidity ^0.8.28;".into()];
        for (at, count) in self.names.enums.iter().enumerate() {
            let members: Vec<String> = (0..*count).map(|member| format!("V{member}")).collect();
            lines.push(format!("enum E{at} {{ {} }}", members.join(", ")));
        }
        for (at, inner) in self.names.wrapped.iter().enumerate() {
            lines.push(format!("type W{at} is {};", inner.text()));
        }
        for (name, operator) in [("add", "+"), ("sub", "-"), ("and", "&")] {
            let body = format!("W0.wrap(W0.unwrap(a) {operator} W0.unwrap(b))");
            let body = if name == "and" {
                format!("return {body};")
            } else {
                format!("unchecked {{ return {body}; }}")
            };
            lines.push(format!("function {name}W(W0 a, W0 b) pure returns (W0) {{ {body} }}"));
        }
        for (name, operator) in [("equal", "=="), ("less", "<")] {
            lines.push(format!("function {name}W(W0 a, W0 b) pure returns (bool) {{ return W0.unwrap(a) {operator} W0.unwrap(b); }}"));
        }
        lines.push("using {addW as +, subW as -, andW as &, equalW as ==, lessW as <} for W0 global;".into());
        for (at, members) in self.names.structs.iter().enumerate() {
            let members: Vec<String> =
                members.iter().enumerate().map(|(at, member)| format!("{} m{at};", member.text())).collect();
            lines.push(format!("struct S{at} {{ {} }}", members.join(" ")));
        }
        for at in 0..self.events.len() {
            let mut indexed = 0;
            let mut params = Vec::new();
            for kind in self.events[at].clone() {
                let is_indexed = indexed < 3 && self.chance(40);
                indexed += usize::from(is_indexed);
                params.push(format!("{}{}", kind.text(), if is_indexed { " indexed" } else { "" }));
            }
            lines.push(format!("event Ev{at}({});", params.join(", ")));
            let params: Vec<String> = self.errors[at].iter().map(Type::text).collect();
            lines.push(format!("error Err{at}({});", params.join(", ")));
        }
        lines
    }
}

fn indented(lines: &[String]) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    for line in lines {
        let closes = line.starts_with('}');
        let shown = depth.saturating_sub(usize::from(closes));
        text.push_str(&"    ".repeat(shown));
        text.push_str(line);
        text.push('\n');
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
    }
    text
}
