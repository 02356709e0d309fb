//! Symbolic stack code.

use cairn_evm::{Opcode, Word};

/// A jump destination of one [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// A name in [`Program::names`]: a data segment, sub-object, immutable or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// What one item assembles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// An opcode other than a push.
    Op(Opcode),
    /// The shortest push of a word (`PUSH0` where the fork has it).
    Push(Word),
    /// The position of a label.
    PushLabel(Label),
    /// A jump destination.
    Label(Label),
    /// The offset in this object's code of a data segment or sub-object (0 for the object itself).
    /// Names are paths, `.` between the parts.
    PushDataOffset(NameId),
    /// Its size in bytes.
    PushDataSize(NameId),
    /// The placeholder of an immutable: `PUSH32` of zero, patched at deployment.
    PushImmutable(NameId),
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

/// A byte range of a source unit, as in solc's source maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLoc {
    /// Index of the source unit; −1 for none.
    pub source: i32,
    /// First byte; −1 if unknown.
    pub start: i32,
    /// One past the last byte; −1 if unknown.
    pub end: i32,
}

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
    /// Verbatim bytes used by items.
    pub blobs: Vec<Vec<u8>>,
    /// Source locations used by items.
    pub locs: Vec<SourceLoc>,
    /// Data segments: name, bytes.
    pub data: Vec<(String, Vec<u8>)>,
    /// Sub-objects in order.
    pub subs: Vec<Program>,
}
