//! Words behind masks: comparisons, bytes, fields of packed words; and sums that must not wrap.

use super::Generator;
use super::rows::Step;

/// Words that are equal to others behind a mask, or clean.
const OF_MASKED: &str = "[iszero(eq(and(#w, #C), #y))|iszero(eq(and(#w, #C), #y))|iszero(eq(#y, and(#C, #w)))\
    |iszero(eq(#w, and(#w, #C)))|sub(#w, and(#w, #C))|xor(and(#w, #C), #y)|iszero(eq(and(#w, #M), and(#w, #M)))\
    |shr([160|160|161|64|128|8], #w)|and(#w, not(#C))|iszero(eq(shr(96, shl(96, #w)), #y))\
    |iszero(eq(signextend([0|7|19|20], #w), #w))|gt(#w, #C)|lt(#C, #w)|iszero(lt(#w, [#C|shl(160, 1)]))\
    |eq(and(#w, #M), #y)|eq(and(#w, #M), [#w|and(#w, #M)])|iszero(eq(and(#w, #M), #w))|iszero(and(#w, #C))\
    |shl(96, xor(#w, #y))|and(xor(#w, #y), #M)|iszero(eq(shl(96, #w), shl(96, #y)))|iszero(eq(div(#w, 0x100), shr(8, #y)))]";

/// Bytes and fields of words.
const VALUES: &str = "[#G|#G|#P|#P|eq(and(#w, #M), #y)|eq(#y, and(#w, #M))|and(#w, #M)|eq(and(#w, #M), and(#w, #M))\
    |sub(and(#w, #M), #y)|and(and(#w, #M), #M)|or(and(#w, #M), and(#w, #M))|eq(#w, and(#w, #M))|xor(#w, and(#w, #M))]";

pub(super) fn hole(letter: &str) -> Option<&'static str> {
    Some(match letter {
        // What covers an address.
        "C" => {
            "[0xffffffffffffffffffffffffffffffffffffffff|0xffffffffffffffffffffffffffffffffffffffff\
             |sub(shl(160, 1), 1)|sub(shl([161|192|255], 1), 1)|not(shl(160, 0xff))|not(shl(255, 1))|#M]"
        }
        "M" => {
            "[0xffffffffffffffffffffffffffffffffffffffff|0xffffffffffffffffffffffffffffffffffffffff\
             |0xffffffffffffffff|sub(shl(128, 1), 1)|0xff|0xff|1|0x1ff|0xff00|0xff00ff00ff|0xffe0\
             |not(0xffffffffffffffffffffffffffffffffffffffff)|not(0xff)|not(0)|shl(160, 0xff)|shl(248, 0xff)\
             |not(shl(160, 0xff))|shl(128, not(0))|sub(shl(255, 1), 1)|shl(255, 1)|0x5555555555555555|not(sub(shl(128, 1), 1))]"
        }
        "y" => {
            "[caller()|caller()|caller()|and(caller(), #M)|and(#w, #M)|and(#w, #M)|#w|#w|5|0|0xff\
             |or(caller(), shl(160, #w))|origin()|shr(96, shl(96, #w))]"
        }
        // Some bits of a word.
        "G" => {
            "[and(shr([8|16|248|240|247|13|0|7|1|251], #w), [0xff|0xff|0xff|0x1ff|0xffff|1|0xf])\
             |and(shr(mul(8, #K), #w), 0xff)|and(shr(shl(3, and(#w, 31)), #w), 0xff)|shr([248|255|240|13], #w)|byte([0|31|30|#K], #w)\
             |byte(and(#w, 31), #w)|shr(8, and(#w, [0xff00|0xff80|0x1ff00]))|shl(8, and(#w, 0xff))|and(shl(8, #w), [0xff00|0xff|0x1ff00])\
             |signextend([0|1|19], #w)|shr([8|3], shl([8|16], #w))|div(#w, [0x100|shl(248, 1)])|mod(#w, [0x100|0xff])\
             |and(div(#w, 0x100), 0xff)|sar([248|8], #w)|and(sar([248|13], #w), [0xff|0x1ff])]"
        }
        // Fields put into a word.
        "P" => {
            "[or(and(or(and(#w, #M), #F), #M), #F)|or(and(or(and(#w, not(#M)), #F), not(#M)), #F)|or(and(#w, not(#M)), and(#w, #M))\
             |or(and(or(and(sload(1), not(#M)), #F), not(#M)), #F)|and(or(#F, #F), #M)|or(or(#F, #F), and(#w, #M))\
             |or(and(sload([1|2]), [not(#M)|#M]), #F)|and(or(and(#w, #M), #F), not(#M))]"
        }
        "F" => {
            "[#w|and(#w, #M)|and(#w, #M)|shl(160, and(#w, 0xff))|shl([160|64|8|128], #w)|iszero(#w)|and(shl(160, #w), shl(160, 0xff))\
             |shl(8, and(#w, 0xff))|caller()|#G|shl(160, iszero(#w))|eq(#w, #y)]"
        }
        _ => return None,
    })
}

