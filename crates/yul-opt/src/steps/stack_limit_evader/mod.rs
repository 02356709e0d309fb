//! StackLimitEvader: moves variables that the stack does not reach to reserved memory.
//!
//! ```text
//! mstore(64, memoryguard(128)) let x := 1 sstore(0, x)
//!     →   mstore(64, memoryguard(0xa0)) mstore(0x80, 1) sstore(0, mload(0x80))
//! ```
//! Memory is reserved by raising `memoryguard`; without one, or where guards differ, nothing happens.
//! Guards are written in hexadecimal even where nothing moves, as solc writes them.
//! Functions that can be live at the same time get different slots, those that are called get the
//! higher ones. Nothing happens either if a function with such variables can call itself. Which
//! variables are moved is told by [`stack_depth`](crate::tools::stack_depth), or by the start of
//! their names. Alone the step takes operands to be pushed as they are evaluated, at the end of a suite as
//! the fork has it: solc's tests of the step ask its first code generator, its suite the one that is used. Needs unique names; see [`mover`] for how code changes. Destroys split and SSA form.
//! Linear.

mod mover;

use cairn_evm::Word;
use cairn_yul::{Block, Builtin, Callee, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::Place;
use crate::tools::call_graph::CallGraph;
use crate::tools::stack_depth::{Operands, Tables, unreachable_variables};
use crate::tools::walk::{
    Visitor, VisitorMut, child_blocks, walk_expression, walk_expression_mut, walk_statement,
};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "StackLimitEvader",
    letter: None,
    summary: "move unreachable variables to memory",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all().difference(Form::SPLIT.union(Form::SSA)),
    gives: Form::empty(),
    run: Run::OnPrefix(run_alone),
};

/// The step at the end of a suite.
pub(crate) const IN_SUITE: Step = Step { run: Run::OnPrefix(run_in_suite), ..STEP };

fn run_alone(cx: &mut StepContext<'_>, code: &mut Block, prefix: Option<&str>) {
    run(cx, code, prefix, Operands::AsEvaluated);
}

fn run_in_suite(cx: &mut StepContext<'_>, code: &mut Block, prefix: Option<&str>) {
    run(cx, code, prefix, Operands::of(cx.dialect.fork));
}

fn run(cx: &mut StepContext<'_>, code: &mut Block, prefix: Option<&str>, operands: Operands) {
    let Some(reserved) = reserved_memory(code) else {
        return;
    };
    let variables = variables_to_move(cx, code, prefix, operands);
    let recursive = CallGraph::recursive(code);
    let is_recursive = |function: &Option<YulName>| function.is_some_and(|name| recursive.contains(&name));
    if variables.iter().any(|(function, variables)| !variables.is_empty() && is_recursive(function)) {
        return;
    }
    let (slots, n_slots) = allocate(code, &variables);
    let address = |slot: usize| reserved.wrapping_add(Word::from(32 * (n_slots - slot - 1)));
    let addresses = slots.into_iter().map(|(name, slot)| (name, address(slot))).collect();
    mover::move_to_memory(cx, code, addresses);
    let guard = reserved.wrapping_add(Word::from(32 * n_slots));
    RaiseGuards(guard).block(code);
}

/// What all guards reserve; `None` without guards or where they differ.
fn reserved_memory(code: &Block) -> Option<Word> {
    struct Guards(Vec<Option<Word>>);
    impl Visitor for Guards {
        fn expression(&mut self, expression: &Expression) {
            if let Expression::Call(call) = expression
                && call.callee == Callee::Builtin(Builtin::MemoryGuard)
            {
                self.0.push(match call.args.as_slice() {
                    [Expression::Literal(literal)] => Some(literal.value),
                    _ => None,
                });
            }
            walk_expression(self, expression);
        }
    }
    let mut guards = Guards(Vec::new());
    guards.block(code);
    let first = (*guards.0.first()?)?;
    guards.0.iter().all(|guard| *guard == Some(first)).then_some(first)
}

struct RaiseGuards(Word);

impl VisitorMut for RaiseGuards {
    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Call(call) = expression
            && call.callee == Callee::Builtin(Builtin::MemoryGuard)
        {
            let place = Place { span: call.span, src: call.src };
            call.args = smallvec![mover::address_literal(self.0, place)];
            return;
        }
        walk_expression_mut(self, expression);
    }
}

type PerFunction = FxHashMap<Option<YulName>, Vec<YulName>>;

fn variables_to_move(
    cx: &StepContext<'_>,
    code: &Block,
    prefix: Option<&str>,
    operands: Operands,
) -> PerFunction {
    let mut tables = Tables::new(cx.names.len());
    let mut select = |parameters: &[Identifier], returns: &[Identifier], body: &Block| match prefix {
        Some(prefix) => named(cx, parameters, returns, body, prefix),
        None => unreachable_variables(parameters, returns, body, operands, &mut tables).variables,
    };
    let mut found = PerFunction::default();
    for function in functions(code) {
        let selected = select(&function.parameters, &function.returns, &function.body);
        found.insert(Some(function.name.name), selected);
    }
    found.insert(None, select(&[], &[], code));
    found
}

/// All functions of a program.
fn functions(code: &Block) -> Vec<&FunctionDefinition> {
    let (mut found, mut pending) = (Vec::new(), vec![code]);
    while let Some(block) = pending.pop() {
        for statement in &block.statements {
            if let Statement::Function(function) = statement {
                found.push(&**function);
            }
            child_blocks(statement, &mut |child| pending.push(child));
        }
    }
    found
}

/// The variables of a function whose names begin with the prefix.
fn named(
    cx: &StepContext<'_>,
    parameters: &[Identifier],
    returns: &[Identifier],
    body: &Block,
    prefix: &str,
) -> Vec<YulName> {
    let mut declared = Declared(parameters.iter().chain(returns).map(|variable| variable.name).collect());
    declared.block(body);
    declared.0.retain(|name| cx.names.text(*name).starts_with(prefix));
    declared.0
}

/// Variables of one function, in order.
struct Declared(Vec<YulName>);

impl Visitor for Declared {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::Let(declaration) = statement {
            self.0.extend(declaration.variables.iter().map(|variable| variable.name));
        }
        walk_statement(self, statement);
    }

    fn expression(&mut self, _expression: &Expression) {}

    fn function(&mut self, _function: &FunctionDefinition) {}
}

/// Numbers of slots: those of a function come after those of everything that it can call.
fn allocate(code: &Block, variables: &PerFunction) -> (FxHashMap<YulName, usize>, usize) {
    let graph = CallGraph::new(code);
    let mut slots = FxHashMap::default();
    let mut n_needed: FxHashMap<Option<YulName>, usize> = FxHashMap::default();
    let mut max = 0;
    // Functions are taken up again when their callees are done.
    let mut pending: Vec<(Option<YulName>, bool)> =
        variables.keys().map(|function| (*function, false)).collect();
    pending.sort_unstable();
    while let Some((function, is_ready)) = pending.pop() {
        if !is_ready {
            if n_needed.contains_key(&function) {
                continue;
            }
            n_needed.insert(function, 0);
            pending.push((function, true));
            pending.extend(graph.callees(function).iter().map(|callee| (Some(*callee), false)));
            continue;
        }
        let callees = graph.callees(function).iter();
        let mut next = callees.filter_map(|callee| n_needed.get(&Some(*callee)).copied()).max().unwrap_or(0);
        for variable in variables.get(&function).into_iter().flatten() {
            slots.insert(*variable, next);
            next += 1;
        }
        n_needed.insert(function, next);
        max = max.max(next);
    }
    (slots, max)
}
