//! Where frames lie: no two that are active together overlap.

use super::{Rule, Violation};
use crate::allocas::{Allocas, Escape};
use crate::code::{FrameObject, FrameUse, ModuleCode, ScheduledFunc};
use crate::context::ModuleCx;
use crate::frame::{FramePlan, FuncFrame, WORD_BYTES, reserved_bytes};

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
        if frame.size > 0 && !cx.module.memory.has_frames() {
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
    let mut placed: Vec<(u64, u64, FrameObject)> = Vec::new();
    for (object, data) in scheduled.code.frame.iter().filter(|(_, data)| data.size > 0) {
        let start = frame.offsets[object];
        if !start.is_multiple_of(WORD_BYTES) || start + data.size > frame.size {
            report(format!("{object} at {start} is outside the frame"));
            continue;
        }
        placed.push((start, start + data.size.next_multiple_of(WORD_BYTES), object));
    }
    placed.sort_unstable();
    // Of the objects so far: the one that ends last, and the one that ends last and cannot share.
    let mut last: [Option<(u64, FrameObject)>; 2] = [None; 2];
    for (start, end, object) in placed {
        let can_share = may_share(object);
        if let Some((_, other)) = last[usize::from(can_share)].filter(|(end, _)| *end > start) {
            report(format!("{object} and {other} overlap"));
        }
        let further = |last: Option<(u64, FrameObject)>| last.max(Some((end, object)));
        last[0] = further(last[0]);
        if !can_share {
            last[1] = further(last[1]);
        }
    }
}
