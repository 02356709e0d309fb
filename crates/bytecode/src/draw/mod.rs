//! Pictures of the control flow: DOT, Mermaid, SVG, and one HTML page to walk around in.
//!
//! All draw the same [`Picture`]: a cluster a function, a node a chain of blocks, back edges
//! dashed, blocks that only fail folded into a mark on the branch to them.
//!
//! Of a container (EOF) each section of code is a cluster and each block a node, and of a delegation the
//! address is shown: neither is drawn as the instructions that its bytes would be.
//!
//! A picture has one part for each code in it: creation code stands beside the code that it deploys.
//! Where there are several parts each has a title, ids begin with the part's name so that none is
//! there twice, and what limits a picture limits all parts together. One part alone has neither.

mod cold;
mod html;
mod layout;
mod part;
mod picture;
mod place_parts;
mod sections;
mod svg;
mod text;

pub use html::html;
pub use part::{Part, Picture};
pub use picture::{Cluster, Line, Node};
pub use svg::svg;
pub use text::{dot, mermaid};
