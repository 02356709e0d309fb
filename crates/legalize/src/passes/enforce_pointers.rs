//! Enforces the pointer rules.
//!
//! Establishes: pointers change only by `evm.ptr_add`, and become integers and back only by
//! `evm.ptrtoint` and `evm.inttoptr`; no value points into storage or transient storage.
//!
//! Where the meaning is certain, code is rewritten; what is left is rejected before, by the
//! verifier (accesses through a pointer of another space, writes through calldata pointers).
//!
//! | rule | violation | what happens |
//! |---|---|---|
//! | no pointer arithmetic except through `ptr_add` | `add` of a pointer and an integer that gives a pointer | `ptr_add` |
//! | | `sub` of an integer from a pointer that gives a pointer | `ptr_add` of the negated integer |
//! | | any other opcode on a pointer | on its address, by `ptrtoint`; a pointer as result by `inttoptr` |
//! | | a branch, a switch or `verbatim` on a pointer | on its address, by `ptrtoint` |
//! | memory pointers are `ptr<0>`, code pointers `ptr<4>` | access through another pointer | rejected |
//! | storage and transient keys are `u256` | `ptr<1>`, `ptr<3>` | the type becomes `u256`, `ptr_add` becomes `add` |
//! | calldata pointers are not mutated | a write through `ptr<2>` | rejected |
//!
//! Cost: one walk over the instructions.

use crate::context::{PassContext, Place};
use crate::emit::Emit;
use crate::names::shown;
use crate::pass::{Leaves, Pass, Property};
use crate::passes::legalize_types::action::has_type;
use crate::replace::Replacements;
use cairn_evm::Opcode;
use cairn_ir::builder::opcode_result_type;
use cairn_ir::operand::is_place;
use cairn_ir::{AddressSpace, Block, Function, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "enforce-pointers",
    summary: "pointers change only by `ptr_add`; storage is addressed by integers",
    needs: &[Property::OneTerminator, Property::NoComposites],
    gives: Property::PlainPointers,
    leaves: Leaves::DeadCode,
    run: enforce_pointers,
};

/// Rewrites arithmetic on pointers, and pointers that are keys.
fn enforce_pointers(func: &mut Function, cx: &mut PassContext<'_>) {
    if !has_type(func, is_pointer) {
        return;
    }
    let mut replacements = Replacements::default();
    retype_keys(func, cx);
    let mut block = func.layout.first_block();
    while let Some(current) = block {
        block = func.layout.next_block(current);
        let mut next = func.layout.first_inst(current);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            match func.dfg.op(inst) {
                Op::Evm(opcode) => rewrite_opcode(func, inst, opcode, cx),
                Op::PtrAdd | Op::PtrToInt | Op::IntToPtr => {
                    rewrite_key_cast(func, inst, &mut replacements, cx);
                }
                Op::CondBr | Op::Switch | Op::Verbatim | Op::DataCopy | Op::SetImmutable => {
                    rewrite_words(func, inst, cx);
                }
                _ => {}
            }
        }
    }
    replacements.apply(func);
}

fn is_pointer(ty: Type) -> bool {
    matches!(ty, Type::Ptr(..))
}

fn is_key(ty: Type) -> bool {
    matches!(ty, Type::Ptr(AddressSpace::Storage | AddressSpace::Transient, _))
}

/// Gives pointers into storage the type of keys.
fn retype_keys(func: &mut Function, cx: &mut PassContext<'_>) {
    let mut n_keys = 0;
    let signature = &mut func.signature;
    for ty in signature.params.iter_mut().chain(&mut signature.results).filter(|ty| is_key(**ty)) {
        *ty = Type::U256;
        n_keys += 1;
    }
    let mut retype = |func: &mut Function, value: Value| {
        if is_key(func.dfg.ty(value)) {
            func.dfg.set_ty(value, Type::U256);
            n_keys += 1;
        }
    };
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        retype_block(func, block, &mut retype);
    }
    if n_keys > 0 {
        cx.changed(func, Place::Function, || {
            format!("{n_keys} pointers into storage became `u256` keys: storage has no addresses")
        });
    }
}

fn retype_block(func: &mut Function, block: Block, retype: &mut impl FnMut(&mut Function, Value)) {
    for index in 0..func.dfg.params(block).len() {
        retype(func, func.dfg.params(block)[index]);
    }
    let mut next = func.layout.first_inst(block);
    while let Some(inst) = next {
        next = func.layout.next_inst(inst);
        for index in 0..func.dfg.results(inst).len() {
            retype(func, func.dfg.results(inst)[index]);
        }
    }
}

