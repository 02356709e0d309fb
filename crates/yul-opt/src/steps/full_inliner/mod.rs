//! FullInliner: puts the bodies of functions in place of their calls.
//!
//! ```text
//! let r := f(c) function f(a) -> x { x := mul(a, a) }
//!     →   let a_1 := c let x_2 := 0 x_2 := mul(a_1, a_1) let r := x_2
//! ```
//! Two passes: the first inlines functions of one operation or none; the second those called once,
//! small ones, and somewhat larger ones for a constant argument. Only code with a memory guard, which
//! lets variables move to memory, may become large, and functions that are put into it may be larger;
//! not so functions that can call themselves, whose variables cannot move.
//! Arguments must be variables or literals (the ExpressionSplitter sees to that), so the order of
//! evaluation cannot change. Functions that contain `leave` or call themselves
//! stay. Callees are handled before callers.
//!
//! When copies of functions that are large by then have added [`GROWTH_BY_LARGE`] times the size of the
//! program, such a function moves to its only call and is gone, or stays. So the code grows by a
//! constant factor at most.
//!
//! Needs unique names, hoisted functions, and the grouped form. Destroys SSA form. Linear in the size
//! of the result.

mod moved;

use cairn_evm::{Fork, Word};
use cairn_yul::{
    Arguments, Block, Builtin, Callee, Expression, FunctionDefinition, Identifier, Identifiers, MAX_NESTING,
    Statement, YulName,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place, place_of};
use crate::tools::call_graph::CallGraph;
use crate::tools::metrics::code_size;
use crate::tools::name_collector::{count_references, for_each_reference};
use crate::tools::ssa_value_tracker::SsaValues;
use crate::tools::substitution::{Renaming, copy_renamed};
use crate::tools::walk::{Visitor, VisitorMut, child_blocks_mut, rewrite_statements};
use moved::{LARGE, Moved};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "FullInliner",
    letter: Some('i'),
    summary: "inline functions",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED).union(Form::GROUPED),
    preserves: Form::all().difference(Form::SSA),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    if !code.statements.iter().any(|statement| matches!(statement, Statement::Function(_))) {
        return;
    }
    inline_all(cx, code);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Tiny,
    Rest,
}

struct Driver<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    pass: Pass,
    functions: Vec<FunctionDefinition>,
    index: FxHashMap<YulName, usize>,
    sizes: Vec<usize>,
    /// The size of the code outside of functions: as it was, and what was put into it. Unlike that of
    /// functions it is not measured again between the passes.
    outside_size: usize,
    depths: Vec<usize>,
    is_single_use: Vec<bool>,
    /// Calls there are by now.
    n_calls: Vec<u32>,
    moved: Moved,
    /// What copies of large functions may still add.
    budget: usize,
    /// Names of parameters and results of functions that moved.
    final_names: FxHashSet<YulName>,
    has_leave: Vec<bool>,
    is_constant: FxHashSet<YulName>,
    can_move_variables: bool,
    /// Functions that can call themselves: their variables cannot be moved.
    is_recursive: Vec<bool>,
}

/// What is inlined besides tiny functions.
struct Limits {
    /// Functions of less than this size.
    any: usize,
    /// Functions of less than this size, for a constant argument.
    with_constant: usize,
    /// Nothing is inlined into code that is larger.
    caller: usize,
}

/// Where variables that the stack does not reach can be moved to memory.
const GENEROUS: Limits = Limits { any: 8, with_constant: 16, caller: usize::MAX };

/// Elsewhere.
const CAREFUL: Limits = Limits { any: 6, with_constant: 12, caller: 45 };

/// How many times the program's size copies of large functions may add.
const GROWTH_BY_LARGE: usize = 16;

/// Where calls are looked at.
struct Site {
    /// The function, `None` for the code outside.
    function: Option<usize>,
    size: usize,
    depth: usize,
    /// Size of what moved into it, and how deep its blocks are there.
    moved_size: usize,
    moved_depth: usize,
}

