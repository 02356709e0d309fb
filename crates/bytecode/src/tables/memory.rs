//! Memory of a block in all of its cases: what was written last where.

use super::Source;
use super::cases::{Cases, Entry};
use cairn_evm::Word;

/// Writes that are remembered.
const MAX_WRITES: usize = 16;
/// Bytes of a word.
const WORD: usize = 32;
/// Work of looking for one byte among the writes, in words.
const WORK_A_LOAD: u64 = 8;

/// What was written.
#[derive(Clone, Copy)]
enum Written {
    /// A word.
    Word(Entry),
    /// Its last byte.
    Byte(Entry),
    /// Bytes of the code, from an offset.
    Code(Entry),
    /// Something that is not known.
    Unknown,
}

#[derive(Clone, Copy)]
struct Write {
    at: Entry,
    length: usize,
    what: Written,
}

/// What memory holds, as far as it is known.
pub(super) struct Memory {
    writes: Vec<Write>,
    /// What no write has touched.
    rest: Option<u8>,
}

impl Memory {
    /// Memory that nothing was written to.
    pub(super) fn fresh() -> Memory {
        Memory { writes: Vec::new(), rest: Some(0) }
    }

    /// Memory of which nothing is known.
    pub(super) fn unknown() -> Memory {
        Memory { writes: Vec::new(), rest: None }
    }

    /// True when code was copied that a load may find.
    pub(super) fn holds_code(&self) -> bool {
        self.writes.iter().any(|write| matches!(write.what, Written::Code(_)))
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        *self = Memory::unknown();
    }

    pub(super) fn store(&mut self, at: Entry, word: Entry) {
        self.write(at, Some(WORD), Written::Word(word));
    }

    pub(super) fn store_byte(&mut self, at: Entry, word: Entry) {
        self.write(at, Some(1), Written::Byte(word));
    }

    /// Copies from the code.
    pub(super) fn copy_code(&mut self, at: Entry, from: Entry, length: Entry) {
        self.write(at, known_length(length), Written::Code(from));
    }

    /// Copies from somewhere else.
    pub(super) fn copy(&mut self, at: Entry, length: Entry) {
        self.write(at, known_length(length), Written::Unknown);
    }

    fn write(&mut self, at: Entry, length: Option<usize>, what: Written) {
        match length {
            Some(length)
                if !matches!(at, Entry::Unknown | Entry::Several) && self.writes.len() < MAX_WRITES =>
            {
                self.writes.push(Write { at, length, what });
            }
            _ => self.forget(),
        }
    }

    /// The word at a place, in every case.
    pub(super) fn load(&self, source: Source<'_>, cases: &mut Cases, at: Entry) -> Entry {
        if matches!(at, Entry::Unknown | Entry::Several) || !cases.spend(WORK_A_LOAD) {
            return Entry::Unknown;
        }
        cases.each(|cases, case| {
            let first = usize::try_from(cases.word(at, case)?).ok()?;
            if let Some(word) = self.word_of_code(source, cases, case, first) {
                return Some(word);
            }
            let mut bytes = [0; WORD];
            for (offset, byte) in bytes.iter_mut().enumerate() {
                *byte = self.byte(source, cases, case, first.checked_add(offset)?)?;
            }
            Some(Word::from_be_bytes(bytes))
        })
    }

    /// The word at a place where all of it is one piece of the code.
    fn word_of_code(&self, source: Source<'_>, cases: &Cases, case: usize, first: usize) -> Option<Word> {
        let end = first.checked_add(WORD)?;
        for write in self.writes.iter().rev() {
            let at = usize::try_from(cases.word(write.at, case)?).ok()?;
            let after = at.saturating_add(write.length);
            match write.what {
                _ if after <= first || end <= at => continue,
                Written::Code(from) if at <= first && end <= after => {
                    let from = usize::try_from(cases.word(from, case)?).ok()?;
                    return source.word(from.checked_add(first - at)?);
                }
                Written::Code(_) | Written::Word(_) | Written::Byte(_) | Written::Unknown => return None,
            }
        }
        None
    }

    fn byte(&self, source: Source<'_>, cases: &Cases, case: usize, place: usize) -> Option<u8> {
        for write in self.writes.iter().rev() {
            let at = usize::try_from(cases.word(write.at, case)?).ok()?;
            let Some(offset) = place.checked_sub(at).filter(|offset| *offset < write.length) else {
                continue;
            };
            return match write.what {
                Written::Word(entry) => Some(cases.word(entry, case)?.to_be_bytes::<WORD>()[offset]),
                Written::Byte(entry) => Some(cases.word(entry, case)?.to_be_bytes::<WORD>()[WORD - 1]),
                Written::Code(from) => {
                    let from = usize::try_from(cases.word(from, case)?).ok()?;
                    source.byte(from.checked_add(offset)?)
                }
                Written::Unknown => None,
            };
        }
        self.rest
    }
}

fn known_length(length: Entry) -> Option<usize> {
    let Entry::Same(length) = length else { return None };
    usize::try_from(length).ok()
}
