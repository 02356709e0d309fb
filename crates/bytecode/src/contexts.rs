//! Blocks with all that they may find on the stack: what a lifter walks.
//!
//! Definitions. A *context* is a block within a procedure with a stack of known height; a block
//! that is entered with stacks that make its jumps go to different places has several. A
//! *procedure* is the program's beginning or a function; contexts of a function count heights from
//! the words that stand there when it is entered. Invariants: every jump of every context is
//! resolved; a function has one shape of exit.

use crate::absint::engine::{CallPolicy, Engine};
use crate::absint::store::{MAIN, NONE, Origin, ProcId, Stack, State, StateId};
use crate::absint::summary::{Precision, Way};
use crate::absint::value::{Kind, Value};
use crate::absint::{FUEL_OF_LABELS, MAX_FUEL_OF_WORDS};
use crate::analysis::Analysis;
use crate::blocks::{BlockEnd, BlockId};
use crate::container::Container;
use rustc_hash::FxHashMap;

/// Number of a context.
pub type ContextId = u32;

/// Why a program has no contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// A jump at this offset is imprecise.
    Jump(u32),
    /// Blocks are entered with too many different stacks.
    TooManyContexts,
    /// After the instruction at this offset control can run past an end that bytes may follow.
    RunsOff(u32),
    /// Functions return in too many ways.
    Irregular,
    /// It is a delegation (EIP-7702): what runs is the code of another account.
    Delegation,
    /// It is a container (EOF), whose instructions are others.
    Container,
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unresolved::Jump(pc) => write!(f, "the jump at {pc:#x} has targets that are not known"),
            Unresolved::TooManyContexts => f.write_str("blocks are entered with too many different stacks"),
            Unresolved::RunsOff(pc) => {
                write!(f, "after {pc:#x} control can run into what is appended to the code")
            }
            Unresolved::Irregular => f.write_str("functions return in too many ways"),
            Unresolved::Delegation => f.write_str("it is a delegation: the code of another account runs"),
            Unresolved::Container => f.write_str("it is a container (EOF), whose instructions are others"),
        }
    }
}

/// Where a jump goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a context of the same procedure.
    Context(ContextId),
    /// To no `JUMPDEST`: execution fails.
    Fail,
    /// By the value of the word that is jumped to: offset and context; others fail.
    Switch(Vec<(u32, Option<ContextId>)>),
    /// Out of the function.
    Return,
    /// Into a function, and where it returns to; `None` when it never does.
    Call(u32, Option<ContextId>),
}

/// What happens at the end of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The stack is too low or too high for the block: execution fails in it.
    Fail,
    /// The last instruction ends the frame.
    Halt,
    /// The code ends, as with `STOP`.
    CodeEnd,
    /// One way on.
    Go(Target),
    /// `JUMPI`: where it jumps to and where it falls to, as far as each can happen.
    Branch(Option<Target>, Option<ContextId>),
}

/// A block with a stack.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its procedure.
    pub procedure: u32,
    /// Its block.
    pub block: BlockId,
    /// Height above the words at the entry of the procedure.
    pub height: i32,
    /// What follows.
    pub step: Step,
}

/// The beginning of the program or a function.
#[derive(Clone, Debug, Default)]
pub struct ContextProcedure {
    /// Contexts, the entry first.
    pub contexts: Vec<ContextId>,
    /// Words at the entry that it or what it calls looks at.
    pub params: u32,
    /// How it returns; `None` when it never does.
    pub exit: Option<ExitShape>,
}

/// How a function leaves the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitShape {
    /// The address to return to is so many words below the top at the entry.
    pub address: u32,
    /// Words taken, that address among them.
    pub takes: u32,
    /// Words put in their stead.
    pub gives: u32,
}

/// The contexts of a program.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    /// All contexts.
    pub list: Vec<Context>,
    /// The program's beginning, then functions.
    pub procedures: Vec<ContextProcedure>,
}

/// Attempts to agree on functions.
const MAX_ROUNDS: usize = 12;

