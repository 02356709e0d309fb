//! Places for a picture: layers from top to bottom, clusters side by side.
//!
//! A cluster's nodes get layers by the longest way along edges that are not back edges; long edges
//! pass through points in the layers between; the order in a layer follows the mean place of
//! neighbours, in which those with a longer way below count for more: so a row of tests runs straight down,
//! with what each leads to at its side. Clusters go where they end highest, the beginning first, then the tall ones.
//! Cost: near-linear in nodes, points and clusters: where these are many, the low ones stand in rows
//! below the others.

use super::picture::{Cluster, Line, Node};

/// A rectangle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A cluster with places; coordinates are those of the picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    pub(super) frame: Place,
    pub(super) nodes: Vec<Place>,
    /// Points of each line, in the order of the cluster's lines.
    pub(super) lines: Vec<Vec<(f64, f64)>>,
}

pub(super) const CHAR_WIDTH: f64 = 6.7;
pub(super) const LINE_HEIGHT: f64 = 13.0;
const GAP_X: f64 = 26.0;
const GAP_Y: f64 = 34.0;
pub(super) const MARGIN: f64 = 18.0;
/// Distance of lines that go back from what they go around.
const BESIDE: f64 = 11.0;
/// Width of a letter of the first line, which is bold.
pub(super) const TITLE_CHAR_WIDTH: f64 = 7.5;
const TITLE: f64 = 24.0;
const SWEEPS: usize = 6;
const MAX_LABEL: usize = 44;
/// Nodes and points of a cluster; lines beyond go straight to their ends, over what lies between.
const MAX_ITEMS: usize = 100_000;

/// Clusters that are fitted below one another; more stand in rows.
const MAX_FITTED: usize = 512;

/// Something with a place in a layer: a node, or a point of a long line.
#[derive(Clone, Copy, Default)]
struct Item {
    layer: usize,
    width: f64,
    height: f64,
    x: f64,
}

/// Places the clusters of a part; its size comes with it.
pub(super) fn place(clusters: &[Cluster]) -> (Vec<Placed>, f64, f64) {
    let mut placed: Vec<Placed> = clusters.iter().map(place_cluster).collect();
    let area: f64 = placed.iter().map(|cluster| cluster.frame.width * cluster.frame.height).sum();
    let widest = placed.iter().map(|cluster| cluster.frame.width).fold(0.0, f64::max);
    let row_width = (area.sqrt() * 1.5).max(widest) + MARGIN;
    let mut order: Vec<usize> = (0..placed.len()).collect();
    // The beginning first, then the tall ones, so that rows are full.
    order.sort_by(|a, b| {
        let key = |index: usize| (index != 0, -(placed[index].frame.height as i64), index);
        key(*a).cmp(&key(*b))
    });
    let mut skyline = Skyline::new(row_width);
    let (fitted, in_rows) = order.split_at(order.len().min(MAX_FITTED));
    for index in fitted {
        let frame = placed[*index].frame;
        let (x, y) = skyline.put(frame.width + MARGIN, frame.height + MARGIN);
        shift(&mut placed[*index], x + MARGIN, y + MARGIN);
    }
    let (mut x, mut y, mut next) = (row_width, 0.0, skyline.depth());
    for index in in_rows {
        let frame = placed[*index].frame;
        if x + frame.width + MARGIN > row_width {
            // The first of a row is its tallest.
            (x, y, next) = (0.0, next, next + frame.height + MARGIN);
        }
        shift(&mut placed[*index], x + MARGIN, y + MARGIN);
        x += frame.width + MARGIN;
    }
    let ends = |of: fn(&Place) -> f64| placed.iter().map(|cluster| of(&cluster.frame)).fold(0.0, f64::max);
    let (width, height) = (ends(|frame| frame.x + frame.width), ends(|frame| frame.y + frame.height));
    (placed, width + MARGIN, height + MARGIN)
}

/// The lower edge of what has been placed: stretches from left to right, each with its depth.
struct Skyline {
    width: f64,
    /// Beginning and depth.
    stretches: Vec<(f64, f64)>,
}

impl Skyline {
    fn new(width: f64) -> Skyline {
        Skyline { width, stretches: vec![(0.0, 0.0)] }
    }

    /// Takes the highest place for a rectangle, the leftmost of equal ones.
    fn put(&mut self, width: f64, height: f64) -> (f64, f64) {
        let mut best = (0.0, f64::INFINITY);
        for (index, (x, _)) in self.stretches.iter().enumerate() {
            if index > 0 && x + width > self.width {
                break;
            }
            let under = self.stretches[index..].iter().take_while(|stretch| stretch.0 < x + width);
            let depth = under.map(|stretch| stretch.1).fold(0.0, f64::max);
            if depth < best.1 {
                best = (*x, depth);
            }
        }
        self.cover(best.0, best.0 + width, best.1 + height);
        best
    }

