//! Rows of the input.

use crate::error::{DatasetError, at};
use crate::files;
use crate::job::Job;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rows that are read together.
const BATCH: usize = 1024;
/// Columns that are looked for when none is named.
const USUAL: [&str; 3] = ["runtime", "code", "bytecode"];
/// Columns that the table of rows has of its own.
const OWN: [&str; 3] = ["row", "hash", "error"];

/// The files of an input, and what is read of them.
pub(crate) struct Input {
    files: Vec<(PathBuf, u64)>,
    column: String,
    /// Kept columns.
    pub(crate) keep: Vec<Field>,
}

type Builder = ParquetRecordBatchReaderBuilder<File>;

fn open(path: &Path) -> Result<Builder, DatasetError> {
    let file = File::open(path).map_err(at(path))?;
    // Types are those of the columns, not what a writer had in memory.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    Builder::try_new_with_options(file, options).map_err(at(path))
}

impl Input {
    /// Looks at the files of a job.
    pub(crate) fn open(job: &Job) -> Result<Input, DatasetError> {
        let mut files = Vec::new();
        let mut found: Option<(String, Vec<Field>)> = None;
        for path in files::inputs(&job.input)? {
            let builder = open(&path)?;
            let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
            let columns = columns_of(job, &builder)?;
            if found.as_ref().is_some_and(|found| *found != columns) {
                let message = "its columns are not those of the files before it";
                return Err(DatasetError::Format(path, message.to_owned()));
            }
            check_compression(&path, &builder, &columns)?;
            found = Some(columns);
            files.push((path, rows));
        }
        let (column, keep) = found.unwrap_or_default();
        Ok(Input { files, column, keep })
    }

    /// Rows of all files.
    pub(crate) fn rows(&self) -> u64 {
        self.files.iter().map(|(_, rows)| rows).sum()
    }

    /// Calls for each batch of rows after the first `skip`, until told not to.
    pub(crate) fn read(
        &self,
        mut skip: u64,
        mut each: impl FnMut(Result<RecordBatch, DatasetError>) -> bool,
    ) {
        for (path, rows) in &self.files {
            if skip >= *rows {
                skip -= rows;
                continue;
            }
            let builder = open(path).and_then(|builder| {
                let names = std::iter::once(self.column.as_str());
                let names = names.chain(self.keep.iter().map(|field| field.name().as_str()));
                let mask = ProjectionMask::columns(builder.parquet_schema(), names);
                let builder = builder.with_projection(mask).with_batch_size(BATCH);
                builder.with_offset(skip as usize).build().map_err(at(path))
            });
            skip = 0;
            let goes_on = match builder {
                Err(error) => each(Err(error)),
                Ok(reader) => reader.into_iter().all(|batch| each(batch.map_err(at(path)))),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// The column with codes.
    pub(crate) fn codes<'b>(&self, batch: &'b RecordBatch) -> Cells<'b> {
        Cells(batch.column_by_name(&self.column).map(|column| column.as_ref()))
    }
}

/// The column with codes and the kept ones.
fn columns_of(job: &Job, builder: &Builder) -> Result<(String, Vec<Field>), DatasetError> {
    let schema = builder.schema();
    let names = || schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let usual =
        || USUAL.iter().find(|name| schema.field_with_name(name).is_ok()).map(|name| (*name).to_owned());
    let column = job.column.clone().or_else(usual);
    let column = column.ok_or_else(|| DatasetError::Column(String::new(), names()))?;
    let holds_code = |field: &Field| {
        let data_type = field.data_type();
        // A column of nulls alone has a type of its own.
        matches!(data_type, DataType::Binary | DataType::Utf8 | DataType::FixedSizeBinary(_) | DataType::Null)
    };
    if !schema.field_with_name(&column).is_ok_and(holds_code) {
        return Err(DatasetError::Column(column, names()));
    }
    let mut keep = Vec::new();
    for name in &job.keep {
        let absent = |_| DatasetError::NoColumn(name.clone(), names());
        let field = schema.field_with_name(name).map_err(absent)?;
        if OWN.contains(&name.as_str()) {
            let message = format!("the column `{name}` cannot be kept: the table of rows has its own");
            return Err(DatasetError::Format(job.input.clone(), message));
        }
        keep.push(field.clone());
    }
    Ok((column, keep))
}

/// Refuses a compression that is not read, before anything is.
fn check_compression(
    path: &Path,
    builder: &Builder,
    columns: &(String, Vec<Field>),
) -> Result<(), DatasetError> {
    let (code, keep) = columns;
    let is_read = |name: &str| name == code || keep.iter().any(|field| field.name() == name);
    let chunks = builder.metadata().row_groups().iter().flat_map(|group| group.columns());
    for chunk in chunks {
        let name = chunk.column_path().parts().first().map_or("", String::as_str);
        let compression = chunk.compression();
        if is_read(name) && !matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY) {
            let method = compression.to_string().to_lowercase();
            let method = method.split('(').next().unwrap_or_default();
            return Err(DatasetError::Format(
                path.to_owned(),
                format!(
                    "column `{name}` is compressed by {method}, and only snappy and no compression are read: write \
                     it anew, with polars `read_parquet(OLD).write_parquet(NEW, compression=\"snappy\")` or with \
                     DuckDB `COPY (FROM 'OLD') TO 'NEW' (COMPRESSION snappy)`"
                ),
            ));
        }
    }
    Ok(())
}

/// Codes of a batch.
pub(crate) struct Cells<'b>(Option<&'b dyn Array>);

impl<'b> Cells<'b> {
    /// The bytes of a row as they stand there; `None` for null.
    pub(crate) fn raw(&self, row: usize) -> Option<&'b [u8]> {
        let column = self.0.filter(|column| column.is_valid(row))?;
        match column.data_type() {
            DataType::Utf8 => Some(column.as_string::<i32>().value(row).as_bytes()),
            DataType::FixedSizeBinary(_) => Some(column.as_fixed_size_binary().value(row)),
            _ => column.as_binary_opt::<i32>().map(|column| column.value(row)),
        }
    }

    /// The code that raw bytes are.
    pub(crate) fn code(&self, raw: &'b [u8]) -> Result<Cow<'b, [u8]>, String> {
        match self.0.map(|column| column.data_type()) {
            Some(DataType::Utf8) => {
                let text = std::str::from_utf8(raw).map_err(|error| error.to_string())?;
                cairn_driver::bytes_of_hex(text).map(Cow::Owned)
            }
            _ => Ok(Cow::Borrowed(raw)),
        }
    }
}
