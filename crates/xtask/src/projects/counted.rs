//! Why `forge coverage` counts a place with one compiler and not with the other, by what stands there.
//!
//! Both run the same statements; forge takes one instruction for each. What has no instruction of its own in
//! one of the codes is counted there by another's, or not at all. That depends on the kind of statement alone,
//! so the reasons are rules, not places of projects.

/// forge looks at one instruction for each place.
const RUNS: &str = "it runs, but not the instruction of solc's code that forge looks at";

/// It is not run, whoever compiled it.
const COMPARED: &str = "solc's comparison with the value of a case lies in the case";

/// Of `if (a) return;` and `if (a) break;` solc makes one conditional jump, which runs whether it is taken or not.
const NOT_TAKEN: &str = "it is not run, but solc's conditional jump to where it leads lies in it";

/// The compiler whose code has the place counted, while the other's has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    Solc,
    Cairn,
}

/// The reason, if there is one, for source text that is counted with one compiler only.
pub(crate) fn reason(only: Only, text: &str) -> Option<&'static str> {
    let text = text.trim().trim_end_matches(';');
    match only {
        Only::Solc if is_jump(text) || is_branch_to_jump(text) || text == "return" => Some(NOT_TAKEN),
        Only::Solc if text.starts_with("case ") => Some(COMPARED),
        Only::Cairn if text.strip_prefix("return ").is_some_and(is_value) => Some(RUNS),
        Only::Cairn if is_jump(text) || is_branch_to_jump(text) => Some(RUNS),
        _ => None,
    }
}

/// Jumps out of a loop, or to its end, or out of a function of assembly.
fn is_jump(text: &str) -> bool {
    ["break", "continue", "leave"].contains(&text)
}

/// A name or a literal.
fn is_value(text: &str) -> bool {
    let text = text.trim();
    let of_word = |letter: char| letter.is_alphanumeric() || ['_', '$', '.'].contains(&letter);
    !text.is_empty() && text.chars().all(of_word)
}

/// `if iszero(a) { break }`, whose only code is that of the condition.
fn is_branch_to_jump(text: &str) -> bool {
    let body = text.strip_suffix('}').and_then(|text| text.rsplit_once('{'));
    text.starts_with("if ") && body.is_some_and(|(_, body)| is_jump(body.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_run_is_not_counted() {
        for text in ["break", "continue;", "leave", "return", "if gt(i, 30) { break }"] {
            assert_eq!(reason(Only::Solc, text), Some(NOT_TAKEN), "{text}");
        }
        assert_eq!(reason(Only::Solc, "case 0 {\n z := 1\n}"), Some(COMPARED));
    }

    #[test]
    fn what_runs_is_counted() {
        assert_eq!(reason(Only::Cairn, "break"), Some(RUNS));
        assert_eq!(reason(Only::Cairn, "return false"), Some(RUNS));
        assert_eq!(reason(Only::Cairn, "return requestId"), Some(RUNS));
        assert_eq!(reason(Only::Cairn, "if iszero(temp) { break }"), Some(RUNS));
    }

    #[test]
    fn what_has_code_has_no_reason() {
        for text in [
            "let y := x",
            "z := 181",
            "let y := add(x, 1)",
            "x += 1",
            "a = b",
            "return f(x)",
            "return a + 1",
            "revert()",
            "",
        ] {
            for only in [Only::Solc, Only::Cairn] {
                assert_eq!(reason(only, text), None, "{text}");
            }
        }
        assert_eq!(reason(Only::Solc, "return false"), None);
        assert_eq!(reason(Only::Solc, "if iszero(temp) { x := 1 }"), None);
        assert_eq!(reason(Only::Cairn, "if iszero(temp) { x := 1 }"), None);
        assert_eq!(reason(Only::Cairn, "return"), None);
    }
}
