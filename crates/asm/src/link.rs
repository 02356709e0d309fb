//! Library addresses: references to them, placeholders and linking.
//!
//! Unlinked code holds zero bytes where an address belongs, so that it is always plain bytes. For
//! text formats that keep the references in the hex digits, [`placeholder`] gives the digits.

use cairn_evm::{hex, keccak256};

/// Bytes of an address.
pub const ADDRESS_SIZE: usize = 20;

/// A place in code where the address of a library belongs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkReference {
    /// Position of the first of the 20 address bytes.
    pub offset: usize,
    /// The library, by its fully qualified name (`file.sol:Lib`).
    pub library: String,
}

/// The address of one library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryAddress {
    /// The fully qualified name.
    pub library: String,
    /// The address.
    pub address: [u8; ADDRESS_SIZE],
}

/// The 40 characters that stand for the address of a library in unlinked hex:
/// `__$<34 digits of the hash of its name>$__`. A library of which only these are known has them as
/// its name.
pub fn placeholder(library: &str) -> String {
    if is_placeholder(library) {
        return library.to_owned();
    }
    let digits = hex::encode(keccak256(library.as_bytes()));
    format!("__${}$__", &digits[..34])
}

/// True for what [`placeholder`] gives.
pub fn is_placeholder(text: &str) -> bool {
    let digits = text.strip_prefix("__$").and_then(|rest| rest.strip_suffix("$__"));
    digits.is_some_and(|digits| digits.len() == 34 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Writes the addresses into `code` and returns the references that no address was given for.
pub fn link(
    code: &mut [u8],
    references: &[LinkReference],
    addresses: &[LibraryAddress],
) -> Vec<LinkReference> {
    let mut unresolved = Vec::new();
    for reference in references {
        let is_meant = |known: &&LibraryAddress| {
            known.library == reference.library
                || (is_placeholder(&reference.library) && placeholder(&known.library) == reference.library)
        };
        let known = addresses.iter().find(is_meant);
        let place = code.get_mut(reference.offset..).and_then(|rest| rest.get_mut(..ADDRESS_SIZE));
        match (known, place) {
            (Some(known), Some(place)) => place.copy_from_slice(&known.address),
            (None, _) | (_, None) => unresolved.push(reference.clone()),
        }
    }
    unresolved
}

/// The hex digits of `code` with placeholders at the references.
pub fn hex_with_placeholders(code: &[u8], references: &[LinkReference]) -> String {
    let mut digits = hex::encode(code);
    for reference in references {
        let start = reference.offset.saturating_mul(2);
        let range = start..start.saturating_add(2 * ADDRESS_SIZE);
        if digits.get(range.clone()).is_some() {
            digits.replace_range(range, &placeholder(&reference.library));
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(offset: usize, library: &str) -> LinkReference {
        LinkReference { offset, library: library.to_owned() }
    }

    #[test]
    fn placeholder_is_the_beginning_of_the_hash() {
        assert_eq!(placeholder(""), "__$c5d2460186f7233c927e7db2dcc703c0e5$__");
        assert_eq!(placeholder("test.sol:L").len(), 2 * ADDRESS_SIZE);
    }

    #[test]
    fn links_known_libraries_and_reports_the_others() {
        let mut code = vec![0; 44];
        let references = [reference(1, "a:A"), reference(23, "b:B")];
        let addresses = [LibraryAddress { library: "a:A".to_owned(), address: [0x11; 20] }];
        let unresolved = link(&mut code, &references, &addresses);
        assert_eq!(unresolved, [reference(23, "b:B")]);
        assert_eq!(code[..22], [vec![0], vec![0x11; 20], vec![0]].concat());
        assert_eq!(code[22..], [0; 22]);
    }

    #[test]
    fn a_reference_past_the_end_is_not_resolved() {
        let addresses = [LibraryAddress { library: "a".to_owned(), address: [1; 20] }];
        let references = [reference(usize::MAX, "a"), reference(1, "a")];
        assert_eq!(link(&mut [0; 20], &references, &addresses), references);
    }

    #[test]
    fn placeholders_replace_digits_in_place() {
        let text = hex_with_placeholders(&[0x73; 22], &[reference(1, "L")]);
        assert_eq!(text, format!("73{}73", placeholder("L")));
    }
}
