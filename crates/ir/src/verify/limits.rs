//! Rules about sizes and room: `known-size`, `call-words`, `slots-only`.

use super::Form;
use super::report::{Cx, Place};
use crate::dfg::Payload;
use crate::function::Function;
use crate::ids::{Block, Inst, Value};
use crate::op::Op;
use crate::types::Type;
use cairn_evm::Opcode;
use rustc_hash::FxHashSet;

/// Words that a call can pass or give back: the EVM's stack holds 1024.
pub const MAX_PASSED_WORDS: usize = 1000;

/// Bytes that an `alloca` can reserve. No gas reaches the end of so much memory.
pub const MAX_ALLOCA: u64 = 1 << 32;

/// Bytes that `heap_base` can keep for the program.
pub const MAX_RESERVED: u64 = 1 << 48;

/// The greatest number of bits of an integer.
const MAX_BITS: u16 = 4096;

/// The greatest number of bits and of decimals of a fixed-point number.
const MAX_FIXED: (u16, u8) = (256, 80);

/// What the signature passes, and the types in it.
pub(super) fn verify_signature(cx: &mut Cx<'_>) {
    let signature = &cx.func.signature;
    for (types, verb) in [(&signature.params, "takes"), (&signature.results, "gives back")] {
        let count: usize = types.iter().map(|ty| ty.words()).sum();
        if count > MAX_PASSED_WORDS {
            let name = &cx.func.name;
            let message = format!(
                "function `@{name}` {verb} {count} words, more than {MAX_PASSED_WORDS}: pass them in memory"
            );
            cx.report("call-words", Place::Function, message);
        }
        for ty in types {
            verify_type(cx, Place::Function, *ty);
        }
    }
}

/// Types of the parameters of a block.
pub(super) fn verify_params(cx: &mut Cx<'_>, block: Block) {
    for param in cx.func.dfg.params(block) {
        verify_type(cx, Place::Block(block), cx.ty(*param));
    }
}

/// Numbers have a width that there is.
pub(super) fn verify_type(cx: &mut Cx<'_>, place: Place, ty: Type) {
    if !is_known(ty) {
        cx.report("known-size", place, format!("there is no type `{ty}`"));
    }
}

fn is_known(ty: Type) -> bool {
    match ty {
        Type::Int(bits) => (1..=MAX_BITS).contains(&bits),
        Type::Ufixed(bits, decimals) | Type::Fixed(bits, decimals) => {
            (1..=MAX_FIXED.0).contains(&bits) && decimals <= MAX_FIXED.1
        }
        Type::Composite(composite) => match composite.lanes() {
            Some((_, lane)) => is_known(lane),
            None => composite.parts().into_iter().all(is_known),
        },
        Type::Bool | Type::Ptr(..) | Type::Float(_) | Type::Void | Type::Unreachable => true,
    }
}

/// Memory that is reserved.
pub(super) fn verify_inst(cx: &mut Cx<'_>, inst: Inst) {
    let op = cx.op(inst);
    let limit = match op {
        Op::Alloca => MAX_ALLOCA,
        Op::HeapBase => MAX_RESERVED,
        _ => return,
    };
    if let Payload::Number(bytes) = cx.func.dfg.inst(inst).payload
        && bytes > limit
    {
        let message = format!("`evm.{}` of {bytes} bytes is more than {limit}", op.name());
        cx.report("known-size", Place::Inst(inst), message);
    }
}

/// Where all memory is the program's, an `alloca` is a slot. Later forms have what passes left.
pub(super) fn verify_slots(cx: &mut Cx<'_>) {
    let func = cx.func;
    if cx.form != Form::Free || cx.module.memory.has_frames() || !func.has_alloca() {
        return;
    }
    let mut escaped: FxHashSet<Value> = FxHashSet::default();
    let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
    for inst in insts() {
        // The address of a load or store is its first operand.
        let mut is_address = accesses_word(func, inst);
        func.dfg.for_each_use(inst, |value| {
            if !std::mem::take(&mut is_address) {
                escaped.insert(value);
            }
        });
    }
    for inst in insts().filter(|inst| func.dfg.op(*inst) == Op::Alloca) {
        let is_word = matches!(func.dfg.inst(inst).payload, Payload::Number(..=32));
        if !is_word || func.dfg.results(inst).iter().any(|value| escaped.contains(value)) {
            let message =
                "an `alloca` that is no slot needs a frame, but all memory is the program's".to_owned();
            cx.report("slots-only", Place::Inst(inst), message);
        }
    }
}

/// True for a load or store of one word.
fn accesses_word(func: &Function, inst: Inst) -> bool {
    let word = match func.dfg.op(inst) {
        Op::Evm(Opcode::MLOAD) => func.dfg.results(inst).first(),
        Op::Evm(Opcode::MSTORE) => func.dfg.args(inst).get(1),
        _ => None,
    };
    word.is_some_and(|word| func.dfg.ty(*word).words() == 1)
}
