//! `near-tables`: entries of tables are positions that their two bytes hold.
//!
//! Effect: in code that may be larger than 64 KiB each entry of a table leads to a jump behind the first
//! segment, from where it goes on: `JUMPDEST PUSH label JUMP`. Smaller code stays as it is; code that sets
//! immutables may be of any size. Where even the first segment is that large, assembling fails. A table that no item
//! uses any more stays as it is: code that its entries name may be gone.
//! Needs: to come last, for sizes are taken as they are. Cost: linear.

use super::cost::item_cost;
use super::flow::segments;
use super::pass::{Level, Pass, PassContext};
use crate::program::{ENTRY_BYTES, Item, ItemKind, Label, Program, TableId};
use cairn_evm::Opcode;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Positions below are held by an entry.
const NEAR: u64 = 1 << (8 * ENTRY_BYTES);

/// Positions may need so many bytes where [`item_cost`] counts two.
const FAR_PUSH: u64 = 4;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "near-tables",
    summary: "entries of tables are positions that their two bytes hold",
    level: Level::None,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    if program.tables.is_empty() || greatest_size(program, cx) < NEAR {
        return 0;
    }
    let mut near: FxHashMap<Label, Label> = FxHashMap::default();
    let mut jumps = Vec::new();
    for table in used_tables(program) {
        for entry in 0..program.tables[table].len() {
            let target = program.tables[table][entry];
            let label = *near.entry(target).or_insert_with(|| {
                let label = program.new_label();
                let jump = [ItemKind::Label(label), ItemKind::PushLabel(target), ItemKind::Op(Opcode::JUMP)];
                jumps.extend(jump.map(Item::from));
                label
            });
            program.tables[table][entry] = label;
        }
    }
    let first = segments(&program.items).first().map_or(0, |first| first.end);
    program.items.splice(first..first, jumps);
    near.len()
}

/// Tables that items push, each once.
fn used_tables(program: &Program) -> BTreeSet<usize> {
    let table = |item: &Item| match item.kind {
        ItemKind::PushTable(TableId(table)) => Some(table as usize),
        _ => None,
    };
    program.items.iter().filter_map(table).filter(|table| *table < program.tables.len()).collect()
}

fn greatest_size(program: &Program, cx: &PassContext) -> u64 {
    let size = |item: &Item| match item.kind {
        ItemKind::PushLabel(_) | ItemKind::PushDataOffset(_) | ItemKind::PushDataSize(_) => 1 + FAR_PUSH,
        ItemKind::Verbatim { blob, .. } => {
            program.blobs.get(blob as usize).map_or(0, |bytes| bytes.len() as u64)
        }
        // It becomes a store for each place, and how many there are is not known here.
        ItemKind::AssignImmutable(_) => NEAR,
        kind => item_cost(kind, cx.fork).bytes,
    };
    program.items.iter().map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::program;
    use crate::passes::pass::PassContext;
    use crate::program::{ItemKind, Label, Program};
    use cairn_evm::{CostModel, Fork, Opcode};

    fn with_table(n_fillers: usize) -> (Program, usize) {
        let mut program = program("CALLER JUMP L0: STOP L1: STOP");
        let table = program.add_table(vec![Label(0), Label(1), Label(0)]);
        program.items.insert(1, ItemKind::PushTable(table).into());
        let filler = [ItemKind::Op(Opcode::STOP).into()];
        program.items.extend(filler.iter().cycle().take(n_fillers));
        let cx = PassContext::new(Fork::Osaka, CostModel::deployed(200));
        let changes = run(&mut program, &cx);
        (program, changes)
    }

    #[test]
    fn entries_lead_to_jumps_in_large_code() {
        let (program, changes) = with_table(1 << 16);
        assert_eq!((changes, &program.tables[0]), (2, &vec![Label(2), Label(3), Label(2)]));
        let jumps = [
            ItemKind::Label(Label(2)),
            ItemKind::PushLabel(Label(0)),
            ItemKind::Op(Opcode::JUMP),
            ItemKind::Label(Label(3)),
            ItemKind::PushLabel(Label(1)),
            ItemKind::Op(Opcode::JUMP),
        ];
        assert!(program.items[3..9].iter().map(|item| item.kind).eq(jumps));
    }

    #[test]
    fn small_code_stays() {
        let (program, changes) = with_table(1000);
        assert_eq!((changes, program.tables[0][0]), (0, Label(0)));
    }

    #[test]
    fn a_table_that_is_not_used_leads_nowhere() {
        let mut program = program("CALLER STOP");
        let gone = program.new_label();
        program.add_table(vec![gone]);
        let filler = [ItemKind::Op(Opcode::STOP).into()];
        program.items.extend(filler.iter().cycle().take(1 << 16));
        let before = program.clone();
        let cx = PassContext::new(Fork::Osaka, CostModel::deployed(200));
        assert_eq!((run(&mut program, &cx), program), (0, before));
    }
}