    /// The lower edge of all.
    fn depth(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.1).fold(0.0, f64::max)
    }

    fn cover(&mut self, from: f64, to: f64, depth: f64) {
        let before = self.stretches.iter().rev().find(|stretch| stretch.0 <= to).map(|stretch| stretch.1);
        self.stretches.retain(|stretch| stretch.0 < from || stretch.0 > to);
        self.stretches.push((from, depth));
        if let Some(before) = before.filter(|_| to < self.width) {
            self.stretches.push((to, before));
        }
        self.stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
}

pub(super) fn shift(cluster: &mut Placed, x: f64, y: f64) {
    for place in cluster.nodes.iter_mut().chain([&mut cluster.frame]) {
        (place.x, place.y) = (place.x + x, place.y + y);
    }
    for point in cluster.lines.iter_mut().flatten() {
        *point = (point.0 + x, point.1 + y);
    }
}

fn place_cluster(cluster: &Cluster) -> Placed {
    let layers = layers(cluster);
    let mut items: Vec<Item> =
        cluster.nodes.iter().zip(&layers).map(|(node, layer)| item_of(node, *layer)).collect();
    let chains = add_points(cluster, &mut items);
    let num_layers = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); num_layers];
    for (index, item) in items.iter().enumerate() {
        rows[item.layer].push(index);
    }
    let neighbours = neighbours(items.len(), &chains);
    order_rows(&mut rows, &mut items, &neighbours);
    let leftmost = items.iter().map(|item| item.x).fold(f64::INFINITY, f64::min);
    items.iter_mut().for_each(|item| item.x -= leftmost);
    let tops = row_tops(&rows, &items);
    let heights = rows.iter().map(|row| row_height(row, &items)).collect();
    let grid = Grid { items, tops, heights };
    let nodes: Vec<Place> = (0..cluster.nodes.len()).map(|index| grid.place(index)).collect();
    let mut ends = vec![0f64; num_layers];
    for (item, node) in grid.items.iter().zip(&nodes) {
        ends[item.layer] = ends[item.layer].max(node.x + node.width);
    }
    let sides = RangeMax::new(ends);
    let line =
        |(line, chain): (&Line, &Vec<usize>)| match line.is_back || nodes[line.to].y <= nodes[line.from].y {
            true => {
                let layers = grid.items[line.to].layer..grid.items[line.from].layer + 1;
                let below = grid.bottom_of(grid.items[line.from].layer) + BESIDE;
                back_line(nodes[line.from], nodes[line.to], below, sides.max(layers) + BESIDE)
            }
            false => grid.forward_line(nodes[line.from], nodes[line.to], grid.items[line.from].layer, chain),
        };
    let lines = cluster.lines.iter().zip(&chains).map(line).collect();
    let title = cluster.title.chars().count() as f64 * TITLE_CHAR_WIDTH + 2.0 * MARGIN;
    let (width, height) = grid.size();
    let frame =
        Place { x: 0.0, y: 0.0, width: (width + 2.0 * MARGIN + 24.0).max(title), height: height + MARGIN };
    Placed { frame, nodes, lines }
}

/// A node as large as its label.
fn item_of(node: &Node, layer: usize) -> Item {
    let longest = node.label.iter().map(|line| line.chars().count().min(MAX_LABEL)).max().unwrap_or(0);
    let title = node.label.first().map_or(0, |line| line.chars().count());
    Item {
        layer,
        width: (longest as f64 * CHAR_WIDTH).max(title as f64 * TITLE_CHAR_WIDTH) + 14.0,
        height: node.label.len() as f64 * LINE_HEIGHT + 10.0,
        x: 0.0,
    }
}

/// Items in rows that have their places.
struct Grid {
    items: Vec<Item>,
    /// Of each row, from the top.
    tops: Vec<f64>,
    heights: Vec<f64>,
}

impl Grid {
    fn place(&self, index: usize) -> Place {
        let item = &self.items[index];
        Place { x: item.x + MARGIN, y: self.tops[item.layer], width: item.width, height: item.height }
    }

    fn bottom_of(&self, layer: usize) -> f64 {
        self.tops[layer] + self.heights[layer]
    }

    /// Width and height of all rows.
    fn size(&self) -> (f64, f64) {
        let width = self.items.iter().map(|item| item.x + item.width).fold(160.0, f64::max);
        (width, self.tops.len().checked_sub(1).map_or(0.0, |last| self.bottom_of(last)))
    }

