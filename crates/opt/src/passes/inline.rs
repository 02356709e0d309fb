//! `inline`: replaces calls of internal functions by the function's body.
//!
//! ```text
//! ^a:                                  ^a:
//!   %s = evm.icall @add1(%x)             %t = evm.add %x, 1
//!   evm.sstore %k, %s            =>      evm.br ^after(%t)
//! func @add1(%y) {                     ^after(%s):
//!   %t = evm.add %y, 1                   evm.sstore %k, %s
//!   evm.iret %t }
//! ```
//!
//! Inlined is
//! * what is called in one place only;
//! * what takes no more bytes than the call;
//! * what takes more, if the gas saved over the expected executions is worth the bytes.
//!
//! Never inlined: functions that can be active twice at once, `[noinline]` functions, functions
//! that only fail if they are longer than the call (they stay shared and cold), calls on cold
//! paths that would grow, and, in modules without frames, what would make more values live at once
//! than the stack reaches. Callees are looked at before callers; the module grows by a bounded
//! factor. Order of evaluation is kept: arguments are values already.
//!
//! Needs promotion, preserves it. Cost: linear in the result.

use crate::cost::{self, Cost};
use crate::edit::remove_unreachable_blocks;
use crate::pass::{Changed, PassCx};
use crate::pressure::{Pressure, counts};
use cairn_analysis::{CallGraph, Cfg, Dominators, Frequency, Loops, callgraph};
use cairn_ir::{
    Block, BlockCall, Func, Function, Inst, MemoryModel, Module, Op, Payload, SecondaryMap, SwitchData, Value,
};
use cranelift_entity::packed_option::PackedOption;

/// Instructions that a caller may have when something is inlined that is called elsewhere too.
const GREATEST_CALLER: usize = 20_000;
/// Bytes of a body that is inlined in several places, however often it runs.
const GREATEST_BODY: u32 = 200;
/// Values live at once that a module without frames can hold: nothing can be kept in memory there.
const GREATEST_PRESSURE: u32 = 12;
/// Stack operations around a call that estimates by operands don't see: the return address under
/// the arguments has to be moved about.
const CALL_EXTRA_GAS: u64 = 6;

/// What is known of a function as a callee.
#[derive(Clone, Copy, Debug, Default)]
struct Callee {
    body: Cost,
    /// Values live at once in the body.
    pressure: u32,
    /// Call sites left.
    n_sites: u32,
    is_barred: bool,
    is_wanted: bool,
    /// It can only fail.
    is_cold: bool,
}

/// Runs the pass.
pub fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Changed {
    let graph = CallGraph::compute(module);
    let mut callees: SecondaryMap<Func, Callee> = SecondaryMap::new();
    callees.resize(module.funcs.len());
    for (id, func) in &module.funcs {
        callees[id].n_sites = graph.call_sites(id);
        callees[id].is_barred = graph.is_recursive(id) || func.attrs.noinline || module.entry == Some(id);
        callees[id].is_wanted = func.attrs.inline;
        callees[id].is_cold = func.attrs.cold || graph.ends(id).only_fails();
    }
    let mut changed = false;
    for id in graph.bottom_up() {
        let sites = choose_sites(module, id, &callees, &graph, cx);
        if !sites.is_empty() {
            changed = true;
            let mut func = std::mem::take(&mut module.funcs[id]);
            inline_sites(&mut func, module, &sites);
            module.funcs[id] = func;
            sites.iter().for_each(|site| callees[site.callee].n_sites -= 1);
        }
        let func = &module.funcs[id];
        callees[id].body = body_cost(func, cx);
        if module.memory == MemoryModel::NoFrame {
            callees[id].pressure = Pressure::compute(func, &Cfg::compute(func)).of_func();
        }
    }
    Changed::from(changed)
}

/// A call to replace.
#[derive(Clone, Copy, Debug)]
struct Site {
    call: Inst,
    callee: Func,
}

