//! The table of steps: names, letters, contracts.

use cairn_yul::{Block, YulName};

use crate::context::StepContext;
use crate::contract::Form;
use crate::steps;

use crate::step::Step;
/// What is known about a step.
#[derive(Clone, Copy, Debug)]
pub struct StepInfo {
    /// The step.
    pub step: Step,
    /// Its name, as in solc's documentation.
    pub name: &'static str,
    /// Its letter in sequences, if it has one.
    pub letter: Option<char>,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// Forms without which it must not run.
    pub needs: Form,
    /// Forms that the code has afterwards.
    pub gives: Form,
    /// Forms that the code may have lost.
    pub destroys: Form,
}

const fn row(
    step: Step,
    name: &'static str,
    letter: char,
    summary: &'static str,
    [needs, gives, destroys]: [Form; 3],
) -> StepInfo {
    let letter = if letter == ' ' { None } else { Some(letter) };
    StepInfo { step, name, letter, summary, needs, gives, destroys }
}

const NONE: Form = Form::empty();
const UNIQUE: Form = Form::UNIQUE_NAMES;
const LOOPS: Form = Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS);
const HOISTED: Form = Form::UNIQUE_NAMES.union(Form::HOISTED);
const GROUPED: Form = Form::UNIQUE_NAMES.union(Form::GROUPED);

