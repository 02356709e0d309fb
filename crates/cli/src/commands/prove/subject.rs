//! A program as the prover takes it: what was written, and the code that is called.

use super::super::common::{finish, usage};
use crate::Outcome;
use crate::args::Cli;
use cairn_driver::{Input, Language, Options, Session, compile, free, read_hex};
use cairn_evm::{Fork, Opcode, Word, hex};
use cairn_ir::{Inst, Module, Op, Payload};
use cairn_prove::{Code, Image, Placeholder, Program};
use std::rc::Rc;

/// A program.
pub(super) struct Subject {
    /// What the front end wrote; none of bytecode and assembly.
    pub(super) module: Option<Module>,
    /// Code that is called.
    pub(super) bytes: Vec<u8>,
    pub(super) fork: Fork,
    /// Offsets of immutables and libraries in it.
    pub(super) placeholders: Vec<(usize, Placeholder)>,
    pub(super) immutables: Vec<String>,
    libraries: Vec<String>,
    places: Vec<(String, (usize, usize))>,
    /// Whether it visibly keeps the pointer to free memory, as the optimizer finds.
    keeps_pointer: bool,
    /// Whether it is known where the heap of the code begins.
    has_heap_base: bool,
}

impl Subject {
    /// Compiles a program; of one that deploys another the one that it deploys is meant.
    ///
    /// Immutables and libraries have the numbers of the first program, where that has the same names.
    pub(super) fn compile(
        cli: &Cli,
        input: &Input,
        options: &Options,
        first: Option<&Subject>,
    ) -> Result<Subject, Outcome> {
        let mut session = Session::default();
        if input.language == Language::Hex {
            let bytes = read_hex(input, &mut session);
            return Ok(Subject::of_bytes(finish(cli, &session, bytes)?, options.fork));
        }
        let module = match input.language {
            Language::Yul | Language::EvmIr => {
                let mut front = Session::default();
                let module = free(input, options, &mut front).map(|free| free.module);
                Some(finish(cli, &front, module)?)
            }
            Language::Asm | Language::Hex => None,
        };
        let code = compile(input, options, &mut session);
        let code = finish(cli, &session, code)?.assembled;
        let runtime = code.subs.first();
        let mut module = module.map(|mut module| match module.modules.is_empty() {
            true => module,
            false => module.modules.remove(0),
        });
        let code = runtime.unwrap_or(&code);
        let mut subject = Subject::of_bytes(code.bytes.clone(), options.fork);
        if let Some(first) = first {
            subject.immutables.clone_from(&first.immutables);
            subject.libraries.clone_from(&first.libraries);
        }
        for place in &code.immutables {
            let number = number_of(&mut subject.immutables, &place.name);
            subject.placeholders.push((place.offset, Placeholder::Immutable(number)));
        }
        for link in &code.links {
            let number = number_of(&mut subject.libraries, &link.library);
            subject.placeholders.push((link.offset, Placeholder::Library(number)));
        }
        subject.places =
            code.segments.iter().map(|part| (part.name.clone(), (part.offset, part.size))).collect();
        let heap_base = first_pointer(&subject.bytes);
        if let (Some(module), Some(start)) = (&mut module, heap_base) {
            set_heap_base(module, start);
        }
        subject.has_heap_base = heap_base.is_some();
        subject.keeps_pointer =
            module.as_ref().is_some_and(|module| session.pointer_keepers.contains(&module.name));
        subject.module = module;
        Ok(subject)
    }

    fn of_bytes(bytes: Vec<u8>, fork: Fork) -> Subject {
        let (placeholders, immutables, libraries) = (Vec::new(), Vec::new(), Vec::new());
        let (places, keeps_pointer, has_heap_base) = (Vec::new(), false, false);
        Subject {
            module: None,
            bytes,
            fork,
            placeholders,
            immutables,
            libraries,
            places,
            keeps_pointer,
            has_heap_base,
        }
    }

    /// What was written, with the code as its image; the code itself where there is no more.
    pub(super) fn reference(&self) -> Program<'_> {
        let Some(module) = &self.module else { return self.code() };
        let image = Image {
            code: self.bytes.as_slice().into(),
            places: self.places.iter().cloned().collect(),
            heap_base: None,
            immutables: self.immutables.clone(),
            libraries: self.libraries.clone(),
            keeps_pointer: self.keeps_pointer,
        };
        Program::Source(module, Rc::new(image))
    }

    /// The code.
    pub(super) fn code(&self) -> Program<'_> {
        let code = Code::new(&self.bytes, self.fork).with_placeholders(self.placeholders.iter().copied());
        Program::Code(Rc::new(code))
    }

    /// True if what it does can depend on more than a test of it decides: gas and the size of memory.
    pub(super) fn is_erratic(&self) -> bool {
        let is_erratic = |op: Op| match op {
            Op::Evm(Opcode::MSIZE) | Op::Verbatim => true,
            Op::HeapBase => !self.has_heap_base,
            _ => false,
        };
        self.module.as_ref().is_some_and(|module| {
            module.funcs.values().any(|func| {
                let mut insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
                insts.any(|inst| is_erratic(func.dfg.op(inst)))
            })
        })
    }
}

/// Lets the heap of a module begin where that of the code does, which is the compiler's choice.
fn set_heap_base(module: &mut Module, start: u64) {
    for func in module.funcs.values_mut() {
        let insts: Vec<Inst> = func.layout.blocks().flat_map(|block| func.layout.insts(block)).collect();
        for inst in insts {
            if func.dfg.op(inst) == Op::HeapBase
                && let Payload::Number(reserved) = &mut func.dfg.inst_mut(inst).payload
            {
                *reserved = start.max(*reserved);
            }
        }
    }
}

fn number_of(names: &mut Vec<String>, name: &str) -> u32 {
    let known = names.iter().position(|known| known == name);
    known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    }) as u32
}

/// Where the heap begins in compiled code: the pointer to free memory that it stores first of all.
fn first_pointer(code: &[u8]) -> Option<u64> {
    let mut pushed: Vec<Word> = Vec::new();
    for instruction in cairn_bytecode::instructions(code, 0, code.len() as u32).take(6) {
        let opcode = instruction.opcode;
        if opcode.push_width().is_some() {
            pushed.push(Word::from_be_slice(instruction.data));
        } else if let (Some(depth), Some(last)) = (opcode.dup_depth(), pushed.len().checked_sub(1)) {
            let copied = last.checked_sub(usize::from(depth) - 1)?;
            pushed.push(pushed[copied]);
        } else if opcode == Opcode::MSTORE {
            let [.., pointer, at] = pushed[..] else { return None };
            return u64::try_from(pointer).ok().filter(|_| at == Word::from(64));
        } else {
            return None;
        }
    }
    None
}

/// The selector that a signature or hex digits name.
pub(super) fn selector(text: &str) -> Result<[u8; 4], Outcome> {
    if text.contains('(') {
        let function = crate::abi::parse_signature(text).map_err(|fault| usage(&fault))?;
        return Ok(function.selector().0);
    }
    let bytes = hex::decode(text).ok().and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    bytes.ok_or_else(|| usage(&format!("`{text}` is neither a signature nor four bytes in hex")))
}
