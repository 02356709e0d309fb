//! Opcodes, executed.

use super::arith::{Wide, eval_opcode};
use super::env::{External, ExternalResult, Log, Outcome};
use super::fixed::{Format, eval_fixed};
use super::float::{eval_float, format_of};
use super::memory::{length, padded};
use super::run::{Machine, Step, type_bits};
use crate::ids::Inst;
use crate::op::Op;
use crate::operand::is_amount;
use cairn_evm::static_frame::{StaticRule, static_rule};
use cairn_evm::{Effects, Opcode, Word, keccak256, word};
use std::collections::BTreeMap;

impl Machine<'_, '_, '_> {
    pub(super) fn opcode(&mut self, inst: Inst, opcode: Opcode) -> Step {
        if self.env.is_static && self.is_refused(inst, opcode) {
            return Err(Outcome::StaticChange);
        }
        let dfg = &self.frame().func.dfg;
        let args = dfg.args(inst).iter().enumerate();
        let computed = args.filter(|(index, _)| !is_amount(Op::Evm(opcode), *index)).map(|(_, value)| value);
        let types = computed.chain(dfg.results(inst)).map(|value| dfg.ty(*value));
        let bits = types.clone().map(type_bits).fold(256, usize::max);
        let float = types.clone().find_map(format_of);
        let format = types.into_iter().find_map(Format::of).filter(|_| opcode.is_arithmetic());
        if let Some(format) = format {
            return self.fixed_opcode(inst, opcode, format);
        }
        if let Some(format) = float.filter(|_| opcode.is_arithmetic()) {
            let result = eval_float(Op::Evm(opcode), &self.words(inst), format);
            let result = result.ok_or_else(|| Outcome::Unsupported(format!("floating-point {opcode:?}")))?;
            return self.give(inst, result);
        }
        if bits > 256 {
            return self.wide_opcode(inst, opcode, bits);
        }
        let args = self.words(inst);
        match word::eval(opcode, &args) {
            Some(word) => self.give(inst, word),
            None => self.machine_opcode(inst, opcode, &args),
        }
    }

    /// True when a static frame halts here.
    fn is_refused(&self, inst: Inst, opcode: Opcode) -> bool {
        match static_rule(opcode) {
            StaticRule::Allowed => false,
            StaticRule::Refused => true,
            StaticRule::RefusedWith(index) => {
                let operand = self.frame().func.dfg.args(inst)[usize::from(index)];
                !self.wide(operand).is_zero()
            }
        }
    }

    fn fixed_opcode(&mut self, inst: Inst, opcode: Opcode, format: Format) -> Step {
        let dfg = &self.frame().func.dfg;
        let wides: Vec<Wide> = dfg.args(inst).iter().map(|value| self.wide(*value)).collect();
        let result = eval_fixed(opcode, &wides, format);
        let result = result.ok_or_else(|| Outcome::Unsupported(format!("fixed-point {opcode:?}")))?;
        self.set(dfg.result(inst), result);
        Ok(())
    }

    /// An opcode with an operand or result of several words.
    fn wide_opcode(&mut self, inst: Inst, opcode: Opcode, bits: usize) -> Step {
        let dfg = &self.frame().func.dfg;
        let (args, size) = (dfg.args(inst), bits.div_ceil(256) * 32);
        let bytes = match opcode {
            Opcode::MLOAD => self.memory.read(self.operand(inst, 0), size)?,
            Opcode::CALLDATALOAD => padded(&self.env.calldata, self.operand(inst, 0), size),
            Opcode::SLOAD => load_words(&self.storage, self.word(args[0]), size),
            Opcode::TLOAD => load_words(&self.transient, self.word(args[0]), size),
            Opcode::MSTORE | Opcode::SSTORE | Opcode::TSTORE => {
                let bytes: [u8; 1024] = self.wide(args[1]).to_be_bytes();
                let (start, bytes) = (self.operand(inst, 0), &bytes[1024 - size..]);
                match opcode {
                    Opcode::MSTORE => return self.memory.write(start, bytes),
                    Opcode::SSTORE => store_words(&mut self.storage, start, bytes),
                    _ => store_words(&mut self.transient, start, bytes),
                }
                return Ok(());
            }
            _ => {
                let wides: Vec<Wide> = args.iter().map(|value| self.wide(*value)).collect();
                let result = eval_opcode(opcode, &wides, bits);
                let result = result.ok_or_else(|| Outcome::Unsupported(format!("wide {opcode:?}")))?;
                self.set(dfg.result(inst), result);
                return Ok(());
            }
        };
        self.set(dfg.result(inst), Wide::from_be_slice(&bytes));
        Ok(())
    }

    /// Opcodes that see more than their operands.
    fn machine_opcode(&mut self, inst: Inst, opcode: Opcode, args: &[Word]) -> Step {
        match opcode {
            Opcode::STOP => Err(Outcome::Stop),
            Opcode::RETURN => Err(Outcome::Return(self.memory.read(args[0], length(args[1])?)?)),
            Opcode::REVERT => Err(Outcome::Revert(self.memory.read(args[0], length(args[1])?)?)),
            Opcode::INVALID => Err(Outcome::Invalid),
            Opcode::SELFDESTRUCT => Err(Outcome::SelfDestruct(args[0])),
            Opcode::MLOAD => {
                let bytes = self.memory.read(args[0], 32)?;
                self.give(inst, Word::from_be_slice(&bytes))
            }
            Opcode::MSTORE => self.memory.write(args[0], &args[1].to_be_bytes::<32>()),
            Opcode::MSTORE8 => self.memory.write(args[0], &[args[1].byte(0)]),
            Opcode::MCOPY => {
                let bytes = self.memory.read(args[1], length(args[2])?)?;
                self.memory.write(args[0], &bytes)
            }
            Opcode::MSIZE => self.give(inst, Word::from(self.memory.size())),
            Opcode::KECCAK256 => {
                let bytes = self.memory.read(args[0], length(args[1])?)?;
                self.give(inst, Word::from_be_bytes(keccak256(bytes).0))
            }
            Opcode::SLOAD => self.give(inst, self.storage.get(&args[0]).copied().unwrap_or_default()),
            Opcode::SSTORE => {
                self.storage.insert(args[0], args[1]);
                Ok(())
            }
            Opcode::TLOAD => self.give(inst, self.transient.get(&args[0]).copied().unwrap_or_default()),
            Opcode::TSTORE => {
                self.transient.insert(args[0], args[1]);
                Ok(())
            }
            Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4 => {
                let data = self.memory.read(args[0], length(args[1])?)?;
                self.logs.push(Log { topics: args[2..].to_vec(), data });
                Ok(())
            }
            _ => self.data_opcode(inst, opcode, args),
        }
    }

    /// Opcodes about calldata, code, return data; then those about other accounts.
    fn data_opcode(&mut self, inst: Inst, opcode: Opcode, args: &[Word]) -> Step {
        match opcode {
            Opcode::CALLDATALOAD => {
                let bytes = padded(&self.env.calldata, args[0], 32);
                self.give(inst, Word::from_be_slice(&bytes))
            }
            Opcode::CALLDATASIZE => self.give(inst, Word::from(self.env.calldata.len())),
            Opcode::CALLDATACOPY => {
                let bytes = padded(&self.env.calldata, args[1], self.bounded(args[2])?);
                self.memory.write(args[0], &bytes)
            }
            Opcode::CODECOPY => {
                let bytes = padded(&self.code, args[1], self.bounded(args[2])?);
                self.memory.write(args[0], &bytes)
            }
            Opcode::RETURNDATASIZE => self.give(inst, Word::from(self.returndata.len())),
            Opcode::RETURNDATACOPY => {
                let end = args[1].checked_add(args[2]).ok_or(Outcome::Invalid)?;
                if end > Word::from(self.returndata.len()) {
                    return Err(Outcome::Invalid);
                }
                let bytes = padded(&self.returndata, args[1], length(args[2])?);
                self.memory.write(args[0], &bytes)
            }
            Opcode::EXTCODECOPY => {
                let answer = self.ask(opcode, args, Vec::new());
                let bytes = padded(&answer.output, args[2], self.bounded(args[3])?);
                self.memory.write(args[1], &bytes)
            }
            _ if opcode.known().inputs == 0 => {
                let default =
                    if opcode == Opcode::CODESIZE { Word::from(self.code.len()) } else { Word::ZERO };
                self.give(inst, self.env.words.get(&opcode).copied().unwrap_or(default))
            }
            _ => self.account_opcode(inst, opcode, args),
        }
    }

    /// A length that memory has room for.
    fn bounded(&self, word: Word) -> Step<usize> {
        length(word).ok().filter(|length| *length <= self.env.max_memory).ok_or(Outcome::Limit("memory"))
    }

    fn ask(&mut self, opcode: Opcode, args: &[Word], input: Vec<u8>) -> ExternalResult {
        let question = External { opcode, args: args.to_vec(), input };
        let mut answer = self.env.external.as_mut().map(|external| external(&question)).unwrap_or_default();
        self.env.words.extend(answer.words.drain(..));
        answer
    }

    fn account_opcode(&mut self, inst: Inst, opcode: Opcode, args: &[Word]) -> Step {
        let operand = |index: u8| args[usize::from(index)];
        let region_length = |region: cairn_evm::MemoryRegion| match region.length {
            cairn_evm::MemoryLength::Fixed(bytes) => Word::from(bytes),
            cairn_evm::MemoryLength::Operand(index) => operand(index),
        };
        let input = match cairn_evm::memory::memory_read(opcode) {
            Some(region) => self.memory.read(operand(region.start), length(region_length(region))?)?,
            None => Vec::new(),
        };
        let answer = self.ask(opcode, args, input);
        if opcode.known().effects.contains(Effects::WRITE_RETURNDATA) {
            self.returndata.clone_from(&answer.output);
            if let Some(region) = cairn_evm::memory::memory_write(opcode) {
                let room = length(region_length(region))?;
                let count = room.min(answer.output.len());
                self.memory.read(operand(region.start), room)?;
                self.memory.write(operand(region.start), &answer.output[..count])?;
            }
        }
        let results = self.frame().func.dfg.results(inst).to_vec();
        for (result, word) in results.into_iter().zip([answer.word, Word::from(self.returndata.len())]) {
            self.set_word(result, word);
        }
        Ok(())
    }
}

/// The words of consecutive keys as bytes.
pub(super) fn load_words(words: &BTreeMap<Word, Word>, key: Word, size: usize) -> Vec<u8> {
    let keys = (0..size / 32).map(|index| key.wrapping_add(Word::from(index)));
    keys.flat_map(|key| words.get(&key).copied().unwrap_or_default().to_be_bytes::<32>()).collect()
}

pub(super) fn store_words(words: &mut BTreeMap<Word, Word>, key: Word, bytes: &[u8]) {
    for (index, chunk) in bytes.chunks(32).enumerate() {
        words.insert(key.wrapping_add(Word::from(index)), Word::from_be_slice(chunk));
    }
}
