//! Bytes of words.
//!
//! * `PUSH 8·k SHR PUSH 255 AND` → `PUSH 31−k BYTE`, k < 32: flags and small numbers in packed storage.
//! * `PUSH 248 SHR` → `PUSH 0 BYTE`, where the fork has `PUSH0`, which is a byte and a unit of gas cheaper.

use super::facts::constant;
use super::{Rewrite, last, op};
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind};
use cairn_evm::{Opcode, Word};

pub(super) fn apply(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    shifted_byte(items).or_else(|| first_byte(items, cx))
}

fn shifted_byte(items: &[Item]) -> Option<Rewrite> {
    let [amount, ItemKind::Op(Opcode::SHR), mask, ItemKind::Op(Opcode::AND)] = last(items)? else {
        return None;
    };
    let bits = usize::try_from(constant(*amount)?).ok().filter(|bits| *bits < 256 && bits % 8 == 0)?;
    (constant(*mask)? == Word::from(0xff)).then(|| byte(4, 31 - bits / 8))?
}

fn first_byte(items: &[Item], cx: &PassContext) -> Option<Rewrite> {
    let [amount, ItemKind::Op(Opcode::SHR)] = last(items)? else { return None };
    let is_cheaper = Opcode::PUSH0.exists_in(cx.fork) && constant(*amount)? == Word::from(248);
    is_cheaper.then(|| byte(2, 0))?
}

fn byte(remove: usize, index: usize) -> Option<Rewrite> {
    Rewrite::new(remove, [ItemKind::Push(Word::from(index)), op(Opcode::BYTE)])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_kept, expect_rewritten};

    #[test]
    fn bytes_within_a_word() {
        expect_rewritten("160 SHR 255 AND", "11 BYTE");
        expect_rewritten("8 SHR 255 AND", "30 BYTE");
        expect_kept("161 SHR 255 AND");
        expect_kept("160 SHR 254 AND");
        expect_kept("160 SAR 255 AND");
        expect_kept("256 SHR 255 AND");
        expect_kept("160 SHL 255 AND");
    }

    #[test]
    fn the_first_byte_needs_no_mask() {
        expect_rewritten("248 SHR", "0 BYTE");
        expect_rewritten("248 SHR 255 AND", "0 BYTE 255 AND");
        expect_kept("247 SHR");
        expect_kept("248 SAR");
    }
}
