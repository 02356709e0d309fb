//! The copy of the workspace that holds the mutants, compiled.

use super::AREAS;
use super::plan::Plan;
use super::sites::{self, Site};
use super::survivors;
use super::weave::{self, Woven};
use crate::project::{Outcome, cargo, files, output, read, root, shown};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What each test program and the probe are built with: quick to run, with all assertions.
const PROFILE: [(&str, &str); 2] =
    [("CARGO_PROFILE_DEV_OPT_LEVEL", "2"), ("CARGO_PROFILE_DEV_DEBUG", "false")];

/// Packages whose tests every mutant has to pass, beside those of its own.
const SHARED: [&str; 3] = ["cairn-cli", "cairn-driver", "cairn-filetest"];

/// Times that mutants that do not compile are dropped, at most.
const ROUNDS: usize = 12;

/// A mutant. Its number is its index plus one; zero means none.
#[derive(Clone, Debug)]
pub(super) struct Mutant {
    /// File, function and what is changed, the same while the code around stays; a number tells equal ones apart.
    pub(super) key: String,
    /// The package it is in.
    pub(super) package: &'static str,
}

/// Makes a mutant the active one of a program that is to run; none of them, if there is none here.
pub(super) fn activate(command: &mut Command, mutant: Option<usize>) {
    let number = mutant.map_or(0, |index| index + 1);
    command.env("CAIRN_MUTANT", number.to_string());
}

/// A program of tests.
#[derive(Clone, Debug)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) package: String,
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
}

/// What was built.
struct Program {
    suite: Suite,
    is_test: bool,
}

/// The copy, compiled.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) mutants: Vec<Mutant>,
    pub(super) suites: Vec<Suite>,
    /// The program that compiles inputs and prints hashes of what came out.
    pub(super) probe: PathBuf,
    /// The command line.
    pub(super) program: PathBuf,
}

/// A file with sites.
struct Source {
    path: PathBuf,
    package: &'static str,
    text: String,
    sites: Vec<Site>,
    woven: Woven,
}

/// Where the copy stands.
pub(super) fn folder() -> PathBuf {
    root().join("target/mutants/tree")
}

/// Copies, writes mutants in and compiles.
pub(super) fn prepare(plan: &Plan) -> Outcome<Tree> {
    copy_workspace()?;
    let mut sources = find_sources(plan)?;
    let (mutants, programs) = loop_until_it_compiles(&mut sources)?;
    let (tests, others): (Vec<_>, Vec<_>) = programs.into_iter().partition(|program| program.is_test);
    let named = |name| {
        let found = others.iter().find(|program| program.suite.name == name);
        found.map(|program| program.suite.program.clone()).ok_or(format!("`{name}` was not built"))
    };
    let (probe, program) = (named("fingerprint")?, named("cairn")?);
    let suites = tests.into_iter().map(|program| program.suite).collect();
    Ok(Tree { mutants, suites, probe, program })
}

/// Whether mutants are looked for in a file.
fn is_in_area(name: &str) -> bool {
    AREAS.iter().any(|(area, _)| Path::new(name).starts_with(area))
}

/// All that the repository holds, as it is now. Files that are the same are not touched.
fn copy_workspace() -> Outcome {
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    for name in output(list)?.lines() {
        let (from, to) = (root().join(name), folder().join(name));
        let Ok(new) = std::fs::read(&from) else { continue };
        if !is_in_area(name) {
            write_changed(&to, &new)?;
        }
    }
    let switch = include_str!("switch.rs.txt");
    let library = root().join("crates/evm/src/lib.rs");
    write_changed(&folder().join("crates/evm/src/lib.rs"), (read(&library)? + switch).as_bytes())
}

fn write_changed(path: &Path, bytes: &[u8]) -> Outcome {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// Those asked for again are the only ones, so that the copy compiles at once.
fn find_sources(plan: &Plan) -> Outcome<Vec<Source>> {
    let last = if plan.again { Some(survivors::last()?) } else { None };
    let is_asked = |name: &str, text: &str, site: &Site| {
        let key = |what| format!("{name} {}: {what}", site.function);
        let keys: Vec<_> = site.describe(text).into_iter().map(key).collect();
        last.as_ref().is_none_or(|last| last.iter().any(|one| keys.iter().any(|key| is_of(one, key))))
    };
    let mut sources = Vec::new();
    for (area, package) in AREAS {
        let area = root().join(area);
        let paths = if area.is_file() { vec![area] } else { files(&area, &["rs"])? };
        for path in paths {
            let text = read(&path)?;
            let name = shown(&path);
            let wanted =
                name.contains(&plan.filter) && !name.ends_with("tests.rs") && !name.ends_with("testing.rs");
            let found = if wanted { sites::find(&text) } else { Ok(Vec::new()) };
            let mut sites = found.map_err(|error| format!("{name}: {error}"))?;
            sites.retain(|site| is_asked(&name, &text, site));
            sources.push(Source { path, package, text, sites, woven: Woven::default() });
        }
    }
    Ok(sources)
}

/// Whether a mutant is one of those with this key, which a number may tell apart.
fn is_of(mutant: &str, key: &str) -> bool {
    mutant.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(" #"))
}

