//! What holds of the parameters of blocks in loops: bits and bounds that they have in the first round and, if in
//! one, in the next.
//!
//! ```text
//!   evm.br ^head(%big)                            %bit is at most %big in every round: its sign bit is
//! ^head(%bit : u256):                        =>   clear, and `sgt 0` is `nonzero`
//!   %half = evm.sar 1, %bit
//!   evm.condbr (evm.sgt %half, 0), ^head(%half), ^done
//! ```
//!
//! The least fixed point of the operations: a parameter has what any edge brings. It starts from nothing and
//! grows; what keeps growing is widened to one of few bounds, so that it ends. Only what parameters of loops are
//! computed from is looked at, all branches count as taken. What calls give back, loads and the function's own
//! parameters are words of their types.
//!
//! Cost: linear in what is looked at, which is visited at most [`ROUNDS`] times; a function that takes longer has
//! no facts.

use crate::rules::{Facts, transfer};
use crate::type_facts::facts_of_type;
use cairn_analysis::Cfg;
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Block, Function, Op, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Visits of everything until a fixed point must be found.
const ROUNDS: u32 = 32;

/// Changes of a parameter until it is widened.
const CHANGES: u8 = 3;

/// The same until nothing is said of how large it is.
const CHANGES_OF_WIDTH: u8 = 6;

/// The same until low bits are given up that were always clear: shifts use one each round.
const CHANGES_OF_LOW_BITS: u8 = 9;

/// Changes of a parameter until nothing is said of it.
const MAX_CHANGES: u8 = 16;

/// Values that are looked at; a function that has more has no facts.
const MAX_VALUES: usize = 4096;

/// Bits of the words that a growing one is widened to.
const WIDTHS: [usize; 9] = [1, 8, 16, 32, 64, 96, 128, 160, 255];

/// See the head of this module.
pub(crate) struct Inductive {
    facts: FxHashMap<Value, Facts>,
}

impl Inductive {
    /// None in a function without loops: there, what joins is known otherwise.
    pub(crate) fn of(func: &Function, cfg: &Cfg) -> Inductive {
        let mut induction = Induction { func, cfg, sources: FxHashMap::default(), order: Vec::new() };
        let heads: SmallVec<[Block; 8]> =
            cfg.rpo().iter().copied().filter(|block| cfg.begins_cycle(*block)).collect();
        for param in heads.iter().flat_map(|head| func.dfg.params(*head)) {
            induction.collect(*param);
        }
        Inductive { facts: induction.solve().unwrap_or_default() }
    }

    /// What is known of a parameter.
    pub(crate) fn facts(&self, param: Value) -> Option<&Facts> {
        self.facts.get(&param)
    }
}

/// What a value comes from.
enum Source {
    /// Edges bring it.
    Edges(SmallVec<[Value; 4]>),
    /// It is computed.
    Computed(Opcode, SmallVec<[Value; 3]>),
    /// It has these facts.
    Known(Facts),
}

struct Induction<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    sources: FxHashMap<Value, Source>,
    /// Values in an order in which most come behind what they are computed from.
    order: Vec<Value>,
}

