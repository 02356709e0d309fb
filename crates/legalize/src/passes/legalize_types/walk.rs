//! The walk over a function that legalizes its integers.

use super::action::{TypeAction, type_action, words};
use super::decide;
use super::expand;
use super::promote::{self, is_narrow_opcode, promote_result};
use super::reps::{Words, legal_type};
use super::soften::softened;
use super::state::Walk;
use crate::context::PassContext;
use crate::emit::Emit;
use crate::graph::reverse_postorder;
use crate::names::shown_block;
use crate::passes::legalize_operations::{expand_generic, is_generic};
use cairn_ir::debug::traces;
use cairn_ir::{Block, EntityList, Family, Function, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// Legalizes integers everywhere: signature, parameters of blocks, instructions, edges.
pub(super) fn legalize_integers(func: &mut Function, cx: &mut PassContext<'_>) {
    let mut walk = Walk { results: func.signature.results.clone(), ..Walk::default() };
    let order = reverse_postorder(func);
    legalize_signature(func);
    for block in &order {
        legalize_params(func, *block, &mut walk, cx);
    }
    for block in order {
        let mut next = func.layout.first_inst(block);
        while let Some(inst) = next {
            let before = func.layout.prev_inst(inst);
            let is_replaced = legalize_inst(func, inst, &mut walk, cx);
            next = match (is_replaced, before) {
                (false, _) => func.layout.next_inst(inst),
                (true, Some(before)) => func.layout.next_inst(before),
                (true, None) => func.layout.first_inst(block),
            };
        }
    }
    legalize_traces(func, &walk);
}

/// Traces follow their values at the end, because they ask for nothing: neither a mask nor the words
/// of a value that nobody else needs.
fn legalize_traces(func: &mut Function, walk: &Walk) {
    for inst in traces(func) {
        let args = func.dfg.args(inst).to_vec();
        let parts: Vec<Value> = args.iter().flat_map(|arg| walk.reps.traced(*arg)).collect();
        if parts != args {
            let payload = func.dfg.inst(inst).payload;
            func.dfg.replace_inst(inst, Op::DbgTrace, &parts, payload);
        }
    }
}

/// The legal types that a value of this type is passed as.
fn flat_types(ty: Type) -> impl Iterator<Item = Type> {
    let (ty, count) = match ty {
        Type::Int(bits @ 257..) => (Type::U256, words(bits)),
        Type::Int(bits) => (legal_type(bits), 1),
        ty => (ty, 1),
    };
    std::iter::repeat_n(ty, count)
}

fn legalize_signature(func: &mut Function) {
    let signature = &mut func.signature;
    for types in [&mut signature.params, &mut signature.results] {
        *types = types.iter().flat_map(|ty| flat_types(*ty)).collect();
    }
}

fn is_illegal(ty: Type) -> bool {
    matches!(ty, Type::Int(_)) && !ty.is_legal()
}

/// Replaces the parameters of a block that have illegal types.
fn legalize_params(func: &mut Function, block: Block, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let old = func.dfg.params(block).to_vec();
    if !old.iter().any(|param| is_illegal(func.dfg.ty(*param))) {
        return;
    }
    walk.params[block] = old.iter().map(|param| func.dfg.ty(*param)).collect();
    func.dfg.retain_params(block, |_, _| false);
    for param in old {
        let Type::Int(bits @ 257..) = func.dfg.ty(param) else {
            func.dfg.attach_param(block, param);
            promote_result(func, param, walk);
            continue;
        };
        let parts: Words = (0..words(bits)).map(|_| func.dfg.append_param(block, Type::U256)).collect();
        name_parts(func, param, &parts, cx);
        walk.reps.set_wide(param, bits, &parts);
    }
    cx.changed(func, block, || {
        format!(
            "the parameters of {} became words: a type among them is not the EVM's",
            shown_block(func, block)
        )
    });
}

/// Names the words of a value after it.
fn name_parts(func: &mut Function, value: Value, parts: &[Value], cx: &mut PassContext<'_>) {
    let Some(name) = func.value_names.get(&value).cloned() else { return };
    for (index, part) in parts.iter().enumerate() {
        cx.name_value(func, *part, &format!("{name}.{index}"));
    }
}

/// Legalizes one instruction; true if there is something new in its place that was not looked at.
fn legalize_inst(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) -> bool {
    let op = func.dfg.op(inst);
    if walk.reps.is_mask(inst) || !is_touched(func, inst, walk, cx) {
        return false;
    }
    if decide::cut_amounts(func, inst, walk, cx) {
        return true;
    }
    match op {
        Op::Br | Op::CondBr | Op::Switch => legalize_branch(func, inst, walk, cx),
        Op::Icall | Op::Iret => flatten_operands(func, inst, walk, cx),
        Op::Select if func.dfg.ty(func.dfg.result(inst)).bits().is_none() => {
            select_pointer(func, inst, walk, cx);
        }
        Op::ReturnValue if is_wide(func, inst, walk) => decide::return_words(func, inst, walk, cx),
        _ if is_wide(func, inst, walk) => return expand::expand_inst(func, inst, walk, cx),
        Op::Evm(opcode) => {
            promote::promote_opcode(func, inst, opcode, walk, cx);
        }
        Op::Trunc | Op::Zext | Op::Sext => {
            promote::promote_cast(func, inst, walk, cx);
            return true;
        }
        op if is_generic(op) => {
            promote_generic(func, inst, op, walk, cx);
            return true;
        }
        _ => promote_others(func, inst, walk, cx),
    }
    false
}

/// True if there may be something to do for an instruction.
fn is_touched(func: &Function, inst: Inst, walk: &Walk, cx: &PassContext<'_>) -> bool {
    let mut is_touched = is_narrow_opcode(func, inst);
    func.dfg.for_each_use(inst, |value| is_touched |= !walk.reps.is_same(value));
    func.dfg.for_each_target(inst, |call| is_touched |= !walk.params[call.block].is_empty());
    is_touched
        || func.dfg.results(inst).iter().any(|value| is_illegal(func.dfg.ty(*value)))
        || passed_types(inst, func, walk, cx).iter().any(|ty| is_illegal(*ty))
}

/// The integer type of a parameter that another step has given one.
fn passed_as(ty: Type) -> Type {
    match type_action(ty) {
        TypeAction::Soften => softened(ty),
        TypeAction::Key => Type::U256,
        TypeAction::Legal | TypeAction::Promote | TypeAction::Expand => ty,
        TypeAction::Scalarize | TypeAction::Split | TypeAction::Lower => {
            unreachable!("invariant: composites were taken apart")
        }
    }
}

/// Declared types of what a call or return passes; nothing for other instructions.
fn passed_types(inst: Inst, func: &Function, walk: &Walk, cx: &PassContext<'_>) -> Vec<Type> {
    match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
        (Op::Iret, _) => walk.results.clone(),
        (Op::Icall, Payload::Func(callee)) => match cx.params.and_then(|params| params.get(callee)) {
            Some(params) => params.iter().map(|ty| passed_as(*ty)).collect(),
            // The runtime takes words, and a legalized function what it is given.
            None => vec![Type::U256; func.dfg.args(inst).len()],
        },
        _ => Vec::new(),
    }
}

