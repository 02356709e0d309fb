//! The search for calls that tell two programs apart.
//!
//! Calls are random, guided by what was seen: a sequence that takes a new branch in either program, or
//! leaves storage in a new shape, is kept and continued; the operands of its comparisons are put where
//! they came from. Everything is decided by the seed; the work is bounded by calls and instructions.

use super::draft::{Draft, End, Way, goal, some_argument};
use super::helpers::through_companion;
use super::interface::Interface;
use super::novelty::Novelty;
use super::pair::{Both, Pair};
use super::random::Random;
use super::step::Step;
use super::words::{SENDERS, Words};
use super::{Finding, Signature, Tally};
use crate::environment::account;
use crate::machine::Message;
use crate::outcome::Status;
use alloy_primitives::{Address, U256};
use cairn_evm::Fork;
use std::collections::{BTreeMap, VecDeque};

/// Instructions a call may take on average, on one machine.
const WORK_A_CALL: u64 = 4_000;
/// Calls from one deployment at most.
const MAX_STEPS: usize = 24;
/// Calls in a row before another beginning is chosen.
const STRIDE: usize = 4;
/// Comparisons of a kept call that are met at once.
const MAX_GOALS: usize = 24;
/// Percentage of calls that are kept though they did nothing new.
const KEPT_BY_CHANCE: usize = 2;
/// Differences that are told apart.
const MAX_FINDINGS: usize = 32;

/// A state that can be gone on from.
#[derive(Clone)]
pub(crate) struct Item {
    /// Index of the world it began in.
    pub(crate) world: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) pair: Pair,
    pub(crate) address: Address,
}

/// A call that did something new.
struct Kept {
    /// Index of the state that it, or calls before it, began in.
    item: usize,
    draft: Draft,
    comparisons: Vec<(U256, U256)>,
}

/// What is known so far.
pub(crate) struct Search {
    random: Random,
    interface: Interface,
    words: Words,
    has_companion: bool,
    /// The first ones are the beginnings of the worlds.
    pub(crate) items: Vec<Item>,
    num_roots: usize,
    kept: Vec<Kept>,
    todo: VecDeque<(usize, Draft)>,
    novelty: Novelty,
    work: u64,
    pub(crate) tally: Tally,
    pub(crate) findings: BTreeMap<Signature, Finding>,
}

impl Search {
    pub(crate) fn new(roots: Vec<Item>, interface: Interface, words: Words, seed: u64, fork: Fork) -> Self {
        Search {
            random: Random::new(seed),
            interface,
            words,
            has_companion: fork >= Fork::Byzantium,
            num_roots: roots.len(),
            items: roots,
            kept: Vec::new(),
            todo: VecDeque::new(),
            novelty: Novelty::default(),
            work: 0,
            tally: Tally::default(),
            findings: BTreeMap::new(),
        }
    }

    /// Makes this many calls on each machine.
    pub(crate) fn run(&mut self, calls: u64) {
        let most_work = calls.saturating_mul(2 * WORK_A_CALL);
        while self.tally.calls < calls && self.work < most_work {
            let (origin, mut draft) = self.next();
            let mut item = self.items[origin].clone();
            for _ in 0..STRIDE {
                let is_over = self.tally.calls >= calls || item.steps.len() >= MAX_STEPS;
                if is_over || !self.attempt(origin, &mut item, &draft) {
                    break;
                }
                self.words.recall(&item.steps);
                draft = self.some_draft();
            }
        }
    }

    /// Where to go on, and with what.
    fn next(&mut self) -> (usize, Draft) {
        if self.random.percent(45)
            && let Some(next) = self.todo.pop_front()
        {
            return next;
        }
        let origin = self.some_item();
        self.words.recall(&self.items[origin].steps);
        if self.random.percent(50)
            && let Some((item, draft)) = self.mutated()
        {
            return (if self.random.percent(50) { item } else { origin }, draft);
        }
        (origin, self.fresh())
    }

    fn some_item(&mut self) -> usize {
        match self.random.below(4) {
            0 => self.random.below(self.num_roots),
            1 => self.items.len() - 1 - self.random.below(self.items.len().div_ceil(4)),
            _ => self.random.below(self.items.len()),
        }
    }

    fn some_draft(&mut self) -> Draft {
        let mutated = if self.random.percent(60) { self.mutated() } else { None };
        mutated.map_or_else(|| self.fresh(), |(_, draft)| draft)
    }

    /// A kept call, changed, and where it belongs.
    fn mutated(&mut self) -> Option<(usize, Draft)> {
        let place = self.random.below(self.kept.len());
        let now = self.now(self.kept.get(place)?.item);
        let kept = &self.kept[place];
        let mut draft = kept.draft.clone();
        for _ in 0..self.random.below(3) {
            match kept.comparisons.get(self.random.below(kept.comparisons.len() * 2)) {
                Some(pair) => {
                    let (from, to) = goal(*pair, &mut self.random);
                    draft.replace(from, to, now);
                }
                None => draft.mutate(&self.words, &mut self.random),
            }
        }
        let item = kept.item;
        if self.random.percent(8) {
            draft.way = self.some_way();
        }
        Some((item, draft))
    }

    fn now(&self, item: usize) -> u64 {
        self.items[item].pair.machines[0].timestamp()
    }

