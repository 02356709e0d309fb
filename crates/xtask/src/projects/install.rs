//! Installs a project: the files of its npm package, what they import, `foundry.toml`.

use super::list::{Edit, Project};
use super::must_fail;
use super::tools::npm_install;
use crate::project::{Outcome, files, output, read, write};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Settings of all projects. forge's own caches and results stay in the project's folder.
const COMMON: &[&str] = &[
    "auto_detect_solc = false",
    "optimizer = true",
    "bytecode_hash = 'none'",
    "fs_permissions = [{ access = 'read-write', path = './' }]",
    "allow_internal_expect_revert = true",
];

/// Sections of all projects. Tests name the profiles of their project in comments.
const SECTIONS: &str = "[fuzz]\nruns = 64\n\n[invariant]\nruns = 16\ndepth = 50\n\n\
    [lint]\nlint_on_build = false\n\n[profile.pr]\n\n[profile.ci]\n\n[profile.debug]\n";

/// What npm installs for forge's library of tests where a package wants it from a repository of sources, which npm
/// cannot always reach. Imports of it go by remappings.
const FORGE_STD: &str = "npm:@layerzerolabs/toolbox-foundry@0.1.13";

/// Installs what is missing and returns the project's folder.
///
/// # Errors
/// npm can't install it, or a file can't be written.
pub(crate) fn install(project: &Project, folder: &Path) -> Outcome<PathBuf> {
    let place = folder.join(project.folder);
    npm_install(Command::new("npm"), &place, &package(project))?;
    if !place.join("copied").exists() {
        copy(&unpack(project.package, &place)?.join(project.within), &place)?;
        match project.edit {
            Edit::MustFail => edit(&place.join("src"), must_fail::rewrite)?,
            Edit::LaterSolc => edit(&place, accept_later)?,
        }
        write(&place.join("copied"), "")?;
    }
    // forge takes the package's own file before the settings.
    if project.settings.iter().any(|line| line.starts_with("remappings")) {
        write(&place.join("remappings.txt"), "")?;
    }
    write(&place.join("foundry.toml"), &configuration(project))?;
    Ok(place)
}

fn package(project: &Project) -> Value {
    let mut dependencies = json!({});
    for package in project.dependencies {
        let name = package_name(package);
        dependencies[name] = package[name.len() + 1..].into();
    }
    let overrides = json!({ "ds-test": FORGE_STD, "forge-std": FORGE_STD });
    json!({ "private": true, "dependencies": dependencies, "overrides": overrides })
}

/// Downloads a package without what it depends on, which may come from elsewhere than npm; returns
/// the folder of its files.
fn unpack(package: &str, place: &Path) -> Outcome<PathBuf> {
    let folder = place.join("package");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--loglevel=error", package]).current_dir(&folder);
    let name = output(npm)?;
    let mut tar = Command::new("tar");
    tar.args(["xzf", name.lines().last().unwrap_or("").trim()]).current_dir(&folder);
    output(tar)?;
    Ok(folder.join("package"))
}

/// `@a/b` of `@a/b@1.0.0`, `a` of `a@npm:@b/c@1.0.0`.
fn package_name(package: &str) -> &str {
    let version = package.match_indices('@').find(|(at, _)| *at > 0);
    version.map_or(package, |(at, _)| &package[..at])
}

fn configuration(project: &Project) -> String {
    let lines: Vec<&str> = COMMON.iter().chain(project.settings).copied().collect();
    format!("[profile.default]\n{}\n\n{SECTIONS}", lines.join("\n"))
}

/// Copies a folder's files, except what npm and forge write beside them. What lies deeper is the
/// project's own: its scripts have a `package.json` of theirs.
pub(crate) fn copy(from: &Path, to: &Path) -> Outcome {
    const OWN: [&str; 4] = ["package.json", "node_modules", "out", "foundry-out"];
    copy_except(from, to, &OWN)
}

fn copy_except(from: &Path, to: &Path, left_out: &[&str]) -> Outcome {
    let fault = |error: std::io::Error| format!("{}: {error}", from.display());
    for entry in std::fs::read_dir(from).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if left_out.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if source.is_dir() {
            std::fs::create_dir_all(&target).map_err(fault)?;
            copy_except(&source, &target, &[])?;
        } else {
            std::fs::copy(&source, &target).map_err(fault)?;
        }
    }
    Ok(())
}

/// `pragma solidity 0.8.26;` as `pragma solidity ^0.8.26;`.
fn accept_later(text: &str) -> String {
    text.replace("pragma solidity 0.", "pragma solidity ^0.")
        .replace("pragma solidity =0.", "pragma solidity ^0.")
}

fn edit(folder: &Path, change: fn(&str) -> String) -> Outcome {
    for path in files(folder, &["sol"])? {
        let text = read(&path)?;
        let new = change(&text);
        if new != text {
            write(&path, &new)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::list::PROJECTS;

    #[test]
    fn names_are_before_versions() {
        assert_eq!(package_name("@a/b@1.0.0"), "@a/b");
        assert_eq!(package_name("solmate@6.8.0"), "solmate");
        assert_eq!(package_name("a@npm:@b/c@1.0.0"), "a");
        assert_eq!(package_name("@a/b"), "@a/b");
        for project in PROJECTS {
            let versions = package(project)["dependencies"].as_object().expect("an object").len();
            assert_eq!(versions, project.dependencies.len(), "{}", project.name);
        }
    }

    #[test]
    fn exact_pragmas_accept_later_versions() {
        assert_eq!(accept_later("pragma solidity =0.8.2;"), "pragma solidity ^0.8.2;");
        assert_eq!(accept_later("pragma solidity 0.8.2;"), "pragma solidity ^0.8.2;");
        assert_eq!(accept_later("pragma solidity >=0.8.2;"), "pragma solidity >=0.8.2;");
    }

    #[test]
    fn what_npm_and_forge_write_is_not_copied() {
        let (from, to) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for name in ["src/a.sol", "out/a.json", "package.json", "scripts/package.json"] {
            write(&from.path().join(name), "function testFailX() public {}").expect("written");
        }
        copy(from.path(), to.path()).expect("copied");
        assert!(to.path().join("src/a.sol").exists());
        assert!(!to.path().join("out").exists() && !to.path().join("package.json").exists());
        assert!(to.path().join("scripts/package.json").exists(), "npm runs scripts by it");
        edit(&to.path().join("src"), must_fail::rewrite).expect("edited");
        assert!(read(&to.path().join("src/a.sol")).expect("text").contains("test_MustFailX"));
    }
}
