//! What a result tells of the operands that it was computed from.

use super::{Facts, add, known_amount, sub, transfer};
use cairn_evm::{Opcode, Word, word};

/// What is known of the operand at `index` of `op` when this is known of both operands and of the result:
/// every word of the operand's set from which the operation gives a word of the result's set, and maybe more.
/// Comparisons tell nothing here: they tell of two words at once.
///
/// ```
/// use cairn_evm::{Opcode, Word};
/// use cairn_rules::{Facts, transfer_back};
/// // What has no low byte set.
/// let mask = Facts::exactly(Word::from(255));
/// let word = transfer_back(Opcode::AND, [&Facts::ANY, &mask], 0, &Facts::exactly(Word::ZERO));
/// assert_eq!(word.possible_ones(), !Word::from(255));
/// ```
pub fn transfer_back(op: Opcode, args: [&Facts; 2], index: usize, result: &Facts) -> Facts {
    let other = args[1 - index];
    match (op, index) {
        (Opcode::ADD, _) => sub(result, other),
        (Opcode::SUB, 0) => add(result, other),
        (Opcode::SUB, _) => sub(other, result),
        (Opcode::XOR, _) => transfer(Opcode::XOR, &[result, other]),
        (Opcode::AND, _) => Facts::from_bits(result.zeros & other.ones, result.ones),
        (Opcode::OR, _) => Facts::from_bits(result.zeros, result.ones & other.zeros),
        (Opcode::SHL, 1) => shifted(other, result, |bits, amount| bits >> amount),
        (Opcode::SHR, 1) => shifted_right(other, result),
        (Opcode::SIGNEXTEND, 1) => other.as_word().map_or(Facts::ANY, |index| {
            let low = usize::try_from(index).ok().filter(|index| *index < 31);
            let low = word::low_mask(low.map_or(Word::BITS, |index| 8 * index + 8));
            Facts::from_bits(result.zeros & low, result.ones & low)
        }),
        _ => Facts::ANY,
    }
}

/// What was shifted: its bits are those of the result, moved back.
fn shifted(amount: &Facts, result: &Facts, back: impl Fn(Word, usize) -> Word) -> Facts {
    known_amount(amount)
        .map_or(Facts::ANY, |amount| Facts::from_bits(back(result.zeros, amount), back(result.ones, amount)))
}

/// What was shifted right has the result's bounds, too, with any bits below.
fn shifted_right(amount: &Facts, result: &Facts) -> Facts {
    let bits = shifted(amount, result, |bits, amount| bits << amount);
    let Some(amount) = known_amount(amount) else { return bits };
    let greatest = Word::MAX >> amount;
    bits.and_between(
        result.lo.min(greatest) << amount,
        result.hi.min(greatest) << amount | word::low_mask(amount),
    )
}
