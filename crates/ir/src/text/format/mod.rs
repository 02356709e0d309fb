//! Canonical formatting of EVM-IR text, with its comments.
//!
//! The module is printed; then the items of each module get the order that they had in the source,
//! and each token of the source is looked up in the printed text, so that comments go back between
//! the tokens they stood between. Printing leaves tokens out (`phi`, `: void`) and adds some (types):
//! a comment next to one that is gone goes to the end of its line, or in front of the next one.

mod align;
mod outline;

use super::lex::{Kind, Token, lex};
use super::print::print;
use crate::module::Module;
use align::{Alignment, Line};
use cairn_diag::Span;
use cairn_diag::comments::{Comment, CommentSyntax, collect, weave};

const SYNTAX: CommentSyntax = CommentSyntax { line: &["//", ";"], line_ends: &['\n'], block: None };

/// Spaces a level.
const INDENT: usize = 2;

/// The canonical form of `text`, from which `module` was parsed without errors.
///
/// ```
/// let text = "module @M { func @__entry() { evm.stop } } // end";
/// let module = cairn_ir::text::parse(text, cairn_diag::FileId(0)).expect("well-formed");
/// let formatted = cairn_ir::text::format(text, &module);
/// assert_eq!(formatted, "module @M {\n  func @__entry() {\n  ^0:\n    evm.stop\n  }\n} // end\n");
/// ```
pub fn format(text: &str, module: &Module) -> String {
    let printed = print(module);
    let source = Tokens::new(text);
    let canonical = Tokens::new(&printed);
    let lines = align::lines(&source, &canonical);
    let (printed, tokens) = write_lines(&canonical, &lines);
    let spans: Vec<Span> = source.tokens.iter().map(|token| token.span).collect();
    let mut comments = collect(text, &spans, &SYNTAX);
    if !comments.is_empty() {
        let alignment = Alignment::new(&source, &canonical, &lines);
        move_comments(&mut comments, &alignment);
    }
    weave(&printed, &tokens, &comments, INDENT)
}

/// A text and its tokens, without the one at the end.
struct Tokens<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        let mut tokens = lex(text);
        tokens.pop_if(|token| token.kind == Kind::End);
        Tokens { text, tokens }
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn source(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.span.start as usize..token.span.end as usize])
    }
}

/// The printed lines in their new order, and where their tokens are in it.
fn write_lines(canonical: &Tokens<'_>, lines: &[Line]) -> (String, Vec<Span>) {
    let mut out = String::with_capacity(canonical.text.len());
    let mut tokens = Vec::with_capacity(canonical.tokens.len());
    for line in lines {
        let first = canonical.tokens[line.printed.start].span.start as usize;
        let last = canonical.tokens[line.printed.end - 1].span.end as usize;
        let start = canonical.text[..first].rfind('\n').map_or(0, |end| end + 1);
        for token in &canonical.tokens[line.printed.clone()] {
            let moved = |at: u32| at as usize - start + out.len();
            tokens.push(Span::from(moved(token.span.start)..moved(token.span.end)));
        }
        out.push_str(&canonical.text[start..last]);
        out.push('\n');
    }
    (out, tokens)
}

/// Turns gaps between tokens of the source into gaps between printed tokens.
fn move_comments(comments: &mut [Comment<'_>], alignment: &Alignment) {
    let mut least = 0;
    for comment in comments {
        comment.gap = alignment.gap(comment).max(least);
        least = comment.gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use cairn_diag::FileId;

    fn formatted(text: &str) -> String {
        format(text, &parse(text, FileId(0)).expect("well-formed"))
    }

    /// Formats and compares; then formats what was formatted.
    fn check(text: &str, expected: &str) {
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected);
    }

    #[test]
    fn items_keep_their_order_and_comments() {
        check(
            "// a\nmodule @M { ; b\n func @__entry() {\n// c\nevm.stop // d\n// e\n}\n// f\n data @d = \"hi\" ; g\n// h\n}\n// i",
            "// a\nmodule @M { ; b\n  func @__entry() {\n  ^0:\n    // c\n    evm.stop // d\n    // e\n  }\n  // f\n  data @d = hex\"6869\" ; g\n  // h\n}\n// i\n",
        );
    }

    #[test]
    fn comments_of_tokens_that_go_stay() {
        check(
            "module @M { func @__entry() { // a\n ^e: %n = evm.callvalue // b\n evm.br ^l // c\n ^l: // d\n \
             // e\n %i = phi [ %n, ^e ], // f\n [ %j, ^l ] // g\n // h\n %j = evm.not %i // i\n \
             evm.condbr %j, ^l, ^d\n // j\n ^d: evm.return %i : u256 // k\n } }",
            "module @M {\n  func @__entry() { // a\n  ^e:\n    %n = evm.callvalue : u256 // b\n    \
             evm.br ^l(%n) // c\n  ^l(%i : u256): // d\n    // e\n    // f\n    // g\n    // h\n    \
             %j = evm.not %i : u256 // i\n    evm.condbr %j, ^l(%j), ^d\n  // j\n  ^d:\n    \
             evm.return %i // k\n  }\n}\n",
        );
    }

    #[test]
    fn literals_and_sums_become_instructions() {
        check(
            "// a\nfunc @__entry() { // b\n %p = evm.alloca 64 // c\n evm.mstore %p+32, 5 // d\n \
             evm.revert %p, 64 // e\n} // f",
            "module @main {\n  // a\n  func @__entry() { // b\n  ^0:\n    %p = evm.alloca 64 : ptr<0> // c\n    \
             %0 = evm.constant 32 : u256\n    %1 = evm.ptr_add %p, %0 : ptr<0>\n    \
             %2 = evm.constant 5 : u256\n    evm.mstore %1, %2 // d\n    %3 = evm.constant 64 : u256\n    \
             evm.revert %p, %3 // e\n  } // f\n}\n",
        );
    }

    #[test]
    fn comments_break_instructions() {
        check(
            "module @M { func @f(%a : u256, // a\n %b : u256) { ^x: %c = evm.add %a, // b\n %b evm.return %c } }",
            "module @M {\n  func @f(%a : u256, // a\n    %b : u256) {\n  ^x:\n    %c = evm.add %a, // b\n      \
             %b : u256\n    evm.return %c\n  }\n}\n",
        );
    }
}
