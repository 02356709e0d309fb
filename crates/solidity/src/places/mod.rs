//! Places in Solidity that solc's Yul leaves out.
//!
//! solc says before most of its Yul from where in the source it comes (`@src`). Two kinds of statement are
//! without: a call that has neither arguments nor results, which then seems to belong to the statement
//! before it ([`calls`]), and everything within inline assembly, which has the place of the whole block
//! ([`assembly`]). And a `return` of nothing has its semicolon in its place, which tools do not take for a part
//! of it. A function that is called from outside and gives nothing back returns no bytes in solc's Yul, where
//! solc's code stops, which traces show otherwise ([`nothing`]). What only copies a word would have no code
//! ([`copies`]), nor would the place where ways meet ([`joins`]), and Hardhat knows the failure of some calls by
//! their instructions alone ([`codeless`]). All are looked up in the source and written into the Yul that is
//! compiled; the Yul that is given out stays solc's. Where it is not plain which part of the source is meant,
//! nothing is written.
//!
//! The text is read by lines, as solc writes them. Another text gets fewer places, never wrong ones.

mod assembly;
mod calls;
mod codeless;
mod copies;
mod joins;
mod lexer;
mod nothing;

use crate::message::Texts;
use calls::Function;
use codeless::Questions;
use copies::{Copies, NOTHING};
use joins::Joins;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What gets a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Calls: what a stack trace shows.
    Calls,
    /// Calls, and each part of inline assembly: what coverage counts.
    All,
}

/// A range of bytes in a source unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    unit: u32,
    start: usize,
    end: usize,
}

impl Range {
    /// True if it is a part of `other`.
    fn is_within(self, other: Range) -> bool {
        self.unit == other.unit && other.start <= self.start && self.end <= other.end
    }
}

/// The text with more places in it; it has the same lines.
pub(crate) fn placed<'y>(yul: &'y str, texts: &Texts, detail: Detail) -> Cow<'y, str> {
    let mut reader = Reader {
        yul,
        texts,
        detail,
        units: BTreeMap::new(),
        current: None,
        depth: 0,
        previous: "",
        function: None,
        copies: Copies::default(),
        joins: Joins::default(),
        questions: Questions::of(yul),
        insertions: Vec::new(),
    };
    let mut at = 0;
    while at < yul.len() {
        let end = yul[at..].find('\n').map_or(yul.len(), |length| at + length);
        at = reader.line(at, end).max(end + 1);
    }
    let mut insertions = reader.insertions;
    if insertions.is_empty() {
        return Cow::Borrowed(yul);
    }
    insertions.sort_by_key(|(at, _)| *at);
    let mut text =
        String::with_capacity(yul.len() + insertions.iter().map(|(_, more)| more.len()).sum::<usize>());
    let mut from = 0;
    for (at, more) in insertions {
        text.push_str(&yul[from..at]);
        text.push_str(&more);
        from = at;
    }
    text.push_str(&yul[from..]);
    Cow::Owned(text)
}

struct Reader<'t> {
    yul: &'t str,
    texts: &'t Texts,
    detail: Detail,
    /// Sources by the numbers that `@src` has for them.
    units: BTreeMap<u32, &'t str>,
    /// The place in force.
    current: Option<Range>,
    /// Of braces.
    depth: usize,
    /// The code of the line before.
    previous: &'t str,
    function: Option<Function<'t>>,
    copies: Copies,
    joins: Joins,
    questions: Questions,
    /// What is to be written where.
    insertions: Vec<(usize, String)>,
}

