//! Takes composite types apart.
//!
//! Establishes: no value of a struct, array or vector type.
//!
//! The [action](TypeAction) follows from the type alone. *Scalarize*: a vector of few lanes becomes
//! one value a lane. *Split*: a longer vector becomes two of half as many lanes. *Lower*: a struct
//! or array becomes its parts, with `Options::recover`; without, it is an error, because front ends
//! keep such data in memory. Composites are ranked; one rank is taken apart at a time, the highest
//! first, so that parts are of lower rank and an operation never mixes whole and taken apart.
//!
//! A composite lies in memory and calldata as its parts one after the other, each in whole words,
//! and in storage at consecutive keys. Parameters, results and arguments of edges are passed part by
//! part. Operations whose indices are operands are [rewritten](crate::passes::index_parts) before.
//! Arithmetic on vectors becomes arithmetic on parts, in the order of the lanes.
//!
//! Cost: linear in instructions and parts, for each rank; there are about two dozen.

use crate::context::{PassContext, Place};
use crate::emit::Emit;
use crate::faults::composite;
use crate::graph::reverse_postorder;
use crate::names::shown;
use crate::pass::{Leaves, Pass, Property};
use crate::passes::index_parts::index_parts;
use crate::passes::legalize_types::action::{TypeAction, has_type, type_action};
use crate::places::{self, place};
use crate::replace::Replacements;
use cairn_ir::infer::is_lanewise;
use cairn_ir::{
    Block, Composite, EntityList, Function, Inst, Op, Payload, SecondaryMap, Shape, Type, Value, ValueDef,
};
use smallvec::SmallVec;
use std::ops::Range;

type Values = SmallVec<[Value; 8]>;

/// The types that values of these types are passed as when all composites are taken apart.
pub(crate) fn leaves(types: &[Type]) -> Vec<Type> {
    let mut leaves = Vec::with_capacity(types.len());
    let mut open: Vec<Type> = types.iter().rev().copied().collect();
    while let Some(ty) = open.pop() {
        match ty {
            Type::Composite(composite) => open.extend(composite.parts().into_iter().rev()),
            ty => leaves.push(ty),
        }
    }
    leaves
}

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "lower-composites",
    summary: "no structs, arrays, vectors",
    needs: &[Property::OneTerminator],
    gives: Property::NoComposites,
    leaves: Leaves::DeadCode,
    run: lower_composites,
};

/// Replaces composites by their parts.
fn lower_composites(func: &mut Function, cx: &mut PassContext<'_>) {
    if highest_rank(func).is_none() || (!cx.options.recover && reject(func, cx)) {
        return;
    }
    index_parts(func, cx);
    while let Some(rank) = highest_rank(func) {
        let level = Level {
            rank,
            parts: SecondaryMap::new(),
            pool: Vec::new(),
            replacements: Replacements::default(),
        };
        level.lower(func, cx);
    }
}

/// Composites of one rank are taken apart together. Vectors that take part in one operation have
/// the same rank, and halves have a lower one.
fn rank(ty: Type) -> Option<u32> {
    let Type::Composite(composite) = ty else { return None };
    Some(match (type_action(ty), composite.lanes()) {
        (TypeAction::Split, Some((count, _))) => (count - 1).ilog2(),
        (_, Some(_)) => 0,
        (_, None) => u32::BITS + composite.depth() as u32,
    })
}

fn highest_rank(func: &Function) -> Option<u32> {
    if !has_type(func, |ty| matches!(ty, Type::Composite(_))) {
        return None;
    }
    let of = |values: &[Value]| values.iter().filter_map(|value| rank(func.dfg.ty(*value))).max();
    let signature = &func.signature;
    let of_signature = signature.params.iter().chain(&signature.results).filter_map(|ty| rank(*ty)).max();
    let of_blocks = func.layout.blocks().map(|block| {
        let results = func.layout.insts(block).map(|inst| of(func.dfg.results(inst)));
        results.max().flatten().max(of(func.dfg.params(block)))
    });
    of_blocks.max().flatten().max(of_signature)
}

