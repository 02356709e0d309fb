//! `simplify-cfg`: removes and joins blocks.
//!
//! * a block that control cannot reach goes; code after a call that never returns goes;
//! * a branch whose targets are equal becomes a jump, a switch case equal to the default goes;
//! * an edge to a block that only jumps on goes where that block jumps;
//! * a block with one predecessor that does nothing but jump to it is appended to it;
//! * a parameter that is one value on every edge is replaced by that value.
//!
//! ```text
//! ^a:                             ^a:
//!   evm.condbr %c, ^b, ^d           evm.condbr %c, ^d, ^d   =>   evm.br ^d   =>   (code of ^d)
//! ^b:                       =>
//!   evm.br ^d
//! ```
//!
//! Blocks that only end the frame are left apart: joining them is a matter of code size, decided
//! later. Needs nothing; preserves promotion. Cost: linear a round, at most [`MAX_ROUNDS`].

use crate::edit::{Renaming, append_successors, remove_unreachable_blocks, rename_everywhere};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::cfg::has_no_edge;
use cairn_analysis::{CallGraph, callgraph};
use cairn_evm::Word;
use cairn_ir::{
    Block, BlockCall, Dfg, EntityRef, Function, Inst, Op, Payload, SecondaryMap, SwitchData, SwitchId, Value,
    ValueDef, sized,
};

/// Rounds after which the pass stops whatever is left.
const MAX_ROUNDS: usize = 4;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "simplify-cfg",
    summary: "removes and joins blocks",
    needs: &[],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let mut changed = cut_after_final_calls(func, &cx.summaries.graph);
    // There is nothing to do.
    if has_no_edge(func) {
        return Changed::from(changed);
    }
    for _ in 0..MAX_ROUNDS {
        let mut in_round = fold_terminators(func);
        in_round |= remove_unreachable_blocks(func);
        in_round |= thread_jumps(func);
        in_round |= remove_constant_params(func);
        in_round |= append_successors(func);
        changed |= in_round;
        if !in_round {
            return Changed::from(changed);
        }
    }
    // The last round may have led the last edge past a block.
    remove_unreachable_blocks(func);
    Changed::Yes
}

/// Ends a block after a call that never comes back.
fn cut_after_final_calls(func: &mut Function, graph: &CallGraph) -> bool {
    let mut changed = false;
    let mut next_block = func.layout.first_block();
    while let Some(block) = next_block {
        next_block = func.layout.next_block(block);
        let never_returns = |inst: &Inst| {
            callgraph::callee(func, *inst).is_some_and(|callee| !graph.ends(callee).can_return())
        };
        let Some(call) = func.layout.insts(block).find(never_returns) else {
            continue;
        };
        let last = func.layout.last_inst(block).expect("invariant: the call is in the block");
        if func.dfg.op(last) == Op::Unreachable && func.layout.next_inst(call) == Some(last) {
            continue;
        }
        while let Some(after) = func.layout.next_inst(call) {
            func.layout.remove_inst(after);
        }
        let end = func.dfg.make_inst(Op::Unreachable, &[], Payload::None);
        func.layout.append_inst(end, block);
        changed = true;
    }
    changed
}

fn fold_terminators(func: &mut Function) -> bool {
    let mut changed = false;
    for inst in terminators(func) {
        match func.dfg.inst(inst).payload {
            Payload::Branch(calls) => {
                let constant = func.dfg.as_const(func.dfg.args(inst)[0]);
                let is_same = same_call(func, &calls[0], &calls[1]);
                let taken = constant.map(|word| usize::from(word.is_zero())).or(is_same.then_some(0));
                if let Some(taken) = taken {
                    func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(calls[taken]));
                    changed = true;
                }
            }
            Payload::Switch(id) => changed |= fold_switch(func, inst, id),
            _ => {}
        }
    }
    changed
}

fn terminators(func: &Function) -> Vec<Inst> {
    func.layout.blocks().filter_map(|block| func.terminator(block)).collect()
}

