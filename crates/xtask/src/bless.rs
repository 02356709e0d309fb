//! `bless`: rewrites the expected outputs of file tests.

use crate::project::{self, Outcome, cargo};

/// The variable that makes the file tests rewrite instead of compare.
const VARIABLE: &str = "CAIRN_BLESS";

/// The test targets that run file tests: package and target.
const TARGETS: [(&str, &str); 1] = [("cairn-cli", "filetests")];

/// Blesses the files whose path contains the filter.
pub(crate) fn run(filter: Option<&str>) -> Outcome {
    TARGETS.iter().try_for_each(|(package, target)| {
        let mut words = vec!["test", "--quiet", "--package", package, "--test", target, "--"];
        words.extend(filter);
        let mut command = cargo(&words);
        command.env(VARIABLE, "1");
        project::run(command)
    })
}
