//! Bytes to items.
//!
//! Linear sweep: every byte belongs to one item, and assembling the program gives the same bytes
//! for any input. Pushes keep their widths; `JUMPDEST`s become labels; undefined bytes stay
//! opcodes; a push that the end cuts short becomes verbatim bytes. A metadata trailer as solc
//! appends it becomes the data segment `.metadata` when control can't run into it.

use crate::assemble::METADATA;
use crate::eip8024;
use crate::link::LinkReference;
use crate::program::{ItemKind, Label, Program};
use cairn_evm::{Fork, Opcode, Word};

/// The program that assembles to `code`. The fork decides which opcodes have immediate bytes.
///
/// ```
/// use cairn_asm::{ItemKind, disassemble};
/// use cairn_evm::{Fork, Word};
/// let program = disassemble(&[0x61, 0x00, 0x01, 0x5b], Fork::Osaka);
/// assert_eq!(program.items[0].kind, ItemKind::PushSized(Word::from(1), 2));
/// assert_eq!(program.num_labels, 1);
/// ```
pub fn disassemble(code: &[u8], fork: Fork) -> Program {
    disassemble_unlinked(code, &[], fork)
}

/// The same for code with references to libraries, in order: what a `PUSH20` pushes where a
/// reference stands is the address of that library.
pub(crate) fn disassemble_unlinked(code: &[u8], links: &[LinkReference], fork: Fork) -> Program {
    if let Some(start) = metadata_start(code) {
        let mut program = sweep(&code[..start], links, fork);
        if program.items.last().is_some_and(|item| item.kind.is_terminator()) {
            program.data.push((METADATA.to_owned(), code[start..].to_vec()));
            return program;
        }
    }
    sweep(code, links, fork)
}

/// Where the metadata trailer begins: a CBOR map with string keys, followed by its length in two
/// bytes, at the end of the code.
pub(crate) fn metadata_start(code: &[u8]) -> Option<usize> {
    let (rest, length) = code.split_last_chunk::<2>()?;
    let start = rest.len().checked_sub(usize::from(u16::from_be_bytes(*length)))?;
    let [map, key, ..] = rest[start..] else { return None };
    // Major type 5 (map) of 1 to 7 entries; major type 3 (text) of 4 to 23 bytes.
    ((0xa1..=0xa7).contains(&map) && (0x64..=0x77).contains(&key)).then_some(start)
}

fn sweep(code: &[u8], links: &[LinkReference], fork: Fork) -> Program {
    let mut program = Program::default();
    let mut position = 0;
    while position < code.len() {
        let (mut kind, length) = decode(&mut program, &code[position..], fork);
        let link = links.binary_search_by_key(&(position + 1), |link| link.offset);
        if let (ItemKind::PushSized(_, 20), Ok(index)) = (kind, link) {
            kind = ItemKind::PushLibrary(program.name_id(&links[index].library));
        }
        program.push_item(kind);
        position += length;
    }
    program
}

/// The item at the beginning of `code`, which is not empty, and its length.
fn decode(program: &mut Program, code: &[u8], fork: Fork) -> (ItemKind, usize) {
    let opcode = Opcode(code[0]);
    if opcode == Opcode::JUMPDEST {
        let label = Label(program.num_labels);
        program.num_labels += 1;
        return (ItemKind::Label(label), 1);
    }
    if let Some(width) = opcode.push_width() {
        let length = 1 + usize::from(width);
        if let Some(immediate) = code.get(1..length) {
            return (ItemKind::PushSized(Word::from_be_slice(immediate), width), length);
        }
        program.blobs.push(code.to_vec());
        let blob = program.blobs.len() as u32 - 1;
        return (ItemKind::Verbatim { blob, inputs: 0, outputs: 1 }, code.len());
    }
    match (opcode, code.get(1)) {
        (Opcode::DUPN | Opcode::SWAPN, Some(byte))
            if opcode.exists_in(fork) && eip8024::decode_single(*byte).is_some() =>
        {
            (ItemKind::OpImmediate(opcode, *byte), 2)
        }
        (Opcode::EXCHANGE, Some(byte)) if opcode.exists_in(fork) && eip8024::decode_pair(*byte).is_some() => {
            (ItemKind::OpImmediate(opcode, *byte), 2)
        }
        _ => (ItemKind::Op(opcode), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::print;

    #[test]
    fn pushes_keep_their_width_and_undefined_bytes_stay() {
        let program = disassemble(&[0x5f, 0x62, 0, 0, 1, 0x0c, 0xe6, 0x80, 0x61, 0xff], Fork::Osaka);
        let text = "  PUSH0\n  PUSH3 0x000001\n  OP 0x0c\n  OP 0xe6\n  DUP1\n  VERBATIM 0 1 hex\"61ff\"\n";
        assert_eq!(print(&program), text);
    }

    #[test]
    fn amsterdam_has_immediates() {
        let program = disassemble(&[0xe6, 0x80, 0xe8, 0x8e, 0xe7, 0x5b, 0xe7], Fork::Amsterdam);
        assert_eq!(print(&program), "  DUPN 17\n  EXCHANGE 1 2\n  OP 0xe7\nL0:\n  OP 0xe7\n");
    }

    #[test]
    fn metadata_is_data_behind_a_terminator_only() {
        let trailer = [0xa1, 0x64, b's', b'o', b'l', b'c', 0x43, 0, 8, 26, 0, 10];
        let with = |code: &[u8]| disassemble(&[code, &trailer].concat(), Fork::Osaka);
        assert_eq!(with(&[0xfe]).data, [(METADATA.to_owned(), trailer.to_vec())]);
        assert_eq!(with(&[0x33]).data, []);
        assert_eq!(with(&[0xfe, 0x60]).data, []);
        assert_eq!(metadata_start(&[0xa1, 0x64, 0xff, 0xff]), None);
    }
}
