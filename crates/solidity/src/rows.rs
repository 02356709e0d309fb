//! The rows of what a front end is asked for, divided among requests.
//!
//! A row is a file, a contract in it and names of outputs. Old front ends make the Yul of every contract that
//! has a row as soon as any row asks for Yul, and take most of their time for it. So what is asked of the
//! contracts whose Yul is wanted stands together, file by file, and everything else in a request without Yul.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Names of outputs for which Yul is made.
const YUL: [&str; 3] = ["ir", "irAst", "irOptimizedAst"];

/// Files of which it takes no time to look up what each is asked.
const FEW_FILES: usize = 16;

/// No front end has such an output.
const NOTHING: &str = "nothing";

/// Contract to names of outputs.
type Contracts = BTreeMap<String, BTreeSet<String>>;

/// What is asked: file to contract to names, with `*` and the empty name as in a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows(BTreeMap<String, Contracts>);

impl Rows {
    /// Reads the selection of a request; what selects nothing is left out.
    pub(crate) fn of(request: &Value) -> Rows {
        let mut rows = Rows::default();
        for (file, contracts) in request["settings"]["outputSelection"].as_object().into_iter().flatten() {
            for (contract, names) in contracts.as_object().into_iter().flatten() {
                let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
                rows.add(file, contract, names.map(str::to_owned).collect());
            }
        }
        rows
    }

    /// Asks for nothing of any source, but has all of them analysed: otherwise a front end leaves out those that no
    /// row needs.
    pub(crate) fn of_analysis() -> Rows {
        let mut rows = Rows::default();
        rows.add("*", "", [NOTHING.to_owned()].into());
        rows
    }

    /// Whether all sources are analysed for these rows.
    pub(crate) fn has_analysis(&self) -> bool {
        self.0.get("*").and_then(|contracts| contracts.get("")).is_some_and(|names| names.contains(NOTHING))
    }

