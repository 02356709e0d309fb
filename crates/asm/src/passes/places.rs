//! Locations of code that several places share.
//!
//! A debugger must not be sent to a wrong line: one copy of equal code keeps a location only if
//! that holds for all the places it stands for. Where they differ it gets the one that is around
//! the other, or else the widest of the source unit, which is the contract's.

use crate::program::{Program, SourceLoc};
use std::collections::BTreeMap;
use std::ops::Range;

/// The widest location of each source unit.
pub(super) struct Places {
    widest: BTreeMap<i32, u32>,
}

impl Places {
    pub(super) fn new(program: &Program) -> Places {
        let mut widest: BTreeMap<i32, u32> = BTreeMap::new();
        for (index, loc) in (0..).zip(&program.locs) {
            let known = widest.entry(loc.source).or_insert(index);
            if width(loc) > width(&program.locs[*known as usize]) {
                *known = index;
            }
        }
        Places { widest }
    }

    /// Lets the items of `kept` stand for those of `gone`, which has as many.
    pub(super) fn join(&self, program: &mut Program, kept: Range<usize>, gone: Range<usize>) {
        for (kept, gone) in kept.zip(gone) {
            program.items[kept].loc = self.common(program, program.items[kept].loc, program.items[gone].loc);
        }
    }

    fn common(&self, program: &Program, one: Option<u32>, other: Option<u32>) -> Option<u32> {
        if one == other {
            return one;
        }
        let (first, second) = (loc(program, one?)?, loc(program, other?)?);
        if first.encloses(&second) {
            return one;
        }
        if second.encloses(&first) {
            return other;
        }
        let around = |index: &&u32| {
            loc(program, **index).is_some_and(|widest| widest.encloses(&first) && widest.encloses(&second))
        };
        self.widest.get(&first.source).filter(around).copied()
    }
}

fn loc(program: &Program, index: u32) -> Option<SourceLoc> {
    program.locs.get(index as usize).copied()
}

fn width(loc: &SourceLoc) -> i32 {
    loc.end.saturating_sub(loc.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Item;
    use cairn_evm::Opcode;

    #[test]
    fn shared_code_has_a_place_that_holds_for_all() {
        let at = |source, start, end| SourceLoc { source, start, end };
        let locs = vec![at(0, 0, 100), at(0, 10, 20), at(0, 12, 15), at(0, 30, 40), at(1, 5, 9)];
        let items = (0..5).map(|loc| Item { loc: Some(loc), ..Opcode::STOP.into() }).collect();
        let mut program = Program { locs, items, ..Program::default() };
        let places = Places::new(&program);
        for (one, other, expected) in
            [(1, 1, Some(1)), (1, 2, Some(1)), (2, 1, Some(1)), (2, 3, Some(0)), (3, 4, None)]
        {
            program.items[0].loc = Some(one);
            program.items[1].loc = Some(other);
            places.join(&mut program, 0..1, 1..2);
            assert_eq!(program.items[0].loc, expected, "{one} and {other}");
        }
    }
}
