//! Normalizes switches.
//!
//! Establishes: no `evm.switch` but jumps through tables, each of whose edges leads to a block of its
//! own and passes nothing.
//!
//! *Cascade* is the literal form: one `evm.eq` and `evm.condbr` a case, in source order.
//!
//! *Cost* gives a decision tree. Cases are grouped by target, so that cases with the same target
//! share one test; a run of consecutive words is one range test. The range of words that can still
//! arrive is tracked: a case that cannot arrive is dropped, and the last test is left out when
//! nothing else can arrive. Where it is cheaper than a chain of tests, a set of cases is split into
//! two: by range, or into buckets by a bit that the cases differ in, or into several by a jump through a
//! table; see [`plan`]. Switches that are such jumps ([`cairn_ir::table`]) stay.
//!
//! Cost: n log n in the cases of each switch.

mod plan;

use crate::context::PassContext;
use crate::graph::count_incoming;
use crate::names::shown_block;
use crate::options::SwitchShape;
use crate::pass::{Leaves, Pass, Property};
use crate::passes::remove_unreachable::delete_unreachable;
use cairn_evm::{Opcode, Word};
use cairn_ir::cursor::Cursor;
use cairn_ir::{
    Block, BlockCall, Function, Inst, Loc, Op, Payload, SecondaryMap, SwitchData, Type, Value, table,
};
use plan::{Planner, Shape, bucket};
use std::fmt;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "normalize-switches",
    summary: "no `evm.switch` but jumps through tables",
    needs: &[Property::OneTerminator],
    gives: Property::NoSwitches,
    leaves: Leaves::DeadCode,
    run: normalize_switches,
};

/// Turns every switch into two-way branches. Cases differ.
fn normalize_switches(func: &mut Function, cx: &mut PassContext<'_>) {
    let mut is_changed = false;
    let mut tables = Vec::new();
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        let Some(inst) = func.terminator(block) else { continue };
        let Payload::Switch(id) = func.dfg.inst(inst).payload else { continue };
        if cx.options.switch_on_fork() == SwitchShape::Cost && table::entries(func, inst).is_some() {
            tables.push(inst);
            continue;
        }
        let switch = func.dfg.switch(id).clone();
        let value = func.dfg.args(inst)[0];
        let loc = func.dfg.inst(inst).loc.expand();
        func.layout.remove_inst(inst);
        let mut lowering =
            Lowering { value, loc, default: switch.default, is_default_used: false, tables: Vec::new() };
        let shape = match cx.options.switch_on_fork() {
            SwitchShape::Cascade => lowering.emit_cascade(func, block, &switch, cx),
            SwitchShape::Cost | SwitchShape::Tree => lowering.emit_tree(func, block, &switch, cx),
        };
        cx.changed(func, inst, || {
            let (count, block) = (switch.cases.len(), shown_block(func, block));
            format!("the switch of {block} with {count} cases became {shape}")
        });
        tables.extend(lowering.tables);
        is_changed = true;
    }
    if is_changed {
        // Targets that no word can select have lost their edge.
        delete_unreachable(func, cx);
    }
    if !tables.is_empty() {
        let incoming = count_incoming(func);
        tables.iter().for_each(|switch| give_own_targets(func, *switch, &incoming, cx));
    }
}

/// Puts a block on each edge of a table that passes arguments or shares its target.
fn give_own_targets(
    func: &mut Function,
    switch: Inst,
    incoming: &SecondaryMap<Block, u32>,
    cx: &mut PassContext<'_>,
) {
    let mut shared = Vec::new();
    func.dfg.for_each_target(switch, |call| {
        if incoming[call.block] > 1 || !func.dfg.call_args(call).is_empty() {
            shared.push(*call);
        }
    });
    let mut edges = Vec::with_capacity(shared.len());
    for call in shared {
        let edge = cx.append_block(func, "edge");
        let args = func.dfg.call_args(&call).to_vec();
        Cursor::at_end(func, edge).br(call.block, &args);
        edges.push(edge);
    }
    let mut edges = edges.into_iter();
    func.dfg.map_targets(switch, |target, args| match incoming[target] > 1 || !args.is_empty() {
        true => (edges.next().expect("invariant: a block for each of these edges"), Vec::new()),
        false => (target, Vec::new()),
    });
}

/// Cases with the same target.
struct Group {
    /// In ascending order.
    words: Vec<Word>,
    target: BlockCall,
}

