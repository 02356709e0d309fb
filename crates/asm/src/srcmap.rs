//! Source maps as solc writes them.
//!
//! An entry `s:l:f:j:m` for each instruction, in order: first byte and length of the source range,
//! index of the source, kind of jump, depth of modifiers (always 0 here). Entries are separated by
//! `;`, fields equal to those of the entry before are left empty, and empty fields at the end of an
//! entry are left out. Unknown ranges are −1.

use crate::assemble::Assembled;
use crate::program::{Item, JumpKind, Program};
use cairn_diag::SourceLoc;
use cairn_evm::Opcode;

/// The source map of an object's own code.
pub fn source_map(program: &Program, assembled: &Assembled) -> String {
    let mut map = String::new();
    let mut previous: Option<[String; 5]> = None;
    for instruction in instructions(program, assembled) {
        if previous.is_some() {
            map.push(';');
        }
        let entry = fields(instruction.loc, instruction.item.jump);
        map.push_str(&compressed(&entry, previous.as_ref()));
        previous = Some(entry);
    }
    map
}

/// An instruction of assembled code with the item it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    pub(crate) position: usize,
    pub(crate) item: &'a Item,
    pub(crate) loc: Option<SourceLoc>,
}

/// The instructions of an object's own code: an item may be several.
pub(crate) fn instructions<'a>(
    program: &'a Program,
    assembled: &'a Assembled,
) -> impl Iterator<Item = Instruction<'a>> {
    let ranges = assembled.item_offsets.windows(2).map(|pair| pair[0]..pair[1]);
    program.items.iter().zip(ranges).flat_map(move |(item, range)| {
        let loc = item.loc.and_then(|loc| program.locs.get(loc as usize)).copied();
        let mut next = range.start;
        std::iter::from_fn(move || {
            let position = next;
            let opcode = Opcode(*assembled.bytes.get(position).filter(|_| position < range.end)?);
            let has_immediate = matches!(item.kind, crate::ItemKind::OpImmediate(..));
            next += 1 + opcode.push_width().map_or(usize::from(has_immediate), usize::from);
            Some(Instruction { position, item, loc })
        })
    })
}

fn fields(loc: Option<SourceLoc>, jump: JumpKind) -> [String; 5] {
    let loc = loc.unwrap_or(SourceLoc { source: -1, start: -1, end: -1 });
    let length = if loc.start < 0 { -1 } else { loc.end.saturating_sub(loc.start) };
    let jump = match jump {
        JumpKind::Plain => "-",
        JumpKind::Into => "i",
        JumpKind::OutOf => "o",
    };
    [loc.start.to_string(), length.to_string(), loc.source.to_string(), jump.to_owned(), "0".to_owned()]
}

fn compressed(entry: &[String; 5], previous: Option<&[String; 5]>) -> String {
    let Some(previous) = previous else { return entry.join(":") };
    let same = |index: &usize| entry[*index] == previous[*index];
    let used = (0..5).rev().find(|index| !same(index)).map_or(0, |last| last + 1);
    let shown: Vec<&str> =
        (0..used).map(|index| if same(&index) { "" } else { entry[index].as_str() }).collect();
    shown.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::{AssembleOptions, assemble};
    use crate::program::ItemKind;
    use cairn_evm::Word;

    fn map(program: &Program) -> String {
        source_map(program, &assemble(program, AssembleOptions::default()).expect("assembles"))
    }

    fn located(opcode: Opcode, loc: u32) -> Item {
        Item { loc: Some(loc), ..opcode.into() }
    }

    #[test]
    fn equal_fields_are_left_out() {
        let loc = |start, end| SourceLoc { source: 0, start, end };
        let jump = Item { jump: JumpKind::Into, ..located(Opcode::JUMP, 1) };
        let program = Program {
            items: vec![
                located(Opcode::CALLER, 0),
                located(Opcode::POP, 0),
                located(Opcode::CALLER, 1),
                jump,
                Opcode::STOP.into(),
            ],
            locs: vec![loc(10, 30), loc(15, 35)],
            ..Program::default()
        };
        assert_eq!(map(&program), "10:20:0:-:0;;15;:::i;-1:-1:-1:-");
    }

    #[test]
    fn an_entry_for_each_instruction_of_an_item() {
        let mut program = Program { blobs: vec![vec![0x60, 0x01, 0x50]], ..Program::default() };
        program.push_item(ItemKind::Push(Word::from(0x1234)));
        program.push_item(ItemKind::Verbatim { blob: 0, inputs: 0, outputs: 0 });
        assert_eq!(map(&program), "-1:-1:-1:-:0;;");
    }
}
