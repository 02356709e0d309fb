//! solc in a process of its own, which compiles one program after the other.

use cairn_evm::Fork;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/solidity/solc.cjs");
/// A process is replaced after so many programs: what solc's memory grew to stays.
const MAX_PROGRAMS: usize = 150;

/// A contract as solc gives it.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
    /// Yul.
    pub(crate) ir: String,
    /// Creation code, where it was asked for.
    pub(crate) code: Option<Vec<u8>>,
    /// By the functions' names.
    pub(crate) selectors: BTreeMap<String, [u8; 4]>,
}

/// A program as solc gives it.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) main: Contract,
    pub(crate) library: Contract,
}

/// What Cairn's code is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// solc's code.
    Solc,
    /// Cairn's at `-O0`; solc makes no code.
    Unoptimized,
}

/// The process.
pub(crate) struct Front {
    folder: String,
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    programs: usize,
}

impl Front {
    /// Starts solc of an npm package's folder.
    pub(crate) fn start(folder: &Path) -> std::io::Result<Front> {
        let mut command = Command::new("node");
        command.args(["--stack-size=4000", SCRIPT]).arg(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().expect("invariant: piped");
        let folder = folder.display().to_string();
        Ok(Front { folder, child, answers: BufReader::new(output), programs: 0 })
    }

    /// Compiles a program whose library lies at `library`.
    ///
    /// # Errors
    /// What solc says.
    pub(crate) fn compile(
        &mut self,
        text: &str,
        fork: Fork,
        library: &str,
        reference: Reference,
    ) -> Result<Compiled, String> {
        if self.programs == MAX_PROGRAMS {
            *self = Front::start(Path::new(&self.folder)).map_err(|error| error.to_string())?;
        }
        self.programs += 1;
        let request = json!({ "text": text, "fork": fork.name(), "library": library, "withCode": reference == Reference::Solc });
        let input = self.child.stdin.as_mut().expect("invariant: piped");
        writeln!(input, "{request}").map_err(|error| error.to_string())?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&line).map_err(|_| {
            // It is gone; the next program gets another one.
            self.programs = MAX_PROGRAMS;
            "solc's process ended".to_owned()
        })?;
        if let Some(error) = answer["error"].as_str() {
            return Err(error.to_owned());
        }
        let part = |name: &str| contract(&answer[name]).ok_or_else(|| format!("no contract `{name}`"));
        Ok(Compiled { main: part("main")?, library: part("library")? })
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // A process that is gone already is as good.
        let _ = self.child.wait();
    }
}

fn contract(value: &Value) -> Option<Contract> {
    let code = match value["code"].as_str() {
        Some(digits) => Some(cairn_evm::hex::decode(digits).ok()?),
        None => None,
    };
    let mut selectors = BTreeMap::new();
    for (signature, digits) in value["selectors"].as_object()? {
        let name = signature.split('(').next()?.to_owned();
        selectors.insert(name, cairn_evm::hex::decode(digits.as_str()?).ok()?.try_into().ok()?);
    }
    Some(Contract { ir: value["ir"].as_str()?.to_owned(), code, selectors })
}
