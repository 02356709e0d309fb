//! Bytecode as a program: a stack machine whose jumps go to known places.

mod convention;
mod inner;
mod loops;
mod place;
mod stops;
mod table;

pub(crate) use convention::{Convention, Inner};
pub(crate) use place::{CodePlace, Passed, Spot};

use cairn_evm::{Fork, JumpdestMap, Opcode};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A word that is put into code later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The value of the immutable with this number.
    Immutable(u32),
    /// The address of the library with this number.
    Library(u32),
}

/// Bytecode that is called.
#[derive(Clone, Debug)]
pub struct Code {
    /// The bytes.
    pub bytes: Rc<[u8]>,
    /// Opcodes that exist.
    pub fork: Fork,
    placeholders: FxHashMap<usize, Placeholder>,
    jumpdests: JumpdestMap,
}

impl Code {
    /// Bytes as they are.
    pub fn new(bytes: &[u8], fork: Fork) -> Self {
        let jumpdests = JumpdestMap::compute(bytes);
        Code { bytes: bytes.into(), fork, placeholders: FxHashMap::default(), jumpdests }
    }

    /// What is put where later, by the offset of its first byte: the data of a push.
    #[must_use]
    pub fn with_placeholders(mut self, placeholders: impl IntoIterator<Item = (usize, Placeholder)>) -> Self {
        self.placeholders.extend(placeholders);
        self
    }

    fn opcode(&self, pc: usize) -> Opcode {
        Opcode(self.bytes.get(pc).copied().unwrap_or(Opcode::STOP.0))
    }
}
