//! Types in text.

use super::stream::Stream;
use crate::text::fault;
use crate::text::lex::{Kind, Token};
use crate::types::composite::{Composite, MAX_DEPTH, MAX_WORDS, Shape};
use crate::types::float::FloatFormat;
use crate::types::{AddressSpace, Type};

impl Stream<'_> {
    /// Types separated by commas; `void` alone gives none.
    pub(super) fn type_list(&mut self) -> Option<Vec<Type>> {
        let mut types = vec![self.ty()?];
        while self.eat(Kind::Comma).is_some() {
            types.push(self.ty()?);
        }
        if types == [Type::Void] {
            types.clear();
        }
        Some(types)
    }

    /// A type.
    pub(super) fn ty(&mut self) -> Option<Type> {
        self.nested_type(0)
    }

    fn nested_type(&mut self, depth: usize) -> Option<Type> {
        let token = self.expect(Kind::Word, "a type")?;
        let text = self.text(token);
        match text {
            "bool" => return Some(Type::Bool),
            "void" => return Some(Type::Void),
            "unreachable" => return Some(Type::Unreachable),
            "ptr" => return self.pointer(),
            "ufixed" => return self.decimals().map(|(bits, decimals)| Type::Ufixed(bits, decimals)),
            "fixed" => return self.decimals().map(|(bits, decimals)| Type::Fixed(bits, decimals)),
            "vec" | "struct" | "array" => return self.composite(token, depth),
            "f128" => {
                return self.fault_with_help(fault::INVALID_TYPE,
                    token.span,
                    "there is no type `f128`: binary64 is the widest format that the interpreter computes with",
                    "`f64` is the widest; `fixed<N,D>` has up to 256 bits",
                );
            }
            _ => {}
        }
        if let Some(format) = FloatFormat::from_name(text) {
            return Some(Type::Float(format));
        }
        let digits = text.strip_prefix('u').filter(|d| !d.is_empty() && !d.starts_with('0'));
        match digits.filter(|d| d.bytes().all(|b| b.is_ascii_digit())).map(str::parse::<u16>) {
            Some(Ok(bits @ 1..=4096)) => Some(Type::Int(bits)),
            Some(_) => self.fault_with_help(fault::INVALID_TYPE,
                token.span,
                format!("`{}` is too wide", self.shown(token)),
                "integers have 1 to 4096 bits",
            ),
            None => self.fault_with_help(fault::INVALID_TYPE,
                token.span,
                format!("unknown type `{}`", self.shown(token)),
                "types are `u1` to `u4096`, `bool`, `ptr<AS>`, `ufixed<N,D>`, `fixed<N,D>`, `f16`, `f32`, `f64`, `struct<T, …>`, `array<N x T>`, `vec<N x T>`, `void`",
            ),
        }
    }

    /// `<AS>` or `<AS, size=N>`.
    fn pointer(&mut self) -> Option<Type> {
        self.expect(Kind::Less, "`<`")?;
        let span = self.peek().span;
        let number = self.small_number("an address space")?;
        let Some(space) = AddressSpace::from_number(number) else {
            return self.fault_with_help(
                fault::INVALID_TYPE,
                span,
                format!("unknown address space {number}"),
                "0 memory, 1 storage, 2 calldata, 3 transient, 4 code, 5 return data",
            );
        };
        let mut size = 0;
        if self.eat(Kind::Comma).is_some() {
            if !self.eat_word("size") {
                return self.expected("`size`");
            }
            self.expect(Kind::Equals, "`=`")?;
            let span = self.peek().span;
            let number = self.small_number("a size in bytes")?;
            size = match u32::try_from(number) {
                Ok(size) => size,
                Err(_) => return self.fault(fault::INVALID_NUMBER, span, "the size does not fit 32 bits"),
            };
        }
        self.expect(Kind::Greater, "`>`")?;
        Some(Type::Ptr(space, size))
    }

    /// `<N,D>`.
    fn decimals(&mut self) -> Option<(u16, u8)> {
        self.expect(Kind::Less, "`<`")?;
        let span = self.peek().span;
        let bits = self.small_number("a number of bits")?;
        self.expect(Kind::Comma, "`,`")?;
        let decimals = self.small_number("a number of decimals")?;
        self.expect(Kind::Greater, "`>`")?;
        match (u16::try_from(bits), u8::try_from(decimals)) {
            (Ok(bits @ 1..=256), Ok(decimals @ 0..=80)) => Some((bits, decimals)),
            _ => self.fault(
                fault::INVALID_TYPE,
                span,
                "fixed-point types have 1 to 256 bits and 0 to 80 decimals",
            ),
        }
    }

    /// `struct<T, …>`, `array<N x T>`, `vec<N x T>`.
    fn composite(&mut self, token: Token, depth: usize) -> Option<Type> {
        if depth == MAX_DEPTH {
            return self.fault(
                fault::NESTING_TOO_DEEP,
                token.span,
                format!("types nest more than {MAX_DEPTH} deep"),
            );
        }
        self.expect(Kind::Less, "`<`")?;
        let shape = match self.text(token) {
            "struct" => {
                let mut parts = vec![self.nested_type(depth + 1)?];
                while self.eat(Kind::Comma).is_some() {
                    parts.push(self.nested_type(depth + 1)?);
                }
                Shape::Struct(parts)
            }
            name => {
                let is_vector = name == "vec";
                let span = self.peek().span;
                let count = self.small_number("a number of parts")?;
                let Ok(count) = u32::try_from(count) else {
                    return self.fault(
                        fault::INVALID_NUMBER,
                        span,
                        "the number of parts does not fit 32 bits",
                    );
                };
                if !self.eat_word("x") {
                    return self.expected("`x`");
                }
                let part = self.nested_type(depth + 1)?;
                if is_vector { Shape::Vector(count, part) } else { Shape::Array(count, part) }
            }
        };
        self.expect(Kind::Greater, "`>`")?;
        let span = token.span.to(self.previous_span());
        match Composite::new(shape) {
            Some(composite) => Some(Type::Composite(composite)),
            None => self.fault_with_help(fault::INVALID_TYPE,
                span,
                format!("there are no values of this `{}`", self.shown(token)),
                format!("parts have values, lanes are numbers, and there are 1 to {MAX_WORDS} words; keep more in memory: `evm.alloca` reserves it, `evm.ptr_add` addresses its parts"),
            ),
        }
    }
}
