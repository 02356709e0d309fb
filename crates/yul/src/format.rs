//! Canonical formatting of Yul text: layout and the spelling of strings, nothing else.
//!
//! All comments stay where they are, those with source locations too. The printer prints the tokens
//! that the parser read, one for one, so a comment belongs between the same two tokens as before.

use cairn_diag::Span;
use cairn_diag::comments::{CommentSyntax, collect, weave};

use crate::ast::{NameTable, Object};
use crate::dialect::Dialect;
use crate::lexer::{Lexer, TokenKind};
use crate::print::{DebugComments, print_object};

const SYNTAX: CommentSyntax =
    CommentSyntax { line: &["//"], line_ends: &['\n', '\r'], block: Some(("/*", "*/")) };

/// Spaces that the printer indents a block by.
const INDENT: usize = 4;

/// The canonical form of `text`, from which `object` was parsed without errors.
pub fn format(text: &str, object: &Object, names: &NameTable, dialect: &Dialect) -> String {
    let printed = print_object(object, names, dialect, DebugComments::Omit) + "\n";
    let (source, tokens) = (tokens(text), tokens(&printed));
    debug_assert_eq!(source.len(), tokens.len(), "each token is printed once");
    weave(&printed, &tokens, &collect(text, &source, &SYNTAX), INDENT)
}

fn tokens(text: &str) -> Vec<Span> {
    let mut lexer = Lexer::new(text);
    let all = std::iter::from_fn(|| Some(lexer.next_token()));
    all.take_while(|token| token.kind != TokenKind::EndOfSource).map(|token| token.span).collect()
}

#[cfg(test)]
mod tests {
    use cairn_diag::FileId;

    use super::*;
    use crate::parse;

    fn formatted(text: &str) -> String {
        let dialect = Dialect::default();
        let parsed = parse(text, FileId(0), &dialect);
        assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
        let object = parsed.object.expect("invariant: no errors");
        format(text, &object, &parsed.names, &dialect)
    }

    /// Formats and compares; then formats what was formatted.
    fn check(text: &str, expected: &str) {
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected);
    }

    #[test]
    fn comments_have_lines_of_their_own_or_stay_behind_code() {
        check(
            "// top\n{ let x := 1 // one\n\n// two\n/* three */ pop(x) }\n/* end */",
            "// top\n{\n    let x := 1 // one\n    // two\n    /* three */ pop(x)\n}\n/* end */\n",
        );
    }

    #[test]
    fn comments_break_braces_on_one_line() {
        check("{ // empty\n}", "{ // empty\n}\n");
        check("{\n// empty\n}", "{\n    // empty\n}\n");
        check("{ { let x := 1 // one\n } }", "{\n    {\n        let x := 1 // one\n    }\n}\n");
        check("{ /* short */ let x := 1 }", "{ /* short */ let x := 1 }\n");
        check(
            "{ for { let i := 0 /* zero\n*/\n } i {} {} }",
            "{\n    for {\n        let i := 0 /* zero\n*/\n    } i { }\n    { }\n}\n",
        );
    }

    #[test]
    fn comments_stand_inside_expressions() {
        check("{ pop(/* a */ 1) }", "{ pop(/* a */ 1) }\n");
        check("{ pop(add(1 /* a */, // b\n2)) }", "{\n    pop(add(1 /* a */, // b\n        2))\n}\n");
        check("{ pop /* a */ (1) }", "{ pop /* a */ (1) }\n");
    }

    #[test]
    fn source_locations_stay() {
        check(
            "/// @use-src 0:\"a\"\nobject \"o\" { code { /// @src 0:1:2  \"x\"\nlet x := /** @src 0:3:4 */ 1 } }",
            "/// @use-src 0:\"a\"\nobject \"o\" {\n    code { /// @src 0:1:2  \"x\"\n        let x := /** @src 0:3:4 */ 1\n    }\n}\n",
        );
    }
}
