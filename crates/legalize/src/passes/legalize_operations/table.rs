//! What is done about each operation on each fork.

use super::custom::{self, Rewrite};
use super::{arithmetic, bits, forks, overflow};
use crate::apply_target::target_action;
use crate::emit::Emit;
use crate::emit::Results;
use crate::options::Options;
use crate::runtime::Routine;
use crate::target::TargetAction;
use cairn_diag::Diagnostic;
use cairn_evm::{Fork, Opcode};
use cairn_ir::{Family, Function, Inst, Op, Value};

/// An expansion: from operands that are words to results that fit the width in bits.
pub(super) type Expand = fn(&mut Emit<'_>, &[Value], u16) -> Results;

/// What is done about an operation.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// It stays.
    Legal,
    /// It is rewritten by code of its own.
    Custom(Rewrite),
    /// It is replaced by a sequence of other operations.
    Expand(Expand),
    /// It is replaced by a call of a function of the runtime.
    LibCall(Routine),
    /// It was taken apart together with its type.
    Composite,
    /// Nothing can stand in for it; the first fork that has it.
    Missing(Fork),
}

impl Action {
    /// The name used in documentation.
    pub(super) fn name(self) -> &'static str {
        match self {
            Action::Legal => "legal",
            Action::Custom(_) => "custom",
            Action::Expand(_) => "expand",
            Action::LibCall(_) => "libcall",
            Action::Composite => "taken apart with its type",
            Action::Missing(_) => "error",
        }
    }
}

/// What becomes of an instruction.
pub(super) fn action_of(func: &Function, inst: Inst, options: &Options) -> Action {
    let op = func.dfg.op(inst);
    match (target_action(func, inst, options), op) {
        (Some(TargetAction::Legal), Op::Evm(_)) => Action::Legal,
        (Some(TargetAction::Expand), Op::Evm(opcode)) => without(opcode),
        _ => action(op, func.dfg.results(inst).len(), width(func, inst), options.fork),
    }
}

/// The fault of an operation that the fork lacks, if nothing stands for it.
pub(crate) fn missing(func: &Function, inst: Inst, options: &Options) -> Option<Diagnostic> {
    let Action::Missing(since) = action_of(func, inst, options) else { return None };
    let (name, fork) = (func.dfg.op(inst).name(), options.fork);
    let message = format!("`evm.{name}` does not exist on {fork}; the first fork that has it is {since}");
    let help = format!("compile for {since} or later, or do without it");
    Some(Diagnostic::error(message).with_help(help))
}

/// The width in bits that a generic operation works on: that of its first result, or of its
/// operand if it counts bits. 256 for everything that is no integer.
pub(super) fn width(func: &Function, inst: Inst) -> u16 {
    let value = match func.dfg.op(inst).family() {
        Family::Count => func.dfg.args(inst).first(),
        _ => func.dfg.results(inst).first(),
    };
    value.and_then(|value| func.dfg.ty(*value).bits()).unwrap_or(256)
}

