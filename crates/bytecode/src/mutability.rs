//! What external functions may do to the state: `pure`, `view`, nothing said, or `payable`.
//!
//! Contract: a function is what the worst instruction makes it that control reaches from its entry, calls
//! of internal functions and what comes after them included, returns into other callers not. So it is
//! never less than what it does, but for a function whose jumps are not all known, or that computes where
//! others return to; and it can be more than it says: a function that is declared to write and never does looks like `view`. A function
//! without arguments that reads nothing is taken for the getter of a constant, which is `view`. So is a function
//! of a standard that says `view` of it, even if it reads nothing: interfaces declare it so.

use crate::analysis::Analysis;
use crate::arguments::Arguments;
use crate::blocks::{Block, BlockId};
use crate::selectors::Selector;
use crate::standards::is_stated_view;
use crate::traits::Traits;

/// What a function may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutability {
    /// It depends on its arguments alone.
    Pure,
    /// It reads the state.
    View,
    /// It changes the state, and takes no wei.
    Nonpayable,
    /// It takes wei.
    Payable,
}

impl Mutability {
    /// Name in interfaces.
    pub const fn name(self) -> &'static str {
        match self {
            Mutability::Pure => "pure",
            Mutability::View => "view",
            Mutability::Nonpayable => "nonpayable",
            Mutability::Payable => "payable",
        }
    }
}

