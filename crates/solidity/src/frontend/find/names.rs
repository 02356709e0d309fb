//! Versions in the names of files and folders, as version managers write them.

use crate::frontend::installed::Kind;
use crate::frontend::version;
use semver::Version;

/// What the name of a compiler's file tells: `solc-0.8.20`, `solc-v0.8.20`,
/// `solc-linux-amd64-v0.8.28+commit.7893614a`, `soljson-v0.8.28+commit.7893614a.js`, `solc.exe`.
pub(super) fn file(name: &str) -> Option<(Kind, Option<Version>)> {
    if let Some(stem) = name.strip_suffix(".js").or_else(|| name.strip_suffix(".cjs")) {
        let rest = stem.strip_prefix("soljson")?;
        return Some((Kind::Soljson, of_end(rest)));
    }
    let stem = name.strip_suffix(".exe").unwrap_or(name);
    match stem.strip_prefix("solc")? {
        "" => Some((Kind::Native, None)),
        rest => Some((Kind::Native, Some(of_end(rest)?))),
    }
}

/// What the name of a folder tells: `0.8.20`, `v0.8.20`, `solc-0.8.20`.
pub(super) fn folder(name: &str) -> Option<Version> {
    of_end(name.strip_prefix("solc").unwrap_or(name))
}

/// The version at the end of `…-v0.8.20`, from its first digit after the last `-`.
fn of_end(text: &str) -> Option<Version> {
    let starts = text.char_indices().filter(|(at, sign)| {
        let before = text[..*at].chars().next_back();
        sign.is_ascii_digit() && before.is_none_or(|before| matches!(before, '-' | 'v' | '_'))
    });
    starts.map(|(at, _)| &text[at..]).find_map(version::parse)
}