/// The calls of a function to inline, in order.
fn choose_sites(
    module: &Module,
    caller: Func,
    callees: &SecondaryMap<Func, Callee>,
    graph: &CallGraph,
    cx: &PassCx<'_>,
) -> Vec<Site> {
    let func = &module.funcs[caller];
    if graph.callees(caller).iter().all(|callee| callees[*callee].is_barred) {
        return Vec::new();
    }
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(&cfg));
    let frequency = Frequency::compute(func, &cfg, &loops, Some(graph));
    let pressure = (module.memory == MemoryModel::NoFrame).then(|| Pressure::compute(func, &cfg));
    let mut n_insts: usize = func.layout.blocks().map(|block| func.layout.insts(block).count()).sum();
    let mut sites = Vec::new();
    for block in cfg.rpo() {
        for call in func.layout.insts(*block) {
            let Some(callee) = callgraph::callee(func, call).filter(|callee| !callees[*callee].is_barred)
            else {
                continue;
            };
            let runs = if frequency.is_cold(*block) { 0.0 } else { frequency.of(*block).max(1.0) };
            let facts = callees[callee];
            if pressure.as_ref().is_some_and(|pressure| is_crowding(func, call, &facts, pressure)) {
                continue;
            }
            let is_only = facts.n_sites == 1;
            if is_only || (n_insts < GREATEST_CALLER && pays(func, call, &facts, runs, cx)) {
                n_insts += module.funcs[callee].dfg.num_insts();
                sites.push(Site { call, callee });
            }
        }
    }
    sites
}

/// True when the body would take the stack out of reach where the call does not: a call needs its
/// operands and the return address at once.
fn is_crowding(func: &Function, call: Inst, callee: &Callee, pressure: &Pressure) -> bool {
    let n_args = func.dfg.args(call).iter().filter(|arg| counts(func, **arg)).count();
    let of_call = n_args.max(func.dfg.results(call).len()) as u32 + 1;
    callee.pressure > of_call && pressure.behind_call(call) + callee.pressure > GREATEST_PRESSURE
}

/// True when the body instead of the call is worth its bytes.
fn pays(func: &Function, call: Inst, callee: &Callee, runs: f64, cx: &PassCx<'_>) -> bool {
    if callee.is_wanted {
        return true;
    }
    let site = cost::of_call(func, call);
    let n_constants =
        func.dfg.args(call).iter().filter(|arg| func.dfg.as_const(**arg).is_some()).count() as u32;
    let grown = callee.body.bytes.saturating_sub(3 * n_constants);
    if grown <= site.bytes {
        return true;
    }
    if callee.is_cold || grown > GREATEST_BODY {
        return false;
    }
    let saved_gas = (site.gas + CALL_EXTRA_GAS + 6 * u64::from(n_constants)) as f64 * runs;
    saved_gas > f64::from(grown - site.bytes) * cx.options.gas_per_byte()
}

/// The cost of a body without its return, which inlining saves.
fn body_cost(func: &Function, cx: &PassCx<'_>) -> Cost {
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let own = insts.filter(|inst| func.dfg.op(*inst) != Op::Iret);
    own.map(|inst| cost::of_inst(func, inst, cx.options.fork)).fold(Cost::default(), |sum, cost| sum + cost)
}

/// Replaces calls by bodies, the last first, so that splitting blocks stays linear.
fn inline_sites(func: &mut Function, module: &Module, sites: &[Site]) {
    let mut renaming: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::new();
    for site in sites.iter().rev() {
        inline_site(func, *site, &module.funcs[site.callee], &mut renaming);
    }
    let Function { dfg, layout, .. } = func;
    for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
        dfg.map_uses(inst, |value| renaming[value].expand().unwrap_or(value));
    }
    remove_unreachable_blocks(func);
}

fn inline_site(
    func: &mut Function,
    site: Site,
    callee: &Function,
    renaming: &mut SecondaryMap<Value, PackedOption<Value>>,
) {
    let block = func.layout.inst_block(site.call).expect("invariant: the call is in a block");
    let after = func.make_block();
    func.layout.insert_block_after(after, block);
    if let Some(next) = func.layout.next_inst(site.call) {
        func.layout.split_block(next, after);
    }
    let results = func.dfg.results(site.call).to_vec();
    for result in results {
        let param = func.dfg.append_param(after, func.dfg.ty(result));
        renaming[result] = param.into();
    }
    let args = func.dfg.args(site.call).to_vec();
    func.layout.remove_inst(site.call);
    let mut copy = Copy { func, callee, after, blocks: SecondaryMap::new(), values: SecondaryMap::new() };
    let entry = copy.copy_body(block, &args);
    let call = func.dfg.block_call(entry, &[]);
    let jump = func.dfg.make_inst(Op::Br, &[], Payload::Jump(call));
    func.layout.append_inst(jump, block);
}

