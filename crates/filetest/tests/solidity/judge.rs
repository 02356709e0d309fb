//! A program as solc compiles it and as Cairn does, side by side.
//!
//! * For one program in three solc's code by way of IR is the reference: it is made of the Yul that Cairn is
//!   given. solc takes most of the time for it, so `-O0` is the reference for the others.
//! * Nothing has a price but loops and memory, and `create2` does not look at code, so that nothing of what
//!   happens depends on how a program is compiled.
//! * A call of the reference that runs out of gas has no meaning, nor have those behind it.

use crate::calls::{Call, calls};
use crate::front::{Compiled, Contract, Front, Reference};
use crate::generator::Program;
use cairn_driver::{Level, Options};
use cairn_evm::Fork;
use cairn_exec::{
    Address, CreatedAt, Environment, Machine, Message, Observation, Prices, Status, U256, account,
    find_difference,
};
use cairn_filetest::build::{Built, Refusal, compile, is_lack_of_room};
use std::panic::{AssertUnwindSafe, catch_unwind};

const GAS_LIMIT: u64 = 10_000_000;
/// Who deploys the library, as a first transaction.
const LIBRARIAN: u64 = 9;
/// Every so many programs the IR is verified after each pass, too.
const VERIFIED: u64 = 16;

/// What happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) programs: u64,
    /// Programs that solc rejects.
    pub(crate) rejected: u64,
    /// What solc says of them.
    pub(crate) reasons: Vec<String>,
    /// Programs whose constructor succeeded.
    pub(crate) deployed: u64,
    /// Calls compared between two builds.
    pub(crate) compared: u64,
    /// Calls of the reference, by how they ended.
    pub(crate) success: u64,
    pub(crate) revert: u64,
    pub(crate) halt: u64,
    /// Programs of which a call ran out of gas.
    pub(crate) endless: u64,
    /// Builds of programs without a frame whose values did not fit on the stack.
    pub(crate) without_room: u64,
}

/// What is wrong with how a program is compiled.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: String,
    pub(crate) text: String,
}

/// Forks take turns; most programs are for the newest.
pub(crate) fn fork_of(seed: u64) -> Fork {
    match seed % 8 {
        1 => Fork::Paris,
        3 => Fork::Shanghai,
        5 => Fork::Cancun,
        6 => Fork::Prague,
        _ => Fork::Osaka,
    }
}

/// What is compared with.
fn reference_of(seed: u64) -> Reference {
    if seed.is_multiple_of(3) { Reference::Solc } else { Reference::Unoptimized }
}

fn variants(seed: u64) -> Vec<Options> {
    let runs = [200, 1, 10_000, 200][seed as usize / 8 % 4];
    let verify = seed.is_multiple_of(VERIFIED);
    let fork = fork_of(seed);
    let library = ("a.sol:Ext".to_owned(), library_address().into_array());
    let of =
        |level| Options { level, runs, verify, fork, libraries: vec![library.clone()], ..Options::default() };
    vec![of(Level::O0), of(Level::O1), of(Level::O2), of(Level::O3), of(Level::Os)]
}

