//! Tokens to the syntax tree.
//!
//! A recursive descent whose depth is bounded by [`MAX_NESTING`]: blocks, calls and objects that
//! are open at one place count one level each, and one level more is an error. Every walk over a
//! tree that the parser made may therefore recurse.
//!
//! A faulty statement is left out of the tree and the parser goes on at the next one, so that one
//! run finds all faults. Names are not looked up here, except that builtins are told from other
//! names.

mod debug;
mod expression;
mod object;
mod statement;

use cairn_diag::{Diagnostics, FileId, Span};
use smallvec::smallvec;

use crate::ast::{Identifier, Identifiers, NameTable, SrcRef, YulName};
use crate::dialect::{Dialect, NameClass};
use crate::error::Fault;
use crate::lexer::{Keyword, Lexer, Token, TokenKind};
use debug::Locations;

pub(crate) use expression::string_word;
pub(crate) use object::parse_source;

/// The largest number of blocks, calls and objects that may be open at one place.
pub const MAX_NESTING: usize = 1024;

/// Number of errors after which the rest is not reported.
pub const MAX_ERRORS: usize = 256;

/// An error has been reported; the statement has no tree.
struct Reported;

type Parse<T> = Result<T, Reported>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    /// End of the token before the current one.
    previous_end: u32,
    file: FileId,
    dialect: Dialect,
    names: &'a mut NameTable,
    /// Class of each name, by its id.
    classes: Vec<NameClass>,
    locations: Locations,
    diagnostics: Diagnostics,
    n_errors: usize,
    nesting: usize,
    /// Set when the rest of the text is given up; nothing is reported from then on.
    is_aborted: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, file: FileId, dialect: Dialect, names: &'a mut NameTable) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next_token();
        let classes = (0..names.len() as u32).map(|id| dialect.classify(names.text(YulName(id)))).collect();
        Parser {
            text,
            lexer,
            token,
            previous_end: 0,
            file,
            dialect,
            names,
            classes,
            locations: Locations::default(),
            diagnostics: Diagnostics::default(),
            n_errors: 0,
            nesting: 0,
            is_aborted: false,
        }
    }

    fn advance(&mut self) {
        self.previous_end = self.token.span.end;
        self.token = self.lexer.next_token();
        if !self.lexer.doc_comments().is_empty() {
            self.read_locations();
        }
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.token.kind == TokenKind::Keyword(keyword)
    }

    fn token_text(&self) -> &'a str {
        &self.text[self.token.span.start as usize..self.token.span.end as usize]
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Identifier) && self.token_text() == word
    }

    /// The source location of what starts at the current token.
    fn src(&self) -> SrcRef {
        self.locations.current
    }

    /// From `start` to the end of the last token that was taken.
    fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end.max(start))
    }

    fn report(&mut self, fault: Fault, span: Span, message: impl Into<String>) -> Reported {
        if self.is_aborted {
            return Reported;
        }
        self.n_errors += 1;
        match self.n_errors <= MAX_ERRORS {
            true => self.diagnostics.push(fault.at(self.file, span, message)),
            false => self.diagnostics.leave_out(1),
        }
        Reported
    }

    /// All faults that were found; the last message says how many are not listed.
    fn into_diagnostics(mut self) -> Diagnostics {
        if self.diagnostics.num_left_out() > 0 {
            let end = Span::from(self.text.len()..self.text.len());
            self.diagnostics.push(too_many_errors(self.file, end, self.diagnostics.num_left_out()));
        }
        self.diagnostics
    }

    /// Gives up the rest of the text.
    fn abort(&mut self) {
        self.is_aborted = true;
        self.skip_to_end();
    }

    fn skip_to_end(&mut self) {
        let end = self.text.len();
        self.lexer.skip_to_end();
        self.token = Token { kind: TokenKind::EndOfSource, span: Span::from(end..end) };
    }

    /// Takes a token of this kind.
    fn expect(&mut self, kind: TokenKind) -> Parse<()> {
        if self.at(kind) {
            self.advance();
            return Ok(());
        }
        Err(self.unexpected(&kind.describe()))
    }

    /// How messages call the current token.
    fn found(&self) -> String {
        self.token.kind.describe_found(self.token_text())
    }

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let found = self.token;
        let message = format!("expected {wanted} but got {}", self.found());
        if let TokenKind::Illegal(fault) = found.kind {
            return self.report(
                Fault::UnexpectedToken,
                found.span,
                format!("{message}: {}", fault.message()),
            );
        }
        self.report(Fault::UnexpectedToken, found.span, message)
    }

    /// Enters a level of nesting; `leave_level` leaves it.
    fn enter_level(&mut self) -> Parse<()> {
        if self.nesting >= MAX_NESTING {
            let message = format!("maximum recursion depth reached during parsing ({MAX_NESTING} levels)");
            let reported = self.report(Fault::NestingTooDeep, self.token.span, message);
            self.abort();
            return Err(reported);
        }
        self.nesting += 1;
        Ok(())
    }

    fn leave_level(&mut self) {
        self.nesting -= 1;
    }

    /// The name at the current token, which is an identifier, and what it means.
    fn classified_name(&mut self) -> (YulName, NameClass) {
        let text = self.token_text();
        let name = self.names.intern(text);
        let index = name.0 as usize;
        if index == self.classes.len() {
            self.classes.push(self.dialect.classify(text));
        }
        (name, self.classes[index])
    }

    /// A name that is declared here, with its type annotation, which is an error.
    fn parse_declared_name(&mut self) -> Parse<Identifier> {
        if !self.at(TokenKind::Identifier) {
            return Err(self.unexpected("identifier"));
        }
        let span = self.token.span;
        let src = self.src();
        let (name, class) = self.classified_name();
        if let NameClass::Builtin(_) = class {
            let text = self.token_text();
            let message = format!("cannot use builtin function name `{text}` as identifier name");
            self.report(Fault::BuiltinAsName, span, message);
        }
        self.advance();
        self.skip_type_annotation(span.start)?;
        Ok(Identifier { name, span, src })
    }

    /// Skips `: type`; the annotated thing starts at `start`.
    fn skip_type_annotation(&mut self, start: u32) -> Parse<()> {
        if !self.at(TokenKind::Colon) {
            return Ok(());
        }
        self.advance();
        if !self.at(TokenKind::Identifier) {
            return Err(self.unexpected("identifier"));
        }
        self.advance();
        let span = self.span_from(start);
        self.report(Fault::TypeAnnotation, span, "types are not supported in untyped Yul");
        Ok(())
    }

    /// A list of declared names with commas between them.
    fn parse_declared_names(&mut self) -> Parse<Identifiers> {
        let mut names: Identifiers = smallvec![self.parse_declared_name()?];
        while self.at(TokenKind::Comma) {
            self.advance();
            names.push(self.parse_declared_name()?);
        }
        Ok(names)
    }
}

/// The last message when there are too many.
pub(crate) fn too_many_errors(file: FileId, span: Span, n_left_out: usize) -> cairn_diag::Diagnostic {
    let message = format!("there are {n_left_out} more errors, which are not listed");
    Fault::TooManyErrors.at(file, span, message)
}
