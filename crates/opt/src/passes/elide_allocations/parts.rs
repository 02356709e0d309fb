//! Origins, the values that buffers are known by, and small sets of them: those that a value is a sum of.

use cranelift_entity::{EntityRef, entity_impl};

/// A value that a buffer may be known by: its index among those of a function. See `buffers`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Origin(u32);
entity_impl!(Origin, "origin");

/// Origins of one value; a sum of more is not followed.
const MAX_PARTS: usize = 4;

/// The origins that a value is the sum of, each once, besides what does not depend on where buffers lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Sorted; the rest is the default.
    origins: [u32; MAX_PARTS],
    len: u8,
}

impl Parts {
    pub(super) fn of(origin: Origin) -> Parts {
        Parts::default().with(origin).unwrap_or_default()
    }

    pub(super) fn iter(self) -> impl DoubleEndedIterator<Item = Origin> {
        self.origins.into_iter().take(usize::from(self.len)).map(|index| Origin::new(index as usize))
    }

    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }

    pub(super) fn contains(self, origin: Origin) -> bool {
        self.iter().any(|part| part == origin)
    }

    /// The set with one more; `None` if that are too many.
    pub(super) fn with(self, origin: Origin) -> Option<Parts> {
        if self.contains(origin) {
            return Some(self);
        }
        let len = usize::from(self.len);
        let mut grown = Parts { len: self.len + 1, ..self };
        *grown.origins.get_mut(len)? = origin.index() as u32;
        grown.origins[..=len].sort_unstable();
        Some(grown)
    }

    /// Those for which this holds.
    pub(super) fn filtered(self, mut keep: impl FnMut(Origin) -> bool) -> Parts {
        self.iter()
            .filter(|origin| keep(*origin))
            .fold(Parts::default(), |parts, origin| parts.with(origin).unwrap_or(parts))
    }

    pub(super) fn without(self, other: Parts) -> Parts {
        self.filtered(|origin| !other.contains(origin))
    }

    pub(super) fn common(self, other: Parts) -> Parts {
        self.filtered(|origin| other.contains(origin))
    }

    /// Both sets; `None` if that are too many.
    pub(super) fn union(self, other: Parts) -> Option<Parts> {
        other.iter().try_fold(self, Parts::with)
    }
}

#[cfg(test)]
mod tests {
    use super::{Origin, Parts};
    use cranelift_entity::EntityRef;

    fn parts(origins: &[usize]) -> Parts {
        origins
            .iter()
            .fold(Parts::default(), |parts, origin| parts.with(Origin::new(*origin)).expect("few are tried"))
    }

    #[test]
    fn sets_do_not_depend_on_the_order() {
        assert_eq!(parts(&[3, 1, 2]), parts(&[2, 3, 1, 3]));
        assert_eq!(parts(&[3, 1]).without(parts(&[3])), parts(&[1]));
        assert_eq!(parts(&[3, 1]).common(parts(&[3, 2])), parts(&[3]));
        assert_eq!(parts(&[3, 1]).union(parts(&[2])), Some(parts(&[1, 2, 3])));
    }

    #[test]
    fn there_is_an_end() {
        assert_eq!(parts(&[1, 2, 3, 4]).with(Origin::new(5)), None);
        assert_eq!(parts(&[1, 2, 3, 4]).with(Origin::new(4)), Some(parts(&[1, 2, 3, 4])));
    }
}
