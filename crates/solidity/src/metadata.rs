//! Metadata that says who made the code.
//!
//! solc writes a JSON about each contract and appends a CBOR map to the code, with the hash by
//! which that JSON is found. Here the code is Cairn's: the JSON gains `compiler.codegen` with
//! name, version, level and how functions are dispatched (unless as ever), the CBOR map a key `cairn`
//! (four bytes: version, and the level's letter), and the hash is that of the new JSON. The same input
//! gives the same bytes again.

use crate::hash;
use crate::settings::Settings;
use cairn_driver::SwitchShape;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Name of the data segment that holds the CBOR.
pub const SEGMENT: &str = ".metadata";

/// New metadata for old.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Hash in the CBOR by the hash that it replaces.
    hashes: BTreeMap<Vec<u8>, Vec<u8>>,
    maker: [u8; 4],
    codegen: Value,
    optimizer: Option<Value>,
}

impl Metadata {
    /// Metadata of code that is made so.
    pub fn new(settings: &Settings) -> Metadata {
        let Settings { level, runs, switch, .. } = settings;
        let version = env!("CARGO_PKG_VERSION");
        let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
        let mut number = || numbers.next().unwrap_or(0);
        let letter = level.name().bytes().next().unwrap_or(b'0');
        let mut codegen = json!({ "level": level.name(), "name": "cairn", "runs": runs, "version": version });
        if *switch != SwitchShape::default() {
            codegen["switch"] = switch.name().into();
        }
        let maker = [number(), number(), number(), letter];
        Metadata { hashes: BTreeMap::new(), maker, codegen, optimizer: None }
    }

    /// Lets the JSON name these settings of the optimizer: the caller's, where the front end got others.
    pub fn with_optimizer(self, optimizer: Option<Value>) -> Metadata {
        Metadata { optimizer, ..self }
    }

    /// The JSON of a contract with Cairn in it; its hash is known from now on. What is no JSON
    /// object stays as it is.
    pub fn rewrite(&mut self, old: &str) -> String {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(old) else { return old.to_owned() };
        if let Some(compiler) = fields.get_mut("compiler").and_then(Value::as_object_mut) {
            compiler.insert("codegen".to_owned(), self.codegen.clone());
        }
        if let Some(settings) = fields.get_mut("settings").and_then(Value::as_object_mut) {
            settings
                .extend(self.optimizer.iter().map(|optimizer| ("optimizer".to_owned(), optimizer.clone())));
        }
        let new = Value::Object(fields).to_string();
        self.hashes.insert(hash::ipfs(old.as_bytes()).to_vec(), hash::ipfs(new.as_bytes()).to_vec());
        self.hashes.insert(hash::swarm(old.as_bytes()).to_vec(), hash::swarm(new.as_bytes()).to_vec());
        new
    }

    /// The CBOR behind the code, with its length, for what solc put there. What is no such map
    /// stays as it is.
    pub fn replace(&self, old: &[u8]) -> Vec<u8> {
        self.replaced(old).unwrap_or_else(|| old.to_vec())
    }

    fn replaced(&self, old: &[u8]) -> Option<Vec<u8>> {
        let (map, length) = old.split_at_checked(old.len().checked_sub(2)?)?;
        if usize::from(u16::from_be_bytes(length.try_into().ok()?)) != map.len() {
            return None;
        }
        let mut fields = cbor_map(map)?;
        for (_, value) in &mut fields {
            if let Some(content) = bytes_of(value)
                && let Some(new) = self.hashes.get(content)
            {
                *value = byte_string(new);
            }
        }
        fields.push(("cairn".to_owned(), byte_string(&self.maker)));
        let mut new = vec![0xa0 | u8::try_from(fields.len()).ok().filter(|count| *count < 24)?];
        for (key, value) in fields {
            new.push(0x60 | key.len() as u8);
            new.extend_from_slice(key.as_bytes());
            new.extend_from_slice(&value);
        }
        let length = u16::try_from(new.len()).ok()?;
        new.extend_from_slice(&length.to_be_bytes());
        Some(new)
    }
}

