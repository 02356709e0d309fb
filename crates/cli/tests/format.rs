//! Formatting keeps comments: random ones, put between the tokens of real inputs, come out in order,
//! once, and nothing else changes; formatting again changes nothing.
//!
//! Inputs are the repository's own and a sample of the corpus, where there is one.

use cairn_driver::{Input, Language, Options, Session};
use std::path::{Path, PathBuf};

/// Files of the corpus that are taken.
const CORPUS_SAMPLE: usize = 150;

/// Longer inputs are left out, so that the test takes seconds.
const MAX_BYTES: usize = 40_000;

#[test]
fn random_comments_come_out_in_order_once() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut counts = [0_usize; 3];
    for path in inputs() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let Some(language) = Language::of_path(&path).filter(|_| text.len() < MAX_BYTES) else { continue };
        let Some(plain) = format(&text, language) else { continue };
        for share in [3, 8, 20] {
            let commented = insert_comments(&text, language, share, &mut random);
            // In EVM-IR a line break can end an instruction.
            let Some(formatted) = format(&commented, language) else {
                assert_eq!(language, Language::EvmIr, "{}:\n{commented}", path.display());
                continue;
            };
            counts[language as usize % 3] += 1;
            check(&path, language, &commented, &plain, &formatted);
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

fn check(path: &Path, language: Language, source: &str, plain: &str, formatted: &str) {
    let (wanted, _) = split(source, language);
    let (found, code) = split(formatted, language);
    assert_eq!(wanted, found, "{}: other comments:\n{source}\n----\n{formatted}", path.display());
    let (_, plain_code) = split(plain, language);
    assert_eq!(code, plain_code, "{}: other code:\n{source}\n----\n{formatted}", path.display());
    let again = format(formatted, language).unwrap_or_default();
    assert_eq!(formatted, again, "{}: not a fixpoint:\n{source}", path.display());
}

fn format(text: &str, language: Language) -> Option<String> {
    let input = Input { name: "input".to_owned(), text: text.to_owned(), language };
    cairn_driver::format(&input, &Options::default(), &mut Session::default()).ok()
}

/// The comments of a text, and its code without blanks.
fn split(text: &str, language: Language) -> (Vec<String>, String) {
    let (mut comments, mut code) = (Vec::new(), String::new());
    for (piece, is_comment) in pieces(text, language) {
        match is_comment {
            true => comments.push(piece.trim_end().to_owned()),
            false => code.extend(piece.chars().filter(|character| !character.is_whitespace())),
        }
    }
    (comments, code)
}

/// A text in pieces: comments, strings, words, blanks and other characters.
fn pieces(text: &str, language: Language) -> Vec<(&str, bool)> {
    let is_yul = language == Language::Yul;
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_line = rest.starts_with("//") || !is_yul && first == ';';
        let is_block = is_yul && rest.starts_with("/*");
        let length = if is_line {
            rest.find('\n').unwrap_or(rest.len())
        } else if is_block {
            rest[2..].find("*/").map_or(rest.len(), |end| end + 4)
        } else if first == '"' || is_yul && first == '\'' {
            string_length(rest, first)
        } else if is_part_of_word(first) {
            rest.find(|character| !is_part_of_word(character)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (piece, after) = rest.split_at(length);
        pieces.push((piece, is_line || is_block));
        rest = after;
    }
    pieces
}

fn is_part_of_word(character: char) -> bool {
    // Signs are parts of words, so that `:=`, `->`, `-1`, `%x` and `!0` stay whole.
    character.is_alphanumeric() || "_$.:=->%^@!→".contains(character)
}

fn string_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Puts a comment into about one of `share` places.
fn insert_comments(text: &str, language: Language, share: u64, random: &mut Random) -> String {
    let mut out = String::new();
    let mut number = 0;
    let pieces = pieces(text, language);
    for (index, (piece, is_comment)) in pieces.iter().enumerate() {
        out.push_str(piece);
        let next = pieces.get(index + 1).map_or("\n", |(next, _)| next);
        if *is_comment || !random.one_of(share) || !may_stand(piece, next, language) {
            continue;
        }
        number += 1;
        out.push_str(&comment(number, language, random));
    }
    out
}

/// True where a comment stands between two tokens, and in EVM-IR where it does not end a line.
fn may_stand(piece: &str, next: &str, language: Language) -> bool {
    match language {
        Language::EvmIr => matches!(piece, "," | "{" | "}" | "\n") || next == "\n",
        _ => !(piece.ends_with(is_part_of_word) && next.starts_with(['"', '\''])),
    }
}

fn comment(number: usize, language: Language, random: &mut Random) -> String {
    let is_yul = language == Language::Yul;
    match random.next() % 6 {
        0 if is_yul => format!("/*{number}*/"),
        1 if is_yul => format!(" /** a {number}\n  * b */\n"),
        2 if is_yul => format!("\n/* \"{number} */ "),
        3 if !is_yul => format!("; {{ {number}\n"),
        4 => format!("\n  // }} {number}\n"),
        _ => format!(" //{number} \n"),
    }
}

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    fn one_of(&mut self, share: u64) -> bool {
        self.next().is_multiple_of(share)
    }
}

fn inputs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    collect(&root.join("tests/filetests"), &mut paths);
    collect(&root.join("examples"), &mut paths);
    let corpus =
        std::env::var_os("CAIRN_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let mut sample = Vec::new();
    collect(&corpus, &mut sample);
    sample.sort();
    let step = sample.len() / CORPUS_SAMPLE + 1;
    paths.extend(sample.into_iter().step_by(step));
    paths.sort();
    paths
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if Language::of_path(&path).is_some_and(|language| language != Language::Hex) {
            paths.push(path);
        }
    }
}
