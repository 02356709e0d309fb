//! The call graph of a module: who calls whom, cycles, and how each function can end.
//!
//! Calls from unreachable blocks are left out. A function is *recursive* if it can call itself,
//! directly or through others. Orders are deterministic: by function id where nothing else says.

use crate::cfg::{Cfg, reachable_blocks};
use cairn_evm::{Effects, Opcode};
use cairn_ir::{EntityRef, Func, Function, Inst, Module, Op, Payload};
use cranelift_entity::SecondaryMap;

bitflags::bitflags! {
    /// The ways in which a call of a function can end: four separate facts, each 'may'. No bit
    /// means that the function is never left except by running out of gas.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Ends: u8 {
        /// Control can come back to the caller.
        const RETURN = 1 << 0;
        /// The frame can fail: `revert`, `invalid`, an operation that fails.
        const REVERT = 1 << 1;
        /// The frame can end successfully: `stop`, `return`, `selfdestruct`.
        const STOP = 1 << 2;
        /// It may run forever: it has a loop, is recursive, or calls such a function.
        const DIVERGE = 1 << 3;
    }
}

impl Ends {
    /// True when control can come back to the caller.
    pub fn can_return(self) -> bool {
        self.contains(Ends::RETURN)
    }

    /// True when a call surely comes back, gas permitting.
    pub fn always_returns(self) -> bool {
        self == Ends::RETURN
    }

    /// True when a call can do nothing but fail (or run out of gas).
    pub fn only_fails(self) -> bool {
        !self.intersects(Ends::RETURN | Ends::STOP)
    }
}

/// What an operation that is not `icall` can do to the control of its frame, besides continuing.
fn op_ends(op: Op) -> Ends {
    match op {
        Op::Evm(Opcode::STOP | Opcode::RETURN | Opcode::SELFDESTRUCT) | Op::ReturnValue => Ends::STOP,
        Op::Iret => Ends::RETURN,
        Op::Verbatim => Ends::REVERT | Ends::STOP | Ends::DIVERGE,
        _ if op.effects().intersects(Effects::HALT | Effects::MAY_FAIL) => Ends::REVERT,
        _ => Ends::empty(),
    }
}

#[derive(Clone, Debug, Default)]
struct Node {
    callees: Box<[Func]>,
    callers: Vec<Func>,
    call_sites: u32,
    component: u32,
    is_recursive: bool,
    ends: Ends,
}

/// The call graph of one module (nested modules are separate code and have their own).
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    nodes: SecondaryMap<Func, Node>,
    components: Vec<Vec<Func>>,
}

impl CallGraph {
    /// Scans every function.
    pub fn compute(module: &Module) -> CallGraph {
        CallGraph::compute_with(module, &Cfg::compute_all(module))
    }

    /// The same when the functions' control-flow graphs are known.
    pub fn compute_with(module: &Module, cfgs: &[Cfg]) -> CallGraph {
        let mut graph = CallGraph::default();
        graph.nodes.resize(module.funcs.len());
        let mut bodies = Bodies::default();
        let mut called: Vec<Func> = Vec::new();
        for (caller, func) in &module.funcs {
            called.extend(bodies.add(func, &cfgs[caller.index()]).map(|(_, callee)| *callee));
            called.iter().for_each(|callee| graph.nodes[*callee].call_sites += 1);
            called.sort_unstable();
            called.dedup();
            called.iter().for_each(|callee| graph.nodes[*callee].callers.push(caller));
            graph.nodes[caller].callees = called.as_slice().into();
            called.clear();
        }
        graph.compute_components(module);
        graph.compute_ends(&bodies, cfgs);
        graph
    }

    /// Functions that `func` calls, each once, by id.
    pub fn callees(&self, func: Func) -> &[Func] {
        &self.nodes[func].callees
    }

    /// Functions that call `func`, each once, by id.
    pub fn callers(&self, func: Func) -> &[Func] {
        &self.nodes[func].callers
    }

    /// Number of instructions that call `func`.
    pub fn call_sites(&self, func: Func) -> u32 {
        self.nodes[func].call_sites
    }

    /// True when two activations of `func` can exist at once.
    pub fn is_recursive(&self, func: Func) -> bool {
        self.nodes[func].is_recursive
    }

    /// True when the functions can call each other (or are the same).
    pub fn in_same_cycle(&self, a: Func, b: Func) -> bool {
        self.nodes[a].component == self.nodes[b].component
    }

