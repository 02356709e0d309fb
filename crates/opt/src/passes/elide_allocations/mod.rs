//! `elide-allocations`: leaves the pointer to free memory where it is while that is all right.
//!
//! Solidity allocates what it gives to calls, hashes and logs, and never frees it. Where the buffer is
//! used for the last time before the pointer is loaded again, the next one may lie in its place:
//!
//! ```text
//! %m = evm.mload 64                              %m = evm.mload 64
//! evm.mstore %m, %selector                       evm.mstore %m, %selector
//! %ok = evm.call …, %m, 4, %m, 32        =>      %ok = evm.call …, %m, 4, %m, 32
//! …                                              …
//! evm.icall @finalize_allocation(%m, %n)         %x = evm.mload %m
//! %x = evm.mload %m                              …
//! …                                              %m2 = evm.mload 64
//! %m2 = evm.mload 64
//! ```
//!
//! A *move* is a store of the pointer, or a call of a function that does nothing else (`allocation`).
//! It goes when
//!
//! * it moves the pointer behind a buffer whose address does not escape ([`Buffers`]);
//! * nothing else wrote the pointer's word since that was loaded, so that the word holds the same pointer
//!   without the move;
//! * on every way from it, when the word is read next, this buffer is not alive ([`Alive`]), nor one
//!   whose pointer may have been loaded since the pointer moved before;
//! * it moves the pointer by less than 2^28: pointers are checked against 2^64, and no check fails for such
//!   moves, in the called function or later.
//!
//! What is stored in an allocated buffer that nobody reads goes ([`unread`]).
//!
//! A buffer that only one way from a branch uses is allocated and filled there, with its move ([`sink`]): what
//! an error says is only written down if it comes to that.
//!
//! A call that moves the pointer by a number of bytes which is known and small is replaced by a store ([`direct`]).
//!
//! Relies on A16, A17 and A19 (docs/assumptions.md). Does nothing in a module that reads the size of memory,
//! or that looks at the pointer: at one behind which it allocates nothing ([`Buffers::shows_pointer`]), or by
//! anything else than a load of the word ([`Looks`]).
//!
//! Needs promotion, preserves blocks and calls. Cost: linear in the module; around each move
//! some blocks are looked at (`around`).

mod alive;
mod allocation;
mod around;
mod buffers;
mod callee;
mod direct;
mod functions;
mod looks;
mod parts;
mod sink;
mod unread;

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::ranges::{Ranges, Shapes, Words};
use crate::word_access::WordAccess;
use around::{Around, moved};
use cairn_analysis::CallGraph;
use cairn_evm::Word;
use cairn_ir::{Block, Func, Function, Inst, Module};
use direct::Direct;
use functions::Scene;
use looks::Looks;
use sink::{Sinks, Sunk};
use unread::Unread;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "elide-allocations",
    summary: "lets buffers that are not needed any more be overwritten, and fills those of one way there",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let Some(least) = cx.summaries.heap.free_from.filter(|_| !cx.summaries.observes_msize) else {
        return Changed::No;
    };
    let found = find(module, cx, least);
    for (id, sunk) in &found.sunk {
        sunk.apply(&mut module.funcs[*id]);
    }
    for (id, inst) in &found.needless {
        module.funcs[*id].layout.remove_inst(*inst);
    }
    for (id, direct) in &found.direct {
        direct.apply(&mut module.funcs[*id]);
    }
    Changed::from(!found.needless.is_empty() || !found.sunk.is_empty() || !found.direct.is_empty())
}

/// What is changed.
#[derive(Default)]
struct Found {
    /// The moves that need not be.
    needless: Vec<(Func, Inst)>,
    /// The buffers that one way only needs.
    sunk: Vec<(Func, Sunk)>,
    /// The calls that move the pointer by a number of bytes which is known.
    direct: Vec<(Func, Direct)>,
}

fn find(module: &Module, cx: &PassContext<'_>, least: u64) -> Found {
    let (graph, shapes) = (CallGraph::compute(module), Shapes::compute(module));
    let pointer = Words::grown_from(Word::from(least));
    let Some(ranges) = Ranges::compute(module, &graph, &shapes, pointer) else {
        return Found::default();
    };
    let access = WordAccess { module, ranges, least };
    let (mut found, mut looked_at, mut looks) = (Found::default(), None, Looks::new(&access, &shapes));
    functions::for_each_function(&access, &graph, &shapes, |scene| {
        let Scene { func, id, cfg, callees, buffers, .. } = scene;
        if buffers.shows_pointer() || looks.looks(id) {
            looked_at = Some(id);
        }
        let insts = cfg.rpo().iter().flat_map(|block| func.layout.insts(*block).map(|inst| (*block, inst)));
        let moves: Vec<(Block, Inst)> =
            insts.filter(|(_, inst)| moved(func, *inst, callees).is_some()).collect();
        let unread = Unread { scene };
        found.needless.extend(unread.stores().into_iter().map(|store| (id, store)));
        let around = Around::new(scene);
        for (block, inst) in moves {
            match around.reason_to_stay(block, inst) {
                None => found.needless.push((id, inst)),
                Some(reason) => {
                    let direct =
                        Direct::find(module, id, inst, callees).filter(|_| around.is_small(block, inst));
                    found.direct.extend(direct.map(|direct| (id, direct)));
                    cx.remark(PASS.name, func, || format!("{}: {}", place(func, inst), reason.text()));
                }
            }
        }
        let is_allocation = |block, inst| around.is_allocation(block, inst);
        let moved_to = |block, inst| moved(func, inst, callees).filter(|_| around.is_small(block, inst));
        let sunk = Sinks::find(func, cfg, is_allocation, moved_to);
        found.sunk.extend(sunk.into_iter().map(|sunk| (id, sunk)));
    });
    if let Some(id) = looked_at {
        cx.remark(PASS.name, &module.funcs[id], || "the pointer to free memory is looked at".to_owned());
        return Found { direct: found.direct, ..Found::default() };
    }
    found
}

