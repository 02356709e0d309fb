//! What transactions see of the world: accounts, block, chain.
//!
//! The values are those of solidity's `isoltest`, so that its tests can be run as they are:
//!
//! * ten accounts, [`account`]`(0)` to `(9)`, with 2^100 wei and nonce 1; precompiles 1 to 8 have
//!   1 wei;
//! * each transaction is a block of its own, 15 seconds after the one before, the first with
//!   number 1 and timestamp 15 (plus what the environment says);
//! * coinbase `0x78…78`, block gas limit 20,000,000, base fee 7, blob base fee 1, gas price 3 gwei,
//!   chain id 1, prevrandao `0xa86c…9117777`, hash of block n is `0x37…37` + n;
//! * coinbase, block gas limit, base fee, prevrandao and gas price can be chosen, too;
//! * code size limits, the gas cap of a transaction, the calldata floor price and paying for gas
//!   are off. Everything else is as the fork says.

use alloy_primitives::{Address, B256, U256, address, b256};
use cairn_evm::Fork;
use revm::context::{BlockEnv, CfgEnv};
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::context_interface::cfg::GasId;
use revm::database::{CacheDB, EmptyDB};
use revm::database_interface::DatabaseRef;
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, Bytecode};
use std::convert::Infallible;

/// Number of funded accounts.
const NUM_ACCOUNTS: u64 = 10;
const FIRST_ACCOUNT: Address = address!("1212121212121212121212121212120000000012");
const PREVRANDAO: B256 = b256!("a86c2e601b6c44eb4848f7d23d9df3113fbcac42041c49cbed5000cb4f118777");
const NUM_BLOCK_HASHES: u64 = 1024;
pub(crate) const SECONDS_A_BLOCK: u64 = 15;
const GAS_PRICE: u128 = 3_000_000_000;

/// Prices that [`Prices::Nominal`] sets to nothing.
const FREE: [GasId; 22] = [
    GasId::memory_linear_cost(),
    GasId::exp_byte_gas(),
    GasId::logdata(),
    GasId::logtopic(),
    GasId::copy_per_word(),
    GasId::extcodecopy_per_word(),
    GasId::mcopy_per_word(),
    GasId::keccak256_per_word(),
    GasId::initcode_per_word(),
    GasId::cold_account_additional_cost(),
    GasId::new_account_cost(),
    GasId::new_account_cost_for_selfdestruct(),
    GasId::code_deposit_cost(),
    GasId::warm_storage_read_cost(),
    GasId::cold_storage_additional_cost(),
    GasId::cold_storage_cost(),
    GasId::sstore_static(),
    GasId::sstore_set_without_load_cost(),
    GasId::sstore_reset_without_cold_load_cost(),
    GasId::sstore_set_refund(),
    GasId::sstore_reset_refund(),
    GasId::sstore_clearing_slot_refund(),
];

/// 100 million gas are 320 MB of memory at this price.
const WORDS_SQUARED_A_GAS: u64 = 1 << 20;

/// What a creation costs under [`Prices::Nominal`].
const NOMINAL_CREATION: u64 = 1000;

/// What instructions cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prices {
    /// As the fork says.
    #[default]
    Fork,
    /// Nothing: what two compilations of a program still do differently is no matter of gas. Only
    /// `JUMPDEST`, calls, creations and a large memory have a price, so that every execution ends, and
    /// what a call that sends wei is given on top is paid for; `GAS` says the same wherever it stands.
    Nominal,
}

/// What a transaction's own frame may do to the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateAccess {
    Full,
    ReadOnly,
}

/// Where `CREATE2` puts a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CreatedAt {
    /// As EIP-1014 says: the address depends on the creation code.
    #[default]
    Code,
    /// At an address that depends on creator and salt alone, so that two compilations of a program
    /// create their contracts at the same places.
    Salt,
}

/// What programs are told of each block, besides its number and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFacts {
    /// `COINBASE`
    pub coinbase: Address,
    /// `GASLIMIT`
    pub gas_limit: u64,
    /// `BASEFEE`
    pub base_fee: u64,
    /// `PREVRANDAO`
    pub prevrandao: B256,
}

impl Default for BlockFacts {
    fn default() -> Self {
        BlockFacts {
            coinbase: Address::repeat_byte(0x78),
            gas_limit: 20_000_000,
            base_fee: 7,
            prevrandao: PREVRANDAO,
        }
    }
}

/// What can be chosen; see the head of the file for the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Rules and prices.
    pub fork: Fork,
    /// Gas limit of each transaction.
    pub gas_limit: u64,
    /// Number of the block before the first transaction.
    pub number: u64,
    /// Timestamp of the block before the first transaction.
    pub timestamp: u64,
    /// Further accounts with 2^100 wei and nonce 0.
    pub accounts: Vec<Address>,
    /// Of each block.
    pub block: BlockFacts,
    /// Of each transaction.
    pub gas_price: u128,
    /// What instructions cost.
    pub prices: Prices,
    /// What storage holds where nothing was written, of accounts that were there before.
    pub storage: U256,
    /// Where `CREATE2` puts a contract.
    pub created_at: CreatedAt,
}

impl Default for Environment {
    fn default() -> Self {
        Environment {
            fork: Fork::default(),
            gas_limit: 100_000_000,
            number: 0,
            timestamp: 0,
            accounts: Vec::new(),
            block: BlockFacts::default(),
            gas_price: GAS_PRICE,
            prices: Prices::Fork,
            storage: U256::ZERO,
            created_at: CreatedAt::Code,
        }
    }
}

