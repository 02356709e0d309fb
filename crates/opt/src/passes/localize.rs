//! `localize`: computes constants and other free values next to their uses.
//!
//! A value of an operation without operands costs no more to compute than to copy from deeper in
//! the stack. Kept in one place it would only be live longer, so each block that uses it gets its
//! own, right before the first use; those nobody uses any more go.
//!
//! ```text
//! ^e:                              ^e:
//!   %k = evm.constant 5              evm.br ^b
//!   evm.br ^b              =>      ^b:
//! ^b:                                %k1 = evm.constant 5
//!   evm.sstore %k, %x                evm.sstore %k1, %x
//! ```
//!
//! Needs nothing. Preserves blocks, establishes local constants; comes last but for
//! `share-constants`. Cost: linear.

use crate::edit::copy_before;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_ir::{Block, Function, Inst, Op, SecondaryMap, Value};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "localize",
    summary: "computes constants and other free values next to their uses",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[Property::LocalConstants],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let mut n_uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let mut changed = false;
    for block in &blocks {
        changed |= localize_block(func, *block, &mut n_uses);
    }
    for block in blocks {
        let mut next = func.layout.first_inst(block);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            if is_free(func, inst) && n_uses[func.dfg.result(inst)] == 0 {
                func.layout.remove_inst(inst);
                changed = true;
            }
        }
    }
    Changed::from(changed)
}

/// Gives the block copies of what it uses from other blocks, and counts uses.
fn localize_block(func: &mut Function, block: Block, n_uses: &mut SecondaryMap<Value, u32>) -> bool {
    let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
    let mut changed = false;
    let mut next = func.layout.first_inst(block);
    while let Some(inst) = next {
        let mut wanted: Vec<(Value, Inst)> = Vec::new();
        func.dfg.for_each_use(inst, |value| {
            let def = func.dfg.def_inst(value);
            if let Some(def) = def.filter(|def| is_free(func, *def)) {
                wanted.push((value, def));
            }
        });
        for (value, def) in wanted {
            let Entry::Vacant(entry) = copies.entry(value) else {
                continue;
            };
            if func.layout.inst_block(def) != Some(block) {
                entry.insert(copy_before(func, def, inst));
                changed = true;
            } else {
                entry.insert(value);
                changed |= move_before(func, def, inst);
            }
        }
        func.dfg.map_uses(inst, |value| {
            let used = copies.get(&value).copied().unwrap_or(value);
            n_uses[used] += 1;
            used
        });
        next = func.layout.next_inst(inst);
    }
    changed
}

/// Moves a free instruction down to its first use, unless only others like it lie between.
fn move_before(func: &mut Function, def: Inst, user: Inst) -> bool {
    let mut prev = func.layout.prev_inst(user);
    while let Some(inst) = prev.filter(|inst| *inst != def && is_free(func, *inst)) {
        prev = func.layout.prev_inst(inst);
    }
    let is_far = prev != Some(def);
    if is_far {
        func.layout.remove_inst(def);
        func.layout.insert_inst_before(def, user);
    }
    is_far
}

/// Pure operations without operands. An `alloca` is a place, not a value, and stays one.
fn is_free(func: &Function, inst: Inst) -> bool {
    let op = func.dfg.op(inst);
    let is_pure = op.effects().is_pure() && op.inputs() == Some(0) && op.outputs() == Some(1);
    is_pure && op != Op::Alloca
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, run_on_body};

    #[test]
    fn each_block_gets_its_own_constants() {
        let (changed, text) = run_on_body(
            "()",
            "^e:
               %k = evm.constant 5 : u256
               %c = evm.caller : u160
               evm.br ^b
             ^b:
               evm.sstore %k, %c
               evm.sstore %c, %k
               evm.stop",
            &[run],
        );
        let expected = "^e:
               evm.br ^b
             ^b:
               %0 = evm.constant 5 : u256
               %1 = evm.caller : u160
               evm.sstore %0, %1
               evm.sstore %1, %0
               evm.stop";
        assert_eq!((changed, text), (Changed::Yes, lines(expected)));
    }

    #[test]
    fn constants_move_down_to_their_first_use() {
        let body = "^e:
               %k = evm.constant 5 : u256
               %l = evm.constant 6 : u256
               %g = evm.gas : u256
               evm.sstore %l, %g
               evm.sstore %k, %l
               evm.stop";
        let expected = "^e:
               %g = evm.gas : u256
               %l = evm.constant 6 : u256
               evm.sstore %l, %g
               %k = evm.constant 5 : u256
               evm.sstore %k, %l
               evm.stop";
        let moved = (Changed::Yes, lines(expected));
        assert_eq!(run_on_body("()", body, &[run]), moved);
        assert_eq!(run_on_body("()", expected, &[run]), (Changed::No, moved.1));
    }

    #[test]
    fn readings_of_the_block_stay_where_they_are() {
        let body = "^e:
               %t = evm.timestamp : u256
               %s = evm.staticcall %x, %x, %x, %x, %x, %x : bool
               evm.br ^b
             ^b:
               evm.sstore %t, %s
               evm.stop";
        assert_eq!(run_on_body("(%x : u256)", body, &[run]), (Changed::No, lines(body)));
    }

    #[test]
    fn places_observations_and_values_with_operands_stay() {
        let body = "^e:
               %s = evm.alloca : ptr<0>
               %n = evm.not %x : u256
               %g = evm.gas : u256
               evm.br ^b
             ^b:
               evm.mstore %s, %n
               evm.sstore %n, %g
               evm.stop";
        assert_eq!(run_on_body("(%x : u256)", body, &[run]), (Changed::No, lines(body)));
    }
}
