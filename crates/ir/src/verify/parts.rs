//! Rules about parts of composites whose indices are operands.

use super::expect::{expect_operand, expect_result};
use super::report::{Cx, Place};
use crate::ids::Inst;
use crate::infer::element;
use crate::op::Op;
use crate::types::Type;

/// `evm.extract %a, %n` and `evm.shuffle %a, %b, [%n, …]`. An index that is known has to name a part;
/// others may name none.
pub(super) fn verify_indexed(cx: &mut Cx<'_>, inst: Inst) {
    let args: Vec<Type> = cx.func.dfg.args(inst).iter().map(|value| cx.ty(*value)).collect();
    let result = cx.ty(cx.func.dfg.result(inst));
    let n_wholes = if cx.op(inst) == Op::Shuffle { 2 } else { 1 };
    let count = match cx.op(inst) {
        Op::Shuffle => verify_shuffle(cx, inst, &args, result),
        _ => {
            let part = element(args[0]);
            expect_operand(cx, inst, 0, part.is_some(), "a vector or an array");
            let wanted = part.unwrap_or(result);
            expect_result(cx, inst, result == wanted, &format!("`{wanted}`"));
            length(args[0])
        }
    };
    for (index, ty) in args.iter().enumerate().skip(n_wholes) {
        expect_operand(cx, inst, index, ty.bits().is_some(), "an integer");
        let known = cx.func.dfg.as_const(cx.func.dfg.args(inst)[index]);
        if let Some(known) =
            known.filter(|known| count.is_some_and(|count| *known >= cairn_evm::Word::from(count)))
        {
            let message = format!("there is no part {known}");
            cx.report("part-index", Place::Inst(inst), message);
        }
    }
}

/// The types of a shuffle; how many lanes there are to choose from.
fn verify_shuffle(cx: &mut Cx<'_>, inst: Inst, args: &[Type], result: Type) -> Option<usize> {
    let lanes = args[0].lanes();
    expect_operand(cx, inst, 0, lanes.is_some(), "a vector");
    expect_operand(cx, inst, 1, args[1] == args[0], "the type of the first operand");
    let (count, lane) = lanes?;
    let fits = result.lanes().is_some_and(|(n, ty)| ty == lane && n as usize + 2 == args.len());
    expect_result(cx, inst, fits, &format!("a vector of {} lanes of `{lane}`", args.len() - 2));
    Some(2 * count as usize)
}

fn length(ty: Type) -> Option<usize> {
    match ty {
        Type::Composite(composite) => Some(composite.len()),
        _ => None,
    }
}
