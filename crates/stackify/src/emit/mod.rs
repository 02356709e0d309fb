//! Assembles scheduled functions into one [`Program`].

mod frames;
mod tables;

use crate::code::{BlockCode, Exit, ModuleCode, ScheduledFunc, Step, StepKind};
use crate::context::ModuleCx;
use crate::frame::FramePlan;
use crate::linearize::{Ending, Linear, linearize};
use crate::options::{Placement, Role, SourceFrames};
use crate::variables::{Found, Variables, Visible};
use cairn_analysis::CallGraph;
use cairn_asm::{Item, ItemKind, JumpKind, Label, NameId, Program, SourceLoc, Variable, VariablePlace};
use cairn_evm::{Opcode, Word, hex};
use cairn_ir::{Block, Func, Inst, Loc, Module, Op, Payload, SecondaryMap, Symbol};
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

/// Where the code of a block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockStart {
    /// The function.
    pub func: Func,
    /// Index of the block in [`FuncCode::blocks`](crate::code::FuncCode::blocks).
    pub block: usize,
    /// Index of its first item in the program.
    pub item: usize,
}

/// Assembles the functions of a module; its nested modules are left to the caller.
pub fn emit_module(cx: &ModuleCx<'_>, code: &ModuleCode, frames: &FramePlan) -> Program {
    emit_with_starts(cx, code, frames).0
}

/// As [`emit_module`], and where each block begins, in the order of the code.
pub fn emit_with_starts(
    cx: &ModuleCx<'_>,
    code: &ModuleCode,
    frames: &FramePlan,
) -> (Program, Vec<BlockStart>) {
    let mut emitter = Emitter::new(cx, code, frames);
    let mut order = cx.funcs.clone();
    if cx.options.placement == Placement::AsWritten {
        order.sort_by_key(|id| (cx.module.entry != Some(*id), *id));
    }
    let scheduled = || order.iter().filter_map(|id| code[*id].as_ref().map(|func| (*id, func)));
    for (id, _) in scheduled() {
        let label = emitter.new_label();
        emitter.funcs[id] = Some(label);
    }
    if cx.options.source_frames == SourceFrames::Solidity {
        let entry = cx.module.entry.and_then(|entry| code[entry].as_ref());
        emitter.whole = entry.and_then(|entry| emitter.loc_around(entry));
    }
    for (id, func) in scheduled() {
        emitter.emit_func(id, func);
    }
    (emitter.program, emitter.starts)
}

struct Emitter<'a> {
    module: &'a Module,
    calls: &'a CallGraph,
    code: &'a ModuleCode,
    frames: &'a FramePlan,
    placement: Placement,
    source_frames: SourceFrames,
    program: Program,
    starts: Vec<BlockStart>,
    funcs: SecondaryMap<Func, Option<Label>>,
    names: FxHashMap<Symbol, NameId>,
    locs: SecondaryMap<Loc, Option<u32>>,
    /// Locations with variables.
    with_variables: FxHashMap<(Func, Option<u32>, Visible), u32>,
    /// Location of the items being emitted.
    loc: Option<u32>,
    /// The location of the whole object, which helpers have not.
    whole: Option<u32>,
    /// True in a helper.
    is_helper: bool,
    /// The location that is none.
    nowhere: Option<u32>,
}

/// Labels of the function being emitted.
struct Labels {
    blocks: SecondaryMap<Block, Option<Label>>,
    returns: FxHashMap<Inst, Label>,
}

impl<'a> Emitter<'a> {
    fn new(cx: &'a ModuleCx<'a>, code: &'a ModuleCode, frames: &'a FramePlan) -> Self {
        let (module, calls) = (cx.module, &cx.calls);
        let data = module.data.iter().map(|segment| (segment.name.clone(), segment.bytes.clone())).collect();
        let program = Program { name: module.name.clone(), data, ..Program::default() };
        let (funcs, locs) = (SecondaryMap::new(), SecondaryMap::new());
        let (names, with_variables) = (FxHashMap::default(), FxHashMap::default());
        Emitter {
            module,
            calls,
            code,
            frames,
            placement: cx.options.placement,
            source_frames: cx.options.source_frames,
            program,
            starts: Vec::new(),
            funcs,
            names,
            locs,
            with_variables,
            loc: None,
            whole: None,
            is_helper: false,
            nowhere: None,
        }
    }

