//! What a build can give besides bytecode.

use crate::excess::Excess;
use crate::picture::CfgForm;
use std::fmt;
use std::str::FromStr;

/// A kind of artifact (`--emit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Emit {
    /// Creation bytecode in hex.
    Bin,
    /// Runtime bytecode in hex: the first nested object that is not metadata.
    Runtime,
    /// Assembly after all passes.
    Asm,
    /// Stack code as it leaves the stackifier.
    StackIr,
    /// What the stackifier decided, stage by stage.
    Stages,
    /// The same as JSON.
    StagesJson,
    /// EVM-IR as it leaves the front end.
    EvmIr,
    /// Canonical EVM-IR as the legalizer leaves it.
    Legalized,
    /// Canonical EVM-IR as the stackifier takes it: optimized.
    Canonical,
    /// The parsed Yul, printed.
    Yul,
    /// Opcodes in a row.
    Opcodes,
    /// Listing with offsets, bytes and assembly.
    Listing,
    /// Source map of the creation code, in solc's format.
    Srcmap,
    /// Debug information in the ethdebug format: sources and one program for each piece of code.
    Ethdebug,
    /// Sizes and counts as JSON.
    Stats,
    /// Control flow of the runtime code; of all code where nothing is deployed.
    Cfg(CfgForm),
}

impl Emit {
    /// Every kind.
    pub const ALL: [Emit; 21] = [
        Emit::Bin,
        Emit::Runtime,
        Emit::Asm,
        Emit::StackIr,
        Emit::Stages,
        Emit::StagesJson,
        Emit::EvmIr,
        Emit::Legalized,
        Emit::Canonical,
        Emit::Yul,
        Emit::Opcodes,
        Emit::Listing,
        Emit::Srcmap,
        Emit::Ethdebug,
        Emit::Stats,
        Emit::Cfg(CfgForm::Text),
        Emit::Cfg(CfgForm::Json),
        Emit::Cfg(CfgForm::Dot),
        Emit::Cfg(CfgForm::Mermaid),
        Emit::Cfg(CfgForm::Svg),
        Emit::Cfg(CfgForm::Html),
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Emit::Bin => "bin",
            Emit::Runtime => "runtime",
            Emit::Asm => "asm",
            Emit::StackIr => "stack-ir",
            Emit::Stages => "stages",
            Emit::StagesJson => "stages.json",
            Emit::EvmIr => "evm-ir",
            Emit::Legalized => "legalized",
            Emit::Canonical => "canonical",
            Emit::Yul => "yul",
            Emit::Opcodes => "opcodes",
            Emit::Listing => "listing",
            Emit::Srcmap => "srcmap",
            Emit::Ethdebug => "ethdebug",
            Emit::Stats => "stats",
            Emit::Cfg(CfgForm::Text) => "cfg.text",
            Emit::Cfg(CfgForm::Json) => "cfg.json",
            Emit::Cfg(CfgForm::Dot) => "cfg.dot",
            Emit::Cfg(CfgForm::Mermaid) => "cfg.mermaid",
            Emit::Cfg(CfgForm::Svg) => "cfg.svg",
            Emit::Cfg(CfgForm::Html) => "cfg.html",
        }
    }
}

impl fmt::Display for Emit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Emit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Emit::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = Emit::ALL.iter().map(|kind| kind.name()).collect();
            format!("unknown artifact `{name}`; known are {}", known.join(" "))
        })
    }
}

/// Artifacts of one build, in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Artifacts {
    list: Vec<(Emit, String)>,
    /// With [`Options::explain`](crate::Options::explain): where the stackifier keeps each value and why.
    pub explanation: String,
    /// Code that is too large to be deployed.
    pub excess: Vec<Excess>,
}

impl Artifacts {
    /// Adds one.
    pub fn push(&mut self, kind: Emit, text: String) {
        self.list.push((kind, text));
    }

    /// The text of an artifact, if it was asked for and made.
    pub fn get(&self, kind: Emit) -> Option<&str> {
        self.list.iter().find(|(made, _)| *made == kind).map(|(_, text)| text.as_str())
    }
}
