//! What an analysis knows of a program, to be said beside its code.

use crate::notes::Notes;
use std::collections::BTreeMap;

/// What is known.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Names of numbers.
    pub notes: Notes,
    /// External functions.
    pub functions: Vec<External>,
    /// Where instructions touch storage, by offset in the code.
    pub places: BTreeMap<u32, String>,
}

/// An external function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// First four bytes of the calldata.
    pub selector: u32,
    /// Offset where it begins.
    pub entry: u32,
    /// Its name, if it is known.
    pub name: Option<String>,
    /// Types of its arguments, as far as they are known.
    pub types: Vec<String>,
    /// `pure`, `view`, `nonpayable` or `payable`.
    pub mutability: &'static str,
}

impl External {
    /// Name and arguments, as a listing has them.
    pub fn head(&self) -> String {
        let name = self.name.clone().unwrap_or_else(|| format!("unknown_{:08x}", self.selector));
        let args = self.types.iter().enumerate().map(|(place, ty)| format!("{ty} arg{place}"));
        format!("{name}({}) {}", args.collect::<Vec<_>>().join(", "), self.mutability)
    }
}

/// What the code of `Panic(uint256)` means: Solidity's documentation, "Panic via assert and Error via require".
pub fn panic_meaning(code: u64) -> Option<&'static str> {
    Some(match code {
        0x00 => "panic of the compiler",
        0x01 => "assertion failed",
        0x11 => "arithmetic overflow",
        0x12 => "division by zero",
        0x21 => "value outside its enum",
        0x22 => "badly encoded storage byte array",
        0x31 => "pop of an empty array",
        0x32 => "index out of bounds",
        0x41 => "allocation too large",
        0x51 => "call of an uninitialized function",
        _ => return None,
    })
}

/// The precompiled contract at an address: the execution specifications of Ethereum, up to Osaka.
pub(super) fn precompile(address: u64) -> Option<&'static str> {
    Some(match address {
        0x01 => "ecrecover",
        0x02 => "sha256",
        0x03 => "ripemd160",
        0x04 => "identity",
        0x05 => "modexp",
        0x06 => "bn254_add",
        0x07 => "bn254_mul",
        0x08 => "bn254_pairing",
        0x09 => "blake2f",
        0x0a => "kzg_point_evaluation",
        0x0b => "bls12_g1_add",
        0x0c => "bls12_g1_msm",
        0x0d => "bls12_g2_add",
        0x0e => "bls12_g2_msm",
        0x0f => "bls12_pairing",
        0x10 => "bls12_map_fp_to_g1",
        0x11 => "bls12_map_fp2_to_g2",
        0x100 => "p256_verify",
        _ => return None,
    })
}
