//! A small machine that runs stack code far enough to compare two programs: the stack is exact,
//! everything else is a list of events.

use cairn_asm::{Item, ItemKind, Program};
use cairn_evm::{Opcode, Word, keccak256, word};

/// What somebody outside can see.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) opcode: Opcode,
    pub(crate) operands: Vec<Word>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// A halt, which is the last event, or a jump to no label.
    Halted,
    /// The code ended; the stack is left.
    FellOff(Vec<Word>),
    /// The budget ran out.
    OutOfSteps,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) events: Vec<Event>,
    pub(crate) end: End,
}

const LABEL_TAG: u64 = 0xdead_0000_0000;

/// Runs the code of `program` with an initial stack (bottom first).
pub(crate) fn run(program: &Program, mut stack: Vec<Word>, max_steps: usize) -> Outcome {
    let mut events = Vec::new();
    let mut index = 0;
    for _ in 0..max_steps {
        let Some(item) = program.items.get(index) else {
            return Outcome { events, end: End::FellOff(stack) };
        };
        index += 1;
        match step(item, &mut stack, &mut events) {
            Control::Next => {}
            Control::Jump(target) => match place(&program.items, target) {
                Some(place) => index = place,
                None => return Outcome { events, end: End::Halted },
            },
            Control::Halt => return Outcome { events, end: End::Halted },
        }
    }
    Outcome { events, end: End::OutOfSteps }
}

enum Control {
    Next,
    Jump(Word),
    Halt,
}

fn place(items: &[Item], target: Word) -> Option<usize> {
    let is_target =
        |item: &Item| matches!(item.kind, ItemKind::Label(label) if label_word(label.0) == target);
    items.iter().position(is_target)
}

fn label_word(label: u32) -> Word {
    Word::from(LABEL_TAG + u64::from(label))
}

fn step(item: &Item, stack: &mut Vec<Word>, events: &mut Vec<Event>) -> Control {
    match item.kind {
        ItemKind::Push(word) | ItemKind::PushSized(word, _) => stack.push(word),
        ItemKind::PushLabel(label) => stack.push(label_word(label.0)),
        ItemKind::Label(_) => {}
        ItemKind::Op(opcode) => return step_opcode(opcode, stack, events),
        kind => panic!("{kind:?} is not generated"),
    }
    Control::Next
}

fn step_opcode(opcode: Opcode, stack: &mut Vec<Word>, events: &mut Vec<Event>) -> Control {
    let top = stack.len().wrapping_sub(1);
    if let Some(depth) = opcode.dup_depth() {
        stack.push(stack[top + 1 - usize::from(depth)]);
        return Control::Next;
    }
    if let Some(depth) = opcode.swap_depth() {
        stack.swap(top, top - usize::from(depth));
        return Control::Next;
    }
    let info = opcode.known();
    let operands: Vec<Word> =
        stack.split_off(stack.len() - usize::from(info.inputs)).into_iter().rev().collect();
    match opcode {
        Opcode::POP => return Control::Next,
        Opcode::JUMP => return Control::Jump(operands[0]),
        Opcode::JUMPI if operands[1].is_zero() => return Control::Next,
        Opcode::JUMPI => return Control::Jump(operands[0]),
        _ => {}
    }
    if info.outputs == 1 {
        stack.push(word::eval(opcode, &operands).unwrap_or_else(|| opaque(opcode, &operands)));
    }
    if !info.effects.is_removable() {
        events.push(Event { opcode, operands });
    }
    if opcode.halts() { Control::Halt } else { Control::Next }
}

/// Some word that depends on the opcode and its operands only.
fn opaque(opcode: Opcode, operands: &[Word]) -> Word {
    let mut bytes = vec![opcode.0];
    operands.iter().for_each(|operand| bytes.extend(operand.to_be_bytes::<32>()));
    Word::from_be_bytes(keccak256(bytes).0)
}
