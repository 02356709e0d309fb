//! The projects: npm packages that hold their forge tests, and how each is built.

/// The front end of the examples.
pub(super) const EXAMPLES_SOLC: &str = "0.8.37";

/// One suite of tests.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) name: &'static str,
    /// What it is installed from; projects of one folder share an installation.
    pub(crate) folder: &'static str,
    /// The npm package whose files become the project.
    pub(crate) package: &'static str,
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
        dependencies: &["@openzeppelin/contracts@4.9.6", "@openzeppelin/contracts-upgradeable@4.9.6"],
        solc,
        settings,
        edit: Edit::LaterSolc,
        is_legacy_possible: true,
        changed,
        reasons,
    }
}

/// All projects, quick ones first.
pub(crate) const PROJECTS: &[Project] = &[
    Project {
        name: "solmate",
        folder: "solmate",
        package: "solmate@6.8.0",
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
        &["src = 'src/v0.8/operatorforwarder'", "test = 'src/v0.8/operatorforwarder/test'"],
        &[],
    ),
    chainlink(
        "chainlink-data-feeds",
        "0.8.26",
        "src/v0.8/data-feeds/DataFeedsCache.sol",
        &["src = 'src/v0.8/data-feeds'", "test = 'src/v0.8/data-feeds/test'", "evm_version = 'paris'"],
        &[],
    ),
    chainlink(
        "chainlink-shared",
        "0.8.24",
        "src/v0.8/shared/token/ERC677/BurnMintERC677.sol",
        &["src = 'src/v0.8/shared'", "test = 'src/v0.8/shared/test'", "evm_version = 'paris'"],
        &[EXACT_GAS],
    ),
    chainlink(
        "chainlink-keystone",
        "0.8.24",
        "src/v0.8/keystone/CapabilitiesRegistry.sol",
        &["src = 'src/v0.8/keystone'", "test = 'src/v0.8/keystone/test'", "evm_version = 'paris'"],
        &[],
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
        ],
        &[],
    ),
    chainlink(
        "chainlink-llo-feeds",
        "0.8.19",
        "src/v0.8/llo-feeds/v0.3.0/Verifier.sol",
        &["src = 'src/v0.8/llo-feeds'", "test = 'src/v0.8/llo-feeds'", "evm_version = 'paris'"],
        &[],
    ),
    Project {
        name: "v4-core",
        folder: "v4-core",
        package: "@uniswap/v4-core@1.0.2",
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
        name: "v4-periphery",
        folder: "v4-periphery",
        package: "@uniswap/v4-periphery@1.0.3",
        dependencies: &[],
        solc: "0.8.26",
        settings: &[
            "libs = ['lib']",
            "optimizer_runs = 200",
            "evm_version = 'cancun'",
            "gas_limit = '3000000000'",
        ],
        edit: Edit::LaterSolc,
        is_legacy_possible: false,
        changed: "src/PositionManager.sol",
        reasons: &[],
    },
];
