//! Rules about the shape of an instruction: `payload`, `operand-count`, `result-count`.

use super::report::{Cx, Place};
use crate::dfg::Payload;
use crate::ids::Inst;
use crate::infer::has_optional_length;
use crate::op::Op;

/// Checks the shape of an instruction; false when its types cannot be checked.
pub(super) fn verify_shape(cx: &mut Cx<'_>, inst: Inst) -> bool {
    let op = cx.op(inst);
    if !has_payload(cx, inst) {
        let message = format!("`evm.{}` does not carry {}", op.name(), needed_payload(op));
        cx.report("payload", Place::Inst(inst), message);
        return false;
    }
    let (args, results) = (cx.func.dfg.args(inst).len(), cx.func.dfg.results(inst).len());
    let mut sound = true;
    if let Some(inputs) = op.inputs().filter(|inputs| *inputs != args) {
        let message = format!("`evm.{}` has {inputs} operands, not {args}", op.name());
        cx.report("operand-count", Place::Inst(inst), message);
        sound = false;
    }
    if op == Op::Shuffle && args < 3 {
        let message = "`evm.shuffle` has two vectors and the index of each lane".to_owned();
        cx.report("operand-count", Place::Inst(inst), message);
        sound = false;
    }
    if op == Op::DbgTrace && args == 0 {
        cx.report("operand-count", Place::Inst(inst), "`evm.dbg.trace` has no operand".to_owned());
        sound = false;
    }
    let has_length = has_optional_length(op) && results == 2;
    if let Some(outputs) = op.outputs().filter(|outputs| *outputs != results && !has_length) {
        let message = format!("`evm.{}` has {outputs} results, not {results}", op.name());
        cx.report("result-count", Place::Inst(inst), message);
        sound = false;
    }
    sound
}

fn has_payload(cx: &Cx<'_>, inst: Inst) -> bool {
    let data = cx.func.dfg.inst(inst);
    match (data.op, data.payload) {
        (Op::Constant, Payload::Const(id)) => cx.func.dfg.try_word(id).is_some(),
        (Op::Alloca | Op::HeapBase | Op::Extract | Op::Insert, Payload::Number(_)) => true,
        (Op::DataOffset | Op::DataSize | Op::LoadImmutable, Payload::Symbol(symbol))
        | (Op::SetImmutable | Op::LinkerSymbol | Op::DbgLabel, Payload::Symbol(symbol)) => {
            cx.module.symbols.try_text(symbol).is_some()
        }
        (Op::Verbatim, Payload::Symbol(symbol)) => {
            let bytes = cx.module.symbols.try_text(symbol);
            bytes.is_some_and(|text| text.len() % 2 == 0 && text.bytes().all(|b| b.is_ascii_hexdigit()))
        }
        (Op::DbgTrace, Payload::Number(var)) => var < cx.module.debug.vars.len() as u64,
        (Op::DbgTrace, Payload::None) => true,
        (Op::Icall, Payload::Func(func)) => cx.module.funcs.is_valid(func),
        (Op::Br, Payload::Jump(_)) | (Op::CondBr, Payload::Branch(_)) | (Op::Switch, Payload::Switch(_)) => {
            true
        }
        (op, Payload::None) => needed_payload(op) == NOTHING,
        _ => false,
    }
}

const NOTHING: &str = "nothing";

/// What an operation carries.
fn needed_payload(op: Op) -> &'static str {
    match op {
        Op::Constant => "a constant",
        Op::Alloca | Op::HeapBase => "a size",
        Op::Extract | Op::Insert => "the index of a part",
        Op::DataOffset | Op::DataSize | Op::LoadImmutable | Op::SetImmutable => "a name",
        Op::LinkerSymbol | Op::DbgLabel => "a name",
        Op::Verbatim => "bytes in hex",
        Op::Icall => "a function of the module",
        Op::Br => "a target",
        Op::CondBr => "two targets",
        Op::Switch => "cases",
        Op::DbgTrace => "a variable or nothing",
        _ => NOTHING,
    }
}
