//! Templates: text with choices and places to fill in.
//!
//! `[x|y]` is one of them. `#n` and `#m` are new names, `#1`, `#2` words, `#u` a word that may be assigned, `#i` a
//! counter that makes addresses and `#a` a base, each the same in all of the template. Anew each time: `#v` a word
//! that may be assigned, `#w` any word, `#x` a value, `#k` a number at a border, `#s` a small one, `#q` a test of the
//! template's own words, `#t` any test, `#o` an observation, `#f` a failure, `#e` a way out of a loop or a failure,
//! `#p` a place in the arena, `#l` a length, `#F` the check of fuel, `#b` nested statements, in which `#n` is a
//! counter if the template is of a loop, and `#c` the same where it makes addresses.

use super::{Generator, WORDS};
use crate::ways::choices;

/// Numbers at which something wraps, changes its sign or its width.
const BORDERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "31",
    "32",
    "0xff",
    "0x100",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "0x10000000000000000",
    "0xffffffffffffffffffffffffffffffffffffffff",
    "shl(200, 1)",
    "shl(255, 1)",
    "sub(shl(255, 1), 1)",
    "not(0)",
    "not(1)",
    "not(31)",
];

/// What a template has named so far.
#[derive(Default)]
struct Bound {
    new: [Option<String>; 2],
    words: [Option<String>; 2],
    assigned: Option<String>,
    small: Option<String>,
    base: Option<String>,
    is_loop: bool,
}

