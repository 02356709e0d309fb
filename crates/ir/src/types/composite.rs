//! Composite types: structs, arrays and vectors.
//!
//! They exist in free form only; the legalizer takes them apart. A [`Composite`] is a small id, so
//! that types stay cheap to copy and compare; what it is made of stands in a table that all modules
//! of the process share, each shape once. Two composites are equal exactly if they are made of the
//! same types. They are ordered by what they are made of, never by id, so that nothing depends on
//! which one was made first.
//!
//! In memory, calldata and storage the parts of a composite follow each other, each in whole words.

use crate::types::Type;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// A composite has at most so many words, so that it can be taken apart into values.
pub const MAX_WORDS: usize = 256;

/// Composites nest so deep at most.
pub const MAX_DEPTH: usize = 16;

/// What a composite is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// `struct<T, …>`: parts of any types.
    Struct(Vec<Type>),
    /// `array<N x T>`: parts of one type.
    Array(u32, Type),
    /// `vec<N x T>`: numbers of one type, on which arithmetic works lane by lane.
    Vector(u32, Type),
}

/// A composite type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Composite(u32);

#[derive(Clone)]
struct Row {
    shape: Arc<Shape>,
    words: usize,
    depth: usize,
}

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    ids: FxHashMap<Arc<Shape>, u32>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

impl Shape {
    /// Words that a value takes; `None` if a part has no value or is no number in a vector, if
    /// there is no part, or if there are too many words.
    fn words(&self) -> Option<usize> {
        let words = match self {
            Shape::Struct(parts) => {
                parts.iter().try_fold(0usize, |sum, ty| sum.checked_add(value_words(*ty)?))?
            }
            Shape::Array(count, ty) => value_words(*ty)?.checked_mul(usize::try_from(*count).ok()?)?,
            Shape::Vector(count, ty) => {
                let is_number = matches!(ty, Type::Int(_) | Type::Bool) || ty.is_fixed() || ty.is_float();
                let words = value_words(*ty).filter(|_| is_number)?;
                words.checked_mul(usize::try_from(*count).ok()?)?
            }
        };
        (1..=MAX_WORDS).contains(&words).then_some(words)
    }

    /// Composites around the innermost parts, this one included.
    fn depth(&self) -> usize {
        let of_part = |ty: &Type| match ty {
            Type::Composite(composite) => composite.depth(),
            _ => 0,
        };
        match self {
            Shape::Struct(parts) => 1 + parts.iter().map(of_part).max().unwrap_or(0),
            Shape::Array(_, ty) | Shape::Vector(_, ty) => 1 + of_part(ty),
        }
    }
}

/// Words that a part takes; `None` for types without values.
fn value_words(ty: Type) -> Option<usize> {
    Some(ty.words()).filter(|words| *words > 0)
}

impl Composite {
    /// The type of this shape; `None` if a part has no value or is no number in a vector, if there
    /// is no part, or if it is larger than [`MAX_WORDS`] or deeper than [`MAX_DEPTH`].
    pub fn new(shape: Shape) -> Option<Composite> {
        let (words, depth) = (shape.words()?, shape.depth());
        if depth > MAX_DEPTH {
            return None;
        }
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = table.ids.get(&shape) {
            return Some(Composite(*id));
        }
        let id = u32::try_from(table.rows.len()).ok()?;
        let shape = Arc::new(shape);
        table.rows.push(Row { shape: Arc::clone(&shape), words, depth });
        table.ids.insert(shape, id);
        Some(Composite(id))
    }

    fn row(self) -> Row {
        TABLE.read().unwrap_or_else(PoisonError::into_inner).rows[self.0 as usize].clone()
    }

    /// What it is made of.
    pub fn shape(self) -> Arc<Shape> {
        self.row().shape
    }

    /// Words that a value takes in memory, at least one.
    pub fn words(self) -> usize {
        self.row().words
    }

    /// Composites around the innermost parts, this one included.
    pub fn depth(self) -> usize {
        self.row().depth
    }

    /// Number of parts.
    pub fn len(self) -> usize {
        match *self.shape() {
            Shape::Struct(ref parts) => parts.len(),
            Shape::Array(count, _) | Shape::Vector(count, _) => count as usize,
        }
    }

    /// Never true: a composite has a part.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The type of the part with this index.
    pub fn part(self, index: usize) -> Option<Type> {
        match *self.shape() {
            Shape::Struct(ref parts) => parts.get(index).copied(),
            Shape::Array(count, ty) | Shape::Vector(count, ty) => (index < count as usize).then_some(ty),
        }
    }

    /// The types of all parts in order.
    pub fn parts(self) -> Vec<Type> {
        match *self.shape() {
            Shape::Struct(ref parts) => parts.clone(),
            Shape::Array(count, ty) | Shape::Vector(count, ty) => vec![ty; count as usize],
        }
    }

    /// The type that all parts have: not of a struct.
    pub fn element(self) -> Option<Type> {
        match *self.shape() {
            Shape::Array(_, ty) | Shape::Vector(_, ty) => Some(ty),
            Shape::Struct(_) => None,
        }
    }

    /// Lanes and their type, of a vector.
    pub fn lanes(self) -> Option<(u32, Type)> {
        match *self.shape() {
            Shape::Vector(count, ty) => Some((count, ty)),
            Shape::Struct(_) | Shape::Array(..) => None,
        }
    }
}

impl PartialOrd for Composite {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Composite {
    fn cmp(&self, other: &Self) -> Ordering {
        self.shape().cmp(&other.shape())
    }
}

impl fmt::Debug for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.shape() {
            Shape::Struct(ref parts) => {
                f.write_str("struct<")?;
                for (index, part) in parts.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str(">")
            }
            Shape::Array(count, ty) => write!(f, "array<{count} x {ty}>"),
            Shape::Vector(count, ty) => write!(f, "vec<{count} x {ty}>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_interned_and_ordered_by_content() {
        let vector = |count, ty| Composite::new(Shape::Vector(count, ty));
        let pair = || Composite::new(Shape::Struct(vec![Type::U256, Type::Bool])).expect("small");
        assert_eq!(pair(), pair());
        assert_eq!((pair().len(), pair().words(), pair().part(1)), (2, 2, Some(Type::Bool)));
        assert_eq!(pair().to_string(), "struct<u256, bool>");
        let (later, earlier) = (vector(9, Type::U256), vector(3, Type::U256));
        assert!(earlier < later);
        let nested = Composite::new(Shape::Array(3, Type::Composite(pair()))).expect("small");
        assert_eq!((nested.words(), nested.to_string().as_str()), (6, "array<3 x struct<u256, bool>>"));
    }

    #[test]
    fn what_has_no_value_or_is_too_large_is_no_composite() {
        assert_eq!(Composite::new(Shape::Struct(Vec::new())), None);
        assert_eq!(Composite::new(Shape::Array(0, Type::U256)), None);
        assert_eq!(Composite::new(Shape::Array(257, Type::U256)), None);
        assert_eq!(Composite::new(Shape::Array(u32::MAX, Type::Int(4096))), None);
        assert_eq!(Composite::new(Shape::Struct(vec![Type::Void])), None);
        assert_eq!(Composite::new(Shape::Vector(2, Type::MEMORY)), None);
        assert!(Composite::new(Shape::Array(16, Type::Int(4096))).is_some());
    }
}
