//! What generators of programs have in common: statements until enough are made, branches and loops around them, and
//! templates that are filled in.

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
