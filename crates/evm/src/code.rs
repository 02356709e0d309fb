//! Where control may land in a piece of code.

use crate::opcode::Opcode;

/// The places of `JUMPDEST`s that are instructions, not immediate data of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JumpdestMap {
    bits: Vec<u64>,
}

impl JumpdestMap {
    /// Scans the code once from its start. The immediates of EIP-8024's opcodes are not skipped:
    /// that proposal leaves jump destinations as they were.
    pub fn compute(code: &[u8]) -> JumpdestMap {
        let mut bits = vec![0u64; code.len().div_ceil(64)];
        let mut pc = 0;
        while let Some(byte) = code.get(pc) {
            let op = Opcode(*byte);
            if op == Opcode::JUMPDEST {
                bits[pc / 64] |= 1 << (pc % 64);
            }
            pc += 1 + usize::from(op.push_width().unwrap_or(0));
        }
        JumpdestMap { bits }
    }

    /// True when a jump to `pc` is valid.
    pub fn contains(&self, pc: usize) -> bool {
        self.bits.get(pc / 64).is_some_and(|word| word >> (pc % 64) & 1 == 1)
    }

    /// Valid jump destinations, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bits.len() * 64).filter(|pc| self.contains(*pc))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jumpdests(code: &[u8]) -> Vec<usize> {
        JumpdestMap::compute(code).iter().collect()
    }

    #[test]
    fn push_data_is_not_a_destination() {
        assert_eq!(jumpdests(&[0x5b, 0x60, 0x5b, 0x5b]), [0, 3]);
        assert_eq!(jumpdests(&[0x5f, 0x5b]), [1]);
        let mut code = vec![0x7f];
        code.extend([0x5b; 33]);
        assert_eq!(jumpdests(&code), [33]);
    }

    #[test]
    fn a_push_cut_short_by_the_end_hides_the_rest() {
        assert_eq!(jumpdests(&[0x5b, 0x62, 0x5b]), [0]);
        assert_eq!(jumpdests(&[]), []);
    }

    #[test]
    fn places_past_the_end_are_invalid() {
        let map = JumpdestMap::compute(&[0x5b; 70]);
        assert!(map.contains(69) && !map.contains(70) && !map.contains(usize::MAX));
    }

    #[test]
    fn eip_8024_immediates_are_not_skipped() {
        assert_eq!(jumpdests(&[0xe6, 0x5b]), [1]);
    }
}
