//! `rematerialize`: computes addresses anew where keeping them would crowd the stack.
//!
//! Sharing makes `base + 32`, `base + 64`, … live from their first use to their last, and each of
//! them takes a place on the stack that only reaches sixteen words. Where more than [`CROWDED`]
//! values are live, such a sum is computed again in each block that uses it, as long as that keeps
//! fewer values alive: its base is live there anyway, or several sums share it. In a block that runs
//! more often than the sum's own, which pays each time, only if more than [`OVERCROWDED`] are live there.
//!
//! ```text
//! ^a:                                   ^a:
//!   %p = evm.add %base, 32                …
//!   …                             =>
//! ^b:                                   ^b:
//!   … %base …                             … %base …
//!   evm.mstore %p, %x                     %q = evm.add %base, 32
//!                                         evm.mstore %q, %x
//! ```
//!
//! Needs nothing; preserves blocks and promotion; comes after the last sharing of computations.
//! Cost: that of liveness and frequencies.

use crate::edit::copy_before;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::pressure::{Pressure, counts};
use cairn_analysis::liveness::defining_block;
use cairn_analysis::{Cfg, Frequency};
use cairn_evm::Opcode;
use cairn_ir::{Block, EntityRef, Function, Op, SecondaryMap, Value};
use rustc_hash::FxHashMap;

/// Live values above which the stack is crowded.
pub(crate) const CROWDED: u32 = 11;
/// Live values above which some of them go to memory, which costs more than a sum.
const OVERCROWDED: u32 = 14;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "rematerialize",
    summary: "computes addresses anew where keeping them would crowd the stack",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let cfg = Cfg::compute(func);
    let pressure = Pressure::compute(func, &cfg);
    if pressure.of_func() <= CROWDED {
        return Changed::No;
    }
    let plan = Plan {
        candidates: Candidates::compute(func, &cfg, &pressure),
        frequency: Frequency::compute(func, &cfg, Some(&cx.summaries.graph)),
        pressure,
    };
    let mut changed = false;
    for block in cfg.rpo() {
        changed |= recompute_in_block(func, *block, &plan);
    }
    Changed::from(changed)
}

/// Sums of a value and a constant that are live where it is crowded.
struct Candidates {
    is_crowding: Vec<bool>,
    /// How many of them each value is the base of.
    n_sums: SecondaryMap<Value, u32>,
}

impl Candidates {
    fn compute(func: &Function, cfg: &Cfg, pressure: &Pressure) -> Candidates {
        let mut found =
            Candidates { is_crowding: vec![false; func.dfg.num_values()], n_sums: SecondaryMap::new() };
        for block in cfg.rpo().iter().filter(|block| pressure.of_block(**block) > CROWDED) {
            for value in pressure.live.live_in(*block).iter() {
                let Some(base) = base_of(func, value) else {
                    continue;
                };
                if !std::mem::replace(&mut found.is_crowding[value.index()], true) {
                    found.n_sums[base] += 1;
                }
            }
        }
        found
    }
}

/// The value that `value` is a constant more or less than.
fn base_of(func: &Function, value: Value) -> Option<Value> {
    let inst = func.dfg.def_inst(value)?;
    let args = func.dfg.args(inst);
    let is_const = |index: usize| func.dfg.as_const(args[index]).is_some();
    let base = match func.dfg.op(inst) {
        Op::Evm(Opcode::ADD) | Op::PtrAdd if is_const(1) => args[0],
        Op::Evm(Opcode::ADD) if is_const(0) => args[1],
        Op::Evm(Opcode::SUB) if is_const(1) => args[0],
        _ => return None,
    };
    counts(func, base).then_some(base)
}

/// What decides where a sum is computed anew.
struct Plan {
    candidates: Candidates,
    frequency: Frequency,
    pressure: Pressure,
}

