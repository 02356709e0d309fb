//! Functions that only code of their contract calls, from the syntax trees of its source.
//!
//! solc names them by the types of their parameters with the places of what these refer to: `f(uint256[] memory)`,
//! `g(struct S storage pointer)`. A tree has the parts of such a name: the types without places, and the place of
//! the whole. Bodies are not looked into.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Contract to functions: name and number of the definition.
pub(crate) type Internal = BTreeMap<String, Vec<(String, u64)>>;

#[derive(Deserialize)]
struct Source {
    ast: Option<Tree>,
}

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

/// A contract, a function or something else.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Node {
    node_type: String,
    id: u64,
    name: String,
    visibility: String,
    nodes: Vec<Node>,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    parameters: Vec<Parameter>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameter {
    storage_location: String,
    type_name: TypeName,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeName {
    node_type: String,
    type_descriptions: Descriptions,
    /// Of an array.
    base_type: Option<Box<TypeName>>,
    /// Of a mapping.
    key_type: Option<Box<TypeName>>,
    value_type: Option<Box<TypeName>>,
    /// Of a function.
    parameter_types: Option<Parameters>,
    return_parameter_types: Option<Parameters>,
    #[serde(default)]
    visibility: String,
    #[serde(default)]
    state_mutability: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptions {
    #[serde(default)]
    type_string: String,
}

/// The functions of the contracts of a source; of none where there is no tree that can be read.
pub(crate) fn internal(source: &RawValue) -> Internal {
    let source = serde_json::from_str(source.get()).unwrap_or(Source { ast: None });
    let nodes = source.ast.map(|tree| tree.nodes).unwrap_or_default();
    let contracts = nodes.iter().filter(|node| node.node_type == "ContractDefinition");
    contracts.map(|contract| (contract.name.clone(), contract.functions())).collect()
}

impl Node {
    fn functions(&self) -> Vec<(String, u64)> {
        let is_internal = |node: &&Node| {
            node.node_type == "FunctionDefinition"
                && matches!(node.visibility.as_str(), "internal" | "private")
        };
        self.nodes.iter().filter(is_internal).map(|node| (node.signature(), node.id)).collect()
    }

    fn signature(&self) -> String {
        format!("{}({})", self.name, self.parameters.as_ref().map(Parameters::types).unwrap_or_default())
    }
}

impl Parameters {
    fn types(&self) -> String {
        let types: Vec<String> = self.parameters.iter().map(Parameter::of_type).collect();
        types.join(",")
    }
}

/// Where what a type refers to stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Memory,
    Calldata,
    /// Storage that a variable points to.
    StoragePointer,
    /// A part of other storage.
    StoragePart,
}

impl Place {
    const fn name(self) -> &'static str {
        match self {
            Place::Memory => "memory",
            Place::Calldata => "calldata",
            Place::StoragePointer => "storage pointer",
            Place::StoragePart => "storage ref",
        }
    }

    /// Of the elements of an array.
    const fn of_elements(self) -> Place {
        match self {
            Place::StoragePointer => Place::StoragePart,
            Place::Memory | Place::Calldata | Place::StoragePart => self,
        }
    }
}

impl Parameter {
    fn of_type(&self) -> String {
        let place = match self.storage_location.as_str() {
            "storage" => Place::StoragePointer,
            "calldata" => Place::Calldata,
            _ => Place::Memory,
        };
        self.type_name.shown(place)
    }
}

impl TypeName {
    fn shown(&self, place: Place) -> String {
        let plain = &self.type_descriptions.type_string;
        if let (Some(key), Some(value)) = (&self.key_type, &self.value_type) {
            return format!("mapping({} => {})", key.shown(Place::Memory), value.shown(Place::StoragePart));
        }
        if let Some(base) = &self.base_type {
            let length = plain.rfind('[').map_or("", |at| &plain[at..]);
            return format!("{}{length} {}", base.shown(place.of_elements()), place.name());
        }
        if let (Some(parameters), Some(results)) = (&self.parameter_types, &self.return_parameter_types) {
            return self.function(parameters, results);
        }
        let is_reference = match self.node_type.as_str() {
            "ElementaryTypeName" => matches!(plain.as_str(), "bytes" | "string"),
            _ => plain.starts_with("struct "),
        };
        if is_reference { format!("{plain} {}", place.name()) } else { plain.clone() }
    }

