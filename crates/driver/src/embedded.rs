//! Codes within creation code: what it deploys.
//!
//! Contract: pieces lie within the code, what is proven to be deployed first, then what has the length of
//! something that is returned. There are none where the code is not creation code.

use cairn_bytecode::{Analysis, Given, Role};
use cairn_lift::{Deployed, Lifted};
use std::ops::Range;

/// A code within a code.
#[derive(Clone, Debug)]
pub(crate) struct Embedded {
    /// Where in the creation code.
    pub(crate) range: Range<usize>,
    /// Offsets in it of pushes whose words are filled in when it is deployed, sorted.
    placeholders: Vec<u32>,
}

impl Embedded {
    /// What is known of it before it is analysed.
    pub(crate) fn given(self, outer: &Analysis<'_>) -> Given {
        Given { fork: outer.fork, role: Some(Role::Runtime), placeholders: self.placeholders }
    }
}

/// What a program deploys that was lifted from an analysis.
pub(crate) fn embedded(analysis: &Analysis<'_>, lifted: &Lifted) -> Vec<Embedded> {
    let is_proven = |range: &Range<usize>| lifted.deployed.iter().any(|known| known.start == range.start);
    let of = |known: &Deployed| Embedded {
        range: known.start..known.start + known.length,
        placeholders: known.placeholders.clone(),
    };
    let others = lifted.returned.iter().filter(|range| !is_proven(range));
    let others = others.map(|range| Embedded { range: range.clone(), placeholders: Vec::new() });
    let mut list: Vec<Embedded> = lifted.deployed.iter().map(of).chain(others).collect();
    list.iter_mut().for_each(|one| one.range.end = one.range.end.min(analysis.code.len()));
    list
}
