//! Large requests in several parts, for front ends whose memory ends at some point.
//!
//! `soljson.js` cannot have more memory than its address space, and keeps the Yul of every contract
//! until it answers. So the files whose code is asked for are spread over several requests, each
//! with all sources, side by side; and a request that kills its front end is divided further, down to
//! one file. What a file has without code, such as syntax trees, is asked for once.

use crate::environment::Environment;
use crate::frontend::{Fault, FrontEnd, Kind};
use crate::parts::{Parts, parts_of};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Bytes of source text whose code one request asks for, of a front end that prepares the Yul for
/// its optimizer as well. Every request reads all sources, so parts cost processor time: there are
/// only as many as the memory needs.
const EAGER_BYTES: usize = 800 << 10;
/// The same for one that does not.
const LAZY_BYTES: usize = 4 << 20;

/// The answer to a request for Yul, from as many requests as it takes.
///
/// # Errors
/// There is no answer even for one file alone.
pub(crate) fn ask(environment: &Environment, front_end: &FrontEnd, request: &Value) -> Result<Parts, Fault> {
    let batches = batches(request, limit(front_end));
    if batches.len() < 2 {
        return ask_dividing(environment, front_end, request, &files(request));
    }
    let workers = match environment.overrides.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let left = Mutex::new(batches.into_iter().enumerate());
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let next = || left.lock().ok()?.next();
                while let Some((index, batch)) = next() {
                    let place = if index == 0 { Place::First } else { Place::Later };
                    let part = part_of(request, &batch, place);
                    let answer = ask_dividing(environment, front_end, &part, &batch);
                    if let Ok(mut found) = found.lock() {
                        found.push((index, answer));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(index, _)| *index);
    let mut answers = found.into_iter().map(|(_, answer)| answer);
    let mut whole = answers.next().unwrap_or(Ok(Parts::default()))?;
    for answer in answers {
        whole.merge(answer?);
    }
    Ok(whole)
}

/// Asks, and again for halves of the files where that kills the front end.
fn ask_dividing(
    environment: &Environment,
    front_end: &FrontEnd,
    request: &Value,
    files: &[String],
) -> Result<Parts, Fault> {
    let answer = front_end.start(&environment.places, &environment.access)?.compile(&request.to_string());
    match answer {
        Ok(answer) => parts_of(&answer).ok_or_else(|| Fault::garbage(front_end, &answer)),
        Err(Fault::Crashed { .. }) if files.len() > 1 => {
            let (first, second) = files.split_at(files.len() / 2);
            let ask = |files: &[String], place| {
                ask_dividing(environment, front_end, &part_of(request, files, place), files)
            };
            let mut whole = ask(first, Place::First)?;
            whole.merge(ask(second, Place::Later)?);
            Ok(whole)
        }
        Err(fault) => Err(fault),
    }
}

fn limit(front_end: &FrontEnd) -> usize {
    match front_end.kind {
        Kind::Native => usize::MAX,
        Kind::Soljson if front_end.version < crate::request::FIRST_LAZY => EAGER_BYTES,
        Kind::Soljson => LAZY_BYTES,
    }
}

/// The files of a request whose code is asked for.
fn files(request: &Value) -> Vec<String> {
    let selection = &request["settings"]["outputSelection"];
    let sources = request["sources"].as_object().into_iter().flatten();
    let is_asked = |file: &str| names(selection, file).contains("ir");
    sources.map(|(file, _)| file.clone()).filter(|file| is_asked(file)).collect()
}

/// The files of a request in runs of about so many bytes.
fn batches(request: &Value, limit: usize) -> Vec<Vec<String>> {
    let size = |file: &String| request["sources"][file]["content"].as_str().map_or(0, str::len);
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut room = 0;
    for file in files(request) {
        let size = size(&file);
        match batches.last_mut().filter(|_| size <= room) {
            Some(batch) => batch.push(file),
            None => {
                room = limit;
                batches.push(vec![file]);
            }
        }
        room = room.saturating_sub(size);
    }
    batches
}

/// What is asked of a file's contracts, by the rows for it and for all files.
fn names<'v>(selection: &'v Value, file: &str) -> BTreeSet<&'v str> {
    let rows = [&selection[file], &selection["*"]];
    let lists = rows.into_iter().filter_map(Value::as_object).flatten();
    let contracts = lists.filter(|(contract, _)| !contract.is_empty());
    contracts
        .flat_map(|(_, names)| names.as_array().into_iter().flatten().filter_map(Value::as_str))
        .collect()
}

