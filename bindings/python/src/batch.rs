//! Many codes: Arrow in, Arrow out.
//!
//! Input is anything with `__arrow_c_stream__` or `__arrow_c_array__`; nothing of it is copied but
//! what is kept. Rows are analysed in pieces, each on a thread, in their order.

use crate::code::{fork, role};
use crate::deep;
use crate::error;
use crate::table::{Piece, Table};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::{DataType, Field, FieldRef};
use cairn_columns::{BatchBuilder, Options};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Rows of a piece at most.
const PIECE_ROWS: usize = 256;
/// Why a row without a code has none.
const NULL: &str = "null";
/// Names that the column of codes usually has.
const USUAL: [&str; 3] = ["runtime", "code", "bytecode"];

/// Rows to be analysed together.
pub(crate) struct Rows {
    /// The codes of the rows, or those of a dictionary.
    codes: ArrayRef,
    /// Where in the dictionary the code of each row is. Codes stay there: a long one can stand in so many rows
    /// that they had no room side by side.
    places: Option<Int64Array>,
    kept: Vec<ArrayRef>,
}

impl Rows {
    fn of(codes: ArrayRef, kept: Vec<ArrayRef>) -> PyResult<Rows> {
        let Some(dictionary) = codes.as_any_dictionary_opt() else {
            return Ok(Rows { codes, places: None, kept });
        };
        let places = arrow_cast::cast(dictionary.keys(), &DataType::Int64).map_err(error::of)?;
        let places = places.as_primitive::<Int64Type>().clone();
        Ok(Rows { codes: dictionary.values().clone(), places: Some(places), kept })
    }

    fn len(&self) -> usize {
        self.places.as_ref().map_or(self.codes.len(), Array::len)
    }

    /// The code of each row, or why there is none.
    pub(crate) fn codes(&self) -> impl Iterator<Item = Result<Cow<'_, [u8]>, String>> {
        (0..self.len()).map(|row| self.code(row))
    }

    fn code(&self, row: usize) -> Result<Cow<'_, [u8]>, String> {
        let place = match &self.places {
            None => Some(row),
            Some(places) if places.is_null(row) => None,
            Some(places) => usize::try_from(places.value(row)).ok().filter(|place| *place < self.codes.len()),
        };
        place.map_or_else(|| Err(NULL.to_owned()), |place| code_of(&self.codes, place))
    }

    /// Bytes of the codes of all rows, where they stand side by side.
    fn bytes(&self) -> usize {
        match self.places {
            None => self.codes.to_data().get_slice_memory_size().unwrap_or(0),
            Some(_) => 0,
        }
    }
}

/// What is wanted of a batch.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    column: Option<String>,
    facts: String,
    keep: Vec<String>,
    evm_version: Option<String>,
    role: Option<String>,
    threads: usize,
}

impl Request {
    fn options(&self) -> PyResult<Options> {
        Ok(Options {
            facts: self.facts.parse().map_err(error::of)?,
            fork: fork(self.evm_version.as_deref())?,
            role: role(self.role.as_deref())?,
        })
    }
}

/// Analyses each row.
#[pyfunction]
pub(crate) fn analyze_batch(py: Python<'_>, data: &Bound<'_, PyAny>, request: Request) -> PyResult<Table> {
    let options = request.options()?;
    let reader = arrow_of(data)?.into_reader()?;
    let shape = Shape::of(&reader.field(), request.column.as_deref(), &request.keep)?;
    let pieces = deep::run(py, |stop| {
        let mut rows = Vec::new();
        for array in reader {
            shape.cut(&array.map_err(error::of)?, &mut rows)?;
        }
        analyze(&rows, options, request.threads, stop)
    })??;
    Table::new(options, shape.fields(&pieces), pieces)
}

/// Where codes and kept columns are.
pub(crate) struct Shape {
    /// The column of codes; `None` where the data is nothing but that.
    code: Option<usize>,
    kept: Vec<(usize, FieldRef)>,
}

impl Shape {
    pub(crate) fn of(field: &Field, column: Option<&str>, keep: &[String]) -> PyResult<Shape> {
        let DataType::Struct(fields) = field.data_type() else {
            check_type(column.unwrap_or("data"), field.data_type())?;
            return match keep.first() {
                Some(name) => {
                    Err(error::plain(&format!("no column `{name}`: the data is one column of codes")))
                }
                None => Ok(Shape { code: None, kept: Vec::new() }),
            };
        };
        let find = |name: &str| fields.iter().position(|field| field.name() == name);
        let known = || fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join(", ");
        let missing = |name: &str| error::plain(&format!("no column `{name}`; the data has {}", known()));
        let code = match column {
            Some(name) => find(name).ok_or_else(|| missing(name))?,
            None => USUAL.iter().find_map(|name| find(name)).ok_or_else(|| {
                error::plain(&format!("no column looks like code: name one of {} as `column`", known()))
            })?,
        };
        check_type(fields[code].name(), fields[code].data_type())?;
        let kept = keep.iter().map(|name| {
            let index = find(name).ok_or_else(|| missing(name))?;
            Ok((index, fields[index].clone()))
        });
        Ok(Shape { code: Some(code), kept: kept.collect::<PyResult<_>>()? })
    }

