//! `merge-failures`: one function for blocks that fail alike but for constants.
//!
//! ```text
//! ^a:                                       ^a:
//!   %p = evm.icall @allocate(%c64)            evm.icall @f_failure(0x3738)
//!   evm.mstore %p, 0x3738                     evm.unreachable
//!   evm.icall @fail_with(%p)                ^b:
//!   evm.unreachable                    =>     evm.icall @f_failure(0x3839)
//! ^b:                                         evm.unreachable
//!   %q = evm.icall @allocate(%c64)          func @f_failure(%text)
//!   evm.mstore %q, 0x3839                     %p = evm.icall @allocate(%c64)
//!   evm.icall @fail_with(%q)                  …
//!   evm.unreachable
//! ```
//!
//! Blocks that lead nowhere and only fail are alike if their instructions are, up to the names of
//! values and to constants. What differs is passed: values of other blocks and constants, at most
//! [`MAX_PARAMS`]. They run at most once and end the frame, so the call costs nothing that counts. It is never
//! larger: what is passed is what each block has to push anyway, and behind it all are equal.
//!
//! Does nothing in a module without an entry function. Needs promotion, preserves it.
//! Cost: linear.

use crate::alike::Head;
use crate::failing::{MAX_PARAMS, Names, Region, sign};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{CallGraph, callgraph};
use cairn_diag::SharedPlaces;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Family, Func, Function, Inst, Loc, Module, Op, Type, Value};
use rustc_hash::FxHashMap;

/// Instructions of a block, without constants.
const MAX_INSTS: usize = 32;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "merge-failures",
    summary: "one function for blocks that fail alike but for constants",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    if module.entry.is_none() {
        return Changed::No;
    }
    let groups = groups(module).into_iter();
    let found: Vec<(Plan, Vec<Failure>)> =
        groups.filter_map(|alike| Some((Plan::of(module, &alike)?, alike))).collect();
    if found.is_empty() {
        return Changed::No;
    }
    let mut names = Names::of(module);
    let places = SharedPlaces::new(module.debug.locs().map(|(id, data)| (id, data.range())));
    for (plan, alike) in found {
        plan.carry_out(module, &alike, &mut names, &places);
    }
    Changed::Yes
}

/// A piece of a block's description.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Token {
    Head(Head),
    Constant(Type),
    /// A result of an instruction of the block.
    Own(usize),
    /// What is passed to the block, or made elsewhere.
    Passed(usize, Type),
}

/// A block that only fails.
struct Failure {
    func: Func,
    region: Region,
    /// The constants that it uses, in order.
    words: Vec<Word>,
}

