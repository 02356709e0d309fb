//! A front end for tests, which answers what they say.

#![allow(dead_code, reason = "each test program takes what it needs")]

use cairn_solidity::frontend::find::Places;
use cairn_solidity::{Environment, answer};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A version that makes no Yul that is not asked for.
pub(crate) const LATEST: &str = "0.8.37+commit.f401782d";
/// One that does.
pub(crate) const EAGER: &str = "0.8.19+commit.7dd6d404";

/// A front end that keeps the request it gets and gives this answer.
pub(crate) struct Fake {
    pub(crate) folder: TempDir,
    pub(crate) environment: Environment,
}

impl Fake {
    pub(crate) fn new(given: &Value) -> Fake {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("answer"), given.to_string()).expect("a file is written");
        let chosen = folder.path().join("solc").into_os_string();
        let places = Places::of_variables(|name| match name {
            "CAIRN_SOLC" => Some(chosen.clone()),
            "PATH" => std::env::var_os("PATH"),
            _ => None,
        });
        let fake = Fake { folder, environment: Environment { places, ..Environment::default() } };
        fake.set_program(LATEST, "cat > request; cat answer");
        fake
    }

    /// Makes it a front end that says it is this version, and does this in its folder when it is asked.
    pub(crate) fn set_program(&self, version: &str, answers: &str) {
        let (folder, path) = (self.folder.path().display(), self.folder.path().join("solc"));
        let script = format!(
            "#!/bin/sh\ncd {folder}\ncase \"$1\" in --version) echo 'Version: {version}.Linux.g++'; exit;; esac\n{answers}\n"
        );
        std::fs::write(&path, script).expect("a file is written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
            .expect("it becomes a program");
    }

    pub(crate) fn answer(&self, request: &Value) -> Value {
        serde_json::from_str(&answer(&request.to_string(), &self.environment)).expect("an answer is JSON")
    }

    /// What the front end was asked.
    pub(crate) fn request(&self) -> Value {
        serde_json::from_str(
            &std::fs::read_to_string(self.folder.path().join("request")).expect("there was a request"),
        )
        .expect("it is JSON")
    }
}
