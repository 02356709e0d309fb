//! CircularReferencesPruner: removes functions that the code outside of functions cannot reach,
//! even if they call each other.
//!
//! Needs the grouped form, so that every function stands in the outermost block. Linear.

use cairn_yul::{Block, Statement};

use crate::context::StepContext;
use crate::tools::call_graph::CallGraph;

pub(crate) fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    let reachable = CallGraph::new(code).reachable(None);
    code.statements.retain(|statement| match statement {
        Statement::Function(function) => reachable.contains(&function.name.name),
        _ => true,
    });
}
