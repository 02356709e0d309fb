//! The outputs that the command line asks for.

use clap::{ArgAction, Args as ClapArgs};
use std::path::PathBuf;

/// Every name that `--combined-json` takes. py-solc-x reads them from the help.
const COMBINED_NAMES: &str = "abi,asm,ast,bin,bin-runtime,devdoc,function-debug,function-debug-runtime,\
                              generated-sources,generated-sources-runtime,hashes,metadata,opcodes,srcmap,\
                              srcmap-runtime,storage-layout,transient-storage-layout,userdoc";

/// A name of solc before 0.8.10 that says how trees are written: they have that form always.
const COMPACT_TREES: &str = "compact-format";

/// What is printed or written.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Outputs")]
pub(crate) struct Outputs {
    /// Creation code in hex.
    #[arg(long)]
    pub(crate) bin: bool,
    /// Code that is deployed, in hex.
    #[arg(long)]
    pub(crate) bin_runtime: bool,
    /// Interface in JSON.
    #[arg(long)]
    pub(crate) abi: bool,
    /// Assembly.
    #[arg(long)]
    pub(crate) asm: bool,
    /// Assembly in JSON.
    #[arg(long)]
    pub(crate) asm_json: bool,
    /// Opcodes in a row.
    #[arg(long)]
    pub(crate) opcodes: bool,
    /// Selectors of functions and errors, topics of events.
    #[arg(long)]
    pub(crate) hashes: bool,
    /// Metadata.
    #[arg(long)]
    pub(crate) metadata: bool,
    /// Yul as the front end writes it.
    #[arg(long)]
    pub(crate) ir: bool,
    /// Syntax tree of that Yul, in JSON.
    #[arg(long)]
    pub(crate) ir_ast_json: bool,
    /// Yul after the Yul optimizer.
    #[arg(long)]
    pub(crate) ir_optimized: bool,
    /// Syntax tree of that Yul, in JSON.
    #[arg(long)]
    pub(crate) ir_optimized_ast_json: bool,
    /// Places of state variables.
    #[arg(long)]
    pub(crate) storage_layout: bool,
    /// Places of transient state variables.
    #[arg(long)]
    pub(crate) transient_storage_layout: bool,
    /// Documentation for users.
    #[arg(long)]
    pub(crate) userdoc: bool,
    /// Documentation for developers.
    #[arg(long)]
    pub(crate) devdoc: bool,
    /// Estimates of gas.
    #[arg(long)]
    pub(crate) gas: bool,
    /// Syntax trees.
    #[arg(long)]
    pub(crate) ast_compact_json: bool,
    /// One JSON with several outputs, `,` between their names.
    #[arg(long, value_delimiter = ',', value_name = COMBINED_NAMES, value_parser = combined_name)]
    pub(crate) combined_json: Vec<String>,
    /// A folder for the outputs, a file for each.
    #[arg(long, short, value_name = "PATH")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Overwrite files that are there.
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print JSON with line breaks.
    #[arg(long)]
    pub(crate) pretty_json: bool,
    /// Width of a level in JSON with line breaks.
    #[arg(long, value_name = "N", hide = true)]
    json_indent: Option<u8>,
    /// Colours are never written.
    #[arg(long, hide = true, action = ArgAction::SetTrue)]
    color: bool,
    /// Colours are never written.
    #[arg(long, hide = true)]
    no_color: bool,
    /// Numbers of messages.
    #[arg(long)]
    pub(crate) error_codes: bool,
}

fn combined_name(name: &str) -> Result<String, String> {
    if name == COMPACT_TREES || COMBINED_NAMES.split(',').any(|known| known == name) {
        return Ok(name.to_owned());
    }
    Err(format!("known are {COMBINED_NAMES}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::KINDS;

    #[test]
    fn every_output_of_combined_json_has_its_name() {
        let mut known: Vec<&str> = KINDS.iter().map(|kind| kind.combined).chain(["ast"]).collect();
        known.retain(|name| !name.is_empty());
        known.sort_unstable();
        assert_eq!(known.join(","), COMBINED_NAMES);
        assert!(combined_name("compact-format").is_ok() && combined_name("binary").is_err());
    }
}
