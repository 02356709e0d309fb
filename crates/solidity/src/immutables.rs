//! Immutables that no code reads.
//!
//! solc's Yul gives every immutable its value; whether the deployed code reads it is known when that code is
//! there. What stored into no place drops its two words then, and the passes on stack code take away
//! what made them.

use cairn_asm::{Assembled, Item, ItemKind, Program};
use cairn_driver::stages::{StackCode, clean_up};
use cairn_driver::{Level, Options, Session};
use cairn_evm::Opcode;
use std::sync::Arc;

/// The program without values for immutables that nothing in what it embeds reads. Unoptimized code stays as it is.
pub(crate) fn without_unread(
    program: Arc<Program>,
    embedded: &[Assembled],
    options: &Options,
) -> Arc<Program> {
    let is_read =
        |name: &str| embedded.iter().any(|sub| sub.immutables.iter().any(|reference| reference.name == name));
    let is_unread = |item: &Item| match item.kind {
        ItemKind::AssignImmutable(name) => !is_read(program.name_text(name)),
        _ => false,
    };
    if options.level == Level::O0 || !program.items.iter().any(is_unread) {
        return program;
    }
    let pop = |item: &Item| Item { kind: ItemKind::Op(Opcode::POP), ..*item };
    let items = program.items.iter().flat_map(|item| {
        let pops = [pop(item), pop(item)];
        let kept = if is_unread(item) { &pops[..] } else { std::slice::from_ref(item) };
        kept.to_vec()
    });
    let dropped = Program { items: items.collect(), ..(*program).clone() };
    Arc::new(clean_up(StackCode::from(dropped), options, &mut Session::default()).program)
}
