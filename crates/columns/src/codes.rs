//! The columns that each code has once.

use crate::facts::Facts;
use crate::list::signed;
use alloy_primitives::keccak256;
use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int32Builder, StringBuilder};
use arrow_schema::{DataType, Field};
use cairn_bytecode::{Analysis, Metadata};
use std::sync::Arc;

/// Fields of [`Codes`] under the facts that they belong to.
pub(crate) fn fields(facts: Facts) -> Vec<Field> {
    let mut fields = vec![optional("error", DataType::Utf8)];
    if facts.contains(Facts::CODES) {
        fields.extend([
            optional("hash", DataType::Binary),
            optional("length", DataType::Int32),
            optional("metadata_length", DataType::Int32),
            optional("compiler", DataType::Utf8),
            optional("compiler_version", DataType::Utf8),
        ]);
    }
    if facts.contains(Facts::CLOSED) {
        fields.extend([
            optional("closed", DataType::Boolean),
            optional("coarse", DataType::Boolean),
            optional("role", DataType::Utf8),
        ]);
    }
    fields
}

fn optional(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

/// The columns.
#[derive(Default)]
pub(crate) struct Codes {
    error: StringBuilder,
    hash: BinaryBuilder,
    length: Int32Builder,
    metadata_length: Int32Builder,
    compiler: StringBuilder,
    compiler_version: StringBuilder,
    closed: BooleanBuilder,
    coarse: BooleanBuilder,
    role: StringBuilder,
}

impl Codes {
    /// Ends a row with what is known of a code, or with why nothing is.
    pub(crate) fn end_row(&mut self, error: Option<&str>) {
        self.error.append_option(error);
        if error.is_some() {
            self.hash.append_null();
            self.length.append_null();
            self.metadata_length.append_null();
            self.compiler.append_null();
            self.compiler_version.append_null();
            self.closed.append_null();
            self.coarse.append_null();
            self.role.append_null();
        }
    }

    pub(crate) fn add_code(&mut self, code: &[u8], hash: Option<[u8; 32]>, metadata: Option<&Metadata>) {
        self.hash.append_value(hash.unwrap_or_else(|| keccak256(code).0));
        self.length.append_value(i32::try_from(code.len()).unwrap_or(i32::MAX));
        self.metadata_length.append_value(metadata.map_or(0, |metadata| signed(metadata.length)));
        self.compiler.append_option(metadata.and_then(|metadata| metadata.compiler.as_deref()));
        self.compiler_version.append_option(metadata.and_then(|metadata| metadata.version.as_deref()));
    }

    pub(crate) fn add_graph(&mut self, analysis: &Analysis<'_>) {
        self.closed.append_value(analysis.is_closed());
        self.coarse.append_value(analysis.is_coarse());
        self.role.append_value(analysis.role.name());
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        use arrow_array::builder::ArrayBuilder;
        self.error.len()
    }

    /// The columns of the facts, in the order of [`fields`].
    pub(crate) fn finish(mut self, facts: Facts) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.error.finish())];
        if facts.contains(Facts::CODES) {
            columns.push(Arc::new(self.hash.finish()));
            columns.push(Arc::new(self.length.finish()));
            columns.push(Arc::new(self.metadata_length.finish()));
            columns.push(Arc::new(self.compiler.finish()));
            columns.push(Arc::new(self.compiler_version.finish()));
        }
        if facts.contains(Facts::CLOSED) {
            columns.push(Arc::new(self.closed.finish()));
            columns.push(Arc::new(self.coarse.finish()));
            columns.push(Arc::new(self.role.finish()));
        }
        columns
    }
}
