//! The command line's shape.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Turns Yul, EVM-IR or EVM bytecode into small, cheap, checked EVM bytecode.
#[derive(Parser, Debug)]
#[command(name = "cairn", version, about, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// When to use colours in diagnostics
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// No warnings, no progress
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Diagnostics as JSON, one object a line on standard error
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// When standard error is a terminal and `NO_COLOR` is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile to creation bytecode (hex on standard output)
    Build(BuildArgs),
    /// Check an input and report every fault
    Verify(VerifyArgs),
    /// Print an input in its canonical formatting
    Fmt(FmtArgs),
    /// Bring EVM-IR into canonical form
    Legalize(StageArgs),
    /// Optimize EVM-IR
    Opt(OptArgs),
    /// Turn EVM-IR into stack code
    Stackify(StageArgs),
    /// Assemble assembly text
    Asm(AsmArgs),
    /// Disassemble bytecode
    Disasm(FileArgs),
    /// Build, deploy and call a contract in process
    Run(RunArgs),
    /// Run two programs side by side: same observable results? at what gas and size?
    Diff(DiffArgs),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// An input file.
#[derive(Args, Debug, Clone)]
pub struct FileArgs {
    /// Input file; `-` reads standard input
    pub file: PathBuf,
    /// Hard fork to compile for
    #[arg(long, value_name = "FORK", default_value = "osaka", value_parser = parse_fork)]
    pub evm_version: cairn_evm::Fork,
}

fn parse_fork(name: &str) -> Result<cairn_evm::Fork, String> {
    name.parse().map_err(|error: cairn_evm::fork::UnknownFork| error.to_string())
}

fn parse_level(name: &str) -> Result<cairn_driver::Level, String> {
    name.parse()
}

/// What decides the generated code.
#[derive(Args, Debug, Clone)]
pub struct CodegenArgs {
    /// Input and fork
    #[command(flatten)]
    pub input: FileArgs,
    /// Optimization level: 0, 1, 2, s, 3
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = parse_level)]
    pub level: cairn_driver::Level,
    /// Expected executions over the contract's life; prices code size against gas
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub runs: u64,
    /// Compile this object (a path, `.` between parts) instead of the outermost
    #[arg(long, value_name = "NAME")]
    pub object: Option<String>,
    /// Verify the IR after each stage and check the stack code
    #[arg(long)]
    pub verify: bool,
    /// Use the stackifier specification's literal rules (same as `--stackify=spec`)
    #[arg(long)]
    pub spec: bool,
    /// How the stackifier decides
    #[arg(long, value_name = "MODE", default_value = "global")]
    pub stackify: StackifyMode,
    /// How switches are lowered
    #[arg(long, value_name = "SHAPE", default_value = "cost")]
    pub switch: SwitchShape,
    /// Leave no dead word on the stack where execution halts
    #[arg(long)]
    pub strict_stack: bool,
    /// Lower structs and arrays to memory layouts instead of rejecting them
    #[arg(long)]
    pub recover: bool,
    /// Library addresses
    #[arg(long, value_name = "NAME=ADDRESS", value_delimiter = ',')]
    pub libraries: Vec<String>,
    /// Print how long each stage took, on standard error
    #[arg(long)]
    pub time_passes: bool,
    /// Threads; 0 means one a core
    #[arg(short = 'j', value_name = "N", default_value_t = 1)]
    pub threads: usize,
}

/// How the stackifier decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StackifyMode {
    /// Global layouts weighted by frequency
    Global,
    /// The specification's literal rules
    Spec,
}

/// How switches are lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SwitchShape {
    /// The cheapest of several shapes
    Cost,
    /// A cascade of comparisons
    Cascade,
}

/// `cairn build`
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// Code generation
    #[command(flatten)]
    pub codegen: CodegenArgs,
    /// What to print or write: `KIND` or `KIND=PATH`, separated by commas
    #[arg(long, value_name = "KIND[=PATH]", value_delimiter = ',', default_value = "bin")]
    pub emit: Vec<String>,
}

/// `cairn legalize`, `cairn stackify`
#[derive(Args, Debug)]
pub struct StageArgs {
    /// Code generation
    #[command(flatten)]
    pub codegen: CodegenArgs,
    /// Say what was changed and why, on standard error
    #[arg(long)]
    pub explain: bool,
}

/// `cairn opt`
#[derive(Args, Debug)]
pub struct OptArgs {
    /// Code generation
    #[command(flatten)]
    pub codegen: CodegenArgs,
    /// Run these passes instead of the level's
    #[arg(long, value_name = "PASS", value_delimiter = ',')]
    pub passes: Option<Vec<String>>,
}

/// `cairn verify`
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Input and fork
    #[command(flatten)]
    pub input: FileArgs,
    /// Demand this form of EVM-IR
    #[arg(long, value_name = "FORM", default_value = "free")]
    pub form: IrForm,
}

/// Forms of EVM-IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IrForm {
    /// What front ends write
    Free,
    /// What the legalizer leaves
    Canonical,
}

/// `cairn fmt`
#[derive(Args, Debug)]
pub struct FmtArgs {
    /// Input and fork
    #[command(flatten)]
    pub input: FileArgs,
    /// Rewrite the file
    #[arg(long, short = 'i', conflicts_with = "check")]
    pub in_place: bool,
    /// Only say, by the exit code, whether the file is formatted
    #[arg(long)]
    pub check: bool,
}

/// `cairn asm`
#[derive(Args, Debug)]
pub struct AsmArgs {
    /// Input and fork
    #[command(flatten)]
    pub input: FileArgs,
    /// Library addresses
    #[arg(long, value_name = "NAME=ADDRESS", value_delimiter = ',')]
    pub libraries: Vec<String>,
}

/// `cairn run`
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Code generation
    #[command(flatten)]
    pub codegen: CodegenArgs,
    /// Function to call, such as `f(uint256,bytes)` or `f(uint256)(uint256)` with result types
    #[arg(long, value_name = "SIGNATURE")]
    pub call: Option<String>,
    /// Arguments of the call
    #[arg(value_name = "ARGS", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// Raw calldata in hex instead of a signature
    #[arg(long, value_name = "HEX", conflicts_with = "call")]
    pub calldata: Option<String>,
    /// Wei sent with the call
    #[arg(long, value_name = "WEI", default_value = "0")]
    pub value: String,
    /// Bytes appended to the creation code, in hex
    #[arg(long, value_name = "HEX")]
    pub constructor_args: Option<String>,
    /// The input is runtime code: do not deploy
    #[arg(long)]
    pub runtime: bool,
    /// Print each step: pc, opcode, gas, stack
    #[arg(long)]
    pub trace: bool,
    /// Print gas by opcode
    #[arg(long)]
    pub gas_report: bool,
}

/// `cairn diff`
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// First program
    pub a: PathBuf,
    /// Second program
    pub b: PathBuf,
    /// File with one call a line: calldata in hex, or `signature args…`
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// Hard fork
    #[arg(long, value_name = "FORK", default_value = "osaka", value_parser = parse_fork)]
    pub evm_version: cairn_evm::Fork,
}
