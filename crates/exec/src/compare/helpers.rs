//! Contracts that stand by while programs are compared.
//!
//! * The *companion* says what it was called with and gives back 1. A transaction may go through it:
//!   then it calls the program, and a second time, within the same transaction, either when the
//!   program calls it back or at the end. So locks and transient storage matter.
//! * The *refuser* reverts with what it was called with.

use super::step::Step;
use crate::machine::{Machine, Message};
use alloy_primitives::{Address, U256, hex};

/// Where the companion lives.
pub const COMPANION: Address = Address::repeat_byte(0xc1);
/// Where the refuser lives.
pub const REFUSER: Address = Address::repeat_byte(0xc2);
/// Returns its input, also in a static frame.
pub(crate) const IDENTITY: Address = Address::with_last_byte(4);

/// Target and length of the first call's data.
const HEADER: usize = 64;

/// Made of this program for Byzantium, so that it runs on every fork since:
///
/// ```yul
/// {
///     let rest := sload(0)
///     if eq(caller(), origin()) {
///         let start := add(64, calldataload(32))
///         rest := sub(calldatasize(), start)
///         sstore(0, rest)
///         for { let i := 0 } lt(i, rest) { i := add(i, 32) } { sstore(add(i, 1), calldataload(add(start, i))) }
///         calldatacopy(0, 64, calldataload(32))
///         report(call(gas(), calldataload(0), callvalue(), 0, calldataload(32), 0, 0))
///         if sload(0) { again(calldataload(0), rest) }
///         stop()
///     }
///     calldatacopy(0, 0, calldatasize())
///     log1(0, calldatasize(), callvalue())
///     if rest { again(caller(), rest) }
///     mstore(0, 1)
///     return(0, 32)
///
///     function again(target, length) {
///         sstore(0, 0)
///         for { let i := 0 } lt(i, length) { i := add(i, 32) } {
///             mstore(i, sload(add(i, 1)))
///             sstore(add(i, 1), 0)
///         }
///         report(call(gas(), target, 0, 0, length, 0, 0))
///     }
///     function report(ok) {
///         returndatacopy(0, 0, returndatasize())
///         log1(0, returndatasize(), ok)
///     }
/// }
/// ```
const COMPANION_CODE: &[u8] = &hex!(
    "600054323314604057366000803734366000a180602857505b600160005260206000f35b505050005b601890335b60008055"
    "60006064565b6023929150602d565b60203580604001803603806000556000608e565b600181018054825260009055602001"
    "5b828110605457506000808080935a939593f13d6000803e3d6000a1565b8083013560018201556020015b81811060815783"
    "6040600037600035600080868134855af13d6000803e3d6000a160005460375750505050505000"
);

/// `calldatacopy(0, 0, calldatasize()) revert(0, calldatasize())`
const REFUSER_CODE: &[u8] = &hex!("36600080373660 00fd");

/// Puts the helpers on a chain.
pub(crate) fn place(machine: &mut Machine) {
    machine.set_code(COMPANION, COMPANION_CODE);
    machine.set_code(REFUSER, REFUSER_CODE);
}

/// A transaction through the companion, which makes two calls of `to`, the first with the value.
pub(crate) fn through_companion(first: Step, second: &[u8]) -> Step {
    let target = U256::from_be_bytes(first.to.into_word().0).to_be_bytes::<32>();
    let length = U256::from(first.message.data.len()).to_be_bytes::<32>();
    let data = [&target[..], &length[..], &first.message.data, second].concat();
    Step { to: COMPANION, message: Message { data: data.into(), ..first.message }, ..first }
}

/// The calldata of the two calls of a transaction through the companion.
pub fn companion_calls(step: &Step) -> Option<[&[u8]; 2]> {
    let data: &[u8] = &step.message.data;
    let header = data.get(32..HEADER).filter(|_| step.to == COMPANION)?;
    let length = usize::try_from(U256::from_be_slice(header)).ok()?;
    let (first, second) = data[HEADER..].split_at_checked(length)?;
    Some([first, second])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, Status};

    #[test]
    fn the_companion_calls_back_once() {
        let mut machine = Machine::new(Environment::default());
        place(&mut machine);
        let program = Address::repeat_byte(0xaa);
        // Counts its calls in slot 0. With calldata, calls its caller first: sstore(0, add(sload(0), 1))
        // after if calldatasize() { pop(call(gas(), caller(), 0, 0, 0, 0, 0)) }; logs the count.
        machine
            .set_code(program, hex!("36600f575b600054600101600055005b6000600060006000600033 5af150600456"));
        for (first, expected) in [(&[1u8][..], 4), (&[], 3)] {
            let first = Step { to: program, message: Message::new(first.to_vec()), seconds: 0 };
            let step = through_companion(first.clone(), &[]);
            assert_eq!(companion_calls(&step), Some([&first.message.data[..], &[][..]]));
            let alone = machine.call(step.to, &step.message).expect("it is paid");
            assert_eq!((alone.status, alone.logs.len()), (Status::Success, 1 + first.message.data.len()));
            let twice = through_companion(first, &[1, 2, 3]);
            let outcome = machine.call(twice.to, &twice.message).expect("it is paid");
            assert_eq!((outcome.status, outcome.logs.len()), (Status::Success, expected));
        }
        assert_eq!(machine.storage(program, U256::ZERO), U256::from(6));
        assert_eq!(machine.storage(COMPANION, U256::ZERO), U256::ZERO);
    }

    #[test]
    fn the_refuser_reverts_with_its_input() {
        let mut machine = Machine::new(Environment::default());
        place(&mut machine);
        let outcome = machine.call(REFUSER, &Message::new(vec![7, 8])).expect("it is paid");
        assert_eq!((outcome.status, &outcome.output[..]), (Status::Revert, &[7, 8][..]));
    }
}
