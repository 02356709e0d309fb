//! What debuggers and stack traces need of jumps and reverts: which are frames of the source, and
//! where those are that belong to nothing in it.

use super::Emitter;
use crate::options::{Role, SourceFrames};
use cairn_asm::{JumpKind, SourceLoc};
use cairn_ir::Func;

impl Emitter<'_> {
    /// A revert that several places share may have nothing but the whole contract for a place. Tools
    /// then look no further for the reason, but do where it has none.
    pub(super) fn forget_whole(&mut self) {
        if self.loc.is_some() && self.loc == self.whole {
            self.loc = Some(self.nowhere());
        }
    }

    /// The location that is none.
    pub(super) fn nowhere(&mut self) -> u32 {
        *self.nowhere.get_or_insert_with(|| {
            self.program.locs.push(SourceLoc { source: -1, start: -1, end: -1 });
            self.program.locs.len() as u32 - 1
        })
    }

    pub(super) fn role(&self, id: Func) -> Role {
        self.source_frames.role(&self.module.funcs[id].name)
    }

    pub(super) fn is_frame(&self, id: Func) -> bool {
        match self.role(id) {
            Role::Frame => true,
            Role::Part | Role::Helper => false,
        }
    }

    /// True for a function of the source whose first instruction is at the function, not at what is
    /// done first: tools find its name and parameters there.
    pub(super) fn begins_at_itself(&self, id: Func) -> bool {
        self.source_frames == SourceFrames::Solidity && self.is_frame(id)
    }

    pub(super) fn jump_into(&self, callee: Func) -> JumpKind {
        if self.is_frame(callee) { JumpKind::Into } else { JumpKind::Plain }
    }

    /// The location of the jump into a function of the source: the function itself, where the call
    /// belongs to no part of the source.
    ///
    /// By that, tools know a call from outside, which is no frame of its own. A helper calls where a pointer says,
    /// from within the source: its jump is at the function as well, but for the last byte of it.
    pub(super) fn loc_of_call(&mut self, callee: Func) -> Option<u32> {
        let is_placed = self.loc.is_some() && self.loc != self.whole && self.loc != self.nowhere;
        if is_placed || self.source_frames == SourceFrames::All || !self.is_frame(callee) {
            return self.loc;
        }
        let around = self.code[callee].as_ref().and_then(|callee| self.loc_around(callee));
        match around {
            Some(around) if self.is_helper => Some(self.but_for_its_end(around)),
            around => around.or(self.loc),
        }
    }

    /// The location without its last byte, if it has one.
    fn but_for_its_end(&mut self, loc: u32) -> u32 {
        let whole = self.program.locs[loc as usize];
        self.program.locs.push(SourceLoc { end: whole.end.max(whole.start + 1) - 1, ..whole });
        self.program.locs.len() as u32 - 1
    }

    /// The jump that leaves a function for good: the callee returns to its caller, so that as many
    /// frames are left as were entered.
    pub(super) fn tail_jump(&self, id: Func, callee: Func) -> JumpKind {
        match (self.is_frame(id), self.is_frame(callee)) {
            (false, true) => JumpKind::Into,
            (true, false) => JumpKind::OutOf,
            (true, true) | (false, false) => JumpKind::Plain,
        }
    }
}
