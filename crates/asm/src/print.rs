//! Assembly text: what [`crate::parse()`] reads.
//!
//! One item a line, labels as `L0:`, strings in quotes, `;` comments. Deterministic; parsing the
//! text gives the program back, numbered as [`crate::normalize()`] numbers it. Comments are never
//! part of the meaning.

use crate::assemble::Assembled;
use crate::eip8024;
use crate::program::{Item, ItemKind, JumpKind, Label, Program, WORD_WIDTH};
use cairn_evm::{Fork, Opcode, Word, hex};
use std::fmt::Write;

/// Mnemonics are those of the newest fork.
pub(crate) const NAMES: Fork = Fork::Amsterdam;

/// Comments stand in this column.
const COMMENT_COLUMN: usize = 36;

/// Adds to the comment of an item, given its program and index.
pub(crate) type CommentHook<'a> = &'a dyn Fn(&Program, usize) -> Option<String>;

/// What the text shows besides the program.
#[derive(Clone, Copy, Default)]
pub struct PrintOptions<'a> {
    /// Positions of items, as comments.
    pub assembled: Option<&'a Assembled>,
    /// More comments.
    pub comment: Option<CommentHook<'a>>,
    /// Opcodes that this fork lacks are written as numbers.
    pub fork: Option<Fork>,
}

/// The text of a program.
///
/// ```
/// use cairn_asm::{ItemKind, Program, print};
/// use cairn_evm::Word;
/// let mut program = Program::new("main");
/// program.push_item(ItemKind::Push(Word::from(128)));
/// assert_eq!(print(&program), "object \"main\" {\n    PUSH 0x80\n}\n");
/// ```
pub fn print(program: &Program) -> String {
    print_with(program, PrintOptions::default())
}

/// The text of a program with comments.
pub(crate) fn print_with(program: &Program, options: PrintOptions<'_>) -> String {
    let mut printer = Printer { text: String::new(), comment: options.comment, fork: options.fork };
    if program.name.is_empty() && !program.items.is_empty() {
        printer.body(program, options.assembled, 0);
    } else {
        printer.object(program, options.assembled, 0);
    }
    printer.text
}

struct Printer<'a> {
    text: String,
    comment: Option<CommentHook<'a>>,
    fork: Option<Fork>,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let indent = 2 * depth;
        // Writing to a string can't fail.
        _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn object(&mut self, program: &Program, assembled: Option<&Assembled>, depth: usize) {
        self.line(depth, &format!("object {} {{", quote(&program.name)));
        self.body(program, assembled, depth + 1);
        self.line(depth, "}");
    }

    fn body(&mut self, program: &Program, assembled: Option<&Assembled>, depth: usize) {
        let mut loc = None;
        for (index, item) in program.items.iter().enumerate() {
            if item.loc != loc {
                loc = item.loc;
                self.line(depth + 1, &loc_text(program, loc));
            }
            let is_label = matches!(item.kind, ItemKind::Label(_));
            let indent = 2 * depth + if is_label { 0 } else { 2 };
            let text = format!("{:indent$}{}", "", item_text(program, item, self.fork));
            match self.comment_of(program, assembled, index) {
                Some(comment) => _ = writeln!(self.text, "{text:COMMENT_COLUMN$}; {comment}"),
                None => _ = writeln!(self.text, "{text}"),
            }
        }
        for (name, bytes) in &program.data {
            self.line(depth, &format!("data {} hex\"{}\"", quote(name), hex::encode(bytes)));
        }
        for (index, sub) in program.subs.iter().enumerate() {
            self.object(sub, assembled.and_then(|assembled| assembled.subs.get(index)), depth);
        }
    }

    fn comment_of(&self, program: &Program, assembled: Option<&Assembled>, index: usize) -> Option<String> {
        let position = assembled.and_then(|assembled| assembled.item_offsets.get(index));
        let jumps = assembled.and_then(|assembled| jump_comment(program, assembled, index));
        let more = self.comment.and_then(|comment| comment(program, index));
        let parts: Vec<String> = [position.map(|position| format!("{position:#06x}")), jumps, more]
            .into_iter()
            .flatten()
            .collect();
        // A comment ends with its line.
        (!parts.is_empty()).then(|| parts.join("  ").replace(['\n', '\r'], " "))
    }
}

