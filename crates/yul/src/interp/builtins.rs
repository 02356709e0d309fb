//! Builtins: opcodes on the state of the run, and what Yul adds to them.

use cairn_evm::{Opcode, Word, keccak256, word};

use super::dump::number;
use super::eval::{Interpreter, Step};
use super::world::ExternalCalls;
use super::{End, Memory};
use crate::ast::{Expression, FunctionCall};
use crate::dialect::Builtin;

/// The address of everything that is created.
const CREATED: u64 = 0xcccc_cccc;

impl Interpreter<'_> {
    /// Executes an opcode; the first argument is the topmost.
    pub(super) fn opcode(&mut self, opcode: Opcode, args: &[Word]) -> Step<Option<Word>> {
        if let Some(value) = word::eval(opcode, args) {
            return Ok(Some(value));
        }
        if let Some(value) = self.world_value(opcode, args) {
            return Ok(Some(value));
        }
        match opcode {
            Opcode::POP => Ok(None),
            Opcode::MLOAD | Opcode::MSTORE | Opcode::MSTORE8 | Opcode::MSIZE | Opcode::KECCAK256 => {
                Ok(self.memory_opcode(opcode, args))
            }
            Opcode::SLOAD => Ok(Some(self.outcome.storage.get(&args[0]).copied().unwrap_or_default())),
            Opcode::TLOAD => {
                Ok(Some(self.outcome.transient_storage.get(&args[0]).copied().unwrap_or_default()))
            }
            Opcode::SSTORE => Ok(store(&mut self.outcome.storage, args)),
            Opcode::TSTORE => Ok(store(&mut self.outcome.transient_storage, args)),
            Opcode::CALLDATACOPY
            | Opcode::CODECOPY
            | Opcode::EXTCODECOPY
            | Opcode::RETURNDATACOPY
            | Opcode::MCOPY => self.copy(opcode, args).map(|()| None),
            Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4 => {
                self.log(opcode, args).map(|()| None)
            }
            Opcode::CREATE | Opcode::CREATE2 => self.create(opcode, args).map(Some),
            Opcode::CALL | Opcode::CALLCODE | Opcode::DELEGATECALL | Opcode::STATICCALL => {
                self.external_call(opcode, args).map(Some)
            }
            _ => Err(self.end_of_run(opcode, args)?),
        }
    }

    /// Opcodes that only look at the world, the input and the last result.
    fn world_value(&self, opcode: Opcode, args: &[Word]) -> Option<Word> {
        let world = self.world;
        Some(match opcode {
            Opcode::ADDRESS => world.address,
            Opcode::ORIGIN => world.origin,
            Opcode::CALLER => world.caller,
            Opcode::CALLVALUE => world.callvalue,
            Opcode::GASPRICE => world.gasprice,
            Opcode::COINBASE => world.coinbase,
            Opcode::TIMESTAMP => world.timestamp,
            Opcode::NUMBER => world.number,
            Opcode::PREVRANDAO => world.prevrandao,
            Opcode::GASLIMIT => world.gaslimit,
            Opcode::CHAINID => world.chainid,
            Opcode::BASEFEE => world.basefee,
            Opcode::BLOBBASEFEE => world.blobbasefee,
            Opcode::SLOTNUM => world.slotnum,
            Opcode::GAS => world.gas,
            Opcode::SELFBALANCE => world.selfbalance,
            Opcode::BALANCE => world.balance(args[0]),
            Opcode::BLOCKHASH | Opcode::BLOBHASH | Opcode::EXTCODESIZE | Opcode::EXTCODEHASH => Word::ZERO,
            Opcode::CALLDATASIZE => Word::from(self.calldata.len()),
            Opcode::CALLDATALOAD => {
                let bytes: Vec<u8> = slice(&self.calldata, args[0], 32);
                Word::from_be_slice(&bytes)
            }
            Opcode::CODESIZE => Word::from(world.code.len()),
            Opcode::RETURNDATASIZE => Word::from(self.returned.len()),
            _ => return None,
        })
    }

    fn memory_opcode(&mut self, opcode: Opcode, args: &[Word]) -> Option<Word> {
        let memory = &mut self.outcome.memory;
        match opcode {
            Opcode::MLOAD => {
                memory.touch(args[0], Word::from(32));
                Some(Word::from_be_slice(&memory.read(args[0], 32)))
            }
            Opcode::MSTORE => {
                memory.touch(args[0], Word::from(32));
                memory.write(args[0], &args[1].to_be_bytes::<32>());
                None
            }
            Opcode::MSTORE8 => {
                memory.touch(args[0], Word::from(1));
                memory.write_byte(args[0], args[1].byte(0));
                None
            }
            Opcode::KECCAK256 => {
                // What lies too far away to be read is hashed by its length alone.
                let bytes = self.read_memory(args[0], args[1]);
                let bytes = bytes.unwrap_or_else(|| args[1].to_be_bytes::<32>().to_vec());
                Some(Word::from_be_bytes(keccak256(bytes).0))
            }
            _ => Some(memory.size()),
        }
    }

    /// A range of memory, unless it is too far away.
    fn read_memory(&mut self, offset: Word, length: Word) -> Option<Vec<u8>> {
        let is_near = self.outcome.memory.touch(offset, length);
        let length = usize::try_from(length).ok().filter(|_| is_near)?;
        Some(self.outcome.memory.read(offset, length))
    }

    /// Writes bytes of `source` from `from` on to memory, with zeros after its end.
    fn copy_to_memory(&mut self, source: &[u8], to: Word, from: Word, length: Word) {
        let is_near = self.outcome.memory.touch(to, length);
        if let Some(length) = usize::try_from(length).ok().filter(|_| is_near) {
            self.outcome.memory.write(to, &slice(source, from, length));
        }
    }

    fn copy(&mut self, opcode: Opcode, args: &[Word]) -> Step<()> {
        let memory_argument = usize::from(opcode == Opcode::EXTCODECOPY);
        let [to, from, length] =
            [args[memory_argument], args[memory_argument + 1], args[memory_argument + 2]];
        self.trace(opcode, args, &[memory_argument], length, None)?;
        match opcode {
            Opcode::CALLDATACOPY => {
                let calldata = self.calldata.clone();
                self.copy_to_memory(&calldata, to, from, length);
            }
            Opcode::CODECOPY => self.copy_to_memory(&self.world.code, to, from, length),
            Opcode::EXTCODECOPY => self.copy_to_memory(&[], to, from, length),
            Opcode::RETURNDATACOPY => {
                let returned = self.returned.clone();
                let end = from.checked_add(length);
                if !length.is_zero() && end.is_none_or(|end| end > Word::from(returned.len())) {
                    return Err(End::Failed);
                }
                self.copy_to_memory(&returned, to, from, length);
            }
            _ => {
                let is_target_near = self.outcome.memory.touch(to, length);
                let bytes = self.read_memory(from, length);
                if let Some(bytes) = bytes.filter(|_| is_target_near) {
                    self.outcome.memory.write(to, &bytes);
                }
            }
        }
        Ok(())
    }

    fn log(&mut self, opcode: Opcode, args: &[Word]) -> Step<()> {
        let data = self.read_memory(args[0], args[1]);
        self.trace(opcode, args, &[0], args[1], data.as_deref())
    }

    fn create(&mut self, opcode: Opcode, args: &[Word]) -> Step<Word> {
        self.read_memory(args[1], args[2]);
        self.returned.clear();
        self.trace(opcode, args, &[1], args[2], None)?;
        Ok(Word::from(CREATED))
    }

    fn external_call(&mut self, opcode: Opcode, args: &[Word]) -> Step<Word> {
        let has_value = matches!(opcode, Opcode::CALL | Opcode::CALLCODE);
        let first = if has_value { 3 } else { 2 };
        let [input, input_length, output, output_length] =
            [args[first], args[first + 1], args[first + 2], args[first + 3]];
        let calldata = self.read_memory(input, input_length);
        self.outcome.memory.touch(output, output_length);
        self.trace(opcode, args, &[first], input_length, None)?;
        self.returned.clear();
        let runs = self.world.external_calls == ExternalCalls::RunOwnCode;
        if !runs || opcode != Opcode::CALL || args[1] != self.world.address {
            return Ok(Word::from(1));
        }
        let has_succeeded = self.call_own_code(calldata.unwrap_or_default());
        let length = output_length.min(Word::from(self.returned.len()));
        let returned = self.returned.clone();
        self.copy_to_memory(&returned, output, Word::ZERO, length);
        Ok(Word::from(has_succeeded))
    }

    /// Runs the program with its own memory and trace; its result is in `returned`.
    fn call_own_code(&mut self, calldata: Vec<u8>) -> bool {
        let before = self.outcome.clone();
        self.outcome.memory = Memory::default();
        let own_calldata = std::mem::replace(&mut self.calldata, calldata);
        let end = self.run_code();
        self.calldata = own_calldata;
        self.returned = std::mem::take(&mut self.outcome.returndata);
        let has_succeeded = matches!(end, End::Finished | End::Terminated);
        let inner = std::mem::replace(&mut self.outcome, before);
        if has_succeeded {
            self.outcome.storage = inner.storage;
            self.outcome.transient_storage = inner.transient_storage;
        }
        has_succeeded
    }

    /// Opcodes after which nothing runs.
    fn end_of_run(&mut self, opcode: Opcode, args: &[Word]) -> Step<End> {
        let end = match opcode {
            Opcode::STOP | Opcode::RETURN | Opcode::SELFDESTRUCT => End::Terminated,
            Opcode::REVERT => End::Reverted,
            Opcode::INVALID => End::Failed,
            _ => return Ok(End::Unsupported),
        };
        if let [offset, length] = *args {
            let data = self.read_memory(offset, length).unwrap_or_default();
            self.trace(opcode, args, &[0], length, Some(&data))?;
            self.outcome.returndata = data;
        } else {
            self.trace(opcode, args, &[], Word::ZERO, None)?;
        }
        Ok(end)
    }

    /// Adds a line to the trace. The place of memory of which no byte is used is shown as zero.
    fn trace(
        &mut self,
        opcode: Opcode,
        args: &[Word],
        places: &[usize],
        length: Word,
        data: Option<&[u8]>,
    ) -> Step<()> {
        if self.outcome.trace.len() >= self.limits.trace {
            self.outcome.trace.push("Trace size limit reached.".to_owned());
            return Err(End::TraceLimit);
        }
        let shown = |(index, value): (usize, &Word)| match length.is_zero() && places.contains(&index) {
            true => number(Word::ZERO),
            false => number(*value),
        };
        let list: Vec<String> = args.iter().enumerate().map(shown).collect();
        let mut line = format!("{}({})", opcode.name(self.dialect.fork), list.join(", "));
        if let Some(data) = data.filter(|data| !data.is_empty()) {
            line.push_str(&format!(" [{}]", cairn_evm::hex::encode(data)));
        }
        self.outcome.trace.push(line);
        Ok(())
    }

    /// Executes a builtin that is no opcode.
    pub(super) fn object_builtin(
        &mut self,
        builtin: Builtin,
        call: &FunctionCall,
        args: &[Word],
    ) -> Step<Option<Word>> {
        let name = match call.args.first() {
            Some(Expression::Literal(literal)) => literal.text.as_deref().unwrap_or_default(),
            _ => &[],
        };
        match builtin {
            Builtin::DataSize => Ok(Some(self.world.data_size(name))),
            Builtin::DataOffset => Ok(Some(self.world.data_offset(name))),
            Builtin::LinkerSymbol => Ok(Some(self.world.library_address(name))),
            Builtin::MemoryGuard => Ok(args.first().copied()),
            Builtin::LoadImmutable => Ok(Some(Word::ZERO)),
            Builtin::SetImmutable => Ok(None),
            Builtin::DataCopy => {
                self.copy_to_memory(&self.world.code, args[0], args[1], args[2]);
                Ok(None)
            }
            Builtin::Verbatim { .. } | Builtin::Evm(_) => Err(End::Unsupported),
        }
    }
}

fn store(storage: &mut std::collections::BTreeMap<Word, Word>, args: &[Word]) -> Option<Word> {
    if args[1].is_zero() {
        storage.remove(&args[0]);
    } else {
        storage.insert(args[0], args[1]);
    }
    None
}

/// `length` bytes of `source` from `from` on, with zeros after its end.
fn slice(source: &[u8], from: Word, length: usize) -> Vec<u8> {
    let start = usize::try_from(from).unwrap_or(source.len()).min(source.len());
    let end = start.saturating_add(length).min(source.len());
    let mut bytes = source[start..end].to_vec();
    bytes.resize(length, 0);
    bytes
}
