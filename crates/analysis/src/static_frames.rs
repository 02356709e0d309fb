//! What code does in a static frame, and which changes of the state may be left out all the same.
//!
//! In a frame that `STATICCALL` made, or below one, an operation that changes the state halts: all
//! gas is gone and no data comes back. Whoever calls statically can tell that from any other end but
//! another halt, whatever the operation writes. Two facts tell where that does not matter:
//!
//! * code *halts* when in a static frame every way from it on halts, by a change of the state, by
//!   `invalid`, or by never ending, before the frame could end otherwise;
//! * code is *behind a change* when every way to it from the start of its function changes the state:
//!   no static frame gets there.
//!
//! Both say what code does in static frames, not how. Passes keep that, so what is known of callees
//! stays true while passes run. What is known of callers is not used: then both of two changes, one in
//! the caller and one in the callee, could go for the sake of the other.

use crate::callgraph::{CallGraph, Ends, callee};
use crate::cfg::Cfg;
use cairn_evm::static_frame::{StaticRule, static_rule};
use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Module, Op};
use cranelift_entity::SecondaryMap;

/// What the functions of a module do in static frames.
#[derive(Clone, Debug, Default)]
pub struct StaticFrames {
    funcs: SecondaryMap<Func, Conduct>,
}

/// What a call of a function does in a static frame. Nothing is known by default.
#[derive(Clone, Copy, Debug, Default)]
struct Conduct {
    /// It halts, whatever it does.
    halts: bool,
    /// It halts or ends the frame, but does not come back.
    never_returns: bool,
    /// It comes back or halts, and does not end the frame otherwise.
    ends_no_frame: bool,
}

impl StaticFrames {
    /// One pass over the functions, callees first; of functions that call each other less is known.
    pub fn compute(module: &Module, graph: &CallGraph, cfgs: &[Cfg]) -> StaticFrames {
        let mut found = StaticFrames::default();
        for id in graph.bottom_up() {
            let conduct = found.conduct_of(&module.funcs[id], &cfgs[id.index()], graph.ends(id));
            found.funcs[id] = conduct;
        }
        found
    }

    /// Follows the ways that a static frame can take until they change the state, and no further than until all
    /// is known.
    fn conduct_of(&self, func: &Function, cfg: &Cfg, ends: Ends) -> Conduct {
        let search = Search { statics: self, func, cfg, roles: Vec::new() };
        let (mut may_end, mut comes_back) = (false, false);
        let mut is_seen = vec![false; func.num_blocks()];
        let mut work = vec![func.layout.entry()];
        while let Some(block) = work.pop()
            && !(may_end && comes_back)
        {
            if std::mem::replace(&mut is_seen[block.index()], true) {
                continue;
            }
            let mut changed = false;
            for inst in func.layout.insts(block) {
                may_end |= search.step(inst) == Step::MayEnd;
                changed = search.changes(inst);
                if changed {
                    break;
                }
            }
            if !changed {
                comes_back |= func.terminator(block).is_some_and(|last| func.dfg.op(last) == Op::Iret);
                work.extend(cfg.succs(block));
            }
        }
        Conduct {
            halts: !may_end,
            never_returns: !comes_back,
            ends_no_frame: !ends.intersects(Ends::REVERT | Ends::STOP),
        }
    }

    /// Those of some changes of the state that can go without a trace in a static frame. In other
    /// frames nobody sees any of them.
    ///
    /// What halts behind a change needs it not. Of the others, those that no other comes before on
    /// some way stay; they are enough for the rest.
    pub fn unneeded(&self, func: &Function, cfg: &Cfg, changes: &[Inst]) -> Vec<Inst> {
        if changes.is_empty() {
            return Vec::new();
        }
        let mut search = Search { statics: self, func, cfg, roles: vec![Role::Stays; func.dfg.num_insts()] };
        changes.iter().for_each(|inst| search.roles[inst.index()] = Role::Goes);
        let mut blocks: Vec<Block> =
            changes.iter().filter_map(|inst| func.layout.inst_block(*inst)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let halting = search.halting_blocks();
        for block in &blocks {
            search.keep_where_it_may_end(*block, &halting);
        }
        let unchanged = search.unchanged_blocks();
        for block in &blocks {
            search.drop_behind_changes(*block, &unchanged);
        }
        changes.iter().copied().filter(|inst| search.role(*inst) == Role::Goes).collect()
    }
}

/// How a static frame goes on at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Halts,
    /// It may end without halting.
    MayEnd,
    GoesOn,
}

/// What becomes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Stays,
    /// It counts as nothing.
    Goes,
    /// It goes if another comes before.
    StaysIfFirst,
}

struct Search<'a> {
    statics: &'a StaticFrames,
    func: &'a Function,
    cfg: &'a Cfg,
    /// By number of an instruction; the others stay.
    roles: Vec<Role>,
}

