//! Moves stores of a function's first block to where their word may be read.
//!
//! ```text
//! ^e:                                  ^e:
//!   evm.mstore 64, 128                   evm.condbr %c, ^a, ^b
//!   evm.condbr %c, ^a, ^b              ^a:
//! ^a:                            =>      evm.stop
//!   evm.stop                           ^b:
//! ^b:                                    evm.mstore 64, 128
//!   %p = evm.mload 64                    %p = evm.mload 64
//! ```
//!
//! Solidity stores the pointer to free memory first of all, and many functions never look at it.
//!
//! A store of a known word at a known address moves along edges to blocks with one predecessor, as
//! long as no instruction on the way reads or writes there, and is gone on the others where the
//! *demand* does not hold its word. Of the places that this allows those are taken that cost least
//! for the expected executions: gas by frequency, and bytes for each copy.

use super::{Demand, Flow, written};
use crate::copied::insts_behind;
use crate::cost;
use crate::memory::Region;
use cairn_analysis::{Cfg, Frequency, callgraph};
use cairn_evm::Cost;
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, EntityRef, Function, Inst, Op, Payload, Value};

/// Gas of memory that need not grow where nothing is stored.
const GROWTH_GAS: u64 = 3;
/// Stores of a function that are looked at.
const MAX_STORES: usize = 8;

/// Sinks stores of the first block that nothing behind them in it may see.
pub(super) fn run(flow: &Flow<'_>, func: &mut Function, cfg: &Cfg, starts: &[Demand]) -> bool {
    let entry = func.layout.entry();
    if !cfg.preds(entry).is_empty() {
        return false;
    }
    let mut changed = false;
    let insts = func.layout.insts_rev(entry);
    let stores = insts.filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::MSTORE)).take(MAX_STORES);
    for inst in stores.collect::<Vec<Inst>>() {
        let Some(places) = Sinking::of(flow, func, cfg, starts, inst).and_then(|sinking| sinking.places())
        else {
            continue;
        };
        places.iter().for_each(|block| copy_to(func, inst, *block));
        func.layout.remove_inst(inst);
        changed = true;
    }
    changed
}

/// A store that may move.
struct Sinking<'a> {
    flow: &'a Flow<'a>,
    func: &'a Function,
    cfg: &'a Cfg,
    starts: &'a [Demand],
    store: Inst,
    region: Region,
}

/// A block that the store may move to, or through.
struct Node {
    block: Block,
    /// Indices of the nodes that it moves on to; none where it ends at the latest.
    next: Vec<usize>,
}

impl Sinking<'_> {
    /// An `mstore`, if it is of a known word at a known address and may move to the end of the block.
    fn of<'a>(
        flow: &'a Flow<'a>,
        func: &'a Function,
        cfg: &'a Cfg,
        starts: &'a [Demand],
        store: Inst,
    ) -> Option<Sinking<'a>> {
        let [address, value] = *func.dfg.args(store) else {
            return None;
        };
        let is_known = func.dfg.as_const(address).is_some()
            && (func.dfg.as_const(value).is_some() || heap_base(func, value).is_some());
        if !is_known {
            return None;
        }
        let sinking = Sinking { flow, func, cfg, starts, store, region: written(func, store) };
        (!insts_behind(func, store).any(|inst| sinking.is_met(inst))).then_some(sinking)
    }

    /// True when the store must stay before the instruction.
    fn is_met(&self, inst: Inst) -> bool {
        let touches = Effects::READ_MEMORY | Effects::WRITE_MEMORY;
        if let Some(callee) = callgraph::callee(self.func, inst) {
            let effects = self.flow.effects.of_func(callee);
            let reads = effects.contains(Effects::READ_MEMORY)
                && self.flow.demands[callee].wants(self.func, self.flow.heap, &self.region);
            let writes = effects.contains(Effects::WRITE_MEMORY) && self.flow.graph.ends(callee).can_return();
            return reads || writes;
        }
        let Op::Evm(opcode) = self.func.dfg.op(inst) else {
            return self.func.dfg.op(inst).effects().intersects(touches);
        };
        let regions = [memory_read(opcode), memory_write(opcode)];
        regions.into_iter().flatten().any(|region| {
            Region::of(self.func, inst, region).may_overlap(self.func, self.flow.heap, &self.region)
        })
    }

    fn is_wanted_in(&self, block: Block) -> bool {
        self.starts[block.index()].wants(self.func, self.flow.heap, &self.region)
    }

    /// Blocks at whose starts the store stands best; `None` if that is where it is.
    fn places(&self) -> Option<Vec<Block>> {
        let nodes = self.tree();
        if nodes[0].next.is_empty() {
            return None;
        }
        let frequency = Frequency::compute(self.func, self.cfg, Some(self.flow.graph));
        let cost: Cost = cost::of_inst(self.func, self.store, self.flow.options.fork);
        let bytes = cost.bytes as f64 * self.flow.options.gas_per_byte();
        let gas = (cost.gas + GROWTH_GAS) as f64;
        let mut costs = vec![0.0; nodes.len()];
        let mut stays = vec![true; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            let here = frequency.of(node.block) * gas + bytes;
            let further: f64 = node.next.iter().map(|next| costs[*next]).sum();
            stays[index] = node.next.is_empty() || here <= further;
            costs[index] = if stays[index] { here } else { further };
        }
        let mut places = Vec::new();
        let mut work = vec![0];
        while let Some(index) = work.pop() {
            match stays[index] {
                true => places.push(nodes[index].block),
                false => work.extend(&nodes[index].next),
            }
        }
        (!stays[0]).then_some(places)
    }

    /// The blocks that the store can reach, each before those it moves on to.
    fn tree(&self) -> Vec<Node> {
        let entry = self.func.layout.entry();
        let mut nodes = vec![Node { block: entry, next: Vec::new() }];
        let mut at = 0;
        while at < nodes.len() {
            let block = nodes[at].block;
            let is_through = block == entry || !self.func.layout.insts(block).any(|inst| self.is_met(inst));
            let next = if is_through { self.wanting_successors(block) } else { None };
            for block in next.into_iter().flatten() {
                let index = nodes.len();
                nodes[at].next.push(index);
                nodes.push(Node { block, next: Vec::new() });
            }
            at += 1;
        }
        nodes
    }

    /// The successors that may read the word; `None` if not all of them can have a store of their own.
    fn wanting_successors(&self, block: Block) -> Option<Vec<Block>> {
        let mut found = Vec::new();
        let mut is_alone = true;
        self.func.for_each_successor(block, |next| {
            if self.is_wanted_in(next) {
                is_alone &= self.cfg.preds(next) == [block];
                found.push(next);
            }
        });
        is_alone.then_some(found)
    }
}

