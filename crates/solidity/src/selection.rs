//! What a request asks for: `settings.outputSelection`.
//!
//! A selection maps files to contracts to names of outputs; `*` stands for every file or contract,
//! the empty name for what a file has without a contract. A name selects everything below it
//! (`evm.bytecode` selects `evm.bytecode.object`), and `*` selects everything but the forms of the
//! intermediate code, which are asked for by name.

use serde_json::{Map, Value, json};

/// Outputs that Cairn makes. They all need the contract's Yul.
const OURS: [&str; 5] =
    ["evm.bytecode", "evm.deployedBytecode", "evm.assembly", "evm.legacyAssembly", "evm.gasEstimates"];

/// What is told of each function that a contract has.
const GAS: &str = "evm.gasEstimates";

/// What `*` stands for, of what the front end gives without making code.
const PASSED_ON: [&str; 7] = [
    "abi",
    "devdoc",
    "userdoc",
    "metadata",
    "storageLayout",
    "transientStorageLayout",
    "evm.methodIdentifiers",
];

/// Outputs that `*` does not select.
const BY_NAME: [&str; 4] = ["ir", "irAst", "irOptimized", "irOptimizedAst"];

/// Whether code names the metadata of its contract by a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashes {
    /// It does.
    InCode,
    /// The settings say that it does not.
    Absent,
}

impl Hashes {
    /// Reads `settings.metadata`.
    pub fn of(metadata: &Value) -> Hashes {
        let is_absent = metadata["bytecodeHash"] == "none" || metadata["appendCBOR"] == false;
        if is_absent { Hashes::Absent } else { Hashes::InCode }
    }
}

/// A selection of outputs.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    rows: Vec<(String, String, Vec<String>)>,
}

impl Selection {
    /// Reads `settings.outputSelection`; what is no list of names selects nothing, as the front
    /// end will say.
    pub fn of(value: Option<&Value>) -> Selection {
        let mut rows = Vec::new();
        for (file, contracts) in value.and_then(Value::as_object).into_iter().flatten() {
            for (contract, names) in contracts.as_object().into_iter().flatten() {
                let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
                rows.push((file.clone(), contract.clone(), names.map(str::to_owned).collect()));
            }
        }
        Selection { rows }
    }

    /// True when an output of a contract is asked for.
    pub fn wants(&self, file: &str, contract: &str, output: &str) -> bool {
        let is_meant = |pattern: &str, name: &str| pattern == name || pattern == "*";
        self.rows.iter().any(|(of_file, of_contract, names)| {
            is_meant(of_file, file)
                && is_meant(of_contract, contract)
                && names.iter().any(|name| selects(name, output))
        })
    }

    /// True when an output of a file without a contract is asked for.
    pub fn wants_of_file(&self, file: &str, output: &str) -> bool {
        self.rows.iter().any(|(of_file, contract, names)| {
            contract.is_empty()
                && (of_file == file || of_file == "*")
                && names.iter().any(|name| selects(name, output))
        })
    }

    /// True when the gas of any contract's functions is asked for.
    pub fn wants_gas(&self) -> bool {
        self.rows
            .iter()
            .any(|(_, contract, names)| !contract.is_empty() && names.iter().any(|name| selects(name, GAS)))
    }

    /// True when an output is asked for by its name, of any contract.
    pub fn names(&self, output: &str) -> bool {
        self.rows.iter().any(|(_, _, names)| names.iter().any(|name| name == output))
    }

    /// True when code of a contract is asked for.
    pub fn wants_code_of(&self, file: &str, contract: &str) -> bool {
        let is_meant = |pattern: &str, name: &str| pattern == name || pattern == "*";
        self.rows.iter().any(|(of_file, of_contract, names)| {
            is_meant(of_file, file)
                && is_meant(of_contract, contract)
                && names.iter().any(|name| needs_code(name))
        })
    }

    /// True when code of any contract is asked for.
    pub fn wants_code(&self) -> bool {
        self.rows
            .iter()
            .any(|(_, contract, names)| !contract.is_empty() && names.iter().any(|name| needs_code(name)))
    }

    /// What the front end is asked for: Yul with its metadata instead of code, and the metadata of all
    /// contracts where code names it, because a contract may embed any other.
    pub fn for_front_end(&self, hashes: Hashes) -> Value {
        let mut files: Map<String, Value> = Map::new();
        for (file, contract, names) in &self.rows {
            let names = if contract.is_empty() { names.clone() } else { asked(names) };
            add(&mut files, file, contract, &names);
        }
        for (file, contract, names) in &self.rows {
            if !contract.is_empty() && names.iter().any(|name| selects(name, GAS)) {
                // The functions that only the contract calls stand in the syntax tree alone.
                add(&mut files, file, "", &["ast".to_owned()]);
            }
        }
        if self.wants_code() && hashes == Hashes::InCode {
            add(&mut files, "*", "*", &["metadata".to_owned()]);
        }
        Value::Object(files)
    }
}

