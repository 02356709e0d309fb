//! Options of a compilation.

use cairn_evm::Fork;
use cairn_legalize::SwitchShape;
use std::fmt;
use std::str::FromStr;

/// How hard to optimize, and for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `-O0`: legal code, nothing more.
    O0,
    /// `-O1`: what earns most for its time.
    O1,
    /// `-O2`: everything that pays for `runs` executions.
    #[default]
    O2,
    /// `-O3`: execution gas before size.
    O3,
    /// `-Os`: size before execution gas.
    Os,
}

impl Level {
    /// Every level.
    pub const ALL: [Level; 5] = [Level::O0, Level::O1, Level::O2, Level::O3, Level::Os];

    /// What stands after `-O`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::O0 => "0",
            Level::O1 => "1",
            Level::O2 => "2",
            Level::O3 => "3",
            Level::Os => "s",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Level::ALL.into_iter().find(|level| level.name() == name);
        found.ok_or_else(|| format!("unknown optimization level `{name}`; known are 0 1 2 s 3"))
    }
}

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// How hard to optimize.
    pub level: Level,
    /// Expected executions of the deployed code over its life; prices bytes against gas.
    pub runs: u64,
    /// Values live at once that inlining may lead to where there is no frame to keep some of them in; less is
    /// tried by itself where they do not fit.
    pub max_live: u32,
    /// Target fork.
    pub fork: Fork,
    /// Path of the object to compile instead of the outermost one, parts separated by `.`.
    pub object: Option<String>,
    /// Verify the IR after each stage and pass; the stack code is always checked, in release builds too.
    pub verify: bool,
    /// Use the stackifier specification's literal rules.
    pub spec: bool,
    /// How functions and the arms of branches lie.
    pub placement: cairn_stackify::Placement,
    /// How functions call each other.
    pub calls: cairn_stackify::Calls,
    /// Which functions are frames of the source.
    pub source_frames: cairn_stackify::SourceFrames,
    /// Pop dead words before halting.
    pub strict_stack: bool,
    /// Lower composite types to memory layouts instead of rejecting them.
    pub recover: bool,
    /// Where EVM-IR is [checked](crate::check): places in memory are pointers, not integers.
    pub strict_pointers: bool,
    /// What becomes of switches.
    pub switch: SwitchShape,
    /// Optimizer passes to run instead of the level's, by name.
    pub passes: Option<Vec<String>>,
    /// Optimizer passes of the level to leave out, by name.
    pub skipped_passes: Vec<String>,
    /// How many times an optimizer pass may run on a function; later ones leave it as it is.
    pub fuel: Option<u64>,
    /// Record every rewrite of the legalizer, and every decision of the stackifier, with its reason.
    pub explain: bool,
    /// Collect what the optimizer and the stackifier did or left, and why.
    pub remarks: bool,
    /// Compare stack operations with their lower bound, for [`Emit::Stats`](crate::Emit::Stats).
    pub measure_stack: bool,
    /// Code may be larger than the chain accepts.
    pub allow_oversized: bool,
    /// What stands between code and what lies behind it.
    pub separator: cairn_asm::Separator,
    /// Addresses of libraries by name.
    pub libraries: Vec<(String, [u8; 20])>,
    /// Threads; 0 for one a core.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            level: Level::default(),
            runs: 200,
            max_live: cairn_opt::MAX_LIVE,
            fork: Fork::default(),
            object: None,
            verify: cfg!(debug_assertions),
            spec: false,
            placement: cairn_stackify::Placement::default(),
            calls: cairn_stackify::Calls::default(),
            source_frames: cairn_stackify::SourceFrames::default(),
            strict_stack: false,
            recover: false,
            strict_pointers: false,
            switch: SwitchShape::default(),
            passes: None,
            skipped_passes: Vec::new(),
            fuel: None,
            explain: false,
            remarks: false,
            measure_stack: false,
            allow_oversized: false,
            separator: cairn_asm::Separator::default(),
            libraries: Vec::new(),
            threads: 1,
        }
    }
}

impl Options {
    /// The dialect of Yul that the fork has.
    pub(crate) fn dialect(&self) -> cairn_yul::Dialect {
        cairn_yul::Dialect { fork: self.fork, ..cairn_yul::Dialect::default() }
    }

    /// Executions that a byte of code is priced against: few for `-Os`, many for `-O3`.
    pub(crate) fn price_runs(&self) -> u64 {
        match self.level {
            Level::Os => 1,
            Level::O3 => self.runs.max(10_000),
            Level::O0 | Level::O1 | Level::O2 => self.runs,
        }
    }
}
