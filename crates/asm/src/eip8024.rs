//! Immediate bytes of `DUPN`, `SWAPN` and `EXCHANGE` (EIP-8024).
//!
//! Which bytes are jump destinations doesn't change with the EIP: an immediate is scanned as if it
//! were an opcode. So the encodings leave out 0x5b (`JUMPDEST`) to 0x7f (`PUSH32`); on such a byte
//! the instruction fails.

/// The smallest `n` of `DUPN` and `SWAPN`.
pub(crate) const MIN_SINGLE: u16 = 17;
/// The largest `n` of `DUPN` and `SWAPN`.
pub const MAX_SINGLE: u16 = 235;
/// The largest sum `n + m` of `EXCHANGE`.
pub(crate) const MAX_PAIR_SUM: u16 = 30;

/// The immediate of `DUPN n` or `SWAPN n`; `None` if `n` is out of reach.
pub(crate) fn encode_single(n: u16) -> Option<u8> {
    (MIN_SINGLE..=MAX_SINGLE).contains(&n).then_some((n as u8).wrapping_add(111))
}

/// `n` of `DUPN` or `SWAPN` with this immediate; `None` if the instruction fails.
pub(crate) fn decode_single(byte: u8) -> Option<u16> {
    (!(0x5b..=0x7f).contains(&byte)).then_some(u16::from(byte.wrapping_add(145)))
}

/// The immediate of `EXCHANGE n m`, which exchanges the words `n` and `m` below the top; `None`
/// unless `1 ≤ n < m` and `n + m ≤ 30`.
pub(crate) fn encode_pair(n: u16, m: u16) -> Option<u8> {
    let valid = n >= 1 && n < m && m < MAX_PAIR_SUM && n + m <= MAX_PAIR_SUM;
    let (quotient, remainder) = if m <= 16 { (n, m) } else { (MAX_PAIR_SUM.saturating_sub(m), n) };
    valid.then(|| ((16 * (quotient - 1) + remainder - 1) as u8) ^ 0x8f)
}

/// `n` and `m` of `EXCHANGE` with this immediate; `None` if the instruction fails.
pub(crate) fn decode_pair(byte: u8) -> Option<(u16, u16)> {
    if (0x52..=0x7f).contains(&byte) {
        return None;
    }
    let index = u16::from(byte ^ 0x8f);
    let (quotient, remainder) = (index / 16, index % 16);
    Some(if quotient < remainder {
        (quotient + 1, remainder + 1)
    } else {
        (remainder + 1, MAX_PAIR_SUM - 1 - quotient)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_are_a_bijection_that_avoids_jumpdest_and_pushes() {
        let encoded: Vec<u8> = (MIN_SINGLE..=MAX_SINGLE).filter_map(encode_single).collect();
        assert_eq!(encoded.len(), 219);
        for (n, byte) in (MIN_SINGLE..).zip(encoded) {
            assert!(!(0x5b..=0x7f).contains(&byte));
            assert_eq!(decode_single(byte), Some(n));
        }
        assert_eq!((encode_single(16), encode_single(236)), (None, None));
        assert_eq!(
            (decode_single(0x5a), decode_single(0x5b), decode_single(0x80)),
            (Some(235), None, Some(17))
        );
    }

    #[test]
    fn pairs_are_a_bijection() {
        let mut bytes = Vec::new();
        for n in 0..40 {
            for m in 0..40 {
                let valid = n >= 1 && n < m && n + m <= 30;
                assert_eq!(encode_pair(n, m).is_some(), valid, "{n} {m}");
                let Some(byte) = encode_pair(n, m) else { continue };
                assert_eq!(decode_pair(byte), Some((n, m)));
                bytes.push(byte);
            }
        }
        bytes.sort_unstable();
        let decodable: Vec<u8> = (0..=255).filter(|byte| decode_pair(*byte).is_some()).collect();
        assert_eq!(bytes, decodable);
    }

    #[test]
    fn examples_of_the_eip() {
        assert_eq!(encode_single(17), Some(0x80));
        assert_eq!(encode_single(108), Some(0xdb));
        assert_eq!(encode_pair(1, 2), Some(0x8e));
        assert_eq!(encode_pair(1, 19), Some(0x2f));
    }
}