    fn new_label(&mut self) -> Label {
        self.program.num_labels += 1;
        Label(self.program.num_labels - 1)
    }

    fn push(&mut self, kind: ItemKind) {
        self.program.items.push(Item { kind, loc: self.loc, jump: JumpKind::Plain });
    }

    fn push_jump(&mut self, opcode: Opcode, jump: JumpKind) {
        self.program.items.push(Item { kind: ItemKind::Op(opcode), loc: self.loc, jump });
    }

    fn emit_func(&mut self, id: Func, scheduled: &ScheduledFunc) {
        let is_entry = self.module.entry == Some(id);
        let linear = linearize(scheduled, self.calls, self.placement);
        self.is_helper = self.role(id) == Role::Helper && !is_entry;
        let variables = Variables::new(self.code, scheduled);
        let first = scheduled.code.blocks[0].block;
        let mut labels = Labels { blocks: SecondaryMap::new(), returns: FxHashMap::default() };
        labels.blocks[first] = self.funcs[id];
        let around = self.loc_around(scheduled);
        for (index, _) in &linear.order {
            let block = scheduled.code.blocks[*index].block;
            if linear.targets.contains(block) && labels.blocks[block].is_none() {
                labels.blocks[block] = Some(self.new_label());
            }
        }
        for (index, ending) in &linear.order {
            let block = &scheduled.code.blocks[*index];
            self.starts.push(BlockStart { func: id, block: *index, item: self.program.items.len() });
            let is_called = block.block == first && !is_entry;
            if is_called || linear.targets.contains(block.block) {
                let first = scheduled.func.layout.first_inst(block.block);
                let first = first.filter(|_| !is_called || !self.begins_at_itself(id));
                self.loc = first.and_then(|inst| self.loc_of(scheduled, inst)).or(around);
                let label = labels.blocks[block.block].expect("invariant: a target has a label");
                self.push(ItemKind::Label(label));
            }
            let visible = variables.as_ref().map(|variables| variables.of_block(block)).unwrap_or_default();
            self.emit_steps(id, scheduled, block, &visible, around, &mut labels);
            self.emit_ending(id, block, *ending, &linear, &labels);
        }
    }

    /// The location of a function, else the widest in it: that of what belongs to no line of it.
    fn loc_around(&mut self, scheduled: &ScheduledFunc) -> Option<u32> {
        if let Some(loc) = scheduled.func.loc {
            return self.item_loc(loc);
        }
        let insts = scheduled.func.layout.blocks().flat_map(|block| scheduled.func.layout.insts(block));
        let known = insts.filter_map(|inst| scheduled.func.dfg.inst(inst).loc.expand());
        let width = |loc: &Loc| {
            let data = self.module.debug.loc(*loc);
            data.end.saturating_sub(data.start)
        };
        let widest = known.max_by_key(width)?;
        self.item_loc(widest)
    }

    /// Emits the steps of a block; a step without a location gets that of the next one with, or
    /// `around`.
    fn emit_steps(
        &mut self,
        id: Func,
        scheduled: &ScheduledFunc,
        block: &BlockCode,
        visible: &[Visible],
        around: Option<u32>,
        labels: &mut Labels,
    ) {
        let last = scheduled.func.terminator(block.block);
        let mut next = last.and_then(|inst| self.loc_of(scheduled, inst)).or(around);
        let mut locs: Vec<Option<u32>> = Vec::with_capacity(block.steps.len() + 1);
        locs.push(next);
        for step in block.steps.iter().rev() {
            if let Some(inst) = step.origin {
                next = self.loc_of(scheduled, inst).or(next);
            }
            locs.push(next);
        }
        let none = Visible::new();
        for (index, step) in block.steps.iter().enumerate() {
            let loc = locs.pop().flatten();
            self.loc = self.with_variables(id, loc, visible.get(index).unwrap_or(&none));
            self.emit_step(id, scheduled, *step, labels);
        }
        let loc = locs.pop().flatten();
        self.loc = self.with_variables(id, loc, visible.last().unwrap_or(&none));
    }

