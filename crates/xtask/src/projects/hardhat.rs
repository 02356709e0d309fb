//! The examples for Hardhat 3 and 2: tests at each level, and what must be as with solc.
//!
//! Coverage is compared file by file, since Hardhat counts it in sources that it changes itself, and so are
//! the traces of Hardhat 2: how it explains the failing calls of `scripts/traces.ts`, frame by frame, without
//! optimizer. Those are what tells whether source maps, jumps' marks and the places of reverts are solc's.

use super::list::EXAMPLES_SOLC;
use super::one_example::{copy_of, test};
use super::options::Request;
use super::tools::{NODE, Tools, npm_install};
use crate::project::{Outcome, read, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One of the examples.
struct Example {
    name: &'static str,
    /// Hardhat's program, below the example.
    program: &'static str,
    /// Arguments that count coverage, and the file it is written to.
    coverage: (&'static [&'static str], &'static str),
    /// A script that prints how failing calls are explained.
    traces: Option<&'static str>,
}

const EXAMPLES: [Example; 2] = [
    Example {
        name: "hardhat",
        program: "node_modules/hardhat/dist/src/cli.js",
        coverage: (&["test", "--coverage"], "coverage/lcov.info"),
        traces: None,
    },
    Example {
        name: "hardhat2",
        program: "node_modules/hardhat/internal/cli/bootstrap.js",
        coverage: (&["coverage"], "coverage.json"),
        traces: Some("scripts/traces.ts"),
    },
];

/// Runs both; the names of what failed. What can't be installed is skipped with a word.
///
/// # Errors
/// A file can't be read or written, a program not started.
pub(super) fn run(request: &Request, tools: &Tools, compiler: &Path, folder: &Path) -> Outcome<Vec<String>> {
    let mut failed = Vec::new();
    for example in &EXAMPLES {
        let place = copy_of(example.name, folder)?;
        let package = read(&root().join("examples").join(example.name).join("package.json"))?;
        let package = serde_json::from_str(&package).map_err(|error| error.to_string())?;
        let installed = npm_install(tools.npm(), &place, &package);
        if let Err(reason) = installed {
            println!("examples/{}: skipped, {reason}", example.name);
        } else if tools.has_new_node() {
            failed.extend(Installed { example, place, tools, compiler }.run(request)?);
        } else {
            println!("examples/{}: skipped, no node {NODE}", example.name);
        }
    }
    Ok(failed)
}

/// An example whose packages are there.
struct Installed<'a> {
    example: &'a Example,
    place: PathBuf,
    tools: &'a Tools,
    compiler: &'a Path,
}

impl Installed<'_> {
    fn run(&self, request: &Request) -> Outcome<Vec<String>> {
        let mut failed = Vec::new();
        for level in &request.levels {
            self.clean()?;
            let mut command = self.hardhat(&["test"]);
            command.env("SOLC", self.compiler);
            failed.extend(test(command, self.tools, &self.name(&format!("-O{level}")), level)?);
        }
        let (arguments, result) = self.example.coverage;
        let coverage = self.compare("coverage", arguments, |place, _| read(&place.join(result)))?;
        let traces = |script| self.compare("traces", &["run", script], |_, said| Ok(said.to_owned()));
        failed.extend(coverage.into_iter().chain(self.example.traces.map(traces).transpose()?.flatten()));
        Ok(failed)
    }

    fn name(&self, what: &str) -> String {
        format!("examples/{} {what}", self.example.name)
    }

    fn hardhat(&self, arguments: &[&str]) -> Command {
        let mut command = self.tools.command("node");
        command.arg(self.example.program).args(arguments).current_dir(&self.place);
        command.env("HARDHAT_DISABLE_TELEMETRY_PROMPT", "true");
        command
    }

    /// Removes what an earlier compiler made: Hardhat does not see that another one is in its place.
    fn clean(&self) -> Outcome {
        let folders = ["artifacts", "cache", "coverage"].map(|name| self.place.join(name));
        folders.into_iter().filter(|folder| folder.exists()).try_for_each(|folder| {
            std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
        })
    }

    /// Runs Hardhat with solc and with Cairn, without optimizer; the name of what is not the same in `result`,
    /// which gets the folder and what was said.
    fn compare(
        &self,
        what: &str,
        arguments: &[&str],
        result: impl Fn(&Path, &str) -> Outcome<String>,
    ) -> Outcome<Option<String>> {
        let name = self.name(what);
        let solc = self.tools.soljson(EXAMPLES_SOLC).join("soljson.js");
        let mut results = Vec::new();
        for compiler in [&solc, self.compiler] {
            self.clean()?;
            let mut command = self.hardhat(arguments);
            command.env("SOLC", compiler).env("OPTIMIZE", "0");
            command.env("CAIRN_SOLC", self.tools.soljson(EXAMPLES_SOLC)).env_remove("CAIRN_LEVEL");
            let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
            if !output.status.success() {
                println!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
                return Ok(Some(name));
            }
            results.push(result(&self.place, &String::from_utf8_lossy(&output.stdout))?);
        }
        Ok(differing(&name, &results[0], &results[1]))
    }
}

/// Says whether both texts are the same, and the lines that are not; the name where they differ.
fn differing(name: &str, solc: &str, cairn: &str) -> Option<String> {
    if solc == cairn {
        println!("{name}: the same with solc and Cairn, {} lines", solc.lines().count());
        return None;
    }
    println!("{name}: differs");
    let rows = solc.lines().count().max(cairn.lines().count());
    let line = |text: &str, row| text.lines().nth(row).unwrap_or("").to_owned();
    for row in (0..rows).filter(|row| line(solc, *row) != line(cairn, *row)) {
        println!("  {}: {} with solc, {}", row + 1, line(solc, row), line(cairn, row));
    }
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_fail() {
        assert_eq!(differing("traces", "a\nb\n", "a\nb\n"), None);
        assert_eq!(differing("traces", "a\nb\n", "a\nc\n"), Some("traces".into()));
        assert_eq!(differing("traces", "a\nb\n", "a\n"), Some("traces".into()));
    }

    #[test]
    fn each_example_is_there() {
        for example in &EXAMPLES {
            let place = root().join("examples").join(example.name);
            assert!(place.join("package.json").exists(), "{}", example.name);
            assert!(example.traces.is_none_or(|script| place.join(script).exists()), "{}", example.name);
        }
    }
}
