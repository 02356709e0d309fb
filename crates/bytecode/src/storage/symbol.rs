//! Words of the stack in terms of where they come from, as far as storage needs it.
//!
//! A [`Symbol`] is a root and a *chain*: what was made of it, step by step. Invariant: chains are interned,
//! so two that are equal have one number, and they have at most [`MAX_LINKS`] links.

use super::chains::{ChainId, Chains, EMPTY};
use cairn_evm::Word;
use cairn_evm::account::ACCOUNT_BITS;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Where a word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Root {
    Unknown,
    /// Index of a word.
    Const(u32),
    /// So many places below the top at the entry of the block.
    Entry(u32),
    /// What the `SLOAD` at an offset gave.
    Load(u32),
    /// What lay in memory at this address at the entry of the block.
    Memory(u32),
    /// Index of a sum of two words of the entry.
    Sum(u32),
}

/// A part of a word, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part {
    /// Bits below it.
    pub(crate) offset: u16,
    /// Its bits.
    pub(crate) width: u16,
    pub(crate) is_signed: bool,
}

impl Part {
    pub(crate) const fn new(offset: u16, width: u16) -> Part {
        Part { offset, width, is_signed: false }
    }

    /// True for whole bytes that are not all.
    pub(crate) fn is_field(self) -> bool {
        self.offset.is_multiple_of(8) && self.width.is_multiple_of(8) && self.width > 0 && self.width < 256
    }
}

/// What is made of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Link {
    /// The hash of a key and the word: the place of what a mapping has under a key.
    Mapping(Key),
    /// The hash of the word: where items of an array begin.
    Data,
    /// So much is added.
    Add(u32),
    /// Something is added.
    Index,
    /// A part of it, shifted to the low end.
    Part(Part),
    /// All but a part of it: others are cleared.
    Clear(Part),
    /// Shifted to the left.
    Left(u16),
}

/// What a key of a mapping is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    Word,
    Uint(u16),
    Int(u16),
    /// So many high bytes.
    FixedBytes(u16),
    /// Bytes of some length.
    Bytes,
}

/// Constants for each chain, about: there is room for so many chains at first.
const CONSTANTS_A_CHAIN: usize = 8;

/// Links of a chain.
const MAX_LINKS: u8 = 10;

/// What is added to a word that is no place: below this it is the slot of an array of fixed length,
/// and the word an index.
const MAX_ARRAY_SLOT: u32 = 1 << 16;

/// A word. It fits a register: running blocks copies hardly anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol {
    /// The root: which kind, and its number.
    packed: u32,
    pub(crate) chain: ChainId,
}

/// Bits of the number of a root.
const NUMBER_BITS: u32 = 29;

impl Symbol {
    pub(crate) const UNKNOWN: Symbol = Symbol::new(Root::Unknown, EMPTY);

    /// A hash of something that is not known.
    pub(crate) const HASH: Symbol = Symbol::new(Root::Unknown, 1);

    /// An address that nothing else is known of.
    pub(crate) const ADDRESS: Symbol = Symbol::new(Root::Unknown, 2);

    /// Zero or one.
    pub(crate) const BIT: Symbol = Symbol::new(Root::Unknown, 3);

    pub(crate) const fn of(root: Root) -> Symbol {
        Symbol::new(root, EMPTY)
    }

    /// A root and what is made of it. A number that does not fit leaves nothing that is known.
    pub(crate) const fn new(root: Root, chain: ChainId) -> Symbol {
        let (kind, number) = match root {
            Root::Unknown => (0, 0),
            Root::Const(number) => (1, number),
            Root::Entry(number) => (2, number),
            Root::Load(number) => (3, number),
            Root::Memory(number) => (4, number),
            Root::Sum(number) => (5, number),
        };
        if number >> NUMBER_BITS != 0 {
            return Symbol { packed: 0, chain: EMPTY };
        }
        Symbol { packed: kind << NUMBER_BITS | number, chain }
    }

