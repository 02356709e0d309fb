//! Two programs side by side: do they do the same, and what does it cost?
//!
//! [`compare`] deploys both and makes the same transactions on each: those given, and random ones that
//! are guided by what the programs do. What anybody could see is compared after every transaction:
//! status, output, events, storage and balances. Gas is not, and neither is what depends on it: the
//! random calls are made where gas has no price, `GAS` says the same everywhere, and addresses of
//! created contracts don't depend on their code. The costs are measured afterwards, on a chain as it is.
//!
//! A report of no findings says what was compared; [`Comparison::verdict`] tells nothing compared from
//! the same. The same plan gives the same report.

mod discrepancy;
mod draft;
mod helpers;
mod interface;
mod novelty;
mod pair;
mod random;
mod search;
mod shrink;
mod step;
mod words;

pub use discrepancy::{Discrepancy, discrepancies};
pub use helpers::{COMPANION, REFUSER, companion_calls};
pub use pair::{CODE_ADDRESS, World};
pub use step::Step;

use crate::environment::{Environment, account};
use crate::machine::{Message, Rejected};
use crate::outcome::{Outcome, Status};
use alloy_primitives::{Address, Bytes, U256};
use discrepancy::news;
use interface::Interface;
use pair::{Both, Facts, Pair};
use random::Random;
use search::{Item, Search};
use shrink::Replay;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use words::Words;

/// Random calls where the user says nothing of them.
pub const DEFAULT_CALLS: u64 = 30_000;
/// Deployments with random arguments, besides the plain one.
const RANDOM_DEPLOYMENTS: usize = 3;
/// Sequences whose gas is measured, for each function.
const MEASURED: usize = 4;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Fork, block, gas limit of given calls.
    pub environment: Environment,
    /// The programs are runtime code: nothing is deployed.
    pub is_runtime: bool,
    /// What follows the creation code. Without it, random arguments are tried, too.
    pub constructor_args: Option<Bytes>,
    /// Calls to make one after the other, on the first deployment.
    pub calls: Vec<Message>,
    /// How many random calls to make.
    pub random_calls: u64,
    /// What they depend on.
    pub seed: u64,
}

/// A way to tell the programs apart.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Index of the deployment.
    pub world: usize,
    /// The transactions after it; the last shows the difference. None: the deployment does.
    pub steps: Vec<Step>,
    /// What the last did.
    pub outcomes: [Outcome; 2],
    /// What differs.
    pub discrepancies: Vec<Discrepancy>,
    /// How many random calls showed the like.
    pub count: u64,
}

impl Finding {
    fn new(world: usize, steps: Vec<Step>, both: Both) -> Self {
        Finding { world, steps, outcomes: both.outcomes, discrepancies: both.discrepancies, count: 1 }
    }

    /// What differs, in words, each once.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&'static str> = self.discrepancies.iter().map(Discrepancy::kind).collect();
        kinds.dedup();
        kinds
    }
}

/// Findings with the same signature are the like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Signature {
    selector: Option<u32>,
    kinds: std::collections::BTreeSet<&'static str>,
    statuses: [u8; 2],
}

/// How many calls there were, and how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them, given and random.
    pub calls: u64,
    /// Successful in the first program.
    pub succeeded: u64,
    /// Reverted in the first program.
    pub reverted: u64,
    /// Halted in the first program.
    pub halted: u64,
    /// Ran out of gas in a program, so that nothing can be said.
    pub inconclusive: u64,
    /// In which a program ran more than one instruction.
    pub meaningful: u64,
}

impl Tally {
    fn count(&mut self, step: &Step, both: &Both, pair: &Pair) {
        self.calls += 1;
        if both.is_inconclusive() {
            self.inconclusive += 1;
            return;
        }
        match both.outcomes[0].status {
            Status::Success => self.succeeded += 1,
            Status::Revert => self.reverted += 1,
            Status::Halt => self.halted += 1,
        }
        let is_meaningful = pair.machines.iter().any(|machine| machine.watch().steps > 1);
        // The companion runs code of its own.
        self.meaningful += u64::from(is_meaningful && step.to != COMPANION);
    }
}

/// A deployment that was tried.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// How.
    pub world: World,
    /// What it did; `None` for runtime code.
    pub outcomes: Option<[Outcome; 2]>,
    /// Sizes of the code that is called, where both programs deploy.
    pub sizes: Option<[usize; 2]>,
}

/// The cost of some successful calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Index of the call among those given; `None` for random ones.
    pub given: Option<usize>,
    /// First four bytes of the calldata.
    pub selector: Option<u32>,
    /// How many calls.
    pub calls: u64,
    /// Execution gas of each program.
    pub gas: [u64; 2],
}

