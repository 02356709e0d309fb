//! The outputs that solc's command line knows: flag, heading, file, and name in combined JSON.

use crate::args::Args;
use crate::{libraries, signatures};
use serde_json::Value;

/// One output of a contract.
pub(crate) struct Kind {
    /// True when its flag is given.
    flag: fn(&Args) -> bool,
    /// Its name in combined JSON; empty for none.
    pub(crate) combined: &'static str,
    /// Its path in the answer's contract.
    pub(crate) output: &'static str,
    /// The line above it.
    pub(crate) heading: &'static str,
    /// The end of its file's name.
    pub(crate) suffix: &'static str,
    /// How its value is shown.
    pub(crate) form: Form,
}

/// How a value becomes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// It is a text.
    Text,
    /// It is shown as JSON.
    Json,
    /// Code in hex, and which libraries it waits for.
    Code,
    /// `26121ff0: f()` a line, for functions, errors and events.
    Selectors,
    /// Estimates of gas.
    Gas,
}

/// The report of a proof.
const PROOF: &str = "cairn.proof";

/// Every output, in the order in which they are printed.
pub(crate) const KINDS: [Kind; 24] = [
    kind(|args| args.outputs.asm, "", "evm.assembly", "EVM assembly:", ".evm", Form::Text),
    kind(|args| args.outputs.asm_json, "asm", "evm.legacyAssembly", "EVM assembly:", "_evm.json", Form::Json),
    kind(|args| args.outputs.gas, "", "evm.gasEstimates", "Gas estimation:", ".gas", Form::Gas),
    kind(|args| args.outputs.opcodes, "opcodes", "evm.bytecode.opcodes", "Opcodes:", ".opcode", Form::Text),
    kind(|args| args.outputs.bin, "bin", "evm.bytecode.object", "Binary:", ".bin", Form::Code),
    kind(
        |args| args.outputs.bin_runtime,
        "bin-runtime",
        "evm.deployedBytecode.object",
        "Binary of the runtime part:",
        ".bin-runtime",
        Form::Code,
    ),
    kind(|args| args.outputs.ir, "", "ir", "IR:", ".yul", Form::Text),
    kind(|args| args.outputs.ir_ast_json, "", "irAst", "IR AST:", "_yul_ast.json", Form::Json),
    kind(|args| args.outputs.ir_optimized, "", "irOptimized", "Optimized IR:", "_opt.yul", Form::Text),
    kind(
        |args| args.outputs.ir_optimized_ast_json,
        "",
        "irOptimizedAst",
        "Optimized IR AST:",
        "_opt_yul_ast.json",
        Form::Json,
    ),
    kind(
        |args| args.outputs.hashes,
        "hashes",
        "evm.methodIdentifiers",
        "Function signatures:",
        ".signatures",
        Form::Selectors,
    ),
    kind(|args| args.outputs.metadata, "metadata", "metadata", "Metadata:", "_meta.json", Form::Text),
    kind(|args| args.outputs.abi, "abi", "abi", "Contract JSON ABI", ".abi", Form::Json),
    kind(
        |args| args.outputs.storage_layout,
        "storage-layout",
        "storageLayout",
        "Contract Storage Layout:",
        "_storage.json",
        Form::Json,
    ),
    kind(
        |args| args.outputs.transient_storage_layout,
        "transient-storage-layout",
        "transientStorageLayout",
        "Contract Transient Storage Layout:",
        "_transient_storage.json",
        Form::Json,
    ),
    kind(|args| args.outputs.devdoc, "devdoc", "devdoc", "Developer Documentation", ".docdev", Form::Json),
    kind(|args| args.outputs.userdoc, "userdoc", "userdoc", "User Documentation", ".docuser", Form::Json),
    kind(|args| args.code.prove.is_some(), "", PROOF, "Proof:", ".proof.json", Form::Json),
    only_combined("srcmap", "evm.bytecode.sourceMap", Form::Text),
    only_combined("srcmap-runtime", "evm.deployedBytecode.sourceMap", Form::Text),
    only_combined("function-debug", "evm.bytecode.functionDebugData", Form::Json),
    only_combined("function-debug-runtime", "evm.deployedBytecode.functionDebugData", Form::Json),
    only_combined("generated-sources", "evm.bytecode.generatedSources", Form::Json),
    only_combined("generated-sources-runtime", "evm.deployedBytecode.generatedSources", Form::Json),
];

