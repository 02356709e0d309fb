//! Reverts: `Error(string)`, `Panic(uint256)`, custom errors, and the data of a failed call.

use crate::abi::Abi;
use crate::code::Code;
use crate::error::AbiError;
use crate::func::AbiFn;
use crate::signature::Method;
use crate::types::check_all;
use cairn_evm::{Opcode, Word, hex};

/// Why Solidity's `Panic(uint256)` is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Panic {
    /// `assert` failed.
    Assert = 0x01,
    /// Arithmetic overflowed outside of `unchecked`.
    Overflow = 0x11,
    /// Division or remainder by zero.
    DivisionByZero = 0x12,
    /// A number that is no member of an enumeration.
    Enumeration = 0x21,
    /// An array in storage whose encoding is malformed.
    StorageEncoding = 0x22,
    /// `pop` on an empty array.
    EmptyPop = 0x31,
    /// An index outside of an array.
    OutOfBounds = 0x32,
    /// Too much memory was asked for.
    Allocation = 0x41,
    /// A variable of function type that was never set was called.
    NullFunction = 0x51,
}

impl Abi<'_> {
    /// Reverts with an encoded error: `(words…)`, does not come back. The signature's results do
    /// not matter.
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn reverter(&mut self, error: &Method) -> Result<AbiFn, AbiError> {
        check_all(&error.params)?;
        let made =
            self.function(&format!("abi.revert.{error}"), error.params.len(), 0, |abi, mut code, params| {
                let (start, size) =
                    abi.encode_anywhere(&mut code, Some(error.selector()), &error.params, &params);
                code.effect(Opcode::REVERT, &[start, size]);
                code.finish()
            });
        Ok(self.mark_cold(made))
    }

    /// Reverts with `Error(string)` of a text that is known now: `()`, does not come back.
    pub fn revert_text(&mut self, text: &str) -> AbiFn {
        let name = format!("abi.revert.text.{}", hex::encode(text));
        let made = self.function(&name, 0, 0, |_, mut code, _| {
            let data = error_data(text);
            let (start, size) = (code.frame(data.len().next_multiple_of(32) as u64), data.len() as u64);
            for (index, chunk) in data.chunks(32).enumerate() {
                store_bytes(&mut code, start, index as u64 * 32, chunk);
            }
            let size = code.word(size);
            code.effect(Opcode::REVERT, &[start, size]);
            code.finish()
        });
        self.mark_cold(made)
    }

    /// Reverts with `Panic(uint256)`: `()`, does not come back.
    pub fn panic(&mut self, reason: Panic) -> AbiFn {
        let made = self.function(&format!("abi.panic.{:02x}", reason as u8), 0, 0, |_, mut code, _| {
            let start = code.frame(64);
            store_bytes(&mut code, start, 0, &[0x4e, 0x48, 0x7b, 0x71]);
            let place = code.add_number(start, 4);
            let number = code.word(reason as u64);
            code.effect(Opcode::MSTORE, &[place, number]);
            let size = code.word(36);
            code.effect(Opcode::REVERT, &[start, size]);
            code.finish()
        });
        self.mark_cold(made)
    }

    /// Reverts with the data that the last call returned: `()`, does not come back. This is how an
    /// error passes through a caller that does not handle it.
    pub fn bubble(&mut self) -> AbiFn {
        let reserved = self.options.reserved;
        let made = self.function("abi.bubble", 0, 0, |_, mut code, _| {
            let (start, zero) = (code.scratch(reserved), code.word(0));
            let size = code.op(Opcode::RETURNDATASIZE, &[]);
            code.effect(Opcode::RETURNDATACOPY, &[start, zero, size]);
            code.effect(Opcode::REVERT, &[start, size]);
            code.finish()
        });
        self.mark_cold(made)
    }
}

/// Stores up to 32 bytes, padded with zeros behind.
fn store_bytes(code: &mut Code, start: cairn_ir::Value, at: u64, bytes: &[u8]) {
    let mut word = [0; 32];
    word[..bytes.len()].copy_from_slice(bytes);
    let place = code.add_number(start, at);
    let word = code.constant(Word::from_be_bytes(word));
    code.effect(Opcode::MSTORE, &[place, word]);
}

/// The encoding of `Error(string)`.
fn error_data(text: &str) -> Vec<u8> {
    let mut data = vec![0x08, 0xc3, 0x79, 0xa0];
    for number in [32, text.len()] {
        data.extend(Word::from(number).to_be_bytes::<32>());
    }
    data.extend(text.as_bytes());
    data.resize(4 + 64 + text.len().next_multiple_of(32), 0);
    data
}
