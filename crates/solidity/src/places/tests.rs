//! What gets a place, and what does not.

use super::{Detail, placed};
use crate::message::Texts;

const HEAD: &str = "/// @use-src 0:\"a.sol\"\nobject \"A\" {\n    code {\n        /// @src 0:0:0\n";

/// The Yul of a function whose source this is, with these lines in it; what it becomes.
fn function(source: &str, lines: &str) -> String {
    let texts = Texts::from([("a.sol".to_owned(), source.to_owned())]);
    let body: String = lines.lines().map(|line| format!("            {line}\n")).collect();
    let end = source.len();
    let head = format!("{HEAD}        /// @src 0:0:{end}  \"...\"\n        function fun_a_1() {{\n");
    let yul = format!("{head}{body}        }}\n    }}\n}}\n");
    let new = placed(&yul, &texts, Detail::All).into_owned();
    assert_eq!(new.lines().count(), yul.lines().count());
    let middle = new[head.len()..].lines().take(lines.lines().count());
    middle.map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_call_has_its_place_and_gives_the_old_one_back() {
    let source = "function a() { x = 1; /* g() */ super.g(); }";
    let place = source.find("super").expect("it stands there");
    assert_eq!(
        function(source, "/// @src 0:15:20  \"x = 1\"\nf(1)\nfun_g_22()"),
        format!(
            "/// @src 0:15:20  \"x = 1\"\nf(1)\n/** @src 0:{place}:{} */ fun_g_22() /** @src 0:15:20 */",
            place + 9
        )
    );
}

#[test]
fn several_calls_are_in_order() {
    let found = function("function a() { g(); g(); }", "fun_g_2()\nfun_g_3()");
    assert!(found.contains("/** @src 0:15:18 */ fun_g_2()"), "{found}");
    assert!(found.contains("/** @src 0:20:23 */ fun_g_3()"), "{found}");
}

#[test]
fn a_return_of_nothing_ends_before_its_semicolon() {
    let found = function("function a() { return; }", "/// @src 0:15:22  \"return;\"\nleave");
    assert!(found.ends_with("\n/** @src 0:15:21 */ leave"), "{found}");
    let lines = "/// @src 0:15:24\nleave";
    assert_eq!(function("function a() { return x; }", lines), lines);
}

#[test]
fn what_returns_nothing_to_the_outside_stops() {
    let encoded = "let memEnd := abi_encode_tuple__to__fromStack(memPos  )";
    let found = function("function a() {}", &format!("{encoded}\nreturn(memPos, sub(memEnd, memPos))"));
    assert_eq!(found, format!("{encoded}\nstop() return(memPos, sub(memEnd, memPos))"));
    let lines = "let memEnd := abi_encode_tuple_t_bool__to_t_bool__fromStack(memPos, x)\nreturn(memPos, sub(memEnd, memPos))";
    assert_eq!(function("function a() {}", lines), lines);
}

#[test]
fn what_copies_a_word_has_code() {
    let lines = "/// @src 0:19:20\nlet expr_2 := var_a_1\n/// @src 0:15:20\nvar_b_3 := expr_2";
    let found = function("function a() { b = a; }", lines);
    assert_eq!(found, lines.replace("var_b_3 :=", &format!("{}var_b_3 :=", super::NOTHING)));
    let lines = lines.replace("var_a_1", "fun_f_9(var_a_1)").replace("19:20", "15:20");
    assert_eq!(function("function a() { b = a; }", &lines), lines);
}

#[test]
fn what_is_not_plain_has_no_place() {
    let lines = "fun_g_2()\nfun_g_2()";
    // Another contract's function of that name; a call of its own contract from outside is not meant.
    assert_eq!(function("function a() { g(); b.g(); g(); }", lines), lines);
    assert!(function("function a() { g(); this.g(); g(); }", lines).contains("0:30:33"));
    // No call at all, and one with arguments.
    assert_eq!(function("function a() { h(); }", "fun_g_2()"), "fun_g_2()");
    assert_eq!(function("function a() { g(1); }", "fun_g_2(1)"), "fun_g_2(1)");
    // A contract is no function: its initial values are elsewhere.
    assert_eq!(function("contract A { B b = g(); }", "fun_g_2()"), "fun_g_2()");
}

#[test]
fn calls_are_in_the_order_of_the_source() {
    let arms = "switch x\ncase 0 {\nswitch y\ncase 0 {\nfun_g_2()\n}\ndefault {\nfun_g_2()\n}\nfun_g_2()\n}\ndefault {\nfun_g_2()\n}";
    let source = "function a() { g(); if (x) g(); else { if (y) g(); else g(); g(); } g(); }";
    let found = function(source, &format!("fun_g_2()\n{arms}\nfun_g_2()"));
    let calls = found.lines().filter(|line| line.contains("fun_g_2()"));
    let starts = calls.filter_map(|line| line.strip_prefix("/** @src 0:")?.split(':').next()?.parse().ok());
    let starts: Vec<usize> = starts.collect();
    let source: Vec<usize> = source.match_indices("g();").map(|(at, _)| at).collect();
    assert_eq!(starts, [0, 3, 2, 4, 1, 5].map(|index| source[index]));
    let lines = "switch iszero(success)\ncase 0 {\nfun_g_2()\n}\ndefault {\nfun_g_2()\n}";
    let found = function("function a() { try b.c() { g(); } catch { g(); } }", lines);
    assert!(found.find("0:27:30") < found.find("0:42:45") && found.contains("0:42:45"), "{found}");
}

#[test]
fn the_ways_of_an_if_behind_else_meet_at_a_place() {
    let lines = "/// @src 0:15:20\nswitch x\ncase 0 {\n/// @src 0:19:20\nif y {\nf(1)\n}\n/// @src 0:15:20\n}\ndefault {\n}";
    let found = function("function a() { if (x) {} else if (y) f(); }", lines);
    let label = format!("/** @src 0:19:20 */ {}/** @src 0:15:20 */ }}\ndefault", super::NOTHING);
    assert_eq!(found, lines.replace("}\ndefault", &label));
}

#[test]
fn other_functions_do_not_count() {
    let texts = Texts::from([("a.sol".to_owned(), "function a() { g(); }".to_owned())]);
    let other = "function help() {\n}\nfunction fun_b_2() {\nfun_g_2()\n}\n";
    let yul = format!("{HEAD}{other}    }}\n}}\n");
    assert_eq!(placed(&yul, &texts, Detail::All), yul);
}

#[test]
fn parts_of_assembly_have_places() {
    let source = "assembly { if lt(x.slot, 2) { x := f(1) } }";
    let texts = Texts::from([("a.sol".to_owned(), source.to_owned())]);
    let yul = format!(
        "{HEAD}/// @src 0:0:{}  \"assembly {{\"\n{{\nif lt(0x05, 2)\n{{ var_x_3 := usr$f(1) }}\n}}\nstop()\n}}\n}}\n",
        source.len()
    );
    let new = placed(&yul, &texts, Detail::All);
    let expected = "{\n/** @src 0:11:41 */ if /** @src 0:14:27 */ lt(/** @src 0:17:23 */ 0x05, /** @src 0:25:26 */ 2)\n\
        { /** @src 0:30:39 */ var_x_3 := /** @src 0:35:39 */ usr$f(/** @src 0:37:38 */ 1) }\n\
        }/** @src 0:0:43 */ \nstop()";
    assert!(new.contains(expected), "{new}");
    assert_eq!(placed(&yul, &texts, Detail::Calls), yul);
    for other in
        ["assembly { if lt(x, 2) { x := f(1, 2) } }", "assembly { let y lt(x.slot, 2) { x := f(1) } }"]
    {
        let texts = Texts::from([("a.sol".to_owned(), format!("{other:43}"))]);
        assert_eq!(placed(&yul, &texts, Detail::All), yul);
    }
}

/// solc writes a short block on one line.
#[test]
fn assembly_on_one_line_has_places() {
    let source = "assembly { revert(0, 0) }";
    let texts = Texts::from([("a.sol".to_owned(), source.to_owned())]);
    let yul = format!("{HEAD}/// @src 0:0:{}  \"assembly\"\n    {{ revert(0, 0) }}\n}}\n}}\n", source.len());
    let call = "/** @src 0:11:23 */ /** @src 0:11:23 */ revert(/** @src 0:18:19 */ 0, /** @src 0:21:22 */ 0)";
    let expected = format!("    {{ {call} }}/** @src 0:0:25 */ \n}}");
    let new = placed(&yul, &texts, Detail::All);
    assert!(new.contains(&expected), "{new}");
    // The block of a branch is none.
    let other = yul.replace("    {", "if f() { g() }\n{");
    let other = other.replacen("/// @src 0:0:25", "/// @src 0:2:25", 1);
    assert_eq!(placed(&other, &texts, Detail::All), other);
}

#[test]
fn all_of_assembly_is_known() {
    let source = "assembly (\"memory-safe\") { for { let i } lt(i, 1) { i := add(i, 1) } { break } \
        function f(a) -> b { leave } switch f(1) case 0 { a, b := g() } default { if x { x := 1 } mstore(0, hex\"00\") } }";
    let inner = source.split_once(") ").expect("it has a block").1;
    let (marks, end) = super::assembly::marks(source, inner).expect("all is known");
    assert_eq!(end, inner.len());
    let parts: Vec<&str> = marks.iter().map(|mark| &source[mark.start..mark.end]).collect();
    for part in ["let i", "i := add(i, 1)", "break", "leave", "a, b := g()", "g()", "mstore(0, hex\"00\")"] {
        assert!(parts.contains(&part), "{part}: {parts:?}");
    }
    let bare = marks.iter().filter(|mark| mark.is_bare).map(|mark| &source[mark.start..mark.end]);
    assert_eq!(bare.collect::<Vec<_>>(), ["let i", "break", "leave", "x := 1"]);
    let shift = source.len() - inner.len();
    assert!(marks.iter().all(|mark| mark.at + shift == mark.start));
}
