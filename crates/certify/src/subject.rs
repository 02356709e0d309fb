//! A program as the prover takes it: what was written, and the code that is called.

use cairn_asm::Assembled;
use cairn_driver::{Input, Language, Options, Session, Stage, compile, free, read_hex};
use cairn_evm::{Fork, Opcode, Word};
use cairn_ir::{Inst, Module, Op, Payload};
use cairn_prove::{Code, Image, Placeholder, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where a heap begins to see whether that matters: no program has so much reserved memory.
const OTHER_HEAP_BASE: u64 = 0x5_a5a0;

/// A program.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What the front end wrote; none of bytecode and assembly.
    pub(crate) module: Option<Module>,
    /// Code that is called.
    pub(crate) bytes: Vec<u8>,
    pub(crate) fork: Fork,
    /// Offsets of immutables and libraries in it.
    pub(crate) placeholders: Vec<(usize, Placeholder)>,
    pub(crate) immutables: Vec<String>,
    libraries: Vec<String>,
    /// Where the parts of the code lie: offset and size.
    pub(crate) places: BTreeMap<String, (usize, usize)>,
    /// Whether it visibly keeps the pointer to free memory, as the optimizer finds.
    pub(crate) keeps_pointer: bool,
    /// The source with its heap elsewhere, where it is not known where that of the code begins.
    pub(crate) moved: Option<Module>,
}

impl Subject {
    /// Compiles a program; of one that deploys another the one that it deploys is meant. The session collects what
    /// is said of it.
    ///
    /// Immutables and libraries have the numbers of the first program, where that has the same names.
    ///
    /// # Errors
    /// The input is faulty (diagnostics say how), or Cairn is.
    pub fn compile(
        input: &Input,
        options: &Options,
        session: &mut Session,
        first: Option<&Subject>,
    ) -> Stage<Subject> {
        if input.language == Language::Hex {
            return Ok(Subject::of_bytes(read_hex(input, session)?, options.fork));
        }
        let module = match input.language {
            // What the front end says is said again by the compilation.
            Language::Yul | Language::EvmIr => {
                free(input, options, &mut Session::default()).ok().map(|free| free.module)
            }
            Language::Asm | Language::Hex => None,
        };
        let code = compile(input, options, session)?.assembled;
        let module = module.map(|mut module| match module.modules.is_empty() {
            true => module,
            false => module.modules.remove(0),
        });
        let mut subject = Subject::of_bytes(Vec::new(), options.fork);
        if let Some(first) = first {
            subject.immutables.clone_from(&first.immutables);
            subject.libraries.clone_from(&first.libraries);
        }
        subject.keeps_pointer =
            module.as_ref().is_some_and(|module| session.pointer_keepers.contains(&module.name));
        subject.module = module;
        Ok(subject.with_code(code.runtime().unwrap_or(&code)))
    }

    /// The same program with other code: what was made of it in another way.
    ///
    /// Data that the program does not name (metadata) may be other data there: nobody reads it (A5).
    #[must_use]
    pub fn with_code(mut self, code: &Assembled) -> Subject {
        self.bytes.clone_from(&code.bytes);
        self.placeholders.clear();
        for place in &code.immutables {
            let number = number_of(&mut self.immutables, &place.name);
            self.placeholders.push((place.offset, Placeholder::Immutable(number)));
        }
        for link in &code.links {
            let number = number_of(&mut self.libraries, &link.library);
            self.placeholders.push((link.offset, Placeholder::Library(number)));
        }
        let places = code.segments.iter();
        self.places = places.map(|part| (part.name.clone(), (part.offset, part.size))).collect();
        let heap_base = first_pointer(&self.bytes);
        self.moved = None;
        if let Some(module) = &mut self.module {
            remove_unnamed_data(module);
            match heap_base {
                Some(start) => set_heap_base(module, start),
                None => {
                    let mut moved = module.clone();
                    set_heap_base(&mut moved, OTHER_HEAP_BASE);
                    self.moved = Some(moved);
                }
            }
        }
        self
    }

    /// True if there is a source to compare code with.
    pub fn has_source(&self) -> bool {
        self.module.is_some()
    }

    /// The name of the source, if there is one.
    pub fn name(&self) -> Option<&str> {
        self.module.as_ref().map(|module| module.name.as_str())
    }

    fn of_bytes(bytes: Vec<u8>, fork: Fork) -> Subject {
        let (placeholders, immutables, libraries) = (Vec::new(), Vec::new(), Vec::new());
        let (places, keeps_pointer, moved) = (BTreeMap::new(), false, None);
        Subject {
            module: None,
            bytes,
            fork,
            placeholders,
            immutables,
            libraries,
            places,
            keeps_pointer,
            moved,
        }
    }

    /// What was written, with the code as its image; the code itself where there is no more.
    pub(crate) fn reference(&self) -> Program<'_> {
        let Some(module) = &self.module else { return self.code() };
        let image = Image {
            code: self.bytes.as_slice().into(),
            places: self.places.clone(),
            heap_base: None,
            immutables: self.immutables.clone(),
            libraries: self.libraries.clone(),
            keeps_pointer: self.keeps_pointer,
        };
        Program::Source(module, Rc::new(image))
    }

    /// The code.
    pub(crate) fn code(&self) -> Program<'_> {
        let code = Code::new(&self.bytes, self.fork).with_placeholders(self.placeholders.iter().copied());
        Program::Code(Rc::new(code))
    }

    /// True if what it does can depend on more than a test of it decides: the size of memory.
    pub(crate) fn is_erratic(&self) -> bool {
        let is_erratic = |op: Op| [Op::Evm(Opcode::MSIZE), Op::Verbatim].contains(&op);
        self.module.as_ref().is_some_and(|module| {
            module.funcs.values().any(|func| {
                let mut insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
                insts.any(|inst| is_erratic(func.dfg.op(inst)))
            })
        })
    }
}

/// Removes the data segments that no instruction of the module names.
fn remove_unnamed_data(module: &mut Module) {
    let mut named = BTreeSet::new();
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let Payload::Symbol(symbol) = &func.dfg.inst(inst).payload {
                let name = module.symbols.text(*symbol);
                // A path may begin with the module itself.
                let own = name.strip_prefix(&module.name).and_then(|rest| rest.strip_prefix('.'));
                named.extend([name].into_iter().chain(own).map(str::to_owned));
            }
        }
    }
    module.data.retain(|data| named.contains(&data.name));
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
