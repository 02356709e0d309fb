//! `irOptimized`: the Yul after the Yul optimizer. Cairn's own code does not come from it.

use cairn_diag::FileId;
use cairn_driver::Level;
use cairn_evm::Fork;
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{NoObserver, Options, optimize};

/// The Yul of a contract, optimized at every level but -O0; `None` for what is no Yul.
pub(crate) fn optimized(yul: &str, fork: Fork, level: Level, runs: u64) -> Option<String> {
    let dialect = Dialect::new(fork);
    let parsed = parse(yul, FileId(0), &dialect);
    let (mut object, mut names) = (parsed.object.filter(|_| !parsed.diagnostics.has_errors())?, parsed.names);
    if level != Level::O0 {
        let options = Options { runs, ..Options::default() };
        optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver).ok()?;
    }
    Some(print_object(&object, &names, &dialect, DebugComments::Print) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yul_is_optimized_but_at_the_lowest_level() {
        let text = |level| optimized("{ sstore(0, add(1, 2)) }", Fork::Cancun, level, 200).unwrap();
        assert!(text(Level::O2).contains("sstore(0, 3)"), "{}", text(Level::O2));
        assert!(text(Level::O0).contains("add(1, 2)"), "{}", text(Level::O0));
        assert_eq!(optimized("{", Fork::Cancun, Level::O2, 200), None);
    }
}
