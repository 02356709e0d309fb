//! Whether a module keeps the pointer to free memory in the word at 64, as Solidity does.
//!
//! Solidity keeps there where free memory begins: at first the end of reserved memory, later sums
//! of what was there and what was allocated. Of a module that visibly does so it is known that each
//! load of the word finds a *pointer*: a number not below the least that was put there as it is,
//! and below 2^63. It is known of all loads or of none.
//!
//! How that is seen: if loads so far found pointers, [`Ranges`] tell what each value can be, over
//! every way into it. Each function is then followed with what is in the word:
//!
//! * a pointer, behind a store of a value that is not below the least and grown (see `ranges`): a
//!   sum of a pointer and what is small, or a sum that was checked as Solidity's allocation is;
//! * something else, when the program begins, and behind any other operation that may write a byte
//!   of the word. It may be there for a while: until a pointer is put back, or the frame ends.
//!
//! A load of something else, also one whose address only may be 64, shows that the module keeps
//! no pointer there. Calls find what their callers left, and leave what they put.
//!
//! Operations that write to computed addresses (in a module marked `[unguarded]`: to addresses made of words
//! that were found in memory) are taken to keep off the word where they may be in
//! allocated memory, and a pointer that was checked to be below 2^64 to be below 2^63 when it is
//! loaded; see docs/assumptions.md. Everything else is seen.
//!
//! Stores show their addresses once what callers pass is known and sums are folded: the pass looks
//! when the program is simple, not before. What it finds stays true: later passes leave loads out,
//! or learn the address of one that was taken to be of the word already.
//!
//! Cost: linear.

use crate::memory::{Heap, WORD};
use crate::pass::{Pass, Property, Run};
use crate::pointer_word::ADDRESS;
use crate::ranges::{Ranges, Shapes, Words};
use crate::rules::Facts;
use crate::word_access::{WordAccess, Written};
use cairn_analysis::{CallGraph, callgraph};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, EntityRef, Func, Inst, MemoryModel, Module, Op, SecondaryMap};

/// Addresses that memory may be allocated from, tried one after the other.
const TRIES: usize = 3;

/// Where Solidity allocates from if nothing says otherwise.
const SOLIDITY_RESERVES: u64 = 0x80;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "free-pointer",
    summary: "finds out whether the program keeps the pointer to free memory",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Heap(run),
};

/// What a module shows of allocated memory.
fn run(module: &Module) -> Heap {
    Heap { free_from: free_from(module) }
}

/// Where memory that is allocated begins, if the pointer to free memory is kept at [`ADDRESS`]
/// throughout. Nothing says of a program that owns all memory, and of bytecode that was lifted, that its
/// stores keep to allocated memory.
fn free_from(module: &Module) -> Option<u64> {
    let reserved = match module.memory {
        MemoryModel::Frames => module.reserved,
        MemoryModel::Unguarded => SOLIDITY_RESERVES,
        MemoryModel::NoFrame => return None,
    };
    let entry = module.entry.filter(|_| reserved >= ADDRESS + WORD)?;
    let (graph, shapes) = (CallGraph::compute(module), Shapes::compute(module));
    let mut least = reserved;
    for _ in 0..TRIES {
        let pointer = Words::grown_from(Word::from(least));
        let ranges = Ranges::compute(module, &graph, &shapes, pointer)?;
        let access = WordAccess { module, ranges, least };
        let mut keeper = Keeper { access, shapes: &shapes, lower: None, summaries: SecondaryMap::new() };
        keeper.summarize(&graph);
        // Nothing is there when the program begins.
        if keeper.summaries[entry].from_other.is_some() {
            return Some(least);
        }
        least = keeper.lower?;
    }
    None
}

/// What is in the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// A pointer.
    Pointer,
    /// Something else, maybe.
    Other,
}

/// What an instruction does to the word.
enum Act {
    /// Nothing that can be seen.
    None,
    /// Puts something there.
    Put(Content),
    /// Loads it, maybe.
    Load,
    /// Runs a function.
    Call(Func),
}

