//! Control flow of a section of code in a container (EIP-4200, EIP-4750, EIP-6206).
//!
//! Jumps have their targets in the code, relative to what follows them: every edge is known, and there are no
//! destinations to look for. A section is a function: `CALLF` comes back to what follows it, `RETF` and `JUMPF`
//! leave. Bytes that are no instruction end a block. Linear.

use cairn_evm::Opcode;
use std::collections::BTreeSet;
use std::ops::Range;

/// A basic block of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EofBlock {
    /// Its bytes, as offsets in the container.
    pub bytes: Range<usize>,
    /// Its instructions, one a line.
    pub lines: Vec<String>,
    /// Where it leads: how, and the offset. An offset outside the section is a fault of the code.
    pub edges: Vec<(&'static str, usize)>,
    /// Numbers of the sections that it calls, or goes on in for good, in order.
    pub calls: Vec<u16>,
}

/// An instruction.
struct Decoded {
    at: usize,
    end: usize,
    byte: u8,
    text: String,
    /// Targets of jumps in the order of the code.
    targets: Vec<usize>,
    /// The section that it calls or goes on in.
    calls: Option<u16>,
}

/// Opcodes that only containers have: byte, name, bytes of immediates. `RJUMPV` has a table.
const OPCODES: [(u8, &str, usize); 20] = [
    (0xd0, "DATALOAD", 0),
    (0xd1, "DATALOADN", 2),
    (0xd2, "DATASIZE", 0),
    (0xd3, "DATACOPY", 0),
    (RJUMP, "RJUMP", 2),
    (RJUMPI, "RJUMPI", 2),
    (RJUMPV, "RJUMPV", 1),
    (CALLF, "CALLF", 2),
    (RETF, "RETF", 0),
    (JUMPF, "JUMPF", 2),
    (0xe6, "DUPN", 1),
    (0xe7, "SWAPN", 1),
    (0xe8, "EXCHANGE", 1),
    (0xec, "EOFCREATE", 1),
    (0xed, "TXCREATE", 0),
    (RETURNCODE, "RETURNCODE", 1),
    (0xf7, "RETURNDATALOAD", 0),
    (0xf8, "EXTCALL", 0),
    (0xf9, "EXTDELEGATECALL", 0),
    (0xfb, "EXTSTATICCALL", 0),
];
const RJUMP: u8 = 0xe0;
const RJUMPI: u8 = 0xe1;
const RJUMPV: u8 = 0xe2;
const CALLF: u8 = 0xe3;
const RETF: u8 = 0xe4;
const JUMPF: u8 = 0xe5;
const RETURNCODE: u8 = 0xee;

/// The blocks of a section, in the order of the code.
pub fn blocks(code: &[u8], section: Range<usize>) -> Vec<EofBlock> {
    let decoded = decode(code, &section);
    let mut leaders: BTreeSet<usize> = BTreeSet::from([section.start]);
    for inst in &decoded {
        leaders.extend(&inst.targets);
        leaders.extend((!inst.targets.is_empty() || ends(inst.byte)).then_some(inst.end));
    }
    let mut blocks: Vec<EofBlock> = Vec::new();
    for inst in decoded {
        if leaders.contains(&inst.at) {
            let (bytes, lines) = (inst.at..inst.end, Vec::new());
            blocks.push(EofBlock { bytes, lines, edges: Vec::new(), calls: Vec::new() });
        }
        let Some(block) = blocks.last_mut() else { continue };
        block.bytes.end = inst.end;
        block.lines.push(format!("{:#06x} {}", inst.at, inst.text));
        block.calls.extend(inst.calls);
        if !inst.targets.is_empty() || leaders.contains(&inst.end) {
            block.edges = edges(&inst, section.end);
        }
    }
    blocks
}

fn edges(inst: &Decoded, section_end: usize) -> Vec<(&'static str, usize)> {
    let kind = match inst.byte {
        RJUMP => "jump",
        RJUMPI => "true",
        RJUMPV => "case",
        _ => "fallthrough",
    };
    let mut edges: Vec<(&'static str, usize)> = inst.targets.iter().map(|target| (kind, *target)).collect();
    let goes_on = match inst.byte {
        RJUMPI => Some("false"),
        RJUMPV => Some("default"),
        byte if byte == RJUMP || ends(byte) => None,
        _ => Some("fallthrough"),
    };
    edges.extend(goes_on.filter(|_| inst.end < section_end).map(|kind| (kind, inst.end)));
    edges
}

/// True for what control does not go on behind.
fn ends(byte: u8) -> bool {
    let halts = [Opcode::STOP.0, Opcode::RETURN.0, Opcode::REVERT.0, Opcode::INVALID.0];
    [RETF, JUMPF, RETURNCODE].contains(&byte) || halts.contains(&byte) || name_of(byte).is_none()
}

fn name_of(byte: u8) -> Option<&'static str> {
    let own = OPCODES.iter().find(|(own, ..)| *own == byte).map(|(_, name, _)| *name);
    own.or_else(|| Opcode(byte).info().map(|info| info.name))
}

