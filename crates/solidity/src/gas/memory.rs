//! What is known of memory: words that were stored whole, and which bytes were written otherwise.

use super::value::Value;
use cairn_evm::gas::memory_gas;
use std::collections::BTreeMap;
use std::ops::Range;

/// No way touches memory beyond, because nobody could pay for it.
const MAX_MEMORY: u64 = 1 << 32;

/// Memory on one way.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    size: u64,
    words: BTreeMap<u64, Value>,
    written: Vec<Range<u64>>,
}

impl Memory {
    /// Memory in which others have written. To grow it takes no more than to grow it from nothing.
    pub(super) fn of_others() -> Memory {
        Memory { written: std::iter::once(0..MAX_MEMORY).collect(), ..Memory::default() }
    }

    /// Touches bytes; the gas of growing, `None` where they are too many.
    pub(super) fn touch(&mut self, start: u64, length: u64) -> Option<u64> {
        let end = start.checked_add(length).filter(|end| *end <= MAX_MEMORY)?;
        let size = end.next_multiple_of(32);
        if length == 0 || size <= self.size {
            return Some(0);
        }
        let gas = memory_gas(size) - memory_gas(self.size);
        self.size = size;
        Some(gas)
    }

    pub(super) fn load(&self, start: u64) -> Value {
        if let Some(value) = self.words.get(&start) {
            return *value;
        }
        let bytes = start..start + 32;
        let is_written = self.written.iter().any(|written| overlap(written, &bytes));
        if is_written || self.words_in(&bytes).next().is_some() { Value::Unknown } else { Value::number(0) }
    }

    pub(super) fn store(&mut self, start: u64, value: Value) {
        self.write(start..start + 32);
        self.words.insert(start, value);
    }

    /// Writes something.
    pub(super) fn write(&mut self, bytes: Range<u64>) {
        let lost: Vec<u64> = self.words_in(&bytes).collect();
        for start in lost {
            self.words.remove(&start);
            self.written.push(start..start + 32);
        }
        self.written.push(bytes);
    }

    fn words_in(&self, bytes: &Range<u64>) -> impl Iterator<Item = u64> + '_ {
        self.words.range(bytes.start.saturating_sub(31)..bytes.end).map(|(start, _)| *start)
    }
}

fn overlap(left: &Range<u64>, right: &Range<u64>) -> bool {
    left.start < right.end && right.start < left.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_until_something_else_is_written() {
        let mut memory = Memory::default();
        assert_eq!(memory.load(64), Value::number(0));
        memory.store(64, Value::number(128));
        assert_eq!(
            (memory.load(64), memory.load(63), memory.load(96)),
            (Value::number(128), Value::Unknown, Value::number(0))
        );
        memory.write(95..96);
        assert_eq!(memory.load(64), Value::Unknown);
        memory.store(64, Value::number(160));
        assert_eq!(memory.load(64), Value::number(160));
        memory.store(80, Value::number(1));
        assert_eq!((memory.load(64), memory.load(80)), (Value::Unknown, Value::number(1)));
    }

    #[test]
    fn what_others_have_written_is_not_known() {
        let mut memory = Memory::of_others();
        assert_eq!((memory.load(0), memory.load(64)), (Value::Unknown, Value::Unknown));
        memory.store(64, Value::number(128));
        assert_eq!(memory.load(64), Value::number(128));
        assert_eq!(memory.touch(0, 33), Some(6));
    }

    #[test]
    fn growing_costs_once() {
        let mut memory = Memory::default();
        assert_eq!(memory.touch(0, 0), Some(0));
        assert_eq!(
            (memory.touch(0, 33), memory.touch(32, 32), memory.touch(64, 1)),
            (Some(6), Some(0), Some(3))
        );
        assert_eq!(memory.touch(u64::MAX, 1), None);
        assert_eq!(memory.touch(1 << 40, 1), None);
    }
}
