//! How a request's settings, made for solc, are met by Cairn's levels and options.
//!
//! | settings | level |
//! |---|---|
//! | no `optimizer`, or `enabled` false or absent | -O0 |
//! | `optimizer.details.yulDetails.optimizerSteps` `"u"` or `"u:"…` (`forge coverage --ir-minimum`) | -O0 |
//! | `enabled` with `runs` 0 or 1 | -Os |
//! | `enabled` | -O2 with `runs` |
//!
//! `settings.cairn.level` (`"0"`, `"1"`, `"2"`, `"3"`, `"s"`) and `settings.cairn.runs` come before
//! this, the caller's [`Overrides`] before them. `settings.cairn.switch` (`"cost"`, `"tree"`, `"cascade"`) says how
//! functions are dispatched, `settings.cairn.prove` (`"warn"`, `"require"`) asks for proofs of the code.

use crate::message::Message;
use cairn_asm::Separator;
use cairn_certify::Demand;
use cairn_driver::{Calls, Level, Options, Placement, SourceFrames, SwitchShape};
use cairn_evm::Fork;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// What the caller of a compilation demands, whatever the request says.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// How hard to optimize.
    pub level: Option<Level>,
    /// What becomes of switches.
    pub switch: Option<SwitchShape>,
    /// What is asked of proofs; `None` leaves it to the settings.
    pub prove: Option<Demand>,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Folder of compiled objects; `None` for no cache.
    pub cache: Option<PathBuf>,
}

/// The settings that matter to code generation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How hard to optimize.
    pub level: Level,
    /// Expected executions.
    pub runs: u64,
    /// What becomes of switches.
    pub switch: SwitchShape,
    /// What is asked of proofs; `None` for none.
    pub prove: Option<Demand>,
    /// The fork, if the request names one.
    pub fork: Option<Fork>,
    /// Addresses of libraries by fully qualified name.
    pub libraries: BTreeMap<String, [u8; 20]>,
}

/// Executions that solc expects where nothing is said.
const DEFAULT_RUNS: u64 = 200;

impl Settings {
    /// Reads `settings` of a request.
    ///
    /// # Errors
    /// A level, shape, demand, fork or address that is none.
    pub fn of(settings: &Value, overrides: &Overrides) -> Result<Settings, Message> {
        let optimizer = &settings["optimizer"];
        let own = &settings["cairn"];
        check_own(own)?;
        let asked_runs = own["runs"].as_u64().or_else(|| optimizer["runs"].as_u64());
        let of_solc = level_of_solc(optimizer);
        let level = named(own, "level")?;
        let switch = named(own, "switch")?;
        Ok(Settings {
            level: overrides.level.or(level).unwrap_or(of_solc),
            switch: overrides.switch.or(switch).unwrap_or_default(),
            runs: asked_runs.unwrap_or(DEFAULT_RUNS),
            prove: overrides.prove.or(demand_of(own)?),
            fork: fork_of(&settings["evmVersion"])?,
            libraries: libraries_of(&settings["libraries"])?,
        })
    }

    /// Options of the driver, for one object. Unoptimized code is for debuggers and coverage, which
    /// count branches and frames as solc lays them out.
    pub fn options(&self, fork: Fork) -> Options {
        let (placement, calls) = match self.level {
            Level::O0 => (Placement::AsWritten, Calls::Traceable),
            Level::O1 | Level::O2 | Level::O3 | Level::Os => (Placement::Cheapest, Calls::Cheapest),
        };
        Options {
            level: self.level,
            runs: self.runs,
            switch: self.switch,
            fork,
            separator: Separator::Invalid,
            placement,
            calls,
            source_frames: SourceFrames::Solidity,
            allow_oversized: true,
            ..Options::default()
        }
    }
}

fn check_own(own: &Value) -> Result<(), Message> {
    let known = ["level", "prove", "runs", "switch"];
    match own {
        Value::Null => Ok(()),
        Value::Object(fields) => match fields.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(Message::of_request(format!("Unknown key \"{key}\" in \"settings.cairn\""))),
            None => Ok(()),
        },
        _ => Err(Message::of_request("\"settings.cairn\" must be an object.")),
    }
}

fn level_of_solc(optimizer: &Value) -> Level {
    let steps = optimizer["details"]["yulDetails"]["optimizerSteps"].as_str();
    let is_enabled = optimizer["enabled"].as_bool().unwrap_or(false);
    if !is_enabled || steps.is_some_and(|steps| matches!(steps, "u" | "u:u")) {
        return Level::O0;
    }
    if optimizer["runs"].as_u64().is_some_and(|runs| runs <= 1) { Level::Os } else { Level::O2 }
}

