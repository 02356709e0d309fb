//! Places of storage: a slot, and the steps from there to what is read or written.

use super::chains::EMPTY;
use super::known_hashes::number_of;
use super::summary::Usage;
use super::symbol::{Key, Link, Part, Root, Symbol, Symbols};
use crate::type_names;
use cairn_evm::Word;
use smallvec::SmallVec;
use std::fmt::{Display, Formatter, Write};

/// What a key of a mapping is, by what the code does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyType {
    /// Unsigned, of so many bits; a word of which nothing is known has 256.
    Uint(u16),
    /// Signed, of so many bits.
    Int(u16),
    /// So many high bytes.
    FixedBytes(u16),
    /// Bytes or text of any length.
    Bytes,
}

impl From<Key> for KeyType {
    fn from(key: Key) -> KeyType {
        match key {
            Key::Word => KeyType::Uint(256),
            Key::Uint(bits) => KeyType::Uint(bits),
            Key::Int(bits) => KeyType::Int(bits),
            Key::FixedBytes(bytes) => KeyType::FixedBytes(bytes),
            Key::Bytes => KeyType::Bytes,
        }
    }
}

impl KeyType {
    /// The type in signatures.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::Uint(bits) => FieldType::Uint(bits).name(),
            KeyType::Int(bits) => FieldType::Int(bits).name(),
            KeyType::FixedBytes(bytes) => FieldType::FixedBytes(bytes).name(),
            KeyType::Bytes => FieldType::Bytes.name(),
        }
    }
}

impl Display for KeyType {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a field is, by what the code does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldType {
    /// Unsigned, of so many bits.
    Uint(u16),
    /// Signed, of so many bits.
    Int(u16),
    /// One byte that is tested for zero.
    Bool,
    /// One byte that is compared with other numbers than zero.
    Byte,
    /// So many high bytes of a word, which lie at the low end of the field.
    FixedBytes(u16),
    /// The head of bytes or text of any length.
    Bytes,
}

impl FieldType {
    /// The type in signatures; a number of bits or bytes that no type has leaves a word.
    pub fn name(self) -> &'static str {
        let known = match self {
            FieldType::Uint(1) | FieldType::Bool => Some("bool"),
            FieldType::Byte => type_names::uint(8),
            FieldType::Uint(160) => Some("address"),
            FieldType::Uint(bits) => type_names::uint(bits),
            FieldType::Int(bits) => type_names::int(bits),
            FieldType::FixedBytes(bytes) => type_names::fixed_bytes(bytes),
            FieldType::Bytes => Some("bytes"),
        };
        known.unwrap_or("uint256")
    }
}

impl Display for FieldType {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A field of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Field {
    pub(super) offset: u8,
    pub(super) size: u8,
    pub(super) kind: FieldType,
}

impl Field {
    /// The whole word.
    pub(super) const WORD: Field = Field { offset: 0, size: 32, kind: FieldType::Uint(256) };
    /// The whole word, where it says how many bytes there are.
    pub(super) const BYTES: Field = Field { offset: 0, size: 32, kind: FieldType::Bytes };

    /// The field that a part of a word is, if it is made of whole bytes.
    pub(super) fn of(part: Part, usage: Usage) -> Option<Field> {
        let kind = match part.width {
            8 if matches!(usage, Usage::Tested | Usage::Flag) => FieldType::Bool,
            8 if usage == Usage::Compared => FieldType::Byte,
            width if usage == Usage::Raised => FieldType::FixedBytes(width / 8),
            width if part.is_signed => FieldType::Int(width),
            width => FieldType::Uint(width),
        };
        part.is_field().then_some(Field {
            offset: (part.offset / 8) as u8,
            size: (part.width / 8) as u8,
            kind,
        })
    }
}

/// A step from a slot on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// To what a mapping has under a key.
    Key(KeyType),
    /// To where items of an array begin, or bytes.
    Items,
    /// So many slots further.
    Member(u32),
    /// Some number of slots further.
    Index,
}

impl PathStep {
    /// Writes the step as all outputs have it.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(self, out: &mut impl Write) -> std::fmt::Result {
        match self {
            PathStep::Key(key) => {
                out.write_str("[")?;
                out.write_str(key.name())?;
                out.write_str("]")
            }
            PathStep::Items => out.write_str("[]"),
            PathStep::Member(slots) => write!(out, "+{slots}"),
            PathStep::Index => out.write_str("+?"),
        }
    }
}

impl Display for PathStep {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.write_to(f)
    }
}

/// Steps one after the other, as all outputs have them; nothing for the slot itself.
pub fn path_text(steps: &[PathStep]) -> String {
    steps.iter().map(PathStep::to_string).collect()
}

/// A slot and the steps from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) slot: Word,
    pub(super) steps: SmallVec<[PathStep; 4]>,
}

impl Spot {
    /// The place that a word is when it is used as a slot; `None` where it is none.
    pub(super) fn of(symbol: Symbol, symbols: &Symbols) -> Option<Spot> {
        let index = match (symbol.root(), symbols.last(symbol.chain)) {
            (Root::Const(index), _) => index,
            // An index that was loaded, and the slot of an array of fixed length.
            (Root::Load(_), Some((Link::Add(slot), EMPTY))) => {
                let steps = SmallVec::from_slice(&[PathStep::Index]);
                return Some(Spot { slot: Word::from(slot), steps });
            }
            _ => return None,
        };
        let mut slot = symbols.words[index as usize];
        let mut steps: SmallVec<[PathStep; 4]> = SmallVec::new();
        if let Some((number, behind)) = number_of(slot) {
            slot = Word::from(number);
            steps.push(PathStep::Items);
            steps.extend((behind > 0).then_some(PathStep::Member(behind)));
        }
        for link in symbols.links(symbol.chain) {
            steps.push(match link {
                Link::Mapping(key) => PathStep::Key(key.into()),
                Link::Data => PathStep::Items,
                Link::Add(slots) => PathStep::Member(slots),
                Link::Index => PathStep::Index,
                Link::Part(_) | Link::Clear(_) | Link::Left(_) => return None,
            });
        }
        Some(Spot { slot, steps })
    }
}
