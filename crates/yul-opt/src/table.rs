//! The table of steps, and how they are found in it.

use crate::step::Step;
use crate::steps;

/// Every step, in the order of names.
pub const STEPS: &[Step] = &[
    steps::block_flattener::STEP,
    steps::circular_references_pruner::STEP,
    steps::common_subexpression_eliminator::STEP,
    steps::conditional_simplifier::STEP,
    steps::conditional_unsimplifier::STEP,
    steps::constant_optimiser::STEP,
    steps::control_flow_simplifier::STEP,
    steps::dead_code_eliminator::STEP,
    steps::disambiguator::STEP,
    steps::equal_store_eliminator::STEP,
    steps::equivalent_function_combiner::STEP,
    steps::expression_inliner::STEP,
    steps::expression_joiner::STEP,
    steps::expression_simplifier::STEP,
    steps::expression_splitter::STEP,
    steps::for_loop_condition_into_body::STEP,
    steps::for_loop_condition_out_of_body::STEP,
    steps::for_loop_init_rewriter::STEP,
    steps::full_inliner::STEP,
    steps::function_grouper::STEP,
    steps::function_hoister::STEP,
    steps::function_specializer::STEP,
    steps::literal_rematerialiser::STEP,
    steps::load_resolver::STEP,
    steps::loop_invariant_code_motion::STEP,
    steps::main_function::STEP,
    steps::name_displacer::STEP,
    steps::name_simplifier::STEP,
    steps::rematerialiser::STEP,
    steps::ssa_reverser::STEP,
    steps::ssa_transform::STEP,
    steps::stack_compressor::STEP,
    steps::stack_limit_evader::STEP,
    steps::structural_simplifier::STEP,
    steps::unused_assign_eliminator::STEP,
    steps::unused_function_parameter_pruner::STEP,
    steps::unused_pruner::STEP,
    steps::unused_store_eliminator::STEP,
    steps::var_decl_initializer::STEP,
    steps::var_name_cleaner::STEP,
];

impl Step {
    /// The step with this letter.
    pub fn from_letter(letter: char) -> Option<Step> {
        STEPS.iter().find(|step| step.letter == Some(letter)).copied()
    }

    /// The step with this name: `FullInliner`, or `full-inliner`.
    pub fn from_name(name: &str) -> Option<Step> {
        let plain = |text: &str| text.replace('-', "").to_ascii_lowercase();
        STEPS.iter().find(|step| step.name == name || plain(step.name) == plain(name)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_names_are_told_apart() {
        assert!(STEPS.is_sorted_by_key(|step| step.name));
        for (index, step) in STEPS.iter().enumerate() {
            assert_eq!(Step::from_name(step.name), Some(*step));
            let others = || STEPS.iter().skip(index + 1);
            assert!(others().all(|other| other.name != step.name));
            assert!(step.letter.is_none() || others().all(|other| other.letter != step.letter), "{step:?}");
        }
        assert_eq!(Step::from_name("main-function"), Some(steps::main_function::STEP));
        assert_eq!(Step::from_letter('R'), None);
    }
}