/// One of a few things that a setting of Cairn's may be, if it is there.
fn named<T: FromStr<Err = String>>(own: &Value, key: &str) -> Result<Option<T>, Message> {
    let text = match &own[key] {
        Value::Null => return Ok(None),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let fault = |fault| Message::of_request(format!("\"settings.cairn.{key}\": {fault}"));
    text.parse().map(Some).map_err(fault)
}

fn demand_of(own: &Value) -> Result<Option<Demand>, Message> {
    match &own["prove"] {
        Value::Null | Value::String(_) => named(own, "prove"),
        _ => Err(Message::of_request("\"settings.cairn.prove\" must be a string.")),
    }
}

fn fork_of(name: &Value) -> Result<Option<Fork>, Message> {
    match name {
        Value::Null => Ok(None),
        Value::String(name) => match name.parse() {
            Ok(fork) => Ok(Some(fork)),
            Err(_) => Err(Message::of_request("Invalid EVM version requested.")),
        },
        _ => Err(Message::of_request("evmVersion must be a string.")),
    }
}

fn libraries_of(libraries: &Value) -> Result<BTreeMap<String, [u8; 20]>, Message> {
    let mut found = BTreeMap::new();
    for (file, names) in libraries.as_object().into_iter().flatten() {
        for (name, address) in names.as_object().into_iter().flatten() {
            let full = if file.is_empty() { name.clone() } else { format!("{file}:{name}") };
            found.insert(full, address_of(name, address)?);
        }
    }
    Ok(found)
}

fn address_of(library: &str, address: &Value) -> Result<[u8; 20], Message> {
    let digits = address.as_str().and_then(|text| text.strip_prefix("0x"));
    let bytes = digits.and_then(|digits| cairn_evm::hex::decode(digits).ok());
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
        let text = format!(
            "Invalid library address ({address}) supplied for library \"{library}\": 0x and 40 digits"
        );
        Message::of_request(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn level(settings: Value) -> Level {
        Settings::of(&settings, &Overrides::default()).unwrap().level
    }

    #[test]
    fn levels_follow_the_optimizer() {
        assert_eq!(level(json!({})), Level::O0);
        assert_eq!(level(json!({ "optimizer": {} })), Level::O0);
        assert_eq!(
            level(json!({ "optimizer": { "enabled": true, "runs": 200 }, "viaIR": false })),
            Level::O2
        );
        assert_eq!(level(json!({ "optimizer": { "enabled": true, "runs": 1 } })), Level::Os);
        let minimum = json!({ "yulDetails": { "optimizerSteps": "u" } });
        assert_eq!(level(json!({ "optimizer": { "enabled": true, "details": minimum } })), Level::O0);
        assert_eq!(level(json!({ "cairn": { "level": 3 } })), Level::O3);
        let forced = Overrides { level: Some(Level::O1), ..Overrides::default() };
        assert_eq!(Settings::of(&json!({ "cairn": { "level": "s" } }), &forced).unwrap().level, Level::O1);
    }

    #[test]
    fn switches_have_the_shape_that_is_asked_for() {
        let shape = |settings: Value, switch| {
            let overrides = Overrides { switch, ..Overrides::default() };
            let settings = Settings::of(&settings, &overrides).unwrap();
            assert_eq!(settings.options(Fork::default()).switch, settings.switch);
            settings.switch
        };
        let asked = json!({ "cairn": { "switch": "cascade" } });
        assert_eq!(shape(json!({}), None), SwitchShape::Cost);
        assert_eq!(shape(asked.clone(), None), SwitchShape::Cascade);
        assert_eq!(shape(asked, Some(SwitchShape::Tree)), SwitchShape::Tree);
    }

    #[test]
    fn faults_are_named() {
        for (settings, part) in [
            (json!({ "cairn": { "level": "9" } }), "settings.cairn.level"),
            (json!({ "cairn": { "x": 1 } }), "Unknown key \"x\""),
            (json!({ "cairn": { "switch": "chain" } }), "\"settings.cairn.switch\": unknown shape"),
            (json!({ "cairn": { "prove": "all" } }), "settings.cairn.prove"),
            (json!({ "cairn": { "prove": true } }), "settings.cairn.prove"),
            (json!({ "evmVersion": "mars" }), "Invalid EVM version"),
            (json!({ "libraries": { "a.sol": { "L": "0x12" } } }), "library \"L\""),
        ] {
            let message = Settings::of(&settings, &Overrides::default()).unwrap_err().message;
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn libraries_are_known_by_their_full_names() {
        let address = format!("0x{}", "11".repeat(20));
        let settings = json!({ "libraries": { "a.sol": { "L": address }, "": { "M": address } } });
        let found = Settings::of(&settings, &Overrides::default()).unwrap().libraries;
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("M".to_owned(), [0x11; 20]), ("a.sol:L".to_owned(), [0x11; 20])]
        );
    }
}
