//! Runs sequences over objects, alone or within the suite that prepares and finishes the code.

use cairn_yul::{Block, Dialect, NameTable, Object};

use crate::context::StepContext;
use crate::contract::{ContractFault, after, check_sequence, makers};
use crate::form::Form;
use crate::sequence::{Item, MAX_ROUNDS, Sequence, SequenceError};
use crate::step::Step;
use crate::steps::function_grouper::is_grouped;
use crate::steps::{
    block_flattener, constant_optimiser, disambiguator, for_loop_init_rewriter, function_grouper,
    function_hoister, name_simplifier, stack_compressor, stack_limit_evader, var_name_cleaner,
};
use crate::tools::metrics;
use std::fmt;
use std::str::FromStr;

/// solc's default sequence since 0.8.34.
pub const DEFAULT_SEQUENCE: &str = "dfDvulfnTUtnIf xa[r]EscLM Vcul [j] Trpeul xa[r]cL viufM CTUca[r]LSsTFOtfDnca[r]Iulc \
     scCTUt viufM x[scCTUt] TOntnfDIul viufM jmul[jul] VcTOcul jmul";

/// What runs after the default sequence.
pub const DEFAULT_CLEANUP: &str = "fDnTOcmuO";

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// A sequence alone.
    Steps(Sequence),
    /// A sequence within the suite.
    Suite(Suite),
}

/// A sequence and what cleans up after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The main sequence.
    pub sequence: Sequence,
    /// What runs after it.
    pub cleanup: Sequence,
}

impl Default for Suite {
    fn default() -> Self {
        let parse = |text: &str| text.parse().expect("invariant: the default sequences are valid");
        Suite { sequence: parse(DEFAULT_SEQUENCE), cleanup: parse(DEFAULT_CLEANUP) }
    }
}

/// `main:clean-up`; without a colon the clean-up is the default one. A colon within braces is that of an argument.
impl FromStr for Suite {
    type Err = SequenceError;

    fn from_str(text: &str) -> Result<Self, SequenceError> {
        let mut is_in_braces = false;
        let colon = text.find(|letter| {
            is_in_braces = (is_in_braces || letter == '{') && letter != '}';
            letter == ':' && !is_in_braces
        });
        let Some(colon) = colon else {
            return Ok(Suite { sequence: text.parse()?, ..Suite::default() });
        };
        let behind = |fault: SequenceError| SequenceError { position: fault.position + colon + 1, ..fault };
        Ok(Suite { sequence: text[..colon].parse()?, cleanup: text[colon + 1..].parse().map_err(behind)? })
    }
}

/// What to do about steps whose needs are not met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Insert steps that meet them.
    #[default]
    Insert,
    /// Reject the sequence.
    Reject,
}

/// Options of [`optimize`].
#[derive(Clone, Debug)]
pub struct Options {
    /// What to run.
    pub plan: Plan,
    /// False when names are unique already; that is checked.
    pub disambiguates: bool,
    /// What to do about steps whose needs are not met.
    pub strictness: Strictness,
    /// Expected executions of each opcode over the life of the contract.
    pub runs: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            plan: Plan::Suite(Suite::default()),
            disambiguates: true,
            strictness: Strictness::default(),
            runs: 200,
        }
    }
}

/// Why a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is in the plan.
    Planned,
    /// What is in the plan needs it.
    Needed,
}

/// Why a program is not optimized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptimizeError {
    /// A step would run on code that it must not run on.
    Contract(ContractFault),
    /// Names were said to be unique, and are not.
    RepeatedName {
        /// The object with the name.
        object: String,
        /// What is declared more than once.
        name: String,
    },
}

impl fmt::Display for OptimizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptimizeError::Contract(fault) => fault.fmt(f),
            OptimizeError::RepeatedName { object, name } => {
                write!(f, "`{name}` is declared more than once")?;
                if !object.is_empty() {
                    write!(f, " in object `{object}`")?;
                }
                f.write_str(": names are not unique")
            }
        }
    }
}

impl std::error::Error for OptimizeError {}

/// Watches the steps.
pub trait Observer {
    /// A step has run.
    fn after_step(&mut self, object: &str, step: Step, cause: Cause, code: &Block, names: &NameTable);

