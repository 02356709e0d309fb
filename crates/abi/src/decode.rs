//! Decoders: encoded data to words, and to objects in memory.
//!
//! A decoder of a type that is not a word takes the position of the encoding's content (an offset
//! has been followed already) and the end of the data, and gives the address of the object in
//! memory. Strictly, `position` never lies more than 2^64 past `end`, so sums do not wrap.

use crate::abi::{Abi, Source, Validation};
use crate::code::Code;
use crate::error::AbiError;
use crate::func::AbiFn;
use crate::types::{AbiType, check_all, head_words, list};
use crate::word;
use cairn_evm::Opcode;
use cairn_ir::Value;

/// Fixed arrays up to this length are decoded and encoded without a loop.
pub(crate) const MAX_UNROLLED: u64 = 4;

impl Abi<'_> {
    /// Decodes a list of values, such as the parameters of a function: `(start, end) -> (words…)`,
    /// where the data lies from `start` to `end`. A value that is not one word is the address of an
    /// object in memory (see the [crate's head](crate)).
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn decoder(&mut self, types: &[AbiType], source: Source) -> Result<AbiFn, AbiError> {
        check_all(types)?;
        let name = self.decoder_name(source, &list(types));
        let types = types.to_vec();
        Ok(self.function(&format!("{name}.list"), 2, types.len(), |abi, mut code, params| {
            let cx = Cx { source, end: params[1] };
            abi.check_room(&mut code, cx, params[0], head_words(&types) * 32);
            let words = abi.decode_parts(&mut code, cx, params[0], &types);
            code.iret(&words)
        }))
    }

    fn decoder_name(&self, source: Source, what: &str) -> String {
        let trusting = match self.options.validation {
            Validation::Strict => "",
            Validation::Trusting => ".trusting",
        };
        format!("abi.decode.{}{trusting}.{what}", source.name())
    }

    fn is_strict(&self) -> bool {
        self.options.validation == Validation::Strict
    }

    /// Rejects data that ends before `start + bytes`.
    fn check_room(&self, code: &mut Code, cx: Cx, start: Value, bytes: u64) {
        if self.is_strict() && bytes > 0 {
            let needed = code.add_number(start, bytes);
            let bad = code.op(Opcode::GT, &[needed, cx.end]);
            code.reject(bad);
        }
        // Loads from memory far behind the data would run out of gas instead of reverting.
        if cx.source == Source::Memory {
            code.flush();
        }
    }

    /// The values of a list whose head begins at `start`, inside the data.
    fn decode_parts(&mut self, code: &mut Code, cx: Cx, start: Value, types: &[AbiType]) -> Vec<Value> {
        let mut at = 0;
        let decode = |ty: &AbiType| {
            let value = self.decode_at(code, cx, start, at, ty);
            at += ty.head_bytes();
            value
        };
        types.iter().map(decode).collect()
    }

    /// The value whose head lies `at` bytes behind `base`, inside the data; offsets count from
    /// `base`.
    fn decode_at(&mut self, code: &mut Code, cx: Cx, base: Value, at: u64, ty: &AbiType) -> Value {
        let head = code.add_number(base, at);
        self.decode_head(code, cx, base, head, ty)
    }

    fn decode_head(&mut self, code: &mut Code, cx: Cx, base: Value, head: Value, ty: &AbiType) -> Value {
        if ty.is_word() {
            let word = code.op(cx.source.load(), &[head]);
            return self.accept(code, ty, word);
        }
        let mut position = head;
        if ty.is_dynamic() {
            let offset = code.op(cx.source.load(), &[head]);
            if self.is_strict() {
                code.reject_huge(offset);
            }
            position = code.add(base, offset);
        }
        code.flush();
        let decoder = self.object_decoder(cx.source, ty);
        code.call_word(&decoder, &[position, cx.end])
    }

    /// A word that was read, as a value of the type.
    fn accept(&self, code: &mut Code, ty: &AbiType, word: Value) -> Value {
        if !self.is_strict() {
            return word::clean(code, ty, word);
        }
        if let Some(bad) = word::fault(code, ty, word) {
            code.reject(bad);
        }
        word
    }

    /// Decodes an object: `(position, end) -> address`. For a static type, the encoding must lie
    /// inside the data.
    fn object_decoder(&mut self, source: Source, ty: &AbiType) -> AbiFn {
        let name = self.decoder_name(source, &ty.to_string());
        self.function(&name, 2, 1, |abi, mut code, params| {
            let (position, cx) = (params[0], Cx { source, end: params[1] });
            let address = match ty {
                AbiType::Bytes | AbiType::String => abi.decode_bytes(&mut code, cx, position),
                AbiType::Array(element) => abi.decode_array(&mut code, cx, position, element),
                AbiType::FixedArray(element, length) => {
                    abi.decode_fixed_array(&mut code, cx, position, (element, *length))
                }
                AbiType::Tuple(parts) => abi.decode_tuple(&mut code, cx, position, parts),
                _ => unreachable!("invariant: `{ty}` is not a word"),
            };
            code.iret(&[address])
        })
    }

    /// The length at `position`, and the position behind it.
    fn decode_length(&mut self, code: &mut Code, cx: Cx, position: Value) -> (Value, Value) {
        self.check_room(code, cx, position, 32);
        let length = code.op(cx.source.load(), &[position]);
        if self.is_strict() {
            code.reject_huge(length);
        }
        (length, code.add_number(position, 32))
    }

    /// Allocates an object that begins with its length; its address and that of its content.
    fn allocate_counted(&mut self, code: &mut Code, length: Value, bytes: Value) -> (Value, Value) {
        let size = code.add_number(bytes, 32);
        let address = code.call_word(&self.allocator(), &[size]);
        code.effect(Opcode::MSTORE, &[address, length]);
        (address, code.add_number(address, 32))
    }

    fn decode_bytes(&mut self, code: &mut Code, cx: Cx, position: Value) -> Value {
        let (length, from) = self.decode_length(code, cx, position);
        self.check_end(code, cx, from, length);
        code.flush();
        let (address, content) = self.allocate_counted(code, length, length);
        code.effect(cx.source.copy(), &[content, from, length]);
        address
    }

    /// Rejects data that ends before `start + bytes`.
    fn check_end(&self, code: &mut Code, cx: Cx, start: Value, bytes: Value) {
        if self.is_strict() {
            let end = code.add(start, bytes);
            let bad = code.op(Opcode::GT, &[end, cx.end]);
            code.reject(bad);
        }
    }

    fn decode_array(&mut self, code: &mut Code, cx: Cx, position: Value, element: &AbiType) -> Value {
        let (length, base) = self.decode_length(code, cx, position);
        let encoded = code.mul_number(length, element.head_bytes());
        self.check_end(code, cx, base, encoded);
        code.flush();
        let bytes = code.mul_number(length, 32);
        let (address, content) = self.allocate_counted(code, length, bytes);
        self.decode_elements(code, cx, base, content, bytes, element);
        address
    }

    fn decode_fixed_array(
        &mut self,
        code: &mut Code,
        cx: Cx,
        position: Value,
        (element, length): (&AbiType, u64),
    ) -> Value {
        if length <= MAX_UNROLLED {
            let parts = vec![element.clone(); length as usize];
            return self.decode_tuple(code, cx, position, &parts);
        }
        if element.is_dynamic() {
            self.check_room(code, cx, position, length * 32);
        }
        code.flush();
        let bytes = code.word(length * 32);
        let address = code.call_word(&self.allocator(), &[bytes]);
        self.decode_elements(code, cx, position, address, bytes, element);
        address
    }

    /// Decodes elements whose heads begin at `base` to `content`, a word of memory each.
    fn decode_elements(
        &mut self,
        code: &mut Code,
        cx: Cx,
        base: Value,
        content: Value,
        bytes: Value,
        element: &AbiType,
    ) {
        if element.is_full_word() {
            code.effect(cx.source.copy(), &[content, base, bytes]);
            return;
        }
        let end = code.add(content, bytes);
        code.while_below(&[content, base], end, |code, words| {
            let value = self.decode_head(code, cx, base, words[1], element);
            code.effect(Opcode::MSTORE, &[words[0], value]);
            vec![code.add_number(words[0], 32), code.add_number(words[1], element.head_bytes())]
        });
    }

    fn decode_tuple(&mut self, code: &mut Code, cx: Cx, position: Value, parts: &[AbiType]) -> Value {
        if parts.iter().any(AbiType::is_dynamic) {
            self.check_room(code, cx, position, head_words(parts) * 32);
        }
        code.flush();
        let size = code.word(parts.len() as u64 * 32);
        let address = code.call_word(&self.allocator(), &[size]);
        let mut at = 0;
        for (index, part) in parts.iter().enumerate() {
            let value = self.decode_at(code, cx, position, at, part);
            at += part.head_bytes();
            let place = code.add_number(address, index as u64 * 32);
            code.effect(Opcode::MSTORE, &[place, value]);
        }
        address
    }
}

/// Where a decoder reads.
#[derive(Clone, Copy)]
struct Cx {
    source: Source,
    end: Value,
}
