//! The `evm` part of a contract's answer: code, source maps, references, listings.

use crate::callables::Callables;
use crate::compile::Code;
use crate::estimates::Estimates;
use crate::functions::function_debug_data;
use cairn_asm::ethdebug::{Environment, ethdebug};
use cairn_asm::{Assembled, ItemKind, Program};
use cairn_driver::Calls;
use cairn_evm::Fork;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Instructions have the names of the newest fork in assembly.
const NAMES: Fork = Fork::Amsterdam;

/// What is shown of code, by output name.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The contract; `None` for one that cannot be deployed.
    pub code: Option<&'a Code>,
    /// The fork that it is for.
    pub fork: Fork,
    /// What of it can be called.
    pub callables: &'a Callables,
    /// Its name.
    pub contract: &'a str,
    /// The numbers and names of source units, by number.
    pub units: &'a Units,
    /// The source unit in which it stands.
    pub file: &'a str,
    /// Its Yul, where its functions are those of a source in another language.
    pub yul: Option<&'a str>,
    /// How its functions call each other.
    pub calls: Calls,
}

/// Names of source units by number.
pub type Units = BTreeMap<u64, String>;

impl Shown<'_> {
    /// One output, such as `evm.bytecode.object`; `None` for a name that is none of ours.
    pub fn output(&self, name: &str) -> Option<Value> {
        let path = name.strip_prefix("evm.")?;
        match path.split_once('.') {
            None => self.whole(path),
            Some(("bytecode", "ethdebug")) => Some(self.ethdebug(self.code, Environment::Create)),
            Some(("deployedBytecode", "ethdebug")) => Some(self.ethdebug(self.deployed(), Environment::Call)),
            Some(("bytecode", part)) => self.part(part, self.code),
            Some(("deployedBytecode", part)) => self.part(part, self.deployed()),
            Some(_) => None,
        }
    }

    fn deployed(&self) -> Option<&Code> {
        self.code.and_then(|code| code.deployed()).map(|code| &**code)
    }

    /// The code in the ethdebug format, as solc names its contract.
    fn ethdebug(&self, code: Option<&Code>, environment: Environment) -> Value {
        let Some(code) = code else { return Value::Null };
        let mut shown = ethdebug(&code.program, &code.assembled, environment, self.fork);
        shown["contract"]["name"] = Value::from(self.contract);
        if let Some((id, _)) = self.units.iter().find(|(_, name)| *name == self.file) {
            shown["contract"]["definition"] = json!({ "source": { "id": id } });
        }
        shown
    }

    fn whole(&self, name: &str) -> Option<Value> {
        match name {
            "assembly" => Some(Value::from(self.code.map(assembly).unwrap_or_default())),
            "legacyAssembly" => Some(self.code.map_or(Value::Null, |code| self.legacy_assembly(code))),
            "gasEstimates" => Some(self.code.map_or(Value::Null, |code| self.estimates(code).shown())),
            _ => None,
        }
    }

    fn part(&self, part: &str, code: Option<&Code>) -> Option<Value> {
        let bytes =
            |code: &Code| cairn_asm::hex_with_placeholders(&code.assembled.bytes, &code.assembled.links);
        Some(match part {
            "object" => Value::from(code.map(bytes).unwrap_or_default()),
            "opcodes" => {
                let text = |code: &Code| cairn_asm::opcodes(&code.assembled.bytes, self.fork);
                Value::from(code.map(text).unwrap_or_default())
            }
            "sourceMap" => {
                let map = |code: &Code| cairn_asm::source_map(&code.program, &code.assembled);
                Value::from(code.map(map).unwrap_or_default())
            }
            "linkReferences" => code.map_or_else(|| json!({}), |code| link_references(&code.assembled)),
            "immutableReferences" => {
                code.map_or_else(|| json!({}), |code| immutable_references(&code.assembled))
            }
            "functionDebugData" => match (self.yul, code) {
                (Some(yul), Some(code)) => function_debug_data(yul, code, self.calls),
                (None, _) | (_, None) => json!({}),
            },
            "generatedSources" => json!([]),
            _ => return None,
        })
    }

    fn estimates<'c>(&'c self, code: &'c Code) -> Estimates<'c> {
        let (deployed, callables) = (self.deployed(), self.callables);
        Estimates { code, deployed, fork: self.fork, callables, yul: self.yul, calls: self.calls }
    }

    /// The instructions, with the names of the source units in the order of their numbers.
    fn legacy_assembly(&self, code: &Code) -> Value {
        let mut shown = legacy_assembly(code);
        shown["sourceList"] = self.units.values().cloned().collect();
        shown
    }
}

