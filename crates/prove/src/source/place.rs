//! A place in a module: active functions with their values.

use super::Image;
use super::datum::{Datum, bits, constant};
use super::known::Inner;
use super::loops::{Location, Watch, is_inside, loops_of};
use crate::assume::Assumption;
use crate::machine::{Content, EndKind, FRAMES, Machine, Region, State, Step, Stop};
use crate::place::{Heading, Pace, Place, Turn, is_loud};
use crate::term::{Leaf, Term};
use cairn_analysis::Loops;
use cairn_evm::Word;
use cairn_ir::{Block, BlockCall, EntityRef, Func, Function, Inst, Module, Op, Payload, Symbol, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// First number of immutables and libraries whose words the code does not hold.
const UNNAMED: u32 = 1 << 31;

/// A function is active at most so often at once.
const MAX_ACTIVE: usize = 8;

/// One active function.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) func: Func,
    pub(super) values: Vec<Datum>,
    next: Option<Inst>,
    /// The target taken at the end of the block when operations follow a branch.
    fallthrough: Option<BlockCall>,
    /// The first case of a switch that was not looked at yet.
    next_case: usize,
    /// Addresses of the allocas.
    allocas: FxHashMap<Inst, Word>,
    frames_before: u64,
    /// The call that the results go to.
    pub(super) call: Option<Inst>,
    /// How often each division was taken both ways.
    pub(super) rounds: FxHashMap<(Inst, usize), u32>,
}

impl Frame {
    /// Lets values be this frame's where a condition, 0 or 1, holds, else the other's.
    ///
    /// A way may have come back from the function in which it began: then what the caller made since is no parameter of the
    /// block, and is seen behind it.
    fn choose(&mut self, other: &Frame, condition: Term, machine: &mut Machine) {
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            if value != other {
                // What only one of them made, nobody sees where they are one.
                *value = value.choice(other, condition, machine).unwrap_or(Datum::None);
            }
        }
    }
}

