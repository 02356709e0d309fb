//! Instructions of assembly text.

use super::{Body, Parsed, Parser};
use crate::fault;
use crate::lex::Token;
use crate::program::{ItemKind, JumpKind, MAX_ENTRIES, WORD_WIDTH};
use cairn_diag::{SourceLoc, Span};
use cairn_evm::{Opcode, Word};

impl Parser<'_> {
    /// The rest of an instruction that begins with `word`.
    pub(super) fn item(&mut self, body: &mut Body, word: &str, span: Span) -> Parsed<ItemKind> {
        match word.to_ascii_uppercase().as_str() {
            "PUSH" => self.push(body),
            "PUSH0" => {
                self.exists(Opcode::PUSH0, word, span)?;
                Ok(ItemKind::PushSized(Word::ZERO, 0))
            }
            "SETIMMUTABLE" => {
                let name = self.string()?;
                Ok(ItemKind::AssignImmutable(body.name(&name)))
            }
            "VERBATIM" => {
                let (inputs, outputs) = (self.byte()?, self.byte()?);
                let bytes = self.bytes()?;
                Ok(ItemKind::Verbatim { blob: body.blobs.number(&bytes), inputs, outputs })
            }
            "OP" => {
                let opcode = Opcode(self.byte()?);
                let immediate = self.peek().is_some_and(|lexeme| lexeme.token == Some(Token::Number));
                Ok(if immediate { ItemKind::OpImmediate(opcode, self.byte()?) } else { ItemKind::Op(opcode) })
            }
            "DUPN" => self.deep(span, 1),
            "SWAPN" => self.deep(span, 0),
            "EXCHANGE" => self.deep(span, 2),
            upper => self.opcode(body, upper, word, span),
        }
    }

    /// An error for an instruction that the fork lacks.
    fn exists(&mut self, opcode: Opcode, word: &str, span: Span) -> Parsed<()> {
        match self.fork.filter(|fork| !opcode.exists_in(*fork)) {
            Some(fork) => {
                let message = format!("`{word}` is no instruction of {fork}");
                self.fail(fault::UNKNOWN_INSTRUCTION, span, message)
            }
            None => Ok(()),
        }
    }

    fn opcode(&mut self, body: &mut Body, upper: &str, word: &str, span: Span) -> Parsed<ItemKind> {
        let Some(opcode) = Opcode::from_name(upper) else {
            return self.fail(fault::UNKNOWN_INSTRUCTION, span, format!("unknown instruction `{word}`"));
        };
        self.exists(opcode, word, span)?;
        let Some(width) = opcode.push_width() else { return Ok(ItemKind::Op(opcode)) };
        if width > 0 && self.peek().is_some_and(|lexeme| self.slice(lexeme.span) == "immutable") {
            return self.narrow_immutable(body, width);
        }
        let (value, value_span) = self.number()?;
        if value.byte_len() > usize::from(width) {
            return self.fail(
                fault::INVALID_NUMBER,
                value_span,
                format!("`{value:#x}` does not fit in the {width} bytes of `{upper}`"),
            );
        }
        Ok(ItemKind::PushSized(value, width))
    }

    /// `immutable("name")` behind a `PUSHn`.
    fn narrow_immutable(&mut self, body: &mut Body, width: u8) -> Parsed<ItemKind> {
        self.next += 1;
        self.expect(Token::OpenParen, "`(`")?;
        let name = self.string()?;
        self.expect(Token::CloseParen, "`)`")?;
        Ok(ItemKind::PushImmutable(body.name(&name), width))
    }

    /// The operand of `PUSH`: a number, a label, `offset`, `size`, `immutable`, `library` of a name, or a
    /// `table` of labels.
    fn push(&mut self, body: &mut Body) -> Parsed<ItemKind> {
        let Some(lexeme) = self.peek().filter(|lexeme| lexeme.token == Some(Token::Word)) else {
            return Ok(ItemKind::Push(self.number()?.0));
        };
        self.next += 1;
        let word = self.slice(lexeme.span);
        if !self.accept(Token::OpenParen) {
            return Ok(ItemKind::PushLabel(body.use_label(word, lexeme.span)));
        }
        if word == "table" {
            return self.table(body, lexeme.span);
        }
        let name = self.string()?;
        self.expect(Token::CloseParen, "`)`")?;
        let name = body.name(&name);
        match word {
            "offset" => Ok(ItemKind::PushDataOffset(name)),
            "size" => Ok(ItemKind::PushDataSize(name)),
            "immutable" => Ok(ItemKind::PushImmutable(name, WORD_WIDTH)),
            "library" => Ok(ItemKind::PushLibrary(name)),
            _ => self.fail(
                fault::UNEXPECTED_TOKEN,
                lexeme.span,
                format!("`{word}` is none of `offset`, `size`, `immutable`, `library`, `table`"),
            ),
        }
    }

    /// The labels of a table and the parenthesis behind them.
    fn table(&mut self, body: &mut Body, span: Span) -> Parsed<ItemKind> {
        let mut labels = Vec::new();
        while let Some(lexeme) = self.peek().filter(|lexeme| lexeme.token == Some(Token::Word)) {
            self.next += 1;
            labels.push(body.use_label(self.slice(lexeme.span), lexeme.span));
        }
        self.expect(Token::CloseParen, "a label or `)`")?;
        if !(1..=MAX_ENTRIES).contains(&labels.len()) {
            let message = format!("a table of {} entries: it has from 1 to {MAX_ENTRIES}", labels.len());
            return self.fail(fault::INVALID_NUMBER, span, message);
        }
        Ok(ItemKind::PushTable(body.table(&labels)))
    }

    /// `DUPN` (kind 1), `SWAPN` (kind 0), `EXCHANGE` (kind 2).
    fn deep(&mut self, span: Span, kind: u8) -> Parsed<ItemKind> {
        let opcode = [Opcode::SWAPN, Opcode::DUPN, Opcode::EXCHANGE][usize::from(kind)];
        self.exists(opcode, self.slice(span), span)?;
        let first = self.depth()?;
        let item = match kind {
            0 => ItemKind::swap(first).filter(|_| first > 16),
            1 => ItemKind::dup(first).filter(|_| first > 16),
            _ => {
                let second = self.depth()?;
                ItemKind::exchange(first, second)
            }
        };
        match item {
            Some(item) => Ok(item),
            None => {
                self.fail(fault::INVALID_NUMBER, span, "no immediate byte stands for these depths".to_owned())
            }
        }
    }

    fn depth(&mut self) -> Parsed<u16> {
        let (value, span) = self.number()?;
        match u16::try_from(value) {
            Ok(depth) => Ok(depth),
            Err(_) => self.fail(fault::INVALID_NUMBER, span, format!("`{value}` is too deep")),
        }
    }

    fn byte(&mut self) -> Parsed<u8> {
        let (value, span) = self.number()?;
        match u8::try_from(value) {
            Ok(byte) => Ok(byte),
            Err(_) => self.fail(fault::INVALID_NUMBER, span, format!("`{value:#x}` is no byte")),
        }
    }

    /// `[in]` and `[out]` after a jump.
    pub(super) fn jump_kind(&mut self) -> Parsed<JumpKind> {
        if !self.accept(Token::OpenBracket) {
            return Ok(JumpKind::Plain);
        }
        let span = self.peek().map_or(Span::default(), |lexeme| lexeme.span);
        let word = self.expect(Token::Word, "`in` or `out`")?;
        self.expect(Token::CloseBracket, "`]`")?;
        match word {
            "in" => Ok(JumpKind::Into),
            "out" => Ok(JumpKind::OutOf),
            _ => self.fail(fault::UNEXPECTED_TOKEN, span, format!("expected `in` or `out`, found `{word}`")),
        }
    }

    /// `.loc SOURCE START END` or `.loc none`.
    pub(super) fn location(&mut self, body: &mut Body) -> Parsed<()> {
        let is_none = self.peek().is_some_and(|lexeme| self.slice(lexeme.span) == "none");
        if is_none {
            self.next += 1;
            body.loc = None;
            return Ok(());
        }
        let loc = SourceLoc { source: self.signed()?, start: self.signed()?, end: self.signed()? };
        body.loc = Some(body.locs.number(&loc));
        Ok(())
    }

    fn signed(&mut self) -> Parsed<i32> {
        let span = self.peek().map_or(Span::default(), |lexeme| lexeme.span);
        let digits = self.expect(Token::Number, "a number")?;
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail(fault::INVALID_NUMBER, span, format!("`{digits}` is no 32-bit number")),
        }
    }
}
