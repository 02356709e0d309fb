//! `copy-loops`: one `calldatacopy` or `mcopy` for a loop that copies words to memory.
//!
//! ```text
//!   evm.br ^head(%dst0, %src0)                   %t = evm.lt %src0, %end
//! ^head(%dst, %src):                             evm.condbr %t, ^body, ^skip
//!   %t = evm.lt %src, %end                     ^body:
//!   evm.condbr %t, ^body, ^exit                  evm.calldatacopy %dst0, %src0, %size
//! ^body:                                 =>      %dst1 = evm.add %dst0, %size
//!   %word = evm.calldataload %src                evm.br ^head(%dst1, %end)
//!   evm.mstore %dst, %word                     ^skip:
//!   %dst1 = evm.add %dst, 32                     evm.br ^head(%dst0, %src0)
//!   %src1 = evm.add %src, 32                   ^head(%dst, %src):
//!   evm.br ^head(%dst1, %src1)                   evm.br ^exit
//! ```
//!
//! A loop ends where its pointer meets `%end`, or behind a number of rounds that it counts from 0.
//!
//! *With an end*: `%end` is `%src0 + %size` (mod 2^256), and `%size` is a multiple of 32 by its form: shifted
//! left, a product, a constant. A parameter of the head that counts the rounds becomes
//! `%size / 32` more; others that grow by 32 become `%size` more, unchanged ones stay. Why this is the same:
//! the body is entered only if `%src0 < %end`, so the sum did not wrap and
//! `%end - %src0` is `%size > 0`, as numbers. The loop's pointer is `%src0 + 32·j` in round `j`; it
//! meets `%end` exactly, behind `%size / 32` rounds, and does not wrap before.
//!
//! *With a count*, of memory only: `%size` is `shl(5, %n) | shr(224, %n)`, without any test. From 2^224 rounds on, which nobody
//! can pay for, it is more memory than anybody can pay for (A16), though the product wraps.
//!
//! So the loop reads the bytes from `%src0` to `%end`, of call data zero where there are none, as `calldatacopy`
//! does, and writes them from `%dst0` on. If that reaches beyond 2^64, both fail for want of gas (A13);
//! if not, no address wraps, both touch the same memory, and nothing else is written. A program
//! that looks at `gas` in the loop has another instruction there and keeps its loop.
//!
//! A loop that copies memory may read what it wrote itself, if it writes a little above where it reads, which
//! `mcopy` would not. So it must write to a buffer that it does not read ([`buffers`]).
//!
//! The loop must consist of the two blocks, and the body of these instructions and others without
//! effect whose results stay in it. Needs and preserves promotion. Cost: linear, and the uses of a buffer for
//! each loop that copies memory.

mod buffers;
mod places;

use crate::memory::{Place, WORD};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use buffers::Buffers;
use cairn_analysis::Cfg;
use cairn_analysis::liveness::defining_block;
use cairn_evm::{Opcode, Word};
use cairn_ir::builder::FuncBuilder;
use cairn_ir::{Block, BlockCall, Func, Function, Inst, Module, Op, Payload, Type, Value};
use std::cell::LazyCell;

/// A count from which on the size is more than anybody can pay for, whatever its product wraps to.
const COUNT_BITS: u64 = 224;
/// Bits of a size that a multiple of [`WORD`] does not have.
const WORD_BITS: usize = 5;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "copy-loops",
    summary: "copies call data and memory at once instead of word by word",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let copies_memory = cx.summaries.heap.free_from.is_some() && Opcode::MCOPY.exists_in(cx.options.fork);
    let is_copied = |load: Opcode| load == Opcode::CALLDATALOAD || copies_memory;
    let funcs = module.funcs.iter();
    let mut copies: Vec<(Func, CopyLoop)> = funcs
        .flat_map(|(id, func)| copies_of(func, is_copied).into_iter().map(move |copy| (id, copy)))
        .collect();
    let buffers = LazyCell::new(|| Buffers::new(module));
    copies.retain(|(id, copy)| {
        let is_apart = || buffers.are_apart(*id, copy.first[copy.dest], copy.first[copy.source]);
        copy.load == Opcode::CALLDATALOAD || is_apart()
    });
    drop(buffers);
    // Loops share no block, and each becomes code without one: what is known of the others holds.
    copies.iter().for_each(|(id, copy)| copy.replace(&mut module.funcs[*id]));
    Changed::from(!copies.is_empty())
}