/// True when a name in a selection selects an output. What is for debuggers alone has to be named.
fn selects(name: &str, output: &str) -> bool {
    if output.ends_with(".ethdebug") {
        return name == output;
    }
    if name == "*" {
        return !BY_NAME.contains(&output);
    }
    output.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// True when a name selects something that is made from code or is code.
fn needs_code(name: &str) -> bool {
    let is_below =
        |ours: &str| name.strip_prefix(ours).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    matches!(name, "*" | "evm" | "irOptimized") || OURS.iter().any(|ours| is_below(ours))
}

fn asked(names: &[String]) -> Vec<String> {
    let mut asked = Vec::new();
    for name in names {
        match name.as_str() {
            "*" => asked.extend(PASSED_ON.map(str::to_owned)),
            name if needs_code(name) => {}
            name => asked.push(name.to_owned()),
        }
        if needs_code(name) {
            asked.extend(["ir", "metadata"].map(str::to_owned));
        }
        if selects(name, GAS) {
            // Gas is told of each function.
            asked.extend(["abi", "evm.methodIdentifiers"].map(str::to_owned));
        }
    }
    asked
}

fn add(files: &mut Map<String, Value>, file: &str, contract: &str, names: &[String]) {
    let contracts = files.entry(file).or_insert_with(|| json!({}));
    let Some(contracts) = contracts.as_object_mut() else { return };
    let list = contracts.entry(contract).or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else { return };
    for name in names {
        let name = Value::from(name.as_str());
        if !list.contains(&name) {
            list.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(value: Value) -> Selection {
        Selection::of(Some(&value))
    }

    #[test]
    fn names_select_what_is_below_them() {
        let some =
            selection(json!({ "a.sol": { "A": ["evm.bytecode", "abi"] }, "*": { "B": ["*"], "": ["ast"] } }));
        assert!(some.wants("a.sol", "A", "evm.bytecode.object") && some.wants("a.sol", "A", "abi"));
        assert!(!some.wants("a.sol", "A", "evm.deployedBytecode.object"));
        assert!(!some.wants("b.sol", "A", "abi"));
        assert!(some.wants("b.sol", "B", "evm.gasEstimates") && !some.wants("b.sol", "B", "ir"));
        assert!(!some.wants("a.sol", "A", "evm.bytecode.ethdebug"));
        let debug = selection(json!({ "*": { "*": ["evm.bytecode.ethdebug"] } }));
        assert!(debug.wants("a", "A", "evm.bytecode.ethdebug") && debug.wants_code());
        assert!(some.wants_code_of("x", "B") && !some.wants_code_of("x", "A"));
        assert!(!selection(json!({ "*": { "*": ["evm.methodIdentifiers", "ir"], "": ["*"] } })).wants_code());
        assert!(!selection(json!({ "*": ["abi"], "b": 1 })).wants_code());
    }

    #[test]
    fn the_front_end_is_asked_for_yul_instead_of_code() {
        let some = selection(json!({ "a": { "A": ["evm", "abi"], "": ["ast"] } }));
        let expected = json!({
            "a": { "A": ["ir", "metadata", "abi", "evm.methodIdentifiers"], "": ["ast"] },
            "*": { "*": ["metadata"] },
        });
        assert_eq!(some.for_front_end(Hashes::of(&Value::Null)), expected);
        let none = Hashes::of(&json!({ "bytecodeHash": "none" }));
        assert_eq!(none, Hashes::of(&json!({ "appendCBOR": false })));
        assert_eq!(some.for_front_end(none)["*"], Value::Null, "nobody asks for the others'");
        let gas = selection(json!({ "a": { "A": ["evm.gasEstimates"] }, "*": { "": ["ast"] } }));
        assert_eq!(gas.for_front_end(Hashes::Absent)["a"][""], json!(["ast"]), "the tree tells functions");
        assert!(gas.wants_gas() && gas.wants_of_file("b", "ast") && !gas.wants("b", "B", "abi"));
        let some = selection(json!({ "*": { "*": ["evm.deployedBytecode.object", "metadata"] } }));
        assert!(!some.wants_gas() && !some.wants_of_file("b", "ast"));
        assert_eq!(some.for_front_end(Hashes::InCode), json!({ "*": { "*": ["ir", "metadata"] } }));
        let none = json!({ "*": { "*": ["abi", "evm.methodIdentifiers"] } });
        assert_eq!(selection(none.clone()).for_front_end(Hashes::InCode), none);
    }
}
