//! Messages through pipes: a kind, a length, bytes.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// Bytes of a message at most.
const MAX_BYTES: u32 = 1 << 31;

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// To the worker, once: what to do, as JSON.
    Order,
    /// To the worker: a code. Its hash stands before it.
    Code,
    /// To the worker: these were all codes, begin.
    Begin,
    /// To the supervisor: the worker begins with the row of this number (4 bytes, little endian).
    Row,
    /// To the supervisor: rows that are done, as an Arrow stream.
    Result,
    /// To the supervisor: all rows were sent.
    End,
}

const KINDS: [Kind; 6] = [Kind::Order, Kind::Code, Kind::Begin, Kind::Row, Kind::Result, Kind::End];

pub(crate) fn send(pipe: &mut impl Write, kind: Kind, parts: &[&[u8]]) -> Result<()> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).ok().filter(|length| *length <= MAX_BYTES);
    let length = length.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "the message is too long"))?;
    let number = KINDS.iter().position(|known| *known == kind).unwrap_or(0) as u8;
    pipe.write_all(&[number])?;
    pipe.write_all(&length.to_le_bytes())?;
    parts.iter().try_for_each(|part| pipe.write_all(part))
}

/// The next message; `None` where the pipe ends between messages.
pub(crate) fn receive(pipe: &mut impl Read) -> Result<Option<(Kind, Vec<u8>)>> {
    let mut number = [0];
    if pipe.read(&mut number)? == 0 {
        return Ok(None);
    }
    let mut length = [0; 4];
    pipe.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    let kind = KINDS.get(usize::from(number[0])).copied().filter(|_| length <= MAX_BYTES);
    let kind = kind.ok_or_else(|| Error::new(ErrorKind::InvalidData, "no message of ours"))?;
    let mut bytes = Vec::new();
    pipe.take(u64::from(length)).read_to_end(&mut bytes)?;
    match bytes.len() == length as usize {
        true => Ok(Some((kind, bytes))),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_through_whole() {
        let mut pipe = Vec::new();
        send(&mut pipe, Kind::Code, &[&[1], &[2, 3]]).expect("memory");
        send(&mut pipe, Kind::End, &[]).expect("memory");
        let whole = pipe.clone();
        let mut reader = &whole[..];
        assert_eq!(receive(&mut reader).expect("a message"), Some((Kind::Code, vec![1, 2, 3])));
        assert_eq!(receive(&mut reader).expect("a message"), Some((Kind::End, vec![])));
        assert_eq!(receive(&mut reader).expect("the end"), None);
        assert!(receive(&mut &whole[..6]).is_err());
        assert!(receive(&mut &[99, 0, 0, 0, 0][..]).is_err());
    }
}