impl Site {
    fn new(function: Option<usize>, size: usize) -> Site {
        Site { function, size, depth: 0, moved_size: 0, moved_depth: 0 }
    }
}

/// What is called once and what is constant is found before the first pass and not again.
fn inline_all(cx: &mut StepContext<'_>, code: &mut Block) {
    let is_constant = constants(code, cx.names.len());
    let references = count_references(code, cx.names.len());
    let can_move_variables = cx.dialect.fork >= Fork::TangerineWhistle && has_memory_guard(code);
    let recursive = CallGraph::recursive(code);
    let mut functions = Vec::new();
    let mut slots = Vec::new();
    for (position, statement) in code.statements.iter_mut().enumerate() {
        if let Statement::Function(function) = statement {
            let taken =
                FunctionDefinition { body: std::mem::take(&mut function.body), ..(**function).clone() };
            functions.push(taken);
            slots.push(position);
        }
    }
    let index = functions.iter().enumerate().map(|(index, function)| (function.name.name, index)).collect();
    let outside_size: usize = code.statements.iter().map(size_outside).sum();
    let sizes: Vec<usize> = functions.iter().map(|function| code_size(&function.body)).collect();
    let mut driver = Driver {
        pass: Pass::Tiny,
        outside_size,
        budget: GROWTH_BY_LARGE * (outside_size + sizes.iter().sum::<usize>()),
        sizes,
        depths: functions.iter().map(|function| depth_of(&function.body)).collect(),
        is_single_use: functions
            .iter()
            .map(|function| references[function.name.name.0 as usize] == 1)
            .collect(),
        n_calls: functions.iter().map(|function| references[function.name.name.0 as usize]).collect(),
        moved: Moved::default(),
        final_names: FxHashSet::default(),
        has_leave: functions.iter().map(|function| has_leave(&function.body)).collect(),
        is_recursive: functions.iter().map(|function| recursive.contains(&function.name.name)).collect(),
        functions,
        index,
        is_constant,
        can_move_variables,
        cx,
    };
    for pass in [Pass::Tiny, Pass::Rest] {
        driver.pass = pass;
        driver.run_pass(code);
    }
    let Driver { functions, mut moved, .. } = driver;
    for (position, inlined) in slots.into_iter().zip(functions) {
        if let Statement::Function(function) = &mut code.statements[position] {
            function.body = inlined.body;
        }
    }
    if !moved.is_empty() {
        let is_moved = |statement: &Statement| match statement {
            Statement::Function(function) => moved.contains(function.name.name),
            _ => false,
        };
        code.statements.retain(|statement| !is_moved(statement));
        code.statements.iter_mut().for_each(|statement| {
            child_blocks_mut(statement, &mut |block| moved.put_into(block));
        });
    }
}

/// With a memory guard, variables that the stack does not reach can be moved to memory.
fn has_memory_guard(code: &Block) -> bool {
    struct Finder(bool);
    impl Visitor for Finder {
        fn expression(&mut self, expression: &Expression) {
            if let Expression::Call(call) = expression {
                self.0 |= call.callee == Callee::Builtin(Builtin::MemoryGuard);
            }
            crate::tools::walk::walk_expression(self, expression);
        }
    }
    let mut finder = Finder(false);
    finder.block(code);
    finder.0
}

/// Variables that are known to be constant.
fn constants(code: &Block, n_names: usize) -> FxHashSet<YulName> {
    struct Declared(Vec<YulName>);
    impl Visitor for Declared {
        fn statement(&mut self, statement: &Statement) {
            if let Statement::Let(declaration) = statement {
                self.0.extend(declaration.variables.iter().map(|variable| variable.name));
            }
            crate::tools::walk::walk_statement(self, statement);
        }
        fn expression(&mut self, _expression: &Expression) {}
        fn function(&mut self, function: &FunctionDefinition) {
            self.0.extend(function.returns.iter().map(|variable| variable.name));
            self.block(&function.body);
        }
    }
    let mut declared = Declared(Vec::new());
    declared.block(code);
    let values = SsaValues::new(code, n_names);
    declared.0.into_iter().filter(|name| values.is_constant(*name)).collect()
}