/// Reports the structs and arrays; true if there are any.
fn reject(func: &Function, cx: &mut PassContext<'_>) -> bool {
    let signature = func.signature.params.iter().chain(&func.signature.results);
    for fault in signature.filter_map(|ty| composite(*ty)) {
        cx.error(func, Place::Function, fault.with_note("in the signature"));
    }
    let entry = func.layout.entry();
    for block in func.layout.blocks() {
        let params = func.dfg.params(block).iter().filter(|_| block != entry);
        for fault in params.filter_map(|param| composite(func.dfg.ty(*param))) {
            cx.error(func, block, fault.with_note("for a parameter of the block"));
        }
        for inst in func.layout.insts(block) {
            let mut results = func.dfg.results(inst).iter();
            if let Some(fault) = results.find_map(|value| composite(func.dfg.ty(*value))) {
                cx.error(func, inst, fault);
            }
        }
    }
    cx.errors.has_errors()
}

/// The types of the parts that a composite is taken apart into at one level.
fn parts_of(composite: Composite) -> Vec<Type> {
    let (TypeAction::Split, Some((count, lane))) =
        (type_action(Type::Composite(composite)), composite.lanes())
    else {
        return composite.parts();
    };
    let half = |count| Composite::new(Shape::Vector(count, lane)).map(Type::Composite);
    [half(count.div_ceil(2)), half(count / 2)].into_iter().flatten().collect()
}

/// Lanes in the first half of a vector that is split.
fn first_half(composite: Composite) -> usize {
    composite.len().div_ceil(2)
}

/// One walk over a function.
struct Level {
    /// The rank that is taken apart.
    rank: u32,
    /// The parts of each composite value, as a range of the pool.
    parts: SecondaryMap<Value, Range<u32>>,
    pool: Vec<Value>,
    /// Parts that were named by `extract`.
    replacements: Replacements,
}

impl Level {
    /// True for composites that this walk takes apart.
    fn is_due(&self, ty: Type) -> bool {
        rank(ty) == Some(self.rank)
    }

    /// What a value of this type is passed as after the walk.
    fn types_after(&self, ty: Type) -> Vec<Type> {
        match ty {
            Type::Composite(composite) if self.is_due(ty) => parts_of(composite),
            ty => vec![ty],
        }
    }

    fn lower(mut self, func: &mut Function, cx: &mut PassContext<'_>) {
        let order = reverse_postorder(func);
        for types in [&mut func.signature.params, &mut func.signature.results] {
            *types = types.iter().flat_map(|ty| self.types_after(*ty)).collect();
        }
        for block in &order {
            self.lower_params(func, *block, cx);
        }
        for block in order {
            let mut next = func.layout.first_inst(block);
            while let Some(inst) = next {
                next = func.layout.next_inst(inst);
                let replacements = &mut self.replacements;
                func.dfg.map_uses(inst, |value| replacements.resolve(value));
                self.lower_inst(func, inst, cx);
            }
        }
    }

    fn of(&self, value: Value) -> &[Value] {
        let range = &self.parts[value];
        &self.pool[range.start as usize..range.end as usize]
    }

    fn record(&mut self, func: &mut Function, value: Value, parts: &[Value], cx: &mut PassContext<'_>) {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(parts);
        self.parts[value] = start..self.pool.len() as u32;
        if let Some(name) = func.value_names.get(&value).cloned() {
            for (index, part) in parts.iter().enumerate() {
                if !func.value_names.contains_key(part) {
                    cx.name_value(func, *part, &format!("{name}.{index}"));
                }
            }
        }
        let place = match func.dfg.def(value) {
            ValueDef::Result(inst, _) => Place::Inst(inst),
            ValueDef::Param(block, _) => Place::Block(block),
        };
        cx.changed(func, place, || {
            let (name, ty) = (shown(func, value), func.dfg.ty(value));
            match type_action(ty) {
                TypeAction::Split => {
                    format!("{name} of type `{ty}` was split into halves: it has more than 4 lanes")
                }
                TypeAction::Scalarize => {
                    format!("{name} of type `{ty}` became its lanes: the EVM has no vectors")
                }
                _ => format!("{name} of type `{ty}` became its {} parts, as `--recover` asks", parts.len()),
            }
        });
    }

