//! How far a compilation is, for those who show it.

use std::fmt;
use std::sync::Arc;

/// How far a compilation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The front end works; it does not say how far it is.
    FrontEnd,
    /// Code is made.
    Objects {
        /// Objects that have theirs.
        done: usize,
        /// All distinct objects.
        all: usize,
    },
}

/// Who is told how far a compilation is: by default nobody.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Step) + Send + Sync>>);

impl Progress {
    /// Calls this for each step, from any thread.
    pub fn to(told: impl Fn(Step) + Send + Sync + 'static) -> Progress {
        Progress(Some(Arc::new(told)))
    }

    pub(crate) fn tell(&self, step: Step) {
        if let Some(told) = &self.0 {
            told(step);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(told)" } else { "Progress(nobody)" })
    }
}
