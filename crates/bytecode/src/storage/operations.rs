//! What operations make of symbols.

use super::chains::EMPTY;
use super::symbol::{Key, Link, Part, Root, Symbol, Symbols};
use cairn_evm::{Opcode, Word};

impl Symbols {
    /// The result of an operation on at most two words.
    pub(crate) fn apply(&mut self, op: Opcode, a: Symbol, b: Symbol) -> Symbol {
        if !self.is_word(a) && !self.is_word(b) {
            return self.apply_unknown(op, a, b);
        }
        match (op, self.word(a), self.word(b)) {
            (Opcode::CALLER | Opcode::ADDRESS | Opcode::ORIGIN | Opcode::COINBASE, ..) => {
                self.apply_unknown(op, a, b)
            }
            (Opcode::NOT | Opcode::ISZERO, Some(word), _) => self.folded(op, &[word]),
            (_, Some(left), Some(right)) => self.folded(op, &[left, right]),
            (Opcode::ADD, Some(word), None) => self.add(b, word),
            (Opcode::ADD, None, Some(word)) => self.add(a, word),
            (Opcode::SUB, None, Some(word)) => self.add(a, Word::ZERO.wrapping_sub(word)),
            (Opcode::AND, Some(mask), None) => self.masked(b, mask),
            (Opcode::AND, None, Some(mask)) => self.masked(a, mask),
            (Opcode::SHR, Some(by), None) => self.shifted(b, by),
            (Opcode::SAR, Some(by), None) => {
                let shifted = self.shifted(b, by);
                self.signed(shifted)
            }
            (Opcode::DIV, None, Some(by)) if by.is_power_of_two() => {
                self.shifted(a, Word::from(by.trailing_zeros()))
            }
            (Opcode::SHL, Some(by), None) => self.left(b, by),
            (Opcode::MUL, Some(by), None) if by.is_power_of_two() => {
                self.left(b, Word::from(by.trailing_zeros()))
            }
            (Opcode::MUL, None, Some(by)) if by.is_power_of_two() => {
                self.left(a, Word::from(by.trailing_zeros()))
            }
            (Opcode::BYTE, Some(place), None) if place < Word::from(32) => {
                self.push(b, Link::Part(Part::new(248 - 8 * place.to::<u16>(), 8)))
            }
            (Opcode::SIGNEXTEND, Some(last), None) if last < Word::from(31) => {
                let part = Part { offset: 0, width: 8 * (last.to::<u16>() + 1), is_signed: true };
                self.push(b, Link::Part(part))
            }
            _ => self.apply_unknown(op, a, b),
        }
    }

    /// The same where what constants the words are makes no difference.
    fn apply_unknown(&mut self, op: Opcode, a: Symbol, b: Symbol) -> Symbol {
        match op {
            Opcode::CALLER | Opcode::ADDRESS | Opcode::ORIGIN | Opcode::COINBASE => Symbol::ADDRESS,
            Opcode::ADD => self.indexed(a, b),
            Opcode::OR => match (self.is_cleared(a), self.is_cleared(b)) {
                (true, _) => a,
                (_, true) => b,
                _ => Symbol::UNKNOWN,
            },
            Opcode::ISZERO | Opcode::EQ | Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT => Symbol::BIT,
            _ => Symbol::UNKNOWN,
        }
    }

    fn folded(&mut self, op: Opcode, words: &[Word]) -> Symbol {
        match cairn_evm::word::eval(op, words) {
            Some(word) => self.constant(word),
            None => Symbol::UNKNOWN,
        }
    }

    /// Bits that a symbol has at most, where something is known of that.
    pub(crate) fn bits(&self, symbol: Symbol) -> Option<u16> {
        if let Some(word) = self.word(symbol) {
            return u16::try_from(word.bit_len()).ok();
        }
        match self.last(symbol.chain)? {
            (Link::Part(part), _) => Some(part.width),
            _ => None,
        }
    }

    pub(crate) fn is_cleared(&self, symbol: Symbol) -> bool {
        symbol.root() != Root::Unknown && matches!(self.last(symbol.chain), Some((Link::Clear(_), _)))
    }

    fn add(&mut self, symbol: Symbol, word: Word) -> Symbol {
        match u32::try_from(word) {
            Ok(0) => symbol,
            // An index that comes from elsewhere, and the slot of an array of fixed length.
            Ok(slot) if self.is_index(symbol) => self.array_at(slot),
            Ok(more) => self.push(symbol, Link::Add(more)),
            // A large constant is the place, and the other word the index.
            Err(_) if !self.is_place(symbol) && Word::ZERO.wrapping_sub(word) > Word::from(u32::MAX) => {
                let base = self.constant(word);
                self.push(base, Link::Index)
            }
            Err(_) => Symbol::UNKNOWN,
        }
    }