    #[inline]
    pub(crate) fn root(self) -> Root {
        let number = self.packed & ((1 << NUMBER_BITS) - 1);
        match self.packed >> NUMBER_BITS {
            1 => Root::Const(number),
            2 => Root::Entry(number),
            3 => Root::Load(number),
            4 => Root::Memory(number),
            5 => Root::Sum(number),
            _ => Root::Unknown,
        }
    }

    /// The same root, with something else made of it.
    fn with_chain(self, chain: ChainId) -> Symbol {
        Symbol { chain, ..self }
    }
}

/// Interned chains, and the words of constants.
pub(crate) struct Symbols {
    pub(crate) words: Vec<Word>,
    /// Depths of two words of the entry that are added.
    pub(crate) sums: Vec<[u32; 2]>,
    chains: Chains<Link>,
    /// What two chains make one after the other, once that was asked for; `None` where they are too long.
    joined: FxHashMap<(ChainId, ChainId), Option<ChainId>>,
}

impl Symbols {
    /// No constants yet, and room for so many.
    pub(crate) fn new(constants: usize) -> Symbols {
        let room = constants / CONSTANTS_A_CHAIN;
        let mut chains = Chains::new(MAX_LINKS, room);
        let of_nothing = [
            (Symbol::HASH, Link::Data),
            (Symbol::ADDRESS, Link::Part(Part::new(0, ACCOUNT_BITS))),
            (Symbol::BIT, Link::Part(Part::new(0, 1))),
        ];
        for (symbol, link) in of_nothing {
            let chain = chains.push(EMPTY, link);
            debug_assert_eq!(chain, Some(symbol.chain), "the first chains have known numbers");
        }
        Symbols {
            words: Vec::with_capacity(constants),
            sums: Vec::new(),
            chains,
            joined: FxHashMap::with_capacity_and_hasher(room, FxBuildHasher),
        }
    }

    pub(crate) fn constant(&mut self, word: Word) -> Symbol {
        self.words.push(word);
        Symbol::of(Root::Const(self.words.len() as u32 - 1))
    }

    /// True for what [`Symbols::word`] knows.
    pub(crate) fn is_word(&self, symbol: Symbol) -> bool {
        symbol.chain == EMPTY && matches!(symbol.root(), Root::Const(_))
    }

    pub(crate) fn word(&self, symbol: Symbol) -> Option<Word> {
        match symbol.root() {
            Root::Const(index) if symbol.chain == EMPTY => Some(self.words[index as usize]),
            _ => None,
        }
    }

    /// The last link and the chain before it.
    pub(crate) fn last(&self, chain: ChainId) -> Option<(Link, ChainId)> {
        self.chains.last(chain)
    }

    /// True when some link of a chain is one that `is` says.
    pub(crate) fn has_link(&self, mut chain: ChainId, is: impl Fn(Link) -> bool) -> bool {
        while let Some((link, before)) = self.last(chain) {
            if is(link) {
                return true;
            }
            chain = before;
        }
        false
    }

    /// The links of a chain, the first first.
    pub(crate) fn links(&self, mut chain: ChainId) -> smallvec::SmallVec<[Link; 8]> {
        let mut links = smallvec::SmallVec::new();
        while let Some((link, before)) = self.last(chain) {
            links.push(link);
            chain = before;
        }
        links.reverse();
        links
    }

    /// The symbol with another link; unknown when there are too many.
    pub(crate) fn push(&mut self, symbol: Symbol, link: Link) -> Symbol {
        let chain = symbol.chain;
        let (link, before) = match (self.last(chain), link) {
            (None, Link::Add(more)) => match symbol.root() {
                Root::Const(index) => {
                    let sum = self.words[index as usize].wrapping_add(Word::from(more));
                    return self.constant(sum);
                }
                Root::Unknown => return Symbol::UNKNOWN,
                _ => (link, chain),
            },
            (Some((Link::Add(some), before)), Link::Add(more)) => match some.checked_add(more) {
                Some(sum) => (Link::Add(sum), before),
                None => (Link::Index, before),
            },
            (Some((Link::Index, _)), Link::Add(_) | Link::Index) => return symbol,
            (Some((Link::Add(_), before)), Link::Index) => (link, before),
            (Some((Link::Part(outer), before)), Link::Part(inner)) => match part_of(outer, inner) {
                Some(part) => (Link::Part(part), before),
                None => return Symbol::UNKNOWN,
            },
            (Some((Link::Left(left), before)), Link::Part(part)) => match part.offset.checked_sub(left) {
                Some(offset) => (Link::Part(Part { offset, ..part }), before),
                None => return Symbol::UNKNOWN,
            },
            _ => (link, chain),
        };
        self.chains.push(before, link).map_or(Symbol::UNKNOWN, |chain| symbol.with_chain(chain))
    }

