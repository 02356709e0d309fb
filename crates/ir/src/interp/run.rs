//! The loop of the interpreter.

use super::arith::{Wide, eval_generic, extend_sign};
use super::env::{Env, Event, Image, Log, Outcome, Run};
use super::fixed;
use super::float::{convert_float, eval_float, format_of};
use super::memory::{FRAMES, Memory};
use crate::dfg::{BlockCall, Payload};
use crate::function::Function;
use crate::ids::{Block, Func, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::operand::is_amount;
use crate::symbol::Symbol;
use crate::types::Type;
use cairn_evm::{Opcode, Word, keccak256, word};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeMap;

/// A value of a run.
#[derive(Clone, Debug)]
pub(super) enum Datum {
    Word(Word),
    Wide(Box<Wide>),
    /// The parts of a composite.
    Parts(Vec<Datum>),
}

impl Datum {
    /// A number, cut to its type.
    pub(super) fn number(wide: Wide, ty: Type) -> Datum {
        match type_bits(ty) {
            256 => Datum::Word(wide.wrapping_to()),
            bits @ ..256 => Datum::Word(wide.wrapping_to::<Word>() & word::low_mask(bits)),
            4096.. => Datum::Wide(Box::new(wide)),
            bits => Datum::Wide(Box::new(wide & ((Wide::from(1) << bits) - Wide::from(1)))),
        }
    }

    /// The low word of the number; zero for a composite, which is none.
    pub(super) fn word(&self) -> Word {
        match self {
            Datum::Word(word) => *word,
            Datum::Wide(wide) => wide.wrapping_to(),
            Datum::Parts(_) => Word::ZERO,
        }
    }

    /// The number; zero for a composite, which is none.
    pub(super) fn wide(&self) -> Wide {
        match self {
            Datum::Word(word) => Wide::from(*word),
            Datum::Wide(wide) => **wide,
            Datum::Parts(_) => Wide::ZERO,
        }
    }
}

/// One active function.
pub(super) struct Frame<'m> {
    pub(super) func: &'m Function,
    values: Vec<Datum>,
    next: Option<Inst>,
    /// The target taken at the end of the block when operations follow a branch.
    fallthrough: Option<BlockCall>,
    /// Addresses of the allocas.
    allocas: SecondaryMap<Inst, u64>,
    /// End of the frames when this function returns.
    frames_before: usize,
    /// The call that the results go to.
    call: Option<Inst>,
}

/// The state of a run.
pub(super) struct Machine<'m, 'e, 'a> {
    module: &'m Module,
    pub(super) env: &'e mut Env<'a>,
    frames: Vec<Frame<'m>>,
    pub(super) memory: Memory,
    frames_end: usize,
    pub(super) storage: BTreeMap<Word, Word>,
    pub(super) transient: BTreeMap<Word, Word>,
    pub(super) returndata: Vec<u8>,
    pub(super) logs: Vec<Log>,
    pub(super) code: Vec<u8>,
    places: BTreeMap<String, (usize, usize)>,
}

pub(super) type Step<T = ()> = Result<T, Outcome>;

pub(super) fn run(module: &Module, entry: Func, env: &mut Env<'_>) -> Run {
    let storage = env.storage.clone();
    let memory = Memory::new(env.max_memory);
    let (code, places) = env.image.clone().unwrap_or_else(|| code_image(module));
    let mut machine = Machine {
        module,
        env,
        frames: Vec::new(),
        memory,
        frames_end: 0,
        storage,
        transient: BTreeMap::new(),
        returndata: Vec::new(),
        logs: Vec::new(),
        code,
        places,
    };
    let mut steps = 0;
    let outcome = match machine.enter(entry, Vec::new(), None) {
        Err(outcome) => outcome,
        Ok(()) => loop {
            if steps == machine.env.max_steps {
                break Outcome::Limit("steps");
            }
            steps += 1;
            if let Err(outcome) = machine.step() {
                break outcome;
            }
        },
    };
    let Machine { mut storage, mut transient, mut logs, .. } = machine;
    if !outcome.is_success() {
        storage.clone_from(&env.storage);
        transient.clear();
        logs.clear();
    }
    storage.retain(|_, word| !word.is_zero());
    transient.retain(|_, word| !word.is_zero());
    Run { outcome, storage, transient, logs, steps }
}

