//! What an opcode reads and writes besides the stack.
//!
//! An [`Effects`] set is conservative: an operation without a bit never touches that part of the
//! state. `gas` and `msize` are observable only through their own opcodes, so no operation carries
//! a bit for merely costing gas or growing memory; [`Effects::READ_GAS`] and
//! [`Effects::READ_MSIZE`] order against everything (see docs/assumptions.md).

bitflags::bitflags! {
    /// A set of reads and writes of machine state.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Effects: u32 {
        /// Reads memory.
        const READ_MEMORY = 1 << 0;
        /// Writes memory.
        const WRITE_MEMORY = 1 << 1;
        /// Reads the storage of the executing account.
        const READ_STORAGE = 1 << 2;
        /// Writes the storage of the executing account.
        const WRITE_STORAGE = 1 << 3;
        /// Reads transient storage.
        const READ_TRANSIENT = 1 << 4;
        /// Writes transient storage.
        const WRITE_TRANSIENT = 1 << 5;
        /// Reads the return data buffer.
        const READ_RETURNDATA = 1 << 6;
        /// Replaces the return data buffer.
        const WRITE_RETURNDATA = 1 << 7;
        /// Emits a log.
        const WRITE_LOG = 1 << 8;
        /// Reads balances or the code of accounts.
        const READ_ACCOUNTS = 1 << 9;
        /// Changes balances, creates or destroys accounts, runs foreign code.
        const WRITE_ACCOUNTS = 1 << 10;
        /// Ends the execution of the current frame.
        const HALT = 1 << 11;
        /// Can end execution exceptionally for a reason other than gas (`returndatacopy`).
        const MAY_FAIL = 1 << 12;
        /// Observes remaining gas.
        const READ_GAS = 1 << 13;
        /// Observes the size of memory.
        const READ_MSIZE = 1 << 14;
        /// Observes where code lies (`pc`, `codesize`, `codecopy`): constant within one program,
        /// but not across programs.
        const READ_LAYOUT = 1 << 15;
        /// Grows memory (any access to memory does).
        const GROW_MEMORY = 1 << 16;
        /// Reads what the frame is told of the block, the transaction, and balances.
        const READ_ENVIRONMENT = 1 << 17;
        /// May change that. On a chain only balances and code can; tools for tests move the block,
        /// the price or the origin by calls of their own (`vm.warp`, `vm.roll`).
        const WRITE_ENVIRONMENT = 1 << 18;
    }
}

impl Effects {
    /// All writes that somebody can observe.
    pub const WRITES: Effects = Effects::WRITE_MEMORY
        .union(Effects::WRITE_STORAGE)
        .union(Effects::WRITE_TRANSIENT)
        .union(Effects::WRITE_RETURNDATA)
        .union(Effects::WRITE_LOG)
        .union(Effects::WRITE_ACCOUNTS)
        .union(Effects::HALT)
        .union(Effects::MAY_FAIL);

    /// The effects of a call that may run arbitrary foreign code.
    pub const CALL: Effects = Effects::READ_MEMORY
        .union(Effects::WRITE_MEMORY)
        .union(Effects::READ_STORAGE)
        .union(Effects::WRITE_STORAGE)
        .union(Effects::READ_TRANSIENT)
        .union(Effects::WRITE_TRANSIENT)
        .union(Effects::WRITE_RETURNDATA)
        .union(Effects::WRITE_LOG)
        .union(Effects::READ_ACCOUNTS)
        .union(Effects::WRITE_ACCOUNTS)
        .union(Effects::WRITE_ENVIRONMENT)
        .union(Effects::GROW_MEMORY);

    /// The effects of `staticcall`.
    pub const STATIC_CALL: Effects = Effects::READ_MEMORY
        .union(Effects::WRITE_MEMORY)
        .union(Effects::READ_STORAGE)
        .union(Effects::READ_TRANSIENT)
        .union(Effects::WRITE_RETURNDATA)
        .union(Effects::READ_ACCOUNTS)
        .union(Effects::WRITE_ENVIRONMENT)
        .union(Effects::GROW_MEMORY);

    /// True when the operation may be removed if its results are unused.
    #[inline]
    pub fn is_removable(self) -> bool {
        !self.intersects(Effects::WRITES)
    }

    /// True when the result depends on the operands and the frame's constants only, so that equal
    /// operands give equal results anywhere in the program.
    #[inline]
    pub fn is_pure(self) -> bool {
        self.difference(Effects::READ_LAYOUT).is_empty()
    }

    /// True when the two operations must keep their order.
    pub fn conflicts_with(self, other: Effects) -> bool {
        self.writes_seen_by(other) || other.writes_seen_by(self)
    }

    fn writes_seen_by(self, other: Effects) -> bool {
        const PAIRS: [(Effects, Effects); 6] = [
            (Effects::WRITE_MEMORY, Effects::READ_MEMORY.union(Effects::WRITE_MEMORY)),
            (Effects::WRITE_STORAGE, Effects::READ_STORAGE.union(Effects::WRITE_STORAGE)),
            (Effects::WRITE_TRANSIENT, Effects::READ_TRANSIENT.union(Effects::WRITE_TRANSIENT)),
            (Effects::WRITE_RETURNDATA, Effects::READ_RETURNDATA.union(Effects::WRITE_RETURNDATA)),
            (Effects::WRITE_ACCOUNTS, Effects::READ_ACCOUNTS.union(Effects::WRITE_ACCOUNTS)),
            (Effects::WRITE_ENVIRONMENT, Effects::READ_ENVIRONMENT.union(Effects::WRITE_ENVIRONMENT)),
        ];
        if PAIRS.iter().any(|(write, seen)| self.intersects(*write) && other.intersects(*seen)) {
            return true;
        }
        let observable = Effects::WRITE_STORAGE
            | Effects::WRITE_TRANSIENT
            | Effects::WRITE_LOG
            | Effects::WRITE_ACCOUNTS
            | Effects::HALT
            | Effects::MAY_FAIL;
        if self.intersects(Effects::HALT | Effects::MAY_FAIL) && other.intersects(observable) {
            return true;
        }
        if self.intersects(Effects::WRITE_LOG)
            && other.intersects(Effects::WRITE_LOG | Effects::WRITE_ACCOUNTS)
        {
            return true;
        }
        let costs = observable | Effects::GROW_MEMORY | Effects::READ_STORAGE | Effects::READ_ACCOUNTS;
        if self.intersects(Effects::READ_GAS) && other.intersects(costs | Effects::READ_GAS) {
            return true;
        }
        self.intersects(Effects::READ_MSIZE) && other.intersects(Effects::GROW_MEMORY)
    }
}
