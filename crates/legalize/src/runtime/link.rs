//! Copies routines into the module that calls them.

use super::{Calls, Routine};
use cairn_ir::{Func, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that were copied into a module, by their names in the runtime.
///
/// What a module itself calls by such a name is not taken for a routine: the copy then gets a name
/// that is free.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    copies: FxHashMap<&'static str, Func>,
}

impl Linked {
    /// Gives the calls of routines in `callers` their functions, copied into `module` where they are
    /// new. Returns the functions that were added; they are in free form.
    pub(crate) fn link(&mut self, module: &mut Module, callers: &[(Func, Calls)]) -> Vec<Func> {
        let mut used: Vec<Routine> =
            callers.iter().flat_map(|(_, calls)| calls.used.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        let names = match used.is_empty() {
            true => FxHashSet::default(),
            false => module.funcs.values().map(|func| func.name.clone()).collect(),
        };
        let mut linker = Linker { module, names, linked: self, added: Vec::new() };
        let ids: FxHashMap<Func, Func> =
            used.into_iter().map(|routine| (routine.provisional_id(), linker.add_routine(routine))).collect();
        let added = linker.added;
        for (caller, _) in callers {
            module.funcs[*caller].map_callees(|callee| match Routine::from_provisional_id(callee) {
                Some(_) => ids[&callee],
                None => callee,
            });
        }
        added
    }
}

struct Linker<'a> {
    module: &'a mut Module,
    /// Names of all functions of the module.
    names: FxHashSet<String>,
    linked: &'a mut Linked,
    added: Vec<Func>,
}

impl Linker<'_> {
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
    fn add(&mut self, source: &'static Module, id: Func) -> Func {
        let func = &source.funcs[id];
        if let Some(known) = self.linked.copies.get(func.name.as_str()) {
            return *known;
        }
        let new = self.module.funcs.push(func.clone());
        self.linked.copies.insert(&func.name, new);
        self.added.push(new);
        let mut copy = func.clone();
        while !self.names.insert(copy.name.clone()) {
            copy.name.push('_');
        }
        copy.spans.clear();
        copy.block_spans.clear();
        (copy.span, copy.loc) = (None, None);
        copy.map_callees(|callee| self.add(source, callee));
        self.module.funcs[new] = copy;
        new
    }
}
