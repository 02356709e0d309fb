//! UnusedAssignEliminator: removes assignments of values that nobody reads.
//!
//! ```text
//! a := 1 a := 2 mstore(a, 0)   →   a := 2 mstore(a, 0)
//! ```
//! An assignment is unused when on no way from it the variable is read before it is assigned again or
//! goes out of scope; return variables are read where the function returns. Only assignments of
//! movable values to one variable go; as in solc, a call of a function is not movable here. A read by
//! an assignment that goes itself still counts.
//!
//! This is liveness, found from the end of the code to its start. For a loop, what is live at its
//! start is what is live after it, what the condition reads, and what a run of the body reads before
//! assigning to it (its *exposed* names), which is found once for each loop. Only variables that are
//! assigned to somewhere are followed. Each loop is walked over twice, once to find these names and
//! once to remove, however deep it is nested; sets share structure, so the step is near linear.
//!
//! Needs unique names and no declarations in loop inits.

use cairn_yul::{Block, Expression, For, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::name_collector::{for_each_assigned, for_each_declared};
use crate::tools::name_set::{Set, Sets};
use crate::tools::semantics::{Effects, Exit, Terminations};
use crate::tools::walk::child_blocks;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "UnusedAssignEliminator",
    letter: Some('r'),
    summary: "remove assignments nobody reads",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects_without_functions(code);
    let followed = Followed::new(code, cx.names.len());
    if followed.is_empty() {
        return;
    }
    let terminations = Terminations::new(code);
    let mut liveness = Liveness {
        effects,
        terminations,
        followed,
        sets: Sets::default(),
        exposed: FxHashMap::default(),
        assigned: FxHashMap::default(),
        carried: FxHashMap::default(),
        carried_out: Set::EMPTY,
        exits: Exits::default(),
        loop_depth: 0,
        mode: Mode::Remove,
    };
    liveness.block(code, Set::EMPTY);
}

/// The variables that are assigned to, with numbers in order of the text.
struct Followed {
    /// By name, from 1; zero for the others.
    numbers: Vec<u32>,
    n_variables: u32,
}

impl Followed {
    fn new(code: &Block, n_names: usize) -> Followed {
        let mut followed = Followed { numbers: vec![0; n_names], n_variables: 0 };
        for_each_assigned(code, &mut |name| {
            let number = &mut followed.numbers[name.0 as usize];
            if *number == 0 {
                followed.n_variables += 1;
                *number = followed.n_variables;
            }
        });
        followed
    }

    fn is_empty(&self) -> bool {
        self.n_variables == 0
    }

    fn number(&self, name: YulName) -> Option<u32> {
        Some(self.numbers[name.0 as usize]).filter(|number| *number > 0)
    }
}

/// What is live where jumps go.
#[derive(Clone, Copy)]
struct Exits {
    at_break: Set,
    at_continue: Set,
    at_leave: Set,
}

impl Default for Exits {
    fn default() -> Self {
        Exits { at_break: Set::EMPTY, at_continue: Set::EMPTY, at_leave: Set::EMPTY }
    }
}

/// Loops nested deeper are treated with less precision.
const MAX_LOOP_DEPTH: usize = 6;

/// Where a loop exposes more, nothing is looked for that jumps take along.
const MAX_CARRIED: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Find,
    /// As `Find`, but a declaration leaves what lives behind it alive.
    FindPastDeclarations,
    Remove,
}

struct Liveness {
    effects: Effects,
    terminations: Terminations,
    followed: Followed,
    sets: Sets,
    /// Exposed names of loops, by their address: loops stay where they are during the step.
    exposed: FxHashMap<usize, Set>,
    /// What they assign to, by the same.
    assigned: FxHashMap<usize, Set>,
    /// The same of what they expose past declarations of their own.
    carried: FxHashMap<usize, Set>,
    /// What all open loops carry.
    carried_out: Set,
    exits: Exits,
    loop_depth: usize,
    mode: Mode,
}

impl Liveness {
    /// What is live before an expression. Its last argument is evaluated first, and behind a call that
    /// does not come back nothing is read.
    fn reads(&mut self, expression: &Expression, live: Set) -> Set {
        match expression {
            Expression::Literal(_) => live,
            Expression::Identifier(identifier) => self.with(live, identifier.name),
            Expression::Call(call) => {
                let is_end = !self.terminations.flow_of(call.callee).can_continue;
                let behind = if is_end { Set::EMPTY } else { live };
                call.args.iter().fold(behind, |live, argument| self.reads(argument, live))
            }
        }
    }

    fn with(&mut self, live: Set, name: YulName) -> Set {
        self.followed.number(name).map_or(live, |number| self.sets.insert(live, number))
    }

