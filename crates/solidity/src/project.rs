//! The Yul of a project's contracts, for those who compile it another way than by standard JSON.

use crate::environment::Environment;
use crate::message::{Severity, Texts};
use crate::standard::answer;
use cairn_evm::Fork;
use serde_json::{Map, Value, json};

/// A contract and its Yul.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Name of the source unit.
    pub file: String,
    /// Name of the contract.
    pub name: String,
    /// Its Yul, unoptimized.
    pub yul: String,
}

/// A message of the front end, as it shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// How bad it is.
    pub severity: Severity,
    /// The text, with the place and the line.
    pub text: String,
}

/// What the front end makes of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The contracts that can be deployed, by file and name.
    pub contracts: Vec<Contract>,
    /// What it says of the sources.
    pub messages: Vec<Shown>,
}

/// The contracts in these sources.
pub fn contracts(sources: &Texts, remappings: &[String], fork: Fork, environment: &Environment) -> Project {
    let sources: Map<String, Value> =
        sources.iter().map(|(name, text)| (name.clone(), json!({ "content": text }))).collect();
    let settings = json!({
        "debug": { "debugInfo": ["location"] },
        "evmVersion": fork.name(),
        "outputSelection": { "*": { "*": ["ir"] } },
        "remappings": remappings,
    });
    let request = json!({ "language": "Solidity", "settings": settings, "sources": sources });
    let answer: Value = serde_json::from_str(&answer(&request.to_string(), environment)).unwrap_or_default();
    let mut project = Project::default();
    for message in answer["errors"].as_array().into_iter().flatten() {
        let severity = if message["severity"] == "error" { Severity::Error } else { Severity::Warning };
        let text = message["formattedMessage"].as_str().unwrap_or_default().trim_end().to_owned();
        project.messages.push(Shown { severity, text });
    }
    for (file, found) in answer["contracts"].as_object().into_iter().flatten() {
        for (name, outputs) in found.as_object().into_iter().flatten() {
            let yul = outputs["ir"].as_str().unwrap_or_default().to_owned();
            if !yul.is_empty() {
                project.contracts.push(Contract { file: file.clone(), name: name.clone(), yul });
            }
        }
    }
    project
}
