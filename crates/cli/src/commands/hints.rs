//! Inputs that people give and Cairn does not read: what they are, and what to do with them.

use std::path::Path;

/// What an input is, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) what: &'static str,
    pub(crate) help: &'static str,
}

const SOLIDITY: Hint = Hint {
    what: "this is Solidity, which `cairn build` takes, by a file ending in `.sol`, and `cairn-solc`",
    help: "for other commands, `cairn build FILE.sol --contract NAME --emit yul` gives its Yul",
};
const SOLC_OUTPUT: Hint = Hint {
    what: "this is what solc prints, with titles between the parts",
    help: "with `-o DIR` solc writes each part to a file of its own, such as `NAME.yul` or `NAME.bin`; or \
           give the part that begins with `object` alone",
};
const JSON: Hint = Hint {
    what: "this is JSON, such as an ABI or an artifact of a build, not code",
    help: "take the code out of it: `jq -r '.bytecode.object? // .bytecode' FILE.json > NAME.hex`; an ABI alone \
           has none",
};

/// The hint for an input in none of the languages.
pub(crate) fn foreign(path: &Path, text: &str) -> Option<Hint> {
    let start = text.trim_start();
    let is = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    let titles = ["======= ", "IR:\n", "Optimized IR:\n", "Binary:\n", "Pretty printed source:\n"];
    if is("sol") || is_solidity(start) {
        return Some(SOLIDITY);
    }
    if titles.iter().any(|title| start.starts_with(title)) {
        return Some(SOLC_OUTPUT);
    }
    is_json(start).then_some(JSON)
}

/// True for text that declares its language or a contract first.
fn is_solidity(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with("//")).unwrap_or_default();
    let heads =
        ["pragma solidity", "pragma abicoder", "contract ", "abstract contract ", "interface ", "library "];
    heads.iter().any(|head| line.starts_with(head))
}

/// An array, or an object with a first key: no Yul block begins so.
fn is_json(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(str::trim_start);
    text.starts_with('[') || inside.is_some_and(|inside| inside.starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(name: &str, text: &str) -> Option<Hint> {
        foreign(Path::new(name), text)
    }

    #[test]
    fn other_languages_are_known() {
        assert_eq!(hint("a.sol", ""), Some(SOLIDITY));
        assert_eq!(hint("-", "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;"), Some(SOLIDITY));
        assert_eq!(hint("-", "\n======= a.sol:C =======\nOptimized IR:\n"), Some(SOLC_OUTPUT));
        assert_eq!(hint("a.json", "{\n \"abi\": [] }"), Some(JSON));
        assert_eq!(hint("a", "[{\"type\":\"function\"}]"), Some(JSON));
    }

    #[test]
    fn own_languages_are_let_through() {
        for text in
            ["{ }", "{ sstore(0, 1) }", "object \"library \" { }", "; pragma\nmodule @m {", "0x00", ""]
        {
            assert_eq!(hint("-", text), None, "{text}");
        }
    }
}
