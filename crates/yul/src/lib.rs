//! The Yul language: syntax tree, lexer, parser, name resolution, printer.
//!
//! [`parse`] turns a text into a checked tree and a list of diagnostics:
//!
//! ```
//! use cairn_diag::FileId;
//! use cairn_yul::{Dialect, parse};
//!
//! let parsed = parse("{ let x := add(1, calldatasize()) }", FileId(0), &Dialect::default());
//! assert!(!parsed.diagnostics.has_errors());
//! let object = parsed.object.expect("a tree");
//! assert_eq!(object.code.statements.len(), 1);
//! ```

pub mod ast;
pub mod dialect;
pub mod error;
pub mod facts;
mod format;
pub mod interp;
pub mod lexer;
mod parser;
pub mod print;
mod resolve;

use cairn_diag::{Diagnostics, FileId};

pub use ast::{
    Arguments, Assignment, Block, Callee, Case, DataBlob, Expression, For, FunctionCall, FunctionDefinition,
    Identifier, Identifiers, If, Literal, LiteralKind, NameTable, Object, Span, SrcLoc, SrcRef, Statement,
    Switch, VariableDeclaration, YulName,
};
pub use dialect::{Argument, Builtin, Dialect, NameClass};
pub use error::{ErrorKind, Fault};
pub use format::format;
pub use parser::{MAX_ERRORS, MAX_NESTING};
pub use print::{DebugComments, literal_text, print_block, print_expression, print_object, print_statement};

pub use resolve::resolve;

/// What [`parse`] makes of a text.
#[derive(Debug)]
pub struct Parsed {
    /// The tree. It is there whenever the outermost structure could be read; it is complete and
    /// valid exactly when `diagnostics` has no errors.
    pub object: Option<Object>,
    /// The names in the tree.
    pub names: NameTable,
    /// Everything that is wrong with the text.
    pub diagnostics: Diagnostics,
}

/// Parses and checks an object or a bare block.
///
/// Never panics, whatever the text. The tree is at most [`MAX_NESTING`] levels deep, so walks over
/// it may recurse. Names and arities are checked when the text is in the grammar.
pub fn parse(text: &str, file: FileId, dialect: &Dialect) -> Parsed {
    let mut names = NameTable::default();
    if text.len() > lexer::MAX_SOURCE_BYTES {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Fault::FileTooLarge.at(file, Span::new(0, 0), "the file is larger than 4 GB"));
        return Parsed { object: None, names, diagnostics };
    }
    let parser = parser::Parser::new(text, file, *dialect, &mut names);
    let (object, mut diagnostics) = parser::parse_source(parser);
    let is_in_grammar = diagnostics.iter().all(|found| found.code == Fault::NumberTooLarge.code());
    if let Some(object) = object.as_ref().filter(|_| is_in_grammar) {
        diagnostics.extend(resolve(object, file, &names, dialect));
    }
    Parsed { object, names, diagnostics }
}
