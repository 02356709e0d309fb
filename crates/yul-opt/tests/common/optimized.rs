//! A program behind the optimizer.

use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{NoObserver, Options, Plan, optimize};

/// The text of a program, which has no faults, behind a plan.
pub(crate) fn optimized(source: &str, fork: Fork, plan: Plan) -> String {
    let dialect = Dialect::new(fork);
    let parsed = parse(source, FileId(0), &dialect);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    let (mut object, mut names) = (parsed.object.expect("a tree"), parsed.names);
    let options = Options { plan, ..Options::default() };
    optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver).expect("nothing is rejected");
    print_object(&object, &names, &dialect, DebugComments::Omit)
}
