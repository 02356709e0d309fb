//! Where front ends are found: `CAIRN_SOLC` alone where it is set, else `solc` on PATH, what
//! version managers keep, and npm's packages.
//!
//! Looking is cheap. Versions come from the names of files and folders and from `package.json`;
//! only `solc` on PATH and what has no version in its name are asked. Commits that names do not
//! tell are asked for by [`FrontEnd::complete`], for the chosen one only.

mod ask;
mod folders;
mod names;
mod places;

pub use crate::frontend::process::CALLER;
pub use places::{Cached, Places};

use crate::frontend::fault::Fault;
use crate::frontend::installed::{FrontEnd, Kind};
use crate::frontend::version::{Needs, without_build};
use std::path::{Path, PathBuf};

/// The usable front ends, in the order of preference. Their versions may lack the commit.
///
/// # Errors
/// When there is none, or when the one that `CAIRN_SOLC` names is not usable.
pub fn installed(places: &Places) -> Result<Vec<FrontEnd>, Fault> {
    if let Some(caller) = &places.caller {
        return Err(Fault::Recursive { caller: caller.clone() });
    }
    if let Some(chosen) = &places.chosen {
        return Ok(vec![chosen_one(places, chosen)?]);
    }
    let mut search = Search { places, node: places.find_node().is_some(), found: Vec::new(), fault: None };
    search.on_path();
    for candidate in folders::candidates(places) {
        search.add(candidate);
    }
    match search.fault {
        Some(fault) if search.found.is_empty() => Err(fault),
        _ if search.found.is_empty() => Err(Fault::NotFound),
        _ => Ok(search.found),
    }
}

/// The front end for these sources, with its complete version. One that turns out to be broken is
/// passed over where another serves.
///
/// # Errors
/// When there is none, none satisfies the pragmas, or those that do are broken.
pub fn for_sources<S: AsRef<str>>(
    places: &Places,
    sources: impl IntoIterator<Item = S>,
) -> Result<FrontEnd, Fault> {
    let mut installed = installed(places)?;
    let needs = Needs::of(sources);
    let mut first_fault = None;
    loop {
        let chosen = match needs.choose(&installed) {
            Ok(chosen) => chosen.clone(),
            Err(fault) => return Err(first_fault.unwrap_or(fault)),
        };
        match chosen.complete(places) {
            Ok(complete) => return Ok(complete),
            Err(fault) => {
                installed.retain(|front_end| *front_end != chosen);
                first_fault.get_or_insert(fault);
            }
        }
    }
}

impl FrontEnd {
    /// The same with its commit, which the program is asked for where its place does not tell it.
    ///
    /// # Errors
    /// When it does not run, or is another version than its place tells.
    pub fn complete(&self, places: &Places) -> Result<FrontEnd, Fault> {
        if !self.version.build.is_empty() {
            return Ok(self.clone());
        }
        let version = ask::version(places, self.kind, &self.path)?;
        if without_build(&version) != self.version {
            let told = self.version.clone();
            return Err(Fault::WrongVersion { path: self.path.clone(), told, found: version });
        }
        Ok(FrontEnd { version, ..self.clone() })
    }
}

/// A program or file that looks like a front end.
struct Candidate {
    kind: Kind,
    path: PathBuf,
    /// What its place tells.
    version: Option<semver::Version>,
}

struct Search<'a> {
    places: &'a Places,
    node: bool,
    found: Vec<FrontEnd>,
    /// Why the first candidate that is not usable is not.
    fault: Option<Fault>,
}

impl Search<'_> {
    /// The first `solc` on PATH that is not this program and works. Its version may change without
    /// its file (a wrapper that switches versions), so it is asked each time.
    fn on_path(&mut self) {
        for program in self.places.programs("solc") {
            if self.places.is_own(&program) {
                continue;
            }
            match ask::native_version(self.places, &program) {
                Ok(version) => {
                    return self.found.push(FrontEnd { kind: Kind::Native, path: program, version });
                }
                Err(fault) => {
                    self.fault.get_or_insert(fault);
                }
            }
        }
    }

    fn add(&mut self, candidate: Candidate) {
        if self.places.is_own(&candidate.path) || self.found.iter().any(|known| known.path == candidate.path)
        {
            return;
        }
        if candidate.kind == Kind::Soljson && !self.node {
            self.fault.get_or_insert(Fault::NoNode { soljson: candidate.path });
            return;
        }
        match usable(self.places, candidate) {
            Ok(front_end) => self.found.push(front_end),
            Err(fault) => {
                self.fault.get_or_insert(fault);
            }
        }
    }
}

fn usable(places: &Places, candidate: Candidate) -> Result<FrontEnd, Fault> {
    let Candidate { kind, path, version } = candidate;
    let version = match version {
        Some(version) => version,
        None => ask::version(places, kind, &path)?,
    };
    Ok(FrontEnd { kind, path, version })
}

/// What `CAIRN_SOLC` names.
fn chosen_one(places: &Places, chosen: &Path) -> Result<FrontEnd, Fault> {
    let not_usable = |why: &str| Fault::NotUsable { path: chosen.to_path_buf(), why: why.to_owned() };
    let on_path = || chosen.to_str().and_then(|name| places.programs(name).next());
    let path = match chosen.exists() {
        true => chosen.to_path_buf(),
        false => on_path().ok_or_else(|| not_usable("there is no such file or folder"))?,
    };
    if places.is_own(&path) {
        return Err(not_usable("it is this program itself"));
    }
    let candidate = if path.is_dir() {
        let inner = [path.clone(), path.join("node_modules/solc")];
        let package = inner.iter().find_map(|folder| folders::package(folder));
        package.ok_or_else(|| not_usable("the folder holds no `soljson.js`"))?
    } else {
        folders::file(&path)
    };
    if candidate.kind == Kind::Soljson && places.find_node().is_none() {
        return Err(Fault::NoNode { soljson: candidate.path });
    }
    // A name may tell a version, but the user did not choose it by that.
    usable(places, Candidate { version: candidate.version.filter(|_| path.is_dir()), ..candidate })
}
