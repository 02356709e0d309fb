//! The end of a body: placeholders, phis, types that were left out, cases of switches.

use super::literals::LiteralTypes;
use super::{Body, PhiText};
use crate::ids::{Block, Inst, Value};
use crate::text::fault;
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use rustc_hash::FxHashMap;

/// Rounds of inference: a type left out can depend on another one further down.
const MAX_ROUNDS: usize = 4;

/// Completes a body in which all names are defined.
pub(super) fn finish(body: &mut Body<'_, '_, '_>) {
    let blocks: Vec<Block> = body.func.layout.blocks().collect();
    let insts: Vec<Inst> = blocks.iter().flat_map(|block| body.func.layout.insts(*block)).collect();
    if !body.forwards.is_empty() {
        for inst in &insts {
            body.func.dfg.map_uses(*inst, |value| Body::resolve(&body.forwards, value));
        }
    }
    let phis = std::mem::take(&mut body.phis);
    if !phis.is_empty() {
        pass_phi_args(body, &insts, &phis);
    }
    infer(body, &phis);
    read_cases(body);
    check_annotations(body);
}

/// Cases are numbers of the type of what is compared; one that does not fit it never matches.
fn read_cases(body: &mut Body<'_, '_, '_>) {
    for switch in std::mem::take(&mut body.switches) {
        let ty = body.func.dfg.ty(Body::resolve(&body.forwards, switch.value));
        for (index, (number, span)) in switch.numbers.into_iter().enumerate() {
            match literal::to_word(number, ty.bits().unwrap_or(256)) {
                Some(word) => body.func.dfg.switch_mut(switch.id).cases[index].0 = word,
                None => {
                    let message = format!("the number does not fit `{ty}`: the case never matches");
                    body.stream.fault::<()>(fault::INVALID_NUMBER, span, message);
                }
            }
        }
    }
}

fn infer(body: &mut Body<'_, '_, '_>, phis: &[PhiText]) {
    let untyped = std::mem::take(&mut body.untyped);
    let literals = LiteralTypes::new(body, &untyped);
    infer_rounds(body, phis, &untyped, &literals);
    literals.finish(body);
}

fn infer_rounds(body: &mut Body<'_, '_, '_>, phis: &[PhiText], untyped: &[Inst], literals: &LiteralTypes) {
    for _ in 0..MAX_ROUNDS {
        let mut changed = literals.infer(body);
        for phi in phis.iter().filter(|phi| !phi.has_type) {
            let types =
                phi.entries.iter().map(|(value, _)| body.func.dfg.ty(Body::resolve(&body.forwards, *value)));
            let widest = types.reduce(|a, b| if a.widens_to(b) { b } else { a }).unwrap_or(Type::U256);
            changed |= body.func.dfg.ty(phi.param) != widest;
            body.func.dfg.set_ty(phi.param, widest);
        }
        for inst in untyped {
            match body.infer_types(*inst) {
                Some(new) => changed |= new,
                None => return,
            }
        }
        if !changed {
            return;
        }
    }
}

/// Passes the values of phis along the edges into their blocks.
fn pass_phi_args(body: &mut Body<'_, '_, '_>, insts: &[Inst], phis: &[PhiText]) {
    let mut of_block: FxHashMap<Block, Vec<usize>> = FxHashMap::default();
    let mut entries: FxHashMap<(usize, Block), Value> = FxHashMap::default();
    for (index, phi) in phis.iter().enumerate() {
        of_block.entry(phi.block).or_default().push(index);
        for (value, from) in &phi.entries {
            let value = Body::resolve(&body.forwards, *value);
            if entries.insert((index, *from), value).is_some_and(|other| other != value) {
                let message = "`phi` has two values for one predecessor";
                body.stream.fault::<()>(fault::INVALID_PHI, phi.span, message);
            }
        }
    }
    let mut num_matched = vec![0; phis.len()];
    let mut matched: FxHashMap<(usize, Block), ()> = FxHashMap::default();
    for inst in insts {
        let from = body.func.layout.inst_block(*inst).expect("invariant: the instruction is in a block");
        let mut targets = Vec::new();
        body.func.dfg.for_each_target(*inst, |call| targets.push(call.block));
        for (target, block) in targets.into_iter().enumerate() {
            for index in of_block.get(&block).into_iter().flatten() {
                let Some(value) = entries.get(&(*index, from)).copied() else {
                    missing_entry(body, &phis[*index], from);
                    continue;
                };
                body.func.dfg.append_call_arg(*inst, target, value);
                if matched.insert((*index, from), ()).is_none() {
                    num_matched[*index] += 1;
                }
            }
        }
    }
    for (phi, matched) in phis.iter().zip(num_matched) {
        let mut preds: Vec<Block> = phi.entries.iter().map(|(_, from)| *from).collect();
        preds.sort_unstable();
        preds.dedup();
        if matched < preds.len() {
            body.stream.fault::<()>(
                fault::INVALID_PHI,
                phi.span,
                "`phi` has a value for a block that is not a predecessor",
            );
        }
    }
}

fn missing_entry(body: &mut Body<'_, '_, '_>, phi: &PhiText, from: Block) {
    let name = body.func.block_names.get(&from).map_or(String::new(), |name| format!(" `^{name}`"));
    body.stream.fault::<()>(
        fault::INVALID_PHI,
        phi.span,
        format!("`phi` has no value for the predecessor{name}"),
    );
}

/// A type after an operation without results is that of its only operand: `evm.return %x : u256`.
fn check_annotations(body: &mut Body<'_, '_, '_>) {
    for (inst, ty) in std::mem::take(&mut body.annotated) {
        let args = body.func.dfg.args(inst);
        if args.len() == 1 && body.func.dfg.ty(args[0]).widens_to(ty) {
            continue;
        }
        let span: Span = body.func.spans[inst].unwrap_or_default();
        body.stream.fault::<()>(
            fault::TYPE_MISMATCH,
            span,
            format!("the operation has no result of type `{ty}`"),
        );
    }
}
