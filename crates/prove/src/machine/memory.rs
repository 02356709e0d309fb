//! Reading memory: the last write that may have written, found by differences of addresses.

use super::state::{Content, Memory, State, Write};
use super::{Machine, Step, Stop};
use crate::term::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, Word};

/// A word at a position of so many bits ends before positions wrap.
const MAX_POSITION_BITS: usize = 80;

/// How a read lies to a write.
pub(super) enum Relation {
    /// All that is read was written there, from this offset on.
    Inside(Term),
    /// Nothing was.
    Apart,
    /// Not known, or partly.
    Mixed(Term),
}

/// What a read and a write have in common: conditions, 0 or 1.
#[derive(Clone, Copy)]
pub(super) struct Overlap {
    /// Where the read begins in the write.
    pub(super) offset: Term,
    /// There is something.
    pub(super) exists: Term,
    /// All that is read was written there.
    pub(super) is_whole: Term,
}

impl Machine {
    /// The word at an address.
    pub(crate) fn load_word(&mut self, state: &State, memory: &Memory, at: Term) -> Step<Term> {
        let mut memory = memory;
        while let Some(write) = memory {
            self.tick()?;
            match self.relation(state, write, at, 32)? {
                Relation::Apart => memory = &write.before,
                Relation::Inside(offset) => match self.word_of(state, write, offset)? {
                    Some(word) => return Ok(word),
                    None => return self.load_bytes(state, memory, at),
                },
                Relation::Mixed(offset) => {
                    if let Content::Word(value) = write.content
                        && self.is_equal_or_apart(state, offset)?
                    {
                        let is_there = self.terms.is_zero(offset);
                        let before = self.load_word(state, &write.before, at)?;
                        return Ok(self.terms.ite(is_there, value, before));
                    }
                    return match self.load_by_length(state, memory, at, offset)? {
                        Some(word) => Ok(word),
                        None => self.load_bytes(state, memory, at),
                    };
                }
            }
        }
        Ok(self.terms.zero)
    }

    /// A word that was written is read whole or not at all.
    fn is_equal_or_apart(&mut self, state: &State, offset: Term) -> Step<bool> {
        let is_equal = self.terms.is_zero(offset);
        let back = self.terms.scale(offset, Word::MAX);
        let size = self.terms.number(32);
        let (begins_in, ends_in) = (self.terms.lt(offset, size), self.terms.lt(back, size));
        let overlaps = self.terms.or(begins_in, ends_in);
        let is_different = self.terms.is_zero(is_equal);
        let is_partial = self.terms.and(overlaps, is_different);
        Ok(!self.is_possible(state, is_partial)?)
    }

    pub(super) fn load_bytes(&mut self, state: &State, memory: &Memory, at: Term) -> Step<Term> {
        let mut bytes = Vec::with_capacity(32);
        for index in 0..32 {
            let at = self.terms.add_number(at, index);
            bytes.push(self.load_byte(state, memory, at)?);
        }
        Ok(self.join(&bytes))
    }

    /// The byte at an address.
    pub(crate) fn load_byte(&mut self, state: &State, memory: &Memory, at: Term) -> Step<Term> {
        let (mut memory, mut choices) = (memory, Vec::new());
        let mut result = self.terms.zero;
        while let Some(write) = memory {
            self.tick()?;
            match self.relation(state, write, at, 1)? {
                Relation::Apart => {}
                Relation::Inside(offset) => {
                    result = self.byte_of(state, write, offset)?;
                    break;
                }
                Relation::Mixed(offset) => {
                    let is_there = self.terms.lt(offset, write.length);
                    choices.push((is_there, self.byte_of(state, write, offset)?));
                }
            }
            memory = &write.before;
        }
        for (is_there, byte) in choices.into_iter().rev() {
            result = self.terms.ite(is_there, byte, result);
        }
        Ok(result)
    }

    pub(super) fn relation(&mut self, state: &State, write: &Write, at: Term, size: u64) -> Step<Relation> {
        if let Some(known) = self.known_relation(write, at, size) {
            return Ok(known);
        }
        let overlap = self.overlap(write, at, size);
        if !self.is_possible(state, overlap.exists)? {
            return Ok(Relation::Apart);
        }
        match self.is_certain(state, overlap.is_whole)? {
            true => Ok(Relation::Inside(overlap.offset)),
            false => Ok(Relation::Mixed(overlap.offset)),
        }
    }

