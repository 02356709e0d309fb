//! Bytecode as a listing for people: what the analysis knows first, then the code, then the codes that it deploys.
//!
//! Nothing is refused: a program that cannot be lifted is listed block by block.

use crate::embedded::{Embedded, embedded};
use crate::options::Options;
use crate::raise::notes;
use crate::session::Session;
use cairn_bytecode::arguments::Type;
use cairn_bytecode::report::{IsAll, head};
use cairn_bytecode::{Analysis, BlockEnd, BlockId, Given, JumpStatus, Role, analyze_given};
use cairn_bytecode::{find_arguments_of, find_mutability, find_touched, path_text};
use cairn_evm::Word;
use cairn_lift::{lift_blocks, lift_with_places};
use cairn_raise::listing::{External, Facts, LooseBlock, LooseEnd, list, list_blocks};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Places that one instruction may touch and that are said.
const MAX_PLACES: usize = 3;

/// Codes within codes that are listed.
const MAX_DEPTH: usize = 4;

/// Names that a user gives, beside those of known standards.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Signatures of functions and errors by selector.
    pub signatures: BTreeMap<u32, String>,
    /// Signatures of events by first topic, big-endian.
    pub topics: BTreeMap<[u8; 32], String>,
}

/// Lists bytecode. What it does tells whether bytes may follow it, unless `role` says so. The code is
/// called by the name in front of it.
pub fn list_code(
    (name, code): (&str, &[u8]),
    role: Option<Role>,
    names: &Names,
    options: &Options,
    session: &mut Session,
) -> String {
    let mut out = String::new();
    let given = Given { fork: options.fork, role, placeholders: Vec::new() };
    let mut work = vec![(name.to_owned(), 0..code.len(), given, 0)];
    while let Some((name, range, given, depth)) = work.pop() {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let analysis = session.timings.time("analyze", || analyze_given(&code[range.clone()], given));
        let deployed = list_one(&name, &analysis, names, &mut out);
        if depth < MAX_DEPTH {
            work.extend(deployed.into_iter().rev().map(|inner| {
                let start = range.start + inner.range.start;
                let name = format!("{name}, deployed code at {start:#x}");
                (name, start..start + inner.range.len(), inner.given(&analysis), depth + 1)
            }));
        }
    }
    out
}

/// Lists one code; what it deploys.
fn list_one(name: &str, analysis: &Analysis<'_>, names: &Names, out: &mut String) -> Vec<Embedded> {
    let (text, is_all) = head(name, analysis);
    out.push_str(&text);
    if is_all == IsAll::Yes {
        return Vec::new();
    }
    let facts = facts(analysis, names);
    let lifted = lift_with_places(analysis).map_err(|reason| reason.to_string());
    let listed = lifted.and_then(|lifted| {
        let text = list(&lifted.module, &facts, analysis.fork).map_err(|fault| fault.to_string())?;
        Ok((text, embedded(analysis, &lifted)))
    });
    match listed {
        Ok((text, deployed)) => {
            out.push_str(&text);
            deployed
        }
        Err(reason) => {
            let _ = writeln!(out, "  listed by blocks: {reason}");
            out.push_str(&functions(&facts));
            out.push_str(&blocks(analysis, &facts));
            Vec::new()
        }
    }
}

/// External functions with where they begin.
fn functions(facts: &Facts) -> String {
    let line = |function: &External| {
        format!("  function {}  ; 0x{:08x}, b_{:x}\n", function.head(), function.selector, function.entry)
    };
    facts.functions.iter().map(line).collect()
}

fn blocks(analysis: &Analysis<'_>, facts: &Facts) -> String {
    let loose = lift_blocks(analysis);
    let label = |block: BlockId| format!("b_{:x}", analysis.blocks.get(block).start);
    let blocks = loose.blocks.iter().map(|(id, func)| {
        let block = analysis.blocks.get(*id);
        let next = || analysis.blocks.containing(block.end).map_or("the end of the code".to_owned(), label);
        let end = match block.ends {
            BlockEnd::Halt | BlockEnd::CodeEnd => LooseEnd::Halts,
            BlockEnd::Fallthrough => LooseEnd::Falls(next()),
            BlockEnd::Jump => LooseEnd::Jumps(targets(analysis, *id, label)),
            BlockEnd::JumpI => LooseEnd::Branches(targets(analysis, *id, label), next()),
        };
        LooseBlock { func: *func, label: label(*id), end }
    });
    let blocks: Vec<LooseBlock> = blocks.collect();
    list_blocks(&loose.module, &blocks, facts, analysis.fork).unwrap_or_default()
}

/// The labels of all targets of a jump, if they are known.
fn targets(analysis: &Analysis<'_>, block: BlockId, label: impl Fn(BlockId) -> String) -> Vec<String> {
    let jump = analysis.cfg.jumps().iter().find(|jump| jump.block == block);
    match jump.map(|jump| jump.status) {
        Some(JumpStatus::Resolved) => analysis.cfg.jump_targets(block).map(label).collect(),
        Some(JumpStatus::Invalid) => vec!["nowhere: it fails".to_owned()],
        _ => Vec::new(),
    }
}

/// What the analysis knows, to be said beside the code.
fn facts(analysis: &Analysis<'_>, names: &Names) -> Facts {
    let mut notes = notes(analysis, &names.signatures);
    let topics = names.topics.iter();
    notes.topics.extend(topics.map(|(topic, text)| (Word::from_be_bytes(*topic), text.clone())));
    let arguments = find_arguments_of(analysis);
    let mutability = find_mutability(analysis, &arguments);
    let functions = analysis.selectors.iter().zip(mutability).map(|(selector, mutability)| {
        let number = selector.selector;
        let guessed = arguments.binary_search_by_key(&number, |one| one.selector).ok();
        let guessed = guessed.and_then(|place| arguments[place].types.as_deref());
        let signature = notes.selectors.get(&number).map(String::as_str);
        let (name, types) = match signature.and_then(|text| text.strip_suffix(')')?.split_once('(')) {
            Some((name, types)) => (Some(name.to_owned()), split_types(types)),
            None => (None, guessed.unwrap_or_default().iter().map(Type::to_string).collect()),
        };
        let entry = analysis.blocks.get(selector.entry).start;
        External { selector: number, entry, name, types, mutability: mutability.name() }
    });
    let functions = functions.collect();
    Facts { functions, places: places(analysis), notes }
}

/// Types of a signature: commas within brackets are parts of types.
fn split_types(text: &str) -> Vec<String> {
    let (mut types, mut depth) = (Vec::new(), 0);
    let mut start = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                types.push(text[start..place].to_owned());
                start = place + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        types.push(text[start..].to_owned());
    }
    types
}

/// Where instructions touch storage, as far as it is known.
fn places(analysis: &Analysis<'_>) -> BTreeMap<u32, String> {
    let mut places: BTreeMap<u32, String> = BTreeMap::new();
    for access in find_touched(analysis).storage {
        let Some(slot) = access.slot else { continue };
        let slot = match u64::try_from(slot) {
            Ok(slot) if slot <= 0xffff => format!("slot{slot}"),
            _ => format!("storage({slot:#x})"),
        };
        let text = format!("{slot}{}", path_text(&access.steps));
        let known = places.entry(access.pc).or_default();
        if !known.split(" or ").any(|one| one == text) {
            known.push_str(if known.is_empty() { "" } else { " or " });
            known.push_str(&text);
        }
    }
    places.retain(|_, text| text.split(" or ").count() <= MAX_PLACES);
    places
}
