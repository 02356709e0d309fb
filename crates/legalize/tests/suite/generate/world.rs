//! Random operations on what lies outside of a function: calldata, returned data, data of the
//! module, other accounts, hashes; and calls of itself.

use super::{Generator, Scope};
use cairn_evm::{Opcode, Word};
use cairn_ir::builder::FuncBuilder;
use cairn_ir::{Func, Op, Payload, Type, Value};

/// Calls that pass no wei give the same whatever the opcode.
const CALLS: [Opcode; 3] = [Opcode::CALL, Opcode::STATICCALL, Opcode::DELEGATECALL];

/// An account that gives back what it gets: it reverts if the first byte is odd.
pub(crate) const ECHO: u64 = 0xec40;

/// Its code, which every fork since Byzantium runs.
pub(crate) const ECHO_CODE: &str = "36600060003760016000356000 1a16 601657 366000f3 5b366000fd";

/// Gas for a call of another account.
const CALL_GAS: u64 = 100_000;

/// Activations of a function that calls itself, below the first.
const MAX_RECURSION: u64 = 3;

impl Generator<'_> {
    /// One operation.
    pub(super) fn world(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        match self.choices.below(9) {
            0 | 1 => {
                let start = builder.constant(Word::from(self.choices.below(120)));
                let ty = self.ty();
                self.keep(builder, scope, Op::Evm(Opcode::CALLDATALOAD), &[start], ty);
            }
            2 => {
                let to = self.address(builder, scope);
                let [start, size] = [120, 80].map(|limit| Word::from(self.choices.below(limit)));
                let [start, size] = [start, size].map(|number| builder.constant(number));
                builder.evm(Opcode::CALLDATACOPY, &[to, start, size]);
            }
            3 => {
                let start = self.address(builder, scope);
                let size = builder.constant(Word::from(self.choices.below(100)));
                self.keep(builder, scope, Op::Evm(Opcode::KECCAK256), &[start, size], Type::U256);
            }
            4 => {
                let address = self.address(builder, scope);
                let value = self.value(builder, scope, Type::U256);
                builder.evm(Opcode::MSTORE8, &[address, value]);
            }
            5 => self.foreign_call(builder, scope),
            6 => self.returned(builder, scope),
            7 => self.data(builder, scope),
            _ => self.recurse(builder, scope),
        }
    }

    /// A call of the echo, or of an account without code; half of them ask for the length.
    fn foreign_call(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let opcode = *self.choices.pick(&CALLS);
        let account = *self.choices.pick(&[ECHO, ECHO, ECHO, 0xdead]);
        let [gas, account] = [CALL_GAS, account].map(|number| builder.constant(Word::from(number)));
        let mut args = vec![gas, account];
        if opcode == Opcode::CALL {
            args.push(builder.constant(Word::ZERO));
        }
        for _ in 0..2 {
            args.push(self.address(builder, scope));
            args.push(builder.constant(Word::from(self.choices.below(70))));
        }
        let types = [Type::Bool, Type::U256];
        let n_results = 1 + self.choices.below(2) as usize;
        let inst = builder.push(Op::Evm(opcode), &args, Payload::None, &types[..n_results]);
        scope.values.extend(builder.func.dfg.results(inst));
    }

    /// Copies the start of what the latest call returned.
    fn returned(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let size = self.keep(builder, scope, Op::Evm(Opcode::RETURNDATASIZE), &[], Type::U256);
        let to = self.address(builder, scope);
        let most = builder.constant(Word::from(self.choices.below(60)));
        let count = builder.value(Op::Min, &[size, most], Type::U256);
        let start = builder.constant(Word::ZERO);
        builder.evm(Opcode::RETURNDATACOPY, &[to, start, count]);
    }

    /// Copies a part of the module's data.
    fn data(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        let size = builder.named(Op::DataSize, &[], self.data).expect("the operation has a result");
        scope.values.push(size);
        let start = builder.named(Op::DataOffset, &[], self.data).expect("the operation has a result");
        let first = self.choices.below(self.data_size);
        let count = builder.constant(Word::from(self.choices.below(self.data_size - first + 1)));
        let first = builder.constant(Word::from(first));
        let start = builder.evm_value(Opcode::ADD, &[start, first]);
        let to = self.address(builder, scope);
        builder.push(Op::DataCopy, &[to, start, count], Payload::None, &[]);
    }

    /// Calls the function itself if its first parameter is not zero, with one less.
    fn recurse(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) {
        if !self.recursive[scope.func] || scope.is_behind_end {
            return;
        }
        let signature = self.signatures[scope.func].clone();
        let depth = builder.func.params()[0];
        let [again, done, join] = [0; 3].map(|_| builder.append_block());
        builder.cond_br(depth, again, done);

        builder.switch_to(again);
        let one = builder.constant(Word::from(1));
        let mut args = vec![builder.value(Op::Evm(Opcode::SUB), &[depth, one], Type::Int(8))];
        let mut inner = scope.clone();
        let rest = &signature.params[1..];
        args.extend(rest.iter().map(|ty| self.value(builder, &mut inner, *ty)));
        let results = builder.icall(Func::from_u32(scope.func as u32), &signature, &args);
        builder.br(join, &results);

        builder.switch_to(done);
        let mut inner = scope.clone();
        let results: Vec<Value> =
            signature.results.iter().map(|ty| self.value(builder, &mut inner, *ty)).collect();
        builder.br(join, &results);

        builder.switch_to(join);
        let joined = signature.results.iter().map(|ty| builder.block_param(join, *ty));
        scope.values.extend(joined);
    }

    /// The first argument of a function that calls itself.
    pub(super) fn recursion_depth(&mut self, builder: &mut FuncBuilder<'_>, scope: &mut Scope) -> Value {
        let value = self.value(builder, scope, Type::Int(8));
        let most = builder.constant(Word::from(MAX_RECURSION));
        builder.value(Op::Evm(Opcode::AND), &[value, most], Type::Int(8))
    }
}
