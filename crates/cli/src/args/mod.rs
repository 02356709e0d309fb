//! The command line's shape.

mod deferred;
pub(crate) mod diff;
pub(crate) mod prove;
pub(crate) mod run;
pub(crate) mod values;

use clap::{Args, Parser, Subcommand, ValueEnum};
use deferred::Deferred;
use diff::DiffArgs;
use prove::ProveArgs;
use run::RunArgs;
use std::path::PathBuf;

/// Turns Yul, EVM-IR or EVM bytecode into small, cheap, checked EVM bytecode.
#[derive(Parser, Debug)]
#[command(name = "cairn", version, about, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to use colours in diagnostics
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// No warnings, no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Diagnostics as JSON, one object a line on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Write the result to this file instead of standard output
    #[arg(long, short, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Language of the input, whatever its name and its beginning say
    #[arg(long, global = true, value_name = "LANGUAGE")]
    pub(crate) input_language: Option<InputLanguage>,
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// When standard error is a terminal and `NO_COLOR` is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Languages of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputLanguage {
    /// `.yul`
    Yul,
    /// `.eir`
    EvmIr,
    /// `.asm`
    Asm,
    /// `.hex`, `.bin`: bytecode in hexadecimal
    Hex,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compile to creation bytecode (hex on standard output)
    #[command(
        after_help = "Example:\n  cairn build --emit bin,asm=token.asm token.yul\n  cairn build --emit bin='code/{}.hex' contracts/*.sol"
    )]
    Build(Deferred<BuildArgs>),
    /// Check an input and report every fault
    #[command(after_help = "Example:\n  cairn verify token.yul")]
    Verify(Deferred<VerifyArgs>),
    /// Print an input in its canonical formatting
    #[command(after_help = "Example:\n  cairn fmt -i token.yul")]
    Fmt(Deferred<FmtArgs>),
    /// Bring EVM-IR into canonical form
    #[command(after_help = "Example:\n  cairn legalize --explain token.eir")]
    Legalize(Deferred<StageArgs>),
    /// Optimize EVM-IR
    #[command(after_help = "Example:\n  cairn opt --passes inline,simplify token.eir")]
    Opt(Deferred<OptArgs>),
    /// Turn EVM-IR into stack code
    #[command(
        after_help = "Example:\n  cairn stackify --explain token.eir\n  cairn stackify --emit stages token.eir"
    )]
    Stackify(Deferred<StackifyArgs>),
    /// Assemble assembly text
    #[command(after_help = "Example:\n  cairn asm token.asm")]
    Asm(Deferred<AsmArgs>),
    /// Disassemble bytecode
    #[command(after_help = "Example:\n  cairn disasm token.hex")]
    Disasm(Deferred<FileArgs>),
    /// Build, deploy and call a contract in process
    Run(Deferred<Box<RunArgs>>),
    /// Find blocks, control flow, stack heights and functions in bytecode
    #[command(after_help = "Example:\n  cairn analyze contracts.jsonl --output rows.jsonl")]
    Analyze(AnalyzeArgs),
    /// Draw the control flow of bytecode
    #[command(after_help = "Example:\n  cairn cfg --format svg token.hex -o token.svg")]
    Cfg(Deferred<CfgArgs>),
    /// Turn bytecode into EVM-IR, Yul or a listing
    #[command(
        after_help = "Example:\n  cairn lift token.hex\n  cairn lift --emit yul --signatures token.json token.hex\n  cairn lift --emit listing token.hex"
    )]
    Lift(Deferred<LiftArgs>),
    /// Compile bytecode anew where that is safe and pays
    #[command(after_help = "Example:\n  cairn recompile token.hex -o smaller.hex")]
    Recompile(Deferred<RecompileArgs>),
    /// Run two programs side by side: same observable results? at what gas and size?
    Diff(Deferred<DiffArgs>),
    /// Show that each function of a compile does what its source says
    Prove(Deferred<Box<ProveArgs>>),
    /// Make a failing program smaller while a command still succeeds on it
    #[command(after_help = "Example:\n  cairn reduce --test '! cairn build {}' faulty.yul -o small.yul")]
    Reduce(Deferred<ReduceArgs>),
    /// Optimize Yul, source to source
    #[command(after_help = "Example:\n  cairn yul-opt token.yul")]
    YulOpt(Deferred<YulOptArgs>),
    /// Say what the code of a message means
    #[command(after_help = "Example:\n  cairn explain Y7000")]
    Explain(Deferred<ExplainArgs>),
    /// Print a shell completion script
    #[command(after_help = "Example:\n  source <(cairn completions bash)")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Work on codes for a data set: what `analyze`, `lift` and `recompile` start
    #[command(hide = true)]
    DatasetWorker,
    /// Print a manual page
    #[command(after_help = "Example:\n  cairn man build | man -l -")]
    Man(Deferred<ManArgs>),
}

