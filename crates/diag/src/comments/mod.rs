//! Comments of a source, kept while the rest of it is printed anew.
//!
//! A formatter that prints a syntax tree has lost what is not in the tree. So comments are
//! [`collect`]ed from between the tokens of the source, and [`weave`] puts them back between the
//! tokens of the printed text. What a language has to know is which gap between printed tokens
//! stands for which gap of the source; where it prints the tokens it read, they are the same.
//!
//! Every comment comes out once, with its text, in order. One that had a line of its own gets one,
//! one behind code stays behind that code. Weaving again what was woven changes nothing, for the
//! layout depends on the gaps and on these two facts only, and both outlive it. Linear.

use crate::Span;

mod weave;

pub use weave::weave;

/// What a language's comments look like.
#[derive(Clone, Copy, Debug)]
pub struct CommentSyntax {
    /// What begins a comment that ends with its line.
    pub line: &'static [&'static str],
    /// What ends such a line.
    pub line_ends: &'static [char],
    /// What begins and ends a comment that need not end with its line.
    pub block: Option<(&'static str, &'static str)>,
}

/// A comment and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment<'a> {
    /// It stands in front of the token of this number; behind all of them if there is none.
    pub gap: usize,
    /// Its text, delimiters included.
    pub text: &'a str,
    /// A line break (or nothing) stands between it and what is in front of it.
    pub starts_line: bool,
    /// A line break (or nothing) stands between it and what follows.
    pub ends_line: bool,
}

/// The comments between `tokens` of `text`, in order.
pub fn collect<'a>(text: &'a str, tokens: &[Span], syntax: &CommentSyntax) -> Vec<Comment<'a>> {
    let mut comments = Vec::new();
    let mut start = 0;
    for gap in 0..=tokens.len() {
        let end = tokens.get(gap).map_or(text.len(), |token| token.start as usize);
        // Most gaps are a blank.
        if end > start + 1 {
            let behind = if end == text.len() { Behind::Nothing } else { Behind::Token };
            collect_gap(gap, &text[start..end], behind, syntax, &mut comments);
        }
        start = tokens.get(gap).map_or(end, |token| token.end as usize);
    }
    comments
}

/// What follows a gap between tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Token,
    Nothing,
}

fn collect_gap<'a>(
    gap: usize,
    text: &'a str,
    behind: Behind,
    syntax: &CommentSyntax,
    comments: &mut Vec<Comment<'a>>,
) {
    let mut rest = text;
    let mut starts_line = gap == 0;
    loop {
        let code = rest.trim_start();
        starts_line |= has_line_break(&rest[..rest.len() - code.len()]);
        let Some(character) = code.chars().next() else { return };
        rest = code;
        let Some(length) = comment_length(rest, syntax) else {
            // No blank and no comment: nothing of ours.
            rest = &rest[character.len_utf8()..];
            continue;
        };
        let (text, after) = rest.split_at(length);
        rest = after;
        let blank = &after[..after.len() - after.trim_start().len()];
        let ends_line = has_line_break(blank) || behind == Behind::Nothing && blank.len() == after.len();
        comments.push(Comment { gap, text: text.trim_end(), starts_line, ends_line });
        starts_line = false;
    }
}

fn has_line_break(blank: &str) -> bool {
    blank.contains(['\n', '\r'])
}

/// The length of the comment that `text` begins with.
fn comment_length(text: &str, syntax: &CommentSyntax) -> Option<usize> {
    if syntax.line.iter().any(|start| text.starts_with(start)) {
        return Some(text.find(syntax.line_ends).unwrap_or(text.len()));
    }
    let (start, end) = syntax.block?;
    let body = text.strip_prefix(start)?;
    Some(body.find(end).map_or(text.len(), |length| start.len() + length + end.len()))
}
