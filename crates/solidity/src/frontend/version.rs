//! Which version of solc a project needs: the newest installed that satisfies all pragmas.

use crate::frontend::fault::{Cure, Fault};
use crate::frontend::installed::FrontEnd;
pub use crate::frontend::installed::OLDEST;
use crate::frontend::pragma::{Requirement, pragmas};
use semver::{BuildMetadata, Version};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The pragmas of all sources, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Text and meaning, in the order of the texts. What solc would refuse is left out.
    pragmas: Vec<(String, Requirement)>,
}

impl Needs {
    /// Reads the pragmas of these sources.
    pub fn of<S: AsRef<str>>(sources: impl IntoIterator<Item = S>) -> Needs {
        let mut texts = BTreeSet::new();
        for source in sources {
            texts.extend(pragmas(source.as_ref()));
        }
        let read = |text: String| Requirement::parse(&text).map(|requirement| (text, requirement));
        Needs { pragmas: texts.into_iter().filter_map(read).collect() }
    }

    /// Whether `version` satisfies all.
    pub fn accept(&self, version: &Version) -> bool {
        self.pragmas.iter().all(|(_, requirement)| requirement.accepts(version))
    }

    /// The newest of `installed` that satisfies all; of equals, the first. Prereleases are taken
    /// only where no release satisfies.
    ///
    /// # Errors
    /// When none does, or only versions without usable Yul do.
    pub fn choose<'a>(&self, installed: &'a [FrontEnd]) -> Result<&'a FrontEnd, Fault> {
        let mut accepted: Vec<_> =
            installed.iter().filter(|front_end| self.accept(&front_end.version)).collect();
        // The sort is stable, so equals stay in the order of preference.
        accepted.sort_by_key(|front_end| Reverse(rank(&front_end.version)));
        match accepted.first() {
            Some(best) if OLDEST <= without_build(&best.version) => Ok(*best),
            Some(best) => Err(self.too_old(&best.version)),
            None => Err(self.unsatisfied(installed)),
        }
    }

    fn too_old(&self, version: &Version) -> Fault {
        let asks =
            |(_, requirement): &&(String, Requirement)| !newer().any(|newer| requirement.accepts(&newer));
        let pragma = self.pragmas.iter().find(asks).map(|(text, _)| full(text));
        // Where newer ones would do, none is installed.
        let cure = match pragma.is_none() && newer().any(|newer| self.accept(&newer)) {
            true => Cure::Install,
            false => Cure::Modernize,
        };
        Fault::TooOld { version: without_build(version), pragma, cure }
    }

    fn unsatisfied(&self, installed: &[FrontEnd]) -> Fault {
        let mut versions: Vec<_> =
            installed.iter().map(|front_end| without_build(&front_end.version)).collect();
        versions.sort_by(|left, right| right.cmp(left));
        versions.dedup();
        let cure = match () {
            () if newer().any(|version| self.accept(&version)) => Cure::Install,
            () if older().any(|version| self.accept(&version)) => Cure::Modernize,
            () => Cure::Contradiction,
        };
        self.unsatisfied_by(versions, cure)
    }

    /// Names the pragmas that none of the versions satisfies; where there is no such, all.
    fn unsatisfied_by(&self, installed: Vec<Version>, cure: Cure) -> Fault {
        let usable = |version: &&Version| **version >= OLDEST;
        let alone = |requirement: &Requirement| {
            !installed.iter().filter(usable).any(|version| requirement.accepts(version))
        };
        let mut pragmas: Vec<_> = self
            .pragmas
            .iter()
            .filter(|(_, requirement)| alone(requirement))
            .map(|(text, _)| full(text))
            .collect();
        if pragmas.is_empty() {
            pragmas = self.pragmas.iter().map(|(text, _)| full(text)).collect();
        }
        Fault::Unsatisfied { pragmas, installed, cure }
    }
}

/// The newest of `installed` that satisfies all pragmas of the sources.
///
/// # Errors
/// When none does, or only versions without usable Yul do.
pub fn choose<S: AsRef<str>>(
    installed: &[FrontEnd],
    sources: impl IntoIterator<Item = S>,
) -> Result<&FrontEnd, Fault> {
    Needs::of(sources).choose(installed)
}

/// Reads the version in what `solc --version` prints or `soljson.js` says, as
/// `Version: 0.8.37+commit.f401782d.Linux.g++`, and cuts off the platform.
pub fn parse(text: &str) -> Option<Version> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let line = line.strip_prefix("Version:").unwrap_or(line).trim();
    let (number, build) = line.split_once('+').unwrap_or((line, ""));
    let mut version = Version::parse(number).ok()?;
    let mut parts = build.split('.');
    if parts.next() == Some("commit") {
        let commit = parts.next().filter(|commit| !commit.is_empty())?;
        version.build = BuildMetadata::new(&format!("commit.{commit}")).ok()?;
    }
    Some(version)
}

/// The version without its commit.
pub fn without_build(version: &Version) -> Version {
    Version { build: BuildMetadata::EMPTY, ..version.clone() }
}

/// Releases come before prereleases, then the newer before the older.
fn rank(version: &Version) -> (bool, Version) {
    (version.pre.is_empty(), without_build(version))
}

fn full(text: &str) -> String {
    format!("pragma solidity {text}")
}

/// Versions with usable Yul, that exist or may come.
fn newer() -> impl Iterator<Item = Version> {
    let eight = (OLDEST.patch..=200).map(|patch| Version::new(0, 8, patch));
    eight.chain((0..=50).map(|patch| Version::new(0, 9, patch))).chain([Version::new(1, 0, 0)])
}

/// Versions without usable Yul.
fn older() -> impl Iterator<Item = Version> {
    let before = (0..8).flat_map(|minor| (0..=30).map(move |patch| Version::new(0, minor, patch)));
    before.chain((0..OLDEST.patch).map(|patch| Version::new(0, 8, patch)))
}