/// The end of reserved memory that a value is.
fn heap_base(func: &Function, value: Value) -> Option<Value> {
    let inst = func.dfg.def_inst(value).filter(|inst| func.dfg.op(*inst) == Op::PtrToInt)?;
    let base = func.dfg.args(inst)[0];
    func.dfg.def_inst(base).filter(|inst| func.dfg.op(*inst) == Op::HeapBase)?;
    Some(base)
}

/// The same store at the start of a block.
fn copy_to(func: &mut Function, store: Inst, block: Block) {
    let loc = func.dfg.inst(store).loc;
    let [address, value] = *func.dfg.args(store) else {
        unreachable!("invariant: an mstore has two operands");
    };
    let base = heap_base(func, value).map(|base| {
        let inst = func.dfg.make_inst(Op::PtrToInt, &[base], Payload::None);
        let copied = func.dfg.append_result(inst, func.dfg.ty(value));
        (inst, copied)
    });
    let copied = base.map_or(value, |(_, copied)| copied);
    let copy = func.dfg.make_inst(Op::Evm(Opcode::MSTORE), &[address, copied], Payload::None);
    for inst in std::iter::once(copy).chain(base.map(|(inst, _)| inst)) {
        func.dfg.inst_mut(inst).loc = loc;
        func.layout.prepend_inst(inst, block);
    }
}

#[cfg(test)]
mod tests {
    use super::super::run as dead_stores;
    use crate::testing::{body, lines, parse, run_module_pass};
    use cairn_ir::Func;

    const HEAD: &str = "^e:
           %a = evm.constant 0 : u256
           %k = evm.constant 64 : u256
           %v = evm.constant 128 : u256";

