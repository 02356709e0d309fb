//! Ways to compile a project.

use super::list::Project;
use super::options::Request;
use super::tools::Tools;
use std::path::Path;
use std::process::Command;

/// Who makes the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Solc(Pipeline),
    /// `cairn-solc` at a level: `0`, `1`, `2`, `3`, `s`.
    Cairn(String),
}

/// How solc makes its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipeline {
    Legacy,
    ViaIr,
}

/// The ways for a project; the first is what the others are compared with.
pub(crate) fn of(project: &Project, request: &Request) -> Vec<Way> {
    let mut ways = Vec::new();
    if project.is_legacy_possible {
        ways.push(Way::Solc(Pipeline::Legacy));
    }
    ways.push(Way::Solc(Pipeline::ViaIr));
    ways.extend(request.levels.iter().cloned().map(Way::Cairn));
    ways
}

impl Way {
    /// `solc-legacy`, `solc-ir`, `cairn-O2`.
    pub(crate) fn name(&self) -> String {
        match self {
            Way::Solc(Pipeline::Legacy) => "solc-legacy".into(),
            Way::Solc(Pipeline::ViaIr) => "solc-ir".into(),
            Way::Cairn(level) => format!("cairn-O{level}"),
        }
    }

    /// Lets a command of forge compile in this way, with artifacts of its own.
    pub(crate) fn apply(&self, command: &mut Command, project: &Project, tools: &Tools, compiler: &Path) {
        let name = self.name();
        command.env("FOUNDRY_OUT", format!("out/{}-{name}", project.name));
        command.env("FOUNDRY_CACHE_PATH", format!("cache/{}-{name}", project.name));
        command.env("FOUNDRY_FUZZ_FAILURE_PERSIST_DIR", format!("cache/{}-{name}/fuzz", project.name));
        command
            .env("FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR", format!("cache/{}-{name}/invariant", project.name));
        match self {
            Way::Solc(pipeline) => {
                command.env("FOUNDRY_SOLC", tools.solc(project.solc));
                command.env("FOUNDRY_VIA_IR", if *pipeline == Pipeline::ViaIr { "true" } else { "false" });
            }
            Way::Cairn(level) => {
                command.env("FOUNDRY_SOLC", compiler).env("FOUNDRY_VIA_IR", "true");
                command.env("CAIRN_SOLC", tools.soljson(project.solc)).env("CAIRN_LEVEL", level);
            }
        }
    }
}
