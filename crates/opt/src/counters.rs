//! Words that count: parameters of blocks that begin small and grow by little each time round.
//!
//! A word is *grown* when it is at most 2^62 plus 2^27 for each instruction that has run: fewer than 2^35 run
//! before gas ends (A16), so that it is at most 2^63. A parameter is grown if all that is passed to it is: what is
//! at most 2^62, and grown parameters plus constants below 2^27. Linear.

use crate::ranges::{LIMIT_BITS, STEP_BITS};
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Op, SecondaryMap, Value, ValueDef};
use cairn_rules::{Facts, transfer};
use cranelift_entity::EntitySet;
use smallvec::SmallVec;

/// Sums that are looked into one behind the other.
const DEPTH: u32 = 4;

/// The parameters that are grown, of blocks where a loop begins or several ways join.
pub(crate) struct Counters(EntitySet<Value>);

impl Counters {
    /// None in a function without loops: there, what joins is known otherwise.
    pub(crate) fn of(func: &Function, cfg: &Cfg) -> Counters {
        let mut grown = EntitySet::new();
        if !cfg.has_cycle() {
            return Counters(grown);
        }
        let blocks = cfg.rpo().iter().filter(|block| **block != func.layout.entry());
        blocks.flat_map(|block| func.dfg.params(*block)).for_each(|param| {
            grown.insert(*param);
        });
        let mut passed_on: SecondaryMap<Value, Vec<Value>> = SecondaryMap::new();
        let mut refuted: Vec<Value> = Vec::new();
        for block in cfg.rpo() {
            let Some(end) = func.terminator(*block) else { continue };
            func.dfg.for_each_target(end, |call| {
                for (param, arg) in func.dfg.params(call.block).iter().zip(func.dfg.call_args(call)) {
                    match begin_of(func, *arg) {
                        Begin::Small => {}
                        Begin::Param(from) => passed_on[from].push(*param),
                        Begin::Other => refuted.push(*param),
                    }
                }
            });
        }
        while let Some(param) = refuted.pop() {
            if grown.remove(param) {
                refuted.extend_from_slice(&passed_on[param]);
            }
        }
        Counters(grown)
    }

    /// What is known of a parameter because it counts.
    pub(crate) fn facts(&self, param: Value) -> Option<Facts> {
        let most = Word::from(1) << (LIMIT_BITS + 1);
        self.0.contains(param).then(|| Facts::between(Word::ZERO, most))
    }
}

/// What a word was before constants were added.
enum Begin {
    /// At most 2^62.
    Small,
    /// A parameter of a block other than the first.
    Param(Value),
    Other,
}

fn begin_of(func: &Function, value: Value) -> Begin {
    let mut value = value;
    for _ in 0..DEPTH {
        match func.dfg.def(value) {
            ValueDef::Param(block, _) if block != func.layout.entry() => return Begin::Param(value),
            _ if is_small(func, value) => return Begin::Small,
            _ => {}
        }
        match before_sum(func, value) {
            Some(before) => value = before,
            None => return Begin::Other,
        }
    }
    Begin::Other
}

/// The word that a small constant is added to.
fn before_sum(func: &Function, value: Value) -> Option<Value> {
    let inst = func.dfg.def_inst(value)?;
    let is_step = |value: Value| func.dfg.as_const(value).is_some_and(|step| step >> STEP_BITS == Word::ZERO);
    match (func.dfg.op(inst), func.dfg.args(inst)) {
        (Op::Evm(Opcode::ADD), [x, y]) if is_step(*y) => Some(*x),
        (Op::Evm(Opcode::ADD), [x, y]) if is_step(*x) => Some(*y),
        _ => None,
    }
}

/// True for a word that its operation alone keeps small.
fn is_small(func: &Function, value: Value) -> bool {
    let exactly = |value: Value| func.dfg.as_const(value).map_or(Facts::ANY, Facts::exactly);
    let facts = match func.dfg.def_inst(value).map(|inst| (func.dfg.op(inst), func.dfg.args(inst))) {
        Some((Op::Constant, _)) => exactly(value),
        Some((Op::Evm(opcode), args)) => {
            let operands: SmallVec<[Facts; 3]> = args.iter().map(|arg| exactly(*arg)).collect();
            transfer(opcode, &operands.iter().collect::<SmallVec<[&Facts; 3]>>())
        }
        _ => return false,
    };
    facts.hi() <= Word::from(1) << LIMIT_BITS
}
