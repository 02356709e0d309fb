//! How far a job is, and who hears of it.

use crate::error::DatasetError;
use std::ops::ControlFlow;

/// What a job does first and second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reads rows and finds distinct codes.
    Reading,
    /// Works on distinct codes.
    Working,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it does.
    pub phase: Phase,
    /// Rows, or distinct codes, that are done, those of earlier runs included.
    pub done: u64,
    /// All of them.
    pub total: u64,
}

/// Who is told about progress.
pub(crate) struct Watch<'w> {
    tell: &'w (dyn Fn(Progress) -> ControlFlow<()> + Sync),
}

impl<'w> Watch<'w> {
    pub(crate) fn new(tell: &'w (dyn Fn(Progress) -> ControlFlow<()> + Sync)) -> Watch<'w> {
        Watch { tell }
    }

    /// Tells; an error where the answer is to stop.
    pub(crate) fn report(&self, phase: Phase, done: u64, total: u64) -> Result<(), DatasetError> {
        match (self.tell)(Progress { phase, done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(DatasetError::Stopped),
        }
    }
}
