//! Canonical formatting of assembly text: layout, and the spelling of mnemonics and literals.
//!
//! Unlike [`crate::print()`] of what was parsed it keeps the order of statements, the names of labels
//! and all comments. What [`crate::print()`] writes is in canonical form. Linear.

use crate::lex::{Lexeme, Token, lex};
use crate::parse::{literal, parse};
use crate::print::{NAMES, push_digits, quote};
use cairn_diag::comments::{CommentSyntax, collect, weave};
use cairn_diag::{Diagnostics, FileId, Span};
use cairn_evm::{Opcode, hex};

const SYNTAX: CommentSyntax = CommentSyntax { line: &[";", "//"], line_ends: &['\n'], block: None };

/// Spaces a level.
const INDENT: usize = 2;

/// The canonical form of a text.
///
/// # Errors
/// Everything that is wrong with the text, with its place.
///
/// ```
/// let text = "loop: push loop ; for ever\njump";
/// let formatted = cairn_asm::format(text, cairn_diag::FileId(0)).expect("it is a program");
/// assert_eq!(formatted, "loop:\n  PUSH loop ; for ever\n  JUMP\n");
/// ```
pub fn format(text: &str, file: FileId) -> Result<String, Diagnostics> {
    parse(text, file)?;
    let lexemes = lex(text);
    let mut formatter =
        Formatter { text, lexemes: &lexemes, out: String::with_capacity(text.len()), tokens: Vec::new() };
    formatter.statements();
    let source: Vec<Span> = lexemes.iter().map(|lexeme| lexeme.span).collect();
    let comments = collect(text, &source, &SYNTAX);
    Ok(weave(&formatter.out, &formatter.tokens, &comments, INDENT))
}

/// Writes the tokens of a well-formed text, one for one.
struct Formatter<'a> {
    text: &'a str,
    lexemes: &'a [Lexeme],
    out: String,
    tokens: Vec<Span>,
}

impl<'a> Formatter<'a> {
    fn statements(&mut self) {
        let mut depth = 0_usize;
        while let Some(first) = self.kind(self.tokens.len()) {
            let start = self.tokens.len();
            let is_label = self.kind(start + 1) == Some(Token::Colon);
            let word = self.source(start);
            let end = match word {
                _ if is_label => start + 2,
                "}" => start + 1,
                "data" | "object" => start + 3,
                _ => self.instruction_end(start),
            };
            if first == Token::CloseBrace {
                depth = depth.saturating_sub(1);
            }
            let is_inside = !is_label && !matches!(word, "}" | "data" | "object");
            self.out.extend(std::iter::repeat_n(' ', INDENT * (depth + usize::from(is_inside))));
            self.line(end);
            depth += usize::from(word == "object" && !is_label);
        }
    }

    /// Behind the last operand: words are operands behind pushes and `.loc`, in brackets and in parentheses only.
    fn instruction_end(&self, start: usize) -> usize {
        let word = self.source(start).to_ascii_uppercase();
        let pushed = Opcode::from_name(&word).and_then(Opcode::push_width);
        let takes_word = word == "PUSH" || pushed.is_some_and(|width| width > 0) || word == ".LOC";
        let mut at = start + 1;
        let mut is_in_parentheses = false;
        loop {
            let is_operand = match self.kind(at) {
                None | Some(Token::CloseBrace) => false,
                Some(Token::Word) => {
                    let is_in_brackets = self.kind(at - 1) == Some(Token::OpenBracket);
                    at == start + 1 && takes_word || is_in_brackets || is_in_parentheses
                }
                Some(_) => true,
            };
            if !is_operand {
                return at;
            }
            is_in_parentheses = match self.kind(at) {
                Some(Token::OpenParen) => true,
                Some(Token::CloseParen) => false,
                _ => is_in_parentheses,
            };
            at += 1;
        }
    }

    /// Writes the tokens of a statement up to `end`.
    fn line(&mut self, end: usize) {
        let first = self.tokens.len();
        let mnemonic = self.mnemonic(first);
        for at in first..end {
            let is_tight = matches!(self.source(at), "(" | ")" | "]" | ":")
                || at > first && matches!(self.source(at - 1), "(" | "[");
            if at > first && !is_tight {
                self.out.push(' ');
            }
            let start = self.out.len();
            match at == first {
                true => self.out.push_str(&mnemonic),
                false => {
                    let spelled = self.spelled(at, &mnemonic);
                    self.out.push_str(&spelled);
                }
            }
            self.tokens.push(Span::from(start..self.out.len()));
        }
        self.out.push('\n');
    }