/// Writes the sources, compiles everything, and drops the sites at which that fails, until none does.
fn loop_until_it_compiles(sources: &mut [Source]) -> Outcome<(Vec<Mutant>, Vec<Program>)> {
    for round in 1..=ROUNDS {
        let mutants = write_sources(sources)?;
        println!("round {round}: {} mutants", mutants.len());
        let mut faults = compile_faults(&check()?);
        if faults.is_empty() {
            let messages = build()?;
            faults = compile_faults(&messages);
            if faults.is_empty() {
                return Ok((mutants, messages.iter().filter_map(program).collect()));
            }
        }
        drop_sites(sources, &faults)?;
    }
    Err(format!("mutants still do not compile after {ROUNDS} rounds"))
}

fn write_sources(sources: &mut [Source]) -> Outcome<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for source in sources {
        let mut ids = Vec::with_capacity(source.sites.len());
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for site in &source.sites {
            ids.push(mutants.len() + 1);
            for what in site.describe(&source.text) {
                let key = format!("{} {}: {what}", shown(&source.path), site.function);
                let count = seen.entry(key.clone()).or_insert(0);
                *count += 1;
                let key = if *count == 1 { key } else { format!("{key} #{count}") };
                mutants.push(Mutant { key, package: source.package });
            }
        }
        source.woven = weave::weave(&source.text, &source.sites, &ids);
        let name = shown(&source.path);
        write_changed(&folder().join(name), source.woven.text.as_bytes())?;
    }
    Ok(mutants)
}

/// Places of errors: file, relative to the copy, and byte.
fn compile_faults(messages: &[Value]) -> BTreeSet<(String, usize)> {
    let mut faults = BTreeSet::new();
    let errors = messages.iter().filter(|message| message["message"]["level"] == "error");
    for error in errors {
        let spans = error["message"]["spans"].as_array().into_iter().flatten();
        let primary = spans.filter(|span| span["is_primary"] == true);
        for span in primary {
            let byte = span["byte_start"].as_u64().unwrap_or(0) as usize;
            faults.insert((span["file_name"].as_str().unwrap_or("").to_owned(), byte));
        }
    }
    faults
}

fn drop_sites(sources: &mut [Source], faults: &BTreeSet<(String, usize)>) -> Outcome {
    for source in sources {
        let name = shown(&source.path);
        let mut dropped = BTreeSet::new();
        for (_, byte) in faults.iter().filter(|(file, _)| *file == name) {
            match (source.woven.site_at(*byte), source.woven.site_near(*byte)) {
                (Some(site), _) => _ = dropped.insert(site),
                // The borrows of a function no longer end in time.
                (None, Some(near)) => {
                    let function = &source.sites[near].function;
                    let sites = source.sites.iter().enumerate();
                    dropped
                        .extend(sites.filter(|(_, site)| site.function == *function).map(|(index, _)| index));
                }
                (None, None) => return Err(format!("{name}: does not compile at byte {byte}")),
            }
        }
        let mut index = 0;
        source.sites.retain(|_| {
            index += 1;
            !dropped.contains(&(index - 1))
        });
    }
    let elsewhere = faults.iter().find(|(file, _)| !is_in_area(file));
    elsewhere.map_or(Ok(()), |(file, _)| Err(format!("{file} does not compile")))
}

/// The program that a message of cargo says was built.
fn program(message: &Value) -> Option<Program> {
    let program = message["executable"].as_str()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let name = message["target"]["name"].as_str()?.to_owned();
    let suite = Suite { name, package: package_name(&folder)?, program: program.into(), folder };
    Some(Program { suite, is_test: message["profile"]["test"] == true })
}

/// The name in the manifest: ids of packages name the folder only where both are the same.
fn package_name(folder: &Path) -> Option<String> {
    let text = read(&folder.join("Cargo.toml")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(line.trim_matches('"').to_owned())
}

/// Checks the libraries that have mutants, which is quick; what cargo says.
fn check() -> Outcome<Vec<Value>> {
    cargo_messages(&["check", "--keep-going", "--lib"], AREAS.iter().map(|(_, package)| *package))
}

/// Compiles the tests of all packages that matter, the command line and the probe; what cargo says.
fn build() -> Outcome<Vec<Value>> {
    let arguments = ["build", "--keep-going", "--lib", "--bins", "--tests", "--examples"];
    cargo_messages(&arguments, AREAS.iter().map(|(_, package)| *package).chain(SHARED))
}

fn cargo_messages(arguments: &[&str], packages: impl Iterator<Item = &'static str>) -> Outcome<Vec<Value>> {
    let mut command = cargo(arguments);
    let packages: BTreeSet<&str> = packages.collect();
    packages.into_iter().for_each(|package| {
        command.args(["--package", package]);
    });
    command.arg("--message-format=json").current_dir(folder()).envs(PROFILE);
    // Not the one of the workspace: packages of both have the same names, and would take turns in it.
    command.env("CARGO_TARGET_DIR", root().join("target/mutants/build")).stderr(Stdio::null());
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let says_why = messages.iter().any(|message| message["message"]["level"] == "error");
    if output.status.success() || says_why {
        Ok(messages)
    } else {
        Err(format!("{command:?}: {}", output.status))
    }
}
