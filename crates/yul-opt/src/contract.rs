//! Whether a sequence gives each step the form that it needs.

use std::fmt;

use crate::form::Form;
use crate::sequence::{Item, Sequence};
use crate::step::Step;
use crate::steps::{
    disambiguator, expression_splitter, for_loop_init_rewriter, function_grouper, function_hoister,
    ssa_transform,
};

/// A step that would run on code that it must not run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContractFault {
    /// The step.
    pub step: Step,
    /// What it needs and the code does not have.
    pub missing: Form,
    /// The step before it that destroyed the form, if one did.
    pub destroyed_by: Option<Step>,
}

impl fmt::Display for ContractFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` needs {}", self.step.name, self.missing)?;
        match self.destroyed_by {
            Some(step) => write!(f, ", which `{}` destroys", step.name)?,
            None => write!(f, ", which no step before it gives")?,
        }
        let givers: Vec<String> = makers(self.missing)
            .into_iter()
            .map(|step| match step.letter {
                Some(letter) => format!("`{letter}` ({})", step.name),
                None => format!("`{{{}}}`", step.name),
            })
            .collect();
        write!(f, "; run {} before it", givers.join(" and "))
    }
}

impl std::error::Error for ContractFault {}

/// Steps that give missing forms, in an order in which each can run after those before it.
pub(crate) fn makers(missing: Form) -> Vec<Step> {
    let order = [
        disambiguator::STEP,
        function_hoister::STEP,
        function_grouper::STEP,
        for_loop_init_rewriter::STEP,
        expression_splitter::STEP,
        ssa_transform::STEP,
    ];
    order.into_iter().filter(|step| step.gives.intersects(missing)).collect()
}

/// The form after a step.
pub(crate) fn after(form: Form, step: Step) -> Form {
    (form & step.preserves) | step.gives
}

/// Checks every step of a sequence that starts on code of the given form; repeated parts are checked
/// for a second round too. Returns the form at the end.
///
/// # Errors
/// The first step whose needs are not met.
pub fn check_sequence(sequence: &Sequence, form: Form) -> Result<Form, ContractFault> {
    let mut check = Check { form, destroyed_by: [None; 8] };
    check.items(&sequence.items)?;
    Ok(check.form)
}

struct Check {
    form: Form,
    /// By bit of the form.
    destroyed_by: [Option<Step>; 8],
}

impl Check {
    fn items(&mut self, items: &[Item]) -> Result<(), ContractFault> {
        for item in items {
            match item {
                Item::Step(call) => self.step(call.step)?,
                Item::Repeat(repeated) => {
                    self.items(repeated)?;
                    self.items(repeated)?;
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), ContractFault> {
        let missing = step.needs - self.form;
        if !missing.is_empty() {
            let bit = missing.bits().trailing_zeros() as usize;
            return Err(ContractFault { step, missing, destroyed_by: self.destroyed_by[bit] });
        }
        for (bit, destroyer) in self.destroyed_by.iter_mut().enumerate() {
            if !step.preserves.bits() >> bit & 1 == 1 {
                *destroyer = Some(step);
            }
        }
        self.form = after(self.form, step);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::STEPS;

    fn check(text: &str) -> Result<Form, String> {
        let sequence: Sequence = text.parse().expect("a sequence");
        check_sequence(&sequence, Form::UNIQUE_NAMES).map_err(|fault| fault.to_string())
    }

    // Shows S002-50, S002-53, S002-56, S002-59, S002-63, S002-132, S002-162.
    #[test]
    fn every_need_can_be_met() {
        for row in STEPS {
            let made = makers(row.needs).into_iter().fold(Form::empty(), after);
            assert!(made.contains(row.needs), "{}", row.name);
            let mut form = Form::empty();
            for step in makers(row.needs) {
                assert!(form.contains(step.needs - Form::UNIQUE_NAMES), "{}", row.name);
                form = after(form, step);
            }
        }
    }

    #[test]
    fn stores_are_not_removed_without_ssa() {
        let message = "`UnusedStoreEliminator` needs SSA, which no step before it gives; \
                       run `a` (SSATransform) before it";
        assert_eq!(check("hgoxS"), Err(message.to_owned()));
        assert!(check("hgoxaS").is_ok());
        let message = "`UnusedStoreEliminator` needs SSA, which `ConditionalSimplifier` destroys; \
                       run `a` (SSATransform) before it";
        assert_eq!(check("hgoxaCS"), Err(message.to_owned()));
    }

    // Shows S002-51.
    #[test]
    fn a_second_round_is_checked() {
        assert!(check("hgoxa[SV]").is_err());
        assert!(check("hgox[aSV]").is_ok());
    }
}
