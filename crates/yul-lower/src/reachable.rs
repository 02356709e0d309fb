//! Removes functions that the entry never calls.

use cairn_ir::{Func, Module, Payload, PrimaryMap, SecondaryMap};
use std::mem::take;

/// Removes, in `module` and the modules nested in it, every function that is not reachable by
/// calls from the entry. The others keep their order. A module without an entry keeps all.
pub fn remove_unreachable_functions(module: &mut Module) {
    module.modules.iter_mut().for_each(remove_unreachable_functions);
    let Some(entry) = module.entry else { return };
    let reached = reachable_from(module, entry);
    if module.funcs.keys().all(|func| reached[func]) {
        return;
    }
    let mut kept = PrimaryMap::new();
    let mut new_ids = SecondaryMap::<Func, Option<Func>>::new();
    for (func, body) in take(&mut module.funcs) {
        if reached[func] {
            new_ids[func] = Some(kept.push(body));
        }
    }
    let renumbered =
        |func: Func| new_ids[func].expect("invariant: callees of reachable functions are reachable");
    for body in kept.values_mut() {
        let calls: Vec<_> = body.layout.blocks().flat_map(|block| body.layout.insts(block)).collect();
        for inst in calls {
            if let Payload::Func(callee) = &mut body.dfg.inst_mut(inst).payload {
                *callee = renumbered(*callee);
            }
        }
    }
    module.funcs = kept;
    module.entry = Some(renumbered(entry));
}

fn reachable_from(module: &Module, entry: Func) -> SecondaryMap<Func, bool> {
    let mut reached = SecondaryMap::new();
    let mut work = vec![entry];
    while let Some(func) = work.pop() {
        if std::mem::replace(&mut reached[func], true) {
            continue;
        }
        let body = &module.funcs[func];
        for inst in body.layout.blocks().flat_map(|block| body.layout.insts(block)) {
            if let Payload::Func(callee) = body.dfg.inst(inst).payload {
                work.push(callee);
            }
        }
    }
    reached
}
