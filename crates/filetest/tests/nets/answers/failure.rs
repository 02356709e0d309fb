//! Failures passed on.

use super::Generator;

/// The data is copied anywhere: `#Q` is memory that is the last to be used.
const ANYWHERE: [&str; 11] = [
    "let #n := #Q returndatacopy(#n, 0, returndatasize()) sstore(5, #x) return(#n, returndatasize())",
    "let #n := #Q returndatacopy(#n, 0, returndatasize()) sstore(#x, #x) tstore(5, #x) return(#n, returndatasize())",
    "returndatacopy(#Q, 0, returndatasize()) revert(#Q, returndatasize())",
    "let #n := returndatasize() returndatacopy(#Q, 0, #n) revert(#Q, #n)",
    "let #n := #Q returndatacopy(#n, 0, returndatasize()) revert(#n, returndatasize())",
    "forward_to(#Q)",
    "forward_sized(#Q, returndatasize())",
    "returndatacopy(#Q, 0, returndatasize()) return(#Q, returndatasize())",
    "if iszero(returndatasize()) { revert(0, 0) } returndatacopy(#Q, 0, returndatasize()) revert(#Q, returndatasize())",
    "let #n := #Q returndatacopy(#n, 0, returndatasize()) sstore(5, keccak256(#n, returndatasize())) return(#n, returndatasize())",
    "let #n := #Q returndatacopy(#n, 0, returndatasize()) mstore8(#n, #x) revert(#n, returndatasize())",
];

/// In free memory.
const FREE: [&str; 22] = [
    "let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) sstore(5, #x) return(#n, calldatasize())",
    "let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) sstore(#x, #x) sstore(5, #x) return(#n, calldatasize())",
    "forward()",
    "let #n := mload(0x40) let s#n := returndatasize() returndatacopy(#n, 0, s#n) pop(#C) revert(#n, s#n)",
    "let s#n := returndatasize() pop(#C) let #n := allocate(0x100) calldatacopy(#n, 0, 0x100) if iszero(lt(returndatasize(), s#n)) { returndatacopy(#n, 0, s#n) } revert(#n, s#n)",
    "let s#n := returndatasize() pop(#C) let #n := allocate(0x100) calldatacopy(#n, 0, 0x100) returndatacopy(#n, 0, returndatasize()) revert(#n, s#n)",
    "let s#n := returndatasize() let #n := mload(0x40) calldatacopy(#n, 0, 0x100) if gt(s#n, 0x20) { returndatacopy(#n, 0, 0x20) revert(#n, s#n) } revert(#n, 0x20)",
    "let #n := mload(0x40) calldatacopy(#n, 0, 0x100) if returndatasize() { returndatacopy(#n, 1, sub(returndatasize(), 1)) } revert(#n, returndatasize())",
    "let #n := mload(0x40) let s#n := returndatasize() returndatacopy(#n, 0, s#n) mstore(#n, #x) revert(#n, s#n)",
    "let #n := mload(0x40) let s#n := returndatasize() returndatacopy(#n, 0, s#n) mstore(0, #x) #v := mload(0) sstore(5, #v) revert(#n, s#n)",
    "let #n := mload(0x40) let s#n := returndatasize() mstore(#n, #x) returndatacopy(#n, 0, s#n) revert(#n, 0x20)",
    "let #n := mload(0x40) let s#n := returndatasize() returndatacopy(#n, 0, s#n) returndatacopy(add(#n, s#n), 0, s#n) revert(#n, add(s#n, s#n))",
    "let #n := mload(0x40) calldatacopy(#n, 4, 0x24) returndatacopy(add(#n, 0x24), 0, returndatasize()) revert(#n, add(0x24, returndatasize()))",
    "let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) returndatacopy(#n, 0, returndatasize()) revert(#n, calldatasize())",
    "let #n := mload(0x40) returndatacopy(#n, 0, returndatasize()) calldatacopy(#n, 0, 4) revert(#n, returndatasize())",
    "let #n := mload(0x40) calldatacopy(#n, 0, calldatasize()) revert(#n, calldatasize())",
    "let #n := mload(0x40) calldatacopy(#n, 4, calldatasize()) return(#n, calldatasize())",
    "let #n := mload(0x40) extcodecopy(0xe9, #n, 0, 0x40) return(#n, 0x40)",
    "let #n := mload(0x40) codecopy(#n, 0xffffff, 0x30) revert(#n, 0x30)",
    "let #n := mload(0x40) mstore(#n, shl(224, 0x08c379a0)) returndatacopy(add(#n, 4), 0, returndatasize()) revert(#n, add(returndatasize(), 4))",
    "let #n := mload(0x40) mstore(#n, shl(224, 0x08c379a0)) mstore(add(#n, 4), #x) revert(#n, 0x24)",
    "let #n := mload(0x40) returndatacopy(#n, 0, returndatasize()) log0(#n, returndatasize()) revert(#n, returndatasize())",
];

impl Generator<'_> {
    /// The frame ends, for free memory that was in use is another owner's now (A19).
    pub(super) fn failure(&mut self) -> String {
        if self.random.once_in(2) {
            let mut places = vec!["0", "0", "mload(0x40)", "mload(0x40)", "mload(64)"];
            if !self.has_frame || self.own_end >= 0x100 {
                places.push("0x80");
            }
            let place = *self.random.pick(&places);
            if !place.starts_with("mload") {
                let text = self.one_of(&ANYWHERE, &[("Q", place)]);
                // Frames begin where the program's own memory ends (A3).
                let room = if place == "0" { self.own_end } else { self.own_end - 0x80 };
                let guard = format!("if gt(returndatasize(), 0x{room:x}) {{ revert(0, 0) }} ");
                return if self.has_frame { guard + &text } else { text };
            }
            // One load, for another is another owner.
            let name = self.fresh("q");
            return format!("let {name} := {place} {}", self.one_of(&ANYWHERE, &[("Q", &name)]));
        }
        let call = self.call("0", 0x24, "0", 0);
        self.one_of(&FREE, &[("C", &call)])
    }
}
