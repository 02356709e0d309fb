//! LoopInvariantCodeMotion: moves declarations out of loops when each round gives the same value.
//!
//! ```text
//! for { } c { } { let x := add(b, 42) mstore(a, x) }
//!     →   let x := add(b, 42) for { } c { } { mstore(a, x) }
//! ```
//! Only declarations directly in body or post block move, of variables that are never assigned to
//! and that mention only such variables from outside of the loop, parameters excepted. The value must be movable, or read
//! state that the loop does not write. Needs unique names, hoisted functions and no declarations in
//! loop inits; best on split code in SSA form. Linear for bounded nesting of loops.

use cairn_yul::facts::{Access, SideEffects};
use cairn_yul::{Block, Expression, For, Statement, VariableDeclaration, YulName};
use rustc_hash::FxHashSet;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::semantics::Effects;
use crate::tools::ssa_value_tracker::ssa_variables;
use crate::tools::walk::{child_blocks_mut, rewrite_statements};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "LoopInvariantCodeMotion",
    letter: Some('M'),
    summary: "move declarations out of loops",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS).union(Form::HOISTED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let is_ssa = ssa_variables(code, cx.names.len());
    let motion = Motion { effects: cx.effects(code), is_ssa };
    motion.block(code);
}

struct Motion {
    effects: Effects,
    /// By name: declared once and never assigned to.
    is_ssa: Vec<bool>,
}

impl Motion {
    fn block(&self, block: &mut Block) {
        rewrite_statements(block, |mut statement, new| {
            child_blocks_mut(&mut statement, &mut |child| self.block(child));
            if let Statement::For(the_loop) = &mut statement {
                self.move_out(the_loop, new);
            }
            new.push(statement);
        });
    }

    fn move_out(&self, the_loop: &mut For, new: &mut Vec<Statement>) {
        let effects = self.effects.of(&the_loop.condition);
        let effects = effects.and(self.effects.of_block(&the_loop.post));
        let effects = effects.and(self.effects.of_block(&the_loop.body));
        for block in [&mut the_loop.post, &mut the_loop.body] {
            let mut inside: FxHashSet<YulName> = FxHashSet::default();
            for statement in &block.statements {
                if let Statement::Let(declaration) = statement {
                    inside.extend(declaration.variables.iter().map(|variable| variable.name));
                }
            }
            if inside.is_empty() {
                continue;
            }
            rewrite_statements(block, |statement, kept| match statement {
                Statement::Let(declaration) if self.is_invariant(&declaration, &inside, effects) => {
                    for variable in &declaration.variables {
                        inside.remove(&variable.name);
                    }
                    new.push(Statement::Let(declaration));
                }
                other => kept.push(other),
            });
        }
    }

    fn is_ssa(&self, name: YulName) -> bool {
        self.is_ssa[name.0 as usize]
    }

    fn is_invariant(
        &self,
        declaration: &VariableDeclaration,
        inside: &FxHashSet<YulName>,
        in_loop: SideEffects,
    ) -> bool {
        if !declaration.variables.iter().all(|variable| self.is_ssa(variable.name)) {
            return false;
        }
        let Some(value) = &declaration.value else {
            return true;
        };
        let mut mentions_only_invariants = true;
        for_each_variable(value, &mut |name| {
            mentions_only_invariants &= self.is_ssa(name) && !inside.contains(&name);
        });
        mentions_only_invariants && self.is_movable_out_of(value, in_loop)
    }

    fn is_movable_out_of(&self, value: &Expression, in_loop: SideEffects) -> bool {
        let own = self.effects.of(value);
        if !own.cannot_loop {
            return false;
        }
        if own.movable {
            return true;
        }
        let conflicts = |own: Access, other: Access| {
            own == Access::Write || own == Access::Read && other == Access::Write
        };
        let has_conflict = conflicts(own.other_state, in_loop.other_state)
            || conflicts(own.storage, in_loop.storage)
            || conflicts(own.memory, in_loop.memory)
            || conflicts(own.transient_storage, in_loop.transient_storage);
        // Reading memory earlier may grow it earlier.
        let shows = self.effects.has_msize && own.memory != Access::None;
        own.movable_apart_from_effects && !has_conflict && !shows
    }
}

fn for_each_variable(expression: &Expression, visit: &mut dyn FnMut(YulName)) {
    match expression {
        Expression::Literal(_) => {}
        Expression::Identifier(identifier) => visit(identifier.name),
        Expression::Call(call) => call.args.iter().for_each(|argument| for_each_variable(argument, visit)),
    }
}