    /// How a call of `func` can end.
    pub fn ends(&self, func: Func) -> Ends {
        self.nodes[func].ends
    }

    /// Strongly connected components, callees before callers; functions of one by id.
    pub fn components(&self) -> &[Vec<Func>] {
        &self.components
    }

    /// All functions, callees before callers as far as there are no cycles.
    pub fn bottom_up(&self) -> impl DoubleEndedIterator<Item = Func> + '_ {
        self.components.iter().flatten().copied()
    }

    /// Functions that can be called starting from `entry`, itself included, by id.
    pub fn reachable_from(&self, entry: Func) -> Vec<Func> {
        closure(entry, |func, callees| callees.extend(self.callees(func)))
    }

    /// Tarjan's algorithm with an explicit stack.
    fn compute_components(&mut self, module: &Module) {
        const UNSEEN: u32 = u32::MAX;
        let count = module.funcs.len();
        let mut index = vec![UNSEEN; count];
        let mut low = vec![UNSEEN; count];
        let mut on_stack = vec![false; count];
        let mut stack: Vec<Func> = Vec::new();
        let mut next_index = 0;
        let mut work = Vec::new();
        for root in module.funcs.keys() {
            work.push((root, 0usize));
            while let Some((func, edge)) = work.pop() {
                let at = func.index();
                if edge == 0 {
                    if index[at] != UNSEEN {
                        continue;
                    }
                    (index[at], low[at]) = (next_index, next_index);
                    next_index += 1;
                    stack.push(func);
                    on_stack[at] = true;
                } else {
                    let child = self.nodes[func].callees[edge - 1].index();
                    if on_stack[child] {
                        low[at] = low[at].min(low[child]);
                    }
                }
                if let Some(callee) = self.nodes[func].callees.get(edge) {
                    work.push((func, edge + 1));
                    if index[callee.index()] == UNSEEN {
                        work.push((*callee, 0));
                    }
                    continue;
                }
                if low[at] == index[at] {
                    let start = stack.iter().rposition(|other| *other == func);
                    let members = stack.split_off(start.expect("invariant: the root is on the stack"));
                    members.iter().for_each(|member| on_stack[member.index()] = false);
                    self.close_component(members);
                }
            }
        }
    }

    fn close_component(&mut self, mut members: Vec<Func>) {
        members.sort_unstable();
        for func in &members {
            let calls_itself = self.nodes[*func].callees.contains(func);
            let node = &mut self.nodes[*func];
            node.component = self.components.len() as u32;
            node.is_recursive = members.len() > 1 || calls_itself;
        }
        self.components.push(members);
    }

    /// Least fixed point, a component at a time; a function is looked at again when a callee in
    /// its own component changed.
    fn compute_ends(&mut self, bodies: &Bodies, cfgs: &[Cfg]) {
        let mut walk = Walk::default();
        let mut work = Vec::new();
        for component in 0..self.components.len() {
            work.extend_from_slice(&self.components[component]);
            while let Some(func) = work.pop() {
                let ends = self.ends_of(func, bodies.of(func), &cfgs[func.index()], &mut walk);
                if ends == self.nodes[func].ends {
                    continue;
                }
                self.nodes[func].ends = ends;
                let callers = self.nodes[func].callers.iter().copied();
                work.extend(callers.filter(|caller| self.nodes[*caller].component as usize == component));
            }
        }
    }

    /// Walks the blocks that control reaches when each call ends as known so far.
    fn ends_of(&self, func: Func, body: Body<'_>, cfg: &Cfg, walk: &mut Walk) -> Ends {
        let mut ends = Ends::empty();
        if self.nodes[func].is_recursive || cfg.has_cycle() {
            ends |= Ends::DIVERGE;
        }
        walk.begin(body.blocks.len());
        while let Some(index) = walk.next() {
            let BodyBlock { calls_end, rest } = body.blocks[index];
            let calls_start = index.checked_sub(1).map_or(body.calls_start, |at| body.blocks[at].calls_end);
            let mut falls_through = true;
            for (before, callee) in &body.calls[calls_start..calls_end] {
                let inner = self.nodes[*callee].ends;
                ends |= *before | (inner - Ends::RETURN);
                falls_through = inner.can_return();
                if !falls_through {
                    break;
                }
            }
            if falls_through {
                ends |= rest;
                let succs = cfg.succs(cfg.rpo()[index]).iter();
                walk.work.extend(succs.filter_map(|next| cfg.rpo_index(*next)));
            }
        }
        ends
    }
}