    /// The same where all places are numbers.
    fn known_relation(&mut self, write: &Write, at: Term, size: u64) -> Option<Relation> {
        let number = |term: Term| self.terms.as_u64(term).map(u128::from);
        let (read, first, length) = (number(at)?, number(write.at)?, number(write.length)?);
        let (read_end, end) = (read + u128::from(size), first + length);
        if read_end <= first || end <= read {
            return Some(Relation::Apart);
        }
        let offset = self.terms.sub(at, write.at);
        Some(if first <= read && read_end <= end {
            Relation::Inside(offset)
        } else {
            Relation::Mixed(offset)
        })
    }

    /// How a read lies to a write, as conditions.
    pub(super) fn overlap(&mut self, write: &Write, at: Term, size: u64) -> Overlap {
        let key = (write.at, write.length, at, size);
        if let Some(known) = self.overlaps.get(&key) {
            return *known;
        }
        let overlap = self.new_overlap(write, at, size);
        self.overlaps.insert(key, overlap);
        overlap
    }

    fn new_overlap(&mut self, write: &Write, at: Term, size: u64) -> Overlap {
        let offset = self.terms.sub(at, write.at);
        let last = self.terms.number(size);
        let back = self.terms.scale(offset, Word::MAX);
        let begins_in = self.terms.lt(offset, write.length);
        // What is written begins in what is read; a write is never empty.
        let ends_in = self.terms.lt(back, last);
        let exists = self.terms.or(begins_in, ends_in);
        // offset + size <= length, and the sum does not wrap.
        let end = self.terms.add_number(offset, size);
        let is_short = self.terms.lt(write.length, end);
        let fits = self.terms.is_zero(is_short);
        let is_whole = self.terms.and(begins_in, fits);
        Overlap { offset, exists, is_whole }
    }

    /// The word at an offset of a write, if it is one piece.
    pub(super) fn word_of(&mut self, state: &State, write: &Write, offset: Term) -> Step<Option<Term>> {
        Ok(Some(match &write.content {
            Content::Word(value) if offset == self.terms.zero => *value,
            Content::Word(_) | Content::Byte(_) | Content::ForeignCode(..) => return Ok(None),
            Content::Calldata(from) => {
                let at = self.terms.add(*from, offset);
                self.calldata_word(at)
            }
            Content::Returned(call, from) => {
                let at = self.terms.add(*from, offset);
                self.terms.leaf(Leaf::Returned(*call), &[at])
            }
            Content::Bytes(bytes, from) => {
                let from = self.terms.add(*from, offset);
                let Some(from) = self.terms.as_u64(from) else { return Ok(None) };
                let byte = |index| bytes.get(from as usize + index).copied().unwrap_or(0);
                let word = Word::from_be_bytes(std::array::from_fn::<u8, 32, _>(byte));
                self.terms.word(word)
            }
            Content::Memory(memory, from) => {
                let at = self.terms.add(*from, offset);
                return self.load_word(state, &memory.clone(), at).map(Some);
            }
            Content::Unknown => return Stop::blocked("a frame is read before it is written"),
        }))
    }

    /// The byte at an offset of a write.
    pub(super) fn byte_of(&mut self, state: &State, write: &Write, offset: Term) -> Step<Term> {
        Ok(match &write.content {
            Content::Word(value) => match self.terms.as_u64(offset) {
                Some(index) if index < 32 => self.terms.byte_at(index as usize, *value),
                _ => self.byte_of_word(state, offset, *value),
            },
            Content::Byte(value) => *value,
            Content::Calldata(from) => {
                let at = self.terms.add(*from, offset);
                self.calldata_byte(at)
            }
            Content::Returned(call, from) => {
                let at = self.terms.add(*from, offset);
                self.terms.leaf(Leaf::ReturnedByte(*call), &[at])
            }
            Content::Bytes(bytes, from) => {
                let from = self.terms.add(*from, offset);
                match self.terms.as_word(from) {
                    Some(index) => {
                        let index = usize::try_from(index).unwrap_or(usize::MAX);
                        let byte = bytes.get(index).copied().unwrap_or(0);
                        self.terms.number(byte.into())
                    }
                    None => return Stop::blocked("a byte of code at a place that is not known"),
                }
            }
            Content::ForeignCode(calls, account, from) => {
                let at = self.terms.add(*from, offset);
                self.terms.leaf(Leaf::ForeignCode(*calls), &[*account, at])
            }
            Content::Memory(memory, from) => {
                let at = self.terms.add(*from, offset);
                return self.load_byte(state, &memory.clone(), at);
            }
            Content::Unknown => return Stop::blocked("a frame is read before it is written"),
        })
    }

