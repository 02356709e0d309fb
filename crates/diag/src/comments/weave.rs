//! Where comments go in printed text.
//!
//! Braces that were printed with their content on one line are broken into lines where a comment
//! in them needs a line end. A comment that needs one elsewhere breaks its line, and what follows
//! is indented once more.

use super::Comment;
use crate::Span;

/// The printed text, which is `tokens` with blanks between, with `comments` in it; their gaps are
/// in order and count these tokens. A level of braces is indented by `unit` spaces.
pub fn weave(printed: &str, tokens: &[Span], comments: &[Comment<'_>], unit: usize) -> String {
    if comments.is_empty() {
        return printed.to_owned();
    }
    let text = Text { printed, tokens };
    let places = places(&text, comments, unit);
    let size = printed.len() + comments.iter().map(|comment| comment.text.len() + unit * 4).sum::<usize>();
    let mut weaver = Weaver { text, out: String::with_capacity(size), line: 0, unit };
    let mut rest = comments;
    for (gap, place) in places.iter().enumerate() {
        let (here, later) = rest.split_at(rest.iter().take_while(|comment| comment.gap <= gap).count());
        rest = later;
        weaver.gap(gap, *place, here);
        weaver.token(gap, *place);
    }
    weaver.out.push('\n');
    weaver.out
}

#[derive(Clone, Copy)]
struct Text<'a> {
    printed: &'a str,
    tokens: &'a [Span],
}

impl<'a> Text<'a> {
    fn token(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |span| &self.printed[span.start as usize..span.end as usize])
    }

    fn before(&self, gap: usize) -> &'a str {
        gap.checked_sub(1).map_or("", |index| self.token(index))
    }

    /// What was printed in front of a token.
    fn blank(&self, gap: usize) -> &'a str {
        let start = gap.checked_sub(1).map_or(0, |index| self.tokens[index].end as usize);
        &self.printed[start..self.tokens[gap].start as usize]
    }
}

/// What stands in front of a token when no comment does.
#[derive(Clone, Copy)]
struct Place {
    /// The token begins a line.
    is_break: bool,
    /// The indentation of a line that begins here, whether one does or not.
    indent: usize,
}

/// The place of each token, and of the end.
fn places(text: &Text<'_>, comments: &[Comment<'_>], unit: usize) -> Vec<Place> {
    let count = text.tokens.len();
    let is_broken = broken_braces(text, comments);
    let mut places = Vec::with_capacity(count + 1);
    let (mut line, mut level) = (0, 0);
    for gap in 0..count {
        let mut is_break = gap == 0;
        if let Some((_, indent)) = text.blank(gap).rsplit_once('\n') {
            (line, level, is_break) = (indent.len(), 0, true);
        }
        if gap > 0 && is_broken[gap - 1] && text.before(gap) == "{" {
            (level, is_break) = (level + 1, true);
        }
        if is_broken[gap] && text.token(gap) == "}" {
            (level, is_break) = (level - 1, true);
        }
        let level = if is_break { level } else { level + 1 };
        places.push(Place { is_break, indent: line + unit * level });
    }
    places.push(Place { is_break: true, indent: 0 });
    places
}

/// Which braces were printed on one line, and hold a comment that needs a line break.
fn broken_braces(text: &Text<'_>, comments: &[Comment<'_>]) -> Vec<bool> {
    let count = text.tokens.len();
    let mut is_broken = vec![false; count];
    let mut needy = comments.iter().filter(|comment| comment.starts_line || comment.ends_line).peekable();
    // Line breaks, and comments that need one, in front of the tokens so far.
    let (mut num_breaks, mut num_needy) = (0, 0);
    let mut open = Vec::new();
    for gap in 0..count {
        while needy.next_if(|comment| comment.gap <= gap).is_some() {
            num_needy += 1;
        }
        num_breaks += usize::from(text.blank(gap).contains('\n'));
        match text.token(gap) {
            "{" => open.push((gap, num_breaks, num_needy)),
            "}" => {
                if let Some((start, breaks, needy)) = open.pop() {
                    let is_needed = breaks == num_breaks && needy < num_needy;
                    (is_broken[start], is_broken[gap]) = (is_needed, is_needed);
                }
            }
            _ => {}
        }
    }
    is_broken
}

struct Weaver<'a> {
    text: Text<'a>,
    out: String,
    /// Indentation of the line of the last token.
    line: usize,
    unit: usize,
}

impl Weaver<'_> {
    fn line_break(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn token(&mut self, index: usize, place: Place) {
        if place.is_break {
            self.line = place.indent;
        }
        self.out.push_str(self.text.token(index));
    }

    fn gap(&mut self, gap: usize, place: Place, comments: &[Comment<'_>]) {
        let is_end = gap == self.text.tokens.len();
        let Some(last) = comments.last() else {
            match place.is_break {
                true if gap > 0 && !is_end => self.line_break(place.indent),
                false => self.out.push_str(self.text.blank(gap)),
                true => {}
            }
            return;
        };
        let has_broken = self.comments(gap, place, comments);
        if is_end {
            return;
        }
        let next = self.text.token(gap);
        let is_due = place.is_break && (!has_broken || next == "}");
        if last.ends_line || is_due && gap > 0 {
            self.line_break(place.indent);
        } else if !matches!(next, ")" | "]" | ",") {
            self.out.push(' ');
        }
    }

    /// Writes the comments of a gap; true if one of them begins a line.
    fn comments(&mut self, gap: usize, place: Place, comments: &[Comment<'_>]) -> bool {
        let indent = self.comment_indent(gap, place);
        let mut has_broken = false;
        let mut needs_break = false;
        for (index, comment) in comments.iter().enumerate() {
            if gap == 0 && index == 0 {
                has_broken = true;
            } else if needs_break || comment.starts_line {
                self.line_break(indent);
                has_broken = true;
            } else if index > 0 || !matches!(self.text.before(gap), "(" | "[") {
                self.out.push(' ');
            }
            self.out.push_str(comment.text);
            needs_break = comment.ends_line;
        }
        has_broken
    }

    /// Indentation of the comments in front of a token: that of the token, and inside the braces
    /// for a closing one.
    fn comment_indent(&self, gap: usize, place: Place) -> usize {
        if !place.is_break || self.text.token(gap) != "}" {
            return place.indent;
        }
        let is_first = self.text.before(gap) == "{" || self.line <= place.indent;
        if is_first { place.indent + self.unit } else { self.line }
    }
}
