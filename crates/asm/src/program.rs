//! Symbolic stack code.

use crate::eip8024;
use cairn_diag::SourceLoc;
use cairn_evm::{Opcode, Word};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A jump destination of one [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// A table of positions in [`Program::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u32);

/// Bytes of an entry of a table.
pub(crate) const ENTRY_BYTES: usize = 2;

/// Entries of a table at most: what a push holds.
pub(crate) const MAX_ENTRIES: usize = 32 / ENTRY_BYTES;

/// A name in [`Program::names`]: a data segment, sub-object, immutable or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// What one item assembles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// An opcode without immediate bytes; pushes have kinds of their own.
    Op(Opcode),
    /// An opcode with one immediate byte: `DUPN`, `SWAPN`, `EXCHANGE`, encoded as
    /// [`crate::eip8024`] says.
    OpImmediate(Opcode, u8),
    /// The shortest push of a word (`PUSH0` where the fork has it).
    Push(Word),
    /// `PUSHn` with exactly this width, even if fewer bytes would do. The word fits.
    PushSized(Word, u8),
    /// The position of a label.
    PushLabel(Label),
    /// The positions of the labels of a table, two bytes each, the first one lowest.
    PushTable(TableId),
    /// A jump destination.
    Label(Label),
    /// The offset in this object's code of a data segment or sub-object (0 for the object itself).
    /// Names are paths, `.` between the parts.
    PushDataOffset(NameId),
    /// Its size in bytes.
    PushDataSize(NameId),
    /// The placeholder of an immutable: a push of zero of this width, from 1 to 32, patched at deployment
    /// with so many of the value's low bytes.
    PushImmutable(NameId, u8),
    /// Pops an offset in memory (top) and a value; stores the value in each placeholder of the
    /// immutable in the sub-object code that was copied there.
    AssignImmutable(NameId),
    /// The 20-byte address of a library, patched by the linker.
    PushLibrary(NameId),
    /// The bytes [`Program::blobs`] holds, which take and leave the given numbers of words.
    Verbatim {
        /// Index in [`Program::blobs`].
        blob: u32,
        /// Words taken.
        inputs: u8,
        /// Words left.
        outputs: u8,
    },
}

/// What a `JUMP` means for debuggers (the `i`, `o`, `-` of solc's source maps).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JumpKind {
    /// An ordinary jump.
    #[default]
    Plain,
    /// Into a function.
    Into,
    /// Out of a function.
    OutOf,
}

/// Bytes of the widest push.
pub(crate) const WORD_WIDTH: u8 = 32;

/// One item with its debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it assembles to.
    pub kind: ItemKind,
    /// Index in [`Program::locs`].
    pub loc: Option<u32>,
    /// Meaning of a jump.
    pub jump: JumpKind,
}

impl From<ItemKind> for Item {
    fn from(kind: ItemKind) -> Self {
        Item { kind, loc: None, jump: JumpKind::Plain }
    }
}

impl From<Opcode> for Item {
    fn from(opcode: Opcode) -> Self {
        ItemKind::Op(opcode).into()
    }
}

/// Hashes one number for each item: code is compared by its items all over the passes.
impl Hash for ItemKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let numbered = |kind: u64, number: u64| kind << 56 ^ number;
        state.write_u64(match self {
            ItemKind::Op(opcode) => numbered(0, u64::from(opcode.0)),
            ItemKind::OpImmediate(opcode, byte) => numbered(1, u64::from(opcode.0) << 8 | u64::from(*byte)),
            ItemKind::Push(word) => numbered(2, folded(word)),
            ItemKind::PushSized(word, width) => numbered(3, folded(word) ^ u64::from(*width) << 48),
            ItemKind::PushLabel(Label(label)) => numbered(4, u64::from(*label)),
            ItemKind::Label(Label(label)) => numbered(5, u64::from(*label)),
            ItemKind::PushDataOffset(NameId(name)) => numbered(6, u64::from(*name)),
            ItemKind::PushDataSize(NameId(name)) => numbered(7, u64::from(*name)),
            ItemKind::PushImmutable(NameId(name), width) => {
                numbered(8, u64::from(*name) ^ u64::from(*width) << 48)
            }
            ItemKind::AssignImmutable(NameId(name)) => numbered(9, u64::from(*name)),
            ItemKind::PushLibrary(NameId(name)) => numbered(10, u64::from(*name)),
            ItemKind::Verbatim { blob, .. } => numbered(11, u64::from(*blob)),
            ItemKind::PushTable(TableId(table)) => numbered(12, u64::from(*table)),
        });
    }
}

/// A word as one number. The limbs are turned apart, so that equal ones don't cancel each other.
fn folded(word: &Word) -> u64 {
    word.as_limbs().iter().fold(0, |folded: u64, limb| folded.rotate_left(23) ^ limb)
}

impl ItemKind {
    /// `DUPn`: copies the word at depth `n`, 1 being the top. More than 16 needs EIP-8024; `None`
    /// beyond its reach.
    pub fn dup(n: u16) -> Option<ItemKind> {
        match n {
            1..=16 => Some(ItemKind::Op(Opcode::dup(n as u8))),
            _ => eip8024::encode_single(n).map(|byte| ItemKind::OpImmediate(Opcode::DUPN, byte)),
        }
    }

