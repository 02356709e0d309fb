//! Random operations.

use super::{Generator, RESERVED, Scope, WIDE};
use cairn_evm::{Fork, Opcode, Word};
use cairn_ir::builder::FuncBuilder;
use cairn_ir::{Family, MemoryModel, Op, Payload, Type, Value};
use std::sync::LazyLock;

/// Opcodes of arithmetic with so many operands; powers are left out, which take too long.
fn arithmetic(n_operands: u8) -> Vec<Opcode> {
    let is_taken =
        |op: &Opcode| op.is_arithmetic() && op.known().inputs == n_operands && op.exists_in(Fork::default());
    Opcode::all().filter(|op| is_taken(op) && *op != Opcode::EXP).collect()
}

static UNARY: LazyLock<Vec<Opcode>> = LazyLock::new(|| arithmetic(1));
static BINARY: LazyLock<Vec<Opcode>> = LazyLock::new(|| arithmetic(2));
static UNIFORM: LazyLock<Vec<Op>> =
    LazyLock::new(|| Op::TABLE.iter().copied().filter(|op| op.family() == Family::Uniform).collect());
const ENVIRONMENT: [Opcode; 6] = [
    Opcode::CALLVALUE,
    Opcode::CALLER,
    Opcode::CALLDATASIZE,
    Opcode::TIMESTAMP,
    Opcode::SELFBALANCE,
    Opcode::CHAINID,
];

