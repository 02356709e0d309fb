//! The stages of the stackifier as JSON.

use cairn_stackify::stages::{BlockStage, Class, FrameStage, FuncStages, StepStage, ValueStage};
use serde_json::{Value, json};

/// A list of functions, each with its blocks, values and frame.
pub(crate) fn stages_json(stages: &[FuncStages]) -> String {
    format!("{:#}", Value::from_iter(stages.iter().map(func)))
}

fn func(stages: &FuncStages) -> Value {
    json!({
        "module": stages.module,
        "function": stages.function,
        "blocks": stages.blocks.iter().map(block).collect::<Vec<_>>(),
        "values": stages.values.iter().map(value).collect::<Vec<_>>(),
        "frame": stages.frame.iter().map(frame).collect::<Vec<_>>(),
    })
}

fn block(block: &BlockStage) -> Value {
    json!({
        "name": block.name,
        "label": block.label,
        "entry": block.entry,
        "steps": block.steps.iter().map(step).collect::<Vec<_>>(),
        "exit": block.exit,
        "code": block.code,
    })
}

fn step(step: &StepStage) -> Value {
    json!({ "text": step.text, "stack": step.stack })
}

fn value(value: &ValueStage) -> Value {
    let class = match value.class {
        Class::StackSlot(height) => json!({ "kind": "StackSlot", "slot": height }),
        Class::MemorySlot(offset) => json!({ "kind": "MemorySlot", "offset": offset }),
        Class::Immediate => json!({ "kind": "Immediate" }),
        Class::Void => json!({ "kind": "Void" }),
    };
    json!({
        "name": value.name,
        "class": class,
        "rule": value.rule,
        "defined": value.defined,
        "live_into": value.live_into,
    })
}

fn frame(object: &FrameStage) -> Value {
    json!({ "name": object.name, "usage": object.usage, "offset": object.offset, "size": object.size })
}
