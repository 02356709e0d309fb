//! What bytes at an account are: plain code, a delegation, or a container of sections.
//!
//! * A *delegation* (EIP-7702) is `0xef0100` and an address: calls run the code that stands there.
//! * A *container* (EOF, EIP-3540) is `0xef00`, a version, a header with the sizes of its sections, and the
//!   sections. Its code has no destinations of its own: [`crate::eof`] reads its jumps.
//!
//! Both begin with a byte that no plain code has had since London. Any bytes are accepted; what is neither, or
//! a container whose sizes do not add up, is plain code.

use std::ops::Range;

/// What bytes at an account are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// Instructions from the first byte on.
    Plain,
    /// A delegation to the code at an address.
    Delegation([u8; 20]),
    /// Sections.
    Eof(Eof),
}

/// A container of version 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eof {
    /// Sections of code; control begins in the first.
    pub code: Vec<CodeSection>,
    /// Containers for the contracts that it creates.
    pub containers: Vec<Range<usize>>,
    /// Data, perhaps shorter than the header says where a deployer appends some.
    pub data: Range<usize>,
}

/// A section of code: a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSection {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// Words that it takes.
    pub inputs: u8,
    /// Words that it gives back; `None` if it never returns.
    pub outputs: Option<u8>,
    /// Words that it puts on the stack at most, above those it takes.
    pub max_growth: u16,
}

impl CodeSection {
    /// What it takes and gives back, in words.
    pub fn signature(&self) -> String {
        let gives = self.outputs.map_or("never returns".to_owned(), |outputs| format!("returns {outputs}"));
        format!("takes {}, {gives}", self.inputs)
    }
}

const DELEGATION: [u8; 3] = [0xef, 0x01, 0x00];
const MAGIC: [u8; 3] = [0xef, 0x00, 0x01];
/// Outputs of a section that never returns.
const NEVER_RETURNS: u8 = 0x80;

impl Container {
    /// What `code` is. Linear.
    ///
    /// ```
    /// use cairn_bytecode::container::Container;
    /// let code = [&[0xef, 0x01, 0x00][..], &[7; 20]].concat();
    /// assert_eq!(Container::of(&code), Container::Delegation([7; 20]));
    /// assert_eq!(Container::of(&[0x00]), Container::Plain);
    /// ```
    pub fn of(code: &[u8]) -> Container {
        if let Some(Ok(address)) = code.strip_prefix(&DELEGATION).map(<[u8; 20]>::try_from) {
            return Container::Delegation(address);
        }
        if code.starts_with(&MAGIC) {
            // Sizes of containers have had two bytes and four.
            if let Some(eof) = read_eof(code, 4).or_else(|| read_eof(code, 2)) {
                return Container::Eof(eof);
            }
        }
        Container::Plain
    }
}

/// The header, front to back.
struct Reader<'a> {
    code: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self, width: usize) -> Option<usize> {
        let bytes = self.code.get(self.at..self.at.checked_add(width)?)?;
        self.at += width;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// The sizes of the sections of a kind, if that stands here.
    fn sizes(&mut self, kind: usize, width: usize) -> Option<Vec<usize>> {
        if usize::from(*self.code.get(self.at)?) != kind {
            return Some(Vec::new());
        }
        self.at += 1;
        let count = self.number(2)?;
        (0..count).map(|_| self.number(width)).collect()
    }

    fn section(&mut self, size: usize) -> Option<Range<usize>> {
        let end = self.at.checked_add(size).filter(|end| *end <= self.code.len())?;
        Some(std::mem::replace(&mut self.at, end)..end)
    }
}

fn read_eof(code: &[u8], container_width: usize) -> Option<Eof> {
    let mut reader = Reader { code, at: MAGIC.len() };
    (reader.number(1)? == 0x01).then_some(())?;
    let types = reader.number(2)?;
    let code_sizes = reader.sizes(0x02, 2)?;
    let container_sizes = reader.sizes(0x03, container_width)?;
    matches!(reader.number(1)?, 0x04 | 0xff).then_some(())?;
    let data_size = reader.number(2)?;
    let is_whole = reader.number(1)? == 0 && types == 4 * code_sizes.len() && types > 0;
    is_whole.then_some(())?;
    let types = reader.section(types)?;
    let mut sections = Vec::with_capacity(code_sizes.len());
    for (size, facts) in code_sizes.iter().zip(code[types].chunks_exact(4)) {
        sections.push(CodeSection {
            bytes: reader.section(*size)?,
            inputs: facts[0],
            outputs: Some(facts[1]).filter(|outputs| *outputs != NEVER_RETURNS),
            max_growth: u16::from_be_bytes([facts[2], facts[3]]),
        });
    }
    let containers: Option<Vec<_>> = container_sizes.iter().map(|size| reader.section(*size)).collect();
    let data = reader.at..code.len().min(reader.at + data_size);
    (code.len() <= reader.at + data_size).then_some(Eof { code: sections, containers: containers?, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One section `RJUMP 0, STOP`, a container of two bytes, and a byte of data.
    fn example(kind_of_data: u8) -> Vec<u8> {
        let header = [0xef, 0, 1, 1, 0, 4, 2, 0, 1, 0, 4, 3, 0, 1, 0, 0, 0, 2, kind_of_data, 0, 1, 0];
        [&header[..], &[0, 0x80, 0, 0], &[0xe0, 0, 0, 0], &[0xfe, 0xfe], &[9]].concat()
    }

    #[test]
    fn sections_are_found() {
        for kind in [0x04, 0xff] {
            let Container::Eof(eof) = Container::of(&example(kind)) else { panic!("a container") };
            let section = CodeSection { bytes: 26..30, inputs: 0, outputs: None, max_growth: 0 };
            assert_eq!((eof.code, eof.data), (vec![section], 32..33));
            assert_eq!(
                eof.containers.iter().map(|inner| (inner.start, inner.end)).collect::<Vec<_>>(),
                [(30, 32)]
            );
        }
    }

    #[test]
    fn what_does_not_add_up_is_plain() {
        let whole = example(0xff);
        let shorter = |length: usize| Container::of(&whole[..length]);
        assert!(matches!(shorter(32), Container::Eof(_)), "data may be appended later");
        assert!((0..32).all(|length| shorter(length) == Container::Plain));
        assert_eq!(Container::of(&[&whole[..], &[0, 0]].concat()), Container::Plain);
        assert_eq!(Container::of(&[0xef, 1, 0, 7]), Container::Plain);
    }
}
