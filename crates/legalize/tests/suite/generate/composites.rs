//! Random operations on composites, fixed-point and floating-point numbers.

use super::{Generator, Scope};
use cairn_evm::Opcode;
use cairn_ir::builder::FuncBuilder;
use cairn_ir::builder::opcode_result_type;
use cairn_ir::types::float::FloatFormat;
use cairn_ir::{Composite, Op, Payload, Shape, Type, Value};

const FIXED: [Type; 4] =
    [Type::Fixed(128, 18), Type::Ufixed(64, 2), Type::Fixed(256, 10), Type::Ufixed(13, 1)];
const FLOATS: [Type; 3] =
    [Type::Float(FloatFormat::F16), Type::Float(FloatFormat::F32), Type::Float(FloatFormat::F64)];
const LANES: [Type; 8] = [
    Type::U256,
    Type::Int(8),
    Type::Bool,
    Type::Int(64),
    Type::Int(13),
    Type::Int(300),
    Type::Fixed(128, 18),
    Type::Float(FloatFormat::F32),
];
const FIXED_OPCODES: [Opcode; 11] = [
    Opcode::ADD,
    Opcode::SUB,
    Opcode::MUL,
    Opcode::DIV,
    Opcode::MOD,
    Opcode::SDIV,
    Opcode::SMOD,
    Opcode::LT,
    Opcode::SGT,
    Opcode::EQ,
    Opcode::XOR,
];
const FLOAT_OPCODES: [Opcode; 10] = [
    Opcode::ADD,
    Opcode::SUB,
    Opcode::MUL,
    Opcode::DIV,
    Opcode::MOD,
    Opcode::SDIV,
    Opcode::SMOD,
    Opcode::LT,
    Opcode::SGT,
    Opcode::EQ,
];
const LANE_OPCODES: [Opcode; 12] = [
    Opcode::ADD,
    Opcode::SUB,
    Opcode::MUL,
    Opcode::SDIV,
    Opcode::LT,
    Opcode::SGT,
    Opcode::AND,
    Opcode::SHL,
    Opcode::SAR,
    Opcode::BYTE,
    Opcode::SIGNEXTEND,
    Opcode::EXP,
];
const GENERIC: [Op; 8] =
    [Op::Min, Op::Smax, Op::UaddSat, Op::Mulhi, Op::Addo, Op::Mulo, Op::Subo, Op::UsubSat];

/// Words of the largest composite, so that accesses stay where they may.
const MAX_WORDS: usize = 5;

fn vector(count: u32, lane: Type) -> Option<Type> {
    Composite::new(Shape::Vector(count, lane)).map(Type::Composite)
}

/// Opcodes that have a meaning on numbers of a type.
fn opcodes(number: Type) -> &'static [Opcode] {
    match number {
        Type::Float(_) => &FLOAT_OPCODES,
        Type::Fixed(..) | Type::Ufixed(..) => &FIXED_OPCODES,
        _ => &LANE_OPCODES,
    }
}

