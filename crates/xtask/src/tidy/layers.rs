//! The layer table of ARCHITECTURE.md against the dependencies of the crates.
//!
//! An arrow goes to a lower layer, or to the same one except between stages (L2). Dependencies of
//! tests are free.

use super::Fault;
use crate::project::{Outcome, cargo, output, read, root};
use serde_json::Value;
use std::collections::BTreeMap;

const TABLE: &str = "ARCHITECTURE.md";

/// The layer whose crates don't know each other.
const STAGES: u8 = 2;

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let layers = parse_table(&read(&root().join(TABLE))?);
    let metadata = output(cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    Ok(compare(&layers, &arrows(&metadata)))
}

/// Rows such as `| L1 | yul ir analysis asm |`.
fn parse_table(text: &str) -> BTreeMap<String, u8> {
    let mut layers = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, layer, names, _] = cells[..] else { continue };
        let Some(layer) = layer.strip_prefix('L').and_then(|digits| digits.parse().ok()) else { continue };
        layers.extend(names.split_whitespace().map(|name| (name.to_owned(), layer)));
    }
    layers
}

/// Each crate of the workspace, named by its folder, with those it needs outside of tests.
fn arrows(metadata: &Value) -> BTreeMap<String, Vec<String>> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let folder = |manifest: &Value| {
        let parts: Vec<&str> = manifest.as_str().unwrap_or("").rsplit(['/', '\\']).collect();
        parts.get(1).map(|folder| (*folder).to_owned())
    };
    let folders: BTreeMap<&str, String> = packages
        .iter()
        .filter_map(|package| Some((package["name"].as_str()?, folder(&package["manifest_path"])?)))
        .collect();
    let needed = |package: &Value| {
        let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let outside_tests = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
        let names = outside_tests.filter_map(|dependency| dependency["name"].as_str());
        names.filter_map(|name| folders.get(name).cloned()).collect()
    };
    packages
        .iter()
        .filter_map(|package| Some((folders.get(package["name"].as_str()?)?.clone(), needed(package))))
        .collect()
}

fn compare(layers: &BTreeMap<String, u8>, arrows: &BTreeMap<String, Vec<String>>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for name in layers.keys().filter(|name| !arrows.contains_key(*name)) {
        faults.push(Fault::new(TABLE, format!("the layer table names `{name}`, which is no crate")));
    }
    for (name, needed) in arrows {
        let Some(layer) = layers.get(name) else {
            faults.push(Fault::new(TABLE, format!("crate `{name}` is in no layer")));
            continue;
        };
        for other in needed {
            let Some(below) = layers.get(other) else { continue };
            if below > layer || (below == layer && *layer == STAGES) {
                let message = format!("`{name}` (L{layer}) must not depend on `{other}` (L{below})");
                faults.push(Fault::new(format!("crates/{name}/Cargo.toml"), message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(table: &str, metadata: &Value) -> Vec<String> {
        compare(&parse_table(table), &arrows(metadata)).iter().map(Fault::to_string).collect()
    }

    fn package(folder: &str, dependencies: &[(&str, Option<&str>)]) -> Value {
        let dependencies: Vec<Value> = dependencies
            .iter()
            .map(|(name, kind)| json!({ "name": format!("cairn-{name}"), "kind": kind }))
            .collect();
        json!({
            "name": format!("cairn-{folder}"),
            "manifest_path": format!("/p/crates/{folder}/Cargo.toml"),
            "dependencies": dependencies,
        })
    }

    #[test]
    fn arrows_go_down() {
        let table =
            "| layer | crates |\n|---|---|\n| L2 | opt legalize |\n| L1 | ir analysis |\n| L0 | evm |\n";
        let metadata = json!({ "packages": [
            package("evm", &[]),
            package("ir", &[("evm", None), ("opt", Some("dev"))]),
            package("analysis", &[("ir", None), ("serde", None)]),
            package("opt", &[("ir", None), ("legalize", None)]),
            package("legalize", &[("ir", Some("build"))]),
        ] });
        let expected = ["crates/opt/Cargo.toml: `opt` (L2) must not depend on `legalize` (L2)"];
        assert_eq!(faults(table, &metadata), expected);
    }

    #[test]
    fn table_and_crates_agree() {
        let metadata = json!({ "packages": [package("evm", &[("ir", None)]), package("ir", &[])] });
        let expected = [
            "ARCHITECTURE.md: the layer table names `yul`, which is no crate",
            "crates/evm/Cargo.toml: `evm` (L0) must not depend on `ir` (L1)",
        ];
        assert_eq!(faults("| L1 | ir yul |\n| L0 | evm |", &metadata), expected);
        let unnamed =
            faults("| L0 | evm |", &json!({ "packages": [package("ir", &[]), package("evm", &[])] }));
        assert_eq!(unnamed, ["ARCHITECTURE.md: crate `ir` is in no layer"]);
    }
}
