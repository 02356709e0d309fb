//! An analysis as JSON and as text.

use crate::analysis::{Analysis, way_back};
use crate::blocks::BlockId;
use crate::cfg::{EdgeKind, JumpStatus};
use crate::liveness::Liveness;
use crate::role::Role;
use crate::storage::{find_touched, find_variables};
use crate::structure::Structure;
use serde_json::{Value, json};
use std::fmt::Write;

/// The row of an analysis in batches: offsets, edges, jumps, functions, selectors.
pub fn row(name: &str, analysis: &Analysis<'_>, seconds: f64) -> Value {
    let blocks = &analysis.blocks;
    let start = |block: BlockId| blocks.get(block).start;
    let ranges = |wanted: bool| -> Vec<Value> {
        let ids = (0..blocks.len() as BlockId).filter(|block| analysis.is_reached(*block) == wanted);
        ids.map(|block| json!([start(block), blocks.get(block).end])).collect()
    };
    let edges = analysis.cfg.edges().iter();
    let edges = edges.map(|edge| json!([blocks.get(edge.from).last_pc, start(edge.to), edge.kind.name()]));
    let jumps = analysis.cfg.jumps().iter().map(|jump| {
        let targets: Vec<u32> = analysis.cfg.jump_targets(jump.block).map(start).collect();
        let pc = blocks.get(jump.block).last_pc;
        let mut value = json!({ "pc": pc, "status": jump.status.name(), "targets": targets });
        if let Some(imprecision) = jump.imprecision {
            value["reason"] = json!(imprecision.name());
        }
        value
    });
    let functions = analysis.functions.iter().map(|function| {
        json!({
            "entry": start(function.entry),
            "params": function.params,
            "rets": function.rets.unwrap_or(0),
            "returns": function.rets.is_some(),
        })
    });
    let selectors = analysis.selectors.iter().map(|selector| {
        json!({ "selector": format!("0x{:08x}", selector.selector), "entry": start(selector.entry) })
    });
    json!({
        "name": name,
        "code_len": analysis.code.len(),
        "metadata_len": analysis.metadata.as_ref().map_or(0, |metadata| metadata.length),
        "closed": analysis.is_closed(),
        "blocks": ranges(true),
        "edges": edges.collect::<Vec<_>>(),
        "jumps": jumps.collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
        "selectors": selectors.collect::<Vec<_>>(),
        "unreachable": ranges(false),
        "seconds": seconds,
    })
}

/// Everything that is known, as one JSON object: the row and, by block, heights, summaries,
/// liveness, dominators and loops.
pub fn full(name: &str, analysis: &Analysis<'_>, seconds: f64) -> Value {
    let structure = Structure::compute(analysis);
    let liveness = Liveness::compute(analysis);
    let start = |block: BlockId| analysis.blocks.get(block).start;
    let facts = (0..analysis.blocks.len() as BlockId).map(|id| {
        let block = analysis.blocks.get(id);
        json!({
            "start": block.start,
            "end": block.end,
            "reached": analysis.is_reached(id),
            "useful": liveness.is_useful[id as usize],
            "height": analysis.entry_height(id),
            "net": block.net,
            "uses": block.uses,
            "defs": block.defs,
            "needs": block.needs,
            "gas": block.gas,
            "live_slots": live_depths(liveness.live_in[id as usize]),
            "dominator": structure.idom[id as usize].map(start),
            "post_dominator": structure.ipdom[id as usize].map(start),
            "loop_depth": structure.loop_depth[id as usize],
            "function": structure.function_of[id as usize].map(start),
        })
    });
    let starts = |blocks: &[BlockId]| blocks.iter().map(|block| start(*block)).collect::<Vec<_>>();
    let loops = structure
        .loops
        .iter()
        .map(|found| json!({ "header": start(found.header), "blocks": starts(&found.blocks) }));
    let mut value = row(name, analysis, seconds);
    value["block_facts"] = facts.collect();
    value["loops"] = loops.collect();
    value["irreducible"] = json!(starts(&structure.irreducible));
    value["underflows"] = json!(starts(analysis.underflows()));
    value["overflows"] = json!(starts(analysis.overflows()));
    value["dead_pushes"] = json!(liveness.dead_pushes);
    value["metadata"] = json!(analysis.metadata);
    value["role"] = json!(analysis.role.name());
    value["coarse"] = json!(analysis.is_coarse());
    if structure.is_cut_short {
        value["loops_cut_short"] = json!(true);
    }
    value
}

