//! EVM-IR at every width: what differs in one operation, in one width, or at the end of a width is never proven.
//!
//! Opcodes work on words however narrow their operands are, generic arithmetic at the width of its result, and
//! numbers of several words in parts: each has ends of its own at which two operations are nearly the same.

#![allow(clippy::print_stdout, reason = "tests say what they skip")]

#[path = "common/prove.rs"]
mod prove;

use prove::{has_solver, verdict};

/// With seconds: what is told apart is so in a tenth of one, or after all of it.
const OPTIONS: [&str; 6] = ["--timeout", "1", "--jobs", "1", "--reduce", "0"];
/// The same where something is to be proven, which takes no longer, but may have to wait for others.
const PATIENTLY: [&str; 6] = ["--timeout", "20", "--jobs", "1", "--reduce", "0"];

/// Bits of numbers of at most a word.
const NARROW: [u16; 6] = [1, 8, 33, 160, 255, 256];
/// Bits of numbers of several words.
const WIDE: [u16; 4] = [257, 320, 511, 512];

/// Two ways to compute `%r` of `%a`, `%b` and `%c`, and the least width at which they differ. `W` stands for the width,
/// `L` for one bit less.
type Pair = (&'static str, &'static str, u16);

/// A program that stores what a body computes of words of calldata, cut to a width of at most a word.
fn narrow(width: u16, body: &str) -> String {
    let body = with_width(width, body);
    format!(
        "module @m {{
          func @__entry() {{
          ^entry:
            %x = evm.calldataload 0 : u256
            %y = evm.calldataload 32 : u256
            %z = evm.calldataload 64 : u256
            %a = evm.trunc %x : u{width}
            %b = evm.trunc %y : u{width}
            %c = evm.trunc %z : u{width}
            {body}
            %whole = evm.zext %r : u256
            evm.sstore 0, %whole
            evm.stop
          }}
        }}"
    )
}

/// The same of numbers of two words, of which both words are stored.
fn wide(width: u16, body: &str) -> String {
    let words: Vec<String> = (0..4)
        .map(|index| {
            format!(
                "%w{index} = evm.calldataload {} : u256\n%v{index} = evm.zext %w{index} : u512",
                32 * index
            )
        })
        .collect();
    let (words, body) = (words.join("\n"), with_width(width, body));
    format!(
        "module @m {{
          func @__entry() {{
          ^entry:
            {words}
            %a1 = evm.shl 256, %v1 : u512
            %b1 = evm.shl 256, %v3 : u512
            %a2 = evm.or %a1, %v0 : u512
            %b2 = evm.or %b1, %v2 : u512
            %a = evm.trunc %a2 : u{width}
            %b = evm.trunc %b2 : u{width}
            {body}
            %all = evm.zext %r : u512
            %low = evm.trunc %all : u256
            %up = evm.shr 256, %all : u512
            %high = evm.trunc %up : u256
            evm.sstore 0, %low
            evm.sstore 1, %high
            evm.stop
          }}
        }}"
    )
}

fn with_width(width: u16, body: &str) -> String {
    body.replace("uW", &format!("u{width}"))
        .replace("$W", &width.to_string())
        .replace("$L", &(width - 1).to_string())
        .replace("; ", "\n")
}

/// At each of the widths the two are told apart; at the one of `proven` the first is proven against itself.
#[track_caller]
fn are_told_apart(program: fn(u16, &str) -> String, widths: &[u16], pairs: &[Pair], proven: Option<u16>) {
    if !has_solver("pairs are not compared") {
        return;
    }
    for (right, wrong, least) in pairs {
        for width in widths.iter().copied().filter(|width| width >= least) {
            let (first, second) = (program(width, right), program(width, wrong));
            if proven == Some(width) {
                assert_eq!(verdict("eir", &PATIENTLY, &first, &first), "proven", "{right}");
            }
            let found = verdict("eir", &OPTIONS, &first, &second);
            let is_open = ["undecided", "different"].iter().any(|kind| found.starts_with(kind));
            assert!(is_open, "`{wrong}` for `{right}` at {width} bits: {found}");
        }
    }
}