    /// The byte of a word at an index below 32. Of a word that is read where no position wraps it is the byte there, also
    /// if it was masked and the path says that the mask takes nothing away.
    fn byte_of_word(&mut self, state: &State, index: Term, word: Term) -> Term {
        let (leaf, at) = match self.terms.node(self.without_mask(state, word)) {
            Node::Leaf(leaf @ (Leaf::Calldata | Leaf::Returned(_)), args) => (*leaf, args[0]),
            _ => return self.terms.byte(index, word),
        };
        if state.conditions.facts(&self.terms, at).hi().bit_len() > MAX_POSITION_BITS {
            return self.terms.byte(index, word);
        }
        let at = self.terms.add(at, index);
        match leaf {
            Leaf::Returned(call) => self.terms.leaf(Leaf::ReturnedByte(call), &[at]),
            _ => self.calldata_byte(at),
        }
    }

    /// The word under a mask of lower bits that takes nothing away from it on the path; else the word itself.
    fn without_mask(&self, state: &State, word: Term) -> Term {
        let Node::Op(Opcode::AND, args) = self.terms.node(word) else { return word };
        let (base, Some(mask)) = (args[0], self.terms.as_word(args[1])) else { return word };
        let is_low = (mask & mask.wrapping_add(Word::ONE)).is_zero();
        let takes_nothing = is_low && state.conditions.facts(&self.terms, base).hi() <= mask;
        if takes_nothing { base } else { word }
    }

    /// The word of calldata at a position.
    pub(crate) fn calldata_word(&mut self, at: Term) -> Term {
        match (self.terms.as_u64(at), self.selector) {
            _ if self.is_behind_calldata(at) => self.terms.zero,
            (Some(start @ 0..4), Some(_)) => {
                let bytes: Vec<Term> = (0..32)
                    .map(|index| {
                        let at = self.terms.number(start + index);
                        self.calldata_byte(at)
                    })
                    .collect();
                self.join(&bytes)
            }
            _ => self.terms.leaf(Leaf::Calldata, &[at]),
        }
    }

    fn calldata_byte(&mut self, at: Term) -> Term {
        match (self.terms.as_u64(at), self.selector) {
            _ if self.is_behind_calldata(at) => self.terms.zero,
            (Some(index @ 0..4), Some(selector)) => self.terms.number(selector[index as usize].into()),
            _ => self.terms.leaf(Leaf::CalldataByte, &[at]),
        }
    }

    /// True of a place that is counted from the end of calldata and does not wrap: copies from there clear memory.
    fn is_behind_calldata(&mut self, at: Term) -> bool {
        let is_size = |terms: &Terms, term: Term| {
            matches!(terms.node(term), Node::Leaf(Leaf::Environment(Opcode::CALLDATASIZE, _), _))
        };
        let (parts, _) = self.terms.linear(at);
        let size = parts.iter().find(|(part, factor)| *factor == Word::ONE && is_size(&self.terms, *part));
        let Some((size, _)) = size.copied() else { return false };
        let rest = self.terms.sub(at, size);
        let [size, rest] = [size, rest].map(|term| self.terms.facts(term).hi());
        size.checked_add(rest).is_some()
    }

    /// The word of 32 bytes. Bytes that follow each other in calldata or return data are parts of a
    /// word there.
    fn join(&mut self, bytes: &[Term]) -> Term {
        let (mut word, mut index) = (self.terms.zero, 0);
        while index < 32 {
            let run = self.run(&bytes[index..]);
            let part = match (run, self.source(bytes[index])) {
                (length @ 1.., Some((leaf, at))) => {
                    let whole = self.word_back(leaf, at, index);
                    let mask = (Word::MAX >> (8 * index)) & !low(8 * (32 - index - length));
                    index += length;
                    self.terms.and_word(whole, mask)
                }
                _ => {
                    let up = Word::from(1) << (8 * (31 - index));
                    index += 1;
                    self.terms.scale(bytes[index - 1], up)
                }
            };
            word = self.terms.add(word, part);
        }
        word
    }