/// A walk over the blocks of a function, by place in reverse postorder.
#[derive(Default)]
struct Walk {
    seen: Vec<bool>,
    work: Vec<usize>,
}

impl Walk {
    /// Starts at the first block.
    fn begin(&mut self, num_blocks: usize) {
        self.seen.clear();
        self.seen.resize(num_blocks, false);
        self.work.clear();
        self.work.extend((num_blocks > 0).then_some(0));
    }

    /// A block that was not walked yet.
    fn next(&mut self) -> Option<usize> {
        loop {
            let index = self.work.pop()?;
            if !std::mem::replace(&mut self.seen[index], true) {
                return Some(index);
            }
        }
    }
}

/// What matters here of the instructions of all functions.
#[derive(Default)]
struct Bodies {
    /// Calls, function by function, in reverse postorder of their blocks, with how operations can end since
    /// the call before in the block.
    calls: Vec<(Ends, Func)>,
    /// Function by function, in reverse postorder.
    blocks: Vec<BodyBlock>,
    /// By function: where its calls and its blocks begin; they end where those of the next begin.
    starts: Vec<(usize, usize)>,
}

/// What matters of a function's instructions here.
struct Body<'a> {
    /// Calls of all functions.
    calls: &'a [(Ends, Func)],
    /// Where those of this one begin.
    calls_start: usize,
    blocks: &'a [BodyBlock],
}

#[derive(Clone, Copy)]
struct BodyBlock {
    /// Where the block's calls end in [`Bodies::calls`]; they begin where those of the block before end.
    calls_end: usize,
    /// How operations behind the last call can end.
    rest: Ends,
}

impl Bodies {
    /// Adds the next function; its calls.
    fn add(&mut self, func: &Function, cfg: &Cfg) -> impl Iterator<Item = &(Ends, Func)> {
        let calls_start = self.calls.len();
        self.starts.push((calls_start, self.blocks.len()));
        for block in cfg.rpo() {
            let mut rest = Ends::empty();
            for inst in func.layout.insts(*block) {
                match callee(func, inst) {
                    Some(callee) => self.calls.push((std::mem::take(&mut rest), callee)),
                    None => rest |= op_ends(func.dfg.op(inst)),
                }
            }
            self.blocks.push(BodyBlock { calls_end: self.calls.len(), rest });
        }
        self.calls[calls_start..].iter()
    }

    fn of(&self, func: Func) -> Body<'_> {
        let (calls_start, blocks_start) = self.starts[func.index()];
        let next = self.starts.get(func.index() + 1);
        let blocks_end = next.map_or(self.blocks.len(), |(_, blocks_start)| *blocks_start);
        Body { calls: &self.calls, calls_start, blocks: &self.blocks[blocks_start..blocks_end] }
    }
}

/// The function that an instruction calls, if it is an `icall`.
#[inline]
pub fn callee(func: &Function, inst: Inst) -> Option<Func> {
    match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
        (Op::Icall, Payload::Func(callee)) => Some(callee),
        _ => None,
    }
}

/// Functions that can be called starting from `entry`, itself included, by id. Cheaper than a
/// [`CallGraph`]: only they are looked at.
pub fn reachable_functions(module: &Module, entry: Func) -> Vec<Func> {
    closure(entry, |caller, callees| {
        let func = &module.funcs[caller];
        let is_reachable = reachable_blocks(func);
        for block in func.layout.blocks().filter(|block| is_reachable[block.index()]) {
            callees.extend(func.layout.insts(block).filter_map(|inst| callee(func, inst)));
        }
    })
}

