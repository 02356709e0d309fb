// Functions that change the state before they revert do so in a static frame, too, however they are
// called; a store that another surely comes before goes.
//! run: build --emit=bin
//! exec: calldata=word(1) => revert word(1)
//! exec: static calldata=word(1) => halt
//! exec: calldata=word(0) => stop; storage[2]=0x0; storage[1]=0x5
//! exec: static calldata=word(0) => halt
object "C" { code {
    lock()
    sstore(1, 5)
    check()
    sstore(2, 0)
    function lock() { sstore(2, 1) }
    function check() {
        if calldataload(0) {
            sstore(1, 6)
            mstore(0, 1)
            revert(0, 32)
        }
    }
} }
// ---- build --emit=bin
// 60056001555f35600f575f600255005b60015f5260205ffd