/// Finds the contexts of a program.
///
/// # Errors
/// A jump is imprecise, or the program has no reasonable number of contexts, or the code is no plain code.
pub fn find_contexts(analysis: &Analysis<'_>) -> Result<Contexts, Unresolved> {
    match Container::of(analysis.code) {
        Container::Plain => {}
        Container::Delegation(_) => return Err(Unresolved::Delegation),
        Container::Eof(_) => return Err(Unresolved::Container),
    }
    if let Some(jump) = analysis.cfg.jumps().iter().find(|jump| jump.status == crate::JumpStatus::Imprecise) {
        return Err(Unresolved::Jump(analysis.blocks.get(jump.block).last_pc));
    }
    let mut places: FxHashMap<BlockId, u32> = FxHashMap::default();
    for function in &analysis.functions {
        if function.rets.is_some() || function.blocks.len() > 1 {
            places.insert(function.entry, function.params);
        }
    }
    // What returns may be entered by falling into it, too; it has to be kept apart only where it
    // calls itself.
    let mut more = places.clone();
    for procedure in &analysis.outcome.procedures {
        if let Some(exit) = procedure.exits.iter().find(|exit| exit.is_return) {
            more.entry(procedure.entry).or_insert(exit.params);
        }
    }
    try_with_functions(analysis, &places).or_else(|reason| match more.len() > places.len() {
        true => try_with_functions(analysis, &more),
        false => Err(reason),
    })
}

/// Attempts with functions given by the place of the address that they return to.
fn try_with_functions(
    analysis: &Analysis<'_>,
    places: &FxHashMap<BlockId, u32>,
) -> Result<Contexts, Unresolved> {
    for precision in [Precision::Labels, Precision::Words] {
        let mut places = places.clone();
        for _ in 0..MAX_ROUNDS {
            let mut engine = Engine::new(analysis.subject(), precision);
            engine.policy = CallPolicy::Only(places.clone());
            let count = analysis.blocks.len() as u64;
            engine.run((FUEL_OF_LABELS.1 + FUEL_OF_LABELS.0 * count).min(MAX_FUEL_OF_WORDS));
            if engine.gave_up || !engine.is_resolved() {
                break;
            }
            let irregular = irregular_functions(&engine, &places);
            if irregular.is_empty() {
                return Builder { engine: &mut engine }.build();
            }
            for entry in irregular {
                places.remove(&entry);
            }
        }
    }
    Err(Unresolved::TooManyContexts)
}

/// Entries of functions whose exits disagree, or go elsewhere than expected.
fn irregular_functions(engine: &Engine<'_>, places: &FxHashMap<BlockId, u32>) -> Vec<BlockId> {
    let mut shapes: Vec<Option<(u32, i32)>> = vec![None; engine.procs.len()];
    let mut irregular = Vec::new();
    for exit in &engine.exits {
        let entry = engine.procs[exit.proc as usize].entry;
        let shape = (exit.via, exit.stack.delta());
        let known = shapes[exit.proc as usize].get_or_insert(shape);
        let nested = exit.origins.iter().any(|origin| matches!(origin, Origin::Exit(_)));
        if *known != shape || places.get(&entry) != Some(&exit.via) || nested || exit.is_invalid {
            irregular.push(entry);
        }
    }
    irregular.sort_unstable();
    irregular.dedup();
    irregular
}

struct Builder<'e, 'a> {
    engine: &'e mut Engine<'a>,
}

impl Builder<'_, '_> {
    fn build(mut self) -> Result<Contexts, Unresolved> {
        let mut contexts = Contexts::default();
        contexts.procedures.resize_with(self.engine.procs.len(), ContextProcedure::default);
        for exit in &self.engine.exits {
            let delta = exit.stack.delta();
            let shape = &mut contexts.procedures[exit.proc as usize].exit;
            let takes = shape.map_or(0, |shape| shape.takes).max(exit.stack.base).max(exit.via + 1);
            let gives = u32::try_from(takes as i32 + delta).map_err(|_| Unresolved::Irregular)?;
            *shape = Some(ExitShape { address: exit.via, takes, gives });
        }
        for id in 0..self.engine.states.len() as StateId {
            let State { proc, block, stack, .. } = self.engine.states[id as usize];
            let step = self.step(id)?;
            contexts.list.push(Context { procedure: proc, block, height: stack.delta(), step });
            contexts.procedures[proc as usize].contexts.push(id);
        }
        self.count_params(&mut contexts)?;
        Ok(contexts)
    }