/// The functions that calls lead to from `entry`, itself included, by id. `add_callees` appends what
/// a function calls, in any order and as often as it likes.
fn closure(entry: Func, mut add_callees: impl FnMut(Func, &mut Vec<Func>)) -> Vec<Func> {
    let mut seen: SecondaryMap<Func, bool> = SecondaryMap::new();
    let mut work = vec![entry];
    let mut found = Vec::new();
    while let Some(func) = work.pop() {
        if !std::mem::replace(&mut seen[func], true) {
            found.push(func);
            add_callees(func, &mut work);
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::Word;
    use cairn_ir::{FuncBuilder, Signature};

    enum Body {
        /// Calls these in order, then returns.
        Calls(&'static [usize]),
        /// Calls this one or returns.
        MaybeCalls(usize),
        Reverts,
        Stops,
        Loops,
    }

    fn module(bodies: &[Body]) -> Module {
        let mut module = Module::new("m");
        for body in bodies {
            let mut func = Function::new("f", Signature::default());
            let entry = func.make_block();
            func.layout.append_block(entry);
            let mut b = FuncBuilder::at(&mut func, entry);
            let zero = b.constant(Word::ZERO);
            match body {
                Body::Calls(callees) => {
                    for callee in *callees {
                        b.icall(Func::new(*callee), &Signature::default(), &[]);
                    }
                    b.iret(&[]);
                }
                Body::MaybeCalls(callee) => {
                    let (then, done) = (b.append_block(), b.append_block());
                    b.cond_br(zero, then, done);
                    b.switch_to(then);
                    b.icall(Func::new(*callee), &Signature::default(), &[]);
                    b.br(done, &[]);
                    b.switch_to(done);
                    b.iret(&[]);
                }
                Body::Reverts => {
                    b.evm(Opcode::REVERT, &[zero, zero]);
                }
                Body::Stops => {
                    b.evm(Opcode::STOP, &[]);
                }
                Body::Loops => {
                    b.br(entry, &[]);
                }
            }
            module.funcs.push(func);
        }
        module
    }

    fn ends(bodies: &[Body]) -> Vec<Ends> {
        let module = module(bodies);
        let graph = CallGraph::compute(&module);
        module.funcs.keys().map(|func| graph.ends(func)).collect()
    }

    #[test]
    fn edges_counts_and_order() {
        let module = module(&[Body::Calls(&[2, 1, 2]), Body::Calls(&[2]), Body::Calls(&[])]);
        let graph = CallGraph::compute(&module);
        let f = Func::new;
        assert_eq!(graph.callees(f(0)), [f(1), f(2)]);
        assert_eq!(graph.callers(f(2)), [f(0), f(1)]);
        assert_eq!(graph.call_sites(f(2)), 3);
        assert_eq!(graph.bottom_up().collect::<Vec<_>>(), [f(2), f(1), f(0)]);
        assert_eq!(graph.reachable_from(f(1)), [f(1), f(2)]);
        assert_eq!(reachable_functions(&module, f(1)), [f(1), f(2)]);
        assert!(!graph.is_recursive(f(0)) && !graph.in_same_cycle(f(0), f(1)));
    }

    #[test]
    fn cycles() {
        let graph = CallGraph::compute(&module(&[
            Body::Calls(&[1]),
            Body::MaybeCalls(2),
            Body::MaybeCalls(1),
            Body::MaybeCalls(3),
        ]));
        let f = Func::new;
        assert_eq!(graph.components(), [vec![f(1), f(2)], vec![f(0)], vec![f(3)]]);
        let recursive: Vec<bool> = (0..4).map(|index| graph.is_recursive(f(index))).collect();
        assert_eq!(recursive, [false, true, true, true]);
        assert!(graph.in_same_cycle(f(1), f(2)) && !graph.in_same_cycle(f(0), f(1)));
    }

    #[test]
    fn a_call_that_never_returns_hides_what_follows() {
        let found = ends(&[Body::Calls(&[1, 2]), Body::Reverts, Body::Stops]);
        assert_eq!(found, [Ends::REVERT, Ends::REVERT, Ends::STOP]);
        assert!(found[0].only_fails() && !found[2].only_fails() && !found[2].can_return());
    }

    #[test]
    fn conditional_ends_add_up() {
        let found = ends(&[Body::MaybeCalls(1), Body::Stops, Body::Calls(&[])]);
        assert_eq!(found[0], Ends::RETURN | Ends::STOP);
        assert!(found[2].always_returns());
    }

    #[test]
    fn recursion_with_and_without_a_way_out() {
        assert_eq!(ends(&[Body::MaybeCalls(0)]), [Ends::RETURN | Ends::DIVERGE]);
        assert_eq!(ends(&[Body::Calls(&[0])]), [Ends::DIVERGE]);
        let both = Ends::RETURN | Ends::DIVERGE;
        assert_eq!(ends(&[Body::Calls(&[1]), Body::MaybeCalls(0)]), [both, both]);
        assert_eq!(ends(&[Body::Loops, Body::MaybeCalls(0)]), [Ends::DIVERGE, both]);
    }
}
