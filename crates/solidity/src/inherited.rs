//! Faults of a front end that are in its Yul, and so in the code that is made of it.
//!
//! What solc publishes of its code generation from Yul concerns Cairn as well where it lies in front of the Yul. A
//! contract that may have such a fault gets a warning.

use crate::message::Message;
use semver::Version;

/// TransientStorageClearingHelperCollision: transient variables came with the first of these, and the last has it
/// no more.
const CLEARS_THE_OTHER: std::ops::Range<Version> = Version::new(0, 8, 28)..Version::new(0, 8, 34);

/// What every function begins with that clears a variable; the type follows.
const CLEARS: &str = "function storage_set_to_zero_";

/// Warnings for a contract with this Yul of a front end.
pub(crate) fn warnings(version: &Version, yul: &str) -> Vec<Message> {
    // Versions between releases have the number of the next one.
    let version = Version::new(version.major, version.minor, version.patch);
    let mut found = Vec::new();
    if CLEARS_THE_OTHER.contains(&version) && types_cleared(yul).any(|ty| is_in_both_storages(yul, ty)) {
        found.push(Message::warning(format!(
            "This contract clears variables of a type of which it has transient ones and others. Where it clears \
             both, solc {version} clears one in the place of the other (TransientStorageClearingHelperCollision). \
             Use solc 0.8.34 or later."
        )));
    }
    found
}

/// The types of the variables that are cleared, as they stand in names of functions.
fn types_cleared(yul: &str) -> impl Iterator<Item = &str> {
    yul.split(CLEARS).skip(1).filter_map(|rest| Some(rest.split_once('(')?.0))
}

/// True if the contract writes to variables of the type in either storage.
fn is_in_both_storages(yul: &str, ty: &str) -> bool {
    let end = format!("_to_{ty}");
    let writes = |storage: &str| {
        let start = format!("function update_{storage}_value_");
        yul.match_indices(&start)
            .any(|(at, _)| yul[at..].split('(').next().is_some_and(|name| name.ends_with(&end)))
    };
    writes("storage") && writes("transient_storage")
}

#[cfg(test)]
mod tests {
    use super::*;

    const YUL: &str = "function update_transient_storage_value_offset_0_t_bool_to_t_bool(slot, value_0) {\n}\n\
                       function update_storage_value_offset_0_t_bool_to_t_bool(slot, value_0) {\n}\n\
                       function storage_set_to_zero_t_bool(slot, offset) {\n}\n";

    fn is_warned(version: &str, yul: &str) -> bool {
        !warnings(&version.parse().expect("a version"), yul).is_empty()
    }

    #[test]
    fn a_contract_that_clears_in_both_storages_is_named() {
        assert!(is_warned("0.8.28", YUL) && is_warned("0.8.33", YUL) && is_warned("0.8.30+commit.1", YUL));
        assert!(is_warned("0.8.31-nightly.1", YUL));
    }

    #[test]
    fn others_are_not() {
        assert!(!is_warned("0.8.27", YUL) && !is_warned("0.8.34", YUL) && !is_warned("0.8.37", YUL));
        assert!(!is_warned(
            "0.8.30",
            &YUL.replace("storage_set_to_zero_t_bool", "storage_set_to_zero_t_uint8")
        ));
        assert!(!is_warned("0.8.30", &YUL.replace("update_transient_storage", "update_other_storage")));
        assert!(!is_warned("0.8.30", &YUL.replace("update_storage_value", "read_storage_value")));
    }
}
