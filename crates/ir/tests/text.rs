//! The text form: what is accepted, how it is printed, what is reported.

use cairn_diag::FileId;
use cairn_ir::text::{parse, print};

const COUNTER: &str = r#"
module @Counter [noframe] {                          // comment
  data @greeting = "hello"
  !cu 0 = "counter.sol"
  !loc !4 = 0:10:-1
  func @__entry() {
  ^entry:
    %sel = evm.icall @selector() : u256
    evm.switch %sel, default ^fallback loc(!4)
      case 0xd09de08a → ^inc
      case 7 -> ^fallback
  ^inc:
    %k = evm.constant 0
    %v = evm.sload %k
    %one = evm.constant 0x01 : u256
    %n = evm.add %v, %one : u256 loc(!4)
    evm.sstore %k, %n : void                         ; comment
    evm.return %n
  ^fallback:
    %z = evm.constant 0 : u256
    evm.revert %z, %z
  }
  func @selector() -> u256 [inline, cold] loc(!4) {
    %size = evm.calldatasize
    %four = evm.constant 4
    %short = evm.lt %size, %four
    %base = evm.calldata_base
    %zero = evm.ptrtoint %base
    %word = evm.calldataload %zero
    %shift = evm.constant 224
    %s = evm.shr %shift, %word
    %r = evm.select %short, %zero, %s
    evm.iret %r
  }
  module @Counter_deployed {
    func @main() [entry] {
      evm.stop
    }
  }
}
"#;

const COUNTER_PRINTED: &str = r#"module @Counter [noframe] {
  data @greeting = hex"68656c6c6f"
  !cu 0 = "counter.sol"
  !loc !0 = 0:10:-1
  func @__entry() {
  ^entry:
    %sel = evm.icall @selector() : u256
    evm.switch %sel, default ^fallback loc(!0)
      case 0xd09de08a -> ^inc
      case 7 -> ^fallback
  ^inc:
    %k = evm.constant 0 : u256
    %v = evm.sload %k : u256
    %one = evm.constant 1 : u256
    %n = evm.add %v, %one : u256 loc(!0)
    evm.sstore %k, %n
    evm.return %n
  ^fallback:
    %z = evm.constant 0 : u256
    evm.revert %z, %z
  }
  func @selector() -> u256 [inline, cold] loc(!0) {
  ^0:
    %size = evm.calldatasize : u256
    %four = evm.constant 4 : u256
    %short = evm.lt %size, %four : bool
    %base = evm.calldata_base : ptr<2>
    %zero = evm.ptrtoint %base : u256
    %word = evm.calldataload %zero : u256
    %shift = evm.constant 224 : u256
    %s = evm.shr %shift, %word : u256
    %r = evm.select %short, %zero, %s : u256
    evm.iret %r
  }
  module @Counter_deployed {
    func @main() [entry] {
    ^0:
      evm.stop
    }
  }
}
"#;

fn parsed(text: &str) -> cairn_ir::Module {
    parse(text, FileId(0)).unwrap_or_else(|faults| {
        let messages: Vec<_> = faults.iter().map(|fault| (fault.span, fault.message.clone())).collect();
        panic!("{messages:?} in\n{text}")
    })
}

/// Wraps the blocks of a function in a module.
fn function(header: &str, body: &str) -> String {
    format!("module @M {{\n  func {header} {{\n{body}  }}\n}}\n")
}

/// What is printed for a function's body.
fn printed_body(header: &str, body: &str) -> String {
    let text = print(&parsed(&function(header, body)));
    let lines: Vec<&str> = text.lines().collect();
    lines[1..lines.len() - 2]
        .iter()
        .map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)))
        .collect()
}

/// Messages with the text they point at.
fn faults(text: &str) -> Vec<(String, String)> {
    let faults = parse(text, FileId(0)).expect_err("has faults");
    let place = |fault: &cairn_diag::Diagnostic| {
        let span = fault.span.expect("a fault of the text has a place");
        text[span.start as usize..span.end as usize].to_owned()
    };
    faults.iter().map(|fault| (place(fault), fault.message.clone())).collect()
}

fn body_faults(body: &str) -> Vec<(String, String)> {
    faults(&function("@f()", body))
}

fn pair(place: &str, message: &str) -> (String, String) {
    (place.to_owned(), message.to_owned())
}

#[test]
fn a_module_is_printed_in_normal_form() {
    assert_eq!(print(&parsed(COUNTER)), COUNTER_PRINTED);
    assert_eq!(print(&parsed(COUNTER_PRINTED)), COUNTER_PRINTED);
}