/// The mutability of each external function of an analysis, in the order of its selectors. `arguments`
/// are those that [`crate::find_arguments`] finds.
pub fn find_mutability(analysis: &Analysis<'_>, arguments: &[Arguments]) -> Vec<Mutability> {
    if analysis.selectors.iter().all(|selector| selector.payable) {
        return vec![Mutability::Payable; analysis.selectors.len()];
    }
    let reach = analysis.reach();
    let blocks = analysis.blocks.list();
    let with = |traits: Traits| {
        let has = |(_, block): &(BlockId, &Block)| block.traits.intersects(traits);
        reach.of_all((0..).zip(blocks).filter(has).map(|(id, _)| id))
    };
    let (writers, readers) = (with(Traits::WRITES), with(Traits::READS));
    let of_function = |(number, selector): (usize, &Selector)| {
        if selector.payable {
            return Mutability::Payable;
        }
        let place = arguments.binary_search_by_key(&selector.selector, |one| one.selector);
        let types = place.ok().and_then(|place| arguments[place].types.as_ref());
        let seen = match (writers.contains(number), readers.contains(number)) {
            (true, _) => Mutability::Nonpayable,
            (false, true) => Mutability::View,
            (false, false) if types.is_some_and(Vec::is_empty) => Mutability::View,
            (false, false) => Mutability::Pure,
        };
        if seen == Mutability::Pure && is_stated_view(selector.selector) { Mutability::View } else { seen }
    };
    analysis.selectors.iter().enumerate().map(of_function).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{analyze, find_arguments};

    /// The mutability of each function of a code.
    fn of_all(digits: &str) -> Vec<Mutability> {
        let code = cairn_evm::hex::decode(digits).expect("digits");
        find_mutability(&analyze(&code), &find_arguments(&code, Default::default()))
    }

    /// The mutability of a function with this body, which refuses wei first of all.
    fn of(body: &str) -> Mutability {
        let end = 22 + body.len() / 2;
        let text = format!("5f3560e01c63aabbccdd1460105700005b3460{end:02x}57{body}005b5f5ffd");
        of_all(&text)[0]
    }

    #[test]
    fn the_worst_instruction_counts() {
        // With an argument, for a function without one is a getter.
        assert_eq!(of("60043550"), Mutability::Pure);
        assert_eq!(of(""), Mutability::View);
        assert_eq!(of("6004355450"), Mutability::View);
        assert_eq!(of("33600435"), Mutability::View);
        assert_eq!(of("6004355f55"), Mutability::Nonpayable);
        assert_eq!(of("5f5fa0"), Mutability::Nonpayable);
    }

    #[test]
    fn a_function_that_a_standard_calls_a_view_is_one() {
        let of = |selector: &str| {
            let text = format!("5f3560e01c63{selector}1460105700005b34601a5760043550005b5f5ffd");
            of_all(&text)[0]
        };
        assert_eq!(of("aabbccdd"), Mutability::Pure);
        // supportsInterface(bytes4), onERC721Received(address,address,uint256,bytes)
        assert_eq!(of("01ffc9a7"), Mutability::View);
        assert_eq!(of("150b7a02"), Mutability::Pure, "contracts declare it as they like");
    }

    #[test]
    fn wei_may_be_refused_in_a_function() {
        // On wei it calls a function that reverts, and would go on to a STOP.
        let text = "5f3560e01c63aabbccdd1460105700005b34601657005b601c601e565b005b5f5ffd";
        let code = cairn_evm::hex::decode(text).expect("digits");
        assert_eq!(find_mutability(&analyze(&code), &[]), [Mutability::Pure]);
    }

    #[test]
    fn a_shared_end_leads_each_function_where_it_said() {
        // Both functions go on at what they pushed by one jump; only the second then writes.
        let dispatcher = "5f3560e01c8063aabbccdd14601957631122334414602757";
        let functions = "005b34603e576037600435603557005b34603e57603960043560355700";
        let ends = "5b565b005b5f5f55005b5f5ffd";
        let found = of_all(&[dispatcher, functions, ends].concat());
        assert_eq!(found, [Mutability::Nonpayable, Mutability::Pure]);
    }

    #[test]
    fn what_comes_behind_a_shared_call_counts_for_each_function() {
        // Both push where they go on and get to one call by a branch; behind it each writes.
        let dispatcher = "5f3560e01c8063aabbccdd14601957631122334414602757";
        let functions = "005b34604557603b600435603557005b34604557604060043560355700";
        let ends = "5b6039565b565b5f5f55005b5f5f55005b5f5ffd";
        let code = cairn_evm::hex::decode([dispatcher, functions, ends].concat()).expect("digits");
        assert_eq!(find_mutability(&analyze(&code), &[]), [Mutability::Nonpayable, Mutability::Nonpayable]);
    }

    #[test]
    fn a_number_that_looks_like_the_offset_of_a_function_leads_nowhere() {
        // The second function hands the offset of the first, which writes, to an internal one that drops it.
        let dispatcher = "5f3560e01c8063aabbccdd14601957631122334414602757";
        let functions = "005b346035576030602760325600005b346035575f5f5500";
        let ends = "5b005b50565b5f5ffd";
        let code = cairn_evm::hex::decode([dispatcher, functions, ends].concat()).expect("digits");
        assert_eq!(find_mutability(&analyze(&code), &[]), [Mutability::Nonpayable, Mutability::Pure]);
    }

    #[test]
    fn a_short_number_is_no_offset_where_offsets_are_padded() {
        // The second function calls with 0028 to return to, and writes there; the first pushes 28 and drops it.
        let dispatcher = "5f3560e01c8063aabbccdd1461001b5763112233441461002d5700";
        let functions = "5b3461003d5761002861003b565b5f5f55005b3461003d576028506004355000";
        let ends = "5b565b5f5ffd";
        let found = of_all(&[dispatcher, functions, ends].concat());
        assert_eq!(found, [Mutability::Pure, Mutability::Nonpayable]);
    }

    #[test]
    fn offsets_that_are_jumped_to_at_once_tell_how_they_are_pushed() {
        // The first function adds up where it goes on, and writes there; the second pushes that number and drops it.
        let dispatcher = "5f3560e01c8063aabbccdd1461001b5763112233441461002d5700";
        let functions = "5b3461003b57600860200156005b5f5f55005b3461003b576028506004355000";
        let found = of_all(&[dispatcher, functions, "5b5f5ffd"].concat());
        assert_eq!(found, [Mutability::Pure, Mutability::Nonpayable]);
    }

    #[test]
    fn a_function_that_takes_wei_may_stand_beside_one_that_does_not() {
        let dispatcher = "5f3560e01c8063aabbccdd14601957631122334414602757";
        let refuses = "005b346036576004355f5500000000";
        let takes = "5b60043550000000000000000000";
        let found = of_all(&[dispatcher, refuses, takes, "005b5f5ffd"].concat());
        assert_eq!(found, [Mutability::Payable, Mutability::Nonpayable]);
    }

    #[test]
    fn a_zero_leads_nowhere_where_code_begins_with_a_jumpdest() {
        // The first function jumps with a zero on the stack, which it then loads from; the second writes.
        let dispatcher = "5b5f3560e01c8063aabbccdd14601a576311223344146027";
        let functions = "57005b346030575f6023565b5450005b346030575f5f5500";
        let found = of_all(&[dispatcher, functions, "5b5f5ffd"].concat());
        assert_eq!(found, [Mutability::Nonpayable, Mutability::View]);
    }

    #[test]
    fn what_takes_wei_is_payable() {
        let code = cairn_evm::hex::decode("5f3560e01c63aabbccdd1460105700005b00").expect("digits");
        assert_eq!(find_mutability(&analyze(&code), &[]), [Mutability::Payable]);
    }
}
