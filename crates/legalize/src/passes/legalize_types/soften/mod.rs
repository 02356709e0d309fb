//! Softens numbers that are no integers: their types become integers that hold their bits, and what
//! computes with them becomes arithmetic on those, or calls of the runtime.
//!
//! Cost: one walk.

mod fixed;
mod float;

use super::action::uses_type;
use crate::context::{PassContext, Place};
use cairn_ir::{Function, Inst, Type};

/// Rewrites operations on fixed-point and floating-point numbers, then gives all of them integer types.
pub(super) fn soften(func: &mut Function, cx: &mut PassContext<'_>) {
    let [has_fixed, has_float] = [Type::is_fixed, Type::is_float].map(|is_asked| uses_type(func, is_asked));
    if !has_fixed && !has_float {
        return;
    }
    let blocks: Vec<_> = func.layout.blocks().collect();
    for block in &blocks {
        let insts: Vec<Inst> = func.layout.insts(*block).collect();
        for inst in insts {
            fixed::soften(func, inst);
            float::soften(func, inst, cx);
        }
    }
    let signature = &mut func.signature;
    let types = signature.params.iter_mut().chain(&mut signature.results);
    types.for_each(|ty| *ty = softened(*ty));
    for block in blocks {
        let mut values = func.dfg.params(block).to_vec();
        values.extend(func.layout.insts(block).flat_map(|inst| func.dfg.results(inst).to_vec()));
        for value in values {
            let ty = func.dfg.ty(value);
            func.dfg.set_ty(value, softened(ty));
        }
    }
    if has_fixed {
        cx.changed(func, Place::Function, || {
            "fixed-point numbers became integers that count their smallest unit".to_owned()
        });
    }
    if has_float {
        cx.changed(func, Place::Function, || {
            "floating-point numbers became integers that hold their bits".to_owned()
        });
    }
}

/// The integer type that a type of other numbers becomes; other types as they are.
pub(super) fn softened(ty: Type) -> Type {
    match ty {
        Type::Ufixed(bits, _) | Type::Fixed(bits, _) => Type::Int(bits),
        Type::Float(format) => Type::Int(format.bits()),
        Type::Int(_) | Type::Bool | Type::Ptr(..) | Type::Composite(_) => ty,
        Type::Void | Type::Unreachable => ty,
    }
}
