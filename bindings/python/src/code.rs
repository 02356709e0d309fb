//! Arguments that many functions have: a code, a fork, a role.

use crate::error;
use cairn_bytecode::Role;
use cairn_driver::{Input, Language, Session, read_hex};
use cairn_evm::Fork;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

/// A code: `bytes`, `bytearray`, or `str` with hexadecimal digits, with or without `0x`.
pub(crate) struct Code(pub(crate) Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for Code {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Code> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Code(bytes.as_bytes().to_vec()));
        }
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            return Ok(Code(bytes.to_vec()));
        }
        let Ok(text) = object.cast::<PyString>() else {
            let class = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a code is `bytes` or hexadecimal `str`, not `{class}`"
            )));
        };
        let mut session = Session::default();
        let input = hex_input(&text.to_cow()?);
        read_hex(&input, &mut session).map(Code).map_err(|failure| error::of_session(&session, &failure))
    }
}

/// Hexadecimal text as an input of the driver.
pub(crate) fn hex_input(text: &str) -> Input {
    Input { name: "code".to_owned(), text: text.to_owned(), language: Language::Hex }
}

/// The fork of a name; without one, the newest.
pub(crate) fn fork(name: Option<&str>) -> PyResult<Fork> {
    name.map_or(Ok(Fork::default()), |name| name.parse().map_err(error::of))
}

/// The role of a name; without one, what the code does tells.
pub(crate) fn role(name: Option<&str>) -> PyResult<Option<Role>> {
    let Some(name) = name else { return Ok(None) };
    let found = [Role::Runtime, Role::Creation, Role::Either].into_iter().find(|role| role.name() == name);
    let unknown = || error::plain(&format!("unknown role `{name}`; known are runtime creation either"));
    found.map(Some).ok_or_else(unknown)
}
