//! Appends instructions to a function, inferring the types of results.
//!
//! ```
//! use cairn_evm::{Opcode, Word};
//! use cairn_ir::{Form, Module, Op, Signature, Type, verify};
//!
//! // The greatest number below 2^128 whose square is not above the number sent with the call.
//! let mut module = Module::new("Root");
//! let entry = module.declare("__entry", Signature::default());
//! module.entry = Some(entry);
//! module.define(entry, |b, _| {
//!     let square = b.evm_value(Opcode::CALLVALUE, &[]);
//!     let zero = b.constant(Word::ZERO);
//!     let bit = b.constant(Word::from(1) << 127);
//!     let (head, body, done) = (b.append_block(), b.append_block(), b.append_block());
//!     b.br(head, &[bit, zero]);
//!     let [bit, root] = [Type::U256; 2].map(|ty| b.block_param(head, ty));
//!     b.switch_to(head);
//!     b.cond_br(bit, body, done);
//!     b.switch_to(body);
//!     let candidate = b.evm_value(Opcode::OR, &[root, bit]);
//!     let product = b.evm_value(Opcode::MUL, &[candidate, candidate]);
//!     let is_above = b.evm_value(Opcode::GT, &[product, square]);
//!     let next = b.value(Op::Select, &[is_above, root, candidate], Type::U256);
//!     let one = b.constant(Word::from(1));
//!     let half = b.evm_value(Opcode::SHR, &[one, bit]);
//!     b.br(head, &[half, next]);
//!     b.switch_to(done);
//!     b.return_word(root);
//! });
//! assert!(verify(&module, Form::Free).is_empty());
//!
//! use cairn_ir::interp::{Env, Outcome, interpret};
//! let mut env = Env::default();
//! env.words.insert(Opcode::CALLVALUE, Word::from(1_000_001));
//! let outcome = interpret(&module, &mut env).expect("the module is valid").outcome;
//! assert_eq!(outcome, Outcome::Return(Word::from(1_000).to_be_bytes_vec()));
//! ```

use crate::dfg::{Payload, SwitchData};
use crate::function::{Function, Signature};
use crate::ids::{Block, Func, Inst, Loc, Value};
use crate::op::Op;
use crate::symbol::Symbol;
use crate::types::{AddressSpace, Type};
use cairn_evm::{Opcode, Word};
use smallvec::SmallVec;

/// The result type of an opcode: `bool` for tests, `u160` for addresses, else `u256`.
pub fn opcode_result_type(opcode: Opcode) -> Type {
    match opcode {
        Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::EQ | Opcode::ISZERO => Type::Bool,
        Opcode::CALL | Opcode::CALLCODE | Opcode::DELEGATECALL | Opcode::STATICCALL => Type::Bool,
        Opcode::ADDRESS | Opcode::ORIGIN | Opcode::CALLER | Opcode::COINBASE => Type::U160,
        Opcode::CREATE | Opcode::CREATE2 => Type::U160,
        _ => Type::U256,
    }
}

/// Appends to the current block of a function.
pub struct FuncBuilder<'a> {
    /// The function.
    pub func: &'a mut Function,
    block: Block,
    loc: Option<Loc>,
}

impl<'a> FuncBuilder<'a> {
    /// A builder that appends to `block`.
    pub fn at(func: &'a mut Function, block: Block) -> Self {
        FuncBuilder { func, block, loc: None }
    }

    /// The current block.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Makes `block` the current one.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// Location given to instructions from now on.
    pub fn set_loc(&mut self, loc: Option<Loc>) {
        self.loc = loc;
    }

    /// A new block at the end of the layout; the current block stays.
    pub fn append_block(&mut self) -> Block {
        let block = self.func.make_block();
        self.func.layout.append_block(block);
        block
    }

    /// True when the current block ends in a terminator.
    pub fn is_terminated(&self) -> bool {
        self.func.terminator(self.block).is_some()
    }

    /// Appends any instruction with results of the given types.
    pub fn push(&mut self, op: Op, args: &[Value], payload: Payload, results: &[Type]) -> Inst {
        let inst = self.func.dfg.make_inst(op, args, payload);
        results.iter().for_each(|ty| {
            self.func.dfg.append_result(inst, *ty);
        });
        self.func.dfg.inst_mut(inst).loc = self.loc.into();
        self.func.layout.append_inst(inst, self.block);
        inst
    }

