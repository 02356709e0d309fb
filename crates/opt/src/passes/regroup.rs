//! `regroup`: applies the rules once more, with those that hide what other passes look for, where fewer operations
//! are left.
//!
//! ```text
//!   %a = evm.shr 160, %from
//!   %b = evm.shr 160, %to             =>    %both = evm.or %from, %to
//!   %fails = evm.or %a, %b                  %fails = evm.shr 160, %both
//! ```
//!
//! Checks that were joined, ends of loops that were computed, and sizes that were rounded up before something was
//! added to them share operations only when all of them are there; and who looks for checks, bounds and lengths finds
//! them no more when they do. So these rules ([`RuleSet::late`]) come last. What a rule takes apart goes only if
//! nobody else uses it: operations are counted, those that are made and those that nobody asks for any more.
//!
//! Nothing is known of words here but by their types and the operation that computes them.
//!
//! Needs promoted slots. Uses by dead operations count, so `dce` goes before. Preserves blocks, calls and promotion.
//! Cost: linear, each operation is rewritten at most [`BUDGET`] times.

use crate::edit::constant_before;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::rules::{Built, Facts, RuleSet, transfer};
use crate::type_facts::facts_of_type;
use crate::view::View;
use cairn_ir::builder::opcode_result_type;
use cairn_ir::{Block, Function, Inst, Op, Payload, SecondaryMap, Value};
use smallvec::SmallVec;

/// Rewrites that one instruction may cause.
const BUDGET: u32 = 8;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "regroup",
    summary: "applies rules that hide what other passes look for, where fewer operations are left",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let rules = RuleSet::late(cx.options.fork);
    let uses = func.count_uses();
    let mut regroup = Regroup { func, rules, uses, changed: false };
    let blocks: Vec<Block> = regroup.func.layout.blocks().collect();
    for block in blocks {
        let insts: Vec<Inst> = regroup.func.layout.insts(block).collect();
        insts.into_iter().for_each(|inst| regroup.visit(inst));
    }
    Changed::from(regroup.changed)
}

struct Regroup<'a> {
    func: &'a mut Function,
    rules: RuleSet,
    /// Uses by what somebody asks for.
    uses: SecondaryMap<Value, u32>,
    changed: bool,
}

impl Regroup<'_> {
    fn visit(&mut self, inst: Inst) {
        let (Op::Evm(opcode), [_]) = (self.func.dfg.op(inst), self.func.dfg.results(inst)) else { return };
        let result = self.func.dfg.result(inst);
        if !opcode.is_arithmetic() || self.uses[result] == 0 {
            return;
        }
        for _ in 0..BUDGET {
            if !self.rewrite(inst) {
                return;
            }
            self.changed = true;
        }
    }

    /// Applies a rule to an instruction whose place stays; false if none leaves fewer operations.
    fn rewrite(&mut self, inst: Inst) -> bool {
        let Op::Evm(opcode) = self.func.dfg.op(inst) else { return false };
        let args: SmallVec<[Value; 3]> = self.func.dfg.args(inst).iter().copied().collect();
        let func = &*self.func;
        let view = View { func, facts: |value| facts_of(func, value) };
        let Some((_, Built::Op(made, terms))) = self.rules.rewrite(&view, opcode, &args) else {
            return false;
        };
        let result = self.func.dfg.result(inst);
        let fits = opcode_result_type(made).widens_to(self.func.dfg.ty(result));
        if !fits || !self.leaves_fewer(&args, &terms) {
            return false;
        }
        let args: SmallVec<[Value; 3]> = terms.into_iter().map(|term| self.realize(*term, inst)).collect();
        self.func.dfg.replace_inst(inst, Op::Evm(made), &args, Payload::None);
        self.func.dfg.set_ty(result, opcode_result_type(made));
        true
    }

    /// Counts what an instruction uses from now on, if these terms make fewer operations than go.
    fn leaves_fewer(&mut self, args: &[Value], terms: &[Box<Built<Value>>]) -> bool {
        let mut n_made = 0;
        for term in terms {
            n_made += count_made(term, &mut |value| self.uses[value] += 1);
        }
        let mut released: Vec<Value> = args.to_vec();
        let (mut n_gone, mut next) = (0, 0);
        while let Some(value) = released.get(next).copied() {
            next += 1;
            self.uses[value] -= 1;
            if self.uses[value] == 0
                && let Some((_, args)) = self.func.dfg.as_evm(value).filter(|(op, _)| op.is_arithmetic())
            {
                n_gone += 1;
                released.extend(args);
            }
        }
        if n_made < n_gone {
            return true;
        }
        released.iter().for_each(|value| self.uses[*value] += 1);
        for term in terms {
            count_made(term, &mut |value| self.uses[value] -= 1);
        }
        false
    }

    fn realize(&mut self, term: Built<Value>, at: Inst) -> Value {
        match term {
            Built::Value(value) => value,
            Built::Word(word) | Built::Constant(word, _) => {
                let value = constant_before(self.func, at, word);
                self.uses[value] += 1;
                value
            }
            Built::Op(opcode, terms) => {
                let args: SmallVec<[Value; 3]> =
                    terms.into_iter().map(|term| self.realize(*term, at)).collect();
                let inst = self.func.dfg.make_inst(Op::Evm(opcode), &args, Payload::None);
                let value = self.func.dfg.append_result(inst, opcode_result_type(opcode));
                self.func.dfg.inst_mut(inst).loc = self.func.dfg.inst(at).loc;
                self.func.layout.insert_inst_before(inst, at);
                self.uses[value] += 1;
                value
            }
        }
    }
}

/// Operations that a term makes; its matched values are told.
fn count_made(term: &Built<Value>, each: &mut impl FnMut(Value)) -> u32 {
    match term {
        Built::Value(value) => {
            each(*value);
            0
        }
        Built::Word(_) | Built::Constant(..) => 0,
        Built::Op(_, terms) => 1 + terms.iter().map(|term| count_made(term, each)).sum::<u32>(),
    }
}

/// What the operation that computes a value says of it, with nothing known of its operands but types.
fn facts_of(func: &Function, value: Value) -> Facts {
    let known = |value: Value| match func.dfg.as_const(value) {
        Some(word) => Facts::exactly(word),
        None => facts_of_type(func.dfg.ty(value)),
    };
    let of_type = known(value);
    let Some((opcode, args)) = func.dfg.as_evm(value) else { return of_type };
    let args: SmallVec<[Facts; 3]> = args.iter().map(|arg| known(*arg)).collect();
    let computed = transfer(opcode, &args.iter().collect::<SmallVec<[&Facts; 3]>>());
    of_type.meet(&computed).unwrap_or(of_type)
}
