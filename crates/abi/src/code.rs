//! Writes one function of words: what the builders of this crate have in common.
//!
//! Faults of the input are collected as words that must be zero ([`Code::reject`]) and tested
//! together, as late as possible: one branch for a run of values that are read one after the
//! other. [`Code::flush`] tests them; everything that changes the block does so first.

use crate::func::AbiFn;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, FuncBuilder, Function, Op, Payload, Signature, Type, Value};

pub(crate) struct Code {
    func: Function,
    block: Block,
    fail: Option<Block>,
    pending: Option<Value>,
}

impl Code {
    /// A function with so many words as parameters and results; its parameters.
    pub(crate) fn new(name: &str, params: usize, results: usize) -> (Code, Vec<Value>) {
        let signature = Signature { params: vec![Type::U256; params], results: vec![Type::U256; results] };
        let mut func = Function::new(name, signature);
        let block = func.make_block();
        func.layout.append_block(block);
        let values = (0..params).map(|_| func.dfg.append_param(block, Type::U256)).collect();
        (Code { func, block, fail: None, pending: None }, values)
    }

    /// The finished function.
    pub(crate) fn finish(mut self) -> Function {
        if let Some(fail) = self.fail {
            self.func.layout.append_block(fail);
            self.block = fail;
            let zero = self.word(0);
            self.effect(Opcode::REVERT, &[zero, zero]);
        }
        self.func
    }

    pub(crate) fn builder(&mut self) -> FuncBuilder<'_> {
        FuncBuilder::at(&mut self.func, self.block)
    }

    pub(crate) fn word(&mut self, number: u64) -> Value {
        self.constant(Word::from(number))
    }

    pub(crate) fn constant(&mut self, word: Word) -> Value {
        self.builder().constant(word)
    }

    /// An opcode with a result.
    pub(crate) fn op(&mut self, opcode: Opcode, args: &[Value]) -> Value {
        self.builder().evm_value(opcode, args)
    }

    /// An opcode without a result.
    pub(crate) fn effect(&mut self, opcode: Opcode, args: &[Value]) {
        self.builder().evm(opcode, args);
    }

    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.op(Opcode::ADD, &[a, b])
    }

    pub(crate) fn add_number(&mut self, a: Value, number: u64) -> Value {
        if number == 0 {
            return a;
        }
        let number = self.word(number);
        self.add(a, number)
    }

    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.op(Opcode::SUB, &[a, b])
    }

    pub(crate) fn mul_number(&mut self, a: Value, number: u64) -> Value {
        match number.is_power_of_two() {
            true if number == 1 => a,
            true => {
                let bits = self.word(u64::from(number.trailing_zeros()));
                self.op(Opcode::SHL, &[bits, a])
            }
            false => {
                let number = self.word(number);
                self.op(Opcode::MUL, &[a, number])
            }
        }
    }

    /// Rounded up to a multiple of 32.
    pub(crate) fn ceil32(&mut self, a: Value) -> Value {
        let sum = self.add_number(a, 31);
        let mask = self.constant(!Word::from(31));
        self.op(Opcode::AND, &[sum, mask])
    }

    /// Calls a function.
    pub(crate) fn call(&mut self, callee: &AbiFn, args: &[Value]) -> Vec<Value> {
        callee.call(&mut self.builder(), args).to_vec()
    }

    /// Calls a function with one result.
    pub(crate) fn call_word(&mut self, callee: &AbiFn, args: &[Value]) -> Value {
        self.call(callee, args)[0]
    }

    /// Makes the function revert without data when `bad` is not zero, at the latest at the next
    /// [`Code::flush`].
    pub(crate) fn reject(&mut self, bad: Value) {
        self.pending = Some(match self.pending {
            None => bad,
            Some(other) => self.op(Opcode::OR, &[other, bad]),
        });
    }

    /// Tests what was rejected so far.
    pub(crate) fn flush(&mut self) {
        let Some(bad) = self.pending.take() else { return };
        let fail = self.fail.unwrap_or_else(|| self.func.make_block());
        self.fail = Some(fail);
        let next = self.new_block();
        self.builder().cond_br(bad, fail, next);
        self.block = next;
    }

    /// A new block behind all others; the current block stays.
    pub(crate) fn new_block(&mut self) -> Block {
        self.builder().append_block()
    }

    /// Makes a block the current one.
    pub(crate) fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// Reverts unless `number` is below 2^64.
    pub(crate) fn reject_huge(&mut self, number: Value) {
        let bits = self.word(64);
        let bad = self.op(Opcode::SHR, &[bits, number]);
        self.reject(bad);
    }

    /// Carries words around a loop while the first of them is below `end`; `body` gives the words
    /// of the next round. The words after the loop.
    pub(crate) fn while_below(
        &mut self,
        start: &[Value],
        end: Value,
        body: impl FnOnce(&mut Code, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        self.flush();
        let head = self.new_block();
        self.builder().br(head, start);
        let words: Vec<Value> = start.iter().map(|_| self.func.dfg.append_param(head, Type::U256)).collect();
        self.block = head;
        let goes_on = self.op(Opcode::LT, &[words[0], end]);
        let (inside, exit) = (self.new_block(), self.new_block());
        self.builder().cond_br(goes_on, inside, exit);
        self.block = inside;
        let next = body(self, &words);
        self.flush();
        self.builder().br(head, &next);
        self.block = exit;
        words
    }

    /// Ends the function with its results.
    pub(crate) fn iret(mut self, results: &[Value]) -> Function {
        self.flush();
        self.builder().iret(results);
        self.finish()
    }

    /// Frame memory of a fixed size.
    pub(crate) fn frame(&mut self, bytes: u64) -> Value {
        let pointer = self.builder().alloca(bytes);
        self.builder().ptr_to_int(pointer)
    }

    /// First byte of memory that nothing has claimed, whether or not there is a free pointer. Only
    /// for code that ends the call: whatever was allocated is overwritten.
    pub(crate) fn scratch(&mut self, reserved: u64) -> Value {
        let pointer = self.builder().heap_base(reserved);
        self.builder().ptr_to_int(pointer)
    }

    /// Ends the block, which cannot be left by what stands before.
    pub(crate) fn unreachable(&mut self) {
        self.builder().push(Op::Unreachable, &[], Payload::None, &[]);
    }
}
