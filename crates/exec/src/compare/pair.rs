//! Two machines that take the same transactions.
//!
//! They live in a world that is told neither gas nor code addresses: two compilations of one program
//! may differ in both. Where a program, or a frame that it calls, runs out of gas nevertheless, nothing is said
//! about it.

use super::discrepancy::{Discrepancy, discrepancies};
use super::helpers;
use super::step::Step;
use crate::environment::{CreatedAt, Environment, Prices};
use crate::machine::{Machine, Message, Rejected};
use crate::outcome::{Observation, Outcome};
use crate::record::Record;
use alloy_primitives::{Address, Bytes};

/// Where code is put that is not deployed.
pub const CODE_ADDRESS: Address = Address::repeat_byte(0xca);

/// Gas limit of a call in the neutral world: only loops and large memory have a price there.
const LIMIT: u64 = 150_000;

/// How a contract comes to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum World {
    /// The code is put at [`CODE_ADDRESS`] as it is.
    Runtime,
    /// The code runs as creation code; the data are the constructor's arguments.
    Deployed(Message),
}

/// Which world the machines live in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facts {
    /// Gas has no price, and addresses of contracts don't depend on their code.
    Neutral,
    /// As on chain, for measuring gas.
    Real,
}

/// What a step did on both machines.
#[derive(Clone, Debug)]
pub(crate) struct Both {
    pub(crate) outcomes: [Outcome; 2],
    pub(crate) observations: [Observation; 2],
    pub(crate) discrepancies: Vec<Discrepancy>,
    /// A frame that one of them called ran out of gas.
    is_called_out_of_gas: bool,
}

impl Both {
    /// True where gas decided: then the programs need not agree.
    pub(crate) fn is_inconclusive(&self) -> bool {
        self.is_called_out_of_gas || self.outcomes.iter().any(Outcome::is_out_of_gas)
    }
}

/// Two machines.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) machines: [Machine; 2],
}

impl Pair {
    /// Machines without the programs, but with the helpers.
    pub(crate) fn new(environment: &Environment, facts: Facts) -> Self {
        let mut environment = environment.clone();
        let mut record = Record::Nothing;
        if facts == Facts::Neutral {
            environment.prices = Prices::Nominal;
            environment.created_at = CreatedAt::Salt;
            record = Record::Watch;
        }
        let mut machine = Machine::new(environment);
        machine.set_record(record);
        helpers::place(&mut machine);
        Pair { machines: [machine.clone(), machine] }
    }

    /// Brings the programs to life. The address is that of the contracts, where both deploy.
    pub(crate) fn start(
        &mut self,
        codes: [&[u8]; 2],
        world: &World,
    ) -> Result<(Option<Address>, Option<Both>), Rejected> {
        let World::Deployed(message) = world else {
            for (machine, code) in self.machines.iter_mut().zip(codes) {
                machine.set_code(CODE_ADDRESS, code.to_vec());
            }
            return Ok((Some(CODE_ADDRESS), None));
        };
        let [left, right] = &mut self.machines;
        let deploy = |machine: &mut Machine, code: &[u8]| {
            let data = [code, &message.data].concat();
            machine.deploy(&Message { data: data.into(), ..message.clone() })
        };
        let outcomes = [deploy(left, codes[0])?, deploy(right, codes[1])?];
        let both = self.observe(outcomes);
        let [left, right] = [0, 1].map(|side: usize| both.outcomes[side].created);
        Ok((left.filter(|address| right == Some(*address)), Some(both)))
    }

    /// After the deployment, limits what a call may loop.
    pub(crate) fn limit(&mut self) {
        for machine in &mut self.machines {
            machine.set_gas_limit(LIMIT);
        }
    }

    /// Gives calls all gas there is again.
    pub(crate) fn lift_limit(&mut self, environment: &Environment) {
        for machine in &mut self.machines {
            machine.set_gas_limit(environment.gas_limit);
        }
    }

    pub(crate) fn step(&mut self, step: &Step) -> Result<Both, Rejected> {
        let [left, right] = &mut self.machines;
        left.pass_time(step.seconds);
        right.pass_time(step.seconds);
        let outcomes = [left.call(step.to, &step.message)?, right.call(step.to, &step.message)?];
        Ok(self.observe(outcomes))
    }

    /// The codes at an address.
    pub(crate) fn codes(&self, address: Address) -> [Bytes; 2] {
        [0, 1].map(|side: usize| self.machines[side].code(address))
    }

    fn observe(&self, outcomes: [Outcome; 2]) -> Both {
        let observations = [0, 1].map(|side: usize| self.machines[side].observe(&outcomes[side]));
        let discrepancies = discrepancies(&observations[0], &observations[1]);
        let is_called_out_of_gas = self.machines.iter().any(|machine| machine.watch().is_out_of_gas);
        Both { outcomes, observations, discrepancies, is_called_out_of_gas }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls itself with a byte and 20,000 gas, stores whether that went well; called with a byte, does this.
    fn calls_itself(called: &[u8]) -> Vec<u8> {
        let call = [
            0x36, 0x60, 0x12, 0x57, 0x5f, 0x5f, 0x60, 0x01, 0x5f, 0x5f, 0x30, 0x61, 0x4e, 0x20, 0xf1, 0x5f,
            0x55, 0x00, 0x5b,
        ];
        [call.as_slice(), called].concat()
    }

    fn both(left: &[u8], right: &[u8]) -> Both {
        let mut pair = Pair::new(&Environment::default(), Facts::Neutral);
        pair.start([left, right], &World::Runtime).unwrap();
        pair.limit();
        let message = Message::new(Bytes::new());
        pair.step(&Step { to: CODE_ADDRESS, message, seconds: 0 }).unwrap()
    }

    #[test]
    fn a_called_frame_that_runs_out_of_gas_says_nothing() {
        let (stops, fails, loops) =
            (calls_itself(&[0x00]), calls_itself(&[0xfe]), calls_itself(&[0x60, 0x12, 0x56]));
        assert!(both(&stops, &stops).discrepancies.is_empty());
        let differing = both(&stops, &fails);
        assert!(!differing.is_inconclusive() && !differing.discrepancies.is_empty());
        let starved = both(&stops, &loops);
        assert!(starved.is_inconclusive() && !starved.discrepancies.is_empty());
        assert!(!starved.outcomes.iter().any(Outcome::is_out_of_gas));
    }
}
