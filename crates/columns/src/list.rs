//! A list for each code: the end of each, and columns of the items.

use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, ListArray, PrimitiveArray, StructArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use std::sync::Arc;

/// A batch has more items than an offset of 32 bits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the facts of this code do not fit into the batch any more")
    }
}

impl std::error::Error for TooLarge {}

/// Columns of the items of a kind of list.
pub(crate) trait Items {
    /// Names and types.
    fn fields() -> Vec<Field>;
    /// Number of items so far.
    fn len(&self) -> usize;
    /// Makes room for the items of so many bytes of code, about; nothing where a code has few.
    fn reserve(&mut self, _bytes: usize) {}
    /// The columns, in the order of the fields.
    fn finish(self) -> Vec<ArrayRef>;
}

/// Lists of items, one a row.
pub(crate) struct Lists<I> {
    pub(crate) items: I,
    ends: Vec<i32>,
    valid: Vec<bool>,
}

impl<I: Items + Default> Default for Lists<I> {
    fn default() -> Lists<I> {
        Lists { items: I::default(), ends: vec![0], valid: Vec::new() }
    }
}

impl<I: Items> Lists<I> {
    /// Ends the list of a row with the items since the last one.
    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.items.len() as i32);
        self.valid.push(true);
    }

    /// A row without a list.
    pub(crate) fn null_row(&mut self) {
        self.ends.push(self.items.len() as i32);
        self.valid.push(false);
    }

    pub(crate) fn finish(self) -> Result<ListArray, ArrowError> {
        let fields = Fields::from(I::fields());
        let count = self.items.len();
        let items = StructArray::try_new_with_length(fields, self.items.finish(), None, count)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        let nulls = NullBuffer::from(self.valid);
        let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
        ListArray::try_new(item_field::<I>(), offsets, Arc::new(items), nulls)
    }
}

/// The field of the items.
fn item_field<I: Items>() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(I::fields().into()), false))
}

pub(crate) fn int32(values: Vec<i32>) -> ArrayRef {
    numbers::<Int32Type>(values)
}

pub(crate) fn int64(values: Vec<i64>) -> ArrayRef {
    numbers::<Int64Type>(values)
}

fn numbers<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), None))
}

/// Numbers where -1 stands for none.
pub(crate) fn optional_int32(values: Vec<i32>) -> ArrayRef {
    let nulls = NullBuffer::new(BooleanBuffer::collect_bool(values.len(), |place| values[place] >= 0));
    Arc::new(Int32Array::new(values.into(), Some(nulls).filter(|nulls| nulls.null_count() > 0)))
}

pub(crate) fn booleans(values: Vec<bool>) -> ArrayRef {
    Arc::new(BooleanArray::new(BooleanBuffer::from(values), None))
}

/// Lists of items, with where each ends.
pub(crate) fn lists(items: impl Array + 'static, ends: Vec<i32>) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), false));
    Arc::new(ListArray::new(field, OffsetBuffer::new(ScalarBuffer::from(ends)), Arc::new(items), None))
}

/// An offset or a length of code: those are far below 2^31.
pub(crate) fn signed(number: u32) -> i32 {
    number.min(i32::MAX as u32) as i32
}
