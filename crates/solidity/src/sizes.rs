//! Code that is too large for the chain, in solc's words.

use crate::compile::Code;
use crate::message::Message;
use cairn_evm::Fork;

/// Warnings for code that cannot be deployed on mainnet (EIP-170, EIP-3860).
pub(crate) fn warnings(code: &Code, fork: Fork) -> Vec<Message> {
    let mut found = Vec::new();
    let deployed = code.deployed().map_or(0, |deployed| deployed.assembled.bytes.len());
    if let Some((limit, _)) = fork.max_code_size()
        && deployed > limit
    {
        let text = format!(
            "Contract code size is {deployed} bytes and exceeds {limit} bytes (a limit introduced in Spurious \
             Dragon). This contract may not be deployable on Mainnet. Consider enabling the optimizer (with a low \
             \"runs\" value!), turning off revert strings, or using libraries."
        );
        found.push(Message::warning(text).with_code("5574"));
    }
    let creation = code.assembled.bytes.len();
    if let Some((limit, _)) = fork.max_initcode_size()
        && creation > limit
    {
        let text = format!(
            "Contract initcode size is {creation} bytes and exceeds {limit} bytes (a limit introduced in Shanghai). \
             This contract may not be deployable on Mainnet. Consider enabling the optimizer (with a low \"runs\" \
             value!), turning off revert strings, or using libraries."
        );
        found.push(Message::warning(text).with_code("3860"));
    }
    found
}