fn same_call(func: &Function, a: &BlockCall, b: &BlockCall) -> bool {
    a.block == b.block && func.dfg.call_args(a) == func.dfg.call_args(b)
}

fn fold_switch(func: &mut Function, inst: Inst, id: SwitchId) -> bool {
    let value = func.dfg.args(inst)[0];
    let data = func.dfg.switch(id);
    let (n_before, default) = (data.cases.len(), data.default);
    let is_needed = |(_, call): &&(Word, BlockCall)| !same_call(func, call, &default);
    let constant = func.dfg.as_const(value);
    if constant.is_none() && n_before > 0 && data.cases.iter().all(|case| is_needed(&case)) {
        return false;
    }
    let cases: Vec<(Word, BlockCall)> = data.cases.iter().filter(is_needed).copied().collect();
    let known =
        constant.map(|word| cases.iter().find(|(case, _)| *case == word).map_or(default, |(_, call)| *call));
    if let Some(taken) = known.or(cases.is_empty().then_some(default)) {
        func.dfg.replace_inst(inst, Op::Br, &[], Payload::Jump(taken));
        return true;
    }
    let id = func.dfg.make_switch(SwitchData { default, cases });
    func.dfg.replace_inst(inst, Op::Switch, &[value], Payload::Switch(id));
    true
}

/// The jump of each block that has no other instruction and whose parameters are used by nobody
/// else. `None` if there is no such block.
fn compute_forwards(func: &Function) -> Option<SecondaryMap<Block, Option<BlockCall>>> {
    let jump_on = |block: Block| match func.dfg.inst(func.layout.first_inst(block)?).payload {
        Payload::Jump(call) if call.block != block => Some((block, call)),
        _ => None,
    };
    let mut found: Vec<(Block, BlockCall)> = func.layout.blocks().skip(1).filter_map(jump_on).collect();
    let has_params = |(block, _): &(Block, BlockCall)| !func.dfg.params(*block).is_empty();
    if found.iter().any(has_params) {
        let is_used_elsewhere = params_used_elsewhere(func);
        found.retain(|(block, _)| !is_used_elsewhere[block.index()]);
    }
    if found.is_empty() {
        return None;
    }
    let mut forwards = sized(func.num_blocks());
    found.into_iter().for_each(|(block, call)| forwards[block] = Some(call));
    Some(forwards)
}

/// By block: true when one of its parameters is used in another block.
fn params_used_elsewhere(func: &Function) -> Vec<bool> {
    let mut is_used = vec![false; func.num_blocks()];
    for block in func.layout.blocks() {
        for inst in func.layout.insts(block) {
            func.dfg.for_each_use(inst, |value| {
                if let ValueDef::Param(home, _) = func.dfg.def(value) {
                    is_used[home.index()] |= home != block;
                }
            });
        }
    }
    is_used
}

/// A target and its arguments: places among the arguments of the edge, or values.
type Route = (Block, Vec<Result<usize, Value>>);

/// Edges to blocks that only jump go to where these jump. One step a round.
fn thread_jumps(func: &mut Function) -> bool {
    let Some(forwards) = compute_forwards(func) else {
        return false;
    };
    let mut changed = false;
    for inst in terminators(func) {
        let mut leads_on = false;
        func.dfg.for_each_target(inst, |call| leads_on |= forwards[call.block].is_some());
        if !leads_on {
            continue;
        }
        // What each target that leads on becomes; its own arguments are numbers of parameters.
        let mut routes: Vec<Option<Route>> = Vec::new();
        func.dfg.for_each_target(inst, |call| {
            let params = func.dfg.params(call.block);
            let source = |value: &Value| params.iter().position(|param| param == value).ok_or(*value);
            let route = |on: BlockCall| (on.block, func.dfg.call_args(&on).iter().map(source).collect());
            routes.push(forwards[call.block].map(route));
        });
        changed = true;
        let mut routes = routes.into_iter();
        func.dfg.map_targets(inst, |target, args| match routes.next().flatten() {
            Some((on, sources)) => (
                on,
                sources
                    .into_iter()
                    .map(|source| source.map_or_else(|value| value, |index| args[index]))
                    .collect(),
            ),
            None => (target, args.to_vec()),
        });
    }
    changed
}

