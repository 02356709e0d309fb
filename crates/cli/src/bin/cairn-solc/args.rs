//! The command line, as solc has it.

use crate::outputs::Outputs;
use clap::{Args as ClapArgs, Parser};
use std::path::{Path, PathBuf};

/// Takes solc's command line and makes Cairn's code.
///
/// Without a source, a request in standard JSON is read.
#[derive(Debug, Parser)]
#[command(name = "cairn-solc", disable_version_flag = true)]
pub(crate) struct Args {
    /// Sources, remappings `prefix=path`, and `-` for standard input.
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// A source, as without this option.
    #[arg(long, value_name = "INPUT", hide = true)]
    input_file: Vec<String>,
    #[command(flatten)]
    modes: Modes,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
}

/// What is to be done, besides compiling Solidity.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Modes")]
struct Modes {
    /// Print the version of the front end, as solc does, and end.
    #[arg(long)]
    version: bool,
    /// Read a request in standard JSON from a file or standard input, and print the answer.
    #[arg(long, num_args = 0..=1, value_name = "FILE")]
    standard_json: Option<Option<PathBuf>>,
    /// Write the addresses of `--libraries` into the given code, in place.
    #[arg(long)]
    link: bool,
    /// The sources are Yul.
    #[arg(long, alias = "assemble", alias = "yul")]
    strict_assembly: bool,
    /// The machine of Yul sources; there is one.
    #[arg(long, value_name = "MACHINE", hide = true, value_parser = ["evm"])]
    machine: Option<String>,
    /// The dialect of Yul sources; there is one.
    #[arg(long, value_name = "DIALECT", hide = true, value_parser = ["evm"])]
    yul_dialect: Option<String>,
}

/// Where sources come from.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Sources")]
pub(crate) struct Files {
    /// Where sources are looked up.
    #[arg(long, value_name = "PATH")]
    pub(crate) base_path: Option<PathBuf>,
    /// Where sources are looked up as well.
    #[arg(long, short = 'I', value_name = "PATH")]
    pub(crate) include_path: Vec<PathBuf>,
    /// Folders and files that may be read besides, `,` between them.
    #[arg(long, value_name = "PATHS", value_delimiter = ',', value_parser = trimmed)]
    pub(crate) allow_paths: Vec<PathBuf>,
    /// Do not read sources that the request does not hold.
    #[arg(long)]
    pub(crate) no_import_callback: bool,
    /// Files that cannot be read are left out.
    #[arg(long)]
    pub(crate) ignore_missing: bool,
}

/// What the code is for.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Code")]
pub(crate) struct CodeArgs {
    /// Optimize: `-O2`, or `-Os` for at most one run.
    #[arg(long)]
    pub(crate) optimize: bool,
    /// Expected executions.
    #[arg(long, value_name = "N")]
    pub(crate) optimize_runs: Option<u64>,
    /// Another word for `--optimize`.
    #[arg(long)]
    pub(crate) optimize_yul: bool,
    /// Yul comes unoptimized in any case; Cairn's optimizer has its levels.
    #[arg(long, hide = true)]
    no_optimize_yul: bool,
    /// Steps of the Yul optimizer; `u` alone is `-O0`.
    #[arg(long, value_name = "STEPS")]
    pub(crate) yul_optimizations: Option<String>,
    /// Code always comes from Yul.
    #[arg(long, alias = "experimental-via-ir")]
    pub(crate) via_ir: bool,
    /// The fork that the code is for.
    #[arg(long, value_name = "VERSION", value_parser = fork)]
    pub(crate) evm_version: Option<String>,
    /// Addresses of libraries, `FILE:NAME=0x…`, with `,` or spaces between them, or a file of them.
    #[arg(long, value_name = "LIBRARIES")]
    pub(crate) libraries: Vec<String>,
    /// Hash of the metadata: `ipfs`, `swarm` or `none`.
    #[arg(long, value_name = "HASH", value_parser = ["ipfs", "swarm", "none"], conflicts_with = "no_cbor_metadata")]
    pub(crate) metadata_hash: Option<String>,
    /// No metadata behind the code.
    #[arg(long)]
    pub(crate) no_cbor_metadata: bool,
    /// Metadata has texts of sources instead of their hashes.
    #[arg(long)]
    pub(crate) metadata_literal: bool,
    /// What becomes of texts of `revert` and `require`: `default`, `strip`, `debug`.
    #[arg(long, value_name = "STRINGS", value_parser = ["default", "strip", "debug", "verboseDebug"])]
    pub(crate) revert_strings: Option<String>,
    /// What the Yul says of its source: `location`, `snippet`.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) debug_info: Vec<String>,
    /// Ends after parsing.
    #[arg(long, value_name = "STAGE")]
    pub(crate) stop_after: Option<String>,
    /// Allow outputs and settings of the front end that are experiments.
    #[arg(long)]
    pub(crate) experimental: bool,
    /// Prove that the code does what its source says: `warn` of what is not proven, or `require` that all is.
    #[arg(long, value_name = "DEMAND", num_args = 0..=1, require_equals = true, default_missing_value = "warn")]
    pub(crate) prove: Option<cairn_certify::Demand>,
    /// Compile every object anew.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// What is to be done.
pub(crate) enum Mode<'a> {
    /// Print the version.
    Version,
    /// Answer a request; `None` for the one on standard input.
    StandardJson(Option<&'a Path>),
    /// Write addresses into code.
    Link,
    /// Compile sources in this language.
    Compile(Language),
}

/// The language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Solidity.
    Solidity,
    /// Yul.
    Yul,
}

impl Args {
    /// All inputs, in the order in which they are given.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &String> {
        self.inputs.iter().chain(&self.input_file)
    }

    pub(crate) fn mode(&self) -> Mode<'_> {
        let modes = &self.modes;
        match &modes.standard_json {
            _ if modes.version => Mode::Version,
            Some(file) => Mode::StandardJson(file.as_deref().or_else(|| self.inputs().next().map(Path::new))),
            None if modes.link => Mode::Link,
            None if modes.strict_assembly => Mode::Compile(Language::Yul),
            None => Mode::Compile(Language::Solidity),
        }
    }
}

/// A path of a list: scripts write spaces between the parts.
#[expect(clippy::unnecessary_wraps, reason = "clap asks for it")]
fn trimmed(path: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(path.trim()))
}

/// The name of a fork, as it was given.
fn fork(name: &str) -> Result<String, String> {
    match name.parse::<cairn_evm::Fork>() {
        Ok(_) => Ok(name.to_owned()),
        Err(fault) => Err(fault.to_string()),
    }
}
