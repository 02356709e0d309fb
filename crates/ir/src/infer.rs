//! Result types where the text leaves them out.

use crate::builder::opcode_result_type;
use crate::dfg::Payload;
use crate::function::Function;
use crate::ids::{Func, Inst};
use crate::op::{Family, Op};
use crate::types::composite::{Composite, Shape};
use crate::types::{AddressSpace, Type};
use cairn_evm::Opcode;
use smallvec::{SmallVec, smallvec};

/// True for the calls that can have a second result, the length of the returned data.
pub fn has_optional_length(op: Op) -> bool {
    let calls = [Opcode::CALL, Opcode::CALLCODE, Opcode::DELEGATECALL, Opcode::STATICCALL];
    matches!(op, Op::Evm(opcode) if calls.contains(&opcode))
}

/// True for arithmetic that has a meaning on fixed-point numbers. The rest has operands of different
/// kinds, or looks at single bits and bytes.
pub fn is_fixed_arithmetic(opcode: Opcode) -> bool {
    let others = [Opcode::ADDMOD, Opcode::MULMOD, Opcode::BYTE, Opcode::SIGNEXTEND];
    let bits = [Opcode::CLZ, Opcode::SHL, Opcode::SHR, Opcode::SAR];
    opcode.is_arithmetic() && !others.contains(&opcode) && !bits.contains(&opcode)
}

/// True for arithmetic that has a meaning on floating-point numbers. The rest looks at bits, or wraps around.
pub fn is_float_arithmetic(opcode: Opcode) -> bool {
    let computing =
        [Opcode::ADD, Opcode::SUB, Opcode::MUL, Opcode::DIV, Opcode::SDIV, Opcode::MOD, Opcode::SMOD];
    let tests = [Opcode::LT, Opcode::GT, Opcode::SLT, Opcode::SGT, Opcode::EQ, Opcode::ISZERO];
    computing.contains(&opcode) || tests.contains(&opcode)
}

/// True for operations that work on vectors lane by lane, given the type of the first operand:
/// arithmetic, casts, and `select` where the condition is a vector.
pub fn is_lanewise(op: Op, first: Option<Type>) -> bool {
    match op.family() {
        Family::Opcode => matches!(op, Op::Evm(opcode) if opcode.is_arithmetic()),
        Family::Uniform | Family::Unary | Family::Rotate | Family::Count => true,
        Family::Cast | Family::Float => true,
        Family::Select => first.is_some_and(|ty| ty.lanes().is_some()),
        Family::Push | Family::Pointer | Family::Access | Family::Parts | Family::Call => false,
        Family::Terminator | Family::Mark => false,
    }
}

/// The types that the results of `inst` have when the text does not say; `None` when they cannot
/// be known (`trunc`). `callee` gives the result types of a function.
///
/// Tests give `bool`, opcodes that push an address `u160`, all other opcodes `u256` unless an
/// operand is wider than a word. Generic arithmetic gives the widest operand's type.
pub fn infer_result_types<'a>(
    func: &Function,
    inst: Inst,
    callee: impl Fn(Func) -> &'a [Type],
) -> Option<SmallVec<[Type; 2]>> {
    let dfg = &func.dfg;
    let args = dfg.args(inst);
    let operand = |index: usize| args.get(index).map_or(Type::U256, |value| dfg.ty(*value));
    let widest = || {
        // The exponent of a fixed-point number is an integer, whatever its width.
        let is_power = dfg.op(inst) == Op::Evm(Opcode::EXP);
        let base = args.first().map(|value| dfg.ty(*value));
        if let Some(base) = base.filter(|ty| is_power && ty.lane().is_fixed()) {
            return base;
        }
        let types = args.iter().map(|value| dfg.ty(*value));
        types.reduce(|a, b| if a.widens_to(b) { b } else { a }).unwrap_or(Type::U256)
    };
    let op = dfg.op(inst);
    let types = match (op.family(), op) {
        _ if has_optional_length(op) => smallvec![Type::Bool, Type::U256],
        (_, Op::Evm(opcode)) => smallvec![match (opcode_result_type(opcode), widest()) {
            (Type::U256, wide) if opcode.is_arithmetic() && !fits_word(wide) => wide,
            (lane, wide) if opcode.is_arithmetic() => with_lanes_of(wide, lane),
            (ty, _) => ty,
        }],
        (Family::Push, Op::Alloca | Op::HeapBase) => smallvec![Type::MEMORY],
        (Family::Push, Op::CalldataBase) => smallvec![Type::Ptr(AddressSpace::Calldata, 0)],
        (Family::Pointer, Op::PtrAdd) => smallvec![match operand(0) {
            Type::Ptr(space, _) => Type::Ptr(space, 0),
            _ => Type::MEMORY,
        }],
        (Family::Pointer, Op::IntToPtr) => smallvec![Type::MEMORY],
        (Family::Cast, Op::Trunc | Op::Convert | Op::Sconvert) => return None,
        (Family::Push | Family::Pointer | Family::Cast, _) => smallvec![Type::U256],
        (Family::Select, _) => {
            let (a, b) = (operand(1), operand(2));
            smallvec![if a.widens_to(b) { b } else { a }]
        }
        (Family::Uniform, _) if op.outputs() == Some(2) => {
            smallvec![widest(), with_lanes_of(widest(), Type::Bool)]
        }
        (Family::Uniform | Family::Unary | Family::Count | Family::Float, _) => smallvec![widest()],
        (Family::Rotate, _) => smallvec![operand(1)],
        (Family::Access, Op::Mload8) => smallvec![Type::Int(8)],
        (Family::Access, Op::Verbatim) => smallvec![Type::U256; dfg.results(inst).len()],
        (Family::Parts, Op::Extract) => match (operand(0), dfg.inst(inst).payload) {
            (Type::Composite(composite), Payload::Number(index)) => {
                smallvec![composite.part(usize::try_from(index).ok()?)?]
            }
            _ => return None,
        },
        (Family::Parts, Op::ExtractAt) => smallvec![element(operand(0))?],
        (Family::Parts, Op::Shuffle) => {
            let (_, lane) = operand(0).lanes()?;
            let count = u32::try_from(args.len()).ok()?.checked_sub(2)?;
            smallvec![Composite::new(Shape::Vector(count, lane)).map(Type::Composite)?]
        }
        (Family::Parts, Op::Insert) => smallvec![operand(0)],
        (Family::Parts, _) => return None,
        (Family::Call, _) => match dfg.inst(inst).payload {
            Payload::Func(func) => SmallVec::from_slice(callee(func)),
            _ => smallvec![],
        },
        (Family::Opcode | Family::Access | Family::Terminator | Family::Mark, _) => smallvec![],
    };
    Some(types)
}

/// The type that all parts of a vector or array have.
pub fn element(ty: Type) -> Option<Type> {
    match ty {
        Type::Composite(composite) => composite.element(),
        _ => None,
    }
}

/// The vector with as many lanes as `ty` has and lanes of another type; that type if `ty` is no
/// vector.
fn with_lanes_of(ty: Type, lane: Type) -> Type {
    let shape = ty.lanes().map(|(count, _)| Shape::Vector(count, lane));
    shape.and_then(Composite::new).map_or(lane, Type::Composite)
}

/// True for types that are one word, perhaps after promotion.
fn fits_word(ty: Type) -> bool {
    matches!(ty, Type::Int(..=256) | Type::Bool | Type::Ptr(..))
}
