//! Types of operations that are no opcodes: a table of what they take and give.

use super::expect::{Class, expect_operand, expect_result, verify_operand};
use super::report::Cx;
use crate::ids::Inst;
use crate::infer::is_lanewise;
use crate::op::Op;
use crate::types::{AddressSpace, Type};

/// What an operand has to be.
#[derive(Clone, Copy)]
enum Operand {
    /// What opcodes take, too.
    Of(Class),
    Pointer,
    /// At most a word wide.
    Word,
    Integer,
    /// An integer, a fixed-point or a floating-point number.
    Number,
    /// An integer or a floating-point number.
    Signed,
    Float,
    /// An integer that tells two cases apart.
    Condition,
    WholeBytes,
    /// What fits the result.
    LikeResult,
}

/// What the results have to be.
#[derive(Clone, Copy)]
enum Results {
    Any,
    Words,
    /// A type of one word that holds all values of this one.
    Holds(Type),
    Pointer,
    PointerInto(AddressSpace),
    /// A pointer into the space of the first operand.
    SameSpace,
    Integer,
    LegalInteger,
    /// A number, where it or the operand is a fixed-point number.
    Converted,
    /// A word, or a pointer into code.
    CodePlace,
    /// An integer as wide as the first operand, or narrower.
    NotWider,
    /// An integer as wide as the first operand, or wider.
    NotNarrower,
    /// The type of this operand; how the message calls it.
    Like(usize, &'static str),
}

/// The types of one operation.
enum Shape {
    /// These operands in order.
    Each(&'static [Operand], Results),
    /// Words, as many as there are, that give words.
    Words,
    /// All operands fit the first result, an integer; a second result is a `bool`.
    Uniform,
    /// Checked elsewhere, or nothing to check.
    Free,
}

fn shape(op: Op) -> Shape {
    use Operand::{Condition, Float, Integer, LikeResult, Number, Of, Pointer, Signed, WholeBytes, Word};
    use Shape::{Each, Free, Uniform, Words};
    match op {
        Op::Alloca | Op::HeapBase => Each(&[], Results::PointerInto(AddressSpace::Memory)),
        Op::CalldataBase => Each(&[], Results::PointerInto(AddressSpace::Calldata)),
        Op::PtrAdd => Each(&[Pointer, Word], Results::SameSpace),
        Op::PtrToInt => Each(&[Pointer], Results::Words),
        Op::IntToPtr => Each(&[Word], Results::Pointer),
        Op::Trunc => Each(&[Integer], Results::NotWider),
        Op::Zext | Op::Sext => Each(&[Integer], Results::NotNarrower),
        Op::Convert | Op::Sconvert => Each(&[Number], Results::Converted),
        Op::Select => Each(&[Condition, LikeResult, LikeResult], Results::Any),
        Op::Mload8 => Each(&[Of(Class::Read(AddressSpace::Memory))], Results::Holds(Type::Int(8))),
        Op::DataOffset => Each(&[], Results::CodePlace),
        Op::DataSize => Each(&[], Results::Words),
        Op::LoadImmutable => Each(&[], Results::LegalInteger),
        Op::LinkerSymbol => Each(&[], Results::Holds(Type::U160)),
        Op::DataCopy => {
            Each(&[Of(Class::Write), Of(Class::Read(AddressSpace::Code)), Of(Class::Amount)], Results::Any)
        }
        Op::SetImmutable => Each(&[Of(Class::Write), Of(Class::Word)], Results::Any),
        Op::Rotl | Op::Rotr => Each(&[Integer, Integer], Results::Like(1, "the type of the value")),
        Op::Sqrt => Each(&[Float], Results::Like(0, "the type of the operand")),
        Op::Abs => Each(&[Signed], Results::Like(0, "the type of the operand")),
        Op::Bswap => Each(&[WholeBytes], Results::Like(0, "the type of the operand")),
        Op::Ctpop | Op::Ctlz | Op::Cttz => Each(&[Integer], Results::Integer),
        Op::ReturnValue => Each(&[Integer], Results::Any),
        Op::CondBr | Op::Switch => Each(&[Of(Class::Amount)], Results::Any),
        Op::Verbatim => Words,
        Op::Min | Op::Max | Op::Smin | Op::Smax | Op::Addo | Op::Subo | Op::Mulo | Op::UaddSat => Uniform,
        Op::UsubSat | Op::UmulSat | Op::Muldiv | Op::Mulhi => Uniform,
        Op::DbgTrace | Op::DbgLabel | Op::Br | Op::Unreachable => Free,
        Op::Icall | Op::Iret | Op::Constant | Op::Evm(_) => Free,
        Op::Compose | Op::Splat | Op::Extract | Op::ExtractAt | Op::Insert | Op::Shuffle => Free,
    }
}

/// Checks an operation that is no opcode; on vectors, lane by lane.
pub(super) fn verify_generic(cx: &mut Cx<'_>, inst: Inst, op: Op) {
    let first = cx.func.dfg.args(inst).first().map(|value| cx.ty(*value));
    let lane = |ty: Type| if is_lanewise(op, first) { ty.lane() } else { ty };
    let args: Vec<Type> = cx.func.dfg.args(inst).iter().map(|value| lane(cx.ty(*value))).collect();
    let results: Vec<Type> = cx.func.dfg.results(inst).iter().map(|value| lane(cx.ty(*value))).collect();
    match shape(op) {
        Shape::Each(operands, wanted) => {
            for (index, operand) in operands.iter().enumerate() {
                verify_kind(cx, inst, index, *operand, &args, &results);
            }
            verify_results(cx, inst, wanted, &args, &results);
        }
        Shape::Words => {
            (0..args.len()).for_each(|index| verify_operand(cx, inst, index, Class::Word));
            verify_results(cx, inst, Results::Words, &args, &results);
        }
        Shape::Uniform => verify_uniform(cx, inst, op, &args, &results),
        Shape::Free => {}
    }
}

fn is_number(ty: Type) -> bool {
    is_int(ty) || ty.is_fixed() || ty.is_float()
}

fn is_int(ty: Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Bool)
}

fn verify_kind(cx: &mut Cx<'_>, inst: Inst, index: usize, kind: Operand, args: &[Type], results: &[Type]) {
    let ty = args[index];
    let (fits, wanted) = match kind {
        Operand::Of(class) => return verify_operand(cx, inst, index, class),
        Operand::Pointer => (matches!(ty, Type::Ptr(..)), "a pointer"),
        Operand::Word => (ty.widens_to(Type::U256), "`u256`"),
        Operand::Integer => (is_int(ty), "an integer"),
        Operand::Number => (is_number(ty), "a number"),
        Operand::Signed => (is_int(ty) || ty.is_float(), "a number"),
        Operand::Float => (ty.is_float(), "a floating-point number"),
        Operand::Condition => (is_int(ty), "`bool`"),
        Operand::WholeBytes => {
            (is_int(ty) && ty.bits().unwrap_or(0).is_multiple_of(8), "an integer of whole bytes")
        }
        Operand::LikeResult => (ty.widens_to(results[0]), "the type of the result"),
    };
    expect_operand(cx, inst, index, fits, wanted);
}

fn verify_results(cx: &mut Cx<'_>, inst: Inst, kind: Results, args: &[Type], results: &[Type]) {
    let bits = |ty: Type| ty.bits().unwrap_or(0);
    let (fits, wanted) = match kind {
        Results::Any => return,
        Results::Words => (results.iter().all(|ty| *ty == Type::U256), "`u256`"),
        Results::Holds(ty) => {
            let fits = ty.widens_to(results[0]) && results[0].words() == 1;
            return expect_result(cx, inst, fits, &format!("`{ty}`"));
        }
        Results::Pointer => (matches!(results[0], Type::Ptr(..)), "a pointer"),
        Results::PointerInto(space) => {
            let fits = matches!(results[0], Type::Ptr(into, _) if into == space);
            return expect_result(cx, inst, fits, &format!("`ptr<{}>`", space as u8));
        }
        Results::SameSpace => {
            let same = matches!((args[0], results[0]), (Type::Ptr(a, _), Type::Ptr(b, _)) if a == b);
            (same || !matches!(args[0], Type::Ptr(..)), "a pointer into the same space")
        }
        Results::Integer => (is_int(results[0]), "an integer"),
        Results::LegalInteger => {
            let fits = matches!(results[0], Type::Int(_)) && results[0].is_legal();
            (fits, "`u256`, `u160`, `u32` or `u8`")
        }
        Results::CodePlace => {
            let is_code = matches!(results[0], Type::Ptr(AddressSpace::Code, _));
            (results[0] == Type::U256 || is_code, "`u256` or `ptr<4>`")
        }
        Results::Converted => converted(args[0], results[0]),
        Results::NotWider => {
            (is_int(results[0]) && bits(results[0]) <= bits(args[0]), "an integer of fitting width")
        }
        Results::NotNarrower => {
            (is_int(results[0]) && bits(results[0]) >= bits(args[0]), "an integer of fitting width")
        }
        Results::Like(operand, wanted) => (results[0] == args[operand], wanted),
    };
    expect_result(cx, inst, fits, wanted);
}

/// Whether a number of this type is converted into one of that type, and what it is converted into.
fn converted(from: Type, to: Type) -> (bool, &'static str) {
    let is_word = |ty: Type| ty.bits().is_some_and(|bits| bits <= 256);
    if from.is_float() {
        return (to.is_float() || is_word(to), "a floating-point number or an integer of at most 256 bits");
    }
    if from.is_fixed() {
        return (is_int(to) || to.is_fixed(), "a fixed-point number or an integer");
    }
    match is_word(from) {
        true => (to.is_fixed() || to.is_float(), "a fixed-point or a floating-point number"),
        false => (to.is_fixed(), "a fixed-point number"),
    }
}

/// All operands widen to the first result, an integer, or another number where the operation
/// compares; a second result is a `bool`.
fn verify_uniform(cx: &mut Cx<'_>, inst: Inst, op: Op, args: &[Type], results: &[Type]) {
    let is_other = results[0].is_fixed() || results[0].is_float();
    let is_ordered = matches!(op, Op::Min | Op::Max | Op::Smin | Op::Smax) && is_other;
    let is_fit = is_int(results[0]) || is_ordered;
    expect_result(cx, inst, is_fit && results.get(1).is_none_or(|ty| *ty == Type::Bool), "an integer");
    for (index, ty) in args.iter().enumerate() {
        expect_operand(cx, inst, index, ty.widens_to(results[0]), "the type of the result");
    }
}