#[test]
fn block_arguments_as_the_legalizer_example_writes_them() {
    let body = "  ^entry:
    %v1 = evm.constant 10 : u256
    %v2 = evm.constant 20 : u256
    evm.condbr %c, ^a, ^b
  ^a:
    evm.br ^merge(%v1)
  ^b:
    evm.br ^merge(%v2)
  ^merge(%x : u256):
    evm.return %x : u256
";
    let expected = format!(
        "func @f(%c : bool) {{\n{}",
        body.replace("evm.return %x : u256", "evm.return %x").replace("\n  ", "\n")
    );
    assert_eq!(printed_body("@f(%c : bool)", body), expected[..].replace("{\n  ^", "{\n^"));
}

#[test]
fn instructions_before_the_first_label_belong_to_its_block() {
    let body = "    %slot = evm.alloca : ptr<0>
  ^entry:
    %v1 = evm.constant 10 : u256
    evm.mstore %slot, %v1 : void
    %x = evm.mload %slot : u256
    evm.return %x : u256
";
    let expected = "func @f() {
^entry:
  %slot = evm.alloca : ptr<0>
  %v1 = evm.constant 10 : u256
  evm.mstore %slot, %v1
  %x = evm.mload %slot : u256
  evm.return %x
";
    assert_eq!(printed_body("@f()", body), expected);
}

#[test]
fn phis_become_block_arguments() {
    let body = "  ^entry:
    %n = evm.constant 5
    evm.br ^loop
  ^loop:
    %i = phi [ %n, ^entry ], [ %j, ^loop ]
    %wide = phi [ %w, ^loop ], [ %i0, ^entry ] : u256
    %one = evm.constant 1
    %j = evm.sub %i, %one
    %w = evm.mul %wide, %i
    evm.condbr %j, ^loop, ^done
  ^done:
    evm.return %wide
";
    let expected = "func @f(%i0 : u8) {
^entry:
  %n = evm.constant 5 : u256
  evm.br ^loop(%n, %i0)
^loop(%i : u256, %wide : u256):
  %one = evm.constant 1 : u256
  %j = evm.sub %i, %one : u256
  %w = evm.mul %wide, %i : u256
  evm.condbr %j, ^loop(%j, %w), ^done
^done:
  evm.return %wide
";
    assert_eq!(printed_body("@f(%i0 : u8)", body), expected);
}

#[test]
fn every_kind_of_operand() {
    let body = "  ^entry(%p : ptr<0, size=64>, %b : bool):
    %a = evm.alloca [96] : ptr<0>
    %a2 = evm.alloca 64
    %heap = evm.heap_base 0x80 : ptr<0>
    %q = evm.ptr_add %p, %big
    %big = evm.constant -1
    %minus = evm.constant -128 : u8
    %t = evm.constant true
    %off = evm.dataoffset @Inner.Deep
    %len = evm.datasize \"a b\"
    evm.datacopy %a, %off, %len
    %imm = evm.loadimmutable \"x\\\"y\"
    evm.setimmutable \"x\", %off, %imm
    %lib = evm.linkersymbol \"L.sol:L\"
    %v, %w = evm.verbatim hex\"6001 6002\", %big, %big
    evm.verbatim hex\"\"
    %tr = evm.trunc %big : u8
    %sum, %carry = evm.addo %tr, %minus
    %x, %y = evm.icall @f(%p, %b)
    evm.icall @f(%p, %b)
    %ok = evm.staticcall %big, %big, %big, %big, %big, %big
    %s, %n = evm.staticcall %big, %big, %big, %big, %big, %big
    evm.dbg.trace %ok
    evm.dbg.label \"here\"
    %byte = evm.mload8 %q
    %min = evm.min %byte, %sum
    evm.log1 %a, %len, %big
    evm.iret %b, %big
";
    let expected = "func @f(%p : ptr<0, size=64>, %b : bool) -> (bool, u256) {
^entry:
  %a = evm.alloca 96 : ptr<0>
  %a2 = evm.alloca 64 : ptr<0>
  %heap = evm.heap_base 128 : ptr<0>
  %q = evm.ptr_add %p, %big : ptr<0>
  %big = evm.constant 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff : u256
  %minus = evm.constant 128 : u8
  %t = evm.constant true : bool
  %off = evm.dataoffset @Inner.Deep : u256
  %len = evm.datasize @\"a b\" : u256
  evm.datacopy %a, %off, %len
  %imm = evm.loadimmutable \"x\\\"y\" : u256
  evm.setimmutable \"x\", %off, %imm
  %lib = evm.linkersymbol \"L.sol:L\" : u256
  %v, %w = evm.verbatim hex\"60016002\", %big, %big : u256, u256
  evm.verbatim hex\"\"
  %tr = evm.trunc %big : u8
  %sum, %carry = evm.addo %tr, %minus : u8, bool
  %x, %y = evm.icall @f(%p, %b) : bool, u256
  %0, %1 = evm.icall @f(%p, %b) : bool, u256
  %ok = evm.staticcall %big, %big, %big, %big, %big, %big : bool
  %s, %n = evm.staticcall %big, %big, %big, %big, %big, %big : bool, u256
  evm.dbg.trace %ok
  evm.dbg.label \"here\"
  %byte = evm.mload8 %q : u8
  %min = evm.min %byte, %sum : u8
  evm.log1 %a, %len, %big
  evm.iret %b, %big
";
    assert_eq!(printed_body("@f(ptr<0, size=64>, bool) -> (bool, u256)", body), expected);
}