/// An input file.
#[derive(Args, Debug, Clone)]
pub(crate) struct FileArgs {
    /// Input file; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Hard fork to compile for
    #[arg(long, value_name = "FORK", default_value = "osaka", value_parser = values::fork(), ignore_case = true, overrides_with = "evm_version")]
    pub(crate) evm_version: cairn_evm::Fork,
}

/// What decides the generated code.
#[derive(Args, Debug, Clone)]
pub(crate) struct CodegenArgs {
    /// Input and fork
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Optimization level; the last one counts
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = values::level(), overrides_with = "level")]
    pub(crate) level: cairn_driver::Level,
    /// Expected executions over the contract's life; prices code size against gas
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) runs: u64,
    /// Compile this object (a path, `.` between parts) instead of the outermost
    #[arg(long, value_name = "NAME")]
    pub(crate) object: Option<String>,
    /// Verify the IR after each stage and pass; the stack code is always checked
    #[arg(long)]
    pub(crate) verify: bool,
    /// Use the stackifier specification's literal rules (same as `--stackify=spec`)
    #[arg(long)]
    pub(crate) spec: bool,
    /// How the stackifier decides
    #[arg(long, value_name = "MODE", default_value = "global")]
    pub(crate) stackify: StackifyMode,
    /// How switches are lowered
    #[arg(long, value_name = "SHAPE", default_value = "cost")]
    pub(crate) switch: SwitchShape,
    /// Leave no dead word on the stack where execution halts
    #[arg(long)]
    pub(crate) strict_stack: bool,
    /// Lower structs and arrays to memory layouts instead of rejecting them
    #[arg(long)]
    pub(crate) recover: bool,
    /// Library addresses
    #[arg(long, value_name = "NAME=ADDRESS", value_delimiter = ',')]
    pub(crate) libraries: Vec<String>,
    /// Accept code that is larger than the chain deploys
    #[arg(long)]
    pub(crate) allow_oversized: bool,
    /// Leave these optimizer passes out; `cairn opt --help` has their names
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = values::pass(), hide_possible_values = true)]
    pub(crate) skip_pass: Vec<String>,
    /// Run optimizer passes on functions N times in all, then none: finds the run that breaks a
    /// program by bisection
    #[arg(long, value_name = "N")]
    pub(crate) fuel: Option<u64>,
    /// Print how long each stage took, on standard error
    #[arg(long)]
    pub(crate) time_passes: bool,
    /// Threads; 0 means one a core
    #[arg(short = 'j', value_name = "N", default_value_t = 1)]
    pub(crate) threads: usize,
}

/// How the stackifier decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StackifyMode {
    /// Global layouts weighted by frequency
    Global,
    /// The specification's literal rules
    Spec,
}

/// How switches are lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SwitchShape {
    /// The cheapest of several shapes
    Cost,
    /// The cheapest one without jumps through tables
    Tree,
    /// A cascade of comparisons
    Cascade,
}