/// Results of opcodes are cut to their width, operands are not read past theirs.
#[test]
fn opcodes() {
    let pairs = [
        ("%r = evm.add %a, %b : uW", "%r = evm.or %a, %b : uW", 1),
        ("%r = evm.sub %a, %b : uW", "%r = evm.sub %b, %a : uW", 2),
        ("%r = evm.mul %a, %b : uW", "%r = evm.mul %a, %a : uW", 1),
        ("%r = evm.not %a : uW", "%r = evm.sub 0, %a : uW", 1),
        ("%r = evm.eq %a, %b : bool", "%r = evm.eq %x, %y : bool", 1),
        ("%r = evm.select %a, %b, %c : uW", "%r = evm.select %x, %b, %c : uW", 1),
        ("%r = evm.or %a, %a : uW", "%t = evm.trunc %x : u$L; %r = evm.zext %t : uW", 2),
        (
            "%s = evm.add %a, %b : uW; %r = evm.lt %s, %a : bool",
            "%s = evm.add %a, %b : uW; %r = evm.gt %s, %a : bool",
            1,
        ),
        (
            "%s = evm.sub %a, %b : uW; %r = evm.lt %a, %s : bool",
            "%s = evm.sub %a, %b : uW; %t = evm.lt %s, %a : bool; %r = evm.iszero %t : bool",
            2,
        ),
        // The sum is cut before it is halved.
        (
            "%s = evm.add %a, %b : uW; %r = evm.shr 1, %s : uW",
            "%d = evm.xor %a, %b : uW; %h = evm.shr 1, %d : uW; %m = evm.and %a, %b : uW; %r = evm.add %h, %m : uW",
            1,
        ),
    ];
    // Where an operand of one bit is not cut, the other is.
    let (all, above): (Vec<Pair>, Vec<Pair>) =
        pairs.into_iter().partition(|(_, wrong, _)| !wrong.contains("%x"));
    are_told_apart(narrow, &NARROW, &all, Some(33));
    are_told_apart(narrow, &NARROW[..5], &above, Some(33));
    let powers = [
        ("%r = evm.exp %a, %b : uW", "%r = evm.exp %b, %a : uW", 1),
        ("%r = evm.exp %a, %b : uW", "%e = evm.trunc %y : u8; %r = evm.exp %a, %e : uW", 9),
    ];
    are_told_apart(narrow, &NARROW, &powers, None);
}

/// Sums and products that are reduced at once, and those that wrap before. Words of other widths are other words.
#[test]
fn remainders_of_sums_and_products() {
    let pairs = [
        ("%r = evm.addmod %a, %b, %c : uW", "%s = evm.add %a, %b : uW; %r = evm.mod %s, %c : uW", 2),
        ("%r = evm.mulmod %a, %b, %c : uW", "%s = evm.mul %a, %b : uW; %r = evm.mod %s, %c : uW", 2),
        ("%r = evm.addmod %a, %b, %c : uW", "%r = evm.addmod %b, %c, %a : uW", 2),
        ("%r = evm.mulmod %a, %b, %c : uW", "%r = evm.mulmod %a, %c, %b : uW", 2),
    ];
    // Of most of these a solver tells nothing.
    are_told_apart(narrow, &[8, 33, 256], &pairs, Some(33));
    let mixed = [
        ("%r = evm.addmod %a, %y, %c : u256", "%r = evm.addmod %a, %b, %c : u256", 2),
        ("%r = evm.addmod %a, %b, %c : u256", "%r = evm.addmod %a, %b, %z : u256", 2),
        ("%r = evm.mulmod %x, %b, %z : u256", "%r = evm.mulmod %a, %b, %z : u256", 2),
        ("%r = evm.mulmod %x, %y, %z : uW", "%r = evm.mulmod %a, %b, %c : uW", 2),
        ("%r = evm.addmod %x, %y, %z : uW", "%r = evm.addmod %a, %b, %c : uW", 1),
    ];
    are_told_apart(narrow, &[8, 33], &mixed, Some(33));
}

