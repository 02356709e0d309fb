//! Whether a module keeps the pointer to free memory in the word at 64, as Solidity does.
//!
//! Solidity keeps there where free memory begins: at first the end of reserved memory, later sums
//! of what was there and what was allocated. A program that visibly keeps to that never has
//! anything else there when it looks: a pointer to memory that somebody could pay for, not below
//! what is reserved. Stores at computed addresses are taken to keep to allocated memory, as the
//! assumption on modules with frames says; see docs/assumptions.md.
//!
//! Stores show their addresses once what callers pass is known and sums are folded: the pass looks
//! when the program is simple, not before.
//!
//! A word that is not a pointer may stand there for a while: until the pointer is put back, or the
//! frame ends.

use crate::memory::{Heap, Place, Region};
use cairn_analysis::callgraph;
use cairn_evm::effects::memory_write;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, MemoryModel, Module, Op, Payload, Value, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// The address of the pointer.
pub(crate) const ADDRESS: u64 = 0x40;

/// Bits of the pointer: nobody can pay for more memory by far.
pub(crate) const BITS: usize = 63;

/// Numbers up to this may be where memory is allocated from.
const GREATEST_BEGINNING: u64 = 1 << 20;

/// Sums and masks that are looked through.
const DEPTH: u32 = 6;

/// What a module shows of allocated memory.
pub(crate) fn run(module: &Module) -> Heap {
    Heap { free_from: free_from(module) }
}

/// Where memory that is allocated begins, if the pointer to free memory is kept at [`ADDRESS`]
/// throughout. A program without a frame has not said that its stores keep to allocated memory:
/// bytecode that was lifted, or assembly that may write anywhere.
fn free_from(module: &Module) -> Option<u64> {
    match module.memory {
        MemoryModel::Frames => {}
        MemoryModel::NoFrame => return None,
    }
    let passed = passed_words(module);
    let mut least = None;
    for (id, func) in &module.funcs {
        let mut keeper = Keeper { passed: &passed, id, func, least };
        if !keeper.keeps() {
            return None;
        }
        least = keeper.least;
    }
    least.map(|least: u64| least.max(module.reserved))
}

/// True for a load of the word at [`ADDRESS`].
pub(crate) fn is_loaded(func: &Function, inst: Inst) -> bool {
    func.dfg.op(inst) == Op::Evm(Opcode::MLOAD)
        && func.dfg.as_const(func.dfg.args(inst)[0]) == Some(Word::from(ADDRESS))
}

/// What an instruction does to the pointer.
enum Act {
    /// Nothing that can be seen.
    None,
    /// Puts the least address of allocated memory there.
    Set(u64),
    /// Puts another pointer there.
    Move,
    /// Puts something else there, maybe.
    Spoil,
    /// Looks at it, maybe.
    Load,
}

/// Constants that calls pass, by callee and parameter.
type PassedWords = BTreeMap<(Func, usize), BTreeSet<Word>>;

fn passed_words(module: &Module) -> PassedWords {
    let mut passed = PassedWords::new();
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let Some(callee) = callgraph::callee(func, inst) else {
                continue;
            };
            for (index, arg) in func.dfg.args(inst).iter().enumerate() {
                if let Some(word) = func.dfg.as_const(*arg) {
                    passed.entry((callee, index)).or_default().insert(word);
                }
            }
        }
    }
    passed
}

/// Looks through one function.
struct Keeper<'a> {
    passed: &'a PassedWords,
    id: Func,
    func: &'a Function,
    /// The least pointer that was put there as it is, in this function or one before.
    least: Option<u64>,
}

