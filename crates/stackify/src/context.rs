//! What the schedulers need to know about the whole module: which functions are reached, which
//! calls can come back to their caller's function, which functions return at all.

use crate::options::Options;
use cairn_ir::{Block, Func, Function, Inst, Module, Op, Payload};
use cranelift_entity::{EntitySet, SecondaryMap};

/// A module with its call graph.
#[derive(Debug)]
pub struct ModuleCx<'a> {
    /// The module.
    pub module: &'a Module,
    /// The options.
    pub options: &'a Options,
    /// Functions that the entry function reaches: entry first, then callers before callees except
    /// inside cycles.
    pub funcs: Vec<Func>,
    component: SecondaryMap<Func, u32>,
    callees: SecondaryMap<Func, Vec<Func>>,
    returns: EntitySet<Func>,
}

impl<'a> ModuleCx<'a> {
    /// The context of a module that has an entry function.
    pub fn new(module: &'a Module, options: &'a Options) -> Self {
        let mut cx = ModuleCx {
            module,
            options,
            funcs: Vec::new(),
            component: SecondaryMap::new(),
            callees: SecondaryMap::new(),
            returns: EntitySet::new(),
        };
        if let Some(entry) = module.entry {
            cx.collect_callees(entry);
            cx.find_components(entry);
            cx.find_returning();
        }
        cx
    }

    /// The functions that a function calls, each once, in order of the first call.
    pub fn callees(&self, func: Func) -> &[Func] {
        &self.callees[func]
    }

    /// True when a call from `caller` to `callee` can lead to another activation of `caller`
    /// before it comes back.
    pub fn is_reentrant(&self, caller: Func, callee: Func) -> bool {
        self.component[caller] == self.component[callee]
            && (caller != callee || self.callees[caller].contains(&callee))
    }

    /// The strongly connected component of the call graph that a function belongs to.
    pub fn component(&self, func: Func) -> u32 {
        self.component[func]
    }

    /// True when the function can come back to its caller.
    pub fn returns(&self, func: Func) -> bool {
        self.returns.contains(func)
    }

    fn collect_callees(&mut self, entry: Func) {
        let mut seen = EntitySet::new();
        let mut worklist = vec![entry];
        seen.insert(entry);
        while let Some(func) = worklist.pop() {
            let callees = callees_of(&self.module.funcs[func]);
            worklist.extend(callees.iter().copied().filter(|callee| seen.insert(*callee)));
            self.callees[func] = callees;
        }
    }

    /// Tarjan's algorithm without recursion. Components are numbered callees first.
    fn find_components(&mut self, entry: Func) {
        const UNSEEN: u32 = u32::MAX;
        let mut index: SecondaryMap<Func, u32> = SecondaryMap::with_default(UNSEEN);
        let mut low: SecondaryMap<Func, u32> = SecondaryMap::with_default(UNSEEN);
        let (mut next_index, mut next_component) = (0, 0);
        let mut open: Vec<Func> = Vec::new();
        let mut is_open = EntitySet::new();
        let mut path: Vec<(Func, usize)> = vec![(entry, 0)];
        while let Some((func, edge)) = path.pop() {
            if edge == 0 {
                (index[func], low[func]) = (next_index, next_index);
                next_index += 1;
                open.push(func);
                is_open.insert(func);
            }
            if let Some(callee) = self.callees[func].get(edge).copied() {
                path.push((func, edge + 1));
                if index[callee] == UNSEEN {
                    path.push((callee, 0));
                } else if is_open.contains(callee) {
                    low[func] = low[func].min(index[callee]);
                }
                continue;
            }
            if let Some((caller, _)) = path.last() {
                low[*caller] = low[*caller].min(low[func]);
            }
            if low[func] == index[func] {
                self.close_component(func, &mut open, &mut is_open, next_component);
                next_component += 1;
            }
        }
        self.funcs.reverse();
    }

    fn close_component(
        &mut self,
        root: Func,
        open: &mut Vec<Func>,
        is_open: &mut EntitySet<Func>,
        number: u32,
    ) {
        let start = open.iter().rposition(|func| *func == root).expect("invariant: the root is open");
        for func in open.drain(start..).rev() {
            is_open.remove(func);
            self.component[func] = number;
            self.funcs.push(func);
        }
    }

    /// The least set of functions from whose entry an `iret` is reached without passing a call
    /// that does not come back.
    fn find_returning(&mut self) {
        let mut callers: SecondaryMap<Func, Vec<Func>> = SecondaryMap::new();
        for func in &self.funcs {
            self.callees[*func].iter().for_each(|callee| callers[*callee].push(*func));
        }
        let mut worklist = self.funcs.clone();
        while let Some(func) = worklist.pop() {
            if !self.returns.contains(func) && self.can_return(&self.module.funcs[func]) {
                self.returns.insert(func);
                worklist.extend(&callers[func]);
            }
        }
    }

    fn can_return(&self, func: &Function) -> bool {
        let mut seen: EntitySet<Block> = EntitySet::new();
        let mut worklist = vec![func.layout.entry()];
        seen.insert(func.layout.entry());
        while let Some(block) = worklist.pop() {
            if self.last_executed(func, block).is_some() {
                continue;
            }
            if func.terminator(block).is_some_and(|inst| func.dfg.op(inst) == Op::Iret) {
                return true;
            }
            func.for_each_successor(block, |next| {
                if seen.insert(next) {
                    worklist.push(next);
                }
            });
        }
        false
    }

    /// The first call in a block that never comes back, if there is one: nothing after it is
    /// executed.
    pub fn last_executed(&self, func: &Function, block: Block) -> Option<Inst> {
        func.layout
            .insts(block)
            .find(|inst| callee_of(func, *inst).is_some_and(|callee| !self.returns(callee)))
    }
}

/// The callee of an `icall`.
pub fn callee_of(func: &Function, inst: Inst) -> Option<Func> {
    match func.dfg.inst(inst).payload {
        Payload::Func(callee) => Some(callee),
        Payload::None
        | Payload::Const(_)
        | Payload::Size(_)
        | Payload::Symbol(_)
        | Payload::Jump(_)
        | Payload::Branch(_)
        | Payload::Switch(_) => None,
    }
}

fn callees_of(func: &Function) -> Vec<Func> {
    let mut seen = EntitySet::new();
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    insts.filter_map(|inst| callee_of(func, inst)).filter(|callee| seen.insert(*callee)).collect()
}