impl Generator<'_> {
    /// Words behind masks that are compared, or made.
    pub(super) fn masked(&mut self, steps: &mut Vec<Step>) {
        if self.scope.words.is_empty() || self.random.once_in(6) {
            let (word, slot) = (self.fresh("w"), self.random.between(3, 4));
            steps.push(Step::Other(format!("let {word} := {}", self.slot(slot))));
            self.scope.words.push(word);
        }
        for _ in 0..self.random.between(1, 2) {
            match self.random.below(5) {
                0 => {
                    let word = self.fresh("w");
                    let value = self.fill(VALUES);
                    steps.push(Step::Other(format!("let {word} := {value} r := mix(r, {word})")));
                    self.scope.words.push(word);
                }
                1 => {
                    let value = self.fill(VALUES);
                    steps.push(Step::Other(format!("r := mix(r, {value})")));
                }
                2 => {
                    let store = self.fill("[sstore([1|2], #P)|r := mix(r, #P) r := mix(r, #G)]");
                    steps.push(Step::Other(store));
                }
                _ => self.maybe_check(OF_MASKED, steps),
            }
        }
    }

    /// A sum or a difference, with a check that it didn't wrap in front of it or behind.
    pub(super) fn counted(&mut self, steps: &mut Vec<Step>) {
        let (of, next) = (self.fill("[#w|#w|#v]"), self.fresh("w"));
        let step = self.fill("[1|1|1|2|0x1f|0x20|0x24|#B|and(#w, 0xff)|#v]");
        let is_sum = !self.random.once_in(3);
        let in_front = match is_sum {
            true => format!(
                "[eq({of}, not(0))|eq(not(0), {of})|gt({of}, not({step}))|iszero(not({of}))|eq({of}, not({step}))]"
            ),
            false => format!("[iszero({of})|lt({of}, {step})|eq({of}, 0)|gt({step}, {of})|eq({of}, {step})]"),
        };
        let behind = match is_sum {
            true => format!(
                "[gt({of}, {next})|lt({next}, {of})|gt({step}, {next})|iszero(lt({of}, {next}))|iszero({next})]"
            ),
            false => format!(
                "[gt({next}, {of})|lt({of}, {next})|iszero(gt({of}, {next}))|eq({next}, not(0))|slt({next}, 0)]"
            ),
        };
        let way = self.random.below(3);
        if way != 1 {
            self.check(&in_front, steps);
        }
        let sum = if is_sum { "[add(#a, #z)|add(#z, #a)]" } else { "[sub(#a, #z)|add(#a, sub(0, #z))]" };
        let sum = self.fill(&sum.replace("#a", &of).replace("#z", &step));
        steps.push(Step::Other(format!("let {next} := {sum}")));
        if way != 0 {
            self.check(&behind, steps);
        }
        match self.random.below(3) {
            0 => {}
            1 => steps.push(Step::Other(format!("r := mix(r, {next})"))),
            _ => self.scope.words.push(next),
        }
    }
}
