//! The search of one block of a plan: how wide, and what is told to it.

use super::planner::{End, Planner};
use crate::global::facts::homes::Home;
use crate::global::facts::live::edge_args;
use crate::global::facts::order::Item;
use crate::global::search::future::Leaving;
use crate::global::search::state::{BlockCx, Search, State};
use crate::global::stack::shuffle::Unreachable;
use cairn_ir::{Block, Value};

/// How a block is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchMode {
    /// For the first time, with as many states as is worth it.
    Full,
    /// Like `Full`, right after another search of the block.
    Again,
    /// With one state, to see what an entry stack leads to, until it costs as much as this.
    Ahead(u64),
    /// With one state, right after another search of the block, as long as it costs less than this.
    Below(u64),
}

impl Planner<'_> {
    pub(crate) fn search_block(
        &mut self,
        block: Block,
        entries: &[State],
        items: &[Item],
        end: &End,
        mode: SearchMode,
    ) -> Result<Vec<State>, Unreachable> {
        let facts = self.facts;
        let effort = facts.effort();
        let returns = facts.graph.returning.contains(block);
        if matches!(mode, SearchMode::Full | SearchMode::Ahead(_)) {
            self.future.begin(if returns { Leaving::Returns } else { Leaving::Otherwise });
            self.mark_live_out(block, end);
        } else {
            self.future.begin_again();
        }
        let in_memory = |value: &&Value| matches!(facts.homes.home(**value), Home::Memory(_));
        let params = facts.func.dfg.params(block).iter();
        let values = facts.live.live_in[block].iter().chain(params).filter(in_memory);
        self.future.available.extend(values.copied());
        let cx = BlockCx {
            func: facts.func,
            conventions: facts.cx.conventions,
            prices: facts.prices(block),
            is_lazy: !returns && !facts.cx.module.options.strict_stack && !facts.is_crowded,
            max_height: facts.max_height(items),
            width: match mode {
                SearchMode::Below(_) => 1,
                SearchMode::Ahead(_) => effort.width_ahead,
                SearchMode::Full | SearchMode::Again => {
                    effort.width(items.len(), facts.num_insts) * if facts.is_crowded { 2 } else { 1 }
                }
            },
            is_crowded: facts.is_crowded,
            margin_halves: match facts.is_crowded {
                // Without memory to put words in, the only stack that works may be a dear one.
                true if !facts.cx.may_spill => None,
                true => Some(effort.crowded_margin_halves),
                false => Some(effort.margin_halves),
            },
            effort,
            limit: match mode {
                SearchMode::Below(limit) => Some(limit),
                SearchMode::Full | SearchMode::Again | SearchMode::Ahead(_) => None,
            },
            least: match mode {
                SearchMode::Ahead(least) => least,
                SearchMode::Full | SearchMode::Again | SearchMode::Below(_) => u64::MAX,
            },
        };
        let mut stored = facts.stored_params(block);
        stored.sort_by_key(|slot| entries[0].stack.iter().position(|word| word == slot));
        let mut search = Search::new(cx, &mut self.trail, &mut self.future, entries, items);
        search.run(items, &stored)?;
        Ok(search.into_states())
    }

    fn mark_live_out(&mut self, block: Block, end: &End) {
        let facts = self.facts;
        let mut successors: smallvec::SmallVec<[Block; 2]> = smallvec::SmallVec::new();
        facts.graph.for_each_successor(facts.func, block, |next| successors.push(next));
        for next in successors {
            facts.live.live_in[next].iter().for_each(|value| self.future.add_live_out(*value));
        }
        if let Some(last) = facts.graph.last[block] {
            let args = edge_args(facts.func, last).filter(|(param, _)| facts.live.needed.contains(*param));
            args.for_each(|(_, arg)| self.future.add_live_out(arg));
        }
        if let End::Leave { target, .. } = end {
            target.iter().filter_map(|slot| slot.as_value()).for_each(|v| self.future.add_live_out(v));
        }
    }
}
