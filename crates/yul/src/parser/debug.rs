//! Debug comments: `@use-src` in front of an object, `@src` in front of code.
//!
//! A location holds from its comment until the next one. Comments in code of objects without
//! `@use-src` are no debug comments.

use cairn_diag::Span;

use super::Parser;
use crate::ast::{SrcLoc, SrcRef};
use crate::error::Fault;

/// The locations of the object that is being parsed.
#[derive(Default)]
pub(super) struct Locations {
    /// Indices that `@use-src` names; `None` when there is no `@use-src`.
    pub(super) sources: Option<Vec<i32>>,
    /// Where what follows comes from.
    pub(super) current: SrcRef,
    /// Every location so far.
    pub(super) table: Vec<SrcLoc>,
}

/// What is wrong with an `@src`.
enum SrcFault {
    Syntax,
    Number,
    Source(i32),
}

impl Parser<'_> {
    /// Takes over the locations in the documentation comments in front of the current token.
    pub(super) fn read_locations(&mut self) {
        if self.locations.sources.is_none() {
            return;
        }
        for at in 0..self.lexer.doc_comments().len() {
            let comment = self.lexer.doc_comments()[at];
            self.read_location_comment(comment);
        }
    }

    fn read_location_comment(&mut self, comment: Span) {
        let mut rest = &self.text[comment.start as usize..comment.end as usize];
        // Compilers write such a comment for almost every statement: the search for one character is
        // quick from the start, that for a text would be set up anew each time.
        while let Some(at) = rest.find('@') {
            rest = &rest[at + 1..];
            let Some(after) = rest.strip_prefix("src") else { continue };
            rest = after;
            if !rest.starts_with(|c: char| c.is_ascii_whitespace()) {
                continue;
            }
            match parse_location(rest) {
                Ok((location, after)) => {
                    rest = after;
                    self.enter_location(location, comment);
                }
                Err(fault) => {
                    self.report_src_fault(fault, comment);
                    return;
                }
            }
        }
    }

    fn enter_location(&mut self, location: SrcLoc, comment: Span) {
        let sources = self.locations.sources.as_deref().unwrap_or_default();
        if location.source != -1 && !sources.contains(&location.source) {
            self.report_src_fault(SrcFault::Source(location.source), comment);
            return;
        }
        if self.locations.table.last() != Some(&location) {
            self.locations.table.push(location);
        }
        self.locations.current = SrcRef(self.locations.table.len() as u32 - 1);
    }

    fn report_src_fault(&mut self, fault: SrcFault, comment: Span) {
        match fault {
            SrcFault::Syntax => {
                let message = "invalid values in source location mapping: could not parse location \
                               specification";
                self.report(Fault::InvalidSrc, comment, message);
            }
            SrcFault::Number => {
                let message = "expected value in source location mapping could not be parsed as a number";
                self.report(Fault::SrcNumber, comment, message);
            }
            SrcFault::Source(index) => {
                let message =
                    format!("invalid source mapping: source index {index} not defined via @use-src");
                self.report(Fault::UnknownSource, comment, message);
            }
        }
    }

    /// The source units that the comments in front of the current token name.
    pub(super) fn parse_use_src(&mut self) -> Option<Vec<(i32, Box<str>)>> {
        let tag = "@use-src";
        let text = self.text;
        let comments = self.lexer.doc_comments().iter().rev().copied();
        let content = |comment: Span| &text[comment.start as usize..comment.end as usize];
        let comment = comments.into_iter().find(|comment| content(*comment).contains(tag))?;
        let list = content(comment);
        let list = &list[list.find(tag)? + tag.len()..];
        let sources = parse_source_list(list);
        if sources.is_none() {
            let message = "error parsing arguments to @use-src: expected `<number>: \"<filename>\", …`";
            self.report(Fault::InvalidUseSrc, comment, message);
        }
        sources
    }
}

/// ` 0:12:34  "code"`; returns what follows.
fn parse_location(text: &str) -> Result<(SrcLoc, &str), SrcFault> {
    let (source, rest) = parse_number(text.trim_start())?;
    let (start, rest) = parse_number(rest.strip_prefix(':').ok_or(SrcFault::Syntax)?)?;
    let (end, rest) = parse_number(rest.strip_prefix(':').ok_or(SrcFault::Syntax)?)?;
    if rest.starts_with(|c: char| !c.is_ascii_whitespace()) {
        return Err(SrcFault::Syntax);
    }
    let location = SrcLoc { source, start, end };
    let after = rest.trim_start();
    if !after.starts_with('"') {
        return Ok((location, rest));
    }
    let (_, after) = parse_quoted(after).ok_or(SrcFault::Syntax)?;
    Ok((location, after))
}

fn parse_number(text: &str) -> Result<(i32, &str), SrcFault> {
    let sign = usize::from(text.starts_with('-'));
    let n_digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    if n_digits == 0 {
        return Err(SrcFault::Syntax);
    }
    let (number, rest) = text.split_at(sign + n_digits);
    let number = number.parse().map_err(|_| SrcFault::Number)?;
    if number < -1 { Err(SrcFault::Number) } else { Ok((number, rest)) }
}

/// A quoted text with escapes; returns its content and what follows it.
fn parse_quoted(text: &str) -> Option<(String, &str)> {
    let body = text.strip_prefix('"')?;
    let mut content = String::new();
    let mut characters = body.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((content, &body[at + 1..])),
            '\\' => content.push(characters.next()?.1),
            other => content.push(other),
        }
    }
    None
}

/// ` 0:"a.sol", 1:"b.sol"`
fn parse_source_list(text: &str) -> Option<Vec<(i32, Box<str>)>> {
    let mut sources = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let (index, after) = parse_number(rest).ok()?;
        let after = after.trim_start().strip_prefix(':')?.trim_start();
        let (name, after) = parse_quoted(after)?;
        sources.push((index, name.into_boxed_str()));
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return Some(sources),
        }
    }
}
