//! Wrong code that once came through all tests, put back one fault at a time: `cairn prove` shows inputs on
//! which it does something else.
//!
//! Each pair is a program and what a compiler with the fault made of it. The program is proven against its
//! own code, and the other one is `different`: both were run on inputs that the prover offers. Without a
//! solver nothing of it is shown.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{has_solver, verdict};

/// With seconds: what is decided is so in one, on an idle machine.
const OPTIONS: [&str; 4] = ["--timeout", "30", "--jobs", "1"];

/// The program is proven; with the fault, which exchanges `right` for `wrong`, it is different.
#[track_caller]
fn finds(extension: &str, program: &str, faults: &[(&str, &str)]) {
    if !has_solver("faults are not looked for") {
        return;
    }
    assert_eq!(verdict(extension, &OPTIONS, program, program), "proven", "{program}");
    for (right, wrong) in faults {
        assert_eq!(program.matches(right).count(), 1, "`{right}` is in it once");
        let found = verdict(extension, &OPTIONS, program, &program.replace(right, wrong));
        assert!(found.starts_with("different"), "`{wrong}` for `{right}`: {found}");
    }
}

/// A program on the words of calldata `%x`, `%y` and `%z` that returns `%result`.
fn on_words(body: &str) -> String {
    format!(
        "module @M {{ func @__entry() {{
           %at = evm.constant 0 : u256
           %x = evm.calldataload %at : u256
           %second = evm.constant 32 : u256
           %y = evm.calldataload %second : u256
           %third = evm.constant 64 : u256
           %z = evm.calldataload %third : u256
           {body}
           evm.return %result
         }} }}"
    )
}

/// Counts, at the width of the result instead of the operand's.
#[test]
fn counts_of_mixed_widths() {
    for count in ["cttz", "ctlz"] {
        let program = on_words(&format!(
            "%a = evm.trunc %x : u8
             %wide = evm.zext %a : u16
             %n = evm.{count} %a : u16
             %result = evm.zext %n : u256"
        ));
        finds("eir", &program, &[(&format!("evm.{count} %a"), &format!("evm.{count} %wide"))]);
    }
}

/// Counts of whole words, from either end, and of what is near to the lowest bit alone.
#[test]
fn counts_of_words() {
    let program = on_words(
        "%low = evm.cttz %x : u256
         %high = evm.ctlz %y : u256
         %minus = evm.sub %at, %z : u256
         %bit = evm.and %z, %minus : u256
         %below = evm.ctlz %bit : u256
         %both = evm.add %low, %high : u256
         %result = evm.sub %both, %below : u256",
    );
    let faults = [
        ("evm.cttz %x", "evm.ctlz %x"),
        ("evm.ctlz %y", "evm.cttz %y"),
        ("evm.sub %at, %z", "evm.sub %second, %z"),
        ("evm.ctlz %bit", "evm.cttz %bit"),
    ];
    finds("eir", &program, &faults);
}

/// Sums and products inside of a modulus, at the width of the result instead of the operands'.
#[test]
fn moduli_of_mixed_widths() {
    for operation in ["addmod", "mulmod"] {
        let program = on_words(&format!(
            "%a = evm.trunc %x : u16
             %b = evm.trunc %y : u16
             %m = evm.trunc %z : u16
             %short = evm.trunc %a : u8
             %cut = evm.zext %short : u16
             %r = evm.{operation} %a, %b, %m : u8
             %result = evm.zext %r : u256"
        ));
        finds("eir", &program, &[(&format!("evm.{operation} %a"), &format!("evm.{operation} %cut"))]);
    }
}

/// Upper bits that a narrow number does not have, and its sign.
#[test]
fn upper_bits_of_narrow_numbers() {
    let program = on_words(
        "%four = evm.constant 4 : u256
         %a = evm.trunc %x : u8
         %b = evm.trunc %y : u8
         %sum = evm.add %a, %b : u8
         %less = evm.lt %sum, %a : bool
         %signed = evm.sext %sum : u256
         %high = evm.sar %four, %signed : u256
         %result = evm.select %less, %high, %signed : u256",
    );
    let wide = "%big = evm.add %x, %y : u256
         %big_a = evm.zext %a : u256
         %less = evm.lt %big, %big_a : bool";
    let faults = [("%less = evm.lt %sum, %a : bool", wide), ("evm.sar", "evm.shr"), ("evm.sext", "evm.zext")];
    finds("eir", &program, &faults);
}