/// `cairn build`
#[derive(Args, Debug)]
pub(crate) struct BuildArgs {
    /// Code generation
    #[command(flatten)]
    pub(crate) codegen: CodegenArgs,
    /// Further files and folders of the same project, where the first is Solidity
    #[arg(value_name = "FILE")]
    pub(crate) others: Vec<PathBuf>,
    /// Of Solidity, compile this contract (`NAME` or `FILE:NAME`) instead of all
    #[arg(long, value_name = "NAME")]
    pub(crate) contract: Option<String>,
    /// Say what was inlined, spilled or left and why, on standard error
    #[arg(long)]
    pub(crate) remarks: bool,
    /// Show that the code does what its source says; the report goes beside a file that is written
    #[arg(long, value_name = "DEMAND", num_args = 0..=1, require_equals = true, default_missing_value = "warn")]
    pub(crate) prove: Option<cairn_certify::Demand>,
    /// What to print or write: `KIND` or `KIND=PATH`, separated by commas
    ///
    /// By stage: yul, evm-ir (from the front end), legalized, canonical (optimized), stack-ir, stages,
    /// stages.json (what the stackifier decided), asm. Of the result: bin, runtime, opcodes, listing, srcmap, ethdebug, stats, cfg.text, cfg.json, cfg.dot,
    /// cfg.mermaid, cfg.svg, cfg.html (control flow of the runtime code).
    #[arg(long, value_name = "KIND[=PATH]", value_delimiter = ',', default_value = "bin", value_parser = values::emit())]
    pub(crate) emit: Vec<values::Wanted>,
}

/// `cairn man`
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Command to print the page of, instead of that of `cairn`
    pub(crate) command: Option<String>,
    /// Write the pages of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) all: Option<PathBuf>,
}

/// `cairn reduce`
#[derive(Args, Debug)]
pub(crate) struct ReduceArgs {
    /// Yul or EVM-IR; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Command that succeeds (exit code 0) on programs that show the fault; `{}` in it is the
    /// program's path, which is appended if there is none
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test: String,
}

/// `cairn legalize`, `cairn stackify`
#[derive(Args, Debug)]
pub(crate) struct StageArgs {
    /// Code generation
    #[command(flatten)]
    pub(crate) codegen: CodegenArgs,
    /// Say what was decided and why, on standard error: changes, homes of values
    #[arg(long)]
    pub(crate) explain: bool,
}

/// `cairn stackify`
#[derive(Args, Debug)]
pub(crate) struct StackifyArgs {
    /// What to decide and explain
    #[command(flatten)]
    pub(crate) stage: StageArgs,
    /// What to print
    #[arg(long, value_name = "KIND", default_value = "stack-ir")]
    pub(crate) emit: StackifyEmit,
}

/// What `cairn stackify` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StackifyEmit {
    /// The stack code
    StackIr,
    /// What was decided: blocks, lifetimes, frame, places of values, the stack behind each step, code
    Stages,
    /// The same as JSON
    #[value(name = "stages.json")]
    StagesJson,
}

/// `cairn opt`
#[derive(Args, Debug)]
pub(crate) struct OptArgs {
    /// Code generation
    #[command(flatten)]
    pub(crate) codegen: CodegenArgs,
    /// Run these passes instead of the level's
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = values::pass())]
    pub(crate) passes: Option<Vec<String>>,
}

/// `cairn verify`
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Input and fork
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Demand this form of EVM-IR
    #[arg(long, value_name = "FORM", default_value = "free")]
    pub(crate) form: IrForm,
    /// Accept structs and arrays, as `build --recover` does
    #[arg(long)]
    pub(crate) recover: bool,
    /// Reject places in memory that are integers, not pointers
    #[arg(long)]
    pub(crate) strict_pointers: bool,
}

/// Forms of EVM-IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IrForm {
    /// What front ends write
    Free,
    /// What the legalizer leaves
    Canonical,
}