/// What a parameter gets.
#[derive(Clone, Copy, Default)]
enum Only {
    #[default]
    Nothing,
    One(Value),
    Several,
}

impl Only {
    fn with(self, dfg: &Dfg, arg: Value, param: Value) -> Only {
        match self {
            _ if arg == param => self,
            Only::Nothing if dfg.ty(arg).widens_to(dfg.ty(param)) => Only::One(arg),
            Only::One(value) if value == arg => self,
            Only::Nothing | Only::One(_) | Only::Several => Only::Several,
        }
    }
}

/// Replaces parameters that get one value, themselves left out, on every edge.
fn remove_constant_params(func: &mut Function) -> bool {
    if func.layout.blocks().skip(1).all(|block| func.dfg.params(block).is_empty()) {
        return false;
    }
    let mut only: SecondaryMap<Value, Only> = sized(func.dfg.num_values());
    for inst in func.layout.blocks().filter_map(|block| func.terminator(block)) {
        func.dfg.for_each_target(inst, |call| {
            for (param, arg) in func.dfg.params(call.block).iter().zip(func.dfg.call_args(call)) {
                only[*param] = only[*param].with(&func.dfg, *arg, *param);
            }
        });
    }
    let mut renaming = Renaming::new();
    let mut n_found = 0;
    for block in func.layout.blocks().skip(1) {
        for param in func.dfg.params(block) {
            if let Only::One(value) = only[*param] {
                renaming[*param] = value.into();
                n_found += 1;
            }
        }
    }
    if n_found == 0 {
        return false;
    }
    close_chains(&mut renaming, n_found);
    drop_params(func, &renaming);
    rename_everywhere(func, &renaming);
    true
}

/// Makes each replacement final. Parameters that stand for each other in a circle would have no
/// value; such circles are unreachable, and those are gone.
fn close_chains(renaming: &mut Renaming, n_renamed: usize) {
    let values: Vec<Value> = renaming.keys().collect();
    for value in values {
        let mut path = Vec::new();
        let mut at = value;
        while let Some(next) = renaming[at].expand() {
            assert!(path.len() <= n_renamed, "a circle of parameters without a value at {value}");
            path.push(at);
            at = next;
        }
        for passed in path {
            renaming[passed] = at.into();
        }
    }
}

