//! `inline`: replaces calls of internal functions by the function's body.
//!
//! ```text
//! ^a:                                  ^a:
//!   %s = evm.icall @add1(%x)             %t = evm.add %x, 1
//!   evm.sstore %k, %s            =>      evm.sstore %k, %t
//! func @add1(%y) {
//!   %t = evm.add %y, 1
//!   evm.iret %t }
//! ```
//!
//! Inlined is
//! * what is called in one place only;
//! * what is expected to take no more bytes than the call;
//! * what takes more, if the gas saved over the expected executions is worth the bytes; of many
//!   calls of a function only a few are expected to run ([`cost::reached_share`]).
//!
//! Never inlined: functions that can be active twice at once, `[noinline]` functions, functions
//! that only fail if they are longer than the call (they stay shared and cold), calls on cold
//! paths that would grow, in modules without frames what would make more values live at once
//! than the stack reaches, and bodies longer than [`MAX_MOVED`]: their call costs nothing in
//! comparison. What knows the address of an `alloca` does not go into a function that can be active
//! twice at once: the `alloca` would have to be in two places. Callees are looked at before callers;
//! what copying adds to the module is bounded.
//! Order of evaluation is kept: arguments are values already.
//!
//! A body that is called once is not copied before it is known where it ends up: its call waits
//! until the function that contains it is copied itself or stays. So each instruction is copied
//! once for each place where it finally stands, however long the chain of calls is.
//!
//! Needs promotion, preserves it. Cost: linear in the result.

mod copy;

use crate::cost;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::pressure::{Pressure, counts};
use cairn_analysis::{CallGraph, Cfg, Frequency, callgraph};
use cairn_evm::Cost;
use cairn_evm::Opcode;
use cairn_ir::{Block, Func, Function, Inst, Module, Op, SecondaryMap, Value, sized};
use copy::inline_sites;
use std::cell::LazyCell;

/// Instructions that a caller may have when something is inlined that is called elsewhere too.
const MAX_CALLER: usize = 20_000;
/// Instructions of a body, inner bodies included, that is inlined because nobody else calls it.
const MAX_MOVED: usize = 2_000;
/// Bytes of a body that is inlined in several places, however often it runs.
const MAX_BODY: u64 = 200;
/// Instructions that copies may add to a module: this many, or as many as there are.
const MIN_BUDGET: usize = 50_000;
/// Bytes that a body loses on average when it meets its arguments and the uses of its results: real
/// contracts are smallest from 8 to 10, and take more gas from 12 on.
const SHRINKING: u64 = 9;

/// What is known of a function as a callee, with the bodies that are to be moved into it.
#[derive(Clone, Copy, Debug, Default)]
struct Callee {
    body: Cost,
    n_insts: usize,
    /// Values live at once in the body.
    pressure: u32,
    /// Call sites left.
    n_sites: u32,
    is_barred: bool,
    is_wanted: bool,
    /// Its only call waits to be replaced.
    is_moved: bool,
    /// It can only fail.
    is_cold: bool,
    /// The address of an `alloca` in the body is more than the place of loads and stores.
    has_known_alloca: bool,
}

/// Bytes of a push of a constant that is not long.
const SHORT: u64 = 5;

/// A call to replace.
#[derive(Clone, Copy, Debug)]
struct Site {
    call: Inst,
    callee: Func,
    /// No other call of the callee is left.
    is_only: bool,
}

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "inline",
    summary: "replaces calls by bodies where that pays",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let graph = CallGraph::compute(module);
    let n_insts: usize = module.funcs.values().map(|func| func.layout.num_insts()).sum();
    let mut inliner = Inliner {
        callees: describe_callees(module, &graph),
        waiting: SecondaryMap::new(),
        budget: n_insts.max(MIN_BUDGET),
        graph: &graph,
        cx,
    };
    let order: Vec<Func> = graph.bottom_up().collect();
    let mut changed = false;
    for id in &order {
        changed |= inliner.visit(module, *id);
    }
    // What waits in a function that waits itself goes with it.
    for id in order {
        if !inliner.callees[id].is_moved {
            inliner.settle(module, id);
        }
    }
    Changed::from(changed)
}

