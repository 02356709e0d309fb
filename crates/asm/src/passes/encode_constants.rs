//! `encode-constants`: computes constants where that is cheaper than pushing their bytes.
//!
//! Effect: `PUSH32 ff…ff` → `PUSH0 NOT` and the like, see [`cairn_evm::encoding`]. The choice is by gas ·
//! executions against bytes · price of a byte; by bytes alone where execution is bound to fail. A mask of upper or lower
//! bits may be two shifts: `PUSH20 ff…ff AND` → `PUSH1 96 SHL PUSH1 96 SHR`.
//! Needs: to run last, for folding undoes it.

use super::flow::bound_to_fail;
use super::pass::{Level, Pass, PassContext, PassOptions};
use crate::program::{Item, ItemKind, Program};
use cairn_evm::{
    Cost, CostModel, Encoding, Opcode, Step, Word, best_encoding, cost_of_encoding, price_of_constants, word,
};

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
    let mut rest = program.items.iter().zip(fails).peekable();
    while let Some((item, fails)) = rest.next() {
        match item.kind {
            ItemKind::Push(word) if word.byte_len() > 2 => {
                let cx = if fails { &never } else { cx };
                let is_mask = rest.peek().is_some_and(|(next, _)| next.kind == AND);
                let shifts = if is_mask { shifts_for(word, cx) } else { None };
                if shifts.is_some() {
                    rest.next();
                }
                let encoding = shifts.unwrap_or_else(|| encoding_of(word, cx));
                changes += usize::from(encoding.len() > 1);
                items.extend(encoding.into_iter().map(|step| Item { kind: kind_of(step), ..*item }));
            }
            _ => items.push(*item),
        }
    }
    program.items = items;
    changes
}

const AND: ItemKind = ItemKind::Op(Opcode::AND);

/// Two shifts that cost less than `AND` with a word: one takes bits off at an end, the other brings the rest back.
fn shifts_for(mask: Word, cx: &PassContext) -> Option<Encoding> {
    let ones = mask.count_ones();
    let (there, back) = match mask {
        _ if mask == word::low_mask(ones) => (Opcode::SHL, Opcode::SHR),
        _ if !mask == word::low_mask(Word::BITS - ones) => (Opcode::SHR, Opcode::SHL),
        _ => return None,
    };
    if !there.exists_in(cx.fork) || ones == Word::BITS {
        return None;
    }
    let amount = Step::Push(Word::from(Word::BITS - ones));
    let shifts = Encoding::from_slice(&[amount, Step::Op(there), amount, Step::Op(back)]);
    let masked = best_cost(mask, cx) + Cost::of_op(Opcode::AND, cx.fork);
    (price(cx).weigh(cost_of_encoding(&shifts, cx.fork)) < price(cx).weigh(masked)).then_some(shifts)
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
    use cairn_evm::Fork;

    fn encode(word: Word, runs: u64, fork: Fork) -> Vec<ItemKind> {
        let cx = PassContext::new(fork, CostModel::deployed(runs));
        let mut program = Program { items: vec![ItemKind::Push(word).into()], ..Program::default() };
        run(&mut program, &cx);
        program.items.iter().map(|item| item.kind).collect()
    }

    /// What is left of `PUSH mask AND`.
    fn masked(mask: Word, runs: u64, fork: Fork) -> Vec<ItemKind> {
        let cx = PassContext::new(fork, CostModel::deployed(runs));
        let items = vec![ItemKind::Push(mask).into(), AND.into()];
        let mut program = Program { items, ..Program::default() };
        run(&mut program, &cx);
        program.items.iter().map(|item| item.kind).collect()
    }

    #[test]
    fn masks_of_many_bits_are_shifts() {
        let shifts = |amount: u64, there: Opcode, back: Opcode| {
            let amount = ItemKind::Push(Word::from(amount));
            vec![amount, ItemKind::Op(there), amount, ItemKind::Op(back)]
        };
        let address = word::low_mask(160);
        assert_eq!(masked(address, 200, Fork::Osaka), shifts(96, Opcode::SHL, Opcode::SHR));
        assert_eq!(masked(!address, 200, Fork::Osaka), shifts(160, Opcode::SHR, Opcode::SHL));
        assert_eq!(masked(address, 1_000_000, Fork::Osaka), [ItemKind::Push(address), AND]);
        assert_eq!(masked(address, 200, Fork::Byzantium).last(), Some(&AND));
        assert_eq!(masked(word::low_mask(32), 200, Fork::Osaka), [ItemKind::Push(word::low_mask(32)), AND]);
        let hole = address ^ Word::from(0xff00);
        assert_eq!(masked(hole, 200, Fork::Osaka).last(), Some(&AND));
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
