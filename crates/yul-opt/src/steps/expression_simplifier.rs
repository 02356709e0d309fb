//! ExpressionSimplifier: applies algebraic rules to operations, and folds constants.
//!
//! ```text
//! let b := sub(x, x) mstore(add(b, 0), 1)   →   let b := 0 mstore(0, 1)
//! ```
//! Operands that are variables are seen through to the expression that they are known to hold. Only
//! operations on variables and literals are simplified, so split code gives the best results, and
//! nothing with effects is moved or lost. The rules are those of `cairn_rules`, each proven. The start
//! of a region of memory of no length becomes zero.
//!
//! Needs unique names and no declarations in loop inits. Destroys split form. Linear.

use cairn_evm::{MemoryLength, MemoryRegion, Opcode, Word, memory};
use cairn_rules::{Built, RuleSet, Shape};
use cairn_yul::{Block, Builtin, Callee, Expression, FunctionCall, Literal, LiteralKind};
use smallvec::SmallVec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::data_flow_analyzer::{Flow, Hooks, analyze};
use crate::tools::expressions::Class;

/// Rules applied to one expression.
const MAX_REWRITES: usize = 64;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ExpressionSimplifier",
    letter: Some('s'),
    summary: "apply algebraic rules",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects_without_functions(code);
    let mut simplifier = Simplifier { rules: RuleSet::solc(cx.dialect.fork) };
    analyze(code, &effects, cx.names.len(), &mut cx.scratch, &mut simplifier);
}

struct Simplifier {
    rules: RuleSet,
}

/// Operands, and what variables among them are known to hold.
struct View<'f, 'a>(&'f Flow<'a>);

impl<'f> Shape for View<'f, '_> {
    type Value = &'f Expression;

    fn as_const(&self, value: &'f Expression) -> Option<Word> {
        number(self.0, value)
    }

    fn as_op(&self, value: &'f Expression) -> Option<(Opcode, SmallVec<[&'f Expression; 3]>)> {
        let Expression::Identifier(identifier) = value else {
            return None;
        };
        let (opcode, call) = operation(self.0.value_of(identifier.name)?)?;
        Some((opcode, call.args.iter().collect()))
    }

    fn is_same(&self, a: &'f Expression, b: &'f Expression) -> bool {
        match (a, b) {
            (Expression::Identifier(a), Expression::Identifier(b)) => a.name == b.name,
            (Expression::Literal(a), Expression::Literal(b)) => a.value == b.value,
            _ => false,
        }
    }
}

/// The value of a number or of a variable that holds one. Texts and truth values are left alone.
fn number(flow: &Flow<'_>, value: &Expression) -> Option<Word> {
    number_literal(flow, value).map(|literal| literal.value)
}

fn number_literal<'v>(flow: &'v Flow<'_>, value: &'v Expression) -> Option<&'v Literal> {
    let value = match value {
        Expression::Identifier(identifier) => flow.value_of(identifier.name)?,
        Expression::Literal(_) | Expression::Call(_) => value,
    };
    match value {
        Expression::Literal(literal) if literal.kind == LiteralKind::Number => Some(literal),
        Expression::Literal(_) | Expression::Identifier(_) | Expression::Call(_) => None,
    }
}

/// An opcode on variables and literals.
fn operation(expression: &Expression) -> Option<(Opcode, &FunctionCall)> {
    let Expression::Call(call) = expression else {
        return None;
    };
    let Callee::Builtin(Builtin::Evm(opcode)) = call.callee else {
        return None;
    };
    let is_simple = call.args.iter().all(|argument| !matches!(argument, Expression::Call(_)));
    is_simple.then_some((opcode, call))
}

impl Simplifier {
    fn rewrite(&self, flow: &Flow<'_>, expression: &Expression) -> Option<Expression> {
        let (opcode, call) = operation(expression)?;
        let place = Place::of(expression);
        let constants: Option<SmallVec<[Word; 3]>> =
            call.args.iter().map(|argument| number(flow, argument)).collect();
        if let Some(value) = constants.and_then(|words| self.rules.fold(opcode, &words)) {
            return Some(builder::number(value, place));
        }
        let operands: SmallVec<[&Expression; 3]> = call.args.iter().collect();
        let (_, built) = self.rules.rewrite(&View(flow), opcode, &operands)?;
        Some(build(flow, &built, place))
    }
}

fn build(flow: &Flow<'_>, built: &Built<&Expression>, place: Place) -> Expression {
    match built {
        Built::Value(value) => (*value).clone(),
        Built::Word(word) => builder::number(*word, place),
        // A constant that a rule only moves stays as it is written.
        Built::Constant(word, value) => match number_literal(flow, value) {
            Some(literal) => {
                let Place { span, src } = place;
                Expression::Literal(Box::new(Literal { span, src, ..literal.clone() }))
            }
            None => builder::number(*word, place),
        },
        Built::Op(opcode, args) => {
            builder::call(*opcode, args.iter().map(|argument| build(flow, argument, place)).collect(), place)
        }
    }
}

impl Hooks for Simplifier {
    fn keeps(&self, value: &Expression) -> bool {
        matches!(value, Expression::Literal(_)) || operation(value).is_some()
    }

    fn expression(&mut self, flow: &mut Flow<'_>, expression: &mut Expression, class: Class) -> Class {
        if !matches!(expression, Expression::Call(_)) {
            return class;
        }
        for _ in 0..MAX_REWRITES {
            let Some(simpler) = self.rewrite(flow, expression) else {
                break;
            };
            *expression = simpler;
        }
        clear_starts_of_empty_regions(flow, expression);
        class
    }
}

fn clear_starts_of_empty_regions(flow: &Flow<'_>, expression: &mut Expression) {
    let Expression::Call(call) = expression else {
        return;
    };
    let Callee::Builtin(Builtin::Evm(opcode)) = call.callee else {
        return;
    };
    // A call may write less than its region, so nothing is said about the region's start.
    let written = if memory::memory_write(opcode).is_some() && opcode.known().outputs > 0 {
        None
    } else {
        memory::memory_write(opcode)
    };
    for region in [memory::memory_read(opcode), written].into_iter().flatten() {
        clear_start(flow, call, region);
    }
}

fn clear_start(flow: &Flow<'_>, call: &mut FunctionCall, region: MemoryRegion) {
    let MemoryLength::Operand(length) = region.length else {
        return;
    };
    let is_empty =
        call.args.get(usize::from(length)).and_then(|length| flow.constant(length)) == Some(Word::ZERO);
    let Some(start) = call.args.get_mut(usize::from(region.start)) else {
        return;
    };
    let is_zero = flow.constant(start) == Some(Word::ZERO);
    if !is_empty || is_zero || matches!(start, Expression::Call(_)) {
        return;
    }
    *start = builder::number(Word::ZERO, Place::of(start));
}
