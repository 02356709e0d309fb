// A fee and its owner, immutables from the constructor's arguments.
object "Fees" {
    code {
        codecopy(0x80, datasize("Fees"), 64)
        let rate := mload(0x80)
        if gt(rate, 10000) { rate := 10000 }
        datacopy(0x100, dataoffset("r"), datasize("r"))
        setimmutable(0x100, "rate", rate)
        setimmutable(0x100, "owner", mload(0xa0))
        return(0x100, datasize("r"))
    }
    object "r" {
        code {
            switch shr(224, calldataload(0))
            case 0x39b37ab0 /* fee(uint256) */ {
                let amount := calldataload(4)
                if gt(amount, 0xffffffffffffffffffffffffffffffff) { revert(0, 0) }
                let fee := div(mul(amount, loadimmutable("rate")), 10000)
                if gt(amount, 1000000) { fee := sub(fee, div(fee, 10)) }
                mstore(0, fee)
                return(0, 32)
            }
            case 0x8da5cb5b /* owner() */ { mstore(0, loadimmutable("owner")) return(0, 32) }
            default { revert(0, 0) }
        }
    }
}
