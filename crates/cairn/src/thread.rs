//! A thread with a stack for the deepest text that the parsers accept.

use crate::error::Error;
use std::any::Any;
use std::thread::Builder;

/// Bytes of the stack. Only those that are used become memory.
const STACK_BYTES: usize = 256 << 20;

/// Does the work on a thread of its own. An assertion that fails there becomes an error.
pub(crate) fn with_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let builder = Builder::new().name("cairn".into()).stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, work);
        let thread = thread.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
        thread.join().unwrap_or_else(|payload| Err(Error::Internal(message_of(payload.as_ref()))))
    })
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_that_fails_is_an_error() {
        let failed = with_large_stack::<()>(|| panic!("invariant: {}", 7));
        assert_eq!(failed, Err(Error::Internal("invariant: 7".to_owned())));
        let failed = with_large_stack::<()>(|| panic!("invariant"));
        assert_eq!(failed, Err(Error::Internal("invariant".to_owned())));
    }
}