    /// A place of an array of fixed length in a slot.
    pub(crate) fn array_at(&mut self, slot: u32) -> Symbol {
        if slot >= MAX_ARRAY_SLOT {
            return Symbol::UNKNOWN;
        }
        let slot = self.constant(Word::from(slot));
        self.push(slot, Link::Index)
    }

    fn begins_with_sum(&self, mut chain: ChainId) -> bool {
        while let Some((link, before)) = self.last(chain) {
            if before == EMPTY {
                return matches!(link, Link::Add(_));
            }
            chain = before;
        }
        false
    }

    /// What a chain makes of a symbol.
    #[inline]
    pub(crate) fn append(&mut self, symbol: Symbol, chain: ChainId) -> Symbol {
        if chain == EMPTY { symbol } else { self.append_links(symbol, chain) }
    }

    fn append_links(&mut self, symbol: Symbol, chain: ChainId) -> Symbol {
        match (symbol.root(), symbol.chain) {
            (Root::Unknown, _) => Symbol::UNKNOWN,
            // A constant and what is added to it is another constant.
            (Root::Const(_), EMPTY) if self.begins_with_sum(chain) => self.push_all(symbol, chain),
            // Links upon nothing are these links.
            (_, EMPTY) => symbol.with_chain(chain),
            // The root makes no difference where something was made of it already.
            (_, before) => {
                // One link takes as long to add as to look up.
                if let Some((link, EMPTY)) = self.last(chain) {
                    return self.push(symbol, link);
                }
                let known = self.joined.get(&(before, chain)).copied();
                let joined = known.unwrap_or_else(|| self.join(symbol, chain));
                joined.map_or(Symbol::UNKNOWN, |chain| symbol.with_chain(chain))
            }
        }
    }

    fn join(&mut self, symbol: Symbol, chain: ChainId) -> Option<ChainId> {
        let found = self.push_all(symbol, chain);
        let joined = (found.root() != Root::Unknown).then_some(found.chain);
        self.joined.insert((symbol.chain, chain), joined);
        joined
    }

    fn push_all(&mut self, symbol: Symbol, chain: ChainId) -> Symbol {
        let links = self.links(chain);
        links.into_iter().fold(symbol, |symbol, link| self.push(symbol, link))
    }
}

/// A part of a part.
fn part_of(outer: Part, inner: Part) -> Option<Part> {
    let width = outer.width.checked_sub(inner.offset)?.min(inner.width);
    let is_signed = inner.is_signed || (outer.is_signed && inner.width >= outer.width);
    (width > 0).then_some(Part { offset: outer.offset + inner.offset, width, is_signed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_behind_a_symbol_is_what_its_links_make_one_by_one() {
        let mut symbols = Symbols::new(64);
        let part = Link::Part(Part::new(0, 8));
        let entry = Symbol::of(Root::Entry(0));
        let (constant, hash) = (symbols.constant(Word::from(7)), symbols.push(entry, Link::Data));
        for links in [&[Link::Add(3)][..], &[Link::Add(3), part], &[Link::Add(3), Link::Data, part], &[part]]
        {
            let make = |symbols: &mut Symbols, base: Symbol| {
                links.iter().fold(base, |symbol, link| symbols.push(symbol, *link))
            };
            let chain = make(&mut symbols, entry).chain;
            for base in [constant, hash] {
                let (found, expected) = (symbols.append(base, chain), make(&mut symbols, base));
                let word = |symbol: Symbol| symbols.word(Symbol::of(symbol.root()));
                assert_eq!((found.chain, word(found)), (expected.chain, word(expected)), "{links:?}");
            }
        }
    }
}
