//! Bounds and bits of results, tried before they are believed.
//!
//! They come from the table that the optimizer uses ([`cairn_rules::transfer`]). A fault there would make wrong code
//! and prove it right. So words that the operands can be are put into the operation: an answer that one of their
//! results is not in says nothing. That finds no fault for sure, but those at the ends of bounds and at signs, where
//! faults of such tables are. The same is asked of many terms and under many paths: what was tried is kept.

use cairn_evm::{Opcode, Word, word};
use cairn_rules::Facts;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;

/// Answers that are kept; with more, all are forgotten.
const MAX_KEPT: usize = 1 << 14;

/// An operation and all that is known of its two operands.
type Question = (Opcode, [[Word; 4]; 2]);

thread_local! {
    /// Answers that were tried by this thread.
    static KEPT: RefCell<FxHashMap<Question, Facts>> = RefCell::default();
}

/// What is known of the result of `opcode` when this is known of its operands.
pub(crate) fn transfer(opcode: Opcode, args: &[&Facts]) -> Facts {
    let answer = || believed(opcode, args, cairn_rules::transfer(opcode, args));
    let &[a, b] = args else { return answer() };
    let question =
        (opcode, [a, b].map(|facts| [facts.lo(), facts.hi(), facts.ones(), facts.possible_ones()]));
    KEPT.with_borrow_mut(|kept| {
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        *kept.entry(question).or_insert_with(answer)
    })
}

/// An answer, if no word that is tried speaks against it.
fn believed(opcode: Opcode, args: &[&Facts], answer: Facts) -> Facts {
    if answer == Facts::ANY || args.iter().all(|facts| facts.as_word().is_some()) {
        return answer;
    }
    let ends: SmallVec<[Word; 12]> = args.iter().flat_map(|facts| ends(facts)).collect();
    let members: SmallVec<[Members; 3]> = args.iter().map(|facts| members(facts, &ends)).collect();
    let mut tuple: SmallVec<[Word; 3]> = SmallVec::new();
    if is_right(opcode, &members, &mut tuple, &answer) { answer } else { Facts::ANY }
}

/// Words of a set that are tried.
type Members = SmallVec<[Word; 8]>;

/// The ends of a set, and what lies next to them.
fn ends(facts: &Facts) -> [Word; 4] {
    let one = Word::from(1);
    [facts.lo(), facts.hi(), facts.lo().wrapping_add(one), facts.hi().wrapping_sub(one)]
}

/// The ends of all operands' sets, and words near the sign and with all bits that can be, as far as they are in
/// this set.
fn members(facts: &Facts, ends: &[Word]) -> Members {
    let bits = [
        facts.ones(),
        facts.possible_ones(),
        word::MIN_SIGNED,
        (word::MIN_SIGNED & facts.possible_ones()) | facts.ones(),
    ];
    let mut found = Members::new();
    for word in ends.iter().copied().chain(bits) {
        if facts.has(word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// True if each result of the operation that is tried is in the answer; of what has no result by its operands
/// alone nothing is tried.
fn is_right(opcode: Opcode, members: &[Members], tuple: &mut SmallVec<[Word; 3]>, answer: &Facts) -> bool {
    let Some((first, rest)) = members.split_first() else {
        return word::eval(opcode, tuple).is_none_or(|result| answer.has(result));
    };
    first.iter().all(|word| {
        tuple.push(*word);
        let is_right = is_right(opcode, rest, tuple, answer);
        tuple.pop();
        is_right
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn w(value: u64) -> Word {
        Word::from(value)
    }

    #[test]
    fn wrong_answers_are_not_believed() {
        let (any, one, small) = (Facts::ANY, Facts::exactly(w(1)), Facts::between(w(3), w(40)));
        let wrong = [
            // Sums wrap.
            (Opcode::ADD, any, one, Facts::between(w(1), Word::MAX)),
            // The sign comes in from the left.
            (Opcode::SAR, one, any, Facts::low_bits(255)),
            (Opcode::SAR, Facts::low_bits(8), any, Facts::between(Word::ZERO, word::MAX_SIGNED)),
            // The greatest of one is the least of the other.
            (Opcode::LT, small, small, Facts::exactly(w(1))),
            (Opcode::LT, small, Facts::between(w(40), w(50)), Facts::exactly(w(1))),
            (Opcode::SLT, any, one, Facts::exactly(w(0))),
            (Opcode::EQ, small, any, Facts::exactly(w(0))),
            (Opcode::SUB, small, small, Facts::low_bits(6)),
            (Opcode::DIV, small, any, Facts::between(w(1), w(40))),
            (Opcode::MOD, any, small, Facts::between(w(0), w(38))),
            (Opcode::MUL, small, small, Facts::between(w(9), w(1599))),
            (Opcode::AND, any, Facts::exactly(w(0xff)), Facts::low_bits(7)),
            (Opcode::OR, small, small, Facts::between(w(3), w(40))),
            (Opcode::SIGNEXTEND, w_exactly(0), Facts::low_bits(8), Facts::low_bits(8)),
            (Opcode::SHL, w_exactly(8), Facts::low_bits(8), Facts::low_bits(15)),
            (Opcode::BYTE, w_exactly(31), any, Facts::low_bits(7)),
        ];
        for (opcode, a, b, answer) in wrong {
            assert_eq!(believed(opcode, &[&a, &b], answer), Facts::ANY, "{opcode:?} {a:x?} {b:x?}");
        }
    }

    fn w_exactly(value: u64) -> Facts {
        Facts::exactly(w(value))
    }

    #[test]
    fn right_answers_are() {
        let sets = [
            Facts::ANY,
            w_exactly(0),
            w_exactly(31),
            Facts::low_bits(8),
            Facts::low_bits(160),
            Facts::between(w(3), w(40)),
            Facts::exactly(!w(31)),
        ];
        for opcode in Opcode::all().filter(|opcode| opcode.is_arithmetic() && opcode.known().inputs == 2) {
            for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
                let answer = cairn_rules::transfer(opcode, &[a, b]);
                assert_eq!(believed(opcode, &[a, b], answer), answer, "{opcode:?} {a:x?} {b:x?}");
            }
        }
    }

    #[test]
    fn what_is_not_computed_is_taken_as_it_is() {
        assert_eq!(transfer(Opcode::CALLER, &[]), Facts::low_bits(160));
        assert_eq!(transfer(Opcode::EXTCODESIZE, &[&Facts::ANY]), Facts::low_bits(64));
    }
}
