//! The chain that programs of the nets find: other contracts to call, and probers to be called by.
//!
//! The other contracts are bytes written by hand, so that no compiler of ours stands between a
//! program and what sees it. A *prober* calls the program with its own calldata and five million gas and
//! returns: whether the call succeeded, whether it failed and took all of its gas (a halt, not a revert), and
//! the return data.

use cairn_evm::Opcode;
use cairn_exec::{Address, Environment, Machine, Message, U256, account};
use std::cell::OnceCell;

/// The program under test.
pub(crate) const CONTRACT: Address = Address::repeat_byte(0xcc);
/// Gives back its calldata; reverts with it when that begins with an odd byte.
pub(crate) const ECHO: u64 = 0xe1;
/// Calls its caller with its calldata and gives back what that gives.
pub(crate) const CALLBACK: u64 = 0xe2;
/// Counts its calls in storage.
pub(crate) const COUNTER: u64 = 0xe3;
/// Calls the program under `STATICCALL`.
pub(crate) const STATIC_PROBER: Address = Address::with_last_byte(0xe4);
/// Calls the program, and may be called statically itself.
pub(crate) const CALL_PROBER: Address = Address::with_last_byte(0xe5);
/// Runs the program's code on its own storage.
pub(crate) const DELEGATE_PROBER: Address = Address::with_last_byte(0xe6);
/// Statically calls [`CALL_PROBER`].
pub(crate) const STATIC_TO_CALL: Address = Address::with_last_byte(0xe7);
/// Statically calls [`DELEGATE_PROBER`].
pub(crate) const STATIC_TO_DELEGATE: Address = Address::with_last_byte(0xe8);

/// Gives back 0, 1, 31, 32, 33, 64, 96 or 224 bytes made of the hash of its calldata, as the lowest three bits of the
/// first byte of it say; reverts with them where the two bits above are set.
pub(crate) const ANSWER: u64 = 0xe9;

const GAS_LIMIT: u64 = 12_000_000;

const ECHO_CODE: &str = "365f5f375f5160f81c600116601257365ff35b365ffd";
const CALLBACK_CODE: &str = "365f5f375f5f365f5f3362030d40f1503d5f5f3e3d5ff3";
const COUNTER_CODE: &str = "5f5460010180 5f555f5260205ff3";

const ANSWER_CODE: &str = "365f5f37 365f20 5f5160f81c 90 805f52 8019602052 80600101604052 8060021b606052 50 \
    8060071660180167 00011f20214060e0 901a 906018166018146042575ff3 5b5ffd";

/// A new chain.
pub(crate) fn machine() -> Machine {
    thread_local! {
        static MACHINE: OnceCell<Machine> = const { OnceCell::new() };
    }
    MACHINE.with(|machine| machine.get_or_init(new_machine).clone())
}

fn new_machine() -> Machine {
    let mut machine = Machine::new(Environment { gas_limit: GAS_LIMIT, ..Environment::default() });
    let contracts = [
        (last_byte(ECHO), ECHO_CODE.to_owned()),
        (last_byte(CALLBACK), CALLBACK_CODE.to_owned()),
        (last_byte(COUNTER), COUNTER_CODE.to_owned()),
        (last_byte(ANSWER), ANSWER_CODE.to_owned()),
        (STATIC_PROBER, prober(Opcode::STATICCALL)),
        (CALL_PROBER, prober(Opcode::CALL)),
        (DELEGATE_PROBER, prober(Opcode::DELEGATECALL)),
        (STATIC_TO_CALL, forwarder(CALL_PROBER)),
        (STATIC_TO_DELEGATE, forwarder(DELEGATE_PROBER)),
    ];
    for (address, code) in contracts {
        machine.set_code(address, cairn_evm::hex::decode(code.replace(' ', "")).expect("hex"));
    }
    for address in [CONTRACT, DELEGATE_PROBER] {
        machine.set_account(address, U256::from(1000), 1);
        machine.set_storage(address, U256::from(1), U256::from(0x55));
    }
    machine.set_code(CONTRACT, vec![0]);
    machine
}

fn last_byte(address: u64) -> Address {
    Address::with_last_byte(address as u8)
}

/// Calls [`CONTRACT`] with the opcode; see the head of the file.
fn prober(opcode: Opcode) -> String {
    let value = if opcode == Opcode::CALL { "5f" } else { "" };
    format!(
        "365f5f37 5a 5f5f365f{value}73{} 624c4b40 {:02x} 90 5a9003 6244aa2010 811516 602052 5f52 \
         3d5f60403e 3d6040015ff3",
        cairn_evm::hex::encode(CONTRACT),
        opcode.0
    )
}

/// Statically calls an account with its calldata and gives back what that gives.
fn forwarder(to: Address) -> String {
    format!("365f5f37 5f5f365f73{}5afa50 3d5f5f3e 3d5ff3", cairn_evm::hex::encode(to))
}

/// Words as calldata.
pub(crate) fn words(words: &[U256]) -> Message {
    Message::new(words.iter().flat_map(U256::to_be_bytes::<32>).collect::<Vec<u8>>())
}

/// Calls that differ in everything, most of all in what decides about branches.
pub(crate) fn calls(random: &mut crate::random::Random) -> Vec<Message> {
    let mut some = |n: usize| (0..n).map(|_| edge(random)).collect::<Vec<_>>();
    let (few, many) = (some(3), some(4));
    let small = [5, 100, 7].map(U256::from);
    vec![words(&small), words(&few).from(account(2)), words(&many).with_value(U256::from(7))]
}

/// A number at which something changes its sign, its width or its meaning as an address.
pub(crate) fn edge(random: &mut crate::random::Random) -> U256 {
    let one = U256::from(1);
    match random.below(8) {
        0 => U256::from(random.below(3)),
        1 => U256::from(*random.pick(&[0x20_u64, 0x3f, 0x40, 0x5f, 0x60, 0x80, 0xa0, 0x100, 0x101])),
        2 => U256::MAX - U256::from(random.below(3)),
        3 => one << *random.pick(&[63_usize, 64, 127, 128, 160, 248, 254, 255]),
        4 => (one << *random.pick(&[63_usize, 64, 128, 160, 255])) - one,
        5 => U256::from(random.next()),
        _ => U256::from(random.below(300)),
    }
}
