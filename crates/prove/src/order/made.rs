//! What a word has to do with those that it is made of, as inequalities.
//!
//! What is rounded, shifted or divided by a constant lies between two sums. A comparison as a number is no more than
//! the greater side, and has room above the smaller one. Of two words the common bits count twice in their sum, and
//! those that only one has once: so their mean `(a & b) + ((a ^ b) >> 1)` lies between them.

use super::integer::Integer;
use super::system::Row;
use super::{COEFFICIENT_BITS, Case, Fact, Signs};
use crate::term::{Node, Term};
use cairn_evm::{Opcode, Word, word};

/// True of operations of whose words something is said here.
pub(super) fn is_made(opcode: Opcode) -> bool {
    [Opcode::AND, Opcode::OR, Opcode::XOR, Opcode::SHR, Opcode::DIV, Opcode::LT].contains(&opcode)
}

impl Case<'_> {
    /// All ways in which a word can be made of others; `None` if nothing is said of them.
    pub(super) fn ways_of_made(&mut self, term: Term) -> Option<Vec<Vec<Fact>>> {
        let Node::Op(opcode, args) = self.terms.node(term) else { return None };
        let (opcode, a, b) = (*opcode, args[0], *args.get(1)?);
        match (opcode, self.terms.as_word(a), self.terms.as_word(b)) {
            // The base is between the word and the word plus the bits that are cleared.
            (Opcode::AND, None, Some(mask)) => {
                let whole = self.terms.facts(a).possible_ones() & !mask;
                self.ways_of_part(term, a, 1, whole)
            }
            (Opcode::SHR, Some(by), None) if by < Word::from(COEFFICIENT_BITS) => {
                let by = by.to::<usize>();
                self.ways_of_part(term, b, 1i64 << by, word::low_mask(by))
            }
            (Opcode::DIV, None, Some(by)) if !by.is_zero() && by.bit_len() < COEFFICIENT_BITS => {
                self.ways_of_part(term, a, i64::try_from(by).ok()?, by - Word::from(1))
            }
            (Opcode::LT, ..) => self.way_of_flag(term, [a, b]),
            (Opcode::AND | Opcode::OR | Opcode::XOR, None, None) => self.way_of_bits(term, opcode, [a, b]),
            _ => None,
        }
    }

    /// A word that is so many times another, and at most so much more.
    fn ways_of_part(&mut self, term: Term, base: Term, up: i64, most: Word) -> Option<Vec<Vec<Fact>>> {
        let own = self.row(term)?;
        let placed = self.placed(base, Signs::Unsigned)?;
        let mut ways = Vec::new();
        for (row, bounds) in placed {
            // Bits that the base surely does not have are not cleared.
            let (_, greatest) = self.system.range(&row)?;
            let most = match (up, greatest.as_word()) {
                (1, Some(greatest)) => most & word::low_mask(greatest.bit_len()),
                _ => most,
            };
            let rest = row.plus(&own, up.checked_neg()?)?;
            let other = Row::of_number(Integer::of(most)).plus(&rest, -1)?;
            let rows = bounds.into_iter().chain([rest, other]);
            ways.push(rows.map(Fact::Row).collect());
        }
        Some(self.feasible(ways))
    }

    /// 1 where the first is less than the second: then the second is not 0, and the first not the greatest word.
    fn way_of_flag(&mut self, term: Term, args: [Term; 2]) -> Option<Vec<Vec<Fact>>> {
        let own = self.row(term)?;
        let [less, more] = [self.only_place(args[0])?, self.only_place(args[1])?];
        let rows =
            [more.plus(&own, -1)?, Row::of_number(Integer::of(Word::MAX)).plus(&less, -1)?.plus(&own, -1)?];
        Some(self.feasible(vec![rows.into_iter().map(Fact::Row).collect()]))
    }

    /// Bits of two words that are not constants.
    fn way_of_bits(&mut self, term: Term, opcode: Opcode, args: [Term; 2]) -> Option<Vec<Vec<Fact>>> {
        let own = self.row(term)?;
        let [a, b] = [self.only_place(args[0])?, self.only_place(args[1])?];
        let sum = a.plus(&b, 1)?;
        let mut rows = match opcode {
            Opcode::AND => vec![a.plus(&own, -1)?, b.plus(&own, -1)?],
            Opcode::OR => vec![own.plus(&a, -1)?, own.plus(&b, -1)?, sum.plus(&own, -1)?],
            _ => vec![sum.plus(&own, -1)?],
        };
        let count = if opcode == Opcode::XOR { -2 } else { -1 };
        if opcode != Opcode::AND
            && let Some(common) = self.common_bits(args)
        {
            // The sum is the word and the common bits, once or twice.
            let rest = sum.plus(&own, -1)?.plus(&common, count)?;
            rows.extend([Row::of_number(Integer::ZERO).plus(&rest, -1)?, rest]);
        }
        Some(self.feasible(vec![rows.into_iter().map(Fact::Row).collect()]))
    }

    /// The bits that two words have in common, where they are a variable.
    fn common_bits(&self, args: [Term; 2]) -> Option<Row> {
        let is_common = |term: Term| match self.terms.node(term) {
            Node::Op(Opcode::AND, others) => others[..] == args || others[..] == [args[1], args[0]],
            _ => false,
        };
        let found = self.variables.iter().find(|(term, _)| is_common(**term));
        found.map(|(_, variable)| Row::of_variable(*variable))
    }

    /// A word as an integer, if by its bounds it is one sum alone.
    pub(super) fn only_place(&mut self, term: Term) -> Option<Row> {
        let mut placed = self.placed(term, Signs::Unsigned)?;
        if placed.len() == 1 { placed.pop().map(|(row, _)| row) } else { None }
    }
}
