//! The syntax tree.
//!
//! Names are interned in the [`NameTable`] of the compilation; two equal names are equal ids. The
//! tree is owned boxes and vectors, so that a pass can take it apart and put it together again. Nodes
//! are small, and the usual numbers of variables and arguments need no memory of their own: time on
//! large programs is the time to read and move them.

use std::hash::BuildHasher;
use std::ops::Range;

pub use cairn_diag::Span;
use cairn_evm::Word;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::dialect::Builtin;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct YulName(pub u32);

/// Interned names in order of first use.
///
/// All texts lie behind each other, and the index holds their hashes, so that it grows without a look
/// at them.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    texts: String,
    /// Where each text ends.
    ends: Vec<u32>,
    /// The newest name whose text has this hash.
    index: FxHashMap<u32, YulName>,
    /// Names whose text has the hash of an older one, with that older one.
    collisions: FxHashMap<YulName, YulName>,
}

impl NameTable {
    /// The id of `text`, made if it is new.
    pub fn intern(&mut self, text: &str) -> YulName {
        let hash = hash_of(text);
        let newest = self.index.get(&hash).copied();
        if let Some(name) = self.find(newest, text) {
            return name;
        }
        let name = YulName(self.ends.len() as u32);
        self.texts.push_str(text);
        self.ends
            .push(u32::try_from(self.texts.len()).expect("invariant: names have less than 4 GiB of text"));
        self.index.insert(hash, name);
        if let Some(older) = newest {
            self.collisions.insert(name, older);
        }
        name
    }

    /// The id of `text`, if it is known.
    pub fn get(&self, text: &str) -> Option<YulName> {
        self.find(self.index.get(&hash_of(text)).copied(), text)
    }

    /// The name with this text among `newest` and older ones with the same hash.
    fn find(&self, newest: Option<YulName>, text: &str) -> Option<YulName> {
        let mut candidate = newest;
        while let Some(name) = candidate {
            if self.bytes(name) == text.as_bytes() {
                return candidate;
            }
            candidate = self.collisions.get(&name).copied();
        }
        None
    }

    /// The text of a name.
    pub fn text(&self, name: YulName) -> &str {
        &self.texts[self.place(name)]
    }

    fn bytes(&self, name: YulName) -> &[u8] {
        &self.texts.as_bytes()[self.place(name)]
    }

    fn place(&self, name: YulName) -> Range<usize> {
        let index = name.0 as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[index] as usize
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Half of a hash: the index is small, and names that share a value are found by way of each other.
fn hash_of(text: &str) -> u32 {
    let hash = FxBuildHasher.hash_one(text);
    (hash >> 32) as u32 ^ hash as u32
}

/// A location from an `@src` comment: byte range of a source unit; −1 where unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SrcLoc {
    /// Index of the source unit.
    pub source: i32,
    /// First byte.
    pub start: i32,
    /// One past the last byte.
    pub end: i32,
}

/// Index in [`Object::src_locs`]; [`SrcRef::NONE`] for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SrcRef(pub u32);

impl SrcRef {
    /// No location.
    pub const NONE: SrcRef = SrcRef(u32::MAX);
}

impl Default for SrcRef {
    fn default() -> Self {
        SrcRef::NONE
    }
}

/// A name with its place.
#[derive(Clone, Copy, Debug)]
pub struct Identifier {
    /// The name.
    pub name: YulName,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// The variables that a statement declares or assigns to: one as a rule.
pub type Identifiers = SmallVec<[Identifier; 1]>;

/// What a literal was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralKind {
    /// Decimal or `0x` hexadecimal.
    Number,
    /// `"…"` or `hex"…"`.
    String,
    /// `true` or `false`.
    Bool,
}

/// A literal.
#[derive(Clone, Debug)]
pub struct Literal {
    /// What it was written as.
    pub kind: LiteralKind,
    /// The word; strings are left-aligned. Zero for a string over 32 bytes, which may stand only
    /// where a builtin takes a name or bytes.
    pub value: Word,
    /// How to print it: digits as written, or the bytes of a string. `None` for literals made by
    /// passes, which are printed canonically.
    pub text: Option<Box<[u8]>>,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A builtin of the dialect.
    Builtin(Builtin),
    /// A function of the program.
    User(YulName),
}

/// The arguments of a call: two or fewer as a rule.
pub type Arguments = SmallVec<[Expression; 2]>;

/// A call of a builtin or function.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Who is called.
    pub callee: Callee,
    /// Arguments in source order; evaluated right to left.
    pub args: Arguments,
    /// Place in the Yul text, of the whole call.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A literal.
    Literal(Box<Literal>),
    /// A variable.
    Identifier(Identifier),
    /// A call.
    Call(Box<FunctionCall>),
}