#[test]
fn illegal_types_are_part_of_the_language() {
    let body = "  ^entry:
    %c = evm.constant 3 : u512
    %sum = evm.add %wide, %c
    %small = evm.constant 1 : u7
    %less = evm.lt %wide, %c
    %price = evm.constant 15 : ufixed<128,1>
    %twice = evm.add %price, %price
    evm.unreachable
";
    let expected = "func @f(%wide : u512) {
^entry:
  %c = evm.constant 3 : u512
  %sum = evm.add %wide, %c : u512
  %small = evm.constant 1 : u7
  %less = evm.lt %wide, %c : bool
  %price = evm.constant 15 : ufixed<128,1>
  %twice = evm.add %price, %price : ufixed<128,1>
  evm.unreachable
";
    assert_eq!(printed_body("@f(%wide : u512)", body), expected);
}

#[test]
fn wide_literals_are_made_of_words() {
    let body =
        "    %x = evm.constant 0x20000000000000000000000000000000000000000000000000000000000000003 : u300
    evm.unreachable
";
    let expected = "func @f() {
^0:
  %0 = evm.constant 256 : u256
  %1 = evm.constant 2 : u256
  %2 = evm.zext %1 : u300
  %3 = evm.shl %0, %2 : u300
  %4 = evm.constant 3 : u256
  %5 = evm.zext %4 : u300
  %x = evm.or %3, %5 : u300
  evm.unreachable
";
    assert_eq!(printed_body("@f()", body), expected);
    let negative = printed_body("@f()", "    %x = evm.constant -1 : u512\n    evm.unreachable\n");
    assert_eq!(
        negative.matches("0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff").count(),
        2
    );
    assert_eq!(body_faults("^e:\n%x = evm.constant -0x100000000000000000000000000000000000000000000000000000000000000001 : u257\nevm.stop\n")[0].1, "the number does not fit `u257`");
}

#[test]
fn composite_types_are_one_fault_each() {
    let text = "module @M {\n  func @f(%s : array<300 x u8>) { evm.stop }
  func @g() {\n    %v = evm.compose : vec<2 x ptr<0>>\n    evm.stop\n  }\n}";
    assert_eq!(
        faults(text),
        [
            pair("array<300 x u8>", "there are no values of this `array`"),
            pair("vec<2 x ptr<0>>", "there are no values of this `vec`"),
        ]
    );
    let deep = format!("^e:\n%x = evm.alloca {}u8{}\nevm.stop\n", "array<1 x ".repeat(40), ">".repeat(40));
    assert_eq!(body_faults(&deep)[0].1, "types nest more than 16 deep");
}

#[test]
fn composites_in_text() {
    let body = "  ^0:
    %a = evm.alloca struct<u512, vec<3 x bool>>
    %s = evm.mload %a : struct<u512, vec<3 x bool>>
    %v = evm.extract %s, 1
    %yes = evm.constant true
    %w = evm.insert %v, %yes, 2
    %both = evm.and %v, %w
    %less = evm.lt %v, %w
    %all = evm.splat %yes : vec<3 x bool>
    evm.stop
";
    let expected = "func @f() {
^0:
  %a = evm.alloca 160 : ptr<0>
  %s = evm.mload %a : struct<u512, vec<3 x bool>>
  %v = evm.extract %s, 1 : vec<3 x bool>
  %yes = evm.constant true : bool
  %w = evm.insert %v, %yes, 2 : vec<3 x bool>
  %both = evm.and %v, %w : vec<3 x bool>
  %less = evm.lt %v, %w : vec<3 x bool>
  %all = evm.splat %yes : vec<3 x bool>
  evm.stop
";
    assert_eq!(printed_body("@f()", body), expected);
}

