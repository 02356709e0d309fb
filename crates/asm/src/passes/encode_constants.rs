//! `encode-constants`: computes constants where that is cheaper than pushing their bytes.
//!
//! Effect: `PUSH32 ff…ff` → `PUSH0 NOT` and the like, see [`cairn_evm::encoding`]. The choice is by gas ·
//! executions against bytes · price of a byte; by bytes alone where execution is bound to fail.
//! Needs: to run last, for folding undoes it.

use super::flow::bound_to_fail;
use super::pass::{Level, Pass, PassContext, PassOptions};
use crate::program::{Item, ItemKind, Program};
use cairn_evm::{Cost, CostModel, Encoding, Step, Word, best_encoding, cost_of_encoding, price_of_constants};

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "encode-constants",
    summary: "computes constants where that is cheaper than pushing their bytes",
    level: Level::Quick,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    let mut changes = 0;
    // Most constants stay single pushes.
    let mut items = Vec::with_capacity(program.items.len() + program.items.len() / 16);
    let fails = bound_to_fail(&program.items, program.num_labels);
    let never = cx.never_run();
    for (item, fails) in program.items.iter().zip(fails) {
        match item.kind {
            ItemKind::Push(word) if word.byte_len() > 2 => {
                let encoding = encoding_of(word, if fails { &never } else { cx });
                changes += usize::from(encoding.len() > 1);
                items.extend(encoding.into_iter().map(|step| Item { kind: kind_of(step), ..*item }));
            }
            _ => items.push(*item),
        }
    }
    program.items = items;
    changes
}

/// What the code costs that a word is pushed by in deployed code.
pub fn word_cost(word: Word, options: &PassOptions) -> Cost {
    best_cost(word, &PassContext::new(options.fork, CostModel::deployed(options.runs)))
}

/// What the cheapest encoding of a word costs.
pub(super) fn best_cost(word: Word, cx: &PassContext) -> Cost {
    cost_of_encoding(&encoding_of(word, cx), cx.fork)
}

/// What constants are priced by.
pub(super) fn price(cx: &PassContext) -> CostModel {
    price_of_constants(cx.cost)
}

fn encoding_of(word: Word, cx: &PassContext) -> Encoding {
    best_encoding(word, cx.fork, price(cx))
}

fn kind_of(step: Step) -> ItemKind {
    match step {
        Step::Push(word) => ItemKind::Push(word),
        Step::Op(opcode) => ItemKind::Op(opcode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::{Fork, Opcode, word};

    fn encode(word: Word, runs: u64, fork: Fork) -> Vec<ItemKind> {
        let cx = PassContext::new(fork, CostModel::deployed(runs));
        let mut program = Program { items: vec![ItemKind::Push(word).into()], ..Program::default() };
        run(&mut program, &cx);
        program.items.iter().map(|item| item.kind).collect()
    }

    #[test]
    fn what_fails_is_short_however_often_the_rest_runs() {
        let push = Item::from(ItemKind::Push(word::low_mask(160)));
        let mut program = Program::new("a");
        program.items.extend([push, Item::from(Opcode::STOP), push, Item::from(Opcode::REVERT)]);
        let cx = PassContext::new(Fork::Osaka, CostModel::deployed(1_000_000));
        assert_eq!(run(&mut program, &cx), 1);
        let kinds: Vec<ItemKind> = program.items.iter().map(|item| item.kind).collect();
        let computed = encode(word::low_mask(160), 1, Fork::Osaka);
        let expected =
            [&[push.kind, ItemKind::Op(Opcode::STOP)], &computed[..], &[ItemKind::Op(Opcode::REVERT)]]
                .concat();
        assert_eq!(kinds, expected);
    }
}
