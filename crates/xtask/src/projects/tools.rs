//! The programs that are tried, installed by npm: forge, cast and each solc that a project asks for.
//!
//! npm's `solc` is soljson, which forge cannot call; `solc.cjs` beside this file gives it the command
//! line of the native program.

use super::list::{EXAMPLES_SOLC, PROJECTS};
use crate::project::{Outcome, is_installed, read, write};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of forge and cast.
const FOUNDRY: &str = "1.7.1";

/// The version of node that Hardhat 3 needs.
pub(crate) const NODE: &str = "22";

/// What node runs in place of a native solc.
const SHIM: &str = include_str!("solc.cjs");

/// Installed programs.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// Installs what is missing below `folder`.
    ///
    /// # Errors
    /// The reason why it can't be: no node, no npm, no network.
    pub(crate) fn install(folder: &Path) -> Outcome<Tools> {
        node_is_installed()?;
        let tools = Tools { folder: folder.join("tools") };
        npm_install(Command::new("npm"), &tools.folder, &tools.package())?;
        for version in versions() {
            tools.write_solc(version)?;
        }
        Ok(tools)
    }

    fn package(&self) -> Value {
        let mut dependencies =
            json!({ "@foundry-rs/forge": FOUNDRY, "@foundry-rs/cast": FOUNDRY, "node": NODE });
        for version in versions() {
            dependencies[format!("solc-{version}")] = format!("npm:solc@{version}").into();
        }
        json!({
            "private": true,
            "dependencies": dependencies,
            "allowScripts": { "@foundry-rs/forge": true, "@foundry-rs/cast": true, "node": true },
        })
    }

    /// The folder of npm's package of this solc.
    pub(crate) fn soljson(&self, version: &str) -> PathBuf {
        self.folder.join(format!("node_modules/solc-{version}"))
    }

    /// A program that takes solc's command line as far as forge needs it.
    pub(crate) fn solc(&self, version: &str) -> PathBuf {
        self.folder.join(format!("solc-{version}"))
    }

    fn write_solc(&self, version: &str) -> Outcome {
        let path = self.solc(version);
        let folder = self.soljson(version).display().to_string();
        write(&path, &SHIM.replace("@FOLDER@", &folder))?;
        make_executable(&path)
    }

    /// A command of forge, cast or node. npm's own programs `forge` and `cast` end with 0 whatever
    /// happened, so those that they start are taken.
    pub(crate) fn command(&self, program: &str) -> Command {
        let native = self.native().into_iter().map(|folder| folder.join(program)).find(|path| path.exists());
        let path = native.unwrap_or_else(|| self.folder.join("node_modules/.bin").join(program));
        self.with_path(Command::new(path))
    }

    /// Folders of the programs for this machine, which npm's packages bring as packages of their own.
    fn native(&self) -> Vec<PathBuf> {
        let packages = std::fs::read_dir(self.folder.join("node_modules/@foundry-rs"));
        let folders = packages.into_iter().flatten().flatten().map(|package| package.path().join("bin"));
        let is_native = |folder: &PathBuf| ["forge", "cast"].iter().any(|name| folder.join(name).exists());
        folders.filter(is_native).collect()
    }

    /// A command that finds these programs.
    pub(crate) fn with_path(&self, mut command: Command) -> Command {
        command.env("PATH", self.path()).stdin(Stdio::null());
        command
    }

    /// npm under the new node: packages that need it are left out under an old one.
    pub(crate) fn npm(&self) -> Command {
        let mut command = Command::new("npm");
        command.env("PATH", self.path());
        command
    }

    /// Whether `node` is new enough for Hardhat 3.
    pub(crate) fn has_new_node(&self) -> bool {
        let version = self.command("node").arg("--version").output().map(|output| output.stdout);
        let text = String::from_utf8_lossy(&version.unwrap_or_default()).into_owned();
        let major = text.trim().trim_start_matches('v').split('.').next().and_then(|text| text.parse().ok());
        major.is_some_and(|major: u32| major >= NODE.parse().unwrap_or(u32::MAX))
    }

    /// The search path with these programs first.
    fn path(&self) -> OsString {
        let folders = self.native().into_iter().chain([self.folder.join("node_modules/.bin")]);
        let others = std::env::var_os("PATH").unwrap_or_default();
        let all = folders.chain(std::env::split_paths(&others));
        std::env::join_paths(all).unwrap_or(others)
    }
}

/// What a program prints, as read by `read`; what it says of faults where that is nothing.
pub(super) fn parsed<T>(
    mut command: Command,
    read: impl Fn(&str) -> BTreeMap<String, T>,
) -> Outcome<BTreeMap<String, T>> {
    let ended = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let found = read(&String::from_utf8_lossy(&ended.stdout));
    if found.is_empty() { Err(String::from_utf8_lossy(&ended.stderr).into_owned()) } else { Ok(found) }
}

/// All versions of solc that projects and examples ask for.
pub(crate) fn versions() -> BTreeSet<&'static str> {
    PROJECTS.iter().map(|project| project.solc).chain([EXAMPLES_SOLC]).collect()
}

/// Whether node and npm are there.
///
/// # Errors
/// Names the one that is not.
pub(crate) fn node_is_installed() -> Outcome {
    match ["node", "npm"].into_iter().find(|program| !is_installed(program)) {
        Some(program) => Err(format!("`{program}` is not installed")),
        None => Ok(()),
    }
}

/// Installs a package's dependencies in `folder`, unless that was done.
///
/// # Errors
/// What npm says.
pub(crate) fn npm_install(mut npm: Command, folder: &Path, package: &Value) -> Outcome {
    let (path, done) = (folder.join("package.json"), folder.join("installed"));
    let text = format!("{package:#}\n");
    if done.exists() && read(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    write(&path, &text)?;
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    let output = npm.output().map_err(|error| format!("npm: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("npm can't install: {}", text.lines().next().unwrap_or("no reason given")));
    }
    write(&done, "")
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let changed = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755));
    changed.map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Outcome {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_programs_come_before_those_of_npm() {
        let folder = tempfile::tempdir().expect("a folder");
        let tools = Tools { folder: folder.path().to_owned() };
        let wrapper = folder.path().join("node_modules/.bin/forge");
        assert_eq!(Path::new(tools.command("forge").get_program()), wrapper);
        let native = folder.path().join("node_modules/@foundry-rs/forge-linux-amd64/bin/forge");
        write(&native, "").expect("written");
        assert_eq!(Path::new(tools.command("forge").get_program()), native);
        let first = std::env::split_paths(&tools.path()).next();
        assert_eq!(first.as_deref(), native.parent());
    }
}
