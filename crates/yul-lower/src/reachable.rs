//! Keeps the functions that the entry can call, in the order in which calls reach them.
//!
//! The order in the source then has no influence on anything that follows.

use cairn_ir::{EntityRef, Func, Function, Module, Payload, PrimaryMap, SecondaryMap};
use std::mem::take;

/// Removes, in `module` and the modules nested in it, every function that is not reachable by
/// calls from the entry, and puts the others in breadth-first order of calls, the entry first. A
/// module without an entry keeps all as they are.
pub fn remove_unreachable_functions(module: &mut Module) {
    module.modules.iter_mut().for_each(remove_unreachable_functions);
    let Some(entry) = module.entry else { return };
    let order = call_order(module, entry);
    if order.iter().copied().eq(module.funcs.keys()) {
        return;
    }
    let mut new_ids = SecondaryMap::<Func, Option<Func>>::with_capacity(module.funcs.len());
    let mut bodies: Vec<Option<Function>> =
        take(&mut module.funcs).into_iter().map(|(_, body)| Some(body)).collect();
    let mut kept = PrimaryMap::with_capacity(order.len());
    for func in order {
        let body = bodies[func.index()].take().expect("invariant: each function is reached once");
        new_ids[func] = Some(kept.push(body));
    }
    let renumbered =
        |func: Func| new_ids[func].expect("invariant: callees of reachable functions are reachable");
    for body in kept.values_mut() {
        body.map_callees(renumbered);
    }
    module.funcs = kept;
    module.entry = Some(renumbered(entry));
}

/// Functions reachable from `entry`, breadth first, in the order of calls in each.
fn call_order(module: &Module, entry: Func) -> Vec<Func> {
    let mut seen = SecondaryMap::<Func, bool>::with_capacity(module.funcs.len());
    seen[entry] = true;
    let mut order = vec![entry];
    let mut next = 0;
    while let Some(func) = order.get(next).copied() {
        next += 1;
        let body = &module.funcs[func];
        for inst in body.layout.blocks().flat_map(|block| body.layout.insts(block)) {
            let Payload::Func(callee) = body.dfg.inst(inst).payload else { continue };
            if !std::mem::replace(&mut seen[callee], true) {
                order.push(callee);
            }
        }
    }
    order
}
