//! A net of programs as people write them: in Solidity, read by solc. What Cairn makes of solc's IR does what
//! solc's own code does.
//!
//! `cargo xtask solidity` runs it; it needs node and npm's package `solc`. What runs here always are tests of
//! the generator.

mod calls;
mod constructs;
mod front;
mod generator;
mod judge;
#[path = "../differential/random.rs"]
mod random;
mod reduce;
mod run;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// All programs that are asked for.
#[test]
#[ignore = "needs node and solc: cargo xtask solidity"]
fn programs() {
    run::run();
}

/// Prints a program.
#[test]
#[ignore = "prints the program of a seed"]
fn show() {
    let text = judge::program(run::setting("CAIRN_SOLIDITY_SEED").unwrap_or(0)).text;
    println!("\n{text}");
}

/// Few seeds have everything that people write.
#[test]
fn every_construct_occurs() {
    let texts: Vec<String> = (0..200).map(|seed| judge::program(seed).text).collect();
    let missing: Vec<&str> = constructs::ALL
        .iter()
        .filter(|construct| texts.iter().filter(|text| text.contains(**construct)).count() < 2)
        .copied()
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn same_seed_same_program() {
    for seed in [0, 7, 1_000_003] {
        let [first, second] = [0; 2].map(|_| judge::program(seed));
        assert_eq!(first.text, second.text);
        let of = |program| format!("{:?}", calls::calls(program, seed));
        assert_eq!(of(&first), of(&second));
    }
    assert_ne!(judge::program(1).text, judge::program(2).text);
}
