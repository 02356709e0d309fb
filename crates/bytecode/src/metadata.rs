//! The CBOR trailer that compilers append to code: compiler, version, hash of the sources.
//!
//! solc ends the code with a CBOR map followed by its length in two bytes; the length counts the
//! map alone. vyper appends an array whose last element is such a map, and since 0.3.10 its length
//! counts the two bytes too. Contract: any bytes are accepted; what does not decode completely is
//! no trailer.

use cairn_evm::hex;
use serde::Serialize;

/// A decoded trailer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Bytes of the trailer with its length word.
    pub length: u32,
    /// `solc` or `vyper`, where the trailer says so.
    pub compiler: Option<String>,
    /// Version of the compiler.
    pub version: Option<String>,
    /// Hashes of the sources' metadata by kind (`ipfs`, `bzzr0`, `bzzr1`) in hex.
    pub hashes: Vec<(String, String)>,
    /// True when the trailer marks experimental features.
    pub experimental: bool,
}

impl Metadata {
    /// What it says, for people: the compiler and its version, and where the sources' description is found.
    ///
    /// ```
    /// let metadata = cairn_bytecode::Metadata { compiler: Some("solc".to_owned()), ..Default::default() };
    /// assert_eq!(metadata.describe(), "solc of unknown version");
    /// ```
    pub fn describe(&self) -> String {
        let compiler = self.compiler.as_deref().unwrap_or("unknown compiler");
        let version = self.version.as_deref().unwrap_or("of unknown version");
        let mut text = format!("{compiler} {version}");
        for (kind, hash) in &self.hashes {
            let bytes = hex::decode(hash).unwrap_or_default();
            // Hashes of IPFS are written in base 58, as its tools take them.
            let hash = if kind == "ipfs" { base58(&bytes) } else { hash.clone() };
            text += &format!(", {kind} {hash}");
        }
        text + if self.experimental { ", experimental features" } else { "" }
    }
}

/// Digits of base 58, as Bitcoin and IPFS have them.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Bytes in base 58: a number, with a `1` for each zero in front. Quadratic, for a few dozen bytes.
fn base58(bytes: &[u8]) -> String {
    // Digits of the number, the last one first.
    let mut digits: Vec<u8> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) << 8;
            *digit = (carry % 58) as u8;
            carry /= 58;
        }
        while carry > 0 {
            digits.push((carry % 58) as u8);
            carry /= 58;
        }
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).map(|_| 0);
    zeros.chain(digits.into_iter().rev()).map(|digit| char::from(BASE58[usize::from(digit)])).collect()
}

/// Nesting of CBOR items that is followed.
const MAX_DEPTH: u32 = 4;

/// The trailer of `code`, if it has one.
pub fn find_metadata(code: &[u8]) -> Option<Metadata> {
    let (body, tail) = code.split_last_chunk::<2>().map(|(body, tail)| (body, *tail))?;
    let length = usize::from(u16::from_be_bytes(tail));
    decode_solc(body, length).or_else(|| decode_vyper(body, length))
}

fn decode_solc(body: &[u8], length: usize) -> Option<Metadata> {
    let bytes = body.get(body.len().checked_sub(length)?..)?;
    let mut metadata = Metadata { length: u32::try_from(length + 2).ok()?, ..Metadata::default() };
    let mut reader = Reader { bytes };
    read_map(&mut reader, &mut metadata)?;
    reader.bytes.is_empty().then_some(metadata)
}

/// vyper's array: lengths of code and data sections, immutables, then the map.
fn decode_vyper(body: &[u8], length: usize) -> Option<Metadata> {
    let lengths = [length, length.checked_sub(2)?];
    lengths.into_iter().find_map(|length| {
        let bytes = body.get(body.len().checked_sub(length)?..)?;
        let mut metadata = Metadata { length: u32::try_from(length + 2).ok()?, ..Metadata::default() };
        let mut reader = Reader { bytes };
        let (major, count) = reader.head()?;
        if major == 4 {
            (1..count).try_for_each(|_| reader.skip(MAX_DEPTH))?;
            read_map(&mut reader, &mut metadata)?;
        } else {
            reader.bytes = bytes;
            read_map(&mut reader, &mut metadata)?;
        }
        reader.bytes.is_empty().then_some(metadata)
    })
}

fn read_map(reader: &mut Reader<'_>, metadata: &mut Metadata) -> Option<()> {
    let (major, count) = reader.head()?;
    if major != 5 || count == 0 || count > 16 {
        return None;
    }
    for _ in 0..count {
        let key = reader.text()?.to_owned();
        read_entry(reader, &key, metadata)?;
    }
    Some(())
}