    /// A word in which the byte at a place of its source is the one with this index; what is before it is any. Where
    /// the word would begin before the source does, a shift makes it.
    fn word_back(&mut self, leaf: Leaf, at: Term, index: usize) -> Term {
        if self.terms.facts(at).lo() < Word::from(index) {
            let whole = self.terms.leaf(leaf, &[at]);
            let bits = self.terms.number(8 * index as u64);
            return self.terms.shr(bits, whole);
        }
        let back = self.terms.word(Word::from(index).wrapping_neg());
        let start = self.terms.add(at, back);
        self.terms.leaf(leaf, &[start])
    }

    /// How many bytes follow each other at their source.
    fn run(&mut self, bytes: &[Term]) -> usize {
        let Some((leaf, start)) = self.source(bytes[0]) else { return 0 };
        let mut length = 1;
        while length < bytes.len() {
            let expected = self.terms.add_number(start, length as u64);
            if self.source(bytes[length]) != Some((leaf, expected)) {
                break;
            }
            length += 1;
        }
        length
    }

    /// The leaf of words at the source of a byte, and the place of the byte.
    fn source(&self, byte: Term) -> Option<(Leaf, Term)> {
        match self.terms.node(byte) {
            Node::Leaf(Leaf::CalldataByte, args) => Some((Leaf::Calldata, args[0])),
            Node::Leaf(Leaf::ReturnedByte(call), args) => Some((Leaf::Returned(*call), args[0])),
            _ => None,
        }
    }
}

fn low(bits: usize) -> Word {
    cairn_evm::word::low_mask(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assume::Assumptions;
    use crate::machine::Limits;
    use crate::smt::Solver;

    /// A byte of a masked word is that of calldata where the path says that the mask takes nothing away, and only there.
    #[test]
    fn bytes_of_masked_words() {
        let mut machine = Machine::new(Solver::default(), Assumptions::ALL, Limits::default());
        let (index, at) = (machine.any(5), machine.terms.number(4));
        let word = machine.terms.leaf(Leaf::Calldata, &[at]);
        let place = machine.terms.add(at, index);
        let byte = machine.terms.leaf(Leaf::CalldataByte, &[place]);
        let [masked, narrower] = [160, 159].map(|bits| machine.terms.and_word(word, low(bits)));
        let without_last = machine.terms.and_word(word, !Word::ONE);
        let mut state = State::new(&machine.terms);
        assert_eq!(machine.byte_of_word(&state, index, word), byte);
        assert_ne!(machine.byte_of_word(&state, index, masked), byte);
        let bound = machine.terms.word(low(160) + Word::ONE);
        let is_narrow = machine.terms.lt(word, bound);
        state.conditions.assume(&mut machine.terms, is_narrow);
        assert_eq!(machine.byte_of_word(&state, index, masked), byte);
        for other in [narrower, without_last] {
            assert_ne!(machine.byte_of_word(&state, index, other), byte);
        }
    }

    #[test]
    fn calldata_has_an_end() {
        let mut machine = Machine::new(Solver::default(), Assumptions::ALL, Limits::default());
        let size = machine.terms.leaf(Leaf::Environment(Opcode::CALLDATASIZE, 0), &[]);
        let (index, one, zero) = (machine.any(64), machine.terms.one, machine.terms.zero);
        let [next, further] = [one, index].map(|more| machine.terms.add(size, more));
        for at in [size, next, further] {
            assert_eq!([machine.calldata_word(at), machine.calldata_byte(at)], [zero; 2]);
        }
        let (anywhere, before) = (machine.any(256), machine.terms.sub(size, one));
        let [sum, twice] = [anywhere, size].map(|more| machine.terms.add(size, more));
        for at in [sum, before, twice, anywhere, zero] {
            assert_ne!(machine.calldata_word(at), zero);
        }
    }
}