/// What is in the word when a function returns, by what was there when it was called; `None` if it
/// loads something else than a pointer.
#[derive(Clone, Copy, Debug, Default)]
struct Summary {
    from_pointer: Option<Content>,
    from_other: Option<Content>,
}

/// Looks through the functions of a module.
struct Keeper<'a> {
    access: WordAccess<'a>,
    shapes: &'a Shapes,
    /// The least number below that was put there and may be a pointer.
    lower: Option<u64>,
    summaries: SecondaryMap<Func, Summary>,
}

impl Keeper<'_> {
    /// Callees first. Functions that call each other are taken to keep the pointer, which is then
    /// seen to be so.
    fn summarize(&mut self, graph: &CallGraph) {
        for component in graph.components() {
            let called: Vec<Func> =
                component.iter().copied().filter(|id| self.access.ranges.is_called(*id)).collect();
            let is_cycle = called.iter().any(|id| graph.is_recursive(*id));
            let taken = Summary { from_pointer: Some(Content::Pointer), from_other: None };
            if is_cycle {
                called.iter().for_each(|id| self.summaries[*id] = taken);
            }
            let found: Vec<Summary> = called.iter().map(|id| self.summary(*id)).collect();
            let is_as_taken = found.iter().all(|found| found.from_pointer == taken.from_pointer);
            for (id, found) in called.iter().zip(found) {
                self.summaries[*id] = match (is_cycle, is_as_taken) {
                    (false, _) => found,
                    (true, true) => taken,
                    (true, false) => Summary::default(),
                };
            }
        }
    }

    fn summary(&mut self, id: Func) -> Summary {
        Summary {
            from_pointer: self.visit_function(id, Content::Pointer),
            from_other: self.visit_function(id, Content::Other),
        }
    }

    /// What is there when the function returns.
    fn visit_function(&mut self, id: Func, at_entry: Content) -> Option<Content> {
        let (func, shapes) = (&self.access.module.funcs[id], self.shapes);
        let mut starts = vec![Content::Pointer; func.num_blocks()];
        starts[func.layout.entry().index()] = at_entry;
        let mut at_return = Content::Pointer;
        let mut work: Vec<Block> = shapes.cfg(id).rpo().iter().rev().copied().collect();
        while let Some(block) = work.pop() {
            let at_end = self.visit_block(id, block, starts[block.index()])?;
            if func.terminator(block).is_some_and(|inst| func.dfg.op(inst) == Op::Iret) {
                at_return = at_return.max(at_end);
            }
            for next in shapes.cfg(id).succs(block) {
                if at_end > starts[next.index()] {
                    starts[next.index()] = at_end;
                    work.push(*next);
                }
            }
        }
        Some(at_return)
    }

    /// What is there at the end of a block; `None` if it loads something else than a pointer.
    fn visit_block(&mut self, id: Func, block: Block, at_start: Content) -> Option<Content> {
        let func = &self.access.module.funcs[id];
        let mut content = at_start;
        for inst in func.layout.insts(block) {
            content = match (self.act(id, block, inst), content) {
                (Act::None, _) | (Act::Load, Content::Pointer) => content,
                (Act::Put(new), _) => new,
                (Act::Load, Content::Other) => return None,
                (Act::Call(callee), Content::Pointer) => self.summaries[callee].from_pointer?,
                (Act::Call(callee), Content::Other) => self.summaries[callee].from_other?,
            };
        }
        Some(content)
    }

    fn act(&mut self, id: Func, block: Block, inst: Inst) -> Act {
        let func = &self.access.module.funcs[id];
        if let Some(callee) = callgraph::callee(func, inst) {
            return Act::Call(callee);
        }
        if func.dfg.op(inst) == Op::Evm(Opcode::MLOAD) {
            let at = self.access.ranges.at(id, block, func.dfg.args(inst)[0]);
            let is_there = |words: Words| words.facts.meet(&Facts::exactly(Word::from(ADDRESS))).is_some();
            return if at.is_some_and(|range| is_there(range.all)) { Act::Load } else { Act::None };
        }
        match self.access.written(id, block, inst) {
            None => Act::None,
            Some(Written::Other) => Act::Put(Content::Other),
            Some(Written::Word(stored)) => match self.access.ranges.at(id, block, stored) {
                Some(stored) => Act::Put(self.content(stored.all)),
                None => Act::Put(Content::Other),
            },
        }
    }

    /// What a word that is put there is.
    fn content(&mut self, words: Words) -> Content {
        let lo = u64::try_from(words.facts.lo()).ok().filter(|_| words.is_grown);
        match lo {
            Some(lo) if lo >= self.access.least => Content::Pointer,
            Some(lo) if lo >= ADDRESS + WORD => {
                self.lower = Some(self.lower.map_or(lo, |lower| lower.min(lo)));
                Content::Other
            }
            Some(_) | None => Content::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::free_from;
    use crate::testing::{POINTER_SET, parse};

    /// Where memory is allocated from in a module with this body, which sets the pointer first.
    /// `%x` is any word, `%p` the pointer as it is loaded then.
    fn of_body(text: &str) -> Option<u64> {
        of_module(&format!(
            "func @__entry() {{
               {POINTER_SET}
               {text} }}"
        ))
    }

    fn of_module(funcs: &str) -> Option<u64> {
        let mut module = parse(&format!("module @m {{ {funcs} }}"));
        module.record_reserved();
        free_from(&module)
    }

    /// The body, then a load.
    fn then_loaded(text: &str) -> Option<u64> {
        of_body(&format!("{text} %l = evm.mload %at : u256 evm.sstore %x, %l evm.stop"))
    }

    const KEPT: Option<u64> = Some(128);

    #[test]
    fn sums_with_what_is_bounded_are_pointers() {
        assert_eq!(then_loaded("%q = evm.add %p, %word : u256 evm.mstore %at, %q"), KEPT);
        let size = "%n = evm.calldatasize : u256 %q = evm.add %n, %p : u256 evm.mstore %at, %q";
        assert_eq!(then_loaded(size), KEPT);
        let aligned = "%m = evm.constant -32 : u256 %k = evm.constant 31 : u256
                       %s = evm.add %p, %k : u256 %q = evm.and %s, %m : u256 evm.mstore %at, %q";
        assert_eq!(then_loaded(aligned), KEPT);
    }

    #[test]
    fn sums_that_wrap_are_not() {
        assert_eq!(then_loaded("%q = evm.add %p, %x : u256 evm.mstore %at, %q"), None);
        let shifted = "%n = evm.shl %zero, %x : u256 %q = evm.add %p, %n : u256 evm.mstore %at, %q";
        assert_eq!(then_loaded(shifted), None);
        let short = "%k = evm.constant 228 : u256 %n = evm.shr %k, %x : u256 %q = evm.add %p, %n : u256
                     evm.mstore %at, %q";
        assert_eq!(then_loaded(short), None);
        assert_eq!(then_loaded(&short.replace("228", "229")), KEPT);
    }

    #[test]
    fn other_words_are_not() {
        assert_eq!(then_loaded("evm.mstore %at, %x"), None);
        assert_eq!(then_loaded("%q = evm.and %p, %x : u256 evm.mstore %at, %q"), None);
        assert_eq!(then_loaded("%q = evm.sub %p, %word : u256 evm.mstore %at, %q"), None);
        assert_eq!(then_loaded("%h = evm.keccak256 %zero, %at : u256 evm.mstore %at, %h"), None);
        assert_eq!(then_loaded("%q = evm.mload %zero : u256 evm.mstore %at, %q"), None);
        assert_eq!(then_loaded("%s = evm.constant 95 : u256 evm.mstore %at, %s"), None);
        assert_eq!(then_loaded("%s = evm.constant 96 : u256 evm.mstore %at, %s"), Some(96));
    }

    #[test]
    fn parts_of_the_word_count() {
        let at = |address: u64| then_loaded(&format!("%c = evm.constant {address} : u256 evm.mstore %c, %x"));
        assert_eq!((at(32), at(33), at(95), at(96)), (KEPT, None, None, KEPT));
        let byte =
            |address: u64| then_loaded(&format!("%c = evm.constant {address} : u256 evm.mstore8 %c, %x"));
        assert_eq!((byte(63), byte(64), byte(95), byte(96)), (KEPT, None, None, KEPT));
        let copy = |op: &str, length: &str| {
            then_loaded(&format!("%n = evm.constant {length} : u256 evm.{op} %zero, %zero, %n"))
        };
        for op in ["calldatacopy", "codecopy", "returndatacopy", "mcopy"] {
            assert_eq!((copy(op, "64"), copy(op, "65")), (KEPT, None), "{op}");
        }
        assert_eq!(then_loaded("evm.calldatacopy %zero, %zero, %x"), None);
        let call = |length: &str| {
            then_loaded(&format!(
                "%n = evm.constant {length} : u256
                 %s = evm.staticcall %x, %x, %zero, %zero, %word, %n : bool"
            ))
        };
        assert_eq!((call("32"), call("33")), (KEPT, None));
    }

    #[test]
    fn a_pointer_is_not_loaded_before_it_is_set() {
        let text = "func @__entry() { ^e: %at = evm.constant 64 : u256 %h = evm.heap_base 128 : ptr<0>
                    LOAD %f = evm.ptrtoint %h : u256 evm.mstore %at, %f %m = evm.mload %at : u256 evm.stop }";
        assert_eq!(of_module(&text.replace("LOAD", "")), KEPT);
        assert_eq!(of_module(&text.replace("LOAD", "%l = evm.mload %at : u256")), None);
    }

    #[test]
    fn other_words_for_a_while() {
        let put_back = "evm.mstore %at, %x
                        evm.br ^next
                      ^next:
                        evm.mstore %at, %p
                        %q = evm.mload %at : u256
                        evm.stop";
        assert_eq!(of_body(put_back), KEPT);
        assert_eq!(of_body(&put_back.replace("^next:", "^next: %l = evm.mload %at : u256")), None);
        // This load may be one of the word, once its address is known.
        assert_eq!(of_body(&put_back.replace("^next:", "^next: %l = evm.mload %x : u256")), None);
        assert_eq!(of_body(&put_back.replace("^next:", "^next: %l = evm.mload %word : u256")), KEPT);
        assert_eq!(of_body("evm.mstore %at, %x evm.revert %x, %x"), KEPT);
    }

    #[test]
    fn branches_into_other_words() {
        let text = "evm.condbr %x, ^a, ^b
                  ^a:
                    evm.mstore %at, %x
                    evm.br ^b
                  ^b:
                    %l = evm.mload %at : u256
                    evm.stop";
        assert_eq!(of_body(text), None);
        assert_eq!(of_body(&text.replace("%at, %x", "%at, %p")), KEPT);
    }

    /// A loop that puts `%q` there and looks at it in each round.
    fn looped(step: &str) -> Option<u64> {
        of_body(&format!(
            "evm.br ^head(%p, %zero)
           ^head(%q : u256, %i : u256):
             evm.mstore %at, %q
             %l = evm.mload %at : u256
             {step}
             %j = evm.add %i, %word : u256
             evm.condbr %x, ^head(%r, %j), ^done
           ^done:
             evm.stop"
        ))
    }

    #[test]
    fn every_way_into_a_loop_brings_a_pointer() {
        assert_eq!(looped("%r = evm.add %q, %word : u256"), KEPT);
        // The counter may be large by then.
        assert_eq!(looped("%r = evm.add %l, %i : u256"), None);
        assert_eq!(looped("%r = evm.sub %q, %word : u256"), None);
        assert_eq!(looped("%r = evm.mul %q, %word : u256"), None);
        assert_eq!(looped("%r = evm.and %q, %x : u256"), None);
        assert_eq!(looped("%r = evm.add %q, %q : u256"), None);
    }

    /// The pointer plus `%x`, checked.
    fn checked(check: &str) -> Option<u64> {
        of_body(&format!(
            "%q = evm.add %p, %x : u256
             {check}
             evm.condbr %c, ^fail, ^ok
           ^fail:
             evm.revert %zero, %zero
           ^ok:
             evm.mstore %at, %q
             %l = evm.mload %at : u256
             evm.stop"
        ))
    }

    #[test]
    fn sums_that_were_checked_are_pointers() {
        let both = "%max = evm.constant 0xffffffffffffffff : u256
                    %a = evm.gt %q, %max : bool %b = evm.lt %q, %p : bool %c = evm.or %a, %b : bool";
        assert_eq!(checked(both), KEPT);
        assert_eq!(checked(&both.replace("%b = evm.lt %q, %p", "%b = evm.gt %p, %q")), KEPT);
        assert_eq!(checked(&both.replace("%b = evm.lt %q, %p", "%b = evm.lt %p, %q")), None);
        assert_eq!(checked(&both.replace("evm.lt %q, %p", "evm.lt %q, %x")), None);
        assert_eq!(checked(&both.replace("evm.or", "evm.and")), None);
        assert_eq!(
            checked("%a = evm.shr %at, %q : u256 %b = evm.lt %q, %p : bool %c = evm.or %a, %b : u256"),
            KEPT
        );
        assert_eq!(checked("%c = evm.lt %q, %p : bool"), None);
        assert_eq!(checked("%c = evm.shr %at, %q : u256"), None);
    }

    /// A helper that stores its argument, called with the pointer and with something else.
    fn stored_by_helper(first: &str, second: &str) -> Option<u64> {
        of_body(&format!(
            "evm.icall @put(%at, {first}) evm.icall @put(%at, {second})
             %l = evm.mload %at : u256 evm.stop }}
             func @put(%to : u256, %v : u256) {{ ^e: evm.mstore %to, %v evm.iret"
        ))
    }

    #[test]
    fn every_caller_passes_a_pointer() {
        assert_eq!(stored_by_helper("%p", "%p"), KEPT);
        assert_eq!((stored_by_helper("%p", "%x"), stored_by_helper("%x", "%p")), (None, None));
    }

    #[test]
    fn every_return_gives_a_pointer_back() {
        let given = |word: &str| {
            of_body(&format!(
                "%q = evm.icall @get(%x, %p) : u256 evm.mstore %at, %q
                 %l = evm.mload %at : u256 evm.stop }}
                 func @get(%v : u256, %k : u256) -> u256 {{
                 ^e: evm.condbr %v, ^a, ^b
                 ^a: evm.iret %k
                 ^b: evm.iret {word}"
            ))
        };
        assert_eq!((given("%k"), given("%v")), (KEPT, None));
    }

    #[test]
    fn callees_see_and_leave_other_words() {
        let called = |body: &str| {
            of_body(&format!(
                "evm.mstore %at, %x evm.icall @f(%p, %x) evm.mstore %at, %p
                 evm.icall @f(%p, %x) %l = evm.mload %at : u256 evm.stop }}
                 func @f(%p : u256, %x : u256) {{ ^e: %at = evm.constant 64 : u256 {body} evm.iret"
            ))
        };
        assert_eq!(called(""), KEPT);
        assert_eq!(called("evm.mstore %at, %p"), KEPT);
        assert_eq!(called("evm.mstore %at, %x"), None);
        assert_eq!(called("%l = evm.mload %at : u256"), None);
        assert_eq!(called("evm.mstore %at, %p %l = evm.mload %at : u256"), KEPT);
    }

    #[test]
    fn functions_that_call_themselves() {
        let recursive = |body: &str| {
            of_body(&format!(
                "evm.icall @f(%x) %l = evm.mload %at : u256 evm.stop }}
                 func @f(%x : u256) {{
                 ^e: %at = evm.constant 64 : u256 %p = evm.mload %at : u256 evm.condbr %x, ^a, ^b
                 ^a: {body}
                   evm.iret
                 ^b: evm.iret"
            ))
        };
        assert_eq!(recursive("evm.icall @f(%p)"), KEPT);
        assert_eq!(recursive("evm.mstore %at, %x evm.icall @f(%p) evm.mstore %at, %p"), None);
        assert_eq!(recursive("evm.icall @f(%p) evm.mstore %at, %x"), None);
    }

    #[test]
    fn places_that_callers_pass() {
        let of_call = |address: &str| {
            of_body(&format!(
                "%a = evm.constant {address} : u256
                 evm.icall @outer(%a, %x)
                 evm.icall @outer(%p, %x)
                 %l = evm.mload %at : u256
                 evm.stop }}
               func @outer(%p : u256, %v : u256) {{ ^o: evm.icall @store(%p, %v) evm.iret }}
               func @store(%p : u256, %v : u256) {{
               ^s:
                 %word = evm.constant 32 : u256
                 %next = evm.add %p, %word : u256
                 evm.mstore %next, %v
                 evm.iret"
            ))
        };
        assert_eq!((of_call("0"), of_call("1"), of_call("32"), of_call("63")), (KEPT, None, None, None));
        assert_eq!(of_call("64"), KEPT);
    }

    #[test]
    fn computed_places_below_allocated_memory_count() {
        let of_place = |shift: &str| {
            then_loaded(&format!(
                "%s = evm.constant {shift} : u256 %b = evm.iszero %x : bool
                 %c = evm.shl %s, %b : u256 evm.mstore %c, %x"
            ))
        };
        assert_eq!((of_place("5"), of_place("6")), (KEPT, None));
    }

    #[test]
    fn places_that_a_loop_counts_through() {
        let of_loop = |end: &str| {
            of_body(&format!(
                "%end = evm.constant {end} : u256
                 evm.br ^head(%zero)
               ^head(%c : u256):
                 %t = evm.lt %c, %end : bool
                 evm.condbr %t, ^body, ^done
               ^body:
                 evm.mstore %c, %x
                 %n = evm.add %c, %word : u256
                 evm.br ^head(%n)
               ^done:
                 %l = evm.mload %at : u256
                 evm.stop"
            ))
        };
        assert_eq!((of_loop("33"), of_loop("65"), of_loop("96")), (KEPT, None, None));
    }

    /// A module without a frame, whose entry puts 128 there and then has this body; then a load.
    fn of_unguarded(attribute: &str, text: &str) -> Option<u64> {
        let start = POINTER_SET
            .replace("%heap = evm.heap_base 128 : ptr<0>", "")
            .replace("%free = evm.ptrtoint %heap : u256", "%free = evm.constant 128 : u256");
        let mut module = parse(&format!(
            "module @m [{attribute}] {{ func @__entry() {{ {start} {text}
             %l = evm.mload %at : u256 evm.sstore %x, %l evm.stop }} }}"
        ));
        module.record_reserved();
        free_from(&module)
    }

    #[test]
    fn programs_without_a_frame() {
        let of_place = |text: &str| of_unguarded("unguarded", &format!("{text} evm.mstore %a, %x"));
        assert_eq!(of_unguarded("unguarded", ""), KEPT);
        assert_eq!(of_unguarded("noframe", ""), None);
        assert_eq!(of_place("%a = evm.add %p, %x : u256"), KEPT);
        assert_eq!(of_place("%f = evm.mload %p : u256 %a = evm.add %f, %x : u256"), KEPT);
        assert_eq!(of_place("%a = evm.add %word, %x : u256"), None);
        assert_eq!(of_place("%a = evm.caller : u160"), None);
        assert_eq!(of_place("%a = evm.sload %x : u256"), None);
        assert_eq!(of_place("%b = evm.shl %word, %x : u256 %a = evm.or %b, %free : u256"), KEPT);
        assert_eq!(of_unguarded("unguarded", "evm.calldatacopy %zero, %zero, %at"), KEPT);
        assert_eq!(of_unguarded("unguarded", "evm.calldatacopy %zero, %zero, %x"), None);
        let put_back = "evm.calldatacopy %zero, %zero, %x evm.mstore %at, %free";
        assert_eq!(of_unguarded("unguarded", put_back), KEPT);
    }

    #[test]
    fn modules_that_say_nothing_of_memory() {
        let text = "func @__entry() { ^e: %at = evm.constant 64 : u256 %b = evm.constant 128 : u256
                    evm.mstore %at, %b %l = evm.mload %at : u256 evm.stop }";
        assert_eq!(of_module(text), None);
        assert_eq!(of_body("evm.stop } func @other() { ^o: evm.stop"), KEPT);
        assert_eq!(of_module("func @f() { ^e: %h = evm.heap_base 128 : ptr<0> evm.stop }"), None);
    }
}
