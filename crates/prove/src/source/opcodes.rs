//! Opcodes of EVM-IR: at 256 bits those of the machine, beyond it word by word.

use super::datum::{Datum, bits};
use super::place::{Done, SourcePlace};
use super::wide;
use crate::machine::{Content, Flow, Machine, State, Step, Stop};
use crate::place::Turn;
use crate::term::Term;
use cairn_evm::Opcode;
use cairn_ir::{Inst, Value};

impl<'m> SourcePlace<'m> {
    pub(super) fn opcode(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        inst: Inst,
        opcode: Opcode,
    ) -> Step<Done<'m>> {
        let dfg = &self.func().dfg;
        let mut width = 256;
        for value in dfg.args(inst).iter().chain(dfg.results(inst)) {
            width = width.max(bits(dfg.ty(*value))?);
        }
        if width > 256 {
            return self.wide_opcode(machine, state, inst, opcode, width);
        }
        let args: Step<Vec<Term>> = dfg.args(inst).iter().map(|value| self.term(*value)).collect();
        let args = args?;
        let code_size = self.image.code.len() as u64;
        let flow = match (opcode, &args[..]) {
            (Opcode::CODESIZE, _) => Flow::Value(machine.terms.number(code_size)),
            (Opcode::CODECOPY, &[to, from, length]) => {
                machine.copy(state, to, length, Content::Bytes(self.image.code.clone(), from))?;
                Flow::Nothing
            }
            _ => machine.execute(state, opcode, &args)?,
        };
        match flow {
            Flow::Nothing => Ok(Done::Next),
            Flow::End(kind, data) => Ok(Done::Turn(Turn::Ended(kind, data))),
            Flow::Value(value) => {
                let results = dfg.results(inst).to_vec();
                if let [_, length] = results[..] {
                    let size = machine.returned_size(state);
                    let size = Datum::word(machine, size, bits(dfg.ty(length))?);
                    self.set(length, size);
                }
                if let Some(result) = results.first() {
                    let datum = Datum::word(machine, value, bits(dfg.ty(*result))?);
                    self.set(*result, datum);
                }
                Ok(Done::Next)
            }
        }
    }

    /// An opcode with an operand or a result of several words: the most significant comes first in
    /// memory and in storage.
    fn wide_opcode(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        inst: Inst,
        opcode: Opcode,
        width: usize,
    ) -> Step<Done<'m>> {
        let dfg = &self.func().dfg;
        let args: Vec<Value> = dfg.args(inst).to_vec();
        let count = width.div_ceil(256);
        let is_load = [Opcode::MLOAD, Opcode::CALLDATALOAD, Opcode::SLOAD, Opcode::TLOAD].contains(&opcode);
        if is_load {
            let start = self.term(args[0])?;
            let mut limbs = Vec::new();
            for index in 0..count {
                let at = place(machine, opcode, start, index);
                match machine.execute(state, opcode, &[at])? {
                    Flow::Value(word) => limbs.insert(0, word),
                    _ => return Stop::blocked("a load without a result"),
                }
            }
            return self.give_wide(machine, inst, limbs);
        }
        if [Opcode::MSTORE, Opcode::SSTORE, Opcode::TSTORE].contains(&opcode) {
            let start = self.term(args[0])?;
            let limbs = self.datum(args[1]).limbs(machine, count);
            for (index, limb) in limbs.into_iter().rev().enumerate() {
                let at = place(machine, opcode, start, index);
                machine.execute(state, opcode, &[at, limb])?;
            }
            return Ok(Done::Next);
        }
        let operands: Vec<Vec<Term>> =
            args.iter().map(|value| self.datum(*value).limbs(machine, count)).collect();
        let limbs = wide::apply(machine, opcode, &operands, width)?;
        self.give_wide(machine, inst, limbs)
    }

    /// Sets the only result, cut to its type.
    pub(super) fn give_wide(
        &mut self,
        machine: &mut Machine,
        inst: Inst,
        limbs: Vec<Term>,
    ) -> Step<Done<'m>> {
        let result = self.func().dfg.result(inst);
        let bits = bits(self.func().dfg.ty(result))?;
        let datum = Datum::cut(machine, limbs, bits);
        self.set(result, datum);
        Ok(Done::Next)
    }
}

/// Where the word with this index lies.
fn place(machine: &mut Machine, opcode: Opcode, start: Term, index: usize) -> Term {
    let is_key = [Opcode::SLOAD, Opcode::SSTORE, Opcode::TLOAD, Opcode::TSTORE].contains(&opcode);
    let step = if is_key { 1 } else { 32 };
    machine.terms.add_number(start, step * index as u64)
}