/// What [`compare`] found.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Deployments; the first is that of the given calls.
    pub deployments: Vec<Deployment>,
    /// Ways to tell the programs apart.
    pub findings: Vec<Finding>,
    /// How the calls ended.
    pub tally: Tally,
    /// Number of selectors that were found in the codes.
    pub functions: usize,
    /// Gas of deployments (on the first that succeeds) and calls.
    pub deploy_gas: Option<[u64; 2]>,
    /// Gas of calls.
    pub costs: Vec<Cost>,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No call told them apart.
    Same,
    /// There are findings.
    Different,
    /// Neither can be deployed.
    NoDeployment,
    /// There was no call that ran anything.
    NoCall,
}

impl Comparison {
    /// What all of it says.
    pub fn verdict(&self) -> Verdict {
        let is_deployed = self.deployments.iter().any(|deployment| deployment.sizes.is_some());
        match (self.findings.is_empty(), is_deployed, self.tally.meaningful) {
            (false, ..) => Verdict::Different,
            (true, false, _) => Verdict::NoDeployment,
            (true, true, 0) => Verdict::NoCall,
            (true, true, _) => Verdict::Same,
        }
    }
}

/// Compares two programs.
///
/// # Errors
/// A given transaction can't be executed at all: its sender is a contract, or the gas limit is too low.
pub fn compare(codes: [&[u8]; 2], plan: &Plan) -> Result<Comparison, Rejected> {
    let mut comparison = Comparison {
        deployments: Vec::new(),
        findings: Vec::new(),
        tally: Tally::default(),
        functions: 0,
        deploy_gas: None,
        costs: Vec::new(),
    };
    let roots = deploy_all(codes, plan, &mut comparison)?;
    let Some(first) = roots.first() else { return Ok(comparison) };
    make_given_calls(codes, plan, first, &mut comparison)?;
    if plan.random_calls > 0 {
        search(codes, plan, roots, &mut comparison);
    }
    Ok(comparison)
}

/// Runs each deployment; gives the states to go on from.
fn deploy_all(codes: [&[u8]; 2], plan: &Plan, comparison: &mut Comparison) -> Result<Vec<Item>, Rejected> {
    let mut roots = Vec::new();
    for (index, world) in worlds(codes, plan).into_iter().enumerate() {
        let mut pair = Pair::new(&plan.environment, Facts::Neutral);
        let (address, both) = pair.start(codes, &world)?;
        let sizes = address.map(|address| pair.codes(address).map(|code| code.len()));
        let outcomes = both.as_ref().map(|both| both.outcomes.clone());
        comparison.deployments.push(Deployment { world, outcomes, sizes });
        let differs =
            both.as_ref().is_some_and(|both| !both.is_inconclusive() && !both.discrepancies.is_empty());
        match (differs, both, address) {
            (true, Some(both), _) => comparison.findings.push(Finding::new(index, Vec::new(), both)),
            (_, _, Some(address)) => {
                pair.limit();
                roots.push(Item { world: index, steps: Vec::new(), pair, address });
            }
            _ => {}
        }
    }
    comparison.deploy_gas = match roots.first().map(|root| &comparison.deployments[root.world].world) {
        Some(world @ World::Deployed(_)) => {
            let started = Pair::new(&plan.environment, Facts::Real).start(codes, world)?;
            started.1.map(|both| both.outcomes.map(|outcome| outcome.gas.execution))
        }
        _ => None,
    };
    Ok(roots)
}

/// The deployments to try: what was asked for, then some more.
fn worlds(codes: [&[u8]; 2], plan: &Plan) -> Vec<World> {
    if plan.is_runtime {
        return vec![World::Runtime];
    }
    let plain = Message::new(plan.constructor_args.clone().unwrap_or_default());
    let mut worlds = vec![World::Deployed(plain.clone())];
    if plan.random_calls == 0 {
        return worlds;
    }
    if plan.constructor_args.is_none() {
        let mut random = Random::new(plan.seed);
        let words = Words::new(codes, Address::ZERO);
        let sender = U256::from_be_bytes(account(0).into_word().0);
        let wealth = U256::from(10_u64).pow(U256::from(21));
        for first in [wealth, sender].into_iter().chain((2..RANDOM_DEPLOYMENTS).map(|_| U256::from(7))) {
            let more = (0..3).map(|_| words.any(&mut random));
            let data: Vec<u8> =
                std::iter::once(first).chain(more).flat_map(|word| word.to_be_bytes::<32>()).collect();
            worlds.push(World::Deployed(Message::new(data)));
        }
    }
    worlds.push(World::Deployed(plain.with_value(U256::from(1000))));
    worlds
}

