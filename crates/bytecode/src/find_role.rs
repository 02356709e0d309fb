//! Runtime code or creation code: whether bytes may follow what is known.
//!
//! Runtime code is all there is: past its end the EVM reads zeros. Behind creation code stand the
//! arguments of the constructor, as many bytes as whoever deploys it likes. The bytes alone do not
//! say which they are; how they read themselves does. Contract of [`find_role`]: what it calls
//! [`Role::Runtime`] reads itself at places that are inside, whichever of a table's entries that is, or at `CODESIZE`, from where
//! all is zero; so nothing that it does depends on bytes that might follow, unless control runs
//! into them.

use crate::absint::Subject;
use crate::absint::engine::STACK_LIMIT;
use crate::blocks::Block;
use crate::decode::{Instruction, instructions};
use crate::optable::OpKind;
use crate::role::Role;
use crate::traits::Traits;
use cairn_evm::Opcode;
use smallvec::SmallVec;

/// What the code does, from the blocks that control reaches.
#[derive(Clone, Debug, Default)]
struct Signs {
    /// It returns a known piece of itself that looks like code, or looks behind its own end.
    creates: bool,
    /// It looks at words of the calldata, which creation code has not.
    has_calldata: bool,
    /// It asks for its size or reads itself in ways that are not understood.
    is_unclear: bool,
    /// What it subtracts from its size.
    subtracted: Vec<u32>,
}

/// A word on the stack of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Const(u32),
    CodeSize,
    /// Anything; words of one number are equal.
    Other(u32),
}

/// The role that the code seems to have; `is_inside` tells of a `CODECOPY` whether it is known to read nothing but the code.
/// It is asked where that does not stand beside the instruction, which is seldom.
pub(crate) fn find_role(subject: &Subject<'_>, reached: &[bool], is_inside: IsInside<'_>) -> Role {
    match read_signs(subject, reached, is_inside) {
        Signs { creates: true, has_calldata: false, .. } => Role::Creation,
        Signs { creates: false, is_unclear: false, .. } => Role::Runtime,
        _ => Role::Either,
    }
}

/// Of the offset of a `CODECOPY`.
type IsInside<'c> = &'c dyn Fn(u32) -> bool;

/// What the code subtracts from its size, in order: how long it is without what follows it.
pub(crate) fn lengths_without_arguments(subject: &Subject<'_>, reached: &[bool]) -> Vec<u32> {
    read_signs(subject, reached, &|_| false).subtracted
}

fn read_signs(subject: &Subject<'_>, reached: &[bool], is_inside: IsInside<'_>) -> Signs {
    let mut signs = Signs::default();
    for (block, _) in subject.blocks.list().iter().zip(reached).filter(|(_, reached)| **reached) {
        signs.has_calldata |= block.traits.contains(Traits::LOADS_CALLDATA);
        // Only blocks that ask for their own code can be more than loads of calldata.
        if block.traits.contains(Traits::LOOKS_AT_CODE) {
            BlockReader::new(block, is_inside).read(subject, block, &mut signs);
        }
    }
    signs
}

/// A piece of the code: the place in memory that it was copied to, where it begins, and its length.
struct Piece {
    to: Known,
    from: Known,
    bytes: Known,
}

struct BlockReader<'c> {
    stack: Vec<Known>,
    others: u32,
    /// Pieces of the code that were copied.
    copies: Vec<Piece>,
    is_inside: IsInside<'c>,
}

