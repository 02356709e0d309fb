//! A place in bytecode: program counter and stack.

use super::convention::Inner;
use super::loops::{AtLoops, Division};
use super::{Code, Placeholder, table};
use crate::machine::{Content, EndKind, Flow, Machine, State, Step, Stop};
use crate::place::{Heading, Pace, Place, Turn, is_loud};
use crate::term::{Leaf, Node, Term, Terms};
use cairn_evm::{Opcode, STACK_LIMIT, Word, word};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Where a path of bytecode is.
#[derive(Clone)]
pub(crate) struct CodePlace {
    code: Rc<Code>,
    pub(super) pc: usize,
    pub(super) stack: Vec<Term>,
    /// The division that was met last.
    division: Division,
    /// How often each was taken both ways.
    rounds: FxHashMap<Division, u32>,
    /// Where it is to be stopped.
    stop: Option<Spot>,
    /// The branch before was not taken, or the path goes on where it was stopped.
    pub(super) flow: Flowing,
    /// Beginnings of blocks that it came to, if they are to be noted.
    trace: Option<Vec<Passed>>,
    pace: Pace,
    /// What is done with calls of functions of its own.
    pub(super) inner: Box<Inner>,
    pub(super) loops: Option<Box<AtLoops<CodePlace>>>,
}

/// A beginning of a block to which a path came, and the stack there.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) spot: Spot,
    pub(crate) stack: Vec<Term>,
}

/// The beginning of a block, with so many words on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    pub(crate) pc: usize,
    pub(crate) height: usize,
}

/// How a path came to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flowing {
    Plainly,
    PastBranch,
    FromStop,
}

/// What an instruction did.
pub(super) enum Done {
    Next,
    Turn(Turn<CodePlace>),
}

impl CodePlace {
    /// The first instruction.
    pub(crate) fn new(code: Rc<Code>) -> Self {
        let (rounds, flow) = (FxHashMap::default(), Flowing::Plainly);
        let (stack, pace) = (Vec::new(), Pace::Runs);
        let (stop, trace, inner, loops) = (None, None, Box::default(), None);
        CodePlace { code, pc: 0, stack, division: (0, 0), rounds, stop, flow, trace, pace, inner, loops }
    }

    /// The same place of a path that is to be stopped elsewhere or nowhere; where it is now does not
    /// count, nor do the rounds so far.
    pub(crate) fn stopping_at(&self, stop: Option<Spot>) -> Self {
        let (rounds, flow) = (FxHashMap::default(), Flowing::FromStop);
        CodePlace { stop, flow, rounds, trace: None, ..self.clone() }
    }

    /// The same place of a path that notes where it comes to.
    pub(crate) fn tracing(&self) -> Self {
        CodePlace { trace: Some(Vec::new()), ..self.stopping_at(None) }
    }

    /// Where it came to.
    pub(crate) fn trace(&self) -> impl Iterator<Item = &Passed> {
        self.trace.iter().flatten()
    }

    pub(super) fn spot(&self) -> Spot {
        Spot { pc: self.pc, height: self.stack.len() }
    }

    /// True if a path is to be stopped before the next instruction.
    fn arrives(&mut self, state: &State) -> bool {
        let flow = std::mem::replace(&mut self.flow, Flowing::Plainly);
        let begins = flow == Flowing::PastBranch || self.code.opcode(self.pc) == Opcode::JUMPDEST;
        if flow == Flowing::FromStop {
            self.leaves_stop();
        }
        if !begins || flow == Flowing::FromStop {
            return false;
        }
        if self.pace == Pace::Walks {
            (self.pace, self.flow) = (Pace::Stands, flow);
            return true;
        }
        if self.pace == Pace::Stands {
            self.pace = Pace::Walks;
        }
        let spot = self.spot();
        if let Some(trace) = &mut self.trace {
            trace.push(Passed { spot, stack: self.stack.clone() });
        }
        self.stop == Some(spot) || self.arrives_at_loop(state)
    }

    fn halt() -> Step<Done> {
        Ok(Done::Turn(Turn::Ended(EndKind::Halt, None)))
    }

