//! UnusedPruner: removes functions and variables that nobody uses, and expressions without effects.
//!
//! ```text
//! function f() { } let a := 1 let b := mload(10) pop(a)   →   nothing
//! let a := g()                                            →   pop(g())
//! ```
//! Reads of memory count as an effect where the program observes the size of memory. Declarations of
//! several variables go when none is used. What becomes unused by that goes too: blocks are walked
//! over from their end, and functions that lose their last call are queued. Needs unique names and
//! the grouped form. Near linear: repeated only while something becomes unused earlier in the code.

use cairn_yul::{Block, Expression, FunctionDefinition, Statement, YulName};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, place_of};
use crate::tools::name_collector::{count_references, for_each_reference, for_each_reference_in};
use crate::tools::semantics::Effects;
use crate::tools::walk::child_blocks_mut;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "UnusedPruner",
    letter: Some('u'),
    summary: "remove what nobody uses",
    needs: Form::UNIQUE_NAMES.union(Form::GROUPED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects(code);
    prune(cx, code, effects);
}

/// Removes what nobody uses; `effects` say which expressions have none.
pub(crate) fn prune(cx: &mut StepContext<'_>, code: &mut Block, effects: Effects) {
    let n_references = count_references(code, cx.names.len());
    let mut pruner = Pruner { effects, n_references, has_changed: false };
    loop {
        pruner.has_changed = false;
        pruner.block(code);
        if !pruner.has_changed {
            return;
        }
    }
}

struct Pruner {
    effects: Effects,
    n_references: Vec<u32>,
    /// Something lost its last use that may have been walked over already.
    has_changed: bool,
}

impl Pruner {
    fn is_used(&self, name: YulName) -> bool {
        self.n_references[name.0 as usize] > 0
    }

    fn block(&mut self, block: &mut Block) {
        self.remove_functions(block);
        let mut n_removed = 0;
        for statement in block.statements.iter_mut().rev() {
            child_blocks_mut(statement, &mut |child| self.block(child));
            if !self.simplify(statement) {
                n_removed += 1;
                *statement = removed();
            }
        }
        if n_removed > 0 {
            block.statements.retain(|statement| !is_removed(statement));
        }
    }

    /// False when the statement goes.
    fn simplify(&mut self, statement: &mut Statement) -> bool {
        let place = place_of(statement);
        match statement {
            Statement::Expression(expression, ..) if self.effects.is_removable(expression) => {
                let dropped = std::mem::replace(expression, builder::number(cairn_evm::Word::ZERO, place));
                self.drop_expression(&dropped);
                false
            }
            Statement::Let(declaration)
                if !declaration.variables.iter().any(|variable| self.is_used(variable.name)) =>
            {
                let Some(value) = &declaration.value else {
                    return false;
                };
                if self.effects.is_removable(value) {
                    let value = declaration.value.take();
                    value.iter().for_each(|value| self.drop_expression(value));
                    return false;
                }
                if declaration.variables.len() == 1
                    && let Some(value) = declaration.value.take()
                {
                    *statement = builder::pop(value, place);
                }
                true
            }
            _ => true,
        }
    }

    fn drop_expression(&mut self, expression: &Expression) {
        let (counts, has_changed) = (&mut self.n_references, &mut self.has_changed);
        for_each_reference_in(expression, &mut |name| release(counts, has_changed, name));
    }

    /// Removes functions that are not called, and then those that only they called.
    fn remove_functions(&mut self, block: &mut Block) {
        let mut pending: Vec<usize> = Vec::new();
        let mut index_of = rustc_hash::FxHashMap::default();
        for (index, statement) in block.statements.iter().enumerate() {
            if let Statement::Function(function) = statement {
                index_of.insert(function.name.name, index);
                if !self.is_used(function.name.name) {
                    pending.push(index);
                }
            }
        }
        let mut n_removed = 0;
        while let Some(index) = pending.pop() {
            let Statement::Function(function) = std::mem::replace(&mut block.statements[index], removed())
            else {
                continue;
            };
            n_removed += 1;
            for name in self.drop_function(&function) {
                pending.extend(index_of.get(&name).copied());
            }
        }
        if n_removed > 0 {
            block.statements.retain(|statement| !is_removed(statement));
        }
    }

    /// The names that are not used any more without the function.
    fn drop_function(&mut self, function: &FunctionDefinition) -> Vec<YulName> {
        let mut unused = Vec::new();
        let (counts, has_changed) = (&mut self.n_references, &mut self.has_changed);
        for_each_reference(&function.body, &mut |name| {
            release(counts, has_changed, name);
            if counts[name.0 as usize] == 0 {
                unused.push(name);
            }
        });
        unused
    }
}

fn release(counts: &mut [u32], has_changed: &mut bool, name: YulName) {
    let count = &mut counts[name.0 as usize];
    *count -= 1;
    *has_changed |= *count == 0;
}

/// Marks the place of a statement that is gone: no parsed block has an empty span.
fn removed() -> Statement {
    Statement::Block(Block::default())
}

fn is_removed(statement: &Statement) -> bool {
    matches!(statement, Statement::Block(block) if block.statements.is_empty() && block.span == cairn_yul::Span::default())
}
