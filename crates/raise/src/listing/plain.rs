//! The same in fewer words: what is computed of numbers alone, what changes nothing, twice negated truths, sums
//! with several numbers, and sums with a number that stands for a difference.

use super::say::Say;
use crate::tree::{At, Callee};
use cairn_evm::word::{eval, low_mask};
use cairn_evm::{Opcode, Word};
use cairn_ir::Type;
use cairn_ir::builder::opcode_result_type;
use cairn_yul::Builtin;

/// The same in fewer words, if there are any.
pub(super) fn plainer(opcode: Opcode, args: &[Say], at: At) -> Option<Say> {
    let numbers: Option<Vec<Word>> = args.iter().map(Say::as_number).collect();
    if let Some(word) = numbers.filter(|list| !list.is_empty()).and_then(|list| eval(opcode, &list)) {
        return Some(Say::Number(word));
    }
    if let Some(sum) = plain_sum(opcode, args, at) {
        return Some(sum);
    }
    let is = |say: &Say, word: u64| say.as_number() == Some(Word::from(word));
    match (opcode, args) {
        (Opcode::ADD | Opcode::OR, [a, b]) if is(a, 0) => Some(b.clone()),
        (Opcode::ADD | Opcode::OR | Opcode::SUB, [a, b]) if is(b, 0) => Some(a.clone()),
        (Opcode::SUB, [whole, part]) if part.is_pure() => {
            let [a, b] = whole.args_of(Opcode::ADD)? else { return None };
            if b == part { Some(a.clone()) } else { (a == part).then(|| b.clone()) }
        }
        (Opcode::MUL, [a, b]) if is(a, 1) => Some(b.clone()),
        (Opcode::MUL | Opcode::DIV, [a, b]) if is(b, 1) => Some(a.clone()),
        (Opcode::SHL | Opcode::SHR, [a, b]) if is(a, 0) => Some(b.clone()),
        (Opcode::AND, [mask, say] | [say, mask]) if mask.as_number() == Some(low_mask(160)) => {
            let (opcode, _) = say.as_evm()?;
            (opcode_result_type(opcode) == Type::Int(160)).then(|| say.clone())
        }
        (Opcode::ISZERO, [inner]) => {
            let [value] = inner.args_of(Opcode::ISZERO)? else { return None };
            let is_truth = value.as_evm().is_some_and(|(opcode, _)| opcode_result_type(opcode) == Type::Bool);
            is_truth.then(|| value.clone())
        }
        _ => None,
    }
}

/// One number for those that are added to a value or taken from it, as a difference where that is short.
fn plain_sum(opcode: Opcode, args: &[Say], at: At) -> Option<Say> {
    let (base, number) = sum_of(opcode, args)?;
    let (base, total) = match base.as_evm().and_then(|(opcode, args)| sum_of(opcode, args)) {
        Some((inner, other)) => (inner, number.wrapping_add(other)),
        None if opcode == Opcode::ADD && !is_short_negative(number) => return None,
        None if opcode == Opcode::SUB && is_short_negative(number) => return None,
        None => (base, number),
    };
    if total.is_zero() {
        return Some(base.clone());
    }
    let (opcode, number) = match is_short_negative(total) {
        true => (Opcode::SUB, total.wrapping_neg()),
        false => (Opcode::ADD, total),
    };
    let operands = vec![base.clone(), Say::Number(number)];
    Some(Say::Call(Callee::Builtin(Builtin::Evm(opcode)), operands, at))
}

/// A value and the number that is added to it.
fn sum_of(opcode: Opcode, args: &[Say]) -> Option<(&Say, Word)> {
    match (opcode, args) {
        (Opcode::ADD, [Say::Number(number), say] | [say, Say::Number(number)]) => Some((say, *number)),
        (Opcode::SUB, [say, Say::Number(number)]) => Some((say, number.wrapping_neg())),
        _ => None,
    }
}

/// True for a number that is less than zero, as a signed one, by no more than a place in memory may be.
fn is_short_negative(number: Word) -> bool {
    !number.is_zero() && number.wrapping_neg() <= Word::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(opcode: Opcode, a: Say, b: Say) -> Say {
        plainer(opcode, &[a.clone(), b.clone()], At(None)).unwrap_or(Say::evm(opcode, vec![a, b]))
    }

    fn number(number: u64) -> Say {
        Say::Number(Word::from(number))
    }

    fn minus(number: u64) -> Say {
        Say::Number(Word::from(number).wrapping_neg())
    }

    #[test]
    fn numbers_in_a_sum_are_one() {
        let base = Say::Free(1);
        let far = sum(Opcode::ADD, sum(Opcode::ADD, base.clone(), number(354)), minus(32));
        assert_eq!(far, Say::evm(Opcode::ADD, vec![base.clone(), number(322)]));
        let back = sum(Opcode::SUB, far, number(322));
        assert_eq!(back, base);
    }

    #[test]
    fn what_is_added_below_zero_is_a_difference() {
        let size = Say::evm(Opcode::CALLDATASIZE, Vec::new());
        let less = Say::evm(Opcode::SUB, vec![size.clone(), number(4)]);
        assert_eq!(sum(Opcode::ADD, size.clone(), minus(4)), less);
        assert_eq!(sum(Opcode::ADD, minus(4), size.clone()), less);
        assert_eq!(sum(Opcode::SUB, size, number(4)), less);
    }

    #[test]
    fn what_is_added_and_taken_away_is_gone() {
        let (a, size) = (Say::Free(1), Say::evm(Opcode::CALLDATASIZE, Vec::new()));
        let both = Say::evm(Opcode::ADD, vec![a.clone(), size.clone()]);
        assert_eq!(sum(Opcode::SUB, both.clone(), a.clone()), size);
        assert_eq!(sum(Opcode::SUB, both.clone(), size.clone()), a);
        let other = Say::Free(2);
        assert_eq!(plainer(Opcode::SUB, &[both, other], At(None)), None);
    }

    #[test]
    fn sums_without_a_number_stay() {
        let (a, b) = (Say::Free(1), Say::Free(2));
        assert_eq!(plainer(Opcode::ADD, &[a.clone(), b.clone()], At(None)), None);
        assert_eq!(plainer(Opcode::SUB, &[number(7), a], At(None)), None);
        let large = Say::Number(Word::from(1) << 255usize);
        assert_eq!(plainer(Opcode::ADD, &[b, large], At(None)), None);
    }
}
