//! Exact EVM-IR of small programs.

use cairn_diag::FileId;
use cairn_ir::Module;
use cairn_yul::Dialect;
use cairn_yul_lower::{LowerOptions, lower_object, remove_unreachable_functions};
use expect_test::{Expect, expect};

fn lower_with(text: &str, options: LowerOptions) -> Module {
    let parsed = cairn_yul::parse(text, FileId(0), &Dialect::default());
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    lower_object(&parsed.object.expect("no errors"), &parsed.names, options)
}

fn lower(text: &str) -> Module {
    lower_with(text, LowerOptions::default())
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&cairn_ir::text::print(&lower(text)));
}

#[test]
fn straight_code_keeps_order_and_evaluates_arguments_right_to_left() {
    check(
        "{ let x := sub(calldataload(0), calldataload(32)) x := add(x, 1) sstore(x, caller()) pop(x) pop(gas()) }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 32 : u256
                %1 = evm.calldataload %0 : u256
                %2 = evm.constant 0 : u256
                %3 = evm.calldataload %2 : u256
                %4 = evm.sub %3, %1 : u256
                %5 = evm.constant 1 : u256
                %6 = evm.add %4, %5 : u256
                %7 = evm.caller : u160
                evm.sstore %6, %7
                %8 = evm.gas : u256
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn an_if_merges_what_its_body_assigns() {
    check(
        "{ let a, b := f() if a { b := 7 let c := 8 c := b } sstore(a, b) function f() -> x, y { x := 1 } }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0, %1 = evm.icall @f() : u256, u256
                evm.condbr %0, ^1, ^2(%1)
              ^1:
                %2 = evm.constant 7 : u256
                %3 = evm.constant 8 : u256
                evm.br ^2(%2)
              ^2(%4 : u256):
                evm.sstore %0, %4
                evm.stop
              }
              func @f() -> (u256, u256) {
              ^0:
                %0 = evm.constant 0 : u256
                %1 = evm.constant 1 : u256
                evm.iret %1, %0
              }
            }
        "#]],
    );
}

#[test]
fn an_if_whose_body_does_not_come_back_merges_nothing() {
    check(
        "{ let a := 1 if callvalue() { a := 2 revert(0, a) } sstore(0, a) }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            %0 = evm.constant 1 : u256
            %1 = evm.callvalue : u256
            evm.condbr %1, ^1, ^2
          ^1:
            %2 = evm.constant 2 : u256
            %3 = evm.constant 0 : u256
            evm.revert %3, %2
          ^2:
            %4 = evm.constant 0 : u256
            evm.sstore %4, %0
            evm.stop
          }
        }
    "#]],
    );
}

