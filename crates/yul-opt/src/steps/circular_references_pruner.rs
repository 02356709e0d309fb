//! CircularReferencesPruner: removes functions that the code outside of functions cannot reach,
//! even if they call each other.
//!
//! Needs the grouped form, so that every function stands in the outermost block. Linear.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::call_graph::CallGraph;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "CircularReferencesPruner",
    letter: Some('l'),
    summary: "remove functions that cannot be reached",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED).union(Form::GROUPED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let reachable = CallGraph::new(code).reachable(None);
    code.statements.retain(|statement| match statement {
        Statement::Function(function) => reachable.contains(&function.name.name),
        _ => true,
    });
}
