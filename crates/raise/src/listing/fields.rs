//! Fields of a packed word that a store changes: `slot5:0..20 = owner`.
//!
//! A store keeps what the other fields hold: `or(and(sload(place), mask), value)`, once a field or once for several
//! at a time. A field is where the mask has zeros and a value may have ones, in whole bytes; where it cannot be
//! told which value is whose, the word is told as it is.

use super::bits::run_of_ones;
use super::say::{Name, Say};
use cairn_evm::word::low_mask;
use cairn_evm::{Opcode, Word};
use cairn_ir::Type;
use cairn_ir::builder::opcode_result_type;
use rustc_hash::FxHashMap;

/// Fields of a word that are told apart.
const MAX_FIELDS: usize = 8;

/// What is written into a part of a word.
#[derive(Debug, PartialEq)]
pub(super) struct Field<'s> {
    /// Bytes below it.
    pub(super) offset: usize,
    pub(super) bytes: usize,
    /// Zero if there is nothing.
    pub(super) value: Option<&'s Say>,
}

/// What variables are that have one value.
type Values = FxHashMap<Name, Say>;

/// The fields that a stored word changes, the lowest first; none if it is not known which.
pub(super) fn fields_of_store<'s>(values: &'s Values, place: &Say, value: &'s Say) -> Vec<Field<'s>> {
    let mut fields = Vec::new();
    let found = add_fields((values, place), value, &mut fields);
    fields.sort_unstable_by_key(|field| field.offset);
    let is_apart = fields.windows(2).all(|pair| pair[0].offset + pair[0].bytes <= pair[1].offset);
    if found.is_some() && is_apart { fields } else { Vec::new() }
}

fn add_fields<'s>(
    (values, place): (&'s Values, &Say),
    value: &'s Say,
    fields: &mut Vec<Field<'s>>,
) -> Option<()> {
    let mut parts = Vec::new();
    flatten(value, &mut parts)?;
    let is_old = |part: &&Say| kept(part).is_some_and(|(_, old)| is_loaded((values, place), old, MAX_FIELDS));
    let old = parts.iter().position(is_old)?;
    let (mask, old) = kept(parts.remove(old))?;
    if fields.len() + parts.len() >= MAX_FIELDS {
        return None;
    }
    match (run_of_ones(!mask), parts.as_slice()) {
        (Some(hole), []) => fields.push(field(hole, None)?),
        (Some(hole), [part]) => fields.push(field(hole, Some(part))?),
        _ => {
            for part in parts {
                let (low, high) = bits_of(part, MAX_FIELDS)?;
                let hole = (low / 8 * 8, high.div_ceil(8) * 8);
                (ones(hole) & mask).is_zero().then_some(())?;
                fields.push(field(hole, Some(part))?);
            }
        }
    }
    match value_of(values, old).args_of(Opcode::SLOAD) {
        Some(_) => Some(()),
        None => add_fields((values, place), old, fields),
    }
}

/// What a mask leaves of a word: the mask and the word.
fn kept(part: &Say) -> Option<(Word, &Say)> {
    let [a, b] = part.args_of(Opcode::AND)? else { return None };
    a.as_number().map(|mask| (mask, b)).or(b.as_number().map(|mask| (mask, a)))
}

/// True for what storage holds in the place, and for that with fields changed.
fn is_loaded((values, place): (&Values, &Say), say: &Say, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if let Some(args) = value_of(values, say).args_of(Opcode::SLOAD) {
        return args[0] == *place;
    }
    let mut parts = Vec::new();
    let is_flat = flatten(say, &mut parts).is_some();
    is_flat
        && parts.iter().any(|part| kept(part).is_some_and(|(_, old)| is_loaded((values, place), old, depth)))
}

fn value_of<'s>(values: &'s Values, say: &'s Say) -> &'s Say {
    match say {
        Say::Name(name) => values.get(name).unwrap_or(say),
        _ => say,
    }
}

/// The operands of `or` within `or`.
fn flatten<'s>(say: &'s Say, parts: &mut Vec<&'s Say>) -> Option<()> {
    match say.args_of(Opcode::OR) {
        Some(args) => args.iter().try_for_each(|arg| flatten(arg, parts)),
        None => (parts.len() < MAX_FIELDS).then(|| parts.push(say)),
    }
}

/// A field by its bits, with the value that is moved there.
fn field<'s>((low, high): (usize, usize), value: Option<&'s Say>) -> Option<Field<'s>> {
    let is_bytes = low % 8 == 0 && high % 8 == 0;
    let (offset, bytes) = (low / 8, (high - low) / 8);
    let value = value.map(|value| unshifted(value, low, high - low));
    is_bytes.then_some(Field { offset, bytes, value })
}

fn ones((low, high): (usize, usize)) -> Word {
    low_mask(high - low) << low
}