const fn kind(
    flag: fn(&Args) -> bool,
    combined: &'static str,
    output: &'static str,
    heading: &'static str,
    suffix: &'static str,
    form: Form,
) -> Kind {
    Kind { flag, combined, output, heading, suffix, form }
}

const fn only_combined(combined: &'static str, output: &'static str, form: Form) -> Kind {
    kind(|_| false, combined, output, "", "", form)
}

impl Kind {
    /// True when it is to be printed or written by itself.
    pub(crate) fn is_shown(&self, args: &Args) -> bool {
        (self.flag)(args)
    }

    /// True when it is asked for in any form.
    pub(crate) fn is_wanted(&self, args: &Args) -> bool {
        self.is_shown(args) || self.is_combined(args)
    }

    /// True when it is asked for in combined JSON.
    pub(crate) fn is_combined(&self, args: &Args) -> bool {
        !self.combined.is_empty() && args.outputs.combined_json.iter().any(|name| name == self.combined)
    }

    /// Its value in a contract of the answer.
    pub(crate) fn value<'v>(&self, contract: &'v Value) -> &'v Value {
        self.output.split('.').fold(contract, |value, part| &value[part])
    }

    /// What the answer's contract must have for its text.
    pub(crate) fn needs(&self) -> Vec<&'static str> {
        let besides = match (self.form, self.output) {
            (Form::Code, "evm.bytecode.object") => Some("evm.bytecode.linkReferences"),
            (Form::Code, _) => Some("evm.deployedBytecode.linkReferences"),
            (Form::Selectors, _) => Some("abi"),
            // What is proven is the code.
            (Form::Json, PROOF) => return vec!["evm.deployedBytecode.object"],
            (Form::Text | Form::Json | Form::Gas, _) => None,
        };
        besides.into_iter().chain([self.output]).collect()
    }

    /// Its text, with a line break at the end.
    pub(crate) fn text(&self, contract: &Value, args: &Args) -> String {
        let value = self.value(contract);
        match self.form {
            Form::Code => {
                let part = self.output.split('.').nth(1).unwrap_or_default();
                let waits_for = libraries::hints(&contract["evm"][part]["linkReferences"]);
                format!("{}\n{waits_for}", value.as_str().unwrap_or_default())
            }
            Form::Text => format!("{}\n", value.as_str().unwrap_or_default().trim_end_matches('\n')),
            Form::Json => json_text(value, args),
            Form::Selectors => signatures::text(value, &contract["abi"]),
            Form::Gas => gas(value),
        }
    }
}

/// JSON as the command line asks for it.
pub(crate) fn json_text(value: &Value, args: &Args) -> String {
    if args.outputs.pretty_json { format!("{value:#}\n") } else { format!("{value}\n") }
}

fn gas(estimates: &Value) -> String {
    let mut text = String::new();
    if let Some(creation) = estimates["creation"].as_object() {
        let part = |name: &str| creation.get(name).and_then(Value::as_str).unwrap_or("infinite").to_owned();
        text += "construction:\n";
        text +=
            &format!("   {} + {} = {}\n", part("executionCost"), part("codeDepositCost"), part("totalCost"));
    }
    for kind in ["external", "internal"] {
        let Some(functions) = estimates[kind].as_object() else { continue };
        text += &format!("{kind}:\n");
        for (name, cost) in functions {
            let name = if name.is_empty() { "fallback" } else { name };
            text += &format!("   {name}:\t{}\n", cost.as_str().unwrap_or("infinite"));
        }
    }
    text
}
