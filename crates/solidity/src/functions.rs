//! `functionDebugData`: where the functions of the source begin in code.
//!
//! The Yul tells which there are, by what solc calls them, and their places in the source. A function begins
//! where code jumps into one, as debuggers count jumps, at its place. That is known of code that calls
//! in the way that debuggers know (see [`Calls::Traceable`]): elsewhere functions lie in others, and their entries
//! are not told. The words of a call are those of the source, whether the code passes all of them or not: tools
//! expect numbers.

use crate::compile::Code;
use crate::objects::{Outline, outline};
use cairn_asm::{ItemKind, JumpKind, Label, Program, SourceLoc};
use cairn_driver::Calls;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A function of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    /// Name and number, as solc's code without Yul names it.
    name: String,
    /// The number of its definition.
    id: u64,
    place: Option<SourceLoc>,
    params: usize,
    results: usize,
    kind: Kind,
}

impl Function {
    /// Its place, if jumps into it are counted.
    fn frame(&self) -> Option<SourceLoc> {
        self.place.filter(|_| self.kind == Kind::Frame)
    }
}

/// How it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// By jumps that debuggers count.
    Frame,
    /// As a part of what calls it from outside.
    Getter,
}

/// The functions of the object that this code is, in the Yul of its contract.
pub(crate) fn function_debug_data(yul: &str, code: &Code, calls: Calls) -> Value {
    let (functions, entries) = known(yul, code, calls);
    let mut shown = Map::new();
    for function in functions {
        let data = json!({
            "entryPoint": function.frame().and_then(|place| entries.get(&place)?.first()),
            "id": function.id,
            "parameterSlots": function.params,
            "returnSlots": function.results,
        });
        shown.insert(function.name, data);
    }
    Value::Object(shown)
}

/// Where code jumps into the functions of the source, as far as that is known, by the numbers of their
/// definitions; with the words on the stack there, of which one is the place to return to.
pub(crate) fn inner_entries(yul: &str, code: &Code, calls: Calls) -> BTreeMap<u64, (usize, usize)> {
    let (functions, entries) = known(yul, code, calls);
    let known = functions.into_iter().filter_map(|function| {
        // What is behind a modifier is a function of its own in the same place.
        let [entry] = entries.get(&function.frame()?)?[..] else { return None };
        Some((function.id, (entry, function.params + 1)))
    });
    known.collect()
}

/// The functions of the object that this code is, and the entries that are known by their places.
fn known(yul: &str, code: &Code, calls: Calls) -> (Vec<Function>, BTreeMap<SourceLoc, Vec<usize>>) {
    let text = outline(yul).and_then(|root| own_text(yul, &root, &code.program.name));
    let functions = text.map(|text| functions(&text)).unwrap_or_default();
    let places: Vec<SourceLoc> = functions.iter().filter_map(Function::frame).collect();
    let entries = match calls {
        Calls::Traceable => entries(code, &places),
        Calls::Cheapest => BTreeMap::new(),
    };
    (functions, entries)
}

/// The text of the object of this name, without those nested in it.
fn own_text(yul: &str, object: &Outline, name: &str) -> Option<String> {
    if object.name == name {
        return Some(object.own_text(yul).into_owned());
    }
    object.objects.iter().find(|inner| inner.name == name).map(|inner| inner.own_text(yul).into_owned())
}

/// Where code jumps into functions, by the functions' places. The label of a function has the widest place in
/// it.
fn entries(code: &Code, places: &[SourceLoc]) -> BTreeMap<SourceLoc, Vec<usize>> {
    let program: &Program = &code.program;
    let mut entered: Vec<Label> = Vec::new();
    for pair in program.items.windows(2) {
        if let (ItemKind::PushLabel(label), JumpKind::Into) = (pair[0].kind, pair[1].jump) {
            entered.push(label);
        }
    }
    entered.sort_unstable();
    let mut entries: BTreeMap<SourceLoc, Vec<usize>> = BTreeMap::new();
    for (item, offset) in program.items.iter().zip(&code.assembled.item_offsets) {
        let ItemKind::Label(label) = item.kind else { continue };
        let place = item.loc.and_then(|loc| program.locs.get(loc as usize));
        let Some(place) = place.filter(|_| entered.binary_search(&label).is_ok()) else { continue };
        let around = places.iter().filter(|function| function.encloses(place));
        if let Some(function) = around.min_by_key(|function| function.end - function.start) {
            entries.entry(*function).or_default().push(*offset);
        }
    }
    entries
}

/// The functions that solc names after those of the source.
fn functions(text: &str) -> Vec<Function> {
    let mut place = None;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(comment) = line.strip_prefix("/// @src ") {
            place = place_of(comment);
        } else if let Some(definition) = line.strip_prefix("function ") {
            found.extend(function(definition, place));
        }
    }
    found
}

fn function(definition: &str, place: Option<SourceLoc>) -> Option<Function> {
    let (name, rest) = definition.split_once('(')?;
    let (params, rest) = rest.split_once(')')?;
    let results = rest.split_once("->").map_or("", |(_, results)| results.trim_end_matches(['{', ' ']));
    let (kind, name) = match (name.strip_prefix("fun_"), name.strip_prefix("getter_fun_")) {
        (Some(name), _) => (Kind::Frame, name),
        (None, Some(name)) => (Kind::Getter, name),
        (None, None) => return None,
    };
    let id = name.rsplit_once('_')?.1.parse().ok()?;
    let count = |names: &str| names.split(',').filter(|name| !name.trim().is_empty()).count();
    let (params, results) = (count(params), count(results));
    Some(Function { name: format!("@{name}"), id, place, params, results, kind })
}

/// `0:150:256` and what follows it.
fn place_of(comment: &str) -> Option<SourceLoc> {
    let mut numbers = comment.split_whitespace().next()?.splitn(3, ':').map(|number| number.parse().ok());
    Some(SourceLoc { source: numbers.next()??, start: numbers.next()??, end: numbers.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_source_are_known_by_their_names() {
        let text = "/// @src 0:150:256  \"function inner(\"\nfunction fun_inner_66(var_a_35, var_b_37) -> c, d {\n\
                    function abi_decode_t_uint256(offset) -> value {\nfunction fun_f_88_inner(_4) -> r {\n\
                    /// @src 0:7:9\nfunction fun__119() {\nfunction getter_fun_x_5() -> ret {";
        let found = functions(text);
        let names: Vec<&str> = found.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["@inner_66", "@_119", "@x_5"]);
        assert_eq!((found[0].id, found[0].params, found[0].results), (66, 2, 2));
        assert_eq!(found[0].place, Some(SourceLoc { source: 0, start: 150, end: 256 }));
        assert_eq!((found[1].params, found[1].results, found[1].kind), (0, 0, Kind::Frame));
        assert_eq!(found[2].kind, Kind::Getter);
    }

    #[test]
    fn what_is_no_comment_of_solc_has_no_place() {
        for comment in ["", "0", "0:1", "0:1:x", "-:1:2"] {
            assert_eq!(place_of(comment), None, "{comment}");
        }
        assert_eq!(function("fun_", None), None);
        assert_eq!(function("fun_f(", None), None);
    }
}