impl Keeper<'_> {
    /// True when no other word stands there where the function looks, calls or returns.
    fn keeps(&mut self) -> bool {
        let func = self.func;
        let mut starts_spoilt = vec![false; func.num_blocks()];
        let mut work: Vec<Block> = func.layout.blocks().collect();
        while let Some(block) = work.pop() {
            let Some(ends_spoilt) = self.pass_block(block, starts_spoilt[block.index()]) else {
                return false;
            };
            if ends_spoilt {
                func.for_each_successor(block, |next| {
                    if !std::mem::replace(&mut starts_spoilt[next.index()], true) {
                        work.push(next);
                    }
                });
            }
        }
        true
    }

    /// Whether another word stands there at the end of the block, given whether at its start;
    /// `None` if the block looks at it or returns with it.
    fn pass_block(&mut self, block: Block, is_spoilt: bool) -> Option<bool> {
        let mut is_spoilt = is_spoilt;
        for inst in self.func.layout.insts(block) {
            match self.act(inst) {
                Act::None => {}
                Act::Set(address) => {
                    self.least = Some(self.least.map_or(address, |least| least.min(address)));
                    is_spoilt = false;
                }
                Act::Move => is_spoilt = false,
                Act::Spoil => is_spoilt = true,
                Act::Load if is_spoilt => return None,
                Act::Load => {}
            }
        }
        Some(is_spoilt)
    }

    fn act(&self, inst: Inst) -> Act {
        let func = self.func;
        let opcode = match func.dfg.op(inst) {
            Op::Evm(opcode) => opcode,
            Op::Verbatim => return Act::Spoil,
            // Who is called or returned to may look.
            Op::Icall | Op::Iret => return Act::Load,
            _ => return Act::None,
        };
        if is_loaded(func, inst) {
            return Act::Load;
        }
        let Some(region) = memory_write(opcode) else {
            return Act::None;
        };
        let region = Region::of(func, inst, region);
        if !self.starts(region.place).any(|start| is_there(start, region.length)) {
            return Act::None;
        }
        if opcode != Opcode::MSTORE || region.place != Place::at(Word::from(ADDRESS)) {
            return Act::Spoil;
        }
        let stored = func.dfg.args(inst)[1];
        if let Some(address) = beginning(func, stored) {
            return Act::Set(address);
        }
        if is_pointer(func, stored, DEPTH) { Act::Move } else { Act::Spoil }
    }

    /// The addresses that a place is known to be at, in some call or always.
    fn starts(&self, place: Place) -> impl Iterator<Item = Word> {
        let func = self.func;
        let param = place.base.map(|base| func.dfg.def(base)).and_then(|def| match def {
            ValueDef::Param(block, index) if block == func.layout.entry() => Some(usize::from(index)),
            ValueDef::Param(..) | ValueDef::Result(..) => None,
        });
        let passed = param.and_then(|index| self.passed.get(&(self.id, index))).into_iter().flatten();
        let constant = place.base.is_none().then_some(Word::ZERO);
        passed.copied().chain(constant).map(move |base| base.wrapping_add(place.offset))
    }
}

/// True when some of the bytes are the pointer's.
fn is_there(start: Word, length: Option<Word>) -> bool {
    let ends_before = length.is_some_and(|length| start.saturating_add(length) <= Word::from(ADDRESS));
    !ends_before && length != Some(Word::ZERO) && start < Word::from(ADDRESS + 32)
}

/// The address that memory is allocated from, at least: the end of reserved memory, or a number.
fn beginning(func: &Function, value: Value) -> Option<u64> {
    if let Some(word) = func.dfg.as_const(value) {
        return u64::try_from(word).ok().filter(|word| (ADDRESS + 32..=GREATEST_BEGINNING).contains(word));
    }
    let inst = func.dfg.def_inst(value)?;
    match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
        (Op::HeapBase, Payload::Size(reserved)) => Some(reserved),
        (Op::PtrToInt, _) => beginning(func, func.dfg.args(inst)[0]),
        _ => None,
    }
}

