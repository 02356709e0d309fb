//! `--strict-assembly`: what is shown of Yul objects.

use crate::args::{Args, Language};
use serde_json::Value;

/// A section of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// The Yul after the Yul optimizer, where one was asked for.
    Source,
    Binary,
    Assembly,
    AssemblyJson,
}

/// The sections that a command line asks for, in the order in which they are shown; without any, all
/// but the JSON.
fn sections(args: &Args) -> Vec<Section> {
    let outputs = &args.outputs;
    let asked = [
        (outputs.ir_optimized, Section::Source),
        (outputs.bin, Section::Binary),
        (outputs.asm, Section::Assembly),
        (outputs.asm_json, Section::AssemblyJson),
    ];
    let asked: Vec<Section> = asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|one| one.1).collect();
    if asked.is_empty() { vec![Section::Source, Section::Binary, Section::Assembly] } else { asked }
}

/// Outputs in standard JSON that the sections need.
pub(crate) fn needs(args: &Args) -> impl Iterator<Item = &'static str> {
    sections(args).into_iter().map(|section| match section {
        Section::Source => "irOptimized",
        Section::Binary => "evm.bytecode.object",
        Section::Assembly => "evm.assembly",
        Section::AssemblyJson => "evm.legacyAssembly",
    })
}

/// Refuses what Yul has not.
///
/// # Errors
/// An option that is for Solidity.
pub(crate) fn check(args: &Args, language: Language) -> Result<(), String> {
    if language == Language::Solidity {
        return Ok(());
    }
    if args.outputs.output_dir.is_some() {
        return Err("Option --output-dir is not supported with --strict-assembly.".into());
    }
    let outputs = &args.outputs;
    let asked = [
        (outputs.abi, "--abi"),
        (outputs.ast_compact_json, "--ast-compact-json"),
        (outputs.bin_runtime, "--bin-runtime"),
        (!outputs.combined_json.is_empty(), "--combined-json"),
        (outputs.devdoc, "--devdoc"),
        (outputs.gas, "--gas"),
        (outputs.hashes, "--hashes"),
        (outputs.ir, "--ir"),
        (outputs.ir_ast_json, "--ir-ast-json"),
        (outputs.ir_optimized_ast_json, "--ir-optimized-ast-json"),
        (outputs.metadata, "--metadata"),
        (outputs.opcodes, "--opcodes"),
        (outputs.storage_layout, "--storage-layout"),
        (outputs.transient_storage_layout, "--transient-storage-layout"),
        (outputs.userdoc, "--userdoc"),
    ];
    let refused: Vec<&str> = asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|one| one.1).collect();
    if refused.is_empty() {
        return Ok(());
    }
    Err(format!("The following outputs are not supported in assembler mode: {}.", refused.join(", ")))
}

/// All objects of an answer.
pub(crate) fn text(args: &Args, answer: &Value) -> String {
    let mut text = String::new();
    for (file, objects) in answer["contracts"].as_object().into_iter().flatten() {
        for (_, object) in objects.as_object().into_iter().flatten() {
            text += &format!("\n======= {file} (EVM) =======\n");
            text += &sections(args).into_iter().map(|one| section(args, one, object)).collect::<String>();
        }
    }
    text
}

fn section(args: &Args, section: Section, object: &Value) -> String {
    let evm = &object["evm"];
    let line = |value: &Value| value.as_str().unwrap_or_default().trim_end().to_owned();
    match section {
        Section::Source => format!("\nPretty printed source:\n{}\n\n", line(&object["irOptimized"])),
        Section::Binary => format!("\nBinary representation:\n{}\n", line(&evm["bytecode"]["object"])),
        Section::Assembly => format!("\nText representation:\n{}\n", line(&evm["assembly"])),
        Section::AssemblyJson if args.outputs.pretty_json => format!("{:#}\n", evm["legacyAssembly"]),
        Section::AssemblyJson => format!("{}\n", evm["legacyAssembly"]),
    }
}