fn make_given_calls(
    codes: [&[u8]; 2],
    plan: &Plan,
    first: &Item,
    comparison: &mut Comparison,
) -> Result<(), Rejected> {
    let mut pair = first.pair.clone();
    pair.lift_limit(&plan.environment);
    let mut steps = Vec::new();
    let mut before = Vec::new();
    for call in &plan.calls {
        let step = Step { to: first.address, message: call.clone(), seconds: 0 };
        let both = pair.step(&step)?;
        comparison.tally.count(&step, &both, &pair);
        steps.push(step);
        let news = news(both.discrepancies.clone(), &before);
        if !news.is_empty() && !both.is_inconclusive() {
            let finding = Finding::new(first.world, steps.clone(), both.clone());
            comparison.findings.push(Finding { discrepancies: news, ..finding });
        }
        before = both.discrepancies;
    }
    let costs = measure(codes, plan, &comparison.deployments[first.world].world, &steps)?;
    let costs = costs.into_iter().enumerate();
    comparison.costs.extend(costs.map(|(index, cost)| Cost { given: Some(index), ..cost }));
    Ok(())
}

fn search(codes: [&[u8]; 2], plan: &Plan, roots: Vec<Item>, comparison: &mut Comparison) {
    let Some(first) = roots.first() else { return };
    let address = first.address;
    let fork = plan.environment.fork;
    let runtime = first.pair.codes(first.address);
    let runtime = runtime.each_ref().map(|code| &code[..]);
    let interface = Interface::new(runtime, fork);
    comparison.functions = interface.selectors.len();
    let words = Words::new(runtime, first.address);
    let mut search = Search::new(roots, interface, words, plan.seed, fork);
    search.run(plan.random_calls);
    comparison.tally.add(search.tally);
    let replay = Replay { environment: &plan.environment, codes };
    let mut shrunk: BTreeMap<_, Finding> = BTreeMap::new();
    for (signature, mut finding) in std::mem::take(&mut search.findings) {
        replay.shrink(&comparison.deployments[finding.world].world, address, &mut finding);
        let first = finding.steps.iter().any(|step| step.to == COMPANION);
        match shrunk.entry((first, signature.selector, finding.kinds(), signature.statuses)) {
            Entry::Occupied(mut known) => known.get_mut().count += finding.count,
            Entry::Vacant(place) => drop(place.insert(finding)),
        }
    }
    comparison.findings.extend(shrunk.into_values());
    let costs = measure_functions(codes, plan, &search.items, &comparison.deployments);
    comparison.costs.extend(costs);
}

/// Gas of each step on a chain as it is.
fn measure(codes: [&[u8]; 2], plan: &Plan, world: &World, steps: &[Step]) -> Result<Vec<Cost>, Rejected> {
    let mut pair = Pair::new(&plan.environment, Facts::Real);
    pair.start(codes, world)?;
    let cost = |step: &Step| {
        let both = pair.step(step)?;
        let is_success = both.outcomes.iter().all(|outcome| outcome.status == Status::Success);
        Ok(Cost {
            given: None,
            selector: selector_of(&step.message.data),
            calls: u64::from(is_success),
            gas: both.outcomes.map(|outcome| outcome.gas.execution),
        })
    };
    steps.iter().map(cost).collect()
}

/// Gas of successful calls that ended kept sequences, by function.
fn measure_functions(
    codes: [&[u8]; 2],
    plan: &Plan,
    items: &[Item],
    deployments: &[Deployment],
) -> Vec<Cost> {
    let mut by_selector: BTreeMap<Option<u32>, Vec<Cost>> = BTreeMap::new();
    for item in items {
        let Some(step) = item.steps.last().filter(|step| step.to == item.address) else { continue };
        let costs = by_selector.entry(selector_of(&step.message.data)).or_default();
        if costs.len() >= MEASURED {
            continue;
        }
        let measured = measure(codes, plan, &deployments[item.world].world, &item.steps);
        costs.extend(measured.ok().and_then(|mut costs| costs.pop()).filter(|cost| cost.calls > 0));
    }
    let sums = by_selector.into_iter().map(|(selector, costs)| Cost {
        given: None,
        selector,
        calls: costs.len() as u64,
        gas: [0, 1].map(|side: usize| costs.iter().map(|cost| cost.gas[side]).sum()),
    });
    sums.filter(|cost| cost.calls > 0).collect()
}

/// First four bytes of calldata.
pub fn selector_of(data: &[u8]) -> Option<u32> {
    data.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.calls += other.calls;
        self.succeeded += other.succeeded;
        self.reverted += other.reverted;
        self.halted += other.halted;
        self.inconclusive += other.inconclusive;
        self.meaningful += other.meaningful;
    }
}