fn describe_callees(module: &Module, graph: &CallGraph) -> SecondaryMap<Func, Callee> {
    let mut callees: SecondaryMap<Func, Callee> = sized(module.funcs.len());
    for (id, func) in &module.funcs {
        callees[id].n_sites = graph.call_sites(id);
        callees[id].is_barred = graph.is_recursive(id) || func.attrs.noinline || module.entry == Some(id);
        callees[id].is_wanted = func.attrs.inline;
        callees[id].is_cold = func.attrs.cold || graph.ends(id).only_fails();
    }
    callees
}

struct Inliner<'a> {
    callees: SecondaryMap<Func, Callee>,
    /// Calls in each function to be replaced by bodies that nobody else calls.
    waiting: SecondaryMap<Func, Vec<Site>>,
    /// Instructions that copies may still add.
    budget: usize,
    graph: &'a CallGraph,
    cx: &'a PassContext<'a>,
}

impl Inliner<'_> {
    /// Chooses what is inlined into a function and sums up what it is as a callee.
    fn visit(&mut self, module: &mut Module, id: Func) -> bool {
        let has_pressure = !module.memory.has_frames();
        let mut pressure = None;
        let mut sites = Vec::new();
        if self.has_candidates(id) {
            let cfg = Cfg::compute(&module.funcs[id]);
            pressure = has_pressure.then(|| Pressure::compute(&module.funcs[id], &cfg));
            sites = self.choose_sites(module, id, &cfg, pressure.as_ref());
        }
        let changed = !sites.is_empty();
        let (moved, copied): (Vec<Site>, Vec<Site>) = sites.into_iter().partition(|site| site.is_only);
        for site in &copied {
            self.settle(module, site.callee);
            self.callees[site.callee].n_sites -= 1;
        }
        self.replace_calls(module, id, &copied);
        if has_pressure && (pressure.is_none() || !copied.is_empty()) {
            pressure = Some(pressure_of(&module.funcs[id]));
        }
        self.sum_up(id, &module.funcs[id], &moved, pressure.as_ref());
        moved.iter().for_each(|site| self.callees[site.callee].is_moved = true);
        self.waiting[id] = moved;
        changed
    }

    fn sum_up(&mut self, id: Func, func: &Function, moved: &[Site], pressure: Option<&Pressure>) {
        let mut sum = self.callees[id];
        sum.body = body_cost(func, self.cx);
        sum.n_insts = func.layout.num_insts();
        sum.has_known_alloca = has_known_alloca(func);
        sum.pressure = pressure.map_or(0, Pressure::of_func);
        for site in moved {
            let inner = self.callees[site.callee];
            sum.body = sum.body.without(cost::of_inst(func, site.call, self.cx.options.fork)) + inner.body;
            sum.n_insts += inner.n_insts;
            sum.has_known_alloca |= inner.has_known_alloca;
            let behind = pressure.map_or(0, |pressure| pressure.behind_call(site.call));
            sum.pressure = sum.pressure.max(behind + inner.pressure);
        }
        self.callees[id] = sum;
    }

    /// Moves what waits into a function.
    fn settle(&mut self, module: &mut Module, id: Func) {
        let sites = std::mem::take(&mut self.waiting[id]);
        self.replace_calls(module, id, &sites);
    }

    fn replace_calls(&self, module: &mut Module, id: Func, sites: &[Site]) {
        if sites.is_empty() {
            return;
        }
        let mut func = std::mem::take(&mut module.funcs[id]);
        inline_sites(&mut func, module, sites, &self.waiting);
        module.funcs[id] = func;
    }

    /// True when there is something to say about a call of the function.
    fn has_candidates(&self, caller: Func) -> bool {
        let is_barred = |callee: &Func| self.callees[*callee].is_barred;
        self.cx.remarks.is_some() || !self.graph.callees(caller).iter().all(is_barred)
    }

    /// True for a body that only fails, in a caller that is put in the place of its own calls as long as the
    /// body is not in it.
    fn keeps_out(&self, func: &Function, caller: Func, callee: &Callee) -> bool {
        if !callee.is_cold || self.callees[caller].n_sites < 2 || self.callees[caller].is_barred {
            return false;
        }
        let (body, limit) = (body_cost(func, self.cx).bytes, always_fits(func));
        body <= limit && body + callee.body.bytes > limit
    }

    /// The calls of a function to inline, in order.
    fn choose_sites(
        &mut self,
        module: &Module,
        caller: Func,
        cfg: &Cfg,
        pressure: Option<&Pressure>,
    ) -> Vec<Site> {
        let func = &module.funcs[caller];
        let frequency = LazyCell::new(|| Frequency::compute(func, cfg, Some(self.graph)));
        let mut n_insts = func.layout.num_insts();
        let mut sites = Vec::new();
        for block in cfg.rpo() {
            for call in func.layout.insts(*block) {
                let Some(callee) = callgraph::callee(func, call) else { continue };
                let runs = || if frequency.is_cold(*block) { 0.0 } else { frequency.of(*block).max(1.0) };
                let facts = self.callees[callee];
                let name = &module.funcs[callee].name;
                let tell = |verdict: &str| remark(self.cx, func, call, name, &facts, &runs, verdict);
                if facts.is_barred {
                    tell("not inlined: it can be active twice at once, or is not to be");
                    continue;
                }
                if facts.has_known_alloca && self.graph.is_recursive(caller) {
                    tell("not inlined: the caller can be active twice at once, its frame cannot");
                    continue;
                }
                if pressure.is_some_and(|pressure| {
                    is_crowding(func, call, &facts, pressure, self.cx.options.max_live)
                }) {
                    tell("not inlined: the stack would not reach all values, and there is no frame for them");
                    continue;
                }
                if self.keeps_out(func, caller, &facts) {
                    tell("not inlined: the caller is put in the place of its calls without it");
                    continue;
                }
                let is_only = facts.n_sites == 1 && facts.n_insts <= MAX_MOVED;
                let fits = n_insts < MAX_CALLER && facts.n_insts <= self.budget;
                if is_only || (fits && pays(func, call, &facts, &runs, self.cx)) {
                    tell(if is_only { "inlined: nobody else calls it" } else { "inlined: it pays" });
                    n_insts += facts.n_insts;
                    self.budget -= if is_only { 0 } else { facts.n_insts };
                    sites.push(Site { call, callee, is_only });
                } else {
                    tell(match fits {
                        false => "not inlined: caller and callee are too large together",
                        true if facts.is_cold => "not inlined: it only fails",
                        true if facts.body.bytes > MAX_BODY => "not inlined: it is too large",
                        true => "not inlined: the gas saved is not worth the bytes",
                    });
                }
            }
        }
        sites
    }
}