    fn step(&mut self, machine: &mut Machine, state: &mut State) -> Step<Done> {
        let opcode = self.code.opcode(self.pc);
        let Some(info) = opcode.info().filter(|info| info.since <= self.code.fork) else {
            return CodePlace::halt();
        };
        let (inputs, outputs) = (usize::from(info.inputs), usize::from(info.outputs));
        if self.stack.len() < inputs && self.inner.is_by_itself() {
            return Stop::blocked("a function that takes words of who calls it");
        }
        if self.stack.len() < inputs || self.stack.len() - inputs + outputs > STACK_LIMIT {
            return CodePlace::halt();
        }
        if opcode == Opcode::JUMPDEST
            && let Some(turn) = self.call_known(machine, state)?
        {
            return Ok(turn);
        }
        if let Some(width) = opcode.push_width() {
            self.push(machine, usize::from(width));
            return Ok(Done::Next);
        }
        let top = self.stack.len();
        if let Some(depth) = opcode.dup_depth() {
            self.stack.push(self.stack[top - usize::from(depth)]);
        } else if let Some(depth) = opcode.swap_depth() {
            self.stack.swap(top - 1, top - 1 - usize::from(depth));
        } else if opcode == Opcode::JUMP || opcode == Opcode::JUMPI {
            return self.jump(machine, state, opcode);
        } else {
            return self.operate(machine, state, opcode, inputs);
        }
        self.pc += 1;
        Ok(Done::Next)
    }

    fn push(&mut self, machine: &mut Machine, width: usize) {
        let terms = &mut machine.terms;
        let word = match self.code.placeholders.get(&(self.pc + 1)) {
            Some(Placeholder::Immutable(number)) => {
                let value = terms.leaf(Leaf::Immutable(*number), &[]);
                terms.and_word(value, word::low_mask(8 * width))
            }
            Some(Placeholder::Library(number)) => terms.leaf(Leaf::Library(*number), &[]),
            None => {
                let byte = |index: usize| self.code.bytes.get(self.pc + 1 + index).copied().unwrap_or(0);
                let bytes: Vec<u8> = (0..width).map(byte).collect();
                terms.word(Word::from_be_slice(&bytes))
            }
        };
        self.stack.push(word);
        self.pc += 1 + width;
    }

    fn pop(&mut self) -> Term {
        self.stack.pop().expect("invariant: the height of the stack was checked")
    }

    pub(super) fn jump(&mut self, machine: &mut Machine, state: &State, opcode: Opcode) -> Step<Done> {
        let target = self.pop();
        if opcode == Opcode::JUMP && self.inner.leaves_to == Some(target) {
            return self.leave_for_good(machine, state);
        }
        let target = table::as_choice(&mut machine.terms, target).unwrap_or(target);
        if let &Node::Ite([condition, yes, no]) = machine.terms.node(target) {
            let mut other = self.clone();
            self.stack.push(yes);
            other.stack.push(no);
            self.note_division(machine);
            other.division = self.division;
            return Ok(Done::Turn(Turn::Divided(condition, other)));
        }
        let Some(target) = machine.terms.as_word(target) else {
            return Stop::blocked("a jump to a place that is not known");
        };
        let target = usize::try_from(target).unwrap_or(usize::MAX);
        let is_valid = self.code.jumpdests.contains(target);
        if opcode == Opcode::JUMP {
            self.pc = target;
            return if is_valid { Ok(Done::Next) } else { CodePlace::halt() };
        }
        let condition = self.pop();
        let condition = machine.terms.is_nonzero(condition);
        let mut other = self.clone();
        (other.pc, other.flow) = (other.pc + 1, Flowing::PastBranch);
        if condition == machine.terms.zero {
            *self = other;
            return Ok(Done::Next);
        }
        self.note_division(machine);
        other.division = self.division;
        // A jump to no destination halts there.
        self.pc = if is_valid { target } else { usize::MAX };
        match condition == machine.terms.one {
            true => Ok(Done::Next),
            false => Ok(Done::Turn(Turn::Divided(condition, other))),
        }
    }

