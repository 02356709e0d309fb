//! Rules about values: `defined`, `dominance`.

use super::cfg::Graph;
use super::report::{Cx, Place};
use crate::dfg::ValueDef;
use crate::ids::{Block, Inst, Value};
use crate::op::Op;
use cranelift_entity::SecondaryMap;

/// Where an instruction stands in its block.
#[derive(Clone, Copy, Default)]
struct Position {
    number: u32,
    behind_terminator: bool,
}

/// Checks every use of every value. False when a value does not exist at all, so that not even its
/// type can be asked.
pub(super) fn verify_ssa(cx: &mut Cx<'_>, graph: &Graph) -> bool {
    let positions = number_insts(cx);
    let mut sound = true;
    for block in cx.func.layout.blocks() {
        for inst in cx.func.layout.insts(block) {
            let mut uses = Vec::new();
            cx.func.dfg.for_each_use(inst, |value| uses.push(value));
            if cx.op(inst) == Op::DbgTrace {
                sound &= verify_traced(cx, inst);
            }
            for value in uses {
                sound &= verify_use(cx, graph, &positions, (block, inst), value);
            }
        }
    }
    sound
}

fn number_insts(cx: &Cx<'_>) -> SecondaryMap<Inst, Position> {
    let mut positions = SecondaryMap::new();
    for block in cx.func.layout.blocks() {
        let mut behind_terminator = false;
        for (number, inst) in (1..).zip(cx.func.layout.insts(block)) {
            positions[inst] = Position { number, behind_terminator };
            behind_terminator |= cx.op(inst).is_terminator();
        }
    }
    positions
}

/// The block that defines a value, and the instruction unless it is a parameter; `None` if nothing
/// in the function does.
fn definition(cx: &Cx<'_>, value: Value) -> Option<(Block, Option<Inst>)> {
    let dfg = &cx.func.dfg;
    let (block, inst) = match dfg.def(value) {
        ValueDef::Result(inst, index) => {
            let is_result = dfg.results(inst).get(usize::from(index)) == Some(&value);
            (cx.func.layout.inst_block(inst).filter(|_| is_result)?, Some(inst))
        }
        ValueDef::Param(block, index) => {
            let is_param = dfg.params(block).get(usize::from(index)) == Some(&value);
            (Some(block).filter(|_| is_param)?, None)
        }
    };
    cx.func.layout.is_block_inserted(block).then_some((block, inst))
}

/// A trace uses nothing, so its value must be defined, but anywhere: a pass may move the definition.
fn verify_traced(cx: &mut Cx<'_>, inst: Inst) -> bool {
    let mut sound = true;
    for value in cx.func.dfg.args(inst) {
        let exists = cx.func.dfg.try_ty(*value).is_some();
        if !exists || definition(cx, *value).is_none() {
            cx.report(
                "defined",
                Place::Inst(inst),
                "the traced value is not defined in the function".to_owned(),
            );
        }
        sound &= exists;
    }
    sound
}

fn verify_use(
    cx: &mut Cx<'_>,
    graph: &Graph,
    positions: &SecondaryMap<Inst, Position>,
    (block, inst): (Block, Inst),
    value: Value,
) -> bool {
    if cx.func.dfg.try_ty(value).is_none() {
        cx.report("defined", Place::Inst(inst), "an operand does not exist".to_owned());
        return false;
    }
    let Some((def_block, def_inst)) = definition(cx, value) else {
        let message = format!("value `{}` is not defined in the function", cx.value_name(value));
        cx.report("defined", Place::Inst(inst), message);
        return true;
    };
    if !graph.is_reachable(block) {
        return true;
    }
    let def = def_inst.map_or(Position::default(), |inst| positions[inst]);
    let dominates = match def_block == block {
        true => def.number < positions[inst].number,
        false => !def.behind_terminator && graph.is_reachable(def_block) && graph.dominates(def_block, block),
    };
    if !dominates {
        let message = format!("the definition of `{}` does not dominate this use", cx.value_name(value));
        cx.report("dominance", Place::Inst(inst), message);
    }
    true
}