/// Bytes of a body that is put in the place of every call, with operands and results that are words of the
/// stack.
pub(super) fn always_fits(func: &Function) -> u64 {
    let n_words = func.signature.params.len() + func.signature.results.len();
    cost::CALL_BYTES + n_words as u64 + SHRINKING
}

/// Says what becomes of a call, with what it costs.
fn remark(
    cx: &PassContext<'_>,
    func: &Function,
    call: Inst,
    callee: &str,
    facts: &Callee,
    runs: &dyn Fn() -> f64,
    verdict: &str,
) {
    cx.remark("inline", func, || {
        let site = cost::of_call(func, call);
        format!(
            "call of `@{callee}` {verdict}; a call costs {} gas and {} bytes, the body {} gas and {} bytes, \
             {:.1} runs",
            site.gas,
            site.bytes,
            facts.body.gas,
            facts.body.bytes,
            runs()
        )
    });
}

/// True if the address of an `alloca` is used for anything but loads and stores there.
fn has_known_alloca(func: &Function) -> bool {
    let is_alloca =
        |value: &Value| func.dfg.def_inst(*value).is_some_and(|inst| func.dfg.op(inst) == Op::Alloca);
    let mut insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    func.has_alloca()
        && insts.any(|inst| {
            let is_access = matches!(func.dfg.op(inst), Op::Evm(Opcode::MLOAD | Opcode::MSTORE));
            let mut is_known = false;
            let mut index = 0;
            func.dfg.for_each_use(inst, |value| {
                is_known |= is_alloca(&value) && !(is_access && index == 0);
                index += 1;
            });
            is_known
        })
}