    /// The first word of a statement: mnemonics have upper case and their newest name.
    fn mnemonic(&self, at: usize) -> String {
        let word = self.source(at);
        let is_plain = self.kind(at + 1) == Some(Token::Colon) || matches!(word, "data" | "object" | ".loc");
        if is_plain {
            return word.to_owned();
        }
        let upper = word.to_ascii_uppercase();
        match Opcode::from_name(&upper) {
            Some(opcode) => opcode.name(NAMES).to_owned(),
            None => upper,
        }
    }

    /// An operand.
    fn spelled(&self, at: usize, mnemonic: &str) -> String {
        let text = self.source(at);
        let spelled = match self.kind(at) {
            Some(Token::Number) => number(text, mnemonic),
            Some(Token::String) => literal::unescape(&text[1..text.len() - 1]).map(|plain| quote(&plain)),
            Some(Token::Hex) => literal::bytes(text).map(|bytes| format!("hex\"{}\"", hex::encode(&bytes))),
            _ => None,
        };
        spelled.unwrap_or_else(|| text.to_owned())
    }

    fn kind(&self, at: usize) -> Option<Token> {
        self.lexemes.get(at)?.token
    }

    fn source(&self, at: usize) -> &'a str {
        self.lexemes
            .get(at)
            .map_or("", |lexeme| &self.text[lexeme.span.start as usize..lexeme.span.end as usize])
    }
}

/// A number as [`crate::print()`] writes it behind this mnemonic.
fn number(text: &str, mnemonic: &str) -> Option<String> {
    if mnemonic == ".loc" {
        return text.parse::<i32>().ok().map(|number| number.to_string());
    }
    let word = literal::number(text)?;
    let width = Opcode::from_name(mnemonic).and_then(Opcode::push_width);
    Some(match (mnemonic, width) {
        ("PUSH", _) => format!("{word:#x}"),
        ("OP", _) => format!("{word:#04x}"),
        (_, Some(width)) => push_digits(word, width),
        (_, None) => word.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::print;

    fn formatted(text: &str) -> String {
        format(text, FileId(0)).expect("well-formed")
    }

    #[test]
    fn order_names_and_comments_stay() {
        let text = "; a\nobject \"o\" { ; b\n// c\n data \"d\" hex\"0A_0B\" ; d\n again: push // e\n again jump[in]\n\
                    op 1 DUPN 17 .loc 1 -1 2 push2 7 ; f\n push size(\"d\") sha3 }; g";
        let expected = "; a\nobject \"o\" { ; b\n  // c\n  data \"d\" hex\"0a0b\" ; d\n  again:\n    \
                        PUSH // e\n      again\n    JUMP [in]\n    OP 0x01\n    DUPN 17\n    .loc 1 -1 2\n    \
                        PUSH2 0x0007 ; f\n    PUSH size(\"d\")\n    KECCAK256\n} ; g\n";
        assert_eq!(formatted(text), expected);
        assert_eq!(formatted(expected), expected);
    }

    #[test]
    fn what_is_printed_is_canonical() {
        let text = "object \"a\" { .loc 0 1 2 L0: PUSH L0 PUSH 0x10 PUSH2 0x0010 .loc none PUSH0 JUMP [out] \
                    VERBATIM 1 2 hex\"6001\" PUSH immutable(\"i\\\"\") PUSH20 immutable(\"i\") PUSH table(L0 L0) SWAPN 18 OP 0x0c EXCHANGE 1 2 \
                    data \"x\" hex\"00\" object \"b\" { STOP } }";
        let printed = print(&parse(text, FileId(0)).expect("well-formed"));
        assert_eq!(formatted(&printed), printed);
    }

    #[test]
    fn a_text_of_comments_only_stays() {
        assert_eq!(formatted("; a\n\n; b"), "; a\n; b\n");
        assert_eq!(formatted(""), "");
    }
}