/// One case with its place in the source.
#[derive(Clone, Copy)]
struct Case {
    word: Word,
    target: BlockCall,
    position: usize,
}

/// Cases to be told apart at the end of a block, and the words that can arrive there.
struct Task {
    block: Block,
    /// By word.
    cases: Vec<Case>,
    low: Word,
    high: Word,
}

/// What a switch became, for explanations.
enum Form {
    Cascade,
    Tree { tables: usize, chains: usize, halvings: usize, bits: usize, runs: u64 },
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Cascade => write!(f, "a cascade of comparisons, as `--switch=cascade` asks"),
            Form::Tree { tables: 0, chains: 1, halvings: 0, bits: 0, runs } => {
                write!(f, "one test after the other, the cheapest shape for {runs} runs")
            }
            Form::Tree { tables, chains, halvings, bits, runs } => write!(
                f,
                "a tree of {tables} tables, {halvings} halvings, {bits} tests of a bit and {chains} chains of \
                 tests, the cheapest shape for {runs} runs"
            ),
        }
    }
}

struct Lowering {
    value: Value,
    loc: Option<Loc>,
    default: BlockCall,
    is_default_used: bool,
    /// Switches that are jumps through tables.
    tables: Vec<Inst>,
}

impl Lowering {
    fn cursor<'f>(&self, func: &'f mut Function, block: Block) -> Cursor<'f> {
        let mut cursor = Cursor::at_end(func, block);
        cursor.set_loc(self.loc);
        cursor
    }

    fn emit_cascade(
        &mut self,
        func: &mut Function,
        mut block: Block,
        switch: &SwitchData,
        cx: &mut PassContext<'_>,
    ) -> Form {
        let n_cases = switch.cases.len();
        for (index, (word, target)) in switch.cases.iter().enumerate() {
            let mut cursor = self.cursor(func, block);
            let word = cursor.constant(*word, Type::U256);
            let is_equal = cursor.evm(Opcode::EQ, &[self.value, word], Type::Bool);
            cx.name_value(func, word, &format!("c{index}"));
            cx.name_value(func, is_equal, &format!("is{index}"));
            if index + 1 == n_cases {
                self.branch(func, block, is_equal, *target, switch.default);
                return Form::Cascade;
            }
            let test = cx.append_block(func, &format!("test{}", index + 1));
            let otherwise = func.dfg.block_call(test, &[]);
            self.branch(func, block, is_equal, *target, otherwise);
            block = test;
        }
        self.jump(func, block, switch.default);
        Form::Cascade
    }

    fn emit_tree(
        &mut self,
        func: &mut Function,
        block: Block,
        switch: &SwitchData,
        cx: &mut PassContext<'_>,
    ) -> Form {
        let high = largest_word(func.dfg.ty(self.value));
        let cases = switch.cases.iter().enumerate();
        let mut cases: Vec<Case> =
            cases.map(|(position, (word, target))| Case { word: *word, target: *target, position }).collect();
        cases.retain(|case| case.word <= high);
        cases.sort_unstable_by_key(|case| case.word);
        let planner = Planner::new(&cases, cx.options.runs, cx.options.switch_on_fork());
        let (mut tables, mut chains, mut halvings, mut bits) = (0, 0, 0, 0);
        let mut tasks = vec![Task { block, cases, low: Word::ZERO, high }];
        while let Some(task) = tasks.pop() {
            let groups = group_by_target(func, &task.cases);
            let tests = groups.iter().map(|group| (group.words.len(), runs(&group.words).count()));
            match planner.choose(&task.cases, tests) {
                Shape::Chain => {
                    chains += 1;
                    self.emit_chain(func, &task, &groups, cx);
                }
                Shape::Range => {
                    halvings += 1;
                    self.split_by_range(func, task, &mut tasks, cx);
                }
                Shape::Bit(bit) => {
                    bits += 1;
                    self.split_by_bit(func, task, bit, &mut tasks, cx);
                }
                Shape::Table { low, n_entries } => {
                    tables += 1;
                    self.split_by_table(func, task, (low, n_entries), &mut tasks, cx);
                }
            }
        }
        Form::Tree { tables, chains, halvings, bits, runs: cx.options.runs }
    }

    /// Tells the lower half of the cases from the upper half.
    fn split_by_range(
        &self,
        func: &mut Function,
        task: Task,
        tasks: &mut Vec<Task>,
        cx: &mut PassContext<'_>,
    ) {
        let Task { block, mut cases, low, high } = task;
        let upper = cases.split_off(cases.len() / 2);
        let pivot = upper[0].word;
        let mut cursor = self.cursor(func, block);
        let word = cursor.constant(pivot, Type::U256);
        let is_lower = cursor.evm(Opcode::LT, &[self.value, word], Type::Bool);
        let [below, above] = ["below", "above"].map(|role| cx.append_block(func, role));
        let [to_lower, to_upper] = [below, above].map(|block| func.dfg.block_call(block, &[]));
        self.branch(func, block, is_lower, to_lower, to_upper);
        tasks.push(Task { block: above, cases: upper, low: pivot, high });
        tasks.push(Task { block: below, cases, low, high: pivot - Word::from(1) });
    }

    /// Tells the cases with a bit from those without. The range of words stays: a bucket never
    /// fills it.
    fn split_by_bit(
        &self,
        func: &mut Function,
        task: Task,
        bit: usize,
        tasks: &mut Vec<Task>,
        cx: &mut PassContext<'_>,
    ) {
        let Task { block, cases, low, high } = task;
        let (with, without): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(|case| case.word.bit(bit));
        let mut cursor = self.cursor(func, block);
        let mask = cursor.constant(Word::from(1) << bit, Type::U256);
        let is_set = cursor.evm(Opcode::AND, &[self.value, mask], Type::U256);
        let [set, clear] = ["set", "clear"].map(|role| cx.append_block(func, role));
        let [to_set, to_clear] = [set, clear].map(|block| func.dfg.block_call(block, &[]));
        self.branch(func, block, is_set, to_set, to_clear);
        tasks.push(Task { block: clear, cases: without, low, high });
        tasks.push(Task { block: set, cases: with, low, high });
    }

    /// Tells buckets apart by neighbouring bits. The range of words stays, as with one bit.
    fn split_by_table(
        &mut self,
        func: &mut Function,
        task: Task,
        (low, n_entries): (usize, usize),
        tasks: &mut Vec<Task>,
        cx: &mut PassContext<'_>,
    ) {
        let Task { block, cases, low: least, high } = task;
        let mut buckets: Vec<Vec<Case>> = vec![Vec::new(); n_entries];
        cases.into_iter().for_each(|case| buckets[bucket(&case, low, n_entries)].push(case));
        let entry = self.emit_entry(&mut self.cursor(func, block), low, n_entries);
        let mut targets = Vec::new();
        for (index, cases) in buckets.into_iter().enumerate().filter(|(_, cases)| !cases.is_empty()) {
            let bucket = cx.append_block(func, "bucket");
            targets.push((Word::from(index * table::STRIDE), func.dfg.block_call(bucket, &[])));
            tasks.push(Task { block: bucket, cases, low: least, high });
        }
        let default = self.take_default(func, cx);
        let id = func.dfg.make_switch(SwitchData { default, cases: targets });
        let switch = self.cursor(func, block).insert(Op::Switch, &[entry], Payload::Switch(id), &[]);
        self.tables.push(switch);
    }

    /// How far the word with all positions is to be shifted.
    fn emit_entry(&self, cursor: &mut Cursor<'_>, low: usize, n_entries: usize) -> Value {
        let scale = table::STRIDE.ilog2() as usize;
        let mut word = self.value;
        if low != scale {
            let (opcode, amount) =
                if low > scale { (Opcode::SHR, low - scale) } else { (Opcode::SHL, scale - low) };
            let amount = cursor.constant(Word::from(amount), Type::U256);
            word = cursor.evm(opcode, &[amount, self.value], Type::U256);
        }
        let mask = cursor.constant(table::mask(n_entries), Type::U256);
        cursor.evm(Opcode::AND, &[word, mask], Type::U256)
    }

    /// Tests one group after the other, in source order.
    fn emit_chain(&mut self, func: &mut Function, task: &Task, groups: &[Group], cx: &mut PassContext<'_>) {
        let is_exhaustive = task.high - task.low == Word::from(task.cases.len()).wrapping_sub(Word::from(1))
            && !task.cases.is_empty();
        let mut block = task.block;
        for (index, group) in groups.iter().enumerate() {
            let is_last = index + 1 == groups.len();
            if is_last && is_exhaustive {
                self.jump(func, block, group.target);
                return;
            }
            let (condition, is_inverted) = self.emit_test(func, block, &group.words);
            let (otherwise, next) = if is_last {
                (self.take_default(func, cx), block)
            } else if index + 2 == groups.len() && is_exhaustive {
                (groups[index + 1].target, block)
            } else {
                let next = cx.append_block(func, "test");
                (func.dfg.block_call(next, &[]), next)
            };
            match is_inverted {
                false => self.branch(func, block, condition, group.target, otherwise),
                true => self.branch(func, block, condition, otherwise, group.target),
            }
            if next == block {
                return;
            }
            block = next;
        }
        let default = self.take_default(func, cx);
        self.jump(func, block, default);
    }

    /// A value that tells whether the switched value is one of `words`, or, with `true`, whether it
    /// is none of them.
    fn emit_test(&self, func: &mut Function, block: Block, words: &[Word]) -> (Value, bool) {
        if words == [Word::ZERO] {
            return (self.value, true);
        }
        let mut cursor = self.cursor(func, block);
        let mut condition = None;
        for run in runs(words) {
            let test = self.emit_range_test(&mut cursor, run);
            condition = Some(match condition {
                Some(others) => cursor.evm(Opcode::OR, &[others, test], Type::U256),
                None => test,
            });
        }
        (condition.expect("invariant: a group has a word"), false)
    }

    fn emit_range_test(&self, cursor: &mut Cursor<'_>, run: &[Word]) -> Value {
        let first = run[0];
        if run.len() == 1 && first.is_zero() {
            return cursor.evm(Opcode::ISZERO, &[self.value], Type::Bool);
        }
        if run.len() == 1 {
            let word = cursor.constant(first, Type::U256);
            return cursor.evm(Opcode::EQ, &[self.value, word], Type::Bool);
        }
        let mut distance = self.value;
        if !first.is_zero() {
            let word = cursor.constant(first, Type::U256);
            distance = cursor.evm(Opcode::SUB, &[self.value, word], Type::U256);
        }
        let length = cursor.constant(Word::from(run.len()), Type::U256);
        cursor.evm(Opcode::LT, &[distance, length], Type::Bool)
    }

    /// The default target. From the second use on its arguments are copied, because lists of
    /// arguments are not shared.
    fn take_default(&mut self, func: &mut Function, cx: &mut PassContext<'_>) -> BlockCall {
        if !std::mem::replace(&mut self.is_default_used, true) {
            let args = func.dfg.call_args(&self.default).to_vec();
            if args.is_empty() {
                return self.default;
            }
            let shared = cx.append_block(func, "default");
            self.cursor(func, shared).br(self.default.block, &args);
            self.default = func.dfg.block_call(shared, &[]);
        }
        self.default
    }

    fn branch(
        &self,
        func: &mut Function,
        block: Block,
        condition: Value,
        then: BlockCall,
        otherwise: BlockCall,
    ) {
        let payload = Payload::Branch([then, otherwise]);
        self.cursor(func, block).insert(Op::CondBr, &[condition], payload, &[]);
    }

    fn jump(&self, func: &mut Function, block: Block, target: BlockCall) {
        self.cursor(func, block).insert(Op::Br, &[], Payload::Jump(target), &[]);
    }
}

