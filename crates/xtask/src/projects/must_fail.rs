//! Tests named `testFail…`, which forge no longer runs, in a form that it runs.
//!
//! `function testFailX(uint256 n) public { … }` becomes `mustFailX`, called with the same arguments by
//! a new `test_MustFailX` that requires the call to revert. Nothing else in the text changes.

/// The text with every `testFail…` function rewritten.
pub(crate) fn rewrite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(START) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match head(rest) {
            Some(head) => {
                out.push_str(&rewritten(&head));
                rest = &rest[head.length..];
            }
            None => {
                out.push_str(START);
                rest = &rest[START.len()..];
            }
        }
    }
    out + rest
}

const START: &str = "function testFail";

/// A function up to its body.
struct Head<'a> {
    /// What follows `testFail`.
    name: &'a str,
    parameters: &'a str,
    /// Visibility and modifiers.
    modifiers: &'a str,
    /// Bytes from `function` up to the opening brace.
    length: usize,
}

fn head(text: &str) -> Option<Head<'_>> {
    let open = text.find('(')?;
    let close = open + text[open..].find(')')?;
    let brace = close + text[close..].find('{')?;
    Some(Head {
        name: &text[START.len()..open],
        parameters: &text[open + 1..close],
        modifiers: &text[close + 1..brace],
        length: brace,
    })
}

fn rewritten(head: &Head<'_>) -> String {
    let Head { name, parameters, modifiers, length: _ } = head;
    let each = || parameters.split(',').map(str::trim).filter(|parameter| !parameter.is_empty());
    let types: Vec<&str> = each().filter_map(|parameter| parameter.split_whitespace().next()).collect();
    let nameless: Vec<&str> = each().map(without_name).collect();
    let (types, nameless) = (types.join(","), nameless.join(", "));
    format!(
        "function test_MustFail{name}({nameless}) public {{\n        \
         (bool ok, ) = address(this).call(\n            \
         abi.encodePacked(bytes4(keccak256(\"mustFail{name}({types})\")), msg.data[4:])\n        \
         );\n        require(!ok, \"it does not fail\");\n    }}\n\n    \
         function mustFail{name}({parameters}){modifiers}"
    )
}

/// `bytes memory` of `bytes memory data`.
fn without_name(parameter: &str) -> &str {
    parameter.rsplit_once(char::is_whitespace).map_or(parameter, |(before, _)| before.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_the_same_arguments_must_revert() {
        let text = "contract T { function testFailX(uint256 n, bytes memory b) public view { f(n); } }";
        let new = rewrite(text);
        assert!(new.contains("function test_MustFailX(uint256, bytes memory) public {"), "{new}");
        assert!(new.contains("keccak256(\"mustFailX(uint256,bytes)\")"), "{new}");
        assert!(
            new.contains("function mustFailX(uint256 n, bytes memory b) public view { f(n); } }"),
            "{new}"
        );
    }

    #[test]
    fn other_text_stays() {
        for text in ["function testFine() public {}", "// function testFail", ""] {
            assert_eq!(rewrite(text), text);
        }
    }
}
