//! The projects: npm packages that hold their forge tests, and how each is built.

/// The front end of the examples.
pub(super) const EXAMPLES_SOLC: &str = LATER_SOLC;

/// The front end of projects whose own one is slow at making Yul, as 0.8.20 to 0.8.26 are.
const LATER_SOLC: &str = "0.8.37";

/// One suite of tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Project {
    pub(crate) name: &'static str,
    /// What it is installed from; projects of one folder share an installation.
    pub(crate) folder: &'static str,
    /// The npm package whose files become the project.
    pub(crate) package: &'static str,
    /// The folder in it that is the project; empty for all of it.
    pub(crate) within: &'static str,
    /// npm packages that it imports. Those within the package need not be named.
    pub(crate) dependencies: &'static [&'static str],
    /// The version of solc, the front end of all ways.
    pub(crate) solc: &'static str,
    /// Lines of `[profile.default]` beside those that all projects have.
    pub(crate) settings: &'static [&'static str],
    pub(crate) edit: Edit,
    /// Whether solc compiles it without its IR ("stack too deep" otherwise).
    pub(crate) is_legacy_possible: bool,
    /// The file that changes between two builds.
    pub(crate) changed: &'static str,
    /// Tests that may differ, by a part of their names, and why that is no fault.
    pub(crate) reasons: &'static [(&'static str, &'static str)],
}

/// What is done to sources before the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Tests of forge's old form `testFail…` are rewritten.
    MustFail,
    /// Pragmas that name one version accept later ones.
    LaterSolc,
}

/// The names, for messages.
pub(crate) fn names() -> String {
    PROJECTS.iter().map(|project| project.name).collect::<Vec<_>>().join(" ")
}

/// What gas a call may get depends on the code; these tests have solc's figures written in them.
const EXACT_GAS: (&str, &str) = ("ExactGas", "the test has the gas of solc's code in it");

/// Callers are charged what a call has used, and the test has the sum written in it.
const PAID_GAS: &str = "the test has the price of the gas of solc's code in it";

/// Cairn's code takes less.
const LEAST_GAS: &str = "the test wants a call to take as much gas as in solc's code";

/// A call is given a fixed amount of gas, which must not be enough: it is for solc's optimized code.
const GIVEN_GAS: &str = "the test wants a call to run out of gas that is enough for solc's code";

/// Nobody needs the word that is loaded: without an optimizer the load stays, and the test wants none.
const IDLE_LOAD: &str = "the test wants a load of storage to be left out";

const fn chainlink(
    name: &'static str,
    solc: &'static str,
    changed: &'static str,
    settings: &'static [&'static str],
    reasons: &'static [(&'static str, &'static str)],
) -> Project {
    Project {
        name,
        folder: "chainlink",
        package: "@chainlink/contracts@1.4.0",
        within: "",
        dependencies: &[
            "@openzeppelin/contracts@4.9.6",
            "@openzeppelin/contracts-upgradeable@4.9.6",
            "@eth-optimism/contracts@0.6.0",
            "@scroll-tech/contracts@0.1.0",
        ],
        solc,
        settings,
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed,
        reasons,
    }
}

const fn layerzero(name: &'static str, package: &'static str, changed: &'static str) -> Project {
    Project {
        name,
        folder: name,
        package,
        within: "",
        dependencies: &[
            "@layerzerolabs/oapp-evm@0.4.1",
            "@layerzerolabs/oft-evm@4.0.1",
            "@layerzerolabs/lz-evm-messagelib-v2@3.0.168",
            "@layerzerolabs/lz-evm-protocol-v2@3.0.168",
            "@layerzerolabs/lz-evm-v1-0.7@3.0.168",
            "@layerzerolabs/test-devtools-evm-foundry@8.0.1",
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@openzeppelin/contracts@5.0.2",
            "@openzeppelin/contracts-upgradeable@5.0.2",
        ],
        solc: LATER_SOLC,
        settings: &[
            "src = 'contracts'",
            "libs = ['node_modules']",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             'solidity-bytes-utils/contracts/=node_modules/@layerzerolabs/toolbox-foundry/lib/solidity-bytes-utils/']",
            "optimizer_runs = 200",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed,
        reasons: &[],
    }
}

