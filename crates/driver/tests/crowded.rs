//! Programs without a frame whose words are more than the stack reaches: there is code for them at every level, if
//! any way to make it leaves room.

use cairn_driver::{Input, Language, Level, Options, Session, compile};

/// A function that is called once, with words of call data, and uses all of them twice beside others.
fn program(n_words: usize) -> String {
    let names: Vec<String> = (0..n_words).map(|index| format!("x{index}")).collect();
    let words: Vec<String> = (0..n_words).map(|index| format!("calldataload({})", index * 32)).collect();
    let first: String = names.iter().map(|name| format!("sstore({name}, caller())\n")).collect();
    let second: String = names.iter().rev().map(|name| format!("sstore({name}, {name})\n")).collect();
    format!(
        "{{ mstore(0, f({})) return(0, 32)
           function f({}) -> last {{
             let a := sload(0) let b := add(sload(1), 1) let c := add(sload(2), 2) let d := add(sload(3), 3)
             {first} {second} log4(0, 0, a, b, c, d) last := a
           }} }}",
        words.join(", "),
        names.join(", ")
    )
}

/// A loop that uses so many sums of a word and a constant.
fn sums(n_sums: usize) -> String {
    let sums: String =
        (1..=n_sums).map(|index| format!("let s{index} := add(p, {})\n", index * 32)).collect();
    let uses: String = (1..=n_sums).map(|index| format!("sstore(s{index}, i)\n")).collect();
    format!(
        "{{ let p := calldataload(0) let n := calldataload(32) {sums}
           for {{ let i := 0 }} lt(i, n) {{ i := add(i, 1) }} {{ {uses} }} }}"
    )
}

/// Bytes of the code, if there is any.
fn size(text: &str, options: &Options) -> Option<usize> {
    let input = Input { name: "a.yul".to_owned(), text: text.to_owned(), language: Language::Yul };
    let mut session = Session::default();
    let code = compile(&input, options, &mut session);
    assert_eq!(code.is_err(), !session.diagnostics.is_empty(), "an error and its words, or neither");
    code.ok().map(|code| code.assembled.bytes.len())
}

fn has_code(text: &str, options: &Options) -> bool {
    size(text, options).is_some()
}

#[test]
fn sums_that_crowd_the_stack_are_made_anew_at_every_level_that_optimizes() {
    let size_at = |level| {
        let options = Options { level, ..Options::default() };
        size(&sums(16), &options).unwrap_or_else(|| panic!("-O{level}"))
    };
    for level in [Level::O1, Level::O2, Level::Os] {
        assert!(4 * size_at(level) <= 3 * size_at(Level::O0), "-O{level} is no unoptimized code");
    }
}

#[test]
fn levels_at_which_words_do_not_fit_take_the_way_of_others() {
    for level in Level::ALL {
        let options = Options { level, ..Options::default() };
        assert!(has_code(&program(15), &options), "-O{level}");
    }
}

#[test]
fn what_is_called_once_becomes_part_of_its_caller_at_last() {
    // No inlining that could crowd the stack; and all levels below have too little of it.
    let options = Options { max_live: 0, ..Options::default() };
    assert!(has_code(&program(15), &options));
}

#[test]
fn what_fits_in_no_way_is_an_error() {
    let results: Vec<String> = (0..20).map(|index| format!("r{index}")).collect();
    let calls: String =
        results.iter().map(|name| format!("let {name} := call(gas(), 1, 0, 0, 0, 0, 32)\n")).collect();
    let uses: String = results.iter().map(|name| format!("sstore({name}, mload({name}))\n")).collect();
    for level in Level::ALL {
        let options = Options { level, ..Options::default() };
        assert!(!has_code(&format!("{{ {calls} {uses} {uses} }}"), &options), "-O{level}");
    }
}