#[test]
fn a_loop_has_parameters_for_what_it_assigns() {
    check(
        "{ let s for { let i := 0 } lt(i, 10) { i := add(i, 1) } { let t := mul(i, i) s := add(s, t) } sstore(0, s) }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 0 : u256
                %1 = evm.constant 0 : u256
                evm.br ^1(%0, %1)
              ^1(%2 : u256, %3 : u256):
                %4 = evm.constant 10 : u256
                %5 = evm.lt %3, %4 : bool
                evm.condbr %5, ^2, ^3
              ^2:
                %6 = evm.mul %3, %3 : u256
                %7 = evm.add %2, %6 : u256
                %8 = evm.constant 1 : u256
                %9 = evm.add %3, %8 : u256
                evm.br ^1(%7, %9)
              ^3:
                %10 = evm.constant 0 : u256
                evm.sstore %10, %2
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn continue_runs_the_post_block_and_break_leaves() {
    check(
        "{ let s := 5 for { let i := 0 } lt(i, 10) { i := add(i, 1) } { if eq(i, 3) { s := 1 continue } if eq(i, 7) { break } s := 2 } sstore(0, s) }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 5 : u256
                %1 = evm.constant 0 : u256
                evm.br ^1(%0, %1)
              ^1(%2 : u256, %3 : u256):
                %4 = evm.constant 10 : u256
                %5 = evm.lt %3, %4 : bool
                evm.condbr %5, ^2, ^8
              ^2:
                %6 = evm.constant 3 : u256
                %7 = evm.eq %3, %6 : bool
                evm.condbr %7, ^3, ^4
              ^3:
                %8 = evm.constant 1 : u256
                evm.br ^7(%8)
              ^4:
                %9 = evm.constant 7 : u256
                %10 = evm.eq %3, %9 : bool
                evm.condbr %10, ^5, ^6
              ^5:
                evm.br ^8
              ^6:
                %11 = evm.constant 2 : u256
                evm.br ^7(%11)
              ^7(%12 : u256):
                %13 = evm.constant 1 : u256
                %14 = evm.add %3, %13 : u256
                evm.br ^1(%12, %14)
              ^8:
                %15 = evm.constant 0 : u256
                evm.sstore %15, %2
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn an_endless_loop_without_break_has_no_code_after_it() {
    check(
        "{ for { } 1 { } { sstore(0, 1) } sstore(0, 2) }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            evm.br ^1
          ^1:
            %0 = evm.constant 1 : u256
            %1 = evm.constant 0 : u256
            evm.sstore %1, %0
            evm.br ^1
          }
        }
    "#]],
    );
}

#[test]
fn a_variable_that_a_loop_only_assigns_in_dead_ends_needs_no_parameter() {
    check(
        "{ let a := caller() for { } callvalue() { } { if a { a := 2 sstore(0, a) stop() } } sstore(1, a) }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.caller : u160
                evm.br ^1
              ^1:
                %1 = evm.callvalue : u256
                evm.condbr %1, ^2, ^5
              ^2:
                evm.condbr %0, ^3, ^4
              ^3:
                %2 = evm.constant 2 : u256
                %3 = evm.constant 0 : u256
                evm.sstore %3, %2
                evm.stop
              ^4:
                evm.br ^1
              ^5:
                %4 = evm.constant 1 : u256
                evm.sstore %4, %0
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn a_switch_with_default() {
    check(
        "{ let a := 1 switch callvalue() case 0 { a := 2 } case 5 { } default { a := 3 } sstore(0, a) }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 1 : u256
                %1 = evm.callvalue : u256
                evm.switch %1, default ^3
                  case 0 -> ^1
                  case 5 -> ^2
              ^1:
                %2 = evm.constant 2 : u256
                evm.br ^4(%2)
              ^2:
                evm.br ^4(%0)
              ^3:
                %3 = evm.constant 3 : u256
                evm.br ^4(%3)
              ^4(%4 : u256):
                %5 = evm.constant 0 : u256
                evm.sstore %5, %4
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn a_switch_without_default_goes_on_behind_it() {
    check(
        "{ let a := 1 switch callvalue() case 0 { a := 2 } case 5 { stop() } sstore(0, a) }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 1 : u256
                %1 = evm.callvalue : u256
                evm.switch %1, default ^3(%0)
                  case 0 -> ^1
                  case 5 -> ^2
              ^1:
                %2 = evm.constant 2 : u256
                evm.br ^3(%2)
              ^2:
                evm.stop
              ^3(%3 : u256):
                %4 = evm.constant 0 : u256
                evm.sstore %4, %3
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn a_switch_with_only_a_default() {
    check(
        "{ let a := 1 switch callvalue() default { a := 3 } sstore(0, a) }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            %0 = evm.constant 1 : u256
            %1 = evm.callvalue : u256
            evm.switch %1, default ^1
          ^1:
            %2 = evm.constant 3 : u256
            %3 = evm.constant 0 : u256
            evm.sstore %3, %2
            evm.stop
          }
        }
    "#]],
    );
}

#[test]
fn leave_returns_current_values_and_return_variables_start_at_zero() {
    check(
        "{ let a, b := f(calldataload(0)) sstore(a, b) function f(x) -> y, z { if x { z := x leave } y := 9 } }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 0 : u256
                %1 = evm.calldataload %0 : u256
                %2, %3 = evm.icall @f(%1) : u256, u256
                evm.sstore %2, %3
                evm.stop
              }
              func @f(%0 : u256) -> (u256, u256) {
              ^0:
                %1 = evm.constant 0 : u256
                evm.condbr %0, ^1, ^2
              ^1:
                evm.iret %1, %0
              ^2:
                %2 = evm.constant 9 : u256
                evm.iret %2, %1
              }
            }
        "#]],
    );
}

#[test]
fn functions_are_visible_in_dead_code_and_before_their_definition() {
    check(
        "{ f() stop() function f() { sstore(0, 1) } f() }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            evm.icall @f()
            evm.stop
          }
          func @f() {
          ^0:
            %0 = evm.constant 1 : u256
            %1 = evm.constant 0 : u256
            evm.sstore %1, %0
            evm.iret
          }
        }
    "#]],
    );
}

#[test]
fn equal_function_names_in_separate_scopes() {
    check(
        "{ { function f() -> r { r := 1 } sstore(0, f()) } { function f() -> r { r := 2 } sstore(1, f()) } }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.icall @f() : u256
                %1 = evm.constant 0 : u256
                evm.sstore %1, %0
                %2 = evm.icall @f.2() : u256
                %3 = evm.constant 1 : u256
                evm.sstore %3, %2
                evm.stop
              }
              func @f() -> u256 {
              ^0:
                %0 = evm.constant 0 : u256
                %1 = evm.constant 1 : u256
                evm.iret %1
              }
              func @f.2() -> u256 {
              ^0:
                %0 = evm.constant 0 : u256
                %1 = evm.constant 2 : u256
                evm.iret %1
              }
            }
        "#]],
    );
}

