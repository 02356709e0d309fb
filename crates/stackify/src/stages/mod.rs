//! What the stackifier decides, told in the six stages of its specification.
//!
//! | stage | what is told |
//! |---|---|
//! | block linearization | the order of the blocks, the label of each that is jumped to |
//! | lifetime analysis | where each value is defined and which blocks it is live into |
//! | frame layout | the address of each `alloca` and of each spilled word |
//! | value assignment | the class of each value, and the rule that put it there |
//! | scheduling | the stack behind each step of each block |
//! | terminator lowering | the code |
//!
//! Stages are read off the finished code, so that both schedulers have them; nothing depends on them.
//! Linear in the code times the height of its stack.

mod text;
mod values;

use crate::code::{BlockCode, Exit, FrameUse, ModuleCode, Place, ScheduledFunc, StackWord, Step, StepKind};
use crate::context::ModuleCx;
use crate::emit::BlockStart;
use crate::explain::shown;
use crate::frame::FramePlan;
use crate::symbolic::apply;
use cairn_asm::{ItemKind, Label, Program};
use cairn_ir::Func;
use cairn_ir::text::Names;

/// The stages of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncStages {
    /// Name of the module.
    pub module: String,
    /// Name of the function.
    pub function: String,
    /// Its blocks in their order, stages 1, 5 and 6.
    pub blocks: Vec<BlockStage>,
    /// Its values in the order of the text, stages 2 and 4.
    pub values: Vec<ValueStage>,
    /// Its memory, stage 3.
    pub frame: Vec<FrameStage>,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockStage {
    /// Its name.
    pub name: String,
    /// Its label, if it is jumped to.
    pub label: Option<String>,
    /// The stack on entry, bottom first.
    pub entry: Vec<String>,
    /// Its steps.
    pub steps: Vec<StepStage>,
    /// How it ends.
    pub exit: String,
    /// Its code, a line an instruction.
    pub code: Vec<String>,
}

/// A step of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepStage {
    /// The instruction.
    pub text: String,
    /// The stack behind it, bottom first.
    pub stack: Vec<String>,
}

/// A value, or an operation that gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueStage {
    /// Its name; the operation, if it gives no value.
    pub name: String,
    /// Where it lives.
    pub class: Class,
    /// The rule that put it there.
    pub rule: String,
    /// The block that defines it.
    pub defined: String,
    /// The blocks that it is live into.
    pub live_into: Vec<String>,
}

/// Where a value lives: the value kinds of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// On the stack, so many words above the bottom when it is made.
    StackSlot(usize),
    /// In memory, at this address.
    MemorySlot(u64),
    /// Pushed, or made again, at each use.
    Immediate,
    /// Nowhere: there is no value, or nobody needs it.
    Void,
}

/// Memory of the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameStage {
    /// The value that it is the memory of, or that is kept in it.
    pub name: String,
    /// What it is for.
    pub usage: &'static str,
    /// Address in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
}

/// The stages of a module's own functions, in the order they are emitted.
pub(crate) fn of_module(
    cx: &ModuleCx<'_>,
    code: &ModuleCode,
    frames: &FramePlan,
    (program, starts): (&Program, &[BlockStart]),
) -> Vec<FuncStages> {
    let scheduled = cx.funcs.iter().filter_map(|id| code[*id].as_ref().map(|func| (*id, func)));
    let stages = scheduled.map(|(id, func)| {
        let stage = Stage { cx, code, frames, program, starts, id, func, names: Names::new(&func.func) };
        stage.func()
    });
    stages.collect()
}

/// What the stages of a function are read from.
struct Stage<'a> {
    cx: &'a ModuleCx<'a>,
    code: &'a ModuleCode,
    frames: &'a FramePlan,
    program: &'a Program,
    starts: &'a [BlockStart],
    id: Func,
    func: &'a ScheduledFunc,
    names: Names,
}

