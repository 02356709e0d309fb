//! Stages 2 and 4: where values are live, and which class each of them has.

use super::{Class, Stage, ValueStage};
use crate::code::{FrameUse, Place, StackWord, Why};
use crate::symbolic::apply;
use cairn_analysis::liveness::defining_block;
use cairn_analysis::{Cfg, Liveness};
use cairn_ir::{Block, Inst, SecondaryMap, Value};

impl Stage<'_> {
    pub(super) fn values(&self) -> Vec<ValueStage> {
        let func = &self.func.func;
        let live_into = self.live_into();
        let (heights, allocas) = (self.heights(), self.allocas());
        let mut values = Vec::new();
        for home in &self.func.code.homes {
            let (value, constant) = (home.value, func.dfg.as_const(home.value));
            let alloca = func.dfg.def_inst(value).and_then(|inst| allocas[inst]);
            let class = match (home.place, home.why) {
                _ if alloca.is_some() => alloca.map_or(Class::Void, Class::MemorySlot),
                _ if constant.is_some() => Class::Immediate,
                (Place::Memory(object), _) => Class::MemorySlot(self.frames.address(self.id, object)),
                (Place::Stack, _) => heights[value].map_or(Class::Void, Class::StackSlot),
                (Place::Nowhere, Why::Unused) => Class::Void,
                (Place::Nowhere, _) => Class::Immediate,
            };
            let why = if constant.is_some() { Why::Pushed } else { home.why };
            let rule = if alloca.is_some() { "its memory in the frame".to_owned() } else { why.to_string() };
            let defined = defining_block(func, value).map_or(String::new(), |block| self.names.block(block));
            let live_into = live_into[value].iter().map(|block| self.names.block(*block)).collect();
            values.push(ValueStage { name: self.names.value(value), class, rule, defined, live_into });
        }
        values.extend(
            self.insts().filter(|inst| func.dfg.results(*inst).is_empty()).map(|inst| self.void(inst)),
        );
        values
    }

    fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        let layout = &self.func.func.layout;
        self.func.code.blocks.iter().flat_map(|block| layout.insts(block.block))
    }

    /// An operation that gives no value.
    fn void(&self, inst: Inst) -> ValueStage {
        let func = &self.func.func;
        let block = func.layout.inst_block(inst);
        ValueStage {
            name: format!("evm.{}", func.dfg.op(inst).name()),
            class: Class::Void,
            rule: "gives no value".to_owned(),
            defined: block.map_or(String::new(), |block| self.names.block(block)),
            live_into: Vec::new(),
        }
    }

    /// The address of each `alloca` that has memory.
    fn allocas(&self) -> SecondaryMap<Inst, Option<u64>> {
        let mut addresses = SecondaryMap::new();
        for (object, data) in &self.func.code.frame {
            if let FrameUse::Alloca(inst) = data.usage {
                addresses[inst] = Some(self.frames.address(self.id, object));
            }
        }
        addresses
    }

    /// The blocks that each value is live into, in the order of the code.
    fn live_into(&self) -> SecondaryMap<Value, Vec<Block>> {
        let func = &self.func.func;
        let live = Liveness::compute(func, &Cfg::compute(func));
        let mut blocks: SecondaryMap<Value, Vec<Block>> = SecondaryMap::new();
        for block in self.func.code.blocks.iter().map(|code| code.block) {
            live.live_in(block).iter().for_each(|value| blocks[value].push(block));
        }
        blocks
    }

    /// How many words lie below each value where it is first on the stack.
    fn heights(&self) -> SecondaryMap<Value, Option<usize>> {
        let mut heights: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
        let mut note = |stack: &[StackWord]| {
            for (height, word) in stack.iter().enumerate() {
                if let StackWord::Value(value) = word {
                    heights[*value] = heights[*value].or(Some(height));
                }
            }
        };
        for block in &self.func.code.blocks {
            let mut stack = block.entry.clone();
            note(&stack);
            for step in &block.steps {
                apply(self.code, self.func, *step, &mut stack);
                note(&stack);
            }
        }
        heights
    }
}