/// A world without accounts, whose storage holds one word everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blank {
    word: U256,
}

impl DatabaseRef for Blank {
    type Error = Infallible;

    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        EmptyDB::default().basic_ref(address)
    }

    fn code_by_hash_ref(&self, code_hash: B256) -> Result<Bytecode, Infallible> {
        EmptyDB::default().code_by_hash_ref(code_hash)
    }

    fn storage_ref(&self, _: Address, _: U256) -> Result<U256, Infallible> {
        Ok(self.word)
    }

    fn block_hash_ref(&self, number: u64) -> Result<B256, Infallible> {
        if number < NUM_BLOCK_HASHES {
            return Ok(B256::from(U256::from_be_bytes([0x37; 32]) + U256::from(number)));
        }
        EmptyDB::default().block_hash_ref(number)
    }
}

/// The address of the funded account with this index, below 10; 0 is the default sender.
pub fn account(index: u64) -> Address {
    let base = U256::from_be_bytes(FIRST_ACCOUNT.into_word().0);
    Address::from_word(B256::from(base + U256::from(index * 0x1000)))
}

pub(crate) fn wealth() -> U256 {
    U256::from(1) << 100
}

impl Environment {
    /// The balance an account starts with.
    pub(crate) fn initial_balance(&self, address: &Address) -> U256 {
        let is_funded = (0..NUM_ACCOUNTS).any(|index| account(index) == *address);
        if is_funded || self.accounts.contains(address) {
            return wealth();
        }
        let word = U256::from_be_bytes(address.into_word().0);
        let is_precompile = word >= U256::from(1) && word <= U256::from(8);
        U256::from(u8::from(is_precompile))
    }

    pub(crate) fn database(&self) -> CacheDB<Blank> {
        let mut db = CacheDB::new(Blank { word: self.storage });
        let funded = (0..NUM_ACCOUNTS).map(|index| (account(index), 1));
        let precompiles = (1..=8).map(|last| (Address::with_last_byte(last), 0));
        let further = self.accounts.iter().map(|address| (*address, 0));
        for (address, nonce) in funded.chain(precompiles).chain(further) {
            let balance = self.initial_balance(&address);
            db.insert_account_info(address, AccountInfo { balance, nonce, ..Default::default() });
        }
        db
    }

    pub(crate) fn config(&self) -> CfgEnv {
        let mut config = CfgEnv::new().with_spec_and_mainnet_gas_params(spec_of(self.fork));
        if self.prices == Prices::Nominal {
            let free = FREE.iter().map(|id| (*id, 0));
            let memory = (GasId::memory_quadratic_reduction(), WORDS_SQUARED_A_GAS);
            let creation = (GasId::create(), NOMINAL_CREATION);
            // Without it gas would grow with each wei that is sent.
            let stipend = (GasId::transfer_value_cost(), config.gas_params.call_stipend());
            config.gas_params.override_gas(free.chain([memory, creation, stipend]));
        }
        config.chain_id = 1;
        config.limit_contract_code_size = Some(usize::MAX / 4);
        config.limit_contract_initcode_size = Some(usize::MAX / 2);
        config.tx_gas_limit_cap = Some(u64::MAX);
        config.disable_fee_charge = true;
        config.disable_eip7623 = true;
        config.disable_block_gas_limit = true;
        config
    }

    /// The block of the transaction with this index.
    pub(crate) fn block(&self, index: u64) -> BlockEnv {
        BlockEnv {
            number: U256::from(self.number.wrapping_add(index + 1)),
            timestamp: U256::from(self.timestamp.wrapping_add(SECONDS_A_BLOCK * (index + 1))),
            beneficiary: self.block.coinbase,
            gas_limit: self.block.gas_limit,
            basefee: self.block.base_fee,
            difficulty: U256::from(200_000_000),
            prevrandao: Some(self.block.prevrandao),
            blob_excess_gas_and_price: Some(BlobExcessGasAndPrice { excess_blob_gas: 0, blob_gasprice: 1 }),
            ..BlockEnv::default()
        }
    }
}

/// revm's name of a fork. Constantinople is not told apart from Petersburg: only the refunds of
/// `sstore` differ, and only on test networks.
pub(crate) fn spec_of(fork: Fork) -> SpecId {
    match fork {
        Fork::Frontier => SpecId::FRONTIER,
        Fork::Homestead => SpecId::HOMESTEAD,
        Fork::TangerineWhistle => SpecId::TANGERINE,
        Fork::SpuriousDragon => SpecId::SPURIOUS_DRAGON,
        Fork::Byzantium => SpecId::BYZANTIUM,
        Fork::Constantinople | Fork::Petersburg => SpecId::PETERSBURG,
        Fork::Istanbul => SpecId::ISTANBUL,
        Fork::Berlin => SpecId::BERLIN,
        Fork::London => SpecId::LONDON,
        Fork::Paris => SpecId::MERGE,
        Fork::Shanghai => SpecId::SHANGHAI,
        Fork::Cancun => SpecId::CANCUN,
        Fork::Prague => SpecId::PRAGUE,
        Fork::Osaka => SpecId::OSAKA,
        Fork::Amsterdam => SpecId::AMSTERDAM,
    }
}