/// Keys and encoded values of a map with short text keys.
fn cbor_map(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let (head, mut rest) = bytes.split_first()?;
    let count = (0xa0..0xb8).contains(head).then_some(head & 0x1f)?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let (head, tail) = rest.split_first()?;
        let length = (0x60..0x78).contains(head).then_some(usize::from(head & 0x1f))?;
        let (key, tail) = tail.split_at_checked(length)?;
        let (value, tail) = tail.split_at_checked(value_length(tail)?)?;
        fields.push((String::from_utf8(key.to_vec()).ok()?, value.to_vec()));
        rest = tail;
    }
    rest.is_empty().then_some(fields)
}

/// Encoded length of a byte string, text, or one of false and true.
fn value_length(bytes: &[u8]) -> Option<usize> {
    match *bytes.first()? {
        0xf4 | 0xf5 => Some(1),
        head @ (0x40..0x58 | 0x60..0x78) => Some(1 + usize::from(head & 0x1f)),
        0x58 | 0x78 => Some(2 + usize::from(*bytes.get(1)?)),
        _ => None,
    }
}

fn bytes_of(value: &[u8]) -> Option<&[u8]> {
    match *value.first()? {
        0x40..0x58 => value.get(1..),
        0x58 => value.get(2..),
        _ => None,
    }
}

fn byte_string(content: &[u8]) -> Vec<u8> {
    let mut value = match content.len() {
        length @ 0..24 => vec![0x40 | length as u8],
        length => vec![0x58, length as u8],
    };
    value.extend_from_slice(content);
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Overrides;
    use cairn_evm::hex;

    fn cbor(hash: &[u8]) -> Vec<u8> {
        let mut map = vec![0xa2, 0x64, b'i', b'p', b'f', b's'];
        map.extend(byte_string(hash));
        map.extend_from_slice(&[0x64, b's', b'o', b'l', b'c', 0x43, 0, 8, 37]);
        let length = map.len() as u16;
        map.extend_from_slice(&length.to_be_bytes());
        map
    }

    fn made(own: Value) -> Metadata {
        let settings = Settings::of(&json!({ "cairn": own }), &Overrides::default());
        Metadata::new(&settings.expect("valid"))
    }

    #[test]
    fn a_shape_of_switches_that_is_asked_for_is_named() {
        let old = r#"{"compiler":{"version":"0.8.37"}}"#;
        let new = made(json!({ "level": "2", "switch": "cascade" })).rewrite(old);
        assert!(new.contains(r#""runs":200,"switch":"cascade","version":"#), "{new}");
        assert!(!made(json!({ "level": "2" })).rewrite(old).contains("switch"));
    }

    #[test]
    fn the_hash_is_that_of_the_new_json() {
        let mut metadata = made(json!({ "level": "s", "runs": 7 }));
        let old = r#"{"compiler":{"version":"0.8.37"},"version":1}"#;
        let new = metadata.rewrite(old);
        assert!(new.contains(r#""codegen":{"level":"s","name":"cairn","runs":7,"version":"#), "{new}");
        let replaced = metadata.replace(&cbor(&hash::ipfs(old.as_bytes())));
        let digits = hex::encode(&replaced);
        assert!(digits.starts_with("a3646970667358221220"), "{digits}");
        assert!(digits.contains(&hex::encode(hash::ipfs(new.as_bytes()))));
        assert!(digits.contains("64736f6c6343000825656361697268".get(..18).unwrap()));
        assert!(digits.contains(&hex::encode(b"cairn")) && digits.ends_with("73003e"), "{digits}");
    }

    #[test]
    fn the_json_names_the_callers_optimizer() {
        let asked = json!({ "enabled": true, "runs": 5 });
        let old = r#"{"settings":{"optimizer":{"enabled":false,"runs":200}}}"#;
        let metadata = || made(json!({ "level": "2", "runs": 5 }));
        let new = metadata().with_optimizer(Some(asked)).rewrite(old);
        assert_eq!(new, r#"{"settings":{"optimizer":{"enabled":true,"runs":5}}}"#);
        assert_eq!(metadata().rewrite(old), old);
    }

    #[test]
    fn what_is_no_map_stays() {
        let metadata = made(json!({}));
        for bytes in [&b""[..], b"\x00", b"hello\x00\x05", b"\xa1\x00\x02", b"\xa1\x64\x00\x02"] {
            assert_eq!(metadata.replace(bytes), bytes);
        }
    }
}
