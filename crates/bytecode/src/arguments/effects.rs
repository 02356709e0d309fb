//! What an instruction makes of words, and what that says of calldata.

use super::copies::{Copies, FREE_POINTER};
use super::facts::{Facts, Group, ROOT};
use super::value::{Class, FIRST, FrameId, SlotId, Value};
use crate::decode::instructions;
use cairn_evm::{Opcode, Word};

/// What a check adds to an offset to see whether a length is there.
const BEFORE_LENGTH: i64 = 31;
/// Words that are looked at of those that are joined for one branch.
const MAX_JOINED: usize = 64;
/// Offsets that are added to words at most.
const MAX_OFFSET: i64 = 1 << 16;

/// A function while it is walked, and then the next one in the same memory.
pub(super) struct Scene<'a> {
    code: &'a [u8],
    pub(super) facts: Facts,
    words: Vec<Word>,
    joined: Vec<(Value, Value)>,
    copies: Copies,
    /// The block that is run, counted.
    pub(super) block: u32,
    /// Calldata was read.
    pub(super) has_read: bool,
}

impl<'a> Scene<'a> {
    pub(super) fn new(code: &'a [u8]) -> Scene<'a> {
        Scene {
            code,
            facts: Facts::new(),
            words: Vec::new(),
            joined: Vec::new(),
            copies: Copies::default(),
            block: 0,
            has_read: false,
        }
    }

    /// Forgets the function.
    pub(super) fn clear(&mut self) {
        let Scene { code: _, facts, words, joined, copies, block, has_read } = self;
        facts.clear();
        words.clear();
        joined.clear();
        copies.clear();
        (*block, *has_read) = (0, false);
    }

    pub(super) fn constant(&mut self, word: Word) -> Value {
        if let Ok(small) = u32::try_from(word) {
            return Value::Small(small);
        }
        self.words.push(word);
        Value::Big(self.words.len() as u32 - 1)
    }

    pub(super) fn word_of(&self, value: Value) -> Option<Word> {
        match value {
            Value::Small(small) => Some(Word::from(small)),
            Value::Big(index) => Some(self.words[index as usize]),
            Value::Pushed(pc) => instructions(self.code, pc, u32::MAX).next()?.pushed_word(),
            _ => None,
        }
    }

    /// True for what [`Scene::word_of`] knows.
    fn is_word(value: Value) -> bool {
        matches!(value, Value::Small(_) | Value::Big(_) | Value::Pushed(_))
    }

    /// Both, where both are known.
    fn words_of(&self, a: Value, b: Value) -> Option<(Word, Word)> {
        if !Scene::is_word(a) || !Scene::is_word(b) {
            return None;
        }
        Some((self.word_of(a)?, self.word_of(b)?))
    }

    /// A constant that is added, also where it is subtracted by adding.
    fn number(&self, value: Value) -> Option<i64> {
        if let Value::Small(small) = value
            && i64::from(small) <= MAX_OFFSET
        {
            return Some(i64::from(small));
        }
        let word = self.word_of(value)?;
        let negative = Word::ZERO.wrapping_sub(word);
        let small = |word: Word| i64::try_from(word).ok().filter(|number| *number <= MAX_OFFSET);
        small(word).or_else(|| small(negative).map(|number| -number))
    }

    /// The result of an operation with at most two operands.
    ///
    /// A call of its own: most instructions only move words, and the loop that runs them keeps to registers so.
    #[inline(never)]
    pub(super) fn apply(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        match op {
            Opcode::ADD => self.add(a, b),
            Opcode::SUB => self.sub(a, b),
            Opcode::MUL => self.mul(a, b),
            Opcode::DIV => self.div(a, b),
            Opcode::SHL => self.shl(a, b),
            Opcode::SHR | Opcode::SAR => self.shr(op, a, b),
            Opcode::AND => self.and(a, b),
            Opcode::SIGNEXTEND => self.sign_extend(a, b),
            Opcode::ISZERO => self.is_zero(a),
            Opcode::EQ | Opcode::XOR => self.compare_cleaned(a, b),
            Opcode::LT | Opcode::SLT => self.less(op, a, b),
            Opcode::GT | Opcode::SGT => self.less(op, b, a),
            Opcode::BYTE => self.byte(b),
            Opcode::SDIV | Opcode::SMOD => self.signed(&[a, b]),
            Opcode::CALLDATASIZE => Value::Size(0),
            Opcode::CALLDATALOAD => self.load(a),
            Opcode::MLOAD => self.load_memory(a),
            Opcode::OR => self.or(a, b),
            Opcode::NOT | Opcode::EXP | Opcode::MOD => self.fold(op, a, b),
            _ => Value::Unknown,
        }
    }

    /// The word of a slot, valid or not.
    fn slot_of(value: Value) -> Option<SlotId> {
        match value {
            Value::Load(slot) | Value::Clean(slot, _) => Some(slot),
            _ => None,
        }
    }

    fn load(&mut self, at: Value) -> Value {
        let (frame, offset) = match at {
            Value::Small(place) if i64::from(place) >= FIRST => (ROOT, i64::from(place) - FIRST),
            Value::Place(frame, offset) => (frame, i64::from(offset)),
            _ => return Value::Unknown,
        };
        self.load_word(frame, offset)
    }

    /// The word of a frame, of calldata or of a copy of it.
    fn load_word(&mut self, frame: FrameId, offset: i64) -> Value {
        let Some(offset) = u32::try_from(offset).ok().filter(|_| frame != ROOT || offset % 32 == 0) else {
            return Value::Unknown;
        };
        self.has_read = true;
        self.facts.frame(frame).is_used = true;
        let Some(id) = self.facts.slot_at(frame, offset) else { return Value::Unknown };
        self.facts.slot(id).loaded_in = self.block;
        Value::Load(id)
    }

    fn load_memory(&mut self, at: Value) -> Value {
        match at {
            Value::Small(FREE_POINTER) => self.copies.read_free_pointer(),
            Value::Free(pointer, offset) => match self.copies.place_of(pointer, offset) {
                Some((frame, offset)) => self.load_word(frame, offset),
                None => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    /// True when there are words of calldata behind what the free pointer was.
    pub(super) fn has_copy(&self, pointer: u16) -> bool {
        self.copies.place_of(pointer, 0).is_some()
    }

    /// `CALLDATACOPY` to and from a place, of so many bytes.
    pub(super) fn copy(&mut self, to: Value, from: Value, bytes: Value) {
        self.copies.add(to, from, bytes);
        match (from, bytes) {
            (Value::Place(frame, _), _) => {
                self.facts.frame(frame).is_used = true;
                if let Value::Load(slot) = bytes
                    && self.facts.slot(slot).frame == frame
                {
                    self.facts.slot(slot).is_byte_count = true;
                }
            }
            (Value::Small(place), Value::Small(bytes)) if i64::from(place) >= FIRST => {
                self.facts.group(ROOT, Group { offset: place - FIRST as u32, bytes, is_array: true });
            }
            _ => {}
        }
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        if let (Value::Small(a), Value::Small(b)) = (a, b)
            && let Some(sum) = a.checked_add(b)
        {
            return Value::Small(sum);
        }
        if let Some((a, b)) = self.words_of(a, b) {
            return self.constant(a.wrapping_add(b));
        }
        match (a, b) {
            (Value::Free(pointer, offset), other) | (other, Value::Free(pointer, offset)) => {
                // An index chooses an item: the first stands for all.
                let number = if matches!(other, Value::Times(_)) { Some(0) } else { self.number(other) };
                self.moved(|offset| Value::Free(pointer, offset), offset, number)
            }
            (Value::Place(..), _) => self.add_to_place(a, b),
            (_, Value::Place(..)) => self.add_to_place(b, a),
            (Value::Load(slot) | Value::Clean(slot, _), other)
            | (other, Value::Load(slot) | Value::Clean(slot, _)) => {
                let behind = self.number(other).filter(|number| *number >= FIRST);
                match behind.filter(|_| self.facts.slot(slot).frame == ROOT) {
                    Some(number) => self.place_behind(slot, number - FIRST),
                    None => Value::Unknown,
                }
            }
            (Value::Size(by), other) | (other, Value::Size(by)) => {
                self.moved(Value::Size, by, self.number(other))
            }
            (Value::Rest(frame, base, by), other) | (other, Value::Rest(frame, base, by)) => {
                let less = self.number(other).map(|number| -number);
                self.moved(|by| Value::Rest(frame, base, by), by, less)
            }
            _ => Value::Unknown,
        }
    }

    fn moved(&self, make: impl Fn(i32) -> Value, by: i32, number: Option<i64>) -> Value {
        let sum = number.and_then(|number| i32::try_from(i64::from(by) + number).ok());
        sum.map_or(Value::Unknown, make)
    }

    fn place_behind(&mut self, slot: SlotId, offset: i64) -> Value {
        let child = self.facts.child_of(slot);
        child.map_or(Value::Unknown, |child| Value::Place(child, i32::try_from(offset).unwrap_or(i32::MAX)))
    }

    fn add_to_place(&mut self, place: Value, other: Value) -> Value {
        let Value::Place(frame, offset) = place else { return Value::Unknown };
        if let Some(number) = self.number(other) {
            return self.moved(|offset| Value::Place(frame, offset), offset, Some(number));
        }
        match other {
            Value::Times(stride) => {
                self.facts.frame(frame).stride.get_or_insert(stride);
                place
            }
            Value::Load(slot) | Value::Clean(slot, _) if self.facts.slot(slot).frame == frame => {
                self.place_behind(slot, 0)
            }
            Value::Place(..) | Value::Size(_) | Value::Rest(..) => Value::Unknown,
            _ => place,
        }
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        if let Some((a, b)) = self.words_of(a, b) {
            return self.constant(a.wrapping_sub(b));
        }
        let less = self.number(b).map(|number| -number);
        match (a, b) {
            (Value::Size(by), Value::Place(frame, offset)) => {
                let base = u8::try_from(offset / 32).unwrap_or(0);
                self.moved(|by| Value::Rest(frame, base, -by), by, Some(-i64::from(offset)))
            }
            (Value::Size(_), Value::Load(slot) | Value::Clean(slot, _))
                if self.facts.slot(slot).frame == ROOT =>
            {
                // Where arguments begin is subtracted later.
                match self.place_behind(slot, -FIRST) {
                    place @ Value::Place(..) => self.sub(a, place),
                    _ => Value::Unknown,
                }
            }
            (Value::Size(by), _) => self.moved(Value::Size, by, less),
            (Value::Rest(frame, base, by), _) => {
                self.moved(|by| Value::Rest(frame, base, by), by, self.number(b))
            }
            (Value::Place(frame, by), _) if less.is_some() => {
                self.moved(|by| Value::Place(frame, by), by, less)
            }
            (Value::Place(one, from), Value::Place(other, to)) if one == other && from >= to => {
                Value::Small((from - to) as u32)
            }
            _ => self.compare_cleaned(a, b),
        }
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        let (value, factor) = if Scene::is_word(a) { (b, a) } else { (a, b) };
        let Some(factor) = self.word_of(factor) else { return Value::Unknown };
        if let Some(word) = self.word_of(value) {
            return self.constant(word.wrapping_mul(factor));
        }
        match u32::try_from(factor) {
            Ok(1) => value,
            Ok(factor) => self.times(value, factor),
            Err(_) => match factor.is_power_of_two() {
                true => self.shl(Value::Small(factor.trailing_zeros() as u32), value),
                false => Value::Unknown,
            },
        }
    }

    fn times(&mut self, value: Value, factor: u32) -> Value {
        if let Some(slot) = Scene::slot_of(value) {
            self.facts.slot(slot).scale.get_or_insert(factor);
        }
        match value {
            Value::Times(inner) => Value::Times(inner.saturating_mul(factor)),
            _ => Value::Times(factor),
        }
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        match (self.word_of(a), self.word_of(b)) {
            (Some(a), Some(b)) => self.folded(Opcode::DIV, a, b),
            (None, Some(b)) if b.is_power_of_two() => {
                self.shr(Opcode::SHR, Value::Small(b.trailing_zeros() as u32), a)
            }
            _ => Value::Unknown,
        }
    }

    /// The result of an operation on constants.
    fn fold(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        let Some(a) = self.word_of(a) else { return Value::Unknown };
        let word = match self.word_of(b) {
            _ if op == Opcode::NOT => Some(!a),
            Some(b) => cairn_evm::word::eval(op, &[a, b]),
            None => None,
        };
        word.map_or(Value::Unknown, |word| self.constant(word))
    }

    fn folded(&mut self, op: Opcode, a: Word, b: Word) -> Value {
        cairn_evm::word::eval(op, &[a, b]).map_or(Value::Unknown, |word| self.constant(word))
    }

    fn shl(&mut self, by: Value, value: Value) -> Value {
        if let Some((by, value)) = self.words_of(by, value) {
            return self.folded(Opcode::SHL, by, value);
        }
        let Value::Small(bits @ 0..256) = by else { return Value::Unknown };
        match value {
            _ if bits == 0 => value,
            Value::High(slot, shifted) if u32::from(shifted) == bits && bits.is_multiple_of(8) => {
                self.cleaned(slot, Class::Bytes(((256 - bits) / 8) as u8))
            }
            Value::Load(_) | Value::Clean(..) | Value::Unknown | Value::Truth | Value::Times(_)
                if bits < 16 =>
            {
                self.times(value, 1 << bits)
            }
            Value::Load(slot) => Value::Left(slot, bits as u8),
            _ => Value::Unknown,
        }
    }

    fn shr(&mut self, op: Opcode, by: Value, value: Value) -> Value {
        if let Some((by, value)) = self.words_of(by, value) {
            return self.folded(op, by, value);
        }
        let Value::Small(bits @ 0..256) = by else {
            return self.signed(&[value][..usize::from(op == Opcode::SAR)]);
        };
        match value {
            _ if bits == 0 => value,
            Value::Left(slot, shifted) if u32::from(shifted) == bits && bits.is_multiple_of(8) => {
                let left = 256 - bits as u16;
                self.cleaned(slot, if op == Opcode::SAR { Class::Int(left) } else { Class::Uint(left) })
            }
            Value::Load(_) if op == Opcode::SAR => self.signed(&[value]),
            Value::Load(slot) => Value::High(slot, bits as u8),
            _ => Value::Unknown,
        }
    }

    fn cleaned(&mut self, slot: SlotId, class: Class) -> Value {
        self.facts.clean(slot, class, self.block);
        Value::Clean(slot, class)
    }

    fn and(&mut self, a: Value, b: Value) -> Value {
        let (value, mask) = if Scene::is_word(a) { (b, a) } else { (a, b) };
        let Some(mask) = self.word_of(mask) else { return Value::Unknown };
        match (value, class_of(mask)) {
            (Value::Small(_) | Value::Big(_) | Value::Pushed(_), _) => {
                let word = self.word_of(value).unwrap_or_default();
                self.constant(word & mask)
            }
            (Value::Load(slot), Some(class)) => self.cleaned(slot, class),
            (Value::Clean(_, known), Some(class)) if known == class => value,
            _ => Value::Unknown,
        }
    }

    /// Checks are joined to be branched on once.
    fn or(&mut self, a: Value, b: Value) -> Value {
        let is_check = |value: Value| matches!(value, Value::Truth | Value::High(..));
        if is_check(a) && is_check(b) {
            self.branch_on(a);
            self.branch_on(b);
            return Value::Truth;
        }
        // Words are put together so, too.
        let tells = |value: Value| matches!(value, Value::High(..) | Value::Left(..) | Value::Joined(_));
        let may_be_check = |value: Value| tells(value) || matches!(value, Value::Truth | Value::Unknown);
        if (tells(a) || tells(b)) && may_be_check(a) && may_be_check(b) {
            self.joined.push((a, b));
            return Value::Joined(self.joined.len() as u32 - 1);
        }
        self.fold(Opcode::OR, a, b)
    }

    fn sign_extend(&mut self, size: Value, value: Value) -> Value {
        match (size, value) {
            (Value::Small(last @ 0..31), Value::Load(slot)) => {
                self.cleaned(slot, Class::Int(8 * (last as u16 + 1)))
            }
            (Value::Small(_), Value::Clean(..)) => value,
            _ => Value::Unknown,
        }
    }

    fn is_zero(&mut self, value: Value) -> Value {
        match value {
            Value::Small(small) => Value::Small(u32::from(small == 0)),
            Value::Big(_) | Value::Pushed(_) => Value::Small(0),
            Value::Load(slot) => Value::Not(slot),
            Value::Clean(slot, Class::Bool) => Value::Not(slot),
            Value::Not(slot) => self.cleaned(slot, Class::Bool),
            Value::Below(slot, is_below) => Value::Below(slot, !is_below),
            Value::High(..) | Value::Left(..) | Value::Joined(_) => {
                self.branch_on(value);
                Value::Truth
            }
            _ => Value::Unknown,
        }
    }

    /// A branch on a word: on what is above or below a valid one, it is a check.
    pub(super) fn branch_on(&mut self, condition: Value) {
        match condition {
            Value::Joined(_) => self.branch_on_joined(condition),
            Value::High(slot, bits) if bits == 1 || bits.is_multiple_of(8) => {
                self.facts.validate(slot, Class::Uint(u16::from(bits)));
            }
            // Whether an address is zero is often seen so.
            Value::Left(slot, 96) => self.facts.clean(slot, Class::Uint(160), self.block),
            Value::Left(slot, bits @ 0..96) if bits.is_multiple_of(8) => {
                self.facts.validate(slot, Class::Bytes(bits / 8));
            }
            _ => {}
        }
    }

    fn branch_on_joined(&mut self, condition: Value) {
        let mut waiting = vec![condition];
        for _ in 0..MAX_JOINED {
            match waiting.pop() {
                Some(Value::Joined(index)) => waiting.extend(<[Value; 2]>::from(self.joined[index as usize])),
                Some(condition) => self.branch_on(condition),
                None => return,
            }
        }
    }

    /// A word that must be below a small number where it is loaded is one of an enumeration. What is required of it
    /// later is the function's own affair.
    pub(super) fn require_below(&mut self, slot: SlotId) {
        if self.facts.slot(slot).loaded_in == self.block {
            self.facts.validate(slot, Class::Uint(8));
        }
    }

    fn compare_cleaned(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Load(slot), Value::Clean(same, class))
            | (Value::Clean(same, class), Value::Load(slot))
                if slot == same =>
            {
                self.facts.validate(slot, class);
            }
            _ => {}
        }
        Value::Unknown
    }

    /// `a < b`
    fn less(&mut self, op: Opcode, a: Value, b: Value) -> Value {
        if let Some((left, right)) = self.words_of(a, b) {
            let op = if matches!(op, Opcode::SLT | Opcode::SGT) { Opcode::SLT } else { Opcode::LT };
            return self.folded(op, left, right);
        }
        let is_signed = matches!(op, Opcode::SLT | Opcode::SGT);
        match (a, b) {
            (Value::Size(by), Value::Small(bytes)) => self.need(i64::from(by), bytes),
            (Value::Rest(frame, _, 0), Value::Small(bytes)) => {
                _ = self.facts.frame(frame).bytes.get_or_insert(bytes)
            }
            (Value::Small(place), Value::Size(0)) if is_signed => {
                self.begin_array(ROOT, i64::from(place) - FIRST)
            }
            (Value::Small(last), Value::Size(0)) => self.need(0, last.saturating_add(1)),
            (Value::Place(frame, offset), Value::Size(0)) | (Value::Size(0), Value::Place(frame, offset)) => {
                self.compare_place(frame, offset);
            }
            // An offset counts from what it is compared with the rest behind.
            (Value::Load(slot), Value::Rest(_, base, less)) => {
                let less = u32::try_from(less - 32 * i32::from(base));
                let bytes = less.map_or(0, |less| less + 1);
                _ = self.facts.slot(slot).tail_bytes.get_or_insert(bytes);
            }
            (Value::Load(slot), Value::Small(2..=256)) => return Value::Below(slot, true),
            (Value::Small(1..=255), Value::Load(slot)) => return Value::Below(slot, false),
            // What is compared with zero alone is often a check of a cast.
            _ if is_signed && ![a, b].contains(&Value::Small(0)) => _ = self.signed(&[a, b]),
            _ => {}
        }
        Value::Truth
    }

    /// Calldata must have so many bytes from a constant place on.
    pub(super) fn need(&mut self, by: i64, bytes: u32) {
        let root = self.facts.frame(ROOT);
        let (offset, bytes) =
            if by == 0 { (0, i64::from(bytes) - FIRST) } else { (-by - FIRST, i64::from(bytes)) };
        match (u32::try_from(offset), u32::try_from(bytes)) {
            (Ok(0), Ok(bytes)) if root.bytes.is_none() && bytes.is_multiple_of(32) => {
                root.bytes = Some(bytes);
                root.is_size_whole = by == 0;
            }
            (Ok(offset), Ok(bytes)) if by != 0 => {
                self.facts.group(ROOT, Group { offset, bytes, is_array: false })
            }
            _ => self.end_array(bytes),
        }
    }

    fn begin_array(&mut self, frame: FrameId, offset: i64) {
        let begin = u32::try_from(offset - BEFORE_LENGTH).ok().filter(|offset| offset.is_multiple_of(32));
        if begin.is_some() {
            self.facts.frame(frame).open_array = begin;
        }
    }

    /// A constant place was compared with the end: behind an array of fixed length.
    fn end_array(&mut self, end: i64) {
        let begin = self.facts.frame(ROOT).open_array;
        if let (Some(offset), Ok(end)) = (begin, u32::try_from(end))
            && end > offset
        {
            self.facts.group(ROOT, Group { offset, bytes: end - offset, is_array: true });
        }
    }

    fn compare_place(&mut self, frame: FrameId, offset: i32) {
        if i64::from(offset) == BEFORE_LENGTH {
            self.facts.frame(frame).is_counted = true;
        }
        // What is behind a word in the place of a length was no place: its end was computed.
        let owner = self.facts.slots.iter_mut().find(|slot| slot.child == Some(frame) && slot.offset == 0);
        if let Some(slot) = owner.filter(|slot| slot.frame != ROOT) {
            slot.is_byte_count = true;
        }
    }

    fn byte(&mut self, value: Value) -> Value {
        if let Value::Load(slot) = value {
            self.facts.slot(slot).is_byte_taken = true;
        }
        Value::Unknown
    }

    fn signed(&mut self, values: &[Value]) -> Value {
        for value in values {
            if let Value::Load(slot) = value {
                self.facts.slot(*slot).is_signed = true;
            }
        }
        Value::Unknown
    }
}

/// What a mask leaves: low bits, or high bytes.
fn class_of(mask: Word) -> Option<Class> {
    let ones = mask.count_ones();
    if ones == 0 || ones == 256 {
        return None;
    }
    let is_low = mask.bit_len() == ones;
    let is_high = mask.trailing_zeros() == 256 - ones;
    match ones {
        1 if is_low => Some(Class::Bool),
        _ if !ones.is_multiple_of(8) => None,
        _ if is_low => Some(Class::Uint(ones as u16)),
        _ if is_high => Some(Class::Bytes((ones / 8) as u8)),
        _ => None,
    }
}