/// `{ … }`
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Statements in order.
    pub statements: Vec<Statement>,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `let a, b := e`
#[derive(Clone, Debug)]
pub struct VariableDeclaration {
    /// Names.
    pub variables: Identifiers,
    /// Value; zero where there is none.
    pub value: Option<Expression>,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `a, b := e`
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Names.
    pub targets: Identifiers,
    /// Value.
    pub value: Expression,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `if e { … }`
#[derive(Clone, Debug)]
pub struct If {
    /// Condition.
    pub condition: Expression,
    /// Executed when the condition is not zero.
    pub body: Block,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `case l { … }` or `default { … }`
#[derive(Clone, Debug)]
pub struct Case {
    /// `None` for `default`.
    pub value: Option<Literal>,
    /// Body.
    pub body: Block,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `switch e case … default …`
#[derive(Clone, Debug)]
pub struct Switch {
    /// Compared expression.
    pub expression: Expression,
    /// Cases in source order, `default` last.
    pub cases: Vec<Case>,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `for { init } condition { post } { body }`
#[derive(Clone, Debug)]
pub struct For {
    /// Its variables scope over condition, post and body.
    pub init: Block,
    /// Condition.
    pub condition: Expression,
    /// Runs after the body and on `continue`.
    pub post: Block,
    /// Body.
    pub body: Block,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// `function f(a, b) -> c { … }`
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// Name.
    pub name: Identifier,
    /// Parameters.
    pub parameters: Vec<Identifier>,
    /// Return variables; they start at zero.
    pub returns: Vec<Identifier>,
    /// Body.
    pub body: Block,
    /// Place in the Yul text.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A call without results.
    Expression(Expression, Span, SrcRef),
    /// A declaration.
    Let(VariableDeclaration),
    /// An assignment.
    Assign(Assignment),
    /// `if`.
    If(If),
    /// `switch`.
    Switch(Switch),
    /// `for`.
    For(Box<For>),
    /// A function.
    Function(Box<FunctionDefinition>),
    /// `break`
    Break(Span, SrcRef),
    /// `continue`
    Continue(Span, SrcRef),
    /// `leave`
    Leave(Span, SrcRef),
    /// A nested block.
    Block(Block),
}

/// `data "name" …`
#[derive(Clone, Debug)]
pub struct DataBlob {
    /// Name.
    pub name: Box<str>,
    /// Bytes.
    pub bytes: Vec<u8>,
    /// Written as `hex"…"`.
    pub is_hex: bool,
    /// Place in the Yul text.
    pub span: Span,
}

/// `object "name" { code { … } … }`, or a bare block.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Name; empty for a bare block.
    pub name: Box<str>,
    /// True when the input was a bare block.
    pub is_bare: bool,
    /// Code.
    pub code: Block,
    /// Data segments in order.
    pub data: Vec<DataBlob>,
    /// Nested objects in order.
    pub objects: Vec<Object>,
    /// Order of nested things as written: true for an object, false for data.
    pub order: Vec<bool>,
    /// Source units named by `@use-src`.
    pub source_names: Vec<(i32, Box<str>)>,
    /// Locations that [`SrcRef`]s of this object's code point to.
    pub src_locs: Vec<SrcLoc>,
    /// Comments that [`SrcRef`]s point to in an object that was made and has no locations.
    pub comments: Vec<Box<str>>,
    /// Place in the Yul text.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small() {
        assert!(size_of::<Expression>() <= 24, "{}", size_of::<Expression>());
        assert!(size_of::<FunctionCall>() <= 80, "{}", size_of::<FunctionCall>());
        assert!(size_of::<Statement>() <= 80, "{}", size_of::<Statement>());
    }
}
