//! Literals, names and calls.

use cairn_diag::Span;
use cairn_evm::{U256, Word};

use super::{Parse, Parser};
use crate::ast::{Arguments, Callee, Expression, FunctionCall, Identifier, Literal, LiteralKind, SrcRef};
use crate::dialect::{Builtin, NameClass};
use crate::error::Fault;
use crate::lexer::{Keyword, TokenKind, decode_hex_string, decode_string};

/// What an expression or assignment starts with.
pub(super) enum Elementary {
    Literal(Literal),
    Identifier(Identifier),
    Builtin(Builtin, Span, SrcRef),
}

impl Elementary {
    pub(super) fn span(&self) -> Span {
        match self {
            Elementary::Literal(literal) => literal.span,
            Elementary::Identifier(identifier) => identifier.span,
            Elementary::Builtin(_, span, _) => *span,
        }
    }
}

impl Parser<'_> {
    pub(super) fn parse_expression(&mut self) -> Parse<Expression> {
        let head = self.parse_elementary()?;
        if self.at(TokenKind::LeftParen) {
            return Ok(Expression::Call(Box::new(self.parse_call(head)?)));
        }
        match head {
            Elementary::Literal(literal) => Ok(Expression::Literal(Box::new(literal))),
            Elementary::Identifier(identifier) => Ok(Expression::Identifier(identifier)),
            Elementary::Builtin(builtin, span, _) => {
                let name = builtin.name(self.dialect.fork);
                let message = format!("builtin function `{name}` must be called");
                Err(self.report(Fault::BuiltinNotCalled, span, message))
            }
        }
    }

    pub(super) fn parse_elementary(&mut self) -> Parse<Elementary> {
        let span = self.token.span;
        let src = self.src();
        match self.token.kind {
            TokenKind::Identifier => {
                let (name, class) = self.classified_name();
                self.advance();
                Ok(match class {
                    NameClass::Builtin(builtin) => Elementary::Builtin(builtin, span, src),
                    NameClass::Plain | NameClass::Reserved => {
                        Elementary::Identifier(Identifier { name, span, src })
                    }
                })
            }
            _ => Ok(Elementary::Literal(self.parse_literal()?)),
        }
    }

    /// A literal with its type annotation, which is an error.
    pub(super) fn parse_literal(&mut self) -> Parse<Literal> {
        let span = self.token.span;
        let src = self.src();
        let text = self.token_text();
        let (kind, value, text) = match self.token.kind {
            TokenKind::Number => {
                (LiteralKind::Number, self.number_value(text, span)?, Some(text.as_bytes().into()))
            }
            TokenKind::String => string_literal(decode_string(text.as_bytes())),
            TokenKind::HexString => string_literal(decode_hex_string(text.as_bytes())),
            TokenKind::Keyword(Keyword::True) => (LiteralKind::Bool, Word::from(1), None),
            TokenKind::Keyword(Keyword::False) => (LiteralKind::Bool, Word::ZERO, None),
            TokenKind::Illegal(fault) => {
                let message = format!("illegal token: {}", fault.message());
                return Err(self.report(Fault::IllegalToken, span, message));
            }
            _ => {
                let message = "literal or identifier expected";
                return Err(self.report(Fault::ExpressionExpected, span, message));
            }
        };
        self.advance();
        self.skip_type_annotation(span.start)?;
        Ok(Literal { kind, value, text, span, src })
    }

    fn number_value(&mut self, text: &str, span: Span) -> Parse<Word> {
        let (digits, radix) = match text.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        if !digits.bytes().all(|digit| (digit as char).is_digit(radix)) {
            return Err(self.report(Fault::InvalidNumber, span, "invalid number literal"));
        }
        if let Some(value) = small_number(digits, radix) {
            return Ok(Word::from(value));
        }
        let value = U256::from_str_radix(digits, radix.into());
        Ok(value.unwrap_or_else(|_| {
            self.report(Fault::NumberTooLarge, span, "number literal too large (> 256 bits)");
            Word::ZERO
        }))
    }

    /// A call; the current token is the opening parenthesis.
    pub(super) fn parse_call(&mut self, head: Elementary) -> Parse<FunctionCall> {
        let start = head.span().start;
        let (callee, src) = match head {
            Elementary::Identifier(identifier) => (Callee::User(identifier.name), identifier.src),
            Elementary::Builtin(builtin, _, src) => (Callee::Builtin(builtin), src),
            Elementary::Literal(_) => {
                let span = self.token.span;
                return Err(self.report(Fault::FunctionNameExpected, span, "function name expected"));
            }
        };
        self.enter_level()?;
        let args = self.parse_arguments();
        self.leave_level();
        Ok(FunctionCall { callee, args: args?, span: self.span_from(start), src })
    }

    fn parse_arguments(&mut self) -> Parse<Arguments> {
        self.advance();
        let mut args = Arguments::new();
        if !self.at(TokenKind::RightParen) {
            args.push(self.parse_expression()?);
            while self.at(TokenKind::Comma) {
                self.advance();
                args.push(self.parse_expression()?);
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(args)
    }
}

/// The value when it surely fits 64 bits.
fn small_number(digits: &str, radix: u32) -> Option<u64> {
    if digits.len() > 16 {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

fn string_literal(bytes: Vec<u8>) -> (LiteralKind, Word, Option<Box<[u8]>>) {
    (LiteralKind::String, string_word(&bytes), Some(bytes.into_boxed_slice()))
}

/// The left-aligned word of a string; zero when the string is longer than a word.
pub(crate) fn string_word(bytes: &[u8]) -> Word {
    let mut word = [0; 32];
    if bytes.len() > word.len() {
        return Word::ZERO;
    }
    word[..bytes.len()].copy_from_slice(bytes);
    Word::from_be_bytes(word)
}