fn size_outside(statement: &Statement) -> usize {
    match statement {
        Statement::Block(block) => code_size(block),
        _ => 0,
    }
}

fn has_leave(block: &Block) -> bool {
    struct Finder(bool);
    impl Visitor for Finder {
        fn statement(&mut self, statement: &Statement) {
            self.0 |= matches!(statement, Statement::Leave(..));
            crate::tools::walk::walk_statement(self, statement);
        }
        fn expression(&mut self, _expression: &Expression) {}
    }
    let mut finder = Finder(false);
    finder.block(block);
    finder.0
}

/// How deeply blocks are nested.
fn depth_of(block: &Block) -> usize {
    struct Depth {
        current: usize,
        max: usize,
    }
    impl Visitor for Depth {
        fn block(&mut self, block: &Block) {
            self.current += 1;
            self.max = self.max.max(self.current);
            crate::tools::walk::walk_block(self, block);
            self.current -= 1;
        }
        fn expression(&mut self, _expression: &Expression) {}
    }
    let mut depth = Depth { current: 0, max: 0 };
    depth.block(block);
    depth.max
}

impl Driver<'_, '_> {
    fn run_pass(&mut self, code: &mut Block) {
        for function in self.by_call_depth() {
            self.handle_function(function);
        }
        for statement in &mut code.statements {
            if let Statement::Block(block) = statement {
                let mut site = Site::new(None, self.outside_size);
                self.handle(block, &mut site);
                self.outside_size = site.size;
            }
        }
    }

    /// Functions that call no others first, then those that call only them, and so on; functions
    /// that can reach a cycle of calls last.
    fn by_call_depth(&self) -> Vec<usize> {
        let n = self.functions.len();
        let mut n_pending = vec![0usize; n];
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (caller, function) in self.functions.iter().enumerate() {
            let mut callees = FxHashSet::default();
            for_each_reference(&function.body, &mut |name| {
                if let Some(callee) = self.index.get(&name)
                    && callees.insert(*callee)
                {
                    callers[*callee].push(caller);
                }
            });
            n_pending[caller] = callees.len();
        }
        let mut level: Vec<usize> = (0..n).filter(|function| n_pending[*function] == 0).collect();
        let (mut order, mut is_done) = (Vec::with_capacity(n), vec![false; n]);
        while !level.is_empty() {
            level.sort_unstable();
            let mut next = Vec::new();
            for function in level {
                order.push(function);
                is_done[function] = true;
                for caller in &callers[function] {
                    n_pending[*caller] -= 1;
                    if n_pending[*caller] == 0 {
                        next.push(*caller);
                    }
                }
            }
            level = next;
        }
        order.extend((0..n).filter(|function| !is_done[*function]));
        order
    }

    fn handle_function(&mut self, function: usize) {
        let mut body = std::mem::take(&mut self.functions[function].body);
        let mut site = Site::new(Some(function), self.sizes[function]);
        self.handle(&mut body, &mut site);
        self.sizes[function] = code_size(&body) + site.moved_size;
        self.depths[function] = depth_of(&body).max(site.moved_depth);
        self.functions[function].body = body;
    }

    fn handle(&mut self, block: &mut Block, site: &mut Site) {
        site.depth += 1;
        rewrite_statements(block, |mut statement, new| {
            child_blocks_mut(&mut statement, &mut |child| self.handle(child, site));
            match self.callee_to_inline(&statement, site) {
                Some(callee) => self.inline(statement, callee, site, new),
                None => new.push(statement),
            }
        });
        site.depth -= 1;
    }