/// The blocks that fail, those that are alike together, in the order of the first of each.
fn groups(module: &Module) -> Vec<Vec<Failure>> {
    let graph = CallGraph::compute(module);
    let mut places: FxHashMap<Vec<Token>, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Failure>> = Vec::new();
    for (id, func) in &module.funcs {
        let blocks = func.layout.blocks().skip(1);
        for block in blocks.filter(|block| only_fails(func, &graph, *block)) {
            let region = Region::end(func, block);
            let Some((tokens, words)) = describe(func, &region) else { continue };
            let place = *places.entry(tokens).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(Failure { func: id, region, words });
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// True for a block that leads nowhere, and reverts or calls a function that only fails.
fn only_fails(func: &Function, graph: &CallGraph, block: Block) -> bool {
    let fails = |inst: Inst| match func.dfg.op(inst) {
        Op::Evm(Opcode::REVERT | Opcode::INVALID) => true,
        _ => callgraph::callee(func, inst).is_some_and(|callee| graph.ends(callee).only_fails()),
    };
    let mut ends = func.layout.insts_rev(block).filter(|inst| func.dfg.op(*inst).family() != Family::Mark);
    match ends.next() {
        Some(end) if func.dfg.op(end) == Op::Unreachable => ends.next().is_some_and(fails),
        end => end.is_some_and(fails),
    }
}

/// The instructions of a block but for constants and marks for debuggers.
fn counted(func: &Function, block: Block) -> impl Iterator<Item = Inst> + '_ {
    let is_counted = |op: Op| op != Op::Constant && op.family() != Family::Mark;
    func.layout.insts(block).filter(move |inst| is_counted(func.dfg.op(*inst)))
}

/// What a block does, and the constants that it uses; nothing if it can't be moved.
fn describe(func: &Function, region: &Region) -> Option<(Vec<Token>, Vec<Word>)> {
    let block = region.start;
    let passed = region.inputs(func);
    if passed.len() > MAX_PARAMS || counted(func, block).count() > MAX_INSTS {
        return None;
    }
    let (mut tokens, mut words, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for inst in counted(func, block) {
        if matches!(func.dfg.op(inst), Op::Alloca | Op::Verbatim) {
            return None;
        }
        tokens.push(Token::Head(Head::of(func, inst, None)));
        for arg in func.dfg.args(inst) {
            let place = |values: &[Value]| values.iter().position(|value| value == arg);
            let ty = func.dfg.ty(*arg);
            tokens.push(match (func.dfg.as_const(*arg), place(&own), place(&passed)) {
                (Some(word), ..) => {
                    words.push(word);
                    Token::Constant(ty)
                }
                (None, Some(index), _) => Token::Own(index),
                (None, None, Some(index)) => Token::Passed(index, ty),
                (None, None, None) => return None,
            });
        }
        own.extend_from_slice(func.dfg.results(inst));
    }
    Some((tokens, words))
}

/// How blocks that are alike become one function.
struct Plan {
    /// The constants that differ, by place; those that always are the same word together.
    passed: Vec<Vec<usize>>,
}

impl Plan {
    /// Nothing if more would be passed than [`MAX_PARAMS`].
    fn of(module: &Module, alike: &[Failure]) -> Option<Plan> {
        let first = alike.first()?;
        let column =
            |place: usize| -> Vec<Word> { alike.iter().map(|failure| failure.words[place]).collect() };
        let mut passed: Vec<(Vec<Word>, Vec<usize>)> = Vec::new();
        for place in 0..first.words.len() {
            let words = column(place);
            if words.iter().all(|word| *word == words[0]) {
                continue;
            }
            match passed.iter_mut().find(|(known, _)| *known == words) {
                Some((_, places)) => places.push(place),
                None => passed.push((words, vec![place])),
            }
        }
        let func = &module.funcs[first.func];
        let n_values = first.region.inputs(func).len();
        if passed.len() + n_values > MAX_PARAMS {
            return None;
        }
        Some(Plan { passed: passed.into_iter().map(|(_, places)| places).collect() })
    }

    /// Makes the function, and calls it.
    fn carry_out(
        &self,
        module: &mut Module,
        alike: &[Failure],
        names: &mut Names,
        places: &SharedPlaces<Loc>,
    ) {
        let first = &alike[0];
        let func = &module.funcs[first.func];
        let mut made = first.region.as_function(func, names.free(&func.name, "failure"));
        self.pass_constants(&mut made);
        share_places(&mut made, module, alike, places);
        let made = module.funcs.push(made);
        for failure in alike {
            let func = &mut module.funcs[failure.func];
            let place = func.layout.first_inst(failure.region.start).expect("invariant: a block has an end");
            let mut more = Vec::new();
            for places in &self.passed {
                let ty = constant_type(func, failure.region.start, places[0]);
                let constant = func.make_constant(failure.words[places[0]], ty);
                func.layout.insert_inst_before(constant, place);
                more.push(func.dfg.result(constant));
            }
            failure.region.replace(func, made, &more);
        }
    }

    /// Gives a function parameters for the constants.
    fn pass_constants(&self, made: &mut Function) {
        let block = made.layout.entry();
        let mut params: Vec<Value> = Vec::new();
        for places in &self.passed {
            let ty = constant_type(made, block, places[0]);
            params.push(made.dfg.append_param(block, ty));
        }
        let insts: Vec<Inst> = counted(made, block).collect();
        let mut place = 0;
        for inst in insts {
            for index in 0..made.dfg.args(inst).len() {
                if made.dfg.as_const(made.dfg.args(inst)[index]).is_none() {
                    continue;
                }
                if let Some(param) = self.passed.iter().position(|places| places.contains(&place)) {
                    made.dfg.args_mut(inst)[index] = params[param];
                }
                place += 1;
            }
        }
        sign(made);
    }
}

/// Gives what was the first of some blocks locations that hold for all.
fn share_places(made: &mut Function, module: &Module, alike: &[Failure], places: &SharedPlaces<Loc>) {
    let range = |loc| Some(module.debug.loc(loc).range());
    for failure in &alike[1..] {
        let func = &module.funcs[failure.func];
        let insts: Vec<Inst> = counted(made, made.layout.entry()).collect();
        for (inst, other) in insts.into_iter().zip(counted(func, failure.region.start)) {
            let (own, loc) = (made.dfg.inst(inst).loc.expand(), func.dfg.inst(other).loc.expand());
            made.dfg.inst_mut(inst).loc = places.common(own, loc, range).into();
        }
    }
}

/// The type of a constant that a block uses.
fn constant_type(func: &Function, block: Block, place: usize) -> Type {
    let used = counted(func, block).flat_map(|inst| func.dfg.args(inst).to_vec());
    let constant = used.filter(|arg| func.dfg.as_const(*arg).is_some()).nth(place);
    func.dfg.ty(constant.expect("invariant: the block uses it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{parse, run_module_pass};

    /// Whether two blocks are merged, which are texts with a number for `#`.
    fn is_merged(block: &str) -> bool {
        are_merged(&block.replace('#', "1"), &block.replace('#', "2"))
    }

    fn are_merged(one: &str, other: &str) -> bool {
        let mut module = parse(&format!(
            "module @m {{ func @__entry() {{
             ^e:
               %zero = evm.constant 0 : u256
               %word = evm.constant 32 : u256
               %x = evm.calldataload %zero : u256
               evm.condbr %x, ^a, ^b
             ^a: {one}
             ^b: {other} }} }}"
        ));
        run_module_pass(&mut module, run) == Changed::Yes
    }

    #[test]
    fn blocks_that_are_alike_but_for_constants_or_equal_are_one() {
        let end = "evm.mstore %word, %zero evm.revert %zero, %word";
        assert!(is_merged(&format!("%k# = evm.constant # : u256 evm.mstore %zero, %k# {end}")));
        assert!(is_merged(&format!("evm.mstore %zero, %x {end}")));
        assert!(is_merged(end));
        let computed = |op: &str| format!("%k = evm.{op} %x, %word : u256 evm.mstore %zero, %k {end}");
        assert!(are_merged(&computed("add"), &computed("add")));
        assert!(!are_merged(&computed("add"), &computed("sub")));
    }

    #[test]
    fn what_is_passed_is_no_more_than_four_words() {
        let stores = |count: usize| -> String {
            let store = |i: usize| {
                format!(
                    "%k#_{i} = evm.constant #00{i} : u256 evm.sstore %word, %k#_{i} evm.mstore %zero, %k#_{i} "
                )
            };
            (0..count).map(store).collect()
        };
        let end = "evm.revert %zero, %word";
        assert!(is_merged(&format!("{} {end}", stores(4))));
        assert!(!is_merged(&format!("{} {end}", stores(5))));
    }
}
