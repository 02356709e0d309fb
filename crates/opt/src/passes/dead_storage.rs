//! `dead-storage`: removes stores to storage and transient storage that are overwritten before
//! anybody may read them.
//!
//! ```text
//! evm.sstore %k, %x
//! … nothing that may read the word …
//! evm.sstore %k, %y              =>    evm.sstore %k, %y
//! ```
//!
//! Definitions: the *dead places* of a program point are those that are stored to on every path
//! from there on before they may be read; where a path fails nothing is read (A8). They flow
//! backwards; a store to a dead place goes unless a static frame would miss it ([`cairn_analysis::StaticFrames`]):
//! the first of several before a `revert` stays.
//!
//! Other contracts may read all of storage (A6), an internal call what its effects say. A base that
//! is computed later says nothing before. Keys with different bases may be the same key.
//!
//! Needs promotion. Preserves blocks. Cost: linear, dead places are bounded by [`MAX_STATE`].

use crate::memory::Place;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::callgraph::{self, Ends};
use cairn_analysis::{CallGraph, Cfg, FuncEffects};
use cairn_evm::{Effects, Opcode};
use cairn_ir::{Block, EntityRef, Function, Inst, Op, Value};

/// Places that are remembered at once; the ones stored to last in the program go first.
const MAX_STATE: usize = 16;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "dead-storage",
    summary: "removes stores to storage that are overwritten before anybody reads them",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    if insts.filter(|inst| store_space(func.dfg.op(*inst)).is_some()).take(2).count() < 2 {
        return Changed::No;
    }
    let cfg = Cfg::compute(func);
    let mut search = Search {
        func,
        effects: &cx.summaries.effects,
        graph: &cx.summaries.graph,
        starts: vec![None; func.num_blocks()],
        overwritten: Vec::new(),
    };
    for block in cfg.rpo().iter().rev() {
        let state = search.visit_block(*block);
        search.starts[block.index()] = Some(state);
    }
    let overwritten = cx.summaries.statics.unneeded(func, &cfg, &search.overwritten);
    overwritten.iter().for_each(|inst| func.layout.remove_inst(*inst));
    Changed::from(!overwritten.is_empty())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Storage,
    Transient,
}

fn store_space(op: Op) -> Option<Space> {
    match op {
        Op::Evm(Opcode::SSTORE) => Some(Space::Storage),
        Op::Evm(Opcode::TSTORE) => Some(Space::Transient),
        _ => None,
    }
}

/// The dead places.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Dead {
    /// The frame fails: all of them.
    All,
    These(Vec<(Space, Place)>),
}

impl Dead {
    const NONE: Dead = Dead::These(Vec::new());

    fn contains(&self, space: Space, place: Place) -> bool {
        match self {
            Dead::All => true,
            Dead::These(places) => places.contains(&(space, place)),
        }
    }

    fn store(&mut self, space: Space, place: Place) {
        if let Dead::These(places) = self {
            if places.len() == MAX_STATE {
                places.remove(0);
            }
            places.push((space, place));
        }
    }

    /// Keeps what passes a test; of everything nothing is known to pass.
    fn retain(&mut self, test: impl Fn(Space, Place) -> bool) {
        match self {
            Dead::All => *self = Dead::NONE,
            Dead::These(places) => places.retain(|(space, place)| test(*space, *place)),
        }
    }

    /// Forgets what a read of a place may see: another constant away from its base is another key.
    fn load(&mut self, of: Space, at: Place) {
        self.retain(|space, place| space != of || (place.base == at.base && place.offset != at.offset));
    }

    fn either(self, other: Dead) -> Dead {
        match (self, other) {
            (Dead::All, dead) | (dead, Dead::All) => dead,
            (Dead::These(places), Dead::These(others)) => {
                Dead::These(places.into_iter().filter(|place| others.contains(place)).collect())
            }
        }
    }

    /// Before a value is defined nothing is known of places relative to it.
    fn pass_definition(&mut self, value: Value) {
        if let Dead::These(places) = self {
            places.retain(|(_, place)| place.base.expand() != Some(value));
        }
    }
}

struct Search<'a> {
    func: &'a Function,
    effects: &'a FuncEffects,
    graph: &'a CallGraph,
    /// The dead places at the start of each block visited.
    starts: Vec<Option<Dead>>,
    overwritten: Vec<Inst>,
}