/// The loops of a function that copy words which are loaded so.
fn copies_of(func: &Function, is_copied: impl Fn(Opcode) -> bool) -> Vec<CopyLoop> {
    let is_body = |block: &Block| load_of_body(func, *block).is_some_and(&is_copied);
    let bodies: Vec<Block> = func.layout.blocks().filter(is_body).collect();
    if bodies.is_empty() {
        return Vec::new();
    }
    let cfg = Cfg::compute(func);
    bodies.into_iter().filter_map(|body| CopyLoop::find(func, &cfg, body)).collect()
}

/// What a block loads with that does nothing but load one word and store one.
fn load_of_body(func: &Function, block: Block) -> Option<Opcode> {
    let (mut load, mut n_stores) = (None, 0);
    for inst in func.layout.insts(block) {
        match func.dfg.op(inst) {
            Op::Evm(opcode @ (Opcode::CALLDATALOAD | Opcode::MLOAD)) if load.is_none() => load = Some(opcode),
            Op::Evm(Opcode::MSTORE) => n_stores += 1,
            Op::Br | Op::DbgTrace | Op::DbgLabel => {}
            op if op.effects().is_pure() && !op.is_terminator() => {}
            _ => return None,
        }
    }
    load.filter(|_| n_stores == 1)
}

/// When a loop ends.
#[derive(Clone, Copy, Debug)]
enum Until {
    /// The pointer meets this address, so many bytes further.
    End { end: Value, size: Value },
    /// This many words are copied.
    Count(Value),
}

/// What becomes of a parameter of the head while the loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Nothing.
    Stays,
    /// It is where the loop reads: at the end of the copied bytes.
    Source,
    /// Grows by the bytes copied.
    Bytes,
    /// Grows by the words copied.
    Words,
}

/// A loop that copies, and what it copies.
struct CopyLoop {
    head: Block,
    body: Block,
    exit: BlockCall,
    /// The terminator with the edge into the loop.
    entry: Inst,
    store: Inst,
    /// What it loads with.
    load: Opcode,
    /// Arguments at the entry.
    first: Vec<Value>,
    steps: Vec<Step>,
    /// Indices of the parameters.
    source: usize,
    dest: usize,
    until: Until,
}

impl CopyLoop {
    fn find(func: &Function, cfg: &Cfg, body: Block) -> Option<CopyLoop> {
        let Payload::Jump(again) = func.dfg.inst(func.terminator(body)?).payload else {
            return None;
        };
        let head = again.block;
        let before = match *cfg.preds(head) {
            [a, b] if a == body => b,
            [a, b] if b == body => a,
            _ => return None,
        };
        let entry = func.terminator(before)?;
        let first = entry_args(func, entry, head)?;
        let (tested, end, exit) = test_of(func, head, body)?;
        let is_entry = func.layout.entry() == head;
        let is_apart = !is_entry && before != body && exit.block != head && cfg.preds(body) == [head];
        let (store, load, dest, source) = copied_places(func, body)?;
        if !is_apart || !is_quiet(func, head) {
            return None;
        }
        let params = func.dfg.params(head);
        let position = |value: Value| params.iter().position(|param| *param == value);
        let (source, dest) = (position(source)?, position(dest)?);
        let is_inside =
            |value| defining_block(func, value).is_none_or(|block| block == head || block == body);
        let next = func.dfg.call_args(&again);
        let steps: Option<Vec<Step>> =
            params.iter().zip(next).map(|(param, next)| step(func, *param, *next)).collect();
        let mut steps = steps?;
        if steps[source] != Step::Bytes || steps[dest] != Step::Bytes {
            return None;
        }
        let tested = position(tested).filter(|_| !is_inside(end) && func.dfg.ty(end) == Type::U256)?;
        let until = if tested == source {
            steps[source] = Step::Source;
            Until::End { end, size: size_of(func, first[source], end)? }
        } else {
            // Where call data is read may wrap round the end of the address space.
            let is_count = steps[tested] == Step::Words
                && load == Opcode::MLOAD
                && func.dfg.as_const(first[tested]).is_some_and(|word| word.is_zero());
            is_count.then_some(Until::Count(end))?
        };
        Some(CopyLoop { head, body, exit, entry, store, load, first, steps, source, dest, until })
    }

