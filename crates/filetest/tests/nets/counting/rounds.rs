//! The loops themselves: where counters and the words beside them begin, how they step, what is tested where, and
//! what ends a loop whose test does not.
//!
//! In templates of this file, `#i` is the counter that is being made, `#N` its bound, `#p` a word beside it; other
//! places are filled about the loop around.

use super::{Generator, Round, words::LINEAR};
use crate::ways::chosen;

/// A start, a test and a step.
type Shape = (&'static str, &'static str, &'static str);

/// Small bounds; the loop ends by its test.
const FEW: &str = "[and(#c, 7)|and(#c, 7)|and(#c, 15)|mod(#c, 6)|shr(252, #c)|[0|1|2|5|7|12]]";

/// Words of memory between the free pointer and the arena.
const MAX_FUELS_IN_MEMORY: usize = 27;

/// The test holds less than 16 times, wherever it stands.
const ENDING: [Shape; 4] = [
    (
        "[0|0|0|0|1|2|5|7]",
        "[lt(#i, #N)|lt(#i, #N)|lt(#i, #N)|gt(#N, #i)|iszero(iszero(lt(#i, #N)))|slt(#i, #N)|sgt(#N, #i)]",
        UP,
    ),
    ("[0|1|5]", "[iszero(gt(#i, #N))|iszero(lt(#N, #i))|iszero(sgt(#i, #N))]", UP),
    (
        "[0|0|1]",
        "[lt(shl(5, #i), shl(5, #N))|lt(add(#i, 1), #N)|and(lt(#i, #N), [lt(#i, #c)|#T])|lt(add(#i, #i), #N)|and(lt(#i, #N), #F)]",
        UP,
    ),
    ("[5|12|not(0)|shl(255, 1)]", "[lt(#i, 5)|gt(3, #i)|0]", UP),
];

const UP: &str =
    "[add(#i, 1)|add(#i, 1)|add(#i, 1)|add(1, #i)|add(#i, 2)|add(#i, 3)|add(#i, 32)|sub(#i, not(0))]";

/// As those, where the test stands before the step.
const ENDING_AT_HEAD: [Shape; 4] = [
    (
        "0",
        "[iszero(eq(#i, #N))|sub(#N, #i)|sub(#i, #N)|xor(#i, #N)|iszero(eq(shl(5, #i), shl(5, #N)))]",
        "[add(#i, 1)|add(1, #i)]",
    ),
    (
        "#N",
        "[#i|gt(#i, 0)|lt(0, #i)|iszero(iszero(#i))|sgt(#i, 0)]",
        "[sub(#i, 1)|add(#i, not(0))|add(not(0), #i)]",
    ),
    ("sub(0, #N)", "[#i|iszero(iszero(#i))|slt(#i, 0)]", "add(#i, 1)"),
    ("shl(5, #N)", "[#i|gt(#i, 31)]", "[sub(#i, 32)|add(#i, not(31))]"),
];

/// What counting loops mostly are, with fuel.
const USUAL_START: &str = "[0|0|0|0|0|1|2|7|#x|#k|#j|add(#j, 1)]";
const USUAL_TEST: &str =
    "[lt(#i, #N)|lt(#i, #N)|lt(#i, #N)|gt(#N, #i)|iszero(eq(#i, #N))|iszero(eq(#N, #i))|sub(#N, #i)]";
const USUAL_STEP: &str =
    "[add(#i, 1)|add(#i, 1)|add(#i, 1)|add(1, #i)|add(#i, [2|3|32])|sub(#i, [1|not(0)])]";
const USUAL_BOUND: &str = "[#c|#c|#c|#c|#x|#k|#j|sub(#c, #j)|calldatasize()|mload(#M)]";

/// What is tested where a loop has fuel.
const ANY_TEST: &str = "[lt(#i, #N)|lt(#i, #N)|lt(#i, #N)|lt(#i, #N)|gt(#N, #i)|iszero(eq(#i, #N))|iszero(eq(#N, #i))|sub(#N, #i)\
    |xor(#i, #N)|iszero(gt(#i, #N))|iszero(lt(#N, #i))|slt(#i, #N)|sgt(#N, #i)|iszero(slt(#N, #i))|eq(#i, #N)|gt(#i, #N)|1|#i\
    |lt(add(#i, #s), #N)|lt(shl([1|5|250], #i), #N)|lt(#i, shl([1|5|250|251], #N))|lt(mul(#i, [3|#c]), #N)|and(lt(#i, #N), #T)\
    |or(lt(#i, #N), iszero(eq(#i, #N)))|lt(#i, div(#N, 32))|lt(sub(#N, #i), #x)|iszero(iszero(lt(#i, #N)))|gt(sub(#N, #i), [0|31])\
    |lt(#i, add(#N, #x))|slt(sub(#i, #N), 0)|iszero(or(eq(#i, #N), gt(#i, #N)))|and(lt(#i, #N), #F)]";

const ANY_START: &str = "[0|0|0|0|0|1|#s|#k|#c|#x|#x|#j|#j|add(#j, 1)|sub(#x, #s)|and(#x, 7)|add(#x, #s)|#L]";

const UP_BY_FEW: &str = "[add(#i, 1)|add(#i, 1)|add(#i, 1)|add(1, #i)|add(#i, 2)|add(#i, 3)|sub(#i, not(0))]";

const ANY_STEP: &str = "[add(#i, 1)|add(#i, 1)|add(#i, 1)|add(#i, 1)|add(#i, [2|3|32|not(0)|not(31)|shl(255, 1)|shl(254, 1)|shl(250, 1)])\
    |add(#i, [0|#k|#c|#x])|sub(#i, [1|1|not(0)|2|32])|add([1|32], #i)]";

const ANY_BOUND: &str = "[#c|#c|#c|#c|#c|#x|#x|#k|and(#c, 7)|shr(252, #c)|#j|sub(#x, #j)|add(#x, #s)|sub(0, #c)|calldatasize()\
    |mload(add(#M, [0x20|and(#x, 0xff)]))|sload(#s)|#L|and(#F, 15)]";

/// Where words beside a counter begin, and how they step.
const PARTNER_STARTS: &str = "[#x|#x|#k|#s|0|0x400|add(#x, 32)|#L|#x]";
const PARTNER_STEPS: &str = "[add(#p, 32)|add(#p, 32)|add(#p, 32)|add(32, #p)|add(#p, [1|3|not(31)|#k|shl(255, 1)|#c|#x])|sub(#p, [1|32|#c])\
    |add(#i, 1)|shl(5, #i)|add(#p, #i)|#i]";

/// Ends of the loop that the words beside the counter make.
const PARTNER_ENDS: &str =
    "if [iszero(lt(#p, [#N|#c]))|eq(#p, #N)|eq(#p, add(#x, shl(5, #N)))|gt(#p, #k)] { break }";

/// What every loop has that is about linear words.
const SIGHTS: &str =
    "r := mix(r, [#L|calldataload(#L)|calldataload(#L)|mload(add(#M, and(#L, 0xfff)))|mload(#A)])";

/// Where something happens in a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Head,
    First,
    Middle,
    Last,
    Post,
}

