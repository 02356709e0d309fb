//! A front end that is installed.

use semver::Version;
use std::path::PathBuf;

/// The oldest version whose Yul can be compiled.
pub const OLDEST: Version = Version::new(0, 8, 13);

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
    /// Its version with the commit as build metadata, as `0.8.37+commit.f401782d`. The commit is
    /// absent where its place does not tell it, until [`FrontEnd::complete`].
    pub version: Version,
}
