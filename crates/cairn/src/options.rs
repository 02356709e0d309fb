//! Options of a compilation.

use cairn_driver::Level;
use cairn_evm::Fork;

/// Options of a compilation: level 2, 200 runs and the newest final fork, unless set otherwise.
///
/// ```
/// use cairn::{Fork, Level, Options};
///
/// let options = Options::default().level(Level::O3).fork(Fork::Cancun).library("math.sol:Math", [7; 20]);
/// assert_eq!(options.fork, Fork::Cancun);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How hard to optimize, and for what.
    pub level: Level,
    /// Expected executions of the deployed code over its life; prices bytes against gas.
    pub runs: u64,
    /// Target fork.
    pub fork: Fork,
    /// Addresses of libraries by fully qualified name; the others stay open ([`Code::links`](crate::Code::links)).
    pub libraries: Vec<(String, [u8; 20])>,
}

impl Default for Options {
    fn default() -> Self {
        let own = cairn_driver::Options::default();
        Options { level: own.level, runs: own.runs, fork: own.fork, libraries: own.libraries }
    }
}

impl Options {
    /// Sets the level.
    #[must_use]
    pub fn level(self, level: Level) -> Options {
        Options { level, ..self }
    }

    /// Sets the expected executions.
    #[must_use]
    pub fn runs(self, runs: u64) -> Options {
        Options { runs, ..self }
    }

    /// Sets the fork.
    #[must_use]
    pub fn fork(self, fork: Fork) -> Options {
        Options { fork, ..self }
    }

    /// Adds the address of a library.
    #[must_use]
    pub fn library(mut self, name: impl Into<String>, address: [u8; 20]) -> Options {
        self.libraries.push((name.into(), address));
        self
    }

    pub(crate) fn for_driver(&self) -> cairn_driver::Options {
        cairn_driver::Options {
            level: self.level,
            runs: self.runs,
            fork: self.fork,
            libraries: self.libraries.clone(),
            ..cairn_driver::Options::default()
        }
    }
}