/// True for the pointer as it was, and for sums with it or with a word that may be a pointer.
fn is_pointer(func: &Function, value: Value, depth: u32) -> bool {
    let Some(inst) = func.dfg.def_inst(value) else {
        return false;
    };
    let args = func.dfg.args(inst);
    let is_part =
        |value: &Value| may_point(func, *value) || is_pointer(func, *value, depth.saturating_sub(1));
    match func.dfg.op(inst) {
        Op::HeapBase => true,
        Op::Evm(Opcode::MLOAD) => is_loaded(func, inst),
        Op::PtrToInt if depth > 0 => is_pointer(func, args[0], depth - 1),
        Op::Evm(Opcode::ADD | Opcode::AND) if depth > 0 => args.iter().any(is_part),
        Op::Evm(Opcode::SUB) if depth > 0 => is_part(&args[0]),
        _ => false,
    }
}

/// Words from elsewhere that are part of a sum which is put there.
fn may_point(func: &Function, value: Value) -> bool {
    func.dfg
        .def_inst(value)
        .is_none_or(|inst| matches!(func.dfg.op(inst), Op::Icall | Op::Evm(Opcode::MLOAD)))
}

#[cfg(test)]
mod tests {
    use super::free_from;
    use crate::testing::parse;

    /// Where memory is allocated from in a module with this body, which sets the pointer first.
    fn of_body(text: &str) -> Option<u64> {
        let mut module = parse(&format!(
            "module @m {{ func @f(%x : u256) {{
             ^e:
               %at = evm.constant 64 : u256
               %heap = evm.heap_base 128 : ptr<0>
               %free = evm.ptrtoint %heap : u256
               evm.mstore %at, %free
               {text} }} }}"
        ));
        module.record_reserved();
        free_from(&module)
    }

    #[test]
    fn sums_are_pointers() {
        let text = "%p = evm.mload %at : u256
                    %q = evm.add %p, %x : u256
                    evm.mstore %at, %q
                    evm.iret";
        assert_eq!(of_body(text), Some(128));
        assert_eq!(of_body("%q = evm.add %x, %x : u256 evm.mstore %at, %q evm.iret"), Some(128));
    }

    #[test]
    fn other_words_are_not() {
        assert_eq!(of_body("evm.mstore %at, %x evm.iret"), None);
        assert_eq!(of_body("%h = evm.keccak256 %x, %x : u256 evm.mstore %at, %h evm.iret"), None);
        assert_eq!(of_body("%c = evm.constant 33 : u256 evm.mstore %c, %x evm.iret"), None);
        assert_eq!(of_body("%c = evm.constant 0 : u256 evm.calldatacopy %c, %c, %x evm.iret"), None);
        assert_eq!(of_body("%c = evm.constant 32 : u256 evm.mstore %c, %x evm.iret"), Some(128));
    }

    #[test]
    fn other_words_for_a_while() {
        let put_back = "%p = evm.mload %at : u256
                        evm.mstore %at, %x
                        evm.br ^next
                      ^next:
                        evm.mstore %at, %p
                        evm.iret";
        assert_eq!(of_body(put_back), Some(128));
        assert_eq!(of_body(&put_back.replace("^next:", "^next: evm.icall @f(%x)")), None);
        assert_eq!(of_body(&put_back.replace("^next:", "^next: %q = evm.mload %at : u256")), None);
        assert_eq!(of_body("evm.mstore %at, %x evm.revert %x, %x"), Some(128));
    }

    #[test]
    fn places_that_callers_pass() {
        let of_call = |address: &str| {
            of_body(&format!(
                "%a = evm.constant {address} : u256
                 evm.icall @store(%a, %x)
                 evm.iret }}
               func @store(%p : u256, %v : u256) {{
               ^s:
                 %word = evm.constant 32 : u256
                 %next = evm.add %p, %word : u256
                 evm.mstore %next, %v
                 evm.iret"
            ))
        };
        assert_eq!((of_call("0"), of_call("1"), of_call("33")), (Some(128), None, None));
        assert_eq!((of_call("63"), of_call("64")), (None, Some(128)));
    }

    #[test]
    fn a_program_that_sets_none() {
        let module = parse("module @m { func @f() { ^e: evm.stop } }");
        assert_eq!(free_from(&module), None);
    }
}