/// The place of a part among those of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    Later,
}

/// The request with code of these files only; everything without code is in the first part.
fn part_of(request: &Value, files: &[String], place: Place) -> Value {
    let mut part = request.clone();
    let selection = &mut part["settings"]["outputSelection"];
    let old = std::mem::take(selection);
    let mut rows = Map::new();
    for (file, contracts) in old.as_object().into_iter().flatten() {
        let mut kept = Map::new();
        for (contract, names) in contracts.as_object().into_iter().flatten() {
            let is_meant = |name: &&Value| {
                let is_code = *name == "ir";
                if is_code { files.contains(file) } else { place == Place::First }
            };
            let names: Vec<&Value> = names.as_array().into_iter().flatten().filter(is_meant).collect();
            kept.insert(contract.clone(), json!(names));
        }
        rows.insert(file.clone(), Value::Object(kept));
    }
    // Code that is asked of all files is asked of each by its name.
    let of_all = names(&json!({ "*": old["*"] }), "").contains("ir");
    for file in files.iter().filter(|_| of_all) {
        let row = rows.entry(file).or_insert_with(|| json!({}));
        row["*"] = match row["*"].as_array() {
            Some(names) => json!([names.as_slice(), &[json!("ir")]].concat()),
            None => json!(["ir"]),
        };
    }
    *selection = Value::Object(rows);
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(selection: Value) -> Value {
        let source = |size: usize| json!({ "content": "x".repeat(size) });
        json!({
            "settings": { "outputSelection": selection },
            "sources": { "a": source(10), "b": source(10), "c": source(30), "d": source(1) },
        })
    }

    #[test]
    fn files_are_spread_by_size() {
        let all = request(json!({ "*": { "*": ["ir", "abi"], "": ["ast"] } }));
        assert_eq!(batches(&all, 20), [vec!["a", "b"], vec!["c"], vec!["d"]]);
        assert_eq!(batches(&all, 100).len(), 1);
        let one = request(json!({ "b": { "B": ["ir"] }, "*": { "*": ["abi"] } }));
        assert_eq!(batches(&one, 1), [vec!["b"]]);
        assert!(batches(&request(json!({})), 1).is_empty());
    }

    #[test]
    fn parts_ask_for_everything_once() {
        let all = request(json!({ "*": { "*": ["abi", "ir"], "": ["ast"] }, "c": { "C": ["ir"] } }));
        let first = &part_of(&all, &["a".into()], Place::First)["settings"]["outputSelection"];
        let expected = json!({ "*": { "*": ["abi"], "": ["ast"] }, "a": { "*": ["ir"] }, "c": { "C": [] } });
        assert_eq!(first, &expected);
        let second = &part_of(&all, &["c".into()], Place::Later)["settings"]["outputSelection"];
        assert_eq!(second, &json!({ "*": { "*": [], "": [] }, "c": { "*": ["ir"], "C": ["ir"] } }));
        let again =
            &part_of(&part_of(&all, &["a".into(), "c".into()], Place::Later), &["a".into()], Place::First);
        assert_eq!(again["settings"]["outputSelection"]["a"], json!({ "*": ["ir"] }));
        assert_eq!(again["settings"]["outputSelection"]["c"], json!({ "*": [], "C": [] }));
    }
}