    /// The parts of a composite, any other value itself.
    fn flat(&self, func: &Function, values: &[Value]) -> Vec<Value> {
        let mut flat = Vec::with_capacity(values.len());
        for value in values {
            match self.is_due(func.dfg.ty(*value)) {
                true => flat.extend_from_slice(self.of(*value)),
                false => flat.push(*value),
            }
        }
        flat
    }

    fn lower_params(&mut self, func: &mut Function, block: Block, cx: &mut PassContext<'_>) {
        let old = func.dfg.params(block).to_vec();
        if !old.iter().any(|param| self.is_due(func.dfg.ty(*param))) {
            return;
        }
        func.dfg.retain_params(block, |_, _| false);
        for param in old {
            let ty = func.dfg.ty(param);
            if !self.is_due(ty) {
                func.dfg.attach_param(block, param);
                continue;
            }
            let types = self.types_after(ty).into_iter();
            let parts: Values = types.map(|ty| func.dfg.append_param(block, ty)).collect();
            self.record(func, param, &parts, cx);
        }
    }

    fn lower_inst(&mut self, func: &mut Function, inst: Inst, cx: &mut PassContext<'_>) {
        let op = func.dfg.op(inst);
        if matches!(op, Op::Br | Op::CondBr | Op::Switch) {
            return self.lower_edges(func, inst);
        }
        let mut values = func.dfg.args(inst).iter().chain(func.dfg.results(inst));
        let whole = match op {
            // Parts may be composite and due, or of lower rank: what counts is the whole.
            Op::Compose | Op::Splat => func.dfg.results(inst).first(),
            Op::Extract | Op::Insert => func.dfg.args(inst).first(),
            _ => values.find(|value| self.is_due(func.dfg.ty(**value))),
        };
        if !whole.is_some_and(|value| self.is_due(func.dfg.ty(*value))) {
            return;
        }
        let args: Values = SmallVec::from_slice(func.dfg.args(inst));
        match op {
            Op::Icall | Op::Iret => return self.lower_call(func, inst, cx),
            Op::DbgTrace => return self.lower_trace(func, inst),
            Op::Extract => self.lower_extract(func, inst),
            Op::Compose | Op::Splat | Op::Insert => {
                let parts = self.rebuilt(func, inst, op, &args);
                let result = func.dfg.result(inst);
                self.record(func, result, &parts, cx);
            }
            op if is_lanewise(op, args.first().map(|value| func.dfg.ty(*value))) => {
                self.lower_lanes(func, inst, op, &args, cx);
            }
            Op::Select => {
                let parts: Vec<Values> =
                    args[1..].iter().map(|value| SmallVec::from_slice(self.of(*value))).collect();
                let mut emit = Emit::before(func, inst);
                let chosen = parts[0].iter().zip(&parts[1]).map(|(a, b)| {
                    let ty = emit.func().dfg.ty(*a);
                    emit.value(Op::Select, &[args[0], *a, *b], ty)
                });
                let chosen: Values = chosen.collect();
                let result = func.dfg.result(inst);
                self.record(func, result, &chosen, cx);
            }
            _ => self.lower_access(func, inst, op, &args, cx),
        }
        func.layout.remove_inst(inst);
    }