/// `ptr_add`, `ptrtoint` and `inttoptr` of what is a key now.
fn rewrite_key_cast(
    func: &mut Function,
    inst: Inst,
    replacements: &mut Replacements,
    cx: &mut PassContext<'_>,
) {
    let (arg, result) = (func.dfg.args(inst)[0], func.dfg.result(inst));
    if is_pointer(func.dfg.ty(arg)) || is_pointer(func.dfg.ty(result)) {
        return;
    }
    if func.dfg.op(inst) == Op::PtrAdd {
        func.dfg.set_op(inst, Op::Evm(Opcode::ADD));
        cx.changed(func, inst, || {
            format!("`evm.ptr_add` of the key {} became `evm.add`: keys are integers", shown(func, arg))
        });
        return;
    }
    let arg = replacements.resolve(arg);
    func.layout.remove_inst(inst);
    replacements.record(func, result, arg);
    cx.changed(func, inst, || {
        let [result, arg] = [result, arg].map(|value| shown(func, value));
        format!("{result} is the key {arg} itself: keys are integers")
    });
}

/// True if the opcode takes a pointer as this operand: a place, or a value, any of which can be stored.
fn takes_pointer(opcode: Opcode, index: usize) -> bool {
    is_place(opcode, index) || (opcode, index) == (Opcode::MSTORE, 1)
}

/// Rewrites an opcode that computes with pointers.
fn rewrite_opcode(func: &mut Function, inst: Inst, opcode: Opcode, cx: &mut PassContext<'_>) {
    let has_result = func.dfg.results(inst).first().is_some_and(|value| is_pointer(func.dfg.ty(*value)));
    let gives_pointer = has_result && opcode != Opcode::MLOAD;
    let needs_integer =
        |(index, arg): (usize, &Value)| is_pointer(func.dfg.ty(*arg)) && !takes_pointer(opcode, index);
    let has_operand = func.dfg.args(inst).iter().enumerate().any(needs_integer);
    if !gives_pointer && !has_operand {
        return;
    }
    if gives_pointer && try_pointer_sum(func, inst, opcode) {
        cx.changed(func, inst, || {
            let name = opcode.known().lower;
            format!("`evm.{name}` on a pointer became `evm.ptr_add`, the only arithmetic on pointers")
        });
        return;
    }
    let args: SmallVec<[Value; 4]> = SmallVec::from_slice(func.dfg.args(inst));
    let mut emit = Emit::before(func, inst);
    let args: SmallVec<[Value; 4]> = args
        .into_iter()
        .enumerate()
        .map(|(index, arg)| match is_pointer(emit.func().dfg.ty(arg)) && !takes_pointer(opcode, index) {
            true => emit.value(Op::PtrToInt, &[arg], Type::U256),
            false => arg,
        })
        .collect();
    match gives_pointer {
        true => {
            let word = emit.value(Op::Evm(opcode), &args, opcode_result_type(opcode));
            func.dfg.replace_inst(inst, Op::IntToPtr, &[word], Payload::None);
        }
        false => func.dfg.replace_inst(inst, Op::Evm(opcode), &args, Payload::None),
    }
    cx.changed(func, inst, || {
        let name = opcode.known().lower;
        format!("`evm.{name}` on a pointer works on its address: only `evm.ptr_add` takes pointers")
    });
}

/// Gives an operation that is not an opcode the addresses of pointers where it takes words.
fn rewrite_words(func: &mut Function, inst: Inst, cx: &mut PassContext<'_>) {
    let op = func.dfg.op(inst);
    let n_pointers = match op {
        Op::DataCopy => 2,
        Op::SetImmutable => 1,
        _ => 0,
    };
    for index in n_pointers..func.dfg.args(inst).len() {
        let arg = func.dfg.args(inst)[index];
        if is_pointer(func.dfg.ty(arg)) {
            let address = Emit::before(func, inst).value(Op::PtrToInt, &[arg], Type::U256);
            func.dfg.args_mut(inst)[index] = address;
            cx.changed(func, inst, || {
                format!("`evm.{}` takes the address of the pointer {}", op.name(), shown(func, arg))
            });
        }
    }
}

/// Turns a sum or difference of a pointer and an integer, if the result points into the same
/// space, into `ptr_add`.
fn try_pointer_sum(func: &mut Function, inst: Inst, opcode: Opcode) -> bool {
    let Type::Ptr(space, _) = func.dfg.ty(func.dfg.result(inst)) else { return false };
    let is_base = |value: Value| matches!(func.dfg.ty(value), Type::Ptr(of, _) if of == space);
    let is_offset = |value: Value| func.dfg.ty(value).widens_to(Type::U256);
    let &[a, b] = func.dfg.args(inst) else { return false };
    let (base, offset) = match opcode {
        Opcode::ADD if is_base(a) && is_offset(b) => (a, b),
        Opcode::ADD if is_base(b) && is_offset(a) => (b, a),
        Opcode::SUB if is_base(a) && is_offset(b) => (a, Emit::before(func, inst).neg(b)),
        _ => return false,
    };
    func.dfg.replace_inst(inst, Op::PtrAdd, &[base, offset], Payload::None);
    true
}
