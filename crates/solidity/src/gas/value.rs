//! What is known of a word.

use cairn_evm::{Opcode, Word, word};

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Known(Word),
    /// Its highest four bytes.
    Head(u32),
    /// It is no less than this, which is not zero, and less than half of all words.
    AtLeast(u64),
    /// It is not zero.
    NotZero,
    /// It is no less than half of all words.
    Huge,
    /// Its highest four bytes name no function.
    NoHead,
    /// It is a number of four bytes that names no function.
    NoName,
    /// It was on the stack before the code was entered.
    Given,
    Unknown,
}

impl Value {
    pub(super) fn number(number: u64) -> Value {
        Value::Known(Word::from(number))
    }

    pub(super) fn known(self) -> Option<Word> {
        match self {
            Value::Known(word) => Some(word),
            Value::Head(_)
            | Value::AtLeast(_)
            | Value::NotZero
            | Value::Huge
            | Value::NoHead
            | Value::NoName
            | Value::Given
            | Value::Unknown => None,
        }
    }

    /// The number, where it is known and small.
    pub(super) fn small(self) -> Option<u64> {
        self.known().and_then(|word| u64::try_from(word).ok())
    }

    /// Whether it is true, where that is known.
    pub(super) fn truth(self) -> Option<bool> {
        match self {
            Value::Known(word) => Some(!word.is_zero()),
            Value::Head(head) if head != 0 => Some(true),
            Value::AtLeast(_) | Value::NotZero | Value::Huge => Some(true),
            Value::Head(_) | Value::NoHead | Value::NoName | Value::Given | Value::Unknown => None,
        }
    }
}

/// The result of an operation that its operands tell; the first operand comes first.
pub(super) fn result(op: Opcode, args: &[Value]) -> Value {
    let words: Option<Vec<Word>> = args.iter().map(|arg| arg.known()).collect();
    if let Some(words) = words {
        return word::eval(op, &words).map_or(Value::Unknown, Value::Known);
    }
    match *args {
        [value] if op == Opcode::ISZERO => {
            value.truth().map_or(Value::Unknown, |truth| Value::number(u64::from(!truth)))
        }
        [Value::Known(place), Value::Head(head)] => of_head(op, place, head),
        [left, right] => of_size(op, left, right),
        _ => Value::Unknown,
    }
}

/// What tells calls of none of these functions: the head of their data is compared with the functions' names.
pub(super) fn of_no_name(op: Opcode, args: &[Value], names: &[u32]) -> Option<Value> {
    match *args {
        [Value::Known(shift), Value::NoHead] if op == Opcode::SHR && shift == Word::from(224_u64) => {
            Some(Value::NoName)
        }
        [Value::NoName, Value::Known(word)] | [Value::Known(word), Value::NoName] => {
            let name = u32::try_from(word).ok()?;
            match op {
                _ if !names.contains(&name) => None,
                Opcode::EQ => Some(Value::number(0)),
                Opcode::SUB | Opcode::XOR => Some(Value::NotZero),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What tells functions apart: shifts and bytes of the head of a word.
fn of_head(op: Opcode, place: Word, head: u32) -> Value {
    let place = u64::try_from(place).unwrap_or(u64::MAX);
    match (op, place) {
        (Opcode::SHR, 224..256) => Value::number(u64::from(head) >> (place - 224)),
        (Opcode::BYTE, 0..4) => Value::number(u64::from(head.to_be_bytes()[place as usize])),
        _ => Value::Unknown,
    }
}

/// What is large enough: comparisons, and the word whose sum with it is 0.
fn of_size(op: Opcode, left: Value, right: Value) -> Value {
    match (op, left, right) {
        (Opcode::LT | Opcode::SLT, Value::AtLeast(least), Value::Known(word))
        | (Opcode::GT | Opcode::SGT, Value::Known(word), Value::AtLeast(least))
            if word <= Word::from(least) =>
        {
            Value::number(0)
        }
        (Opcode::GT | Opcode::SGT, Value::AtLeast(least), Value::Known(word))
        | (Opcode::LT | Opcode::SLT, Value::Known(word), Value::AtLeast(least))
            if word < Word::from(least) =>
        {
            Value::number(1)
        }
        (Opcode::SHR, Value::Known(count), Value::AtLeast(least)) => {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            match least.checked_shr(count) {
                None | Some(0) => Value::Unknown,
                Some(least) => Value::AtLeast(least),
            }
        }
        (Opcode::SUB, Value::Known(Word::ZERO), Value::AtLeast(_)) => Value::Huge,
        (Opcode::EQ, Value::AtLeast(least), Value::Known(word))
        | (Opcode::EQ, Value::Known(word), Value::AtLeast(least))
            if word < Word::from(least) =>
        {
            Value::number(0)
        }
        _ => Value::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_tells_the_function() {
        let head = Value::Head(0x2612_1ff0);
        assert_eq!(result(Opcode::SHR, &[Value::number(224), head]), Value::number(0x2612_1ff0));
        assert_eq!(result(Opcode::SHR, &[Value::number(248), head]), Value::number(0x26));
        assert_eq!(result(Opcode::BYTE, &[Value::number(3), head]), Value::number(0xf0));
        assert_eq!(result(Opcode::SHR, &[Value::number(223), head]), Value::Unknown);
        assert_eq!(result(Opcode::BYTE, &[Value::number(4), head]), Value::Unknown);
        assert_eq!(result(Opcode::SHR, &[Value::number(256), head]), Value::Unknown);
    }

    #[test]
    fn what_names_no_function_is_none_of_its_names() {
        let names = [0x2612_1ff0];
        let of = |op, args: [Value; 2]| of_no_name(op, &args, &names);
        assert_eq!(of(Opcode::SHR, [Value::number(224), Value::NoHead]), Some(Value::NoName));
        assert_eq!(of(Opcode::SHR, [Value::number(223), Value::NoHead]), None);
        assert_eq!(of(Opcode::EQ, [Value::number(0x2612_1ff0), Value::NoName]), Some(Value::number(0)));
        assert_eq!(of(Opcode::XOR, [Value::NoName, Value::number(0x2612_1ff0)]), Some(Value::NotZero));
        assert_eq!(of(Opcode::EQ, [Value::number(0x2612_1ff1), Value::NoName]), None, "it may be this one");
        assert_eq!(of(Opcode::GT, [Value::number(0x2612_1ff0), Value::NoName]), None);
        assert_eq!(result(Opcode::ISZERO, &[Value::NotZero]), Value::number(0));
    }

    #[test]
    fn sizes_are_compared() {
        let size = Value::AtLeast(4);
        for (op, args, expected) in [
            (Opcode::LT, [size, Value::number(4)], Value::number(0)),
            (Opcode::LT, [size, Value::number(5)], Value::Unknown),
            (Opcode::GT, [Value::number(4), size], Value::number(0)),
            (Opcode::GT, [size, Value::number(3)], Value::number(1)),
            // Less than zero: it is no small word.
            (Opcode::SLT, [size, Value::Known(Word::MAX)], Value::Unknown),
            (Opcode::SHR, [Value::number(2), size], Value::AtLeast(1)),
            (Opcode::SHR, [Value::number(3), size], Value::Unknown),
            (Opcode::EQ, [size, Value::number(0)], Value::number(0)),
            (Opcode::SUB, [Value::number(0), size], Value::Huge),
            (Opcode::SUB, [Value::number(1), size], Value::Unknown),
        ] {
            assert_eq!(result(op, &args), expected, "{op:?} {args:?}");
        }
        assert_eq!(result(Opcode::ISZERO, &[size]), Value::number(0));
    }
}