    /// Copies in the body, which leads to the head, and leaves the head to go on.
    fn replace(&self, func: &mut Function) {
        let loc = func.dfg.inst(self.store).loc.expand();
        while let Some(inst) = func.layout.first_inst(self.body) {
            func.layout.remove_inst(inst);
        }
        let start = match self.until {
            Until::End { end, .. } => self.test_first(func, end),
            Until::Count(_) => self.body,
        };
        func.dfg.map_targets(self.entry, |block, args| match block == self.head {
            true => (start, Vec::new()),
            false => (block, args.to_vec()),
        });
        let mut at = FuncBuilder::at(func, self.body);
        at.set_loc(loc);
        let size = self.size(&mut at);
        let copy = if self.load == Opcode::MLOAD { Opcode::MCOPY } else { Opcode::CALLDATACOPY };
        at.evm(copy, &[self.first[self.dest], self.first[self.source], size]);
        let last: Vec<Value> = self
            .steps
            .iter()
            .zip(&self.first)
            .map(|(step, first)| self.after(&mut at, *step, *first, size))
            .collect();
        at.br(self.head, &last);
        let test = func.terminator(self.head).expect("invariant: the head ends with its test");
        func.dfg.replace_inst(test, Op::Br, &[], Payload::Jump(self.exit));
    }

    /// A block that tests whether there is anything to copy, and goes round the body if not.
    fn test_first(&self, func: &mut Function, end: Value) -> Block {
        let before = func.layout.inst_block(self.entry).expect("invariant: the entry is in a block");
        let (first_test, skip) = (func.make_block(), func.make_block());
        func.layout.insert_block_after(skip, before);
        func.layout.insert_block_after(first_test, before);
        let mut at = FuncBuilder::at(func, first_test);
        at.set_loc(at.func.dfg.inst(self.store).loc.expand());
        let is_more = at.evm_value(Opcode::LT, &[self.first[self.source], end]);
        at.cond_br(is_more, self.body, skip);
        at.switch_to(skip);
        at.br(self.head, &self.first);
        first_test
    }

    /// The bytes to copy.
    fn size(&self, at: &mut FuncBuilder<'_>) -> Value {
        match self.until {
            Until::End { size, .. } => size,
            Until::Count(words) => {
                let bits = at.constant(Word::from(WORD_BITS as u64));
                let size = at.evm_value(Opcode::SHL, &[bits, words]);
                let bits = at.constant(Word::from(COUNT_BITS));
                let too_many = at.evm_value(Opcode::SHR, &[bits, words]);
                at.evm_value(Opcode::OR, &[size, too_many])
            }
        }
    }

    /// What a parameter is behind the last round, from what it was before the first.
    fn after(&self, at: &mut FuncBuilder<'_>, step: Step, first: Value, size: Value) -> Value {
        match (step, self.until) {
            (Step::Stays, _) => first,
            (Step::Source, Until::End { end, .. }) => end,
            (Step::Bytes | Step::Source, _) => at.evm_value(Opcode::ADD, &[first, size]),
            (Step::Words, Until::Count(words)) => at.evm_value(Opcode::ADD, &[first, words]),
            (Step::Words, Until::End { .. }) => {
                let bits = at.constant(Word::from(WORD_BITS as u64));
                let words = at.evm_value(Opcode::SHR, &[bits, size]);
                at.evm_value(Opcode::ADD, &[first, words])
            }
        }
    }
}

/// What an edge into the head passes.
fn entry_args(func: &Function, entry: Inst, head: Block) -> Option<Vec<Value>> {
    let mut args = None;
    func.dfg.for_each_target(entry, |call| {
        if call.block == head {
            args = Some(func.dfg.call_args(call).to_vec());
        }
    });
    args
}

/// `condbr (lt p, end), ^body, ^exit` at the end of the head: `p`, `end` and the exit.
fn test_of(func: &Function, head: Block, body: Block) -> Option<(Value, Value, BlockCall)> {
    let last = func.terminator(head)?;
    let Payload::Branch([more, exit]) = func.dfg.inst(last).payload else {
        return None;
    };
    let test = func.dfg.def_inst(func.dfg.args(last)[0])?;
    let (tested, end) = match (func.dfg.op(test), func.dfg.args(test)) {
        (Op::Evm(Opcode::LT), &[a, b]) | (Op::Evm(Opcode::GT), &[b, a]) => (a, b),
        _ => return None,
    };
    (more.block == body && exit.block != body).then_some((tested, end, exit))
}

