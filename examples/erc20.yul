// An ERC-20 token. The constructor takes the initial supply and gives it to the deployer.
//
//   cargo run --release -- build examples/erc20.yul
//   cargo run --release -- run examples/erc20.yul --constructor-args <32 bytes> --call 'totalSupply()(uint256)'
object "ERC20" {
    code {
        // The constructor's argument follows the creation code.
        let size := datasize("ERC20")
        codecopy(0, size, 32)
        let supply := mload(0)
        sstore(0, supply)
        mstore(0, caller())
        mstore(0x20, 1)
        sstore(keccak256(0, 0x40), supply)

        datacopy(0, dataoffset("ERC20_deployed"), datasize("ERC20_deployed"))
        return(0, datasize("ERC20_deployed"))
    }
    object "ERC20_deployed" {
        code {
            // Slot 0: total supply; mapping 1: balances; mapping 2: allowances by owner and spender.
            mstore(0x40, memoryguard(0x80))
            if callvalue() { revert(0, 0) }

            switch shr(224, calldataload(0))
            case 0x18160ddd /* totalSupply() */ { returnWord(sload(0)) }
            case 0x70a08231 /* balanceOf(address) */ { returnWord(sload(balanceSlot(addressArgument(0)))) }
            case 0xdd62ed3e /* allowance(address,address) */ {
                returnWord(sload(allowanceSlot(addressArgument(0), addressArgument(1))))
            }
            case 0xa9059cbb /* transfer(address,uint256) */ {
                move(caller(), addressArgument(0), argument(1))
                returnWord(1)
            }
            case 0x095ea7b3 /* approve(address,uint256) */ {
                let spender := addressArgument(0)
                let amount := argument(1)
                sstore(allowanceSlot(caller(), spender), amount)
                // Approval(address,address,uint256)
                logTransfer(0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925, caller(), spender, amount)
                returnWord(1)
            }
            case 0x23b872dd /* transferFrom(address,address,uint256) */ {
                let owner := addressArgument(0)
                let amount := argument(2)
                let slot := allowanceSlot(owner, caller())
                let allowed := sload(slot)
                if lt(allowed, amount) { revert(0, 0) }
                if not(allowed) { sstore(slot, sub(allowed, amount)) }
                move(owner, addressArgument(1), amount)
                returnWord(1)
            }
            default { revert(0, 0) }

            function argument(index) -> value {
                let offset := add(4, mul(index, 0x20))
                if lt(calldatasize(), add(offset, 0x20)) { revert(0, 0) }
                value := calldataload(offset)
            }

            function addressArgument(index) -> value {
                value := argument(index)
                if shr(160, value) { revert(0, 0) }
            }

            function balanceSlot(account) -> slot {
                mstore(0, account)
                mstore(0x20, 1)
                slot := keccak256(0, 0x40)
            }

            function allowanceSlot(owner, spender) -> slot {
                mstore(0, owner)
                mstore(0x20, 2)
                let inner := keccak256(0, 0x40)
                mstore(0, spender)
                mstore(0x20, inner)
                slot := keccak256(0, 0x40)
            }

            function move(from, to, amount) {
                let source := balanceSlot(from)
                let balance_ := sload(source)
                if lt(balance_, amount) { revert(0, 0) }
                sstore(source, sub(balance_, amount))
                let target := balanceSlot(to)
                sstore(target, add(sload(target), amount))
                // Transfer(address,address,uint256)
                logTransfer(0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, from, to, amount)
            }

            function logTransfer(topic, a, b, amount) {
                mstore(0, amount)
                log3(0, 0x20, topic, a, b)
            }

            function returnWord(word) {
                mstore(0, word)
                return(0, 0x20)
            }
        }
    }
}