    fn without(&mut self, live: Set, variables: &[Identifier]) -> Set {
        let numbers = variables.iter().filter_map(|variable| self.followed.number(variable.name));
        numbers.fold(live, |live, number| self.sets.remove(live, number))
    }

    /// Without what a block declares: its end takes that out of sight, unlike a jump.
    fn without_own(&mut self, live: Set, block: &Block) -> Set {
        if self.mode != Mode::Remove || self.carried_out == Set::EMPTY {
            return live;
        }
        block.statements.iter().fold(live, |live, statement| match statement {
            Statement::Let(declaration) => self.without(live, &declaration.variables),
            _ => live,
        })
    }

    /// What is live before a block, given what is live after it.
    fn block(&mut self, block: &mut Block, live: Set) -> Set {
        let mut live = self.without_own(live, block);
        let mut has_removed = false;
        for statement in block.statements.iter_mut().rev() {
            match self.terminations.exit_of(statement) {
                Exit::FlowOut => {}
                Exit::Break => live = self.exits.at_break,
                Exit::Continue => live = self.exits.at_continue,
                Exit::Leave => live = self.exits.at_leave,
                Exit::Terminate => live = Set::EMPTY,
            }
            live = match self.statement(statement, live) {
                Some(live) => live,
                None => {
                    has_removed = true;
                    let Statement::Assign(assignment) =
                        std::mem::replace(statement, Statement::Block(Block::default()))
                    else {
                        continue;
                    };
                    self.reads(&assignment.value, live)
                }
            };
        }
        if has_removed {
            block.statements.retain(|statement| {
                !matches!(statement, Statement::Block(inner) if inner.statements.is_empty() && inner.span == cairn_yul::Span::default())
            });
        }
        live
    }

    /// `None` when the statement is to be removed.
    fn statement(&mut self, statement: &mut Statement, live: Set) -> Option<Set> {
        Some(match statement {
            Statement::Expression(expression, ..) => self.reads(expression, live),
            Statement::Let(declaration) => {
                let live = match self.mode {
                    Mode::FindPastDeclarations => live,
                    Mode::Find | Mode::Remove => self.without(live, &declaration.variables),
                };
                declaration.value.as_ref().map_or(live, |value| self.reads(value, live))
            }
            Statement::Assign(assignment) => {
                if let [target] = assignment.targets.as_slice() {
                    let number = self.followed.number(target.name);
                    let is_live = number.is_some_and(|number| self.sets.contains(live, number));
                    if self.mode == Mode::Remove && !is_live && self.effects.is_movable(&assignment.value) {
                        return None;
                    }
                }
                let live = self.without(live, &assignment.targets);
                self.reads(&assignment.value, live)
            }
            Statement::If(branch) => {
                let taken = self.block(&mut branch.body, live);
                let live = self.sets.union(live, taken);
                self.reads(&branch.condition, live)
            }
            Statement::Switch(switch) => {
                let has_default = switch.cases.iter().any(|case| case.value.is_none());
                let mut before = if has_default { Set::EMPTY } else { live };
                for case in &mut switch.cases {
                    let taken = self.block(&mut case.body, live);
                    before = self.sets.union(before, taken);
                }
                self.reads(&switch.expression, before)
            }
            Statement::For(the_loop) => self.for_loop(the_loop, live),
            Statement::Function(function) => {
                if self.mode == Mode::Remove {
                    self.function(function);
                }
                live
            }
            Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => live,
            Statement::Block(block) => self.block(block, live),
        })
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        let outer = self.exits;
        let outer_depth = std::mem::take(&mut self.loop_depth);
        let returns = function.returns.iter();
        let live = returns.fold(Set::EMPTY, |live, variable| self.with(live, variable.name));
        self.exits = Exits { at_leave: live, ..Exits::default() };
        self.block(&mut function.body, live);
        self.exits = outer;
        self.loop_depth = outer_depth;
    }

    fn for_loop(&mut self, the_loop: &mut For, after: Set) -> Set {
        let exposed = self.exposed_of(the_loop);
        if self.mode == Mode::Remove {
            self.remove_in_loop(the_loop, after, exposed);
        }
        let live = self.sets.union(after, exposed);
        let live = self.reads(&the_loop.condition, live);
        self.block(&mut the_loop.init, live)
    }

