//! What fills memory with bytes of any number: copies of data, calldata and memory.

use super::memory::{OpenCopy, Spot};
use super::say::{Piece, Say, What};
use super::walk::Walk;
use crate::tree::Callee;
use cairn_evm::{Opcode, Word};
use cairn_yul::Builtin;

/// Bytes of a word.
const WORD: u64 = 32;

/// Bytes of a piece of the code that are known when it is copied: texts of errors are such.
const MAX_COPIED: usize = 256;

impl Walk<'_> {
    /// Something that fills memory.
    pub(super) fn fill(&mut self, say: Say) {
        let id = self.stores.new_id();
        let (to, bytes) = filled(&say);
        let spot = to.as_ref().and_then(|to| self.spot(to));
        let length = bytes.as_ref().and_then(|bytes| self.length(bytes));
        let pieces = self.pieces_of_fill(&say, length);
        if pieces.is_empty() {
            self.read_source(&say, length);
        }
        let copy = match length {
            Some(_) => None,
            None => {
                spot.zip(to).zip(bytes).and_then(|((spot, to), bytes)| self.copy_of(&say, (spot, to), bytes))
            }
        };
        let Walk { stores, state, .. } = self;
        match (spot, copy) {
            (Some(spot), _) if !pieces.is_empty() => {
                let mut at = spot.at;
                for piece in pieces {
                    let place = Spot { at, ..spot };
                    stores.write(state, (place, piece.bytes), Some(piece.value), Some(id));
                    at = at.saturating_add(piece.bytes);
                }
            }
            (_, Some(copy)) => stores.copy(state, copy, id),
            (Some(spot), None) => stores.fill(state, spot, length, id),
            (None, None) => {
                stores.need(id);
                stores.forget(state, None, None);
            }
        }
        self.line(What::Fill(id, say));
    }

    /// What is copied, if all of it is known, and how many bytes of it.
    fn pieces_of_fill(&self, say: &Say, length: Option<u64>) -> Vec<Piece> {
        let Some([_, from, _]) = say.args_of(Opcode::MCOPY) else { return self.words_of_data(say) };
        let from = length.filter(|length| *length <= MAX_COPIED as u64).zip(self.spot(from));
        let pieces = from.and_then(|(length, from)| {
            let end = Spot { at: from.at.checked_add(length)?, ..from };
            self.stores.read(&self.state, from, end)
        });
        pieces.filter(|pieces| pieces.iter().all(|piece| self.is_lasting(&piece.value))).unwrap_or_default()
    }

    /// A copy within memory reads what it copies.
    fn read_source(&mut self, say: &Say, length: Option<u64>) {
        if let Some([_, from, _]) = say.args_of(Opcode::MCOPY) {
            self.read(from, length);
        }
    }

    /// The words of a short piece of the code that is copied.
    fn words_of_data(&self, say: &Say) -> Vec<Piece> {
        let Say::Call(Callee::Builtin(Builtin::DataCopy), args, _) = say else { return Vec::new() };
        let [_, Say::Call(Callee::Builtin(Builtin::DataOffset), name, _), length] = args.as_slice() else {
            return Vec::new();
        };
        let [Say::Text(name)] = name.as_slice() else { return Vec::new() };
        let bytes = self.short.data(name);
        let is_whole = length.as_number() == Some(Word::from(bytes.len()));
        if !is_whole || bytes.len() > MAX_COPIED {
            return Vec::new();
        }
        let piece = |chunk: &[u8]| {
            let mut word = [0; WORD as usize];
            word[..chunk.len()].copy_from_slice(chunk);
            Piece { bytes: chunk.len() as u64, value: Say::Number(Word::from_be_bytes(word)) }
        };
        bytes.chunks(WORD as usize).map(piece).collect()
    }

    /// A copy that what follows may tell by its source.
    fn copy_of(&self, say: &Say, (spot, to): (Spot, Say), bytes: Say) -> Option<OpenCopy> {
        let (opcode, [_, from, _]) = say.as_evm()? else { return None };
        let source = match opcode {
            Opcode::CALLDATACOPY => Opcode::CALLDATALOAD,
            Opcode::RETURNDATACOPY => Opcode::RETURNDATACOPY,
            Opcode::MCOPY => Opcode::MLOAD,
            _ => return None,
        };
        let is_size = bytes.args_of(Opcode::RETURNDATASIZE).is_some();
        let lasts = self.is_lasting(&to) && self.is_lasting(from) && (is_size || self.is_lasting(&bytes));
        let copied = self.copied_from(source, from, &bytes);
        let value = copied.unwrap_or_else(|| Say::Bytes(source, vec![from.clone(), bytes.clone()]));
        lasts.then(|| OpenCopy { spot, to: self.sum(&to), bytes: self.sum(&bytes), value })
    }

    /// What lies in memory where something is copied from, if that is a copy itself.
    fn copied_from(&self, source: Opcode, from: &Say, bytes: &Say) -> Option<Say> {
        let (spot, end) = self.spot(from).zip(self.end(from, bytes)).filter(|_| source == Opcode::MLOAD)?;
        let mut pieces = self.stores.read(&self.state, spot, end)?;
        let piece = pieces.pop().filter(|piece| pieces.is_empty() && piece.bytes == Piece::OPEN)?;
        Some(piece.value)
    }
}

/// Where something fills memory, and how many bytes of it.
fn filled(say: &Say) -> (Option<Say>, Option<Say>) {
    let region = |args: &[Say], to: usize, bytes: usize| (args.get(to).cloned(), args.get(bytes).cloned());
    match say {
        Say::Call(Callee::Builtin(Builtin::Evm(Opcode::EXTCODECOPY)), args, _) => region(args, 1, 3),
        Say::Call(Callee::Builtin(Builtin::Evm(Opcode::MSTORE8)), args, _) => {
            (args.first().cloned(), Some(Say::Number(Word::from(1))))
        }
        Say::Call(_, args, _) => region(args, 0, 2),
        _ => (None, None),
    }
}

/// True for what copies into memory.
pub(super) fn fills(callee: Callee) -> bool {
    match callee {
        Callee::Builtin(Builtin::Evm(opcode)) => {
            matches!(opcode, Opcode::MSTORE8 | Opcode::MCOPY | Opcode::EXTCODECOPY)
                || matches!(opcode, Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::RETURNDATACOPY)
        }
        Callee::Builtin(Builtin::DataCopy) => true,
        _ => false,
    }
}