/// Where a push of a number goes, when a jump follows it.
fn jump_comment(program: &Program, assembled: &Assembled, index: usize) -> Option<String> {
    let (ItemKind::Push(word) | ItemKind::PushSized(word, _)) = program.items[index].kind else {
        return None;
    };
    let next = program.items.get(index + 1)?.kind;
    if next != ItemKind::Op(Opcode::JUMP) && next != ItemKind::Op(Opcode::JUMPI) {
        return None;
    }
    let position = usize::try_from(word).ok()?;
    let item = assembled.item_offsets.binary_search(&position).ok()?;
    let target = program.items.get(item)?.kind;
    if let ItemKind::Label(Label(label)) = target { Some(format!("-> L{label}")) } else { None }
}

fn loc_text(program: &Program, loc: Option<u32>) -> String {
    match loc.and_then(|loc| program.locs.get(loc as usize)) {
        Some(loc) => format!(".loc {} {} {}", loc.source, loc.start, loc.end),
        None => ".loc none".to_owned(),
    }
}

fn item_text(program: &Program, item: &Item, fork: Option<Fork>) -> String {
    let lacks = |opcode: Opcode| fork.is_some_and(|fork| !opcode.exists_in(fork));
    let text = match item.kind {
        ItemKind::Op(opcode) if lacks(opcode) => number_text(opcode),
        ItemKind::PushSized(_, 0) if lacks(Opcode::PUSH0) => number_text(Opcode::PUSH0),
        kind => kind_text(program, kind),
    };
    match item.jump {
        JumpKind::Plain => text,
        JumpKind::Into => format!("{text} [in]"),
        JumpKind::OutOf => format!("{text} [out]"),
    }
}

fn kind_text(program: &Program, kind: ItemKind) -> String {
    let name = |id| quote(program.name_text(id));
    match kind {
        ItemKind::Op(opcode) => opcode_text(opcode),
        ItemKind::OpImmediate(opcode, byte) => immediate_text(opcode, byte),
        ItemKind::Push(word) => format!("PUSH {word:#x}"),
        ItemKind::PushSized(word, width) => sized_push_text(word, width),
        ItemKind::PushLabel(Label(label)) => format!("PUSH L{label}"),
        ItemKind::PushTable(_) => {
            let labels: Vec<String> =
                program.pushed_labels(&kind).iter().map(|Label(label)| format!("L{label}")).collect();
            format!("PUSH table({})", labels.join(" "))
        }
        ItemKind::Label(Label(label)) => format!("L{label}:"),
        ItemKind::PushDataOffset(id) => format!("PUSH offset({})", name(id)),
        ItemKind::PushDataSize(id) => format!("PUSH size({})", name(id)),
        ItemKind::PushImmutable(id, WORD_WIDTH) => format!("PUSH immutable({})", name(id)),
        ItemKind::PushImmutable(id, width) => format!("PUSH{width} immutable({})", name(id)),
        ItemKind::AssignImmutable(id) => format!("SETIMMUTABLE {}", name(id)),
        ItemKind::PushLibrary(id) => format!("PUSH library({})", name(id)),
        ItemKind::Verbatim { blob, inputs, outputs } => {
            let bytes = program.blobs.get(blob as usize).map(hex::encode).unwrap_or_default();
            format!("VERBATIM {inputs} {outputs} hex\"{bytes}\"")
        }
    }
}

/// Opcodes that would be read with immediate bytes, and undefined ones, are written as numbers.
fn opcode_text(opcode: Opcode) -> String {
    match opcode.info() {
        Some(info) if info.immediate == 0 && opcode != Opcode::PUSH0 => opcode.name(NAMES).to_owned(),
        Some(_) | None => number_text(opcode),
    }
}

fn number_text(opcode: Opcode) -> String {
    format!("OP {:#04x}", opcode.0)
}

fn immediate_text(opcode: Opcode, byte: u8) -> String {
    let name = opcode.name(NAMES);
    let single = eip8024::decode_single(byte).filter(|_| [Opcode::DUPN, Opcode::SWAPN].contains(&opcode));
    let pair = eip8024::decode_pair(byte).filter(|_| opcode == Opcode::EXCHANGE);
    match (single, pair) {
        (Some(n), _) => format!("{name} {n}"),
        (None, Some((n, m))) => format!("{name} {n} {m}"),
        (None, None) => format!("OP {:#04x} {byte:#04x}", opcode.0),
    }
}

fn sized_push_text(word: Word, width: u8) -> String {
    match width {
        0 => "PUSH0".to_owned(),
        _ => format!("PUSH{width} {}", push_digits(word, width)),
    }
}

/// The operand of a push of `width` bytes.
pub(crate) fn push_digits(word: Word, width: u8) -> String {
    format!("0x{word:0>digits$x}", digits = 2 * usize::from(width))
}

/// A string in quotes.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            character if character.is_control() => {
                _ = write!(quoted, "\\u{{{:x}}}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
