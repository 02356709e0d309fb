//! Which printed token stands for which token of the source.
//!
//! Statements of a class are printed in the order of the source, so the n-th of a block is the n-th
//! printed one; the tokens of a statement are compared. Linear but for statements of which much was
//! changed, whose tokens are compared with each other up to [`MAX_COMPARED`] times.

use super::Tokens;
use super::outline::{Class, Statement, outline};
use crate::text::lex::Kind;
use crate::text::literal;
use cairn_diag::comments::Comment;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Comparisons of tokens in one statement; where there were more, its comments go to the end.
const MAX_COMPARED: usize = 1 << 14;

/// A printed line, by its tokens, and the tokens of the source that it stands for.
pub(super) struct Line {
    pub(super) printed: Range<usize>,
    source: Option<Range<usize>>,
}

/// The printed lines: items in the order of the source.
pub(super) fn lines(source: &Tokens<'_>, printed: &Tokens<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    items(&outline(source), &outline(printed), &mut lines);
    lines
}

fn items(source: &[Statement], printed: &[Statement], lines: &mut Vec<Line>) {
    let mut queues: BTreeMap<Class, VecDeque<&Statement>> = BTreeMap::new();
    for statement in printed {
        queues.entry(statement.class).or_default().push_back(statement);
    }
    for from in source {
        if let Some(statement) = queues.get_mut(&from.class).and_then(VecDeque::pop_front) {
            item(Some(from), statement, lines);
        }
    }
    queues.values().flatten().for_each(|statement| item(None, statement, lines));
}

fn item(source: Option<&Statement>, printed: &Statement, lines: &mut Vec<Line>) {
    lines.push(Line { printed: printed.tokens.clone(), source: source.map(|from| from.tokens.clone()) });
    let inner = source.map_or(&[][..], |from| &from.inner);
    match printed.class {
        Class::Func => body(inner, &printed.inner, lines),
        _ => items(inner, &printed.inner, lines),
    }
    if let Some(close) = printed.close {
        let from = source.and_then(|from| from.close);
        lines.push(Line { printed: close..close + 1, source: from.map(|close| close..close + 1) });
    }
}

/// Statements of a function, which are printed in the order of the source: only the first label
/// is moved to the front, or added.
fn body(source: &[Statement], printed: &[Statement], lines: &mut Vec<Line>) {
    let of_class = |class| source.iter().filter(move |statement| statement.class == class);
    let mut cases = of_class(Class::Case);
    let mut insts = of_class(Class::Inst).flat_map(|inst| {
        let added = std::iter::repeat_n(None, inst.num_added);
        added.chain(std::iter::once(Some(inst)))
    });
    let is_label = |statement: &&Statement| statement.class == Class::Label;
    let num_added = usize::from(source.first().is_some_and(|first| first.class != Class::Label));
    let num_labels = printed.iter().filter(is_label).count();
    let num_moved = (of_class(Class::Label).count() + num_added).saturating_sub(num_labels);
    let mut labels = of_class(Class::Label).skip(num_moved);
    let mut num_seen = 0;
    for statement in printed {
        let from = match statement.class {
            Class::Case => cases.next(),
            Class::Label => {
                num_seen += 1;
                if num_seen > num_added { labels.next() } else { None }
            }
            _ => insts.next().flatten(),
        };
        item(from, statement, lines);
    }
}

/// The printed tokens next to each gap of the source.
pub(super) struct Alignment {
    /// By gap: how many printed tokens belong in front of it, up to the last one known.
    before: Vec<usize>,
    /// By gap: how many printed tokens there are in front of the next one known.
    after: Vec<usize>,
    /// By printed gap: the nearest one at a line's start from there on, and up to there.
    next_line: Vec<usize>,
    last_line: Vec<usize>,
}

impl Alignment {
    /// Compares the tokens of `lines`, by whose order printed tokens are counted.
    pub(super) fn new(source: &Tokens<'_>, printed: &Tokens<'_>, lines: &[Line]) -> Self {
        let mut known = vec![None; source.tokens.len()];
        let mut starts = Vec::with_capacity(lines.len() + 1);
        let mut count = 0;
        for line in lines {
            starts.push(count);
            let from = line.source.clone().unwrap_or(0..0);
            for (source, printed) in common(source, printed, from, line.printed.clone()) {
                known[source] = Some(count + printed - line.printed.start);
            }
            count += line.printed.len();
        }
        starts.push(count);
        let (before, after) = neighbours(&known, count);
        let next = |gap| starts[starts.partition_point(|start| *start < gap)];
        let last = |gap| starts[starts.partition_point(|start| *start <= gap).saturating_sub(1)];
        let next_line = (0..=count).map(next).collect();
        let last_line = (0..=count).map(last).collect();
        Alignment { before, after, next_line, last_line }
    }