    /// Words that each procedure looks at, its callees' included, to the fixed point.
    fn count_params(&self, contexts: &mut Contexts) -> Result<(), Unresolved> {
        let engine = &self.engine;
        for state in &engine.states {
            let needs = self.engine.blocks.get(state.block).needs as i32;
            raise(contexts, state.proc, needs - state.stack.delta());
        }
        for id in 0..contexts.procedures.len() as u32 {
            let takes = contexts.procedures[id as usize].exit.map_or(0, |exit| exit.takes);
            raise(contexts, id, takes as i32);
        }
        for _ in 0..64 {
            let mut changed = false;
            for caller in &engine.callers {
                let needs = contexts.procedures[caller.callee as usize].params as i32;
                changed |= raise(contexts, caller.proc, needs - caller.stack.delta());
            }
            if !changed {
                return Ok(());
            }
        }
        Err(Unresolved::Irregular)
    }

    fn step(&mut self, id: StateId) -> Result<Step, Unresolved> {
        let State { proc, block, stack, .. } = self.engine.states[id as usize];
        let data = *self.engine.blocks.get(block);
        let is_low = proc == MAIN && stack.count < data.needs;
        if is_low || stack.count + data.peak > crate::absint::engine::STACK_LIMIT {
            return Ok(Step::Fail);
        }
        if data.ends == BlockEnd::Halt {
            return Ok(Step::Halt);
        }
        let summary = self.engine.summary(block);
        self.engine.evaluate_exprs(proc, stack, summary);
        let pushes = summary.first..summary.first + summary.count;
        let Some(base) = self.engine.replace_top(proc, stack, summary.pops, pushes, summary.first_expr)
        else {
            return Ok(Step::Fail);
        };
        let words = self.engine.scratch.clone();
        let known = |value: Option<Value>| {
            value.and_then(|value| self.engine.substitute(proc, stack, summary.first_expr, value))
        };
        let (target, condition) = (known(summary.target), known(summary.condition));
        let (can_jump, can_fall) = self.engine.directions(condition);
        let jump = match target.filter(|_| can_jump) {
            None => None,
            Some(target) => {
                let mut refined = Vec::new();
                let words = self.engine.refine(&mut refined, &words, summary, Way::Jump);
                Some(self.target(proc, block, target, base, words)?)
            }
        };
        let fall = if can_fall && matches!(data.ends, BlockEnd::Fallthrough | BlockEnd::JumpI) {
            let mut refined = Vec::new();
            let words = self.engine.refine(&mut refined, &words, summary, Way::Fallthrough);
            if self.engine.falls_into_function(block, words) {
                let callee = self.engine.proc_of[block as usize + 1];
                let next = self.return_point(proc, callee, base, words)?;
                return Ok(Step::Go(Target::Call(callee, next)));
            }
            self.fall(proc, block, base, words)?
        } else {
            None
        };
        Ok(match data.ends {
            BlockEnd::Jump => Step::Go(jump.unwrap_or(Target::Fail)),
            BlockEnd::JumpI => Step::Branch(jump, fall),
            BlockEnd::Fallthrough | BlockEnd::CodeEnd | BlockEnd::Halt => {
                fall.map_or(Step::CodeEnd, |next| Step::Go(Target::Context(next)))
            }
        })
    }

    /// The next block; `None` where the code ends.
    fn fall(
        &mut self,
        proc: ProcId,
        block: BlockId,
        base: u32,
        words: &[Value],
    ) -> Result<Option<ContextId>, Unresolved> {
        if block as usize + 1 >= self.engine.blocks.len() {
            return Ok(None);
        }
        self.find(proc, block + 1, base, words).map(Some)
    }

