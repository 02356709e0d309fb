//! Programs with calls that were recorded of them, deployed.

use crate::bench::cases;
use crate::project::{Outcome, corpus, files, read, root, shown};
use cairn_evm::hex;
use cairn_exec::{Address, Environment, Machine, Message, Prices};
use cairn_filetest::TestFile;
use cairn_filetest::exec_spec::ExecSpec;
use std::path::Path;
use std::process::Command;

/// Folder of file tests; those that are run are used.
const OWN: &str = "tests/filetests/build";
/// Suites of the corpus that have calls.
const SUITES: [&str; 2] = ["semantic", "scenario"];
/// Where code lies that is not deployed.
const CODE_ADDRESS: Address = Address::repeat_byte(0xca);
/// What a call may spend at nominal prices: a changed loop may run for ever.
const MAX_GAS: u64 = 2_000_000;

/// A program that is not compiled yet.
pub(super) struct Program {
    pub(super) name: String,
    text: String,
    environment: Environment,
    deploy: Option<Message>,
    calls: Vec<Message>,
}

/// A call, and the chain before it.
pub(super) struct Call {
    pub(super) message: Message,
    pub(super) chain: Machine,
}

/// Code on a chain, and what is called of it.
pub(super) struct Deployed {
    pub(super) address: Address,
    pub(super) code: Vec<u8>,
    pub(super) calls: Vec<Call>,
}

/// All programs of the corpus that have calls, or where there is none those of this repository.
pub(super) fn load(filter: &str) -> Outcome<Vec<Program>> {
    let mut programs = match corpus() {
        Some(_) => cases::load()?.into_iter().filter_map(of_corpus).collect(),
        None => own()?,
    };
    programs.retain(|program| program.name.contains(filter) && !program.calls.is_empty());
    Ok(programs)
}

fn of_corpus(case: cases::Case) -> Option<Program> {
    let is_chosen = SUITES.contains(&case.suite());
    let (scenario, _) = case.scenario.filter(|_| is_chosen)?;
    // Not the dearest: what is proven is what they do, not what they cost.
    let environment = Environment { prices: Prices::Nominal, ..scenario.environment };
    let (deploy, calls) = (Some(scenario.deploy), scenario.calls);
    Some(Program { name: case.name, text: case.text, environment, deploy, calls })
}

/// File tests in Yul that are run.
fn own() -> Outcome<Vec<Program>> {
    let mut programs = Vec::new();
    for path in files(&root().join(OWN), &["yul"])? {
        let Ok(file) = TestFile::parse(&path, &read(&path)?) else { continue };
        let specs: Vec<ExecSpec> = file.execs.iter().filter_map(|line| ExecSpec::parse(line).ok()).collect();
        if file.fork.is_some() {
            continue;
        }
        let deploy = specs.first().filter(|spec| spec.deploy).map(|_| Message::new(Vec::new()));
        let calls = specs.iter().map(|spec| {
            let message = Message::new(spec.calldata.clone()).with_value(spec.value);
            if spec.is_static { message.statically() } else { message }
        });
        let calls = calls.collect();
        let environment = Environment { prices: Prices::Nominal, ..Environment::default() };
        programs.push(Program { name: shown(&path), text: file.source, environment, deploy, calls });
    }
    Ok(programs)
}

impl Program {
    /// True if a selector says what is called.
    pub(super) fn has_functions(&self) -> bool {
        !self.name.starts_with(OWN)
    }

    /// Compiles and deploys it, and runs its calls one after the other; `None` if it does not come to that.
    pub(super) fn deployed(&self, cairn: &Path, level: &str, scratch: &Path) -> Outcome<Option<Deployed>> {
        let source = scratch.join("mutated.yul");
        std::fs::write(&source, &self.text).map_err(|error| error.to_string())?;
        let mut command = Command::new(cairn);
        command.args(["build", "--quiet", "-O", level]).arg(&source);
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        // Code with places for libraries is no code yet.
        let Ok(code) = hex::decode(text.trim()) else { return Ok(None) };
        let mut chain = Machine::new(self.environment.clone());
        let address = match &self.deploy {
            Some(deploy) => {
                let data = [code.as_slice(), &deploy.data].concat();
                let done = chain.deploy(&Message { data: data.into(), ..deploy.clone() });
                done.ok().and_then(|done| done.created)
            }
            None => {
                chain.set_code(CODE_ADDRESS, code);
                Some(CODE_ADDRESS)
            }
        };
        let Some(address) = address else { return Ok(None) };
        chain.set_gas_limit(MAX_GAS);
        let code = chain.code(address).to_vec();
        let mut calls = Vec::new();
        for message in &self.calls {
            calls.push(Call { message: message.clone(), chain: chain.clone() });
            if chain.call(address, message).is_err() {
                return Ok(None);
            }
        }
        Ok(Some(Deployed { address, code, calls }))
    }
}