impl Generator<'_> {
    /// A value that widens to `ty`: one in scope, a cast of one, or a constant.
    pub(super) fn value(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, ty: Type) -> Value {
        for _ in 0..4 {
            if scope.values.is_empty() || self.choices.below(5) == 0 {
                break;
            }
            let value = *self.choices.pick(&scope.values);
            let found = builder.func.dfg.ty(value);
            if found.widens_to(ty) {
                return value;
            }
            if let (Some(from), Some(to)) = (found.bits(), ty.bits()) {
                let op = if from >= to { Op::Trunc } else { Op::Sext };
                return self.keep(builder, scope, op, &[value], ty);
            }
        }
        let bits = match ty {
            Type::Composite(composite) => return self.composite(builder, scope, composite),
            Type::Fixed(bits, _) | Type::Ufixed(bits, _) => bits,
            Type::Float(format) => format.bits(),
            ty => ty.bits().unwrap_or(256),
        };
        let word = self.choices.number(bits);
        let id = builder.func.dfg.make_const(word);
        let inst = builder.push(Op::Constant, &[], Payload::Const(id), &[ty]);
        let value = builder.func.dfg.result(inst);
        scope.values.push(value);
        value
    }

    pub(super) fn keep(
        &mut self,
        builder: &mut FuncBuilder<'_>,
        scope: &mut Scope,
        op: Op,
        args: &[Value],
        ty: Type,
    ) -> Value {
        let inst = builder.push(op, args, Payload::None, &[ty]);
        let value = builder.func.dfg.result(inst);
        scope.values.push(value);
        value
    }

    /// One operation, perhaps with the constants it needs.
    pub(super) fn operation(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        match self.choices.below(17) {
            0..=3 if self.profile.odd && self.choices.below(2) == 0 => self.odd_operation(builder, scope),
            0..=3 => self.binary(builder, scope),
            4 => self.unary(builder, scope),
            5 | 6 => self.generic(builder, scope),
            7 => self.cast(builder, scope),
            8 | 9 => self.memory(builder, scope),
            10 => self.storage(builder, scope),
            11 => self.call(builder, scope),
            12 => self.pointer(builder, scope),
            13..=15 => self.world(builder, scope),
            _ => self.environment(builder, scope),
        }
    }

    /// Operands of any types, and a result of a type that the operation can give.
    fn binary(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let opcode = *self.choices.pick(&BINARY);
        let ty = self.int_ty();
        let a = self.value(builder, scope, ty);
        let other = if self.choices.below(4) == 0 { self.int_ty() } else { ty };
        let b = self.value(builder, scope, other);
        let natural = cairn_ir::builder::opcode_result_type(opcode);
        let result = if natural == Type::Bool { natural } else { ty };
        self.keep(builder, scope, Op::Evm(opcode), &[a, b], result);
    }

    fn unary(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let opcode = *self.choices.pick(&UNARY);
        let ty = self.int_ty();
        let a = self.value(builder, scope, ty);
        let result = if opcode == Opcode::ISZERO { Type::Bool } else { ty };
        self.keep(builder, scope, Op::Evm(opcode), &[a], result);
    }

    fn generic(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let ty = self.int_ty();
        let bits = ty.bits().unwrap_or(256);
        match self.choices.below(6) {
            0 => {
                let condition = self.value(builder, scope, Type::U256);
                let [a, b] = [0, 1].map(|_| self.value(builder, scope, ty));
                self.keep(builder, scope, Op::Select, &[condition, a, b], ty);
            }
            1 => {
                let op = *self.choices.pick(&[Op::Rotl, Op::Rotr]);
                let amount = self.value(builder, scope, Type::U256);
                let a = self.exactly(builder, scope, ty);
                self.keep(builder, scope, op, &[amount, a], ty);
            }
            2 => {
                let op = *self.choices.pick(&[Op::Ctpop, Op::Ctlz, Op::Cttz]);
                let a = self.exactly(builder, scope, ty);
                let result = if bits < 16 { Type::U256 } else { ty };
                self.keep(builder, scope, op, &[a], result);
            }
            3 => {
                let a = self.exactly(builder, scope, ty);
                let op =
                    if bits.is_multiple_of(8) && self.choices.below(2) == 0 { Op::Bswap } else { Op::Abs };
                self.keep(builder, scope, op, &[a], ty);
            }
            _ => self.uniform(builder, scope, ty),
        }
    }

    fn uniform(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, ty: Type) {
        let op = *self.choices.pick(&UNIFORM);
        let n_args = op.inputs().unwrap_or(2);
        let args: Vec<Value> = (0..n_args).map(|_| self.value(builder, scope, ty)).collect();
        let types = [ty, Type::Bool];
        let inst = builder.push(op, &args, Payload::None, &types[..op.outputs().unwrap_or(1)]);
        scope.values.extend(builder.func.dfg.results(inst));
    }

    /// A value of exactly this type.
    fn exactly(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, ty: Type) -> Value {
        let value = self.value(builder, scope, ty);
        match builder.func.dfg.ty(value) == ty {
            true => value,
            false => self.keep(builder, scope, Op::Zext, &[value], ty),
        }
    }

    fn cast(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let (from, to) = (self.int_ty(), self.int_ty());
        let value = self.exactly(builder, scope, from);
        let op = match from.bits() >= to.bits() {
            true => Op::Trunc,
            false => *self.choices.pick(&[Op::Zext, Op::Sext]),
        };
        self.keep(builder, scope, op, &[value], to);
    }

    /// A small address, one in the frame, or one in the heap.
    pub(super) fn address(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) -> Value {
        let base = match self.choices.below(8) {
            0 if self.memory == MemoryModel::Frames => builder.heap_base(RESERVED),
            1 | 2 => scope.arena,
            _ => {
                let place = self.choices.below(200);
                return self.amount(builder, scope, place);
            }
        };
        let offset = builder.constant(Word::from(self.choices.below(96)));
        let inst = builder.push(Op::PtrAdd, &[base, offset], Payload::None, &[Type::MEMORY]);
        builder.func.dfg.result(inst)
    }

    /// A number that says where or how much, perhaps of more than a word.
    fn amount(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, number: u64) -> Value {
        let word = builder.constant(Word::from(number));
        match self.profile.wide && self.choices.below(4) == 0 {
            true => {
                let ty = *self.choices.pick(&WIDE);
                self.keep(builder, scope, Op::Zext, &[word], ty)
            }
            false => word,
        }
    }

    fn memory(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let address = self.address(builder, scope);
        let ty = self.ty();
        match self.choices.below(6) {
            0 | 1 => {
                let value = self.value(builder, scope, ty);
                builder.evm(Opcode::MSTORE, &[address, value]);
            }
            2 | 3 => {
                self.keep(builder, scope, Op::Evm(Opcode::MLOAD), &[address], ty);
            }
            4 => {
                self.keep(builder, scope, Op::Mload8, &[address], Type::Int(8));
            }
            _ if self.recursive[scope.func] && !Opcode::MCOPY.exists_in(self.profile.fork) => {
                // A function that copies words would know the address of the frame.
            }
            _ => {
                let [from, length] = [0, 1].map(|_| self.choices.below(150));
                let [from, length] = [from, length].map(|number| self.amount(builder, scope, number));
                builder.evm(Opcode::MCOPY, &[address, from, length]);
            }
        }
    }

    fn storage(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let key = builder.constant(Word::from(self.choices.below(4)));
        let ty = self.ty();
        let stored = self.value(builder, scope, ty);
        let value = self.value(builder, scope, Type::U256);
        match self.choices.below(4) {
            0 => {
                builder.evm(Opcode::SSTORE, &[key, stored]);
            }
            1 if Opcode::TSTORE.exists_in(self.profile.fork) => {
                builder.evm(Opcode::TSTORE, &[key, value]);
            }
            2 => {
                self.keep(builder, scope, Op::Evm(Opcode::SLOAD), &[key], ty);
            }
            _ => {
                let [start, length] = [0, 64].map(|number| builder.constant(Word::from(number)));
                builder.evm(Opcode::LOG1, &[start, length, value]);
            }
        }
    }

    fn call(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let Some((callee, signature)) = self.callee(scope.func) else { return };
        let mut args: Vec<Value> =
            signature.params.iter().map(|ty| self.value(builder, scope, *ty)).collect();
        if self.recursive[callee.as_u32() as usize] {
            args[0] = self.recursion_depth(builder, scope);
        }
        scope.values.extend(builder.icall(callee, &signature, &args));
    }

    /// Arithmetic on pointers that the legalizer has to take apart.
    fn pointer(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let base = builder.constant(Word::from(self.choices.below(100)));
        let pointer = builder.int_to_ptr(base, cairn_ir::AddressSpace::Memory);
        let offset = builder.constant(Word::from(self.choices.below(50)));
        let opcode = *self.choices.pick(&[Opcode::ADD, Opcode::SUB, Opcode::OR]);
        let inst = builder.push(Op::Evm(opcode), &[pointer, offset], Payload::None, &[Type::MEMORY]);
        let moved = builder.func.dfg.result(inst);
        self.keep(builder, scope, Op::Evm(Opcode::LT), &[moved, pointer], Type::Bool);
        self.keep(builder, scope, Op::PtrToInt, &[moved], Type::U256);
    }

    fn environment(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        if self.profile.wide && self.choices.below(4) == 0 {
            let (from, ty) = (self.int_ty(), self.ty());
            let place = self.value(builder, scope, from);
            self.keep(builder, scope, Op::Evm(Opcode::CALLDATALOAD), &[place], ty);
            return;
        }
        let opcode = *self.choices.pick(&ENVIRONMENT);
        // Before Istanbul the balance is asked for; nothing stands in for other opcodes.
        let exists = opcode.exists_in(self.profile.fork) || opcode == Opcode::SELFBALANCE;
        let opcode = if exists { opcode } else { Opcode::CALLVALUE };
        let natural = cairn_ir::builder::opcode_result_type(opcode);
        self.keep(builder, scope, Op::Evm(opcode), &[], natural);
    }

    /// Ends the run.
    pub(super) fn halt(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope, choice: u64) {
        match choice {
            0 | 1 => {
                let ty = self.int_ty();
                let value = self.value(builder, scope, ty);
                builder.push(Op::ReturnValue, &[value], Payload::None, &[]);
            }
            2 | 3 => {
                let values: Vec<Value> = (0..4).map(|_| self.value(builder, scope, Type::U256)).collect();
                for (index, value) in values.into_iter().enumerate() {
                    let address = builder.constant(Word::from(32 * index));
                    builder.evm(Opcode::MSTORE, &[address, value]);
                }
                let [start, length] = [0, 160].map(|number| builder.constant(Word::from(number)));
                builder.evm(Opcode::RETURN, &[start, length]);
            }
            4 => {
                let [start, length] = [0, 64].map(|number| builder.constant(Word::from(number)));
                builder.evm(Opcode::REVERT, &[start, length]);
            }
            _ => {
                builder.evm(Opcode::STOP, &[]);
            }
        }
    }
}
