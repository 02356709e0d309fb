//! Ends blocks after calls that never come back.
//!
//! A function *comes back* if some path from its entry reaches `evm.iret` through calls that come
//! back themselves: the least solution, so endless recursion does not. The search stops at each
//! call of a function not known to come back and goes on there once it is; every instruction is
//! looked at once. Afterwards the calls still waited for are exactly the reachable ones that never
//! come back: each becomes the last instruction of its block before `evm.unreachable`, and blocks
//! the search did not reach are removed. Then block parameters are simplified.

use crate::params::simplify_params;
use cairn_ir::{
    Block, Func, FuncBuilder, Function, Inst, Module, Op, Payload, PrimaryMap, SecondaryMap, sized,
};

/// See the head of the file.
pub(crate) fn cut_after_calls_without_return(module: &mut Module) {
    let mut search = Search::new(&module.funcs);
    search.run();
    let Search { reached, waiting, .. } = search;
    for (func, reached) in reached {
        remove_unreached_blocks(&mut module.funcs[func], &reached);
    }
    for (func, call) in waiting.values().flatten() {
        cut_after(&mut module.funcs[*func], *call);
    }
    module.funcs.values_mut().for_each(simplify_params);
}

struct Search<'a> {
    funcs: &'a PrimaryMap<Func, Function>,
    comes_back: SecondaryMap<Func, bool>,
    /// Calls of each function at which the search stopped.
    waiting: SecondaryMap<Func, Vec<(Func, Inst)>>,
    reached: PrimaryMap<Func, SecondaryMap<Block, bool>>,
    /// Instructions to go on with.
    work: Vec<(Func, Inst)>,
}

impl<'a> Search<'a> {
    fn new(funcs: &'a PrimaryMap<Func, Function>) -> Self {
        Search {
            funcs,
            comes_back: SecondaryMap::new(),
            waiting: SecondaryMap::new(),
            reached: funcs.values().map(|func| sized(func.num_blocks())).collect(),
            work: Vec::new(),
        }
    }

    fn run(&mut self) {
        for (func, body) in self.funcs {
            self.reach(func, body.layout.entry());
            while let Some((func, inst)) = self.work.pop() {
                self.scan(func, inst);
            }
        }
    }

    fn reach(&mut self, func: Func, block: Block) {
        if !std::mem::replace(&mut self.reached[func][block], true) {
            self.work.extend(self.funcs[func].layout.first_inst(block).map(|inst| (func, inst)));
        }
    }

    /// Looks at a block from `inst` on.
    fn scan(&mut self, func: Func, inst: Inst) {
        let body = &self.funcs[func];
        let mut next = Some(inst);
        while let Some(inst) = next {
            let data = body.dfg.inst(inst);
            match (data.op(), data.payload) {
                (Op::Icall, Payload::Func(callee)) if !self.comes_back[callee] => {
                    self.waiting[callee].push((func, inst));
                    return;
                }
                (Op::Iret, _) => self.mark(func),
                _ => body.dfg.for_each_target(inst, |call| self.reach(func, call.block)),
            }
            next = body.layout.next_inst(inst);
        }
    }

    fn mark(&mut self, func: Func) {
        if !std::mem::replace(&mut self.comes_back[func], true) {
            for (caller, call) in std::mem::take(&mut self.waiting[func]) {
                let after = self.funcs[caller].layout.next_inst(call);
                self.work.extend(after.map(|inst| (caller, inst)));
            }
        }
    }
}

fn remove_unreached_blocks(func: &mut Function, reached: &SecondaryMap<Block, bool>) {
    let blocks: Vec<Block> = func.layout.blocks().filter(|block| !reached[*block]).collect();
    blocks.into_iter().for_each(|block| func.layout.remove_block(block));
}

fn cut_after(func: &mut Function, call: Inst) {
    let block = func.layout.inst_block(call).expect("invariant: the search walked over the layout");
    while let Some(next) = func.layout.next_inst(call) {
        func.layout.remove_inst(next);
    }
    let loc = func.dfg.inst(call).loc.expand();
    let mut builder = FuncBuilder::at(func, block);
    builder.set_loc(loc);
    builder.unreachable();
}
