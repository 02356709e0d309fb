//! One call gives everything: [`analyze`].

use crate::absint::{self, Subject};
use crate::analysis::Analysis;
use crate::blocks::{BlockId, Blocks};
use crate::cfg::Cfg;
use crate::find_functions::find_functions;
use crate::find_role::find_role;
use crate::jump_targets::JumpTargets;
use crate::metadata::find_metadata;
use crate::optable::table_of;
use crate::role::Role;
use crate::selectors::{entries, selectors_of};
use crate::tables::copies_of_code;
use cairn_evm::Fork;
use std::sync::OnceLock;

/// Analyses code as it runs on the newest fork.
///
/// ```
/// // PUSH1 4, JUMP, INVALID, JUMPDEST, STOP
/// let analysis = cairn_bytecode::analyze(&[0x60, 0x04, 0x56, 0xfe, 0x5b, 0x00]);
/// let starts: Vec<u32> = analysis.blocks.list().iter().map(|block| block.start).collect();
/// assert_eq!(starts, [0, 3, 4]);
/// assert!(analysis.is_closed());
/// assert_eq!(analysis.cfg.successors(0).collect::<Vec<_>>(), [2]);
/// ```
pub fn analyze(code: &[u8]) -> Analysis<'_> {
    analyze_for(code, Fork::Osaka)
}

/// Analyses code as it runs on `fork`.
pub fn analyze_for(code: &[u8], fork: Fork) -> Analysis<'_> {
    analyze_given(code, Given { fork, ..Given::default() })
}

/// What is known of code before it is analysed.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The fork that it runs on.
    pub fork: Fork,
    /// Whether bytes may follow; `None` finds out by what the code does.
    pub role: Option<Role>,
    /// Offsets of pushes whose word is filled in later, sorted.
    pub placeholders: Vec<u32>,
}

/// Analyses code of which something is known.
pub fn analyze_given(code: &[u8], given: Given) -> Analysis<'_> {
    let Given { fork, role, placeholders } = given;
    let table = table_of(fork);
    let blocks = Blocks::compute(code, &table);
    let mut subject = Subject {
        code,
        blocks: &blocks,
        table: &table,
        role: role.unwrap_or_default(),
        placeholders: &placeholders,
    };
    let mut outcome = absint::interpret(subject);
    let copies = OnceLock::new();
    if role.is_none() {
        let find_copies = || copies.get_or_init(|| copies_of_code(&subject, &outcome.reached));
        let is_inside = |copy: u32| find_copies().binary_search_by_key(&copy, |copy| copy.pc).is_ok();
        let role = find_role(&subject, &outcome.reached, &is_inside);
        if role.is_open() && outcome.asks_for_end {
            // Of what the code does that the role is known by.
            find_copies();
            outcome = absint::interpret(Subject { role, ..subject });
        }
        subject.role = role;
    }
    let role = subject.role;
    let cfg = Cfg::compute(&blocks, &outcome);
    let entries = entries(JumpTargets::known(code, &table, blocks.jumpdests()));
    let selectors = selectors_of(&entries, &blocks);
    let metadata = find_metadata(code);
    let functions = Vec::new();
    let mut analysis = Analysis {
        code,
        fork,
        role,
        metadata,
        blocks,
        cfg,
        functions,
        selectors,
        entries,
        outcome,
        table,
        placeholders,
        copies,
        reach: OnceLock::new(),
    };
    analysis.functions = find_functions(&analysis);
    let entries: Vec<BlockId> = analysis.functions.iter().map(|function| function.entry).collect();
    analysis.cfg.name_calls(&entries);
    analysis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_follow_is_asked_once_or_known_from_the_start() {
        // Each looks behind its own end, so bytes may follow it; some go there, or ask how long they are.
        let looks = "6001603f5f39";
        for rest in ["00", "603f56", "385f5500", "3856", "60", "5f3556", "600a56005b00"] {
            let code = cairn_evm::hex::decode(format!("{looks}{rest}")).expect("digits");
            let found = analyze(&code);
            assert!(found.role.is_open(), "{rest}");
            let given = analyze_given(&code, Given { role: Some(found.role), ..Given::default() });
            assert_eq!(found.cfg.edges(), given.cfg.edges(), "{rest}");
            assert_eq!(found.cfg.jumps(), given.cfg.jumps(), "{rest}");
            assert_eq!(found.outcome.heights, given.outcome.heights, "{rest}");
        }
    }
}
