//! What each loop may change.

use cairn_analysis::{Cfg, FuncEffects, LoopId, Loops};
use cairn_evm::Effects;
use cairn_ir::{EntityRef, Function, Inst};

/// Instructions of a loop that change memory, storage or transient storage and are looked at one by one.
const MAX_WRITES: usize = 32;

/// What the blocks of each loop may do, inner loops included.
pub(super) struct LoopWrites {
    of_loop: Vec<Writes>,
}

#[derive(Clone)]
struct Writes {
    insts: Vec<Inst>,
    /// Of more instructions than are listed.
    more: Effects,
}

/// Whatever may change a word that is known.
const WRITES: Effects = Effects::WRITE_MEMORY.union(Effects::WRITE_STORAGE).union(Effects::WRITE_TRANSIENT);

impl LoopWrites {
    /// Linear, times the depth of loops.
    pub(super) fn of(func: &Function, cfg: &Cfg, loops: &Loops, effects: &FuncEffects) -> LoopWrites {
        let mut of_loop = vec![Writes { insts: Vec::new(), more: Effects::empty() }; loops.len()];
        for block in cfg.rpo() {
            let Some(innermost) = loops.innermost(*block) else { continue };
            for inst in func.layout.insts(*block) {
                let done = effects.of_inst_on_return(func, inst);
                if !done.intersects(WRITES) {
                    continue;
                }
                let mut around = Some(innermost);
                while let Some(id) = around {
                    of_loop[id.index()].add(inst, done);
                    around = loops.parent(id);
                }
            }
        }
        LoopWrites { of_loop }
    }

    /// The writes of a loop, and what is done by those that are not listed.
    pub(super) fn of_loop(&self, id: LoopId) -> (&[Inst], Effects) {
        let writes = &self.of_loop[id.index()];
        (&writes.insts, writes.more)
    }
}

impl Writes {
    fn add(&mut self, inst: Inst, done: Effects) {
        if self.insts.len() < MAX_WRITES {
            self.insts.push(inst);
        } else {
            self.more |= done;
        }
    }
}
