//! Stores of bytes that memory holds already, as far as anybody reads them.
//!
//! ```text
//! evm.mstore %p, "text"                evm.mstore %p, "text"
//! evm.mstore (%p + 4), 0         =>    evm.return (%p - 64), 96
//! evm.return (%p - 64), 96
//! ```
//!
//! Two constants: where the second overlaps the first it says the same, and nobody reads what it writes besides.
//! Nothing between them writes memory but stores that are apart by their constants.

use super::demand::Demand;
use crate::copied::insts_before;
use crate::memory::{Heap, Place, Region, WORD};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Function, Inst, Op};

/// Instructions that are looked at before a store.
const MAX_LOOK_BACK: usize = 16;

/// True if a store of a constant changes no byte that is in the demand behind it.
pub(super) fn is_said(func: &Function, heap: Heap, inst: Inst, demand: &Demand) -> bool {
    let Some((place, word)) = constant_store(func, inst) else {
        return false;
    };
    let Some((first, said)) = store_before(func, inst, place) else {
        return false;
    };
    let (agrees, rest) = match (place.behind(first, WORD), first.behind(place, WORD)) {
        (Some(behind), _) => {
            (said << bits(behind) == word >> bits(behind) << bits(behind), (first.plus(WORD), behind))
        }
        (None, Some(ahead)) => (word << bits(ahead) == said >> bits(ahead) << bits(ahead), (place, ahead)),
        (None, None) => return false,
    };
    let (start, length) = rest;
    agrees && !demand.wants(func, heap, &Region { place: start, length: Some(Word::from(length)) })
}

fn bits(bytes: u64) -> usize {
    bytes as usize * 8
}

/// The place and the word of a store of a constant.
fn constant_store(func: &Function, inst: Inst) -> Option<(Place, Word)> {
    match (func.dfg.op(inst), func.dfg.args(inst)) {
        (Op::Evm(Opcode::MSTORE), [at, value]) => Some((Place::of(func, *at), func.dfg.as_const(*value)?)),
        _ => None,
    }
}

/// The store of a constant before an instruction that overlaps a word, if it is the last that may.
fn store_before(func: &Function, inst: Inst, place: Place) -> Option<(Place, Word)> {
    let writes = |inst: &Inst| func.dfg.op(*inst).effects().intersects(Effects::WRITE_MEMORY);
    for write in insts_before(func, inst).take(MAX_LOOK_BACK).filter(writes) {
        let (Op::Evm(Opcode::MSTORE), [at, _]) = (func.dfg.op(write), func.dfg.args(write)) else {
            return None;
        };
        let at = Place::of(func, *at);
        let is_near = at.behind(place, WORD - 1).or(place.behind(at, WORD - 1)).is_some();
        if at.base != place.base || is_near {
            return constant_store(func, write).filter(|_| is_near);
        }
    }
    None
}