fn pressure_of(func: &Function) -> Pressure {
    Pressure::compute(func, &Cfg::compute(func))
}

/// True when the body would take the stack out of reach where the call does not: a call needs its
/// operands and the return address at once.
fn is_crowding(func: &Function, call: Inst, callee: &Callee, pressure: &Pressure, max_live: u32) -> bool {
    let n_args = func.dfg.args(call).iter().filter(|arg| counts(func, **arg)).count();
    let of_call = n_args.max(func.dfg.results(call).len()) as u32 + 1;
    callee.pressure > of_call && pressure.behind_call(call) + callee.pressure > max_live
}

/// True when the body instead of the call is worth its bytes.
fn pays(func: &Function, call: Inst, callee: &Callee, runs: &dyn Fn() -> f64, cx: &PassContext<'_>) -> bool {
    if callee.is_wanted {
        return true;
    }
    let site = cost::of_call(func, call);
    let constants = func.dfg.args(call).iter().filter_map(|arg| func.dfg.as_const(*arg));
    let (mut n_constants, mut pushed) = (0, 0);
    for word in constants {
        n_constants += 1;
        pushed += cost::push_bytes(word).saturating_sub(SHORT);
    }
    // Short constants decide something in the body, or are operands there; long ones are pushed as they were.
    let grown = (callee.body.bytes + pushed).saturating_sub(3 * n_constants);
    if of_one_call(grown, callee, cx) <= site.bytes + SHRINKING {
        return true;
    }
    if callee.is_cold || grown > MAX_BODY {
        return false;
    }
    let saved_gas = (site.gas + 6 * n_constants) as f64 * runs();
    saved_gas * cost::reached_share(callee.n_sites)
        > grown.saturating_sub(site.bytes) as f64 * cx.options.gas_per_byte()
}

/// Bytes that a body in the place of a call adds, less its part of the function, which goes if all calls are
/// replaced. That part is counted where a byte is worth more than the gas of any run: for others real contracts
/// take more gas with it, for what is inlined by size alone takes the place of what runs more often.
fn of_one_call(grown: u64, callee: &Callee, cx: &PassContext<'_>) -> u64 {
    match cx.options.runs {
        0 | 1 => grown - grown / u64::from(callee.n_sites.max(1)),
        _ => grown,
    }
}

/// The cost of a body without its return, which inlining saves.
pub(super) fn body_cost(func: &Function, cx: &PassContext<'_>) -> Cost {
    let blocks = func.layout.blocks().map(|block| block_cost(func, block, cx));
    blocks.fold(Cost::default(), |sum, cost| sum + cost)
}