/// Where a path of a module is.
#[derive(Clone)]
pub(crate) struct SourcePlace<'m> {
    pub(super) module: &'m Module,
    pub(super) image: Rc<Image>,
    pub(super) frames: Vec<Frame>,
    frames_end: u64,
    /// The division that was met last.
    division: (Inst, usize),
    /// Waits to be entered.
    pub(super) starts_with: Option<(Func, Vec<Datum>)>,
    /// Loops at which it is to be stopped.
    pub(super) watch: Rc<Watch>,
    /// The block that was entered last, until it was looked at.
    pub(super) entered: Option<Block>,
    /// The block at which it is stopped.
    pub(super) stopped_at: Option<Block>,
    /// How things were when heads of watched loops were passed last.
    pub(super) heads: Vec<(Location, Rc<(SourcePlace<'m>, State)>)>,
    pace: Pace,
    /// What is done with calls of functions that call themselves.
    pub(super) inner: Rc<Inner>,
}

/// What an instruction did.
pub(super) enum Done<'m> {
    Next,
    Turn(Turn<SourcePlace<'m>>),
}

impl<'m> SourcePlace<'m> {
    /// The loops of the function that is active.
    fn loops(&self, machine: &mut Machine) -> Rc<Loops> {
        let func = self.frame().func;
        machine.loops.entry(func).or_insert_with(|| Rc::new(loops_of(self.func()))).clone()
    }

    /// The entry of a module.
    ///
    /// # Errors
    /// The module has no entry function.
    pub(crate) fn new(module: &'m Module, image: Rc<Image>) -> Step<Self> {
        let Some(entry) = module.entry else { return Stop::blocked("a module without an entry function") };
        let division = (Inst::new(0), 0);
        Ok(SourcePlace {
            module,
            image,
            frames: Vec::new(),
            frames_end: 0,
            division,
            starts_with: Some((entry, Vec::new())),
            watch: Rc::default(),
            entered: None,
            stopped_at: None,
            heads: Vec::new(),
            pace: Pace::Runs,
            inner: Rc::default(),
        })
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("invariant: a function is active")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("invariant: a function is active")
    }

    pub(super) fn func(&self) -> &'m Function {
        &self.module.funcs[self.frame().func]
    }

    pub(super) fn datum(&self, value: Value) -> &Datum {
        &self.frame().values[value.index()]
    }

    /// A value of at most a word.
    pub(super) fn term(&self, value: Value) -> Step<Term> {
        match self.datum(value) {
            Datum::Word(term) => Ok(*term),
            _ => Stop::blocked("a wide value where a word is expected"),
        }
    }

    pub(super) fn set(&mut self, value: Value, datum: Datum) {
        self.frame_mut().values[value.index()] = datum;
    }

    /// Sets the only result, cut to its type.
    pub(super) fn give(&mut self, machine: &mut Machine, inst: Inst, word: Term) -> Step<Done<'m>> {
        let result = self.func().dfg.result(inst);
        let bits = bits(self.func().dfg.ty(result))?;
        let datum = Datum::word(machine, word, bits);
        self.set(result, datum);
        Ok(Done::Next)
    }

    pub(super) fn enter(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        id: Func,
        args: Vec<Datum>,
        call: Option<Inst>,
    ) -> Step<Done<'m>> {
        if self.frames.iter().filter(|frame| frame.func == id).count() >= MAX_ACTIVE {
            return Ok(Done::Turn(Turn::Ended(EndKind::Cut, None)));
        }
        let func = &self.module.funcs[id];
        let (mut allocas, frames_before) = (FxHashMap::default(), self.frames_end);
        if func.has_alloca() {
            machine.must_assume(Assumption::FRAMES)?;
            for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
                if let (Op::Alloca, Payload::Number(size)) = (func.dfg.op(inst), func.dfg.inst(inst).payload)
                {
                    allocas.insert(inst, FRAMES + Word::from(self.frames_end));
                    self.frames_end += size.next_multiple_of(32);
                }
            }
            let at = machine.terms.word(FRAMES + Word::from(frames_before));
            let length = machine.terms.number(self.frames_end - frames_before);
            state.frames_end = state.frames_end.max(self.frames_end);
            state.write(at, length, Content::Unknown);
        }
        let mut values = vec![Datum::None; func.dfg.num_values()];
        for (param, arg) in func.params().iter().zip(args) {
            values[param.index()] = arg;
        }
        let next = func.layout.first_inst(func.layout.entry());
        let (fallthrough, next_case, rounds) = (None, 0, FxHashMap::default());
        self.frames.push(Frame {
            func: id,
            values,
            next,
            fallthrough,
            next_case,
            allocas,
            frames_before,
            call,
            rounds,
        });
        Ok(Done::Next)
    }

    /// True if what comes next does what others see.
    fn is_loud(&self) -> bool {
        let op = self.frame().next.map(|inst| self.func().dfg.op(inst));
        match op {
            Some(Op::Evm(opcode)) => is_loud(opcode),
            Some(op) => [Op::DataCopy, Op::SetImmutable, Op::Verbatim].contains(&op),
            None => false,
        }
    }

    fn step(&mut self, machine: &mut Machine, state: &mut State) -> Step<Done<'m>> {
        let Some(inst) = self.frame().next else {
            return Ok(match self.frame_mut().fallthrough.take() {
                Some(call) => self.goto(machine, &call)?,
                None => Done::Turn(Turn::Ended(EndKind::Unreachable, None)),
            });
        };
        let func = self.func();
        self.frame_mut().next = func.layout.next_inst(inst);
        match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
            (Op::Evm(opcode), _) => self.opcode(machine, state, inst, opcode),
            (Op::Constant, Payload::Const(id)) => {
                let result = func.dfg.result(inst);
                let datum = constant(machine, func.dfg.word(id), bits(func.dfg.ty(result))?);
                self.set(result, datum);
                Ok(Done::Next)
            }
            (Op::Alloca, _) => {
                let address = self.frame().allocas[&inst];
                let address = machine.terms.word(address);
                self.give(machine, inst, address)
            }
            (Op::HeapBase, Payload::Number(reserved)) => {
                machine.must_assume(Assumption::FRAMES)?;
                let start = machine.terms.number(self.image.heap_base.unwrap_or(reserved));
                self.give(machine, inst, start)
            }
            (Op::CalldataBase, _) => {
                let zero = machine.terms.zero;
                self.give(machine, inst, zero)
            }
            (op @ (Op::DataOffset | Op::DataSize | Op::LoadImmutable), Payload::Symbol(symbol))
            | (op @ (Op::LinkerSymbol | Op::SetImmutable | Op::Verbatim), Payload::Symbol(symbol)) => {
                self.named(machine, inst, op, symbol)
            }
            (Op::Icall, Payload::Func(callee)) => {
                let args = func.dfg.args(inst).iter().map(|value| self.datum(*value).clone());
                let args: Vec<Datum> = args.collect();
                if self.is_trusted(machine, state, inst, &args)? {
                    return Ok(Done::Next);
                }
                self.enter(machine, state, callee, args, Some(inst))
            }
            (Op::Iret, _) => self.leave(machine, state, inst),
            (Op::Br, Payload::Jump(call)) => self.goto(machine, &call),
            (Op::CondBr, Payload::Branch([then, otherwise])) => {
                let condition = self.datum(func.dfg.args(inst)[0]).clone().truth(machine);
                self.branch(machine, inst, condition, &then, &otherwise)
            }
            (Op::Switch, Payload::Switch(_)) => self.switch(machine, inst),
            (Op::ReturnValue, _) => self.return_value(machine, state, inst),
            (Op::Unreachable, _) => Ok(Done::Turn(Turn::Ended(EndKind::Unreachable, None))),
            (Op::DbgTrace | Op::DbgLabel, _) => Ok(Done::Next),
            (op, _) => self.generic(machine, state, inst, op),
        }
    }

    /// Operations that carry a name.
    fn named(&mut self, machine: &mut Machine, inst: Inst, op: Op, symbol: Symbol) -> Step<Done<'m>> {
        let name = self.module.symbols.text(symbol);
        let number =
            |names: &[String]| names.iter().position(|known| known == name).map(|index| index as u32);
        let word = match op {
            Op::DataOffset | Op::DataSize => {
                machine.must_assume(Assumption::LAYOUT)?;
                let own = name.strip_prefix(&self.module.name).and_then(|rest| rest.strip_prefix('.'));
                let places = &self.image.places;
                let place = places.get(name).or_else(|| places.get(own?)).copied();
                let place = match place {
                    None if name == self.module.name => Some((0, self.image.code.len())),
                    place => place,
                };
                let Some((offset, size)) = place else { return Stop::blocked("data without a place") };
                machine.terms.number(if op == Op::DataOffset { offset } else { size } as u64)
            }
            Op::LoadImmutable => {
                machine.must_assume(Assumption::IMMUTABLES)?;
                let number = number(&self.image.immutables).unwrap_or(UNNAMED + symbol.as_u32());
                machine.terms.leaf(Leaf::Immutable(number), &[])
            }
            Op::LinkerSymbol => {
                let number = number(&self.image.libraries).unwrap_or(UNNAMED + symbol.as_u32());
                machine.terms.leaf(Leaf::Library(number), &[])
            }
            op => return Stop::blocked(op.name()),
        };
        self.give(machine, inst, word)
    }

    fn leave(&mut self, machine: &mut Machine, state: &State, inst: Inst) -> Step<Done<'m>> {
        let results: Vec<Datum> =
            self.func().dfg.args(inst).iter().map(|value| self.datum(*value).clone()).collect();
        let Some(frame) = self.frames.pop() else { return Stop::blocked("a return from no function") };
        self.frames_end = frame.frames_before;
        let Some(call) = frame.call else { return self.leave_for_good(machine, state, &results) };
        for (value, datum) in self.func().dfg.results(call).iter().zip(results) {
            self.set(*value, datum);
        }
        Ok(Done::Next)
    }

    fn return_value(&mut self, machine: &mut Machine, state: &State, inst: Inst) -> Step<Done<'m>> {
        let value = self.term(self.func().dfg.args(inst)[0])?;
        let (zero, size) = (machine.terms.zero, machine.terms.number(32));
        let mut scratch = state.clone();
        scratch.write(zero, size, Content::Word(value));
        let region: Region = scratch.region(zero, size);
        Ok(Done::Turn(Turn::Ended(EndKind::Return, Some(region))))
    }

    /// Takes the first target where the condition holds, else the other one after what else is in the
    /// block.
    fn branch(
        &mut self,
        machine: &mut Machine,
        inst: Inst,
        condition: Term,
        then: &BlockCall,
        otherwise: &BlockCall,
    ) -> Step<Done<'m>> {
        let mut other = self.clone();
        other.fall(machine, otherwise)?;
        if condition == machine.terms.zero {
            *self = other;
            return Ok(Done::Next);
        }
        self.goto(machine, then)?;
        if condition == machine.terms.one {
            return Ok(Done::Next);
        }
        self.division = (inst, 0);
        other.division = (inst, 0);
        Ok(Done::Turn(Turn::Divided(condition, other)))
    }

    /// Goes to the last target of a block, after what else is in it.
    fn fall(&mut self, machine: &mut Machine, call: &BlockCall) -> Step {
        if self.frame().next.is_none() {
            self.goto(machine, call)?;
        } else {
            self.frame_mut().fallthrough = Some(*call);
        }
        Ok(())
    }

    fn switch(&mut self, machine: &mut Machine, inst: Inst) -> Step<Done<'m>> {
        let dfg = &self.func().dfg;
        let Payload::Switch(id) = dfg.inst(inst).payload else { return Ok(Done::Next) };
        let value = self.term(dfg.args(inst)[0])?;
        let switch = dfg.switch(id);
        let case = std::mem::take(&mut self.frame_mut().next_case);
        let Some((word, call)) = switch.cases.get(case) else {
            self.fall(machine, &switch.default)?;
            return Ok(Done::Next);
        };
        let word: Word = *word;
        let word = machine.terms.word(word);
        let condition = machine.terms.eq(value, word);
        let mut other = self.clone();
        other.frame_mut().next = Some(inst);
        other.frame_mut().next_case = case + 1;
        if condition == machine.terms.zero {
            *self = other;
            return Ok(Done::Next);
        }
        self.goto(machine, call)?;
        self.division = (inst, case);
        other.division = (inst, case);
        match condition == machine.terms.one {
            true => Ok(Done::Next),
            false => Ok(Done::Turn(Turn::Divided(condition, other))),
        }
    }

    /// Passes arguments along an edge, all at once, and goes on in its block.
    fn goto(&mut self, machine: &mut Machine, call: &BlockCall) -> Step<Done<'m>> {
        let func = self.func();
        let args = func.dfg.call_args(call).iter().map(|value| self.datum(*value).clone());
        let args: Vec<Datum> = args.collect();
        for (param, datum) in func.dfg.params(call.block).iter().zip(args) {
            let widened = datum.limbs(machine, bits(func.dfg.ty(*param))?.div_ceil(256));
            let datum = Datum::cut(machine, widened, bits(func.dfg.ty(*param))?);
            self.set(*param, datum);
        }
        let frame = self.frame_mut();
        (frame.next, frame.fallthrough) = (func.layout.first_inst(call.block), None);
        self.entered = Some(call.block);
        Ok(Done::Next)
    }
}

