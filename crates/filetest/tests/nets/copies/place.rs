//! Bytes that belong to a program, and the words that are stored there.

use crate::random::Random;

/// Bytes that belong to the program.
pub(super) struct Place {
    pub(super) base: String,
    /// The pointer lies behind it, so that only lengths that are constant are safe.
    pub(super) is_tight: bool,
    /// Where something began or ended.
    pub(super) marks: Vec<usize>,
    /// As far as constants were stored, on any way: a hint.
    pub(super) bytes: Vec<Option<u8>>,
    /// Where constants were stored in this block.
    pub(super) stored: Vec<usize>,
}

impl Place {
    pub(super) fn new(base: &str, size: usize) -> Self {
        let (marks, bytes) = (vec![0, 32], vec![None; size]);
        Place { base: base.to_owned(), is_tight: size < 0x80, marks, bytes, stored: Vec::new() }
    }

    pub(super) fn address(&self, at: usize) -> String {
        match self.base.parse::<usize>() {
            Ok(base) => (base + at).to_string(),
            Err(_) if at == 0 => self.base.clone(),
            Err(_) => format!("add({}, {at})", self.base),
        }
    }

    pub(super) fn write(&mut self, at: usize, bytes: &[Option<u8>]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.marks.extend([at, at + bytes.len()]);
    }
}

/// Parts of one word, and words that differ from others in one byte.
pub(super) fn words(random: &mut Random) -> Vec<[u8; 32]> {
    let whole: [u8; 32] = std::array::from_fn(|_| random.next() as u8 | 1);
    let mut words = vec![whole, [0; 32], [0xff; 32]];
    for _ in 0..6 {
        let (first, last) = match random.below(4) {
            0 | 1 => (0, random.between(1, 32)),
            2 => (random.below(32), 32),
            _ => (random.below(16), random.between(16, 32)),
        };
        words.push(std::array::from_fn(|at| if (first..last).contains(&at) { whole[at] } else { 0 }));
        let mut other = *random.pick(&words);
        other[random.below(32)] ^= 1 << random.below(8);
        words.push(other);
    }
    words
}
