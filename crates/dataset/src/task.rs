//! What becomes of a code: the columns of the result.

use crate::error::DatasetError;
use crate::rows::metadata;
use crate::spool::Hash;
use arrow_array::builder::{BinaryBuilder, Int32Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use cairn_bytecode::Role;
use cairn_columns::{BatchBuilder, Options as ColumnOptions};
use cairn_driver::{Options, Session, lift, print_module, recompile};
use cairn_evm::Fork;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// How codes are worked on.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    Analyze(ColumnOptions),
    Recompile(Box<Options>, Option<Role>),
    Lift(Box<Options>, Option<Role>),
}

impl Recipe {
    /// Reads an order.
    pub(crate) fn of(order: &Value) -> Result<Recipe, String> {
        let text = |key: &str| order[key].as_str().unwrap_or_default();
        let fork: Fork = text("fork").parse().map_err(|_| format!("no fork `{}`", text("fork")))?;
        let roles = [Role::Runtime, Role::Creation, Role::Either];
        let role = roles.into_iter().find(|role| role.name() == text("role"));
        match text("task") {
            "analyze" => {
                let facts = text("facts").parse().map_err(|error| format!("{error}"))?;
                Ok(Recipe::Analyze(ColumnOptions { facts, fork, role }))
            }
            "recompile" => {
                let (level, runs) = (text("level").parse()?, order["runs"].as_u64());
                let runs = runs.ok_or_else(|| "no number of `runs`".to_owned())?;
                let options = Options { fork, level, runs, ..Options::default() };
                Ok(Recipe::Recompile(Box::new(options), role))
            }
            "lift" => Ok(Recipe::Lift(Box::new(Options { fork, ..Options::default() }), role)),
            other => Err(format!("no task `{other}`")),
        }
    }

    pub(crate) fn start(&self) -> Results {
        match self {
            Recipe::Analyze(options) => Results::Facts(Box::new(BatchBuilder::new(*options))),
            Recipe::Recompile(..) | Recipe::Lift(..) => {
                Results::Texts(Box::new(Texts { recipe: self.clone(), ..Texts::default() }))
            }
        }
    }

    /// The columns of a result, with the hash first.
    pub(crate) fn schema(&self) -> Result<SchemaRef, DatasetError> {
        let empty = self.start().finish().and_then(|batch| with_hashes(&batch, &[]));
        empty.map(|batch| batch.schema()).map_err(|error| DatasetError::Worker(error.to_string()))
    }
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe::Analyze(ColumnOptions::default())
    }
}

/// Rows in the making.
pub(crate) enum Results {
    Facts(Box<BatchBuilder>),
    Texts(Box<Texts>),
}

impl Results {
    /// Works on a code, after `before`. A fault of ours is an error of its row.
    pub(crate) fn push(&mut self, hash: Hash, code: &[u8], before: impl FnOnce()) {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            before();
            match self {
                Results::Facts(batch) => batch.push_hashed(code, Some(hash)),
                Results::Texts(texts) => texts.push(code),
            }
        }));
        if let Err(payload) = outcome {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown");
            self.push_error(&format!("internal error: {text}"));
        }
    }

    pub(crate) fn push_error(&mut self, error: &str) {
        match self {
            Results::Facts(batch) => batch.push_error(error),
            Results::Texts(texts) => texts.end(Err(error.to_owned())),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        match self {
            Results::Facts(batch) => batch.rows(),
            Results::Texts(texts) => texts.rows,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Results::Facts(batch) => batch.bytes(),
            Results::Texts(texts) => texts.bytes,
        }
    }

    pub(crate) fn finish(self) -> Result<RecordBatch, ArrowError> {
        match self {
            Results::Facts(batch) => batch.finish()?.nested(),
            Results::Texts(texts) => texts.finish(),
        }
    }
}

/// Results of recompiling and lifting.
#[derive(Default)]
pub(crate) struct Texts {
    recipe: Recipe,
    error: StringBuilder,
    length: Int32Builder,
    code: BinaryBuilder,
    kept: StringBuilder,
    module: StringBuilder,
    rows: usize,
    bytes: usize,
}

/// What became of a code: bytes and why they are the original's, or a module.
enum Made {
    Code(Vec<u8>, Option<String>),
    Module(String),
}

impl Texts {
    fn push(&mut self, code: &[u8]) {
        let made = match &self.recipe {
            Recipe::Recompile(options, role) => {
                let mut session = Session::default();
                let made = recompile(code, *role, options, &mut session);
                made.map(|made| Made::Code(made.code, made.kept)).map_err(|error| error.to_string())
            }
            Recipe::Lift(options, role) => {
                let mut session = Session::default();
                lift(code, *role, options, &mut session)
                    .map(|lifted| Made::Module(print_module(&lifted.module)))
            }
            Recipe::Analyze(_) => Err("facts are columns".to_owned()),
        };
        self.end(made);
    }

    fn end(&mut self, made: Result<Made, String>) {
        self.rows += 1;
        self.error.append_option(made.as_ref().err());
        let (code, kept, module) = match made {
            Ok(Made::Code(code, kept)) => (Some(code), kept, None),
            Ok(Made::Module(module)) => (None, None, Some(module)),
            Err(_) => (None, None, None),
        };
        self.bytes += code.as_ref().map_or(0, Vec::len) + module.as_ref().map_or(0, String::len) + 64;
        self.length.append_option(code.as_ref().and_then(|code| i32::try_from(code.len()).ok()));
        self.code.append_option(code);
        self.kept.append_option(kept);
        self.module.append_option(module);
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let mut fields = vec![Field::new("error", DataType::Utf8, true)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.error.finish())];
        let mut add = |name: &str, data_type: DataType, column: ArrayRef| {
            fields.push(Field::new(name, data_type, true));
            columns.push(column);
        };
        if let Recipe::Lift(..) = self.recipe {
            add("module", DataType::Utf8, Arc::new(self.module.finish()));
        } else {
            add("length", DataType::Int32, Arc::new(self.length.finish()));
            add("code", DataType::Binary, Arc::new(self.code.finish()));
            add("kept", DataType::Utf8, Arc::new(self.kept.finish()));
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }
}

/// The batch with the hashes of its codes as the first column, those of failed rows too.
pub(crate) fn with_hashes(batch: &RecordBatch, hashes: &[Hash]) -> Result<RecordBatch, ArrowError> {
    let hashes = BinaryArray::from_iter_values(hashes.iter().map(|hash| hash.as_slice()));
    with_hash_column(batch, Arc::new(hashes))
}

/// The batch with another column of hashes, in the first place; it may be null where it has nulls.
pub(crate) fn with_hash_column(batch: &RecordBatch, hashes: ArrayRef) -> Result<RecordBatch, ArrowError> {
    let mut fields = vec![Arc::new(Field::new("hash", DataType::Binary, hashes.null_count() > 0))];
    let mut columns: Vec<ArrayRef> = vec![hashes];
    let schema = batch.schema();
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        if field.name() != "hash" {
            fields.push(field.clone());
            columns.push(column.clone());
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new_with_metadata(fields, metadata())), columns)
}
