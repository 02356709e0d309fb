//! What execution costs, by opcode and fork.
//!
//! [`static_gas`] is the part of an opcode's cost that does not depend on operands or state; the
//! other functions give the parts that do. Prices before Berlin have no cold accesses; there both
//! kinds of [`Access`] cost the same.

use crate::fork::Fork;
use crate::opcode::{GasClass, Opcode};

/// Gas for each byte of deployed code.
pub const DEPOSIT_PER_BYTE: u64 = 200;
/// Gas for each 32-byte word hashed by `keccak256`.
pub const KECCAK_PER_WORD: u64 = 6;
/// Gas for each 32-byte word copied by the copy opcodes.
pub const COPY_PER_WORD: u64 = 3;
/// Gas for each topic of a log.
pub const LOG_PER_TOPIC: u64 = 375;
/// Gas for each byte of a log's data.
pub const LOG_PER_BYTE: u64 = 8;
/// Gas for each 32-byte word of init code, from Shanghai on.
pub const INITCODE_PER_WORD: u64 = 2;
/// Extra gas of a call that sends value.
pub const CALL_VALUE: u64 = 9000;
/// Gas given to the callee of a call that sends value.
pub const CALL_STIPEND: u64 = 2300;
/// Extra gas of a call that creates the account it calls.
pub const CALL_NEW_ACCOUNT: u64 = 25_000;
/// Gas of a creation before its init code runs.
pub const CREATE: u64 = 32_000;
/// Gas of a transaction before its data.
pub const TRANSACTION: u64 = 21_000;
/// Gas of a zero byte of transaction data.
pub const CALLDATA_ZERO_BYTE: u64 = 4;

const COLD_SLOAD: u64 = 2100;
const COLD_ACCOUNT: u64 = 2600;
const WARM_ACCESS: u64 = 100;

/// Whether the transaction touched an account or storage slot before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Touched for the first time.
    Cold,
    /// Touched before.
    Warm,
}

/// The cost of `op` without its dynamic part: accesses are warm, memory does not grow, copied and
/// hashed regions are empty, `exp` has exponent 0, `sstore` stores what is there already, calls
/// send no value. Undefined bytes cost 0: they take all gas that is left.
pub fn static_gas(op: Opcode, fork: Fork) -> u64 {
    let Some(info) = op.info() else {
        return 0;
    };
    match info.gas {
        GasClass::Zero => 0,
        GasClass::JumpDest => 1,
        GasClass::Base => 2,
        GasClass::VeryLow | GasClass::Copy | GasClass::Memory => 3,
        GasClass::Low => 5,
        GasClass::Mid => 8,
        GasClass::High | GasClass::Exp => 10,
        GasClass::Keccak => 30,
        GasClass::BlockHash => 20,
        GasClass::Transient => WARM_ACCESS,
        GasClass::Log => 375 + LOG_PER_TOPIC * u64::from(op.0 - Opcode::LOG0.0),
        GasClass::Create => CREATE,
        GasClass::Sload | GasClass::Account | GasClass::Call | GasClass::Sstore => {
            access_gas(op, fork, Access::Warm)
        }
        GasClass::SelfDestruct => selfdestruct_gas(fork),
    }
}

/// The cost of an opcode that accesses storage or an account, with the given kind of access. The
/// others cost [`static_gas`] whatever the access. `sstore` is one that changes nothing.
pub fn access_gas(op: Opcode, fork: Fork, access: Access) -> u64 {
    let Some(info) = op.info() else {
        return 0;
    };
    match (info.gas, access) {
        (GasClass::Sload, Access::Cold) if fork >= Fork::Berlin => COLD_SLOAD,
        (GasClass::Sload, _) => sload_gas(fork),
        (GasClass::Sstore, Access::Cold) if fork >= Fork::Berlin => COLD_SLOAD + WARM_ACCESS,
        (GasClass::Sstore, _) => sstore_same_gas(fork),
        (GasClass::Account | GasClass::Call, Access::Cold) if fork >= Fork::Berlin => COLD_ACCOUNT,
        (GasClass::Account | GasClass::Call, _) => account_gas(op, fork),
        (GasClass::SelfDestruct, Access::Cold) if fork >= Fork::Berlin => {
            selfdestruct_gas(fork) + COLD_ACCOUNT
        }
        _ => static_gas(op, fork),
    }
}

fn sload_gas(fork: Fork) -> u64 {
    match fork {
        Fork::Frontier | Fork::Homestead => 50,
        fork if fork < Fork::Istanbul => 200,
        fork if fork < Fork::Berlin => 800,
        _ => WARM_ACCESS,
    }
}

/// Before net metering a store costs its full price even when it changes nothing.
fn sstore_same_gas(fork: Fork) -> u64 {
    match fork {
        Fork::Constantinople => 200,
        fork if fork < Fork::Istanbul => 5000,
        fork if fork < Fork::Berlin => 800,
        _ => WARM_ACCESS,
    }
}

fn account_gas(op: Opcode, fork: Fork) -> u64 {
    if fork >= Fork::Berlin {
        return WARM_ACCESS;
    }
    let is_call = op.info().is_some_and(|info| info.gas == GasClass::Call);
    match (is_call, fork < Fork::TangerineWhistle) {
        (true, true) => 40,
        (true, false) => 700,
        (false, true) => 20,
        (false, false) if op == Opcode::EXTCODESIZE || op == Opcode::EXTCODECOPY => 700,
        (false, false) if fork < Fork::Istanbul => 400,
        (false, false) => 700,
    }
}

fn selfdestruct_gas(fork: Fork) -> u64 {
    if fork < Fork::TangerineWhistle { 0 } else { 5000 }
}