    fn callee_to_inline(&self, statement: &Statement, site: &Site) -> Option<usize> {
        let Expression::Call(call) = value_of(statement)? else {
            return None;
        };
        let Callee::User(name) = call.callee else {
            return None;
        };
        let callee = *self.index.get(&name)?;
        if site.function == Some(callee) || self.has_leave[callee] {
            return None;
        }
        if call.args.iter().any(|argument| matches!(argument, Expression::Call(_))) {
            return None;
        }
        let is_wanted = self.is_worth_it(callee, &call.args, site);
        let fits = site.depth + self.depths[callee] < MAX_NESTING / 2;
        let may_go = match self.is_large(callee) {
            true => !self.is_recursive[callee] && (self.n_calls[callee] == 1 || self.can_be_copied(callee)),
            false => !self.calls_itself(callee),
        };
        (is_wanted && fits && may_go).then_some(callee)
    }

    fn is_large(&self, function: usize) -> bool {
        self.sizes[function] > LARGE
    }

    fn can_be_copied(&self, function: usize) -> bool {
        !self.is_large(function) || self.sizes[function] <= self.budget
    }

    fn is_worth_it(&self, callee: usize, args: &[Expression], site: &Site) -> bool {
        let size = self.sizes[callee];
        if size <= 1 {
            return true;
        }
        let limits = self.limits(site);
        if self.pass == Pass::Tiny || site.size > limits.caller {
            return false;
        }
        if self.is_single_use[callee] || size < limits.any {
            return true;
        }
        let is_constant = |argument: &Expression| match argument {
            Expression::Literal(_) => true,
            Expression::Identifier(identifier) => self.is_constant.contains(&identifier.name),
            Expression::Call(_) => false,
        };
        size < limits.with_constant && args.iter().any(is_constant)
    }

    fn limits(&self, site: &Site) -> &'static Limits {
        let is_recursive = site.function.is_some_and(|function| self.is_recursive[function]);
        if self.can_move_variables && !is_recursive { &GENEROUS } else { &CAREFUL }
    }

    fn calls_itself(&self, function: usize) -> bool {
        let function = &self.functions[function];
        let mut is_recursive = false;
        for_each_reference(&function.body, &mut |name| is_recursive |= name == function.name.name);
        is_recursive
    }

    fn inline(&mut self, statement: Statement, callee: usize, site: &mut Site, new: &mut Vec<Statement>) {
        if !self.can_be_copied(callee) {
            self.inline_moved(statement, callee, site, new);
            return;
        }
        if self.is_large(callee) {
            // What moved was larger than the budget, so nothing that holds it is copied.
            self.budget -= self.sizes[callee];
        }
        site.size += self.sizes[callee];
        self.n_calls[callee] -= 1;
        let (index, n_calls) = (&self.index, &mut self.n_calls);
        for_each_reference(&self.functions[callee].body, &mut |name| {
            if let Some(called) = index.get(&name) {
                n_calls[*called] += 1;
            }
        });
        let place = place_of(&statement);
        let function = &self.functions[callee];
        let mut renamed: FxHashMap<YulName, YulName> = FxHashMap::default();
        let mut declare = |cx: &mut StepContext<'_>, variable: &Identifier, value: Expression| {
            let name = cx.new_name_like(variable.name);
            renamed.insert(variable.name, name);
            new.push(builder::declare(name, Some(value), place));
        };
        let (targets, args) = take_call(statement);
        for (parameter, argument) in function.parameters.iter().zip(args).rev() {
            declare(self.cx, parameter, argument);
        }
        for variable in &function.returns {
            declare(self.cx, variable, builder::number(Word::ZERO, place));
        }
        let results: Vec<YulName> = function.returns.iter().map(|variable| renamed[&variable.name]).collect();
        let cx = &mut *self.cx;
        let body = copy_renamed(&function.body, renamed, &mut |name| cx.new_name_like(name));
        new.extend(body.statements);
        give_results(targets, results, place, new);
    }

    /// Moves the body to its only call, with new names, as a copy would have them. Those of parameters
    /// and results are final: what was moved into the body waits elsewhere and uses them.
    fn inline_moved(
        &mut self,
        statement: Statement,
        callee: usize,
        site: &mut Site,
        new: &mut Vec<Statement>,
    ) {
        site.size += self.sizes[callee];
        site.moved_size += self.sizes[callee];
        site.moved_depth = site.moved_depth.max(site.depth + self.depths[callee]);
        self.n_calls[callee] = 0;
        let place = place_of(&statement);
        let mut body = std::mem::take(&mut self.functions[callee].body);
        let function = &self.functions[callee];
        let (cx, final_names) = (&mut *self.cx, &mut self.final_names);
        let mut variables: FxHashMap<YulName, YulName> = FxHashMap::default();
        let mut declare = |variable: &Identifier, value: Expression| {
            let name = cx.new_name_like(variable.name);
            variables.insert(variable.name, name);
            final_names.insert(name);
            new.push(builder::declare(name, Some(value), place));
        };
        let (targets, args) = take_call(statement);
        for (parameter, argument) in function.parameters.iter().zip(args).rev() {
            declare(parameter, argument);
        }
        for variable in &function.returns {
            declare(variable, builder::number(Word::ZERO, place));
        }
        let results = function.returns.iter().map(|variable| variables[&variable.name]).collect();
        let mut new_name = |name| if final_names.contains(&name) { name } else { cx.new_name_like(name) };
        Renaming { variables, new_name: &mut new_name }.block(&mut body);
        new.push(self.moved.insert(function.name.name, body, place));
        give_results(targets, results, place, new);
    }
}

