//! Calls of accounts without code.
//!
//! Before a call whose answer has no data, solc's code asks whether there is code. Hardhat knows by the last nine
//! steps of a call that this made it fail: `EXTCODESIZE ISZERO DUP1 ISZERO`, a jump to where it goes on that is not
//! taken, and a revert of two more steps. Such steps are put in the place of the question.

/// The instructions that Hardhat looks for: they leave whether there is no code, and whether there is.
const QUESTION: &str = "verbatim_1i_2o(hex\"3b158015\", ";

/// What solc's code says when it is to say why it reverts.
const REASON: &str = "Target contract does not contain code";

/// The questions of a text.
#[derive(Debug)]
pub(super) struct Questions {
    /// None says why it reverts.
    are_plain: bool,
}

impl Questions {
    pub(super) fn of(yul: &str) -> Questions {
        Questions { are_plain: !yul.contains(REASON) }
    }

    /// What is to be written where in the line of such a question, by the offsets in it: other code, and what makes
    /// a remark of the line.
    pub(super) fn replaced(&self, line: &str) -> Option<[(usize, String); 2]> {
        let (account, failing) = line.strip_prefix("if iszero(extcodesize(")?.split_once(")) { ")?;
        let is_known = failing.starts_with("revert_error_") && failing.ends_with("() }");
        let is_word = account.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_known || !is_word || !self.are_plain {
            return None;
        }
        // The first word is the place of no bytes: it costs the step that the second zero would.
        let failing = "if iszero(has_code) { revert(has_none, 0) }";
        let code = format!("{{ let has_none, has_code := {QUESTION}{account}) {failing} }} /* ");
        Some([(0, code), (line.len(), " */".to_owned())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_asked_in_other_words() {
        let line = "if iszero(extcodesize(expr_1_address)) { revert_error_0cc0() }";
        let mut text = line.to_owned();
        for (at, more) in Questions::of(line).replaced(line).expect("it is such a line").iter().rev() {
            text.insert_str(*at, more);
        }
        assert_eq!(
            text,
            "{ let has_none, has_code := verbatim_1i_2o(hex\"3b158015\", expr_1_address) \
             if iszero(has_code) { revert(has_none, 0) } } \
             /* if iszero(extcodesize(expr_1_address)) { revert_error_0cc0() } */"
        );
        assert_eq!(Questions::of(&format!("{line} \"{REASON}\"")).replaced(line), None);
    }

    #[test]
    fn other_lines_stay() {
        for line in [
            "if iszero(_1) { revert_error_0cc0() }",
            "if iszero(extcodesize(a)) { f() }",
            "if iszero(extcodesize(f(a))) { revert_error_0cc0() }",
            "if iszero(extcodesize(a)) {",
            "",
        ] {
            assert_eq!(Questions::of(line).replaced(line), None, "{line}");
        }
    }
}
