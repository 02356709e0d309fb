//! Words that are linear in counters, others that are made of counters, and what is done with them.
//!
//! In templates, `#n` is a new name, and `#i`, `#p` and `#a` are the counter of the loop that the template is about, a
//! word that grows beside it and one that is an address. `#j` is any counter, `#L` a linear word, `#W` a word that the
//! loop may use, `#S` a small number, `#A` an address in the arena, `#M` the arena. `#v` may be assigned, `#c` keeps
//! what it is, `#x` is either or a number, `#y` mostly keeps what it is, `#k` a number at a border, `#s` a small one. `#T` is a test, `#U` a use, `#e` a
//! way out of the loop, `#f` an end of the frame, `#b` a block of statements, `#F` a call of a function.

use super::{Generator, KEPT, WORDS};

/// Numbers at which something wraps, changes its sign or its width.
const BORDERS: [&str; 14] = [
    "0",
    "1",
    "31",
    "32",
    "0x7fffffffffffffff",
    "0xffffffffffffffff",
    "0x10000000000000000",
    "shl(250, 1)",
    "shl(251, 1)",
    "add(shl(251, 1), 5)",
    "shl(255, 1)",
    "sub(shl(255, 1), 1)",
    "not(0)",
    "not(31)",
];

pub(super) const LINEAR: &str = "[add(#y, shl(5, #i))|add(shl([0|1|3|5|8], #i), #y)|add(#y, mul(#i, [32|3|31|#k|#y]))|add(#y, #i)\
    |sub(shl([1|5|250|251|255|256|#y], #i), #y)|sub(#y, [#i|shl(5, #i)|mul(3, #i)])|sub(0, #i)|not([#i|shl(3, #i)])\
    |add(#i, [#p|#y|#s])|add(#i, #i)|sub(#p, #i)|sub(#p, shl(5, #i))|sub(shl(5, #i), #p)|add(#p, #j)|sub(#j, #i)\
    |add(mul(#i, [3|#k]), mul(#j, [5|32|#y]))|mul(32, add(#i, [#s|#y]))|mul(sub(#i, [1|#y]), [not(0)|32|#k])\
    |add(#y, add(#y, shl(5, add(#i, #s))))|shl([1|5], shl([2|250], #i))|add(#p, [32|#s|not(31)])|#p|#p\
    |add(add(#y, #s), shl(5, #i))|shl(5, add(#i, 1))|add(shl(5, #i), [0x20|4|not(31)])]";

/// Words of counters, linear or not.
const OTHERS: &str = "[#i|#i|#i|#j|mul(#i, #i)|mul(#p, #i)|mul(#i, #j)|shl(#i, [1|#x])|shr(#i, #x)|sar(#i, #x)|and(#i, [1|7|0xff|#x])\
    |byte(#i, #x)|signextend([0|#i], [#i|#x])|xor(#i, #x)|exp([2|3], and(#i, 7))|addmod(#i, #s, #x)|mulmod(#i, #j, #x)\
    |div(#i, [3|#x])|mod(#i, [7|#x])|iszero(#i)|lt(#i, #x)|eq(#i, #x)|slt(#i, #x)|or(#i, #x)]";

/// Words that are made of linear ones.
const DERIVED: &str = "[and(#L, [0xfff|0xffe0|#x])|or(#L, [1|#s])|div(#L, [3|32|#x])|mod(#L, [7|#x])|sar(#s, #L)|shr(5, shl(5, #i))\
    |lt(#L, #x)|gt(#L, #x)|slt(#L, #x)|eq(#L, #x)|iszero(#L)|byte([31|#s], #L)|mul(#L, #L)|xor(#L, #L)|sub(#L, #L)]";

