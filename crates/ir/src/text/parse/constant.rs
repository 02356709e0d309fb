//! Constants in text.
//!
//! The language has constants of one word. A longer literal, or a negative one of a wider type, is
//! read as the operations that make it of words, and one of a pointer type as `inttoptr` of a number.

use super::body::Body;
use crate::dfg::Payload;
use crate::ids::Value;
use crate::interp::Wide;
use crate::op::Op;
use crate::text::fault;
use crate::text::lex::Kind;
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::{Opcode, Word};

enum Literal {
    Bool(bool),
    Word((Word, bool), Span),
    Wide(Box<(Wide, bool)>, Span),
    /// With a fraction or an exponent.
    Decimal(Span),
}

impl Body<'_, '_, '_> {
    /// `5`, `-1`, `0x…`, `true` or `false`, then the type.
    pub(super) fn constant(&mut self, start: Span) -> Option<()> {
        let literal = self.literal()?;
        let types = self.type_suffix()?;
        let default = if matches!(literal, Literal::Bool(_)) { Type::Bool } else { Type::U256 };
        let ty = types.as_ref().and_then(|types| types.first().copied()).unwrap_or(default);
        let types = Some(types.unwrap_or(vec![ty]));
        if let Some(word) = self.float_constant(&literal, ty) {
            let payload = Payload::Const(self.func.dfg.make_const(word));
            return self.finish_inst(Op::Constant, &[], payload, types, start);
        }
        let (number, span) = match literal {
            Literal::Bool(value) => {
                let payload = Payload::Const(self.func.dfg.make_const(Word::from(u64::from(value))));
                return self.finish_inst(Op::Constant, &[], payload, types, start);
            }
            Literal::Word(number, span) => {
                if let (Type::Ptr(..), Some(word)) = (ty, literal::word_of_type(number, ty)) {
                    let address = self.word_constant(word);
                    return self.finish_inst(Op::IntToPtr, &[address], Payload::None, types, start);
                }
                if let Some(word) = literal::word_of_type(number, ty) {
                    let payload = Payload::Const(self.func.dfg.make_const(word));
                    return self.finish_inst(Op::Constant, &[], payload, types, start);
                }
                ((Wide::from(number.0), number.1), span)
            }
            Literal::Wide(number, span) => (*number, span),
            Literal::Decimal(span) => return self.unfit(span, ty),
        };
        match wide_value(number, ty) {
            Some(value) => self.wide_constant(value, ty, types, start),
            None => self.unfit(span, ty),
        }
    }

    /// The bits of a floating-point number, if the type is one of them and has it.
    fn float_constant(&self, literal: &Literal, ty: Type) -> Option<Word> {
        let (Literal::Word(_, span) | Literal::Wide(_, span) | Literal::Decimal(span)) = literal else {
            return None;
        };
        ty.is_float().then(|| literal::parse_word(self.stream.text_at(*span), ty)).flatten()
    }

    fn unfit(&mut self, span: Span, ty: Type) -> Option<()> {
        self.stream.fault(fault::INVALID_NUMBER, span, format!("the number does not fit `{ty}`"))
    }

    fn literal(&mut self) -> Option<Literal> {
        if self.stream.eat_word("true") {
            return Some(Literal::Bool(true));
        }
        if self.stream.eat_word("false") {
            return Some(Literal::Bool(false));
        }
        let token = self.stream.expect(Kind::Number, "a number, `true` or `false`")?;
        let text = self.stream.text(token);
        if let Some(number) = literal::parse_number(text) {
            return Some(Literal::Word(number, token.span));
        }
        match literal::parse_wide_number(text) {
            None if literal::is_literal(text) => Some(Literal::Decimal(token.span)),
            Some(number) => Some(Literal::Wide(Box::new(number), token.span)),
            None => self.stream.fault(
                fault::INVALID_NUMBER,
                token.span,
                "the number is malformed or does not fit 4096 bits",
            ),
        }
    }

    /// Makes a value of several words: the words from the most significant one, shifted together.
    fn wide_constant(&mut self, value: Wide, ty: Type, types: Option<Vec<Type>>, start: Span) -> Option<()> {
        let words: Vec<Word> = value.as_limbs().chunks(4).map(Word::from_limbs_slice).collect();
        let num_words = value.bit_len().div_ceil(256).max(1);
        let word_bits = self.word_constant(Word::from(256));
        let mut high = self.wide_word(words[num_words - 1], ty);
        for index in (1..num_words - 1).rev() {
            let shifted = self.append_value(Op::Evm(Opcode::SHL), &[word_bits, high], ty);
            let low = self.wide_word(words[index], ty);
            high = self.append_value(Op::Evm(Opcode::OR), &[shifted, low], ty);
        }
        let shifted = self.append_value(Op::Evm(Opcode::SHL), &[word_bits, high], ty);
        let low = self.wide_word(words[0], ty);
        self.finish_inst(Op::Evm(Opcode::OR), &[shifted, low], Payload::None, types, start)
    }

    fn word_constant(&mut self, word: Word) -> Value {
        let inst = self.append_constant(word);
        self.func.dfg.result(inst)
    }

    fn wide_word(&mut self, word: Word, ty: Type) -> Value {
        let word = self.word_constant(word);
        self.append_value(Op::Zext, &[word], ty)
    }

    fn append_value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.append(op, args, Payload::None);
        self.func.dfg.append_result(inst, ty)
    }
}

/// The number as two's complement of an integer type of more than a word, if it fits.
fn wide_value((magnitude, negative): (Wide, bool), ty: Type) -> Option<Wide> {
    let Type::Int(bits @ 257..) = ty else { return None };
    let modulus = Wide::from(1) << usize::from(bits);
    match negative {
        true => (magnitude <= modulus >> 1).then(|| modulus - magnitude),
        false => (magnitude < modulus).then_some(magnitude),
    }
}