#[test]
fn operands_begin_on_the_line_of_their_operation() {
    let body = "  ^e:\n    evm.iret\n    %x = evm.gas\n    evm.stop\n";
    assert_eq!(
        printed_body("@f()", body),
        "func @f() {\n^e:\n  evm.iret\n  %x = evm.gas : u256\n  evm.stop\n"
    );
}

#[test]
fn numbers_are_not_names() {
    let body = "  ^7:\n    %9 = evm.gas\n    %x = evm.gas\n    %1 = evm.add %9, %x\n    evm.br ^3\n  ^3:\n    evm.stop\n";
    let expected = "func @f() {\n^0:\n  %0 = evm.gas : u256\n  %x = evm.gas : u256\n  %1 = evm.add %0, %x : u256\n  evm.br ^1\n^1:\n  evm.stop\n";
    assert_eq!(printed_body("@f()", body), expected);
}

#[test]
fn equal_names_are_told_apart() {
    let mut module = parsed(&function(
        "@f()",
        "  ^e:\n    %a = evm.gas\n    %b = evm.gas\n    %a_1 = evm.gas\n    evm.stop\n",
    ));
    let func = &mut module.funcs[cairn_ir::Func::from_u32(0)];
    let values: Vec<_> =
        func.layout.insts(func.layout.entry()).flat_map(|inst| func.dfg.results(inst).to_vec()).collect();
    func.value_names.insert(values[1], "a".into());
    let text = print(&module);
    assert!(text.contains("%a = ") && text.contains("%a_1 = ") && text.contains("%a_1_1 = "), "{text}");
    assert_eq!(print(&parsed(&text)), text);
}

#[test]
fn all_faults_are_found_at_once() {
    let text = "module @M {
  data @d = 5
  func @f(%a : u9000) { }
  func @g() {
  ^e:
    %x = evm.frobnicate %y
    %z = add %z, %z
    evm.br ^nowhere
  ^e:
    %s, %t = evm.add %u, %u
    %u = evm.icall @missing()
    evm.stop }}
  !loc 5
}";
    assert_eq!(
        faults(text),
        [
            pair("5", "expected `hex\"…\"` or a string"),
            pair("u9000", "`u9000` is too wide"),
            pair("evm.frobnicate", "unknown operation `evm.frobnicate`"),
            pair("add", "unknown operation `add`"),
            pair("^nowhere", "block `^nowhere` is not defined"),
            pair("^e", "block `^e` is defined twice"),
            pair("%s, %t = evm.add %u, %u", "`evm.add` has one result, not 2"),
            pair("@missing", "function `@missing` is not defined"),
            pair("!loc", "expected the end of the file: one file is one module, found `!loc`"),
        ]
    );
}

#[test]
fn names_are_defined_once_and_somewhere() {
    assert_eq!(
        body_faults("^e:\n%x = evm.gas\n%x = evm.gas\nevm.stop\n"),
        [pair("%x", "the value is defined twice")]
    );
    assert_eq!(body_faults("^e:\nevm.sstore %k, %k\nevm.stop\n"), [pair("%k", "value `%k` is not defined")]);
    assert_eq!(faults("module @M { func @f() {} }"), [pair("@f", "function `@f` has no block")]);
    let twice = "module @M { func @f() { evm.stop } func @f() { evm.stop } }";
    assert_eq!(faults(twice), [pair("@f", "function `@f` is defined twice")]);
    assert_eq!(
        faults("module @M { data @d = \"\" data @d = \"\" }"),
        [pair("@d", "data `@d` is defined twice")]
    );
}

#[test]
fn phis_match_the_predecessors() {
    let with = |entries: &str| {
        format!(
            "^e:\n%c = evm.gas\nevm.condbr %c, ^a, ^b\n^a:\nevm.br ^b\n^b:\n%x = phi {entries}\nevm.stop\n"
        )
    };
    assert_eq!(
        body_faults(&with("[ %c, ^a ]")),
        [pair("%x = phi [ %c, ^a ]", "`phi` has no value for the predecessor `^e`")]
    );
    let extra = "[ %c, ^a ], [ %c, ^e ], [ %c, ^b ]";
    assert_eq!(
        body_faults(&with(extra)),
        [pair(&format!("%x = phi {extra}"), "`phi` has a value for a block that is not a predecessor")]
    );
    assert_eq!(
        body_faults("^e:\n%x = phi [ %x, ^e ]\nevm.stop\n"),
        [pair("%x = phi [ %x, ^e ]", "`phi` stands in the entry block")]
    );
}

