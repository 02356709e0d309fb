//! Solidity to EVM bytecode: solc is the front end, Cairn makes the code.
//!
//! A request in solc's standard JSON goes to a solc that is asked for Yul ([`frontend`]), each
//! object of that Yul is compiled once, and the answer is solc's with Cairn's code in it.

pub mod frontend;
