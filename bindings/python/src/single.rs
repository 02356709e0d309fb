//! One code: its facts as JSON, and pictures.

use crate::code::{Code, fork, role};
use crate::{deep, error, json};
use cairn_bytecode::Given;
use cairn_columns::{BatchBuilder, Facts, Options};
use cairn_driver::{CfgForm, Emit, draw_cfg};
use pyo3::prelude::*;

/// The facts of a code as a JSON object, with the names of the columns of batches.
#[pyfunction]
#[pyo3(signature = (code, facts, evm_version=None, role_name=None))]
pub(crate) fn facts_json(
    py: Python<'_>,
    code: Code,
    facts: &str,
    evm_version: Option<&str>,
    role_name: Option<&str>,
) -> PyResult<String> {
    let facts: Facts = facts.parse().map_err(error::of)?;
    let options = Options { facts, fork: fork(evm_version)?, role: role(role_name)? };
    let batch = deep::run(py, |_| {
        let mut batch = BatchBuilder::new(options);
        batch.push(&code.0);
        batch.finish()?.nested()
    })?;
    Ok(json::row(&batch.map_err(error::of)?, 0).to_string())
}

/// The control flow of a code as `text`, `json`, `dot`, `mermaid`, `svg` or `html`.
#[pyfunction]
#[pyo3(signature = (code, form, evm_version=None, role_name=None))]
pub(crate) fn draw(
    py: Python<'_>,
    code: Code,
    form: &str,
    evm_version: Option<&str>,
    role_name: Option<&str>,
) -> PyResult<String> {
    let form = form_of(form)?;
    let given = Given { fork: fork(evm_version)?, role: role(role_name)?, ..Given::default() };
    deep::run(py, |_| draw_cfg("code", &code.0, given, form))
}

fn form_of(name: &str) -> PyResult<CfgForm> {
    match format!("cfg.{name}").parse() {
        Ok(Emit::Cfg(form)) => Ok(form),
        _ => Err(error::plain(&format!("unknown form `{name}`; known are text json dot mermaid svg html"))),
    }
}