/// `cairn fmt`
#[derive(Args, Debug)]
pub(crate) struct FmtArgs {
    /// Input and fork
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Rewrite the file
    #[arg(long, short = 'i', conflicts_with = "check")]
    pub(crate) in_place: bool,
    /// Print a diff of what would change, and fail if there is anything
    #[arg(long)]
    pub(crate) check: bool,
}

/// `cairn explain`
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Such as `Y7000`; without it all codes are listed
    pub(crate) code: Option<String>,
}

/// `cairn asm`
#[derive(Args, Debug)]
pub(crate) struct AsmArgs {
    /// Input and fork
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Library addresses
    #[arg(long, value_name = "NAME=ADDRESS", value_delimiter = ',')]
    pub(crate) libraries: Vec<String>,
    /// Run these clean-ups and print the assembly text
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = values::asm_pass())]
    pub(crate) passes: Option<Vec<String>>,
}

/// Forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// For people
    Text,
    /// One object with everything
    Json,
}

/// `cairn yul-opt`
#[derive(Args, Debug)]
pub(crate) struct YulOptArgs {
    /// Input file; `-` reads standard input
    #[arg(required_unless_present = "list_steps")]
    pub(crate) file: Option<PathBuf>,
    /// Hard fork to optimize for
    #[arg(long, value_name = "FORK", default_value = "osaka", value_parser = values::fork(), ignore_case = true, overrides_with = "evm_version")]
    pub(crate) evm_version: cairn_evm::Fork,
    /// Run these steps alone: letters, `[…]`, `{Name}`, `{Name:argument}`
    #[arg(long, value_name = "SEQ", conflicts_with_all = ["step", "suite"])]
    pub(crate) steps: Option<String>,
    /// Run one step
    #[arg(long, value_name = "NAME", conflicts_with = "suite")]
    pub(crate) step: Option<String>,
    /// Run the whole suite with this sequence, and this clean-up after the colon
    #[arg(long, value_name = "SEQ[:CLEANUP]")]
    pub(crate) suite: Option<String>,
    /// Names are unique already: keep them
    #[arg(long)]
    pub(crate) no_disambiguate: bool,
    /// Reject sequences that run a step on code that it must not run on
    #[arg(long)]
    pub(crate) strict_sequence: bool,
    /// Expected executions over the contract's life; prices code size against gas
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) runs: u64,
    /// Leave out debug comments
    #[arg(long)]
    pub(crate) no_debug_comments: bool,
    /// Print the steps, their letters and what they need
    #[arg(long)]
    pub(crate) list_steps: bool,
    /// Write the program after each step, and what changed, into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) trace: Option<PathBuf>,
    /// Say which step removed, added or changed what, on standard error
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Whether bytes may follow bytecode; what it does tells where neither is given.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct RoleArgs {
    /// The code creates a contract: arguments may follow it
    #[arg(long, conflicts_with = "runtime")]
    pub(crate) creation: bool,
    /// The code is that of a contract: nothing follows it
    #[arg(long)]
    pub(crate) runtime: bool,
}

impl RoleArgs {
    /// What was said.
    pub(crate) fn role(self) -> Option<cairn_bytecode::Role> {
        match self {
            RoleArgs { creation: true, .. } => Some(cairn_bytecode::Role::Creation),
            RoleArgs { runtime: true, .. } => Some(cairn_bytecode::Role::Runtime),
            RoleArgs { .. } => None,
        }
    }
}

/// A Parquet file of codes, or a folder of such, to a folder of tables.
#[derive(Args, Debug)]
pub(crate) struct DatasetArgs {
    /// Folder for the tables of a data set: the input is a Parquet file, or a folder with some. Each
    /// distinct code is worked on once; a run that was stopped goes on
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Column of a data set with codes, as bytes or hex; otherwise `runtime`, `code` or `bytecode`
    #[arg(long, value_name = "NAME", requires = "folder")]
    pub(crate) column: Option<String>,
    /// Columns of a data set that the table of rows keeps, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "folder")]
    pub(crate) keep: Vec<String>,
    /// Seconds that one code of a data set may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) row_time: u64,
    /// MiB of memory that a worker may take
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub(crate) row_memory: u64,
}

