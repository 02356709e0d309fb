//! What generators of programs have in common: statements until enough are made, branches and loops around them, and
//! templates: `[x|y]` is one of them, `#` and a letter a place for other text.

use crate::random::Random;

/// Up to `n` statements, as long as `left` are.
pub(crate) fn sequence<G>(
    generator: &mut G,
    n: usize,
    left: fn(&mut G) -> &mut usize,
    statement: fn(&mut G) -> String,
) -> String {
    let mut text = String::new();
    for _ in 0..n {
        if *left(generator) > 0 {
            *left(generator) -= 1;
            text += &statement(generator);
            text += "\n";
        }
    }
    text
}

/// The template with `fill` of the letter in place of each `#` and its letter.
pub(crate) fn filled(template: &str, mut fill: impl FnMut(&str) -> String) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, behind)) = rest.split_once('#') {
        text += before;
        text += &fill(&behind[..1]);
        rest = &behind[1..];
    }
    text + rest
}

/// The template with one of each of its choices.
pub(crate) fn chosen(template: &str, random: &mut Random) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, behind)) = rest.split_once('[') {
        text += before;
        let (choices, after) = choices(behind);
        let choice = *random.pick(&choices);
        text += &chosen(choice, random);
        rest = after;
    }
    text + rest
}

/// The choices up to the bracket that ends them, and what follows it.
pub(crate) fn choices(text: &str) -> (Vec<&str>, &str) {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b'|' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            b']' if depth == 0 => {
                found.push(&text[start..at]);
                return (found, &text[at + 1..]);
            }
            b']' => depth -= 1,
            _ => {}
        }
    }
    unreachable!("a bracket is open in `{text}`")
}

/// Statements that run if a test holds.
pub(crate) fn branch(test: &str, body: &str) -> String {
    format!("if {test} {{\n{body}}}")
}

/// Statements that run if a test is 0, and others that run if not.
pub(crate) fn choice(test: &str, zero: &str, other: &str) -> String {
    format!("switch {test} case 0 {{\n{zero}}} default {{\n{other}}}")
}

/// Statements that run `n` times; `counter` counts.
pub(crate) fn rounds(counter: &str, n: usize, body: &str) -> String {
    format!(
        "for {{ let {counter} := 0 }} lt({counter}, {n}) {{ {counter} := add({counter}, 1) }} {{\n{body}}}"
    )
}
