//! The one inspector that revm sees, whatever is recorded: revm is compiled once for each kind.

use crate::environment::{CreatedAt, StateAccess};
use crate::record::{Record, Recorder, StaticFrame};
use crate::watch::Watcher;
use revm::Inspector;
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, Interpreter, InterpreterTypes,
};

/// What looks on while a transaction runs.
pub(crate) enum Observer {
    Static(StaticFrame),
    Recorder(Recorder),
    Watcher(Watcher),
}

impl Observer {
    /// The observer for what is asked for, if one is needed.
    pub(crate) fn new(record: Record, access: StateAccess, created_at: CreatedAt) -> Option<Self> {
        match (record, created_at) {
            (Record::Watch, _) | (Record::Nothing, CreatedAt::Salt) => {
                Some(Observer::Watcher(Watcher::new(created_at, access)))
            }
            (Record::Nothing, CreatedAt::Code) => match access {
                StateAccess::ReadOnly => Some(Observer::Static(StaticFrame)),
                StateAccess::Full => None,
            },
            (Record::Gas, _) => Some(Observer::Recorder(Recorder::new(0, access))),
            (Record::Steps(max), _) => Some(Observer::Recorder(Recorder::new(max, access))),
        }
    }
}

impl<CTX, INTR: InterpreterTypes> Inspector<CTX, INTR> for Observer {
    fn step(&mut self, interp: &mut Interpreter<INTR>, context: &mut CTX) {
        match self {
            Observer::Static(_) => {}
            Observer::Recorder(recorder) => recorder.step(interp, context),
            Observer::Watcher(watcher) => watcher.step(interp, context),
        }
    }

    fn call(&mut self, context: &mut CTX, inputs: &mut CallInputs) -> Option<CallOutcome> {
        match self {
            Observer::Static(inner) => Inspector::<CTX, INTR>::call(inner, context, inputs),
            Observer::Recorder(inner) => Inspector::<CTX, INTR>::call(inner, context, inputs),
            Observer::Watcher(inner) => Inspector::<CTX, INTR>::call(inner, context, inputs),
        }
    }

    fn call_end(&mut self, context: &mut CTX, inputs: &CallInputs, outcome: &mut CallOutcome) {
        match self {
            Observer::Static(_) => {}
            Observer::Recorder(inner) => Inspector::<CTX, INTR>::call_end(inner, context, inputs, outcome),
            Observer::Watcher(inner) => Inspector::<CTX, INTR>::call_end(inner, context, inputs, outcome),
        }
    }

    fn create(&mut self, context: &mut CTX, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        match self {
            Observer::Static(_) => None,
            Observer::Recorder(inner) => Inspector::<CTX, INTR>::create(inner, context, inputs),
            Observer::Watcher(inner) => Inspector::<CTX, INTR>::create(inner, context, inputs),
        }
    }

    fn create_end(&mut self, context: &mut CTX, inputs: &CreateInputs, outcome: &mut CreateOutcome) {
        match self {
            Observer::Static(_) => {}
            Observer::Recorder(inner) => Inspector::<CTX, INTR>::create_end(inner, context, inputs, outcome),
            Observer::Watcher(inner) => Inspector::<CTX, INTR>::create_end(inner, context, inputs, outcome),
        }
    }
}
