//! `relocate-buffers`: builds what is hashed or logged in scratch memory.
//!
//! ```text
//! %p = evm.mload 64                    (dead)
//! evm.mstore %p, %x              =>    evm.mstore 0, %x
//! %q = evm.add %p, 32                  (dead)
//! evm.mstore %q, %y                    evm.mstore 32, %y
//! evm.log1 %p, 64, %topic              evm.log1 0, 64, %topic
//! ```
//!
//! *Scratch* is the first [`SCRATCH`] bytes of memory. A *buffer* is what `keccak256` or a log reads, if that
//! lies in allocated or free memory and is no larger than scratch. It is built in scratch if
//!
//! * the stores before, in the same block, give each of its bytes and write nothing else, and nothing else
//!   touches memory in between;
//! * nobody reads the bytes of these stores later where they were, before they are written again;
//! * nobody reads later what is in scratch without writing it before: the demand behind the reader says
//!   both ([`dead_stores`](super::dead_stores)), in callers too.
//!
//! Relies on A3, A14 and A17 (docs/assumptions.md). Does nothing in a module that reads the size of memory, or
//! that does not keep the pointer to free memory.
//! Needs promotion, preserves blocks and promotion. Cost: as of `dead-stores`.

use super::dead_stores::demand::{Demand, Flow, is_return};
use super::relocate_output::touches_memory;
use crate::edit::constant_before;
use crate::memory::{Heap, Place, Region};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{CallGraph, Cfg, FuncEffects, callgraph};
use cairn_evm::{Opcode, Word};
use cairn_ir::{EntityRef, Func, Function, Inst, Module, Op, SecondaryMap};

/// Bytes of memory for whoever needs them for a short time.
const SCRATCH: u64 = 64;

/// Bytes that `mstore` writes.
const WORD: u64 = 32;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "relocate-buffers",
    summary: "builds what is hashed or logged in scratch memory",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let keeps_pointer = cx.summaries.heap.free_from.is_some_and(|least| least >= SCRATCH);
    if cx.summaries.observes_msize || !keeps_pointer || cx.summaries.own_memory < SCRATCH {
        return Changed::No;
    }
    let cfgs = Cfg::compute_all(module);
    let graph = CallGraph::compute_with(module, &cfgs);
    let effects = FuncEffects::compute_with(module, &graph, &cfgs);
    let mut demands: SecondaryMap<Func, Demand> = SecondaryMap::with_default(Demand::all());
    let (options, heap) = (cx.options, cx.summaries.heap);
    for id in graph.bottom_up().filter(|id| !graph.is_recursive(*id)) {
        let flow = Flow { options, heap, graph: &graph, effects: &effects, demands: &demands };
        let starts = flow.solve(&module.funcs[id], &cfgs[id.index()], &Demand::default());
        demands[id] = starts[module.funcs[id].layout.entry().index()].clone();
    }
    let flow = Flow { options, heap, graph: &graph, effects: &effects, demands: &demands };
    let mut at_return: SecondaryMap<Func, Demand> = SecondaryMap::new();
    let mut changed = false;
    for id in graph.bottom_up().rev() {
        if graph.is_recursive(id) {
            at_return[id] = Demand::all();
        }
        let buffers = find_buffers(&module.funcs[id], id, &cfgs[id.index()], &flow, &mut at_return);
        changed |= !buffers.is_empty();
        buffers.iter().for_each(|buffer| relocate(&mut module.funcs[id], buffer));
    }
    Changed::from(changed)
}

/// What an instruction reads, and the stores that write it.
struct Buffer {
    reader: Inst,
    /// With their distances from the beginning of the buffer.
    stores: Vec<(Inst, u64)>,
}