impl Search<'_> {
    fn role(&self, inst: Inst) -> Role {
        self.roles.get(inst.index()).copied().unwrap_or(Role::Stays)
    }

    fn step(&self, inst: Inst) -> Step {
        let op = self.func.dfg.op(inst);
        if let Some(callee) = callee(self.func, inst) {
            let conduct = self.statics.funcs[callee];
            return match () {
                () if conduct.halts => Step::Halts,
                () if conduct.ends_no_frame => Step::GoesOn,
                () => Step::MayEnd,
            };
        }
        match op {
            Op::Evm(opcode) if self.is_refused(inst, opcode) => Step::Halts,
            Op::Evm(Opcode::INVALID) => Step::Halts,
            // What leads to `unreachable` and does nothing before may be taken for never executed.
            Op::Iret | Op::Unreachable => Step::MayEnd,
            _ if op.effects().contains(Effects::HALT) => Step::MayEnd,
            _ => Step::GoesOn,
        }
    }

    fn is_refused(&self, inst: Inst, opcode: Opcode) -> bool {
        match static_rule(opcode) {
            StaticRule::Allowed => false,
            StaticRule::Refused => self.role(inst) != Role::Goes,
            StaticRule::RefusedWith(index) => {
                let word = self.func.dfg.as_const(self.func.dfg.args(inst)[usize::from(index)]);
                word.is_some_and(|word| !word.is_zero())
            }
        }
    }

    /// True when no static frame gets behind the instruction.
    fn changes(&self, inst: Inst) -> bool {
        let never_returns = || callee(self.func, inst).map(|callee| self.statics.funcs[callee].never_returns);
        self.step(inst) == Step::Halts || never_returns() == Some(true)
    }

    /// The first step of some instructions that does not just go on.
    fn first_step(&self, insts: impl IntoIterator<Item = Inst>) -> Step {
        let steps = insts.into_iter().map(|inst| self.step(inst));
        steps.into_iter().find(|step| *step != Step::GoesOn).unwrap_or(Step::GoesOn)
    }

    /// Blocks from whose start on code halts, by number.
    fn halting_blocks(&self) -> Vec<bool> {
        let mut halting = vec![true; self.func.num_blocks()];
        let mut goes_on = vec![false; self.func.num_blocks()];
        let mut work = Vec::new();
        for block in self.cfg.rpo() {
            let step = self.first_step(self.func.layout.insts(*block));
            goes_on[block.index()] = step == Step::GoesOn;
            if step == Step::MayEnd {
                halting[block.index()] = false;
                work.push(*block);
            }
        }
        while let Some(block) = work.pop() {
            for pred in self.cfg.preds(block) {
                if goes_on[pred.index()] && std::mem::replace(&mut halting[pred.index()], false) {
                    work.push(*pred);
                }
            }
        }
        halting
    }

    /// Of what goes in a block, what does not halt behind stays if it is first.
    fn keep_where_it_may_end(&mut self, block: Block, halting: &[bool]) {
        let func = self.func;
        let mut halts = self.cfg.succs(block).iter().all(|next| halting[next.index()]);
        for inst in func.layout.insts_rev(block) {
            match self.step(inst) {
                Step::Halts => halts = true,
                Step::MayEnd => halts = false,
                Step::GoesOn if self.role(inst) == Role::Goes && !halts => {
                    self.roles[inst.index()] = Role::StaysIfFirst;
                }
                Step::GoesOn => {}
            }
        }
    }

    /// Blocks to whose start some way leads without a change, by number.
    fn unchanged_blocks(&self) -> Vec<bool> {
        let mut unchanged = vec![false; self.func.num_blocks()];
        let mut work = vec![self.func.layout.entry()];
        while let Some(block) = work.pop() {
            let is_known = std::mem::replace(&mut unchanged[block.index()], true);
            if !is_known && !self.func.layout.insts(block).any(|inst| self.changes(inst)) {
                work.extend(self.cfg.succs(block));
            }
        }
        unchanged
    }

    /// Of what stays if it is first, what is not goes.
    fn drop_behind_changes(&mut self, block: Block, unchanged: &[bool]) {
        let func = self.func;
        let mut is_changed = !unchanged[block.index()];
        for inst in func.layout.insts(block) {
            if is_changed && self.role(inst) == Role::StaysIfFirst {
                self.roles[inst.index()] = Role::Goes;
            }
            is_changed |= self.changes(inst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which stores to storage may go, by the word that they store, of those below 100.
    #[track_caller]
    fn check(body: &str, expected: &[u64]) {
        let text = format!(
            "module @m {{
               func @f(%x : u256) {{ {body} }}
               func @changes(%x : u256) {{ ^e: evm.sstore %x, %x
                 evm.iret }}
               func @checks(%x : u256) {{ ^e: evm.condbr %x, ^fail, ^go
                 ^fail: evm.revert %x, %x
                 ^go: evm.iret }}
               func @checks_and_changes(%x : u256) {{ ^e: evm.condbr %x, ^fail, ^go
                 ^fail: evm.revert %x, %x
                 ^go: evm.tstore %x, %x
                 evm.iret }}
             }}"
        );
        let module = cairn_ir::text::parse(&text, cairn_diag::FileId(0)).expect("well-formed");
        let cfgs = Cfg::compute_all(&module);
        let statics = StaticFrames::compute(&module, &CallGraph::compute(&module), &cfgs);
        let func = &module.funcs[Func::new(0)];
        let stored = |inst: Inst| func.dfg.as_const(func.dfg.args(inst)[1]).map(|word| word.to::<u64>());
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        let changes: Vec<Inst> = insts
            .filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::SSTORE) && stored(*inst) < Some(100))
            .collect();
        let unneeded = statics.unneeded(func, &cfgs[0], &changes);
        let words: Vec<u64> = unneeded.into_iter().filter_map(stored).collect();
        assert_eq!(words, expected);
    }

    const CONSTANTS: &str = "%a = evm.constant 1 : u256
        %b = evm.constant 2 : u256
        %c = evm.constant 3 : u256
        %d = evm.constant 100 : u256";

    fn straight(insts: &str) -> String {
        format!("^e: {CONSTANTS}\n{insts}")
    }

    #[test]
    fn the_first_change_before_an_end_stays() {
        for end in ["evm.revert %x, %x", "evm.return %x, %x", "evm.stop", "evm.iret", "evm.unreachable"] {
            check(&straight(&format!("evm.sstore %x, %a\n evm.sstore %x, %b\n {end}")), &[2]);
            check(&straight(&format!("evm.sstore %x, %d\n evm.sstore %x, %b\n {end}")), &[2]);
            check(&straight(&format!("evm.sstore %x, %b\n evm.log0 %x, %x\n {end}")), &[2]);
        }
    }

    #[test]
    fn halts_are_alike() {
        for halt in ["evm.invalid", "evm.selfdestruct %x", "evm.br ^e2\n^e2: evm.br ^e2"] {
            check(&straight(&format!("evm.sstore %x, %a\n {halt}")), &[1]);
        }
        check(&straight("evm.sstore %x, %a\n %s = evm.create %x, %x, %x\n evm.stop"), &[1]);
        check(&straight("evm.sstore %x, %a\n %s = evm.call %x, %x, %b, %x, %x, %x, %x\n evm.stop"), &[1]);
        check(&straight("evm.sstore %x, %a\n %s = evm.call %x, %x, %x, %x, %x, %x, %x\n evm.stop"), &[]);
        check(&straight("evm.sstore %x, %a\n %s = evm.callcode %x, %x, %b, %x, %x, %x, %x\n evm.stop"), &[]);
    }

    #[test]
    fn every_way_counts() {
        let branches = |left: &str, right: &str, end: &str| {
            format!(
                "^e: {CONSTANTS}
                   evm.sstore %x, %a
                   evm.condbr %x, ^l, ^r
                 ^l: {left}
                   evm.br ^end
                 ^r: {right}
                   evm.br ^end
                 ^end: evm.sstore %x, %b
                   {end}"
            )
        };
        check(&branches("", "", "evm.stop"), &[2]);
        check(&branches("evm.sstore %x, %d", "", "evm.stop"), &[2]);
        check(&branches("evm.sstore %x, %d", "evm.tstore %x, %x", "evm.stop"), &[1, 2]);
        check(&branches("", "", "evm.invalid"), &[1, 2]);
    }

    #[test]
    fn a_way_past_the_change_makes_the_next_first() {
        check(
            &format!(
                "^e: {CONSTANTS}
                   evm.condbr %x, ^l, ^end
                 ^l: evm.sstore %x, %a
                   evm.br ^end
                 ^end: evm.sstore %x, %b
                   evm.sstore %x, %c
                   evm.revert %x, %x"
            ),
            &[3],
        );
    }

    #[test]
    fn loops_end_or_halt() {
        let text = |last: &str| {
            format!(
                "^e: {CONSTANTS}
                   evm.br ^head
                 ^head: evm.condbr %x, ^body, ^end
                 ^body: evm.sstore %x, %a
                   evm.br ^head
                 ^end: {last}"
            )
        };
        check(&text("evm.stop"), &[]);
        check(&text("evm.sstore %x, %d\n evm.stop"), &[1]);
    }

    #[test]
    fn callees_change_or_end() {
        let around = |call: &str| {
            straight(&format!("evm.sstore %x, %a\n evm.icall {call}(%x)\n evm.sstore %x, %d\n evm.stop"))
        };
        check(&around("@changes"), &[1]);
        check(&around("@checks"), &[]);
        check(&around("@checks_and_changes"), &[]);
        let behind =
            |call: &str| straight(&format!("evm.icall {call}(%x)\n evm.sstore %x, %a\n evm.revert %x, %x"));
        check(&behind("@changes"), &[1]);
        check(&behind("@checks"), &[]);
        check(&behind("@checks_and_changes"), &[1]);
    }
}
