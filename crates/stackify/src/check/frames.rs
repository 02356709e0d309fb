//! Where frames lie: no two that are active together overlap.

use super::{Rule, Violation};
use crate::allocas::{Allocas, Escape};
use crate::code::{FrameObject, FrameUse, ModuleCode, ScheduledFunc};
use crate::context::ModuleCx;
use crate::frame::{FramePlan, FuncFrame, WORD_BYTES, reserved_bytes};
use cairn_ir::MemoryModel;
use rustc_hash::FxHashMap;

/// Checks the places of all frames of a module.
pub(super) fn check_frames(
    cx: &ModuleCx<'_>,
    code: &ModuleCode,
    plan: &FramePlan,
    violations: &mut Vec<Violation>,
) {
    let reserved = reserved_bytes(cx.module);
    for id in &cx.funcs {
        let (base, frame) = (plan.base[*id], &plan.frames[*id]);
        let end = base + frame.size;
        let mut report = |detail: String| {
            let func = cx.module.funcs[*id].name.clone();
            violations.push(Violation { func, block: None, step: None, rule: Rule::Frames, detail });
        };
        if frame.size > 0 && cx.module.memory == MemoryModel::NoFrame {
            report("all memory is the program's".to_owned());
        }
        if frame.size > 0 && base < reserved {
            report(format!("the frame begins at {base}, in the program's memory"));
        }
        let needed = if frame.size > 0 { end.max(reserved) } else { reserved };
        if plan.heap_base < needed {
            report(format!("the heap begins at {}, before {needed}", plan.heap_base));
        }
        for callee in cx.callees(*id) {
            if cx.component(*callee) != cx.component(*id) && plan.base[*callee] < end {
                let name = &cx.module.funcs[*callee].name;
                report(format!("the frame of `{name}` begins before {end}"));
            }
        }
        if let Some(scheduled) = &code[*id] {
            check_objects(scheduled, frame, &mut report);
        }
    }
}

/// Objects are inside the frame; only slots and spills share memory.
fn check_objects(scheduled: &ScheduledFunc, frame: &FuncFrame, report: &mut impl FnMut(String)) {
    if scheduled.code.frame.is_empty() {
        return;
    }
    let allocas = Allocas::of(&scheduled.func);
    let may_share = |object: FrameObject| match scheduled.code.frame[object].usage {
        FrameUse::Alloca(inst) => allocas.escape(inst) == Escape::Slot,
        FrameUse::Spill => true,
    };
    let mut owners: FxHashMap<u64, FrameObject> = FxHashMap::default();
    for (object, data) in &scheduled.code.frame {
        let start = frame.offsets[object];
        if !start.is_multiple_of(WORD_BYTES) || start + data.size > frame.size {
            report(format!("{object} at {start} is outside the frame"));
            continue;
        }
        for word in start / WORD_BYTES..(start + data.size).div_ceil(WORD_BYTES) {
            let other = *owners.entry(word).or_insert(object);
            if other != object && !(may_share(object) && may_share(other)) {
                report(format!("{object} and {other} overlap"));
            }
        }
    }
}
