//! Writes the mutants of a file into its text.
//!
//! ```text
//! a && b     =>    (if cairn_evm::mutant::is(7) { a || b } else { a && b })
//! f(x);      =>    if !cairn_evm::mutant::is(8) { f(x); }
//! ```
//!
//! Sites nest. Only the original alternative holds the sites within it, so the text grows with the
//! depth of expressions, not exponentially; and as one alternative runs, evaluation order stays.

use super::sites::{Form, Site};
use std::fmt::Write;
use std::ops::Range;

/// A file with mutants.
#[derive(Clone, Debug, Default)]
pub(super) struct Woven {
    pub(super) text: String,
    /// Where in the new text each site stands, and its index.
    pub(super) places: Vec<(Range<usize>, usize)>,
}

impl Woven {
    /// The innermost site around a byte of the new text.
    pub(super) fn site_at(&self, byte: usize) -> Option<usize> {
        let around = self.places.iter().filter(|(range, _)| range.contains(&byte));
        around.min_by_key(|(range, _)| range.len()).map(|(_, site)| *site)
    }

    /// The site that is nearest to a byte of the new text.
    pub(super) fn site_near(&self, byte: usize) -> Option<usize> {
        let distance = |range: &Range<usize>| range.start.abs_diff(byte).min(range.end.abs_diff(byte));
        self.places.iter().min_by_key(|(range, _)| distance(range)).map(|(_, site)| *site)
    }
}

/// Writes sites into a text. They are sorted from the outside in; `ids` has the first mutant of each.
pub(super) fn weave(text: &str, sites: &[Site], ids: &[usize]) -> Woven {
    let mut weaver = Weaver { text, sites, ids, next: 0, woven: Woven::default() };
    weaver.copy(0..text.len());
    weaver.woven
}

struct Weaver<'a> {
    text: &'a str,
    sites: &'a [Site],
    ids: &'a [usize],
    /// The first site that is not written.
    next: usize,
    woven: Woven,
}

impl Weaver<'_> {
    /// Copies a part of the text with the sites in it.
    fn copy(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(site) = self.sites.get(self.next).filter(|site| site.range.end <= range.end) {
            let index = self.next;
            self.next += 1;
            self.push(at..site.range.start);
            let start = self.woven.text.len();
            self.write_site(index);
            self.woven.places.push((start..self.woven.text.len(), index));
            at = site.range.end;
        }
        self.push(at..range.end);
    }

    fn push(&mut self, range: Range<usize>) {
        self.woven.text.push_str(&self.text[range]);
    }

    fn write_site(&mut self, index: usize) {
        let site = &self.sites[index];
        let first = self.ids[index];
        let is = |id: usize| format!("cairn_evm::mutant::is({id})");
        match &site.form {
            Form::Instead(others) => {
                self.woven.text.push('(');
                for (offset, other) in others.iter().enumerate() {
                    let _ = write!(self.woven.text, "if {} {{ {other} }} else ", is(first + offset));
                }
                self.woven.text.push_str("{ ");
                self.copy(site.range.clone());
                self.woven.text.push_str(" })");
            }
            Form::Without => {
                let _ = write!(self.woven.text, "if !{} {{ ", is(first));
                self.copy(site.range.clone());
                self.woven.text.push_str(" }");
            }
            Form::Return(others) => {
                for (offset, other) in others.iter().enumerate() {
                    let _ = write!(self.woven.text, " if {} {{ {other}; }}", is(first + offset));
                }
            }
            Form::NoMatch => {
                let _ = write!(self.woven.text, " if !{}", is(first));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sites;
    use super::*;

    #[test]
    fn sites_nest() {
        let text = "fn f(a: bool, b: bool) -> W { a && (!a || b) }";
        let sites = sites::find(text).expect("valid");
        let woven = weave(text, &sites, &[1, 2, 3]);
        let expected = "fn f(a: bool, b: bool) -> W { (if cairn_evm::mutant::is(1) { a || (!a || b) } else { \
                        a && ((if cairn_evm::mutant::is(2) { !a && b } else { \
                        (if cairn_evm::mutant::is(3) { a } else { !a }) || b })) }) }";
        assert_eq!(woven.text, expected);
        assert_eq!(woven.site_at(woven.text.rfind("!a").expect("there")), Some(2));
        assert_eq!(woven.site_at(0), None);
    }

    #[test]
    fn statements_starts_and_arms() {
        let text = "fn f() { g(); match a { A => b(), _ => c } }";
        let sites = sites::find(text).expect("valid");
        let ids: Vec<usize> = (1..=sites.len()).collect();
        let expected = "fn f() { if cairn_evm::mutant::is(1) { return; } if !cairn_evm::mutant::is(2) { g(); } \
                        match a { A if !cairn_evm::mutant::is(3) => b(), _ => c } }";
        assert_eq!(weave(text, &sites, &ids).text, expected);
    }
}
