//! Standards that code follows: interfaces by their selectors, proxies by what they do.
//!
//! An *interface* is recognised when the dispatcher has all functions that its standard demands. A *proxy* hands
//! all calls on: a block copies the calldata and calls other code with it on this storage. Where that code is
//! comes from the code itself (ERC-1167) or from a slot that a standard names (ERC-1967 and its forerunners,
//! ERC-2535); a proxy of another kind is one whose code stands elsewhere. An implementation that only can be
//! upgraded has the slot and hands nothing on: it is no proxy.

use crate::analysis::Analysis;
use crate::blocks::{Block, BlockId};
pub use crate::standard_names::known_events;
use crate::standard_names::{ERRORS, OPTIONAL_FUNCTIONS, OPTIONAL_VIEWS};
use cairn_evm::{Opcode, Word, hex, keccak256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Where a proxy finds the code that it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// In its own code: an address (ERC-1167).
    Minimal([u8; 20]),
    /// In a slot, or behind it, that this standard names.
    Slot(&'static str),
    /// Elsewhere.
    Other,
}

/// The functions that a standard demands.
struct Standard {
    name: &'static str,
    /// Those that it says change nothing.
    views: &'static [&'static str],
    others: &'static [&'static str],
}

impl Standard {
    fn functions(&self) -> impl Iterator<Item = &'static str> {
        self.views.iter().chain(self.others).copied()
    }
}

const STANDARDS: [Standard; 11] = [
    Standard { name: "ERC-165", views: &["supportsInterface(bytes4)"], others: &[] },
    Standard {
        name: "ERC-20",
        views: &["totalSupply()", "balanceOf(address)", "allowance(address,address)"],
        others: &[
            "transfer(address,uint256)",
            "transferFrom(address,address,uint256)",
            "approve(address,uint256)",
        ],
    },
    Standard {
        name: "ERC-721",
        views: &[
            "balanceOf(address)",
            "ownerOf(uint256)",
            "getApproved(uint256)",
            "isApprovedForAll(address,address)",
        ],
        others: &[
            "safeTransferFrom(address,address,uint256,bytes)",
            "safeTransferFrom(address,address,uint256)",
            "transferFrom(address,address,uint256)",
            "approve(address,uint256)",
            "setApprovalForAll(address,bool)",
        ],
    },
    Standard {
        name: "ERC-1155",
        views: &[
            "balanceOf(address,uint256)",
            "balanceOfBatch(address[],uint256[])",
            "isApprovedForAll(address,address)",
        ],
        others: &[
            "safeTransferFrom(address,address,uint256,uint256,bytes)",
            "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
            "setApprovalForAll(address,bool)",
        ],
    },
    Standard { name: "ERC-173", views: &["owner()"], others: &["transferOwnership(address)"] },
    Standard { name: "ERC-1271", views: &["isValidSignature(bytes32,bytes)"], others: &[] },
    Standard { name: "ERC-1822", views: &["proxiableUUID()"], others: &[] },
    Standard {
        name: "ERC-2535",
        views: &["facets()", "facetFunctionSelectors(address)", "facetAddresses()", "facetAddress(bytes4)"],
        others: &[],
    },
    Standard {
        name: "ERC-2612",
        views: &["nonces(address)", "DOMAIN_SEPARATOR()"],
        others: &["permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"],
    },
    Standard { name: "ERC-2981", views: &["royaltyInfo(uint256,uint256)"], others: &[] },
    Standard {
        name: "ERC-4626",
        views: &["asset()", "totalAssets()", "convertToShares(uint256)", "convertToAssets(uint256)"],
        others: &[
            "deposit(uint256,address)",
            "mint(uint256,address)",
            "withdraw(uint256,address,address)",
            "redeem(uint256,address,address)",
        ],
    },
];

/// Slots that keep the address of code, or of what knows it.
const SLOTS: [(&str, &str); 5] = [
    ("ERC-1967", "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"),
    ("ERC-1967 beacon", "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"),
    ("ERC-1822", "c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"),
    ("ZeppelinOS", "7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3"),
    ("ERC-2535", "c8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c"),
];

/// What stands before and behind the address in minimal proxies: that of ERC-1167, a shorter one, and one
/// with `PUSH0`.
const MINIMAL: [(&str, &str); 3] = [
    ("363d3d373d3d3d363d73", "5af43d82803e903d91602b57fd5bf3"),
    ("3d3d3d3d363d3d37363d73", "5af43d3d93803e602a57fd5bf3"),
    ("365f5f375f5f365f73", "5af43d5f5f3e5f3d91602a57fd5bf3"),
];

