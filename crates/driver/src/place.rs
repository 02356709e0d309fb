//! Where Yul comes from: the `@src` and `@use-src` comments that solc writes.

/// A range of bytes in a source unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the source unit.
    pub file: String,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Where the code at a byte of a Yul text comes from, if a comment before it says.
pub fn place(yul: &str, at: usize) -> Option<Place> {
    let before = yul.get(..at)?;
    let comment = before.rsplit_once("@src ")?.1;
    let mut numbers = comment.splitn(3, ':');
    let source: i64 = numbers.next()?.trim().parse().ok()?;
    let start = numbers.next()?.parse().ok()?;
    let rest = numbers.next()?;
    let end = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    let sources = before.rsplit_once("@use-src ")?.1.lines().next()?;
    Some(Place { file: source_name(sources, source)?, start, end })
}

/// The name of a source unit in the list of a `@use-src`: `0:"a.sol", 1:"b.sol"`.
fn source_name(list: &str, source: i64) -> Option<String> {
    let mut rest = list;
    loop {
        let (number, tail) = rest.split_once(":\"")?;
        let (name, tail) = tail.split_once('"')?;
        if number.trim_start_matches([',', ' ']).trim().parse() == Ok(source) {
            return Some(name.to_owned());
        }
        rest = tail;
    }
}