    /// The location with what is visible there: a location of its own.
    fn with_variables(&mut self, func: Func, loc: Option<u32>, visible: &Visible) -> Option<u32> {
        if visible.is_empty() {
            return loc;
        }
        let key = (func, loc, visible.clone());
        if let Some(known) = self.with_variables.get(&key) {
            return Some(*known);
        }
        let index = self.program.locs.len() as u32;
        let source = loc.map(|loc| self.program.locs[loc as usize]);
        self.program.locs.push(source.unwrap_or(SourceLoc { source: -1, start: -1, end: -1 }));
        let variables = visible.iter().map(|(var, found)| {
            let data = &self.module.debug.vars[*var];
            let places = found.iter().map(|found| match found {
                Found::Stack(depth) => VariablePlace::Stack(*depth as u64),
                Found::Frame(object) => VariablePlace::Memory(self.frames.address(func, *object)),
            });
            Variable { name: data.name.clone(), ty: data.ty.clone(), places: places.collect() }
        });
        self.program.variables.insert(index, variables.collect());
        self.with_variables.insert(key, index);
        Some(index)
    }

    fn emit_step(&mut self, id: Func, scheduled: &ScheduledFunc, step: Step, labels: &mut Labels) {
        match step.kind {
            StepKind::Push(word) => self.push(ItemKind::Push(word)),
            StepKind::PushFrame(object, offset) => {
                self.push(ItemKind::Push(Word::from(self.frames.address(id, object) + offset)));
            }
            StepKind::PushHeapBase => self.push(ItemKind::Push(Word::from(self.frames.heap_base))),
            StepKind::PushReturnLabel(call) => {
                let label = self.new_label();
                labels.returns.insert(call, label);
                self.push(ItemKind::PushLabel(label));
            }
            StepKind::Call(callee) => {
                self.push_function(callee);
                self.loc = self.loc_of_call(callee);
                self.push_jump(Opcode::JUMP, self.jump_into(callee));
                let call = step.origin.expect("invariant: a call has an origin");
                if let Some(label) = labels.returns.remove(&call) {
                    self.push(ItemKind::Label(label));
                }
            }
            StepKind::Dup(depth) => self.push(ItemKind::dup(depth).expect("invariant: `DUP` is in reach")),
            StepKind::Swap(depth) => self.push(ItemKind::swap(depth).expect("invariant: `SWAP` is in reach")),
            StepKind::Pop => self.push(ItemKind::Op(Opcode::POP)),
            StepKind::Op(opcode) => {
                if opcode == Opcode::REVERT {
                    self.forget_whole();
                }
                self.push(ItemKind::Op(opcode));
            }
            StepKind::Symbolic => {
                let inst = step.origin.expect("invariant: a symbolic step has an origin");
                self.emit_symbolic(scheduled, inst);
            }
        }
    }

    fn push_function(&mut self, func: Func) {
        let label = self.funcs[func].expect("invariant: every called function is emitted");
        self.push(ItemKind::PushLabel(label));
    }

    fn emit_symbolic(&mut self, scheduled: &ScheduledFunc, inst: Inst) {
        let dfg = &scheduled.func.dfg;
        let Payload::Symbol(symbol) = dfg.inst(inst).payload else {
            unreachable!("invariant: {inst} names something");
        };
        let kind = match dfg.op(inst) {
            Op::DataOffset => ItemKind::PushDataOffset(self.name(symbol)),
            Op::DataSize => ItemKind::PushDataSize(self.name(symbol)),
            Op::LoadImmutable => {
                let bits = dfg.ty(dfg.result(inst)).bits().expect("invariant: an immutable is an integer");
                ItemKind::PushImmutable(self.name(symbol), (bits / 8) as u8)
            }
            Op::SetImmutable => ItemKind::AssignImmutable(self.name(symbol)),
            Op::LinkerSymbol => ItemKind::PushLibrary(self.name(symbol)),
            Op::Verbatim => {
                let bytes =
                    hex::decode(self.module.symbols.text(symbol)).expect("invariant: verbatim holds hex");
                let blob = self.program.blobs.len() as u32;
                self.program.blobs.push(bytes);
                let (inputs, outputs) = (dfg.args(inst).len() as u8, dfg.results(inst).len() as u8);
                ItemKind::Verbatim { blob, inputs, outputs }
            }
            other => unreachable!("invariant: `{}` is not resolved by the assembler", other.name()),
        };
        self.push(kind);
    }

