//! What checks ask, and what is asked again.
//!
//! In templates, `#n` is a new name; `#o`, `#l`, `#p` and `#w` are an offset, a length, a place in call data and a
//! word, `#v` any of them, `#q` one that should be small. `#E` is the end of call data, `#B` a bound, `#K` a small
//! number, `#S` a sum, `#L` bytes of a length, `#M` a mask, `#y` what masked words are compared with, `#X` a value,
//! `#A` an address, `#T` a test, `#f` how a check fails. Tests are written so that what is usual passes, but not all.

use super::Generator;

/// Of the size of the head.
pub(super) const OF_HEAD: &str = "[slt(sub(#E, #b), [0x40|0x60|0x80])|slt(sub(#E, #b), [0x20|0xa0])\
    |lt(calldatasize(), [0x44|4|0x64|0x63])|iszero(gt(calldatasize(), [3|4|0x43]))|gt([0x64|0x44|0x24], #E)\
    |slt(add(#E, not([3|4])), 0x40)|lt(#E, #b)]";

/// Of a word that should be small.
pub(super) const OF_BOUND: &str = "[gt(#q, #B)|gt(#q, #B)|gt(#q, 0xffffffffffffffff)|lt(#B, #q)|iszero(lt(#q, #B))\
    |iszero(gt(#B, #q))|shr([64|63|65|32|128], #q)|sgt(#q, 0xffffffffffffffff)|slt(#q, 0)|and(#q, not(0xffffffffffffffff))\
    |iszero(iszero(gt(#q, #B)))|or(gt(#q, #B), gt(#l, #B))|eq(#q, #B)|iszero(iszero(shr(64, #q)))|iszero(slt(#q, #B))\
    |gt(add(#q, [1|0x1f]), #B)|iszero(lt(#q, [0x10000000000000000|0xffffffffffffffff]))]";

/// Of the end of what begins somewhere.
pub(super) const OF_END: &str = "[gt(#S, #E)|gt(#S, #E)|lt(#E, #S)|iszero(lt(#S, #E))|iszero(gt(#E, #S))|iszero(slt(#S, #E))\
    |iszero(slt(add(#p, 0x1f), #E))|iszero(slt(add(add(#o, #b), 0x1f), #E))|sgt(#S, #E)|slt(#E, #S)|iszero(sgt(#E, #S))\
    |gt(#o, sub(#E, #K))|lt(sub(#E, #o), #K)|slt(sub(#E, #o), #K)|slt(sub(#E, add(#b, #o)), 0x40)|gt(#l, sub(#E, #p))\
    |gt(#l, shr(5, sub(#E, #p)))|sgt(#p, sub(#E, #L))|or(gt(#S, 0xffffffffffffffff), lt(#S, #o))|lt(#S, #o)\
    |or(lt(#S, #o), gt(#S, #E))|gt(#p, #S)|slt(#S, #o)|iszero(lt(#p, #E))|iszero(slt(#p, #E))]";

/// Tests that fail as often as not.
pub(super) const OF_ANYTHING: &str = "[gt(#S, #S)|lt(#S, #S)|slt(#S, #S)|eq(#S, #S)|iszero(gt(#S, #S))|lt(#v, #S)|gt(#l, #o)\
    |eq(#v, #v)|iszero(#v)|sgt(#S, #v)|iszero(slt(#S, #S))]";

pub(super) fn hole(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "B" => {
            "[0xffffffffffffffff|0xffffffffffffffff|0xffffffffffffffff|0xfffffffffffffffe|0x10000000000000000\
             |0x400|0x401|0xffffffff|sub(shl(128, 1), 1)|shl(128, 1)|sub(shl(255, 1), 1)|not([0|0x1f|1])]"
        }
        "K" => "[0x1f|0x20|0x20|0x21|0x23|0x24|0x24|0x25|4|0x40|0x44|0|1]",
        "L" => "[#l|shl(5, #l)|mul(#l, 32)|mul(0x20, #l)|shl(5, #l)|shl(1, #l)|mul(add(#l, 1), 32)]",
        "q" => "[#o|#l|#o|#l|#p|#w|sub(#o, [1|#K])|add(#l, [1|0x1f])]",
        _ => return None,
    })
}

