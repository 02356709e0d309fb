//! Static addresses of frame memory.
//!
//! Frames begin where the memory reserved by the program ends. The frame of a function begins
//! where the frames of all its callers end, so functions that are active together never overlap,
//! and functions that are not share addresses. The functions of a cycle in the call graph share
//! one region: a call inside the cycle saves what it needs (see the checker's rule `intact`).

mod set;
mod share;

pub(crate) use set::ObjectSet;
pub(crate) use share::lay_out_objects;

use crate::code::{FrameObject, ModuleCode};
use crate::context::ModuleCx;
use cairn_ir::{Func, Module, Op, Payload, SecondaryMap};

/// Bytes of a word: sizes and addresses of frame objects are multiples of it.
pub const WORD_BYTES: u64 = 32;

/// Where the objects of one function lie, relative to its frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuncFrame {
    /// Offset of each object.
    pub offsets: SecondaryMap<FrameObject, u64>,
    /// Bytes.
    pub size: u64,
}

/// Where all frames of a module lie.
#[derive(Clone, Debug, Default)]
pub struct FramePlan {
    /// The frame of each function.
    pub frames: SecondaryMap<Func, FuncFrame>,
    /// Address of each frame.
    pub base: SecondaryMap<Func, u64>,
    /// First address past all frames.
    pub heap_base: u64,
    /// Bytes from the first frame's start to the last one's end.
    pub size: u64,
}

impl FramePlan {
    /// The address of an object of a function.
    pub fn address(&self, func: Func, object: FrameObject) -> u64 {
        self.base[func] + self.frames[func].offsets[object]
    }
}

/// Places the frames of all functions.
pub fn place_frames(cx: &ModuleCx<'_>, code: &ModuleCode) -> FramePlan {
    let mut plan = FramePlan::default();
    for id in &cx.funcs {
        plan.frames[*id] = code[*id].as_ref().map_or_else(FuncFrame::default, lay_out_objects);
    }
    let reserved = reserved_bytes(cx.module);
    let first = reserved.next_multiple_of(WORD_BYTES);
    let mut start: SecondaryMap<Func, u64> = SecondaryMap::with_default(first);
    let mut end = first;
    for group in cx.funcs.chunk_by(|a, b| cx.component(*a) == cx.component(*b)) {
        let group_start = group.iter().map(|func| start[*func]).max().unwrap_or(first);
        let size = group.iter().map(|func| plan.frames[*func].size).max().unwrap_or(0);
        group.iter().for_each(|func| plan.base[*func] = group_start);
        let callees = group.iter().flat_map(|func| cx.callees(*func));
        callees.for_each(|callee| start[*callee] = start[*callee].max(group_start + size));
        end = end.max(group_start + size);
    }
    plan.size = end - first;
    plan.heap_base = if end == first { reserved } else { end };
    plan
}

/// End of the memory that the program keeps for itself.
pub(crate) fn reserved_bytes(module: &Module) -> u64 {
    let insts = module.funcs.values().flat_map(|func| {
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        insts.map(|inst| func.dfg.inst(inst))
    });
    let sizes = insts.filter(|data| data.op() == Op::HeapBase).map(|data| match data.payload {
        Payload::Number(bytes) => bytes,
        ref other => unreachable!("invariant: heap_base has a size, not {other:?}"),
    });
    sizes.max().unwrap_or(0).max(module.reserved)
}