/// The buffers of a function that may be elsewhere. Adds what it demands behind calls to what the called
/// functions return to.
fn find_buffers(
    func: &Function,
    id: Func,
    cfg: &Cfg,
    flow: &Flow<'_>,
    at_return: &mut SecondaryMap<Func, Demand>,
) -> Vec<Buffer> {
    let returns = cfg.rpo().iter().any(|block| is_return(func, *block));
    let own = if returns { at_return[id].clone() } else { Demand::default() };
    let starts = flow.solve(func, cfg, &own);
    let mut found = Vec::new();
    for block in cfg.rpo() {
        let mut demand = flow.demand_behind(func, *block, &starts, &own);
        for inst in func.layout.insts_rev(*block) {
            if let Some(callee) = callgraph::callee(func, inst) {
                let mut behind = demand.clone();
                behind.pass_definition(func, flow.heap, |_| true);
                at_return[callee].join(func, flow.heap, &behind);
            }
            found.extend(buffer_of(func, inst, flow.heap).filter(|buffer| {
                let is_wanted = |region: Region| demand.wants(func, flow.heap, &region);
                !regions(func, buffer).any(is_wanted)
            }));
            flow.pass_inst(func, inst, &mut demand);
        }
    }
    found
}

/// What is written otherwise if a buffer is elsewhere: where it was, and scratch.
fn regions<'a>(func: &'a Function, buffer: &'a Buffer) -> impl Iterator<Item = Region> + 'a {
    buffer.stores.iter().flat_map(|(store, from)| {
        let places = [Place::of(func, func.dfg.args(*store)[0]), Place::at(Word::from(*from))];
        places.map(|place| Region { place, length: Some(Word::from(WORD)) })
    })
}

/// The buffer that an instruction reads, if the stores before it write all of it.
fn buffer_of(func: &Function, reader: Inst, heap: Heap) -> Option<Buffer> {
    let Op::Evm(Opcode::KECCAK256 | Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4) =
        func.dfg.op(reader)
    else {
        return None;
    };
    let args = func.dfg.args(reader);
    let length = func.dfg.as_const(args[1])?;
    let length = u64::try_from(length).ok().filter(|length| (1..=SCRATCH).contains(length))?;
    let start = Place::of(func, args[0]);
    heap.least(func, start.base.expand()?)?;
    let mut buffer = Buffer { reader, stores: Vec::new() };
    let mut is_stored = [false; SCRATCH as usize];
    let mut next = func.layout.prev_inst(reader);
    while is_stored[..length as usize].contains(&false) {
        let inst = next?;
        next = func.layout.prev_inst(inst);
        match func.dfg.op(inst) {
            Op::Evm(Opcode::MSTORE) => {
                let from = distance(Place::of(func, func.dfg.args(inst)[0]), start)?;
                is_stored[from as usize..][..WORD as usize].fill(true);
                buffer.stores.push((inst, from));
            }
            Op::Icall => return None,
            op if touches_memory(op) => return None,
            _ => {}
        }
    }
    Some(buffer)
}

/// How far a word lies behind the beginning of a buffer, if it fits into scratch there.
fn distance(at: Place, start: Place) -> Option<u64> {
    let ahead = u64::try_from(at.offset.wrapping_sub(start.offset)).ok()?;
    (at.base == start.base && ahead <= SCRATCH - WORD).then_some(ahead)
}

