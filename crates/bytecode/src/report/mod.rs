//! An analysis as JSON and as text.

mod interface;
mod options;
mod text;

use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::container::{Container, Eof};
use crate::eof;
use crate::liveness::Liveness;
use crate::regions::{Region, RegionKind, find_regions};
use crate::standards::{Proxy, find_interfaces, find_proxy};
use crate::structure::Structure;
use serde_json::{Value, json};
use std::ops::Range;

pub use options::ReportOptions;
pub use text::{IsAll, head, text, text_with};

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

/// Everything that is known, as one JSON object: the row, external functions with arguments, variables,
/// events and, by block, heights, summaries, liveness, dominators and loops.
pub fn full(name: &str, analysis: &Analysis<'_>, seconds: f64) -> Value {
    full_with(name, analysis, seconds, &ReportOptions::default())
}

/// As [`full`], with the names that are given.
pub fn full_with(name: &str, analysis: &Analysis<'_>, seconds: f64, options: &ReportOptions) -> Value {
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
            "exit_height": analysis.exit_height(id),
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
    value["disagreeing_joins"] = json!(starts(analysis.disagreeing_joins()));
    value["underflows"] = json!(starts(analysis.underflows()));
    value["overflows"] = json!(starts(analysis.overflows()));
    value["dead_pushes"] = json!(liveness.dead_pushes);
    value["metadata"] = json!(analysis.metadata);
    value["regions"] = regions_as_json(&find_regions(analysis));
    value["container"] = match Container::of(analysis.code) {
        Container::Plain => json!({ "kind": "plain" }),
        Container::Delegation(to) => {
            json!({ "kind": "delegation", "to": format!("0x{}", cairn_evm::hex::encode(to)) })
        }
        Container::Eof(eof) => container(analysis.code, &eof),
    };
    value["interfaces"] = json!(find_interfaces(analysis));
    value["proxy"] = match find_proxy(analysis) {
        None => Value::Null,
        Some(Proxy::Minimal(to)) => {
            json!({ "kind": "ERC-1167", "to": format!("0x{}", cairn_evm::hex::encode(to)) })
        }
        Some(Proxy::Slot(standard)) => json!({ "kind": standard }),
        Some(Proxy::Other) => json!({ "kind": "other" }),
    };
    interface::add_to(&mut value, analysis, options);
    value["role"] = json!(analysis.role.name());
    value["coarse"] = json!(analysis.is_coarse());
    if structure.is_cut_short {
        value["loops_cut_short"] = json!(true);
    }
    value
}

fn regions_as_json(regions: &[Region]) -> Value {
    let regions = regions.iter().map(|region| {
        let Region { bytes, kind } = region;
        let mut value = json!({ "start": bytes.start, "end": bytes.end, "kind": kind.name() });
        match kind {
            RegionKind::Metadata(metadata) => value["metadata"] = json!(metadata),
            RegionKind::Contract { role, regions } => {
                value["role"] = json!(role.name());
                value["regions"] = regions_as_json(regions);
            }
            RegionKind::Code | RegionKind::Unreached | RegionKind::Data | RegionKind::Arguments => {}
        }
        value
    });
    regions.collect()
}

fn container(code: &[u8], container: &Eof) -> Value {
    let sections = container.code.iter().map(|section| {
        let blocks = eof::blocks(code, section.bytes.clone()).into_iter();
        let blocks = blocks
            .map(|block| json!({ "start": block.bytes.start, "end": block.bytes.end, "edges": block.edges }));
        json!({
            "start": section.bytes.start,
            "end": section.bytes.end,
            "inputs": section.inputs,
            "outputs": section.outputs,
            "max_growth": section.max_growth,
            "blocks": blocks.collect::<Vec<_>>(),
        })
    });
    let ranges = |list: &[Range<usize>]| -> Vec<Value> {
        list.iter().map(|bytes| json!({ "start": bytes.start, "end": bytes.end })).collect()
    };
    json!({
        "kind": "eof",
        "version": 1,
        "sections": sections.collect::<Vec<_>>(),
        "containers": ranges(&container.containers),
        "data": ranges(std::slice::from_ref(&container.data)),
    })
}

fn live_depths(slots: u128) -> Vec<u32> {
    (0..128).filter(|depth| slots >> depth & 1 == 1).collect()
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
