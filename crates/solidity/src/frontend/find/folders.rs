//! The folders in which version managers and npm keep compilers.

use super::places::{Places, is_program};
use super::{Candidate, names};
use crate::frontend::installed::Kind;
use semver::Version;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What lies there, in the order of preference; nothing is run.
pub(super) fn candidates(places: &Places) -> Vec<Candidate> {
    let mut found = Vec::new();
    for folder in managed(places) {
        scan(&folder, &mut found);
    }
    for folder in modules(places) {
        packages(&folder, &mut found);
    }
    found
}

/// The folders of version managers.
fn managed(places: &Places) -> Vec<PathBuf> {
    let in_home = |path: &str| places.home.as_ref().map(|home| home.join(path));
    let in_data = |path: &str| places.data.as_ref().map(|data| data.join(path));
    let in_cache = |path: &str| places.cache.as_ref().map(|cache| cache.join(path));
    let in_python = |path: &str| places.python.as_ref().map(|python| python.join(path));
    let mut folders: Vec<Option<PathBuf>> = vec![
        // svm, which foundry uses as well.
        in_home(".svm"),
        in_data("svm"),
        in_home(".local/share/svm"),
        in_python(".solc-select/artifacts"),
        in_home(".solc-select/artifacts"),
        // py-solc-x.
        in_home(".solcx"),
    ];
    for version in ["compilers-v3", "compilers-v2"] {
        for platform in [platform(), "wasm"] {
            folders.push(in_cache(&format!("hardhat-nodejs/{version}/{platform}")));
        }
    }
    folders.into_iter().flatten().collect()
}

/// The name of this platform in the list of solc's builds.
fn platform() -> &'static str {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "aarch64") => "linux-arm64",
        ("linux", _) => "linux-amd64",
        ("macos", _) => "macosx-amd64",
        _ => "windows-amd64",
    }
}

/// Compilers in `folder`, and one folder deeper where that is named after a version.
fn scan(folder: &Path, found: &mut Vec<Candidate>) {
    for (name, path) in entries(folder) {
        if !path.is_dir() {
            found.extend(named(&name, &path, None));
            continue;
        }
        let Some(version) = names::folder(&name) else { continue };
        for (name, path) in entries(&path) {
            found.extend(named(&name, &path, Some(&version)));
        }
    }
}

/// The file as a candidate, if its name is that of a compiler whose version is known.
fn named(name: &str, path: &Path, folder: Option<&Version>) -> Option<Candidate> {
    let (kind, version) = names::file(name)?;
    let version = Some(version.or_else(|| folder.cloned())?);
    let fits = match kind {
        Kind::Native => is_program(path),
        Kind::Soljson => path.is_file(),
    };
    fits.then(|| Candidate { kind, path: path.to_path_buf(), version })
}

/// The folders with packages: the project's and those above it, then those for all projects.
fn modules(places: &Places) -> Vec<PathBuf> {
    let project = places.project.iter().flat_map(|project| project.ancestors());
    let mut folders: Vec<PathBuf> = project.map(|folder| folder.join("node_modules")).collect();
    // npm's folder stands beside the one of `node`, whose link points into it.
    if let Some(node) = places.find_node() {
        let real = node.canonicalize().ok();
        for node in [Some(node), real].into_iter().flatten() {
            folders
                .extend(node.parent().and_then(Path::parent).map(|prefix| prefix.join("lib/node_modules")));
        }
    }
    folders.extend(places.modules.iter().cloned());
    folders
}

/// `solc` and packages that stand for other versions of it (`solc-0.8.20`, `solc26`) in a folder.
fn packages(folder: &Path, found: &mut Vec<Candidate>) {
    found.extend(package(&folder.join("solc")));
    for (name, path) in entries(folder) {
        if name != "solc" && name.starts_with("solc") {
            found.extend(package(&path));
        }
    }
}

/// A folder that holds npm's `solc`.
pub(super) fn package(folder: &Path) -> Option<Candidate> {
    #[derive(Deserialize)]
    struct Package {
        version: String,
    }
    let path = folder.join("soljson.js");
    if !path.is_file() {
        return None;
    }
    let text = std::fs::read_to_string(folder.join("package.json")).ok();
    let package = text.and_then(|text| serde_json::from_str::<Package>(&text).ok());
    // Packages that were mended have versions of their own, as `0.8.26-fixed`.
    let version = package.and_then(|package| Version::parse(&package.version).ok());
    let version = version.filter(|version| version.pre.is_empty() && version.build.is_empty());
    Some(Candidate { kind: Kind::Soljson, path, version })
}

/// A file that the user names: npm's command `solcjs` stands for the `soljson.js` beside it.
pub(super) fn file(path: &Path) -> Candidate {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_script =
        |path: &Path| path.extension().is_some_and(|extension| extension == "js" || extension == "cjs");
    if !is_script(&real) {
        return Candidate { kind: Kind::Native, path: path.to_path_buf(), version: None };
    }
    let beside = real.with_file_name("soljson.js");
    let is_command = real.file_stem().is_some_and(|name| name == "solc" || name == "solcjs");
    let path = if is_command && beside.is_file() { beside } else { path.to_path_buf() };
    Candidate { kind: Kind::Soljson, path, version: None }
}

/// What lies in a folder, by name; nothing where it cannot be read.
fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = |entry: std::fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path()));
    let mut entries: Vec<_> = entries.flatten().filter_map(named).collect();
    entries.sort();
    entries
}