impl Generator<'_> {
    /// A fixed-point, floating-point or composite type.
    pub(super) fn odd_ty(&mut self) -> Type {
        let list: &[Type] = if self.choices.below(2) == 0 { &FIXED } else { &FLOATS };
        let number = *self.choices.pick(list);
        let shape = match self.choices.below(5) {
            0 => return number,
            1 | 2 => return self.vector_ty(),
            3 => {
                let mut parts = vec![self.int_ty(), number];
                if self.choices.below(2) == 0 {
                    parts.push(self.vector_ty());
                }
                Shape::Struct(parts)
            }
            _ => {
                let part = self.int_ty();
                Shape::Array(1 + self.choices.below(3) as u32, part)
            }
        };
        let composite = Composite::new(shape).filter(|composite| composite.words() <= MAX_WORDS);
        composite.map_or(number, Type::Composite)
    }

    fn vector_ty(&mut self) -> Type {
        let lane = *self.choices.pick(&LANES);
        let count = 1 + self.choices.below((MAX_WORDS / lane.words()) as u64) as u32;
        vector(count, lane).expect("small vectors are types")
    }

    /// A value of a composite type.
    pub(super) fn composite(
        &mut self,
        builder: &mut FuncBuilder<'_>,
        scope: &mut Scope,
        composite: Composite,
    ) -> Value {
        let ty = Type::Composite(composite);
        if let (Some((_, lane)), 0) = (composite.lanes(), self.choices.below(2)) {
            let value = self.value(builder, scope, lane);
            return self.keep(builder, scope, Op::Splat, &[value], ty);
        }
        let parts: Vec<Value> =
            composite.parts().into_iter().map(|part| self.value(builder, scope, part)).collect();
        self.keep(builder, scope, Op::Compose, &parts, ty)
    }

    /// An operation on something that is no integer.
    pub(super) fn odd_operation(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let ty = self.odd_ty();
        let Type::Composite(composite) = ty else {
            if self.choices.below(2) == 0 {
                return match ty.is_float() {
                    true => self.float_operation(builder, scope, ty),
                    false => self.fixed_operation(builder, scope, ty),
                };
            }
            let opcode = *self.choices.pick(opcodes(ty));
            let args = [0, 1].map(|_| self.value(builder, scope, ty));
            let natural = opcode_result_type(opcode);
            let result = if natural == Type::Bool { natural } else { ty };
            self.keep(builder, scope, Op::Evm(opcode), &args, result);
            return;
        };
        match (self.choices.below(3), composite.lanes()) {
            (0 | 1, Some((count, lane))) => self.lanes(builder, scope, count, lane),
            (0, None) => {
                let condition = self.value(builder, scope, Type::U256);
                let [a, b] = [0, 1].map(|_| self.value(builder, scope, ty));
                self.keep(builder, scope, Op::Select, &[condition, a, b], ty);
            }
            _ => self.part(builder, scope, composite),
        }
    }

    /// A power, a conversion, or one of two fixed-point numbers.
    fn fixed_operation(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, ty: Type) {
        let a = self.value(builder, scope, ty);
        let cast = *self.choices.pick(&[Op::Convert, Op::Sconvert]);
        match self.choices.below(4) {
            0 => {
                let exponent = self.number_below(builder, scope, 9);
                self.keep(builder, scope, Op::Evm(Opcode::EXP), &[a, exponent], ty);
            }
            1 => {
                let op = *self.choices.pick(&[Op::Min, Op::Max, Op::Smin, Op::Smax]);
                let b = self.value(builder, scope, ty);
                self.keep(builder, scope, op, &[a, b], ty);
            }
            2 => {
                let to = *self.choices.pick(&FIXED);
                let result = if self.choices.below(2) == 0 { to } else { self.int_ty() };
                self.keep(builder, scope, cast, &[a], result);
            }
            _ => {
                let from = self.int_ty();
                let number = self.value(builder, scope, from);
                self.keep(builder, scope, cast, &[number], ty);
            }
        }
    }

    /// A conversion, or what is not an opcode, of one or two floating-point numbers.
    fn float_operation(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, ty: Type) {
        let a = self.value(builder, scope, ty);
        let cast = *self.choices.pick(&[Op::Convert, Op::Sconvert]);
        let integer = self.int_ty();
        let is_converted = integer.bits().is_some_and(|bits| bits <= 256);
        match self.choices.below(5) {
            0 => {
                let op = *self.choices.pick(&[Op::Min, Op::Max, Op::Smin, Op::Smax]);
                let b = self.value(builder, scope, ty);
                self.keep(builder, scope, op, &[a, b], ty);
            }
            1 => {
                let op = *self.choices.pick(&[Op::Sqrt, Op::Abs]);
                self.keep(builder, scope, op, &[a], ty);
            }
            2 if is_converted => {
                self.keep(builder, scope, cast, &[a], integer);
            }
            3 if is_converted => {
                let number = self.value(builder, scope, integer);
                self.keep(builder, scope, cast, &[number], ty);
            }
            _ => {
                let to = *self.choices.pick(&FLOATS);
                self.keep(builder, scope, cast, &[a], to);
            }
        }
    }

    /// A number below a limit, known at run time.
    fn number_below(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, limit: u64) -> Value {
        let ty = self.int_ty();
        let any = self.value(builder, scope, ty);
        let limit = builder.constant(cairn_evm::Word::from(limit));
        self.keep(builder, scope, Op::Evm(Opcode::MOD), &[any, limit], ty)
    }

    /// An index, known or not; one that is not known may name no part.
    fn index(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, length: u64) -> Value {
        match self.choices.below(2) {
            0 => builder.constant(cairn_evm::Word::from(self.choices.below(length))),
            _ => self.number_below(builder, scope, length + 1),
        }
    }

    /// Lanes of two vectors.
    fn shuffle(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, count: u32, lane: Type) {
        let ty = vector(count, lane).expect("as large as another vector");
        let mut args = [0, 1].map(|_| self.value(builder, scope, ty)).to_vec();
        let n_lanes = 1 + self.choices.below((MAX_WORDS / lane.words()) as u64) as u32;
        for _ in 0..n_lanes {
            args.push(self.index(builder, scope, 2 * u64::from(count)));
        }
        let result = vector(n_lanes, lane).expect("small vectors are types");
        self.keep(builder, scope, Op::Shuffle, &args, result);
    }

    /// Arithmetic lane by lane.
    fn lanes(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, count: u32, lane: Type) {
        let of = |lane| vector(count, lane).expect("as large as another vector");
        let ty = of(lane);
        let [a, b] = [0, 1].map(|_| self.value(builder, scope, ty));
        let is_integer = lane.bits().is_some();
        match self.choices.below(5) {
            4 => self.shuffle(builder, scope, count, lane),
            0 if is_integer => {
                let op = *self.choices.pick(&GENERIC);
                let types = [ty, of(Type::Bool)];
                let inst = builder.push(op, &[a, b], Payload::None, &types[..op.outputs().unwrap_or(1)]);
                scope.values.extend(builder.func.dfg.results(inst));
            }
            1 => {
                let conditions = self.value(builder, scope, of(Type::Bool));
                self.keep(builder, scope, Op::Select, &[conditions, a, b], ty);
            }
            2 if is_integer => {
                let other = self.int_ty();
                if let Some(to) = vector(count, other).filter(|ty| ty.words() <= MAX_WORDS) {
                    let op = match other.bits() >= lane.bits() {
                        true => *self.choices.pick(&[Op::Zext, Op::Sext]),
                        false => Op::Trunc,
                    };
                    self.keep(builder, scope, op, &[a], to);
                }
            }
            _ => {
                let opcode = *self.choices.pick(opcodes(lane));
                let natural = opcode_result_type(opcode);
                let result = if natural == Type::Bool { of(natural) } else { ty };
                self.keep(builder, scope, Op::Evm(opcode), &[a, b], result);
            }
        }
    }

    /// Reads or exchanges a part.
    fn part(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, composite: Composite) {
        let ty = Type::Composite(composite);
        let whole = self.value(builder, scope, ty);
        if let (Some(part), 0) = (composite.element(), self.choices.below(2)) {
            let index = self.index(builder, scope, composite.len() as u64);
            self.keep(builder, scope, Op::ExtractAt, &[whole, index], part);
            return;
        }
        let index = self.choices.below(composite.len() as u64);
        let part = composite.part(index as usize).expect("an index below the length");
        let (op, args, result) = match self.choices.below(2) {
            0 => (Op::Extract, vec![whole], part),
            _ => (Op::Insert, vec![whole, self.value(builder, scope, part)], ty),
        };
        let inst = builder.push(op, &args, Payload::Number(index), &[result]);
        scope.values.push(builder.func.dfg.result(inst));
    }
}
