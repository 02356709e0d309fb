//! Hostile texts: the parser never panics, never overflows a stack, and every message has a place
//! inside the text.

use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_yul::{DebugComments, Dialect, MAX_NESTING, Parsed, parse, print_object};

/// Number of texts of each random test: `CAIRN_FUZZ_TEXTS`, or what a normal run has time for.
fn n_texts() -> usize {
    let wanted = std::env::var("CAIRN_FUZZ_TEXTS").ok();
    wanted.map_or(20_000, |text| text.parse().expect("`CAIRN_FUZZ_TEXTS` is a number"))
}

/// A deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

const PROGRAMS: &[&str] = &[
    "{ let x := add(1, calldataload(0x20)) if lt(x, 2) { revert(0, 0) } sstore(x, \"abc\\x00\") }",
    "{ function f(a, b) -> c, d { c, d := g(a) leave } function g(a) -> b, c { b := a } let x, y := f(1, 2) }",
    "{ for { let i := 0 } lt(i, 10) { i := add(i, 1) } { if i { continue } break } }",
    "{ switch calldatasize() case 0 { stop() } case hex\"01\" { } default { invalid() } }",
    "/// @use-src 0:\"a.sol\", 1:\"b.sol\"\nobject \"a\" { code { /// @src 0:1:2\n let x := datasize(\"b\") \
     /** @src 1:3:4 \"quote\" */ pop(x) } object \"b\" { code { setimmutable(0, \"i\", loadimmutable(\"i\")) } } \
     data \"c\" hex\"00_11\" data \".metadata\" \"m\" }",
    "{ pop(memoryguard(0x80)) verbatim_1i_0o(hex\"50\", linkersymbol(\"l\")) // comment\n /* block */ }",
];

const TOKENS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    ",",
    ":=",
    ":",
    "->",
    ".",
    "-",
    ";",
    "let",
    "if",
    "switch",
    "case",
    "default",
    "for",
    "break",
    "continue",
    "leave",
    "function",
    "true",
    "false",
    "hex",
    "x",
    "y",
    "f",
    "x.y",
    "z..",
    "add",
    "pop",
    "datasize",
    "dataoffset",
    "setimmutable",
    "memoryguard",
    "verbatim_1i_1o",
    "verbatim",
    "1",
    "0x10",
    "0x",
    "01",
    "1e5",
    ".5",
    "\"s\"",
    "'t'",
    "hex\"00\"",
    "hex\"0\"",
    "\"",
    "\"\\q\"",
    "object",
    "code",
    "data",
    "\"a\"",
    "//",
    "/*",
    "*/",
    "///",
    "/** @src 0:1:2 */",
    "/// @use-src 0:\"a\"\n",
    "/// @src 7:x:1\n",
    "\n",
    "\u{202e}",
    "é",
    "\0",
    "u256",
    "dup1",
    "mcopy",
    "0x1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1",
];

fn parse_with(text: &str, fork: Fork) -> Parsed {
    let parsed = parse(text, FileId(0), &Dialect::new(fork));
    for found in parsed.diagnostics.iter() {
        let span = found.span.expect("a place");
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{found:?} in {text:?}");
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{found:?} in {text:?}");
        assert!(!found.message.is_empty() && found.code.starts_with('Y'), "{found:?}");
    }
    assert!(parsed.object.is_some() || parsed.diagnostics.has_errors(), "nothing for {text:?}");
    parsed
}

/// Parses; what is valid must survive printing.
fn check(text: &str, fork: Fork) -> bool {
    let parsed = parse_with(text, fork);
    let (Some(object), false) = (&parsed.object, parsed.diagnostics.has_errors()) else {
        return false;
    };
    let dialect = Dialect::new(fork);
    let print = |object, parsed: &Parsed| print_object(object, &parsed.names, &dialect, DebugComments::Print);
    let printed = print(object, &parsed);
    let again = parse_with(&printed, fork);
    assert!(!again.diagnostics.has_errors(), "{:?} in {printed:?}", again.diagnostics);
    assert_eq!(print(again.object.as_ref().expect("a tree"), &again), printed);
    true
}

fn random_fork(random: &mut Random) -> Fork {
    Fork::ALL[random.below(Fork::ALL.len())]
}

#[test]
fn random_tokens() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..n_texts() {
        let mut text = String::from(random.pick(&["{ ", "object \"o\" { code { ", ""]));
        for _ in 0..random.below(40) {
            text.push_str(random.pick(TOKENS));
            text.push_str(random.pick(&[" ", "", "\n"]));
        }
        text.push_str(random.pick(&["}", "} }", ""]));
        check(&text, random_fork(&mut random));
    }
}

/// Removes, repeats, swaps or replaces a piece of the text.
fn mutate(text: &str, random: &mut Random) -> String {
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut place = || boundaries[random.below(boundaries.len())];
    let (a, b) = (place(), place());
    let (start, end) = (a.min(b), a.max(b).min(a.min(b) + 12));
    let end = boundaries[boundaries.partition_point(|at| *at < end)];
    let (head, piece, tail) = (&text[..start], &text[start..end], &text[end..]);
    match random.below(4) {
        0 => format!("{head}{tail}"),
        1 => format!("{head}{piece}{piece}{tail}"),
        2 => format!("{head} {} {tail}", random.pick(TOKENS)),
        _ => format!("{head}{}{piece}{tail}", random.pick(TOKENS)),
    }
}

#[test]
fn mutated_programs() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut n_valid = 0;
    for _ in 0..n_texts() {
        let mut text = random.pick(PROGRAMS).to_owned();
        for _ in 0..=random.below(3) {
            text = mutate(&text, &mut random);
        }
        n_valid += usize::from(check(&text, Fork::Osaka));
    }
    assert!(n_valid > n_texts() / 50, "only {n_valid} mutants are valid");
}

#[test]
fn the_programs_are_valid() {
    for program in PROGRAMS {
        assert!(check(program, Fork::Osaka), "{program}");
    }
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn deep_nesting_is_an_error_with_a_place() {
    let size = 1 << 20;
    let blocks = ["{", "if 1 {", "for {} 1 {} {", "for {", "switch 1 case 1 {", "function f() {"];
    let calls = ["not(", "f(1, ", "f(2, g("];
    let texts = blocks.iter().map(|opening| ("{ ", opening)).chain(calls.iter().map(|call| ("{ pop(", call)));
    for (head, opening) in texts {
        let text = format!("{head}{}", opening.repeat(size / opening.len()));
        assert_eq!(codes(&parse_with(&text, Fork::Osaka)), ["Y7319"], "{opening}");
    }
    let names: String = (0..size / 32).map(|n| format!("object \"a{n}\" {{ code {{}} ")).collect();
    assert_eq!(codes(&parse_with(&names, Fork::Osaka)), ["Y7319"]);
    let fits = format!("{}{}", "{".repeat(MAX_NESTING), "}".repeat(MAX_NESTING));
    assert_eq!(codes(&parse_with(&fits, Fork::Osaka)), [""; 0]);
}

#[test]
fn long_texts_without_structure_are_read_in_one_go() {
    let size = 1 << 20;
    for piece in
        ["/", "\"", "x", "0", ".", "}", ")", "case 1 {}", "1 1 ", "x:=", "é", "/*", "/// @src 0:1:2\n"]
    {
        parse_with(&piece.repeat(size / piece.len()), Fork::Osaka);
        parse_with(&format!("{{ {}", piece.repeat(size / piece.len())), Fork::Osaka);
    }
}
