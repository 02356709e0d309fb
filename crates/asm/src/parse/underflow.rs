//! Warns where the stack surely is too low.
//!
//! Followed is the straight way from the beginning of an object, with an empty stack, to the first
//! label that something may jump to: past that the height depends on who jumps.

use super::{Body, Parser};
use crate::eip8024;
use crate::program::ItemKind;
use cairn_diag::Diagnostic;
use cairn_evm::{Fork, Opcode};

impl Parser<'_> {
    /// One warning at most: after an underflow nothing is executed.
    pub(super) fn warn_of_underflow(&mut self, body: &Body, fork: Fork) {
        let mut height = 0usize;
        for (item, span) in body.program.items.iter().zip(&body.spans) {
            if let ItemKind::Label(label) = item.kind
                && body.used[label.0 as usize].is_some()
            {
                return;
            }
            if matches!(item.kind, ItemKind::Op(opcode) if !opcode.exists_in(fork)) {
                return;
            }
            let (needs, takes, leaves) = effect(item.kind);
            if height < needs {
                let message = format!("stack underflow: this takes {needs} words, {height} are there");
                self.diagnostics.push(Diagnostic::warning(message).at(self.file, *span));
                return;
            }
            height = height - takes + leaves;
            if item.kind.is_terminator() {
                return;
            }
        }
    }
}

/// Words that an item looks at, takes and leaves.
fn effect(kind: ItemKind) -> (usize, usize, usize) {
    match kind {
        ItemKind::Op(opcode) => of_opcode(opcode),
        ItemKind::OpImmediate(opcode, byte) => match (opcode, eip8024::decode_pair(byte)) {
            (Opcode::EXCHANGE, pair) => (pair.map_or(0, |(_, deep)| usize::from(deep) + 1), 0, 0),
            (Opcode::DUPN, _) => (eip8024::decode_single(byte).map_or(0, usize::from), 0, 1),
            _ => (eip8024::decode_single(byte).map_or(0, |depth| usize::from(depth) + 1), 0, 0),
        },
        ItemKind::Label(_) => (0, 0, 0),
        ItemKind::AssignImmutable(_) => (2, 2, 0),
        ItemKind::Verbatim { inputs, outputs, .. } => {
            (usize::from(inputs), usize::from(inputs), usize::from(outputs))
        }
        ItemKind::Push(_)
        | ItemKind::PushSized(..)
        | ItemKind::PushLabel(_)
        | ItemKind::PushTable(_)
        | ItemKind::PushDataOffset(_)
        | ItemKind::PushDataSize(_)
        | ItemKind::PushImmutable(..)
        | ItemKind::PushLibrary(_) => (0, 0, 1),
    }
}

fn of_opcode(opcode: Opcode) -> (usize, usize, usize) {
    let words = opcode.info().map_or((0, 0), |info| (usize::from(info.inputs), usize::from(info.outputs)));
    (words.0, words.0, words.1)
}

#[cfg(test)]
mod tests {
    use crate::parse_for;
    use cairn_diag::FileId;
    use cairn_evm::Fork;

    fn warnings(text: &str) -> Vec<String> {
        let (_, warnings) = parse_for(text, FileId(0), Fork::Amsterdam).expect("it is a program");
        warnings.iter().map(|warning| warning.message.clone()).collect()
    }

    #[test]
    fn what_surely_underflows_is_said_once() {
        assert_eq!(warnings("PUSH 1 ADD ADD"), ["stack underflow: this takes 2 words, 1 are there"]);
        assert_eq!(warnings("PUSH 1 DUPN 17").len(), 1);
        assert_eq!(warnings("PUSH 1 PUSH L JUMPI POP L: STOP").len(), 1);
        assert_eq!(warnings("object \"a\" { STOP object \"b\" { POP } }").len(), 1);
    }

    #[test]
    fn what_others_may_jump_to_is_not_known() {
        assert!(warnings("PUSH 1 PUSH 2 PUSH L JUMP L: ADD").is_empty());
        assert!(warnings("STOP ADD").is_empty());
        assert!(warnings("PUSH 1 PUSH 2 EXCHANGE 1 2 STOP").len() == 1);
        assert!(warnings("here: PUSH 1 PUSH 2 ADD VERBATIM 1 2 hex\"80\" ADD POP STOP").is_empty());
    }
}
