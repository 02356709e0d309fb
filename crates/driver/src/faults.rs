//! Every stable code of a fault of an input, in all languages.

use cairn_diag::FaultCode;
use cairn_yul::Fault;

/// All codes in order, those of a language together; rules of EVM-IR have names for codes.
pub fn all() -> Vec<FaultCode> {
    let yul = Fault::ALL.iter().map(|fault| FaultCode { code: fault.code(), summary: fault.summary() });
    let others = [cairn_ir::text::fault::ALL, cairn_asm::fault::ALL];
    let rules = cairn_ir::reference::rules().map(|(code, summary)| FaultCode { code, summary });
    let mut all: Vec<FaultCode> = yul.chain(others.concat()).chain(rules).collect();
    all.sort_by_key(|fault| fault.code);
    all
}

/// The fault with this code, in any case of letters.
pub fn find(code: &str) -> Option<FaultCode> {
    all().into_iter().find(|fault| fault.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_say_something() {
        let all = all();
        assert!(all.windows(2).all(|pair| pair[0].code != pair[1].code));
        for fault in &all {
            assert_eq!(find(&fault.code.to_lowercase()), Some(*fault));
            assert!(!fault.summary.trim().is_empty(), "{}", fault.code);
        }
        assert_eq!(find("I9999"), None);
    }
}