/// A number narrower than a word is not negative to an opcode, but is to generic arithmetic and when it is extended.
#[test]
fn signs() {
    let words = [
        ("%r = evm.slt %a, %b : bool", "%r = evm.lt %a, %b : bool", 256),
        ("%r = evm.sdiv %a, %b : uW", "%r = evm.div %a, %b : uW", 256),
        ("%r = evm.sar %a, %b : uW", "%r = evm.shr %a, %b : uW", 256),
    ];
    are_told_apart(narrow, &[256], &words, Some(256));
    let pairs = [
        ("%r = evm.sgt %a, %b : bool", "%l = evm.slt %a, %b : bool; %r = evm.iszero %l : bool", 1),
        ("%r = evm.min %a, %b : uW", "%r = evm.smin %a, %b : uW", 1),
        ("%r = evm.max %a, %b : uW", "%r = evm.smax %a, %b : uW", 1),
        ("%r = evm.smin %a, %b : uW", "%r = evm.smax %a, %b : uW", 1),
        ("%r = evm.abs %a : uW", "%r = evm.smax %a, 0 : uW", 1),
        ("%t, %r = evm.subo %a, %b : uW, bool", "%t, %r = evm.subo %b, %a : uW, bool", 1),
    ];
    are_told_apart(narrow, &NARROW, &pairs, Some(33));
    let extended = [
        ("%r = evm.sext %a : u256", "%r = evm.zext %a : u256", 1),
        (
            "%s = evm.sext %a : u256; %t = evm.sext %b : u256; %r = evm.slt %s, %t : bool",
            "%r = evm.slt %a, %b : bool",
            1,
        ),
        (
            "%s = evm.sext %a : u256; %t = evm.sext %b : u256; %r = evm.slt %s, %t : bool",
            "%s = evm.sext %a : u256; %t = evm.zext %b : u256; %r = evm.slt %s, %t : bool",
            1,
        ),
        (
            "%s = evm.sext %a : u256; %r = evm.sar 1, %s : u256",
            "%s = evm.sext %a : u256; %r = evm.shr 1, %s : u256",
            1,
        ),
        ("%r = evm.sar %c, %b : u256", "%s = evm.sext %b : u256; %r = evm.sar %c, %s : u256", 1),
        (
            "%s = evm.abs %a : uW; %r = evm.zext %s : u256",
            "%s = evm.zext %a : u256; %r = evm.abs %s : u256",
            2,
        ),
    ];
    are_told_apart(narrow, &NARROW[..5], &extended, Some(33));
}

/// Amounts at the width and above: shifts leave nothing, rotations begin again.
#[test]
fn amounts() {
    let pairs = [
        ("%r = evm.shl $W, %b : uW", "%r = evm.shl 0, %b : uW", 1),
        ("%r = evm.shl $L, %b : uW", "%r = evm.shl $W, %b : uW", 1),
        ("%r = evm.shr $L, %b : uW", "%r = evm.shr $W, %b : uW", 1),
        ("%r = evm.shl %y, %a : uW", "%n = evm.mod %y, $W : u256; %r = evm.shl %n, %a : uW", 1),
        ("%r = evm.shr %y, %a : uW", "%n = evm.mod %y, $W : u256; %r = evm.shr %n, %a : uW", 1),
        ("%r = evm.shl %y, %a : uW", "%n = evm.trunc %y : u8; %r = evm.shl %n, %a : uW", 1),
        ("%r = evm.rotl %a, %b : uW", "%r = evm.rotr %a, %b : uW", 3),
        ("%r = evm.rotl $L, %b : uW", "%r = evm.shl $L, %b : uW", 2),
        ("%r = evm.rotl 1, %b : uW", "%r = evm.rotl $L, %b : uW", 3),
        ("%r = evm.rotr $W, %b : uW", "%r = evm.shr $W, %b : uW", 1),
    ];
    are_told_apart(narrow, &NARROW, &pairs, Some(160));
    // What is shifted out of a narrow number is gone, and of a word is not.
    let back = [(
        "%s = evm.shl 1, %a : uW; %t = evm.zext %s : u256; %r = evm.shr 1, %t : u256",
        "%t = evm.zext %a : u256; %s = evm.shl 1, %t : u256; %r = evm.shr 1, %s : u256",
        1,
    )];
    are_told_apart(narrow, &NARROW[..5], &back, Some(33));
}