/// A body on its way into a caller.
struct Copy<'a> {
    func: &'a mut Function,
    callee: &'a Function,
    /// Where returns go.
    after: Block,
    blocks: SecondaryMap<Block, PackedOption<Block>>,
    values: SecondaryMap<Value, PackedOption<Value>>,
}

impl Copy<'_> {
    /// Copies every block behind `place`; returns the entry's copy, whose parameters are `args`.
    fn copy_body(&mut self, place: Block, args: &[Value]) -> Block {
        let callee = self.callee;
        let mut last = place;
        let mut insts: Vec<(Inst, Inst)> = Vec::new();
        for block in callee.layout.blocks() {
            let copied = self.func.make_block();
            self.func.layout.insert_block_after(copied, last);
            self.blocks[block] = copied.into();
            last = copied;
            self.make_params(block, copied, args);
            insts.extend(callee.layout.insts(block).map(|inst| (inst, self.make_inst(inst, copied))));
        }
        for (inst, made) in insts {
            self.fill_inst(inst, made);
        }
        self.block(callee.layout.entry())
    }

    fn make_params(&mut self, block: Block, copied: Block, args: &[Value]) {
        let callee = self.callee;
        for (index, param) in callee.dfg.params(block).iter().enumerate() {
            let is_entry = block == callee.layout.entry();
            let value = if is_entry {
                args[index]
            } else {
                self.func.dfg.append_param(copied, callee.dfg.ty(*param))
            };
            self.values[*param] = value.into();
        }
    }

    /// An instruction with its results but without operands, so that uses can come before
    /// definitions.
    fn make_inst(&mut self, inst: Inst, copied: Block) -> Inst {
        let callee = self.callee;
        let made = self.func.dfg.make_inst(callee.dfg.op(inst), &[], Payload::None);
        for result in callee.dfg.results(inst) {
            let value = self.func.dfg.append_result(made, callee.dfg.ty(*result));
            self.values[*result] = value.into();
        }
        self.func.dfg.inst_mut(made).loc = callee.dfg.inst(inst).loc;
        self.func.layout.append_inst(made, copied);
        made
    }

    fn fill_inst(&mut self, inst: Inst, made: Inst) {
        let callee = self.callee;
        let args: Vec<Value> = callee.dfg.args(inst).iter().map(|arg| self.value(*arg)).collect();
        let op = callee.dfg.op(inst);
        if op == Op::Iret {
            let call = self.func.dfg.block_call(self.after, &args);
            self.func.dfg.replace_inst(made, Op::Br, &[], Payload::Jump(call));
            return;
        }
        let payload = self.payload(callee.dfg.inst(inst).payload);
        self.func.dfg.replace_inst(made, op, &args, payload);
    }

    fn payload(&mut self, payload: Payload) -> Payload {
        match payload {
            Payload::Const(id) => Payload::Const(self.func.dfg.make_const(self.callee.dfg.word(id))),
            Payload::Jump(call) => Payload::Jump(self.edge(&call)),
            Payload::Branch([then, otherwise]) => Payload::Branch([self.edge(&then), self.edge(&otherwise)]),
            Payload::Switch(id) => {
                let data = self.callee.dfg.switch(id);
                let cases = data.cases.iter().map(|(word, call)| (*word, self.edge(call))).collect();
                let default = self.edge(&data.default);
                Payload::Switch(self.func.dfg.make_switch(SwitchData { default, cases }))
            }
            Payload::None | Payload::Size(_) | Payload::Func(_) | Payload::Symbol(_) => payload,
        }
    }

    fn edge(&mut self, call: &BlockCall) -> BlockCall {
        let args: Vec<Value> = self.callee.dfg.call_args(call).iter().map(|arg| self.value(*arg)).collect();
        self.func.dfg.block_call(self.block(call.block), &args)
    }

    fn block(&self, block: Block) -> Block {
        self.blocks[block].expect("invariant: every block of the layout was copied")
    }

    fn value(&self, value: Value) -> Value {
        self.values[value].expect("invariant: every value used in the body is defined there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_module_pass};

    /// The body of the first function of a module after the pass.
    fn inlined(text: &str) -> (Changed, String) {
        let mut module = parse(text);
        let changed = run_module_pass(&mut module, run);
        (changed, body(&module, Func::from_u32(0)))
    }

    #[test]
    fn a_tiny_body_replaces_its_calls() {
        let (changed, text) = inlined(
            "module @m {
               func @f(%x : u256) -> u256 {
               ^e:
                 %a = evm.icall @not(%x) : u256
                 %b = evm.icall @not(%a) : u256
                 evm.iret %b
               }
               func @not(%y : u256) -> u256 {
               ^e:
                 %n = evm.not %y : u256
                 evm.iret %n
               }
             }",
        );
        let expected = "^e:
               evm.br ^0
             ^0:
               %0 = evm.not %x : u256
               evm.br ^1(%0)
             ^1(%1 : u256):
               evm.br ^2
             ^2:
               %2 = evm.not %1 : u256
               evm.br ^3(%2)
             ^3(%3 : u256):
               evm.iret %3";
        assert_eq!(changed, Changed::Yes);
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn what_is_called_once_is_inlined_with_its_loops_and_switches() {
        let (_, text) = inlined(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 evm.icall @g(%x)
                 evm.iret
               }
               func @g(%y : u256) {
               ^e:
                 evm.br ^loop(%y)
               ^loop(%i : u256):
                 evm.sstore %i, %y
                 evm.switch %i, default ^loop(%i)
                   case 7 -> ^done
               ^done:
                 evm.iret
               }
             }",
        );
        assert!(
            !text.contains("icall") && text.contains("case 7") && text.contains("evm.sstore %0, %x"),
            "{text}"
        );
    }

    #[test]
    fn recursive_functions_stay() {
        let (changed, _) = inlined(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 evm.icall @g(%x)
                 evm.iret
               }
               func @g(%y : u256) {
               ^e:
                 evm.condbr %y, ^again, ^done
               ^again:
                 evm.icall @g(%y)
                 evm.br ^done
               ^done:
                 evm.iret
               }
             }",
        );
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn marked_functions_stay() {
        let (changed, _) = inlined(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 evm.icall @g(%x)
                 evm.iret
               }
               func @g(%y : u256) [noinline] {
               ^e:
                 evm.iret
               }
             }",
        );
        assert_eq!(changed, Changed::No);
    }

    const PANIC: &str = "func @panic(%code : u256) {
       ^e:
         %zero = evm.constant 0 : u256
         %four = evm.constant 4 : u256
         %len = evm.constant 36 : u256
         %id = evm.constant 0x4e487b7100000000000000000000000000000000000000000000000000000000 : u256
         evm.mstore %zero, %id
         evm.mstore %four, %code
         evm.revert %zero, %len
       }";

    #[test]
    fn long_bodies_that_only_fail_stay_shared() {
        let (changed, _) = inlined(&format!(
            "module @m {{
               func @f(%x : u256) {{
               ^e:
                 evm.condbr %x, ^a, ^b
               ^a:
                 evm.icall @panic(%x)
                 evm.unreachable
               ^b:
                 %n = evm.not %x : u256
                 evm.icall @panic(%n)
                 evm.unreachable
               }}
               {PANIC}
             }}"
        ));
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn a_body_that_never_returns_leaves_no_code_behind() {
        let (_, text) = inlined(&format!(
            "module @m {{
               func @f(%x : u256) -> u256 {{
               ^e:
                 evm.icall @panic(%x)
                 evm.sstore %x, %x
                 evm.iret %x
               }}
               {PANIC}
             }}"
        ));
        assert!(text.contains("evm.revert") && !text.contains("sstore"), "{text}");
    }
}