    /// `SWAPn`: exchanges the top with the word `n` below it. More than 16 needs EIP-8024; `None`
    /// beyond its reach.
    pub fn swap(n: u16) -> Option<ItemKind> {
        match n {
            1..=16 => Some(ItemKind::Op(Opcode::swap(n as u8))),
            _ => eip8024::encode_single(n).map(|byte| ItemKind::OpImmediate(Opcode::SWAPN, byte)),
        }
    }

    /// `EXCHANGE`: exchanges the words `n` and `m` below the top (EIP-8024); `None` beyond its
    /// reach.
    pub fn exchange(n: u16, m: u16) -> Option<ItemKind> {
        eip8024::encode_pair(n, m).map(|byte| ItemKind::OpImmediate(Opcode::EXCHANGE, byte))
    }

    /// True for items that push a word of their own, whatever is on the stack.
    pub fn is_push(self) -> bool {
        match self {
            ItemKind::Push(_)
            | ItemKind::PushSized(..)
            | ItemKind::PushLabel(_)
            | ItemKind::PushTable(_)
            | ItemKind::PushDataOffset(_)
            | ItemKind::PushDataSize(_)
            | ItemKind::PushImmutable(..)
            | ItemKind::PushLibrary(_) => true,
            ItemKind::Op(_)
            | ItemKind::OpImmediate(..)
            | ItemKind::Label(_)
            | ItemKind::AssignImmutable(_)
            | ItemKind::Verbatim { .. } => false,
        }
    }

    /// True when control never goes on to the next item.
    pub fn is_terminator(self) -> bool {
        match self {
            ItemKind::Op(opcode) => opcode == Opcode::JUMP || opcode.halts(),
            ItemKind::OpImmediate(..)
            | ItemKind::Push(_)
            | ItemKind::PushSized(..)
            | ItemKind::PushLabel(_)
            | ItemKind::PushTable(_)
            | ItemKind::Label(_)
            | ItemKind::PushDataOffset(_)
            | ItemKind::PushDataSize(_)
            | ItemKind::PushImmutable(..)
            | ItemKind::AssignImmutable(_)
            | ItemKind::PushLibrary(_)
            | ItemKind::Verbatim { .. } => false,
        }
    }
}

/// The code of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Name of the object.
    pub name: String,
    /// The code.
    pub items: Vec<Item>,
    /// One more than the largest label.
    pub num_labels: u32,
    /// Names used by items.
    pub names: Vec<String>,
    /// Labels of the tables used by items, each from 1 to [`MAX_ENTRIES`] of them.
    pub tables: Vec<Vec<Label>>,
    /// Verbatim bytes used by items.
    pub blobs: Vec<Vec<u8>>,
    /// Source locations used by items.
    pub locs: Vec<SourceLoc>,
    /// Variables of the source that have a place before the items with this location.
    pub variables: BTreeMap<u32, Vec<Variable>>,
    /// Data segments: name, bytes.
    pub data: Vec<(String, Vec<u8>)>,
    /// Sub-objects in order.
    pub subs: Vec<Program>,
}

/// A variable of the source and where it lives before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type, as the source spells it.
    pub ty: String,
    /// Where it lives; where its words live, in the order of memory, if it has several.
    pub places: Vec<VariablePlace>,
}

/// Where a variable of one word lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariablePlace {
    /// So many words below the top of the stack.
    Stack(u64),
    /// A word of memory at this address.
    Memory(u64),
}

impl Program {
    /// An empty program.
    pub fn new(name: impl Into<String>) -> Self {
        Program { name: name.into(), ..Program::default() }
    }

    /// A label that no item uses yet.
    pub fn new_label(&mut self) -> Label {
        let label = Label(self.num_labels);
        self.num_labels += 1;
        label
    }

    /// A table with these entries that no item uses yet.
    pub fn add_table(&mut self, entries: Vec<Label>) -> TableId {
        self.tables.push(entries);
        TableId(self.tables.len() as u32 - 1)
    }

    /// The labels whose positions an item pushes.
    pub fn pushed_labels<'a>(&'a self, kind: &'a ItemKind) -> &'a [Label] {
        match kind {
            ItemKind::PushLabel(label) => std::slice::from_ref(label),
            ItemKind::PushTable(TableId(table)) => {
                self.tables.get(*table as usize).map_or(&[], Vec::as_slice)
            }
            _ => &[],
        }
    }

    /// The id of a name, added if it is new. Linear in the number of names.
    pub fn name_id(&mut self, name: &str) -> NameId {
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        NameId(index as u32)
    }

    /// The text of a name; empty when the id is of another program.
    pub fn name_text(&self, id: NameId) -> &str {
        self.names.get(id.0 as usize).map_or("", String::as_str)
    }

    /// Appends an item without debug information.
    pub fn push_item(&mut self, kind: ItemKind) {
        self.items.push(kind.into());
    }
}
