//! What opcodes do, in a sentence, with the names of their operands: for documentation and editors.

use cairn_evm::Opcode;

/// Names of the operands in order, and the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Names of the operands, the first on top of the stack.
    pub operands: &'static [&'static str],
    /// What the opcode does.
    pub meaning: &'static str,
}

macro_rules! descriptions {
    ($($name:ident [$($operand:literal),*] $meaning:literal;)*) => {
        /// The description of an opcode that is an operation of EVM-IR; `None` for others.
        pub fn describe(opcode: Opcode) -> Option<Description> {
            match opcode {
                $(Opcode::$name => Some(Description { operands: &[$($operand),*], meaning: $meaning }),)*
                _ => None,
            }
        }
    };
}

descriptions! {
    STOP [] "ends successfully without data";
    ADD ["a", "b"] "a + b";
    MUL ["a", "b"] "a · b";
    SUB ["a", "b"] "a − b";
    DIV ["a", "b"] "a / b rounded down; 0 if b is 0";
    SDIV ["a", "b"] "signed a / b rounded towards zero; 0 if b is 0";
    MOD ["a", "b"] "remainder of a / b; 0 if b is 0";
    SMOD ["a", "b"] "signed remainder with the sign of a; 0 if b is 0";
    ADDMOD ["a", "b", "n"] "(a + b) mod n without overflow; 0 if n is 0";
    MULMOD ["a", "b", "n"] "(a · b) mod n without overflow; 0 if n is 0";
    EXP ["a", "n"] "a to the power n";
    SIGNEXTEND ["i", "a"] "extends the sign of byte i of a, counted from the least significant";
    LT ["a", "b"] "1 if a < b, else 0";
    GT ["a", "b"] "1 if a > b, else 0";
    SLT ["a", "b"] "1 if a < b as signed numbers, else 0";
    SGT ["a", "b"] "1 if a > b as signed numbers, else 0";
    EQ ["a", "b"] "1 if a = b, else 0";
    ISZERO ["a"] "1 if a = 0, else 0";
    AND ["a", "b"] "bits set in both";
    OR ["a", "b"] "bits set in one or both";
    XOR ["a", "b"] "bits set in exactly one";
    NOT ["a"] "bits not set in a";
    BYTE ["i", "a"] "byte i of a, counted from the most significant; 0 if there is none";
    SHL ["n", "a"] "a shifted left by n bits";
    SHR ["n", "a"] "a shifted right by n bits, filled with zeros";
    SAR ["n", "a"] "a shifted right by n bits, filled with the sign";
    CLZ ["a"] "number of leading zero bits; 256 if a is 0";
    KECCAK256 ["start", "size"] "Keccak-256 hash of memory";
    ADDRESS [] "address of this account";
    BALANCE ["account"] "its balance in wei";
    ORIGIN [] "sender of the transaction";
    CALLER [] "sender of this call";
    CALLVALUE [] "wei sent with this call";
    CALLDATALOAD ["start"] "32 bytes of calldata, zeros behind its end";
    CALLDATASIZE [] "size of calldata";
    CALLDATACOPY ["to", "start", "size"] "copies calldata to memory, zeros behind its end";
    CODESIZE [] "size of this code";
    CODECOPY ["to", "start", "size"] "copies this code to memory, zeros behind its end";
    GASPRICE [] "gas price of the transaction";
    EXTCODESIZE ["account"] "size of its code";
    EXTCODECOPY ["account", "to", "start", "size"] "copies its code to memory, zeros behind its end";
    RETURNDATASIZE [] "size of the data the last call returned";
    RETURNDATACOPY ["to", "start", "size"] "copies return data to memory; fails behind its end";
    EXTCODEHASH ["account"] "hash of its code; 0 if there is no such account";
    BLOCKHASH ["number"] "hash of one of the 256 latest blocks, else 0";
    COINBASE [] "beneficiary of the block";
    TIMESTAMP [] "time of the block in seconds since 1970";
    NUMBER [] "number of the block";
    PREVRANDAO [] "randomness of the previous block (difficulty before Paris)";
    GASLIMIT [] "gas limit of the block";
    CHAINID [] "id of the chain";
    SELFBALANCE [] "balance of this account in wei";
    BASEFEE [] "base fee of the block";
    BLOBHASH ["index"] "versioned hash of a blob of the transaction; 0 if there is none";
    BLOBBASEFEE [] "base fee of blobs in the block";
    SLOTNUM [] "number of the consensus slot";
    MLOAD ["address"] "32 bytes of memory";
    MSTORE ["address", "value"] "stores a word in memory";
    MSTORE8 ["address", "value"] "stores the least significant byte in memory";
    SLOAD ["key"] "the word in storage at the key";
    SSTORE ["key", "value"] "stores a word in storage";
    MSIZE [] "size of memory in use";
    GAS [] "gas left behind this operation";
    TLOAD ["key"] "the word in transient storage at the key";
    TSTORE ["key", "value"] "stores a word in transient storage";
    MCOPY ["to", "from", "size"] "copies memory; the regions may overlap";
    LOG0 ["start", "size"] "logs memory";
    LOG1 ["start", "size", "topic"] "logs memory with a topic";
    LOG2 ["start", "size", "topic", "topic"] "logs memory with two topics";
    LOG3 ["start", "size", "topic", "topic", "topic"] "logs memory with three topics";
    LOG4 ["start", "size", "topic", "topic", "topic", "topic"] "logs memory with four topics";
    CREATE ["wei", "start", "size"] "creates an account by running memory; its address, or 0";
    CREATE2 ["wei", "start", "size", "salt"] "as create, at an address that salt and code determine";
    CALL ["gas", "account", "wei", "input", "size", "output", "size"] "calls an account; 1 if it succeeded, else 0";
    CALLCODE ["gas", "account", "wei", "input", "size", "output", "size"] "runs its code on this storage; 1 if it succeeded, else 0";
    DELEGATECALL ["gas", "account", "input", "size", "output", "size"] "as callcode, with this call's sender and value";
    STATICCALL ["gas", "account", "input", "size", "output", "size"] "as call without value; state cannot be changed";
    RETURN ["start", "size"] "ends successfully with memory as data";
    REVERT ["start", "size"] "ends with memory as data and undoes all changes";
    INVALID [] "ends, undoes all changes and takes all gas";
    SELFDESTRUCT ["beneficiary"] "ends and sends the balance; deletes the account if it was created in this transaction (always before Cancun)";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    #[test]
    fn every_operation_is_described_with_all_its_operands() {
        for opcode in Opcode::all() {
            let is_operation = Op::from_name(opcode.known().lower).is_some();
            let operands = describe(opcode).map(|description| description.operands.len());
            assert_eq!(operands, is_operation.then_some(opcode.known().inputs as usize), "{opcode:?}");
        }
    }
}