/// `cairn lift`
#[derive(Args, Debug)]
pub(crate) struct LiftArgs {
    /// What to print
    #[arg(long, value_name = "FORM", default_value = "eir", conflicts_with = "folder")]
    pub(crate) emit: LiftForm,
    /// Names functions in Yul and listings: an ABI in JSON, or a text with a signature a line. Functions
    /// of known standards have their names without
    #[arg(long, value_name = "FILE")]
    pub(crate) signatures: Option<PathBuf>,
    /// Workers of a data set; 0 means one a core
    #[arg(short = 'j', value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Input and fork
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// A whole data set
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    /// Creation or runtime code
    #[command(flatten)]
    pub(crate) role: RoleArgs,
}

/// What `cairn lift` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LiftForm {
    /// EVM-IR
    Eir,
    /// Yul with structured control flow, which builds to the same behaviour
    Yul,
    /// A text for readers: functions, variables, events, failures by name, with offsets; any code
    Listing,
}

/// `cairn analyze`
#[derive(Args, Debug)]
pub(crate) struct AnalyzeArgs {
    /// Bytecode in hex, or a batch of programs with `name` and `runtime`: one JSON object a line
    /// (.jsonl, .jsonl.gz) or columns (.parquet); `-` reads standard input
    pub(crate) file: PathBuf,
    /// A whole data set
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    /// Which facts become columns of a data set or of `--format parquet`, with commas between: codes,
    /// closed, selectors, functions, arguments, mutability, internals, blocks, edges, jumps, storage,
    /// variables, events, or all, which is what they are otherwise
    #[arg(long, value_name = "FACTS")]
    pub(crate) facts: Option<String>,
    /// Creation or runtime code
    #[command(flatten)]
    pub(crate) role: RoleArgs,
    /// How to print; a batch gives one JSON object a line unless asked otherwise
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<AnalyzeFormat>,
    /// Names functions in the text: an ABI in JSON, or a text with a signature a line. Functions of known
    /// standards have their names without
    #[arg(long, value_name = "FILE")]
    pub(crate) signatures: Option<PathBuf>,
    /// List the dominator and the post-dominator of each block in the text
    #[arg(long)]
    pub(crate) dominators: bool,
    /// Fail if the stack can run out or past 1024 words, or ways into a block have different heights
    #[arg(long)]
    pub(crate) strict: bool,
    /// Append to this file instead of printing; lines that it holds already are not done again. Tables
    /// take its place
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Threads; 0 means one a core
    #[arg(short = 'j', value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Hard fork
    #[arg(long, value_name = "FORK", default_value = "osaka", value_parser = values::fork(), ignore_case = true, overrides_with = "evm_version")]
    pub(crate) evm_version: cairn_evm::Fork,
}

/// Forms of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnalyzeFormat {
    /// For people
    Text,
    /// One object with everything
    Json,
    /// One row a program
    Jsonl,
    /// A table with a row a program and a column for each kind of facts; needs `--output`
    Parquet,
}

/// `cairn cfg`
#[derive(Args, Debug)]
pub(crate) struct CfgArgs {
    /// Input and fork
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Creation or runtime code
    #[command(flatten)]
    pub(crate) role: RoleArgs,
    /// How to draw
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CfgFormat,
}

/// Forms of a control-flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CfgFormat {
    /// Blocks with their code and edges
    Text,
    /// One object with everything
    Json,
    /// For Graphviz
    Dot,
    /// For Mermaid
    Mermaid,
    /// A picture
    Svg,
    /// A page to walk around in
    Html,
}

/// `cairn recompile`
#[derive(Args, Debug)]
pub(crate) struct RecompileArgs {
    /// Code generation
    #[command(flatten)]
    pub(crate) codegen: CodegenArgs,
    /// A whole data set
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    /// Creation or runtime code
    #[command(flatten)]
    pub(crate) role: RoleArgs,
}