    fn add(&mut self, file: &str, contract: &str, names: BTreeSet<String>) {
        if !names.is_empty() {
            self.0.entry(file.to_owned()).or_default().entry(contract.to_owned()).or_default().extend(names);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files that rows name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        self.0.keys().filter(|file| *file != "*")
    }

    /// Whether Yul of any contract of a file is asked for.
    pub(crate) fn want_yul_of(&self, file: &str) -> bool {
        self.contracts(file).values().any(needs_yul)
    }

    /// What is asked of a file, by its own rows and by those of all files.
    fn contracts(&self, file: &str) -> Contracts {
        let mut found = Contracts::new();
        for (contract, names) in [file, "*"].iter().filter_map(|file| self.0.get(*file)).flatten() {
            found.entry(contract.clone()).or_default().extend(names.iter().cloned());
        }
        found
    }

    /// Of these files, all that is asked of contracts whose Yul is made.
    pub(crate) fn with_yul(&self, files: &[String]) -> Rows {
        self.of_files(files, is_made)
    }

    /// Of these files, all that is asked of other contracts.
    pub(crate) fn without_yul(&self, files: &[String]) -> Rows {
        self.of_files(files, |contracts, contract| !is_made(contracts, contract))
    }

    fn of_files(&self, files: &[String], is_meant: impl Fn(&Contracts, &str) -> bool) -> Rows {
        let mut rows = Rows::default();
        for file in files {
            let contracts = self.contracts(file);
            for (contract, names) in contracts.iter().filter(|(contract, _)| is_meant(&contracts, contract)) {
                rows.add(file, contract, names.clone());
            }
        }
        rows
    }

    /// Of these files, the Yul that is asked for, and what is asked of them without a contract.
    pub(crate) fn yul_alone(&self, files: &[String]) -> Rows {
        let mut rows = Rows::default();
        for file in files {
            for (contract, names) in self.contracts(file) {
                let is_meant = |name: &String| contract.is_empty() || is_yul(name);
                rows.add(file, &contract, names.into_iter().filter(is_meant).collect());
            }
        }
        rows
    }

    /// What is asked of contracts but Yul.
    pub(crate) fn besides_yul(&self) -> Rows {
        self.but_yul(|_, contract| !contract.is_empty())
    }

    /// All that is asked besides, where these are all the files that are known.
    pub(crate) fn rest(&self, known: &[String]) -> Rows {
        self.but_yul(|file, contract| match file {
            "*" => !known.iter().all(|file| is_made(&self.contracts(file), contract)),
            file => !is_made(&self.contracts(file), contract),
        })
    }

    /// All but Yul that is asked of the files' contracts that are meant.
    fn but_yul(&self, is_meant: impl Fn(&str, &str) -> bool) -> Rows {
        let mut rows = Rows::default();
        for (file, contracts) in &self.0 {
            for (contract, names) in contracts.iter().filter(|(contract, _)| is_meant(file, contract)) {
                rows.add(file, contract, names.iter().filter(|name| !is_yul(name)).cloned().collect());
            }
        }
        rows
    }

    /// The same in one row of all files, if these are many and each is asked the same: how long a front end looks for
    /// what a file is asked grows with the number of files that are named.
    pub(crate) fn of_all(&self, files: &[String]) -> Option<Rows> {
        let first = files.first().filter(|first| files.len() > FEW_FILES && self.0.contains_key(*first))?;
        if files.iter().any(|file| self.0.get(file) != self.0.get(first)) {
            return None;
        }
        Some(Rows([("*".to_owned(), self.contracts(first))].into()))
    }

    /// These and others.
    pub(crate) fn and(mut self, others: &Rows) -> Rows {
        for (file, contracts) in &others.0 {
            contracts.iter().for_each(|(contract, names)| self.add(file, contract, names.clone()));
        }
        self
    }

    /// As the selection of a request.
    pub(crate) fn to_value(&self) -> Value {
        let files = self.0.iter().map(|(file, contracts)| (file.clone(), json!(contracts)));
        Value::Object(files.collect::<Map<_, _>>())
    }
}

/// Whether Yul is made of a contract: of all contracts where it is asked of all.
fn is_made(contracts: &Contracts, contract: &str) -> bool {
    [contract, "*"].iter().filter_map(|contract| contracts.get(*contract)).any(needs_yul)
}

fn needs_yul(names: &BTreeSet<String>) -> bool {
    names.iter().any(|name| is_yul(name))
}

fn is_yul(name: &str) -> bool {
    YUL.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(selection: Value) -> Rows {
        Rows::of(&json!({ "settings": { "outputSelection": selection } }))
    }

    fn known() -> Vec<String> {
        ["a", "b"].map(str::to_owned).to_vec()
    }

    #[test]
    fn what_has_yul_stands_together() {
        let all = rows(json!({ "*": { "*": ["abi", "ir"], "": ["ast"] } }));
        let of_b = all.with_yul(&["b".to_owned()]);
        assert_eq!(of_b, rows(json!({ "b": { "*": ["abi", "ir"], "": ["ast"] } })));
        assert!(all.without_yul(&known()).is_empty() && all.rest(&known()).is_empty());
    }

    #[test]
    fn what_is_asked_of_each_file_is_asked_of_all() {
        let files =
            |count: usize| -> Vec<String> { (0..count).map(|number| format!("{number:02}")).collect() };
        let named = |count: usize| {
            let each = json!({ "*": ["abi", "ir"], "": ["ast"] });
            let named: Map<_, _> = files(count).into_iter().map(|file| (file, each.clone())).collect();
            rows(Value::Object(named)).and(&rows(json!({ "*": { "*": ["metadata"] } })))
        };
        let count = FEW_FILES + 1;
        let of_all = rows(json!({ "*": { "*": ["abi", "ir", "metadata"], "": ["ast"] } }));
        assert_eq!(named(count).of_all(&files(count)), Some(of_all.clone()));
        assert_eq!(of_all.of_all(&files(count)), None, "it is so already");
        let yul = rows(json!({ "00": { "*": ["ir"], "": ["ast"] }, "05": { "*": ["ir"], "": ["ast"] } }));
        assert_eq!(named(count).yul_alone(&["00".to_owned(), "05".to_owned()]), yul);
        assert_eq!(of_all.besides_yul(), rows(json!({ "*": { "*": ["abi", "metadata"] } })));
        assert_eq!(named(count).of_all(&files(count + 1)), None, "nothing is asked of one");
        assert_eq!(named(FEW_FILES).of_all(&files(FEW_FILES)), None, "they are few");
        let more = named(count).and(&rows(json!({ "03": { "*": ["evm"] } })));
        assert_eq!((more.of_all(&files(count)), more.of_all(&[])), (None, None), "more is asked of one");
    }

    #[test]
    fn the_rest_has_none() {
        let some = rows(json!({ "a": { "*": ["abi", "ir"] }, "*": { "*": ["metadata"], "": ["ast"] } }));
        let of_a = some.with_yul(&known());
        assert_eq!(of_a, rows(json!({ "a": { "*": ["abi", "ir", "metadata"], "": ["ast"] } })));
        assert_eq!(some.rest(&known()), rows(json!({ "*": { "*": ["metadata"], "": ["ast"] } })));
        assert!(some.rest(&["a".to_owned()]).is_empty());
        assert_eq!(some.without_yul(&known()), rows(json!({ "b": { "*": ["metadata"], "": ["ast"] } })));
        assert!(some.want_yul_of("a") && !some.want_yul_of("b"));
    }

    #[test]
    fn one_contract_may_be_meant() {
        let one =
            rows(json!({ "a": { "A": ["ir"], "B": ["abi"], "": ["ast"] }, "*": { "*": ["metadata"] } }));
        assert_eq!(one.with_yul(&known()), rows(json!({ "a": { "A": ["ir"] } })));
        let rest = json!({ "a": { "B": ["abi"], "": ["ast"] }, "*": { "*": ["metadata"] } });
        assert_eq!(one.rest(&known()), rows(rest));
    }
}