/// Every step, in the order of names.
#[rustfmt::skip]
pub const STEPS: &[StepInfo] = &[
    row(Step::BlockFlattener, "BlockFlattener", 'f', "inline nested blocks", [GROUPED, NONE, NONE]),
    row(Step::CircularReferencesPruner, "CircularReferencesPruner", 'l', "remove functions that cannot be reached", [HOISTED.union(GROUPED), NONE, NONE]),
    row(Step::CommonSubexpressionEliminator, "CommonSubexpressionEliminator", 'c', "reuse equal values", [LOOPS, NONE, NONE]),
    row(Step::ConditionalSimplifier, "ConditionalSimplifier", 'C', "assign what conditions say", [UNIQUE, NONE, Form::SSA]),
    row(Step::ConditionalUnsimplifier, "ConditionalUnsimplifier", 'U', "undo ConditionalSimplifier", [UNIQUE, NONE, NONE]),
    row(Step::ConstantOptimiser, "ConstantOptimiser", ' ', "find cheaper expressions for constants", [NONE, NONE, Form::SPLIT]),
    row(Step::ControlFlowSimplifier, "ControlFlowSimplifier", 'n', "simplify control flow by its shape", [LOOPS, NONE, Form::SPLIT]),
    row(Step::DeadCodeEliminator, "DeadCodeEliminator", 'D', "remove code that is not reached", [LOOPS, NONE, NONE]),
    row(Step::Disambiguator, "Disambiguator", ' ', "give everything a name of its own", [NONE, UNIQUE, NONE]),
    row(Step::EqualStoreEliminator, "EqualStoreEliminator", 'E', "remove stores of what is there already", [LOOPS, NONE, NONE]),
    row(Step::EquivalentFunctionCombiner, "EquivalentFunctionCombiner", 'v', "call one of equal functions", [HOISTED, NONE, NONE]),
    row(Step::ExpressionInliner, "ExpressionInliner", 'e', "inline functions that are one expression", [UNIQUE, NONE, Form::SPLIT]),
    row(Step::ExpressionJoiner, "ExpressionJoiner", 'j', "join values that are used once", [GROUPED, NONE, Form::SPLIT]),
    row(Step::ExpressionSimplifier, "ExpressionSimplifier", 's', "apply algebraic rules", [LOOPS, NONE, Form::SPLIT]),
    row(Step::ExpressionSplitter, "ExpressionSplitter", 'x', "give every argument a variable", [UNIQUE, Form::SPLIT, NONE]),
    row(Step::ForLoopConditionIntoBody, "ForLoopConditionIntoBody", 'I', "check loop conditions in the body", [UNIQUE, NONE, Form::SPLIT]),
    row(Step::ForLoopConditionOutOfBody, "ForLoopConditionOutOfBody", 'O', "undo ForLoopConditionIntoBody", [UNIQUE, NONE, Form::SPLIT]),
    row(Step::ForLoopInitRewriter, "ForLoopInitRewriter", 'o', "move init statements before loops", [UNIQUE, Form::NO_LOOP_INITS, NONE]),
    row(Step::FullInliner, "FullInliner", 'i', "inline functions", [HOISTED.union(GROUPED), NONE, Form::SSA]),
    row(Step::FunctionGrouper, "FunctionGrouper", 'g', "code first, functions after", [UNIQUE, Form::GROUPED, NONE]),
    row(Step::FunctionHoister, "FunctionHoister", 'h', "move functions to the outermost block", [UNIQUE, Form::HOISTED, NONE]),
    row(Step::FunctionSpecializer, "FunctionSpecializer", 'F', "copy functions for literal arguments", [HOISTED, NONE, NONE]),
    row(Step::LiteralRematerialiser, "LiteralRematerialiser", 'T', "use literals in place of variables", [LOOPS, NONE, Form::SPLIT]),
    row(Step::LoadResolver, "LoadResolver", 'L', "use what is known of storage and memory", [LOOPS, NONE, NONE]),
    row(Step::LoopInvariantCodeMotion, "LoopInvariantCodeMotion", 'M', "move declarations out of loops", [LOOPS.union(HOISTED), NONE, NONE]),
    row(Step::MainFunction, "MainFunction", ' ', "make the code a function `main`", [HOISTED.union(GROUPED), NONE, Form::GROUPED]),
    row(Step::NameDisplacer, "NameDisplacer", ' ', "rename what has one of the given names", [UNIQUE, NONE, NONE]),
    row(Step::NameSimplifier, "NameSimplifier", ' ', "shorten generated names", [UNIQUE, NONE, NONE]),
    row(Step::Rematerialiser, "Rematerialiser", 'm', "evaluate cheap values again", [LOOPS, NONE, Form::SPLIT]),
    row(Step::SSAReverser, "SSAReverser", 'V', "undo SSATransform", [UNIQUE, NONE, Form::SSA]),
    row(Step::SSATransform, "SSATransform", 'a', "one variable for each value", [LOOPS, Form::SSA, NONE]),
    row(Step::StackCompressor, "StackCompressor", ' ', "use fewer variables where the stack is full", [LOOPS.union(HOISTED).union(GROUPED), NONE, Form::SPLIT]),
    row(Step::StackLimitEvader, "StackLimitEvader", ' ', "move unreachable variables to memory", [UNIQUE, NONE, Form::SPLIT.union(Form::SSA)]),
    row(Step::StructuralSimplifier, "StructuralSimplifier", 't', "decide constant branches", [LOOPS, NONE, NONE]),
    row(Step::UnusedAssignEliminator, "UnusedAssignEliminator", 'r', "remove assignments nobody reads", [LOOPS, NONE, NONE]),
    row(Step::UnusedFunctionParameterPruner, "UnusedFunctionParameterPruner", 'p', "remove unused parameters", [HOISTED, NONE, NONE]),
    row(Step::UnusedPruner, "UnusedPruner", 'u', "remove what nobody uses", [GROUPED, NONE, NONE]),
    row(Step::UnusedStoreEliminator, "UnusedStoreEliminator", 'S', "remove stores nobody reads", [LOOPS.union(Form::SSA), NONE, NONE]),
    row(Step::VarDeclInitializer, "VarDeclInitializer", 'd', "give every variable a value", [NONE, NONE, NONE]),
    row(Step::VarNameCleaner, "VarNameCleaner", ' ', "remove numbers from names", [HOISTED.union(GROUPED), NONE, Form::UNIQUE_NAMES]),
];

