//! Literals among operands, once the types of the body are known.
//!
//! A literal has the type that is written behind it, else that of the widest other operand, or of the
//! result where that is written, if its user works at one width: generic arithmetic, `select`, and
//! arithmetic opcodes on fixed-point or floating-point numbers or more than a word. All others are a `u256`.

use super::Body;
use crate::dfg::Payload;
use crate::ids::{Inst, Value};
use crate::op::{Family, Op};
use crate::text::fault;
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::Opcode;
use rustc_hash::{FxHashMap, FxHashSet};

/// A literal as written: its constant, the instruction it is an operand of, its text.
struct Literal {
    constant: Inst,
    user: Inst,
    span: Span,
}

/// The literals of a body.
#[derive(Default)]
pub(crate) struct Literals {
    list: Vec<Literal>,
    /// Those whose user is not made yet.
    open: Vec<(Inst, Span)>,
    /// Addresses with an offset: `ptr_add`, unless their base turns out to be a number.
    sums: Vec<Inst>,
    /// Types written behind operands.
    written: Vec<(Value, Type, Span)>,
}

impl Literals {
    /// Adds a literal, whose user is made next.
    pub(crate) fn open(&mut self, constant: Inst, span: Span) {
        self.open.push((constant, span));
    }

    /// All literals without a user are operands of `user`.
    pub(crate) fn close(&mut self, user: Inst) {
        let open = self.open.drain(..);
        self.list.extend(open.map(|(constant, span)| Literal { constant, user, span }));
    }

    /// Adds the sum of an address and an offset.
    pub(crate) fn add_sum(&mut self, inst: Inst) {
        self.close(inst);
        self.sums.push(inst);
    }

    /// Adds a type written behind an operand.
    pub(crate) fn add_type(&mut self, operand: Value, ty: Type, span: Span) {
        self.written.push((operand, ty, span));
    }
}

/// What literals have as their types as long as others are inferred.
pub(super) struct LiteralTypes {
    literals: Literals,
    /// By literal: the type written behind it.
    written: FxHashMap<Value, Type>,
    all: FxHashSet<Value>,
    /// Instructions whose result types were left out.
    untyped: FxHashSet<Inst>,
}

impl LiteralTypes {
    /// Takes the literals of a body, in which all names are resolved.
    pub(super) fn new(body: &mut Body<'_, '_, '_>, untyped: &[Inst]) -> Self {
        let literals = std::mem::take(&mut body.literals);
        let all: FxHashSet<Value> =
            literals.list.iter().map(|literal| body.func.dfg.result(literal.constant)).collect();
        let written = literals.written.iter().map(|(value, ty, _)| (*value, *ty));
        let written = written.filter(|(value, _)| all.contains(value)).collect();
        let untyped = if all.is_empty() { FxHashSet::default() } else { untyped.iter().copied().collect() };
        LiteralTypes { literals, written, all, untyped }
    }

    /// Gives literals and sums what follows from the types of the others; true if a type changed.
    pub(super) fn infer(&self, body: &mut Body<'_, '_, '_>) -> bool {
        let mut changed = false;
        for literal in &self.literals.list {
            let value = body.func.dfg.result(literal.constant);
            let ty = self.written.get(&value).copied().unwrap_or_else(|| self.of_user(body, literal.user));
            changed |= body.func.dfg.ty(value) != ty;
            body.func.dfg.set_ty(value, ty);
        }
        for sum in &self.literals.sums {
            let args = body.func.dfg.args(*sum).to_vec();
            let is_pointer = matches!(body.func.dfg.ty(args[0]), Type::Ptr(..));
            let op = if is_pointer { Op::PtrAdd } else { Op::Evm(Opcode::ADD) };
            body.func.dfg.replace_inst(*sum, op, &args, Payload::None);
        }
        changed
    }

    /// The type of a literal that is an operand of `user`.
    fn of_user(&self, body: &Body<'_, '_, '_>, user: Inst) -> Type {
        let dfg = &body.func.dfg;
        let others = dfg.args(user).iter().filter(|arg| !self.all.contains(arg)).map(|arg| dfg.ty(*arg));
        let result = dfg.results(user).first().filter(|_| !self.untyped.contains(&user));
        let widest = others.chain(result.map(|value| dfg.ty(*value)));
        let is_no_integer = |ty: &Type| ty.is_fixed() || ty.is_float();
        let widest = match widest.clone().find(is_no_integer) {
            Some(ty) => ty,
            None => widest.reduce(|a, b| if a.widens_to(b) { b } else { a }).unwrap_or(Type::U256),
        };
        let is_wide = matches!(widest, Type::Int(257..)) || is_no_integer(&widest);
        match (dfg.op(user).family(), dfg.op(user)) {
            (Family::Uniform | Family::Unary | Family::Float | Family::Select, _) => widest,
            // The exponent of a fixed-point number is an integer.
            (_, Op::Evm(Opcode::EXP)) if !matches!(widest, Type::Int(_)) => Type::U256,
            (_, Op::Evm(opcode)) if opcode.is_arithmetic() && is_wide => widest,
            _ => Type::U256,
        }
    }

    /// Gives literals their words and checks the types written behind other operands.
    pub(super) fn finish(self, body: &mut Body<'_, '_, '_>) {
        for literal in &self.literals.list {
            let ty = body.func.dfg.ty(body.func.dfg.result(literal.constant));
            match literal::parse_word(body.stream.text_at(literal.span), ty) {
                Some(word) => {
                    let word = body.func.dfg.make_const(word);
                    body.func.dfg.inst_mut(literal.constant).payload = Payload::Const(word);
                }
                None => unfit(body, literal.span, ty),
            }
        }
        for (value, ty, span) in self.literals.written {
            let found = body.func.dfg.ty(Body::resolve(&body.forwards, value));
            if found != ty {
                let message = format!("the operand is a `{found}`, not a `{ty}`");
                body.stream.fault::<()>(fault::TYPE_MISMATCH, span, message);
            }
        }
    }
}

fn unfit(body: &mut Body<'_, '_, '_>, span: Span, ty: Type) {
    body.stream.fault_with_help::<()>(
        fault::INVALID_NUMBER,
        span,
        format!("the number does not fit `{ty}`"),
        "write an `evm.constant` of its type",
    );
}
