//! Solidity as input: solc makes Yul of it, which then goes the way of all Yul.

use super::common::{fail, usage};
use crate::Outcome;
use crate::args::BuildArgs;
use crate::output;
use crate::report;
use cairn_driver::{Input, Language};
use cairn_solidity::Environment;
use cairn_solidity::frontend::{FileAccess, end_with_this_program, find::Places};
use cairn_solidity::message::{Severity, Texts};
use cairn_solidity::project::{Contract, Project, contracts};
use std::path::{Path, PathBuf};

/// Folders of a project that hold no sources of its own.
const FOREIGN: [&str; 6] = ["node_modules", "lib", "out", "artifacts", "cache", "target"];

/// True for what is read as Solidity: a `.sol` file, or a folder of them.
pub(crate) fn is_solidity(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sol"))
}

/// One input a contract that can be deployed; `--contract` chooses among them.
pub(crate) fn inputs(args: &BuildArgs) -> Result<Vec<Input>, Outcome> {
    end_with_this_program().map_err(|error| fail(&format!("cannot wait for signals: {error}")))?;
    let paths: Vec<&Path> =
        [&args.codegen.input.file].into_iter().chain(&args.others).map(PathBuf::as_path).collect();
    let environment = environment();
    let sources = sources(&paths, &environment.access)?;
    let project = contracts(&sources, &remappings(), args.codegen.input.evm_version, &environment);
    let has_errors = show(&project);
    if has_errors {
        return Err(Outcome::Failure);
    }
    let chosen = args.contract.as_deref();
    let names = || project.contracts.iter().map(full_name).collect::<Vec<_>>().join(" ");
    let found: Vec<Input> =
        project.contracts.iter().filter(|one| is_chosen(one, chosen)).map(input).collect();
    match (found.is_empty(), chosen) {
        (true, Some(name)) => Err(fail(&format!("unknown contract `{name}`; known are {}", names()))),
        (true, None) => {
            Err(fail(&format!("{}: no contract in it can be deployed", args.codegen.input.file.display())))
        }
        (false, _) => Ok(found),
    }
}

/// Shows what the front end says; true where an error is among it.
fn show(project: &Project) -> bool {
    project.messages.iter().for_each(|message| report::information(&format!("{}\n", message.text)));
    project.messages.iter().any(|message| message.severity == Severity::Error)
}

fn full_name(contract: &Contract) -> String {
    format!("{}:{}", contract.file, contract.name)
}

fn is_chosen(contract: &Contract, chosen: Option<&str>) -> bool {
    chosen.is_none_or(|name| name == contract.name || name == full_name(contract))
}

fn input(contract: &Contract) -> Input {
    Input { name: full_name(contract), text: contract.yul.clone(), language: Language::Yul }
}

/// Imports are read from here, and from `node_modules` as Node.js does.
fn environment() -> Environment {
    let here = PathBuf::from(".");
    let packages = here.join("node_modules");
    let include_paths = if packages.is_dir() { vec![packages] } else { Vec::new() };
    let access = FileAccess { base_path: Some(here), include_paths, ..FileAccess::default() };
    Environment { places: Places::of_environment(), access, ..Environment::default() }
}

/// What `remappings.txt` says, where forge keeps it.
fn remappings() -> Vec<String> {
    let text = std::fs::read_to_string("remappings.txt").unwrap_or_default();
    text.lines().map(str::trim).filter(|line| line.contains('=')).map(str::to_owned).collect()
}

/// The texts of files, and of all `.sol` files of folders but those of other projects in them; each once.
fn sources(paths: &[&Path], access: &FileAccess) -> Result<Texts, Outcome> {
    let mut texts = Texts::new();
    for path in paths {
        for file in files(path)? {
            let text = std::fs::read_to_string(&file)
                .map_err(|error| fail(&format!("{}: {error}", file.display())))?;
            output::remember_input(&file);
            texts.insert(access.unit_name(&file), text);
        }
    }
    Ok(texts)
}

/// A Solidity file itself, or those of a folder.
fn files(path: &Path) -> Result<Vec<PathBuf>, Outcome> {
    if !is_solidity(path) {
        return Err(usage(&format!("`{}` is no Solidity, as the first input is", path.display())));
    }
    let mut found = Vec::new();
    match path.is_dir() {
        true => collect(path, &mut found).map_err(|error| fail(&format!("{}: {error}", path.display())))?,
        false => found.push(path.to_owned()),
    }
    match found.is_empty() {
        true => Err(fail(&format!("{}: the folder has no `.sol` files", path.display()))),
        false => Ok(found),
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        let is_foreign =
            FOREIGN.iter().any(|foreign| name == *foreign) || name.to_string_lossy().starts_with('.');
        if kind.is_dir() && !is_foreign {
            collect(&path, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "sol") {
            files.push(path);
        }
    }
    Ok(())
}
