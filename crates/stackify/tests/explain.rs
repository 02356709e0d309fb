//! `explain` says where values live, by both schedulers, and costs nothing when not asked for.

mod common;

use cairn_stackify::{Mode, Options, stackify};

const PROGRAM: &str = "module @M {
  func @__entry() {
  ^entry:
    %buffer = evm.alloca 64 : ptr<0>
    %z = evm.constant 0 : u256
    %a = evm.calldataload %z : u256
    %unused = evm.not %a : u256
    %c = evm.iszero %a
    evm.condbr %c, ^none, ^some
  ^none:
    evm.stop
  ^some:
    %size = evm.calldatasize : u256
    evm.calldatacopy %buffer, %z, %size
    %twice = evm.add %a, %a
    evm.sstore %a, %twice
    evm.return %buffer, %size
  }
}";

fn explanation(mode: Mode) -> String {
    let options = Options { mode, explain: true, ..Options::default() };
    stackify(&common::parse(PROGRAM), &options).expect("the program has room for frames").explanation
}

// Shows S001-06, S001-23, S001-25, S001-27, S001-72.
#[test]
fn literal_rules() {
    let expected = "module `@M`, function `@__entry`
  %buffer: nowhere: pushed at each use, which costs no more than a copy
  %z: nowhere: pushed at each use, which costs no more than a copy
  %a: in memory at 0x0: another block uses it
  %unused: nowhere: nothing that is executed needs it
  %c: on the stack: all its uses are in the block that defines it
  %size: on the stack: all its uses are in the block that defines it
  %twice: on the stack: all its uses are in the block that defines it
  %buffer: 64 bytes of memory at 0x20: its address is needed
  ^entry is entered with []
  ^none is entered with []
  ^some is entered with []
";
    assert_eq!(explanation(Mode::Spec), expected);
}

#[test]
fn default_scheduler() {
    let expected = "module `@M`, function `@__entry`
  %buffer: nowhere: made again at each use for 3 gas and 3 bytes
  %z: nowhere: pushed at each use, which costs no more than a copy
  %a: on the stack: every use finds it in reach
  %unused: nowhere: nothing that is executed needs it
  %c: on the stack: every use finds it in reach
  %size: nowhere: made again at each use for 2 gas and 1 byte
  %twice: on the stack: every use finds it in reach
  %buffer: 64 bytes of memory at 0x0: its address is needed
  ^entry is entered with []
  ^none is entered with [%a]
  ^some is entered with [%a]
";
    assert_eq!(explanation(Mode::Global), expected);
}

#[test]
fn values_that_had_to_make_room_say_so() {
    // Thirty words that are all needed at the end.
    let loads: String =
        (0..30).map(|n| format!("%k{n} = evm.constant {} %v{n} = evm.sload %k{n} ", n + 1000)).collect();
    let stores: String = (0..30).map(|n| format!("evm.sstore %v{n}, %v{} ", (n + 7) % 30)).collect();
    let text = format!("module @M {{ func @__entry() {{ ^entry: {loads} {stores} evm.stop }} }}");
    let options = Options { explain: true, ..Options::default() };
    let explained = stackify(&common::parse(&text), &options).expect("there is room").explanation;
    assert!(explained.contains("in memory at 0x"), "{explained}");
    assert!(explained.contains("more words were needed at once than can be reached"), "{explained}");
    let silent = stackify(&common::parse(&text), &Options::default()).expect("there is room");
    assert_eq!(silent.explanation, "");
}
