//! An analysis as text, for people.

use super::interface::{EmittedEvent, ExternalFunction, external_functions, list_events};
use super::listing;
use super::options::ReportOptions;
use crate::analysis::{Analysis, way_back};
use crate::blocks::BlockId;
use crate::cfg::{Edge, EdgeKind, JumpStatus};
use crate::container::{Container, Eof};
use crate::eof;
use crate::liveness::Liveness;
use crate::regions::{Region, RegionKind, find_regions};
use crate::role::Role;
use crate::standards::{Proxy, find_interfaces, find_proxy};
use crate::storage::{Touched, find_touched, find_variables};
use crate::structure::Structure;
use std::fmt::Write;

/// A summary for people, then blocks with their instructions.
pub fn text(name: &str, analysis: &Analysis<'_>) -> String {
    text_with(name, analysis, &ReportOptions::default())
}

/// As [`text`], with what is asked for.
pub fn text_with(name: &str, analysis: &Analysis<'_>, options: &ReportOptions) -> String {
    let mut out = String::new();
    match Container::of(analysis.code) {
        Container::Plain => {}
        Container::Delegation(address) => return delegation(name, address),
        Container::Eof(eof) => return container(name, analysis.code, &eof),
    }
    let regions = find_regions(analysis);
    write_summary(&mut out, name, analysis);
    write_regions(&mut out, &regions, 2);
    write_joins(&mut out, analysis);
    write_standards(&mut out, analysis);
    write_functions(&mut out, analysis, options);
    let touched = find_touched(analysis);
    write_variables(&mut out, analysis, &touched);
    write_events(&mut out, &touched, options);
    let (structure, liveness) = (Structure::compute(analysis), Liveness::compute(analysis));
    write_loops(&mut out, analysis, &structure);
    let blocks = Blocks { analysis, structure: &structure, liveness: &liveness, regions: &regions, options };
    blocks.write(&mut out);
    out
}

/// What is said of a program as a whole: its summary, standards, variables in storage. What is no plain
/// code has its whole text.
pub fn head(name: &str, analysis: &Analysis<'_>) -> (String, IsAll) {
    let mut out = String::new();
    match Container::of(analysis.code) {
        Container::Plain => {}
        Container::Delegation(address) => return (delegation(name, address), IsAll::Yes),
        Container::Eof(eof) => return (container(name, analysis.code, &eof), IsAll::Yes),
    }
    write_summary(&mut out, name, analysis);
    write_standards(&mut out, analysis);
    write_variables(&mut out, analysis, &find_touched(analysis));
    (out, IsAll::No)
}

/// Whether a text says all that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsAll {
    /// Nothing is left to say.
    Yes,
    /// The code is left to say.
    No,
}

fn delegation(name: &str, address: [u8; 20]) -> String {
    let address = cairn_evm::hex::encode(address);
    format!("{name}: a delegation (EIP-7702): calls run the code at 0x{address}\n")
}