impl Induction<'_> {
    /// Looks at a value and all that it comes from.
    fn collect(&mut self, value: Value) {
        // Values, and whether what they come from was looked at.
        let mut work = vec![(value, false)];
        while let Some((value, is_open)) = work.pop() {
            if is_open {
                self.order.push(value);
                continue;
            }
            if self.sources.contains_key(&value) || self.sources.len() > MAX_VALUES {
                continue;
            }
            let source = self.source(value);
            work.push((value, true));
            match &source {
                Source::Edges(values) => work.extend(values.iter().map(|value| (*value, false))),
                Source::Computed(_, values) => work.extend(values.iter().map(|value| (*value, false))),
                Source::Known(_) => {}
            }
            self.sources.insert(value, source);
        }
    }

    fn source(&self, value: Value) -> Source {
        let dfg = &self.func.dfg;
        let of_type = || Source::Known(self.of_type(value));
        let inst = match dfg.def(value) {
            ValueDef::Param(block, _) if block == self.func.layout.entry() => return of_type(),
            ValueDef::Param(block, index) => return self.edges(block, index as usize),
            ValueDef::Result(inst, _) => inst,
        };
        let args = dfg.args(inst);
        match dfg.op(inst) {
            Op::Constant => {
                dfg.as_const(value).map_or_else(of_type, |word| Source::Known(Facts::exactly(word)))
            }
            Op::Evm(opcode) if opcode.is_arithmetic() => Source::Computed(opcode, args.into()),
            Op::Evm(opcode) if args.is_empty() => {
                let bound = transfer(opcode, &[]);
                Source::Known(bound.meet(&self.of_type(value)).unwrap_or(bound))
            }
            Op::Zext => Source::Edges(args.into()),
            Op::Select => Source::Edges(args[1..].into()),
            _ => of_type(),
        }
    }

    /// What the edges into a block bring for a parameter.
    fn edges(&self, block: Block, index: usize) -> Source {
        let dfg = &self.func.dfg;
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        let mut last = None;
        for pred in self.cfg.preds(block) {
            // Repeated edges from one block stand together.
            if last.replace(*pred) == Some(*pred) {
                continue;
            }
            let Some(end) = self.func.terminator(*pred) else { continue };
            dfg.for_each_target(end, |call| {
                if call.block == block {
                    values.push(dfg.call_args(call)[index]);
                }
            });
        }
        Source::Edges(values)
    }

    fn of_type(&self, value: Value) -> Facts {
        facts_of_type(self.func.dfg.ty(value))
    }

    /// The facts of all parameters that were looked at; `None` if that takes too long.
    fn solve(self) -> Option<FxHashMap<Value, Facts>> {
        if self.sources.len() > MAX_VALUES {
            return None;
        }
        let mut found: FxHashMap<Value, Facts> = FxHashMap::default();
        let mut changes: FxHashMap<Value, u8> = FxHashMap::default();
        let mut is_new = true;
        for _ in 0..ROUNDS {
            if !std::mem::replace(&mut is_new, false) {
                break;
            }
            for value in &self.order {
                let Some(new) = self.facts_of(*value, &found) else { continue };
                let new = new.meet(&self.of_type(*value)).unwrap_or(new);
                let known = found.get(value).copied();
                let grown = match known {
                    Some(known) if known.join(&new) == known => continue,
                    Some(known) => {
                        let changes = changes.entry(*value).or_default();
                        *changes += 1;
                        widened(&known, &known.join(&new), *changes, &self.of_type(*value))
                    }
                    None => new,
                };
                found.insert(*value, grown);
                is_new = true;
            }
        }
        let is_param = |value: &Value| matches!(self.sources.get(value), Some(Source::Edges(_)));
        (!is_new).then(|| {
            found.retain(|value, _| is_param(value));
            found
        })
    }

    /// What a value is by what is known so far; `None` if it was not computed yet.
    fn facts_of(&self, value: Value, found: &FxHashMap<Value, Facts>) -> Option<Facts> {
        match self.sources.get(&value)? {
            Source::Known(facts) => Some(*facts),
            Source::Edges(values) => {
                values.iter().filter_map(|value| found.get(value).copied()).reduce(|a, b| a.join(&b))
            }
            Source::Computed(opcode, args) => {
                let args: Option<SmallVec<[&Facts; 3]>> = args.iter().map(|arg| found.get(arg)).collect();
                Some(transfer(*opcode, &args?))
            }
        }
    }
}