    /// A call made of nothing but what is known of the interface.
    fn fresh(&mut self) -> Draft {
        let random = &mut self.random;
        let known = random.pick(&self.interface.selectors).copied();
        let (selector, count) = match random.below(20) {
            0 => (None, random.below(4)),
            1 => (Some(random.next() as u32), random.below(3)),
            _ if known.is_none() => (None, random.below(6)),
            _ => {
                let usual = known.map_or(0, |selector| self.interface.arguments(selector));
                (known, if random.percent(80) { usual } else { random.below(8) })
            }
        };
        let arguments = (0..count).map(|_| some_argument(&self.words, random)).collect();
        let end = if random.percent(5) { End::Cut(1 + random.below(40)) } else { End::Whole };
        let value = if random.percent(20) { self.words.value(random) } else { U256::ZERO };
        let sender = self.words.sender(random);
        let seconds = if random.percent(12) { self.words.seconds(random) } else { 0 };
        let way = if random.percent(8) { self.some_way() } else { Way::Direct };
        Draft { selector, arguments, end, value, sender, seconds, way }
    }

    fn some_way(&mut self) -> Way {
        if !self.has_companion || self.random.percent(40) {
            return if self.has_companion { Way::Static } else { Way::Direct };
        }
        let second = match self.mutated() {
            Some((_, draft)) if self.random.percent(70) => draft.encode(),
            _ => {
                let selector = self.random.pick(&self.interface.selectors).copied().unwrap_or_default();
                let argument = self.words.any(&mut self.random).to_be_bytes::<32>();
                [&selector.to_be_bytes()[..], &argument].concat()
            }
        };
        Way::Companion(second)
    }

    /// Makes the call; false where the sequence ends.
    fn attempt(&mut self, origin: usize, item: &mut Item, draft: &Draft) -> bool {
        let step = step_of(draft, item.address);
        // A sender may have become a contract: then there is no such transaction.
        let Ok(both) = item.pair.step(&step) else { return false };
        self.work += item.pair.machines.iter().map(|machine| machine.watch().steps).sum::<u64>();
        self.tally.count(&step, &both, &item.pair);
        item.steps.push(step);
        if both.is_inconclusive() {
            return false;
        }
        if !both.discrepancies.is_empty() {
            self.found(item, draft, both);
            return false;
        }
        self.learn(origin, item, draft, &both);
        true
    }

    fn learn(&mut self, origin: usize, item: &Item, draft: &Draft, both: &Both) {
        let watches = [0, 1].map(|side: usize| item.pair.machines[side].watch());
        if let Some(selector) = draft.selector {
            self.interface.learn(selector, &watches[0].offsets);
            self.interface.learn(selector, &watches[1].offsets);
        }
        let is_new_way = self.novelty.takes_new_way(watches);
        let is_new_state = both.outcomes[0].status == Status::Success
            && self.novelty.is_new_state(&both.observations[0], item.address);
        if !is_new_way && !is_new_state && !self.random.percent(KEPT_BY_CHANCE) {
            return;
        }
        self.words.learn(&both.outcomes[0], &both.observations[0]);
        let comparisons: Vec<(U256, U256)> =
            watches.iter().flat_map(|watch| watch.comparisons.iter().copied()).collect();
        self.items.push(item.clone());
        if is_new_way || !is_new_state {
            self.plan(origin, draft, &comparisons);
            self.kept.push(Kept { item: origin, draft: draft.clone(), comparisons });
        }
    }

    /// Puts the goals of a new call on the list.
    fn plan(&mut self, origin: usize, draft: &Draft, comparisons: &[(U256, U256)]) {
        let now = self.now(origin);
        for _ in 0..MAX_GOALS.min(comparisons.len() * 3) {
            let Some(pair) = self.random.pick(comparisons).copied() else { return };
            let (from, to) = goal(pair, &mut self.random);
            let mut next = draft.clone();
            next.replace(from, to, now);
            if next != *draft {
                self.todo.push_back((origin, next));
            }
        }
    }

    fn found(&mut self, item: &Item, draft: &Draft, both: Both) {
        let kinds = both.discrepancies.iter().map(super::Discrepancy::kind).collect();
        let statuses = both.outcomes.each_ref().map(|outcome| outcome.status as u8);
        let selector = draft.selector.filter(|selector| self.interface.selectors.contains(selector));
        let signature = Signature { selector, kinds, statuses };
        if let Some(known) = self.findings.get_mut(&signature) {
            known.count += 1;
        } else if self.findings.len() < MAX_FINDINGS {
            self.findings.insert(signature, Finding::new(item.world, item.steps.clone(), both));
        }
    }
}

fn step_of(draft: &Draft, address: Address) -> Step {
    // Who has no wei sends none.
    let is_funded = (0..SENDERS).any(|index| account(index as u64) == draft.sender);
    let value = if is_funded { draft.value } else { U256::ZERO };
    let message = Message::new(draft.encode()).with_value(value).from(draft.sender);
    let step = Step { to: address, message, seconds: draft.seconds };
    match &draft.way {
        Way::Direct => step,
        Way::Static => Step { message: step.message.statically(), ..step },
        Way::Companion(second) => through_companion(step, second),
    }
}