const SUMS: &str = "[add(#o, #K)|add(#K, #o)|add(add(#o, #K), #K)|add(#p, #K)|add(#p, #l)|add(#p, #L)|add(#p, #L)\
    |add(add(#o, #K), #L)|add(add(#o, #K), #L)|add(add(#o, #L), #K)|add(#L, #K)|add(#o, add(#L, #K))|add(add(#L, #p), #K)\
    |sub(add(#o, #L), not(#K))|add(add(#p, #o), #K)|add(#o, #o)|#p|#o|#l|#L|add(and(add(#l, 0x1f), not(0x1f)), #p)]";

/// What may be one more, one less, or signed without changing what is usual.
const NEIGHBOURS: [(&str, &str); 14] = [
    ("0x1f", "0x20"),
    ("0x20", "0x21"),
    ("0x20", "0x1f"),
    ("0x23", "0x24"),
    ("0x24", "0x23"),
    ("0x24", "0x25"),
    ("0xffffffffffffffff", "0x10000000000000000"),
    ("0xffffffffffffffff", "0xfffffffffffffffe"),
    ("calldatasize()", "sub(calldatasize(), 1)"),
    ("calldatasize()", "add(calldatasize(), 1)"),
    ("gt(", "sgt("),
    ("sgt(", "gt("),
    ("lt(", "slt("),
    ("slt(", "lt("),
];

/// What changes a test more.
const OPPOSITES: [(&str, &str); 6] =
    [("gt(", "lt("), ("lt(", "gt("), ("sgt(", "slt("), ("slt(", "gt("), ("gt(", "eq("), ("iszero(", "not(")];

/// The text with the first `from` that is a word or begins one replaced.
fn with_other_word(text: &str, (from, to): (&str, &str)) -> String {
    let begins = |at: &usize| *at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
    let Some(at) = text.match_indices(from).map(|(at, _)| at).find(begins) else { return text.to_owned() };
    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
}

impl Generator<'_> {
    /// A new sum, or one like those that there were.
    pub(super) fn sum(&mut self) -> String {
        let known = self.scope.sums.len();
        if known > 0 && self.random.once_in(3) {
            let sum = self.scope.sums[self.random.below(known)].clone();
            let changed = match self.random.below(6) {
                0 => self.fill(&format!("add({sum}, [1|#K|#o|#l])")),
                1 => self.fill(&format!("sub({sum}, [1|#K])")),
                2 | 3 => self.neighbour(&sum, &NEIGHBOURS),
                _ => sum,
            };
            return changed;
        }
        let sum = self.fill(SUMS);
        self.scope.sums.push(sum.clone());
        sum
    }

    /// A test of this kind, or nearly one that there was.
    pub(super) fn test(&mut self, template: &str) -> String {
        let known = self.scope.tests.len();
        if known > 0 && self.random.once_in(6) {
            let test = self.scope.tests[self.random.below(known)].clone();
            return self.neighbour(&test, &NEIGHBOURS);
        }
        let test = self.fill(template);
        self.scope.tests.push(test.clone());
        test
    }

    /// A test that somebody asked, or nearly, or another.
    pub(super) fn test_like_others(&mut self) -> String {
        let known = self.scope.tests.len();
        if known == 0 || self.random.once_in(5) {
            let template = *self.random.pick(&[OF_BOUND, OF_END, OF_ANYTHING]);
            return self.fill(template);
        }
        let test = self.scope.tests[self.random.below(known)].clone();
        match self.random.below(4) {
            0 => test,
            1 => self.neighbour(&test, &OPPOSITES),
            _ => self.neighbour(&test, &NEIGHBOURS),
        }
    }

    fn neighbour(&mut self, text: &str, changes: &[(&str, &str)]) -> String {
        let possible: Vec<String> = changes
            .iter()
            .map(|change| with_other_word(text, *change))
            .filter(|changed| changed != text)
            .collect();
        if possible.is_empty() { text.to_owned() } else { self.random.pick(&possible).clone() }
    }
}
