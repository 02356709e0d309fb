//! A place between two instructions of a function, where passes insert.
//!
//! The cursor stands before an instruction or at the end of a block. Inserting leaves it behind
//! what was inserted, so a sequence of insertions appears in the order it was written. Every
//! insertion is O(1). New instructions take the location of the instruction the cursor was made
//! for, and its place in the input text, so debug metadata and diagnostics survive rewriting.

use crate::dfg::Payload;
use crate::function::Function;
use crate::ids::{Block, Inst, Loc, Value};
use crate::op::Op;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::{Opcode, Word};

#[derive(Clone, Copy, Debug)]
enum Place {
    Before(Inst),
    End(Block),
}

/// Inserts instructions at a place of a function.
pub struct Cursor<'a> {
    /// The function.
    pub func: &'a mut Function,
    place: Place,
    loc: Option<Loc>,
    span: Option<Span>,
}

impl<'a> Cursor<'a> {
    /// A cursor before `inst`.
    pub fn before(func: &'a mut Function, inst: Inst) -> Self {
        let (loc, span) = (func.dfg.inst(inst).loc.expand(), func.spans[inst]);
        Cursor { func, place: Place::Before(inst), loc, span }
    }

    /// A cursor after `inst`.
    pub fn after(func: &'a mut Function, inst: Inst) -> Self {
        let (loc, span) = (func.dfg.inst(inst).loc.expand(), func.spans[inst]);
        let block = func.layout.inst_block(inst).expect("invariant: the place is in a block");
        let place = func.layout.next_inst(inst).map_or(Place::End(block), Place::Before);
        Cursor { func, place, loc, span }
    }

    /// A cursor before the first instruction of `block`.
    pub fn at_start(func: &'a mut Function, block: Block) -> Self {
        let place = func.layout.first_inst(block).map_or(Place::End(block), Place::Before);
        Cursor { func, place, loc: None, span: None }
    }

    /// A cursor after the last instruction of `block`.
    pub fn at_end(func: &'a mut Function, block: Block) -> Self {
        Cursor { func, place: Place::End(block), loc: None, span: None }
    }

    /// A cursor before the terminator of `block`, or at its end when it has none.
    pub fn before_terminator(func: &'a mut Function, block: Block) -> Self {
        match func.terminator(block) {
            Some(inst) => Cursor::before(func, inst),
            None => Cursor::at_end(func, block),
        }
    }

    /// Location given to instructions from now on.
    pub fn set_loc(&mut self, loc: Option<Loc>) {
        self.loc = loc;
    }

    /// Inserts an instruction that is not in a block yet.
    pub fn insert_inst(&mut self, inst: Inst) {
        match self.place {
            Place::Before(next) => self.func.layout.insert_inst_before(inst, next),
            Place::End(block) => self.func.layout.append_inst(inst, block),
        }
    }

    /// Inserts any instruction with results of the given types.
    pub fn insert(&mut self, op: Op, args: &[Value], payload: Payload, results: &[Type]) -> Inst {
        let inst = self.func.dfg.make_inst(op, args, payload);
        for ty in results {
            self.func.dfg.append_result(inst, *ty);
        }
        self.func.dfg.inst_mut(inst).loc = self.loc.into();
        if self.span.is_some() {
            self.func.spans[inst] = self.span;
        }
        self.insert_inst(inst);
        inst
    }

    /// Inserts an operation without payload and with one result of type `ty`.
    pub fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.insert(op, args, Payload::None, &[ty]);
        self.func.dfg.result(inst)
    }

    /// Inserts an opcode with one result of type `ty`.
    pub fn evm(&mut self, opcode: Opcode, args: &[Value], ty: Type) -> Value {
        self.value(Op::Evm(opcode), args, ty)
    }

    /// Inserts a constant.
    pub fn constant(&mut self, word: Word, ty: Type) -> Value {
        let id = self.func.dfg.make_const(word);
        let inst = self.insert(Op::Constant, &[], Payload::Const(id), &[ty]);
        self.func.dfg.result(inst)
    }

    /// Inserts a jump.
    pub fn br(&mut self, target: Block, args: &[Value]) -> Inst {
        let call = self.func.dfg.block_call(target, args);
        self.insert(Op::Br, &[], Payload::Jump(call), &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Signature;

    #[test]
    fn insertions_keep_the_order_they_are_written_in() {
        let mut func = Function::new("f", Signature::default());
        let block = func.make_block();
        func.layout.append_block(block);
        let stop = Cursor::at_end(&mut func, block).insert(Op::Evm(Opcode::STOP), &[], Payload::None, &[]);
        let mut cursor = Cursor::before_terminator(&mut func, block);
        let one = cursor.constant(Word::from(1), Type::U256);
        let two = cursor.constant(Word::from(2), Type::U256);
        let first = func.dfg.def_inst(one).expect("a constant");
        let sum = Cursor::after(&mut func, first).evm(Opcode::ADD, &[one, one], Type::U256);
        let start = Cursor::at_start(&mut func, block).constant(Word::ZERO, Type::U256);
        let expected: Vec<Inst> =
            [start, one, sum, two].iter().map(|v| func.dfg.def_inst(*v).expect("a result")).collect();
        let order: Vec<Inst> = func.layout.insts(block).collect();
        assert_eq!(order[..4], expected[..]);
        assert_eq!(order[4], stop);
    }
}