impl Plan {
    /// True when computing the sum anew in `block` keeps fewer values alive and costs little gas.
    fn pays(&self, func: &Function, value: Value, block: Block) -> bool {
        let (Some(base), Some(home)) = (base_of(func, value), defining_block(func, value)) else {
            return false;
        };
        let is_cheap = self.frequency.of(block) <= self.frequency.of(home)
            || self.pressure.of_block(block) > OVERCROWDED;
        let is_base_here =
            defining_block(func, base) == Some(block) || self.pressure.live.live_in(block).contains(base);
        home != block && is_cheap && (is_base_here || self.candidates.n_sums[base] > 1)
    }
}

/// Gives the block its own sums instead of those that come from elsewhere.
fn recompute_in_block(func: &mut Function, block: Block, plan: &Plan) -> bool {
    let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
    let mut next = func.layout.first_inst(block);
    while let Some(inst) = next {
        let mut wanted: Vec<Value> = Vec::new();
        func.dfg.for_each_use(inst, |value| {
            let is_candidate = plan.candidates.is_crowding.get(value.index()).copied().unwrap_or(false);
            if is_candidate && !copies.contains_key(&value) && plan.pays(func, value, block) {
                wanted.push(value);
            }
        });
        for value in wanted {
            copies.entry(value).or_insert_with(|| {
                let def = func.dfg.def_inst(value).expect("invariant: a candidate is an operation's result");
                copy_before(func, def, inst)
            });
        }
        func.dfg.map_uses(inst, |value| copies.get(&value).copied().unwrap_or(value));
        next = func.layout.next_inst(inst);
    }
    !copies.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_on_body;

    /// A base and `n` sums on it that a later block uses, before what is in that block besides.
    fn body(n: u32, end: &str) -> String {
        let mut text = String::from("^e:\n %base = evm.mload %x : u256\n");
        for index in 1..=n {
            text += &format!("%k{index} = evm.constant {} : u256\n", index * 32);
            text += &format!("%p{index} = evm.add %base, %k{index} : u256\n evm.sstore %p{index}, %x\n");
        }
        text += "evm.br ^b\n^b:\n";
        (1..=n).for_each(|index| text += &format!("evm.mstore %p{index}, %x\n"));
        text + end
    }

    const LAST: &str = "evm.stop";
    /// The base lives, too.
    const BASE: &str = "evm.sstore %base, %x\n evm.stop";
    /// The block is a loop, so all sums live in it.
    const LOOP: &str = "%more = evm.mload %x : u256\n evm.condbr %more, ^b, ^c\n^c:\n evm.stop";

    #[test]
    fn many_sums_are_computed_anew_from_one_base() {
        let (changed, text) = run_on_body("(%x : u256)", &body(12, LAST), &[run]);
        assert_eq!(changed, Changed::Yes);
        assert_eq!(text.matches("evm.add %base").count(), 24);
    }

    #[test]
    fn a_loop_computes_anew_only_what_it_could_not_keep() {
        assert_eq!(run_on_body("(%x : u256)", &body(12, LOOP), &[run]).0, Changed::No);
        let (_, text) = run_on_body("(%x : u256)", &body(15, LOOP), &[run]);
        assert_eq!(text.matches("evm.add %base").count(), 30);
    }

    #[test]
    fn few_values_stay() {
        assert_eq!(run_on_body("(%x : u256)", &body(4, BASE), &[run]).0, Changed::No);
    }

    #[test]
    fn sums_of_bases_that_would_have_to_be_kept_instead_stay() {
        let mut text = String::from("^e:\n %k = evm.constant 32 : u256\n");
        for index in 0..14 {
            text += &format!("%b{index} = evm.sload %x : u256\n %p{index} = evm.add %b{index}, %k : u256\n");
        }
        text += "evm.br ^b\n^b:\n";
        (0..14).for_each(|index| text += &format!("evm.sstore %p{index}, %x\n"));
        assert_eq!(run_on_body("(%x : u256)", &(text + "evm.stop"), &[run]).0, Changed::No);
    }
}
