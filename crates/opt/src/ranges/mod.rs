//! Bounds of the words of a whole module: through block parameters, arguments and results of calls,
//! and loops.
//!
//! A value's range has every word that the value ever is: of a block parameter, what any way into
//! the block brings; of a function's parameter, what any call passes; of a call's result, what any
//! return gives back. Functions that are not called from the entry have no ranges.
//!
//! Definitions: a *plain* word is computed from nothing but constants; every other word depends on
//! what the program is given, finds in memory, or on where its memory lies. Ranges tell of both. In a
//! module marked `[unguarded]` a word that does not depend on what was found in memory is plain, too.
//! A word is *grown* when it is at most 2^62 plus 2^27 for each instruction that has run, or was
//! checked to be below 2^64: a sum of a grown word and one below 2^27 is grown. Fewer than 2^35
//! instructions run before gas ends (A16), so that no sum of grown words and small ones wraps,
//! however often a loop adds.
//!
//! Ranges start as empty and grow until nothing changes; those that keep growing are widened. A
//! module that takes too long has none. Cost: linear, each function is visited a bounded number of
//! times, and where it is visited again only what follows from changed words is computed anew.

mod words;

pub(crate) use words::{LIMIT_BITS, Range, STEP_BITS, Words};

use crate::guards::{Bound, Guards};
use crate::linked::facts_of_linked;
use crate::pointer_word;
use crate::rules::{Facts, transfer};
use crate::type_facts::facts_of_type;
use cairn_analysis::{CallGraph, Cfg, callgraph};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, EntityRef, Func, Inst, MemoryModel, Module, Op, SecondaryMap, Type, Value};
use smallvec::SmallVec;
use std::borrow::Cow;

/// Changes of a parameter or result until it is widened.
const CHANGES: u8 = 3;

/// Visits of functions, for each function of the module.
const VISITS: usize = 32;

/// What the analysis of a function starts from.
struct Shape {
    cfg: Cfg,
    guards: Guards,
}

/// Control flow and checks of a module's functions.
pub(crate) struct Shapes(Vec<Shape>);

impl Shapes {
    pub(crate) fn compute(module: &Module) -> Shapes {
        let shapes = module.funcs.values().map(|func| {
            let cfg = Cfg::compute(func);
            Shape { guards: Guards::compute(func, &cfg), cfg }
        });
        Shapes(shapes.collect())
    }

    pub(crate) fn cfg(&self, func: Func) -> &Cfg {
        &self.0[func.index()].cfg
    }
}

type OfFunction = SecondaryMap<Value, Option<Range>>;

/// See the head of this module.
pub(crate) struct Ranges<'a> {
    module: &'a Module,
    shapes: &'a Shapes,
    /// What loads of the pointer to free memory are taken to find.
    pointer: Words,
    found: SecondaryMap<Func, OfFunction>,
    /// Results of functions.
    given: SecondaryMap<Func, Vec<Option<Range>>>,
    changes: SecondaryMap<Func, SecondaryMap<Value, u8>>,
    given_changes: SecondaryMap<Func, Vec<u8>>,
    is_called: SecondaryMap<Func, bool>,
    is_waiting: SecondaryMap<Func, bool>,
    /// Visits of functions so far.
    clock: u32,
    /// The visit in which a function was looked at before this one.
    visited: SecondaryMap<Func, u32>,
    /// The visit in which a value's range changed last.
    changed: SecondaryMap<Func, SecondaryMap<Value, u32>>,
}