    fn lower_edges(&self, func: &mut Function, inst: Inst) {
        let mut passed: Vec<(Block, Vec<Value>)> = Vec::new();
        func.dfg.for_each_target(inst, |call| passed.push((call.block, func.dfg.call_args(call).to_vec())));
        let has_any = |(_, args): &(Block, Vec<Value>)| args.iter().any(|arg| self.is_due(func.dfg.ty(*arg)));
        if !passed.iter().any(has_any) {
            return;
        }
        let flat: Vec<Vec<Value>> = passed.iter().map(|(_, args)| self.flat(func, args)).collect();
        let mut flat = flat.into_iter();
        func.dfg.map_targets(inst, |block, _| {
            (block, flat.next().expect("invariant: targets are visited in the same order"))
        });
    }

    fn lower_call(&mut self, func: &mut Function, inst: Inst, cx: &mut PassContext<'_>) {
        let args = self.flat(func, func.dfg.args(inst));
        let (op, payload) = (func.dfg.op(inst), func.dfg.inst(inst).payload);
        func.dfg.replace_inst(inst, op, &args, payload);
        let results = func.dfg.results(inst).to_vec();
        func.dfg.inst_mut(inst).results = EntityList::new();
        for result in results {
            let ty = func.dfg.ty(result);
            if !self.is_due(ty) {
                func.dfg.attach_result(inst, result);
                continue;
            }
            let types = self.types_after(ty).into_iter();
            let parts: Values = types.map(|ty| func.dfg.append_result(inst, ty)).collect();
            self.record(func, result, &parts, cx);
        }
        cx.changed(func, inst, || format!("`evm.{}` passes composites part by part", op.name()));
    }

    /// The part that `extract` names takes the place of its result.
    fn lower_extract(&mut self, func: &mut Function, inst: Inst) {
        let (whole, result) = (func.dfg.args(inst)[0], func.dfg.result(inst));
        let (index, half) = self.part_index(func, inst, whole);
        let mut part = self.of(whole)[half.unwrap_or(index)];
        if half.is_some() {
            let ty = func.dfg.ty(result);
            let mut emit = Emit::before(func, inst);
            let inst = emit.insert(Op::Extract, &[part], Payload::Number(index as u64), &[ty]);
            part = func.dfg.result(inst);
        }
        self.replacements.record(func, result, part);
    }

    /// The index that an `extract` or `insert` names, within a half if the vector is split: then
    /// which half.
    fn part_index(&self, func: &Function, inst: Inst, whole: Value) -> (usize, Option<usize>) {
        let index = match func.dfg.inst(inst).payload {
            Payload::Number(index) => index as usize,
            _ => 0,
        };
        let Type::Composite(composite) = func.dfg.ty(whole) else { return (index, None) };
        if type_action(Type::Composite(composite)) != TypeAction::Split {
            return (index, None);
        }
        match index.checked_sub(first_half(composite)) {
            None => (index, Some(0)),
            Some(rest) => (rest, Some(1)),
        }
    }

    /// The parts of the result of `compose`, `splat`, `insert`.
    fn rebuilt(&mut self, func: &mut Function, inst: Inst, op: Op, args: &[Value]) -> Values {
        let result = func.dfg.result(inst);
        let Type::Composite(composite) = func.dfg.ty(result) else { return Values::new() };
        let types = parts_of(composite);
        let is_split = type_action(Type::Composite(composite)) == TypeAction::Split;
        if op == Op::Insert {
            let (index, half) = self.part_index(func, inst, args[0]);
            let mut parts: Values = SmallVec::from_slice(self.of(args[0]));
            let place = half.unwrap_or(index);
            let mut emit = Emit::before(func, inst);
            parts[place] = match half {
                Some(_) => {
                    let of_half = [parts[place], args[1]];
                    let inst = emit.insert(op, &of_half, Payload::Number(index as u64), &[types[place]]);
                    emit.func().dfg.result(inst)
                }
                None => widened(&mut emit, args[1], types[place]),
            };
            return parts;
        }
        let mut emit = Emit::before(func, inst);
        match (op, is_split) {
            (Op::Splat, true) => types.into_iter().map(|ty| emit.value(op, args, ty)).collect(),
            (Op::Splat, false) => {
                let lane = widened(&mut emit, args[0], types[0]);
                SmallVec::from_elem(lane, types.len())
            }
            (_, true) => {
                let (low, high) = args.split_at(first_half(composite));
                [low, high].into_iter().zip(types).map(|(args, ty)| emit.value(op, args, ty)).collect()
            }
            (_, false) => args.iter().zip(types).map(|(arg, ty)| widened(&mut emit, *arg, ty)).collect(),
        }
    }

