//! Bytecode to Yul: lift, then raise, with what the analysis knows as comments.

use crate::options::Options;
use crate::recompile::{analyze, lift_analyzed};
use crate::session::Session;
use cairn_bytecode::standards::{known_events, known_signatures};
use cairn_bytecode::{Analysis, Role, find_touched, find_variables};
use cairn_evm::{Word, keccak256};
use cairn_lift::Observed;
use cairn_raise::{Detours, Notes, raise};
use cairn_yul::{DebugComments, Dialect, print_object};
use std::collections::BTreeMap;

/// Errors that Solidity's own checks revert with.
const ERRORS: [(u32, &str); 2] = [(0x08c3_79a0, "Error(string)"), (0x4e48_7b71, "Panic(uint256)")];

/// A program as Yul.
#[derive(Clone, Debug)]
pub struct YulText {
    /// An object.
    pub text: String,
    /// What the program learns about its own code, its gas and the code of accounts.
    pub observed: Observed,
    /// What its control flow took that no statement of Yul says.
    pub detours: Detours,
}

/// Lifts bytecode to Yul. What it does tells whether bytes may follow it, unless `role` says so.
/// `signatures` are those of functions by selector; those of known standards need not be among them.
///
/// # Errors
/// Why it cannot be lifted, or not be said in Yul.
pub fn lift_to_yul(
    code: &[u8],
    role: Option<Role>,
    signatures: &BTreeMap<u32, String>,
    options: &Options,
    session: &mut Session,
) -> Result<YulText, String> {
    let analysis = analyze(code, role, options, session);
    let lifted = lift_analyzed(&analysis, session)?;
    let dialect = Dialect::new(options.fork);
    let raised = session.timings.time("raise", || {
        let notes = notes(&analysis, signatures);
        raise(&lifted.module, &notes, &dialect)
    });
    let raised = raised.map_err(|fault| fault.to_string())?;
    let text = print_object(&raised.object, &raised.names, &dialect, DebugComments::Omit);
    Ok(YulText { text, observed: lifted.observed, detours: raised.detours })
}

/// What is known of the program's numbers.
pub(crate) fn notes(analysis: &Analysis<'_>, signatures: &BTreeMap<u32, String>) -> Notes {
    let known = known_signatures().iter().map(|(selector, text)| (*selector, *text));
    let mut selectors: BTreeMap<u32, String> =
        known.chain(ERRORS).map(|(selector, text)| (selector, text.to_owned())).collect();
    selectors.extend(signatures.iter().map(|(selector, text)| (*selector, text.clone())));
    let topic = |text: &&str| Word::from_be_bytes(keccak256(text.as_bytes()).0);
    let topics = known_events().iter().map(|text| (topic(text), (*text).to_owned())).collect();
    Notes { selectors, topics, slots: slots(analysis) }
}

/// The types of variables by slot, several in one slot with commas between.
fn slots(analysis: &Analysis<'_>) -> BTreeMap<Word, String> {
    let mut slots: BTreeMap<Word, String> = BTreeMap::new();
    for variable in find_variables(analysis, &find_touched(analysis).storage) {
        let text = slots.entry(variable.slot).or_default();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&variable.kind);
    }
    slots
}