#[test]
fn a_call_that_never_comes_back_ends_its_block() {
    check(
        "{ let a := 1 if callvalue() { a := 2 panic(a) a := 3 } sstore(0, a) function panic(c) { fail(c) } function fail(c) { mstore(0, c) revert(0, 32) } }",
        &expect![[r#"
            module @object [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.constant 1 : u256
                %1 = evm.callvalue : u256
                evm.condbr %1, ^1, ^2
              ^1:
                %2 = evm.constant 2 : u256
                evm.icall @panic(%2)
                evm.unreachable
              ^2:
                %3 = evm.constant 0 : u256
                evm.sstore %3, %0
                evm.stop
              }
              func @panic(%0 : u256) {
              ^0:
                evm.icall @fail(%0)
                evm.unreachable
              }
              func @fail(%0 : u256) {
              ^0:
                %1 = evm.constant 0 : u256
                evm.mstore %1, %0
                %2 = evm.constant 32 : u256
                %3 = evm.constant 0 : u256
                evm.revert %3, %2
              }
            }
        "#]],
    );
}

#[test]
fn endless_recursion_never_comes_back() {
    check(
        "{ f() sstore(0, 1) function f() { g() } function g() { f() } }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            evm.icall @f()
            evm.unreachable
          }
          func @f() {
          ^0:
            evm.icall @g()
            evm.unreachable
          }
          func @g() {
          ^0:
            evm.icall @f()
            evm.unreachable
          }
        }
    "#]],
    );
}

#[test]
fn bounded_recursion_comes_back() {
    check(
        "{ sstore(0, f(3)) function f(n) -> r { if n { r := f(sub(n, 1)) } } }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            %0 = evm.constant 3 : u256
            %1 = evm.icall @f(%0) : u256
            %2 = evm.constant 0 : u256
            evm.sstore %2, %1
            evm.stop
          }
          func @f(%0 : u256) -> u256 {
          ^0:
            %1 = evm.constant 0 : u256
            evm.condbr %0, ^1, ^2(%1)
          ^1:
            %2 = evm.constant 1 : u256
            %3 = evm.sub %0, %2 : u256
            %4 = evm.icall @f(%3) : u256
            evm.br ^2(%4)
          ^2(%5 : u256):
            evm.iret %5
          }
        }
    "#]],
    );
}

