//! The compiler: texts and codes in, texts and codes out.

use crate::code::{Code, fork, hex_input, role};
use crate::{deep, error};
use cairn_diag::{SourceFile, Sources};
use cairn_driver::{Emit, Input, Language, Options, Session, print_module};
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{NoObserver, Plan, optimize};
use pyo3::prelude::*;

/// Texts of a build by the names of artifacts, and the diagnostics as JSON.
type Built = (Vec<(String, String)>, Vec<String>);

/// What a compilation is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    level: String,
    runs: u64,
    evm_version: Option<String>,
    language: Option<String>,
    name: String,
    object: Option<String>,
    libraries: Vec<(String, Vec<u8>)>,
    emit: Vec<String>,
}

impl Request {
    fn options(&self) -> PyResult<Options> {
        let address = |(name, bytes): &(String, Vec<u8>)| {
            let address = <[u8; 20]>::try_from(bytes.as_slice());
            let wrong = |_| error::plain(&format!("the address of library `{name}` has not 20 bytes"));
            address.map(|address| (name.clone(), address)).map_err(wrong)
        };
        Ok(Options {
            level: self.level.parse().map_err(|error: String| error::plain(&error))?,
            runs: self.runs,
            fork: fork(self.evm_version.as_deref())?,
            object: self.object.clone(),
            libraries: self.libraries.iter().map(address).collect::<PyResult<_>>()?,
            ..Options::default()
        })
    }

    fn language(&self, text: &str) -> PyResult<Language> {
        match self.language.as_deref() {
            None => Ok(Language::guess(text)),
            Some("yul") => Ok(Language::Yul),
            Some("evm-ir") => Ok(Language::EvmIr),
            Some("asm") => Ok(Language::Asm),
            Some(other) => {
                Err(error::plain(&format!("unknown language `{other}`; known are yul evm-ir asm")))
            }
        }
    }
}

/// Compiles a text.
#[pyfunction]
pub(crate) fn compile(py: Python<'_>, source: &str, request: Request) -> PyResult<Built> {
    let options = request.options()?;
    let mut session = Session::default();
    let language = request.language(source)?;
    let input = Input { name: request.name, text: source.to_owned(), language };
    let kinds: Result<Vec<Emit>, String> = request.emit.iter().map(|name| name.parse()).collect();
    let kinds = kinds.map_err(error::of)?;
    let (session, result) = deep::run(py, move |_| {
        let result = cairn_driver::build(&input, &kinds, &options, &mut session);
        let texts = result.map(|made| {
            let text = |kind: &Emit| made.get(*kind).map(|text| (kind.name().to_owned(), text.to_owned()));
            kinds.iter().filter_map(text).collect()
        });
        (session, texts)
    })?;
    let texts = result.map_err(|failure| error::of_session(&session, &failure))?;
    Ok((texts, error::json_of(&session.diagnostics, &session.sources)))
}

/// The EVM-IR of a code.
#[pyfunction]
#[pyo3(signature = (code, evm_version=None, role_name=None))]
pub(crate) fn lift(
    py: Python<'_>,
    code: Code,
    evm_version: Option<&str>,
    role_name: Option<&str>,
) -> PyResult<String> {
    let role = role(role_name)?;
    let options = Options { fork: fork(evm_version)?, ..Options::default() };
    let mut session = Session::default();
    let lifted = deep::run(py, move |_| {
        cairn_driver::lift(&code.0, role, &options, &mut session).map(|lifted| print_module(&lifted.module))
    })?;
    lifted.map_err(|reason| error::plain(&format!("it cannot be lifted: {reason}")))
}

/// A code anew: its bytes, why they are the original's, and notes.
#[pyfunction]
#[pyo3(signature = (code, level, runs, evm_version=None, role_name=None))]
pub(crate) fn recompile(
    py: Python<'_>,
    code: Code,
    level: &str,
    runs: u64,
    evm_version: Option<&str>,
    role_name: Option<&str>,
) -> PyResult<(Vec<u8>, Option<String>, Vec<String>)> {
    let level = level.parse().map_err(|error: String| error::plain(&error))?;
    let role = role(role_name)?;
    let options = Options { level, runs, fork: fork(evm_version)?, ..Options::default() };
    let mut session = Session::default();
    let (session, made) = deep::run(py, move |_| {
        let made = cairn_driver::recompile(&code.0, role, &options, &mut session);
        (session, made)
    })?;
    let made = made.map_err(|failure| error::of_session(&session, &failure))?;
    Ok((made.code, made.kept, made.notes))
}

/// Assembly text of hexadecimal digits, in which placeholders of libraries may stand.
#[pyfunction]
#[pyo3(signature = (digits, evm_version=None))]
pub(crate) fn disassemble(py: Python<'_>, digits: &str, evm_version: Option<&str>) -> PyResult<String> {
    let options = Options { fork: fork(evm_version)?, ..Options::default() };
    let mut session = Session::default();
    let input = hex_input(digits);
    let (session, text) = deep::run(py, move |_| {
        let text = cairn_driver::disassemble(&input, &options, &mut session);
        (session, text)
    })?;
    text.map_err(|failure| error::of_session(&session, &failure))
}

/// The same Yul, smaller and cheaper.
#[pyfunction]
#[pyo3(signature = (source, steps=None, runs=200, evm_version=None))]
pub(crate) fn yul_optimize(
    py: Python<'_>,
    source: &str,
    steps: Option<&str>,
    runs: u64,
    evm_version: Option<&str>,
) -> PyResult<String> {
    let mut options = cairn_yul_opt::Options { runs, ..cairn_yul_opt::Options::default() };
    if let Some(steps) = steps {
        options.plan = Plan::Steps(steps.parse().map_err(error::of::<cairn_yul_opt::SequenceError>)?);
    }
    let dialect = Dialect::new(fork(evm_version)?);
    deep::run(py, move |_| {
        let mut sources = Sources::default();
        let file = sources.add(SourceFile::new("input.yul", source));
        let parsed = parse(source, file, &dialect);
        let (Some(mut object), false) = (parsed.object, parsed.diagnostics.has_errors()) else {
            return Err(error::of_diagnostics(&parsed.diagnostics, &sources));
        };
        let mut names = parsed.names;
        optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver).map_err(error::of)?;
        Ok(print_object(&object, &names, &dialect, DebugComments::Print) + "\n")
    })?
}

/// What stands in the hexadecimal digits of code for the address of a library.
#[pyfunction]
pub(crate) fn placeholder(library: &str) -> String {
    cairn_asm::placeholder(library)
}