impl Search<'_> {
    fn visit_block(&mut self, block: Block) -> Dead {
        let func = self.func;
        let mut dead = self.dead_at_end(block);
        for inst in func.layout.insts_rev(block) {
            func.dfg.results(inst).iter().for_each(|result| dead.pass_definition(*result));
            self.visit_inst(inst, &mut dead);
        }
        func.dfg.params(block).iter().for_each(|param| dead.pass_definition(*param));
        dead
    }

    /// What is dead in every successor; nothing where one is not visited yet.
    fn dead_at_end(&self, block: Block) -> Dead {
        let mut joined: Option<Dead> = None;
        self.func.for_each_successor(block, |next| {
            let dead = self.starts[next.index()].clone().unwrap_or(Dead::NONE);
            joined = Some(match joined.take() {
                Some(joined) => joined.either(dead),
                None => dead,
            });
        });
        joined.unwrap_or(Dead::NONE)
    }

    fn visit_inst(&mut self, inst: Inst, dead: &mut Dead) {
        let place = || Place::of(self.func, self.func.dfg.args(inst)[0]);
        let op = self.func.dfg.op(inst);
        match op {
            Op::Evm(Opcode::SSTORE | Opcode::TSTORE) => {
                if let Some(space) = store_space(op) {
                    self.visit_store(inst, space, place(), dead);
                }
            }
            Op::Evm(Opcode::SLOAD) => dead.load(Space::Storage, place()),
            Op::Evm(Opcode::TLOAD) => dead.load(Space::Transient, place()),
            Op::Evm(Opcode::REVERT | Opcode::INVALID) | Op::Unreachable => *dead = Dead::All,
            Op::Icall => self.visit_call(inst, dead),
            _ => self.forget_read(inst, dead),
        }
    }

    fn visit_store(&mut self, inst: Inst, space: Space, place: Place, dead: &mut Dead) {
        if dead.contains(space, place) {
            self.overwritten.push(inst);
        } else {
            dead.store(space, place);
        }
    }

    fn visit_call(&self, inst: Inst, dead: &mut Dead) {
        let callee = callgraph::callee(self.func, inst);
        let ends = callee.map_or(Ends::all(), |callee| self.graph.ends(callee));
        if !ends.can_return() {
            *dead = Dead::All;
        }
        if ends.contains(Ends::STOP) {
            *dead = Dead::NONE;
        }
        self.forget_read(inst, dead);
    }

    fn forget_read(&self, inst: Inst, dead: &mut Dead) {
        let effects = self.effects.of_inst(self.func, inst);
        let is_read = |space| {
            effects.intersects(match space {
                Space::Storage => Effects::READ_STORAGE,
                Space::Transient => Effects::READ_TRANSIENT,
            })
        };
        if is_read(Space::Storage) || is_read(Space::Transient) {
            dead.retain(|space, _| !is_read(space));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, parse, run_on_body, run_on_module};
    use cairn_ir::Func;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let (changed, after) = run_on_body("(%x : u256, %y : u256)", text, &[run]);
        let stores: Vec<&str> = after.lines().filter(|line| line.contains("store")).collect();
        assert_eq!(stores, expected);
        assert_eq!(changed, Changed::from(text.matches("store").count() > expected.len()));
    }

    /// Which words (`%a` to `%d`) are still stored where `rest` follows a log, with these functions.
    #[track_caller]
    fn check_with(funcs: &str, rest: &str, expected: &str) {
        let constants: Vec<String> =
            ('a'..='d').map(|name| format!("%{name} = evm.constant {} : u256", name as u32)).collect();
        let entry = format!("^e:\n{}\nevm.log0 %x, %x\n{rest}", constants.join("\n"));
        let mut module =
            parse(&format!("module @m {{ func @f(%x : u256, %y : u256) {{\n{entry}\n}}\n{funcs} }}"));
        run_on_module(&mut module, &[run]);
        let text = body(&module, Func::from_u32(0));
        let stored: Vec<&str> = text.lines().filter(|line| line.contains("store")).collect();
        let words: Vec<&str> = stored.iter().filter_map(|line| line.rsplit("%").next()).collect();
        assert_eq!(words.join(" "), expected, "{rest}");
    }

    #[test]
    fn loads_of_the_word_or_of_any_other_base_see_it() {
        let around = |load: &str| {
            format!(
                "%next = evm.add %x, %a : u256
                 %far = evm.add %x, %b : u256
                 %other = evm.add %y, %a : u256
                 evm.sstore %next, %a
                 {load}
                 evm.sstore %next, %b
                 evm.stop"
            )
        };
        check_with("", &around(""), "b");
        check_with("", &around("%l = evm.sload %far : u256"), "b");
        check_with("", &around("%l = evm.tload %next : u256"), "b");
        check_with("", &around("%l = evm.sload %next : u256"), "a b");
        check_with("", &around("%l = evm.sload %other : u256"), "a b");
        check_with("", &around("%l = evm.sload %y : u256"), "a b");
        check_with("", &around("%l = evm.sload %a : u256"), "a b");
    }

    #[test]
    fn calls_read_what_their_functions_read() {
        let funcs = "
            func @quiet(%k : u256) { ^e: evm.mstore %k, %k
              evm.iret }
            func @loads(%k : u256) -> u256 { ^e: %l = evm.sload %k : u256
              evm.iret %l }
            func @tloads(%k : u256) -> u256 { ^e: %l = evm.tload %k : u256
              evm.iret %l }";
        let around = |call: &str| {
            format!(
                "evm.sstore %x, %a
                 evm.tstore %x, %b
                 {call}
                 evm.sstore %x, %c
                 evm.tstore %x, %d
                 evm.stop"
            )
        };
        check_with(funcs, &around("evm.icall @quiet(%y)"), "c d");
        check_with(funcs, &around("%l = evm.icall @loads(%y) : u256"), "a c d");
        check_with(funcs, &around("%l = evm.icall @tloads(%y) : u256"), "b c d");
        check_with(funcs, &around("%l = evm.staticcall %x, %x, %x, %x, %x, %x : bool"), "a b c d");
    }

    #[test]
    fn calls_end_as_their_functions_do() {
        let funcs = "
            func @may_stop(%k : u256) { ^e: evm.condbr %k, ^s, ^r
              ^s: evm.stop
              ^r: evm.iret }
            func @may_revert(%k : u256) { ^e: evm.condbr %k, ^s, ^r
              ^s: evm.revert %k, %k
              ^r: evm.iret }
            func @may_loop(%k : u256) { ^e: evm.condbr %k, ^e2, ^r
              ^e2: evm.br ^e2
              ^r: evm.iret }
            func @stops(%k : u256) { ^e: evm.stop }
            func @fails(%k : u256) { ^e: evm.revert %k, %k }";
        let around =
            |call: &str| format!("evm.sstore %x, %a\n evm.icall {call}(%y)\n evm.sstore %x, %b\n evm.stop");
        check_with(funcs, &around("@may_stop"), "a b");
        check_with(funcs, &around("@may_revert"), "b");
        check_with(funcs, &around("@may_loop"), "b");
        check_with(funcs, &around("@stops"), "a b");
        check_with(funcs, &around("@fails"), "b");
        let before = |call: &str| {
            format!(
                "evm.sstore %x, %a
                 evm.tstore %x, %b
                 evm.icall {call}(%y)
                 %l = evm.sload %x : u256
                 %t = evm.tload %x : u256
                 evm.iret"
            )
        };
        check_with(funcs, &before("@fails"), "");
        check_with(funcs, &before("@stops"), "a b");
        check_with(funcs, &before("@may_loop"), "a b");
    }

    #[test]
    fn static_frames_keep_their_first_change() {
        let (first, second) = ("evm.sstore %x, %y", "evm.tstore %y, %x");
        check(&format!("^e:\n{first}\n{second}\n evm.revert %x, %x"), &[first]);
        check(&format!("^e:\n{second}\n{first}\n evm.revert %x, %x"), &[second]);
        check(&format!("^e:\n{first}\n{second}\n evm.invalid"), &[]);
        check(&format!("^e:\n evm.log0 %x, %x\n{first}\n{second}\n evm.revert %x, %x"), &[]);
    }

    #[test]
    fn what_is_overwritten_goes() {
        check(
            "^e:
               evm.log0 %x, %x
               evm.sstore %x, %y
               evm.tstore %x, %y
               evm.condbr %y, ^fail, ^go
             ^fail:
               evm.revert %x, %x
             ^go:
               evm.sstore %x, %x
               evm.tstore %x, %x
               evm.stop",
            &["evm.sstore %x, %x", "evm.tstore %x, %x"],
        );
    }

    #[test]
    fn what_may_be_read_between_stays() {
        check(
            "^e:
               evm.sstore %x, %y
               %a = evm.sload %y : u256
               evm.sstore %x, %a
               evm.stop",
            &["evm.sstore %x, %y", "evm.sstore %x, %a"],
        );
        check(
            "^e:
               evm.sstore %x, %y
               %s = evm.call %x, %x, %x, %x, %x, %x, %x : bool
               evm.sstore %x, %s
               evm.stop",
            &["evm.sstore %x, %y", "evm.sstore %x, %s"],
        );
    }

    #[test]
    fn neighbours_of_the_same_base_are_other_keys() {
        check(
            "^e:
               %one = evm.constant 1 : u256
               %next = evm.add %x, %one : u256
               evm.sstore %x, %y
               %a = evm.sload %next : u256
               evm.sstore %x, %a
               evm.stop",
            &["evm.sstore %x, %a"],
        );
    }

    #[test]
    fn one_way_round_is_enough_to_stay() {
        check(
            "^e:
               evm.sstore %x, %y
               evm.condbr %y, ^again, ^end
             ^again:
               evm.sstore %x, %x
               evm.br ^end
             ^end:
               evm.stop",
            &["evm.sstore %x, %y", "evm.sstore %x, %x"],
        );
    }

    #[test]
    fn a_key_that_changes_in_the_loop_stays() {
        check(
            "^e:
               evm.br ^loop(%x)
             ^loop(%k : u256):
               evm.sstore %k, %y
               %one = evm.constant 1 : u256
               %next = evm.add %k, %one : u256
               evm.br ^loop(%next)",
            &["evm.sstore %k, %y"],
        );
        check(
            "^e:
               evm.sstore %x, %y
               evm.br ^loop(%x)
             ^loop(%k : u256):
               evm.sstore %k, %k
               %one = evm.constant 1 : u256
               %next = evm.add %k, %one : u256
               evm.br ^loop(%next)",
            &["evm.sstore %x, %y", "evm.sstore %k, %k"],
        );
    }
}
