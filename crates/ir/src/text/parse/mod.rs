//! Text to [`Module`]. Collects every fault with its place; never panics; linear.
//!
//! Braces are matched first. The items of a module are read in order, bodies of functions skipped;
//! then the bodies, so that functions can be used before they are defined. In a body, values and
//! blocks can be used before they are defined too: a use gets a placeholder, which is replaced at
//! the end of the body. After a fault, reading goes on at the next line (in a body) or item.

mod body;
mod constant;
mod header;
mod inst;
mod item;
mod location;
mod operand;
mod stream;
mod types;

pub use stream::MAX_NESTING;

use crate::module::Module;
use cairn_diag::{Diagnostics, FileId};
use item::parse_file;
use stream::Stream;

/// The module in `text`, or all its faults in the order of their places.
///
/// # Errors
/// If the text is not one well-formed module. Well-formed is about grammar and names only; types
/// and the rest are checked by [`verify`](crate::verify::verify).
///
/// ```
/// let text = "module @M { func @__entry() { ^entry: evm.stop } }";
/// let module = cairn_ir::text::parse(text, cairn_diag::FileId(0)).expect("well-formed");
/// assert_eq!(cairn_ir::text::print(&module), "module @M {\n  func @__entry() {\n  ^entry:\n    evm.stop\n  }\n}\n");
/// ```
pub fn parse(text: &str, file: FileId) -> Result<Module, Diagnostics> {
    let mut stream = Stream::new(text, file);
    let module = parse_file(&mut stream);
    if module.is_some() && !stream.is_at_end() {
        stream.expected::<()>("the end of the file: one file is one module");
    }
    match module {
        Some(module) if !stream.diagnostics.has_errors() => Ok(module),
        _ => Err(sorted(stream.diagnostics)),
    }
}

fn sorted(diagnostics: Diagnostics) -> Diagnostics {
    let mut list: Vec<_> = diagnostics.into_iter().collect();
    list.sort_by_key(|diagnostic| diagnostic.span);
    let mut sorted = Diagnostics::default();
    list.into_iter().for_each(|diagnostic| sorted.push(diagnostic));
    sorted
}
