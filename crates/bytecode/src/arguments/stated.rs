//! What standards and the usual libraries state of the arguments of their functions.
//!
//! Contract: what the code tells stays, but for a function whose selector is that of a known signature, and only
//! if nothing that the code tells is against it: there are as many arguments, and each has the stated type or is a
//! word of which nothing was seen. A selector alone proves nothing, because other signatures have it as well.

use super::types::Type;
use crate::standards::known_signatures;

/// The stated types of a function where they fit what was seen, else what was seen.
pub(super) fn types(selector: u32, seen: Vec<Type>) -> Vec<Type> {
    let stated = known_signatures().get(&selector).and_then(|signature| parse(signature));
    match stated {
        Some(stated) if all_fit(&seen, &stated) => stated,
        _ => seen,
    }
}

fn all_fit(seen: &[Type], stated: &[Type]) -> bool {
    seen.len() == stated.len() && seen.iter().zip(stated).all(|(seen, stated)| fits(seen, stated))
}

fn fits(seen: &Type, stated: &Type) -> bool {
    match (seen, stated) {
        (
            Type::Uint(256),
            Type::Uint(_) | Type::Int(_) | Type::Address | Type::Bool | Type::FixedBytes(_),
        ) => true,
        (Type::Array(seen), Type::Array(stated)) => fits(seen, stated),
        _ => seen == stated,
    }
}

/// The arguments of a signature; `None` for one with structs, which none of the known ones has.
fn parse(signature: &str) -> Option<Vec<Type>> {
    let (_, types) = signature.strip_suffix(')')?.split_once('(')?;
    if types.is_empty() {
        return Some(Vec::new());
    }
    types.split(',').map(parse_type).collect()
}

fn parse_type(text: &str) -> Option<Type> {
    if let Some(item) = text.strip_suffix("[]") {
        return Some(Type::Array(Box::new(parse_type(item)?)));
    }
    match text {
        "address" => return Some(Type::Address),
        "bool" => return Some(Type::Bool),
        "bytes" | "string" => return Some(Type::Bytes),
        _ => {}
    }
    let number = |prefix: &str| text.strip_prefix(prefix)?.parse::<u16>().ok();
    number("uint")
        .map(Type::Uint)
        .or_else(|| number("int").map(Type::Int))
        .or_else(|| number("bytes").and_then(|bytes| u8::try_from(bytes).ok()).map(Type::FixedBytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_signature_is_read() {
        for (selector, signature) in known_signatures() {
            let types = parse(signature).unwrap_or_else(|| panic!("{signature}"));
            let text = signature.replace("string", "bytes");
            assert!(text.ends_with(&format!("({})", super::super::types::list(&types))), "{signature}");
            assert_eq!(super::types(*selector, types.clone()), types);
        }
    }

    #[test]
    fn what_the_code_tells_is_not_changed() {
        // hasRole(bytes32,address)
        let of = |seen: &[Type]| super::types(0x91d1_4854, seen.to_vec());
        let stated = [Type::FixedBytes(32), Type::Address];
        assert_eq!(of(&[Type::Uint(256), Type::Address]), stated);
        assert_eq!(of(&[Type::Uint(256), Type::Uint(256)]), stated);
        for other in [
            &[Type::Uint(256)][..],
            &[Type::Uint(256), Type::Bool],
            &[Type::Address, Type::Address],
            &[Type::Uint(256), Type::Address, Type::Address],
        ] {
            assert_eq!(of(other), other);
        }
        // balanceOfBatch(address[],uint256[])
        let array = |item| Type::Array(Box::new(item));
        let of = |seen: &[Type]| super::types(0x4e12_73f4, seen.to_vec());
        let words = [array(Type::Uint(256)), array(Type::Uint(256))];
        assert_eq!(of(&words), [array(Type::Address), array(Type::Uint(256))]);
        // What nobody names stays.
        assert_eq!(super::types(0x0000_0001, words.to_vec()), words);
    }
}