    /// The kept columns of pieces. One in which nothing is null by itself has nulls where rows as a whole are.
    fn fields(&self, pieces: &[Piece]) -> Vec<FieldRef> {
        let field = |(at, (_, field)): (usize, &(usize, FieldRef))| {
            let has_nulls = pieces.iter().any(|piece| piece.kept[at].null_count() > 0);
            match has_nulls && !field.is_nullable() {
                true => Arc::new(Field::clone(field).with_nullable(true)),
                false => field.clone(),
            }
        };
        self.kept.iter().enumerate().map(field).collect()
    }

    /// Cuts an array of the data into pieces.
    pub(crate) fn cut(&self, array: &ArrayRef, rows: &mut Vec<Rows>) -> PyResult<()> {
        // Where a row as a whole is null, so is what it holds.
        let columns = array.as_struct_opt().map(|array| array.flatten().1).unwrap_or_default();
        let codes = self.code.map_or(array, |index| &columns[index]);
        for start in (0..codes.len()).step_by(PIECE_ROWS) {
            let length = PIECE_ROWS.min(codes.len() - start);
            let kept = self.kept.iter().map(|(index, _)| columns[*index].slice(start, length)).collect();
            rows.push(Rows::of(codes.slice(start, length), kept)?);
        }
        Ok(())
    }
}

fn check_type(name: &str, data_type: &DataType) -> PyResult<()> {
    let data_type = if let DataType::Dictionary(_, values) = data_type { values.as_ref() } else { data_type };
    match data_type {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Ok(())
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(()),
        // A column of nulls alone.
        DataType::Null => Ok(()),
        other => Err(error::plain(&format!("column `{name}` holds {other}, neither bytes nor text"))),
    }
}

/// Analyses pieces on threads.
fn analyze(rows: &[Rows], options: Options, threads: usize, stop: &AtomicBool) -> PyResult<Vec<Piece>> {
    let count = match threads {
        0 => std::thread::available_parallelism().map_or(1, |count| count.get()),
        count => count,
    };
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(rows.len()));
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(rows) = rows.get(index) else { break };
            let piece = analyze_piece(rows, options, stop);
            done.lock().unwrap_or_else(|poison| poison.into_inner()).push((index, piece));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..count.min(rows.len()) {
            // Where no more threads are to be had, those that there are do the work.
            _ = deep::thread().spawn_scoped(scope, work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(|poison| poison.into_inner());
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, piece)| piece).collect()
}

fn analyze_piece(rows: &Rows, options: Options, stop: &AtomicBool) -> PyResult<Piece> {
    let mut batch = BatchBuilder::new(options);
    batch.reserve(rows.bytes());
    for code in rows.codes() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        match code {
            Ok(code) => {
                // A fault of ours is an error of its row.
                let outcome = catch_unwind(AssertUnwindSafe(|| batch.push(&code)));
                if let Err(payload) = outcome {
                    batch.push_error(&format!("internal error: {}", deep::text_of(payload.as_ref())));
                }
            }
            Err(reason) => batch.push_error(&reason),
        }
    }
    Ok(Piece { tables: batch.finish().map_err(error::of)?, kept: rows.kept.clone() })
}

/// The code at a place of an array, or why there is none.
fn code_of(codes: &ArrayRef, row: usize) -> Result<Cow<'_, [u8]>, String> {
    if codes.is_null(row) {
        return Err(NULL.to_owned());
    }
    let digits = match codes.data_type() {
        // Nothing says of its rows that they are null.
        DataType::Null => return Err(NULL.to_owned()),
        DataType::Utf8 => codes.as_string::<i32>().value(row),
        DataType::LargeUtf8 => codes.as_string::<i64>().value(row),
        DataType::Utf8View => codes.as_string_view().value(row),
        DataType::LargeBinary => return Ok(codes.as_binary::<i64>().value(row).into()),
        DataType::BinaryView => return Ok(codes.as_binary_view().value(row).into()),
        DataType::FixedSizeBinary(_) => return Ok(codes.as_fixed_size_binary().value(row).into()),
        _ => return Ok(codes.as_binary::<i32>().value(row).into()),
    };
    cairn_driver::bytes_of_hex(digits).map(Cow::Owned)
}

/// What exports Arrow.
fn arrow_of(data: &Bound<'_, PyAny>) -> PyResult<AnyArray> {
    data.extract().or_else(|error| {
        let exports = ["__arrow_c_array__", "__arrow_c_stream__"];
        if exports.iter().any(|name| data.hasattr(name).unwrap_or(false)) {
            return Err(error);
        }
        let class = data.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "`data` is something that exports Arrow, such as a table of pyarrow, polars, pandas or DuckDB, not \
             `{class}`; a list of codes is a column as `pyarrow.array(codes)` or `polars.Series(codes)`"
        )))
    })
}