impl<'a> Ranges<'a> {
    /// Ranges of all that the entry leads to, if each load of the pointer to free memory finds
    /// `pointer`; `None` if there is no entry or it takes too long.
    pub(crate) fn compute(
        module: &'a Module,
        graph: &CallGraph,
        shapes: &'a Shapes,
        pointer: Words,
    ) -> Option<Ranges<'a>> {
        let mut ranges = Ranges {
            module,
            shapes,
            pointer,
            found: SecondaryMap::new(),
            given: SecondaryMap::new(),
            changes: SecondaryMap::new(),
            given_changes: SecondaryMap::new(),
            is_called: SecondaryMap::new(),
            is_waiting: SecondaryMap::new(),
            clock: 0,
            visited: SecondaryMap::new(),
            changed: SecondaryMap::new(),
        };
        let entry = module.entry?;
        (ranges.is_called[entry], ranges.is_waiting[entry]) = (true, true);
        let callers_first: Vec<Func> = graph.bottom_up().rev().collect();
        let mut visits = VISITS * (module.funcs.len() + 1);
        while callers_first.iter().any(|func| ranges.is_waiting[*func]) {
            for func in callers_first.iter().chain(callers_first.iter().rev()) {
                if std::mem::replace(&mut ranges.is_waiting[*func], false) {
                    ranges.visit_function(*func, graph, &mut visits)?;
                }
            }
        }
        Some(ranges)
    }

    /// True for functions that the entry leads to.
    pub(crate) fn is_called(&self, func: Func) -> bool {
        self.is_called[func]
    }

    /// What a value is in a block that is only entered when checks went well; `None` where it is
    /// never computed.
    pub(crate) fn at(&self, func: Func, block: Block, value: Value) -> Option<Cow<'_, Range>> {
        let known = self.found[func][value].as_ref()?;
        let mut bounds = self.shapes.0[func.index()].guards.of(value, block).peekable();
        Some(match bounds.peek() {
            Some(_) => Cow::Owned(self.bounded(func, *known, bounds)),
            None => Cow::Borrowed(known),
        })
    }

    /// What is left of a range under the bounds that checks give.
    fn bounded(&self, func: Func, mut range: Range, bounds: impl Iterator<Item = Bound>) -> Range {
        let found = &self.found[func];
        for bound in bounds {
            let (other, is_strict) = match bound {
                Bound::AtLeast(other) | Bound::AtMost(other) => (found[other], false),
                Bound::Below(other) => (found[other], true),
                Bound::AtMostWord(word) => {
                    range = range.checked(Words::between(Word::ZERO, word));
                    continue;
                }
            };
            let Some(Words { facts, is_grown }) = other.map(|other| other.all) else {
                continue;
            };
            range = match bound {
                Bound::AtLeast(_) => range.met(Words::between(facts.lo(), Word::MAX)),
                _ => {
                    let most = facts.hi().saturating_sub(Word::from(u8::from(is_strict)));
                    range.checked(Words { facts: Facts::between(Word::ZERO, most), is_grown })
                }
            };
        }
        range
    }

    /// Visits the blocks of a function in reverse postorder, again while an edge back changed something.
    fn visit_function(&mut self, id: Func, graph: &CallGraph, visits: &mut usize) -> Option<()> {
        let (func, shapes) = (&self.module.funcs[id], self.shapes);
        // Ranges are large: a table that grows value by value is copied over and over.
        self.found[id].resize(func.dfg.num_values());
        self.changed[id].resize(func.dfg.num_values());
        let mut is_new = true;
        while std::mem::replace(&mut is_new, false) {
            *visits = visits.checked_sub(1)?;
            self.clock += 1;
            for block in shapes.cfg(id).rpo() {
                for inst in func.layout.insts(*block) {
                    is_new |= self.visit_inst(id, *block, inst, graph);
                }
            }
            self.visited[id] = self.clock;
        }
        Some(())
    }

    /// True if what is known of a value may be more than when the function was visited last. What changed
    /// in that visit may have changed behind its uses.
    fn is_stale(&self, id: Func, value: Value) -> bool {
        let (visited, changed) = (self.visited[id], &self.changed[id]);
        let others = || self.shapes.0[id.index()].guards.compared_with(value);
        changed[value] >= visited || others().any(|other| changed[other] >= visited)
    }

    fn set(&mut self, id: Func, value: Value, range: Option<Range>) {
        let known = &mut self.found[id][value];
        if *known != range {
            *known = range;
            self.changed[id][value] = self.clock;
        }
    }

    /// True if something changed that was visited before.
    fn visit_inst(&mut self, id: Func, block: Block, inst: Inst, graph: &CallGraph) -> bool {
        let func = &self.module.funcs[id];
        if let Some(callee) = callgraph::callee(func, inst) {
            self.visit_call(id, block, inst, callee);
            for (index, result) in func.dfg.results(inst).iter().enumerate() {
                let given = self.given[callee].get(index).copied().flatten();
                self.set(id, *result, given);
            }
            return false;
        }
        match func.dfg.op(inst) {
            Op::Iret => {
                self.visit_return(id, block, inst, graph);
                return false;
            }
            op if op.is_terminator() => return self.visit_edges(id, block, inst),
            _ => {}
        }
        let [result] = func.dfg.results(inst) else {
            return false;
        };
        if self.visited[id] == 0 || func.dfg.args(inst).iter().any(|arg| self.is_stale(id, *arg)) {
            let range = self.of_inst(id, block, inst);
            self.set(id, *result, range);
        }
        false
    }

    /// The result of an instruction; `None` if it is never computed.
    fn of_inst(&self, id: Func, block: Block, inst: Inst) -> Option<Range> {
        let func = &self.module.funcs[id];
        let args = func.dfg.args(inst);
        let arg = |index: usize| self.at(id, block, args[index]);
        let of_type = facts_of_type(func.dfg.ty(func.dfg.result(inst)));
        let anything = || self.told(Words::new(of_type));
        if args.iter().any(|arg| self.found[id][*arg].is_none()) {
            return None;
        }
        let (op, payload) = (func.dfg.op(inst), func.dfg.inst(inst).payload);
        if let Some(facts) = facts_of_linked(op, payload, self.module.reserved) {
            let words = Words::new(facts);
            // Where memory of the program lies is no plain word.
            let is_address = matches!(op, Op::HeapBase | Op::Alloca);
            return Some(if is_address { Range::computed(words) } else { Range::plain(words) });
        }
        Some(match (op, payload) {
            (Op::Constant, _) => match func.dfg.inst_const(inst) {
                Some(word) => Range::plain(Words::new(Facts::exactly(word))),
                None => anything(),
            },
            (Op::PtrToInt | Op::IntToPtr | Op::Zext, _) => arg(0)?.into_owned(),
            (Op::Trunc, _) => match arg(0)? {
                whole if whole.all.facts.hi() <= of_type.hi() => whole.into_owned(),
                whole => {
                    let mask = Range::plain(Words::new(Facts::exactly(of_type.hi())));
                    Range::transfer(Opcode::AND, &[&whole, &mask])
                }
            },
            (Op::Select, _) => arg(1)?.join(&*arg(2)?).chosen_by(&*arg(0)?),
            (Op::PtrAdd, _) => Range::transfer(Opcode::ADD, &[&*arg(0)?, &*arg(1)?]),
            (Op::Evm(_), _) if pointer_word::is_loaded(func, inst) => Range::computed(self.pointer),
            (Op::Evm(opcode), _) if opcode.is_arithmetic() => match args.len() {
                1 => Range::transfer(opcode, &[&*arg(0)?]),
                2 => Range::transfer(opcode, &[&*arg(0)?, &*arg(1)?]),
                _ => Range::transfer(opcode, &[&*arg(0)?, &*arg(1)?, &*arg(2)?]),
            },
            // Data comes from memory or is paid for by the byte: 2^35 gas buy no more steps of its size.
            (
                Op::Evm(
                    Opcode::CALLDATASIZE | Opcode::RETURNDATASIZE | Opcode::CODESIZE | Opcode::EXTCODESIZE,
                ),
                _,
            ) => self.told(Words::new(Facts::low_bits(STEP_BITS))),
            (Op::Evm(opcode), _) => {
                // What is not computed from its operands alone is bounded by the protocol, if at all.
                let bound = if args.is_empty() { transfer(opcode, &[]) } else { Facts::ANY };
                let words = Words::new(bound).met(Words::bound(of_type));
                if opcode == Opcode::MLOAD { Range::computed(words) } else { self.told(words) }
            }
            _ => anything(),
        })
    }

    /// A word that was not found in memory.
    fn told(&self, words: Words) -> Range {
        match self.module.memory {
            MemoryModel::Unguarded => Range::plain(words),
            MemoryModel::Frames | MemoryModel::NoFrame => Range::computed(words),
        }
    }

    /// Joins what the edges of a terminator bring. True if an edge back brings something new.
    fn visit_edges(&mut self, id: Func, block: Block, inst: Inst) -> bool {
        let (func, shapes) = (&self.module.funcs[id], self.shapes);
        let mut passed: SmallVec<[(Block, Value, Value); 4]> = SmallVec::new();
        func.dfg.for_each_target(inst, |call| {
            let params = func.dfg.params(call.block).iter().copied();
            let args = func.dfg.call_args(call).iter().copied();
            passed.extend(params.zip(args).map(|(param, arg)| (call.block, param, arg)));
        });
        let mut is_new = false;
        for (target, param, arg) in passed {
            if !self.is_stale(id, arg) {
                continue;
            }
            let Some(range) = self.at(id, block, arg).map(Cow::into_owned) else {
                continue;
            };
            is_new |= self.join_param(id, param, range) && shapes.cfg(id).is_retreating(block, target);
        }
        is_new
    }

    fn visit_call(&mut self, id: Func, block: Block, inst: Inst, callee: Func) {
        let (func, called) = (&self.module.funcs[id], &self.module.funcs[callee]);
        let mut is_new = !std::mem::replace(&mut self.is_called[callee], true);
        for (param, arg) in called.dfg.params(called.layout.entry()).iter().zip(func.dfg.args(inst)) {
            if !self.is_stale(id, *arg) {
                continue;
            }
            let range = self.at(id, block, *arg).map(Cow::into_owned);
            is_new |= range.is_some_and(|range| self.join_param(callee, *param, range));
        }
        self.is_waiting[callee] |= is_new;
    }

    fn visit_return(&mut self, id: Func, block: Block, inst: Inst, graph: &CallGraph) {
        let args = self.module.funcs[id].dfg.args(inst);
        let mut is_new = false;
        self.given[id].resize(args.len(), None);
        self.given_changes[id].resize(args.len(), 0);
        for (index, arg) in args.iter().enumerate() {
            if !self.is_stale(id, *arg) {
                continue;
            }
            let Some(range) = self.at(id, block, *arg).map(Cow::into_owned) else {
                continue;
            };
            let (given, changes) = (&mut self.given[id][index], &mut self.given_changes[id][index]);
            is_new |= join_into(given, changes, range, self.pointer.facts.lo());
        }
        if is_new {
            for caller in graph.callers(id) {
                self.is_waiting[*caller] |= self.is_called[*caller];
            }
        }
    }

    fn join_param(&mut self, id: Func, param: Value, range: Range) -> bool {
        let range = match self.module.funcs[id].dfg.ty(param) {
            Type::Ptr(..) => range,
            ty => range.met(Words::bound(facts_of_type(ty))),
        };
        let (known, changes) = (&mut self.found[id][param], &mut self.changes[id][param]);
        let is_new = join_into(known, changes, range, self.pointer.facts.lo());
        if is_new {
            self.changed[id][param] = self.clock;
        }
        is_new
    }
}

/// Adds to what is known; true if that was not known before.
fn join_into(known: &mut Option<Range>, changes: &mut u8, range: Range, least: Word) -> bool {
    let Some(old) = *known else {
        *known = Some(range);
        return true;
    };
    let joined = old.join(&range);
    if joined == old {
        return false;
    }
    *known = Some(if *changes < CHANGES { joined } else { old.widened(joined, least) });
    *changes = changes.saturating_add(1);
    *known != Some(old)
}
