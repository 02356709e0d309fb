//! A batch as a table: a Parquet file with the columns of docs/columns.md and the name of each program.
//!
//! The file appears whole, and is the same whatever the number of threads.

use super::program::Program;
use super::{CHUNK, each_chunk, ended};
use crate::args::{AnalyzeArgs, Cli};
use crate::commands::common::{CommandResult, fail, fail_with, usage, written};
use crate::commands::dataset::facts;
use crate::output::{self, Draft};
use arrow_schema::ArrowError;
use cairn_columns::{BatchBuilder, Options, Tables};
use cairn_dataset::TableFile;
use rayon::prelude::*;

/// Programs that become a batch of the table.
const PART: usize = CHUNK / 16;

/// Writes the table of a batch to the output.
pub(super) fn write(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    let Some(output) = &args.output else {
        return Err(usage("`--format parquet` needs `--output FILE`"));
    };
    let options = Options { facts: facts(args)?, fork: args.evm_version, role: args.role.role() };
    let problem = |error: &dyn std::fmt::Display| fail(&format!("{}: {error}", output.display()));
    output::remember_input(&args.file);
    written(output::check(output))?;
    let mut draft = Draft::new(output).map_err(|fault| fail_with(&fault))?;
    let file = draft.file().try_clone().map_err(|error| problem(&error))?;
    let empty = tables_of(&[], options).and_then(|tables| tables.named([]));
    let schema = empty.map_err(|error| problem(&error))?.schema();
    let mut table = TableFile::new(output, file, schema).map_err(|error| fail(&error.to_string()))?;
    let unreadable = each_chunk(cli, args, 0, |chunk| {
        let tables: Vec<_> = chunk.par_chunks(PART).map(|part| tables_of(part, options)).collect();
        for (part, tables) in chunk.chunks(PART).zip(tables) {
            let names = part.iter().map(|program| program.name.as_str());
            let rows = tables.and_then(|tables| tables.named(names)).map_err(|error| problem(&error))?;
            table.write(&rows).map_err(|error| fail(&error.to_string()))?;
        }
        Ok(())
    })?;
    table.close().map_err(|error| fail(&error.to_string()))?;
    written(draft.commit())?;
    ended(unreadable)
}

/// The facts of some programs.
fn tables_of(programs: &[Program], options: Options) -> Result<Tables, ArrowError> {
    let mut batch = BatchBuilder::new(options);
    batch.reserve(programs.iter().flat_map(|program| &program.code).map(Vec::len).sum());
    for program in programs {
        match &program.code {
            Ok(code) => batch.push(code),
            Err(error) => batch.push_error(error),
        }
    }
    batch.finish()
}
