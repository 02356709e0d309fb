//! Memory of a run: the program's, and the frames beyond it.

use super::env::Outcome;
use cairn_evm::Word;

/// First address of the frames.
pub(super) const FRAMES: u64 = 1 << 40;

/// A part of memory: which one, and the bytes in it.
type Place = (bool, std::ops::Range<usize>);

pub(super) struct Memory {
    heap: Vec<u8>,
    frames: Vec<u8>,
    limit: usize,
}

impl Memory {
    pub(super) fn new(limit: usize) -> Self {
        Memory { heap: Vec::new(), frames: Vec::new(), limit }
    }

    /// Bytes of memory in use, a multiple of 32.
    pub(super) fn size(&self) -> usize {
        self.heap.len()
    }

    /// Makes room for a frame that ends at `end` and begins at `start`, filled with zeros.
    pub(super) fn open_frame(&mut self, start: usize, end: usize) -> Result<(), Outcome> {
        if end > self.limit {
            return Err(Outcome::Limit("memory"));
        }
        self.frames.truncate(start);
        self.frames.resize(end, 0);
        Ok(())
    }

    fn place(&mut self, start: Word, length: usize) -> Result<Place, Outcome> {
        if length == 0 {
            return Ok((false, 0..0));
        }
        let start = u64::try_from(start).map_err(|_| Outcome::Limit("memory"))?;
        let is_frame = start >= FRAMES;
        let offset = if is_frame { start - FRAMES } else { start };
        let start = usize::try_from(offset).map_err(|_| Outcome::Limit("memory"))?;
        let end =
            start.checked_add(length).filter(|end| *end <= self.limit).ok_or(Outcome::Limit("memory"))?;
        let memory = if is_frame { &mut self.frames } else { &mut self.heap };
        if memory.len() < end {
            memory.resize(end.next_multiple_of(32), 0);
        }
        Ok((is_frame, start..end))
    }

    /// Reads bytes.
    pub(super) fn read(&mut self, start: Word, length: usize) -> Result<Vec<u8>, Outcome> {
        let (is_frame, range) = self.place(start, length)?;
        let memory = if is_frame { &self.frames } else { &self.heap };
        Ok(memory[range].to_vec())
    }

    /// Writes bytes.
    pub(super) fn write(&mut self, start: Word, bytes: &[u8]) -> Result<(), Outcome> {
        let (is_frame, range) = self.place(start, bytes.len())?;
        let memory = if is_frame { &mut self.frames } else { &mut self.heap };
        memory[range].copy_from_slice(bytes);
        Ok(())
    }
}

/// A length in memory as a number of bytes.
pub(super) fn length(word: Word) -> Result<usize, Outcome> {
    usize::try_from(word).map_err(|_| Outcome::Limit("memory"))
}

/// `length` bytes of `source` from `start`, with zeros behind its end.
pub(super) fn padded(source: &[u8], start: Word, length: usize) -> Vec<u8> {
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(source.len());
    let end = start.saturating_add(length).min(source.len());
    let mut bytes = source[start..end].to_vec();
    bytes.resize(length, 0);
    bytes
}