/// Counts of bits, checks and bounds are those of the width.
#[test]
fn counts_and_checks() {
    let pairs = [
        ("%r = evm.ctlz %a : uW", "%r = evm.cttz %a : uW", 2),
        ("%r = evm.ctpop %a : uW", "%r = evm.ctpop %b : uW", 1),
        ("%r = evm.uadd_sat %a, %b : uW", "%r = evm.add %a, %b : uW", 1),
        ("%r = evm.usub_sat %a, %b : uW", "%r = evm.sub %a, %b : uW", 1),
        ("%r = evm.umul_sat %a, %b : uW", "%r = evm.mul %a, %b : uW", 2),
        ("%r = evm.mulhi %a, %b : uW", "%r = evm.mulhi %a, %a : uW", 2),
        (
            "%s, %r = evm.addo %a, %b : uW, bool",
            "%s = evm.add %a, %b : uW; %t = evm.gt %s, %a : bool; %r = evm.iszero %t : bool",
            1,
        ),
        ("%s, %r = evm.mulo %a, %b : uW, bool", "%s = evm.mul %a, %b : uW; %r = evm.lt %s, %a : bool", 2),
        ("%s, %r = evm.mulo %a, %b : uW, bool", "%s, %r = evm.addo %a, %b : uW, bool", 1),
    ];
    are_told_apart(narrow, &NARROW, &pairs, Some(33));
    let above = [
        ("%r = evm.ctlz %a : uW", "%s = evm.ctlz %x : u256; %r = evm.trunc %s : uW", 2),
        ("%r = evm.cttz %a : u256", "%r = evm.cttz %x : u256", 1),
        ("%r = evm.clz %a : u256", "%r = evm.clz %x : u256", 1),
    ];
    are_told_apart(narrow, &NARROW[..5], &above, None);
    are_told_apart(
        narrow,
        &[16, 160, 256],
        &[("%r = evm.bswap %a : uW", "%r = evm.or %a, %a : uW", 16)],
        Some(160),
    );
}

/// What one word hands to the next: carries, borrows, bits that are shifted, and comparisons that the lower word decides.
#[test]
fn numbers_of_several_words() {
    let pairs = [
        ("%r = evm.add %a, %b : uW", "%r = evm.or %a, %b : uW", 257),
        ("%r = evm.sub %a, %b : uW", "%r = evm.sub %b, %a : uW", 258),
        ("%r = evm.not %a : uW", "%r = evm.sub 0, %a : uW", 257),
        ("%r = evm.xor %a, %b : uW", "%r = evm.or %a, %b : uW", 257),
        // The carry, and the borrow, are lost.
        (
            "%l = evm.zext %w0 : uW; %m = evm.zext %w2 : uW; %r = evm.add %l, %m : uW",
            "%s = evm.add %w0, %w2 : u256; %r = evm.zext %s : uW",
            257,
        ),
        (
            "%l = evm.zext %w0 : uW; %m = evm.zext %w2 : uW; %r = evm.sub %l, %m : uW",
            "%s = evm.sub %w0, %w2 : u256; %r = evm.zext %s : uW",
            257,
        ),
        ("%r = evm.mul %a, %b : uW", "%r = evm.add %a, %b : uW", 257),
        ("%r = evm.shl 1, %a : uW", "%r = evm.shl 2, %a : uW", 257),
        ("%r = evm.shl 255, %a : uW", "%r = evm.shl 256, %a : uW", 257),
        ("%r = evm.shr 256, %a : uW", "%r = evm.shr 257, %a : uW", 257),
        ("%r = evm.shr $L, %a : uW", "%r = evm.shr $W, %a : uW", 257),
        ("%r = evm.shl $L, %a : uW", "%r = evm.shl $W, %a : uW", 257),
        ("%r = evm.lt %a, %b : bool", "%r = evm.gt %a, %b : bool", 257),
        ("%r = evm.lt %a, %b : bool", "%r = evm.lt %w0, %w2 : bool", 257),
        ("%r = evm.eq %a, %b : bool", "%r = evm.eq %w0, %w2 : bool", 257),
        ("%r = evm.iszero %a : bool", "%r = evm.iszero %w0 : bool", 257),
        ("%r = evm.select %a, 1, 2 : uW", "%r = evm.select %w0, 1, 2 : uW", 257),
        ("%r = evm.or %a, %a : uW", "%t = evm.trunc %a : u$L; %r = evm.zext %t : uW", 257),
    ];
    are_told_apart(wide, &WIDE, &pairs, Some(320));
    // Not described: never proven, whatever is beside it.
    let beyond = [
        ("%r = evm.slt %a, %b : bool", "%r = evm.lt %a, %b : bool", 257),
        ("%r = evm.sar 1, %a : uW", "%r = evm.shr 1, %a : uW", 257),
        ("%r = evm.addmod %a, %b, %w1 : uW", "%s = evm.add %a, %b : uW; %r = evm.mod %s, %w1 : uW", 257),
        ("%r = evm.mulmod %a, %b, %w1 : uW", "%s = evm.mul %a, %b : uW; %r = evm.mod %s, %w1 : uW", 257),
        ("%r = evm.min %a, %b : uW", "%r = evm.max %a, %b : uW", 257),
    ];
    are_told_apart(wide, &WIDE[1..2], &beyond, None);
}