    /// An object is about to be worked on.
    fn enter_object(&mut self, _object: &str, _code: &Block, _names: &NameTable) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn after_step(&mut self, _: &str, _: Step, _: Cause, _: &Block, _: &NameTable) {}
}

/// The size of code, as the heuristics see it, functions included.
pub fn code_size(code: &Block) -> usize {
    metrics::code_size_with_functions(code)
}

/// Runs the plan over an object and all objects in it.
///
/// # Errors
/// With [`Strictness::Reject`], the first step whose needs are not met. Where names are not made unique, the first
/// one that is declared twice. The object is unchanged.
pub fn optimize(
    object: &mut Object,
    names: &mut NameTable,
    dialect: &Dialect,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(), OptimizeError> {
    if options.strictness == Strictness::Reject {
        check_plan(options).map_err(OptimizeError::Contract)?;
    }
    if !options.disambiguates {
        check_names(object, names)?;
    }
    let mut pending: Vec<&mut Object> = vec![object];
    let mut is_outermost = true;
    while let Some(object) = pending.pop() {
        let is_creation = !object.is_bare && (is_outermost || !object.name.ends_with("_deployed"));
        observer.enter_object(&object.name, &object.code, names);
        let runs = if is_creation { None } else { Some(options.runs) };
        let mut runner = Runner {
            cx: context(&mut object.code, names, dialect, options, runs),
            form: initial_form(&object.code, options),
            object: &object.name,
            observer: &mut *observer,
        };
        if options.disambiguates {
            runner.observer.after_step(
                &object.name,
                disambiguator::STEP,
                Cause::Needed,
                &object.code,
                runner.cx.names,
            );
        }
        match &options.plan {
            Plan::Steps(sequence) => runner.items(&mut object.code, &sequence.items),
            Plan::Suite(suite) => runner.suite(&mut object.code, suite),
        }
        pending.extend(object.objects.iter_mut().rev());
        is_outermost = false;
    }
    Ok(())
}

/// Names are unique in each object of its own.
fn check_names(object: &Object, names: &NameTable) -> Result<(), OptimizeError> {
    if let Some(name) = disambiguator::first_repeated(&object.code) {
        let (object, name) = (object.name.to_string(), names.text(name).to_owned());
        return Err(OptimizeError::RepeatedName { object, name });
    }
    object.objects.iter().try_for_each(|inner| check_names(inner, names))
}

fn check_plan(options: &Options) -> Result<(), ContractFault> {
    match &options.plan {
        Plan::Steps(sequence) => check_sequence(sequence, Form::UNIQUE_NAMES).map(drop),
        Plan::Suite(suite) => {
            let prepared = Form::UNIQUE_NAMES | Form::HOISTED | Form::GROUPED | Form::NO_LOOP_INITS;
            let form = check_sequence(&suite.sequence, prepared)?;
            check_sequence(&suite.cleanup, form | Form::GROUPED).map(drop)
        }
    }
}

fn context<'a>(
    code: &mut Block,
    names: &'a mut NameTable,
    dialect: &Dialect,
    options: &Options,
    runs: Option<u64>,
) -> StepContext<'a> {
    if options.disambiguates {
        disambiguator::disambiguate(code, names, dialect, &[]);
    }
    StepContext::new(code, names, *dialect, Vec::new(), runs)
}

/// Names are unique here: they were made so, or it was checked.
fn initial_form(code: &Block, _options: &Options) -> Form {
    if is_grouped(code) { Form::UNIQUE_NAMES | Form::GROUPED } else { Form::UNIQUE_NAMES }
}

struct Runner<'a, 'o> {
    cx: StepContext<'a>,
    form: Form,
    object: &'a str,
    observer: &'o mut dyn Observer,
}

impl Runner<'_, '_> {
    fn suite(&mut self, code: &mut Block, suite: &Suite) {
        let prepare = [
            function_hoister::STEP,
            function_grouper::STEP,
            block_flattener::STEP,
            for_loop_init_rewriter::STEP,
        ];
        prepare.into_iter().for_each(|step| self.step(code, step, None));
        self.items(code, &suite.sequence.items);
        self.step(code, function_grouper::STEP, None);
        self.items(code, &suite.cleanup.items);
        let finish = [
            function_grouper::STEP,
            constant_optimiser::STEP,
            stack_compressor::STEP,
            stack_limit_evader::IN_SUITE,
        ];
        finish.into_iter().for_each(|step| self.step(code, step, None));
        // Names that went with removed code are free for the short ones.
        self.cx.forget_removed_names(code);
        [name_simplifier::STEP, var_name_cleaner::STEP]
            .into_iter()
            .for_each(|step| self.step(code, step, None));
    }

