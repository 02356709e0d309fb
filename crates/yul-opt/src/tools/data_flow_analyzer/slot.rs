//! What is known of variables.

use crate::tools::expressions::Class;
use crate::tools::knowledge_base::Place;
use cairn_yul::{Expression, YulName};

/// A value of a variable.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expression: Held,
    pub(super) class: Class,
    pub(super) loop_depth: u32,
}

/// The expression of a value.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// The zero of variables without a value.
    Zero,
    Expression(Expression),
    /// One that the step does not ask for.
    NotKept,
}

/// A variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// The function in which the variable is in scope; zero for none.
    pub(super) function: u32,
    pub(super) version: u32,
    pub(super) value: Option<Value>,
    pub(super) place: Option<Place>,
    /// Variables (with versions) whose values mention this one.
    pub(super) readers: Vec<(YulName, u32)>,
}

impl Slot {
    pub(super) fn forget(&mut self) {
        self.version += 1;
        self.value = None;
        self.place = None;
    }
}

/// Memory that one walk leaves to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Of every variable that is out of scope, nothing is known.
    pub(super) slots: Vec<Slot>,
}
