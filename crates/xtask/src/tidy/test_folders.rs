//! Folders of file tests: each pass has `tests/filetests/<command>/<pass>/` with at least three files,
//! one that fires, one that must not fire, and a loop or edge case; files lie nowhere else.

use super::Fault;
use crate::project::{Outcome, files, root, shown};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/filetests";
const EXTENSIONS: [&str; 4] = ["yul", "eir", "asm", "hex"];

/// A command with passes, and what each pass of it has to have.
struct Passes {
    command: &'static str,
    names: Vec<String>,
    least: usize,
}

/// Steps of the Yul optimizer need no third file: that each does what solc's does is tested on solc's
/// own tests.
fn demanded() -> Vec<Passes> {
    let names = |names: &mut dyn Iterator<Item = &'static str>| names.map(str::to_owned).collect();
    vec![
        Passes {
            command: "asm",
            names: names(&mut cairn_asm::pipeline::all().map(|pass| pass.name)),
            least: 3,
        },
        Passes {
            command: "legalize",
            names: names(&mut cairn_legalize::PASSES.iter().map(|pass| pass.name)),
            least: 3,
        },
        Passes {
            command: "opt",
            names: names(&mut cairn_opt::pipeline::PASSES.iter().map(|pass| pass.name)),
            least: 3,
        },
        Passes {
            command: "yul-opt",
            names: names(&mut cairn_yul_opt::STEPS.iter().map(|step| step.name)),
            least: 2,
        },
    ]
}

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let folder = root().join(FOLDER);
    Ok(check_paths(&folder, &files(&folder, &EXTENSIONS)?, &demanded()))
}

/// A name without its dashes: steps of the Yul optimizer are written `FullInliner` or `full-inliner`.
fn plain(name: &str) -> String {
    name.replace('-', "").to_ascii_lowercase()
}

fn check_paths(folder: &Path, paths: &[PathBuf], demanded: &[Passes]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for path in paths {
        let relative = path.strip_prefix(folder).unwrap_or(path);
        let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        match &parts[..] {
            [command, pass, _] => *counts.entry((command.clone(), plain(pass))).or_default() += 1,
            _ => faults.push(Fault::new(shown(path), "a file test lies in `<command>/<pass>/`")),
        }
    }
    for Passes { command, names, least } in demanded {
        for name in names {
            let count = counts.get(&((*command).to_owned(), plain(name))).copied().unwrap_or(0);
            if count < *least {
                let message =
                    format!("{count} file tests; a pass has at least {least}: fires, must not fire, edge");
                faults.push(Fault::new(format!("{FOLDER}/{command}/{name}"), message));
            }
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
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let demanded = [Passes { command: "legalize", names, least: 3 }];
        let faults: Vec<String> =
            check_paths(Path::new("t"), &paths, &demanded).iter().map(Fault::to_string).collect();
        assert_eq!(
            faults,
            [
                "t/x.yul: a file test lies in `<command>/<pass>/`",
                "tests/filetests/legalize/b: 1 file tests; a pass has at least 3: fires, must not fire, edge",
                "tests/filetests/legalize/c: 0 file tests; a pass has at least 3: fires, must not fire, edge",
            ]
        );
    }
}
