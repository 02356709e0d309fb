//! Forms of code.

use std::fmt;

bitflags::bitflags! {
    /// What is known about the shape of code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Form: u8 {
        /// No two variables or functions have one name.
        const UNIQUE_NAMES = 1;
        /// No loop has init statements.
        const NO_LOOP_INITS = 2;
        /// Functions stand in the outermost block only.
        const HOISTED = 4;
        /// The outermost block is `{ { code… } functions… }`.
        const GROUPED = 8;
        /// Arguments are variables.
        const SPLIT = 16;
        /// Values have names of their own.
        const SSA = 32;
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Form::UNIQUE_NAMES, "unique names"),
            (Form::NO_LOOP_INITS, "no loop inits"),
            (Form::HOISTED, "hoisted"),
            (Form::GROUPED, "grouped"),
            (Form::SPLIT, "split"),
            (Form::SSA, "SSA"),
        ];
        let mut separator = "";
        for (form, name) in names {
            if self.contains(form) {
                write!(f, "{separator}{name}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
