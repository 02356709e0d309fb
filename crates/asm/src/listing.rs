//! Listings for people: assembly text with positions, and solc's one-line form.

use crate::assemble::{AssembleOptions, Assembled, assemble};
use crate::disasm::disassemble_unlinked;
use crate::link::LinkReference;
use crate::print::{PrintOptions, print_with};
use crate::program::Program;
use cairn_evm::{Fork, Opcode};
use std::fmt::Write;

/// The text of a program with the position of each item as a comment, and the targets of jumps to
/// numbers. It is valid assembly text.
pub fn listing(program: &Program, assembled: &Assembled) -> String {
    print_with(program, PrintOptions { assembled: Some(assembled), ..PrintOptions::default() })
}

/// The listing of bytecode with references to libraries: [`disassemble_unlinked`] and [`listing`].
pub fn disassembly(code: &[u8], links: &[LinkReference], fork: Fork) -> String {
    let program = disassemble_unlinked(code, links, fork);
    let assembled = assemble(&program, AssembleOptions { fork, ..AssembleOptions::default() }).ok();
    print_with(&program, PrintOptions { assembled: assembled.as_ref(), comment: None, fork: Some(fork) })
}

/// The opcodes of code on one line, as `solc --opcodes` writes them: `PUSH1 0x80 PUSH1 0x40 …`.
/// Undefined bytes are numbers; a push that the end cuts short has what is there.
pub fn opcodes(code: &[u8], fork: Fork) -> String {
    let mut text = String::with_capacity(code.len() * 6);
    let mut position = 0;
    while position < code.len() {
        let opcode = Opcode(code[position]);
        let info = opcode.info().filter(|_| opcode.exists_in(fork));
        let immediate = opcode.push_width().or(info.map(|info| info.immediate)).map_or(0, usize::from);
        let end = code.len().min(position + 1 + immediate);
        // Writing to a string can't fail.
        _ = match info {
            Some(_) => write!(text, "{}", opcode.name(fork)),
            None => write!(text, "0x{:X}", opcode.0),
        };
        if immediate > 0 {
            text.push_str(" 0x");
            push_digits(&mut text, &code[position + 1..end]);
        }
        text.push(' ');
        position = end;
    }
    text.pop();
    text
}

/// Upper-case digits without leading zeros; one zero for zero.
fn push_digits(text: &mut String, bytes: &[u8]) {
    let Some(first) = bytes.iter().position(|byte| *byte != 0) else {
        text.push('0');
        return;
    };
    _ = write!(text, "{:X}", bytes[first]);
    for byte in &bytes[first + 1..] {
        _ = write!(text, "{byte:02X}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line() {
        let code = [
            0x60, 0x80, 0x61, 0x00, 0x10, 0x57, 0x63, 0x4e, 0x48, 0x7b, 0x71, 0x0c, 0x60, 0x00, 0x5f, 0x62, 1,
        ];
        let text = "PUSH1 0x80 PUSH2 0x10 JUMPI PUSH4 0x4E487B71 0xC PUSH1 0x0 PUSH0 PUSH3 0x1";
        assert_eq!(opcodes(&code, Fork::Osaka), text);
        assert_eq!(opcodes(&[], Fork::Osaka), "");
        assert_eq!(opcodes(&[0x44], Fork::London), "DIFFICULTY");
    }

    #[test]
    fn positions_and_targets() {
        let code = [0x60, 0x04, 0x56, 0x00, 0x5b, 0x60, 0x04];
        let expected = "
  PUSH1 0x04                        ; 0x0000  -> L0
  JUMP                              ; 0x0002
  STOP                              ; 0x0003
L0:                                 ; 0x0004
  PUSH1 0x04                        ; 0x0005
";
        assert_eq!(disassembly(&code, &[], Fork::Osaka), expected[1..]);
    }
}