/// The store of the body, what it loads with, where it stores and where it loads from, if it stores what it loads and
/// nobody else gets that.
fn copied_places(func: &Function, body: Block) -> Option<(Inst, Opcode, Value, Value)> {
    let find = |opcode| func.layout.insts(body).find(|inst| func.dfg.op(*inst) == Op::Evm(opcode));
    let opcode = load_of_body(func, body)?;
    let (load, store) = (find(opcode)?, find(Opcode::MSTORE)?);
    let [dest, word] = *func.dfg.args(store) else {
        return None;
    };
    (word == func.dfg.result(load)).then(|| (store, opcode, dest, func.dfg.args(load)[0]))
}

/// True when a block but for its end has no effect.
fn is_quiet(func: &Function, block: Block) -> bool {
    let last = func.terminator(block);
    let is_quiet = |op: Op| op.effects().is_pure() || matches!(op, Op::DbgTrace | Op::DbgLabel);
    func.layout.insts(block).filter(|inst| Some(*inst) != last).all(|inst| is_quiet(func.dfg.op(inst)))
}

/// What a round makes of a parameter.
fn step(func: &Function, param: Value, next: Value) -> Option<Step> {
    if next == param {
        return Some(Step::Stays);
    }
    let place = Place::of(func, next);
    let is_sum = place.base.expand() == Some(param) && func.dfg.ty(param) == Type::U256;
    match u64::try_from(place.offset).ok().filter(|_| is_sum)? {
        WORD => Some(Step::Bytes),
        1 => Some(Step::Words),
        _ => None,
    }
}

/// The multiple of 32 that `end` is more than `start`, modulo 2^256.
fn size_of(func: &Function, start: Value, end: Value) -> Option<Value> {
    let rest_of_sum = |sum: Value, part: Value| {
        let inst = func.dfg.def_inst(sum).filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::ADD))?;
        match *func.dfg.args(inst) {
            [a, b] if a == part => Some(b),
            [a, b] if b == part => Some(a),
            _ => None,
        }
    };
    let without_constant = || {
        let (start, end) = (Place::of(func, start), Place::of(func, end));
        let base = end.base.expand().filter(|_| start.offset == end.offset)?;
        start.base.expand().map_or(Some(base), |start| rest_of_sum(base, start))
    };
    let is_word = func.dfg.ty(end) == Type::U256;
    rest_of_sum(end, start).or_else(without_constant).filter(|size| is_word && is_whole_words(func, *size))
}

