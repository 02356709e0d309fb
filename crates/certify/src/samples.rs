//! Inputs to run both programs on where no proof was found: random, from words that matter.

use cairn_evm::{Opcode, Word, keccak256};
use cairn_prove::{Inputs, Part};

/// How many there are.
const COUNT: u64 = 256;
/// Words of calldata behind the selector.
const MAX_WORDS: u64 = 8;

/// Words of calldata or storage that are changed in inputs that are known.
const CHANGES: u64 = 3;

/// Random inputs for a part of a program, the same each time: every second is one that is known with some
/// words changed.
pub(crate) fn random(part: &Part, known: &[Inputs]) -> Vec<Inputs> {
    let storage: Vec<_> = known.iter().flat_map(|inputs| inputs.storage.clone()).collect();
    let one = |seed: u64| {
        let mut source = Source { seed, drawn: 0 };
        if let Some(inputs) = known.get(seed as usize / 2 % known.len().max(1))
            && seed % 2 == 1
        {
            return changed(inputs, &mut source);
        }
        let mut calldata = match part {
            Part::Selector(selector) => selector.to_vec(),
            Part::Others(_) | Part::Whole => Vec::new(),
        };
        let words = source.next().to::<u64>() % (MAX_WORDS + 1);
        (0..words).for_each(|_| calldata.extend_from_slice(&source.word().to_be_bytes::<32>()));
        let value = if seed.is_multiple_of(4) { source.word() >> 100 } else { Word::ZERO };
        let mut inputs = Inputs { calldata, ..Inputs::default() };
        inputs.environment.insert(Opcode::CALLVALUE, value);
        for (key, _) in &storage {
            inputs.storage.insert(*key, source.word());
        }
        for key in 0..4u64 {
            inputs.storage.entry(Word::from(key)).or_insert_with(|| source.word());
        }
        inputs
    };
    (0..COUNT).map(one).collect()
}

/// The inputs with a few other words; the selector stays.
fn changed(inputs: &Inputs, source: &mut Source) -> Inputs {
    let mut inputs = inputs.clone();
    let keys: Vec<Word> = inputs.storage.keys().copied().collect();
    for _ in 0..1 + source.next().to::<u64>() % CHANGES {
        let words = inputs.calldata.len().saturating_sub(4) / 32;
        let choice = source.next().to::<u64>() as usize % (words + keys.len()).max(1);
        match keys.get(choice.wrapping_sub(words)) {
            Some(key) => _ = inputs.storage.insert(*key, source.word()),
            None if choice < words => {
                let word = source.word().to_be_bytes::<32>();
                inputs.calldata[4 + 32 * choice..][..32].copy_from_slice(&word);
            }
            None => inputs.calldata.extend_from_slice(&source.word().to_be_bytes::<32>()),
        }
    }
    inputs
}

struct Source {
    seed: u64,
    drawn: u64,
}

impl Source {
    /// 128 random bits.
    fn next(&mut self) -> Word {
        self.drawn += 1;
        let bytes = [self.seed.to_be_bytes(), self.drawn.to_be_bytes()].concat();
        Word::from_be_bytes(keccak256(bytes).0) >> 192
    }

    /// A word, often at an edge.
    fn word(&mut self) -> Word {
        let kind = self.next().to::<u64>();
        let bits = self.next().to::<u64>() as usize % 257;
        let low = cairn_evm::word::low_mask(bits);
        match kind % 8 {
            0 => Word::ZERO,
            1 => Word::from(1),
            2 => low,
            3 => !low,
            4 => Word::from(32 * (bits as u64 % 8)),
            5 => Word::from(bits),
            6 => (self.next() << 192 | self.next() << 128 | self.next() << 64 | self.next()) & low,
            _ => low.wrapping_add(Word::from(1)),
        }
    }
}