#[test]
fn memoryguard_becomes_the_heap_base() {
    check(
        "{ mstore(64, memoryguard(0x80)) }",
        &expect![[r#"
        module @object {
          func @__entry() {
          ^0:
            %0 = evm.heap_base 128 : ptr<0>
            %1 = evm.ptrtoint %0 : u256
            %2 = evm.constant 64 : u256
            evm.mstore %2, %1
            evm.stop
          }
        }
    "#]],
    );
}

#[test]
fn different_guards_leave_no_room_for_frames() {
    check(
        "{ mstore(64, memoryguard(0x80)) mstore(64, memoryguard(0xa0)) }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            %0 = evm.constant 128 : u256
            %1 = evm.constant 64 : u256
            evm.mstore %1, %0
            %2 = evm.constant 160 : u256
            %3 = evm.constant 64 : u256
            evm.mstore %3, %2
            evm.stop
          }
        }
    "#]],
    );
}

#[test]
fn strings_are_left_aligned() {
    check(
        "{ sstore(\"abc\", hex\"ff\") sstore(true, 0x10) }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            %0 = evm.constant 0xff00000000000000000000000000000000000000000000000000000000000000 : u256
            %1 = evm.constant 0x6162630000000000000000000000000000000000000000000000000000000000 : u256
            evm.sstore %1, %0
            %2 = evm.constant 16 : u256
            %3 = evm.constant 1 : u256
            evm.sstore %3, %2
            evm.stop
          }
        }
    "#]],
    );
}

#[test]
fn code_ends_in_stop_only_if_its_end_is_reached() {
    check(
        "{ invalid() }",
        &expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            evm.invalid
          }
        }
    "#]],
    );
}

