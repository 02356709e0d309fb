//! Statements that would have no code.
//!
//! `T b = a;` and `b = a;` give a name to a word in solc's Yul, and a `break` may be no more than where a branch
//! leads. Coverage counts a statement when its code runs, and debuggers stop there, so such a statement begins with
//! an instruction that does nothing.

use super::{Range, lexer};

/// A label that nothing jumps to.
pub(super) const NOTHING: &str = "verbatim_0i_0o(hex\"5b\") ";

/// Which lines of straight code have no code and belong to statements that have none from other lines.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// The place of the last line with code since the last brace.
    with_code: Option<Range>,
}

impl Copies {
    /// Reads the next line, which comes from `source` at `place`; true if code is to be put before it.
    pub(super) fn is_bare(&mut self, line: &str, place: Range, source: &str) -> bool {
        if line.contains(['{', '}']) {
            self.with_code = None;
            return false;
        }
        let begins_with = |word: &str| lexer::tokens(source).next().is_some_and(|first| first.text == word);
        let has_code = self.with_code.is_some_and(|range| range.is_within(place));
        let is_bare = match line {
            "break" | "continue" => begins_with(line),
            // The jump back is code.
            _ => is_copy(line) && !has_code && !begins_with("return"),
        };
        if is_bare || calls_function(line) {
            self.with_code = Some(place);
        }
        is_bare
    }
}

/// True for a line that calls a function of the Yul, whose names have underscores. What an instruction makes alone may
/// be left out if nobody needs it.
fn calls_function(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| {
        let name = line[..at].rsplit(|letter| !lexer::is_word(letter)).next();
        name.is_some_and(|name| name.contains('_'))
    })
}

/// True for the line that gives a word that has a name, or a number, to a variable of the source.
fn is_copy(line: &str) -> bool {
    let is_word = |text: &str| text.chars().all(lexer::is_word);
    line.strip_prefix("let ")
        .unwrap_or(line)
        .split_once(" := ")
        .is_some_and(|(name, value)| name.starts_with("var_") && is_word(name) && is_word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(source: &str, lines: &[(&str, usize, usize)]) -> Vec<bool> {
        let mut copies = Copies::default();
        let read = lines.iter().map(|(line, start, end)| {
            copies.is_bare(line, Range { unit: 0, start: *start, end: *end }, &source[*start..*end])
        });
        read.collect()
    }

    #[test]
    fn a_copy_has_no_code() {
        let lines =
            [("let _1 := var_a_1", 6, 7), ("let expr_2 := _1", 6, 7), ("let var_b_3 := expr_2", 0, 7)];
        assert_eq!(bare("T b = a", &lines), [false, false, true]);
        assert_eq!(bare("T b = 1", &[("var_b_3 := 0x01", 0, 7)]), [true]);
    }

    #[test]
    fn a_statement_has_code_once() {
        let copies = [("var_a_1 := expr_4", 0, 11), ("var_b_2 := expr_3", 0, 11)];
        assert_eq!(bare("(a,b)=(b,a)", &copies), [true, false]);
        let call = [("let expr_2 := fun_f_9(var_a_1)", 4, 8), ("var_b_3 := expr_2", 0, 8)];
        assert_eq!(bare("b = f(a)", &call), [false, false]);
        let instruction = [("let expr_2 := timestamp()", 4, 8), ("var_b_3 := expr_2", 0, 8)];
        assert_eq!(bare("b = time", &instruction), [false, true], "it may be left out");
    }

    #[test]
    fn what_ran_before_is_not_of_the_statement() {
        let lines = [("fun_f_9(1)", 0, 4), ("var_b_3 := var_a_1", 6, 11)];
        assert_eq!(bare("g(1); b = a", &lines), [false, true]);
        let behind_braces = [("let expr_2 := fun_f_9(1)", 0, 5), ("}", 0, 5), ("var_b_3 := expr_2", 0, 5)];
        assert_eq!(bare("b = a", &behind_braces), [false, false, true]);
    }

    #[test]
    fn jumps_of_the_source_have_code_and_those_of_helpers_none() {
        assert_eq!(bare("break;", &[("break", 0, 5)]), [true]);
        assert_eq!(bare("continue", &[("continue", 0, 8)]), [true]);
        assert_eq!(bare("b = a", &[("break", 0, 5), ("let expr_1 := _2", 0, 5)]), [false, false]);
        assert_eq!(bare("return a", &[("var_r_1 := expr_2", 0, 8)]), [false]);
        assert_eq!(bare("returned = a", &[("var_returned_1 := expr_2", 0, 12)]), [true]);
    }
}
