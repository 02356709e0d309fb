//! `cairn_evm::word` against revm: random and edge operands for every opcode it evaluates.
//!
//! 20,000 operand tuples an opcode by default; `cargo test --release -- --ignored` takes ten
//! million. The seed is fixed, so a failure repeats.

use cairn_evm::{Fork, Opcode, Word, word};
use cairn_exec::{Environment, Machine, Message, Status};

/// Operations executed by one call.
const BATCH: usize = 2048;

#[test]
fn word_arithmetic_equals_revm() {
    compare_all(20_000);
}

#[test]
#[ignore = "takes minutes; run it in release mode"]
fn word_arithmetic_equals_revm_on_ten_million_operands() {
    compare_all(10_000_000);
}

fn compare_all(cases: usize) {
    let opcodes: Vec<Opcode> = Opcode::all().filter(|op| op.is_arithmetic()).collect();
    assert!(opcodes.len() >= 26, "{opcodes:?}");
    for opcode in opcodes {
        let mut random = Random(0x5eed_0000 + u64::from(opcode.0));
        for _ in 0..cases.div_ceil(BATCH) {
            compare_batch(opcode, &mut random);
        }
    }
}

fn compare_batch(opcode: Opcode, random: &mut Random) {
    let arity = usize::from(opcode.known().inputs);
    let tuples: Vec<Vec<Word>> = (0..BATCH).map(|_| random.operands(arity)).collect();
    let calldata: Vec<u8> = tuples.iter().flatten().flat_map(|operand| operand.to_be_bytes::<32>()).collect();
    let fork = Fork::default().max(opcode.known().since);
    let mut machine = Machine::new(Environment { fork, gas_limit: 1 << 40, ..Environment::default() });
    let address = cairn_exec::Address::repeat_byte(0xaa);
    machine.set_code(address, program(opcode, arity));
    let outcome = machine.call(address, &Message::new(calldata)).expect("the intrinsic cost is paid");
    assert_eq!(outcome.status, Status::Success, "{opcode:?}: {}", outcome.halt_reason);
    assert_eq!(outcome.output.len(), 32 * BATCH);
    for (operands, result) in tuples.iter().zip(outcome.output.chunks_exact(32)) {
        let expected = Word::from_be_slice(result);
        assert_eq!(word::eval(opcode, operands), Some(expected), "{opcode:?} {operands:x?}");
    }
}

/// Code that applies the opcode to each tuple of words in calldata and returns the results.
fn program(opcode: Opcode, arity: usize) -> Vec<u8> {
    let op = |opcode: Opcode| vec![opcode.0];
    let push = |value: u32| [vec![Opcode::push(4).0], value.to_be_bytes().to_vec()].concat();
    let mut code = push(0); // offset of the result
    code.extend([op(Opcode::JUMPDEST)].concat());
    for operand in (0..arity).rev() {
        // calldataload(offset * arity + 32 * operand), with offset below `arity - 1 - operand` words
        let depth = (arity - operand) as u8;
        code.extend([Opcode::dup(depth).0]);
        code.extend(
            [push(arity as u32), op(Opcode::MUL), push(32 * operand as u32), op(Opcode::ADD)].concat(),
        );
        code.extend(op(Opcode::CALLDATALOAD));
    }
    code.extend([op(opcode), op(Opcode::dup(2)), op(Opcode::MSTORE), push(32), op(Opcode::ADD)].concat());
    code.extend(
        [op(Opcode::dup(1)), push(32 * BATCH as u32), op(Opcode::GT), push(5), op(Opcode::JUMPI)].concat(),
    );
    code.extend([push(0), op(Opcode::RETURN)].concat());
    code
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        cairn_testkit::next_random(&mut self.0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn word(&mut self) -> Word {
        Word::from_limbs([self.next(), self.next(), self.next(), self.next()])
    }

    /// A word near the places where semantics change, or any word.
    fn operand(&mut self) -> Word {
        match self.below(8) {
            0 => Word::from(self.below(4)),
            1 => Word::from(self.below(300)),
            2 => Word::from(1) << self.below(256) as usize,
            3 => (Word::from(1) << self.below(256) as usize).wrapping_sub(Word::from(self.below(3))),
            4 => Word::ZERO.wrapping_sub(Word::from(1) << self.below(256) as usize),
            5 => word::MIN_SIGNED.wrapping_add(Word::from(self.below(3))).wrapping_sub(Word::from(1)),
            6 => self.word() >> self.below(256) as usize,
            _ => self.word(),
        }
    }

    fn operands(&mut self, arity: usize) -> Vec<Word> {
        let mut operands: Vec<Word> = (0..arity).map(|_| self.operand()).collect();
        if arity > 1 && self.below(16) == 0 {
            operands[1] = operands[0];
        }
        operands
    }
}
