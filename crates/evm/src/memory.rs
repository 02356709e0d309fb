//! Which memory opcodes read and write.

use crate::opcode::Opcode;

/// How long a memory region of an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLength {
    /// A fixed number of bytes.
    Fixed(u32),
    /// The operand with this index.
    Operand(u8),
}

/// A region of memory that an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Index of the operand that holds the start.
    pub start: u8,
    /// Length of the region.
    pub length: MemoryLength,
}

const fn fixed(start: u8, bytes: u32) -> MemoryRegion {
    MemoryRegion { start, length: MemoryLength::Fixed(bytes) }
}

const fn sized(start: u8, length: u8) -> MemoryRegion {
    MemoryRegion { start, length: MemoryLength::Operand(length) }
}

/// The memory region that `op` reads, if any.
#[inline]
pub fn memory_read(op: Opcode) -> Option<MemoryRegion> {
    Some(match op {
        Opcode::MLOAD => fixed(0, 32),
        Opcode::KECCAK256 | Opcode::RETURN | Opcode::REVERT => sized(0, 1),
        Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4 => sized(0, 1),
        Opcode::CREATE | Opcode::CREATE2 => sized(1, 2),
        Opcode::CALL | Opcode::CALLCODE => sized(3, 4),
        Opcode::DELEGATECALL | Opcode::STATICCALL => sized(2, 3),
        Opcode::MCOPY => sized(1, 2),
        _ => return None,
    })
}

/// The memory region that `op` writes, if any. A call may write less than its region.
#[inline]
pub fn memory_write(op: Opcode) -> Option<MemoryRegion> {
    Some(match op {
        Opcode::MSTORE => fixed(0, 32),
        Opcode::MSTORE8 => fixed(0, 1),
        Opcode::CALLDATACOPY | Opcode::CODECOPY | Opcode::RETURNDATACOPY | Opcode::MCOPY => sized(0, 2),
        Opcode::EXTCODECOPY => sized(1, 3),
        Opcode::CALL | Opcode::CALLCODE => sized(5, 6),
        Opcode::DELEGATECALL | Opcode::STATICCALL => sized(4, 5),
        _ => return None,
    })
}
