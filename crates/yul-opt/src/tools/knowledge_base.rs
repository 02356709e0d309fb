//! What is known about the distance of two variables.
//!
//! A *place* is a base and a constant distance from it. Variables with one base have a known
//! difference even when their values are not known; constants have the base zero.

use cairn_evm::{Opcode, Word};
use cairn_yul::{Builtin, Callee, Expression, YulName};

/// Base and distance of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// A variable at a certain time (its version); `None` for zero.
    pub(crate) base: Option<(YulName, u32)>,
    pub(crate) distance: Word,
}

impl Place {
    pub(crate) fn constant(distance: Word) -> Place {
        Place { base: None, distance }
    }

    pub(crate) fn of_variable(name: YulName, version: u32) -> Place {
        Place { base: Some((name, version)), distance: Word::ZERO }
    }

    /// The value, if it is constant.
    pub(crate) fn as_constant(self) -> Option<Word> {
        self.base.is_none().then_some(self.distance)
    }

    /// `self - other`, if it is constant.
    pub(crate) fn minus(self, other: Place) -> Option<Word> {
        (self.base == other.base).then(|| self.distance.wrapping_sub(other.distance))
    }

    /// The values are never equal.
    pub(crate) fn is_different(self, other: Place) -> bool {
        self.minus(other).is_some_and(|difference| !difference.is_zero())
    }

    /// Words in memory at the two places never overlap.
    pub(crate) fn is_different_by_a_word(self, other: Place) -> bool {
        const WORD: Word = Word::from_limbs([32, 0, 0, 0]);
        self.minus(other).is_some_and(|difference| difference >= WORD && difference.wrapping_neg() >= WORD)
    }
}

/// How deeply nested sums are looked into.
const MAX_DEPTH: usize = 8;

/// The place of an expression's value, given that of variables.
pub(crate) fn place_of(expression: &Expression, variable: &dyn Fn(YulName) -> Place) -> Option<Place> {
    place_within(expression, variable, MAX_DEPTH)
}

fn place_within(expression: &Expression, variable: &dyn Fn(YulName) -> Place, depth: usize) -> Option<Place> {
    match expression {
        Expression::Literal(literal) => Some(Place::constant(literal.value)),
        Expression::Identifier(identifier) => Some(variable(identifier.name)),
        Expression::Call(call) => {
            let depth = depth.checked_sub(1)?;
            let Callee::Builtin(Builtin::Evm(opcode @ (Opcode::ADD | Opcode::SUB))) = call.callee else {
                return None;
            };
            let left = place_within(&call.args[0], variable, depth)?;
            let right = place_within(&call.args[1], variable, depth)?;
            if opcode == Opcode::SUB {
                let distance = left.distance.wrapping_sub(right.distance);
                if left.base == right.base {
                    return Some(Place::constant(distance));
                }
                return right.base.is_none().then_some(Place { base: left.base, distance });
            }
            let distance = left.distance.wrapping_add(right.distance);
            match (left.base, right.base) {
                (base, None) | (None, base) => Some(Place { base, distance }),
                (Some(_), Some(_)) => None,
            }
        }
    }
}