/// Removes the parameters that have a replacement, and what edges pass to them.
fn drop_params(func: &mut Function, renaming: &Renaming) {
    for inst in terminators(func) {
        let mut loses_any = false;
        func.dfg.for_each_target(inst, |call| {
            loses_any |= func.dfg.params(call.block).iter().any(|param| renaming[*param].is_some());
        });
        if !loses_any {
            continue;
        }
        let mut kept: Vec<Vec<bool>> = Vec::new();
        func.dfg.for_each_target(inst, |call| {
            kept.push(func.dfg.params(call.block).iter().map(|param| renaming[*param].is_none()).collect());
        });
        let mut kept = kept.into_iter();
        func.dfg.map_targets(inst, |target, args| {
            let is_kept = kept.next().expect("invariant: one list for each target");
            (target, args.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(arg, _)| *arg).collect())
        });
    }
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        next = func.layout.next_block(block);
        if func.dfg.params(block).iter().any(|param| renaming[*param].is_some()) {
            func.dfg.retain_params(block, |_, param| renaming[param].is_none());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_on_body, run_on_module};
    use cairn_ir::Func;

    fn simplify_cfg(header: &str, text: &str) -> (Changed, String) {
        run_on_body(header, text, &[run])
    }

    #[test]
    fn straight_lines_become_one_block() {
        let (changed, text) = simplify_cfg(
            "(%x : u256)",
            "^e:
               evm.br ^a(%x)
             ^a(%y : u256):
               evm.br ^b(%y)
             ^b(%z : u256):
               evm.sstore %z, %z
               evm.stop",
        );
        assert_eq!((changed, text), (Changed::Yes, lines("^e:\n evm.sstore %x, %x\n evm.stop")));
    }

    #[test]
    fn constant_branches_and_dead_blocks_go() {
        let (_, text) = simplify_cfg(
            "(%x : u256)",
            "^e:
               %c = evm.constant 1 : u256
               evm.condbr %c, ^a, ^b
             ^a:
               evm.stop
             ^b:
               evm.sstore %x, %x
               evm.br ^b",
        );
        assert_eq!(text, lines("^e:\n %c = evm.constant 1 : u256\n evm.stop"));
    }

    #[test]
    fn empty_blocks_are_jumped_over_with_their_arguments() {
        let (_, text) = simplify_cfg(
            "(%x : u256)",
            "^e:
               evm.condbr %x, ^a(%x), ^b
             ^a(%y : u256):
               evm.br ^d(%y)
             ^b:
               %n = evm.not %x : u256
               evm.sstore %n, %n
               evm.br ^d(%n)
             ^d(%z : u256):
               evm.sstore %x, %z
               evm.stop",
        );
        let expected = "^e:
               evm.condbr %x, ^d(%x), ^b
             ^b:
               %n = evm.not %x : u256
               evm.sstore %n, %n
               evm.br ^d(%n)
             ^d(%z : u256):
               evm.sstore %x, %z
               evm.stop";
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn a_parameter_with_one_value_goes_around_a_loop_too() {
        let (_, text) = simplify_cfg(
            "(%x : u256)",
            "^e:
               evm.br ^loop(%x, %x)
             ^loop(%i : u256, %same : u256):
               %n = evm.sload %same : u256
               evm.condbr %n, ^loop(%n, %same), ^done
             ^done:
               evm.sstore %i, %same
               evm.stop",
        );
        let expected = "^e:
               evm.br ^loop(%x)
             ^loop(%i : u256):
               %n = evm.sload %x : u256
               evm.condbr %n, ^loop(%n), ^done
             ^done:
               evm.sstore %i, %x
               evm.stop";
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn code_after_a_call_that_never_returns_goes() {
        let mut module = parse(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 evm.icall @panic()
                 evm.sstore %x, %x
                 evm.br ^b
               ^b:
                 evm.stop
               }
               func @panic() {
               ^e:
                 evm.invalid
               }
             }",
        );
        run_on_module(&mut module, &[run]);
        let expected = lines("^e:\n evm.icall @panic()\n evm.unreachable");
        assert_eq!(body(&module, Func::from_u32(0)), expected);
        assert_eq!(run_on_module(&mut module, &[run]), Changed::No);
    }

    #[test]
    fn switch_cases_like_the_default_go() {
        let (_, text) = simplify_cfg(
            "(%x : u256)",
            "^e:
               evm.switch %x, default ^d
                 case 1 -> ^a
                 case 2 -> ^d
             ^a:
               evm.invalid
             ^d:
               evm.stop",
        );
        assert!(text.contains("case 1 -> ^a") && !text.contains("case 2"), "{text}");
    }

    #[test]
    fn different_arguments_keep_a_branch() {
        let body = "^e:
               %n = evm.not %x : u256
               evm.condbr %x, ^d(%x), ^d(%n)
             ^d(%z : u256):
               evm.sstore %z, %z
               evm.stop";
        assert_eq!(simplify_cfg("(%x : u256)", body), (Changed::No, lines(body)));
    }

    #[test]
    fn an_endless_empty_loop_stays() {
        let body = "^e:\n evm.br ^b\n ^b:\n evm.br ^b";
        assert_eq!(simplify_cfg("()", body), (Changed::No, lines(body)));
    }
}
