//! `merge-stores`: writes adjacent words at once that are zero or adjacent in call data.
//!
//! ```text
//! evm.mstore %p, %zero                 %size = evm.calldatasize
//! evm.mstore (%p + 32), %zero    =>    evm.calldatacopy %p, %size, 96
//! evm.mstore (%p + 64), %zero
//!
//! %x = evm.calldataload 4              %x = evm.calldataload 4
//! … %x …                               … %x …
//! evm.mstore %p, %x                    evm.calldatacopy %p, 4, 96
//! … of 36 and 68 to %p + 32 …    =>
//! ```
//!
//! Where call data ends, copying it gives zeros. Solidity fills structs and small arrays with zeros field by
//! field, and copies those that it is given word by word.
//!
//! A row of stores ([`adjacent`](crate::adjacent)), [`MIN_WORDS`] or more, becomes a copy if all of it is zeros, or all
//! of it words of call data at adjacent constant places.
//!
//! A store costs its address, its word and an `MSTORE`, 8 gas and more and 3 bytes and more; a copy 3 gas a
//! word, an address and 11 gas.
//!
//! Needs promotion, preserves blocks and promotion. Comes when loads are known and stores that nobody reads
//! gone: it says less of what is in memory. Cost: linear but for sorting.

use crate::adjacent::{self, Store, copy_at_once, last_done};
use crate::edit::constant_before;
use crate::memory::{Place, WORD};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, Op, Payload, Type, Value};

/// Words of a row: two stores cost less gas than a copy where their addresses are constants.
const MIN_WORDS: usize = 3;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "merge-stores",
    summary: "writes adjacent words at once that are zero or adjacent in call data",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let mut changed = false;
    for block in blocks {
        let source = |value| Source::of(func, value);
        for row in adjacent::rows(func, block, MIN_WORDS, source, Source::goes_on_with) {
            write_at_once(func, &row);
            changed = true;
        }
    }
    Changed::from(changed)
}

/// What is known of a word that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Zero,
    CallData(Word),
}

impl Source {
    fn of(func: &Function, value: Value) -> Option<Source> {
        if func.dfg.as_const(value).is_some_and(|word| word.is_zero()) {
            return Some(Source::Zero);
        }
        let load =
            func.dfg.def_inst(value).filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::CALLDATALOAD));
        let at = load.map(|inst| Place::of(func, func.dfg.args(inst)[0]));
        // A sum could wrap round, and call data begin again behind its end.
        at.filter(|at| at.base.is_none() && at.offset <= Word::from(u64::MAX))
            .map(|at| Source::CallData(at.offset))
    }

    /// True if a word from here and the next from there are one copy.
    fn goes_on_with(self, next: Source) -> bool {
        match (self, next) {
            (Source::Zero, Source::Zero) => true,
            (Source::CallData(at), Source::CallData(next)) => next == at + Word::from(WORD),
            _ => false,
        }
    }
}

/// Puts a copy in the place of a row.
fn write_at_once(func: &mut Function, row: &[Store<Source>]) {
    let (Some(first), Some(last)) = (row.first(), last_done(row)) else {
        return;
    };
    let from = match first.source {
        Source::CallData(at) => constant_before(func, last, at),
        Source::Zero => {
            let size = func.dfg.make_inst(Op::Evm(Opcode::CALLDATASIZE), &[], Payload::None);
            func.layout.insert_inst_before(size, last);
            func.dfg.append_result(size, Type::U256)
        }
    };
    let size = constant_before(func, last, Word::from(WORD * row.len() as u64));
    copy_at_once(func, row, Op::Evm(Opcode::CALLDATACOPY), [from, size]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, run_on_body};

    /// Constants, and sums with `%p`: `%p1` is 32 more.
    const START: &str = "^e:
        %z = evm.constant 0 : u256
        %c4 = evm.constant 4 : u256
        %c32 = evm.constant 32 : u256
        %c36 = evm.constant 36 : u256
        %c64 = evm.constant 64 : u256
        %c68 = evm.constant 68 : u256
        %p1 = evm.add %p, %c32 : u256
        %p2 = evm.add %p, %c64 : u256";

    fn merged(text: &str) -> (Changed, String) {
        let (changed, text) = run_on_body("(%p : u256, %q : u256)", &format!("{START}\n{text}"), &[run]);
        let start = lines(START).lines().count();
        (changed, text.lines().skip(start).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn zeros_in_any_order_become_a_copy_of_what_lies_behind_call_data() {
        let (changed, text) = merged(
            "evm.mstore %p1, %z
             evm.mstore %p2, %z
             evm.mstore %p, %z
             evm.stop",
        );
        let expected = "%0 = evm.calldatasize : u256
             %1 = evm.constant 96 : u256
             evm.calldatacopy %p, %0, %1
             evm.stop";
        assert_eq!((changed, text), (Changed::Yes, lines(expected)));
    }

    #[test]
    fn words_of_call_data_are_copied() {
        let (changed, text) = merged(
            "%a = evm.calldataload %c4 : u256
             %b = evm.calldataload %c36 : u256
             %c = evm.calldataload %c68 : u256
             evm.mstore %p, %a
             evm.mstore %p1, %b
             evm.mstore %p2, %c
             evm.sstore %a, %b
             evm.stop",
        );
        let expected = "%a = evm.calldataload %c4 : u256
             %b = evm.calldataload %c36 : u256
             %c = evm.calldataload %c68 : u256
             %0 = evm.constant 4 : u256
             %1 = evm.constant 96 : u256
             evm.calldatacopy %p, %0, %1
             evm.sstore %a, %b
             evm.stop";
        assert_eq!((changed, text), (Changed::Yes, lines(expected)));
    }

    #[test]
    fn what_is_read_written_otherwise_or_not_adjacent_stays() {
        let stores = |between: &str| {
            format!(
                "%b = evm.calldataload %c36 : u256
                 evm.mstore %p, %z
                 {between}
                 evm.mstore %p1, %z
                 evm.mstore %p2, %z
                 evm.stop"
            )
        };
        for between in [
            "%x = evm.mload %p2 : u256",
            "evm.mstore %q, %b",
            "evm.mstore8 %p2, %b",
            "%x = evm.gas : u256",
            "%over = evm.add %p, %c36 : u256\nevm.mstore %over, %b",
            "%over = evm.sub %p, %c4 : u256\nevm.mstore %over, %b",
        ] {
            assert_eq!(merged(&stores(between)).0, Changed::No, "{between}");
        }
        assert_eq!(merged(&stores("%x = evm.sload %p2 : u256")).0, Changed::Yes);
        assert_eq!(merged(&stores("evm.sstore %p2, %b")).0, Changed::Yes);
    }

    #[test]
    fn call_data_at_a_computed_place_or_in_another_order_stays() {
        let row = |first: &str, second: &str, third: &str| {
            format!(
                "%at = evm.add %q, %c4 : u256
                 %x = evm.calldataload {first} : u256
                 %y = evm.calldataload {second} : u256
                 %w = evm.calldataload {third} : u256
                 evm.mstore %p, %x
                 evm.mstore %p1, %y
                 evm.mstore %p2, %w
                 evm.stop"
            )
        };
        assert_eq!(merged(&row("%c4", "%c36", "%c68")).0, Changed::Yes);
        assert_eq!(merged(&row("%c36", "%c4", "%c68")).0, Changed::No);
        assert_eq!(merged(&row("%at", "%c36", "%c68")).0, Changed::No);
    }
}
