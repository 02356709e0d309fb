//! `outline`: one copy of equal runs of code inside blocks, called where they stood.
//!
//! Effect: where the same items stand at several places, each becomes `PUSH R PUSH F JUMP R:` and
//! the items stand once behind `F:`, followed by a jump back ([`body`]). Most of it is long
//! constants — topics, texts of errors, immutables — and set-ups of calls. It pays when the bytes
//! saved weigh more than the call, which costs nothing where execution is bound to fail.
//! A run lies between two places where control comes or goes, and is at most [`repeats::MAX_RUN`]
//! items long. The runs that save most are taken first; runs inside a copy aren't looked at again.
//! Needs: to come after the rounds, which would put short copies back; constants not encoded yet.
//! Code that runs off its end stays as it is.
//! Cost: runs are sorted, see [`repeats`].

mod body;
mod repeats;

use super::cost::item_cost;
use super::encode_constants::best_cost;
use super::flow::{Frequency, bound_to_fail, can_stand_alone};
use super::pass::{Level, Pass, PassContext};
use crate::program::{Item, ItemKind, Label, Program};
use body::Shape;
use cairn_evm::Cost;
use cairn_evm::{Opcode, gas};
use repeats::Repeat;
use std::collections::BinaryHeap;

/// See the head of this module.
pub(super) const PASS: Pass = Pass {
    name: "outline",
    summary: "one copy of equal runs of code inside blocks, called where they stood",
    level: Level::Full,
    run,
};

fn run(program: &mut Program, cx: &PassContext) -> usize {
    if program.items.last().is_none_or(|last| !last.kind.is_terminator()) {
        return 0;
    }
    let outlined = Search::new(program, cx).choose();
    if outlined.is_empty() {
        return 0;
    }
    body::rewrite(program, &outlined);
    outlined.len()
}

/// Equal runs that are replaced by calls.
struct Outlined {
    shape: Shape,
    /// Items of each.
    length: usize,
    /// Where they begin, in order.
    sites: Vec<usize>,
}

/// A repeat that may pay, ordered by what it saves, then by where it comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    saves: u64,
    first: std::cmp::Reverse<usize>,
    length: usize,
    repeat: Repeat,
}