/// The part of a block in that.
pub(super) fn block_cost(func: &Function, block: Block, cx: &PassContext<'_>) -> Cost {
    let own = func.layout.insts(block).filter(|inst| func.dfg.op(*inst) != Op::Iret);
    own.map(|inst| cost::of_inst(func, inst, cx.options.fork)).fold(Cost::default(), |sum, cost| sum + cost)
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
               %0 = evm.not %x : u256
               %1 = evm.not %0 : u256
               evm.iret %1";
        assert_eq!(changed, Changed::Yes);
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn what_follows_a_call_goes_on_behind_the_only_return() {
        let (_, text) = inlined(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 %a = evm.icall @outer(%x) : u256
                 evm.sstore %a, %x
                 evm.condbr %a, ^e2, ^e3
               ^e2:
                 evm.stop
               ^e3:
                 evm.iret
               }
               func @outer(%y : u256) -> u256 {
               ^e:
                 %b = evm.icall @inner(%y) : u256
                 evm.iret %b
               }
               func @inner(%y : u256) -> u256 {
               ^e:
                 evm.br ^back
               ^fail:
                 evm.invalid
               ^back:
                 %n = evm.not %y : u256
                 evm.condbr %n, ^done, ^fail
               ^done:
                 evm.iret %n
               }
             }",
        );
        let expected = "^e:
               evm.br ^1
             ^0:
               evm.invalid
             ^1:
               %0 = evm.not %x : u256
               evm.condbr %0, ^2, ^0
             ^2:
               evm.sstore %0, %x
               evm.condbr %0, ^e2, ^e3
             ^e2:
               evm.stop
             ^e3:
               evm.iret";
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn several_returns_meet_in_a_block_with_the_results() {
        let (_, text) = inlined(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 %a = evm.icall @either(%x) : u256
                 evm.sstore %a, %x
                 evm.iret
               }
               func @either(%y : u256) -> u256 {
               ^e:
                 %n = evm.not %y : u256
                 evm.condbr %y, ^one, ^other
               ^one:
                 evm.iret %n
               ^other:
                 evm.iret %y
               }
             }",
        );
        let expected = "^e:
               %0 = evm.not %x : u256
               evm.condbr %x, ^0, ^1
             ^0:
               evm.br ^2(%0)
             ^1:
               evm.br ^2(%x)
             ^2(%1 : u256):
               evm.sstore %1, %x
               evm.iret";
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
    fn a_body_stays_where_it_would_take_the_stack_out_of_reach() {
        for (n_live, is_inlined) in [(2, true), (12, false)] {
            let loads: String = (0..n_live)
                .map(|i| format!("%k{i} = evm.constant {i} : u256\n%l{i} = evm.sload %k{i} : u256\n"))
                .collect();
            let stores: String = (0..n_live).map(|i| format!("evm.sstore %l{i}, %l{i}\n")).collect();
            let (_, text) = inlined(&format!(
                "module @m [noframe] {{
                   func @f(%x : u256) {{
                   ^e:
                     {loads}
                     %r = evm.icall @g(%x) : u256
                     evm.sstore %r, %x
                     {stores}
                     evm.iret
                   }}
                   func @g(%y : u256) -> u256 {{
                   ^e:
                     %a = evm.sload %y : u256
                     %b = evm.sload %a : u256
                     %c = evm.sload %b : u256
                     %d = evm.add %a, %b : u256
                     %s = evm.mul %d, %c : u256
                     %t = evm.xor %s, %y : u256
                     %u = evm.sub %a, %t : u256
                     evm.iret %u
                   }}
                 }}"
            ));
            assert_eq!(!text.contains("icall"), is_inlined, "{text}");
        }
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
    fn memory_of_a_frame_stays_out_of_recursive_functions() {
        let (_, text) = inlined(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 evm.icall @h(%x)
                 evm.condbr %x, ^again, ^done
               ^again:
                 evm.icall @f(%x)
                 evm.br ^done
               ^done:
                 evm.iret
               }
               func @h(%y : u256) {
               ^e:
                 %m = evm.alloca 64
                 evm.icall @g(%m, %y)
                 evm.iret
               }
               func @g(%p : ptr<0>, %y : u256) [noinline] {
               ^e:
                 evm.mstore %p, %y
                 evm.iret
               }
             }",
        );
        assert!(text.contains("icall @h") && !text.contains("alloca"), "{text}");
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
         evm.log0 %zero, %len
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

    #[test]
    fn a_call_behind_a_body_that_never_returns_is_not_looked_for() {
        let (_, text) = inlined(
            "module @m {
               func @f(%x : u256) -> u256 {
               ^e:
                 evm.icall @ends()
                 evm.icall @once(%x)
                 evm.iret %x
               }
               func @ends() {
               ^e:
                 evm.stop
               }
               func @once(%x : u256) {
               ^e:
                 evm.sstore %x, %x
                 evm.iret
               }
               func @g() {
               ^e:
                 evm.icall @ends()
                 evm.iret
               }
             }",
        );
        assert!(text.contains("evm.stop") && !text.contains("once"), "{text}");
    }
}
