//! Addresses of libraries, and code that waits for them.

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

/// Code with the addresses in the places that wait for them, as `__$…$__`, and the placeholders
/// that are left.
pub(crate) fn link(code: &str, libraries: &[Library]) -> (String, Vec<String>) {
    let mut linked = code.to_owned();
    for library in libraries {
        let address = cairn_evm::hex::encode(library.address);
        linked = linked.replace(&cairn_asm::placeholder(&library.name), &address);
    }
    let left = linked.match_indices("__$").filter_map(|(at, _)| linked.get(at..at + 40));
    let mut left: Vec<String> = left.map(str::to_owned).collect();
    left.sort();
    left.dedup();
    (linked, left)
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
}