    /// True for a word of which nothing is known, that was loaded, or that is a part of another.
    fn is_index(&self, symbol: Symbol) -> bool {
        match self.last(symbol.chain) {
            None => matches!(symbol.root(), Root::Unknown | Root::Load(_)),
            Some((Link::Part(_), before)) => before == EMPTY,
            Some(_) => self.is_scaled(symbol),
        }
    }

    /// True for a multiple of a word: what is added to the slot of an array whose items have several slots.
    fn is_scaled(&self, symbol: Symbol) -> bool {
        matches!(self.last(symbol.chain), Some((Link::Left(_), _))) && !self.is_place(symbol)
    }

    /// True for a hash that places are made of, and what is added to one.
    pub(crate) fn is_place(&self, symbol: Symbol) -> bool {
        self.has_link(symbol.chain, |link| matches!(link, Link::Mapping(_) | Link::Data | Link::Index))
    }

    fn indexed(&mut self, a: Symbol, b: Symbol) -> Symbol {
        let base = match (self.is_place(a), self.is_place(b)) {
            (true, false) => a,
            (false, true) => b,
            _ if matches!((a.root(), a.chain), (Root::Entry(_), EMPTY)) && self.is_scaled(b) => a,
            _ if matches!((b.root(), b.chain), (Root::Entry(_), EMPTY)) && self.is_scaled(a) => b,
            _ => match ((a.root(), a.chain), (b.root(), b.chain)) {
                ((Root::Entry(_), EMPTY), (Root::Unknown, _)) => a,
                ((Root::Unknown, _), (Root::Entry(_), EMPTY)) => b,
                ((Root::Entry(a), EMPTY), (Root::Entry(b), EMPTY)) => {
                    self.sums.push([a, b]);
                    return Symbol::of(Root::Sum(self.sums.len() as u32 - 1));
                }
                _ => return Symbol::UNKNOWN,
            },
        };
        self.push(base, Link::Index)
    }

    fn masked(&mut self, symbol: Symbol, mask: Word) -> Symbol {
        if mask == Word::MAX {
            return symbol;
        }
        let kept = ones_of(mask);
        let cleared = || ones_of(!mask).map(Link::Clear);
        match kept.filter(|part| part.offset == 0).map(Link::Part).or_else(cleared) {
            Some(link) => self.push(symbol, link),
            None => kept.map_or(Symbol::UNKNOWN, |part| self.push(symbol, Link::Part(part))),
        }
    }

    fn shifted(&mut self, symbol: Symbol, by: Word) -> Symbol {
        match u16::try_from(by) {
            Ok(0) => symbol,
            Ok(bits @ 1..256) => self.push(symbol, Link::Part(Part::new(bits, 256 - bits))),
            _ => Symbol::UNKNOWN,
        }
    }

    fn signed(&mut self, symbol: Symbol) -> Symbol {
        match self.last(symbol.chain) {
            Some((Link::Part(part), _)) => {
                self.push(symbol, Link::Part(Part { offset: 0, is_signed: true, ..part }))
            }
            _ => symbol,
        }
    }

    fn left(&mut self, symbol: Symbol, by: Word) -> Symbol {
        match u16::try_from(by) {
            Ok(0) => symbol,
            Ok(bits @ 1..256) => self.push(symbol, Link::Left(bits)),
            _ => Symbol::UNKNOWN,
        }
    }

    /// What kind of key a symbol is.
    pub(crate) fn key(&self, symbol: Symbol) -> Key {
        match self.last(symbol.chain) {
            Some((Link::Part(part), _)) if part.is_signed => Key::Int(part.width),
            Some((Link::Part(part), _)) => Key::Uint(part.width),
            Some((Link::Clear(part), _)) if part.offset == 0 && part.width.is_multiple_of(8) => {
                Key::FixedBytes((256 - part.width) / 8)
            }
            _ => Key::Word,
        }
    }
}

/// The part that is all ones where all else is zero.
fn ones_of(mask: Word) -> Option<Part> {
    if mask.is_zero() {
        return None;
    }
    let offset = mask.trailing_zeros();
    // What is added to the lowest one is carried behind the last of a run.
    let lowest = mask & Word::ZERO.wrapping_sub(mask);
    let is_run = (mask.wrapping_add(lowest) & mask).is_zero();
    is_run.then(|| Part::new(offset as u16, (mask.bit_len() - offset) as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_a_part_where_they_stand_in_a_row() {
        for (offset, width) in [(0, 1), (0, 8), (8, 160), (96, 160), (63, 2), (255, 1), (0, 256)] {
            let mask = Word::MAX >> (256 - width) << offset;
            assert_eq!(ones_of(mask), Some(Part::new(offset as u16, width as u16)));
            let with_gap = mask ^ Word::from(1) << (offset + width / 2);
            assert_eq!(ones_of(with_gap).is_some(), width == 2, "{offset} {width}");
        }
        assert_eq!(ones_of(Word::ZERO), None);
    }
}
