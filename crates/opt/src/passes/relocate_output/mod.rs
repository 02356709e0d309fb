//! `relocate-output`: builds what a frame gives back at address 0.
//!
//! Where a block stores the whole output of its `return` or `revert` itself, it does not matter
//! where in memory it does: the frame ends and nothing reads memory in between. At address 0 the
//! free memory pointer need not be loaded and memory is not grown.
//!
//! ```text
//! %p = evm.mload 64                    (dead)
//! evm.mstore %p, %x              =>    evm.mstore 0, %x
//! %q = evm.add %p, 32                  (dead)
//! evm.mstore %q, %y                    evm.mstore 32, %y
//! evm.return %p, 64                    evm.return 0, 64
//! ```
//!
//! An output that begins with the four bytes of a selector begins at address 28 instead: there the
//! selector is the end of a word and need not be shifted to the top of one.
//!
//! ```text
//! evm.mstore %p, 0x4e487b71 << 224       evm.mstore 0, 0x4e487b71
//! evm.mstore (%p + 4), 17          =>    evm.mstore 32, 17
//! evm.revert %p, 36                      evm.revert 28, 36
//! ```
//!
//! An output that is copied to memory as a whole before, like the data of a failed call, is copied to address 0.
//! The copy may cover memory where values live, so nothing but the output comes behind it.
//!
//! ```text
//! evm.returndatacopy %p, 0, %n           evm.returndatacopy 0, 0, %n
//! evm.revert %p, %n                =>    %m = evm.returndatasize
//!                                        evm.revert 0, %m
//! ```
//!
//! *Tail*: the end of the block from its first store to the output. Bails out when anything in the
//! tail reads memory or writes it elsewhere, when a byte of the output is not stored, or when it
//! does not fit the program's own memory below the frames, where values of the tail may live: only constants may
//! come behind a store past that. Needs promotion, preserves blocks. Cost: linear.

use crate::copied::{copy_of_output, insts_behind};
use crate::edit::{constant_before, copy_before};
use crate::memory::{Place, touches_memory};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, Inst, Op};
pub(super) use selector::{BEFORE_SELECTOR, SELECTOR_BYTES, Selector};

mod selector;

/// Bytes of the longest output that is looked at.
const MAX_OUTPUT: u64 = 1024;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "relocate-output",
    summary: "builds what a frame gives back at address 0",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let bytes = cx.summaries.own_memory.min(MAX_OUTPUT) as i64;
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let mut changed = false;
    for block in blocks {
        if let Some(output) = find_output(func, block, bytes) {
            relocate(func, &output);
            changed = true;
        } else if let Some(terminator) = func.terminator(block) {
            changed |= relocate_copy(func, terminator);
        }
    }
    Changed::from(changed)
}

/// A store of the tail: where it begins relative to the output, and how many bytes it writes.
struct Store {
    inst: Inst,
    from: i64,
    size: i64,
    /// Behind it, the tail needs values that may live in memory.
    is_followed_by_values: bool,
}

/// An output that can be built elsewhere.
struct Output {
    terminator: Inst,
    stores: Vec<Store>,
    len: i64,
    /// The output begins with four bytes that this store writes as the top of a word.
    selector: Option<Selector>,
}

impl Output {
    /// The address where it is built.
    fn start(&self) -> i64 {
        if self.selector.is_some() { BEFORE_SELECTOR } else { 0 }
    }
}