/// Consecutive words.
fn runs(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    words.chunk_by(|a, b| a.checked_add(Word::from(1)) == Some(*b))
}

/// The largest word that a value of this type can be.
fn largest_word(ty: Type) -> Word {
    match ty.bits() {
        Some(bits) if bits < 256 => (Word::from(1) << usize::from(bits)) - Word::from(1),
        Some(_) | None => Word::MAX,
    }
}

/// Cases with the same target and arguments together, in the source order of their first case.
fn group_by_target(func: &Function, cases: &[Case]) -> Vec<Group> {
    let args = |case: &Case| func.dfg.call_args(&case.target);
    let mut sorted = cases.to_vec();
    sorted.sort_by(|a, b| (a.target.block, args(a), a.word).cmp(&(b.target.block, args(b), b.word)));
    let same = |a: &Case, b: &Case| a.target.block == b.target.block && args(a) == args(b);
    let mut groups: Vec<(usize, Group)> = Vec::new();
    for chunk in sorted.chunk_by(same) {
        let position = chunk.iter().map(|case| case.position).min().expect("invariant: chunks have elements");
        let words = chunk.iter().map(|case| case.word).collect();
        groups.push((position, Group { words, target: chunk[0].target }));
    }
    groups.sort_unstable_by_key(|(position, _)| *position);
    groups.into_iter().map(|(_, group)| group).collect()
}