    /// A division is told from others at the same instruction by the places to which the functions that
    /// are active return.
    fn note_division(&mut self, machine: &Machine) {
        self.division = (self.pc, self.returns(&machine.terms));
    }

    /// The word as a number, if a block begins there.
    pub(super) fn target(&self, terms: &Terms, word: Term) -> Option<u64> {
        let is_target = |pc: &u64| *pc > 0 && self.code.jumpdests.contains(*pc as usize);
        terms.as_u64(word).filter(is_target)
    }

    /// A number for the words of the stack that are beginnings of blocks.
    fn returns(&self, terms: &Terms) -> u64 {
        let mut hasher = FxHasher::default();
        for (height, word) in self.stack.iter().enumerate() {
            if let Some(target) = self.target(terms, *word) {
                (height, target).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    fn operate(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        opcode: Opcode,
        inputs: usize,
    ) -> Step<Done> {
        let args: Vec<Term> = (0..inputs).map(|_| self.pop()).collect();
        let pc = self.pc as u64;
        self.pc += 1;
        match (opcode, &args[..]) {
            (Opcode::JUMPDEST | Opcode::POP, _) => {}
            (Opcode::PC, _) => self.stack.push(machine.terms.number(pc)),
            (Opcode::CODESIZE, _) => self.stack.push(machine.terms.number(self.code.bytes.len() as u64)),
            (Opcode::CODECOPY, &[to, from, length]) => {
                machine.copy(state, to, length, Content::Bytes(self.code.bytes.clone(), from))?;
            }
            (Opcode::DUPN | Opcode::SWAPN | Opcode::EXCHANGE, _) => {
                return Stop::blocked(format!("{opcode:?}"));
            }
            _ => match machine.execute(state, opcode, &args)? {
                Flow::Value(value) => self.stack.push(value),
                Flow::Nothing => {}
                Flow::End(kind, data) => return Ok(Done::Turn(Turn::Ended(kind, data))),
            },
        }
        Ok(Done::Next)
    }
}

impl Place for CodePlace {
    fn advance(&mut self, machine: &mut Machine, state: &mut State) -> Step<Turn<Self>> {
        loop {
            machine.step(state)?;
            if self.pc == usize::MAX {
                return Ok(Turn::Ended(EndKind::Halt, None));
            }
            if self.arrives(state) || (self.pace == Pace::Walks && is_loud(self.code.opcode(self.pc))) {
                return Ok(Turn::Stopped);
            }
            if let Done::Turn(turn) = self.step(machine, state)? {
                return Ok(turn);
            }
        }
    }

    fn rounds(&self) -> u32 {
        self.rounds.get(&self.division).copied().unwrap_or(0)
    }

    fn count_round(&mut self) {
        *self.rounds.entry(self.division).or_default() += 1;
        if let Some(loops) = &mut self.loops {
            loops.note_division(self.division);
        }
    }

    fn heading(&self, _: &mut Machine) -> Heading {
        Heading::Unknown
    }

    fn is_in_open_loop(&self, _: &mut Machine) -> bool {
        // Which jumps belong to one loop is not known.
        false
    }

    fn note_cut(&self, machine: &mut Machine) {
        machine.cut.loops.extend(self.loops.as_ref().and_then(|loops| loops.found(self.division)));
    }

    fn with_pace(self, pace: Pace) -> Self {
        CodePlace { pace, ..self }
    }

    type Landing = (Spot, u64);

    fn landing(&self, machine: &Machine) -> Option<(Spot, u64)> {
        (self.pace == Pace::Stands).then(|| (self.spot(), self.returns(&machine.terms)))
    }

    fn site(&self) -> u64 {
        self.division.0 as u64
    }

    fn joined(&self, other: &Self, condition: Term, machine: &mut Machine) -> Option<Self> {
        if self.rounds != other.rounds || self.flow != other.flow || !self.comes_like(other) {
            return None;
        }
        let words = self.stack.iter().zip(&other.stack);
        let stack = words.map(|(yes, no)| machine.terms.ite(condition, *yes, *no)).collect();
        Some(CodePlace { stack, ..self.clone() })
    }
}
