//! Copies routines into the module that calls them.

use super::{Calls, Routine};
use cairn_ir::{Func, Function, Module, Op, Payload};
use rustc_hash::FxHashMap;

/// Gives the calls of routines in `callers` their functions, copied into `module` where they are
/// new. Returns the functions that were added; they are in free form.
pub(crate) fn link(module: &mut Module, callers: &[(Func, Calls)]) -> Vec<Func> {
    let mut used: Vec<Routine> = callers.iter().flat_map(|(_, calls)| calls.used.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    let mut linker = Linker::new(module);
    let ids: FxHashMap<Func, Func> =
        used.into_iter().map(|routine| (routine.provisional_id(), linker.add_routine(routine))).collect();
    let added = linker.added;
    for (caller, _) in callers {
        map_callees(&mut module.funcs[*caller], |callee| match Routine::from_provisional_id(callee) {
            Some(_) => ids[&callee],
            None => callee,
        });
    }
    added
}

struct Linker<'a> {
    module: &'a mut Module,
    by_name: FxHashMap<String, Func>,
    added: Vec<Func>,
}

impl<'a> Linker<'a> {
    fn new(module: &'a mut Module) -> Self {
        let by_name = module.funcs.iter().map(|(id, func)| (func.name.clone(), id)).collect();
        Linker { module, by_name, added: Vec::new() }
    }

    fn add_routine(&mut self, routine: Routine) -> Func {
        let source = routine.module();
        let (id, _) = source
            .funcs
            .iter()
            .find(|(_, func)| func.name == routine.name())
            .expect("invariant: every routine is in its file");
        self.add(source, id)
    }

    /// Adds a function and, after it, those it calls. Routines call each other one level deep.
    fn add(&mut self, source: &Module, id: Func) -> Func {
        let func = &source.funcs[id];
        if let Some(known) = self.by_name.get(&func.name) {
            return *known;
        }
        let new = self.module.funcs.push(func.clone());
        self.by_name.insert(func.name.clone(), new);
        self.added.push(new);
        let mut copy = func.clone();
        copy.spans.clear();
        copy.block_spans.clear();
        copy.span = None;
        map_callees(&mut copy, |callee| self.add(source, callee));
        self.module.funcs[new] = copy;
        new
    }
}

fn map_callees(func: &mut Function, mut new_callee: impl FnMut(Func) -> Func) {
    let Function { dfg, layout, .. } = func;
    for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
        if dfg.op(inst) == Op::Icall
            && let Payload::Func(callee) = &mut dfg.inst_mut(inst).payload
        {
            *callee = new_callee(*callee);
        }
    }
}