impl Step {
    /// The row of the table.
    pub fn info(self) -> &'static StepInfo {
        let row = STEPS.iter().find(|row| row.step == self);
        row.expect("invariant: every step has a row")
    }

    /// The step with this letter.
    pub fn from_letter(letter: char) -> Option<Step> {
        STEPS.iter().find(|row| row.letter == Some(letter)).map(|row| row.step)
    }

    /// The step with this name: `FullInliner`, or `full-inliner`.
    pub fn from_name(name: &str) -> Option<Step> {
        let plain = |text: &str| text.replace('-', "").to_ascii_lowercase();
        STEPS.iter().find(|row| row.name == name || plain(row.name) == plain(name)).map(|row| row.step)
    }

    /// Runs the step. `argument` is what stood behind the colon in the sequence.
    pub(crate) fn run(self, cx: &mut StepContext<'_>, code: &mut Block, argument: Option<&str>) {
        match self {
            Step::BlockFlattener => steps::block_flattener::run(cx, code),
            Step::CircularReferencesPruner => steps::circular_references_pruner::run(cx, code),
            Step::CommonSubexpressionEliminator => steps::common_subexpression_eliminator::run(cx, code),
            Step::ConditionalSimplifier => steps::conditional_simplifier::run(cx, code),
            Step::ConditionalUnsimplifier => steps::conditional_unsimplifier::run(cx, code),
            Step::ConstantOptimiser => steps::constant_optimiser::run(cx, code),
            Step::ControlFlowSimplifier => steps::control_flow_simplifier::run(cx, code),
            Step::DeadCodeEliminator => steps::dead_code_eliminator::run(cx, code),
            Step::Disambiguator => steps::disambiguator::run(cx, code),
            Step::EqualStoreEliminator => steps::equal_store_eliminator::run(cx, code),
            Step::EquivalentFunctionCombiner => steps::equivalent_function_combiner::run(cx, code),
            Step::ExpressionInliner => steps::expression_inliner::run(cx, code),
            Step::ExpressionJoiner => steps::expression_joiner::run(cx, code),
            Step::ExpressionSimplifier => steps::expression_simplifier::run(cx, code),
            Step::ExpressionSplitter => steps::expression_splitter::run(cx, code),
            Step::ForLoopConditionIntoBody => steps::for_loop_condition_into_body::run(cx, code),
            Step::ForLoopConditionOutOfBody => steps::for_loop_condition_out_of_body::run(cx, code),
            Step::ForLoopInitRewriter => steps::for_loop_init_rewriter::run(cx, code),
            Step::FullInliner => steps::full_inliner::run(cx, code),
            Step::FunctionGrouper => steps::function_grouper::run(cx, code),
            Step::FunctionHoister => steps::function_hoister::run(cx, code),
            Step::FunctionSpecializer => steps::function_specializer::run(cx, code),
            Step::LiteralRematerialiser => steps::literal_rematerialiser::run(cx, code),
            Step::LoadResolver => steps::load_resolver::run(cx, code),
            Step::LoopInvariantCodeMotion => steps::loop_invariant_code_motion::run(cx, code),
            Step::MainFunction => steps::main_function::run(cx, code),
            Step::NameDisplacer => {
                let names: Vec<YulName> = argument
                    .unwrap_or("")
                    .split(',')
                    .filter(|name| !name.is_empty())
                    .map(|name| cx.names.intern(name))
                    .collect();
                steps::name_displacer::run(cx, code, &names);
            }
            Step::NameSimplifier => steps::name_simplifier::run(cx, code),
            Step::Rematerialiser => steps::rematerialiser::run(cx, code),
            Step::SSAReverser => steps::ssa_reverser::run(cx, code),
            Step::SSATransform => steps::ssa_transform::run(cx, code),
            Step::StackCompressor => steps::stack_compressor::run(cx, code),
            Step::StackLimitEvader => steps::stack_limit_evader::run(cx, code, argument),
            Step::StructuralSimplifier => steps::structural_simplifier::run(cx, code),
            Step::UnusedAssignEliminator => steps::unused_assign_eliminator::run(cx, code),
            Step::UnusedFunctionParameterPruner => steps::unused_function_parameter_pruner::run(cx, code),
            Step::UnusedPruner => steps::unused_pruner::run(cx, code),
            Step::UnusedStoreEliminator => steps::unused_store_eliminator::run(cx, code),
            Step::VarDeclInitializer => steps::var_decl_initializer::run(cx, code),
            Step::VarNameCleaner => steps::var_name_cleaner::run(cx, code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_names_are_told_apart() {
        for (index, row) in STEPS.iter().enumerate() {
            assert_eq!(Step::from_name(row.name), Some(row.step));
            assert_eq!(row.step.info().name, row.name);
            let others = || STEPS.iter().skip(index + 1);
            assert!(others().all(|other| other.name != row.name));
            assert!(row.letter.is_none() || others().all(|other| other.letter != row.letter), "{}", row.name);
        }
        assert_eq!(Step::from_name("main-function"), Some(Step::MainFunction));
        assert_eq!(Step::from_letter('R'), None);
    }
}
