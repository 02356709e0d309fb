//! `require` and `assert` in the place where they are called, for debuggers.
//!
//! solc's Yul calls a helper function for each check, and helpers have the location of the whole
//! contract: a debugger or a coverage tool finds no branch in the line of the `require`. Where code
//! is for debugging (-O0), the helper's body takes the place of the call, and so its location:
//!
//! ```text
//! require_helper_t_stringliteral_11b2(expr_31)
//!     → { let condition_in_place := expr_31 if iszero(condition_in_place) { … } }
//! ```
//!
//! Names in the body shadow nothing: parameters of a helper have the names of what its first call is given,
//! so all that it declares gets names that the text does not have.

/// How names of helpers begin.
const HELPERS: [&str; 2] = ["require_helper", "assert_helper"];

/// A helper function.
struct Helper<'t> {
    name: &'t str,
    params: Vec<String>,
    body: String,
}

/// The text with the helpers' bodies in the places of their calls; as it is where it has none.
pub(crate) fn in_place(text: &str) -> Option<String> {
    let suffix = suffix(text);
    let helpers: Vec<Helper<'_>> =
        HELPERS.iter().flat_map(|prefix| definitions(text, prefix, &suffix)).collect();
    if helpers.is_empty() {
        return None;
    }
    let mut calls: Vec<usize> =
        HELPERS.iter().flat_map(|prefix| text.match_indices(prefix)).map(|(at, _)| at).collect();
    calls.sort_unstable();
    let mut result = String::with_capacity(text.len() * 5 / 4);
    let mut done = 0;
    for at in calls {
        // A call inside another is a part of its arguments.
        if at < done || text[..at].ends_with("function ") {
            continue;
        }
        if let Some((body, length)) = inline(&helpers, &text[at..]) {
            result += &text[done..at];
            result += &body;
            done = at + length;
        }
    }
    Some(result + &text[done..])
}

/// What stands for the call at the start of a text, and the call's length.
fn inline(helpers: &[Helper<'_>], call: &str) -> Option<(String, usize)> {
    let open = call.find('(')?;
    let helper = helpers.iter().find(|helper| helper.name == &call[..open])?;
    let close = open + matching(&call[open..], '(', ')')?;
    let args = arguments(&call[open + 1..close]);
    if args.len() != helper.params.len() {
        return None;
    }
    let lets = helper.params.iter().zip(args).map(|(param, arg)| format!("let {param} := {arg} "));
    Some((format!("{{ {}{} }}", lets.collect::<String>(), helper.body), close + 1))
}

/// The functions of a text whose names begin so and that give nothing back. What they declare ends with the
/// suffix.
fn definitions<'t>(text: &'t str, prefix: &str, suffix: &str) -> Vec<Helper<'t>> {
    let head = format!("function {prefix}");
    let found = text.match_indices(&head).filter_map(|(at, _)| {
        let definition = &text[at + "function ".len()..];
        let open = definition.find('(')?;
        let close = open + matching(&definition[open..], '(', ')')?;
        let start = close + definition[close..].find('{')?;
        let has_results = definition[close..start].contains("->");
        let end = start + matching(&definition[start..], '{', '}')?;
        let params = arguments(&definition[open + 1..close]);
        let body = definition[start + 1..end].trim();
        let declared: Vec<&str> = params.iter().copied().chain(variables(body)).collect();
        let params = params.iter().map(|param| format!("{param}{suffix}")).collect();
        let helper = Helper { name: &definition[..open], params, body: renamed(body, &declared, suffix) };
        (!has_results).then_some(helper)
    });
    found.collect()
}

/// The end of names that no name in the text has.
fn suffix(text: &str) -> String {
    let mut suffix = "_in_place".to_owned();
    while text.contains(&suffix) {
        suffix.push('_');
    }
    suffix
}

/// The variables that a body declares.
fn variables(body: &str) -> impl Iterator<Item = &str> {
    let declarations = body.match_indices("let ").map(|(at, word)| &body[at + word.len()..]);
    declarations.flat_map(|rest| {
        let end = rest.find(|c: char| !is_of_name(c) && c != ',' && c != ' ').unwrap_or(rest.len());
        rest[..end].split(',').map(str::trim)
    })
}

/// The text with a suffix at each of these names.
fn renamed(text: &str, names: &[&str], suffix: &str) -> String {
    let mut result = String::with_capacity(text.len() * 5 / 4);
    for piece in text.split_inclusive(|c: char| !is_of_name(c)) {
        let name = piece.trim_end_matches(|c: char| !is_of_name(c));
        result += name;
        if names.contains(&name) {
            result += suffix;
        }
        result += &piece[name.len()..];
    }
    result
}

/// Whether names have it.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.')
}

/// Names or expressions with `,` between them.
fn arguments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

/// Where the bracket closes that opens a text; strings and comments have no brackets.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut is_string) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_string = !is_string,
            _ if is_string => {}
            c if c == open => depth += 1,
            c if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::in_place;

    #[test]
    fn bodies_take_the_places_of_calls() {
        let text = "function fun_f(a) { require_helper_x(gt(a, 1), a) assert_helper(a) }\n\
                    function require_helper_x(condition , value) { if iszero(condition) { revert(0, value) } }\n\
                    function assert_helper(c) { if iszero(c) { panic() } }";
        let expected = "function fun_f(a) { { let condition_in_place := gt(a, 1) let value_in_place := a \
                        if iszero(condition_in_place) { revert(0, value_in_place) } } \
                        { let c_in_place := a if iszero(c_in_place) { panic() } } }\n";
        assert!(in_place(text).unwrap().starts_with(expected), "{:?}", in_place(text));
    }

    #[test]
    fn names_in_place_are_new() {
        let text = "function fun_f(a, end) { let expr_1 := g() require_helper_x(a, expr_1) }\n\
                    function require_helper_x(condition , expr_1) { let end := add(expr_1, expr_10) \
                    let p, q := g() revert(p, end) }";
        let expected = "{ let condition_in_place := a let expr_1_in_place := expr_1 \
                        let end_in_place := add(expr_1_in_place, expr_10) \
                        let p_in_place, q_in_place := g() revert(p_in_place, end_in_place) } }\n";
        let new = in_place(text).unwrap();
        assert!(new.contains(expected), "{new}");
        let new = in_place(&text.replace("expr_10", "end_in_place")).unwrap();
        assert!(new.contains("let end_in_place_ := add(expr_1_in_place_, end_in_place)"), "{new}");
    }

    #[test]
    fn other_texts_stay() {
        assert_eq!(in_place("function f() { require(1) }"), None);
        for text in [
            "function require_helper",
            "function require_helper(a",
            "function require_helper(a) { require_helper(",
            "",
        ] {
            assert!(in_place(text).is_none_or(|new| new == text), "{text}");
        }
        let recursive = "function require_helper(a) { require_helper(b, c) }";
        assert_eq!(in_place(recursive).unwrap(), recursive);
    }
}