/// A shift by as many bits as the type has or more.
#[test]
fn shifts_past_the_width() {
    let program = on_words(
        "%a = evm.trunc %x : u8
         %by = evm.trunc %y : u8
         %moved = evm.shl %by, %a : u8
         %result = evm.zext %moved : u256",
    );
    let masked = "%seven = evm.constant 7 : u8
         %few = evm.and %by, %seven : u8
         %moved = evm.shl %few, %a : u8";
    finds("eir", &program, &[("%moved = evm.shl %by, %a : u8", masked)]);
}

/// A negative case of a switch on a narrow number, which was compared as a word.
#[test]
fn negative_cases() {
    let program = "module @M { func @__entry() {
      ^entry:
        %zero = evm.constant 0 : u256
        %x = evm.calldataload %zero : u256
        %a = evm.trunc %x : u8
        %minus = evm.constant 255 : u8
        %equal = evm.eq %a, %minus : bool
        evm.condbr %equal, ^yes, ^no
      ^yes:
        evm.stop
      ^no:
        evm.revert %zero, %zero
    } }";
    let word = "%whole = evm.sext %a : u256
        %ones = evm.not %zero : u256
        %never = evm.zext %a : u256
        %equal = evm.eq %never, %ones : bool";
    finds("eir", program, &[("%equal = evm.eq %a, %minus : bool", word)]);
}

/// A store that went because a `revert` follows, or because the word is there already: a static frame
/// halts at it.
#[test]
fn stores_that_static_frames_see() {
    finds("yul", "{ sstore(0, 1) revert(0, 0) }", &[("sstore(0, 1)", "")]);
    finds("yul", "{ let x := sload(0) sstore(0, x) return(0, 0) }", &[("sstore(0, x)", "")]);
}

/// The word at 64 was taken for a pointer below 2^63 while it was scratch.
#[test]
fn data_at_the_place_of_the_free_pointer() {
    let program = "{
        mstore(0x40, sub(calldataload(0), calldataload(32)))
        if slt(mload(0x40), 0) { sstore(0, 1) }
        mstore(0, mload(0x40)) return(0, 32)
    }";
    finds("yul", program, &[("if slt(mload(0x40), 0) { sstore(0, 1) }", "")]);
    let sums = "{
        mstore(0x40, calldataload(0))
        if lt(add(mload(0x40), 32), mload(0x40)) { sstore(0, 1) }
    }";
    finds("yul", sums, &[("lt(add(mload(0x40), 32), mload(0x40))", "0")]);
}

/// A word that was loaded before is not there any more behind a store that may overlap it.
#[test]
fn memory_that_overlaps() {
    let program = "{
        mstore(0, calldataload(0))
        mstore8(calldataload(32), 7)
        mcopy(32, 0, 64)
        return(32, 64)
    }";
    finds(
        "yul",
        program,
        &[
            ("mstore8(calldataload(32), 7)", ""),
            ("mcopy(32, 0, 64)", "mstore(32, calldataload(0))"),
            ("return(32, 64)", "mstore(96, 0) return(32, 65)"),
        ],
    );
}

/// A store that what is hashed, logged or given back reads.
#[test]
fn stores_that_are_read() {
    let program = "{
        mstore(0, caller()) mstore(32, calldataload(0))
        log1(0, 64, keccak256(0, 64))
        mstore(32, 5)
        sstore(keccak256(0, 64), 1)
    }";
    finds(
        "yul",
        program,
        &[
            ("mstore(32, calldataload(0))", ""),
            ("mstore(32, 5)", ""),
            ("log1(0, 64,", "log1(0, 32,"),
            ("sstore(keccak256(0, 64), 1)", "sstore(keccak256(0, 32), 1)"),
        ],
    );
}