    /// The printed gap for a comment's gap in the source. One next to a token that is gone or was
    /// added becomes one between lines, for some statements cannot be broken everywhere.
    pub(super) fn gap(&self, comment: &Comment<'_>) -> usize {
        let (before, after) = (self.before[comment.gap], self.after[comment.gap]);
        if before >= after {
            return after;
        }
        let next = self.next_line[before];
        let last = self.last_line[after];
        if comment.starts_line && last >= before { last } else { next }
    }
}

/// By gap of the source: behind the last printed token known before it, and the first one after.
fn neighbours(known: &[Option<usize>], count: usize) -> (Vec<usize>, Vec<usize>) {
    let mut before = vec![0];
    for token in known {
        let last = before.last().copied().unwrap_or(0);
        before.push(token.map_or(last, |token| last.max(token + 1)));
    }
    let mut after = vec![count; known.len() + 1];
    for (gap, token) in known.iter().enumerate().rev() {
        after[gap] = token.map_or(after[gap + 1], |token| after[gap + 1].min(token));
    }
    (before, after)
}

/// Pairs of tokens that mean the same, in order.
fn common(
    source: &Tokens<'_>,
    printed: &Tokens<'_>,
    mut left: Range<usize>,
    mut right: Range<usize>,
) -> Vec<(usize, usize)> {
    let is_same = |a, b| is_same(source, a, printed, b);
    let mut pairs = Vec::new();
    while !left.is_empty() && !right.is_empty() && is_same(left.start, right.start) {
        pairs.push((left.start, right.start));
        (left.start, right.start) = (left.start + 1, right.start + 1);
    }
    let mut behind = Vec::new();
    while !left.is_empty() && !right.is_empty() && is_same(left.end - 1, right.end - 1) {
        (left.end, right.end) = (left.end - 1, right.end - 1);
        behind.push((left.end, right.end));
    }
    if left.len().saturating_mul(right.len()) <= MAX_COMPARED {
        longest_common(left, right, is_same, &mut pairs);
    }
    pairs.extend(behind.iter().rev());
    pairs
}

/// A longest common subsequence.
fn longest_common(
    left: Range<usize>,
    right: Range<usize>,
    is_same: impl Fn(usize, usize) -> bool,
    pairs: &mut Vec<(usize, usize)>,
) {
    let width = right.len() + 1;
    let mut best = vec![0_usize; (left.len() + 1) * width];
    for a in (0..left.len()).rev() {
        for b in (0..right.len()).rev() {
            best[a * width + b] = match is_same(left.start + a, right.start + b) {
                true => best[(a + 1) * width + b + 1] + 1,
                false => best[(a + 1) * width + b].max(best[a * width + b + 1]),
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < left.len() && b < right.len() {
        if is_same(left.start + a, right.start + b) {
            pairs.push((left.start + a, right.start + b));
            (a, b) = (a + 1, b + 1);
        } else if best[(a + 1) * width + b] >= best[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
}

/// True for tokens that may be spellings of the same.
fn is_same(source: &Tokens<'_>, a: usize, printed: &Tokens<'_>, b: usize) -> bool {
    let (Some(left), Some(right)) = (source.kind(a), printed.kind(b)) else { return false };
    let (a, b) = (source.source(a), printed.source(b));
    match (left, right) {
        (Kind::String | Kind::Hex, Kind::String | Kind::Hex) => true,
        _ if left != right => false,
        (Kind::Number | Kind::Meta | Kind::Arrow, _) => true,
        (Kind::Value | Kind::Block | Kind::Symbol, _) => {
            let (a, b) = (literal::parse_name(a), literal::parse_name(b));
            let is_numbered =
                |name: &Option<std::borrow::Cow<'_, str>>| name.as_deref().is_some_and(literal::is_number);
            a == b || is_numbered(&a) && is_numbered(&b)
        }
        _ => a == b,
    }
}
