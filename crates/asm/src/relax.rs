//! Widths of the pushes whose values depend on the layout of the code.
//!
//! The code is a sequence of fixed bytes with *marks* between them: labels (one byte, `JUMPDEST`)
//! and pushes of a position. All pushes start at the smallest width and only grow, each time to
//! what the positions computed with the current widths need, until nothing changes. So the result
//! is a fixpoint. Each round is linear in the number of marks; after [`MAX_ROUNDS`] all pushes get
//! the width of the largest position, so a push is never too narrow, at worst a byte too wide.

use crate::program::Label;

/// What a push pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The position of a label.
    Label(Label),
    /// The end of the code plus a number of bytes.
    End(usize),
}

/// A place whose position or size depends on widths.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MarkKind {
    /// A `JUMPDEST` with this label.
    Label(Label),
    /// A push.
    Push(Target),
}

/// A mark and the number of fixed bytes between the previous mark and it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) gap: usize,
    pub(crate) kind: MarkKind,
}

/// The fixpoint.
#[derive(Debug)]
pub(crate) struct Widths {
    /// Immediate bytes of each push, in order of the marks.
    pub(crate) pushes: Vec<u8>,
    /// Position of each label; `None` for labels without a mark.
    pub(crate) labels: Vec<Option<usize>>,
    /// Size of the code.
    pub(crate) code_size: usize,
}

impl Widths {
    /// The value that a push of `target` pushes.
    pub(crate) fn value(&self, target: Target) -> Option<usize> {
        match target {
            Target::Label(label) => self.labels[label.0 as usize],
            Target::End(offset) => Some(self.code_size + offset),
        }
    }
}

/// Rounds before all remaining pushes get the largest width.
const MAX_ROUNDS: usize = 32;

/// Computes the widths. `tail` is the number of fixed bytes after the last mark, `least` the
/// bytes of the narrowest push. Pushes of labels without a mark keep the smallest
/// width; the caller reports them.
pub(crate) fn compute_widths(marks: &[Mark], tail: usize, num_labels: usize, least: u8) -> Widths {
    let num_pushes = marks.iter().filter(|mark| matches!(mark.kind, MarkKind::Push(_))).count();
    let mut widths = Widths { pushes: vec![least; num_pushes], labels: vec![None; num_labels], code_size: 0 };
    place(&mut widths, marks, tail);
    for _ in 0..MAX_ROUNDS {
        if !grow(&mut widths, marks) {
            return widths;
        }
        place(&mut widths, marks, tail);
    }
    widen_all(&mut widths, marks, tail);
    widths
}

/// Gives all pushes the width that the largest position needs.
fn widen_all(widths: &mut Widths, marks: &[Mark], tail: usize) {
    let furthest_end = marks.iter().filter_map(|mark| match mark.kind {
        MarkKind::Push(Target::End(offset)) => Some(offset),
        MarkKind::Push(Target::Label(_)) | MarkKind::Label(_) => None,
    });
    let beyond = furthest_end.max().unwrap_or(0);
    loop {
        let width = byte_width(widths.code_size + beyond);
        if widths.pushes.iter().all(|known| *known >= width) {
            return;
        }
        widths.pushes.fill(width);
        place(widths, marks, tail);
    }
}

/// The number of bytes of a value; 0 for 0.
pub(crate) fn byte_width(value: usize) -> u8 {
    (usize::BITS - value.leading_zeros()).div_ceil(8) as u8
}

/// Computes positions from widths.
fn place(widths: &mut Widths, marks: &[Mark], tail: usize) {
    let mut position = 0;
    let mut push_widths = widths.pushes.iter();
    for mark in marks {
        position += mark.gap;
        match mark.kind {
            MarkKind::Label(label) => {
                widths.labels[label.0 as usize] = Some(position);
                position += 1;
            }
            MarkKind::Push(_) => {
                position += 1 + usize::from(*push_widths.next().expect("invariant: a width for each push"));
            }
        }
    }
    widths.code_size = position + tail;
}

/// Widens the pushes that don't hold their value; false if all hold it.
fn grow(widths: &mut Widths, marks: &[Mark]) -> bool {
    let mut changed = false;
    let targets = marks.iter().filter_map(|mark| match mark.kind {
        MarkKind::Push(target) => Some(target),
        MarkKind::Label(_) => None,
    });
    for (index, target) in targets.enumerate() {
        let needed = widths.value(target).map_or(0, byte_width);
        if needed > widths.pushes[index] {
            widths.pushes[index] = needed;
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(gap: usize, index: u32) -> Mark {
        Mark { gap, kind: MarkKind::Label(Label(index)) }
    }

    fn push(gap: usize, index: u32) -> Mark {
        Mark { gap, kind: MarkKind::Push(Target::Label(Label(index))) }
    }

    #[test]
    fn a_label_at_zero_needs_no_bytes_where_the_fork_has_push0() {
        let marks = [label(0, 0), push(0, 0)];
        assert_eq!(compute_widths(&marks, 1, 1, 0).pushes, [0]);
        assert_eq!(compute_widths(&marks, 1, 1, 1).pushes, [1]);
    }

    #[test]
    fn width_changes_at_256() {
        let at = |gap| compute_widths(&[push(0, 0), label(gap, 0)], 0, 1, 0).pushes[0];
        assert_eq!(at(253), 1);
        assert_eq!(at(254), 2);
    }

    #[test]
    fn growth_of_one_push_can_widen_another() {
        // With one byte each, label 1 lies at 255 and label 0 at 256.
        let marks = [push(0, 0), push(0, 1), label(251, 1), label(0, 0)];
        let widths = compute_widths(&marks, 0, 2, 0);
        assert_eq!(widths.pushes, [2, 2]);
        assert_eq!(widths.labels, [Some(258), Some(257)]);
        assert_eq!(widths.code_size, 259);
    }

    #[test]
    fn a_long_chain_ends_and_every_push_holds_its_value() {
        // Each push that grows moves the next label past 255, one a round.
        let chain = 120;
        let mut marks: Vec<Mark> = (0..chain).map(|index| push(0, index)).collect();
        marks
            .extend((0..chain).map(|index| label(if index == 0 { 256 - 240 } else { 0 }, chain - 1 - index)));
        let widths = compute_widths(&marks, 0, chain as usize, 0);
        for index in 0..chain {
            let value = widths.labels[index as usize].expect("placed");
            assert!(widths.pushes[index as usize] >= byte_width(value));
        }
    }

    #[test]
    fn three_bytes_past_64_kib() {
        let widths = compute_widths(&[push(0, 0), push(70_000, 0), label(0, 0)], 0, 1, 0);
        assert_eq!(widths.pushes, [3, 3]);
        assert_eq!(widths.labels[0], Some(70_008));
    }
}