    fn name(&mut self, symbol: Symbol) -> NameId {
        let names = &mut self.program.names;
        *self.names.entry(symbol).or_insert_with(|| {
            names.push(self.module.symbols.text(symbol).to_owned());
            NameId(names.len() as u32 - 1)
        })
    }

    fn loc_of(&mut self, scheduled: &ScheduledFunc, inst: Inst) -> Option<u32> {
        let loc: PackedOption<Loc> = scheduled.func.dfg.inst(inst).loc;
        loc.expand().and_then(|loc| self.item_loc(loc))
    }

    /// The number of a location in the program.
    fn item_loc(&mut self, loc: Loc) -> Option<u32> {
        let known = self.known_loc(loc);
        if !self.is_helper || known != self.whole {
            return known;
        }
        Some(self.nowhere())
    }

    fn known_loc(&mut self, loc: Loc) -> Option<u32> {
        if self.locs[loc].is_none() {
            let data = self.module.debug.loc(loc);
            self.locs[loc] = Some(self.program.locs.len() as u32);
            self.program.locs.push(data.range());
        }
        self.locs[loc]
    }

    fn emit_ending(&mut self, id: Func, block: &BlockCode, ending: Ending, linear: &Linear, labels: &Labels) {
        let label = |target: Block| labels.blocks[target].expect("invariant: a target has a label");
        match ending {
            Ending::Fall => {}
            Ending::Jump(target) => self.jump(Opcode::JUMP, label(target)),
            Ending::JumpIf(target) => self.jump(Opcode::JUMPI, label(target)),
            Ending::JumpIfZero(target) => {
                self.invert_condition(block);
                self.jump(Opcode::JUMPI, label(target));
            }
            Ending::JumpEither(then, otherwise) => {
                self.jump(Opcode::JUMPI, label(then));
                self.jump(Opcode::JUMP, label(otherwise));
            }
            Ending::Table(table) => {
                let entries = linear.tables[table].iter().map(|target| label(*target)).collect();
                self.jump_through(entries);
            }
            Ending::Leave => self.leave(id, block.exit),
        }
    }

    fn jump(&mut self, opcode: Opcode, target: Label) {
        self.push(ItemKind::PushLabel(target));
        self.push_jump(opcode, JumpKind::Plain);
    }

    fn leave(&mut self, id: Func, exit: Exit) {
        match exit {
            Exit::Return => {
                let jump = if self.is_frame(id) { JumpKind::OutOf } else { JumpKind::Plain };
                self.push_jump(Opcode::JUMP, jump);
            }
            Exit::TailCall(callee) => {
                self.push_function(callee);
                self.push_jump(Opcode::JUMP, self.tail_jump(id, callee));
            }
            Exit::Halt => {}
            Exit::Jump(_) | Exit::Branch { .. } | Exit::Table(_) => {
                unreachable!("invariant: {exit:?} stays in the function")
            }
        }
    }

    /// Replaces the condition by one that is zero exactly when it is not. `ISZERO` as the last
    /// step goes, `EQ` becomes `SUB`.
    fn invert_condition(&mut self, block: &BlockCode) {
        let item = self.program.items.last_mut();
        match (block.steps.last().map(|step| step.kind), item) {
            (Some(StepKind::Op(Opcode::ISZERO)), Some(_)) => {
                self.program.items.pop();
            }
            (Some(StepKind::Op(Opcode::EQ)), Some(item)) => item.kind = ItemKind::Op(Opcode::SUB),
            _ => self.push(ItemKind::Op(Opcode::ISZERO)),
        }
    }
}