fn read_entry(reader: &mut Reader<'_>, key: &str, metadata: &mut Metadata) -> Option<()> {
    match key {
        "solc" | "vyper" => {
            metadata.compiler = Some(key.to_owned());
            metadata.version = Some(reader.version()?);
        }
        "ipfs" | "bzzr0" | "bzzr1" => {
            let (major, length) = reader.head()?;
            let hash = reader.take(length)?;
            (major == 2).then_some(())?;
            metadata.hashes.push((key.to_owned(), hex::encode(hash)));
        }
        "experimental" => {
            metadata.experimental = true;
            reader.skip(MAX_DEPTH)?;
        }
        _ => reader.skip(MAX_DEPTH)?,
    }
    Some(())
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(usize::try_from(length).ok()?)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Major type and argument of the next item.
    fn head(&mut self) -> Option<(u8, u64)> {
        let first = *self.take(1)?.first()?;
        let argument = match first & 0x1f {
            small @ 0..24 => u64::from(small),
            24 => self.number(1)?,
            25 => self.number(2)?,
            26 => self.number(4)?,
            27 => self.number(8)?,
            _ => return None,
        };
        Some((first >> 5, argument))
    }

    fn number(&mut self, bytes: u64) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self) -> Option<&'a str> {
        let (major, length) = self.head()?;
        let bytes = self.take(length)?;
        (major == 3).then(|| std::str::from_utf8(bytes).ok())?
    }

    /// solc writes three bytes, vyper an array of three numbers; prereleases are texts.
    fn version(&mut self) -> Option<String> {
        let (major, length) = self.head()?;
        match major {
            2 if length == 3 => Some(dotted(self.take(3)?.iter().map(|byte| u64::from(*byte)))),
            3 => std::str::from_utf8(self.take(length)?).ok().map(str::to_owned),
            4 if length <= 4 => {
                let parts: Option<Vec<u64>> = (0..length).map(|_| Some(self.head()?.1)).collect();
                Some(dotted(parts?.into_iter()))
            }
            _ => None,
        }
    }

    fn skip(&mut self, depth: u32) -> Option<()> {
        let (major, argument) = self.head()?;
        match major {
            0 | 1 | 7 => Some(()),
            2 | 3 => self.take(argument).map(drop),
            4 | 5 if depth > 0 && argument <= self.bytes.len() as u64 => {
                let items = if major == 4 { argument } else { 2 * argument };
                (0..items).try_for_each(|_| self.skip(depth - 1))
            }
            _ => None,
        }
    }
}

fn dotted(parts: impl Iterator<Item = u64>) -> String {
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_length(mut map: Vec<u8>, extra: u16) -> Vec<u8> {
        let length = map.len() as u16 + extra;
        map.extend(length.to_be_bytes());
        map
    }

    #[test]
    fn solc_trailer() {
        let mut map = vec![0xa2, 0x64];
        map.extend(b"ipfs");
        map.extend([0x58, 0x22]);
        map.extend([0x11; 34]);
        map.push(0x64);
        map.extend(b"solc");
        map.extend([0x43, 0, 8, 19]);
        let mut code = vec![0x00, 0xfe];
        code.extend(with_length(map, 0));
        let metadata = find_metadata(&code).expect("there is a trailer");
        assert_eq!(metadata.length as usize, code.len() - 2);
        assert_eq!(metadata.compiler.as_deref(), Some("solc"));
        assert_eq!(metadata.version.as_deref(), Some("0.8.19"));
        assert_eq!(metadata.hashes, [("ipfs".to_owned(), "11".repeat(34))]);
    }

    #[test]
    fn base_58_has_the_digits_that_ipfs_uses() {
        assert_eq!(base58(b"Hello World!"), "2NEpo7TZRRrLZSi2U");
        assert_eq!(base58(&[0, 0, 0x28, 0x7f, 0xb4, 0xcd]), "11233QC4");
        assert_eq!(base58(&[]), "");
    }

    #[test]
    fn vyper_trailer() {
        let mut array = vec![0x84, 0x19, 0x01, 0x00, 0x80, 0x00, 0xa1, 0x65];
        array.extend(b"vyper");
        array.extend([0x83, 0, 3, 10]);
        let metadata = find_metadata(&with_length(array, 2)).expect("there is a trailer");
        assert_eq!(metadata.version.as_deref(), Some("0.3.10"));
    }

    #[test]
    fn other_ends_are_no_trailers() {
        for code in [&[][..], &[0x00], &[0x00, 0x00], &[0x60, 0x00, 0x00, 0x01], &[0xa1, 0x64, 0x00, 0x02]] {
            assert_eq!(find_metadata(code), None, "{code:?}");
        }
    }
}