    fn items(&mut self, code: &mut Block, items: &[Item]) {
        for item in items {
            match item {
                Item::Step(call) => self.step(code, call.step, call.argument.as_deref()),
                Item::Repeat(repeated) => self.repeat(code, repeated),
            }
        }
    }

    fn repeat(&mut self, code: &mut Block, items: &[Item]) {
        let mut size = code_size(code);
        for _ in 0..MAX_ROUNDS {
            self.items(code, items);
            let new_size = code_size(code);
            if new_size == size {
                return;
            }
            size = new_size;
        }
    }

    fn step(&mut self, code: &mut Block, step: Step, argument: Option<&str>) {
        let missing = step.needs - self.form;
        for maker in makers(missing) {
            self.run(code, maker, None, Cause::Needed);
        }
        self.run(code, step, argument, Cause::Planned);
    }

    fn run(&mut self, code: &mut Block, step: Step, argument: Option<&str>, cause: Cause) {
        step.run(&mut self.cx, code, argument);
        self.form = after(self.form, step);
        if !is_grouped(code) {
            // Hoisting removes the outermost block of code when it is empty.
            self.form -= Form::GROUPED;
        }
        self.observer.after_step(self.object, step, cause, code, self.cx.names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_diag::FileId;

    fn suite(text: &str) -> Suite {
        text.parse().expect("a suite")
    }

    fn sequence(text: &str) -> Sequence {
        text.parse().expect("a sequence")
    }

    #[test]
    fn a_colon_within_braces_belongs_to_an_argument() {
        let displaced = suite("{NameDisplacer:a,b}u");
        assert_eq!(displaced.sequence, sequence("{NameDisplacer:a,b}u"));
        assert_eq!(displaced.cleanup, sequence(DEFAULT_CLEANUP));
        let both = suite("{NameDisplacer:a}u:{NameDisplacer:b}");
        assert_eq!(
            (both.sequence, both.cleanup),
            (sequence("{NameDisplacer:a}u"), sequence("{NameDisplacer:b}"))
        );
        assert_eq!(suite(":"), Suite { sequence: sequence(""), cleanup: sequence("") });
    }

    #[test]
    fn faults_behind_the_colon_have_their_position() {
        let fault = "u:uz".parse::<Suite>().expect_err("a fault");
        assert_eq!(fault.to_string(), "`z` is no step at position 4 of the sequence");
    }

    #[test]
    fn names_that_are_said_to_be_unique_are_checked() {
        let run = |text: &str, disambiguates: bool| {
            let dialect = Dialect::default();
            let parsed = cairn_yul::parse(text, FileId(0), &dialect);
            let (mut object, mut names) = (parsed.object.expect("a tree"), parsed.names);
            let options = Options { plan: Plan::Steps(sequence("f")), disambiguates, ..Options::default() };
            optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver)
                .map_err(|fault| fault.to_string())
        };
        let twice = |name: &str| Err(format!("`{name}` is declared more than once: names are not unique"));
        assert_eq!(run("{ { let a } { let a } }", false), twice("a"));
        assert_eq!(run("{ function f(x) { } function g() -> x { } }", false), twice("x"));
        assert_eq!(run("{ { function f() { } } { function f() { } } }", false), twice("f"));
        assert_eq!(run("{ { let a } { let a } }", true), Ok(()));
        assert_eq!(run("{ { let a sstore(a, a) a := 2 } { let b } }", false), Ok(()));
        let nested = r#"object "o" { code { } object "p" { code { { let a } { let a } } } }"#;
        let fault = "`a` is declared more than once in object `p`: names are not unique";
        assert_eq!(run(nested, false), Err(fault.to_owned()));
        // Objects have names of their own.
        let apart = r#"object "o" { code { let a } object "p" { code { let a } } }"#;
        assert_eq!(run(apart, false), Ok(()));
    }
}
