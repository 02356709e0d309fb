//! The tokens of a file with a position, a limit and the faults found so far.
//!
//! A parse function that returns `None` has reported why. The position never passes the limit,
//! and [`Stream::bump`] is the only way forward, so every loop that bumps ends.

use crate::text::fault;
use crate::text::lex::{Kind, Token, lex};
use crate::text::literal;
use cairn_diag::{Diagnostic, Diagnostics, FaultCode, FileId, Span};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Modules can be nested this deeply.
pub const MAX_NESTING: usize = 64;

pub(super) struct Stream<'a> {
    text: &'a str,
    file: FileId,
    tokens: Vec<Token>,
    at: usize,
    limit: usize,
    closers: FxHashMap<usize, usize>,
    pub(super) diagnostics: Diagnostics,
    pub(super) num_faults: usize,
}

impl<'a> Stream<'a> {
    pub(super) fn new(text: &'a str, file: FileId) -> Self {
        let tokens = lex(text);
        let limit = tokens.len() - 1;
        let diagnostics = Diagnostics::default();
        let mut stream = Stream {
            text,
            file,
            tokens,
            at: 0,
            limit,
            closers: FxHashMap::default(),
            diagnostics,
            num_faults: 0,
        };
        stream.match_braces();
        stream
    }

    /// Finds the closing brace of each opening one; that of one left open is the end.
    fn match_braces(&mut self) {
        let mut open = Vec::new();
        for index in 0..self.tokens.len() {
            match self.tokens[index].kind {
                Kind::OpenBrace => open.push(index),
                Kind::CloseBrace => {
                    if let Some(start) = open.pop() {
                        self.closers.insert(start, index);
                    }
                }
                _ => {}
            }
        }
        for start in open {
            self.closers.insert(start, self.limit);
            self.fault::<()>(fault::UNCLOSED_BRACE, self.tokens[start].span, "`{` is never closed");
        }
    }

    /// Goes inside or behind braces: index of the token that closes the brace at `open`.
    pub(super) fn closer(&self, open: usize) -> usize {
        self.closers[&open]
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes to a position, from where the tokens before `limit` are seen.
    pub(super) fn restrict(&mut self, at: usize, limit: usize) {
        (self.at, self.limit) = (at, limit);
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn peek(&self) -> Token {
        self.ahead(0)
    }

    /// The token that is `distance` tokens ahead.
    pub(super) fn ahead(&self, distance: usize) -> Token {
        match self.at + distance < self.limit {
            true => self.tokens[self.at + distance],
            false => Token { kind: Kind::End, ..self.tokens[self.limit] },
        }
    }

    /// How far ahead the type ends that begins `start` tokens ahead, if one may begin there.
    pub(super) fn type_end(&self, start: usize) -> Option<usize> {
        if self.ahead(start).kind != Kind::Word {
            return None;
        }
        let (mut at, mut depth) = (start + 1, 0_usize);
        loop {
            match self.ahead(at).kind {
                Kind::Less => depth += 1,
                Kind::Greater if depth > 0 => depth -= 1,
                _ if depth == 0 => return Some(at),
                Kind::Word | Kind::Number | Kind::Comma | Kind::Equals => {}
                _ => return None,
            }
            at += 1;
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.peek().kind
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.limit
    }

    pub(super) fn text(&self, token: Token) -> &'a str {
        self.text_at(token.span)
    }

    /// The text of a span of tokens.
    pub(super) fn text_at(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.limit);
        token
    }

    /// Span of the token before the position.
    pub(super) fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn eat(&mut self, kind: Kind) -> Option<Token> {
        (self.kind() == kind).then(|| self.bump())
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind() == Kind::Word && self.text(self.peek()) == word
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Option<Token> {
        match self.eat(kind) {
            Some(token) => Some(token),
            None => self.expected(what),
        }
    }

    /// Reports that `what` does not stand here.
    pub(super) fn expected<T>(&mut self, what: &str) -> Option<T> {
        let token = self.peek();
        let found = match token.kind {
            Kind::End if self.limit + 1 == self.tokens.len() => "the end of the file".to_owned(),
            _ => {
                let text: String = self.text(self.tokens[self.at.min(self.limit)]).chars().take(40).collect();
                format!("`{text}`")
            }
        };
        self.fault(fault::UNEXPECTED_TOKEN, token.span, format!("expected {what}, found {found}"))
    }

    /// Reports an error.
    pub(super) fn fault<T>(&mut self, code: FaultCode, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::error(message).with_code(code.code).at(self.file, span))
    }

    /// Reports an error with a second place.
    pub(super) fn fault_with_label<T>(
        &mut self,
        code: FaultCode,
        span: Span,
        message: impl Into<String>,
        label: (Span, &str),
    ) -> Option<T> {
        self.report(
            Diagnostic::error(message).with_code(code.code).at(self.file, span).with_label(label.0, label.1),
        )
    }

    /// Reports an error and what to write instead.
    pub(super) fn fault_with_help<T>(
        &mut self,
        code: FaultCode,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.report(Diagnostic::error(message).with_code(code.code).at(self.file, span).with_help(help))
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.num_faults += 1;
        self.diagnostics.push(diagnostic);
        None
    }

    /// The name in a token with a sigil.
    pub(super) fn name(&mut self, token: Token) -> Option<Cow<'a, str>> {
        match literal::parse_name(self.text(token)) {
            Some(name) => Some(name),
            None => self.fault(fault::INVALID_TEXT, token.span, "the name has an invalid escape"),
        }
    }

    /// The text of a string token, which must be UTF-8.
    pub(super) fn string(&mut self, token: Token) -> Option<String> {
        match literal::parse_string(self.text(token)).map(String::from_utf8) {
            Some(Ok(text)) => Some(text),
            Some(Err(_)) => self.fault(fault::INVALID_TEXT, token.span, "the string is not UTF-8"),
            None => self.fault(fault::INVALID_TEXT, token.span, "the string has an invalid escape"),
        }
    }

    /// A number that fits 64 bits.
    pub(super) fn small_number(&mut self, what: &str) -> Option<u64> {
        let token = self.expect(Kind::Number, what)?;
        match literal::parse_number(self.text(token)) {
            Some((word, false)) if word <= cairn_evm::Word::from(u64::MAX) => Some(word.to::<u64>()),
            _ => self.fault(
                fault::INVALID_NUMBER,
                token.span,
                format!("`{}` is not {what}", self.shown(token)),
            ),
        }
    }

    /// The text of a token, shortened.
    pub(super) fn shown(&self, token: Token) -> String {
        self.text(token).chars().take(80).collect()
    }
}
