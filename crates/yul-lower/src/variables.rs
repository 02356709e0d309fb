//! The current SSA value of each variable, and what a branch changes.
//!
//! A *branch* is code that may be skipped. While one is open, the first assignment to a variable
//! declared outside of it puts the old value in a log; closing the branch takes the changes back
//! and reports them, so that the caller can merge them. Branches nest. Every operation is O(1)
//! but for closing, which is linear in the number of variables the branch changed.

use cairn_ir::Value;
use cairn_yul::YulName;

#[derive(Clone, Copy, Default)]
struct Variable {
    value: Option<Value>,
    /// Number of declarations before this one.
    declared: u32,
    /// Where in the log its last entry is; stale unless the entry there has its name.
    logged: u32,
}

struct Change {
    name: YulName,
    old: Value,
    /// Where the entry before this one is.
    logged: u32,
}

/// Where a branch begins.
#[derive(Clone, Copy, Default)]
struct Mark {
    log: u32,
    declarations: u32,
}

/// An open branch; give it back to [`Variables::close_branch`].
#[must_use]
pub(crate) struct Branch {
    outer: Mark,
}

/// Values of variables by name. Yul has no shadowing, so a name is one variable at a time.
pub(crate) struct Variables {
    by_name: Vec<Variable>,
    log: Vec<Change>,
    declarations: u32,
    mark: Mark,
}

impl Variables {
    /// No variable; names are below `num_names`.
    pub(crate) fn new(num_names: usize) -> Self {
        Variables {
            by_name: vec![Variable::default(); num_names],
            log: Vec::new(),
            declarations: 0,
            mark: Mark::default(),
        }
    }

    /// A new variable.
    pub(crate) fn declare(&mut self, name: YulName, value: Value) {
        let variable = &mut self.by_name[name.0 as usize];
        (variable.value, variable.declared) = (Some(value), self.declarations);
        self.declarations += 1;
    }

    /// The value of a declared variable.
    pub(crate) fn get(&self, name: YulName) -> Value {
        self.by_name[name.0 as usize].value.expect("invariant: resolved variables are declared before use")
    }

    /// Assigns to a declared variable.
    pub(crate) fn set(&mut self, name: YulName, value: Value) {
        let old = self.get(name);
        let variable = &mut self.by_name[name.0 as usize];
        variable.value = Some(value);
        if variable.declared >= self.mark.declarations {
            return;
        }
        let entry = self.log.get(variable.logged as usize);
        let is_logged = variable.logged >= self.mark.log && entry.is_some_and(|change| change.name == name);
        if !is_logged {
            let logged = std::mem::replace(&mut variable.logged, self.log.len() as u32);
            self.log.push(Change { name, old, logged });
        }
    }

    /// Begins a branch.
    pub(crate) fn open_branch(&mut self) -> Branch {
        let mark = Mark { log: self.log.len() as u32, declarations: self.declarations };
        Branch { outer: std::mem::replace(&mut self.mark, mark) }
    }

    /// Ends the innermost branch: each variable it changed gets its old value back. Returns the
    /// new values in order of first assignment.
    pub(crate) fn close_branch(&mut self, branch: Branch) -> Vec<(YulName, Value)> {
        let by_name = &mut self.by_name;
        let changes = self.log.drain(self.mark.log as usize..).map(|change| {
            let variable = &mut by_name[change.name.0 as usize];
            variable.logged = change.logged;
            let new = variable.value.replace(change.old).expect("invariant: a changed variable has a value");
            (change.name, new)
        });
        let changes = changes.collect();
        self.mark = branch.outer;
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(n: u32) -> Value {
        Value::from_u32(n)
    }

    #[test]
    fn a_branch_reports_and_takes_back_changes_of_outer_variables_only() {
        let [a, b, c] = [0, 1, 2].map(YulName);
        let mut variables = Variables::new(3);
        variables.declare(a, value(1));
        variables.declare(b, value(2));
        let branch = variables.open_branch();
        variables.declare(c, value(3));
        variables.set(c, value(4));
        variables.set(b, value(5));
        variables.set(a, value(6));
        variables.set(b, value(7));
        assert_eq!(variables.close_branch(branch), [(b, value(7)), (a, value(6))]);
        assert_eq!((variables.get(a), variables.get(b)), (value(1), value(2)));
    }

    #[test]
    fn nested_branches_log_each_on_its_own() {
        let a = YulName(0);
        let mut variables = Variables::new(1);
        variables.declare(a, value(1));
        let outer = variables.open_branch();
        variables.set(a, value(2));
        let inner = variables.open_branch();
        variables.set(a, value(3));
        assert_eq!(variables.close_branch(inner), [(a, value(3))]);
        assert_eq!(variables.get(a), value(2));
        let inner = variables.open_branch();
        assert_eq!(variables.close_branch(inner), []);
        assert_eq!(variables.close_branch(outer), [(a, value(2))]);
        assert_eq!(variables.get(a), value(1));
    }

    #[test]
    fn a_variable_is_logged_once_in_a_branch_with_branches_inside() {
        let a = YulName(0);
        let mut variables = Variables::new(1);
        variables.declare(a, value(1));
        let outer = variables.open_branch();
        for n in [2, 4] {
            variables.set(a, value(n));
            let inner = variables.open_branch();
            variables.set(a, value(n + 1));
            assert_eq!(variables.close_branch(inner), [(a, value(n + 1))]);
        }
        variables.set(a, value(6));
        assert_eq!(variables.close_branch(outer), [(a, value(6))]);
        assert_eq!(variables.get(a), value(1));
    }

    #[test]
    fn a_stale_log_position_of_another_variable_does_not_hide_a_change() {
        let [a, b] = [0, 1].map(YulName);
        let mut variables = Variables::new(2);
        variables.declare(a, value(1));
        variables.declare(b, value(2));
        let first = variables.open_branch();
        variables.set(a, value(3));
        assert_eq!(variables.close_branch(first), [(a, value(3))]);
        let second = variables.open_branch();
        variables.set(b, value(4));
        variables.set(a, value(5));
        assert_eq!(variables.close_branch(second), [(b, value(4)), (a, value(5))]);
    }
}
