//! Encoders: words, and objects in memory, to encoded data in memory.

use crate::abi::Abi;
use crate::code::Code;
use crate::decode::MAX_UNROLLED;
use crate::error::AbiError;
use crate::func::AbiFn;
use crate::types::{AbiType, check_all, head_words, list};
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;

/// Static encodings up to this size are made in frame memory.
const MAX_FRAME: u64 = 2048;

impl Abi<'_> {
    /// Encodes a list of values into memory: `(start, words…) -> end`. The memory from `start` on
    /// must be free; up to 31 bytes past the end may be overwritten. Words must be values of their
    /// types, objects lie in memory as decoders leave them.
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn encoder(&mut self, types: &[AbiType]) -> Result<AbiFn, AbiError> {
        check_all(types)?;
        Ok(self.list_encoder(types))
    }

    fn list_encoder(&mut self, types: &[AbiType]) -> AbiFn {
        let name = format!("abi.encode.{}.list", list(types));
        self.function(&name, types.len() + 1, 1, |abi, mut code, params| {
            let mut tail = code.add_number(params[0], head_words(types) * 32);
            let mut at = 0;
            for (ty, word) in types.iter().zip(&params[1..]) {
                let head = code.add_number(params[0], at);
                tail = abi.encode_head(&mut code, params[0], (head, tail), ty, *word);
                at += ty.head_bytes();
            }
            code.iret(&[tail])
        })
    }

    /// Encodes values where nothing else lies, behind a selector if there is one: start and size of
    /// the encoding. Only for code that ends the call or is done with the encoding before anything
    /// is allocated.
    pub(crate) fn encode_anywhere(
        &mut self,
        code: &mut Code,
        selector: Option<[u8; 4]>,
        types: &[AbiType],
        words: &[Value],
    ) -> (Value, Value) {
        let before = if selector.is_some() { 4 } else { 0 };
        let fixed = head_words(types) * 32 + before;
        let is_static = !types.iter().any(AbiType::is_dynamic);
        let start = match is_static && fixed <= MAX_FRAME {
            // The selector is stored as a whole word.
            true => code.frame(fixed.max(32)),
            false => {
                let free = self.free();
                code.call_word(&free, &[])
            }
        };
        if let Some(selector) = selector {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&selector);
            let word = code.constant(Word::from_be_bytes(bytes));
            code.effect(Opcode::MSTORE, &[start, word]);
        }
        let mut args = vec![code.add_number(start, before)];
        args.extend(words);
        let end = match types.is_empty() {
            true => args[0],
            false => {
                let encoder = self.list_encoder(types);
                code.call_word(&encoder, &args)
            }
        };
        let size = if is_static { code.word(fixed) } else { code.sub(end, start) };
        (start, size)
    }

    /// Writes the head of a value, and its content behind the tail if it is dynamic; the new tail.
    fn encode_head(
        &mut self,
        code: &mut Code,
        base: Value,
        (head, tail): (Value, Value),
        ty: &AbiType,
        word: Value,
    ) -> Value {
        if ty.is_word() {
            code.effect(Opcode::MSTORE, &[head, word]);
            return tail;
        }
        let encoder = self.object_encoder(ty);
        if !ty.is_dynamic() {
            code.call(&encoder, &[head, word]);
            return tail;
        }
        let offset = code.sub(tail, base);
        code.effect(Opcode::MSTORE, &[head, offset]);
        code.call_word(&encoder, &[tail, word])
    }

    /// Encodes an object: `(position, address) -> end`.
    fn object_encoder(&mut self, ty: &AbiType) -> AbiFn {
        self.function(&format!("abi.encode.{ty}"), 2, 1, |abi, mut code, params| {
            let (position, address) = (params[0], params[1]);
            let end = match ty {
                AbiType::Bytes | AbiType::String => encode_bytes(&mut code, position, address),
                AbiType::Array(element) => abi.encode_array(&mut code, position, address, element),
                AbiType::FixedArray(element, length) if *length > MAX_UNROLLED => {
                    let bytes = code.word(length * 32);
                    abi.encode_elements(&mut code, position, address, bytes, element)
                }
                AbiType::FixedArray(element, length) => {
                    let parts = vec![(**element).clone(); *length as usize];
                    abi.encode_tuple(&mut code, position, address, &parts)
                }
                AbiType::Tuple(parts) => abi.encode_tuple(&mut code, position, address, parts),
                _ => unreachable!("invariant: `{ty}` is not a word"),
            };
            code.iret(&[end])
        })
    }

    fn encode_array(&mut self, code: &mut Code, position: Value, address: Value, element: &AbiType) -> Value {
        let length = code.op(Opcode::MLOAD, &[address]);
        code.effect(Opcode::MSTORE, &[position, length]);
        let (base, content) = (code.add_number(position, 32), code.add_number(address, 32));
        let bytes = code.mul_number(length, 32);
        self.encode_elements(code, base, content, bytes, element)
    }

    /// Encodes the elements at `content`, a word of memory each; the end.
    fn encode_elements(
        &mut self,
        code: &mut Code,
        base: Value,
        content: Value,
        bytes: Value,
        element: &AbiType,
    ) -> Value {
        // Words in memory are values of their types, so they can be copied together.
        if element.is_word() {
            code.effect(Opcode::MCOPY, &[base, content, bytes]);
            return code.add(base, bytes);
        }
        let end = code.add(content, bytes);
        if !element.is_dynamic() {
            let words = code.while_below(&[content, base], end, |code, words| {
                let word = code.op(Opcode::MLOAD, &[words[0]]);
                self.encode_head(code, base, (words[1], words[1]), element, word);
                vec![code.add_number(words[0], 32), code.add_number(words[1], element.head_bytes())]
            });
            return words[1];
        }
        let tail = code.add(base, bytes);
        let words = code.while_below(&[content, base, tail], end, |code, words| {
            let word = code.op(Opcode::MLOAD, &[words[0]]);
            let tail = self.encode_head(code, base, (words[1], words[2]), element, word);
            vec![code.add_number(words[0], 32), code.add_number(words[1], 32), tail]
        });
        words[2]
    }

    fn encode_tuple(&mut self, code: &mut Code, position: Value, address: Value, parts: &[AbiType]) -> Value {
        let mut tail = code.add_number(position, head_words(parts) * 32);
        let mut at = 0;
        for (index, part) in parts.iter().enumerate() {
            let place = code.add_number(address, index as u64 * 32);
            let word = code.op(Opcode::MLOAD, &[place]);
            let head = code.add_number(position, at);
            tail = self.encode_head(code, position, (head, tail), part, word);
            at += part.head_bytes();
        }
        tail
    }
}

fn encode_bytes(code: &mut Code, position: Value, address: Value) -> Value {
    let length = code.op(Opcode::MLOAD, &[address]);
    code.effect(Opcode::MSTORE, &[position, length]);
    let (to, from) = (code.add_number(position, 32), code.add_number(address, 32));
    code.effect(Opcode::MCOPY, &[to, from, length]);
    // Zeros up to the next word.
    let end = code.add(to, length);
    let zero = code.word(0);
    code.effect(Opcode::MSTORE, &[end, zero]);
    let padded = code.ceil32(length);
    code.add(to, padded)
}
