//! What is known of the words that internal calls pass and give back.
//!
//! Functions are visited callers first, so that when a function's turn comes all its calls were
//! seen as they now are: each parameter holds only what one of them passes. What a function gives
//! back is known to its callers in the next such pass, as long as no pass in between made new calls,
//! changed signatures or gave functions new ids.

use crate::memory::Place;
use cairn_analysis::CallGraph;
use cairn_evm::Word;
use cairn_ir::{Func, Function, Module, SecondaryMap, Value};
use cairn_rules::Facts;
use cranelift_entity::EntitySet;

/// Words passed to a function, or given back by it, joined over all calls seen.
type Words = SecondaryMap<Func, Option<Vec<Facts>>>;

/// Which parameter each result is, and what is added to it, as far as all returns agree.
type Sources = SecondaryMap<Func, Option<Vec<Option<(usize, Word)>>>>;

/// See the head of this module.
#[derive(Debug, Default)]
pub struct CallFacts {
    /// Functions, callers before callees except inside cycles.
    order: Vec<Func>,
    /// Functions that have calls which are seen late or never.
    open: EntitySet<Func>,
    passed: Words,
    given: Words,
    given_before: Words,
    sources: Sources,
    sources_before: Sources,
    current: Option<Func>,
}

impl CallFacts {
    /// Starts a pass over a module.
    pub(crate) fn begin(&mut self, module: &Module, graph: &CallGraph) {
        self.order.clear();
        self.open.clear();
        self.passed = SecondaryMap::new();
        self.given_before = std::mem::take(&mut self.given);
        self.sources_before = std::mem::take(&mut self.sources);
        for component in graph.components().iter().rev() {
            for func in component.iter().copied().filter(|func| module.funcs.is_valid(*func)) {
                self.order.push(func);
                if module.entry.is_none() || module.entry == Some(func) || graph.is_recursive(func) {
                    self.open.insert(func);
                }
            }
        }
    }

    /// Forgets what functions give back: calls, signatures or ids are new.
    pub(crate) fn forget(&mut self) {
        self.given = SecondaryMap::new();
        self.sources = SecondaryMap::new();
    }

    /// The functions in the order of a pass.
    pub(crate) fn order(&self) -> Vec<Func> {
        self.order.clone()
    }

    /// A function's turn.
    pub(crate) fn enter(&mut self, func: Func) {
        self.current = Some(func);
    }

    /// What is known of a parameter of the current function.
    pub(crate) fn param(&self, index: usize) -> Facts {
        let func = self.current.filter(|func| !self.open.contains(*func));
        let passed = func.and_then(|func| self.passed[func].as_ref());
        passed.and_then(|words| words.get(index)).copied().unwrap_or(Facts::ANY)
    }

    /// What is known of a result of a call.
    pub(crate) fn result(&self, callee: Func, index: usize) -> Facts {
        let given = self.given_before[callee].as_ref();
        given.and_then(|words| words.get(index)).copied().unwrap_or(Facts::ANY)
    }

    /// The parameter that a result of a call is, with what is added to it.
    pub(crate) fn source(&self, callee: Func, index: usize) -> Option<(usize, Word)> {
        self.sources_before[callee].as_ref().and_then(|sources| sources.get(index).copied().flatten())
    }

    /// The current function calls.
    pub(crate) fn saw_call(&mut self, callee: Func, args: &[Value], facts: &SecondaryMap<Value, Facts>) {
        join(&mut self.passed[callee], args, facts);
    }

    /// The current function gives back.
    pub(crate) fn saw_return(&mut self, func: &Function, args: &[Value], facts: &SecondaryMap<Value, Facts>) {
        let Some(current) = self.current else {
            return;
        };
        join(&mut self.given[current], args, facts);
        let new = args.iter().map(|arg| source(func, *arg));
        match &mut self.sources[current] {
            Some(sources) => sources.iter_mut().zip(new).for_each(|(known, new)| {
                *known = known.filter(|known| new == Some(*known));
            }),
            sources @ None => *sources = Some(new.collect()),
        }
    }
}

/// The parameter of the function that a value is, with what is added to it.
fn source(func: &Function, value: Value) -> Option<(usize, Word)> {
    let place = Place::of(func, value);
    let base = place.base.expand().filter(|base| func.dfg.ty(*base).bits().is_some())?;
    func.param_index(base).map(|index| (index, place.offset))
}

fn join(words: &mut Option<Vec<Facts>>, args: &[Value], facts: &SecondaryMap<Value, Facts>) {
    let new = args.iter().map(|arg| facts[*arg]);
    match words {
        Some(words) => words.iter_mut().zip(new).for_each(|(known, new)| *known = known.join(&new)),
        None => *words = Some(new.collect()),
    }
}

#[cfg(test)]
mod tests {
    use crate::pipeline::pass;
    use crate::runner::{Hooks, run_passes};
    use crate::testing::{body, parse};
    use cairn_ir::Func;

    /// The first function after `simplify` twice: results are known to the second.
    fn simplified(callee: &str) -> String {
        let mut module = parse(&format!(
            "module @m {{
               func @f(%x : u256) {{
               ^e:
                 %y = evm.icall @g(%x) : u256
                 evm.sstore %x, %y
                 evm.stop
               }}
               func @g(%p : u256) -> u256 {{
               {callee}
               }}
             }}"
        ));
        let simplify = *pass("simplify").expect("it exists");
        run_passes(&mut module, &[simplify, simplify], &crate::options::Options::default(), Hooks::default())
            .expect("no hook rejects");
        body(&module, Func::from_u32(0))
    }

    #[test]
    fn a_result_that_is_a_parameter_and_a_constant_is_added_by_the_caller() {
        let text = simplified(
            "^e:\n %k = evm.constant 32 : u256\n evm.mstore %p, %p\n %q = evm.add %p, %k : u256\n evm.iret %q",
        );
        assert!(text.contains("evm.add %x,"), "{text}");
    }

    #[test]
    fn a_result_that_differs_by_path_is_unknown() {
        let text = simplified(
            "^e:\n %k = evm.constant 32 : u256\n evm.condbr %p, ^a, ^b\n ^a:\n %q = evm.add %p, %k : u256\n evm.iret %q\n ^b:\n evm.iret %p",
        );
        assert!(text.contains("evm.sstore %x, %y") && !text.contains("evm.add"), "{text}");
    }

    #[test]
    fn functions_with_new_ids_are_not_taken_for_those_before() {
        let mut module = parse(
            "module @m {
               func @__entry() {
               ^e:
                 %z = evm.constant 0 : u256
                 %x = evm.calldataload %z : u256
                 %w = evm.callvalue : u256
                 %y = evm.icall @first(%x, %w) : u256
                 evm.sstore %z, %y
                 evm.stop
               }
               func @second(%p : u256, %q : u256) -> u256 {
               ^e:
                 evm.sstore %p, %q
                 evm.iret %q
               }
               func @first(%p : u256, %q : u256) -> u256 {
               ^e:
                 evm.sstore %p, %q
                 evm.iret %p
               }
             }",
        );
        let passes = ["simplify", "prune", "simplify"].map(|name| *pass(name).expect("it exists"));
        run_passes(&mut module, &passes, &crate::options::Options::default(), Hooks::default())
            .expect("no hook rejects");
        let text = body(&module, Func::from_u32(0));
        assert!(!text.contains("evm.sstore %z, %w"), "{text}");
    }
}
