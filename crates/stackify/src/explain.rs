//! Says of each value where it lives and why, and of each block what the stack holds on entry.
//!
//! Values are named as the text form of the prepared function names them; slots that were promoted
//! are block parameters by then. For `--explain`; nothing depends on it.

use crate::code::{
    FrameObject, FrameUse, ModuleCode, Place, ScheduledFunc, StackWord, StepKind, ValueHome, Why,
};
use crate::context::ModuleCx;
use crate::frame::FramePlan;
use cairn_evm::Cost;
use cairn_ir::text::Names;
use cairn_ir::{Func, SecondaryMap, Value};
use std::fmt::Write;

/// The explanation of a module's own functions, in the order they are emitted.
pub(crate) fn explain_module(cx: &ModuleCx<'_>, code: &ModuleCode, frames: &FramePlan) -> String {
    let mut out = String::new();
    for id in &cx.funcs {
        if let Some(scheduled) = &code[*id] {
            explain_func(&mut out, cx, *id, scheduled, frames).expect("invariant: a string takes everything");
        }
    }
    out
}

/// Each value that lives in memory, with why and what its loads and stores cost.
pub(crate) fn spill_remarks(cx: &ModuleCx<'_>, code: &ModuleCode) -> Vec<SpillRemark> {
    let mut remarks = Vec::new();
    for scheduled in cx.funcs.iter().filter_map(|id| code[*id].as_ref()) {
        let names = Names::new(&scheduled.func);
        let gas = access_gas(scheduled);
        for ValueHome { value, place, why } in &scheduled.code.homes {
            if let Place::Memory(object) = place {
                remarks.push(SpillRemark {
                    func: scheduled.func.name.clone(),
                    text: format!(
                        "`{}` lives in memory: {why}; {:.0} gas a run",
                        names.value(*value),
                        gas[*object]
                    ),
                });
            }
        }
    }
    remarks
}

/// A value that lives in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpillRemark {
    /// The function.
    pub func: String,
    /// Which value, why, and at what cost.
    pub text: String,
}

/// Gas of the spill accesses of each object, weighted by how often their blocks run.
fn access_gas(scheduled: &ScheduledFunc) -> SecondaryMap<FrameObject, f64> {
    let frequency = crate::bound::frequency_of(&scheduled.func);
    let mut gas = SecondaryMap::new();
    for block in &scheduled.code.blocks {
        for pair in block.steps.windows(2) {
            let is_spill = matches!(pair[1].kind, StepKind::Op(_)) && pair[1].origin.is_none();
            if let (StepKind::PushFrame(object, _), true) = (pair[0].kind, is_spill) {
                gas[object] += frequency.of(block.block) * Cost::STORE.gas as f64;
            }
        }
    }
    gas
}

fn explain_func(
    out: &mut String,
    cx: &ModuleCx<'_>,
    id: Func,
    scheduled: &ScheduledFunc,
    frames: &FramePlan,
) -> std::fmt::Result {
    let (func, code) = (&scheduled.func, &scheduled.code);
    let names = Names::new(func);
    writeln!(out, "module `@{}`, function `@{}`", cx.module.name, func.name)?;
    for ValueHome { value, place, why } in &code.homes {
        let place = match place {
            Place::Nowhere => "nowhere".to_owned(),
            Place::Stack => "on the stack".to_owned(),
            Place::Memory(object) => format!("in memory at {:#x}", frames.address(id, *object)),
        };
        writeln!(out, "  {}: {place}: {why}", names.value(*value))?;
    }
    for (object, data) in code.frame.iter() {
        if let FrameUse::Alloca(inst) = data.usage {
            let (name, address) = (names.value(func.dfg.result(inst)), frames.address(id, object));
            writeln!(out, "  {name}: {} bytes of memory at {address:#x}: its address is needed", data.size)?;
        }
    }
    for block in &code.blocks {
        let words: Vec<String> = block.entry.iter().map(|word| shown(&names, *word)).collect();
        writeln!(out, "  {} is entered with [{}]", names.block(block.block), words.join(", "))?;
    }
    Ok(())
}

/// A word of the stack.
pub(crate) fn shown(names: &Names, word: StackWord) -> String {
    match word {
        StackWord::Value(value) => names.value(value),
        StackWord::Const(word) => format!("{word:#x}"),
        StackWord::ReturnAddress => "return address".to_owned(),
        StackWord::CallReturn(_) => "return label".to_owned(),
        StackWord::Junk => "anything".to_owned(),
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Unused => f.write_str("nothing that is executed needs it"),
            Why::Pushed => f.write_str("pushed at each use, which costs no more than a copy"),
            Why::MadeAgain(Cost { gas, bytes }) => {
                let unit = if *bytes == 1 { "byte" } else { "bytes" };
                write!(f, "made again at each use for {gas} gas and {bytes} {unit}")
            }
            Why::InReach => f.write_str("every use finds it in reach"),
            Why::Crowded => {
                f.write_str("more words were needed at once than can be reached; this one is cheap to reload")
            }
            Why::OneBlock => f.write_str("all its uses are in the block that defines it"),
            Why::AcrossBlocks => f.write_str("another block uses it"),
            Why::SeveralResults => f.write_str("its call has several results or saves memory"),
            Why::ReturnedTogether => f.write_str("it is returned together with others"),
            Why::OutOfReach => f.write_str("it was out of reach of `DUP` and `SWAP`"),
        }
    }
}

/// The homes of values in the order of the text.
pub(crate) fn homes_in_order(
    func: &cairn_ir::Function,
    home: impl Fn(Value) -> (Place, Why),
) -> Vec<ValueHome> {
    let mut homes = Vec::new();
    for block in func.layout.blocks() {
        let params = func.dfg.params(block).iter();
        let results = func.layout.insts(block).flat_map(|inst| func.dfg.results(inst));
        homes.extend(params.chain(results).map(|value| {
            let (place, why) = home(*value);
            ValueHome { value: *value, place, why }
        }));
    }
    homes
}
