//! Addresses as a base, a constant, and a word of which no more than bounds are known: elements of arrays.

use crate::memory::Place;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Op, Value};
use cairn_rules::{Facts, transfer};
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// Bits of what is added to a base, so that no sum of such words wraps.
pub(crate) const SPAN_BITS: usize = 128;
/// Operations of a word that are looked into for its bounds, one behind the other.
const DEPTH: u32 = 4;
/// Words of a sum.
const MAX_TERMS: usize = 4;
/// Sums in a sum.
const MAX_SUMS: usize = 8;

/// What is known of values where an address is looked at.
pub(crate) trait Known {
    /// Bounds and bits of a value that do not come from what it is computed from.
    fn facts(&self, value: Value) -> Option<Facts>;

    /// The value that is used instead of one.
    fn renamed(&self, value: Value) -> Value;
}

/// A base value, if any, plus any word from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) base: PackedOption<Value>,
    pub(crate) lo: Word,
    pub(crate) hi: Word,
}

impl From<Place> for Span {
    fn from(place: Place) -> Span {
        Span { base: place.base, lo: place.offset, hi: place.offset }
    }
}

impl Span {
    /// Takes sums apart. What has no bounds is the base; where there are several of these, the whole sum
    /// is.
    pub(crate) fn of(func: &Function, known: &impl Known, address: Value) -> Span {
        Span::of_place(func, known, Place::of(func, address))
    }

    /// Takes the base of a place apart, if that is a sum.
    pub(crate) fn of_place(func: &Function, known: &impl Known, place: Place) -> Span {
        let Some(base) = place.base.expand().filter(|_| place.offset >> SPAN_BITS == Word::ZERO) else {
            return place.into();
        };
        let sum = Span::of_sum(func, known, base);
        sum.map_or(place.into(), |span| Span {
            lo: span.lo + place.offset,
            hi: span.hi + place.offset,
            ..span
        })
    }

    fn of_sum(func: &Function, known: &impl Known, address: Value) -> Option<Span> {
        let mut span = Span { base: None.into(), lo: Word::ZERO, hi: Word::ZERO };
        let mut open: SmallVec<[Value; MAX_TERMS]> = SmallVec::from_slice(&[address]);
        let mut n_sums = 0;
        while let Some(term) = open.pop().map(|value| known.renamed(value)) {
            let facts = bounds(func, known, term, DEPTH);
            if facts.hi() >> SPAN_BITS == Word::ZERO {
                (span.lo, span.hi) = (span.lo + facts.lo(), span.hi + facts.hi());
                continue;
            }
            match operands_of_sum(func, term) {
                Some(operands) if n_sums < MAX_SUMS && open.len() + operands.len() <= MAX_TERMS => {
                    n_sums += 1;
                    open.extend_from_slice(operands);
                }
                _ if span.base.is_none() => span.base = term.into(),
                _ => return None,
            }
        }
        Some(span)
    }

    /// The first place of it.
    pub(crate) fn first(self) -> Place {
        Place { base: self.base, offset: self.lo }
    }

    /// The last place of it.
    pub(crate) fn last(self) -> Place {
        Place { base: self.base, offset: self.hi }
    }
}

fn operands_of_sum(func: &Function, value: Value) -> Option<&[Value]> {
    let inst = func.dfg.def_inst(value)?;
    match func.dfg.op(inst) {
        Op::Evm(Opcode::ADD) | Op::PtrAdd | Op::PtrToInt | Op::IntToPtr => Some(func.dfg.args(inst)),
        _ => None,
    }
}

/// What is known of a word by what it is computed from.
fn bounds(func: &Function, known: &impl Known, value: Value, depth: u32) -> Facts {
    if let Some(word) = func.dfg.as_const(value) {
        return Facts::exactly(word);
    }
    if let Some(facts) = known.facts(value) {
        return facts;
    }
    match func.dfg.def_inst(value).filter(|_| depth > 0).map(|inst| (func.dfg.op(inst), func.dfg.args(inst)))
    {
        Some((Op::Evm(opcode), args)) => {
            let operands: SmallVec<[Facts; 3]> =
                args.iter().map(|arg| bounds(func, known, *arg, depth - 1)).collect();
            transfer(opcode, &operands.iter().collect::<SmallVec<[&Facts; 3]>>())
        }
        _ => Facts::ANY,
    }
}
