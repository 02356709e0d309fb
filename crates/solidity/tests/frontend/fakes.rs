//! Folders with small programs that play a front end.

use cairn_solidity::frontend::{FrontEnd, Kind, Places};
use semver::Version;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A shell command that prints a version as solc does.
pub(crate) fn says(version: &str) -> String {
    format!(
        "[ \"$1\" = --version ] && printf 'solc, the solidity compiler\\nVersion: {version}.Linux.g++\\n' && exit 0"
    )
}

/// A temporary folder that programs are written into.
pub(crate) struct Folder(pub(crate) TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        fs::write(&path, text).expect("a file is written");
        path
    }

    /// A program of a few lines of shell.
    pub(crate) fn program(&self, path: &str, lines: &str) -> PathBuf {
        let path = self.file(path, &format!("#!/bin/sh\n{lines}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it becomes a program");
        path
    }

    /// npm's `solc`, whose `soljson.js` is only a name.
    pub(crate) fn package(&self, folder: &str, version: &str) -> PathBuf {
        self.file(
            &format!("{folder}/package.json"),
            &format!("{{\"name\":\"solc\",\"version\":\"{version}\"}}"),
        );
        self.file(&format!("{folder}/soljson.js"), "")
    }

    /// A `node` whose `soljson.js` says that version, then does what `lines` say.
    pub(crate) fn node(&self, version: &str, lines: &str) -> PathBuf {
        let ready = message('V', &format!("{version}.Emscripten.clang"));
        self.program("bin/node", &format!("{ready}\n{lines}"))
    }

    /// Nothing but this folder: `bin` as PATH, `home`, `cache` and `project`.
    pub(crate) fn places(&self) -> Places {
        Places {
            path: vec![self.path("bin")],
            home: Some(self.path("home")),
            data: Some(self.path("home/.local/share")),
            cache: Some(self.path("cache")),
            project: Some(self.path("project")),
            patience: Some(Duration::from_secs(120)),
            ..Places::default()
        }
    }
}

/// A shell command that prints a message as the script in `node` does.
pub(crate) fn message(kind: char, body: &str) -> String {
    let length = body.len();
    let bytes = format!("\\{:03o}\\{:03o}", length >> 8, length & 255);
    format!("printf '\\000\\377CAIRN\\000{kind}\\000\\000{bytes}%s' '{body}'")
}

pub(crate) fn native(path: &Path) -> FrontEnd {
    front_end(Kind::Native, path, "0.8.30+commit.73712a01")
}

pub(crate) fn front_end(kind: Kind, path: &Path, version: &str) -> FrontEnd {
    FrontEnd { kind, path: path.to_path_buf(), version: Version::parse(version).expect("a version") }
}