struct Search<'a> {
    items: &'a [Item],
    cx: &'a PassContext,
    /// Bytes of the items before each.
    bytes: Vec<u64>,
    /// Whether the code from each item on is bound to fail.
    fails: Vec<bool>,
    /// Items that belong to a chosen run.
    taken: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, cx: &'a PassContext) -> Search<'a> {
        let items = &program.items;
        let mut bytes = vec![0];
        for item in items {
            let cost = match item.kind {
                ItemKind::Push(word) => best_cost(word, cx),
                kind => item_cost(kind, cx.fork),
            };
            bytes.push(bytes[bytes.len() - 1] + cost.bytes);
        }
        Search {
            items,
            cx,
            bytes,
            fails: bound_to_fail(items, program.num_labels),
            taken: vec![false; items.len()],
        }
    }

    fn choose(mut self) -> Vec<Outlined> {
        let may_pay = self.may_pay();
        let (sorted, repeats) = repeats::find(self.items, &may_pay, |from, length| {
            self.bytes[from + length] - self.bytes[from] > self.call_cost(0).bytes + 1
        });
        let mut heap: BinaryHeap<Candidate> = repeats
            .into_iter()
            .filter_map(|repeat| self.evaluate(repeat, &sorted).map(|(one, _)| one))
            .collect();
        let mut chosen = Vec::new();
        while let Some(best) = heap.pop() {
            let Some((now, outlined)) = self.evaluate(best.repeat, &sorted) else { continue };
            if now < best {
                heap.push(now);
                continue;
            }
            for site in &outlined.sites {
                self.taken[*site..*site + outlined.length].fill(true);
            }
            chosen.push(outlined);
        }
        chosen
    }

    /// The items that may belong to a run which pays: all where bytes are dear, else those whose
    /// gas doesn't count.
    fn may_pay(&self) -> Vec<bool> {
        let word = Cost::new(0, 33 - self.call_cost(0).bytes);
        let always = self.cx.cost.weigh(word) > self.cx.cost.weigh(Cost { bytes: 0, ..self.call_cost(1) });
        let straight = self.items.iter().map(|item| can_stand_alone(item.kind));
        straight.zip(&self.fails).map(|(straight, fails)| straight && (always || *fails)).collect()
    }

    /// What a call costs where it stands, with so many exchanges in the copy.
    fn call_cost(&self, exchanges: usize) -> Cost {
        let fork = self.cx.fork;
        let push = item_cost(ItemKind::PushLabel(Label(0)), fork);
        let site = self.cx.jump_cost() + push + Cost::of_op(Opcode::JUMPDEST, fork);
        let swap = gas::static_gas(Opcode::SWAP1, fork);
        let back = gas::static_gas(Opcode::JUMP, fork) + swap * exchanges as u64;
        Cost { gas: site.gas + back, ..site }
    }

    /// What is left of a repeat, with what it saves; `None` if it doesn't pay.
    fn evaluate(&self, repeat: Repeat, sorted: &[usize]) -> Option<(Candidate, Outlined)> {
        let places = &sorted[repeat.from..repeat.to];
        let (shape, length) = Shape::of_longest(&self.items[places[0]..places[0] + repeat.length])?;
        let call = self.call_cost(shape.exchanges());
        let bytes = self.bytes[places[0] + length] - self.bytes[places[0]];
        let weigh = |bytes| self.cx.cost.weigh(Cost { gas: 0, bytes });
        let saved_at = |site: usize| {
            let frequency = if self.fails[site] { Frequency::Never } else { Frequency::OneIn(1) };
            weigh(bytes).saturating_sub(self.cx.weigh_at(call, frequency))
        };
        let free = |site: usize| !self.taken[site..site + length].contains(&true);
        let mut sites: Vec<usize> =
            places.iter().copied().filter(|site| free(*site) && saved_at(*site) > 0).collect();
        sites.sort_unstable();
        let mut end = 0;
        sites.retain(|site| {
            let apart = *site >= end;
            if apart {
                end = *site + length;
            }
            apart
        });
        let saved: u64 = sites.iter().map(|site| saved_at(*site)).sum();
        let saves = saved.checked_sub(weigh(bytes + shape.overhead())).filter(|saves| *saves > 0)?;
        let first = std::cmp::Reverse(sites[0]);
        Some((Candidate { saves, first, length, repeat }, Outlined { shape, length, sites }))
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::passes::flow::testing::{expect, expect_kept};

    #[test]
    fn what_failures_share_is_called() {
        let text = "12345678901234567890 0 MSTORE 12345678901234567890 32 MSTORE";
        expect(
            run,
            &format!("CALLER L0 JUMPI {text} 1 0 REVERT L0: ADDRESS L1 JUMPI {text} 2 0 REVERT L1: STOP"),
            &format!(
                "CALLER L0 JUMPI L3 L2 JUMP L3: 1 0 REVERT L0: ADDRESS L1 JUMPI L4 L2 JUMP L4: 2 0 REVERT \
                 L1: STOP L2: {text} JUMP"
            ),
        );
    }

    #[test]
    fn gas_counts_where_execution_goes_on() {
        let text = "12345678901234567890 0 MSTORE 12345678901234567890 32 MSTORE";
        expect_kept(run, &format!("CALLER L0 JUMPI {text} STOP L0: {text} 2 0 RETURN"));
    }

    #[test]
    fn short_runs_stay() {
        let text = "12345678901234567890 0 MSTORE";
        expect_kept(run, &format!("CALLER L0 JUMPI {text} 1 0 REVERT L0: {text} 2 0 REVERT"));
    }
}