/// The interfaces whose functions all are in the dispatcher, in the order of their numbers of old.
pub fn find_interfaces(analysis: &Analysis<'_>) -> Vec<&'static str> {
    let known: BTreeSet<u32> = analysis.selectors.iter().map(|found| found.selector).collect();
    let has_all = |(_, selectors): &&(&str, Vec<u32>)| selectors.iter().all(|one| known.contains(one));
    INTERFACES.iter().filter(has_all).map(|(name, _)| *name).collect()
}

/// The signatures of the functions and errors of all standards, by selector.
pub fn known_signatures() -> &'static BTreeMap<u32, &'static str> {
    &SIGNATURES
}

/// The selectors that each standard demands.
static INTERFACES: LazyLock<Vec<(&str, Vec<u32>)>> = LazyLock::new(|| {
    let selectors = |standard: &Standard| standard.functions().map(selector_of).collect();
    STANDARDS.iter().map(|standard| (standard.name, selectors(standard))).collect()
});

static SIGNATURES: LazyLock<BTreeMap<u32, &str>> = LazyLock::new(|| {
    let demanded = STANDARDS.iter().flat_map(Standard::functions);
    let signatures = demanded.chain(OPTIONAL_VIEWS).chain(OPTIONAL_FUNCTIONS).chain(ERRORS);
    signatures.map(|signature| (selector_of(signature), signature)).collect()
});

/// True for a function of which a standard says that it changes nothing, but not that it reads nothing.
pub(crate) fn is_stated_view(selector: u32) -> bool {
    VIEWS.contains(&selector)
}

static VIEWS: LazyLock<BTreeSet<u32>> = LazyLock::new(|| {
    let views = STANDARDS.iter().flat_map(|standard| standard.views).chain(&OPTIONAL_VIEWS);
    views.map(|signature| selector_of(signature)).collect()
});

/// What kind of proxy the code is, if it is one. Linear.
pub fn find_proxy(analysis: &Analysis<'_>) -> Option<Proxy> {
    if let Some(address) = minimal(analysis.code) {
        return Some(Proxy::Minimal(address));
    }
    let reached = || {
        let ids = (0..analysis.blocks.len() as BlockId).filter(|id| analysis.is_reached(*id));
        ids.map(|id| analysis.blocks.get(id))
    };
    if !reached().any(|block| hands_on(analysis, block)) {
        return None;
    }
    let pushed: BTreeSet<Word> = reached()
        .flat_map(|block| analysis.instructions(block))
        .filter(|inst| inst.data.len() == 32)
        .filter_map(|inst| inst.pushed_word())
        .collect();
    let slot = SLOTS.iter().find(|(_, slot)| word(slot).is_some_and(|slot| pushed.contains(&slot)));
    Some(slot.map_or(Proxy::Other, |(name, _)| Proxy::Slot(name)))
}

/// First four bytes of the hash of a signature.
fn selector_of(signature: &str) -> u32 {
    let [a, b, c, d, ..] = keccak256(signature).0;
    u32::from_be_bytes([a, b, c, d])
}

fn word(digits: &str) -> Option<Word> {
    hex::decode(digits).ok().map(|bytes| Word::from_be_slice(&bytes))
}

/// The address in a minimal proxy.
fn minimal(code: &[u8]) -> Option<[u8; 20]> {
    MINIMAL.iter().find_map(|(before, behind)| {
        let (before, behind) = (hex::decode(before).ok()?, hex::decode(behind).ok()?);
        let rest = code.strip_prefix(before.as_slice())?;
        let (address, rest) = rest.split_first_chunk::<20>()?;
        rest.starts_with(&behind).then_some(*address)
    })
}

/// True for a block that copies calldata and then calls code on this storage.
fn hands_on(analysis: &Analysis<'_>, block: &Block) -> bool {
    let mut opcodes = analysis.instructions(block).map(|inst| inst.opcode);
    opcodes.any(|opcode| opcode == Opcode::CALLDATACOPY)
        && opcodes.any(|opcode| opcode == Opcode::DELEGATECALL || opcode == Opcode::CALLCODE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;

    fn proxy(digits: &str) -> Option<Proxy> {
        let code = hex::decode(digits).expect("digits");
        find_proxy(&analyze(&code))
    }

    #[test]
    fn minimal_proxies_have_the_address_in_their_code() {
        for (before, behind) in MINIMAL {
            let found = proxy(&format!("{before}{}{behind}", "ab".repeat(20)));
            assert_eq!(found, Some(Proxy::Minimal([0xab; 20])));
        }
        assert_eq!(proxy(&format!("{}{}", MINIMAL[0].0, "ab".repeat(20))), None, "its end is missing");
    }

    #[test]
    fn proxies_read_a_slot_and_hand_all_on() {
        // CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY PUSH0 PUSH0 CALLDATASIZE PUSH0 PUSH32 slot SLOAD GAS DELEGATECALL
        let with = |slot: &str| format!("365f5f375f5f365f7f{slot}545af400");
        for (name, slot) in SLOTS {
            assert_eq!(proxy(&with(slot)), Some(Proxy::Slot(name)));
        }
        assert_eq!(proxy(&with(&"01".repeat(32))), Some(Proxy::Other));
        assert_eq!(proxy(&format!("7f{}545f5500", SLOTS[0].1)), None, "it hands nothing on");
    }

    #[test]
    fn slots_are_the_hashes_that_their_standards_say() {
        let one = Word::from(1);
        let keccak = |text: &[u8]| keccak256(text).0;
        let slots = [
            Word::from_be_slice(&keccak(b"eip1967.proxy.implementation")) - one,
            Word::from_be_slice(&keccak(b"eip1967.proxy.beacon")) - one,
            Word::from_be_slice(&keccak(b"PROXIABLE")),
            Word::from_be_slice(&keccak(b"org.zeppelinos.proxy.implementation")),
            Word::from_be_slice(&keccak(b"diamond.standard.diamond.storage")),
        ];
        assert_eq!(SLOTS.map(|(_, slot)| word(slot).expect("digits")), slots);
    }
}
