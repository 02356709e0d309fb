//! Pictures of the control flow: DOT, Mermaid, SVG, and one HTML page to walk around in.
//!
//! All draw the same [`Picture`]: a cluster a function, a node a chain of blocks, back edges
//! dashed, blocks that only fail folded into a mark on the branch to them.

mod cold;
mod html;
mod layout;
mod picture;
mod svg;
mod text;

pub use html::html;
pub use picture::{Cluster, Line, Node, Picture};
pub use svg::svg;
pub use text::{dot, mermaid};