/// What is done about `op` with `n_results` results of `width` bits on `fork`.
pub(super) fn action(op: Op, n_results: usize, width: u16, fork: Fork) -> Action {
    match op {
        Op::Evm(_) if n_results > 1 => Action::Custom(custom::call_with_length),
        Op::Evm(opcode) if opcode.exists_in(fork) => Action::Legal,
        Op::Evm(opcode) => without(opcode),
        Op::Constant | Op::Alloca | Op::HeapBase | Op::CalldataBase | Op::PtrAdd => Action::Legal,
        Op::PtrToInt | Op::IntToPtr | Op::Zext => Action::Legal,
        Op::Trunc => Action::Expand(bits::truncate),
        Op::Sext => Action::Custom(custom::sext),
        Op::ReturnValue => Action::Custom(custom::return_value),
        Op::DataCopy => Action::Custom(custom::datacopy),
        Op::Select => Action::Expand(arithmetic::select),
        Op::Mload8 => Action::Expand(bits::load_byte),
        Op::DataOffset | Op::DataSize | Op::LoadImmutable | Op::SetImmutable => Action::Legal,
        Op::LinkerSymbol | Op::Verbatim => Action::Legal,
        Op::Min => Action::Expand(arithmetic::min),
        Op::Max => Action::Expand(arithmetic::max),
        Op::Smin => Action::Expand(arithmetic::signed_min),
        Op::Smax => Action::Expand(arithmetic::signed_max),
        Op::Abs => Action::Expand(arithmetic::abs),
        Op::Rotl => Action::Expand(bits::rotate_left),
        Op::Rotr => Action::Expand(bits::rotate_right),
        Op::Bswap if width >= 256 => Action::LibCall(Routine::Bswap),
        Op::Bswap => Action::Expand(bits::swap_bytes),
        Op::Ctpop => Action::LibCall(Routine::Ctpop),
        Op::Ctlz => Action::Expand(bits::leading_zeros),
        Op::Cttz => Action::Expand(bits::trailing_zeros),
        Op::Addo => Action::Expand(overflow::add),
        Op::Subo => Action::Expand(overflow::sub),
        Op::Mulo => Action::Expand(overflow::mul),
        Op::UaddSat => Action::Expand(overflow::saturating_add),
        Op::UsubSat => Action::Expand(overflow::saturating_sub),
        Op::UmulSat => Action::Expand(overflow::saturating_mul),
        Op::Muldiv if width >= 256 => Action::LibCall(custom::muldiv_routine(fork)),
        Op::Muldiv => Action::Custom(custom::muldiv_narrow),
        Op::Mulhi => Action::Expand(overflow::high_product),
        Op::Br | Op::CondBr | Op::Switch | Op::Icall | Op::Iret | Op::Unreachable => Action::Legal,
        Op::DbgTrace | Op::DbgLabel => Action::Legal,
        // Gone with the composites; the table of the documentation asks.
        Op::Compose | Op::Splat | Op::Extract | Op::ExtractAt | Op::Insert | Op::Shuffle => Action::Composite,
        // Gone with the fixed-point and floating-point numbers.
        Op::Convert | Op::Sconvert | Op::Sqrt => Action::Composite,
    }
}

/// What stands in for an opcode that the fork, or the target, lacks.
pub(super) fn without(opcode: Opcode) -> Action {
    match opcode {
        Opcode::SHL => Action::Expand(forks::shl),
        Opcode::SHR => Action::Expand(forks::shr),
        Opcode::SAR => Action::Expand(forks::sar),
        Opcode::MOD => Action::Expand(arithmetic::remainder),
        Opcode::CLZ => Action::LibCall(Routine::Clz),
        Opcode::SELFBALANCE => Action::Expand(forks::selfbalance),
        Opcode::MCOPY => Action::LibCall(Routine::Mcopy),
        Opcode::REVERT => Action::Custom(custom::revert),
        opcode => Action::Missing(opcode.known().since),
    }
}

/// What is done about one operation, for documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRow {
    /// How the operation is written, without `evm.`.
    pub name: String,
    /// The name of the action on each of [`Fork::ALL`]: `legal`, `expand`, `libcall`, `custom`,
    /// `error`, or that the operation is taken apart with its type.
    pub actions: Vec<&'static str>,
}

/// What is done about every operation on every fork, on operands of one word; where narrower ones
/// are treated otherwise, a second row says so.
pub fn operation_rows() -> Vec<OperationRow> {
    let opcodes = Opcode::all().filter(|op| !op.is_stack_manipulation() && !op.is_jump_related());
    let mut rows = Vec::new();
    for op in opcodes.map(Op::Evm).chain(Op::TABLE.iter().copied()) {
        let of_width = |width| -> Vec<&'static str> {
            Fork::ALL.into_iter().map(|fork| action(op, 1, width, fork).name()).collect()
        };
        let (word, narrow) = (of_width(256), of_width(64));
        let name = match op {
            Op::ReturnValue => "return %v",
            Op::ExtractAt => "extract %a, %n",
            op => op.name(),
        };
        let differs = word != narrow;
        rows.push(OperationRow { name: name.to_owned(), actions: word });
        if differs {
            rows.push(OperationRow { name: format!("{name} below a word"), actions: narrow });
        }
    }
    rows
}
