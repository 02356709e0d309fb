//! What is made of an answer: whether its size is checked, and how it is used.

use super::{Generator, Place};

/// Checks behind which `#K` bytes were returned; `#B` stands behind, `#F` fails.
const CHECKS: [&str; 16] = [
    "if lt(returndatasize(), #K) { #F }\n#B",
    "if lt(returndatasize(), #K) { revert(0, 0) }\n#B",
    "if gt(#K, returndatasize()) { revert(0, 0) }\n#B",
    "if slt(returndatasize(), #K) { revert(0, 0) }\n#B",
    "if iszero(gt(returndatasize(), sub(#K, 1))) { #F }\n#B",
    "if iszero(lt(returndatasize(), #K)) {\n#B}",
    "if iszero(gt(#K, returndatasize())) {\n#B}",
    "if gt(returndatasize(), sub(#K, 1)) {\n#B}",
    "switch lt(returndatasize(), #K) case 0 {\n#B} default { #v := returndatasize() }",
    "switch gt(returndatasize(), sub(#K, 1)) case 0 { #F } default {\n#B}",
    "let #n := returndatasize() if lt(#n, #K) { #F }\n#B",
    "if eq(returndatasize(), #K) {\n#B}",
    "for { } lt(returndatasize(), #K) { } { #F }\n#B",
    "let #n := returndatasize() mstore(0, #n) #v := keccak256(0, 0x20) if gt(#K, #n) { #F }\n#B",
    "if or(#t, gt(#K, returndatasize())) { #F }\n#B",
    "if slt(sub(add(#P, returndatasize()), #P), #K) { revert(0, 0) }\n#B",
];

/// Behind these, nothing is known.
const NO_CHECKS: [&str; 15] = [
    "#B",
    "#B",
    "if lt(returndatasize(), sub(#K, 1)) { #F }\n#B",
    "if iszero(returndatasize()) { #F }\n#B",
    "if returndatasize() {\n#B}",
    "if lt(returndatasize(), #K) {\n#B}",
    "if gt(returndatasize(), #K) { #F }\n#B",
    "if #t { if lt(returndatasize(), #K) { #F } }\n#B",
    "switch lt(returndatasize(), #K) case 0 { #v := add(#v, 1) } default {\n#B}",
    "if lt(#K, returndatasize()) { #v := 7 }\n#B",
    "if and(#t, gt(#K, returndatasize())) { #F }\n#B",
    "pop(#C)\nif lt(returndatasize(), #K) { #F }\n#B",
    "let #n := returndatasize() if #t { #n := #K } if lt(#n, #K) { #F }\n#B",
    "if slt(#K, returndatasize()) { #v := add(#v, 3) }\n#B",
    "if lt(returndatasize(), #K) { #v := add(#v, 5) }\n#B",
];

/// Of a word at `#P`.
const WORD_USES: [&str; 18] = [
    "#v := mload(#P)",
    "#v := mload(#P)",
    "#v := add(#v, mload(#P))",
    "#v := add(#v, mload(#P))",
    "#v := xor(#v, mload(#P)) #v := add(#v, mload(#P))",
    "sstore(7, mload(#P))",
    "let #n := mload(#P) if #t { #v := #n }",
    "if #t { #v := mload(#P) }",
    "switch #t case 0 { #v := add(#v, mload(#P)) } default { #v := mload(#P) }",
    "for { let #n := 0 } lt(#n, 2) { #n := add(#n, 1) } { #v := add(#v, mload(#P)) }",
    "for { let #n := 0 } lt(#n, 2) { #n := add(#n, 1) } { #v := add(#v, mload(#P)) mstore(0, #v) }",
    "#v := word_at(#P)",
    "#v := add(#v, word_at(#P))",
    "#v := key(#x, mload(#P))",
    "mstore(0, #x) #v := add(#v, mload(#P))",
    "mstore(0, mload(#P)) mstore(0x20, 2) #v := sload(keccak256(0, 0x40))",
    "if #t { mstore(0, mload(#P)) revert(0, 0x20) }",
    "let #n := mload(#P) mstore(0, #n) return(0, 0x20)",
];

