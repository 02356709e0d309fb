//! The syntax tree to text, in solc's layout.
//!
//! A block of at most one short statement stands on one line; everything else is broken and
//! indented by four. Whether something fits is found out by writing it with a limit and taking it
//! back when it does not, so printing is linear in the size of its output.
//!
//! Invariant: parsing what was printed gives an equal tree, source locations included, and printing
//! that gives the same text.

mod expression;
mod literal;
mod object;
mod statement;

use crate::ast::{Block, Expression, NameTable, Object, SrcLoc, SrcRef, Statement};
use crate::dialect::Dialect;

pub use literal::literal_text;

/// Whether debug comments are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugComments {
    /// `@use-src` and `@src` comments for objects that have source names.
    #[default]
    Print,
    /// None.
    Omit,
}

/// The text of an object, or of a block if the input was one, without a final line break.
pub fn print_object(object: &Object, names: &NameTable, dialect: &Dialect, debug: DebugComments) -> String {
    let mut printer = Printer::new(names, dialect);
    printer.object(object, debug);
    printer.out
}

/// The text of a block, without debug comments.
pub fn print_block(block: &Block, names: &NameTable, dialect: &Dialect) -> String {
    let mut printer = Printer::new(names, dialect);
    printer.block(block);
    printer.out
}

/// The text of a statement, without debug comments.
pub fn print_statement(statement: &Statement, names: &NameTable, dialect: &Dialect) -> String {
    let mut printer = Printer::new(names, dialect);
    printer.statement(statement);
    printer.out
}

/// The text of an expression, without debug comments.
pub fn print_expression(expression: &Expression, names: &NameTable, dialect: &Dialect) -> String {
    let mut printer = Printer::new(names, dialect);
    printer.expression(expression);
    printer.out
}

/// The text so far and what decides how to go on.
struct Printer<'a> {
    out: String,
    names: &'a NameTable,
    dialect: &'a Dialect,
    indent: usize,
    /// Locations of the object; `None` when debug comments are not printed.
    locations: Option<&'a [SrcLoc]>,
    /// Comments of the object behind literals and calls.
    comments: &'a [Box<str>],
    /// Location of what was printed last.
    location: SrcLoc,
    trial: Option<Trial>,
}

/// Text that is written only to see whether it fits.
#[derive(Clone, Copy)]
struct Trial {
    /// The length of `out` that must not be reached.
    limit: usize,
    has_failed: bool,
}

/// Why a trial ended early: the text is too long or has a line break.
struct DoesNotFit;

const NO_LOCATION: SrcLoc = SrcLoc { source: -1, start: -1, end: -1 };

impl<'a> Printer<'a> {
    fn new(names: &'a NameTable, dialect: &'a Dialect) -> Self {
        Printer {
            out: String::new(),
            names,
            dialect,
            indent: 0,
            locations: None,
            comments: &[],
            location: NO_LOCATION,
            trial: None,
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        if let Some(trial) = &mut self.trial {
            trial.has_failed |= self.out.len() >= trial.limit;
        }
    }

    /// True when the rest of a trial need not be written.
    fn is_hopeless(&self) -> bool {
        self.trial.is_some_and(|trial| trial.has_failed)
    }

    fn line_break(&mut self) {
        if let Some(trial) = &mut self.trial {
            trial.has_failed = true;
            return;
        }
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    /// Writes with `write`; takes it back when it takes `max` bytes or more, or a line break.
    fn try_write(&mut self, max: usize, write: impl FnOnce(&mut Self)) -> Result<(), DoesNotFit> {
        let (start, outer, location) = (self.out.len(), self.trial, self.location);
        let limit = outer.map_or(start + max, |trial| trial.limit.min(start + max));
        self.trial = Some(Trial { limit, has_failed: false });
        write(self);
        let has_failed = self.is_hopeless();
        self.trial = outer;
        if !has_failed {
            return Ok(());
        }
        self.out.truncate(start);
        self.location = location;
        Err(DoesNotFit)
    }

    /// The `@src` of a location that differs from that of the text before.
    fn enter_location(&mut self, src: SrcRef) -> Option<String> {
        let locations = self.locations?;
        let location = locations.get(src.0 as usize).copied().unwrap_or(NO_LOCATION);
        if location == self.location {
            return None;
        }
        self.location = location;
        Some(format!("@src {}:{}:{}", location.source, location.start, location.end))
    }

    fn debug_line(&mut self, src: SrcRef) {
        if let Some(text) = self.enter_location(src) {
            self.push("/// ");
            self.push(&text);
            self.line_break();
        }
    }

    fn comment(&mut self, src: SrcRef) {
        if let Some(text) = self.comments.get(src.0 as usize) {
            self.push(" /* ");
            self.push(text);
            self.push(" */");
        }
    }

    fn debug_inline(&mut self, src: SrcRef) {
        if let Some(text) = self.enter_location(src) {
            self.push("/** ");
            self.push(&text);
            self.push(" */ ");
        }
    }
}

#[cfg(test)]
mod tests;