/// All projects, quick ones first.
pub(crate) const PROJECTS: &[Project] = &[
    Project {
        name: "solmate",
        folder: "solmate",
        package: "solmate@6.8.0",
        within: "",
        dependencies: &["@uniswap/v4-core@1.0.2"],
        solc: "0.8.15",
        settings: &[
            "src = 'src'",
            "test = 'src/test'",
            "libs = []",
            "remappings = ['ds-test/=node_modules/@uniswap/v4-core/lib/solmate/lib/ds-test/src/']",
            "optimizer_runs = 200",
        ],
        edit: Edit::MustFail,
        is_legacy_possible: true,
        changed: "src/tokens/ERC20.sol",
        reasons: &[],
    },
    chainlink(
        "chainlink-operatorforwarder",
        "0.8.19",
        "src/v0.8/operatorforwarder/Operator.sol",
        &[
            "src = 'src/v0.8/operatorforwarder'",
            "test = 'src/v0.8/operatorforwarder/test'",
            "optimizer_runs = 1000000",
        ],
        &[],
    ),
    chainlink(
        "chainlink-data-feeds",
        LATER_SOLC,
        "src/v0.8/data-feeds/DataFeedsCache.sol",
        &[
            "src = 'src/v0.8/data-feeds'",
            "test = 'src/v0.8/data-feeds/test'",
            "evm_version = 'paris'",
            "optimizer_runs = 10000",
        ],
        &[],
    ),
    chainlink(
        "chainlink-shared",
        LATER_SOLC,
        "src/v0.8/shared/token/ERC677/BurnMintERC677.sol",
        &[
            "src = 'src/v0.8/shared'",
            "test = 'src/v0.8/shared/test'",
            "evm_version = 'paris'",
            "optimizer_runs = 1000000",
        ],
        &[EXACT_GAS],
    ),
    chainlink(
        "chainlink-keystone",
        LATER_SOLC,
        "src/v0.8/keystone/CapabilitiesRegistry.sol",
        &[
            "src = 'src/v0.8/keystone'",
            "test = 'src/v0.8/keystone/test'",
            "evm_version = 'paris'",
            "optimizer_runs = 1000000",
        ],
        &[],
    ),
    chainlink(
        "chainlink-l2ep",
        LATER_SOLC,
        "src/v0.8/l2ep/Flags.sol",
        // zkSync's interfaces are not published by npm.
        &[
            "src = 'src/v0.8/l2ep'",
            "test = 'src/v0.8/l2ep/test'",
            "evm_version = 'paris'",
            "optimizer_runs = 1000000",
            "skip = ['src/v0.8/l2ep/zksync/**', 'src/v0.8/l2ep/test/**/zksync/**']",
        ],
        &[],
    ),
    chainlink(
        "chainlink-vrf",
        "0.8.19",
        "src/v0.8/vrf/dev/VRFCoordinatorV2_5.sol",
        &[
            "src = 'src/v0.8/vrf'",
            "test = 'src/v0.8/vrf/test'",
            "optimizer_runs = 1000",
            "gas_price = 1",
            "block_timestamp = 1234567890",
            "block_number = 12345",
        ],
        &[
            ("BatchVRFCoordinatorV2PlusTest test_fulfillRandomWords", PAID_GAS),
            ("testFuzz_RequestRandomWordsUserOverride", PAID_GAS),
            ("test_RequestRandomWords_Link_HappyPath", PAID_GAS),
            ("test_RequestRandomWords_Native_HappyPath", PAID_GAS),
            ("testRequestAndFulfillRandomWordsLINK", PAID_GAS),
            ("testRequestAndFulfillRandomWords_OnlyPremium_", PAID_GAS),
        ],
    ),
    Project {
        is_legacy_possible: false,
        ..chainlink(
            "chainlink-workflow",
            LATER_SOLC,
            "src/v0.8/workflow/WorkflowRegistry.sol",
            &[
                "src = 'src/v0.8/workflow'",
                "test = 'src/v0.8/workflow/test'",
                "evm_version = 'paris'",
                "optimizer_runs = 1000000",
            ],
            &[],
        )
    },
    chainlink(
        "chainlink-automation",
        LATER_SOLC,
        "src/v0.8/automation/v2_3/AutomationRegistry2_3.sol",
        // zkSync's contracts are not published by npm.
        &[
            "src = 'src/v0.8/automation'",
            "test = 'src/v0.8/automation/test'",
            "optimizer_runs = 10000",
            "gas_price = 1",
            "block_timestamp = 1234567890",
            "block_number = 12345",
            "skip = ['src/v0.8/automation/v2_3_zksync/**', 'src/v0.8/automation/test/v2_3_zksync/**', \
             'src/v0.8/automation/ZKSync*']",
        ],
        &[("testMercuryRegistryBatchUpkeep", GIVEN_GAS)],
    ),
    chainlink(
        "chainlink-functions",
        "0.8.19",
        "src/v0.8/functions/dev/v1_X/FunctionsRouter.sol",
        &[
            "src = 'src/v0.8/functions'",
            "test = 'src/v0.8/functions/tests'",
            "evm_version = 'paris'",
            "gas_price = 3000000000",
            "optimizer_runs = 1000000",
        ],
        &[],
    ),
    chainlink(
        "chainlink-llo-feeds",
        "0.8.19",
        "src/v0.8/llo-feeds/v0.3.0/Verifier.sol",
        &[
            "src = 'src/v0.8/llo-feeds'",
            "test = 'src/v0.8/llo-feeds'",
            "evm_version = 'paris'",
            "optimizer_runs = 1000000",
        ],
        &[],
    ),
    Project {
        name: "openzeppelin",
        folder: "openzeppelin",
        package: "@uniswap/v4-core@1.0.2",
        within: "lib/openzeppelin-contracts",
        dependencies: &[],
        solc: LATER_SOLC,
        settings: &["src = 'contracts'", "libs = ['lib']", "optimizer_runs = 200"],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "contracts/token/ERC20/ERC20.sol",
        reasons: &[],
    },
    Project {
        name: "predicate",
        folder: "predicate",
        package: "@hyperlane-xyz/core@12.1.0",
        within: "dependencies/@predicate-contracts-2.2.2",
        dependencies: &[
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@openzeppelin/contracts@5.0.2",
            "@openzeppelin/contracts-upgradeable@5.0.2",
        ],
        solc: LATER_SOLC,
        settings: &[
            "src = 'src'",
            "libs = ['node_modules']",
            "optimizer_runs = 200",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             'openzeppelin-upgradeable/=node_modules/@openzeppelin/contracts-upgradeable/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/PredicateRegistry.sol",
        reasons: &[],
    },
    Project {
        name: "nitro",
        folder: "nitro",
        package: "@hyperlane-xyz/core@12.1.0",
        within: "dependencies/@arbitrum-nitro-contracts-1.2.1",
        dependencies: &[
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@offchainlabs/upgrade-executor@1.1.0-beta.0",
            "@openzeppelin/contracts@4.5.0",
            "@openzeppelin/contracts-upgradeable@4.5.2",
        ],
        solc: LATER_SOLC,
        settings: &[
            "src = 'src'",
            "test = 'test/foundry'",
            "libs = ['node_modules']",
            "optimizer_runs = 20000",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             '@openzeppelin/=node_modules/@openzeppelin/', \
             '@offchainlabs/=node_modules/@offchainlabs/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/bridge/SequencerInbox.sol",
        reasons: &[],
    },
    Project {
        name: "bedrock",
        folder: "bedrock",
        package: "@eth-optimism/contracts-bedrock@0.13.1",
        within: "",
        dependencies: &[
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@openzeppelin/contracts@4.7.3",
            "@openzeppelin/contracts-upgradeable@4.7.3",
            "@rari-capital/solmate@7.0.0-alpha.3",
        ],
        solc: LATER_SOLC,
        // One file is of Solidity 0.5, one calls a function that forge's library no longer has.
        settings: &[
            "src = 'contracts'",
            "test = 'contracts/test'",
            "libs = ['node_modules']",
            "optimizer_runs = 999999",
            "skip = ['*/WETH9.sol', '*/SafeCall.t.sol', '*/echidna/**']",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             '@openzeppelin/=node_modules/@openzeppelin/', \
             '@rari-capital/solmate/=node_modules/@rari-capital/solmate/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "contracts/L1/OptimismPortal.sol",
        reasons: &[],
    },
    Project {
        name: "snowbridge",
        folder: "snowbridge",
        package: "@snowbridge/contracts@0.3.2",
        within: "",
        // chainlink's has the only WETH9 for these versions of Solidity.
        dependencies: &[
            "@chainlink/contracts@1.2.0",
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@openzeppelin/contracts@5.0.2",
            "@prb/math@4.1.0",
        ],
        solc: LATER_SOLC,
        // What forks a live chain is left out.
        settings: &[
            "src = 'src'",
            "libs = ['node_modules']",
            "evm_version = 'cancun'",
            "optimizer_runs = 20000",
            "no_match_path = '*/Fork*'",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             'canonical-weth/=node_modules/@chainlink/contracts/src/v0.8/automation/test/v2_3/', \
             'openzeppelin/=node_modules/@openzeppelin/contracts/', \
             'prb/math/=node_modules/@prb/math/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/Gateway.sol",
        reasons: &[],
    },
    Project {
        name: "zora-1155",
        folder: "zora-1155",
        package: "@zoralabs/zora-1155-contracts@2.13.2",
        within: "",
        dependencies: &[
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@openzeppelin/contracts@4.9.2",
            "@zoralabs/openzeppelin-contracts-upgradeable@4.8.4",
            "@zoralabs/protocol-rewards@1.2.5",
            "@zoralabs/shared-contracts@0.0.5",
            "solmate@6.1.0",
        ],
        solc: LATER_SOLC,
        // What forks a live chain is left out.
        settings: &[
            "src = 'src'",
            "script = 'src'",
            "libs = ['node_modules']",
            "optimizer_runs = 50",
            "no_match_path = '*/Zora1155PremintExecutorProxy*'",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             '@zoralabs/shared-contracts/=node_modules/@zoralabs/shared-contracts/src/', \
             '@zoralabs/openzeppelin-contracts-upgradeable/=node_modules/@zoralabs/openzeppelin-contracts-upgradeable/', \
             '@zoralabs/protocol-rewards/=node_modules/@zoralabs/protocol-rewards/', \
             '@openzeppelin/contracts/=node_modules/@openzeppelin/contracts/', \
             '_imagine/=_imagine/', \
             'solmate/=node_modules/solmate/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/nft/ZoraCreator1155Impl.sol",
        reasons: &[],
    },
    Project {
        name: "dynamic-contracts",
        folder: "dynamic-contracts",
        package: "@thirdweb-dev/dynamic-contracts@1.2.5",
        within: "",
        dependencies: &[],
        solc: LATER_SOLC,
        settings: &[
            "src = 'src'",
            "libs = ['lib']",
            "optimizer_runs = 20",
            "remappings = ['lib/=lib/', \
             'forge-std/=lib/forge-std/src/', \
             'ds-test/=lib/forge-std/lib/ds-test/src/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/presets/BaseRouter.sol",
        reasons: &[],
    },
    Project {
        name: "erc4337-validation",
        folder: "erc4337-validation",
        package: "@rhinestone/erc4337-validation@0.0.5",
        within: "",
        dependencies: &[
            "@layerzerolabs/toolbox-foundry@0.1.13",
            "@openzeppelin/contracts@5.0.1",
            "account-abstraction@npm:@account-abstraction/contracts@0.7.0",
            "account-abstraction-v0.6@npm:@account-abstraction/contracts@0.6.0",
            "solady@0.1.26",
        ],
        solc: LATER_SOLC,
        // npm's packages have at their root what the repositories have in `contracts`.
        settings: &[
            "src = 'src'",
            "libs = ['node_modules']",
            "evm_version = 'cancun'",
            "gas_limit = '18446744073709551615'",
            "memory_limit = 2147483648",
            // Its tests read the steps of a call, which forge keeps from here on.
            "verbosity = 3",
            "remappings = ['forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/', \
             'ds-test/=node_modules/@layerzerolabs/toolbox-foundry/lib/ds-test/', \
             'account-abstraction/=node_modules/account-abstraction/', \
             'account-abstraction-v0.6/=node_modules/account-abstraction-v0.6/', \
             '@openzeppelin/=node_modules/@openzeppelin/', \
             'solady/=node_modules/solady/']",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/Simulator.sol",
        reasons: &[("testReadData", IDLE_LOAD), ("testTransientReadDataFromSlot", IDLE_LOAD)],
    },
    layerzero("oft-evm", "@layerzerolabs/oft-evm@4.0.1", "contracts/OFT.sol"),
    layerzero("oapp-evm", "@layerzerolabs/oapp-evm@0.4.1", "contracts/oapp/OApp.sol"),
    Project {
        name: "v4-core",
        folder: "v4-core",
        package: "@uniswap/v4-core@1.0.2",
        within: "",
        dependencies: &[],
        solc: "0.8.26",
        settings: &[
            "libs = ['lib']",
            "optimizer_runs = 44444444",
            "ffi = true",
            "evm_version = 'cancun'",
            "gas_limit = '300000000'",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed: "src/PoolManager.sol",
        reasons: &[],
    },
    Project {
        name: "permit2",
        folder: "permit2",
        package: "@uniswap/v4-periphery@1.0.3",
        within: "lib/permit2",
        dependencies: &[],
        solc: LATER_SOLC,
        settings: &[
            "libs = ['lib']",
            "optimizer_runs = 1000000",
            "ffi = true",
            "no_match_path = '*/integration/*'",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: false,
        changed: "src/Permit2.sol",
        reasons: &[],
    },
    Project {
        name: "v4-periphery",
        folder: "v4-periphery",
        package: "@uniswap/v4-periphery@1.0.3",
        within: "",
        dependencies: &[],
        solc: "0.8.26",
        settings: &[
            "libs = ['lib']",
            "optimizer_runs = 44444444",
            "ffi = true",
            "evm_version = 'cancun'",
            "gas_limit = '3000000000'",
            // As the project builds itself.
            "additional_compiler_profiles = [\
             { name = 'posm', via_ir = true, optimizer_runs = 30000 }, \
             { name = 'descriptor', via_ir = true, optimizer_runs = 1 }, \
             { name = 'test', via_ir = false }]",
            "compilation_restrictions = [\
             { paths = 'src/PositionManager.sol', optimizer_runs = 30000 }, \
             { paths = 'src/PositionDescriptor.sol', optimizer_runs = 1 }, \
             { paths = 'test/**', via_ir = false }]",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: false,
        changed: "src/PositionManager.sol",
        reasons: &[
            ("testQuoter_quoteExactInput_0to2_0TickLoaded_startingInitialized", LEAST_GAS),
            ("testQuoter_quoteExactInput_2to0_0TickLoaded_startingInitialized", LEAST_GAS),
            ("testQuoter_quoteExactOutputSingle_1to0", LEAST_GAS),
            ("testQuoter_quoteExactOutput_0to2_0TickLoaded_startingInitialized", LEAST_GAS),
        ],
    },
];