/// True for a value whose form shows that it is a multiple of 32.
fn is_whole_words(func: &Function, value: Value) -> bool {
    let Some(inst) = func.dfg.def_inst(value) else {
        return false;
    };
    let args = func.dfg.args(inst);
    let is_multiple =
        |value: Value| func.dfg.as_const(value).is_some_and(|word| word.trailing_zeros() >= WORD_BITS);
    match func.dfg.op(inst) {
        Op::Evm(Opcode::SHL) => {
            func.dfg.as_const(args[0]).is_some_and(|by| by >= Word::from(WORD_BITS as u64))
        }
        Op::Evm(Opcode::MUL | Opcode::AND) => args.iter().any(|arg| is_multiple(*arg)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_module_pass};

    const PARAMS: &str = "(%dst0 : u256, %src0 : u256, %n : u256)";

    fn run_on(text: &str) -> (Changed, String) {
        let mut module = parse(&format!("module @m {{ func @f{PARAMS} {{\n{text}\n}} }}"));
        (run_module_pass(&mut module, run), body(&module, Func::from_u32(0)))
    }

    /// A loop with this in its head, body and jump back; it leaves with `dst`, `src` and `i`.
    fn text(size: &str, test: &str, body: &str, next: &str) -> String {
        format!(
            "^e:
               %k1 = evm.constant 1 : u256
               %k5 = evm.constant 5 : u256
               %k31 = evm.constant 31 : u256
               %k32 = evm.constant 32 : u256
               %size = {size} : u256
               %end = evm.add %src0, %size : u256
               evm.condbr %n, ^head(%dst0, %src0, %k1), ^other
             ^head(%dst : u256, %src : u256, %i : u256):
               %t = {test} : bool
               evm.condbr %t, ^body, ^exit
             ^body:
               %word = evm.calldataload %src : u256
               {body}
               %dst1 = evm.add %dst, %k32 : u256
               %src1 = evm.add %src, %k32 : u256
               %i1 = evm.add %i, %k1 : u256
               evm.br ^head({next})
             ^exit:
               evm.sstore %dst, %src
               evm.sstore %i, %i
               evm.stop
             ^other:
               evm.stop"
        )
    }

    const SIZE: &str = "evm.shl %k5, %n";
    const TEST: &str = "evm.lt %src, %end";
    const BODY: &str = "evm.mstore %dst, %word";
    const NEXT: &str = "%dst1, %src1, %i1";

    fn changed(size: &str, test: &str, body: &str, next: &str) -> bool {
        run_on(&text(size, test, body, next)).0 == Changed::Yes
    }

    #[test]
    fn a_loop_becomes_a_copy() {
        let (changed, after) = run_on(&text(SIZE, TEST, BODY, NEXT));
        let expected = "evm.condbr %n, ^0, ^other
             ^0:
               %0 = evm.lt %src0, %end : bool
               evm.condbr %0, ^body, ^1
             ^1:
               evm.br ^head(%dst0, %src0, %k1)
             ^head(%dst : u256, %src : u256, %i : u256):
               %t = evm.lt %src, %end : bool
               evm.br ^exit
             ^body:
               evm.calldatacopy %dst0, %src0, %size
               %1 = evm.add %dst0, %size : u256
               %2 = evm.constant 5 : u256
               %3 = evm.shr %2, %size : u256
               %4 = evm.add %k1, %3 : u256
               evm.br ^head(%1, %end, %4)
             ^exit:";
        assert_eq!(changed, Changed::Yes);
        assert!(after.contains(&lines(expected)), "{after}");
    }

    #[test]
    fn forms_of_the_loop() {
        assert!(changed(SIZE, "evm.gt %end, %src", BODY, NEXT));
        assert!(changed("evm.mul %n, %k32", TEST, BODY, NEXT));
        assert!(changed(SIZE, TEST, BODY, "%dst1, %src1, %i"), "what stays stays");
        let aligned = "%pure = evm.add %word, %src : u256\n evm.mstore %dst, %word";
        assert!(changed(SIZE, TEST, aligned, NEXT), "what nobody uses is nothing");
    }

    #[test]
    fn a_size_that_is_no_multiple_of_a_word_is_left() {
        assert!(!changed("evm.mul %n, %k31", TEST, BODY, NEXT));
        assert!(!changed("evm.shl %k1, %n", TEST, BODY, NEXT));
        assert!(!changed("evm.and %n, %k31", TEST, BODY, NEXT));
    }

    #[test]
    fn other_tests_are_left() {
        assert!(!changed(SIZE, "evm.gt %src, %end", BODY, NEXT));
        assert!(!changed(SIZE, "evm.slt %src, %end", BODY, NEXT));
        assert!(!changed(SIZE, "evm.lt %dst, %end", BODY, NEXT), "where it reads may wrap");
        assert!(!changed(SIZE, "evm.lt %i, %end", BODY, NEXT));
        assert!(!changed(SIZE, "evm.lt %src, %n", BODY, NEXT), "the end is not known to be words away");
    }

    #[test]
    fn other_bodies_are_left() {
        for body in [
            "evm.mstore8 %dst, %word",
            "evm.mstore %dst, %src",
            "evm.mstore %dst1, %word",
            "evm.mstore %dst, %word\n evm.mstore %src, %word",
            "evm.mstore %dst, %word\n evm.sstore %i, %word",
            "evm.mstore %dst, %word\n %g = evm.gas : u256",
            "%m = evm.mload %dst : u256\n evm.mstore %dst, %word",
        ] {
            let body = body.replace("%dst1", "%src0");
            assert!(!changed(SIZE, TEST, &body, NEXT), "{body}");
        }
    }

    #[test]
    fn other_steps_are_left() {
        for next in [
            "%src1, %dst1, %i1",
            "%dst, %src1, %i1",
            "%dst1, %src, %i1",
            "%dst1, %src1, %word",
            "%dst1, %i1, %i1",
            "%i1, %src1, %i1",
            "%dst1, %src1, %src",
        ] {
            assert!(!changed(SIZE, TEST, BODY, next), "{next}");
        }
    }

    #[test]
    fn an_end_that_moves_is_left() {
        let text = text(SIZE, TEST, BODY, NEXT)
            .replace("%t = ", "%s2 = evm.shl %k5, %i : u256\n %end2 = evm.add %src0, %s2 : u256\n %t = ");
        let text = text.replace("evm.lt %src, %end :", "evm.lt %src, %end2 :");
        assert_eq!(run_on(&text).0, Changed::No);
    }

    #[test]
    fn a_head_with_effects_is_left() {
        let text = text(SIZE, TEST, BODY, NEXT).replace("%t = ", "evm.sstore %i, %i\n %t = ");
        assert_eq!(run_on(&text).0, Changed::No);
    }
}