    fn target(
        &mut self,
        proc: ProcId,
        from: BlockId,
        target: Value,
        base: u32,
        words: &[Value],
    ) -> Result<Target, Unresolved> {
        match target.kind() {
            Kind::Const(pc) => self.target_pc(proc, from, pc, base, words),
            Kind::Input { .. } => Ok(Target::Return),
            Kind::Set(_) => {
                let pcs = self.engine.pool.words(target).expect("invariant: a set has words");
                let mut list = Vec::new();
                for word in pcs {
                    let Ok(pc) = u32::try_from(word) else { continue };
                    let Some(to) = self.engine.blocks.jump_target(pc) else { continue };
                    list.push((pc, Some(self.find(proc, to, base, words)?)));
                }
                Ok(Target::Switch(list))
            }
            Kind::Unknown | Kind::Expr(_) => Err(Unresolved::Jump(self.engine.blocks.get(from).last_pc)),
        }
    }

    fn target_pc(
        &mut self,
        proc: ProcId,
        from: BlockId,
        pc: u32,
        base: u32,
        words: &[Value],
    ) -> Result<Target, Unresolved> {
        let Some(to) = self.engine.blocks.jump_target(pc) else { return Ok(Target::Fail) };
        let is_call = self.engine.is_call(to, words, Origin::Block(from));
        if !is_call || self.engine.blocks.get(to).ends == BlockEnd::Halt {
            return self.find(proc, to, base, words).map(Target::Context);
        }
        let callee = self.engine.proc_of[to as usize];
        self.return_point(proc, callee, base, words).map(|next| Target::Call(callee, next))
    }

    /// Where a call returns to.
    fn return_point(
        &mut self,
        proc: ProcId,
        callee: ProcId,
        base: u32,
        words: &[Value],
    ) -> Result<Option<ContextId>, Unresolved> {
        let first = self.engine.procs[callee as usize].first_exit;
        if first == NONE {
            return Ok(None);
        }
        let exit = self.engine.exits[first as usize].clone();
        let start = self.engine.arena.len() as u32;
        self.engine.arena.extend_from_slice(words);
        let stack = Stack { base, first: start, count: words.len() as u32 };
        let address = self.engine.word_at(proc, stack, exit.via);
        let Some(to) = address.and_then(Value::as_const).and_then(|pc| self.engine.blocks.jump_target(pc))
        else {
            return Err(Unresolved::Irregular);
        };
        // Exits of one shape may know different words: any context of the height will do.
        let pushes = exit.stack.first..exit.stack.first + exit.stack.count;
        let Some(after) = self.engine.replace_top(proc, stack, exit.stack.base, pushes, 0) else {
            return Ok(None);
        };
        let words = self.engine.scratch.clone();
        self.find(proc, to, after, &words).map(Some)
    }

    /// The context that stands for a stack.
    fn find(
        &mut self,
        proc: ProcId,
        block: BlockId,
        base: u32,
        words: &[Value],
    ) -> Result<ContextId, Unresolved> {
        let first = self.engine.first_state.of(proc, block);
        let halts = self.engine.blocks.get(block).ends == BlockEnd::Halt;
        let delta = words.len() as i32 - base as i32;
        let mut id = first;
        while id != NONE {
            let State { stack, next, low, .. } = self.engine.states[id as usize];
            let same_shape = stack.base == base && stack.count as usize == words.len();
            let any_height = self.engine.blocks.get(block).needs == 0 || low == delta;
            if (halts && any_height) || (same_shape && self.covers(stack, words)) {
                return Ok(id);
            }
            id = next;
        }
        Err(Unresolved::Irregular)
    }

    fn covers(&mut self, known: Stack, words: &[Value]) -> bool {
        words.iter().enumerate().all(|(offset, word)| {
            let known = self.engine.arena[known.first as usize + offset];
            known == *word || known.is_unknown() || self.engine.pool.join(known, *word) == known
        })
    }
}

/// Raises the number of words that a procedure looks at; true when it grew.
fn raise(contexts: &mut Contexts, proc: ProcId, params: i32) -> bool {
    let known = &mut contexts.procedures[proc as usize].params;
    let raised = proc != MAIN && params > *known as i32;
    if raised {
        *known = params as u32;
    }
    raised
}