const USES: [&str; 16] = [
    "r := mix(r, #W)",
    "r := mix(r, #W)",
    "r := mix(r, #L)",
    "r := mix(r, calldataload([#L|#L|#L|and(#L, 0x1ff)|add(#x, shl(5, #i))]))",
    "r := mix(r, calldataload([shl(5, #i)|add(4, shl(5, #i))|sub(shl(5, #i), 64)|mul(#i, 32)|#p]))",
    "r := mix(r, mload(add(#M, and([#L|#W], 0xfff))))",
    "mstore(add(#M, and([#L|#W], 0xfff)), [#W|r|#x])",
    "mstore8(add(and(#L, 0xfff), #M), [#W|r])",
    "[mstore(#A, [r|#W|mload(#A)])|r := mix(r, mload(#A))|r := mix(r, keccak256(#A, [32|64|0|and(#i, 31)]))]",
    "[mstore(#A, mload(#A))|mstore(#A, calldataload(#L))|calldatacopy(#A, #L, [32|#s])|mcopy(#A, #A, [32|64])]",
    "r := mix(r, [sload|tload]([#L|add(hash(#s), #i)|add(hash(#s), #L)|#L]))",
    "[tstore(#L, [r|#W])|tstore(add(hash(#s), #i), r)|sstore([and(#L, 3)|add(hash(#s), and(#L, 3))], [r|#W])]",
    "log1([0|#A], [0|32], [#W|#L])",
    "#v := [#W|add(#v, #L)|xor(#v, #W)|add(#v, [1|32])]",
    "{ let #n := #L r := mix(r, [#n|#x]) r := mix(r, [mload(add(#M, and(#n, 0xfff)))|calldataload(#n)|#n]) }",
    "{ let #n := #W if [gt(#n, #x)|lt(#n, #x)|iszero(#n)] { r := mix(r, [#s|#n]) } }",
];

const STATEMENTS: [&str; 9] = [
    "#U",
    "#U",
    "#U",
    "#U",
    "if #T #b",
    "if #T { #U }",
    "switch #T case 0 { #U } default #b",
    "r := mix(r, #F)",
    "if [#T|eq(#W, [#x|#s])] { #e }",
];

/// Ways on and out of loops with fuel.
const WAYS: [&str; 6] = [
    "if #T { #e }",
    "if [eq|lt|gt](#i, [#x|#s]) { #e }",
    "if [eq(#p, #x)|lt(#L, #x)|iszero(#L)] { #e }",
    "if iszero(calldataload(#L)) { #e }",
    "if #T { #i := add(#i, [1|2]) [#d|] continue }",
    "if #T { #d continue }",
];

/// What else changes the counters of loops with fuel.
const STEPS: [&str; 6] = [
    "#i := add(#i, [1|lt(#x, #x)|and(#x, 1)])",
    "if #T { #i := add(#i, [1|2]) }",
    "#d",
    "if #T { #d }",
    "if #T { #w }",
    "{ let #n := #i #d r := mix(r, #n) }",
];

