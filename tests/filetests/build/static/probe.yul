// Whether it runs in a static frame a contract finds out by a call of itself that changes the state
// and reverts with data: no data came back where the change halted.
//! run: build --emit=bin
//! exec: => return word(0)
//! exec: static => return word(1)
object "C" { code {
    switch eq(caller(), address())
    case 0 {
        pop(call(50000, address(), 0, 0, 0, 0, 0))
        mstore(0, iszero(returndatasize()))
        return(0, 32)
    }
    default {
        tstore(0, 1)
        revert(0, 32)
    }
} }
// ---- build --emit=bin
// 3033146018575f5f5f5f5f3061c350f13d155f5260205ff35b60015f5d60205ffd
