//! Legalizes types.
//!
//! Establishes: only legal types, and arithmetic that can wrap gives `u256`.
//!
//! The [action](TypeAction) follows from the type alone. Fixed-point and floating-point numbers are softened into
//! integers first; then one walk promotes narrow and expands wide integers. The walk is a worklist
//! in reverse postorder: an instruction is reached when its operands are legal, its results are
//! legalized, and what it is rewritten into is reached next. What a value became is recorded once.
//! At the end a check proves that no illegal type is left.
//!
//! An opcode computes on its operands extended with zeros to a word, or to the widest of operands
//! and result if that is wider, and its result is taken modulo 2^N for a result of type `uN`.
//!
//! Cost: linear in instructions and the words that values expand to.

pub(crate) mod action;
mod decide;
mod expand;
mod promote;
mod reps;
mod soften;
mod state;
mod walk;

use crate::context::PassContext;
use crate::known::Known;
use crate::pass::{Leaves, Pass, Property};
use action::{TypeAction, type_action, uses_type};
use cairn_ir::{Function, Inst, Op, Payload, SecondaryMap, Value};
pub(crate) use expand::MAX_INLINE_WORDS;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "legalize-types",
    summary: "only legal types",
    needs: &[Property::OneTerminator, Property::NoComposites],
    gives: Property::LegalTypes,
    leaves: Leaves::DeadCode,
    run: legalize_types,
};

/// Rewrites code on illegal types.
fn legalize_types(func: &mut Function, cx: &mut PassContext<'_>) {
    soften::soften(func, cx);
    let needs_walk = !cx.errors.has_errors() && needs_walk(func, cx);
    if needs_walk {
        walk::legalize_integers(func, cx);
    }
    cx.params = None;
    let is_done = !needs_walk || cx.errors.has_errors() || !has_illegal_type(func);
    assert!(is_done, "an illegal type is left in @{}", func.name);
}

/// True if a value or the signature has an illegal type.
fn has_illegal_type(func: &Function) -> bool {
    uses_type(func, |ty| type_action(ty) != TypeAction::Legal)
}

/// True if there is something to rewrite: an illegal type, here or where a callee declares it, or
/// an opcode whose narrow result may have upper bits.
fn needs_walk(func: &Function, cx: &PassContext<'_>) -> bool {
    if has_illegal_type(func) {
        return true;
    }
    let mut trusted = None;
    func.layout.blocks().any(|block| {
        func.layout.insts(block).any(|inst| {
            let is_narrow = promote::is_narrow_opcode(func, inst);
            passes_illegal_type(func, inst, cx)
                || (is_narrow && !promote::is_narrow_legal(func, inst, &mut trusted))
        })
    })
}

/// True for a call whose callee declares a parameter of an illegal type. Only callees are looked
/// at, so that a module is legalized in time linear in its calls.
fn passes_illegal_type(func: &Function, inst: Inst, cx: &PassContext<'_>) -> bool {
    match (cx.params, func.dfg.inst(inst).payload) {
        (Some(params), Payload::Func(callee)) => {
            // The runtime takes words.
            let declared = params.get(callee);
            declared.is_some_and(|types| types.iter().any(|ty| type_action(*ty) != TypeAction::Legal))
        }
        _ => false,
    }
}

/// For each slot, a bound on the bits of the words that are ever stored to it. 256 for an `alloca`
/// that is used in any other way.
fn slot_bits(func: &Function) -> SecondaryMap<Value, u16> {
    let mut bits: SecondaryMap<Value, u16> = SecondaryMap::new();
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        use cairn_evm::Opcode;
        let args = func.dfg.args(inst);
        match func.dfg.op(inst) {
            Op::Evm(Opcode::MLOAD) => {}
            Op::Evm(Opcode::MSTORE) => {
                bits[args[0]] = bits[args[0]].max(Known { dfg: &func.dfg, hints: None }.value_bits(args[1]));
                bits[args[1]] = 256;
            }
            _ => func.dfg.for_each_use(inst, |value| bits[value] = 256),
        }
    }
    bits
}
