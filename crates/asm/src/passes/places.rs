//! Locations of code that several places share: see [`SharedPlaces`].

use crate::program::Program;
use cairn_diag::SharedPlaces;
use std::ops::Range;

/// For the items of a program.
pub(super) struct Places(SharedPlaces<u32>);

impl Places {
    pub(super) fn new(program: &Program) -> Places {
        Places(SharedPlaces::new((0..).zip(program.locs.iter().copied())))
    }

    /// Lets the items of `kept` stand for those of `gone`, which has as many.
    pub(super) fn join(&self, program: &mut Program, kept: Range<usize>, gone: Range<usize>) {
        for (kept, gone) in kept.zip(gone) {
            let (one, other) = (program.items[kept].loc, program.items[gone].loc);
            let at = |index: u32| program.locs.get(index as usize).copied();
            program.items[kept].loc = self.0.common(one, other, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Item;
    use cairn_diag::SourceLoc;
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
