//! Faults as the exception `cairn.CairnError`, with their places.

use cairn_diag::render::{Color, render_json, render_text};
use cairn_diag::{Diagnostics, Severity, Sources};
use cairn_driver::{Failure, Session};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::fmt::Display;

/// A fault of an input that has no place.
pub(crate) fn plain(message: &str) -> PyErr {
    new(message, &[])
}

/// A fault of Cairn's own.
pub(crate) fn bug(message: &str) -> PyErr {
    plain(&format!("internal error: {message}"))
}

/// A name or number that is none, as an error.
pub(crate) fn of<E: Display>(error: E) -> PyErr {
    plain(&error.to_string())
}

/// Why a stage of a session gave no result.
pub(crate) fn of_session(session: &Session, failure: &Failure) -> PyErr {
    match failure {
        Failure::Input => of_diagnostics(&session.diagnostics, &session.sources),
        Failure::Bug(message) => bug(message),
    }
}

/// The errors among diagnostics, with all of them as JSON.
pub(crate) fn of_diagnostics(diagnostics: &Diagnostics, sources: &Sources) -> PyErr {
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let texts: Vec<String> = errors.map(|one| render_text(one, sources, Color::Plain)).collect();
    new(texts.join("\n").trim_end(), &json_of(diagnostics, sources))
}

/// Diagnostics as JSON, each a text.
pub(crate) fn json_of(diagnostics: &Diagnostics, sources: &Sources) -> Vec<String> {
    diagnostics.iter().map(|one| render_json(one, sources)).collect()
}

/// The class is defined in Python: extensions for all versions cannot derive from exceptions. A worker has the
/// extension without the package, and says the same with a class of Python's own.
fn new(text: &str, diagnostics: &[String]) -> PyErr {
    Python::attach(|py| {
        let class = py.import("cairn._errors").and_then(|module| module.getattr("CairnError"));
        let value = class.and_then(|class| class.call1((text, diagnostics.to_vec())));
        value.map_or_else(|_| PyRuntimeError::new_err(text.to_owned()), PyErr::from_value)
    })
}