#[test]
fn literals_fit_their_types() {
    assert_eq!(
        body_faults("^e:\n%x = evm.constant 256 : u8\nevm.stop\n"),
        [pair("256", "the number does not fit `u8`")]
    );
    assert_eq!(
        body_faults("^e:\n%x = evm.constant -129 : u8\nevm.stop\n"),
        [pair("-129", "the number does not fit `u8`")]
    );
    assert_eq!(
        body_faults("^e:\n%x = evm.constant 0x1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\nevm.stop\n")[0].1,
        "the number does not fit `u256`"
    );
    assert_eq!(
        body_faults("^e:\n%x = evm.gas\n%y = evm.trunc %x\nevm.stop\n"),
        [pair("%y = evm.trunc %x", "the result type of `evm.trunc` cannot be inferred")]
    );
}

#[test]
fn files_end_and_braces_match() {
    assert_eq!(
        faults(""),
        [pair("", "expected `module`, `func` or another item, found the end of the file")]
    );
    assert_eq!(faults("module @M {"), [pair("{", "`{` is never closed")]);
    assert_eq!(
        faults("module @M { } x"),
        [pair("x", "expected the end of the file: one file is one module, found `x`")]
    );
    assert_eq!(faults("module @M [fast] { }"), [pair("fast", "unknown attribute `fast`")]);
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}{}", "module @M { ".repeat(depth), "}".repeat(depth));
    assert!(parse(&nested(cairn_ir::text::parse::MAX_NESTING), FileId(0)).is_ok());
    let faults = parse(&nested(100_000), FileId(0)).expect_err("too deep");
    assert_eq!(faults.iter().count(), 1);
}

/// A module with these debug tables and this entry function.
fn with_tables(tables: &str, body: &str) -> String {
    format!("module @M {{\n{tables}\n  func @__entry() {{\n  ^entry:\n{body}\n    evm.stop\n  }}\n}}\n")
}

#[test]
fn debug_tables_are_numbered_anew_and_kept() {
    let text = with_tables(
        "!cu 3 = \"a.sol\"\n!fn !7 = \"f\" 3:0:90\n!scope !9 = !7 3:20:80\n!loc !5 = 3:10:25 !9\n\
         !loc !6 = 3:11:12\n!var !8 = \"x\" \"uint256\" !9\n!var !2 = \"y y\" \"mapping(\\\"q\\\")\"",
        "%x = evm.callvalue loc(!5)\nevm.dbg.trace %x, !2\nevm.dbg.trace %x, %x, !8\nevm.dbg.trace %x, %x",
    );
    let printed = print(&parsed(&text));
    let expected = "module @M {
  !cu 3 = \"a.sol\"
  !fn !0 = \"f\" 3:0:90
  !scope !1 = !0 3:20:80
  !var !0 = \"x\" \"uint256\" !1
  !var !1 = \"y y\" \"mapping(\\\"q\\\")\"
  !loc !0 = 3:10:25 !1
  !loc !1 = 3:11:12
  func @__entry() {
  ^entry:
    %x = evm.callvalue : u256 loc(!0)
    evm.dbg.trace %x, !1
    evm.dbg.trace %x, %x, !0
    evm.dbg.trace %x, %x
    evm.stop
  }
}
";
    assert_eq!(printed, expected);
    assert_eq!(print(&parsed(&printed)), printed);
}

#[test]
fn faults_in_debug_tables() {
    let first = |tables: &str, body: &str| faults(&with_tables(tables, body)).remove(0);
    assert_eq!(first("!scope !1 = !0 0:1:2", ""), pair("!0", "scope `!0` is not defined before"));
    assert_eq!(
        first("!fn !1 = \"f\" 0:1:2\n!fn !1 = \"g\" 0:1:2", ""),
        pair("!1", "scope `!1` is defined twice")
    );
    assert_eq!(first("!var !0 = \"x\" \"t\" !4", ""), pair("!4", "scope `!4` is not defined before"));
    assert_eq!(
        first("!var !0 = \"x\" \"t\"\n!var !0 = \"y\" \"t\"", ""),
        pair("!0", "variable `!0` is defined twice")
    );
    let trace = "%x = evm.callvalue\nevm.dbg.trace %x, !3";
    assert_eq!(first("!var !0 = \"x\" \"t\"", trace), pair("!3", "variable `!3` is not defined"));
    assert_eq!(first("!fn !0 = f 0:1:2", ""), pair("f", "expected the name of the function, found `f`"));
}