/// The output of a block if it can be built in the first `bytes` of memory.
fn find_output(func: &Function, block: Block, bytes: i64) -> Option<Output> {
    let terminator = func.terminator(block)?;
    if !matches!(func.dfg.op(terminator), Op::Evm(Opcode::RETURN | Opcode::REVERT)) {
        return None;
    }
    let args = func.dfg.args(terminator);
    let length = func.dfg.as_const(args[1])?;
    let len = u64::try_from(length).ok().filter(|len| (1..=MAX_OUTPUT).contains(len))? as i64;
    let start = Place::of(func, args[0]);
    let mut output = Output { terminator, stores: Vec::new(), len, selector: None };
    let mut is_stored = vec![false; len as usize];
    let mut missing = len;
    let mut is_followed_by_values = false;
    let mut next = func.layout.prev_inst(terminator);
    while let Some(inst) = next.filter(|_| missing > 0) {
        next = func.layout.prev_inst(inst);
        let size = match func.dfg.op(inst) {
            Op::Evm(Opcode::MSTORE) => 32,
            Op::Evm(Opcode::MSTORE8) => 1,
            op if touches_memory(op) => return None,
            op => {
                is_followed_by_values |= !op.effects().is_removable();
                continue;
            }
        };
        let from = distance(Place::of(func, func.dfg.args(inst)[0]), start)?;
        output.selector = Selector::of(func, inst).filter(|_| from == 0 && missing == SELECTOR_BYTES);
        for byte in from..(from + size).min(output.len) {
            missing -= i64::from(!std::mem::replace(&mut is_stored[byte as usize], true));
        }
        output.stores.push(Store { inst, from, size, is_followed_by_values });
        is_followed_by_values |= from < len && func.dfg.as_const(func.dfg.args(inst)[1]).is_none();
    }
    let fits = |store: &Store, start: i64| {
        store.from >= len || start + store.from + store.size <= bytes || !store.is_followed_by_values
    };
    let is_apart = |store: &Store| store.from == 0 || store.from >= SELECTOR_BYTES;
    if !output.stores.iter().all(|store| fits(store, BEFORE_SELECTOR) && is_apart(store)) {
        output.selector = None;
    }
    if !output.stores.iter().all(|store| fits(store, 0)) {
        return None;
    }
    let is_there = start == Place::at(Word::ZERO) && output.selector.is_none();
    (missing == 0 && !is_there).then_some(output)
}

/// How far a place lies behind another, if that is near.
fn distance(at: Place, start: Place) -> Option<i64> {
    at.behind(start, MAX_OUTPUT).map(|ahead| ahead as i64)
}

/// Lets the stores and the terminator begin where the output is built; stores behind it go.
fn relocate(func: &mut Function, output: &Output) {
    let start = output.start();
    for store in &output.stores {
        if store.from >= output.len {
            func.layout.remove_inst(store.inst);
            continue;
        }
        let at = constant_before(func, store.inst, Word::from((start + store.from) as u64));
        func.dfg.args_mut(store.inst)[0] = at;
    }
    if let Some(selector) = output.selector {
        selector.put_at_zero(func);
    }
    let at = constant_before(func, output.terminator, Word::from(start as u64));
    func.dfg.args_mut(output.terminator)[0] = at;
}

/// Lets what is copied as a whole directly before it is given back lie at address 0; true if it did not.
///
/// The copy may cover memory of values, so none lives past it: the length is made again, and nothing else happens
/// behind the copy.
fn relocate_copy(func: &mut Function, terminator: Inst) -> bool {
    let Some(copy) = copy_of_output(func, terminator) else {
        return false;
    };
    let [at, length] = *func.dfg.args(terminator) else {
        return false;
    };
    let Some(size) = func.dfg.def_inst(length).filter(|_| Place::of(func, at) != Place::at(Word::ZERO))
    else {
        return false;
    };
    if !is_last_effect(func, copy, terminator) {
        return false;
    }
    func.dfg.args_mut(copy)[0] = constant_before(func, copy, Word::ZERO);
    let operands = [constant_before(func, terminator, Word::ZERO), copy_before(func, size, terminator)];
    func.dfg.args_mut(terminator).copy_from_slice(&operands);
    true
}

