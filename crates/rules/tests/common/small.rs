//! The opcodes on words of a few bits, so that all operands can be tried.

use super::Known;
use cairn_evm::Opcode;
use cairn_rules::Term;

/// Words of `width` bits, at most 16.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Small {
    pub(crate) width: u32,
}

impl Small {
    pub(crate) fn max(self) -> u64 {
        (1 << self.width) - 1
    }

    /// The value of a term.
    pub(crate) fn evaluate(self, term: &Term, values: &[Known<u64>], consts: &[u64]) -> u64 {
        match term {
            Term::Value(name) => values[usize::from(*name)].value,
            Term::Fact(fact, name) => values[usize::from(*name)].fact(*fact),
            Term::Const(name) => consts[usize::from(*name)],
            Term::Width => self.width.into(),
            Term::Word(word) => {
                let word = word.as_limbs()[0];
                assert!(word <= self.max(), "{word} does not fit {} bits", self.width);
                word
            }
            Term::Op(op, args) => {
                let mut words = [0; 3];
                for (word, arg) in words.iter_mut().zip(args.iter()) {
                    *word = self.evaluate(arg, values, consts);
                }
                self.apply(*op, words) & self.max()
            }
        }
    }

    fn signed(self, a: u64) -> i64 {
        let shift = 64 - self.width;
        ((a << shift) as i64) >> shift
    }

    fn apply(self, op: Opcode, [a, b, m]: [u64; 3]) -> u64 {
        let (sa, sb) = (self.signed(a), self.signed(b));
        let width = u64::from(self.width);
        match op {
            Opcode::ADD => a + b,
            Opcode::SUB => a.wrapping_sub(b),
            Opcode::MUL => a * b,
            Opcode::DIV => a.checked_div(b).unwrap_or(0),
            Opcode::SDIV => sa.checked_div(sb).unwrap_or(0) as u64,
            Opcode::MOD => a.checked_rem(b).unwrap_or(0),
            Opcode::SMOD => sa.checked_rem(sb).unwrap_or(0) as u64,
            Opcode::ADDMOD => (a + b).checked_rem(m).unwrap_or(0),
            Opcode::MULMOD => (a * b).checked_rem(m).unwrap_or(0),
            Opcode::EXP => (0..b).fold(1, |power, _| (power * a) & self.max()),
            Opcode::LT => u64::from(a < b),
            Opcode::GT => u64::from(a > b),
            Opcode::SLT => u64::from(sa < sb),
            Opcode::SGT => u64::from(sa > sb),
            Opcode::EQ => u64::from(a == b),
            Opcode::ISZERO => u64::from(a == 0),
            Opcode::AND => a & b,
            Opcode::OR => a | b,
            Opcode::XOR => a ^ b,
            Opcode::NOT => !a,
            Opcode::SHL if a < width => b << a,
            Opcode::SHR if a < width => b >> a,
            Opcode::SHL | Opcode::SHR => 0,
            Opcode::SAR => (sb >> a.min(width - 1)) as u64,
            Opcode::CLZ => width - u64::from(64 - a.leading_zeros()),
            Opcode::BYTE if 8 * a < width => (b >> (width - 8 - 8 * a)) & 0xff,
            Opcode::BYTE => 0,
            Opcode::SIGNEXTEND if 8 * a + 8 < width => {
                let shift = 64 - 8 - 8 * a;
                (((b << shift) as i64) >> shift) as u64
            }
            Opcode::SIGNEXTEND => b,
            _ => panic!("{op:?} is not arithmetic"),
        }
    }
}
