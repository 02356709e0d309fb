//! solc as the front end: where it is found, which version a project needs, and how it runs.
//!
//! A front end turns Solidity into unoptimized Yul, and gives the ABI, metadata, syntax trees,
//! storage layouts and warnings, which pass through. It is a native program or `soljson.js`, which
//! `node` runs.
//!
//! * [`find`](find::installed) lists what is installed, in the order of preference.
//! * [`version`] reads version pragmas, and [`version::choose`] takes the newest that satisfies all.
//! * [`Running::compile`] hands over a request in standard JSON and returns the answer. One
//!   process serves all requests of a `Running` where that is possible (`soljson.js`).
//!
//! Nothing here reads the meaning of requests and answers: both are text.

pub mod access;
pub mod fault;
pub mod find;
mod native;
mod soljson;
pub mod version;

pub use access::{FileAccess, Imports};
pub use fault::Fault;

use semver::Version;
use std::path::PathBuf;

/// What runs a front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A program that takes solc's command line.
    Native,
    /// `soljson.js`, run by `node`.
    Soljson,
}

/// A front end that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontEnd {
    /// What runs it.
    pub kind: Kind,
    /// The program, or the `soljson.js`.
    pub path: PathBuf,
    /// Its version with the commit as build metadata, as `0.8.37+commit.f401782d`.
    pub version: Version,
}
