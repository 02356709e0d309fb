//! The Yul language: syntax tree, lexer, parser, name resolution, printer.

pub mod ast;
pub mod dialect;

pub use ast::{
    Assignment, Block, Callee, Case, DataBlob, Expression, For, FunctionCall, FunctionDefinition, Identifier, If,
    Literal, LiteralKind, NameTable, Object, Span, SrcLoc, SrcRef, Statement, Switch, VariableDeclaration,
    YulName,
};
pub use dialect::{Builtin, Dialect};