/// True if an operand or a result takes several words.
fn is_wide(func: &Function, inst: Inst, walk: &Walk) -> bool {
    let mut values = func.dfg.args(inst).iter().chain(func.dfg.results(inst));
    values.any(|value| walk.reps.is_wide(func, *value))
}

/// Generic operations are expanded at once, because only their types tell the width.
fn promote_generic(func: &mut Function, inst: Inst, op: Op, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let args = func.dfg.args(inst).to_vec();
    let widths: SmallVec<[u16; 4]> =
        args.iter().map(|arg| walk.reps.bits(func, *arg).unwrap_or(256)).collect();
    let args: Words = args.into_iter().map(|arg| walk.reps.word(func, arg)).collect();
    let old: Words = SmallVec::from_slice(func.dfg.results(inst));
    let of_result = func.dfg.ty(old[0]).bits().unwrap_or(256);
    let is_count = op.family() == Family::Count;
    let width = if is_count { widths[0] } else { of_result };
    let mut emit = Emit::before(func, inst);
    let new = expand_generic(&mut emit, op, &args, width, cx);
    func.layout.remove_inst(inst);
    for (old, new) in old.iter().zip(new) {
        let bits = func.dfg.ty(*old).bits().unwrap_or(256);
        // A count, which is at most the width, may exceed its result's type; all else fits.
        let most_bits = if is_count { (u16::BITS - width.leading_zeros()) as u16 } else { bits };
        walk.reps.set_narrow(*old, bits, new, most_bits);
    }
    cx.changed(func, inst, || format!("`evm.{}` of {width} bits was expanded: no opcode does it", op.name()));
}