    /// What becomes of a function with this body behind some constants; `%x` and `%y` are its
    /// parameters, `@reads` looks at the word at 64, `@writes` stores somewhere and `@fails` does
    /// not come back.
    fn after(text: &str) -> String {
        let module = format!(
            "module @m {{ func @f(%x : u256, %y : u256) {{ {HEAD} {text} }}
             func @reads() {{ ^e: %k = evm.constant 64 : u256 %w = evm.mload %k : u256 evm.sstore %w, %w evm.iret }}
             func @writes(%p : u256) {{ ^e: evm.mstore %p, %p evm.iret }}
             func @fails(%p : u256) {{ ^e: %z = evm.constant 0 : u256 evm.mstore %z, %p evm.revert %z, %z }} }}"
        );
        let mut module = parse(&module);
        run_module_pass(&mut module, dead_stores);
        body(&module, Func::from_u32(0))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(after(text), lines(&format!("{HEAD}\n{expected}")));
    }

    #[test]
    fn a_store_goes_where_it_is_read() {
        check(
            "evm.mstore %k, %v
             evm.condbr %x, ^stop, ^more
             ^stop: evm.stop
             ^more: evm.condbr %y, ^read, ^other
             ^other: evm.return %a, %a
             ^read: %w = evm.mload %k : u256 evm.sstore %w, %x evm.stop",
            "evm.condbr %x, ^stop, ^more
             ^stop:
             evm.stop
             ^more:
             evm.condbr %y, ^read, ^other
             ^other:
             evm.return %a, %a
             ^read:
             evm.mstore %k, %v
             %w = evm.mload %k : u256
             evm.sstore %w, %x
             evm.stop",
        );
    }

    #[test]
    fn the_end_of_reserved_memory_goes_along() {
        let text = after(
            "%h = evm.heap_base 128 : ptr<0> %p = evm.ptrtoint %h : u256 evm.mstore %k, %p
             evm.condbr %x, ^stop, ^read
             ^stop: evm.stop
             ^read: evm.icall @reads() evm.stop",
        );
        let copy = "^read:\n%0 = evm.ptrtoint %h : u256\nevm.mstore %k, %0\nevm.icall @reads()";
        assert!(text.contains(copy) && text.matches("mstore").count() == 1, "{text}");
    }

    /// Texts whose store stays in the first block.
    #[track_caller]
    fn stays(text: &str) {
        check(text, text);
    }

    #[test]
    fn what_is_read_on_every_way_stays() {
        stays(
            "evm.mstore %k, %v
             evm.condbr %x, ^one, ^two
             ^one:
             %w = evm.mload %k : u256
             evm.sstore %w, %x
             evm.stop
             ^two:
             evm.return %a, %v",
        );
    }

    #[test]
    fn a_block_behind_several_stays_behind_one_store() {
        stays(
            "evm.mstore %k, %v
             evm.condbr %x, ^one, ^two
             ^one:
             evm.condbr %y, ^read, ^stop
             ^two:
             evm.br ^read
             ^stop:
             evm.stop
             ^read:
             %w = evm.mload %k : u256
             evm.sstore %w, %x
             evm.stop",
        );
    }

    #[test]
    fn a_store_before_a_loop_stays_before_it() {
        let text = after(
            "evm.mstore %k, %v
             evm.condbr %x, ^stop, ^loop
             ^stop: evm.stop
             ^loop: %w = evm.mload %k : u256 evm.mstore %k, %y evm.sstore %w, %x evm.condbr %w, ^loop, ^stop",
        );
        assert!(text.starts_with(&lines(&format!("{HEAD}\nevm.mstore %k, %v"))), "{text}");
    }

    #[test]
    fn what_reads_or_writes_there_behind_it_holds_it() {
        for between in [
            "evm.mstore8 %k, %x",
            "evm.mstore %x, %y",
            "%r = evm.mload %x : u256",
            "evm.icall @reads()",
            "evm.icall @writes(%x)",
        ] {
            let text = format!(
                "evm.mstore %k, %v\n{between}
                 evm.condbr %x, ^stop, ^read
                 ^stop:
                 evm.stop
                 ^read:
                 %w = evm.mload %k : u256
                 evm.sstore %w, %x
                 evm.stop"
            );
            let text = after(&text);
            assert!(text.starts_with(&lines(&format!("{HEAD}\nevm.mstore %k, %v\n{between}"))), "{text}");
        }
    }

    #[test]
    fn a_call_holds_it_in_a_later_block() {
        let text = after(
            "evm.mstore %k, %v
             evm.condbr %x, ^stop, ^call
             ^stop: evm.stop
             ^call: evm.icall @writes(%x) evm.condbr %y, ^stop2, ^read
             ^stop2: evm.stop
             ^read: %w = evm.mload %k : u256 evm.sstore %w, %x evm.stop",
        );
        assert!(text.contains("^call:\nevm.mstore %k, %v\nevm.icall @writes"), "{text}");
    }

    #[test]
    fn a_call_that_fails_does_not_want_it() {
        let text = after(
            "evm.mstore %k, %v
             evm.condbr %x, ^fail, ^more
             ^fail: evm.icall @fails(%x) evm.unreachable
             ^more: evm.icall @reads() evm.stop",
        );
        assert!(text.contains("^more:\nevm.mstore %k, %v\nevm.icall @reads"), "{text}");
        assert!(text.contains("^fail:\nevm.icall @fails"), "{text}");
    }

    #[test]
    fn returning_wants_it() {
        let text = after(
            "evm.mstore %k, %v
             evm.condbr %x, ^stop, ^back
             ^stop: evm.stop
             ^back: evm.iret",
        );
        assert!(text.contains("^back:\nevm.mstore %k, %v\nevm.iret"), "{text}");
    }

    #[test]
    fn many_copies_cost_more_than_they_save() {
        let arm =
            |name: &str| format!("^{name}: %{name} = evm.mload %k : u256 evm.sstore %{name}, %x evm.stop\n");
        let text = after(&format!(
            "evm.mstore %k, %v
             evm.condbr %x, ^a, ^b
             ^a: evm.condbr %y, ^aa, ^ab
             ^b: evm.condbr %y, ^ba, ^bb
             {}{}{}^bb: evm.stop",
            arm("aa"),
            arm("ab"),
            arm("ba"),
        ));
        assert_eq!(text.matches("evm.mstore").count(), 1, "{text}");
    }

    #[test]
    fn stores_keep_their_order() {
        let text = after(
            "%m = evm.constant 80 : u256 evm.mstore %k, %v evm.mstore %m, %v
             evm.condbr %x, ^stop, ^read
             ^stop: evm.stop
             ^read: %w = evm.mload %k : u256 %u = evm.mload %m : u256 evm.sstore %w, %u evm.stop",
        );
        assert!(text.contains("^read:\nevm.mstore %k, %v\nevm.mstore %m, %v\n"), "{text}");
    }
}