/// A word of storage that was loaded before is not there any more behind a store to a key that may be the
/// same; the other space of keys is another.
#[test]
fn keys_that_may_be_the_same() {
    let program = "{
        let a := calldataload(0)
        let b := calldataload(32)
        sstore(a, 1)
        sstore(b, 2)
        tstore(a, 3)
        sstore(0, sload(a))
    }";
    finds("yul", program, &[("sstore(0, sload(a))", "sstore(0, 1)"), ("sload(a)", "tload(a)")]);
    finds(
        "yul",
        "{ sstore(calldataload(0), 1) sstore(calldataload(32), 2) }",
        &[(
            "sstore(calldataload(0), 1) sstore(calldataload(32), 2)",
            "sstore(calldataload(32), 2) sstore(calldataload(0), 1)",
        )],
    );
}

/// What a function gives back was taken for what another does.
#[test]
fn results_of_functions() {
    let program = "{
        sstore(0, f(calldataload(0)))
        sstore(1, g(calldataload(32)))
        function f(x) -> y { y := add(x, 1) }
        function g(x) -> y { y := shr(1, x) }
    }";
    finds("yul", program, &[("g(calldataload(32))", "f(calldataload(32))")]);
}

/// Logs in another order, checks behind what they guard, a sign that is not looked at.
#[test]
fn orders_and_checks() {
    let program = "{
        let x := calldataload(0)
        if slt(x, 10) { revert(0, 0) }
        log1(0, 0, 1)
        log1(0, 0, x)
        if gt(x, 1000) { invalid() }
        sstore(sar(4, x), 1)
    }";
    finds(
        "yul",
        program,
        &[
            ("log1(0, 0, 1)\n        log1(0, 0, x)", "log1(0, 0, x) log1(0, 0, 1)"),
            ("slt(x, 10)", "lt(x, 10)"),
            ("if slt(x, 10) { revert(0, 0) }", ""),
            ("sar(4, x)", "shr(5, x)"),
        ],
    );
}

/// A loop that is left a round too late, or whose first test is left out.
#[test]
fn rounds_of_loops() {
    let program = "{
        let n := and(calldataload(0), 7)
        let s := 0
        for { let i := 0 } lt(i, n) { i := add(i, 1) } { s := add(s, calldataload(mul(i, 32))) }
        sstore(0, s)
    }";
    finds(
        "yul",
        program,
        &[
            ("for { let i := 0 } lt(i, n)", "for { let i := 0 } iszero(gt(i, n))"),
            (
                "s := add(s, calldataload(mul(i, 32)))",
                "s := add(s, calldataload(mul(i, 32))) if eq(i, 6) { s := 0 }",
            ),
            ("let n := and(calldataload(0), 7)", "let n := and(calldataload(0), 7) if iszero(n) { n := 1 }"),
        ],
    );
}

/// A row of divisions whose ways only make words: a fault in one of them is shown on inputs that go this way. They
/// are few enough to be looked at one by one; joining ways is the subject of `pairs`, in the crate of the prover.
#[test]
fn words_of_a_row_of_divisions() {
    let mut body = "evm.br ^b5(%x, %at)".to_owned();
    for step in (0..6).rev() {
        let (bits, bound) = (1_u64 << step, 1_u64 << (1 << step));
        let next = if step == 0 { "end".to_owned() } else { format!("b{}", step - 1) };
        body += &format!(
            "
            ^b{step}(%x{step}: u256, %n{step}: u256):
              %bound{step} = evm.constant {bound} : u256
              %low{step} = evm.lt %x{step}, %bound{step} : bool
              evm.condbr %low{step}, ^{next}(%x{step}, %n{step}), ^yes{step}
            ^yes{step}:
              %bits{step} = evm.constant {bits} : u256
              %rest{step} = evm.shr %bits{step}, %x{step} : u256
              %sum{step} = evm.add %n{step}, %bits{step} : u256
              evm.br ^{next}(%rest{step}, %sum{step})"
        );
    }
    let program = on_words(&(body + " ^end(%last: u256, %result: u256):"));
    let faults = [
        ("%rest5 = evm.shr", "%rest5 = evm.shl"),
        ("%sum3 = evm.add %n3, %bits3", "%sum3 = evm.add %bits3, %bits3"),
        ("%sum0 = evm.add", "%sum0 = evm.sub"),
        ("%low2 = evm.lt", "%low2 = evm.gt"),
        ("%bound4 = evm.constant 65536", "%bound4 = evm.constant 65535"),
        ("%rest1, %sum1", "%rest1, %n1"),
    ];
    finds("eir", &program, &faults);
}
