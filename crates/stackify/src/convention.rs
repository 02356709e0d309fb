//! How functions are called.
//!
//! Arguments are evaluated from right to left, so the first ends on top, unless the function starts
//! cheaper from another order. Parameters that are never used are not passed. Results come with the
//! last at the bottom and the others in order above it: the order that one `SWAP` makes of results
//! that were computed in order above the return address. The *plain* convention depends on the
//! signature only.

use crate::code::Convention;
use crate::context::ModuleCx;
use crate::options::{Calls, Role};
use cairn_ir::{Func, Function, SecondaryMap};
use cranelift_entity::EntitySet;

/// The convention of a function, prepared and with its slots promoted.
pub(crate) fn choose_convention(cx: &ModuleCx<'_>, id: Func, func: &Function) -> Convention {
    let mut used = EntitySet::new();
    for block in func.layout.blocks() {
        for inst in func.layout.insts(block) {
            func.dfg.for_each_use(inst, |value| {
                used.insert(value);
            });
        }
    }
    let passed = func.params().iter().enumerate().rev().filter(|(_, value)| used.contains(**value));
    let count = func.signature.results.len() as u16;
    let returns = cx.returns(id);
    Convention {
        params: passed.map(|(index, _)| index as u16).collect(),
        results: if returns {
            (count.saturating_sub(1)..count).chain(0..count.saturating_sub(1)).collect()
        } else {
            Vec::new()
        },
        returns,
    }
}

/// True for a function whose convention debuggers know: [`traceable_convention`].
pub(crate) fn is_traceable(cx: &ModuleCx<'_>, func: Func) -> bool {
    let role = || cx.options.source_frames.role(&cx.module.funcs[func].name);
    cx.options.calls == Calls::Traceable && role() == Role::Frame
}

/// All parameters and all results, the last on top, as solc's code without Yul has them.
pub(crate) fn traceable_convention(cx: &ModuleCx<'_>, func: Func) -> Convention {
    let params = (0..cx.module.funcs[func].signature.params.len() as u16).collect();
    Convention { params, ..plain_convention(cx, func) }
}

/// The plain convention of each function.
pub(crate) fn plain_conventions(cx: &ModuleCx<'_>) -> SecondaryMap<Func, Convention> {
    let mut conventions = SecondaryMap::new();
    for func in &cx.funcs {
        conventions[*func] = plain_convention(cx, *func);
    }
    conventions
}

/// All parameters, the first on top; all results, the last on top; no return label for functions that
/// never come back.
pub(crate) fn plain_convention(cx: &ModuleCx<'_>, func: Func) -> Convention {
    let signature = &cx.module.funcs[func].signature;
    Convention {
        params: (0..signature.params.len() as u16).rev().collect(),
        results: (0..signature.results.len() as u16).collect(),
        returns: cx.returns(func),
    }
}
