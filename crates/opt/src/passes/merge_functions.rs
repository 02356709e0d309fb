//! `merge-functions`: keeps one of several functions that do the same.
//!
//! Front ends write a helper for each type, and many come out alike once they are simplified. Two
//! functions are alike when their signatures, blocks (in reverse postorder) and instructions are,
//! up to the names of values and blocks; calls of merged functions are calls of one function, so
//! callers are compared after what they call. `prune` removes those that are not called any more.
//!
//! Needs nothing, preserves blocks and promotion. Cost: linear.

use crate::alike::Head;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{CallGraph, Cfg};
use cairn_evm::Word;
use cairn_ir::{
    Block, BlockCall, EntityRef, Func, Function, Inst, Module, Op, Payload, SecondaryMap, Type, Value, sized,
};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "merge-functions",
    summary: "keeps one of several functions that do the same",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    let cfgs = Cfg::compute_all(module);
    let graph = CallGraph::compute_with(module, &cfgs);
    let shapes: Vec<u64> = module.funcs.values().zip(&cfgs).map(|(func, cfg)| shape(func, cfg)).collect();
    let mut n_alike: FxHashMap<u64, u32> = FxHashMap::default();
    shapes.iter().for_each(|shape| *n_alike.entry(*shape).or_default() += 1);
    let mut leaders: SecondaryMap<Func, Option<Func>> = SecondaryMap::new();
    let mut has_leaders = false;
    let mut seen: FxHashMap<Vec<Token>, Func> = FxHashMap::default();
    let mut changed = false;
    for id in graph.bottom_up() {
        if has_leaders {
            module.funcs[id].map_callees(|callee| leaders[callee].unwrap_or(callee));
        }
        let is_in_cycle =
            graph.callees(id).iter().any(|callee| *callee != id && graph.in_same_cycle(*callee, id));
        if module.entry == Some(id) || is_in_cycle || n_alike[&shapes[id.index()]] == 1 {
            continue;
        }
        let leader = *seen.entry(encode(id, &module.funcs[id], &cfgs[id.index()])).or_insert(id);
        if leader != id {
            // No frame that bears the name of another function.
            if module.funcs[leader].loc != module.funcs[id].loc {
                module.funcs[leader].loc = None;
            }
            leaders[id] = Some(leader);
            has_leaders = true;
            changed |= !graph.callers(id).is_empty();
        }
    }
    Changed::from(changed)
}

/// The same for functions that are alike, and found quickly: a hash of their operations.
fn shape(func: &Function, cfg: &Cfg) -> u64 {
    let mut hasher = FxHasher::default();
    for block in cfg.rpo() {
        let ops = func.layout.insts(*block).map(|inst| func.dfg.op(inst));
        ops.filter(|op| *op != Op::Constant).for_each(|op| op.hash(&mut hasher));
    }
    hasher.finish()
}

/// A piece of a function's description.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Token {
    Attrs([bool; 4]),
    Type(Type),
    Head(Head),
    Value(u32),
    Word(Word),
    Block(u32),
    End,
}

/// The function without names: equal lists mean that the functions are alike.
fn encode(id: Func, func: &Function, cfg: &Cfg) -> Vec<Token> {
    let mut numbers: SecondaryMap<Value, u32> = sized(func.dfg.num_values());
    let mut n_values = 0;
    for block in cfg.rpo() {
        let results = func.layout.insts(*block).flat_map(|inst| func.dfg.results(inst));
        for value in func.dfg.params(*block).iter().chain(results) {
            // Constants are described where they are used: their order does not matter.
            if func.dfg.as_const(*value).is_none() {
                n_values += 1;
                numbers[*value] = n_values;
            }
        }
    }
    let attrs = [func.attrs.inline, func.attrs.noinline, func.attrs.cold, func.attrs.norecurse];
    let mut encoder = Encoder { id, func, cfg, numbers, tokens: vec![Token::Attrs(attrs)] };
    func.signature.results.iter().for_each(|ty| encoder.tokens.push(Token::Type(*ty)));
    cfg.rpo().iter().for_each(|block| encoder.block(*block));
    encoder.tokens
}

struct Encoder<'a> {
    id: Func,
    func: &'a Function,
    cfg: &'a Cfg,
    numbers: SecondaryMap<Value, u32>,
    tokens: Vec<Token>,
}

