//! Objects: the outermost structure of a file.

use rustc_hash::FxHashSet;

use super::debug::Locations;
use super::{Parse, Parser, Reported};
use crate::ast::{DataBlob, Object, SrcRef};
use crate::error::Fault;
use crate::lexer::{TokenKind, decode_hex_string, decode_string};
use cairn_diag::Diagnostics;

/// Names of the objects and data inside one object.
type Names = FxHashSet<Box<str>>;

/// Parses a whole file. Without an object the diagnostics say why; with one they may hold errors,
/// and then parts of it are missing.
pub(crate) fn parse_source(mut parser: Parser<'_>) -> (Option<Object>, Diagnostics) {
    let object = parser.parse_file().ok();
    (object, parser.into_diagnostics())
}

impl Parser<'_> {
    fn parse_file(&mut self) -> Parse<Object> {
        let object = if self.at(TokenKind::LeftBrace) {
            let code = self.parse_block()?;
            Object { is_bare: true, span: code.span, code, ..Object::default() }
        } else if self.at_word("object") {
            self.parse_object(None, None)?
        } else {
            let message = "expected keyword `object`";
            return Err(self.report(Fault::ObjectExpected, self.token.span, message));
        };
        if !self.at(TokenKind::EndOfSource) {
            self.unexpected("end of source");
        }
        Ok(object)
    }

    /// An object; the current token is the word `object`. Names of its siblings are `taken`.
    fn parse_object(&mut self, parent: Option<&str>, taken: Option<&mut Names>) -> Parse<Object> {
        self.enter_level()?;
        let object = self.parse_object_body(parent, taken);
        self.leave_level();
        object
    }

    fn parse_object_body(&mut self, parent: Option<&str>, taken: Option<&mut Names>) -> Parse<Object> {
        let start = self.token.span.start;
        let source_names = self.parse_use_src();
        self.advance();
        let name = self.parse_object_name(parent, taken)?;
        self.expect(TokenKind::LeftBrace)?;
        let mut object = Object { name, ..Object::default() };
        self.parse_code(&mut object, source_names)?;
        let mut taken = Names::default();
        while !self.at(TokenKind::RightBrace) {
            if self.parse_object_item(&mut object, &mut taken).is_err() {
                self.skip_object_item()?;
            }
        }
        self.advance();
        object.span = self.span_from(start);
        Ok(object)
    }

    fn parse_code(&mut self, object: &mut Object, sources: Option<Vec<(i32, Box<str>)>>) -> Parse<()> {
        if !self.at_word("code") {
            return Err(self.report(Fault::CodeExpected, self.token.span, "expected keyword `code`"));
        }
        let indices = sources.as_ref().map(|list| list.iter().map(|(index, _)| *index).collect());
        self.locations = Locations { sources: indices, current: SrcRef::NONE, table: Vec::new() };
        self.advance();
        let code = self.parse_block();
        object.src_locs = std::mem::take(&mut self.locations).table;
        object.source_names = sources.unwrap_or_default();
        object.code = code?;
        Ok(())
    }

    fn parse_object_item(&mut self, object: &mut Object, taken: &mut Names) -> Parse<()> {
        if self.at_word("object") {
            let nested = self.parse_object(Some(&object.name), Some(taken))?;
            object.objects.push(nested);
            object.order.push(true);
            return Ok(());
        }
        if self.at_word("data") {
            let data = self.parse_data(object, taken)?;
            object.data.push(data);
            object.order.push(false);
            return Ok(());
        }
        let message = "expected keyword `data` or `object` or `}`";
        Err(self.report(Fault::DataOrObjectExpected, self.token.span, message))
    }

    fn parse_data(&mut self, object: &Object, taken: &mut Names) -> Parse<DataBlob> {
        let start = self.token.span.start;
        self.advance();
        let name = self.parse_object_name(Some(&object.name), Some(taken))?;
        let token = self.token_text().as_bytes();
        let is_hex = self.at(TokenKind::HexString);
        let bytes = match is_hex {
            true => decode_hex_string(token),
            false if self.at(TokenKind::String) => decode_string(token),
            false => return Err(self.unexpected(&TokenKind::String.describe())),
        };
        self.advance();
        Ok(DataBlob { name, bytes, is_hex, span: self.span_from(start) })
    }

    /// The name of an object or data inside `parent`, whose other names are `taken`.
    fn parse_object_name(&mut self, parent: Option<&str>, taken: Option<&mut Names>) -> Parse<Box<str>> {
        if !self.at(TokenKind::String) {
            return Err(self.unexpected(&TokenKind::String.describe()));
        }
        let bytes = decode_string(self.token_text().as_bytes());
        let name: Box<str> = String::from_utf8_lossy(&bytes).into();
        let span = self.token.span;
        if name.is_empty() {
            self.report(Fault::EmptyObjectName, span, "object name cannot be empty");
        } else if parent == Some(&*name) {
            let message = "object name cannot be the same as the name of the containing object";
            self.report(Fault::ParentObjectName, span, message);
        } else if taken.is_some_and(|taken| !taken.insert(name.clone())) {
            let message = format!("object name `{name}` already exists inside the containing object");
            self.report(Fault::DuplicateObjectName, span, message);
        }
        self.advance();
        Ok(name)
    }

    /// Skips to the next `object`, `data` or closing brace of the object; braces are skipped in
    /// pairs. Fails at the end of the text.
    fn skip_object_item(&mut self) -> Parse<()> {
        let mut open = 0_usize;
        loop {
            match self.token.kind {
                TokenKind::EndOfSource => {
                    self.unexpected("`}`");
                    return Err(Reported);
                }
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace if open == 0 => return Ok(()),
                TokenKind::RightBrace => open -= 1,
                _ if open == 0 && (self.at_word("object") || self.at_word("data")) => return Ok(()),
                _ => {}
            }
            self.advance();
        }
    }
}
