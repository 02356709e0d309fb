//! Places for the parts of a picture: side by side, each in a frame with its title.
//!
//! A part without a title has no frame and stands where it would alone.

use super::layout::{MARGIN, Place, Placed, TITLE_CHAR_WIDTH, place, shift};
use super::part::{Part, Picture};

/// A part with places; coordinates are those of the picture.
pub(super) struct PlacedPart {
    /// Around all of it, where it has a title.
    pub(super) frame: Option<Place>,
    pub(super) clusters: Vec<Placed>,
}

/// Height of a part's title.
const TITLE: f64 = 28.0;

/// Places everything; the size of the picture comes with it.
pub(super) fn place_parts(picture: &Picture) -> (Vec<PlacedPart>, f64, f64) {
    let (mut width, mut height) = (0.0, 0f64);
    let mut parts = Vec::new();
    for part in &picture.parts {
        let (placed, right, bottom) = place_part(part, width);
        parts.push(placed);
        (width, height) = (right, height.max(bottom));
    }
    (parts, width, height)
}

/// Places a part right of `left`; where it ends, to the right and below.
fn place_part(part: &Part, left: f64) -> (PlacedPart, f64, f64) {
    let (mut clusters, width, height) = place(&part.clusters);
    if part.title.is_empty() {
        return (PlacedPart { frame: None, clusters }, left + width, height);
    }
    let title = part.title.chars().count() as f64 * TITLE_CHAR_WIDTH * 1.25 + 2.0 * MARGIN;
    let (x, y) = (left + MARGIN, MARGIN);
    let frame = Place { x, y, width: width.max(title), height: height + TITLE };
    clusters.iter_mut().for_each(|cluster| shift(cluster, x, y + TITLE - MARGIN / 2.0));
    (PlacedPart { frame: Some(frame), clusters }, x + frame.width + MARGIN, y + frame.height + MARGIN)
}