fn place(func: &Function, inst: Inst) -> String {
    let place = func.inst_place(inst);
    let bytes = place.map(|place| format!(" (bytes {}..{})", place.start, place.end));
    format!("memory is allocated{}", bytes.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::options::Options;
    use crate::pipeline::pass;
    use crate::runner::{Hooks, run_passes};
    use crate::testing::{POINTER_SET, body, parse};
    use cairn_ir::Func;

    /// How many moves are left of a body, the first of which sets the pointer. `%x` is any word, `%p` a
    /// buffer of a word, whose end is `%q`.
    fn moves_left(text: &str) -> usize {
        let mut module = parse(&format!(
            "module @m {{
             func @__entry() {{
               {POINTER_SET}
               %q = evm.add %p, %word : u256
               evm.mstore %p, %x
               {text} }}
             func @keep(%at : u256) {{
             ^e:
               evm.sstore %at, %at
               evm.iret
             }}
             func @read(%at : u256) -> u256 {{
             ^e:
               %y = evm.mload %at : u256
               evm.iret %y
             }}
             func @end_of(%at : u256, %n : u256) -> u256 {{
             ^e:
               %end = evm.add %at, %n : u256
               evm.iret %end
             }}
             func @hash_at_free(%n : u256) -> u256 {{
             ^e:
               %k = evm.constant 64 : u256
               %f = evm.mload %k : u256
               evm.mstore %f, %n
               %h = evm.keccak256 %f, %k : u256
               evm.iret %h
             }} }}"
        ));
        module.record_reserved();
        let passes =
            ["promote", "free-pointer", "elide-allocations"].map(|name| *pass(name).expect("it exists"));
        run_passes(&mut module, &passes, &Options::default(), Hooks::default()).expect("no hook rejects");
        body(&module, Func::from_u32(0)).matches("evm.mstore %at,").count()
    }

    const GONE: usize = 1;
    const STAYS: usize = 2;

    /// The next buffer, a store in it, and the end.
    const NEXT: &str = "%n = evm.mload %at : u256 evm.mstore %n, %zero";

    #[test]
    fn a_buffer_that_is_read_before_the_next_allocation() {
        let text = format!("evm.mstore %at, %q %y = evm.mload %p : u256 {NEXT} evm.sstore %y, %y evm.stop");
        assert_eq!(moves_left(&text), GONE);
        let text = format!("evm.mstore %at, %q {NEXT} %y = evm.mload %p : u256 evm.sstore %y, %y evm.stop");
        assert_eq!(moves_left(&text), STAYS);
    }

    #[test]
    fn functions_that_borrow_or_keep_it() {
        let read = "%y = evm.icall @read(%p) : u256";
        assert_eq!(moves_left(&format!("evm.mstore %at, %q {read} {NEXT} evm.sstore %y, %y evm.stop")), GONE);
        assert_eq!(
            moves_left(&format!("evm.mstore %at, %q {NEXT} {read} evm.sstore %y, %y evm.stop")),
            STAYS
        );
        assert_eq!(moves_left(&format!("evm.mstore %at, %q evm.icall @keep(%p) {NEXT} evm.stop")), STAYS);
    }

    #[test]
    fn what_a_function_makes_of_it_is_part_of_it() {
        let end = "%end = evm.icall @end_of(%p, %word) : u256";
        let read = "%y = evm.mload %end : u256";
        let used = "evm.sstore %y, %y evm.stop";
        assert_eq!(moves_left(&format!("{end} evm.mstore %at, %q {read} {NEXT} {used}")), GONE);
        assert_eq!(moves_left(&format!("{end} evm.mstore %at, %q {NEXT} {read} {used}")), STAYS);
        // How far it moves the pointer is not seen.
        assert_eq!(moves_left(&format!("{end} {read} evm.mstore %at, %end {NEXT} {used}")), STAYS);
    }

    #[test]
    fn sizes_that_a_check_may_refuse() {
        let moved = |size: &str| format!("{size} %e = evm.add %p, %n : u256 evm.mstore %at, %e evm.stop");
        assert_eq!(moves_left(&moved("%n = evm.calldatasize : u256")), GONE);
        assert_eq!(moves_left(&moved("%n = evm.calldataload %word : u256")), STAYS);
    }

    #[test]
    fn moves_that_take_back_others() {
        let there_and_back = |by: &str| {
            format!("{by} %far = evm.add %p, %n : u256 evm.mstore %at, %far evm.mstore %at, %p evm.stop")
        };
        assert_eq!(moves_left(&there_and_back("%n = evm.calldatasize : u256")), GONE);
        assert_eq!(moves_left(&there_and_back("%n = evm.calldataload %word : u256")), STAYS + 1);
    }

    #[test]
    fn functions_that_use_free_memory() {
        let hash = "%h = evm.icall @hash_at_free(%x) : u256";
        let used = "%y = evm.mload %p : u256 evm.sstore %y, %h evm.stop";
        assert_eq!(moves_left(&format!("evm.mstore %at, %q {hash} {used}")), STAYS);
        assert_eq!(
            moves_left(&format!("evm.mstore %at, %q evm.sstore %p, %x {hash} evm.sstore %h, %h evm.stop")),
            STAYS
        );
        assert_eq!(moves_left(&format!("evm.mstore %at, %q {hash} evm.sstore %h, %h evm.stop")), GONE);
    }

    #[test]
    fn differences_of_one_buffer_say_nothing_of_where_it_lies() {
        let length = "%d = evm.sub %q, %p : u256";
        assert_eq!(
            moves_left(&format!("{length} evm.mstore %at, %q {NEXT} evm.sstore %d, %d evm.stop")),
            GONE
        );
        let other =
            format!("evm.mstore %at, %q {NEXT} %d = evm.sub %n, %p : u256 evm.sstore %d, %d evm.stop");
        assert_eq!(moves_left(&other), STAYS);
        let order = format!("evm.mstore %at, %q {NEXT} %d = evm.lt %p, %n : bool evm.sstore %d, %d evm.stop");
        assert_eq!(moves_left(&order), STAYS);
    }

    #[test]
    fn one_of_two_buffers_in_a_variable() {
        let text = format!(
            "evm.mstore %at, %q {NEXT} evm.condbr %x, ^a(%p), ^a(%n)
             ^a(%v : u256): %y = evm.mload %v : u256 evm.sstore %y, %y evm.stop"
        );
        assert_eq!(moves_left(&text), STAYS);
    }

    #[test]
    fn a_pointer_that_is_looked_at() {
        let look = |look: &str| moves_left(&format!("evm.mstore %at, %q {NEXT} {look} evm.stop"));
        assert_eq!(look(""), GONE);
        assert_eq!(look("evm.sstore %n, %x"), STAYS);
        assert_eq!(look("%d = evm.eq %n, %x : bool evm.sstore %zero, %d"), STAYS);
        assert_eq!(look("%h = evm.keccak256 %n, %n : u256 evm.sstore %zero, %h"), STAYS);
        let below = |limit: &str| {
            look(&format!("%k = evm.constant {limit} : u256 %d = evm.lt %n, %k : bool evm.sstore %zero, %d"))
        };
        assert_eq!((below("0x101"), below("0xffffffffffffffff")), (STAYS, GONE));
        assert_eq!(look("evm.icall @keep(%n)"), STAYS);
        assert_eq!(look("%y = evm.icall @read(%n) : u256 evm.sstore %zero, %y"), GONE);
        assert_eq!(look("evm.log0 %zero, %at"), GONE);
        assert_eq!(look("%k = evm.constant 65 : u256 evm.log0 %zero, %k"), STAYS);
        assert_eq!(look("%k = evm.constant 33 : u256 %y = evm.mload %k : u256 evm.sstore %zero, %y"), STAYS);
        let copied = |length: &str| {
            look(&format!(
                "%k = evm.calldatasize : u256 evm.calldatacopy %zero, %zero, %k
                 %i = evm.keccak256 %zero, {length} : u256 evm.mstore %at, %n evm.sstore %zero, %i"
            ))
        };
        assert_eq!((copied("%k"), copied("%x")), (GONE + 1, STAYS + 1));
        let stored = |stored: &str| {
            let read = "%k = evm.constant 96 : u256 %i = evm.keccak256 %zero, %k : u256";
            look(&format!("evm.mstore %at, {stored} {read} evm.mstore %at, %n evm.sstore %zero, %i"))
        };
        assert_eq!((stored("%x"), stored("%n")), (GONE + 2, STAYS + 2));
        // It is where an object lies, as soon as one is allocated there.
        let allocated = "%m = evm.add %n, %word : u256 evm.mstore %at, %m evm.sstore %n, %x";
        assert_eq!(look(allocated), GONE + 1);
    }

    #[test]
    fn the_size_of_memory_is_looked_at() {
        let text = format!("evm.mstore %at, %q {NEXT} %m = evm.msize : u256 evm.sstore %m, %m evm.stop");
        assert_eq!(moves_left(&text), STAYS);
    }
}
