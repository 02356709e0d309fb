//! What becomes of each code, and who does it.

use cairn_bytecode::Role;
use cairn_columns::Facts;
use cairn_driver::Level;
use cairn_evm::Fork;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::time::Duration;

/// What becomes of each distinct code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Its facts, as [`cairn_columns`] has them.
    Analyze(Facts),
    /// Better code, or the same with the reason: how hard to optimize, and for how many executions.
    Recompile(Level, u64),
    /// The text of its EVM-IR.
    Lift,
}

/// Who works on codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workers {
    /// Processes that are started by this command line and call [`crate::work()`]. Only these can be
    /// stopped, so only with these does a code cost no more than its row.
    Processes(Vec<OsString>),
    /// Threads of this process. A code that never ends, or ends the process, ends the run.
    Threads,
}

/// What a code may take before its row becomes an error; for processes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for one code.
    pub time: Duration,
    /// Memory of a worker, in bytes. It is watched where the system tells it, which Linux does.
    pub memory: u64,
}

/// A minute and 2 GiB.
impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), memory: 2 << 30 }
    }
}

/// What is done with codes, and how.
#[derive(Clone, Debug)]
pub struct Work {
    /// What is done.
    pub task: Task,
    /// The fork that codes run on.
    pub fork: Fork,
    /// Whether bytes may follow codes; `None` finds out for each by what it does.
    pub role: Option<Role>,
    /// Who works.
    pub workers: Workers,
    /// What a code may take.
    pub limits: Limits,
}

impl Work {
    /// Work with usual options, on threads.
    pub fn new(task: Task) -> Work {
        let (fork, limits) = (Fork::default(), Limits::default());
        Work { task, fork, role: None, workers: Workers::Threads, limits }
    }

    /// What workers are told.
    pub(crate) fn order(&self) -> Value {
        let (task, facts, codegen) = match self.task {
            Task::Analyze(facts) => ("analyze", Some((facts | Facts::CODES).to_string()), None),
            Task::Recompile(level, runs) => ("recompile", None, Some((level.name(), runs))),
            Task::Lift => ("lift", None, None),
        };
        json!({
            "task": task,
            "facts": facts,
            "level": codegen.map(|(level, _)| level),
            "runs": codegen.map(|(_, runs)| runs),
            "fork": self.fork.name(),
            "role": self.role.map(Role::name),
            "memory": self.limits.memory,
            "time": self.limits.time.as_secs_f64(),
        })
    }
}
