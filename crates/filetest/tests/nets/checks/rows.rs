//! Rows: what is read, and the checks of it.
//!
//! The holes of templates are listed in [`super::conditions`].

use super::Generator;
use super::conditions::{OF_ANYTHING, OF_BOUND, OF_END, OF_HEAD};
use super::marks::{self, MARK, ROW};
use crate::ways::{branch, choice, rounds};

/// What is done at one place of a row.
pub(super) enum Step {
    /// A check, which may be moved back, left out or repeated.
    Check(String),
    /// Anything else.
    Other(String),
}

/// What a check does where it fails, if not what most do.
const OTHER_ENDS: [&str; 12] = [
    "revert(0, 0)",
    "invalid()",
    "stop()",
    "panic(0x11)",
    "fail()",
    "mstore(0, #X) revert(0, 0x20)",
    "mstore(0, #X) return(0, 0x20)",
    "mstore(0, r) revert(0, 0x20)",
    "revert(#Z, 0x80)",
    "return(#Z, 0x80)",
    "sstore(3, #X) revert(0, 0)",
    "sstore(3, #X) stop()",
];

impl Generator<'_> {
    /// A row of checks in the program itself.
    pub(super) fn row(&mut self) -> String {
        let mut steps = Vec::new();
        if self.random.once_in(2) {
            self.check(OF_HEAD, &mut steps);
        }
        for _ in 0..self.random.between(2, 4) {
            match self.random.below(12) {
                0..4 => self.decode(&mut steps),
                4 => self.read_length(&mut steps),
                5 | 6 => self.masked(&mut steps),
                7 => self.counted(&mut steps),
                8..11 if self.n_funcs > 0 => self.called(&mut steps),
                8..11 => self.decode(&mut steps),
                _ => self.nested(&mut steps),
            }
        }
        self.finished(steps)
    }

    /// A row of a function: `o` is an offset or a place.
    pub(super) fn function_row(&mut self) -> String {
        let mut steps = Vec::new();
        self.maybe_check(OF_END, &mut steps);
        self.content("o", &mut steps);
        match self.random.below(6) {
            0 | 1 => self.masked(&mut steps),
            2 | 3 if self.n_funcs > 0 => self.called(&mut steps),
            _ => {}
        }
        self.finished(steps)
    }

    /// An offset, and what lies there.
    fn decode(&mut self, steps: &mut Vec<Step>) {
        let (slot, offset) = (self.random.below(2), self.fresh("o"));
        steps.push(Step::Other(format!("let {offset} := {}", self.slot(slot))));
        self.scope.offsets.push(offset.clone());
        self.maybe_usual_check(&format!("gt({offset}, 0xffffffffffffffff)"), OF_BOUND, steps);
        let place = self.fresh("p");
        let sum = self.fill(&format!("[add({offset}, #b)|add(#b, {offset})]"));
        steps.push(Step::Other(format!("let {place} := {sum}")));
        self.scope.places.push(place.clone());
        self.maybe_usual_check(&format!("iszero(slt(add({place}, 0x1f), #E))"), OF_END, steps);
        if !self.random.once_in(4) {
            self.content(&place, steps);
        }
    }

    /// The length at a place, and what stands behind it.
    fn content(&mut self, place: &str, steps: &mut Vec<Step>) {
        let (length, content) = (self.fresh("l"), self.fresh("p"));
        steps.push(Step::Other(format!("let {length} := calldataload({place})")));
        self.scope.lengths.push(length.clone());
        self.maybe_usual_check(&format!("gt({length}, 0xffffffffffffffff)"), OF_BOUND, steps);
        steps.push(Step::Other(format!("let {content} := add({place}, 0x20)")));
        self.scope.places.push(content.clone());
        let bytes = self.fill(&format!("[{length}|shl(5, {length})|mul({length}, 0x20)|#L]"));
        self.maybe_usual_check(&format!("gt(add({content}, {bytes}), #E)"), OF_END, steps);
        if self.random.once_in(3) {
            let template = if self.random.once_in(4) { OF_ANYTHING } else { OF_END };
            self.check(template, steps);
        }
        if self.random.once_in(5) {
            self.elements(steps);
        }
    }

    /// Words behind each other, each checked.
    fn elements(&mut self, steps: &mut Vec<Step>) {
        let (counter, word) = (self.fresh("i"), self.fresh("x"));
        let body = self.fill(&format!(
            "let {word} := calldataload(add(#p, shl(5, {counter})))
            if [iszero(lt({word}, [#B|#E]))|gt({word}, #B)|slt({word}, 0)|gt(add({word}, #p), #E)] {{ #f }}
            r := mix(r, {word})"
        ));
        let rounds = self.fill("and(#l, 3)");
        steps.push(Step::Check(format!(
            "for {{ let {counter} := 0 }} lt({counter}, {rounds}) {{ {counter} := add({counter}, 1) }} {{\n{body}\n}}"
        )));
    }

    fn read_length(&mut self, steps: &mut Vec<Step>) {
        let length = self.fresh("l");
        steps.push(Step::Other(format!("let {length} := {}", self.slot(2))));
        self.scope.lengths.push(length);
        self.maybe_check(OF_BOUND, steps);
        self.maybe_check(OF_END, steps);
    }

    /// What a function decodes.
    fn called(&mut self, steps: &mut Vec<Step>) {
        let (place, length, word) = (self.fresh("p"), self.fresh("l"), self.fresh("w"));
        let index = self.random.below(self.n_funcs);
        let call = self.fill(&format!(
            "let {place}, {length}, {word} := d{index}([add(#o, #b)|add(#b, #o)|#p|#p|#o|add(#o, #K)], \
             [#E|#E|#E|calldatasize()|#S]) r := mix(r, {word})"
        ));
        steps.push(Step::Other(call));
        self.scope.places.push(place);
        self.scope.lengths.push(length);
        self.scope.words.push(word);
    }

    /// A row that only some calls come to, two of them, or one that is gone through twice.
    fn nested(&mut self, steps: &mut Vec<Step>) {
        if self.depth > 0 {
            return self.decode(steps);
        }
        self.depth += 1;
        let way = |this: &mut Self| {
            let outside = this.scope.clone();
            let mut inside = Vec::new();
            this.decode(&mut inside);
            let text = this.finished(inside);
            this.scope = outside;
            text
        };
        let (zero, other) = (way(self), way(self));
        let test = self.fill("[and(#w, 1)|#T|#T|iszero(#l)]");
        let text = match self.random.below(5) {
            0 | 1 => branch(&test, &other),
            2 | 3 => choice(&test, &zero, &other),
            _ => rounds(&self.fresh("i"), 2, &other),
        };
        self.depth -= 1;
        steps.push(Step::Other(text));
    }

    /// A check, and what stands behind it.
    pub(super) fn check(&mut self, template: &str, steps: &mut Vec<Step>) {
        let mut test = self.test(template);
        if self.random.once_in(12) {
            let joined = *self.random.pick(&[
                "or(#1, #2)",
                "or(#2, #1)",
                "iszero(and(iszero(#2), iszero(#1)))",
                "and(#1, #2)",
            ]);
            test = joined.replace("#1", &test).replace("#2", &self.test(template));
        }
        let end = self.end_of_check();
        let text = match self.random.below(16) {
            0 => format!("if {test} {{ if {} {{ {end} }} }}", self.test_like_others()),
            1 | 2 => choice(&test, "", &format!("{end} ")),
            3 | 4 => choice(&format!("iszero({test})"), &format!("{end} "), ""),
            _ => format!("if {test} {{ {end} }}"),
        };
        steps.push(Step::Check(text));
        self.between(steps);
    }

    /// Mostly a check.
    pub(super) fn maybe_check(&mut self, template: &str, steps: &mut Vec<Step>) {
        if !self.random.once_in(6) {
            let template = if self.random.once_in(16) { OF_ANYTHING } else { template };
            self.check(template, steps);
        }
    }

    /// The check that decoders have there, or another.
    fn maybe_usual_check(&mut self, usual: &str, template: &str, steps: &mut Vec<Step>) {
        match self.random.below(2) {
            0 => self.check(usual, steps),
            _ => self.maybe_check(template, steps),
        }
    }

    /// How a check fails.
    pub(super) fn end_of_check(&mut self) -> String {
        match self.random.below(32) {
            0 if self.scope.is_function => "leave".to_owned(),
            1 => self.fill("r := mix(r, #X)"),
            2..6 => {
                let end = *self.random.pick(&OTHER_ENDS);
                format!("{MARK}; {}", self.fill(end))
            }
            _ => format!("{MARK}; {}", self.fill(self.failure)),
        }
    }

    /// The text of a row: some checks are repeated, some come later.
    fn finished(&mut self, steps: Vec<Step>) -> String {
        self.n_rows += 1;
        let (mut text, mut late, mut number) = (String::new(), Vec::new(), self.n_rows * ROW);
        let mut put = |step: &str| {
            // What stands in a row inside has its numbers.
            let numbered = |known: &str| match known {
                "" => format!("{MARK}{number};"),
                known => format!("{MARK}{known};"),
            };
            text += &marks::replaced(step, numbered);
            number += usize::from(step.contains(MARK));
            text += "\n";
        };
        for step in steps {
            let check = match step {
                Step::Check(check) => check,
                Step::Other(other) => {
                    put(&other);
                    continue;
                }
            };
            match self.random.below(12) {
                0 | 1 => late.push(check),
                2 => {
                    put(&check);
                    late.push(check);
                }
                3 => {
                    put(&check);
                    put(&check);
                }
                _ => put(&check),
            }
            if !late.is_empty() && self.random.once_in(2) {
                put(&late.remove(0));
            }
        }
        late.iter().for_each(|check| put(check));
        text
    }
}
