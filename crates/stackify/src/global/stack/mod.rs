//! Stacks of words, and what moves the words in them.

pub(crate) mod shuffle;
pub(crate) mod slot;
pub(crate) mod trail;
