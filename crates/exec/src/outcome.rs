//! What a transaction did.

use alloy_primitives::{Address, B256, Bytes, U256};
use std::collections::BTreeMap;
use std::fmt;

/// How execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// `stop`, `return`, `selfdestruct`, end of code.
    Success,
    /// `revert`.
    Revert,
    /// Any exceptional halt: out of gas, `invalid`, bad jump, …
    Halt,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Success => "success",
            Status::Revert => "revert",
            Status::Halt => "halt",
        })
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Who emitted it.
    pub address: Address,
    /// Up to four topics.
    pub topics: Vec<B256>,
    /// The data.
    pub data: Bytes,
}

/// What a transaction cost, in gas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gas {
    /// What the sender pays: intrinsic cost included, after the refund.
    pub total: u64,
    /// What execution spends: without the intrinsic cost, before the refund; for a deployment
    /// with the code deposit.
    pub execution: u64,
    /// Earned by clearing storage, not capped.
    pub refund: u64,
}

/// The result of one transaction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How execution ended.
    pub status: Status,
    /// Why it halted, in words; empty otherwise. Informative only.
    pub halt_reason: String,
    /// Return or revert data; the deployed code for a successful deployment.
    pub output: Bytes,
    /// Events; empty unless successful.
    pub logs: Vec<Log>,
    /// Cost.
    pub gas: Gas,
    /// Address of the new contract, for a successful deployment.
    pub created: Option<Address>,
}

impl Outcome {
    /// True of a halt for want of gas.
    pub fn is_out_of_gas(&self) -> bool {
        self.halt_reason.starts_with("out of gas")
    }
}

/// Everything somebody can see of a transaction but for its gas: two correct compilations of one
/// program give equal observations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How execution ended; the reason of a halt is not compared.
    pub status: Status,
    /// Return or revert data; empty for a successful deployment, whose output is code.
    pub output: Bytes,
    /// Events.
    pub logs: Vec<Log>,
    /// Storage of every account after the transaction, without the words that were there without
    /// anybody's doing: zeros, unless the environment says otherwise.
    pub storage: BTreeMap<Address, BTreeMap<U256, U256>>,
    /// Balances after the transaction, of accounts whose balance is not the initial one.
    pub balances: BTreeMap<Address, U256>,
}