impl Place for SourcePlace<'_> {
    fn advance(&mut self, machine: &mut Machine, state: &mut State) -> Step<Turn<Self>> {
        if let Some((func, args)) = self.starts_with.take() {
            self.enter(machine, state, func, args, None)?;
        }
        loop {
            if self.entered.is_some() && self.pace == Pace::Walks {
                self.pace = Pace::Stands;
                return Ok(Turn::Stopped);
            }
            if let Some(block) = self.entered.take() {
                if self.pace == Pace::Stands {
                    self.pace = Pace::Walks;
                }
                if self.arrives(block, state) {
                    return Ok(Turn::Stopped);
                }
            }
            if self.pace == Pace::Walks && self.is_loud() {
                return Ok(Turn::Stopped);
            }
            machine.step(state)?;
            if let Done::Turn(turn) = self.step(machine, state)? {
                return Ok(turn);
            }
        }
    }

    fn rounds(&self) -> u32 {
        self.frame().rounds.get(&self.division).copied().unwrap_or(0)
    }

    fn count_round(&mut self) {
        let division = self.division;
        *self.frame_mut().rounds.entry(division).or_default() += 1;
    }

    fn is_in_open_loop(&self, machine: &mut Machine) -> bool {
        let block_of = |inst: Inst| self.func().layout.inst_block(inst);
        let Some(block) = block_of(self.division.0) else { return false };
        let loops = self.loops(machine);
        let counted = self.frame().rounds.iter().filter(|(_, rounds)| **rounds > 0);
        let open: Vec<Block> = counted.filter_map(|((inst, _), _)| block_of(*inst)).collect();
        std::iter::successors(loops.innermost(block), |id| loops.parent(*id))
            .any(|id| open.iter().any(|other| is_inside(&loops, id, *other)))
    }

    fn heading(&self, machine: &mut Machine) -> Heading {
        let (Some(block), Some(next)) = (self.func().layout.inst_block(self.division.0), self.entered) else {
            return Heading::Unknown;
        };
        let loops = self.loops(machine);
        match loops.innermost(block).map(|id| is_inside(&loops, id, next)) {
            Some(true) => Heading::On,
            Some(false) => Heading::Out,
            None => Heading::Unknown,
        }
    }

    fn note_cut(&self, machine: &mut Machine) {
        let func = self.func();
        let block = func.layout.inst_block(self.division.0);
        machine.cut.blocks.extend(block.map(|block| (self.frame().func, block)));
    }

    fn with_pace(self, pace: Pace) -> Self {
        SourcePlace { pace, ..self }
    }

    type Landing = Location;

    fn landing(&self, _: &Machine) -> Option<Location> {
        let block = self.entered.filter(|_| self.pace == Pace::Stands)?;
        Some(self.location(block))
    }

    fn site(&self) -> u64 {
        let func = self.frames.last().map_or(0, |frame| frame.func.index());
        (func as u64) << 40 | (self.division.0.index() as u64) << 12 | self.division.1 as u64
    }

    fn joined(&self, other: &Self, condition: Term, machine: &mut Machine) -> Option<Self> {
        let heads = self.heads.iter().zip(&other.heads);
        let is_same_way = self.heads.len() == other.heads.len()
            && heads.into_iter().all(|((_, a), (_, b))| Rc::ptr_eq(a, b))
            && self.frames_end == other.frames_end;
        let (frame, last) = (self.frames.last()?, other.frames.last()?);
        if !is_same_way || self.entered.is_none() || frame.rounds != last.rounds {
            return None;
        }
        let mut joined = self.clone();
        for (frame, other) in joined.frames.iter_mut().zip(&other.frames) {
            frame.choose(other, condition, machine);
        }
        Some(joined)
    }
}
