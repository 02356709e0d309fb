//! What a step is. (Elsewhere in Cairn it would be a pass: *step* is solc's word.)
//!
//! A step has one file, which opens with its contract, and a constant `STEP` beside its code.

use cairn_yul::{Block, YulName};
use std::fmt;

use crate::context::StepContext;
use crate::form::Form;

/// A step. Its constant stands in the file that has its contract.
#[derive(Clone, Copy)]
pub struct Step {
    /// Its name, as in solc's documentation.
    pub name: &'static str,
    /// Its letter in sequences, if it has one.
    pub letter: Option<char>,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Forms without which it must not run.
    pub needs: Form,
    /// Forms that the code keeps if it had them before; all others may be lost.
    pub preserves: Form,
    /// Forms that the code has afterwards.
    pub gives: Form,
    /// Its work.
    pub(crate) run: Run,
}

/// The work of a step.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// On code.
    Plain(fn(&mut StepContext<'_>, &mut Block)),
    /// On code and the names that stand behind the colon in a sequence, separated by commas.
    OnNames(fn(&mut StepContext<'_>, &mut Block, &[YulName])),
    /// On code and the prefix that may stand behind the colon in a sequence.
    OnPrefix(fn(&mut StepContext<'_>, &mut Block, Option<&str>)),
}

impl Step {
    /// Runs the step. `argument` is what stood behind the colon in the sequence.
    pub(crate) fn run(self, cx: &mut StepContext<'_>, code: &mut Block, argument: Option<&str>) {
        match self.run {
            Run::Plain(run) => run(cx, code),
            Run::OnPrefix(run) => run(cx, code, argument),
            Run::OnNames(run) => {
                let names = argument.unwrap_or("").split(',').filter(|name| !name.is_empty());
                let names: Vec<YulName> = names.map(|name| cx.names.intern(name)).collect();
                run(cx, code, &names);
            }
        }
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        self.name == other.name
    }
}

impl Eq for Step {}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
