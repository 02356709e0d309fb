//! What analyses say of programs holds in their runs.
//!
//! A wrong fact does harm only where a pass can use it: programs that do the same before and after passes show few
//! of them. Here random programs run, at each stage that passes bring them to, and each step is compared with what
//! the analyses say of it: ranges of words and what branches say of them, words that count, effects of functions
//! and how they end.

#[path = "../tests/differential/generate.rs"]
mod generate;
#[path = "../tests/differential/program.rs"]
mod program;

use crate::counters::Counters;
use crate::options::Options;
use crate::pipeline::{Level, passes};
use crate::ranges::{Ranges, Shapes, Words};
use crate::rules::Facts;
use crate::runner::{Hooks, run_passes};
use cairn_analysis::callgraph::Ends;
use cairn_analysis::{CallGraph, FuncEffects};
use cairn_evm::{Effects, Word};
use cairn_ir::interp::{Event, Outcome};
use cairn_ir::text::print;
use cairn_ir::{Block, Func, Inst, Module, Op, PrimaryMap, SecondaryMap, Value, ValueDef};
use program::{MAX_STEPS, n_programs, program, watched};

/// Programs in a run that nobody asked to be longer.
const PROGRAMS: u64 = 400;

/// Effects that are about what an operation looks at or changes, and not about how control goes on.
const TOUCHES: Effects = Effects::HALT.union(Effects::MAY_FAIL).complement();

/// What is said of a module.
struct Said<'a> {
    module: &'a Module,
    graph: &'a CallGraph,
    effects: FuncEffects,
    ranges: Option<Ranges<'a>>,
    counters: PrimaryMap<Func, Counters>,
}

/// A function that is active.
struct Active {
    func: Func,
    block: Block,
    words: SecondaryMap<Value, Option<Word>>,
    /// What was done since it became active.
    done: Effects,
}

/// Compares a run with what is said.
struct Watcher<'a> {
    said: &'a Said<'a>,
    active: Vec<Active>,
    /// Words that were looked at.
    n_words: u64,
}

impl Watcher<'_> {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Call(func) => {
                let block = self.said.module.funcs[func].layout.entry();
                let words = SecondaryMap::new();
                self.active.push(Active { func, block, words, done: Effects::empty() });
            }
            Event::Return => self.hear_return(),
            Event::Block(block) => self.top().block = block,
            Event::Value(value, word) => self.hear_value(value, word),
            Event::Inst(inst) => self.hear_inst(inst),
        }
    }

    fn top(&mut self) -> &mut Active {
        self.active.last_mut().expect("a function is active")
    }

    fn hear_return(&mut self) {
        let Active { func, done, .. } = self.active.pop().expect("a function is active");
        let (effects, ends) = (&self.said.effects, self.said.graph.ends(func));
        assert!(ends.can_return(), "{func} comes back, not only {ends:?}");
        let (said, found) = (effects.of_func_on_return(func), done & TOUCHES);
        assert!(said.contains(found), "{func} comes back and did {found:?}, not only {said:?}");
        self.top().done |= done;
    }

    fn hear_value(&mut self, value: Value, word: Word) {
        let func = self.top().func;
        self.top().words[value] = Some(word);
        if let ValueDef::Param(..) = self.said.module.funcs[func].dfg.def(value) {
            let counted = self.said.counters[func].facts(value);
            assert!(counted.is_none_or(|facts| facts.has(word)), "{func} {value} counts, but is {word:#x}");
        }
    }

    fn hear_inst(&mut self, inst: Inst) {
        let (said, Active { func, block, words, .. }) = (self.said, &*self.top());
        let (func, block, body) = (*func, *block, &said.module.funcs[*func]);
        let mut used: Vec<(Value, Option<Word>)> = Vec::new();
        body.dfg.for_each_use(inst, |value| used.push((value, words[value])));
        for (value, word) in used {
            if let Some(word) = word {
                self.check_range(func, block, value, word);
            }
        }
        let op = body.dfg.op(inst);
        if op == Op::Icall {
            return;
        }
        let (effects, done) = (&said.effects, op.effects());
        self.top().done |= done;
        for Active { func, .. } in &self.active {
            let all = effects.of_func(*func);
            assert!(all.contains(done & TOUCHES), "{func} does {done:?}, not only {all:?}");
        }
    }

    fn check_range(&mut self, func: Func, block: Block, value: Value, word: Word) {
        let Some(ranges) = &self.said.ranges else { return };
        let range = ranges.at(func, block, value);
        let range =
            range.unwrap_or_else(|| panic!("{func} {block} {value} is never computed, but is {word:#x}"));
        assert!(range.all.has(word), "{func} {block} {value} is {word:#x}, which is not in {range:x?}");
        self.n_words += 1;
    }

    /// The run ended with these functions active.
    fn end(&self, outcome: &Outcome) {
        let end = match outcome {
            Outcome::Stop | Outcome::Return(_) | Outcome::SelfDestruct(_) => Ends::STOP,
            Outcome::Revert(_) | Outcome::Invalid => Ends::REVERT,
            // What a static frame refuses is not among the ends.
            Outcome::StaticChange => return,
            Outcome::Unreachable | Outcome::Limit(_) | Outcome::Unsupported(_) => return,
        };
        for Active { func, .. } in &self.active {
            let ends = self.said.graph.ends(*func);
            assert!(ends.contains(end), "{func} ends by {outcome:?}, not only {ends:?}");
        }
    }
}

/// Runs a module and compares; how many words were looked at.
fn check(seed: u64, module: &Module) -> u64 {
    let (graph, shapes) = (CallGraph::compute(module), Shapes::compute(module));
    // These programs do not keep the pointer to free memory.
    let ranges = Ranges::compute(module, &graph, &shapes, Words::new(Facts::ANY));
    let counters = module.funcs.iter().map(|(id, func)| Counters::of(func, shapes.cfg(id))).collect();
    let effects = FuncEffects::compute(module, &graph);
    let said = Said { module, graph: &graph, effects, ranges, counters };
    let watcher = std::cell::RefCell::new(Watcher { said: &said, active: Vec::new(), n_words: 0 });
    let run = watched(module, seed, 8 * MAX_STEPS, Some(Box::new(|event| watcher.borrow_mut().hear(event))));
    let watcher = watcher.into_inner();
    watcher.end(&run.outcome);
    watcher.n_words
}

#[test]
fn what_is_said_of_random_programs_holds_when_they_run() {
    let n_programs = n_programs(PROGRAMS);
    let mut n_words = 0;
    for seed in 0..n_programs {
        let Some((mut module, _)) = program(seed) else { continue };
        let all = passes([Level::O1, Level::O2, Level::Os][seed as usize % 3]);
        // At least slots are values.
        let passed = &all[..1 + seed as usize / 3 % all.len()];
        run_passes(&mut module, passed, &Options::default(), Hooks::default()).expect("passes that run");
        let checked = std::panic::catch_unwind(|| check(seed, &module));
        let last = passed.last().map_or("none", |pass| pass.name);
        n_words += checked.unwrap_or_else(|_| panic!("seed {seed}, up to {last}\n{}", print(&module)));
    }
    assert!(n_words > 20 * n_programs, "{n_words} words of {n_programs} programs say little");
}
