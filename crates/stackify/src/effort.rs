//! How much the default scheduler tries: the budgets of all its searches.
//!
//! Each bounds work by a constant for a block, a loop or a function, so time stays linear. More costs
//! time for little: the search is a third of all compile time.

/// Budgets of searches. *Tries* and *trials* are searches; *items* are what a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// States kept side by side in a block, by the most items it may have: the width shrinks as blocks
    /// and functions grow, so that large ones take linear time. The last row serves all others.
    pub widths: [(usize, usize); 3],
    /// Items of a function that count as one of a block when its width is chosen: the sum over many
    /// small blocks must stay bounded, too.
    pub insts_per_item: usize,
    /// States kept to see what an entry stack leads to: one tells the order of offers well enough.
    pub width_ahead: usize,
    /// States that cost more than the best by so many halves of an exchange are dropped: few of them
    /// ever win.
    pub margin_halves: u64,
    /// The same where words have been out of reach and may go to memory.
    pub crowded_margin_halves: u64,
    /// States from which the search goes on behind a branch.
    pub max_passed_states: usize,
    /// Blocks of a chain: their states are kept until it ends.
    pub max_chain_blocks: usize,
    /// Predecessors of a merge that are asked for an entry stack; those after offer much the same.
    pub max_offering: usize,
    /// Items of a block that is looked at to choose its entry stack.
    pub max_ahead_items: usize,
    /// Items of a block that is tried in other orders; at most 64.
    pub max_reordered_items: usize,
    /// Orders of a block that are tried.
    pub max_orders: usize,
    /// Entry stacks of a loop that are tried.
    pub max_trials: usize,
    /// Those of them that are tried once more, with their blocks in other orders.
    pub max_thorough_trials: usize,
    /// Those that cost more than the best by so many thousandths are not tried again.
    pub thorough_margin_thousandths: u64,
    /// Words that change in a loop that are tried in every order: a factorial.
    pub max_permuted: usize,
    /// Instructions that the trials of a function may plan: this many, which small functions never
    /// use up, and so many for each of its instructions.
    pub trial_insts: (usize, usize),
    /// Parameters of a function that are put in other orders.
    pub max_params: usize,
    /// Items of an entry block for which they are.
    pub max_entry_items: usize,
    /// Orders of parameters that are tried.
    pub max_param_orders: usize,
    /// Trees that wait for their use.
    pub max_pending: usize,
    /// Movable operands of an instruction of which each is consumed or copied alone; of more, all or
    /// none.
    pub max_single_choices: usize,
    /// Words lifted before one item, each by a search for the next one.
    pub max_lifted: usize,
    /// Live words at a point beyond which a function is examined at every so many points only when
    /// words are sent to memory.
    pub max_examined_words: usize,
}

impl Effort {
    /// What `-O0`, `-O2` and `-Os` use. Twice the states and half an exchange more of margin find a twentieth of
    /// a percent of the bytes, for a tenth of the compile time.
    pub const FULL: Effort = Effort {
        widths: [(256, 12), (1024, 4), (usize::MAX, 2)],
        insts_per_item: 8,
        width_ahead: 1,
        margin_halves: 4,
        crowded_margin_halves: 40,
        max_passed_states: 12,
        max_chain_blocks: 64,
        max_offering: 4,
        max_ahead_items: 32,
        max_reordered_items: 20,
        max_orders: 16,
        max_trials: 12,
        max_thorough_trials: 2,
        thorough_margin_thousandths: 20,
        max_permuted: 3,
        trial_insts: (20_000, 3),
        max_params: 8,
        max_entry_items: 256,
        max_param_orders: 32,
        max_pending: 16,
        max_single_choices: 3,
        max_lifted: 4,
        max_examined_words: 256,
    };

    /// What `-O1` uses: one state in a block, blocks in the order they have, parameters in theirs, loops
    /// without trials.
    pub const QUICK: Effort = Effort {
        widths: [(usize::MAX, 1); 3],
        max_passed_states: 1,
        max_offering: 2,
        max_ahead_items: 16,
        max_orders: 1,
        max_trials: 0,
        max_thorough_trials: 0,
        max_permuted: 2,
        trial_insts: (2_000, 1),
        max_params: 4,
        max_entry_items: 64,
        max_param_orders: 1,
        max_pending: 8,
        max_single_choices: 1,
        max_lifted: 2,
        ..Effort::FULL
    };

    /// What `-O3` uses: more orders of a block, and a longer look at what an entry stack leads to. Loops of
    /// arithmetic gain 1.5 % of their gas by it, for 10 to 25 % more time.
    pub const THOROUGH: Effort = Effort {
        widths: [(256, 24), (1024, 4), (usize::MAX, 2)],
        width_ahead: 4,
        margin_halves: 9,
        max_reordered_items: 40,
        max_orders: 64,
        thorough_margin_thousandths: 1000,
        ..Effort::FULL
    };

    /// States kept side by side in a block of a function.
    pub(crate) fn width(&self, num_items: usize, num_insts: usize) -> usize {
        let size = num_items.max(num_insts / self.insts_per_item);
        let row = self.widths.iter().find(|(most, _)| size <= *most);
        row.map_or(1, |(_, width)| *width)
    }

    /// Instructions that the trials of a function may plan in total.
    pub(crate) fn trial_budget(&self, num_insts: usize) -> usize {
        let (base, each) = self.trial_insts;
        base + each * num_insts
    }
}
