//! The Yul optimizer, source to source.

use crate::diagnostic;
use crate::error::Error;
use crate::source::Source;
use crate::thread::with_large_stack;
use cairn_diag::{SourceFile, Sources};
use cairn_driver::{Input, Language};
use cairn_evm::Fork;
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{NoObserver, Plan, SequenceError, optimize};

/// Options of the Yul optimizer: solc's default sequence for 200 runs and the newest final fork,
/// unless set otherwise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct YulOptions {
    /// Steps to run instead of the default sequence, by solc's letters.
    pub steps: Option<String>,
    /// Expected executions of the deployed code over its life; prices bytes against gas.
    pub runs: u64,
    /// Target fork.
    pub fork: Fork,
}

impl Default for YulOptions {
    fn default() -> Self {
        let own = cairn_yul_opt::Options::default();
        YulOptions { steps: None, runs: own.runs, fork: Fork::default() }
    }
}

impl YulOptions {
    /// Sets the steps.
    #[must_use]
    pub fn steps(self, letters: impl Into<String>) -> YulOptions {
        YulOptions { steps: Some(letters.into()), ..self }
    }

    /// Sets the expected executions.
    #[must_use]
    pub fn runs(self, runs: u64) -> YulOptions {
        YulOptions { runs, ..self }
    }

    /// Sets the fork.
    #[must_use]
    pub fn fork(self, fork: Fork) -> YulOptions {
        YulOptions { fork, ..self }
    }

    fn plan(&self) -> Result<Plan, Error> {
        let Some(letters) = &self.steps else { return Ok(cairn_yul_opt::Options::default().plan) };
        let steps = letters.parse().map_err(|error: SequenceError| Error::Options(error.to_string()))?;
        Ok(Plan::Steps(steps))
    }
}

/// Optimizes Yul, source to source.
///
/// ```
/// use cairn::{Source, YulOptions, optimize_yul};
///
/// let source = Source::yul("a.yul", "{ let a := add(1, 2) sstore(0, a) }");
/// let text = optimize_yul(&source, &YulOptions::default())?;
/// assert_eq!(text, "{ { sstore(0, 3) } }");
/// # Ok::<(), cairn::Error>(())
/// ```
///
/// # Errors
/// The text is faulty ([`Error::Input`]) or not Yul, or the sequence of steps is no valid one
/// ([`Error::Options`]); a fault of Cairn's own ([`Error::Internal`]).
pub fn optimize_yul(source: &Source, options: &YulOptions) -> Result<String, Error> {
    let plan = options.plan()?;
    let own = cairn_yul_opt::Options { plan, runs: options.runs, ..cairn_yul_opt::Options::default() };
    match source.input.language {
        Language::Yul => with_large_stack(|| optimize_input(&source.input, &own, Dialect::new(options.fork))),
        Language::EvmIr | Language::Asm | Language::Hex => {
            Err(Error::Options(format!("`{}` is not Yul", source.input.name)))
        }
    }
}

fn optimize_input(
    input: &Input,
    options: &cairn_yul_opt::Options,
    dialect: Dialect,
) -> Result<String, Error> {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new(input.name.clone(), input.text.clone()));
    let parsed = parse(&input.text, file, &dialect);
    let (Some(mut object), false) = (parsed.object, parsed.diagnostics.has_errors()) else {
        return Err(Error::Input(diagnostic::all(&parsed.diagnostics, &sources)));
    };
    let mut names = parsed.names;
    optimize(&mut object, &mut names, &dialect, options, &mut NoObserver)
        .map_err(|fault| Error::Options(fault.to_string()))?;
    Ok(print_object(&object, &names, &dialect, DebugComments::Print))
}
