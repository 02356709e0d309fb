//! Nets: random programs that keep what Cairn assumes about programs by a hair, each net with a
//! picture of its own. Every level does what `-O0` does, or what the interpreter of EVM-IR or the host's
//! arithmetic does.
//!
//! A few fixed seeds run here; `cargo xtask nets` runs any number.

mod answers;
mod assumptions;
mod capped;
mod checks;
mod constants;
mod copies;
mod counting;
mod dispatch;
mod elements;
mod failures;
mod floats;
mod harness;
mod kept;
mod loops;
mod mixed;
mod outputs;
#[path = "../differential/random.rs"]
mod random;
mod rows;
mod scratch;
mod skeleton;
mod statics;
mod tables;
mod teeth;
mod texts;
mod unguarded;
mod ways;
mod widths;
mod world;

use harness::{run_net, run_net_at};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Programs of a net where nobody asks for more.
const FEW: u64 = 12;

#[test]
fn scratch() {
    run_net("scratch", 2 * FEW, scratch::case);
}

#[test]
fn statics() {
    run_net("statics", 2 * FEW, statics::case);
}

#[test]
fn dispatch() {
    run_net("dispatch", 2 * FEW, dispatch::case);
}

#[test]
fn elements() {
    run_net("elements", 2 * FEW, elements::case);
}

#[test]
fn unguarded() {
    run_net("unguarded", 2 * FEW, unguarded::case);
}

#[test]
fn failures() {
    run_net("failures", FEW, failures::case);
}

#[test]
fn answers() {
    run_net("answers", 2 * FEW, answers::case);
}

#[test]
fn capped() {
    run_net("capped", 2 * FEW, capped::case);
}

#[test]
fn texts() {
    run_net("texts", 2 * FEW, texts::case);
}

#[test]
fn kept() {
    run_net("kept", 2 * FEW, kept::case);
}

#[test]
fn outputs() {
    run_net("outputs", 2 * FEW, outputs::case);
}

#[test]
fn copies() {
    copies::run(2 * FEW);
}

#[test]
fn rows() {
    run_net("rows", 2 * FEW, rows::case);
}

#[test]
fn checks() {
    run_net("checks", 2 * FEW, checks::case);
}

#[test]
fn loops() {
    run_net("loops", FEW, loops::case);
}

#[test]
fn counting() {
    run_net("counting", 2 * FEW, counting::case);
}

#[test]
fn constants() {
    run_net_at("constants", FEW, constants::case, constants::variants);
}

#[test]
fn mixed() {
    run_net_at("mixed", FEW, mixed::case, mixed::variants);
}

#[test]
fn mixed_interpreted() {
    mixed::run_interpreted(FEW);
}

#[test]
fn tables() {
    tables::run(20 * FEW);
}

#[test]
fn widths() {
    widths::run(8 * FEW);
}

// Shows S003-38.
#[test]
fn floats() {
    floats::run(4 * FEW);
}

/// A test for each net that is a file of its own.
macro_rules! nets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            run_net(stringify!($name), FEW, assumptions::$name::case);
        })*
    };
}

nets! {
    a01_gas
    a02_msize
    a03_frames
    a04_no_frames
    a05_code
    a06_reentrancy
    a07_verbatim
    a08_reverted
    a09_immutables
    a10_recursion
    a11_keys
    a12_bounds
    a13_huge
    a14_end
    a15_words
    a16_lifted
    a17_pointer
    a18_answers
    a19_allocations
}