    /// Appends an operation without payload and with one result of type `ty`.
    pub fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.push_value(op, args, Payload::None, ty)
    }

    /// Appends an operation without payload; its results, of the given types.
    pub fn values(&mut self, op: Op, args: &[Value], types: &[Type]) -> SmallVec<[Value; 4]> {
        let inst = self.push(op, args, Payload::None, types);
        SmallVec::from_slice(self.func.dfg.results(inst))
    }

    /// A new parameter of a block, behind those it has.
    pub fn block_param(&mut self, block: Block, ty: Type) -> Value {
        self.func.dfg.append_param(block, ty)
    }

    fn push_value(&mut self, op: Op, args: &[Value], payload: Payload, ty: Type) -> Value {
        let inst = self.push(op, args, payload, &[ty]);
        self.func.dfg.result(inst)
    }

    /// Appends an opcode; its result, if it has one.
    pub fn evm(&mut self, opcode: Opcode, args: &[Value]) -> Option<Value> {
        let info = opcode.known();
        assert_eq!(args.len(), info.inputs as usize, "operands of {}", info.name);
        let ty = [opcode_result_type(opcode)];
        let inst = self.push(Op::Evm(opcode), args, Payload::None, &ty[..info.outputs as usize]);
        self.func.dfg.results(inst).first().copied()
    }

    /// Appends an opcode that has a result.
    pub fn evm_value(&mut self, opcode: Opcode, args: &[Value]) -> Value {
        self.evm(opcode, args).expect("invariant: the opcode has a result")
    }

    /// Appends a `u256` constant.
    pub fn constant(&mut self, word: Word) -> Value {
        let id = self.func.dfg.make_const(word);
        self.push_value(Op::Constant, &[], Payload::Const(id), Type::U256)
    }

    /// Appends an `alloca` of `bytes` bytes.
    pub fn alloca(&mut self, bytes: u64) -> Value {
        self.push_value(Op::Alloca, &[], Payload::Number(bytes), Type::MEMORY)
    }

    /// Appends a `heap_base` whose reserved memory ends at `reserved`.
    pub fn heap_base(&mut self, reserved: u64) -> Value {
        self.push_value(Op::HeapBase, &[], Payload::Number(reserved), Type::MEMORY)
    }

    /// Appends `ptrtoint`.
    pub fn ptr_to_int(&mut self, pointer: Value) -> Value {
        self.push_value(Op::PtrToInt, &[pointer], Payload::None, Type::U256)
    }

    /// Appends `inttoptr` into `space`.
    pub fn int_to_ptr(&mut self, int: Value, space: AddressSpace) -> Value {
        self.push_value(Op::IntToPtr, &[int], Payload::None, Type::Ptr(space, 0))
    }

    /// Appends an operation whose payload is a name: `dataoffset`, `datasize`, `loadimmutable`,
    /// `linkersymbol` with a result, `setimmutable`, `dbg.label` without.
    pub fn named(&mut self, op: Op, args: &[Value], name: Symbol) -> Option<Value> {
        let has_result = op.outputs() == Some(1);
        let inst = self.push(op, args, Payload::Symbol(name), &[Type::U256][..usize::from(has_result)]);
        self.func.dfg.results(inst).first().copied()
    }

    /// Appends a call of an internal function; its results.
    pub fn icall(&mut self, func: Func, signature: &Signature, args: &[Value]) -> SmallVec<[Value; 4]> {
        let inst = self.push(Op::Icall, args, Payload::Func(func), &signature.results);
        SmallVec::from_slice(self.func.dfg.results(inst))
    }

    /// Ends the block with a jump.
    pub fn br(&mut self, target: Block, args: &[Value]) -> Inst {
        let call = self.func.dfg.block_call(target, args);
        self.push(Op::Br, &[], Payload::Jump(call), &[])
    }

    /// Ends the block with a two-way branch without edge arguments.
    pub fn cond_br(&mut self, condition: Value, then: Block, otherwise: Block) -> Inst {
        let calls = [then, otherwise].map(|block| self.func.dfg.block_call(block, &[]));
        self.push(Op::CondBr, &[condition], Payload::Branch(calls), &[])
    }

    /// Ends the block with a switch without edge arguments.
    pub fn switch(&mut self, value: Value, cases: &[(Word, Block)], default: Block) -> Inst {
        let cases =
            cases.iter().map(|(word, block)| (*word, self.func.dfg.block_call(*block, &[]))).collect();
        let default = self.func.dfg.block_call(default, &[]);
        let id = self.func.dfg.make_switch(SwitchData { default, cases });
        self.push(Op::Switch, &[value], Payload::Switch(id), &[])
    }

    /// Ends the block by returning from the internal function.
    pub fn iret(&mut self, results: &[Value]) -> Inst {
        self.push(Op::Iret, results, Payload::None, &[])
    }

    /// Ends the frame successfully with one ABI word.
    pub fn return_word(&mut self, value: Value) -> Inst {
        self.push(Op::ReturnValue, &[value], Payload::None, &[])
    }

    /// Ends the block with `unreachable`.
    pub fn unreachable(&mut self) -> Inst {
        self.push(Op::Unreachable, &[], Payload::None, &[])
    }
}