/// A loop that is being written.
struct Parts {
    round: Round,
    /// Text of the bound.
    bound: String,
    /// Declarations that stand before the loop or in its head.
    start: String,
    /// What ends the loop after some rounds, in front of each.
    fuel: String,
    /// What happens when; a test at the head, statements elsewhere.
    moments: Vec<(Moment, String)>,
}

impl Parts {
    fn at(&self, moment: Moment) -> String {
        let texts = self.moments.iter().filter(|(when, _)| *when == moment).map(|(_, text)| text.as_str());
        texts.collect::<Vec<_>>().join(" ")
    }
}

impl Generator<'_> {
    /// A loop, perhaps with a look at its words behind it.
    pub(super) fn rounds(&mut self) -> String {
        let mut parts = if self.random.once_in(3) { self.without_fuel() } else { self.with_fuel() };
        self.add_partners(&mut parts);
        if parts.round.has_fuel {
            self.add_fuel(&mut parts);
        }
        let (head, first, middle) =
            (parts.at(Moment::Head), parts.at(Moment::First), parts.at(Moment::Middle));
        let (last, post) = (parts.at(Moment::Last), parts.at(Moment::Post));
        let head = if head.is_empty() { "1" } else { &head };

        self.rounds.push(parts.round);
        let innermost = self.rounds.len() - 1;
        let is_linear = self.rounds[innermost].is_linear;
        let mut always = String::new();
        if is_linear {
            for _ in 0..self.random.between(1, 2) {
                let word = self.fill_about(innermost, LINEAR);
                self.rounds[innermost].words.push(word);
            }
            always = self.fill_about(innermost, SIGHTS);
        }
        let (before, after) = (self.block(), self.block());
        let look = if self.random.once_in(3) { "r := mix(r, [#W|#i|#p|#L])" } else { "" };
        let behind = self.fill_about(innermost, look);
        self.rounds.pop();

        let is_outside = !look.is_empty() || self.random.once_in(2);
        let (start, fuel) = (parts.start, parts.fuel);
        let (outside, inside) = if is_outside { (start.as_str(), "") } else { ("", start.as_str()) };
        format!(
            "{{ {outside}\nfor {{ {inside} }} {head} {{ {post} }} {{\n{fuel} {first}\n{before}{always} {middle}\n{after}{last} }}\n\
             {behind} }}"
        )
    }

    fn block(&mut self) -> String {
        if self.random.once_in(3) { String::new() } else { self.nested() }
    }

    /// A loop that ends by its test.
    fn without_fuel(&mut self) -> Parts {
        let is_tested_first = self.random.once_in(3);
        let at = self.random.below(ENDING.len());
        let shape = if is_tested_first { ENDING_AT_HEAD[at] } else { ENDING[at] };
        let (test, step) = match self.random.below(6) {
            0..3 => (Moment::Head, Moment::Post),
            3 => (Moment::Head, Moment::Last),
            4 => (Moment::First, Moment::Post),
            _ if is_tested_first => (Moment::First, Moment::Last),
            _ => (Moment::Last, Moment::First),
        };
        // The others begin, or pass by, at numbers that may be large.
        let is_small = if is_tested_first { at == 0 } else { at < 3 };
        let mut parts = self.begin(FEW, shape.0);
        parts.round = Round { is_small, has_fuel: false, steps_always: step == Moment::Post, ..parts.round };
        self.add_test(&mut parts, test, shape.1);
        self.add_step(&mut parts, step, shape.2);
        parts
    }

    /// A loop whose test may hold for ever.
    fn with_fuel(&mut self) -> Parts {
        let is_usual = self.random.once_in(2);
        let (start, test, step, bound) = if is_usual {
            (USUAL_START, USUAL_TEST, USUAL_STEP, USUAL_BOUND)
        } else {
            (ANY_START, ANY_TEST, ANY_STEP, ANY_BOUND)
        };
        let is_small = self.random.once_in(2);
        let (start, step) = if is_small { ("[0|0|0|0|0|1|2|7]", UP_BY_FEW) } else { (start, step) };
        let mut parts = self.begin(bound, start);
        parts.round.is_small = is_small;
        let tests: &[Moment] = match self.random.below(6) {
            _ if is_usual => &[Moment::Head],
            0 => &[Moment::Head],
            1 => &[Moment::First],
            2 => &[Moment::Middle],
            3 => &[Moment::Last],
            4 => &[Moment::Head, Moment::Middle],
            _ => &[Moment::Head, Moment::Last],
        };
        for moment in tests {
            self.add_test(&mut parts, *moment, test);
        }
        let moment = if is_usual { Moment::Post } else { self.moment_of_step() };
        let step = if !is_usual && self.random.once_in(4) { "if #T { #i := add(#i, 1) }" } else { step };
        self.add_step(&mut parts, moment, step);
        if !is_small && self.random.once_in(8) {
            let start = self.about(&parts, " if #T { #i := [#x|#s|add(#i, 1)] }");
            parts.start += &start;
        }
        parts
    }

    fn moment_of_step(&mut self) -> Moment {
        *self.random.pick(&[
            Moment::Post,
            Moment::Post,
            Moment::Post,
            Moment::Post,
            Moment::First,
            Moment::Middle,
            Moment::Last,
        ])
    }

    /// A loop with fuel, as far as its declarations go.
    fn begin(&mut self, bound: &str, start: &str) -> Parts {
        let (counter, name) = (self.fresh("i"), self.fresh("n"));
        let mut bound = self.fill(bound);
        let mut declared = String::new();
        if self.random.once_in(2) {
            declared = format!("let {name} := {bound} ");
            bound = name;
        }
        let start = chosen(start, self.random).replace("#N", &bound);
        let start = self.fill(&start);
        let round = Round {
            counter: counter.clone(),
            partners: Vec::new(),
            words: Vec::new(),
            place: None,
            is_small: false,
            has_fuel: true,
            steps_always: true,
            is_linear: self.random.below(5) < 3,
        };
        let start = format!("{declared}let {counter} := {start}");
        Parts { round, bound, start, fuel: String::new(), moments: Vec::new() }
    }

    /// The template of a test or a step, filled in.
    fn about(&mut self, parts: &Parts, template: &str) -> String {
        let text = chosen(template, self.random);
        self.fill(&text.replace("#i", &parts.round.counter).replace("#N", &parts.bound))
    }

    fn add_test(&mut self, parts: &mut Parts, moment: Moment, test: &str) {
        let test = self.about(parts, test);
        let text = if moment == Moment::Head { test } else { format!("if iszero({test}) {{ break }}") };
        parts.moments.push((moment, text));
    }

    /// `step` is a word or a statement. What stands at the end behind a test there is tested in the next round.
    fn add_step(&mut self, parts: &mut Parts, moment: Moment, step: &str) {
        let text = self.about(parts, step);
        let counter = &parts.round.counter;
        let text = if text.starts_with("if ") { text } else { format!("{counter} := {text}") };
        parts.moments.push((moment, text));
    }

    /// Words beside the counter, most of them in step with it.
    fn add_partners(&mut self, parts: &mut Parts) {
        let of_counter = parts.moments.last().map_or(Moment::Post, |(moment, _)| *moment);
        for _ in 0..*self.random.pick(&[0, 0, 1, 1, 2]) {
            let name = self.fresh("p");
            let start = self.about(parts, PARTNER_STARTS);
            parts.start += &format!(" let {name} := {start}");
            let step = chosen(PARTNER_STEPS, self.random).replace("#p", &name);
            let step = self.about(parts, &format!("{name} := {step}"));
            let moment = if self.random.once_in(4) { self.moment_of_step() } else { of_counter };
            self.put(parts, moment, step);
            parts.round.partners.push(name);
        }
        if parts.round.has_fuel && self.random.once_in(4) {
            self.add_ends(parts);
        }
        if self.random.once_in(3) {
            let name = self.fresh("a");
            let (from, step) = *self.random.pick(&[
                ("0x200", "add(#a, 32)"),
                ("0x220", "add(32, #a)"),
                ("0x200", "add(#a, 1)"),
                ("0x1a00", "sub(#a, 32)"),
            ]);
            parts.start += &format!(" let {name} := add({}, {from})", self.arena);
            self.put(parts, of_counter, format!("{name} := {}", step.replace("#a", &name)));
            parts.round.place = Some(name);
        }
    }

    /// The bound may change as the counter does; a word beside the counter may end the loop.
    fn add_ends(&mut self, parts: &mut Parts) {
        if let Some(name) = parts.round.partners.first().cloned() {
            let end = chosen(PARTNER_ENDS, self.random).replace("#p", &name);
            let end = self.about(parts, &end);
            let moment = *self.random.pick(&[Moment::First, Moment::Middle, Moment::Last]);
            parts.moments.push((moment, end));
        }
        if parts.start.starts_with("let n") {
            parts.round.partners.push(parts.bound.clone());
        }
    }

    /// In front of what happens then, or behind it.
    fn put(&mut self, parts: &mut Parts, moment: Moment, text: String) {
        let at = if self.random.once_in(2) { 0 } else { parts.moments.len() };
        parts.moments.insert(at, (moment, text));
    }

    /// Ends the loop after some rounds, more than small bounds ask for and than products that wrap look like.
    fn add_fuel(&mut self, parts: &mut Parts) {
        let most = if self.rounds.is_empty() && !self.is_function { 12 } else { 7 };
        let n_rounds = self.random.between(6, most);
        let out = self.fill(if self.is_function {
            "[break|break|break|break|leave|#f]"
        } else {
            "[break|break|break|break|break|#f]"
        });
        let name = self.fresh("l");
        self.n_fuels += 1;
        let slot = format!("0x{:x}", 0x80 + 0x20 * self.n_fuels);
        let (start, fuel) = match self.random.below(6) {
            0 => ("let #l := #n", "if iszero(#l) { #e } #l := sub(#l, 1)"),
            1 => ("let #l := 0", "if eq(#l, #n) { #e } #l := add(#l, 1)"),
            2 | 3 if self.n_fuels < MAX_FUELS_IN_MEMORY => {
                ("mstore(#s, #n)", "if iszero(mload(#s)) { #e } mstore(#s, sub(mload(#s), 1))")
            }
            _ => ("tstore(#s, #n)", "if iszero(tload(#s)) { #e } tstore(#s, sub(tload(#s), 1))"),
        };
        let filled = |template: &str| {
            let rounds = n_rounds.to_string();
            template.replace("#l", &name).replace("#s", &slot).replace("#n", &rounds).replace("#e", &out)
        };
        parts.start = format!("{} {}", filled(start), parts.start);
        parts.fuel = filled(fuel);
    }
}