/// Every output that code gives, in the order of names.
pub const OUTPUTS: [&str; 18] = [
    "evm.assembly",
    "evm.bytecode.ethdebug",
    "evm.bytecode.functionDebugData",
    "evm.bytecode.generatedSources",
    "evm.bytecode.linkReferences",
    "evm.bytecode.object",
    "evm.bytecode.opcodes",
    "evm.bytecode.sourceMap",
    "evm.deployedBytecode.ethdebug",
    "evm.deployedBytecode.functionDebugData",
    "evm.deployedBytecode.generatedSources",
    "evm.deployedBytecode.immutableReferences",
    "evm.deployedBytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.opcodes",
    "evm.deployedBytecode.sourceMap",
    "evm.gasEstimates",
    "evm.legacyAssembly",
];

/// Puts a value at a path into a tree of objects.
pub fn insert(tree: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => _ = tree.insert(path.to_owned(), value),
        Some((first, rest)) => {
            let inner = tree.entry(first).or_insert_with(|| json!({}));
            if let Some(inner) = inner.as_object_mut() {
                insert(inner, rest, value);
            }
        }
    }
}

/// File to library to places; a name without a file is of the file with the empty name.
fn link_references(assembled: &Assembled) -> Value {
    let mut files: BTreeMap<&str, BTreeMap<&str, Vec<Value>>> = BTreeMap::new();
    for link in &assembled.links {
        let (file, library) = link.library.rsplit_once(':').unwrap_or(("", &link.library));
        let place = json!({ "length": cairn_asm::ADDRESS_SIZE, "start": link.offset });
        files.entry(file).or_default().entry(library).or_default().push(place);
    }
    json!(files)
}

fn immutable_references(assembled: &Assembled) -> Value {
    let mut names: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for place in &assembled.immutables {
        names.entry(&place.name).or_default().push(json!({ "length": place.length, "start": place.offset }));
    }
    json!(names)
}

/// Assembly text of an object and what it embeds.
fn assembly(code: &Code) -> String {
    let mut text = cairn_asm::listing(&code.program, &code.assembled);
    for sub in &code.subs {
        text += "\n";
        text += &assembly(sub);
    }
    text
}

/// The instructions as solc's assembly JSON has them: `.code`, and what is embedded in `.data`.
fn legacy_assembly(code: &Code) -> Value {
    let items: Vec<Value> = code.program.items.iter().map(|item| legacy_item(&code.program, item)).collect();
    let mut data: Map<String, Value> = Map::new();
    for (index, sub) in code.subs.iter().enumerate() {
        data.insert(format!("{index:x}"), legacy_assembly(sub));
    }
    let metadata = code.program.data.iter().find(|(name, _)| name == crate::metadata::SEGMENT);
    let mut shown = Map::new();
    if let Some((_, bytes)) = metadata {
        shown.insert(".auxdata".to_owned(), Value::from(cairn_evm::hex::encode(bytes)));
    }
    shown.insert(".code".to_owned(), Value::from(items));
    if !data.is_empty() {
        shown.insert(".data".to_owned(), Value::Object(data));
    }
    Value::Object(shown)
}

fn legacy_item(program: &Program, item: &cairn_asm::Item) -> Value {
    let loc = item.loc.and_then(|loc| program.locs.get(loc as usize));
    let name_of = |name: cairn_asm::NameId| program.name_text(name).to_owned();
    let (name, value) = match item.kind {
        ItemKind::Op(opcode) => (opcode.name(NAMES).to_uppercase(), None),
        ItemKind::OpImmediate(opcode, byte) => (opcode.name(NAMES).to_uppercase(), Some(format!("{byte:x}"))),
        ItemKind::Push(word) | ItemKind::PushSized(word, _) => ("PUSH".to_owned(), Some(format!("{word:X}"))),
        ItemKind::PushLabel(label) => ("PUSH [tag]".to_owned(), Some(label.0.to_string())),
        ItemKind::PushTable(table) => ("PUSH [tags]".to_owned(), Some(table.0.to_string())),
        ItemKind::Label(label) => ("tag".to_owned(), Some(label.0.to_string())),
        ItemKind::PushDataOffset(name) => ("PUSH [$]".to_owned(), Some(name_of(name))),
        ItemKind::PushDataSize(name) => ("PUSH #[$]".to_owned(), Some(name_of(name))),
        ItemKind::PushImmutable(name, _) => ("PUSHIMMUTABLE".to_owned(), Some(name_of(name))),
        ItemKind::AssignImmutable(name) => ("ASSIGNIMMUTABLE".to_owned(), Some(name_of(name))),
        ItemKind::PushLibrary(name) => ("PUSHLIB".to_owned(), Some(name_of(name))),
        ItemKind::Verbatim { .. } => ("VERBATIM".to_owned(), None),
    };
    let (begin, end, source) = loc.map_or((-1, -1, -1), |loc| (loc.start, loc.end, loc.source));
    let mut shown = json!({ "begin": begin, "end": end, "name": name, "source": source });
    if let Some(value) = value {
        shown["value"] = Value::from(value);
    }
    match item.jump {
        cairn_asm::JumpKind::Plain => {}
        cairn_asm::JumpKind::Into => shown["jumpType"] = Value::from("[in]"),
        cairn_asm::JumpKind::OutOf => shown["jumpType"] = Value::from("[out]"),
    }
    shown
}