    /// Arithmetic on vectors: the same on each part.
    fn lower_lanes(
        &mut self,
        func: &mut Function,
        inst: Inst,
        op: Op,
        args: &[Value],
        cx: &mut PassContext<'_>,
    ) {
        let results = func.dfg.results(inst).to_vec();
        let types: Vec<Vec<Type>> =
            results.iter().map(|value| self.types_after(func.dfg.ty(*value))).collect();
        let mut parts: Vec<Values> = vec![Values::new(); results.len()];
        let mut emit = Emit::before(func, inst);
        for index in 0..types[0].len() {
            let args: Values = args.iter().map(|arg| self.of(*arg)[index]).collect();
            let types: SmallVec<[Type; 2]> = types.iter().map(|types| types[index]).collect();
            let part = emit.insert(op, &args, Payload::None, &types);
            let made = emit.func().dfg.results(part);
            parts.iter_mut().zip(made).for_each(|(parts, value)| parts.push(*value));
        }
        for (result, parts) in results.into_iter().zip(parts) {
            self.record(func, result, &parts, cx);
        }
    }

    /// A trace says where all parts are. One that stands before its value is lost.
    fn lower_trace(&self, func: &mut Function, inst: Inst) {
        let parts = self.flat(func, func.dfg.args(inst));
        let payload = func.dfg.inst(inst).payload;
        match parts.is_empty() {
            true => func.layout.remove_inst(inst),
            false => func.dfg.replace_inst(inst, Op::DbgTrace, &parts, payload),
        }
    }

    /// Loads and stores of each part.
    fn lower_access(
        &mut self,
        func: &mut Function,
        inst: Inst,
        op: Op,
        args: &[Value],
        cx: &mut PassContext<'_>,
    ) {
        let Op::Evm(opcode) = op else { return };
        let result = func.dfg.results(inst).first().copied();
        let n_words = result.map_or(0, |result| func.dfg.ty(result).words());
        let types = result.map(|result| self.types_after(func.dfg.ty(result)));
        let mut emit = Emit::before(func, inst);
        let start = places::start(&mut emit, opcode, args[0], n_words);
        let mut word = 0;
        let Some((result, types)) = result.zip(types) else {
            let parts: Values = SmallVec::from_slice(self.of(args[1]));
            for part in parts {
                let place = place(&mut emit, opcode, start, word);
                emit.insert(op, &[place, part], Payload::None, &[]);
                word += emit.func().dfg.ty(part).words();
            }
            cx.changed(func, inst, || {
                format!("`evm.{}` stores a composite part by part, in {word} words", op.name())
            });
            return;
        };
        let parts = types.into_iter().map(|ty| {
            let place = place(&mut emit, opcode, start, word);
            word += ty.words();
            emit.value(op, &[place], ty)
        });
        let parts: Values = parts.collect();
        self.record(func, result, &parts, cx);
    }
}

/// An integer with the width of the part that it becomes.
fn widened(emit: &mut Emit<'_>, value: Value, ty: Type) -> Value {
    let found = emit.func().dfg.ty(value);
    match found != ty && ty.bits().is_some() {
        true => emit.value(Op::Zext, &[value], ty),
        false => value,
    }
}