/// The bits that a value may have, from the lowest to behind the highest.
fn bits_of(say: &Say, depth: usize) -> Option<(usize, usize)> {
    let depth = depth.checked_sub(1)?;
    if let Some(word) = say.as_number() {
        return (!word.is_zero()).then(|| (word.trailing_zeros(), word.bit_len()));
    }
    let (opcode, args) = say.as_evm()?;
    let moved = |value: &Say, by: usize| {
        let (low, high) = bits_of(value, depth).unwrap_or((0, 256));
        (by < 256).then(|| (low + by, (high + by).min(256)))
    };
    match (opcode, args) {
        (Opcode::AND, [a, b]) => {
            let mask = a.as_number().or(b.as_number())?;
            run_of_ones(mask)
        }
        (Opcode::SHL, [by, value]) => moved(value, usize::try_from(by.as_number()?).ok()?),
        (Opcode::MUL, [power, value]) if is_power(power) => moved(value, power.as_number()?.trailing_zeros()),
        (Opcode::MUL, [value, power]) if is_power(power) => moved(value, power.as_number()?.trailing_zeros()),
        _ => match opcode_result_type(opcode) {
            Type::Bool => Some((0, 1)),
            Type::Int(bits) if bits < 256 => Some((0, bits as usize)),
            _ => None,
        },
    }
}

fn is_power(say: &Say) -> bool {
    say.as_number().is_some_and(|word| word.count_ones() == 1)
}

/// A value without the shift that brings it to its place, and without the mask that cuts it.
fn unshifted(mut say: &Say, shift: usize, bits: usize) -> &Say {
    let mut left = shift;
    for _ in 0..4 {
        let Some((opcode, [a, b])) = say.as_evm() else { break };
        let number = |say: &Say| say.as_number();
        say = match opcode {
            Opcode::SHL if number(a) == Some(Word::from(left)) => {
                left = 0;
                b
            }
            Opcode::MUL if left > 0 && number(b) == Some(Word::from(1) << left) => {
                left = 0;
                a
            }
            Opcode::MUL if left > 0 && number(a) == Some(Word::from(1) << left) => {
                left = 0;
                b
            }
            Opcode::AND if number(a).and_then(run_of_ones) == Some((left, left + bits)) => b,
            Opcode::AND if number(b).and_then(run_of_ones) == Some((left, left + bits)) => a,
            _ => break,
        };
    }
    say
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(word: Word) -> Say {
        Say::Number(word)
    }

    fn loaded() -> Say {
        Say::evm(Opcode::SLOAD, vec![number(Word::from(5))])
    }

    fn without(bits: (usize, usize), say: Say) -> Say {
        Say::evm(Opcode::AND, vec![number(!ones(bits)), say])
    }

    fn or(a: Say, b: Say) -> Say {
        Say::evm(Opcode::OR, vec![a, b])
    }

    /// A value of so many bits, moved up.
    fn moved(value: Opcode, bits: usize, by: u64) -> Say {
        let cut = Say::evm(Opcode::AND, vec![number(low_mask(bits)), Say::evm(value, Vec::new())]);
        Say::evm(Opcode::SHL, vec![number(Word::from(by)), cut])
    }

    fn told(value: &Say) -> Vec<(usize, usize, Option<Say>)> {
        let values = Values::default();
        let fields = fields_of_store(&values, &number(Word::from(5)), value);
        fields.into_iter().map(|field| (field.offset, field.bytes, field.value.cloned())).collect()
    }

    fn value(opcode: Opcode) -> Option<Say> {
        Some(Say::evm(opcode, Vec::new()))
    }

    #[test]
    fn one_field() {
        let caller = Say::evm(Opcode::CALLER, Vec::new());
        assert_eq!(told(&or(without((0, 160), loaded()), caller.clone())), [(0, 20, Some(caller))]);
        assert_eq!(told(&without((8, 16), loaded())), [(1, 1, None)], "what is left out is zero");
    }

    #[test]
    fn several_fields_each_with_a_mask_of_its_own() {
        let first = or(without((0, 64), loaded()), moved(Opcode::NUMBER, 64, 0));
        let both = or(moved(Opcode::TIMESTAMP, 32, 64), without((64, 96), first));
        let expected = [(0, 8, value(Opcode::NUMBER)), (8, 4, value(Opcode::TIMESTAMP))];
        assert_eq!(told(&both), expected);
    }

    #[test]
    fn several_fields_with_one_mask() {
        let new = or(moved(Opcode::TIMESTAMP, 32, 64), moved(Opcode::NUMBER, 64, 0));
        let expected = [(0, 8, value(Opcode::NUMBER)), (8, 4, value(Opcode::TIMESTAMP))];
        assert_eq!(told(&or(without((0, 96), loaded()), new)), expected);
    }

    #[test]
    fn what_cannot_be_told_apart_is_none() {
        let open = Say::evm(Opcode::NUMBER, Vec::new());
        let new = or(moved(Opcode::TIMESTAMP, 32, 64), open.clone());
        assert_eq!(told(&or(without((0, 96), loaded()), new)), [], "a number of any width");
        let twice = or(moved(Opcode::TIMESTAMP, 64, 0), moved(Opcode::NUMBER, 64, 0));
        assert_eq!(told(&or(without((0, 96), loaded()), twice)), [], "two in one place");
        let outside = or(moved(Opcode::TIMESTAMP, 64, 0), moved(Opcode::NUMBER, 64, 64));
        assert_eq!(told(&or(without((0, 96), loaded()), outside)), [], "beside the hole");
        let other = Say::evm(Opcode::SLOAD, vec![number(Word::from(6))]);
        assert_eq!(told(&or(without((0, 64), other), open)), [], "of another word");
    }
}