/// Of `#S` bytes at `#P`.
const BYTE_USES: [&str; 8] = [
    "#v := add(#v, keccak256(#P, #S))",
    "#v := keccak256(#P, #S)",
    "log1(#P, #S, #v)",
    "log0(#P, #S)",
    "if #t { return(#P, #S) }",
    "if #t { revert(#P, #S) }",
    "pop(staticcall(gas(), 0xe9, #P, #S, 0, 0x20))",
    "pop(staticcall(gas(), 4, #P, #S, 0x20, 0x20)) #v := add(#v, mload(0x20))",
];

impl Generator<'_> {
    /// A call, and what stands behind it.
    pub(super) fn answered(&mut self, call: &str, out: &Place, size: usize) -> String {
        let checked = if self.random.once_in(6) { self.random.between(1, 33) } else { size };
        let is_checked = checked > 0 && !self.random.once_in(3);
        let mut inside = out.clone();
        if is_checked {
            inside.known = inside.known.max(checked.min(size));
        }
        let mut body = String::new();
        for _ in 0..self.random.between(1, 2) {
            if self.random.once_in(6) {
                body += &self.memory_work(out.is_free);
                body.push('\n');
            }
            body += &self.use_of(&inside);
        }
        let check = if is_checked { *self.random.pick(&CHECKS) } else { *self.random.pick(&NO_CHECKS) };
        let checked = if checked == 0 { 32 } else { checked };
        let (failure, other) = (self.short_failure(), self.call("0", 0x20, "0", 0));
        let (bytes, place) = (format!("0x{checked:x}"), out.at(0));
        let check =
            self.filled(check, &[("K", &bytes), ("F", &failure), ("B", &body), ("C", &other), ("P", &place)]);
        let mut text = self.behind_call(call, &check);
        if self.random.once_in(5) {
            text += &self.use_of(out);
        }
        text
    }

    /// What is done with whether the call succeeded.
    fn behind_call(&mut self, call: &str, rest: &str) -> String {
        let (ok, failure) = (self.fresh("ok"), self.failure());
        let before = match self.random.below(12) {
            // The size of the answer before this one.
            0 => format!(
                "let size{ok} := returndatasize()\nlet {ok} := {call}\nif lt(size{ok}, 0x20) {{ {ok} := 2 }}\n"
            ),
            _ => format!("let {ok} := {call}\n"),
        };
        let variable = self.variable();
        let after = match self.random.below(9) {
            0..4 => format!("if iszero({ok}) {{ {failure} }}\n{rest}\n"),
            4 => format!("{variable} := add({variable}, {ok})\n{rest}\n"),
            5 => format!("switch {ok} case 0 {{ {failure} }} default {{\n{rest}\n}}\n"),
            6 => format!("if {ok} {{\n{rest}\n}}\n"),
            7 => format!("{rest}\nif iszero({ok}) {{ {failure} }}\n"),
            _ => format!("pop({ok})\n{rest}\n"),
        };
        before + &after
    }

    fn short_failure(&mut self) -> String {
        match self.random.below(4) {
            0 => self.failure(),
            1 => self.one_of(&["mstore(0, #x) revert(0, 0x20)", "mstore(0, shl(224, #x)) revert(0, 4)"], &[]),
            _ => "revert(0, 0)".to_owned(),
        }
    }

    /// Something made of what is known there.
    pub(super) fn use_of(&mut self, place: &Place) -> String {
        let mut text = if place.known == 0 {
            self.one_of(&["#v := returndatasize()", "#v := add(#v, returndatasize())"], &[])
        } else if place.known < 0x20 || self.random.once_in(4) {
            let size = match self.random.below(3) {
                0 => self.random.between(1, place.known),
                1 => place.known.min(0x20),
                _ => place.known,
            };
            self.one_of(&BYTE_USES, &[("P", &place.at(0)), ("S", &format!("0x{size:x}"))])
        } else {
            let offsets: Vec<usize> =
                [0, 0, 0, 0, 0, 0, 1, 4, 31, 32].into_iter().filter(|at| at + 32 <= place.known).collect();
            let at = *self.random.pick(&offsets);
            self.one_of(&WORD_USES, &[("P", &place.at(at))])
        };
        text.push('\n');
        text
    }
}