#[test]
fn objects_become_modules() {
    check(
        r#"
object "A" {
    code {
        let size := datasize("A_deployed")
        datacopy(0, dataoffset("A_deployed"), size)
        setimmutable(0, "7", caller())
        sstore(linkersymbol("L.sol:L"), datasize("A_deployed.inner"))
        return(0, size)
    }
    object "A_deployed" {
        code {
            sstore(loadimmutable("7"), dataoffset("text"))
            let a, b := verbatim_1i_2o(hex"8080", 5)
            sstore(a, b)
        }
        data "text" "hello"
        object "inner" { code { stop() } }
    }
}
"#,
        &expect![[r#"
            module @A [unguarded] {
              func @__entry() {
              ^0:
                %0 = evm.datasize @A_deployed : u256
                %1 = evm.dataoffset @A_deployed : u256
                %2 = evm.constant 0 : u256
                evm.datacopy %2, %1, %0
                %3 = evm.caller : u160
                %4 = evm.constant 0 : u256
                evm.setimmutable "7", %4, %3
                %5 = evm.datasize @A_deployed.inner : u256
                %6 = evm.linkersymbol "L.sol:L" : u256
                evm.sstore %6, %5
                %7 = evm.constant 0 : u256
                evm.return %7, %0
              }
              module @A_deployed [unguarded] {
                data @text = hex"68656c6c6f"
                func @__entry() {
                ^0:
                  %0 = evm.dataoffset @text : u256
                  %1 = evm.loadimmutable "7" : u256
                  evm.sstore %1, %0
                  %2 = evm.constant 5 : u256
                  %3, %4 = evm.verbatim hex"8080", %2 : u256, u256
                  evm.sstore %3, %4
                  evm.stop
                }
                module @inner [unguarded] {
                  func @__entry() {
                  ^0:
                    evm.stop
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn locations_come_from_src_comments() {
    check(
        r#"
/// @use-src 0:"a.sol"
object "A" {
    code {
        /// @src 0:5:9
        let a := calldataload(0)
        /// @src 0:10:20
        if a {
            /// @src 0:12:18
            sstore(0, add(a, 1))
        }
    }
}
"#,
        &expect![[r#"
            module @A [unguarded] {
              !cu 0 = "a.sol"
              !loc !0 = 0:5:9
              !loc !1 = 0:10:20
              !loc !2 = 0:12:18
              func @__entry() {
              ^0:
                %0 = evm.constant 0 : u256 loc(!0)
                %1 = evm.calldataload %0 : u256 loc(!0)
                evm.condbr %1, ^1, ^2 loc(!1)
              ^1:
                %2 = evm.constant 1 : u256 loc(!2)
                %3 = evm.add %1, %2 : u256 loc(!2)
                %4 = evm.constant 0 : u256 loc(!2)
                evm.sstore %4, %3 loc(!2)
                evm.br ^2 loc(!2)
              ^2:
                evm.stop
              }
            }
        "#]],
    );
}

#[test]
fn names_are_kept_when_asked_for() {
    let text = "{ let amount := callvalue() if amount { amount := caller() } sstore(0, amount) }";
    let module = lower_with(text, LowerOptions { names: true });
    expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            %amount = evm.callvalue : u256
            evm.condbr %amount, ^1, ^2(%amount)
          ^1:
            %amount_1 = evm.caller : u160
            evm.br ^2(%amount_1)
          ^2(%amount_2 : u256):
            %0 = evm.constant 0 : u256
            evm.sstore %0, %amount_2
            evm.stop
          }
        }
    "#]]
    .assert_eq(&cairn_ir::text::print(&module));
}

#[test]
fn renaming_identifiers_changes_no_instruction() {
    let text = |f, a, b| {
        format!(
            "{{ {{ let {a} := {f}(1) for {{ }} {a} {{ {a} := sub({a}, 1) }} {{ let {b} := {a} sstore({b}, {a}) }} }} \
             function {f}({b}) -> {a} {{ {a} := {b} }} }}"
        )
    };
    let print = |f, a, b| cairn_ir::text::print(&lower(&text(f, a, b)));
    assert_eq!(print("f", "x", "y"), print("zz", "b", "a").replace("@zz", "@f"));
}

#[test]
fn functions_without_a_caller_are_removed() {
    let text = "{ c() function a() { b() } function b() { a() } function c() { d() } function d() { sstore(0, 1) } }";
    let mut module = lower(text);
    remove_unreachable_functions(&mut module);
    expect![[r#"
        module @object [unguarded] {
          func @__entry() {
          ^0:
            evm.icall @c()
            evm.stop
          }
          func @c() {
          ^0:
            evm.icall @d()
            evm.iret
          }
          func @d() {
          ^0:
            %0 = evm.constant 1 : u256
            %1 = evm.constant 0 : u256
            evm.sstore %1, %0
            evm.iret
          }
        }
    "#]]
    .assert_eq(&cairn_ir::text::print(&module));
}

/// Nests `open` and `close` around `inner` as deep as the parser allows, in a block.
fn nested(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("{{ {}{inner}{} }}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn nesting_up_to_the_limit_fits_on_a_small_stack() {
    let texts = [
        nested("{ ", "", " }", 1023),
        nested("if 1 { ", "sstore(0, 1)", " }", 1022),
        nested("switch 1 case 0 { ", "", " } default { sstore(0, 1) }", 1022),
        nested("for { } callvalue() { } { ", "break", " }", 1022),
        nested("sstore(0, ", "not(1)", ")", 1)
            .replace("1", &format!("{}1{}", "not(".repeat(1020), ")".repeat(1020))),
        nested("{ function f() { f() ", "", " } f() }", 511),
    ];
    let parse = |text: &String| cairn_yul::parse(text, FileId(0), &Dialect::default());
    let parsed: Vec<_> = on_stack(16 << 20, move || texts.iter().map(parse).collect());
    let (parsed, funcs) = on_stack(2 << 20, move || {
        let lower = |parsed: &cairn_yul::Parsed| {
            let object = parsed.object.as_ref().expect("no errors");
            lower_object(object, &parsed.names, LowerOptions::default()).funcs.len()
        };
        let funcs: Vec<usize> = parsed.iter().map(lower).collect();
        (parsed, funcs)
    });
    on_stack(16 << 20, move || drop(parsed));
    assert_eq!(funcs, [1, 1, 1, 1, 1, 512]);
}

fn on_stack<T: Send + 'static>(bytes: usize, run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(bytes).spawn(run).expect("a thread");
    thread.join().expect("the stack suffices")
}
