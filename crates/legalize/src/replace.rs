//! Values that were replaced by others.
//!
//! A replacement is recorded once; uses are rewritten in one walk at the end of a step. Chains are
//! compressed when they are looked up.

use cairn_ir::{Function, SecondaryMap, Value};

/// What each replaced value was replaced by.
#[derive(Default)]
pub(crate) struct Replacements {
    by: SecondaryMap<Value, Option<Value>>,
    has_any: bool,
}

impl Replacements {
    /// From now on `new` is meant where `old` is named. The name of `old` goes to `new`.
    pub(crate) fn record(&mut self, func: &mut Function, old: Value, new: Value) {
        assert!(self.by[old].is_none(), "{old} is replaced twice");
        assert_ne!(old, new, "{old} is replaced by itself");
        self.by[old] = Some(new);
        self.has_any = true;
        if let Some(name) = func.value_names.remove(&old) {
            func.value_names.entry(new).or_insert(name);
        }
    }

    /// The value meant by `value`.
    pub(crate) fn resolve(&mut self, value: Value) -> Value {
        let mut last = value;
        while let Some(next) = self.by[last] {
            last = next;
        }
        let mut at = value;
        while let Some(next) = self.by[at] {
            self.by[at] = Some(last);
            at = next;
        }
        last
    }

    /// Rewrites all uses.
    pub(crate) fn apply(mut self, func: &mut Function) {
        if !self.has_any {
            return;
        }
        let Function { dfg, layout, .. } = func;
        for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
            dfg.map_uses(inst, |value| self.resolve(value));
        }
    }
}