impl<'t> Reader<'t> {
    /// Reads the line between these positions; returns where to go on, if that is behind it.
    fn line(&mut self, start: usize, end: usize) -> usize {
        let line = &self.yul[start..end];
        let (code, remark) = line.split_once("///").map_or((line, None), |(code, rest)| (code, Some(rest)));
        let trimmed = code.trim();
        let indent = code.len() - code.trim_start().len();
        if trimmed.starts_with('{')
            && remark.is_none()
            && self.detail == Detail::All
            && let Some(end) = self.assembly(start + indent)
        {
            return end;
        }
        if self.function.is_none() && trimmed.starts_with("function ") {
            self.function =
                self.current.and_then(|range| Function::new(range, self.source(range)?, self.depth));
        }
        if let Some(function) = &mut self.function {
            function.line(trimmed, start + indent, self.current);
        }
        if trimmed == "leave" {
            self.insertions.extend(self.bare_return().map(|range| (start + indent, comment(range))));
        }
        if self.detail == Detail::All {
            let code = self.code_before(trimmed);
            self.insertions.extend(code.map(|code| (start + indent, code.to_owned())));
            if let Some(place) = self.joins.met_before(trimmed, self.current) {
                let code =
                    [&comment(place), NOTHING, &self.current.map(comment).unwrap_or_default()].concat();
                self.insertions.push((start + indent, code));
            }
            let other = self.questions.replaced(trimmed);
            self.insertions.extend(other.into_iter().flatten().map(|(at, text)| (start + indent + at, text)));
        }
        self.previous = trimmed;
        self.depth = lexer::depth_behind(trimmed, self.depth);
        if let Some(function) = self.function.take_if(|function| function.depth >= self.depth) {
            self.insertions.extend(function.places());
        }
        match remark.map(str::trim_start) {
            Some(remark) if remark.starts_with("@use-src ") => self.use_sources(&remark[9..]),
            Some(remark) => {
                if let Some(at) = remark.find("@src ") {
                    self.current = range(&remark[at + 5..]);
                }
            }
            None => {}
        }
        end
    }

    /// What is to be done before a line, too.
    fn code_before(&mut self, line: &str) -> Option<&'static str> {
        if nothing::is_returned(self.previous, line) {
            return Some("stop() ");
        }
        let place = self.current?;
        let source = self.source(place)?;
        self.copies.is_bare(line, place, source).then_some(NOTHING)
    }

    /// `0:"a.sol", 3:"b.sol"`.
    fn use_sources(&mut self, list: &str) {
        for entry in list.split(", ") {
            let Some((number, name)) = entry.split_once(':') else { continue };
            let text = self.texts.get(name.trim().trim_matches('"'));
            if let (Ok(number), Some(text)) = (number.trim().parse(), text) {
                self.units.insert(number, text);
            }
        }
    }

    fn source(&self, range: Range) -> Option<&'t str> {
        self.units.get(&range.unit)?.get(range.start..range.end)
    }

    /// The place of a `return` of nothing, if this is one, without its semicolon.
    fn bare_return(&self) -> Option<Range> {
        let range = self.current?;
        let is_bare = self.source(range)?.strip_prefix("return").is_some_and(|rest| rest.trim() == ";");
        is_bare.then(|| Range { end: range.start + "return".len(), ..range })
    }

    /// Places the parts of inline assembly, whose copy begins here; returns its end.
    fn assembly(&mut self, at: usize) -> Option<usize> {
        let range = self.current?;
        let source = self.source(range).filter(|source| source.starts_with("assembly"))?;
        let (marks, end) = assembly::marks(source, &self.yul[at..])?;
        for mark in marks {
            let (start, end) = (range.start + mark.start, range.start + mark.end);
            let code = if mark.is_bare { NOTHING } else { "" };
            self.insertions.push((at + mark.at, comment(Range { start, end, ..range }) + code));
        }
        self.insertions.push((at + end, comment(range)));
        self.joins.pass(&self.yul[at..at + end], range);
        Some(at + end)
    }
}

/// `0:12:34  "…"`.
fn range(text: &str) -> Option<Range> {
    let mut parts = text.split_whitespace().next()?.split(':');
    let mut number = || parts.next()?.parse::<usize>().ok();
    let (unit, start, end) = (number()?, number()?, number()?);
    Some(Range { unit: u32::try_from(unit).ok()?, start, end })
}

/// The comment that puts a place in force.
fn comment(range: Range) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    _ = write!(text, "/** @src {}:{}:{} */ ", range.unit, range.start, range.end);
    text
}

#[cfg(test)]
mod tests;
