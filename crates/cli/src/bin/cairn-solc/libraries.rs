//! Addresses of libraries, and code that waits for them.

use serde_json::Value;
use std::path::Path;

/// A library and where it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Library {
    /// Its fully qualified name, `file.sol:Name`.
    pub(crate) name: String,
    /// Its address.
    pub(crate) address: [u8; 20],
}

/// Reads `file.sol:Name=0x…` (or with `:` before the address), several with `,` or white space
/// between them; an argument that is a file holds such a text.
///
/// # Errors
/// What is written wrong.
pub(crate) fn parse(arguments: &[String]) -> Result<Vec<Library>, String> {
    let mut found = Vec::new();
    for argument in arguments {
        let text = match Path::new(argument) {
            file if file.is_file() => {
                std::fs::read_to_string(file).map_err(|error| format!("{argument}: {error}"))?
            }
            _ => argument.clone(),
        };
        let parts = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
        for part in parts {
            found.push(library(part)?);
        }
    }
    Ok(found)
}

fn library(text: &str) -> Result<Library, String> {
    let parts = text.rsplit_once('=').or_else(|| text.rsplit_once(':'));
    let (name, address) = parts
        .ok_or_else(|| format!("Equal sign separator missing in library address specifier \"{text}\""))?;
    let digits = address.strip_prefix("0x").ok_or_else(|| {
        format!("The address \"{address}\" of library \"{name}\" is not prefixed with \"0x\".")
    })?;
    let bytes = cairn_evm::hex::decode(digits).ok().and_then(|bytes| bytes.try_into().ok());
    let address = bytes.ok_or_else(|| {
        format!(
            "Invalid length for address for library \"{name}\": {} instead of 40 characters.",
            digits.len()
        )
    })?;
    if name.is_empty() {
        return Err(format!("Empty library name in \"{text}\"."));
    }
    Ok(Library { name: name.to_owned(), address })
}

/// What stands at the beginning of a line that says which library a placeholder waits for.
const HINT: &str = "// $";

/// The lines below code that say which libraries it waits for.
pub(crate) fn hints(references: &Value) -> String {
    let files = references.as_object().into_iter().flatten();
    let names = files.flat_map(|(file, libraries)| {
        let names = libraries.as_object().into_iter().flat_map(|libraries| libraries.keys());
        names.map(move |name| if file.is_empty() { name.clone() } else { format!("{file}:{name}") })
    });
    let lines: String = names
        .map(|name| format!("// {} -> {name}\n", cairn_asm::placeholder(&name).trim_matches('_')))
        .collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Code with the addresses in the places that wait for them, as `__$…$__` or in the form of solc
/// before 0.5, and the placeholders that are left. Hints stay for these only.
pub(crate) fn link(code: &str, libraries: &[Library]) -> (String, Vec<String>) {
    let mut linked = code.to_owned();
    for library in libraries {
        let address = cairn_evm::hex::encode(library.address);
        linked = linked.replace(&cairn_asm::placeholder(&library.name), &address);
        linked = linked.replace(&old_placeholder(&library.name), &address);
    }
    let left = linked.match_indices("__$").filter_map(|(at, _)| linked.get(at..at + 40));
    let mut left: Vec<String> = left.map(str::to_owned).collect();
    left.sort();
    left.dedup();
    (without_hints(&linked, &left), left)
}

/// `__file.sol:Name____…` of 40 characters.
fn old_placeholder(name: &str) -> String {
    let start: String = name.chars().take(36).collect();
    format!("{:_<40}", format!("__{start}"))
}

/// The text without the hints of placeholders that are not left.
fn without_hints(text: &str, left: &[String]) -> String {
    if !text.contains(HINT) {
        return text.to_owned();
    }
    let is_of_use = |line: &str| {
        let hash = line.strip_prefix("// ").and_then(|hint| hint.split_whitespace().next());
        hash.is_none_or(|hash| left.iter().any(|one| one.trim_matches('_') == hash))
    };
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(HINT) || is_of_use(line)).collect();
    format!("{}\n", kept.join("\n").trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_all_forms() {
        let address = format!("0x{}", "ab".repeat(20));
        let argument = format!("a.sol:L={address},M={address} b.sol:N:{address}");
        let names: Vec<String> =
            parse(&[argument]).unwrap().into_iter().map(|library| library.name).collect();
        assert_eq!(names, ["a.sol:L", "M", "b.sol:N"]);
        for faulty in ["L", "L=12", "L=0x12", "=0x"] {
            assert!(parse(&[faulty.to_owned()]).is_err(), "{faulty}");
        }
    }

    #[test]
    fn placeholders_become_addresses() {
        let placeholder = cairn_asm::placeholder("a.sol:L");
        let other = cairn_asm::placeholder("a.sol:M");
        let library = Library { name: "a.sol:L".into(), address: [0xab; 20] };
        let (linked, left) = link(&format!("73{placeholder}73{other}"), &[library]);
        assert_eq!(linked, format!("73{}73{other}", "ab".repeat(20)));
        assert_eq!(left, [other]);
    }

    #[test]
    fn hints_go_with_their_placeholders() {
        let references = serde_json::json!({ "a.sol": { "L": [], "M": [] } });
        let lines = hints(&references);
        let placeholder = cairn_asm::placeholder("a.sol:L");
        let first = format!("\n// {} -> a.sol:L\n", placeholder.trim_matches('_'));
        assert!(lines.starts_with(&first) && lines.ends_with("$ -> a.sol:M\n"), "{lines}");
        let code = format!("73{placeholder}00\n{}", hints(&serde_json::json!({ "a.sol": { "L": [] } })));
        assert_eq!(link(&code, &[]).0, code);
        let library = Library { name: "a.sol:L".into(), address: [0xab; 20] };
        assert_eq!(link(&code, &[library]).0, format!("73{}00\n", "ab".repeat(20)));
    }

    #[test]
    fn the_old_form_is_linked() {
        let library = Library { name: "a.sol:L".into(), address: [0xab; 20] };
        let (linked, left) = link(&format!("73__a.sol:L{}00", "_".repeat(31)), &[library]);
        assert_eq!((linked, left), (format!("73{}00", "ab".repeat(20)), vec![]));
    }
}
