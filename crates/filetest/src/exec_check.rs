//! Executes the `exec:` lines of a file at several levels.

use crate::exec_spec::{ExecSpec, Status};
use crate::file::TestFile;
use cairn_driver::{Emit, Failure, Input, Language, Level, Options, Session};
use cairn_evm::Fork;
use cairn_exec::{Address, Environment, Machine, Message, Outcome};

/// Where code runs that is not deployed.
const CODE_ADDRESS: Address = Address::repeat_byte(0xca);

/// Builds the file at `-O0`, the default level and `-Os` and executes each `exec:` line on each.
///
/// # Errors
/// What differs from the expectation, and at which level.
pub(crate) fn check(file: &TestFile) -> Result<(), String> {
    if file.execs.is_empty() {
        return Ok(());
    }
    let fork: Fork = match &file.fork {
        Some(name) => name.parse().map_err(|error: cairn_evm::fork::UnknownFork| error.to_string())?,
        None => Fork::default(),
    };
    let specs =
        file.execs.iter().map(|line| ExecSpec::parse(line).map_err(|error| format!("`{line}`: {error}")));
    let specs = specs.collect::<Result<Vec<_>, _>>()?;
    for level in [Level::O0, Level::O2, Level::Os] {
        let code = build(file, level, fork)?;
        for (spec, line) in specs.iter().zip(&file.execs) {
            execute(spec, &code, fork).map_err(|error| format!("-O{level}: `{line}`: {error}"))?;
        }
    }
    Ok(())
}

fn build(file: &TestFile, level: Level, fork: Fork) -> Result<Vec<u8>, String> {
    let language = Language::of_path(&file.path).ok_or("unknown file name extension")?;
    let input = Input { name: file.path.display().to_string(), text: file.source.clone(), language };
    let options = Options { level, fork, verify: true, ..Options::default() };
    let mut session = Session::default();
    match cairn_driver::build(&input, &[Emit::Bin], &options, &mut session) {
        Ok(artifacts) => {
            cairn_evm::hex::decode(artifacts.get(Emit::Bin).unwrap_or("")).map_err(|e| e.to_string())
        }
        Err(Failure::Bug(message)) => Err(format!("-O{level}: internal fault: {message}")),
        Err(Failure::Input) => {
            let messages: Vec<&str> = session.diagnostics.iter().map(|one| one.message.as_str()).collect();
            Err(format!("-O{level}: does not build: {}", messages.join("; ")))
        }
    }
}

fn execute(spec: &ExecSpec, code: &[u8], fork: Fork) -> Result<(), String> {
    let mut machine = Machine::new(Environment { fork, ..Environment::default() });
    let mut address = CODE_ADDRESS;
    if spec.deploy {
        let deployed = machine.deploy(&Message::new(code.to_vec())).map_err(|error| error.to_string())?;
        address = deployed.created.ok_or_else(|| format!("the deployment ends with {}", deployed.status))?;
    } else {
        machine.set_code(address, code.to_vec());
    }
    let message = Message::new(spec.calldata.clone()).with_value(spec.value);
    let message = if spec.is_static { message.statically() } else { message };
    let outcome = machine.call(address, &message).map_err(|error| error.to_string())?;
    compare(spec, &outcome)?;
    for (key, value) in &spec.storage {
        let found = machine.storage(address, *key);
        if found != *value {
            return Err(format!("storage[{key:#x}] is {found:#x}"));
        }
    }
    Ok(())
}

fn compare(spec: &ExecSpec, outcome: &Outcome) -> Result<(), String> {
    let status = match outcome.status {
        cairn_exec::Status::Success => Status::Success,
        cairn_exec::Status::Revert => Status::Revert,
        cairn_exec::Status::Halt => Status::Halt,
    };
    if status != spec.status {
        return Err(format!("ends with {} {}", outcome.status, outcome.halt_reason));
    }
    if outcome.output[..] != spec.output[..] {
        return Err(format!("gives {}", outcome.output));
    }
    if spec.logs.is_some_and(|count| count != outcome.logs.len()) {
        return Err(format!("emits {} logs", outcome.logs.len()));
    }
    match spec.gas_at_most {
        Some(bound) if outcome.gas.execution > bound => Err(format!("takes {} gas", outcome.gas.execution)),
        _ => Ok(()),
    }
}
