//! Bytecode and assembly text that are large in one way.

use std::fmt::Write;

/// A `PUSH3` of a place.
fn push(place: usize) -> String {
    format!("62{place:06x}")
}

/// `n` times `JUMPDEST`.
pub(super) fn jumpdests(n: usize) -> String {
    "5b".repeat(n) + "00"
}

/// `n` loads of storage whose words go.
pub(super) fn straight(n: usize) -> String {
    "5f5450".repeat(n) + "00"
}

/// `n` jumps to the next instruction.
pub(super) fn jumps(n: usize) -> String {
    // PUSH3 next JUMP JUMPDEST: six bytes.
    let blocks: String = (0..n).map(|i| format!("{}565b", push(i * 6 + 5))).collect();
    blocks + "00"
}

/// `n` checks of call data that share a failure block.
pub(super) fn checks(n: usize) -> String {
    // PUSH0 CALLDATALOAD PUSH3 fail JUMPI: seven bytes.
    let check = format!("5f35{}57", push(n * 7 + 1));
    check.repeat(n) + "005b5f5ffd"
}

/// A dispatcher of `n` selectors.
pub(super) fn dispatch(n: usize) -> String {
    // PUSH0 CALLDATALOAD PUSH1 224 SHR: five bytes; PUSH0 PUSH0 REVERT after the comparisons.
    let body_at = |i: usize| 5 + n * 12 + 3 + i * 6;
    let mut text = "5f3560e01c".to_owned();
    for i in 0..n {
        // DUP1 PUSH4 selector EQ PUSH3 body JUMPI: twelve bytes.
        let selector = (i as u32).wrapping_mul(0x9e37_79b1);
        let _ = write!(text, "8063{selector:08x}14{}57", push(body_at(i)));
    }
    text += "5f5ffd";
    for i in 0..n {
        // JUMPDEST PUSH1 i PUSH0 SSTORE STOP: six bytes.
        let _ = write!(text, "5b60{:02x}5f5500", i % 256);
    }
    text
}

/// One function called from `n` places.
pub(super) fn call_sites(n: usize) -> String {
    // PUSH3 back PUSH3 function JUMP JUMPDEST: ten bytes.
    let calls: String = (0..n).map(|i| format!("{}{}565b", push(i * 10 + 9), push(n * 10 + 1))).collect();
    // STOP, then JUMPDEST CALLER PUSH0 SSTORE JUMP.
    calls + "005b335f5556"
}

/// `n` labels with a conditional jump to the next one each.
pub(super) fn labels_text(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "CALLER\nPUSH l{i}\nJUMPI\nSTOP\nl{i}:");
    }
    text + "STOP\n"
}

/// `n` instructions without jumps.
pub(super) fn straight_text(n: usize) -> String {
    "PUSH 1\nSLOAD\nPOP\n".repeat(n) + "STOP\n"
}
