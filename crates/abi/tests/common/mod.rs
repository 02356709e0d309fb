//! What the tests of this crate share: compiling a module, running code, random numbers.

#![allow(dead_code, reason = "each test uses a part of it")]

use cairn_driver::{Emit, Level, Options, Session, build_module};
use cairn_exec::{Address, Environment, Machine, Message, Outcome};
use cairn_ir::Module;

/// Where the code under test lies.
pub(crate) const ADDRESS: Address = Address::repeat_byte(0xc0);

/// The code of a module at a level, in bytes.
pub(crate) fn compile(module: Module, level: Level) -> Vec<u8> {
    let options = Options { level, ..Options::default() };
    let mut session = Session::default();
    let shown = module.to_string();
    let artifacts = build_module(module, &[Emit::Bin], &options, &mut session);
    let artifacts = artifacts
        .unwrap_or_else(|failure| panic!("{failure:?} {:?}\n{shown}", session.diagnostics.iter().next()));
    cairn_evm::hex::decode(artifacts.get(Emit::Bin).expect("bytecode was asked for")).expect("hex")
}

/// A chain with the code at [`ADDRESS`].
pub(crate) fn machine(code: Vec<u8>) -> Machine {
    let mut machine = Machine::new(Environment::default());
    machine.set_code(ADDRESS, code);
    machine
}

/// Calls the code under test.
pub(crate) fn call(machine: &mut Machine, data: Vec<u8>) -> Outcome {
    machine.call(ADDRESS, &Message::new(data)).expect("the call is executed")
}

/// Steele, Lea, Flood, *Fast splittable pseudorandom number generators* (OOPSLA 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        cairn_testkit::next_random(&mut self.0)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }
}
