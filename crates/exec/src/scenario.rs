//! A deployment with calls, and the comparison of two runs of it.

use crate::environment::Environment;
use crate::machine::{Machine, Message, Rejected};
use crate::outcome::{Observation, Outcome};
use alloy_primitives::{Address, Bytes};
use std::fmt;

/// A deployment with calls of the deployed contract.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Where it runs.
    pub environment: Environment,
    /// The deployment; its data are the constructor arguments, without the creation code.
    pub deploy: Message,
    /// The calls.
    pub calls: Vec<Message>,
}

/// What a scenario did.
#[derive(Clone, Debug)]
pub struct Run {
    /// Address of the contract, if the deployment succeeded.
    pub address: Option<Address>,
    /// The deployed code.
    pub runtime: Bytes,
    /// Outcomes of the deployment and, if it succeeded, of each call.
    pub outcomes: Vec<Outcome>,
    /// Observations in the same order.
    pub observations: Vec<Observation>,
}

/// Runs a scenario with the given creation code. Without a deployed contract there are no calls.
///
/// # Errors
/// If the gas limit is below the intrinsic cost of a transaction, or a sender is a contract.
pub fn run_scenario(scenario: &Scenario, creation_code: &[u8]) -> Result<Run, Rejected> {
    let mut machine = Machine::new(scenario.environment.clone());
    let data = [creation_code, &scenario.deploy.data].concat();
    let deploy = machine.deploy(&Message { data: data.into(), ..scenario.deploy.clone() })?;
    let mut run = Run {
        address: deploy.created,
        runtime: Bytes::new(),
        outcomes: Vec::new(),
        observations: Vec::new(),
    };
    run.observations.push(machine.observe(&deploy));
    run.outcomes.push(deploy);
    let Some(address) = run.address else { return Ok(run) };
    run.runtime = machine.code(address);
    for call in &scenario.calls {
        let outcome = machine.call(address, call)?;
        run.observations.push(machine.observe(&outcome));
        run.outcomes.push(outcome);
    }
    Ok(run)
}

/// Where two runs first differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index of the transaction; 0 is the deployment.
    pub transaction: usize,
    /// What differs: `status`, `output`, `logs`, `storage`, `balances` or `length`.
    pub what: &'static str,
    /// The left run's.
    pub left: String,
    /// The right run's.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { transaction, what, left, right } = self;
        write!(f, "transaction {transaction}: {what} differs: {left} against {right}")
    }
}

/// The first difference between two lists of observations.
pub fn find_difference(left: &[Observation], right: &[Observation]) -> Option<Difference> {
    let pairs = left.iter().zip(right).enumerate();
    let mut differing =
        pairs.filter_map(|(transaction, (left, right))| difference_at(transaction, left, right));
    differing.next().or_else(|| {
        let lengths = (left.len(), right.len());
        (lengths.0 != lengths.1).then(|| Difference {
            transaction: lengths.0.min(lengths.1),
            what: "length",
            left: lengths.0.to_string(),
            right: lengths.1.to_string(),
        })
    })
}

fn difference_at(transaction: usize, left: &Observation, right: &Observation) -> Option<Difference> {
    let report = |what, left: &dyn fmt::Debug, right: &dyn fmt::Debug| {
        Some(Difference { transaction, what, left: format!("{left:?}"), right: format!("{right:?}") })
    };
    if left.status != right.status {
        return report("status", &left.status, &right.status);
    }
    if left.output != right.output {
        return report("output", &left.output, &right.output);
    }
    if left.logs != right.logs {
        return report("logs", &left.logs, &right.logs);
    }
    if left.storage != right.storage {
        return report("storage", &left.storage, &right.storage);
    }
    if left.balances != right.balances {
        return report("balances", &left.balances, &right.balances);
    }
    None
}