    /// A line down through the points of its chain.
    fn forward_line(&self, from: Place, to: Place, layer: usize, chain: &[usize]) -> Vec<(f64, f64)> {
        let start = bottom(from);
        // Taller nodes of the row are passed before the line turns.
        let mut points = vec![start, (start.0, self.bottom_of(layer))];
        for index in &chain[1..chain.len().max(2) - 1] {
            // Straight down beside the nodes of the layer.
            let point = self.place(*index);
            points.push((point.x, point.y - 2.0));
            points.push((point.x, point.y + self.heights[self.items[*index].layer]));
        }
        points.push((to.x + to.width / 2.0, to.y));
        points
    }
}

fn bottom(place: Place) -> (f64, f64) {
    (place.x + place.width / 2.0, place.y + place.height)
}

/// Out at the bottom, around the right side of all that lies between, in at the top: between the
/// rows and beside them, so that no node hides it.
fn back_line(from: Place, to: Place, below: f64, side: f64) -> Vec<(f64, f64)> {
    let above = to.y - BESIDE;
    let (start, end) = (from.x + from.width * 0.75, to.x + to.width * 0.85);
    vec![
        (start, from.y + from.height),
        (start, below),
        (side, below),
        (side, above),
        (end, above),
        (end, to.y),
    ]
}

/// Greatest numbers of ranges: those of ranges whose lengths are powers of two are kept.
struct RangeMax(Vec<Vec<f64>>);

impl RangeMax {
    fn new(numbers: Vec<f64>) -> RangeMax {
        let mut levels = vec![numbers];
        let mut length = 1;
        while let Some(last) = levels.last().filter(|last| last.len() > length) {
            let next = last.iter().zip(&last[length..]).map(|(a, b)| a.max(*b)).collect();
            levels.push(next);
            length *= 2;
        }
        RangeMax(levels)
    }

    /// The greatest number of a range, 0 for an empty one.
    fn max(&self, range: std::ops::Range<usize>) -> f64 {
        let Some(level) = range.len().checked_ilog2() else { return 0.0 };
        let numbers = &self.0[level as usize];
        numbers[range.start].max(numbers[range.end - (1 << level)])
    }
}

