//! Equal runs of items at several places.
//!
//! The beginnings of runs are sorted by the items that follow (a suffix array, of [`MAX_RUN`] items
//! at most), so that equal runs are neighbours; each interval of neighbours that share more than
//! those around it is a repeat. Cost: O(n log n) comparisons of runs and one repeat a beginning at
//! most.

use crate::passes::flow::intern;
use crate::program::Item;

/// Items of the longest run.
pub(super) const MAX_RUN: usize = 48;

/// Beginnings `from..to` of the sorted ones that share their first `length` items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repeat {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) length: usize,
}

/// The beginnings in order, and the repeats that `is_worth` a look, given a place and the length.
pub(super) fn find(
    items: &[Item],
    belongs: &[bool],
    is_worth: impl Fn(usize, usize) -> bool,
) -> (Vec<usize>, Vec<Repeat>) {
    let keys = intern(items);
    let ends = run_ends(belongs);
    let run = |start: usize| &keys[start..ends[start]];
    let mut sorted: Vec<usize> =
        (0..items.len()).filter(|start| belongs[*start] && is_worth(*start, ends[*start] - *start)).collect();
    sorted.sort_unstable_by(|one, other| run(*one).cmp(run(*other)).then(one.cmp(other)));
    let mut repeats = intervals(&sorted, |one, other| {
        run(one).iter().zip(run(other)).take_while(|(one, other)| one == other).count()
    });
    repeats.retain(|repeat| is_worth(sorted[repeat.from], repeat.length));
    (sorted, repeats)
}

/// Where the run that begins at each item ends.
fn run_ends(belongs: &[bool]) -> Vec<usize> {
    let mut ends = vec![0; belongs.len()];
    let mut end = belongs.len();
    for (index, belongs) in belongs.iter().enumerate().rev() {
        if !belongs {
            end = index;
        }
        ends[index] = end.min(index + MAX_RUN);
    }
    ends
}

/// The maximal intervals of neighbours that share a number of items, as a stack of open ones.
fn intervals(sorted: &[usize], shared: impl Fn(usize, usize) -> usize) -> Vec<Repeat> {
    let mut closed = Vec::new();
    let mut open: Vec<Repeat> = Vec::new();
    for index in 1..=sorted.len() {
        let length = if index < sorted.len() { shared(sorted[index - 1], sorted[index]) } else { 0 };
        let mut from = index - 1;
        while let Some(last) = open.pop_if(|last| last.length > length) {
            from = last.from;
            closed.push(Repeat { to: index, ..last });
        }
        if length > 0 && open.last().is_none_or(|last| last.length < length) {
            open.push(Repeat { from, to: index, length });
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::flow::testing::program;

    /// The repeats of a text of at least two items, as places and length.
    fn repeats(text: &str) -> Vec<(Vec<usize>, usize)> {
        let items = program(text).items;
        let belongs: Vec<bool> =
            items.iter().map(|item| crate::passes::flow::can_stand_alone(item.kind)).collect();
        let (sorted, repeats) = find(&items, &belongs, |_, length| length >= 2);
        let mut found: Vec<_> = repeats
            .into_iter()
            .map(|repeat| {
                let mut places = sorted[repeat.from..repeat.to].to_vec();
                places.sort_unstable();
                (places, repeat.length)
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn maximal_repeats() {
        assert_eq!(repeats("1 2 3 4 STOP 1 2 3 STOP 2 3 5"), [(vec![0, 5], 3), (vec![1, 6, 9], 2)]);
        assert_eq!(repeats("1 2 3"), []);
    }

    #[test]
    fn runs_end_where_control_comes_or_goes() {
        assert_eq!(repeats("1 L0: 2 STOP 1 L1: 2 STOP"), []);
        assert_eq!(repeats("1 2 STOP 1 2 STOP"), [(vec![0, 3], 2)]);
    }

    #[test]
    fn long_runs_are_cut() {
        let long = vec!["1"; MAX_RUN + 10].join(" ");
        let found = repeats(&format!("{long} STOP {long}"));
        assert_eq!(found.iter().map(|(_, length)| *length).max(), Some(MAX_RUN));
    }
}