/// A choice between pointers stays, on a condition that is a word.
fn select_pointer(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let condition = func.dfg.args(inst)[0];
    let n_words = words(walk.reps.bits(func, condition).unwrap_or(256));
    let parts = walk.reps.words(func, condition, n_words);
    let mut emit = Emit::before(func, inst);
    let all = parts.iter().skip(1).fold(parts[0], |all, part| emit.or(all, *part));
    func.dfg.args_mut(inst)[0] = all;
    cx.changed(func, inst, || "`evm.select` takes a word as its condition".to_owned());
}

/// Operations that take words and give what they give whatever the type says.
fn promote_others(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let args = func.dfg.args(inst).to_vec();
    for (index, arg) in args.into_iter().enumerate() {
        let word = walk.reps.word(func, arg);
        func.dfg.args_mut(inst)[index] = word;
    }
    let results = func.dfg.results(inst).to_vec();
    let illegal = results.iter().map(|value| func.dfg.ty(*value)).find(|ty| is_illegal(*ty));
    for result in results {
        promote_result(func, result, walk);
    }
    let name = func.dfg.op(inst).name();
    cx.changed(func, inst, || match illegal {
        Some(ty) => format!("`evm.{name}` works on words: `{ty}` is no type of the EVM"),
        None => format!("`evm.{name}` takes words: narrower operands were masked to their types"),
    });
}

/// Calls and returns pass the words of wide integers one by one.
fn flatten_operands(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let args = func.dfg.args(inst).to_vec();
    let (op, payload) = (func.dfg.op(inst), func.dfg.inst(inst).payload);
    let wanted = passed_types(inst, func, walk, cx);
    let flatten = |(arg, wanted)| walk.reps.flatten(func, inst, arg, wanted);
    let args: Vec<Value> = args.into_iter().zip(wanted).flat_map(flatten).collect();
    func.dfg.replace_inst(inst, op, &args, payload);
    let results = func.dfg.results(inst).to_vec();
    func.dfg.inst_mut(inst).results = EntityList::new();
    for result in results {
        let Type::Int(bits @ 257..) = func.dfg.ty(result) else {
            func.dfg.attach_result(inst, result);
            promote_result(func, result, walk);
            continue;
        };
        let parts: Words = (0..words(bits)).map(|_| func.dfg.append_result(inst, Type::U256)).collect();
        name_parts(func, result, &parts, cx);
        walk.reps.set_wide(result, bits, &parts);
    }
    cx.changed(func, inst, || {
        format!("`evm.{}` passes words: a type among them is not the EVM's", op.name())
    });
}

/// Edges pass the words of wide integers one by one; what is branched on is a word.
fn legalize_branch(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) {
    if let Some(condition) = func.dfg.args(inst).first().copied() {
        let word = decide::decided(func, inst, condition, walk);
        func.dfg.args_mut(inst)[0] = word;
    }
    let mut passed: Vec<(Block, Vec<Value>)> = Vec::new();
    func.dfg.for_each_target(inst, |call| passed.push((call.block, func.dfg.call_args(call).to_vec())));
    let mut flat = Vec::new();
    for (block, args) in passed {
        let wanted = match walk.params[block].is_empty() {
            true => func.dfg.params(block).iter().map(|param| func.dfg.ty(*param)).collect(),
            false => walk.params[block].clone(),
        };
        let flatten = |(arg, wanted)| walk.reps.flatten(func, inst, arg, wanted);
        flat.push(args.into_iter().zip(wanted).flat_map(flatten).collect());
    }
    let mut flat = flat.into_iter();
    func.dfg.map_targets(inst, |block, _| {
        (block, flat.next().expect("invariant: targets are visited in the same order"))
    });
    cx.changed(func, inst, || {
        format!("`evm.{}` passes words: a type among them is not the EVM's", func.dfg.op(inst).name())
    });
}
