//! Folders of file tests: `tests/filetests/<command>/<pass>/` holds at least three files, one that
//! fires, one that must not fire, and a loop or edge case; files lie nowhere else.

use super::Fault;
use crate::project::{Outcome, files, root, shown};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/filetests";
const EXTENSIONS: [&str; 4] = ["yul", "eir", "asm", "hex"];

/// Commands whose folders are named after passes.
const PASS_COMMANDS: [&str; 2] = ["legalize", "opt"];
const FILES_A_PASS: usize = 3;

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let folder = root().join(FOLDER);
    Ok(check_paths(&folder, &files(&folder, &EXTENSIONS)?))
}

fn check_paths(folder: &Path, paths: &[PathBuf]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for path in paths {
        let relative = path.strip_prefix(folder).unwrap_or(path);
        let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        match &parts[..] {
            [command, pass, _] => *counts.entry((command.clone(), pass.clone())).or_default() += 1,
            _ => faults.push(Fault::new(shown(path), "a file test lies in `<command>/<pass>/`")),
        }
    }
    for ((command, pass), count) in counts {
        if PASS_COMMANDS.contains(&command.as_str()) && count < FILES_A_PASS {
            let message =
                format!("{count} file tests; a pass has at least {FILES_A_PASS}: fires, must not fire, edge");
            faults.push(Fault::new(format!("{FOLDER}/{command}/{pass}"), message));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_files_by_pass() {
        let paths = [
            "legalize/a/1.eir",
            "legalize/a/2.eir",
            "legalize/a/3.eir",
            "legalize/b/1.eir",
            "build/c/1.yul",
            "x.yul",
        ];
        let paths: Vec<PathBuf> = paths.iter().map(|path| Path::new("t").join(path)).collect();
        let faults: Vec<String> = check_paths(Path::new("t"), &paths).iter().map(Fault::to_string).collect();
        assert_eq!(
            faults,
            [
                "t/x.yul: a file test lies in `<command>/<pass>/`",
                "tests/filetests/legalize/b: 1 file tests; a pass has at least 3: fires, must not fire, edge",
            ]
        );
    }
}
