//! The picture as one HTML page: pan, zoom, search, and the code and stack of a clicked node.

use super::picture::Picture;
use super::svg::{escape, svg};
use crate::analysis::Analysis;
use crate::report::listing;
use serde_json::json;

/// A page that needs nothing else.
pub fn html(title: &str, analysis: &Analysis<'_>, picture: &Picture) -> String {
    let nodes = picture.clusters.iter().flat_map(|cluster| &cluster.nodes);
    let details: serde_json::Map<String, serde_json::Value> = nodes
        .map(|node| {
            let blocks = node.blocks.iter().map(|block| {
                let data = analysis.blocks.get(*block);
                json!({
                    "start": format!("{:#x}", data.start),
                    "height": analysis.entry_height(*block),
                    "uses": data.uses,
                    "defs": data.defs,
                    "gas": data.gas,
                    "code": listing(analysis, *block),
                })
            });
            (node.start.to_string(), blocks.collect())
        })
        .collect();
    // A closing tag within a string would end the script.
    let data = serde_json::Value::Object(details).to_string().replace("</", "<\\/");
    PAGE.replace("@TITLE@", &escape(title)).replace("@SVG@", &svg(picture)).replace("@DATA@", &data)
}

const PAGE: &str = include_str!("page.html");
