//! The command line of `cairn prove`.

use crate::args::{CodegenArgs, ResultFormat};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Example:
  cairn prove token.yul                                each function of the compile against its source
  cairn prove token.yul --function 'transfer(address,uint256)' -O3
  cairn prove old.hex new.hex                          two programs, called as they are

Exit codes: 0 all proven, 1 a difference or a faulty input, 2 not all proven or wrong usage";

/// `cairn prove`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProveArgs {
    /// The program, and how it is compiled
    #[command(flatten)]
    pub(crate) codegen: CodegenArgs,
    /// A second program, which is to do the same as the first; without it, the first one's own code
    pub(crate) other: Option<PathBuf>,
    /// Only this function: a signature, or a selector in hex; repeatable
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) function: Vec<String>,
    /// Seconds of processor time for each function, the solver's with it
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    pub(crate) timeout: u64,
    /// Functions proven at once; 0 means one a core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) jobs: usize,
    /// Rounds of loops whose number is not known
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) loops: u32,
    /// Seconds in which smaller programs that differ in the same way are looked for, in all; 0 for none
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) reduce: u64,
    /// Assumptions of docs/assumptions.md that are not made, such as A11
    #[arg(long, value_name = "A", value_delimiter = ',')]
    pub(crate) without: Vec<String>,
    /// Ask no solver
    #[arg(long)]
    pub(crate) no_solver: bool,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ResultFormat,
}