/// A superset of what was found, of which there are few: the low bits that were always clear, and a bound.
fn widened(old: &Facts, new: &Facts, changes: u8, of_type: &Facts) -> Facts {
    let clear = match changes {
        0..=CHANGES => return *new,
        _ if changes > MAX_CHANGES => return *of_type,
        _ if changes > CHANGES_OF_LOW_BITS => 0,
        _ => new.possible_ones().trailing_zeros(),
    };
    let lo = if new.lo() == old.lo() { new.lo() } else { Word::ZERO };
    let hi = match WIDTHS.into_iter().map(word::low_mask).find(|mask| new.hi() <= *mask) {
        _ if new.hi() == old.hi() => new.hi(),
        Some(mask) if changes <= CHANGES_OF_WIDTH => mask,
        _ => Word::MAX,
    };
    let bounds = Facts::between(lo, hi);
    let aligned = transfer(Opcode::AND, &[&bounds, &Facts::exactly(!word::low_mask(clear))]);
    aligned.join(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse;
    use cairn_ir::{EntityRef, Func};

    /// The bounds of the parameter of a loop that begins with `%first` and goes on with `%next`.
    fn bounds(first: &str, step: &str) -> Option<(Word, Word)> {
        let module = parse(&format!(
            "module @m {{ func @f(%x : u256) {{
             ^entry:
               %zero = evm.constant 0 : u256
               %one = evm.constant 1 : u256
               %big = evm.constant 0x8000 : u256
               {first}
               evm.br ^head(%first)
             ^head(%p : u256):
               {step}
               evm.sstore %p, %next
               evm.condbr %x, ^head(%next), ^done
             ^done:
               evm.stop }} }}"
        ));
        let func = &module.funcs[Func::new(0)];
        let inductive = Inductive::of(func, &Cfg::compute(func));
        let head = func.layout.blocks().nth(1).expect("the loop");
        inductive.facts(func.dfg.params(head)[0]).map(|facts| (facts.lo(), facts.hi()))
    }

    const BIG: &str = "%first = evm.shl %zero, %big : u256";

    fn to(hi: u64) -> Option<(Word, Word)> {
        Some((Word::ZERO, Word::from(hi)))
    }

    const ANYTHING: Option<(Word, Word)> = Some((Word::ZERO, Word::MAX));

    #[test]
    fn what_shrinks_stays_below_its_start() {
        assert_eq!(bounds(BIG, "%next = evm.sar %one, %p : u256"), to(0x8000));
        assert_eq!(bounds(BIG, "%next = evm.shr %one, %p : u256"), to(0x8000));
        assert_eq!(bounds(BIG, "%next = evm.and %x, %p : u256"), to(0x8000));
        assert_eq!(bounds(BIG, "%next = evm.div %p, %x : u256"), to(0x8000));
    }

    #[test]
    fn what_is_cleaned_each_round_is_clean() {
        let step = "%sum = evm.add %p, %one : u256 %mask = evm.constant 255 : u256
                    %next = evm.and %sum, %mask : u256";
        assert_eq!(bounds("%first = evm.and %zero, %x : u256", step), to(255));
        let alignment = "%word = evm.constant 32 : u256 %next = evm.add %p, %word : u256";
        assert_eq!(bounds("%first = evm.and %zero, %x : u256", alignment), {
            Some((Word::ZERO, !word::low_mask(5)))
        });
    }

    #[test]
    fn what_grows_or_starts_anywhere_is_anything() {
        assert_eq!(bounds(BIG, "%next = evm.add %p, %one : u256"), ANYTHING);
        assert_eq!(bounds(BIG, "%next = evm.sub %p, %one : u256"), ANYTHING);
        let multiple = Some((Word::ZERO, !word::low_mask(15)));
        assert_eq!(bounds(BIG, "%next = evm.shl %one, %p : u256"), multiple);
        assert_eq!(bounds(BIG, "%next = evm.sload %p : u256"), ANYTHING);
        assert_eq!(bounds("%first = evm.add %x, %one : u256", "%next = evm.sar %one, %p : u256"), ANYTHING);
        // A sign bit that comes once comes back in every round.
        let negative = "%first = evm.not %big : u256";
        assert_eq!(bounds(negative, "%next = evm.sar %one, %p : u256"), ANYTHING);
    }

    #[test]
    fn values_that_begin_as_each_other_are_found_together() {
        let module = parse(
            "module @m { func @f(%x : u256) {
             ^entry:
               %a = evm.constant 100 : u256
               %b = evm.constant 200 : u256
               evm.br ^head(%a, %b)
             ^head(%p : u256, %q : u256):
               evm.condbr %x, ^head(%q, %p), ^done
             ^done:
               evm.sstore %p, %q
               evm.stop } }",
        );
        let func = &module.funcs[Func::new(0)];
        let inductive = Inductive::of(func, &Cfg::compute(func));
        let head = func.layout.blocks().nth(1).expect("the loop");
        let hi = |index: usize| inductive.facts(func.dfg.params(head)[index]).map(Facts::hi);
        assert_eq!((hi(0), hi(1)), (Some(Word::from(200)), Some(Word::from(200))));
    }

    #[test]
    fn without_loops_nothing_is_looked_at() {
        let module = parse(
            "module @m { func @f(%x : u256) {
             ^entry:
               evm.br ^next(%x)
             ^next(%p : u256):
               evm.sstore %p, %p
               evm.stop } }",
        );
        let func = &module.funcs[Func::new(0)];
        assert!(Inductive::of(func, &Cfg::compute(func)).facts.is_empty());
    }
}
