//! Operands in text: `%x`, `5`, `%p+4`, each perhaps with its type: `%x : u256, 5 : u256`.
//!
//! The language has operands that are values only. A literal is read as the constant that it means, an
//! address with an offset as the sum, in front of the instruction; what they are types of is known at the
//! end of the body (`body/literals.rs`).

use super::body::Body;
use crate::dfg::Payload;
use crate::ids::Value;
use crate::op::Op;
use crate::text::fault;
use crate::text::lex::Kind;
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::Word;

impl Body<'_, '_, '_> {
    /// Operands, which begin on the line of their operation.
    pub(super) fn operands(&mut self) -> Option<Vec<Value>> {
        let mut args = Vec::new();
        if self.stream.peek().starts_line || !self.begins_operand() {
            return Some(args);
        }
        args.push(self.operand()?);
        args.extend(self.more_operands()?);
        Some(args)
    }

    /// Operands, each after a comma.
    pub(super) fn more_operands(&mut self) -> Option<Vec<Value>> {
        let mut args = Vec::new();
        while self.stream.eat(Kind::Comma).is_some() {
            args.push(self.operand()?);
        }
        Some(args)
    }

    /// `(%a, %b)`, if it stands here.
    pub(super) fn paren_operands(&mut self) -> Option<Vec<Value>> {
        let mut args = Vec::new();
        if self.stream.eat(Kind::OpenParen).is_none() || self.stream.eat(Kind::CloseParen).is_some() {
            return Some(args);
        }
        args.push(self.operand()?);
        args.extend(self.more_operands()?);
        self.stream.expect(Kind::CloseParen, "`,` or `)`")?;
        Some(args)
    }

    /// An operand, and its type if that stands behind it.
    pub(super) fn operand(&mut self) -> Option<Value> {
        let span = self.stream.peek().span;
        let value = match self.stream.kind() {
            Kind::Value => self.address()?,
            _ if self.begins_operand() => self.literal_operand()?,
            _ => return self.stream.expected("a value such as `%x`"),
        };
        if self.stream.kind() == Kind::Colon && (self.has_typed_operands || self.is_operand_type()) {
            self.stream.bump();
            let ty = self.stream.ty()?;
            self.has_typed_operands = true;
            self.literals.add_type(value, ty, span);
        }
        Some(value)
    }

    fn begins_operand(&self) -> bool {
        match self.stream.kind() {
            Kind::Value | Kind::Number => true,
            _ => self.stream.is_word("true") || self.stream.is_word("false"),
        }
    }

    /// True if the colon here is that of an operand's type: another operand or a target comes behind it.
    /// The last operand's type is the result's if no other operand has one.
    fn is_operand_type(&self) -> bool {
        let Some(comma) = self.stream.type_end(1) else { return false };
        let next = self.stream.ahead(comma + 1);
        self.stream.ahead(comma).kind == Kind::Comma
            && (matches!(next.kind, Kind::Value | Kind::Number | Kind::Block)
                || matches!(self.stream.text(next), "true" | "false" | "default"))
    }

    /// `%p`, or `%p+4`: a pointer and an offset in bytes, or a sum where `%p` is a number.
    fn address(&mut self) -> Option<Value> {
        let base = self.value_ref()?;
        if self.stream.eat(Kind::Plus).is_none() {
            return Some(base);
        }
        let span = self.stream.peek().span;
        self.number_operand()?;
        let offset = self.append_literal(span);
        let inst = self.append(Op::PtrAdd, &[base, offset], Payload::None);
        self.literals.add_sum(inst);
        self.untyped.push(inst);
        Some(self.func.dfg.append_result(inst, Type::MEMORY))
    }

    fn literal_operand(&mut self) -> Option<Value> {
        let span = self.stream.peek().span;
        if !self.stream.eat_word("true") && !self.stream.eat_word("false") {
            self.number_operand()?;
        }
        Some(self.append_literal(span))
    }

    fn number_operand(&mut self) -> Option<()> {
        let token = self.stream.expect(Kind::Number, "a number")?;
        match literal::is_literal(self.stream.text(token)) {
            true => Some(()),
            false => self.stream.fault_with_help(
                fault::INVALID_NUMBER,
                token.span,
                "the number is malformed or does not fit 256 bits",
                "write an `evm.constant` of its type",
            ),
        }
    }

    /// A constant whose word and type are found at the end of the body.
    fn append_literal(&mut self, span: Span) -> Value {
        let inst = self.append_constant(Word::ZERO);
        self.func.spans[inst] = Some(span);
        self.literals.open(inst, span);
        self.func.dfg.result(inst)
    }
}
