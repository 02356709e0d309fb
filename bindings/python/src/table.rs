//! Results as tables that other engines take over without a copy.

use crate::error;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use cairn_columns::{BatchBuilder, Facts, Options, Tables};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use std::sync::Arc;

/// Some rows of a result.
pub(crate) struct Piece {
    pub(crate) tables: Tables,
    /// Columns of the input.
    pub(crate) kept: Vec<ArrayRef>,
}

/// The facts of a batch: a row for each row of the input.
#[pyclass(frozen, module = "cairn")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// What flat tables are made from; empty for a flat table.
    pieces: Vec<Piece>,
    options: Options,
}

impl Table {
    /// A table of pieces in their order.
    ///
    /// # Errors
    /// A kept column has the name of a column of ours.
    pub(crate) fn new(options: Options, kept: Vec<FieldRef>, pieces: Vec<Piece>) -> PyResult<Table> {
        let nested = |piece: &Piece| with_kept(&kept, &piece.kept, &piece.tables.nested()?);
        let batches: Result<Vec<RecordBatch>, ArrowError> = pieces.iter().map(nested).collect();
        let empty = empty(options).and_then(|tables| tables.nested()).map_err(error::of)?;
        let own = empty.schema();
        if let Some(field) = kept.iter().find(|field| own.field_with_name(field.name()).is_ok()) {
            let text = format!("the column `{}` cannot be kept: the result has its own", field.name());
            return Err(error::plain(&text));
        }
        let fields: Vec<FieldRef> = kept.iter().chain(own.fields()).cloned().collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, own.metadata().clone()));
        Ok(Table { schema, batches: batches.map_err(error::of)?, pieces, options })
    }

    /// A table that is nothing but its rows.
    pub(crate) fn flat(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table {
            schema,
            batches,
            pieces: Vec::new(),
            options: Options { facts: Facts::empty(), ..Options::default() },
        }
    }

    fn fields(&self) -> FieldRef {
        let field = Field::new("", DataType::Struct(self.schema.fields().clone()), false);
        Arc::new(field.with_metadata(self.schema.metadata().clone()))
    }
}

#[pymethods]
impl Table {
    /// The flat table of a kind of fact: a row for each item, `row` counts rows of the input.
    fn table(&self, fact: &str) -> PyResult<Table> {
        let facts: Facts = fact.parse().map_err(error::of)?;
        if facts.iter().count() != 1
            || !self.options.facts.contains(facts)
            || self.pieces.len() < self.batches.len()
        {
            return Err(error::plain(&format!(
                "no table `{fact}`; there are those of {}",
                self.options.facts
            )));
        }
        let mut first = 0;
        let mut batches = Vec::new();
        for piece in &self.pieces {
            batches.push(piece.tables.table(facts, first).map_err(error::of)?);
            first += piece.tables.rows() as i64;
        }
        let empty = empty(self.options).and_then(|tables| tables.table(facts, 0)).map_err(error::of)?;
        Ok(Table::flat(empty.schema(), batches))
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<cairn.Table of {} rows: {}>", self.__len__(), self.column_names().join(", "))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let arrays = self.batches.clone().into_iter();
        let arrays = arrays.map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let reader = Box::new(ArrayIterator::new(arrays, self.fields()));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }
}

fn empty(options: Options) -> Result<Tables, ArrowError> {
    BatchBuilder::new(options).finish()
}

/// The kept columns, then ours.
fn with_kept(fields: &[FieldRef], kept: &[ArrayRef], batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let fields: Vec<FieldRef> = fields.iter().chain(schema.fields()).cloned().collect();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let columns = kept.iter().chain(batch.columns()).cloned().collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
}