fn relocate(func: &mut Function, buffer: &Buffer) {
    for (store, from) in &buffer.stores {
        func.dfg.args_mut(*store)[0] = constant_before(func, *store, Word::from(*from));
    }
    func.dfg.args_mut(buffer.reader)[0] = constant_before(func, buffer.reader, Word::ZERO);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::pipeline::pass;
    use crate::runner::{Hooks, run_passes};
    use crate::testing::{POINTER_SET, body, parse};

    /// The function of the texts, and one that it may call.
    const ENTRY: u32 = 0;
    const LOG_IT: u32 = 2;

    /// True if the buffer of the text, which hashes or logs what is at `%p`, is built in scratch. `%p` is
    /// the pointer to free memory, `%q` the word behind it.
    fn goes(text: &str) -> bool {
        goes_in(ENTRY, text)
    }

    fn goes_in(func: u32, text: &str) -> bool {
        let mut module = parse(&format!(
            "module @m {{
             func @__entry() {{
               {POINTER_SET}
               %two = evm.constant 64 : u256
               %q = evm.add %p, %word : u256
               {text} }}
             func @read(%at : u256) -> u256 {{
             ^e:
               %y = evm.mload %at : u256
               evm.iret %y
             }}
             func @log_it(%x : u256) {{
             ^e:
               %k = evm.constant 64 : u256
               %n = evm.constant 32 : u256
               %b = evm.mload %k : u256
               evm.mstore %b, %x
               evm.log0 %b, %n
               evm.iret
             }} }}"
        ));
        module.record_reserved();
        let passes =
            ["promote", "free-pointer", "relocate-buffers"].map(|name| *pass(name).expect("it exists"));
        let before = module.clone();
        run_passes(&mut module, &passes, &Options::default(), Hooks::default()).expect("no hook rejects");
        let id = Func::from_u32(func);
        let zeros = |module: &Module| body(module, id).matches("constant 0").count();
        zeros(&before) != zeros(&module)
    }

    const LOGGED: &str = "evm.mstore %p, %x evm.mstore %q, %zero evm.log1 %p, %two, %x";

    #[test]
    fn what_is_logged_or_hashed_goes() {
        assert!(goes(&format!("{LOGGED} evm.stop")));
        assert!(goes("evm.mstore %p, %x %h = evm.keccak256 %p, %word : u256 evm.sstore %h, %x evm.stop"));
    }

    #[test]
    fn what_is_read_again_stays() {
        assert!(!goes(&format!("{LOGGED} %y = evm.mload %q : u256 evm.sstore %y, %x evm.stop")));
        assert!(!goes(&format!("{LOGGED} %y = evm.mload %x : u256 evm.sstore %y, %x evm.stop")));
        assert!(!goes(&format!("{LOGGED} %y = evm.icall @read(%p) : u256 evm.sstore %y, %x evm.stop")));
    }

    #[test]
    fn scratch_that_is_in_use_stays() {
        let scratch = "evm.mstore %zero, %x";
        let read = "%y = evm.mload %zero : u256 evm.sstore %y, %x evm.stop";
        assert!(!goes(&format!("{scratch} {LOGGED} {read}")));
        assert!(goes(&format!("{scratch} {LOGGED} {scratch} evm.mstore %word, %x {read}")));
        assert!(!goes(&format!(
            "{scratch} {LOGGED} %y = evm.icall @read(%zero) : u256 evm.sstore %y, %x evm.stop"
        )));
    }

    #[test]
    fn callers_may_use_scratch() {
        let call = "evm.icall @log_it(%x)";
        assert!(goes_in(LOG_IT, &format!("{call} evm.stop")));
        assert!(!goes_in(
            LOG_IT,
            &format!("evm.mstore %zero, %x {call} %y = evm.mload %zero : u256 evm.sstore %y, %x evm.stop")
        ));
        assert!(goes_in(
            LOG_IT,
            &format!(
                "evm.mstore %zero, %x {call} evm.mstore %zero, %x %y = evm.mload %zero : u256 evm.sstore %y, %x evm.stop"
            )
        ));
    }

    #[test]
    fn bytes_that_are_not_stored_and_what_is_between_stay() {
        assert!(!goes("evm.mstore %p, %x evm.log1 %p, %two, %x evm.stop"));
        assert!(!goes("evm.mstore %q, %x evm.log1 %p, %two, %x evm.stop"));
        assert!(!goes(
            "evm.mstore %p, %x %y = evm.mload %x : u256 evm.mstore %q, %y evm.log1 %p, %two, %x evm.stop"
        ));
        assert!(!goes(
            "evm.mstore %p, %x evm.mstore %zero, %x evm.mstore %q, %x evm.log1 %p, %two, %x evm.stop"
        ));
    }
}
