//! What a registry asks of each package that is published.
//!
//! Dependencies of tests on our own crates name a path and no version: those go when a package is
//! made, and a cycle that runs through tests keeps no crate from being published.

use super::Fault;
use crate::project::{Outcome, cargo, output};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let metadata = output(cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    Ok(faults(&metadata))
}

fn faults(metadata: &Value) -> Vec<Fault> {
    let packages = list(&metadata["packages"]);
    let is_published = |package: &&Value| package["publish"].is_null();
    let published: BTreeSet<&str> =
        packages.iter().filter(is_published).filter_map(|package| package["name"].as_str()).collect();
    let mut faults = Vec::new();
    for package in packages.iter().filter(is_published) {
        let name = package["name"].as_str().unwrap_or_default();
        let messages = missing(package).chain(wrong_dependencies(package, &published));
        faults.extend(messages.map(|message| Fault::new(format!("package {name}"), message)));
    }
    faults
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Fields that a registry wants and that are empty.
fn missing(package: &Value) -> impl Iterator<Item = String> {
    let fields = ["description", "license", "readme", "rust_version", "keywords", "categories"];
    let is_empty = |field: &&str| match &package[*field] {
        Value::String(text) => text.is_empty(),
        other => list(other).is_empty(),
    };
    fields.into_iter().filter(is_empty).map(|field| format!("has no {field}"))
}

/// Dependencies on crates of the workspace that keep a package from being published.
fn wrong_dependencies(package: &Value, published: &BTreeSet<&str>) -> impl Iterator<Item = String> {
    let own = list(&package["dependencies"]).iter().filter(|one| !one["path"].is_null());
    own.filter_map(|one| {
        let name = one["name"].as_str()?;
        let has_version = one["req"] != "*";
        match (one["kind"] == "dev", has_version) {
            (true, true) => Some(format!("tests depend on `{name}` by version: only the path is wanted")),
            (false, false) => Some(format!("depends on `{name}` without a version")),
            (false, true) if !published.contains(name) => {
                Some(format!("depends on `{name}`, which is not published"))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, dependencies: &Value) -> Value {
        json!({
            "name": name, "publish": null, "description": "d", "license": "MIT", "readme": "README.md",
            "rust_version": "1", "keywords": ["k"], "categories": ["c"], "dependencies": dependencies,
        })
    }

    fn messages(packages: &[Value]) -> Vec<String> {
        faults(&json!({ "packages": packages })).iter().map(Fault::to_string).collect()
    }

    #[test]
    fn dependencies_of_tests_have_paths_and_others_versions() {
        let on = |name: &str, req: &str, kind: Option<&str>| json!({ "name": name, "req": req, "kind": kind, "path": "p" });
        let private = json!({ "name": "t", "publish": [] });
        let good = json!([on("b", "^1", None), on("t", "*", Some("dev"))]);
        assert!(messages(&[package("a", &good), package("b", &json!([])), private.clone()]).is_empty());
        let bad = json!([on("b", "*", None), on("t", "^1", None), on("b", "^1", Some("dev"))]);
        let expected = [
            "package a: depends on `b` without a version",
            "package a: depends on `t`, which is not published",
            "package a: tests depend on `b` by version: only the path is wanted",
        ];
        assert_eq!(messages(&[package("a", &bad), package("b", &json!([])), private]), expected);
    }

    #[test]
    fn fields_are_filled() {
        let mut one = package("a", &json!([]));
        one["keywords"] = json!([]);
        one["readme"] = Value::Null;
        assert_eq!(messages(&[one.clone()]), ["package a: has no readme", "package a: has no keywords"]);
        one["publish"] = json!([]);
        assert!(messages(&[one]).is_empty());
    }
}