/// The code: data, then 32 bytes for each nested module; with the place of each by its path.
fn code_image(module: &Module) -> Image {
    let (mut bytes, mut places) = (Vec::new(), BTreeMap::new());
    let mut open = vec![(module, String::new())];
    while let Some((module, prefix)) = open.pop() {
        for data in &module.data {
            places.entry(format!("{prefix}{}", data.name)).or_insert((bytes.len(), data.bytes.len()));
            bytes.extend_from_slice(&data.bytes);
        }
        for nested in &module.modules {
            let path = format!("{prefix}{}", nested.name);
            open.push((nested, format!("{path}.")));
            bytes.extend_from_slice(keccak256(path.as_bytes()).as_slice());
            places.entry(path).or_insert((bytes.len() - 32, 32));
        }
    }
    (bytes, places)
}

impl<'m> Machine<'m, '_, '_> {
    pub(super) fn frame(&self) -> &Frame<'m> {
        self.frames.last().expect("invariant: a function is active")
    }

    fn frame_mut(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("invariant: a function is active")
    }

    /// Makes a function active.
    fn enter(&mut self, id: Func, args: Vec<Datum>, call: Option<Inst>) -> Step {
        if self.frames.len() >= self.env.max_depth {
            return Err(Outcome::Limit("depth"));
        }
        let func = &self.module.funcs[id];
        let frames_before = self.frames_end;
        let mut allocas = SecondaryMap::new();
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let (Op::Alloca, Payload::Number(size)) = (func.dfg.op(inst), func.dfg.inst(inst).payload) {
                allocas[inst] = FRAMES + self.frames_end as u64;
                let size = usize::try_from(size).map_err(|_| Outcome::Limit("memory"))?;
                let end =
                    size.checked_next_multiple_of(32).and_then(|size| self.frames_end.checked_add(size));
                self.frames_end = end.ok_or(Outcome::Limit("memory"))?;
            }
        }
        self.memory.open_frame(frames_before, self.frames_end)?;
        let values = vec![Datum::Word(Word::ZERO); func.dfg.num_values()];
        self.frames.push(Frame { func, values, next: None, fallthrough: None, allocas, frames_before, call });
        self.tell(Event::Call(id));
        self.bind(func.params(), args);
        self.start(func.layout.entry())
    }

    fn tell(&mut self, event: Event) {
        if let Some(watch) = &mut self.env.watch {
            watch(event);
        }
    }

    pub(super) fn datum(&self, value: Value) -> &Datum {
        &self.frame().values[value.as_u32() as usize]
    }

    pub(super) fn word(&self, value: Value) -> Word {
        self.datum(value).word()
    }

    pub(super) fn wide(&self, value: Value) -> Wide {
        self.datum(value).wide()
    }

    /// The operand as a word; one that says where or how much is the greatest word if it is greater.
    pub(super) fn operand(&self, inst: Inst, index: usize) -> Word {
        let dfg = &self.frame().func.dfg;
        let datum = self.datum(dfg.args(inst)[index]);
        match datum {
            Datum::Wide(wide) if is_amount(dfg.op(inst), index) => wide.saturating_to(),
            datum => datum.word(),
        }
    }

    pub(super) fn words(&self, inst: Inst) -> Vec<Word> {
        (0..self.frame().func.dfg.args(inst).len()).map(|index| self.operand(inst, index)).collect()
    }

    /// Sets a result, cut to its type.
    pub(super) fn set(&mut self, value: Value, wide: Wide) {
        let ty = self.frame().func.dfg.ty(value);
        self.set_datum(value, Datum::number(wide, ty));
    }

    /// Sets a value of any type.
    pub(super) fn set_datum(&mut self, value: Value, datum: Datum) {
        if let Datum::Word(word) = datum {
            self.tell(Event::Value(value, word));
        }
        self.frame_mut().values[value.as_u32() as usize] = datum;
    }

    /// Sets a result that is a word.
    pub(super) fn set_word(&mut self, value: Value, word: Word) {
        let bits = type_bits(self.frame().func.dfg.ty(value));
        if bits > 256 {
            self.set(value, Wide::from(word));
            return;
        }
        let cut = if bits == 256 { word } else { word & word::low_mask(bits) };
        self.set_datum(value, Datum::Word(cut));
    }

    /// Sets the only result.
    pub(super) fn give(&mut self, inst: Inst, word: Word) -> Step {
        let result = self.frame().func.dfg.results(inst)[0];
        self.set_word(result, word);
        Ok(())
    }

    /// Executes one instruction.
    fn step(&mut self) -> Step {
        let frame = self.frame_mut();
        let Some(inst) = frame.next else {
            let call = frame.fallthrough.take().ok_or(Outcome::Unreachable)?;
            return self.goto(&call);
        };
        frame.next = frame.func.layout.next_inst(inst);
        let func = frame.func;
        self.tell(Event::Inst(inst));
        let data = func.dfg.inst(inst);
        if !matches!(data.op, Op::Icall | Op::Iret | Op::DbgTrace) && has_composite(func, inst) {
            return self.composite_inst(inst, data.op);
        }
        match (data.op, data.payload) {
            (Op::Evm(opcode), _) => self.opcode(inst, opcode),
            (Op::Constant, Payload::Const(id)) => self.give(inst, func.dfg.word(id)),
            (Op::Alloca, _) => self.give(inst, Word::from(self.frame().allocas[inst])),
            (Op::HeapBase, Payload::Number(reserved)) => self.give(inst, Word::from(reserved)),
            (Op::CalldataBase, _) => self.give(inst, Word::ZERO),
            (_, Payload::Symbol(symbol)) => self.named(inst, data.op, symbol),
            (Op::Icall, Payload::Func(callee)) => {
                let args = func.dfg.args(inst).iter().map(|value| self.datum(*value).clone()).collect();
                self.enter(callee, args, Some(inst))
            }
            (Op::Iret, _) => self.leave(inst),
            (Op::Br, Payload::Jump(call)) => self.goto(&call),
            (Op::CondBr, Payload::Branch([then, otherwise])) => {
                let is_set = !self.wide(func.dfg.args(inst)[0]).is_zero();
                self.branch(is_set.then_some(&then), &otherwise)
            }
            (Op::Switch, Payload::Switch(id)) => {
                let (value, switch) = (self.wide(func.dfg.args(inst)[0]), func.dfg.switch(id));
                let case = switch.cases.iter().find(|(word, _)| Wide::from(*word) == value);
                self.branch(case.map(|(_, call)| call), &switch.default)
            }
            (op, _) => self.generic(inst, op),
        }
    }

    /// Takes a target, or the last one after what else is in the block.
    fn branch(&mut self, taken: Option<&BlockCall>, last: &BlockCall) -> Step {
        match taken {
            Some(call) => self.goto(call),
            None if self.frame().next.is_none() => self.goto(last),
            None => {
                self.frame_mut().fallthrough = Some(*last);
                Ok(())
            }
        }
    }

    /// Passes arguments along an edge, all at once, and goes on in its block.
    fn goto(&mut self, call: &BlockCall) -> Step {
        let func = self.frame().func;
        let args: Vec<Datum> =
            func.dfg.call_args(call).iter().map(|value| self.datum(*value).clone()).collect();
        self.bind(func.dfg.params(call.block), args);
        self.start(call.block)
    }

    fn bind(&mut self, values: &[Value], data: Vec<Datum>) {
        for (value, datum) in values.iter().zip(data) {
            self.set_datum(*value, datum);
        }
    }

    fn start(&mut self, block: Block) -> Step {
        let frame = self.frame_mut();
        frame.next = frame.func.layout.first_inst(block);
        frame.fallthrough = None;
        self.tell(Event::Block(block));
        Ok(())
    }

    fn leave(&mut self, inst: Inst) -> Step {
        let results =
            self.frame().func.dfg.args(inst).iter().map(|value| self.datum(*value).clone()).collect();
        let frame = self.frames.pop().expect("invariant: a function is active");
        self.frames_end = frame.frames_before;
        let Some(call) = frame.call else { return Err(Outcome::Stop) };
        self.tell(Event::Return);
        let values = self.frame().func.dfg.results(call);
        self.bind(values, results);
        Ok(())
    }

    /// Operations that carry a name.
    fn named(&mut self, inst: Inst, op: Op, symbol: Symbol) -> Step {
        let name = self.module.symbols.text(symbol);
        let word = match op {
            Op::DataOffset | Op::DataSize => {
                let own = name.strip_prefix(&self.module.name).and_then(|rest| rest.strip_prefix('.'));
                let place = self.places.get(name).or_else(|| self.places.get(own?)).copied();
                let (offset, size) = place.unwrap_or((0, self.code.len()));
                Word::from(if op == Op::DataOffset { offset } else { size })
            }
            Op::LoadImmutable => self.env.immutables.get(name).copied().unwrap_or_default(),
            Op::LinkerSymbol => self.env.libraries.get(name).copied().unwrap_or_default(),
            Op::Verbatim => return Err(Outcome::Unsupported("verbatim".to_owned())),
            _ => return Ok(()),
        };
        self.give(inst, word)
    }

    /// Operations that are neither opcodes nor control.
    fn generic(&mut self, inst: Inst, op: Op) -> Step {
        let func = self.frame().func;
        let args = func.dfg.args(inst);
        match op {
            Op::PtrAdd => {
                let sum = self.word(args[0]).wrapping_add(self.word(args[1]));
                self.give(inst, sum)
            }
            Op::PtrToInt | Op::IntToPtr | Op::Trunc | Op::Zext => self.copy(inst, args[0]),
            Op::Sext => {
                let (from, to) = (args[0], func.dfg.result(inst));
                let bits = [from, to].map(|value| type_bits(func.dfg.ty(value)));
                self.set(to, extend_sign(self.wide(from), bits[0], bits[1]));
                Ok(())
            }
            Op::Convert | Op::Sconvert => {
                let (from, to) = (args[0], func.dfg.result(inst));
                let types = [from, to].map(|value| func.dfg.ty(value));
                if let Some(word) = convert_float(op, self.word(from), types[0], types[1]) {
                    return self.give(inst, word);
                }
                self.set(to, fixed::convert(op, self.wide(from), types[0], types[1]));
                Ok(())
            }
            Op::Select => {
                let is_set = !self.wide(args[0]).is_zero();
                self.copy(inst, if is_set { args[1] } else { args[2] })
            }
            Op::Mload8 => {
                let bytes = self.memory.read(self.operand(inst, 0), 32)?;
                self.give(inst, Word::from(bytes[0]))
            }
            Op::DataCopy => self.opcode(inst, Opcode::CODECOPY),
            Op::ReturnValue => {
                let bytes: [u8; 1024] = self.wide(args[0]).to_be_bytes();
                let size = 32 * func.dfg.ty(args[0]).words();
                Err(Outcome::Return(bytes[1024 - size..].to_vec()))
            }
            Op::Unreachable => Err(Outcome::Unreachable),
            Op::DbgTrace | Op::DbgLabel => Ok(()),
            op => self.arithmetic(inst, op),
        }
    }

    fn copy(&mut self, inst: Inst, from: Value) -> Step {
        let (to, wide) = (self.frame().func.dfg.result(inst), self.wide(from));
        self.set(to, wide);
        Ok(())
    }

    /// Generic arithmetic, at the width of the first result; counts of bits at that of the operand.
    fn arithmetic(&mut self, inst: Inst, op: Op) -> Step {
        let dfg = &self.frame().func.dfg;
        let (args, results) = (dfg.args(inst), dfg.results(inst));
        let sized = if args.len() == 1 { args[0] } else { results[0] };
        if let Some(format) = format_of(dfg.ty(sized)) {
            let word = eval_float(op, &self.words(inst), format);
            let word = word.ok_or_else(|| Outcome::Unsupported(op.name().to_owned()))?;
            return self.give(inst, word);
        }
        let bits = type_bits(dfg.ty(sized));
        let wides: Vec<Wide> = args.iter().map(|value| self.wide(*value)).collect();
        let values = match eval_generic(fixed::ordered(op, dfg.ty(sized)), &wides, bits) {
            Some(values) => values,
            None if op == Op::Muldiv => return Err(Outcome::Revert(Vec::new())),
            None => return Err(Outcome::Unsupported(op.name().to_owned())),
        };
        for (result, value) in results.iter().zip(values) {
            self.set(*result, value);
        }
        Ok(())
    }
}

/// Bits that a value of the type has.
pub(super) fn type_bits(ty: Type) -> usize {
    match ty {
        Type::Int(bits) | Type::Ufixed(bits, _) | Type::Fixed(bits, _) => usize::from(bits),
        Type::Bool => 1,
        Type::Float(format) => usize::from(format.bits()),
        Type::Ptr(..) | Type::Composite(_) | Type::Void | Type::Unreachable => 256,
    }
}

/// True if an operand or a result is a composite.
fn has_composite(func: &Function, inst: Inst) -> bool {
    let mut values = func.dfg.args(inst).iter().chain(func.dfg.results(inst));
    values.any(|value| matches!(func.dfg.ty(*value), Type::Composite(_)))
}
