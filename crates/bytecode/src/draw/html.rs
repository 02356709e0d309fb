//! The picture as one HTML page: pan, zoom, search, and the code and stack of a clicked node, from
//! where links lead on along edges and calls.
//!
//! The stack is shown after each instruction, the top first, by names: `in0` is the top at the
//! block's entry, `add@1f` the result of the `ADD` at offset 0x1f. Blocks are told apart by the name of
//! their part and their offset, and a part's title stands above the code of its blocks.

use super::part::{Part, Picture};
use super::svg::{escape, legend_items, svg};
use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::container::{Container, Eof};
use crate::eof;
use crate::liveness::{Liveness, Slots};
use crate::optable::OpKind;
use crate::report::listing;
use serde_json::json;
use std::collections::BTreeSet;

/// A page that needs nothing else. There is an analysis for each part of the picture, in order.
pub fn html(title: &str, analyses: &[Analysis<'_>], picture: &Picture) -> String {
    let (mut blocks, mut nodes) = (Object::new(), Object::new());
    for (part, analysis) in picture.parts.iter().zip(analyses) {
        add_part(part, analysis, &mut blocks, &mut nodes);
    }
    let titles: Object = picture.parts.iter().map(|part| (part.name.clone(), json!(part.title))).collect();
    // A closing tag within a string would end the script.
    let data =
        json!({ "blocks": blocks, "nodes": nodes, "titles": titles }).to_string().replace("</", "<\\/");
    let page = PAGE.replace("@TITLE@", &escape(title)).replace("@LEGEND@", &legend_items());
    page.replace("@SVG@", &svg(picture)).replace("@DATA@", &data)
}

type Object = serde_json::Map<String, serde_json::Value>;

/// The blocks of a part, and which of them its nodes show, by what they are told apart by.
fn add_part(part: &Part, analysis: &Analysis<'_>, blocks: &mut Object, shown: &mut Object) {
    match Container::of(analysis.code) {
        Container::Plain => add_plain_part(part, analysis, blocks, shown),
        // The node says all there is.
        Container::Delegation(_) => shown.extend([(format!("{}0", part.name), json!([]))]),
        Container::Eof(eof) => add_container(part, analysis.code, &eof, blocks, shown),
    }
}

/// The blocks of a container: a node shows one. Their stack is not followed.
fn add_container(part: &Part, code: &[u8], container: &Eof, blocks: &mut Object, shown: &mut Object) {
    for block in container.code.iter().flat_map(|section| eof::blocks(code, section.bytes.clone())) {
        let start = block.bytes.start;
        let id = format!("{}{start}", part.name);
        let details = json!({ "part": part.name, "start": start, "to": block.edges, "code": block.lines });
        blocks.insert(id.clone(), details);
        shown.insert(id.clone(), json!([[id, false]]));
    }
}

fn add_plain_part(part: &Part, analysis: &Analysis<'_>, blocks: &mut Object, shown: &mut Object) {
    let liveness = Liveness::compute(analysis);
    let nodes = || part.clusters.iter().flat_map(|cluster| &cluster.nodes);
    let id = |start: u32| format!("{}{start}", part.name);
    let id_of = |block: &BlockId| id(analysis.blocks.get(*block).start);
    // Many nodes fold the same blocks: each is written once.
    let all: BTreeSet<BlockId> =
        nodes().flat_map(|node| node.blocks.iter().chain(&node.folded)).copied().collect();
    blocks.extend(all.iter().map(|block| {
        let mut details = details(analysis, &liveness, *block);
        details["part"] = json!(part.name);
        (id_of(block), details)
    }));
    shown.extend(nodes().map(|node| {
        let open = node.blocks.iter().map(|block| json!([id_of(block), false]));
        let folded = node.folded.iter().map(|block| json!([id_of(block), true]));
        (id(node.start), open.chain(folded).collect())
    }));
}

/// What the page says of a block.
fn details(analysis: &Analysis<'_>, liveness: &Liveness, block: BlockId) -> serde_json::Value {
    let data = analysis.blocks.get(block);
    let edges = analysis.cfg.out_edges(block).iter();
    let to: Vec<_> = edges.map(|edge| json!([edge.kind, analysis.blocks.get(edge.to).start])).collect();
    json!({
        "to": to,
        "start": data.start,
        "height": analysis.entry_height(block),
        "uses": data.uses,
        "defs": data.defs,
        "gas": data.gas,
        "code": listing(analysis, block),
        "stack": stacks(analysis, block),
        "live": live_names(liveness.live_in[block as usize], data.needs),
    })
}

/// Words of the stack that are shown.
const SHOWN_WORDS: usize = 8;

/// The stack after each instruction of a block, the top first.
fn stacks(analysis: &Analysis<'_>, block: BlockId) -> Vec<String> {
    let data = analysis.blocks.get(block);
    let mut stack: Vec<String> = (0..data.needs).rev().map(|index| format!("in{index}")).collect();
    let after = analysis.instructions(data).map(|inst| {
        let facts = analysis.facts(inst.opcode);
        let height = stack.len();
        let place = height.saturating_sub(usize::from(facts.inputs));
        match (inst.pushed_word(), facts.kind) {
            (Some(word), _) => stack.push(format!("{word:#x}")),
            (None, OpKind::Dup) => stack.push(stack[place].clone()),
            (None, OpKind::Swap) => stack.swap(height - 1, place),
            (None, _) => {
                stack.truncate(place);
                let name = inst.opcode.info().map_or("undefined", |info| info.name).to_lowercase();
                let result = format!("{name}@{:x}", inst.pc);
                stack.extend(std::iter::repeat_n(result, usize::from(facts.outputs)));
            }
        }
        let more = if stack.len() > SHOWN_WORDS { " …" } else { "" };
        let shown: Vec<&str> = stack.iter().rev().take(SHOWN_WORDS).map(String::as_str).collect();
        format!("{}{more}", shown.join(" "))
    });
    after.collect()
}

/// Names of the live words among those that the block looks at.
fn live_names(live: Slots, needs: u32) -> Vec<String> {
    let is_live = |index: &u32| live.checked_shr(*index).is_some_and(|slots| slots & 1 == 1);
    (0..needs).filter(is_live).map(|index| format!("in{index}")).collect()
}

const PAGE: &str = include_str!("page.html");