/// Longest ways from the entry along edges that go forward in a depth-first order.
fn layers(cluster: &Cluster) -> Vec<usize> {
    let count = cluster.nodes.len();
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); count];
    for line in cluster.lines.iter().filter(|line| !line.is_back) {
        forward[line.from].push(line.to);
    }
    let mut order = Vec::new();
    let mut state = vec![0u8; count];
    for root in 0..count {
        let mut stack = vec![(root, 0usize)];
        if std::mem::replace(&mut state[root], 1) != 0 {
            continue;
        }
        while let Some((node, next)) = stack.last_mut() {
            match forward[*node].get(*next).copied() {
                Some(to) => {
                    *next += 1;
                    if state[to] == 0 {
                        state[to] = 1;
                        stack.push((to, 0));
                    }
                }
                None => {
                    state[*node] = 2;
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    order.reverse();
    let mut rank = vec![0; count];
    order.iter().enumerate().for_each(|(index, node)| rank[*node] = index);
    let mut layer = vec![0usize; count];
    for node in &order {
        for to in &forward[*node] {
            if rank[*to] > rank[*node] {
                layer[*to] = layer[*to].max(layer[*node] + 1);
            }
        }
    }
    layer
}

/// Points for lines that cross layers; the items along each line.
fn add_points(cluster: &Cluster, items: &mut Vec<Item>) -> Vec<Vec<usize>> {
    let mut chains = Vec::new();
    for line in &cluster.lines {
        let (from, to) = (items[line.from].layer, items[line.to].layer);
        let mut chain = vec![line.from];
        if !line.is_back && to > from + 1 && items.len() + to - from < MAX_ITEMS {
            for layer in from + 1..to {
                items.push(Item { layer, width: 6.0, height: 4.0, x: 0.0 });
                chain.push(items.len() - 1);
            }
        }
        chain.push(line.to);
        chains.push(chain);
    }
    chains
}

fn neighbours(count: usize, chains: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut list = vec![Vec::new(); count];
    for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
        list[pair[0]].push(pair[1]);
        list[pair[1]].push(pair[0]);
    }
    list
}

/// How much each item counts: the square of the layers below that it leads to. Were all the same, each test of a
/// dispatcher would stand half a node beside the one before it.
fn weights(rows: &[Vec<usize>], items: &[Item], neighbours: &[Vec<usize>]) -> Vec<f64> {
    let mut below = vec![0u32; items.len()];
    for index in rows.iter().rev().flatten() {
        let next = neighbours[*index].iter().filter(|next| items[**next].layer > items[*index].layer);
        below[*index] = next.map(|next| below[*next] + 1).max().unwrap_or(0);
    }
    below.iter().map(|layers| f64::from(layers + 1).powi(2)).collect()
}

/// Orders each row by the mean of its neighbours' middles and packs it from the left.
fn order_rows(rows: &mut [Vec<usize>], items: &mut [Item], neighbours: &[Vec<usize>]) {
    let weights = weights(rows, items, neighbours);
    rows.iter().for_each(|row| pack(row, items, &weights, &|_| None));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let count = rows.len();
        for step in 0..count {
            let layer = if down { step } else { count - 1 - step };
            let wish = |items: &[Item], index: usize| {
                let others = neighbours[index].iter().filter(|other| {
                    if down { items[**other].layer < layer } else { items[**other].layer > layer }
                });
                let (mut sum, mut whole) = (0.0, 0.0);
                for other in others {
                    sum += (items[*other].x + items[*other].width / 2.0) * weights[*other];
                    whole += weights[*other];
                }
                (whole > 0.0).then(|| sum / whole)
            };
            let mut row = std::mem::take(&mut rows[layer]);
            let wishes: Vec<(usize, Option<f64>)> =
                row.iter().map(|index| (*index, wish(items, *index))).collect();
            let middle = |index: usize| items[index].x + items[index].width / 2.0;
            let mut keyed: Vec<(f64, usize)> =
                wishes.iter().map(|(index, wish)| (wish.unwrap_or_else(|| middle(*index)), *index)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            row = keyed.iter().map(|(_, index)| *index).collect();
            let by_item: std::collections::BTreeMap<usize, f64> =
                keyed.into_iter().map(|(middle, index)| (index, middle)).collect();
            pack(&row, items, &weights, &|index| by_item.get(&index).copied());
            rows[layer] = row;
        }
    }
}

/// Puts a row's items where they wish to be as far as they fit; the row keeps its mean place.
fn pack(row: &[usize], items: &mut [Item], weights: &[f64], wish: &dyn Fn(usize) -> Option<f64>) {
    let mut left = f64::NEG_INFINITY;
    let (mut drift, mut whole) = (0f64, 0f64);
    for index in row {
        let width = items[*index].width;
        let wished = match wish(*index) {
            Some(middle) => middle - width / 2.0,
            None if left.is_finite() => left,
            None => 0.0,
        };
        items[*index].x = wished.max(left);
        drift += (items[*index].x - wished) * weights[*index];
        whole += weights[*index];
        left = items[*index].x + width + GAP_X;
    }
    let shift = if whole > 0.0 { drift / whole } else { 0.0 };
    row.iter().for_each(|index| items[*index].x -= shift);
}

fn row_height(row: &[usize], items: &[Item]) -> f64 {
    row.iter().map(|index| items[*index].height).fold(0.0, f64::max)
}

fn row_tops(rows: &[Vec<usize>], items: &[Item]) -> Vec<f64> {
    let mut top = TITLE + 8.0;
    rows.iter()
        .map(|row| {
            let here = top;
            top += row_height(row, items) + GAP_Y;
            here
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::EdgeKind;

    #[test]
    fn a_row_of_tests_runs_straight_down() {
        const TESTS: usize = 40;
        let node = |label: &str| Node {
            start: 0,
            blocks: Vec::new(),
            folded: Vec::new(),
            label: vec![label.to_owned()],
            is_header: false,
            is_end: false,
            is_cold: false,
        };
        let line = |from, to| Line { from, to, kind: EdgeKind::True, is_back: false };
        // Each test leads to the next one, and to what handles its selector.
        let nodes =
            (0..2 * TESTS).map(|index| node(if index < TESTS { "test" } else { "handles 0x12345678" }));
        let lines = (0..TESTS).flat_map(|test| {
            let next = (test + 1 < TESTS).then(|| line(test, test + 1));
            next.into_iter().chain([line(test, TESTS + test)])
        });
        let cluster = Cluster { title: String::new(), nodes: nodes.collect(), lines: lines.collect() };
        let placed = place_cluster(&cluster);
        let tests: Vec<f64> = placed.nodes[..TESTS - 1].iter().map(|place| place.x).collect();
        let leftmost = tests.iter().copied().fold(f64::INFINITY, f64::min);
        let rightmost = tests.iter().copied().fold(0.0, f64::max);
        let width = placed.nodes[TESTS].width;
        assert!(rightmost - leftmost < width, "the tests are {} apart", rightmost - leftmost);
    }
}