fn library_address() -> Address {
    account(LIBRARIAN).create(1)
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Program {
    crate::generator::program(seed, fork_of(seed))
}

/// Compiles and runs; what is wrong.
pub(crate) fn check(seed: u64, program: &Program, front: &mut Front, counts: &mut Counts) -> Option<Fault> {
    counts.programs += 1;
    let library = library_address().to_string();
    let compiled = match front.compile(&program.text, fork_of(seed), &library, reference_of(seed)) {
        Ok(compiled) => compiled,
        Err(error) => {
            counts.rejected += 1;
            counts.reasons.push(format!("seed {seed}: {error}"));
            return None;
        }
    };
    let (deployment, calls) = calls(program, seed);
    let case = Case { fork: fork_of(seed), compiled: &compiled, deployment, calls };
    let own = [&compiled.main, &compiled.library].map(|contract| contract.code.clone());
    let mut reference = match own {
        [Some(main), Some(library)] => Some(case.reference(&[main, library], counts)),
        _ => None,
    };
    for options in variants(seed) {
        let name = format!("-O{}", options.level);
        let built = [&compiled.main, &compiled.library].map(|contract| build(contract, &options));
        let code = match built {
            [Built::Code(main), Built::Code(library)] => [main, library],
            [Built::Fault(kind, text), _] | [_, Built::Fault(kind, text)] => {
                return Some(Fault { kind: format!("{name}: {kind}"), text });
            }
            [Built::NoRoom, _] | [_, Built::NoRoom] => {
                counts.without_room += 1;
                continue;
            }
        };
        let Some(expected) = &reference else {
            reference = Some(case.reference(&code, counts));
            continue;
        };
        let (found, _) = case.run(&code, expected.len());
        counts.compared += expected.len() as u64;
        if let Some(difference) = find_difference(expected, &found) {
            let at = difference.transaction;
            let call =
                at.checked_sub(1).map_or("the deployment".into(), |at| format!("{:?}", case.calls[at]));
            return Some(Fault {
                kind: format!("{name} differs: {}", difference.what),
                text: format!("{difference}\nof {call}"),
            });
        }
    }
    None
}

struct Case<'a> {
    fork: Fork,
    compiled: &'a Compiled,
    deployment: Call,
    calls: Vec<Call>,
}

impl Case<'_> {
    /// What solc's code does, as far as it has a meaning.
    fn reference(&self, code: &[Vec<u8>; 2], counts: &mut Counts) -> Vec<Observation> {
        let (mut observations, endless) = self.run(code, usize::MAX);
        if let Some(endless) = endless {
            counts.endless += 1;
            observations.truncate(endless);
        }
        counts.deployed +=
            u64::from(observations.first().is_some_and(|first| first.status == Status::Success));
        for observation in &observations {
            match observation.status {
                Status::Success => counts.success += 1,
                Status::Revert => counts.revert += 1,
                Status::Halt => counts.halt += 1,
            }
        }
        observations
    }

    /// Deploys and calls; also the first transaction that ran out of gas.
    fn run(&self, [main, library]: &[Vec<u8>; 2], count: usize) -> (Vec<Observation>, Option<usize>) {
        let mut machine = Machine::new(Environment {
            fork: self.fork,
            gas_limit: GAS_LIMIT,
            prices: Prices::Nominal,
            created_at: CreatedAt::Salt,
            ..Environment::default()
        });
        let deployed = machine.deploy(&Message::new(library.clone()).from(account(LIBRARIAN)));
        let is_there = deployed.is_ok_and(|outcome| outcome.created == Some(library_address()));
        assert!(is_there, "the library lies where it is linked to");
        let mut observations = Vec::new();
        let data = [main.as_slice(), &self.deployment.data].concat();
        let value = U256::from(self.deployment.value);
        let message = Message::new(data).with_value(value).from(self.deployment.sender);
        let outcome = machine.deploy(&message).expect("the limit suffices to begin");
        observations.push(machine.observe(&outcome));
        let mut endless = outcome.is_out_of_gas().then_some(0);
        let Some(address) = outcome.created else { return (observations, endless) };
        for (at, call) in self.calls.iter().take(count.saturating_sub(1)).enumerate() {
            let selector = call.name.as_ref().and_then(|name| self.compiled.main.selectors.get(name));
            let data = [selector.map_or(&[][..], |selector| selector), &call.data].concat();
            let message = Message::new(data).with_value(U256::from(call.value)).from(call.sender);
            let outcome = machine.call(address, &message).expect("the limit suffices to begin");
            observations.push(machine.observe(&outcome));
            if outcome.is_out_of_gas() && endless.is_none() {
                endless = Some(at + 1);
            }
        }
        (observations, endless)
    }
}

fn build(contract: &Contract, options: &Options) -> Built {
    let Ok(compiled) = catch_unwind(AssertUnwindSafe(|| compile(&contract.ir, options))) else {
        return Built::Fault("panic", "see above".to_owned());
    };
    if let Err(Refusal::Errors(errors)) = &compiled
        // Nothing that is called links one.
        && errors.iter().all(|error| error.starts_with("unknown library"))
        && !options.libraries.is_empty()
    {
        return build(contract, &Options { libraries: vec![], ..options.clone() });
    }
    Built::of(compiled, |errors| is_lack_of_room(errors) && !errors.is_empty())
}