impl Generator<'_> {
    pub(super) fn fill(&mut self, template: &str) -> String {
        let is_loop = template.contains("for {");
        self.fill_with(template, &mut Bound { is_loop, ..Bound::default() })
    }

    /// One of the templates; those of loops and branches only where they fit.
    pub(super) fn one_of(&mut self, templates: &[&str]) -> String {
        let is_deep = self.depth >= 3;
        loop {
            let template = *self.random.pick(templates);
            let nests = template.contains("#b") || template.contains("#c");
            if !(is_deep && nests) {
                return self.fill(template);
            }
        }
    }

    /// As the one before; the new name is a word behind it.
    pub(super) fn declare(&mut self, templates: &[&str]) -> String {
        let (template, mut bound) = (*self.random.pick(templates), Bound::default());
        let text = self.fill_with(template, &mut bound);
        self.derived.extend(bound.new[0].take());
        text
    }

    /// The new name is a base behind it.
    pub(super) fn declare_base(&mut self, templates: &[&str]) -> String {
        let (template, mut bound) = (*self.random.pick(templates), Bound::default());
        let text = self.fill_with(template, &mut bound);
        self.bases.extend(bound.new[0].take());
        text
    }

    fn fill_with(&mut self, template: &str, bound: &mut Bound) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['#', '[']) {
            text += &rest[..at];
            rest = &rest[at + 1..];
            if template.as_bytes()[template.len() - rest.len() - 1] == b'#' {
                let key = rest.as_bytes()[0];
                rest = &rest[1..];
                text += &self.hole(key, bound);
            } else {
                let (choices, behind) = choices(rest);
                rest = behind;
                let choice = *self.random.pick(&choices);
                text += &self.fill_with(choice, bound);
            }
        }
        text + rest
    }

    fn hole(&mut self, key: u8, bound: &mut Bound) -> String {
        match key {
            b'n' | b'm' => {
                let slot = &mut bound.new[usize::from(key == b'm')];
                let next = &mut self.next_name;
                slot.get_or_insert_with(|| {
                    *next += 1;
                    format!("x{next}")
                })
                .clone()
            }
            b'1' | b'2' => {
                let word = self.word();
                bound.words[usize::from(key == b'2')].get_or_insert(word).clone()
            }
            b'u' => {
                let name = self.assignable();
                bound.assigned.get_or_insert(name).clone()
            }
            b'i' => {
                let masked = self.fill("and(#w, 7)");
                let small =
                    if self.small.is_empty() { masked } else { self.random.pick(&self.small).clone() };
                bound.small.get_or_insert(small).clone()
            }
            b'a' => {
                let base = self.random.pick(&self.bases).clone();
                bound.base.get_or_insert(base).clone()
            }
            b'q' => self.own_test(bound),
            b'o' => {
                let test = self.own_test(bound);
                let observation = self.fill("[r := mix(r, #T)|r := mix(r, #T)|if #T { r := mix(r, #s) }]");
                observation.replace("#T", &test)
            }
            b'b' | b'c' => self.body(key, bound),
            _ => self.anew(key),
        }
    }

    /// Nested statements; the new name of a loop is a counter in them.
    fn body(&mut self, key: u8, bound: &Bound) -> String {
        let lengths = (self.counters.len(), self.small.len());
        let name = bound.new[0].clone().filter(|_| bound.is_loop);
        self.counters.extend(name.clone());
        self.small.extend(name.filter(|_| key == b'c'));
        self.loops += usize::from(bound.is_loop);
        let text = format!("{{\n{}}}", self.nested());
        self.loops -= usize::from(bound.is_loop);
        self.counters.truncate(lengths.0);
        self.small.truncate(lengths.1);
        text
    }

    /// Holes that are filled anew each time.
    fn anew(&mut self, key: u8) -> String {
        match key {
            b'v' => self.assignable(),
            b'w' => self.word(),
            b'k' => (*self.random.pick(&BORDERS)).to_owned(),
            b's' => self.random.below(9).to_string(),
            b'x' => self.fill(
                "[#w|#w|#w|#w|#k|#s|add(#w, #s)|add(#w, #w)|sub(#w, #w)|sub(#w, #s)|and(#w, #w)|and(#w, 15)|mod(#w, #w)\
                 |div(#w, #w)|shr(#s, #w)|or(#w, #w)|mul(#w, #s)|not(#w)|sload(#s)|calldataload(0x80)]",
            ),
            b't' => self.test(),
            b'f' => self.fill(
                "[panic(17)|mstore(0, r) revert(0, 32)|mstore(0, r) mstore(32, #s) revert(0, 64)\
                 |mstore(0, r) return(0, 32)|invalid()|sstore(9, r) stop()]",
            ),
            b'e' if self.loops > 0 => self.fill("[break|continue|r := mix(r, 3) break|#f]"),
            b'e' if self.is_function => self.fill("[leave|r := 7 leave|#f]"),
            b'e' => self.fill("#f"),
            b'F' => "if iszero(fuel) { break } fuel := sub(fuel, 1)".to_owned(),
            b'p' => self.address(),
            b'l' => self.length(),
            b'T' | b'P' | b'C' | b'O' => format!("#{}", char::from(key)),
            b'K' => self.keep.to_owned(),
            other => unreachable!("no hole `#{}`", char::from(other)),
        }
    }

    pub(super) fn assignable(&mut self) -> String {
        format!("v{}", self.random.below(WORDS))
    }

    /// A variable, seldom a number.
    fn word(&mut self) -> String {
        match self.random.below(10) {
            0..4 => self.assignable(),
            4 => self.fill("[#k|#s]"),
            5 | 6 if !self.counters.is_empty() => self.random.pick(&self.counters).clone(),
            _ if !self.derived.is_empty() => self.random.pick(&self.derived).clone(),
            _ => self.assignable(),
        }
    }

    fn test(&mut self) -> String {
        let (one, other) = (self.fill("[#w|#w|#w|#x]"), self.fill("[#w|#w|#w|#x]"));
        let comparison = self.compared(&one, &other);
        self.around(comparison)
    }

    /// A test of the words that the template has named; of any, if it named less than two.
    fn own_test(&mut self, bound: &Bound) -> String {
        let named = bound.new.iter().chain(&bound.words).chain([&bound.assigned]);
        let named: Vec<String> = named.flatten().cloned().collect();
        if named.is_empty() {
            return self.test();
        }
        let mut pick = |is_first: bool| match self.random.below(8) {
            0 if !is_first => self.word(),
            _ => self.random.pick(&named).clone(),
        };
        let (one, other) = (pick(true), pick(false));
        let comparison = if one == other {
            self.fill("[lt(#P, #k)|gt(#P, #k)|lt(#k, #P)|lt(#P, #w)|gt(#P, #w)|iszero(#P)|slt(#P, 0)]")
                .replace("#P", &one)
        } else {
            self.compared(&one, &other)
        };
        self.around(comparison)
    }

    fn compared(&mut self, one: &str, other: &str) -> String {
        let name = *self.random.pick(&["lt", "lt", "lt", "gt", "gt", "gt", "eq", "eq", "slt", "sgt"]);
        format!("{name}({one}, {other})")
    }

    fn around(&mut self, test: String) -> String {
        let around = match self.random.below(16) {
            0..7 => return test,
            7..12 => "iszero(#T)",
            12 => "and(#T, [lt(#w, #w)|gt(#w, #w)|iszero(#w)|iszero(lt(#w, #w))])",
            13 => "or(#T, [lt(#w, #w)|eq(#w, #w)|iszero(gt(#w, #w))])",
            14 => "[eq(#T, 0)|iszero(iszero(#T))|sub(1, #T)|gt(#T, 0)|lt(#T, 1)]",
            _ => "iszero([or|and](#T, [lt(#w, #w)|gt(#w, #w)]))",
        };
        self.fill(around).replace("#T", &test)
    }
}
