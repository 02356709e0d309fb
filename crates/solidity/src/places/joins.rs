//! Where the ways of an `if` meet again.
//!
//! For the second way of `if (a) … else …`, coverage counts where the last conditional jump in it leads. Where that is
//! the jump of an `if` at the end of `else`, it leads to where the ways of this `if` meet, which both come to. In Yul
//! nothing stands there, and code would go on at once to where the ways of the outer one meet: so it gets an
//! instruction that does nothing.

use super::Range;
use super::lexer::{Brace, braces};

/// Which blocks of the Yul are open, and what was closed last.
#[derive(Debug, Default)]
pub(super) struct Joins {
    open: Vec<Opened>,
    /// The place of the `if` whose block was closed last, if nothing stands behind it yet.
    behind: Option<Range>,
}

#[derive(Clone, Copy, Debug)]
enum Opened {
    /// The block of an `if` at this place.
    If(Option<Range>),
    /// That of a case of a `switch`, which an `else` is.
    Case,
    Other,
}

impl Joins {
    /// Reads the next line, at `place`; that of the `if` whose ways meet before it if nothing else stands there.
    pub(super) fn met_before(&mut self, line: &str, place: Option<Range>) -> Option<Range> {
        if line.is_empty() {
            return None;
        }
        let behind = self.behind.take();
        if line == "}" {
            let closed = self.open.pop();
            if let Some(Opened::If(place)) = closed {
                self.behind = place;
            }
            return behind.filter(|_| matches!(closed, Some(Opened::If(_) | Opened::Case)));
        }
        if line.starts_with("if ") && line.ends_with('}') {
            self.behind = place;
        }
        let mut opened = match line.split(' ').next() {
            Some("if") => Opened::If(place),
            Some("case" | "default") => Opened::Case,
            _ => Opened::Other,
        };
        for brace in braces(line) {
            match brace {
                Brace::Open => self.open.push(std::mem::replace(&mut opened, Opened::Other)),
                Brace::Close => _ = self.open.pop(),
            }
        }
        None
    }

    /// Passes over the copy of inline assembly at `place`.
    pub(super) fn pass(&mut self, assembly: &str, place: Range) {
        let inner = assembly.trim_end().strip_suffix('}').unwrap_or_default();
        self.behind = inner.trim_end().ends_with('}').then_some(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the lines before which an `if` of the given line meets.
    fn met(text: &str) -> Vec<(usize, usize)> {
        let mut joins = Joins::default();
        let read = text.lines().enumerate().filter_map(|(number, line)| {
            let place = Range { unit: 0, start: number, end: number };
            Some((number, joins.met_before(line.trim(), Some(place))?.start))
        });
        read.collect()
    }

    #[test]
    fn an_if_at_the_end_of_else_meets_there() {
        assert_eq!(met("switch a\ncase 0 {\nif b {\nf()\n}\n\n}\ndefault {\n}"), [(6, 2)]);
        assert_eq!(met("default {\nif b {\nif c {\nf()\n}\n}\n}"), [(5, 2), (6, 1)]);
    }

    #[test]
    fn an_if_on_one_line_or_in_assembly_meets_as_well() {
        assert_eq!(met("case 0 {\nif b { f() }\n}"), [(2, 1)]);
        let place = Range { unit: 0, start: 7, end: 9 };
        for (assembly, expected) in [("{ if a { f() } }", Some(place)), ("{\nif a { f() }\ng()\n}", None)] {
            let mut joins = Joins::default();
            assert_eq!(joins.met_before("case 0 {", None), None);
            joins.pass(assembly, place);
            assert_eq!(joins.met_before("}", None), expected, "{assembly}");
        }
    }

    #[test]
    fn what_is_followed_by_code_meets_at_that() {
        assert_eq!(met("case 0 {\nif b {\nf()\n}\ng()\n}"), []);
        assert_eq!(met("function f() {\nif b {\nf()\n}\n}"), []);
        assert_eq!(
            met("case 0 {\nif b { revert(0, 0) }\ng()\n}\ncase 1 {\nfor {\n} 1 {\n}\n{\nif b {\n}\n}\n}"),
            []
        );
    }
}
