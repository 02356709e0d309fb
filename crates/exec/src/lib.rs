//! Runs EVM bytecode on revm behind a small interface.
//!
//! A [`Machine`] is a chain with funded accounts: deploy code, call it, look at the [`Outcome`]s.
//! A [`Scenario`] is a deployment with calls; running it gives one [`Observation`] a transaction,
//! everything a program does but for gas, so that two compilations of one program can be
//! compared. [`run_code`] runs runtime code alone. [`compare`](compare::compare) searches for calls that
//! tell two programs apart.
//!
//! The environment is deterministic and documented at [`Environment`]. revm's types stay inside,
//! but for `alloy-primitives`' words, addresses and bytes.

pub mod compare;
mod environment;
mod machine;
mod observer;
mod outcome;
mod record;
mod scenario;
mod watch;

pub use alloy_primitives::{Address, B256, Bytes, U256};
pub use environment::{BlockFacts, CreatedAt, Environment, Prices, account};
pub use machine::{Machine, Message, Rejected, run_code};
pub use outcome::{Gas, Log, Observation, Outcome, Status};
pub use record::{GasReport, OpcodeGas, Record, Recording, TraceStep};
pub use scenario::{Difference, Run, Scenario, find_difference, run_scenario};
pub use watch::{BRANCHES, Watch};
