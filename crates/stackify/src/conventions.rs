//! Calling conventions that do not depend on how a function is scheduled.

use crate::code::Convention;
use crate::context::ModuleCx;
use cairn_ir::{Func, SecondaryMap};

/// The plain convention of each function.
pub fn plain_conventions(cx: &ModuleCx<'_>) -> SecondaryMap<Func, Convention> {
    let mut conventions = SecondaryMap::new();
    for func in &cx.funcs {
        conventions[*func] = plain_convention(cx, *func);
    }
    conventions
}

/// All parameters, the first on top; all results, the last on top; no return label for functions that
/// never come back.
pub fn plain_convention(cx: &ModuleCx<'_>, func: Func) -> Convention {
    let signature = &cx.module.funcs[func].signature;
    Convention {
        params: (0..signature.params.len() as u16).rev().collect(),
        results: (0..signature.results.len() as u16).collect(),
        returns: cx.returns(func),
    }
}
