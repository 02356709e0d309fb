//! The command line of `cairn diff`.

use crate::args::{ResultFormat, values};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Example:
  cairn diff old.yul new.yul                          random calls, guided by the codes
  cairn diff a.hex b.hex --runtime --random 500000     runtime code, a longer search
  cairn diff a.yul b.yul --calls calls.txt            these calls, one after the other

A line of a file of calls is calldata in hex, or a signature with its arguments: f(uint256) 5

Exit codes: 0 the same, 1 different or a faulty input, 2 wrong usage or nothing was compared";

/// `cairn diff`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArgs {
    /// First program
    pub(crate) a: PathBuf,
    /// Second program
    pub(crate) b: PathBuf,
    /// The programs are runtime code: do not deploy
    #[arg(long, conflicts_with = "constructor_args")]
    pub(crate) runtime: bool,
    /// Bytes appended to both creation codes, in hex; without it several are tried
    #[arg(long, value_name = "HEX")]
    pub(crate) constructor_args: Option<String>,
    /// File with one call a line, made one after the other: calldata in hex, or `signature args…`
    #[arg(long, value_name = "FILE")]
    pub(crate) calls: Option<PathBuf>,
    /// Random calls, guided by both codes; 30000 unless there are `--calls`
    #[arg(long, value_name = "N")]
    pub(crate) random: Option<u64>,
    /// What the random calls depend on
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// ABI in JSON: names of functions, events and errors in the report
    #[arg(long, value_name = "FILE")]
    pub(crate) abi: Option<PathBuf>,
    /// Library addresses
    #[arg(long, value_name = "NAME=ADDRESS", value_delimiter = ',')]
    pub(crate) libraries: Vec<String>,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ResultFormat,
    /// Hard fork
    #[arg(long, value_name = "FORK", default_value = "osaka", value_parser = values::fork(), ignore_case = true, overrides_with = "evm_version")]
    pub(crate) evm_version: cairn_evm::Fork,
}
