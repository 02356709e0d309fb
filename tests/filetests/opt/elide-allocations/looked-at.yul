// A program that compares what the pointer is before and behind an allocation gets the true numbers, with and
// without a frame.
//! exec: calldata=word(5) => return word(64)
object "looks" {
    code {
        mstore(64, 128)
        let before := mload(64)
        sstore(0, hash_of(calldataload(0)))
        let behind := mload(64)
        mstore(0, sub(behind, before))
        return(0, 32)
        function hash_of(x) -> hash {
            let buffer := mload(64)
            mstore(buffer, x)
            mstore(add(buffer, 32), x)
            mstore(64, add(buffer, 64))
            hash := keccak256(buffer, 64)
        }
    }
}
