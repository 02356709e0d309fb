//! Tests of the layout.

use cairn_diag::FileId;

use super::*;
use crate::parse;

fn reprint(text: &str) -> String {
    let dialect = Dialect::default();
    let parsed = parse(text, FileId(0), &dialect);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    let object = parsed.object.expect("invariant: no errors");
    print_object(&object, &parsed.names, &dialect, DebugComments::Print)
}

/// Prints and compares; then prints what was printed.
fn check(text: &str, expected: &str) {
    assert_eq!(reprint(text), expected);
    assert_eq!(reprint(expected), expected);
}

#[test]
fn short_blocks_stand_on_one_line() {
    check("{}", "{ }");
    check("{{let x:=1}}", "{ { let x := 1 } }");
    check("{ let x let y }", "{\n    let x\n    let y\n}");
    // 29 and 30 bytes of content.
    check("{ sstore(1234567890, 1234567890) }", "{\n    sstore(1234567890, 1234567890)\n}");
    check("{ sstore(123456789, 1234567890) }", "{ sstore(123456789, 1234567890) }");
}

#[test]
fn statements_have_their_layout() {
    check(
        "{ if 1 { leave_(1) } function leave_(x) {} }",
        "{\n    if 1 { leave_(1) }\n    function leave_(x)\n    { }\n}",
    );
    check(
        "{ switch 1 case 1 {} default { pop(2) pop(3) } }",
        "{\n    switch 1\n    case 1 { }\n    default {\n        pop(2)\n        pop(3)\n    }\n}",
    );
    check("{ for {} 1 {} { break } }", "{\n    for { } 1 { }\n    { break }\n}");
    check(
        "{ function f(a,b)->c,d { c,d:=f(a,b) leave } }",
        "{\n    function f(a, b) -> c, d\n    {\n        c, d := f(a, b)\n        leave\n    }\n}",
    );
}

#[test]
fn literals_keep_their_text() {
    check(
        r#"{ let x := 0x0A let y := "a\x00\"\u00e9" }"#,
        "{\n    let x := 0x0A\n    let y := \"a\\x00\\\"\\xc3\\xa9\"\n}",
    );
    check("{ let x := hex'41_42' }", "{ let x := \"AB\" }");
    check("{ let x := true }", "{ let x := true }");
}

#[test]
fn debug_comments_mark_changes_of_location() {
    let text = r#"/// @use-src 3:"a b.sol", 4:"c"
object "o" {
    code {
        /// @src 3:1:2
        let x := 1
        let y := add(/** @src 4:5:6 */ x, 1)
        /// @src 3:1:2
        pop(x)
    }
    object "p" { code { pop(datasize(".")) } }
    data "d" "ab"
}"#;
    let with = reprint(&text.replace("\".\"", "\"p\""));
    let expected = text
        .replace(
            "    object \"p\" { code { pop(datasize(\".\")) } }",
            "    object \"p\" {\n        code { pop(datasize(\"p\")) }\n    }",
        )
        .replace("\"ab\"", "hex\"6162\"");
    assert_eq!(with, expected);
}
