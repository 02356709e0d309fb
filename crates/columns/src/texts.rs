//! Columns of texts and of bytes, as they are filled item by item.
//!
//! Invariant: a batch has less than 2 GiB of them, as [`crate::batch::MAX_BYTES`] sees to; so ends fit 32
//! bits. Cost: a copy and a number for each value, which are next to nothing beside what it takes to find
//! the facts.

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use std::fmt;
use std::sync::Arc;

/// Values one behind the other, and where each ends.
pub(crate) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i32>,
    /// Which values there are; empty as long as all are.
    valid: Vec<bool>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { bytes: Vec::new(), ends: vec![0], valid: Vec::new() }
    }
}

impl Texts {
    /// Number of values so far.
    pub(crate) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.end();
    }

    /// Ends a value that was written piece by piece.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.bytes.len() as i32);
        if !self.valid.is_empty() {
            self.valid.push(true);
        }
    }

    pub(crate) fn push_null(&mut self) {
        self.push_nulls(1);
    }

    /// Adds so many values that are null.
    pub(crate) fn push_nulls(&mut self, count: usize) {
        if self.valid.is_empty() {
            self.valid.resize(self.len(), true);
        }
        self.valid.resize(self.valid.len() + count, false);
        self.ends.resize(self.ends.len() + count, self.bytes.len() as i32);
    }

    pub(crate) fn push_optional(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.push_bytes(bytes),
            None => self.push_null(),
        }
    }

    /// `0x` and eight digits.
    pub(crate) fn push_selector(&mut self, selector: u32) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = *b"0x00000000";
        for (place, digit) in text[2..].iter_mut().enumerate() {
            *digit = DIGITS[(selector >> (28 - 4 * place) & 15) as usize];
        }
        self.push_bytes(&text);
    }

    fn parts(self) -> (OffsetBuffer<i32>, Buffer, Option<NullBuffer>) {
        let nulls = (!self.valid.is_empty()).then(|| NullBuffer::new(BooleanBuffer::from(self.valid)));
        (OffsetBuffer::new(ScalarBuffer::from(self.ends)), Buffer::from_vec(self.bytes), nulls)
    }

    /// The column of texts. Whoever filled it pushed texts alone.
    pub(crate) fn into_texts(self) -> ArrayRef {
        Arc::new(self.into_strings())
    }

    /// The same, for lists of texts.
    pub(crate) fn into_strings(self) -> StringArray {
        let (offsets, bytes, nulls) = self.parts();
        StringArray::new(offsets, bytes, nulls)
    }

    /// The column of bytes.
    pub(crate) fn into_bytes(self) -> ArrayRef {
        let (offsets, bytes, nulls) = self.parts();
        Arc::new(BinaryArray::new(offsets, bytes, nulls))
    }
}

/// Bytes of a name in [`names`] at most.
const MAX_NAME: usize = 16;

/// The column of names that are told by their numbers. Cost: no call for a copy of a few bytes, of which a
/// batch has hundreds of thousands.
pub(crate) fn names<const N: usize>(numbers: &[u8], names: [&str; N]) -> ArrayRef {
    let padded = names.map(|name| {
        let mut bytes = [0u8; MAX_NAME];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        (bytes, name.len())
    });
    let length: usize = numbers.iter().map(|number| padded[usize::from(*number)].1).sum();
    let mut texts = Texts { bytes: vec![0; length + MAX_NAME], ..Texts::default() };
    let mut end = 0;
    texts.ends.extend(numbers.iter().map(|number| {
        let (bytes, length) = &padded[usize::from(*number)];
        texts.bytes[end..end + MAX_NAME].copy_from_slice(bytes);
        end += length;
        end as i32
    }));
    texts.bytes.truncate(length);
    texts.into_texts()
}

/// What is written belongs to the value that [`Texts::end`] ends.
impl fmt::Write for Texts {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use std::fmt::Write;

    #[test]
    fn values_and_nulls_keep_their_places() {
        let mut texts = Texts::default();
        texts.push("one");
        texts.push_selector(0x00ab_cdef);
        assert_eq!(texts.len(), 2);
        texts.push_null();
        write!(texts, "{}-{}", 4, 5).expect("memory takes all");
        texts.end();
        texts.push("");
        let found = texts.into_strings();
        let found: Vec<Option<&str>> = found.iter().collect();
        assert_eq!(found, [Some("one"), Some("0x00abcdef"), None, Some("4-5"), Some("")]);
    }

    #[test]
    fn names_stand_for_numbers() {
        let longest = "0123456789abcdef";
        let column = names(&[1, 0, 2, 0], ["a", "", longest]);
        let found = column.as_string::<i32>().iter().flatten().collect::<Vec<_>>();
        assert_eq!(found, ["", "a", longest, "a"]);
    }

    #[test]
    fn without_nulls_there_is_no_list_of_them() {
        let mut texts = Texts::default();
        assert!(Texts::default().into_strings().is_empty());
        texts.push_optional(Some(b"x"));
        assert!(texts.into_strings().nulls().is_none());
    }
}
