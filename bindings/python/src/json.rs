//! Rows of tables as JSON: what a single analysis tells is what a batch has in its columns.
//!
//! Bytes become `0x` and digits; lists and structs become arrays and objects.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use serde_json::{Map, Value};

/// A row as an object.
pub(crate) fn row(batch: &RecordBatch, row: usize) -> Value {
    let schema = batch.schema();
    let names = schema.fields().iter().map(|field| field.name().clone());
    let cells = batch.columns().iter().map(|column| cell(column, row));
    Value::Object(names.zip(cells).collect::<Map<_, _>>())
}

/// A cell. Types that our tables do not have are null.
fn cell(column: &dyn Array, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::Binary => {
            format!("0x{}", cairn_evm::hex::encode(column.as_binary::<i32>().value(row))).into()
        }
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            (0..items.len()).map(|item| cell(&items, item)).collect()
        }
        DataType::Struct(fields) => {
            let names = fields.iter().map(|field| field.name().clone());
            let cells = column.as_struct().columns().iter().map(|column| cell(column, row));
            Value::Object(names.zip(cells).collect::<Map<_, _>>())
        }
        _ => Value::Null,
    }
}
