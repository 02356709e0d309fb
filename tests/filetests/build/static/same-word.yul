// A word that is stored where it was loaded from changes nothing, but a static frame halts there.
//! run: build --emit=bin
//! exec: calldata=word(7) => return word(0)
//! exec: static calldata=word(7) => halt
object "C" { code {
    let key := calldataload(0)
    let word := sload(key)
    sstore(key, word)
    mstore(0, word)
    return(0, 32)
} }
// ---- build --emit=bin
// 5f3580548091555f5260205ff3
