//! Brings a canonical function down to what both schedulers work on.
//!
//! After it every instruction outside terminators is an opcode, a push (`constant`, `alloca`,
//! `heap_base`, `dataoffset`, `datasize`, `loadimmutable`, `linkersymbol`), `setimmutable`,
//! `verbatim` or `icall`: copies are gone (their uses name the source), debug marks are dropped,
//! `ptr_add` is `ADD`, `datacopy` is `CODECOPY`, `calldata_base` is 0, `unreachable` is `INVALID`.

use cairn_diag::{Diagnostic, Diagnostics};
use cairn_evm::{Opcode, Word};
use cairn_ir::debug::traces;
use cairn_ir::promote_slots;
use cairn_ir::{Block, Function, Inst, Op, Payload, SecondaryMap, Value, Var, table};
use cranelift_entity::packed_option::PackedOption;

/// A copy of `func` in the form above.
///
/// # Errors
/// Names every operation that canonical form does not have.
pub(crate) fn prepare(func: &Function) -> Result<Function, Diagnostics> {
    lower(func.clone())
}

/// A copy of `func` in the form above, with its slots turned into values.
///
/// Slots go before copies do: behind those a pointer is stored where an integer is loaded, which no
/// slot allows. What copies hid is looked at again.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn prepare_promoted(func: &Function) -> Result<Function, Diagnostics> {
    let mut out = func.clone();
    promote_slots(&mut out);
    let mut out = lower(out)?;
    promote_slots(&mut out);
    Ok(out)
}

fn lower(mut out: Function) -> Result<Function, Diagnostics> {
    let mut faults = Diagnostics::default();
    let mut source: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::new();
    let insts: Vec<Inst> = out.layout.blocks().flat_map(|block| out.layout.insts(block)).collect();
    for inst in insts {
        match prepared_op(&out, inst) {
            Prepared::Keep => {}
            Prepared::Becomes(op) => out.dfg.set_op(inst, op),
            Prepared::Zero => {
                let zero = Payload::Const(out.dfg.make_const(Word::ZERO));
                out.dfg.replace_inst(inst, Op::Constant, &[], zero);
            }
            Prepared::Copy => {
                source[out.dfg.result(inst)] = out.dfg.args(inst)[0].into();
                out.layout.remove_inst(inst);
            }
            Prepared::Drop => out.layout.remove_inst(inst),
            Prepared::Illegal => faults.push(not_canonical(&out, inst)),
        }
    }
    if faults.has_errors() {
        return Err(faults);
    }
    rename_uses(&mut out, &mut source);
    Ok(out)
}

/// A trace for debuggers: a variable of the source has a value from a place on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The block.
    pub block: Block,
    /// The instruction that the trace stands behind; `None` at the start of the block.
    pub after: Option<Inst>,
    /// The variable.
    pub var: Var,
    /// Its value, or the words of it in the order of memory.
    pub values: Vec<Value>,
}

/// Takes the traces out of a prepared function, so that schedulers see none.
pub(crate) fn take_traces(func: &mut Function) -> Vec<Trace> {
    let mut taken = Vec::new();
    for inst in traces(func) {
        let block = func.layout.inst_block(inst).expect("invariant: the trace is in the layout");
        let after = func.layout.prev_inst(inst);
        func.layout.remove_inst(inst);
        if let Payload::Number(var) = func.dfg.inst(inst).payload {
            let (var, values) = (Var::from_u32(var as u32), func.dfg.args(inst).to_vec());
            taken.push(Trace { block, after, var, values });
        }
    }
    taken
}

/// What becomes of an instruction.
enum Prepared {
    Keep,
    Becomes(Op),
    Zero,
    Copy,
    Drop,
    Illegal,
}

fn prepared_op(func: &Function, inst: Inst) -> Prepared {
    match func.dfg.op(inst) {
        Op::Switch if table::entries(func, inst).is_some() => Prepared::Keep,
        Op::PtrAdd => Prepared::Becomes(Op::Evm(Opcode::ADD)),
        Op::DataCopy => Prepared::Becomes(Op::Evm(Opcode::CODECOPY)),
        Op::Unreachable => Prepared::Becomes(Op::Evm(Opcode::INVALID)),
        Op::CalldataBase => Prepared::Zero,
        Op::PtrToInt | Op::IntToPtr | Op::Zext => Prepared::Copy,
        // Taken out when all values have their last names; see `take_traces`.
        Op::DbgTrace => Prepared::Keep,
        Op::DbgLabel => Prepared::Drop,
        op if op.is_canonical() => Prepared::Keep,
        _ => Prepared::Illegal,
    }
}

/// Makes every use name the value that a chain of copies starts from.
fn rename_uses(func: &mut Function, source: &mut SecondaryMap<Value, PackedOption<Value>>) {
    let blocks: Vec<_> = func.layout.blocks().collect();
    for block in blocks {
        let insts: Vec<_> = func.layout.insts(block).collect();
        for inst in insts {
            func.dfg.map_uses(inst, |value| resolve(value, source));
        }
    }
}

fn resolve(value: Value, source: &mut SecondaryMap<Value, PackedOption<Value>>) -> Value {
    let mut origin = value;
    while let Some(next) = source[origin].expand() {
        origin = next;
    }
    let mut at = value;
    while let Some(next) = source[at].expand() {
        source[at] = origin.into();
        at = next;
    }
    origin
}

fn not_canonical(func: &Function, inst: Inst) -> Diagnostic {
    let op = func.dfg.op(inst).name();
    Diagnostic::error(format!("operation `evm.{op}` in function `{}` is not canonical", func.name))
        .with_span(func.inst_place(inst))
        .with_help("run the legalizer first")
}
