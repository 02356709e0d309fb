// Unoptimized, this needs more words at once than the stack reaches, and there is no frame for them: then the code is
// that of a level above. (All words are used twice, in the two orders.)
//! exec: calldata=word(101),word(102),word(103),word(104),word(105),word(106),word(107),word(108),word(109),word(110),word(111),word(112),word(113),word(114),word(115) => return word(0) ; logs=1 ; storage[101]=101
{
    mstore(0, f(
        calldataload(0), calldataload(32), calldataload(64), calldataload(96),
        calldataload(128), calldataload(160), calldataload(192), calldataload(224),
        calldataload(256), calldataload(288), calldataload(320), calldataload(352),
        calldataload(384), calldataload(416), calldataload(448)))
    return(0, 32)
    function f(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) -> sum {
        let a := sload(0) let b := add(sload(1), 1) let c := add(sload(2), 2) let d := add(sload(3), 3)
        sstore(x1, caller()) sstore(x2, caller()) sstore(x3, caller()) sstore(x4, caller())
        sstore(x5, caller()) sstore(x6, caller()) sstore(x7, caller()) sstore(x8, caller())
        sstore(x9, caller()) sstore(x10, caller()) sstore(x11, caller()) sstore(x12, caller())
        sstore(x13, caller()) sstore(x14, caller()) sstore(x15, caller()) sstore(x15, x15)
        sstore(x14, x14) sstore(x13, x13) sstore(x12, x12) sstore(x11, x11)
        sstore(x10, x10) sstore(x9, x9) sstore(x8, x8) sstore(x7, x7)
        sstore(x6, x6) sstore(x5, x5) sstore(x4, x4) sstore(x3, x3)
        sstore(x2, x2) sstore(x1, x1)
        log4(0, 0, a, b, c, d)
        sum := a
    }
}
