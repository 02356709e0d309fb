//! What the README says that the compiler prints is what it prints.

use cairn_driver::{Emit, Input, Language, Options, Session, build};

const README: &str = include_str!("../../../README.md");
const LOOP: &str = include_str!("../../../examples/loop.yul");

#[test]
fn the_listing_of_the_loop_is_true() {
    let options = Options::default();
    let mut session = Session::default();
    let input = Input { name: "loop.yul".to_owned(), text: LOOP.to_owned(), language: Language::Yul };
    let built = build(&input, &[Emit::Asm, Emit::Bin], &options, &mut session).expect("the example compiles");
    let (listing, digits) = (built.get(Emit::Asm).expect("asm"), built.get(Emit::Bin).expect("bin"));
    assert!(README.contains(&format!("```\n{}\n```", listing.trim_end())), "README.md lacks:\n{listing}");
    let size = format!("prints its {} bytes", digits.len() / 2);
    assert!(README.contains(&size), "README.md lacks: {size}");
    let program: String =
        LOOP.lines().filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect();
    assert!(README.contains(&format!("```yul\n{program}```")), "README.md lacks examples/loop.yul");
}