    fn remove_in_loop(&mut self, the_loop: &mut For, after: Set, exposed: Set) {
        let outer = self.exits;
        self.loop_depth += 1;
        // As solc does, deeply nested loops keep the last assignment to each variable.
        let after = if self.loop_depth > MAX_LOOP_DEPTH {
            let assigned = self.assigned_in_loop(the_loop);
            self.sets.union(after, assigned)
        } else {
            after
        };
        let at_condition = self.sets.union(after, exposed);
        let at_condition = self.reads(&the_loop.condition, at_condition);
        self.exits.at_break = Set::EMPTY;
        self.exits.at_continue = Set::EMPTY;
        let at_post = self.block(&mut the_loop.post, at_condition);
        let outer_carried = self.carried_out;
        let past_break = self.declared_among(outer_carried, the_loop);
        self.exits.at_break = self.sets.union(after, past_break);
        let carried = self.carried_in(the_loop);
        self.carried_out = self.sets.union(outer_carried, carried);
        let past_continue = self.declared_among(self.carried_out, the_loop);
        self.exits.at_continue = self.sets.union(at_post, past_continue);
        self.block(&mut the_loop.body, at_post);
        self.carried_out = outer_carried;
        self.exits = outer;
        self.loop_depth -= 1;
    }

    /// Those that are declared in the body of a loop. A jump to its end or behind it does not go past
    /// the end of the block of any other.
    fn declared_among(&mut self, carried: Set, the_loop: &For) -> Set {
        if carried == Set::EMPTY || self.loop_depth > MAX_LOOP_DEPTH {
            return carried;
        }
        let mut names = Vec::new();
        for_each_declared(&the_loop.body, &mut |name| names.push(name));
        let numbers = names.into_iter().filter_map(|name| self.followed.number(name));
        numbers.fold(Set::EMPTY, |set, number| {
            if self.sets.contains(carried, number) { self.sets.insert(set, number) } else { set }
        })
    }

    /// What body and post block of a loop assign to.
    fn assigned_in_loop(&mut self, the_loop: &For) -> Set {
        let key = std::ptr::from_ref::<For>(the_loop) as usize;
        if let Some(assigned) = self.assigned.get(&key) {
            return *assigned;
        }
        let assigned = self.with_assigned(&the_loop.body, Set::EMPTY);
        let assigned = self.with_assigned(&the_loop.post, assigned);
        self.assigned.insert(key, assigned);
        assigned
    }

    fn with_assigned(&mut self, block: &Block, mut set: Set) -> Set {
        for statement in &block.statements {
            match statement {
                Statement::Assign(assignment) => {
                    for target in &assignment.targets {
                        set = self.with(set, target.name);
                    }
                }
                Statement::For(inner) => {
                    let assigned = self.assigned_in_loop(inner);
                    set = self.sets.union(set, assigned);
                    set = self.with_assigned(&inner.init, set);
                }
                _ => child_blocks(statement, &mut |child| set = self.with_assigned(child, set)),
            }
        }
        set
    }

    /// What one run of body, post and condition reads before assigning to it.
    fn exposed_of(&mut self, the_loop: &mut For) -> Set {
        let key = std::ptr::from_ref::<For>(the_loop) as usize;
        let mode = match self.mode {
            Mode::FindPastDeclarations => Mode::FindPastDeclarations,
            Mode::Find | Mode::Remove => Mode::Find,
        };
        let found = if mode == Mode::Find { &self.exposed } else { &self.carried };
        if let Some(exposed) = found.get(&key) {
            return *exposed;
        }
        let (outer, mode) = (self.exits, std::mem::replace(&mut self.mode, mode));
        let at_condition = self.reads(&the_loop.condition, Set::EMPTY);
        self.exits.at_break = Set::EMPTY;
        self.exits.at_continue = Set::EMPTY;
        let at_post = self.block(&mut the_loop.post, at_condition);
        self.exits.at_continue = at_post;
        let exposed = self.block(&mut the_loop.body, at_post);
        self.exits = outer;
        let found = match std::mem::replace(&mut self.mode, mode) {
            Mode::FindPastDeclarations => &mut self.carried,
            Mode::Find | Mode::Remove => &mut self.exposed,
        };
        found.insert(key, exposed);
        exposed
    }

    /// What a jump takes to the next round though it was declared in this one: as in solc, only the end
    /// of a block takes its variables out of sight, and a jump goes past it.
    fn carried_in(&mut self, the_loop: &mut For) -> Set {
        let exposed = self.exposed_of(the_loop);
        let mode = std::mem::replace(&mut self.mode, Mode::FindPastDeclarations);
        let past_declarations = self.exposed_of(the_loop);
        self.mode = mode;
        if past_declarations == exposed || self.sets.len(past_declarations) > MAX_CARRIED {
            return Set::EMPTY;
        }
        let mut members = Vec::new();
        self.sets.members_into(past_declarations, &mut members);
        members.retain(|number| !self.sets.contains(exposed, *number));
        members.into_iter().fold(Set::EMPTY, |set, number| self.sets.insert(set, number))
    }
}