    fn function(&self, parameters: &Parameters, results: &Parameters) -> String {
        let mut shown = format!("function ({})", parameters.types());
        if self.state_mutability != "nonpayable" {
            shown += &format!(" {}", self.state_mutability);
        }
        if self.visibility == "external" {
            shown += " external";
        }
        if !results.parameters.is_empty() {
            shown += &format!(" returns ({})", results.types());
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn named(kind: &str, name: &str) -> Value {
        json!({ "nodeType": kind, "typeDescriptions": { "typeIdentifier": "t", "typeString": name } })
    }

    fn elementary(name: &str) -> Value {
        named("ElementaryTypeName", name)
    }

    fn user(name: &str) -> Value {
        named("UserDefinedTypeName", name)
    }

    fn array(base: Value, name: &str) -> Value {
        let mut array = named("ArrayTypeName", name);
        array["baseType"] = base;
        array["length"] = json!({ "nodeType": "Literal", "value": "2" });
        array
    }

    fn mapping(key: Value, value: Value) -> Value {
        let mut mapping = named("Mapping", "mapping(k => v)");
        (mapping["keyType"], mapping["valueType"]) = (key, value);
        mapping
    }

    fn parameter(name: &Value, place: &str) -> Value {
        json!({ "name": "x", "storageLocation": place, "typeName": name })
    }

    fn function(visibility: &str, mutability: &str, results: &[Value]) -> Value {
        let mut function = named("FunctionTypeName", "function");
        (function["visibility"], function["stateMutability"]) = (visibility.into(), mutability.into());
        function["parameterTypes"] = json!({ "parameters": [parameter(&elementary("string"), "memory")] });
        function["returnParameterTypes"] = json!({ "parameters": results });
        function
    }

    fn source(parameters: &[(Value, &str)]) -> Value {
        let parameters: Vec<Value> = parameters.iter().map(|(name, place)| parameter(name, place)).collect();
        let function = |id: u64, name: &str, visibility: &str| {
            json!({ "nodeType": "FunctionDefinition", "id": id, "name": name, "visibility": visibility,
                    "body": { "statements": [{}] }, "parameters": { "id": 9, "parameters": parameters } })
        };
        let contract = json!({ "nodeType": "ContractDefinition", "id": 1, "name": "A", "nodes": [
            function(2, "f", "internal"), function(3, "g", "public"), function(4, "h", "private"),
            { "nodeType": "VariableDeclaration", "id": 5, "name": "v", "visibility": "internal" },
        ] });
        let free = function(6, "free", "internal");
        json!({ "id": 0, "ast": { "nodeType": "SourceUnit", "nodes": [{ "nodeType": "PragmaDirective" }, contract, free] } })
    }

    fn functions(source: &Value) -> Internal {
        internal(&serde_json::value::to_raw_value(source).unwrap())
    }

    #[test]
    fn functions_of_contracts_are_found() {
        let found = functions(&source(&[]));
        let expected = vec![("f()".to_owned(), 2), ("h()".to_owned(), 4)];
        assert_eq!(found, Internal::from([("A".to_owned(), expected)]));
        for other in [json!({ "id": 0 }), json!({ "ast": 1 }), json!({ "ast": { "nodes": [1] } }), json!([])]
        {
            assert_eq!(functions(&other), Internal::new(), "{other}");
        }
    }

    #[test]
    fn names_have_types_with_places() {
        let pair = || array(elementary("uint256"), "uint256[2]");
        for (name, place, expected) in [
            (elementary("uint256"), "default", "uint256"),
            (elementary("bytes"), "calldata", "bytes calldata"),
            (elementary("string"), "storage", "string storage pointer"),
            (elementary("bytes32"), "default", "bytes32"),
            (user("enum E"), "default", "enum E"),
            (user("contract I"), "default", "contract I"),
            (user("struct S"), "memory", "struct S memory"),
            (user("struct L.T"), "storage", "struct L.T storage pointer"),
            (function("internal", "nonpayable", &[]), "default", "function (string memory)"),
            (
                function("external", "view", &[parameter(&elementary("bytes"), "memory")]),
                "default",
                "function (string memory) view external returns (bytes memory)",
            ),
            (array(user("struct S"), "struct S[]"), "memory", "struct S memory[] memory"),
            (array(pair(), "uint256[2][]"), "storage", "uint256[2] storage ref[] storage pointer"),
            (mapping(elementary("uint256"), pair()), "storage", "mapping(uint256 => uint256[2] storage ref)"),
            (
                mapping(elementary("address"), mapping(elementary("bytes"), elementary("string"))),
                "storage",
                "mapping(address => mapping(bytes memory => string storage ref))",
            ),
        ] {
            let found = functions(&source(&[(elementary("int8"), "default"), (name, place)]));
            assert_eq!(found["A"][0].0, format!("f(int8,{expected})"));
        }
    }
}