/// The dynamic part of `exp` with an exponent of `exponent_bytes` bytes (0 for exponent 0).
pub fn exp_gas(exponent_bytes: u64, fork: Fork) -> u64 {
    let per_byte = if fork < Fork::SpuriousDragon { 10 } else { 50 };
    per_byte * exponent_bytes
}

/// Gas of a non-zero byte of transaction data.
pub fn calldata_byte_gas(fork: Fork) -> u64 {
    if fork < Fork::Istanbul { 68 } else { 16 }
}

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Calls an account.
    Call,
    /// Creates a contract: its data is the init code.
    Create,
}

/// Gas of a transaction before its code runs.
pub fn intrinsic_gas(data: &[u8], target: Target, fork: Fork) -> u64 {
    let nonzero = calldata_byte_gas(fork);
    let bytes: u64 = data.iter().map(|byte| if *byte == 0 { CALLDATA_ZERO_BYTE } else { nonzero }).sum();
    let is_create = target == Target::Create;
    let create = if is_create && fork >= Fork::Homestead { CREATE } else { 0 };
    let words = (data.len() as u64).div_ceil(32);
    let init_code = if is_create && fork >= Fork::Shanghai { INITCODE_PER_WORD * words } else { 0 };
    TRANSACTION + bytes + create + init_code
}

/// What `bytes` bytes of memory cost in total; growing costs the difference. Saturates.
pub fn memory_gas(bytes: u64) -> u64 {
    let words = bytes.div_ceil(32);
    words.saturating_mul(3).saturating_add(words.saturating_mul(words) / 512)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORKS: [Fork; 7] = [
        Fork::Frontier,
        Fork::TangerineWhistle,
        Fork::Constantinople,
        Fork::Petersburg,
        Fork::Istanbul,
        Fork::Berlin,
        Fork::Osaka,
    ];

    #[test]
    fn fixed_prices() {
        let price = |op| static_gas(op, Fork::Osaka);
        for (op, gas) in [
            (Opcode::STOP, 0),
            (Opcode::ADD, 3),
            (Opcode::MUL, 5),
            (Opcode::ADDMOD, 8),
            (Opcode::JUMP, 8),
            (Opcode::JUMPI, 10),
            (Opcode::JUMPDEST, 1),
            (Opcode::PUSH0, 2),
            (Opcode::PUSH1, 3),
            (Opcode::POP, 2),
            (Opcode::CLZ, 5),
            (Opcode::EXP, 10),
            (Opcode::KECCAK256, 30),
            (Opcode::MCOPY, 3),
            (Opcode::BLOCKHASH, 20),
            (Opcode::TSTORE, 100),
            (Opcode::LOG0, 375),
            (Opcode::LOG4, 1875),
            (Opcode::CREATE2, 32_000),
            (Opcode::SELFDESTRUCT, 5000),
            (Opcode(0x0c), 0),
        ] {
            assert_eq!(price(op), gas, "{op:?}");
        }
    }

    #[test]
    fn prices_that_changed_with_forks() {
        let prices = |op| FORKS.map(|fork| static_gas(op, fork));
        assert_eq!(prices(Opcode::SLOAD), [50, 200, 200, 200, 800, 100, 100]);
        assert_eq!(prices(Opcode::SSTORE), [5000, 5000, 200, 5000, 800, 100, 100]);
        assert_eq!(prices(Opcode::BALANCE), [20, 400, 400, 400, 700, 100, 100]);
        assert_eq!(prices(Opcode::EXTCODESIZE), [20, 700, 700, 700, 700, 100, 100]);
        assert_eq!(prices(Opcode::CALL), [40, 700, 700, 700, 700, 100, 100]);
        assert_eq!(prices(Opcode::SELFDESTRUCT), [0, 5000, 5000, 5000, 5000, 5000, 5000]);
    }

    #[test]
    fn cold_accesses_exist_from_berlin_on() {
        let cold = |op, fork| access_gas(op, fork, Access::Cold);
        assert_eq!(cold(Opcode::SLOAD, Fork::Istanbul), 800);
        assert_eq!(cold(Opcode::SLOAD, Fork::Berlin), 2100);
        assert_eq!(cold(Opcode::SSTORE, Fork::Osaka), 2200);
        assert_eq!(cold(Opcode::STATICCALL, Fork::Osaka), 2600);
        assert_eq!(cold(Opcode::EXTCODEHASH, Fork::Osaka), 2600);
        assert_eq!(cold(Opcode::SELFDESTRUCT, Fork::Osaka), 7600);
        assert_eq!(cold(Opcode::SELFBALANCE, Fork::Osaka), 5);
    }

    #[test]
    fn dynamic_parts() {
        assert_eq!(intrinsic_gas(&[0, 1], Target::Call, Fork::Osaka), 21_020);
        assert_eq!(intrinsic_gas(&[0, 1], Target::Create, Fork::Osaka), 53_022);
        assert_eq!(intrinsic_gas(&[1], Target::Create, Fork::Frontier), 21_068);
        assert_eq!(exp_gas(2, Fork::Homestead), 20);
        assert_eq!(exp_gas(2, Fork::Osaka), 100);
        assert_eq!(calldata_byte_gas(Fork::Byzantium), 68);
        assert_eq!(calldata_byte_gas(Fork::Osaka), 16);
        assert_eq!(memory_gas(0), 0);
        assert_eq!(memory_gas(1), 3);
        assert_eq!(memory_gas(1024), 98);
        assert_eq!(memory_gas(u64::MAX), u64::MAX / 32 * 3 + 3 + u64::MAX / 512);
    }
}