fn decode(code: &[u8], section: &Range<usize>) -> Vec<Decoded> {
    let mut decoded = Vec::new();
    let mut at = section.start;
    while at < section.end {
        let byte = code[at];
        let width = immediates(code, at, section.end);
        let end = (at + 1 + width).min(section.end);
        let targets = targets(code, at, end);
        let name = name_of(byte).map_or_else(|| format!("UNDEFINED {byte:#04x}"), str::to_owned);
        let text = match (targets.as_slice(), width) {
            ([], 0) => name,
            ([], _) => format!("{name} 0x{}", cairn_evm::hex::encode(&code[at + 1..end])),
            (targets, _) => {
                let targets: Vec<String> = targets.iter().map(|target| format!("{target:#x}")).collect();
                format!("{name} {}", targets.join(" "))
            }
        };
        let section_number = code[at + 1..end].try_into().ok().map(u16::from_be_bytes);
        let calls = section_number.filter(|_| [CALLF, JUMPF].contains(&byte));
        decoded.push(Decoded { at, end, byte, text, targets, calls });
        at = end;
    }
    decoded
}

/// Bytes behind the opcode at `at` that belong to it.
fn immediates(code: &[u8], at: usize, end: usize) -> usize {
    let byte = code[at];
    match OPCODES.iter().find(|(own, ..)| *own == byte) {
        Some((RJUMPV, ..)) => {
            let last = code[..end].get(at + 1).copied().unwrap_or(0);
            1 + 2 * (usize::from(last) + 1)
        }
        Some((_, _, width)) => *width,
        None => Opcode(byte).push_width().map_or(0, usize::from),
    }
}

/// Targets of a jump, relative to its end.
fn targets(code: &[u8], at: usize, end: usize) -> Vec<usize> {
    let first = match code[at] {
        RJUMP | RJUMPI => at + 1,
        RJUMPV => at + 2,
        _ => return Vec::new(),
    };
    let offsets = code.get(first..end).unwrap_or_default().chunks_exact(2);
    let offsets = offsets.map(|bytes| isize::from(i16::from_be_bytes([bytes[0], bytes[1]])));
    offsets.map(|offset| end.saturating_add_signed(offset)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_jumps_are_edges() {
        // 0: CALLDATASIZE, 1: RJUMPI +3, 4: RJUMPV 1 (+0, -8), 10: STOP; behind it a byte of the next section.
        let code = [0x36, 0xe1, 0, 3, 0xe2, 1, 0, 0, 0xff, 0xf8, 0x00, 0x5f];
        let found = blocks(&code, 0..11);
        let shape: Vec<_> = found.iter().map(|block| (block.bytes.clone(), block.edges.clone())).collect();
        let expected = [
            (0..4, vec![("true", 7), ("false", 4)]),
            (4..10, vec![("case", 10), ("case", 2), ("default", 10)]),
            (10..11, vec![]),
        ];
        assert_eq!(shape, expected, "targets within instructions are faults of the code, and no blocks");
        assert_eq!(found[1].lines, ["0x0004 RJUMPV 0xa 0x2"]);
    }

    #[test]
    fn calls_are_told_apart_from_other_operands() {
        // CALLF 2, DATALOADN 3, JUMPF 1; and a call that is cut off.
        let code = [0xe3, 0, 2, 0xd1, 0, 3, 0xe5, 0, 1, 0xe3, 0];
        assert_eq!(blocks(&code, 0..9)[0].calls, [2, 1]);
        assert_eq!(blocks(&code, 9..11)[0].calls, [0_u16; 0]);
    }

    #[test]
    fn any_bytes_are_accepted() {
        for byte in 0..=255 {
            let code = [byte, 0xe2, 0xff];
            assert!(!blocks(&code, 0..3).is_empty());
            assert!(blocks(&code, 1..1).is_empty());
        }
    }
}
