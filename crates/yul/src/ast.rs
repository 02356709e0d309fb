//! The syntax tree.
//!
//! Names are interned in the [`NameTable`] of the compilation; two equal names are equal ids. The
//! tree is owned boxes and vectors, so that a pass can take it apart and put it together again.

use std::sync::Arc;

pub use cairn_diag::Span;
use cairn_evm::Word;
use rustc_hash::FxHashMap;

use crate::dialect::Builtin;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct YulName(pub u32);

/// Interned names in order of first use.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    texts: Vec<Arc<str>>,
    index: FxHashMap<Arc<str>, YulName>,
}

impl NameTable {
    /// The id of `text`, made if it is new.
    pub fn intern(&mut self, text: &str) -> YulName {
        if let Some(name) = self.index.get(text) {
            return *name;
        }
        let name = YulName(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.index.insert(text, name);
        name
    }

    /// The id of `text`, if it is known.
    pub fn get(&self, text: &str) -> Option<YulName> {
        self.index.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: YulName) -> &str {
        &self.texts[name.0 as usize]
    }

    /// The text of a name, to be kept while names are added.
    pub fn shared_text(&self, name: YulName) -> Arc<str> {
        self.texts[name.0 as usize].clone()
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True when there is no name.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
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

/// A call of a builtin or function.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Who is called.
    pub callee: Callee,
    /// Arguments in source order; evaluated right to left.
    pub args: Vec<Expression>,
    /// Place in the Yul text, of the whole call.
    pub span: Span,
    /// Source location.
    pub src: SrcRef,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A literal.
    Literal(Literal),
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
    pub variables: Vec<Identifier>,
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
    pub targets: Vec<Identifier>,
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
    /// Place in the Yul text.
    pub span: Span,
}