/// The sections of a container, those of code with their blocks.
fn container(name: &str, code: &[u8], container: &Eof) -> String {
    let mut out = format!("{name}: {} bytes, a container (EOF, version 1)\n", code.len());
    for (index, section) in container.code.iter().enumerate() {
        let (start, signature, growth) = (section.bytes.start, section.signature(), section.max_growth);
        let _ = writeln!(out, "\nsection {index} at {start:#x}: {signature}, grows by {growth} at most");
        for block in eof::blocks(code, section.bytes.clone()) {
            let _ = writeln!(out, "\nblock {:#x}:", block.bytes.start);
            let edges = block.edges.iter().map(|(kind, to)| format!("-> {kind} to {to:#x}"));
            for line in block.lines.iter().cloned().chain(edges) {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    for inner in &container.containers {
        let _ = writeln!(
            out,
            "\ncontainer of a contract that it creates: {:#x} to {:#x}",
            inner.start, inner.end
        );
    }
    if !container.data.is_empty() {
        let _ = writeln!(out, "\ndata: {:#x} to {:#x}", container.data.start, container.data.end);
    }
    out
}

/// Blocks of a way that are listed.
const MAX_WAY: usize = 256;

fn write_summary(out: &mut String, name: &str, analysis: &Analysis<'_>) {
    let count = |status| analysis.cfg.jumps().iter().filter(|jump| jump.status == status).count();
    let reached = (0..analysis.blocks.len() as BlockId).filter(|block| analysis.is_reached(*block)).count();
    let closed = if analysis.is_closed() { "closed" } else { "open" };
    let _ = writeln!(out, "{name}: {} bytes, {closed}", analysis.code.len());
    match analysis.role {
        Role::Runtime => {}
        Role::Creation => out.push_str("  creation code: arguments may follow it\n"),
        Role::Either => out.push_str("  it may be creation code: what follows it is not known\n"),
    }
    if let Some(metadata) = &analysis.metadata {
        let _ = writeln!(out, "  metadata: {} bytes, {}", metadata.length, metadata.describe());
    }
    let _ = writeln!(
        out,
        "  blocks: {} of {} reached, {} edges",
        reached,
        analysis.blocks.len(),
        analysis.cfg.edges().len()
    );
    let _ = writeln!(
        out,
        "  jumps: {} resolved, {} imprecise, {} invalid, {} dead",
        count(JumpStatus::Resolved),
        count(JumpStatus::Imprecise),
        count(JumpStatus::Invalid),
        count(JumpStatus::Dead)
    );
    for jump in analysis.cfg.jumps() {
        if let Some(imprecision) = jump.imprecision {
            let pc = analysis.blocks.get(jump.block).last_pc;
            let _ = writeln!(out, "  imprecise: the jump at {pc:#x} {}", imprecision.describe());
        }
    }
    write_stack_faults(out, analysis);
}

/// Blocks that are listed, of those where the stack runs out, or over.
const MAX_STACK_FAULTS: usize = 64;

fn write_stack_faults(out: &mut String, analysis: &Analysis<'_>) {
    let before = analysis.blocks_before();
    for (what, blocks) in [("underflow", analysis.underflows()), ("overflow", analysis.overflows())] {
        for block in blocks.iter().take(MAX_STACK_FAULTS) {
            let way = way_back(&before, *block).unwrap_or_default();
            let start_of = |block: &BlockId| format!("{:#x}", analysis.blocks.get(*block).start);
            let mut shown: Vec<String> = way.iter().take(MAX_WAY).map(start_of).collect();
            shown.extend((way.len() > MAX_WAY).then(|| format!("… {} blocks more", way.len() - MAX_WAY)));
            let start = analysis.blocks.get(*block).start;
            let _ =
                writeln!(out, "  stack {what} in the block at {start:#x}, one way is {}", shown.join(" "));
        }
        if blocks.len() > MAX_STACK_FAULTS {
            let more = blocks.len() - MAX_STACK_FAULTS;
            let _ = writeln!(out, "  and stack {what} in {more} blocks more");
        }
    }
}

/// What the bytes are, where they are more than the code of the program. Which of its code control does not
/// reach is said block by block.
fn write_regions(out: &mut String, regions: &[Region], indent: usize) {
    if regions.iter().all(|region| region.kind.is_code()) {
        return;
    }
    for run in regions.chunk_by(|before, behind| before.kind.is_code() && behind.kind.is_code()) {
        let Some((first, last)) = run.first().zip(run.last()) else { continue };
        let (start, end) = (first.bytes.start, last.bytes.end);
        let _ = writeln!(out, "{:indent$}{start:#x} to {end:#x}: {}", "", describe(&first.kind));
        if let RegionKind::Contract { regions, .. } = &first.kind {
            write_regions(out, regions, indent + 2);
        }
    }
}

fn describe(kind: &RegionKind) -> String {
    match kind {
        RegionKind::Code | RegionKind::Unreached => "code".to_owned(),
        RegionKind::Metadata(metadata) => format!("metadata, {}", metadata.describe()),
        RegionKind::Contract { role: Role::Runtime, .. } => "runtime code of a contract".to_owned(),
        RegionKind::Contract { role: Role::Creation, .. } => "creation code of a contract".to_owned(),
        RegionKind::Contract { role: Role::Either, .. } => "code of a contract".to_owned(),
        RegionKind::Data => "data".to_owned(),
        RegionKind::Arguments => "arguments of the constructor".to_owned(),
    }
}

/// Joins that are listed.
const MAX_JOINS: usize = 64;

fn write_joins(out: &mut String, analysis: &Analysis<'_>) {
    let joins = analysis.disagreeing_joins();
    for block in joins.iter().take(MAX_JOINS) {
        let start = analysis.blocks.get(*block).start;
        let height = analysis.entry_height(*block).unwrap_or_default();
        let _ =
            writeln!(out, "  ways into the block at {start:#x} have different heights: {}", range(height));
    }
    if joins.len() > MAX_JOINS {
        let _ = writeln!(out, "  and ways into {} blocks more", joins.len() - MAX_JOINS);
    }
}

/// Variables in storage, with the functions that read and write them.
fn write_variables(out: &mut String, analysis: &Analysis<'_>, touched: &Touched) {
    let list = |verb: &str, selectors: &[u32]| match selectors {
        [] => String::new(),
        _ => {
            let selectors: Vec<String> = selectors.iter().map(|one| format!("0x{one:08x}")).collect();
            format!(", {verb} by {}", selectors.join(" "))
        }
    };
    for variable in find_variables(analysis, &touched.storage) {
        let offset = if variable.offset == 0 { String::new() } else { format!(".{}", variable.offset) };
        let (readers, writers) = (list("read", &variable.readers), list("written", &variable.writers));
        let _ = writeln!(out, "  storage {:#x}{offset}: {}{readers}{writers}", variable.slot, variable.kind);
    }
}

fn write_standards(out: &mut String, analysis: &Analysis<'_>) {
    match find_proxy(analysis) {
        None => {}
        Some(Proxy::Minimal(address)) => {
            let _ =
                writeln!(out, "  proxy (ERC-1167): runs the code at 0x{}", cairn_evm::hex::encode(address));
        }
        Some(Proxy::Slot(standard)) => {
            let _ = writeln!(out, "  proxy ({standard}): runs the code that a slot of it tells");
        }
        Some(Proxy::Other) => out.push_str("  proxy: hands all calls on\n"),
    }
    let interfaces = find_interfaces(analysis);
    if !interfaces.is_empty() {
        let _ = writeln!(out, "  interfaces: {}", interfaces.join(", "));
    }
}

/// Events, by their first topic, with the instructions that emit them.
fn write_events(out: &mut String, touched: &Touched, options: &ReportOptions) {
    for EmittedEvent { topics, topic, signature, pcs } in list_events(touched, options) {
        let what = match (topic, signature) {
            (Some(_), Some(signature)) => signature,
            (Some(topic), None) => format!("{topic:#066x}"),
            (None, _) if topics == 0 => "without topics".to_owned(),
            (None, _) => "with a first topic that is not known".to_owned(),
        };
        let pcs: Vec<String> = pcs.iter().map(|pc| format!("{pc:#x}")).collect();
        let _ = writeln!(out, "  event {what}: topics {topics}, at {}", pcs.join(" "));
    }
}

/// External functions: their signature where it is known, else their arguments as they seem to be.
fn write_functions(out: &mut String, analysis: &Analysis<'_>, options: &ReportOptions) {
    for ExternalFunction { selector, entry, signature, arguments, mutability } in
        external_functions(analysis, options)
    {
        let shown = signature.or_else(|| arguments.map(|types| format!("({types})"))).unwrap_or_default();
        let _ = writeln!(out, "  selector 0x{selector:08x} at {entry:#x}: {shown} {mutability}");
    }
    for function in &analysis.functions {
        let rets = function.rets.map_or("never returns".to_owned(), |rets| format!("returns {rets}"));
        let entry = analysis.blocks.get(function.entry).start;
        let _ = writeln!(out, "  function at {entry:#x}: takes {}, {rets}", function.params);
    }
}

fn write_loops(out: &mut String, analysis: &Analysis<'_>, structure: &Structure) {
    let start = |block: &BlockId| format!("{:#x}", analysis.blocks.get(*block).start);
    for found in &structure.loops {
        let mut blocks: Vec<String> = found.blocks.iter().take(MAX_WAY).map(start).collect();
        let more = found.blocks.len().saturating_sub(MAX_WAY);
        blocks.extend((more > 0).then(|| format!("… {more} blocks more")));
        let _ = writeln!(out, "  loop at {}: {}", start(&found.header), blocks.join(" "));
    }
    for block in &structure.irreducible {
        let _ = writeln!(out, "  entered from outside of what it dominates, by a way back: {}", start(block));
    }
}

/// The blocks of a program.
struct Blocks<'a> {
    analysis: &'a Analysis<'a>,
    structure: &'a Structure,
    liveness: &'a Liveness,
    regions: &'a [Region],
    options: &'a ReportOptions,
}

impl Blocks<'_> {
    fn write(&self, out: &mut String) {
        for (id, block) in self.analysis.blocks.list().iter().enumerate() {
            let id = id as BlockId;
            if !self.is_code(block.start) {
                continue;
            }
            let _ = writeln!(out, "\nblock {:#x}: {}", block.start, self.facts(id).join(", "));
            for line in listing(self.analysis, id) {
                let _ = writeln!(out, "  {line}");
            }
            for edge in self.analysis.cfg.out_edges(id) {
                let _ = writeln!(out, "  {}", self.edge(edge));
            }
        }
    }

    /// True where instructions are and not the bytes of something else.
    fn is_code(&self, at: u32) -> bool {
        let next = self.regions.partition_point(|region| region.bytes.end <= at);
        self.regions.get(next).is_none_or(|region| region.kind.is_code())
    }

    /// What is said of a block beside its offset.
    fn facts(&self, id: BlockId) -> Vec<String> {
        let block = self.analysis.blocks.get(id);
        let mut facts = Vec::new();
        if self.analysis.is_reached(id) {
            facts.push(match self.analysis.entry_height(id) {
                Some(height) => format!("height {}", range(height)),
                None => "height unknown".to_owned(),
            });
            facts.extend(self.analysis.exit_height(id).map(|height| format!("exits with {}", range(height))));
            facts
                .extend((!self.liveness.is_useful[id as usize]).then(|| "no regular end follows".to_owned()));
        } else {
            facts.push("unreachable".to_owned());
        }
        facts.push(format!("needs {}", block.needs));
        facts.push(format!("uses {}, defs {}, gas {}", block.uses, block.defs, block.gas));
        let depth = self.structure.loop_depth[id as usize];
        facts.extend((depth > 0).then(|| format!("loop depth {depth}")));
        if self.options.dominators {
            facts.extend(self.dominators(id));
        }
        facts
    }

    fn dominators(&self, id: BlockId) -> Vec<String> {
        let start = |block: BlockId| self.analysis.blocks.get(block).start;
        let before =
            self.structure.idom[id as usize].map(|block| format!("dominated by {:#x}", start(block)));
        let behind = self.structure.ipdom[id as usize];
        let behind = behind.map(|block| format!("post-dominated by {:#x}", start(block)));
        before.into_iter().chain(behind).collect()
    }

    fn edge(&self, edge: &Edge) -> String {
        let arrow = if edge.kind == EdgeKind::Return { "back to" } else { "to" };
        let is_back = self.structure.back_edges.binary_search(&(edge.from, edge.to)).is_ok();
        let mark = if is_back { " (back edge)" } else { "" };
        let to = self.analysis.blocks.get(edge.to).start;
        format!("-> {} {arrow} {to:#x}{mark}", edge.kind.name())
    }
}

/// One height, or the lowest and the highest.
fn range((low, high): (u32, u32)) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}