impl Encoder<'_> {
    fn block(&mut self, block: Block) {
        self.tokens.push(Token::End);
        let func = self.func;
        func.dfg.params(block).iter().for_each(|param| self.tokens.push(Token::Type(func.dfg.ty(*param))));
        func.layout.insts(block).for_each(|inst| self.inst(inst));
    }

    fn inst(&mut self, inst: Inst) {
        let func = self.func;
        if func.dfg.op(inst) == Op::Constant {
            return;
        }
        self.tokens.push(Token::Head(Head::of(func, inst, Some(self.id))));
        self.values(func.dfg.args(inst));
        match func.dfg.inst(inst).payload {
            Payload::None | Payload::Const(_) => {}
            Payload::Number(_) | Payload::Symbol(_) | Payload::Func(_) => {}
            Payload::Jump(call) => self.edge(&call),
            Payload::Branch(calls) => calls.iter().for_each(|call| self.edge(call)),
            Payload::Switch(id) => {
                let data = func.dfg.switch(id);
                for (word, call) in &data.cases {
                    self.tokens.push(Token::Word(*word));
                    self.edge(call);
                }
                self.edge(&data.default);
            }
        }
    }

    fn edge(&mut self, call: &BlockCall) {
        let place = self.cfg.rpo_index(call.block).expect("invariant: a successor is reachable");
        self.tokens.push(Token::Block(place as u32));
        self.values(self.func.dfg.call_args(call));
    }

    fn values(&mut self, values: &[Value]) {
        for value in values {
            self.tokens.push(match self.func.dfg.as_const(*value) {
                Some(word) => Token::Word(word),
                None => Token::Value(self.numbers[*value]),
            });
        }
        self.tokens.push(Token::End);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_module_pass};

    /// Two functions with these bodies, called in turn.
    fn merged(first: &str, second: &str) -> (Changed, String) {
        let mut module = parse(&format!(
            "module @m {{
               func @f(%x : u256) -> u256 {{
               ^e:
                 %a = evm.icall @g(%x) : u256
                 %b = evm.icall @h(%a) : u256
                 evm.iret %b
               }}
               func @g(%x : u256) -> u256 {{ {first} }}
               func @h(%y : u256) -> u256 {{ {second} }}
               func @inner1(%x : u256) -> u256 {{
               ^e:
                 evm.iret %x
               }}
               func @inner2(%z : u256) -> u256 {{
               ^e:
                 evm.iret %z
               }}
             }}"
        ));
        let changed = run_module_pass(&mut module, run);
        (changed, body(&module, Func::from_u32(0)))
    }

    const CALLS_G: &str = "^e:
       %a = evm.icall @g(%x) : u256
       %b = evm.icall @g(%a) : u256
       evm.iret %b";

    #[test]
    fn names_and_places_of_constants_do_not_matter() {
        let (changed, text) = merged(
            "^e:
               %k = evm.constant 5 : u256
               %j = evm.constant 6 : u256
               %s = evm.add %x, %k : u256
               %t = evm.icall @inner1(%s) : u256
               evm.sstore %t, %j
               evm.iret %t",
            "^start:
               %six = evm.constant 6 : u256
               %five = evm.constant 5 : u256
               %p = evm.add %y, %five : u256
               %q = evm.icall @inner2(%p) : u256
               evm.sstore %q, %six
               evm.iret %q",
        );
        assert_eq!((changed, text), (Changed::Yes, lines(CALLS_G)));
    }

    #[test]
    fn a_location_stays_if_all_have_it() {
        for (other, kept) in [("!0", true), ("!1", false)] {
            let mut module = parse(&format!(
                "module @m {{
                   !loc !0 = 0:1:9
                   !loc !1 = 0:11:19
                   func @f(%x : u256) -> u256 {{
                   ^e:
                     %a = evm.icall @g(%x) : u256
                     %b = evm.icall @h(%a) : u256
                     evm.iret %b
                   }}
                   func @g(%x : u256) -> u256 loc(!0) {{
                   ^e:
                     evm.iret %x
                   }}
                   func @h(%x : u256) -> u256 loc({other}) {{
                   ^e:
                     evm.iret %x
                   }}
                 }}"
            ));
            assert_eq!(run_module_pass(&mut module, run), Changed::Yes);
            assert_eq!(module.funcs[Func::from_u32(1)].loc.is_some(), kept, "{other}");
        }
    }

    #[test]
    fn loops_are_compared_too() {
        let text = |name: &str| {
            format!(
                "^e:
                   evm.br ^{name}(%{name})
                 ^{name}(%i : u256):
                   %n = evm.not %i : u256
                   evm.condbr %n, ^{name}(%n), ^out
                 ^out:
                   evm.iret %i"
            )
            .replace(&format!("(%{name})\n"), if name == "x" { "(%x)\n" } else { "(%y)\n" })
        };
        assert_eq!(merged(&text("x"), &text("loop")).0, Changed::Yes);
    }

    #[test]
    fn different_words_operations_and_operands_keep_functions_apart() {
        let body = |word: u32, op: &str, operands: &str| {
            format!(
                "^e:
                   %k = evm.constant {word} : u256
                   %s = evm.{op} {operands} : u256
                   evm.iret %s"
            )
        };
        let first = body(5, "sub", "%x, %k");
        for second in [body(6, "sub", "%y, %k"), body(5, "add", "%y, %k"), body(5, "sub", "%k, %y")] {
            assert_eq!(merged(&first, &second).0, Changed::No);
        }
    }
}
