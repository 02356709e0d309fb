//! What stands between checks, and what is made of the words behind them.

use super::rows::Step;
use super::{Generator, Memory};

/// Between two checks.
const BETWEEN: &str = "[||||||||||||||||r := mix(r, #X)|r := add(r, #X)|mstore(#A, #X)|mstore(#A, #X)|mstore(#A, #X)|#h|mstore(#D, #X)|mstore8(#D, #X)\
    |r := mix(r, mload(#A))|r := mix(r, mload(#D))|sstore(#k, #X)|r := mix(r, sload(#k))|#t|log1(#A, [0|0x20], #X)|log0(#A, 0x40)\
    |r := mix(r, calldataload([#p|add(#p, 0x20)|add(#o, #K)]))|r := mix(r, keccak256(#A, [0x20|0x40]))\
    |mstore(0, #X) mstore(0x20, #k) r := mix(r, sload(keccak256(0, 0x40)))|calldatacopy(#A, #p, [0x20|4|0])\
    |if #T { r := add(r, #k) }|if #T { mstore(#A, #X) }|r := mix(r, #T)|r := mix(r, #T)|r := mix(r, #T)\
    |for { let #n := 0 } lt(#n, and(#l, 3)) { #n := add(#n, 1) } { r := mix(r, calldataload(add(#p, shl(5, #n)))) }]";

/// Behind a row.
const USES: &str = "[r := mix(r, #X)|r := mix(r, #T)|r := mix(r, #T)|r := mix(r, #T)|r := mix(r, #S)|r := mix(r, add(#o, #l))\
    |calldatacopy(0x80, #p, and(#l, 0xff)) r := mix(r, keccak256(0x80, and(#l, 0x7f)))|calldatacopy(#A, #o, [0x20|0x3f])\
    |r := mix(r, mload(#A))|r := mix(r, calldataload(#p))|r := mix(r, calldataload(add(#p, #L)))|r := mix(r, calldataload(#S))\
    |sstore(#k, #X)|log1(#A, 0x40, #X)|mstore(#A, #X)|#h|r := mix(r, keccak256(#Z, 0xa0))|if #T { r := mix(r, #X) }\
    |switch #T case 0 { r := mix(r, #v) } default { r := xor(r, #k) }]";

impl Generator<'_> {
    /// What stands behind a check: often nothing.
    pub(super) fn between(&mut self, steps: &mut Vec<Step>) {
        let text = self.fill(BETWEEN);
        if !text.is_empty() {
            steps.push(Step::Other(text));
        }
    }

    /// What is made of the words of a row.
    pub(super) fn uses(&mut self) -> String {
        (0..self.random.between(1, 4)).map(|_| self.fill(USES) + "\n").collect()
    }

    /// What stands for a letter in templates of statements.
    pub(super) fn hole_of_statements(&self, letter: &str) -> Option<&'static str> {
        let is_kept = self.memory == Memory::Kept;
        Some(match letter {
            "X" => {
                "[#v|#v|#v|#S|add(#v, #v)|sub(#v, #v)|mul(#v, #v)|shl(5, #v)|and(#w, #M)|#G|#k|calldataload(#p)|r\
                 |sub(#E, #v)|not(#v)|xor(#v, #v)]"
            }
            "k" => "[0|1|2|3|7]",
            // Where the memory begins that the program looks at.
            "Z" if is_kept => "0x60",
            "Z" => "0",
            // 64 bytes from there on are the program's.
            "A" if is_kept => "[0|0|0x60|0x80|0xa0|0x180]",
            "A" => "[0|0|0x20|0x20|0x40|0x40|0x60|0x80|0xa0|0x180]",
            // A word at an address that is computed or far.
            "D" => "[add(0x80, and(#v, [0xff|0xe0|0x60]))|add(and(#v, 0xe0), 0x80)|0x1c0|#g|#g]",
            "g" if self.memory != Memory::Owned => "[0x1a0|0x1c0|add(0x60, and(#v, 0xff))]",
            "g" => "[0x4000|0x3fe1|and(#v, 0xffff)|and(#v, 0xe0)|add(0x1000, and(#v, 0xfff))]",
            // Free memory.
            "h" if is_kept => {
                "{ let #n := mload(0x40) mstore(#n, #X) [r := mix(r, keccak256(#n, 0x20))|log1(#n, 0x20, #v)\
                 |mstore(0x40, add(#n, 0x20)) r := mix(r, mload(#n))] }"
            }
            "h" => "mstore(#A, #X)",
            // Older forks have no transient storage.
            "t" if self.is_transient => "[tstore(#k, #X)|r := mix(r, tload(#k))]",
            "t" => "sstore(#k, [r|#X])",
            _ => return None,
        })
    }
}
