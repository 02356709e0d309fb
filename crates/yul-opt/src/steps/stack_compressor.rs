//! StackCompressor: evaluates values again where variables would be out of the stack's reach.
//!
//! In each function where a simple stack code could not reach a variable (see
//! [`stack_depth`](crate::tools::stack_depth)), as many variables as words are missing are replaced
//! by their values, the cheapest first; then what became unused is removed. Where operands are pushed
//! as they are evaluated (before Tangerine Whistle), all variables that Rematerialiser finds cheap are
//! replaced with them, as in solc. Repeated up to [`MAX_ROUNDS`] times. Needs unique names, hoisted functions, the grouped form and no declarations
//! in loop inits. Destroys split form.

use cairn_yul::{Block, Dialect, Expression, Identifier, Statement, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rematerialiser::{Extent, rematerialise};
use super::unused_pruner;
use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::metrics::{code_size, evaluation_cost};
use crate::tools::name_collector::{for_each_assigned, for_each_reference};
use crate::tools::semantics::Effects;
use crate::tools::stack_depth::{Operands, Tables, unreachable_variables};
use crate::tools::walk::{Visitor, walk_expression, walk_statement};

const MAX_ROUNDS: usize = 16;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "StackCompressor",
    letter: None,
    summary: "use fewer variables where the stack is full",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS).union(Form::HOISTED).union(Form::GROUPED),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let operands = Operands::of(cx.dialect.fork);
    let extent = match operands {
        Operands::AsEvaluated => Extent::Cheap,
        Operands::WhenUsed => Extent::Selected,
    };
    for _ in 0..MAX_ROUNDS {
        let Some(selected) = select(cx, code, operands) else {
            return;
        };
        if selected.is_empty() && extent == Extent::Selected {
            return;
        }
        let size = code_size(code);
        rematerialise(cx, code, &selected, extent);
        // As in solc, calls of functions stay whatever these do.
        let effects = cx.effects_without_functions(code);
        unused_pruner::prune(cx, code, effects);
        if selected.is_empty() && code_size(code) == size {
            return;
        }
    }
}

/// The variables to be replaced, in all functions; `None` where the stack reaches all.
fn select(cx: &mut StepContext<'_>, code: &Block, operands: Operands) -> Option<FxHashSet<YulName>> {
    let mut selected = None;
    let mut effects = None;
    let mut tables = Tables::new(cx.names.len());
    for statement in &code.statements {
        let (parameters, returns, body): (&[Identifier], &[Identifier], &Block) = match statement {
            Statement::Function(function) => (&function.parameters, &function.returns, &function.body),
            Statement::Block(block) => (&[], &[], block),
            _ => continue,
        };
        let deficit = unreachable_variables(parameters, returns, body, operands, &mut tables).deficit;
        if deficit == 0 {
            continue;
        }
        let selected = selected.get_or_insert_with(FxHashSet::default);
        let effects = effects.get_or_insert_with(|| cx.effects_without_functions(code));
        let mut candidates = candidates(body, effects, &cx.dialect, operands);
        candidates.sort();
        selected.extend(candidates.into_iter().take(deficit).map(|(_, name)| name));
    }
    selected
}

/// Variables with a movable value, where operands are fetched late used in no deeper loop, with the cost of replacing them.
fn candidates(
    body: &Block,
    effects: &Effects,
    dialect: &Dialect,
    operands: Operands,
) -> Vec<(usize, YulName)> {
    let mut collect = Collect { effects, dialect, operands, values: FxHashMap::default(), loop_depth: 0 };
    collect.block(body);
    let mut values = collect.values;
    for_each_assigned(body, &mut |name| {
        values.remove(&name);
    });
    let mut n_uses: FxHashMap<YulName, usize> = FxHashMap::default();
    for_each_reference(body, &mut |name| *n_uses.entry(name).or_default() += 1);
    let mut found: Vec<(usize, YulName)> = Vec::new();
    let mut names: Vec<YulName> = values.keys().copied().collect();
    names.sort_unstable();
    for name in names {
        let n_uses = n_uses.get(&name).copied().unwrap_or(0);
        found.push((values[&name].0 * n_uses, name));
    }
    found
}

struct Collect<'a> {
    effects: &'a Effects,
    dialect: &'a Dialect,
    operands: Operands,
    /// Cost and depth of loops of the declaration.
    values: FxHashMap<YulName, (usize, usize)>,
    loop_depth: usize,
}

impl Visitor for Collect<'_> {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::Let(declaration) = statement
            && let ([variable], Some(value)) = (declaration.variables.as_slice(), &declaration.value)
            && self.effects.is_movable(value)
        {
            self.values.insert(variable.name, (evaluation_cost(value, self.dialect), self.loop_depth));
        }
        let is_loop = matches!(statement, Statement::For(_));
        self.loop_depth += usize::from(is_loop);
        walk_statement(self, statement);
        self.loop_depth -= usize::from(is_loop);
    }

    fn expression(&mut self, expression: &Expression) {
        if self.operands == Operands::WhenUsed
            && let Expression::Identifier(identifier) = expression
            && self.values.get(&identifier.name).is_some_and(|(_, depth)| *depth != self.loop_depth)
        {
            self.values.remove(&identifier.name);
        }
        walk_expression(self, expression);
    }
}