impl Stage<'_> {
    fn func(&self) -> FuncStages {
        FuncStages {
            module: self.cx.module.name.clone(),
            function: self.func.func.name.clone(),
            blocks: self.blocks(),
            values: self.values(),
            frame: self.frame(),
        }
    }

    fn blocks(&self) -> Vec<BlockStage> {
        let mut blocks = Vec::new();
        for (index, start) in self.starts.iter().enumerate().filter(|(_, start)| start.func == self.id) {
            let end = self.starts.get(index + 1).map_or(self.program.items.len(), |next| next.item);
            let code = &self.func.code.blocks[start.block];
            let label = match self.program.items.get(start.item).map(|item| item.kind) {
                Some(ItemKind::Label(Label(label))) => Some(format!("L{label}")),
                _ => None,
            };
            blocks.push(BlockStage {
                name: self.names.block(code.block),
                label,
                entry: self.words(&code.entry),
                steps: self.steps(code),
                exit: self.exit(code.exit),
                code: self.lines(start.item, end),
            });
        }
        blocks
    }

    fn words(&self, stack: &[StackWord]) -> Vec<String> {
        stack.iter().map(|word| shown(&self.names, *word)).collect()
    }

    fn steps(&self, block: &BlockCode) -> Vec<StepStage> {
        let mut stack = block.entry.clone();
        let mut steps = Vec::with_capacity(block.steps.len());
        for step in &block.steps {
            apply(self.code, self.func, *step, &mut stack);
            steps.push(StepStage { text: self.step(*step), stack: self.words(&stack) });
        }
        steps
    }

    fn step(&self, step: Step) -> String {
        match step.kind {
            StepKind::Push(word) => format!("PUSH {word:#x}"),
            StepKind::PushFrame(object, offset) => {
                format!("PUSH {:#x}", self.frames.address(self.id, object) + offset)
            }
            StepKind::PushHeapBase => format!("PUSH {:#x}", self.frames.heap_base),
            StepKind::PushReturnLabel(_) => "PUSH return label".to_owned(),
            StepKind::Call(callee) => format!("call `@{}`", self.cx.module.funcs[callee].name),
            StepKind::Dup(depth) => format!("DUP{depth}"),
            StepKind::Swap(depth) => format!("SWAP{depth}"),
            StepKind::Pop => "POP".to_owned(),
            StepKind::Op(opcode) => opcode.name(self.cx.options.fork).to_owned(),
            StepKind::Symbolic => {
                let op = step.origin.map_or("", |inst| self.func.func.dfg.op(inst).name());
                format!("evm.{op}")
            }
        }
    }

    fn exit(&self, exit: Exit) -> String {
        let name = |block| self.names.block(block);
        match exit {
            Exit::Jump(target) => format!("to {}", name(target)),
            Exit::Branch { then, otherwise } => {
                format!("to {} if the top is not zero, else to {}", name(then), name(otherwise))
            }
            Exit::Table(_) => {
                let targets: Vec<String> = exit.targets(&self.func.func).into_iter().map(name).collect();
                format!("through a table to {}", targets.join(", "))
            }
            Exit::Halt => "halts".to_owned(),
            Exit::Return => "returns".to_owned(),
            Exit::TailCall(callee) => format!("goes on in `@{}`", self.cx.module.funcs[callee].name),
        }
    }

    /// The text of items of the program.
    fn lines(&self, start: usize, end: usize) -> Vec<String> {
        let mut items = self.program.items[start..end].to_vec();
        items.iter_mut().for_each(|item| item.loc = None);
        let whole = self.program;
        let part = Program {
            items,
            names: whole.names.clone(),
            blobs: whole.blobs.clone(),
            tables: whole.tables.clone(),
            num_labels: whole.num_labels,
            ..Program::default()
        };
        cairn_asm::print(&part).lines().map(|line| line.trim().to_owned()).collect()
    }

    fn frame(&self) -> Vec<FrameStage> {
        let func = &self.func.func;
        let mut frame = Vec::new();
        for (object, data) in &self.func.code.frame {
            let (name, usage) = match data.usage {
                FrameUse::Alloca(inst) => (self.names.value(func.dfg.result(inst)), "alloca"),
                FrameUse::Spill => {
                    let mut homes = self.func.code.homes.iter();
                    let kept = homes.find(|home| home.place == Place::Memory(object));
                    (kept.map_or_else(String::new, |home| self.names.value(home.value)), "spill")
                }
            };
            let offset = self.frames.address(self.id, object);
            frame.push(FrameStage { name, usage, offset, size: data.size });
        }
        frame
    }
}
