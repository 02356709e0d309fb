//! Words of a block in all of its cases.

use cairn_evm::{Opcode, Word};
use smallvec::SmallVec;

/// Cases of a block at most.
const MAX_CASES: usize = 2048;

/// A word of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Unknown,
    /// Not known, and might be in cases, of which there are none.
    Several,
    /// The same in all cases.
    Same(Word),
    /// A column, with a word a case.
    Each(usize),
}

/// The cases of a block, and the columns of words that differ in them.
pub(super) struct Cases {
    count: usize,
    columns: Vec<Vec<Word>>,
    /// Words that may still be computed.
    left: u64,
    /// What may be one of some words makes cases.
    splits: bool,
}

/// Operands of an operation.
type Operands = SmallVec<[Word; 2]>;

/// Words that one power counts as.
const POWER: u64 = 16;

impl Cases {
    /// One case, with so much work left.
    pub(super) fn new(left: u64) -> Cases {
        Cases { count: 1, columns: Vec::new(), left, splits: true }
    }

    /// One case that stays one: what would be split is [`Entry::Several`].
    pub(super) fn only_one(left: u64) -> Cases {
        Cases { splits: false, ..Cases::new(left) }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Pays for work on `each` words a case; false when it is not left.
    pub(super) fn spend(&mut self, each: u64) -> bool {
        let price = each * self.count as u64;
        let is_left = self.left >= price;
        self.left = self.left.saturating_sub(price);
        is_left
    }

    /// The word in a case.
    pub(super) fn word(&self, entry: Entry, case: usize) -> Option<Word> {
        match entry {
            Entry::Unknown | Entry::Several => None,
            Entry::Same(word) => Some(word),
            Entry::Each(column) => Some(self.columns[column][case]),
        }
    }

    /// A word that is computed in each case; unknown if it is not known in one.
    pub(super) fn each(&mut self, word: impl Fn(&Cases, usize) -> Option<Word>) -> Entry {
        let column: Option<Vec<Word>> = (0..self.count).map(|case| word(self, case)).collect();
        let Some(column) = column else { return Entry::Unknown };
        match column[..] {
            [only] => Entry::Same(only),
            _ => self.add(column),
        }
    }

    fn add(&mut self, column: Vec<Word>) -> Entry {
        self.columns.push(column);
        Entry::Each(self.columns.len() - 1)
    }

    /// The result of an operation on words.
    pub(super) fn apply(&mut self, op: Opcode, args: &[Entry]) -> Entry {
        if args.contains(&Entry::Unknown) {
            return match op {
                _ if self.splits => self.split(op, args),
                Opcode::MOD | Opcode::AND | Opcode::SHR | Opcode::BYTE => Entry::Several,
                _ => Entry::Unknown,
            };
        }
        if args.contains(&Entry::Several) {
            return Entry::Several;
        }
        let same: Option<Operands> =
            args.iter().map(|entry| if let Entry::Same(word) = entry { Some(*word) } else { None }).collect();
        if let Some(words) = same {
            return cairn_evm::word::eval(op, &words).map_or(Entry::Unknown, Entry::Same);
        }
        if !self.spend(if op == Opcode::EXP { POWER } else { 1 }) {
            return Entry::Unknown;
        }
        self.each(|cases, case| {
            let words: Option<Operands> = args.iter().map(|entry| cases.word(*entry, case)).collect();
            cairn_evm::word::eval(op, &words?)
        })
    }

    /// Cases for the results that an operation on something unknown may have.
    fn split(&mut self, op: Opcode, args: &[Entry]) -> Entry {
        let bounded = |cases: &Cases, case: usize| -> Option<Vec<Word>> {
            let word = |index: usize| args.get(index).and_then(|entry| cases.word(*entry, case));
            results(op, word(0), word(1))
        };
        let mut origins = Vec::new();
        let mut column = Vec::new();
        for case in 0..self.count {
            let Some(words) = bounded(self, case) else { return Entry::Unknown };
            origins.extend(std::iter::repeat_n(case, words.len()));
            column.extend(words);
            if column.len() > MAX_CASES {
                return Entry::Unknown;
            }
        }
        let price = column.len() as u64 * (self.columns.len() as u64 + 1);
        if self.left < price {
            return Entry::Unknown;
        }
        self.left -= price;
        for old in &mut self.columns {
            *old = origins.iter().map(|case| old[*case]).collect();
        }
        self.count = column.len();
        if self.count == 1 { Entry::Same(column[0]) } else { self.add(column) }
    }
}

/// What an operation gives whose operands are known in part, where that is little. Those that are not
/// looked at here are not among those of `apply` either.
fn results(op: Opcode, a: Option<Word>, b: Option<Word>) -> Option<Vec<Word>> {
    let below = |bound: usize| Some((0..bound).map(Word::from).collect());
    match (op, a, b) {
        (Opcode::MOD, _, Some(modulus)) if modulus.is_zero() => Some(vec![Word::ZERO]),
        (Opcode::MOD, _, Some(modulus)) if modulus <= Word::from(MAX_CASES) => below(modulus.to::<usize>()),
        (Opcode::AND, Some(mask), _) | (Opcode::AND, _, Some(mask))
            if mask.count_ones() <= MAX_CASES.ilog2() as usize =>
        {
            Some(parts_of(mask))
        }
        (Opcode::SHR, Some(shift), _) if shift >= Word::from(256 - MAX_CASES.ilog2()) => {
            below(1 << (256usize.saturating_sub(usize::try_from(shift).unwrap_or(256))))
        }
        (Opcode::BYTE, ..) => below(256),
        _ => None,
    }
}

/// Every word with some of the bits of a mask and no others.
fn parts_of(mask: Word) -> Vec<Word> {
    let mut parts = vec![mask];
    while let Some(last) = parts.last().filter(|last| !last.is_zero()) {
        parts.push((*last - Word::from(1)) & mask);
    }
    parts
}