/// Gives the variables that have the results to the targets of the call.
fn give_results(targets: Targets, results: Vec<YulName>, place: Place, new: &mut Vec<Statement>) {
    let copies = |targets: Identifiers| {
        let pairs = targets.into_iter().zip(results);
        pairs.map(move |(target, result)| (target, builder::variable(result, place)))
    };
    match targets {
        Targets::None => {}
        Targets::New(variables) => new.extend(
            copies(variables)
                .map(|(variable, value)| builder::declare_all(smallvec![variable], Some(value), place)),
        ),
        Targets::Old(variables) => {
            new.extend(
                copies(variables).map(|(variable, value)| builder::assign(variable.name, value, place)),
            );
        }
    }
}

/// Where the results of a call go.
enum Targets {
    None,
    New(Identifiers),
    Old(Identifiers),
}

fn value_of(statement: &Statement) -> Option<&Expression> {
    match statement {
        Statement::Expression(expression, ..) => Some(expression),
        Statement::Let(declaration) => declaration.value.as_ref(),
        Statement::Assign(assignment) => Some(&assignment.value),
        Statement::If(_)
        | Statement::Switch(_)
        | Statement::For(_)
        | Statement::Function(_)
        | Statement::Break(..)
        | Statement::Continue(..)
        | Statement::Leave(..)
        | Statement::Block(_) => None,
    }
}

fn take_call(statement: Statement) -> (Targets, Arguments) {
    let (targets, value) = match statement {
        Statement::Expression(expression, ..) => (Targets::None, Some(expression)),
        Statement::Let(declaration) => (Targets::New(declaration.variables), declaration.value),
        Statement::Assign(assignment) => (Targets::Old(assignment.targets), Some(assignment.value)),
        Statement::If(_)
        | Statement::Switch(_)
        | Statement::For(_)
        | Statement::Function(_)
        | Statement::Break(..)
        | Statement::Continue(..)
        | Statement::Leave(..)
        | Statement::Block(_) => (Targets::None, None),
    };
    let args = match value {
        Some(Expression::Call(call)) => call.args,
        _ => Arguments::new(),
    };
    (targets, args)
}