fn live_depths(slots: u128) -> Vec<u32> {
    (0..128).filter(|depth| slots >> depth & 1 == 1).collect()
}

/// A summary for people, then blocks with their instructions.
pub fn text(name: &str, analysis: &Analysis<'_>) -> String {
    let mut out = String::new();
    write_summary(&mut out, name, analysis);
    write_functions(&mut out, analysis);
    write_variables(&mut out, analysis);
    write_blocks(&mut out, analysis);
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
        let compiler = metadata.compiler.as_deref().unwrap_or("unknown compiler");
        let version = metadata.version.as_deref().unwrap_or("of unknown version");
        let _ = writeln!(out, "  metadata: {} bytes, {compiler} {version}", metadata.length);
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
    let before = analysis.blocks_before();
    for (what, blocks) in [("underflow", analysis.underflows()), ("overflow", analysis.overflows())] {
        for block in blocks {
            let way = way_back(&before, *block).unwrap_or_default();
            let start_of = |block: &BlockId| format!("{:#x}", analysis.blocks.get(*block).start);
            let mut shown: Vec<String> = way.iter().take(MAX_WAY).map(start_of).collect();
            shown.extend((way.len() > MAX_WAY).then(|| format!("… {} blocks more", way.len() - MAX_WAY)));
            let start = analysis.blocks.get(*block).start;
            let _ =
                writeln!(out, "  stack {what} in the block at {start:#x}, one way is {}", shown.join(" "));
        }
    }
}

/// Variables in storage, with the functions that read and write them.
fn write_variables(out: &mut String, analysis: &Analysis<'_>) {
    let list = |verb: &str, selectors: &[u32]| match selectors {
        [] => String::new(),
        _ => {
            let selectors: Vec<String> = selectors.iter().map(|one| format!("0x{one:08x}")).collect();
            format!(", {verb} by {}", selectors.join(" "))
        }
    };
    for variable in find_variables(analysis, &find_touched(analysis).storage) {
        let offset = if variable.offset == 0 { String::new() } else { format!(".{}", variable.offset) };
        let (readers, writers) = (list("read", &variable.readers), list("written", &variable.writers));
        let _ = writeln!(out, "  storage {:#x}{offset}: {}{readers}{writers}", variable.slot, variable.kind);
    }
}

fn write_functions(out: &mut String, analysis: &Analysis<'_>) {
    for selector in &analysis.selectors {
        let entry = analysis.blocks.get(selector.entry).start;
        let _ = writeln!(out, "  selector 0x{:08x} at {entry:#x}", selector.selector);
    }
    for function in &analysis.functions {
        let rets = function.rets.map_or("never returns".to_owned(), |rets| format!("returns {rets}"));
        let entry = analysis.blocks.get(function.entry).start;
        let _ = writeln!(out, "  function at {entry:#x}: takes {}, {rets}", function.params);
    }
}

fn write_blocks(out: &mut String, analysis: &Analysis<'_>) {
    for (id, block) in analysis.blocks.list().iter().enumerate() {
        let id = id as BlockId;
        let state = match (analysis.is_reached(id), analysis.entry_height(id)) {
            (false, _) => "unreachable".to_owned(),
            (true, None) => "height unknown".to_owned(),
            (true, Some((low, high))) if low == high => format!("height {low}"),
            (true, Some((low, high))) => format!("height {low} to {high}"),
        };
        let _ = writeln!(
            out,
            "\nblock {:#x}: {state}, uses {}, defs {}, gas {}",
            block.start, block.uses, block.defs, block.gas
        );
        for line in listing(analysis, id) {
            let _ = writeln!(out, "  {line}");
        }
        for edge in analysis.cfg.out_edges(id) {
            let arrow = if edge.kind == EdgeKind::Return { "back to" } else { "to" };
            let _ =
                writeln!(out, "  -> {} {arrow} {:#x}", edge.kind.name(), analysis.blocks.get(edge.to).start);
        }
    }
}

/// The instructions of a block, one a line.
pub(crate) fn listing(analysis: &Analysis<'_>, block: BlockId) -> Vec<String> {
    let data = analysis.blocks.get(block);
    let lines = analysis.instructions(data).map(|inst| {
        let name = match inst.opcode.info() {
            Some(info) => info.name.to_owned(),
            None => format!("UNDEFINED 0x{:02x}", inst.opcode.0),
        };
        match inst.pushed_word() {
            Some(word) if inst.opcode.push_width() != Some(0) => format!("{:#06x} {name} {word:#x}", inst.pc),
            _ => format!("{:#06x} {name}", inst.pc),
        }
    });
    lines.collect()
}