impl Generator<'_> {
    /// A statement that is not a loop.
    pub(super) fn statement_on_words(&mut self) -> String {
        let Some(round) = self.rounds.last() else {
            return self.fill("[#v := [#x|#F|add(#x, #s)]|r := mix(r, [#F|#x])|if #T #b]");
        };
        let (has_fuel, innermost) = (round.has_fuel, self.rounds.len() - 1);
        let is_calm = round.is_linear && !self.random.once_in(4);
        match self.random.below(10) {
            0 if has_fuel && !is_calm => {
                let template = *self.random.pick(&WAYS);
                self.fill_about(innermost, template)
            }
            1 if !is_calm => self.step(),
            _ => {
                let template = *self.random.pick(&STATEMENTS);
                self.fill_about(innermost, template)
            }
        }
    }

    /// A change of a counter that may change: of the innermost loop, or of one around it that makes no addresses.
    fn step(&mut self) -> String {
        let innermost = self.rounds.len() - 1;
        let at = if self.random.once_in(3) { self.random.below(innermost + 1) } else { innermost };
        let round = &self.rounds[at];
        let may_change = round.has_fuel && (at == innermost || !round.is_small);
        let template = if may_change { *self.random.pick(&STEPS) } else { "#U" };
        self.fill_about(at, template)
    }

    pub(super) fn hole(&mut self, letter: &str, at: usize) -> String {
        match letter {
            "v" => format!("v{}", self.random.below(WORDS)),
            "c" => format!("c{}", self.random.below(KEPT)),
            "k" => (*self.random.pick(&BORDERS)).to_owned(),
            "s" => self.random.below(9).to_string(),
            "x" => self.fill_about(at, "[#v|#v|#c|#c|#c|#k|#s|0x400|r]"),
            "y" => self.fill_about(at, "[#c|#c|#c|#k|#s|0x400|#x]"),
            "M" => self.arena.to_owned(),
            "b" => format!("{{\n{}}}", self.nested()),
            "T" => self.fill_about(
                at,
                "[and([#x|r], 1)|lt(#x, #x)|iszero(and(#W, 3))|gt(#W, #x)|eq(#W, [#x|#s])|#x]",
            ),
            "F" if self.n_funcs > 0 && !self.is_function && self.rounds.len() < 2 => {
                let func = self.random.below(self.n_funcs);
                self.fill_about(at, &format!("f{func}(#M, [#x|#W], [#x|#s], [#c|#k|#L])"))
            }
            "F" => self.fill_about(at, "hash(and(#x, 7))"),
            "f" => self.fill_about(
                at,
                "[mstore(0, r) revert(0, 32)|mstore(0, r) return(0, 32)|invalid()|sstore(9, r) stop()]",
            ),
            _ if self.rounds.is_empty() => self.hole("x", at),
            _ => self.of_counter(letter, at),
        }
    }

    /// What only loops have.
    fn of_counter(&mut self, letter: &str, at: usize) -> String {
        let n_rounds = self.rounds.len();
        let round = &self.rounds[at];
        match letter {
            "i" => round.counter.clone(),
            "j" => self.rounds[self.random.below(n_rounds)].counter.clone(),
            "p" if round.partners.is_empty() => round.counter.clone(),
            "p" => self.random.pick(&round.partners).clone(),
            "S" if round.is_small => round.counter.clone(),
            "S" => self.fill_about(at, "and(#i, 15)"),
            "L" if !round.words.is_empty() && !self.random.once_in(4) => self.random.pick(&round.words).clone(),
            "L" => self.fill_about(at, LINEAR),
            "W" if round.is_linear => self.fill_about(at, &format!("[#L|#L|#L|{DERIVED}]")),
            "W" => self.fill_about(at, &format!("[#L|{DERIVED}|{OTHERS}|{OTHERS}]")),
            "A" if round.place.is_some() && !self.random.once_in(3) => self.fill_about(at, "[#a|#a|#a|add(#a, [32|1])]"),
            "A" => self.fill_about(
                at,
                "add(#M, [add(0x200, shl(5, #S))|add(mul(#S, 32), 0x220)|sub(0x1a00, shl(5, #S))|add(0x200, #S)|shl(5, add(#S, 1))])",
            ),
            "a" => round.place.clone().expect("asked for where there is one"),
            "U" => {
                let template = *self.random.pick(&USES);
                let text = self.fill(template);
                // Many different keys cost more gas than a call has.
                if n_rounds > 1 { text.replace("sload(", "tload(").replace("sstore(", "tstore(") } else { text }
            }
            "d" if round.partners.is_empty() => self.fill_about(at, "#v := add(#v, 32)"),
            "d" => self.fill_about(at, "#p := [add(#p, [32|32|31|64|1])|sub(#p, 32)|add(#i, 1)|shl(5, #i)]"),
            "w" if round.is_small => self.fill_about(at, "#i := add(#i, 1)"),
            "w" => self.fill_about(at, "#i := [#x|#L|sub(#i, [1|2])|add(#i, #x)|shl(1, #i)]"),
            "e" => self.way_out(at),
            other => unreachable!("no hole `#{other}`"),
        }
    }

    fn way_out(&mut self, at: usize) -> String {
        let round = &self.rounds[at];
        let goes_on = round.has_fuel || round.steps_always;
        let template = match (goes_on, self.is_function) {
            (true, true) => "[break|continue|leave|#f]",
            (true, false) => "[break|break|continue|#f]",
            (false, true) => "[break|leave|#f]",
            (false, false) => "[break|break|break|#f]",
        };
        self.fill_about(at, template)
    }
}
