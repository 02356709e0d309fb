//! Which words of a loop become counters: what each choice saves in a round, and what it costs.

use super::change::{Change, Family};
use super::exit::{Exit, Test, as_multiple_of_rounds};
use super::linear::{Forms, Linear, OPERATION};
use super::place::{Counter, Place, brought, counters};
use crate::cost;
use crate::guards::Guards;
use crate::pass::PassContext;
use cairn_analysis::Frequency;
use cairn_evm::{Cost, Word};
use cairn_ir::{Block, Function, SecondaryMap, Value, sized};
use rustc_hash::{FxHashMap, FxHashSet};

/// Gas in a round of the copies and exchanges that one more word costs.
const KEEPING_GAS: f64 = 6.0;

/// Bytes of a constant that is pushed as it is.
const MAX_SHORT_BYTES: usize = 4;

/// Gas of the complement of one more than that.
const NOT_GAS: f64 = 3.0;

/// Gas of a longer one more than that: it is made of others, or takes room on the stack.
const LONG_CONSTANT_GAS: f64 = 6.0;

/// Families that are looked at: each is priced alone.
const MAX_FAMILIES: usize = 8;

/// What is known of a function while its blocks stay.
pub(super) struct Shape {
    pub(super) frequency: Frequency,
    pub(super) guards: Guards,
}

/// One counter of a loop, and what is computed from it.
pub(super) struct Round<'a> {
    place: &'a Place,
    counter: Counter,
    frequency: &'a Frequency,
    cx: &'a PassContext<'a>,
    /// Words that are linear in the counter, but for itself, each behind what it is computed from.
    words: Vec<(Value, Block)>,
    /// The same as a set.
    linear: FxHashSet<Value>,
    families: Vec<Family>,
    /// Uses in the whole function.
    uses: &'a SecondaryMap<Value, u32>,
    /// What the ways back bring, once for each edge.
    steps: Vec<Value>,
    test: Option<Test>,
    /// What another counter is, that moves in step.
    other: Option<(Value, Linear)>,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        func: &Function,
        place: &'a Place,
        counter: Counter,
        shape: &'a Shape,
        uses: &'a SecondaryMap<Value, u32>,
        cx: &'a PassContext<'a>,
    ) -> Round<'a> {
        let Shape { frequency, guards, .. } = shape;
        let mut round = Round {
            place,
            counter,
            frequency,
            cx,
            words: Vec::new(),
            linear: FxHashSet::default(),
            families: Vec::new(),
            uses,
            steps: steps(func, place, &counter),
            test: Test::find(func, place, &counter, guards),
            other: None,
        };
        round.find_words(func);
        round.other = counters(func, place).into_iter().find_map(|other| {
            let form = as_multiple_of_rounds(func, &other)?;
            (other.param != counter.param).then_some((other.param, form))
        });
        round
    }

    /// Finds the linear words and those of them that something else uses.
    fn find_words(&mut self, func: &Function) {
        let mut is_inside: SecondaryMap<Value, bool> = sized(func.dfg.num_values());
        for block in &self.place.blocks {
            func.dfg.params(*block).iter().for_each(|param| is_inside[*param] = true);
            let results = func.layout.insts(*block).flat_map(|inst| func.dfg.results(inst));
            results.for_each(|result| is_inside[*result] = true);
        }
        let mut forms = Forms::new(&self.counter);
        for block in &self.place.blocks {
            for inst in func.layout.insts(*block) {
                forms.visit(func, inst, |value| is_inside[value]);
                if let [result] = func.dfg.results(inst)
                    && is_linear(&forms, *result)
                {
                    self.words.push((*result, *block));
                    self.linear.insert(*result);
                }
            }
        }
        if self.words.is_empty() {
            return;
        }
        let linear_uses = self.linear_uses(func, &forms);
        for (word, _) in &self.words {
            let form = forms.of(*word).expect("invariant: it is linear");
            let is_root = self.uses[*word] > linear_uses.get(word).copied().unwrap_or(0);
            let is_counter = form.factor == Word::ONE && form.terms.is_empty();
            if is_root && !is_counter && self.families.len() < MAX_FAMILIES {
                add_to_family(&mut self.families, *word, form);
            }
        }
    }

    /// How often words are used by words that are linear, too, or as the counter of the next round.
    fn linear_uses(&self, func: &Function, forms: &Forms) -> FxHashMap<Value, u32> {
        let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
        for block in &self.place.blocks {
            for inst in func.layout.insts(*block) {
                if let [result] = func.dfg.results(inst)
                    && is_linear(forms, *result)
                {
                    func.dfg.for_each_use(inst, |value| *uses.entry(value).or_default() += 1);
                }
            }
        }
        self.steps.iter().for_each(|next| *uses.entry(*next).or_default() += 1);
        uses
    }

    /// The change that saves most, with so many more words kept.
    pub(super) fn best_change(&self, func: &Function, room: u32) -> Option<Change> {
        let all: Vec<usize> = (0..self.families.len()).collect();
        let mut choices: Vec<Vec<usize>> = all.iter().map(|one| vec![*one]).collect();
        choices.push(Vec::new());
        if all.len() > 1 {
            choices.push(all);
        }
        let priced = choices.into_iter().filter_map(|choice| self.price(func, &choice, room));
        let best = priced.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        (best.0 > 0.0).then_some(best.1)
    }

    /// What it saves in one run of the function to make counters of these families.
    fn price(&self, func: &Function, choice: &[usize], room: u32) -> Option<(f64, Change)> {
        let mut families: Vec<Family> = choice.iter().map(|at| self.families[*at].clone()).collect();
        let (dead, saved, left) = self.dead_without(func, &families);
        let exit = self.exit(func, &mut families, left);
        if families.is_empty() && exit.is_none() {
            return None;
        }
        let kept = families.len() as u32 + exit.as_ref().map_or(0, |exit| exit.more_words(self.uses));
        if kept > room + u32::from(exit.is_some()) {
            return None;
        }
        let mut gas = saved.gas;
        let mut bytes = saved.bytes;
        let rounds: f64 = self.place.latches.iter().map(|latch| self.frequency.of(*latch)).sum();
        let begins = self.frequency.of(self.place.before);
        if let Some(exit) = &exit {
            gas += step_gas(self.counter.step) * rounds - exit.cost().gas as f64 * begins;
            bytes +=
                (OPERATION.bytes + cost::push_bytes(self.counter.step)) as f64 - exit.cost().bytes as f64;
        }
        for (form, words) in &families {
            let first = form.cost(func.dfg.as_const(self.counter.start));
            let step = form.factor.wrapping_mul(self.counter.step);
            gas -= step_gas(step) * rounds + first.gas as f64 * begins;
            bytes -= (OPERATION.bytes + cost::push_bytes(step) + first.bytes) as f64;
            for (word, more) in words.iter().filter(|(_, more)| !more.is_zero()) {
                gas -= OPERATION.gas as f64 * self.frequency_of(func, *word);
                bytes -= (OPERATION.bytes + cost::push_bytes(*more)) as f64;
            }
        }
        let price = gas + bytes * self.cx.options.gas_per_byte();
        Some((price, Change { families, dead, exit }))
    }

    fn frequency_of(&self, func: &Function, word: Value) -> f64 {
        let block = func.dfg.def_inst(word).and_then(|inst| func.layout.inst_block(inst));
        block.map_or(0.0, |block| self.frequency.of(block))
    }

    /// The words that nothing uses any more when these families are counters, users first; what they cost in
    /// one run of the function; and the uses of the counter that are left.
    fn dead_without(&self, func: &Function, families: &[Family]) -> (Vec<Value>, Saved, u32) {
        let replaced: FxHashSet<Value> =
            families.iter().flat_map(|(_, words)| words.iter().map(|(word, _)| *word)).collect();
        let mut gone: FxHashMap<Value, u32> = FxHashMap::default();
        let mut dead = Vec::new();
        let mut saved = Saved::default();
        for (word, block) in self.words.iter().rev() {
            let is_unused = self.uses[*word] == gone.get(word).copied().unwrap_or(0);
            if !replaced.contains(word) && !is_unused {
                continue;
            }
            let Some(inst) = func.dfg.def_inst(*word) else { continue };
            func.dfg.args(inst).iter().for_each(|arg| *gone.entry(*arg).or_default() += 1);
            let cost = cost::of_inst(func, inst, self.cx.options.fork);
            // What was computed right before lies on top and is not copied.
            let args = func.dfg.args(inst).iter();
            let on_top = args.filter(|arg| **arg != self.counter.param && self.linear.contains(*arg)).count();
            saved.gas +=
                (cost.gas.saturating_sub(Cost::DUP.gas * on_top as u64)) as f64 * self.frequency.of(*block);
            saved.bytes += cost.bytes.saturating_sub(Cost::DUP.bytes * on_top as u64) as f64;
            dead.push(*word);
        }
        let param = self.counter.param;
        (dead, saved, self.uses[param] - gone.get(&param).copied().unwrap_or(0))
    }

    /// The test at the head in terms of another counter, if that is all that the counter is left for. The
    /// family that it tests comes first.
    fn exit(&self, func: &Function, families: &mut [Family], left: u32) -> Option<Exit> {
        let test = self.test.as_ref()?;
        if self.uses[func.dfg.result(test.compared)] != 1 {
            return None;
        }
        let steps: FxHashSet<Value> = self.steps.iter().copied().collect();
        let uses: u32 = steps.iter().map(|step| self.uses[*step]).sum();
        if uses != self.steps.len() as u32 || left != steps.len() as u32 + 1 {
            return None;
        }
        if let Some(at) = families.iter().position(|(form, _)| test.can_ask(func, form)) {
            families.swap(0, at);
            return Some(test.asking(func, None, families[0].0.clone()));
        }
        let (param, form) = self.other.as_ref().filter(|(_, form)| test.can_ask(func, form))?;
        Some(test.asking(func, Some(*param), form.clone()))
    }
}