impl<'c> BlockReader<'c> {
    fn new(block: &Block, is_inside: IsInside<'c>) -> BlockReader<'c> {
        let stack = (0..block.needs).map(Known::Other).collect();
        BlockReader { stack, others: block.needs, copies: Vec::new(), is_inside }
    }

    fn read(&mut self, subject: &Subject<'_>, block: &Block, signs: &mut Signs) {
        for inst in instructions(subject.code, block.start, block.end) {
            let facts = subject.table[usize::from(inst.opcode.0)];
            let height = self.stack.len();
            match facts.kind {
                OpKind::Push => {
                    let small = subject.pushed_word(&inst).and_then(|word| u32::try_from(word).ok());
                    let value = small.map_or_else(|| self.other(), Known::Const);
                    self.stack.push(value);
                }
                OpKind::Dup => self.stack.push(self.stack[height - usize::from(facts.inputs)]),
                OpKind::Swap => self.stack.swap(height - 1, height - usize::from(facts.inputs)),
                OpKind::CodeSize => self.stack.push(Known::CodeSize),
                _ => {
                    let args = self.stack.drain(height - usize::from(facts.inputs)..);
                    let args: SmallVec<[Known; 8]> = args.rev().collect();
                    self.look_at(&inst, &args, subject, signs);
                    for _ in 0..facts.outputs {
                        let value = self.other();
                        self.stack.push(value);
                    }
                }
            }
        }
        signs.is_unclear |= self.stack.contains(&Known::CodeSize);
    }

    fn other(&mut self) -> Known {
        self.others += 1;
        Known::Other(self.others)
    }

    fn look_at(&mut self, inst: &Instruction<'_>, args: &[Known], subject: &Subject<'_>, signs: &mut Signs) {
        let length = subject.code.len();
        let is_own_length = |arg: &Known| matches!(arg, Known::Const(word) if *word as usize == length);
        match (inst.opcode, args) {
            (Opcode::POP, _) => {}
            (Opcode::CODECOPY, [to, from, bytes]) => {
                match (from, bytes) {
                    (_, Known::Const(0)) | (Known::CodeSize, _) => {}
                    (Known::Const(from), _) if *from as usize >= length => signs.creates = true,
                    (_, Known::Const(_)) if matches!(from, Known::Const(_)) || (self.is_inside)(inst.pc) => {
                        self.copies.push(Piece { to: *to, from: *from, bytes: *bytes })
                    }
                    _ => signs.is_unclear = true,
                }
                signs.is_unclear |= *to == Known::CodeSize || *bytes == Known::CodeSize;
            }
            (Opcode::RETURN, [from, bytes]) => {
                for piece in self.copies.iter().filter(|piece| (piece.to, piece.bytes) == (*from, *bytes)) {
                    // A text or a table may be all that a view gives back.
                    let is_deployed = looks_like_code(subject, piece);
                    signs.creates |= is_deployed;
                    signs.is_unclear |= !is_deployed;
                }
                signs.is_unclear |= args.contains(&Known::CodeSize);
            }
            (Opcode::SUB | Opcode::LT | Opcode::GT | Opcode::EQ, _) if args.contains(&Known::CodeSize) => {
                signs.creates |= args.iter().any(is_own_length);
                signs.is_unclear = true;
                if let (Opcode::SUB, [Known::CodeSize, Known::Const(length)]) = (inst.opcode, args) {
                    signs.subtracted.push(*length);
                }
            }
            _ => signs.is_unclear |= args.contains(&Known::CodeSize),
        }
    }
}

/// True if a piece of the code is no text and, read from its start, gives something back, or stores something and
/// stops, before a byte that is no instruction, and has the operands of each instruction.
fn looks_like_code(subject: &Subject<'_>, piece: &Piece) -> bool {
    let (Known::Const(from), Known::Const(bytes)) = (piece.from, piece.bytes) else { return false };
    let end = from.saturating_add(bytes);
    if subject.code.get(from as usize..end as usize).is_some_and(is_text) {
        return false;
    }
    let (mut height, mut stores) = (0, false);
    for inst in instructions(subject.code, from, end) {
        let facts = subject.table[usize::from(inst.opcode.0)];
        if facts.kind == OpKind::JumpDest {
            // What others that jump here have on the stack is not known.
            height = STACK_LIMIT;
        }
        if facts.kind == OpKind::Undefined || height < u32::from(facts.inputs) {
            return false;
        }
        match inst.opcode {
            Opcode::RETURN | Opcode::REVERT | Opcode::SELFDESTRUCT => return true,
            Opcode::STOP if stores => return true,
            Opcode::SSTORE | Opcode::TSTORE => stores = true,
            _ => {}
        }
        height = height - u32::from(facts.inputs) + u32::from(facts.outputs);
    }
    false
}

/// True for printed characters, with zeros behind them.
fn is_text(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).map(|text| text.trim_end_matches('\0'));
    text.is_ok_and(|text| text.chars().all(|char| !char.is_control() || char.is_whitespace()))
}
