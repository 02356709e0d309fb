//! Calls of a program: values of the types of its functions, encoded; and calldata that nobody should send.

use crate::generator::{Names, Program, Type};
use crate::random::Random;
use cairn_exec::{Address, U256, account};

/// Calls of a program after its deployment.
const CALLS: usize = 36;

/// A call of a program.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The function; its selector comes before the data.
    pub(crate) name: Option<String>,
    pub(crate) data: Vec<u8>,
    pub(crate) value: u64,
    pub(crate) sender: Address,
}

/// The arguments of the constructor as a call without a name, and calls.
pub(crate) fn calls(program: &Program, seed: u64) -> (Call, Vec<Call>) {
    let mut random = Random::new(seed ^ 0x5eed_0000);
    let mut encoder = Encoder { random: &mut random, names: &program.names, dirty: 0 };
    let data = encoder.tuple(&program.constructor);
    let value = random.below(3) as u64;
    let deployment = Call { name: None, data, value: 10 * value, sender: account(0) };
    let calls = (0..CALLS).map(|at| call(program, &mut random, at)).collect();
    (deployment, calls)
}

fn call(program: &Program, random: &mut Random, at: usize) -> Call {
    let sender = account(random.below(3) as u64);
    let value = if random.once_in(6) { random.between(1, 40) as u64 } else { 0 };
    if random.once_in(18) {
        let length = random.below(40);
        let data = (0..length).map(|_| random.next() as u8).collect();
        return Call { name: None, data, value, sender };
    }
    // Each function is called, and then some again.
    let index = if at < program.entries.len() { at } else { random.below(program.entries.len()) };
    let (name, params) = &program.entries[index];
    let dirty = if random.once_in(4) { 12 } else { 0 };
    let mut data = Encoder { random: &mut *random, names: &program.names, dirty }.tuple(params);
    if name.starts_with("unpack_") {
        let mut inner =
            Encoder { random: &mut *random, names: &program.names, dirty }.tuple(&program.unpacked);
        if random.once_in(3) {
            spoil(&mut inner, random);
        }
        data = bytes_alone(&inner);
    }
    if random.once_in(5) {
        spoil(&mut data, random);
    }
    Call { name: Some(name.clone()), data, value, sender }
}

/// The encoding of bytes as the only argument.
fn bytes_alone(inner: &[u8]) -> Vec<u8> {
    let mut data = [32, inner.len()].map(|word| U256::from(word).to_be_bytes::<32>()).concat();
    data.extend(inner);
    data.resize(64 + inner.len().div_ceil(32) * 32, 0);
    data
}

/// Makes calldata invalid, or valid otherwise.
fn spoil(data: &mut Vec<u8>, random: &mut Random) {
    let n_words = data.len() / 32;
    match random.below(5) {
        0 => data.truncate(random.below(data.len() + 1)),
        1 => {
            let length = random.between(1, 70);
            data.extend((0..length).map(|_| random.next() as u8));
        }
        2 if !data.is_empty() => {
            let at = random.below(data.len());
            data[at] ^= 1 << random.below(8);
        }
        _ if n_words > 0 => {
            // Often the word is an offset or a length.
            let at = 32 * random.below(n_words);
            let word = *random.pick(&[
                U256::ZERO,
                U256::from(1),
                U256::from(0x1f),
                U256::from(0x20),
                U256::from(0x40),
                U256::from(0x60),
                U256::from(data.len()),
                U256::from(u64::MAX),
                U256::from(1) << 64,
                U256::MAX,
                U256::MAX - U256::from(0x3f),
                U256::from(1) << 255,
            ]);
            data[at..at + 32].copy_from_slice(&word.to_be_bytes::<32>());
        }
        _ => {}
    }
}

struct Encoder<'a> {
    random: &'a mut Random,
    names: &'a Names,
    /// One word in so many is not cut to its type; none for 0.
    dirty: usize,
}

impl Encoder<'_> {
    /// Values one after the other, those of dynamic types behind them.
    fn tuple(&mut self, kinds: &[Type]) -> Vec<u8> {
        let parts: Vec<(bool, Vec<u8>)> =
            kinds.iter().map(|kind| (kind.is_dynamic(self.names), self.value(kind))).collect();
        let head: usize = parts.iter().map(|(dynamic, data)| if *dynamic { 32 } else { data.len() }).sum();
        let (mut heads, mut tails) = (Vec::new(), Vec::new());
        for (dynamic, data) in parts {
            if dynamic {
                heads.extend(U256::from(head + tails.len()).to_be_bytes::<32>());
                tails.extend(data);
            } else {
                heads.extend(data);
            }
        }
        [heads, tails].concat()
    }

    fn value(&mut self, kind: &Type) -> Vec<u8> {
        match kind {
            Type::Bytes | Type::String => {
                let length: usize = *self.random.pick(&[0, 1, 3, 31, 32, 33, 64, 70]);
                let mut data = U256::from(length).to_be_bytes::<32>().to_vec();
                data.extend((0..length).map(|_| b'a' + (self.random.next() % 26) as u8));
                data.resize(32 + length.div_ceil(32) * 32, 0);
                data
            }
            Type::Array(element) => {
                let length = self.random.below(5);
                let mut data = U256::from(length).to_be_bytes::<32>().to_vec();
                data.extend(self.tuple(&vec![(**element).clone(); length]));
                data
            }
            Type::Fixed(element, length) => self.tuple(&vec![(**element).clone(); *length as usize]),
            Type::Struct(index) => self.tuple(&self.names.structs[*index].clone()),
            value => self.word(value).to_be_bytes::<32>().to_vec(),
        }
    }

    fn word(&mut self, kind: &Type) -> U256 {
        let word = match self.random.below(6) {
            0 => U256::MAX - U256::from(self.random.below(3)),
            1 => U256::from(1) << self.random.below(256),
            2 => U256::from(self.random.next()) << self.random.below(200),
            _ => U256::from(self.random.below(12)),
        };
        if self.dirty > 0 && self.random.once_in(self.dirty) {
            return word ^ (U256::from(self.random.next()) << self.random.below(193));
        }
        self.clean(word, kind)
    }

    /// The word as one of the type.
    fn clean(&self, word: U256, kind: &Type) -> U256 {
        let low = |bits: u32| if bits >= 256 { U256::MAX } else { (U256::from(1) << bits) - U256::from(1) };
        match kind {
            Type::Uint(bits) => word & low(*bits),
            Type::Int(bits) => {
                let cut = word & low(*bits);
                if cut.bit(*bits as usize - 1) { cut | !low(*bits) } else { cut }
            }
            Type::FixedBytes(size) => word << (256 - 8 * *size as usize),
            Type::Address => word & low(160),
            Type::Bool => word & low(1),
            Type::Enum(index) => word % U256::from(self.names.enums[*index]),
            Type::Wrapped(index) => self.clean(word, &self.names.wrapped[*index]),
            Type::External => word << 64,
            _ => word,
        }
    }
}