/// What the ways back bring for a counter, once for each edge.
fn steps(func: &Function, place: &Place, counter: &Counter) -> Vec<Value> {
    let index = func.dfg.params(place.head).iter().position(|param| *param == counter.param);
    let index = index.expect("invariant: a counter is a parameter of the head");
    place.latches.iter().flat_map(|latch| brought(func, *latch, place.head, index)).collect()
}

/// Gas of a counter in each round: it is added to and kept.
fn step_gas(step: Word) -> f64 {
    let is_short = |word: Word| word.byte_len() <= MAX_SHORT_BYTES;
    let constant = match is_short(step) {
        true => 0.0,
        false if is_short(!step) => NOT_GAS,
        false => LONG_CONSTANT_GAS,
    };
    OPERATION.gas as f64 + KEEPING_GAS + constant
}

/// What is saved: gas in one run of the function, and bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Saved {
    gas: f64,
    bytes: f64,
}

fn is_linear(forms: &Forms, value: Value) -> bool {
    forms.of(value).is_some_and(|form| !form.factor.is_zero())
}

fn add_to_family(families: &mut Vec<Family>, word: Value, form: &Linear) {
    let family = families.iter_mut().find(|(first, _)| first.is_parallel(form));
    match family {
        Some((first, words)) => words.push((word, form.constant.wrapping_sub(first.constant))),
        None => families.push((form.clone(), vec![(word, Word::ZERO)])),
    }
}