/// True if what stands between two instructions of a block does nothing but compute.
fn is_last_effect(func: &Function, copy: Inst, terminator: Inst) -> bool {
    let mut between = insts_behind(func, copy).take_while(|inst| *inst != terminator);
    between.all(|inst| func.dfg.op(inst).effects().is_removable())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, run_on_body};

    const HEAD: &str = "^e:
       %k40 = evm.constant 64 : u256
       %k20 = evm.constant 32 : u256
       %h = evm.heap_base 128 : ptr<0>
       %p = evm.mload %k40 : u256
       %q = evm.add %p, %k20 : u256\n";

    fn relocated(tail: &str) -> (Changed, String) {
        let (changed, text) = run_on_body("(%x : u256)", &format!("{HEAD}{tail}"), &[run]);
        (changed, text.strip_prefix(&(lines(HEAD) + "\n")).expect("the head stays").to_owned())
    }

    #[test]
    fn two_words_are_built_at_zero() {
        let (changed, text) = relocated("evm.mstore %p, %x\n evm.mstore %q, %k20\n evm.return %p, %k40");
        let expected = "%0 = evm.constant 0 : u256
            evm.mstore %0, %x
            %1 = evm.constant 32 : u256
            evm.mstore %1, %k20
            %2 = evm.constant 0 : u256
            evm.return %2, %k40";
        assert_eq!((changed, text), (Changed::Yes, lines(expected)));
    }

    #[test]
    fn a_store_behind_the_output_goes() {
        let (changed, text) = relocated("evm.mstore %p, %x\n evm.mstore %q, %x\n evm.revert %p, %k20");
        assert_eq!((changed, text.matches("mstore").count()), (Changed::Yes, 1));
    }

    #[test]
    fn an_output_that_was_stored_in_part_elsewhere_stays() {
        assert_eq!(relocated("evm.mstore %p, %x\n evm.return %p, %k40").0, Changed::No);
        assert_eq!(relocated("evm.mstore %q, %x\n evm.return %p, %k40").0, Changed::No);
    }

    #[test]
    fn memory_read_in_between_keeps_its_place() {
        let tail = "evm.mstore %p, %x\n %y = evm.mload %k20 : u256\n evm.mstore %q, %y\n evm.return %p, %k40";
        assert_eq!(relocated(tail).0, Changed::No);
    }

    #[test]
    fn a_store_through_another_pointer_may_be_part_of_the_output() {
        let tail = "evm.mstore %p, %x\n evm.mstore %x, %x\n evm.return %p, %k20";
        assert_eq!(relocated(tail).0, Changed::No);
    }

    #[test]
    fn memory_where_frames_may_lie_is_left_alone() {
        let relocated = |first: &str, second: &str, behind: &str| {
            let mut module = crate::testing::parse(&format!(
                "module @m {{ func @f(%x : u256) {{
                 ^e:
                   %b = evm.heap_base 31 : ptr<0>
                   %z = evm.constant 64 : u256
                   %k = evm.constant 96 : u256
                   evm.mstore {first}
                   evm.mstore {second}
                   {behind}
                   evm.return %z, %z }} }}"
            ));
            crate::testing::run_on_module(&mut module, &[run])
        };
        assert_eq!(relocated("%z, %x", "%k, %x", ""), Changed::No);
        assert_eq!(relocated("%k, %x", "%z, %x", ""), Changed::No);
        // What comes behind them may be kept where they write.
        assert_eq!(relocated("%z, %x", "%k, %z", ""), Changed::Yes);
        assert_eq!(relocated("%k, %z", "%z, %z", ""), Changed::Yes);
        assert_eq!(relocated("%z, %x", "%k, %z", "%y = evm.add %x, %x : u256"), Changed::Yes);
        assert_eq!(relocated("%z, %x", "%k, %z", "evm.sstore %z, %x"), Changed::No);
    }

    const SELECTOR_HEAD: &str =
        "%s = evm.constant 0x4e487b7100000000000000000000000000000000000000000000000000000000 : u256
        %k4 = evm.constant 4 : u256
        %k24 = evm.constant 36 : u256
        %r = evm.add %p, %k4 : u256\n";

    #[test]
    fn a_selector_ends_a_word() {
        let tail = "evm.mstore %p, %s\n evm.mstore %r, %x\n evm.revert %p, %k24";
        let (changed, text) = relocated(&format!("{SELECTOR_HEAD}{tail}"));
        let tail = text.strip_prefix(&(lines(SELECTOR_HEAD) + "\n")).expect("the head stays");
        let expected = "%0 = evm.constant 28 : u256
            %1 = evm.constant 0 : u256
            %2 = evm.constant 0x4e487b71 : u256
            evm.mstore %1, %2
            %3 = evm.constant 32 : u256
            evm.mstore %3, %x
            %4 = evm.constant 28 : u256
            evm.revert %4, %k24";
        assert_eq!((changed, tail), (Changed::Yes, lines(expected).as_str()));
    }

    #[test]
    fn a_selector_whose_word_is_all_given_back_stays_at_the_top() {
        let tail = "evm.mstore %p, %s\n evm.revert %p, %k20";
        let (_, text) = relocated(&format!("{SELECTOR_HEAD}{tail}"));
        assert!(text.contains(" %s"), "{text}");
        // Stored last, its zeros cover the argument.
        let tail = "evm.mstore %r, %x\n evm.mstore %p, %s\n evm.revert %p, %k24";
        let (_, text) = relocated(&format!("{SELECTOR_HEAD}{tail}"));
        assert!(text.contains(" %s"), "{text}");
    }

    #[test]
    fn what_is_at_zero_already_stays() {
        let tail = "%z = evm.constant 0 : u256\n evm.mstore %z, %x\n evm.return %z, %k20";
        assert_eq!(relocated(tail).0, Changed::No);
    }
}
