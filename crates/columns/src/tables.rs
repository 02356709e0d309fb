//! The tables of a batch: lists side by side, or one flat table for each kind of fact.

use crate::codes;
use crate::facts::Facts;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// Version of the schema: higher when columns are renamed, removed or mean something else. New
/// columns alone leave it as it is.
pub const SCHEMA_VERSION: u32 = 2;

/// Key of the version in the metadata of schemas.
pub const VERSION_KEY: &str = "cairn.schema_version";

/// The facts of a batch of codes.
#[derive(Clone, Debug)]
pub struct Tables {
    facts: Facts,
    rows: usize,
    codes: Vec<ArrayRef>,
    lists: Vec<(Facts, ListArray)>,
}

impl Tables {
    pub(crate) fn new(
        facts: Facts,
        rows: usize,
        codes: Vec<ArrayRef>,
        lists: Vec<(Facts, ListArray)>,
    ) -> Tables {
        Tables { facts, rows, codes, lists }
    }

    /// Codes of the batch.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What was asked for.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// One row a code: the columns of codes, then a list for each other kind of fact. Rows with an
    /// `error` have nulls for all else. Nothing is copied.
    ///
    /// # Errors
    /// Those of Arrow about arrays that do not fit together, which would be a mistake here.
    pub fn nested(&self) -> Result<RecordBatch, ArrowError> {
        let mut fields = codes::fields(self.facts);
        let mut columns = self.codes.clone();
        for (fact, list) in &self.lists {
            fields.push(Field::new(fact.to_string(), list.data_type().clone(), true));
            columns.push(Arc::new(list.clone()));
        }
        batch(fields, columns, self.rows)
    }

    /// The same with the name of each code in front, in the column `name`.
    ///
    /// # Errors
    /// There are more or fewer names than codes.
    pub fn named<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<RecordBatch, ArrowError> {
        let nested = self.nested()?;
        let mut fields = vec![Field::new("name", DataType::Utf8, false)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from_iter_values(names))];
        fields.extend(nested.schema().fields().iter().map(|field| field.as_ref().clone()));
        columns.extend(nested.columns().iter().cloned());
        batch(fields, columns, self.rows)
    }

    /// The flat table of one kind of fact: a row for each item, with the number of its code in
    /// `row`, counted from `first_row`. [`Facts::CODES`] and [`Facts::CLOSED`] are columns of one
    /// table, with a row for each code; so is what was not asked for, with no columns else.
    ///
    /// # Errors
    /// Those of Arrow about arrays that do not fit together, which would be a mistake here.
    pub fn table(&self, fact: Facts, first_row: i64) -> Result<RecordBatch, ArrowError> {
        let mut fields = vec![Field::new("row", DataType::Int64, false)];
        let Some((_, list)) = self.lists.iter().find(|(known, _)| *known == fact) else {
            let rows: Int64Array = (first_row..).take(self.rows).collect();
            let mut columns: Vec<ArrayRef> = vec![Arc::new(rows)];
            fields.extend(codes::fields(self.facts));
            columns.extend(self.codes.iter().cloned());
            return batch(fields, columns, self.rows);
        };
        let items = list.values().as_any().downcast_ref::<arrow_array::StructArray>();
        let items = items.ok_or_else(|| ArrowError::SchemaError("lists hold structs".to_owned()))?;
        let lengths = list.offsets().lengths().zip(first_row..);
        let rows: Vec<i64> = lengths.flat_map(|(count, row)| std::iter::repeat_n(row, count)).collect();
        let mut columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(rows))];
        fields.extend(items.fields().iter().map(|field| field.as_ref().clone()));
        columns.extend(items.columns().iter().cloned());
        batch(fields, columns, items.len())
    }
}

fn batch(fields: Vec<Field>, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let version = HashMap::from([(VERSION_KEY.to_owned(), SCHEMA_VERSION.to_string())]);
    let schema = Schema::new_with_metadata(fields, version);
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
}
