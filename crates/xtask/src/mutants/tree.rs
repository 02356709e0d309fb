//! The copy of the workspace that holds the mutants, compiled.

use super::AREAS;
use super::plan::Plan;
use super::sites::{self, Site};
use super::weave::{self, Woven};
use crate::project::{Outcome, cargo, files, output, read, root, shown};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What each test program and the probe are built with: quick to run, with all assertions.
const PROFILE: [(&str, &str); 2] =
    [("CARGO_PROFILE_DEV_OPT_LEVEL", "2"), ("CARGO_PROFILE_DEV_DEBUG", "false")];

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

/// A program of tests.
#[derive(Clone, Debug)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) package: String,
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
}

/// The copy, compiled.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) mutants: Vec<Mutant>,
    pub(super) suites: Vec<Suite>,
    /// The program that compiles inputs and prints a hash of what came out.
    pub(super) probe: PathBuf,
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
    let mutants = loop_until_it_compiles(&mut sources)?;
    let programs = build(&["test", "--no-run", "--workspace", "--exclude", "xtask"])?;
    let probe = build(&["build", "--package", "cairn-driver", "--example", "fingerprint"])?;
    let probe =
        probe.into_iter().find(|suite| suite.name == "fingerprint").ok_or("the probe was not built")?;
    let of_interest =
        |suite: &Suite| AREAS.iter().any(|(_, package)| suite.package == *package) || is_shared(suite);
    let suites = programs.into_iter().filter(of_interest).collect();
    Ok(Tree { mutants, suites, probe: probe.program })
}

/// Suites that every mutant has to pass.
fn is_shared(suite: &Suite) -> bool {
    matches!(suite.package.as_str(), "cairn-driver" | "cairn-filetest") || suite.name == "filetests"
}

/// All that the repository holds, as it is now. Files that are the same are not touched.
fn copy_workspace() -> Outcome {
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    for name in output(list)?.lines() {
        let (from, to) = (root().join(name), folder().join(name));
        let Ok(new) = std::fs::read(&from) else { continue };
        if !AREAS.iter().any(|(area, _)| name.starts_with(area)) {
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

fn find_sources(plan: &Plan) -> Outcome<Vec<Source>> {
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
            let sites = found.map_err(|error| format!("{name}: {error}"))?;
            sources.push(Source { path, package, text, sites, woven: Woven::default() });
        }
    }
    Ok(sources)
}

/// Writes the sources, compiles, and drops the sites at which that fails, until none does.
fn loop_until_it_compiles(sources: &mut [Source]) -> Outcome<Vec<Mutant>> {
    for round in 1..=ROUNDS {
        let mutants = write_sources(sources)?;
        println!("round {round}: {} mutants", mutants.len());
        let faults = compile_faults()?;
        if faults.is_empty() {
            return Ok(mutants);
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
fn compile_faults() -> Outcome<BTreeSet<(String, usize)>> {
    let messages = cargo_messages(&["check", "--workspace", "--exclude", "xtask", "--keep-going"])?;
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
    Ok(faults)
}

fn drop_sites(sources: &mut [Source], faults: &BTreeSet<(String, usize)>) -> Outcome {
    for source in sources {
        let name = shown(&source.path);
        let mut dropped = BTreeSet::new();
        for (_, byte) in faults.iter().filter(|(file, _)| *file == name) {
            let site = source.woven.site_at(*byte);
            dropped.insert(
                site.ok_or_else(|| format!("{name}: does not compile at byte {byte}, outside any mutant"))?,
            );
        }
        let mut index = 0;
        source.sites.retain(|_| {
            index += 1;
            !dropped.contains(&(index - 1))
        });
    }
    let elsewhere = faults.iter().find(|(file, _)| !AREAS.iter().any(|(area, _)| file.starts_with(area)));
    elsewhere.map_or(Ok(()), |(file, _)| Err(format!("{file} does not compile")))
}

/// The programs that a cargo command builds.
fn build(arguments: &[&str]) -> Outcome<Vec<Suite>> {
    let messages = cargo_messages(arguments)?;
    let programs = messages.iter().filter_map(|message| {
        let program = message["executable"].as_str()?;
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let folder = manifest.parent()?.to_path_buf();
        let package = message["package_id"].as_str()?;
        let package =
            package.rsplit(['#', '/']).find(|part| !part.starts_with(|c: char| c.is_ascii_digit()))?;
        let package = package.split('@').next().unwrap_or(package);
        let name = message["target"]["name"].as_str()?.to_owned();
        Some(Suite { name, package: package_name(&folder, package)?, program: program.into(), folder })
    });
    Ok(programs.collect())
}

/// The name in the manifest: ids of packages name the folder only where both are the same.
fn package_name(folder: &Path, fallback: &str) -> Option<String> {
    let text = read(&folder.join("Cargo.toml")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("name = "));
    Some(line.map_or(fallback, |line| line.trim_matches('"')).to_owned())
}

fn cargo_messages(arguments: &[&str]) -> Outcome<Vec<Value>> {
    let mut command = cargo(arguments);
    command.arg("--message-format=json").current_dir(folder()).envs(PROFILE);
    command.env("CARGO_TARGET_DIR", root().join("target")).stderr(Stdio::null());
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
