//! The mean of two words, `(a & b) + ((a ^ b) >> 1)`, as one variable: half of the sum of both, which does not wrap
//! although the bounds of its two parts would allow it.

use super::integer::Integer;
use super::system::Row;
use super::{Case, Fact};
use crate::term::{Node, Term, Terms};
use cairn_evm::{Opcode, Word};

/// Parts of a sum, with their coefficients.
type Parts = Vec<(Term, Word)>;

impl Case<'_> {
    /// The means among the parts of a sum, as variables with their coefficients, and the other parts.
    pub(super) fn without_means(&mut self, parts: &[(Term, Word)]) -> (Vec<(usize, Word)>, Parts) {
        let (mut means, mut rest) = (Vec::new(), parts.to_vec());
        let halves: Vec<(Term, Word, [Term; 2])> =
            parts.iter().filter_map(|(part, by)| Some((*part, *by, half(self.terms, *part)?))).collect();
        for (part, by, words) in halves {
            let is_common = |other: &(Term, Word)| other.1 == by && is_common(self.terms, other.0, words);
            let Some(common) = rest.iter().find(|other| is_common(other)).map(|other| other.0) else {
                continue;
            };
            rest.retain(|other| other.0 != part && other.0 != common);
            means.push((self.mean(words), by));
        }
        (means, rest)
    }

    fn mean(&mut self, words: [Term; 2]) -> usize {
        if let Some((variable, _)) = self.means.iter().find(|(_, others)| *others == words) {
            return *variable;
        }
        let variable = self.system.variable(Integer::ZERO, Integer::of(Word::MAX));
        self.means.push((variable, words));
        variable
    }

    /// What a mean has to do with the words, where these are one sum alone by their bounds.
    pub(super) fn way_of_mean(&mut self, index: usize) -> Option<Vec<Fact>> {
        let (variable, words) = *self.means.get(index)?;
        let own = Row::of_variable(variable);
        let [a, b] = [self.only_place(words[0])?, self.only_place(words[1])?];
        let [(a_lo, a_hi), (b_lo, b_hi)] = [self.system.range(&a)?, self.system.range(&b)?];
        let number = |word: Word| Row::of_number(Integer::of(word));
        // The sum is twice the mean, or one more.
        let rest = a.plus(&b, 1)?.plus(&own, -2)?;
        let mut rows = vec![number(Word::from(1)).plus(&rest, -1)?, rest];
        if let (Some(a), Some(b)) = (a_hi.as_word(), b_hi.as_word()) {
            rows.push(number(mean(a, b)).plus(&own, -1)?);
        }
        if let (Some(a), Some(b)) = (a_lo.as_word(), b_lo.as_word()) {
            rows.push(own.plus(&number(mean(a, b)), -1)?);
        }
        Some(rows.into_iter().map(Fact::Row).collect())
    }
}

/// Of which words a term is half of the bits that they do not have in common.
fn half(terms: &Terms, term: Term) -> Option<[Term; 2]> {
    let Node::Op(Opcode::SHR, args) = terms.node(term) else { return None };
    let Node::Op(Opcode::XOR, words) = terms.node(args[1]) else { return None };
    (args[0] == terms.one).then(|| sorted(words))
}

/// True of the bits that words have in common.
fn is_common(terms: &Terms, term: Term, words: [Term; 2]) -> bool {
    let Node::Op(Opcode::AND, args) = terms.node(term) else { return false };
    sorted(args) == words
}

fn sorted(words: &[Term]) -> [Term; 2] {
    [words[0].min(words[1]), words[0].max(words[1])]
}

fn mean(a: Word, b: Word) -> Word {
    (a & b) + ((a ^ b) >> 1)
}
