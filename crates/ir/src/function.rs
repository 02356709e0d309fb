//! A function: signature, data-flow graph, layout.

use crate::dfg::{Dfg, Payload, ValueDef};
use crate::ids::{Block, Func, Inst, Loc, Value, sized};
use crate::layout::Layout;
use crate::op::Op;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::Word;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// Parameter and result types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Types of the parameters; they are the parameters of the entry block.
    pub params: Vec<Type>,
    /// Types of the results.
    pub results: Vec<Type>,
}

/// Attributes of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FuncAttrs {
    /// `[inline]`: always inline.
    pub inline: bool,
    /// `[noinline]`: never inline.
    pub noinline: bool,
    /// `[cold]`: rarely executed.
    pub cold: bool,
    /// `[norecurse]`: never active twice at once.
    pub norecurse: bool,
}

/// A function of a module.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Name without `@`.
    pub name: String,
    /// Parameter and result types.
    pub signature: Signature,
    /// Attributes.
    pub attrs: FuncAttrs,
    /// Instructions and values.
    pub dfg: Dfg,
    /// Their order.
    pub layout: Layout,
    /// Names of values without `%`, where the input gave one. Looked up, never iterated.
    pub value_names: FxHashMap<Value, Box<str>>,
    /// Names of blocks without `^`, where the input gave one. Looked up, never iterated.
    pub block_names: FxHashMap<Block, Box<str>>,
    /// Places of instructions in the input text, for diagnostics; what a pass inserts for an
    /// instruction has the place of that.
    pub spans: SecondaryMap<Inst, Option<Span>>,
    /// Places of the labels of blocks in the input text. Looked up, never iterated.
    pub block_spans: FxHashMap<Block, Span>,
    /// Place of the function's name in the input text.
    pub span: Option<Span>,
    /// Where the function as a whole is in the source: no instruction needs to be at that.
    pub loc: Option<Loc>,
    num_blocks: u32,
}

impl Function {
    /// An empty function.
    pub fn new(name: impl Into<String>, signature: Signature) -> Self {
        Function { name: name.into(), signature, ..Function::default() }
    }

    /// A new block, not in the layout yet.
    pub fn make_block(&mut self) -> Block {
        self.num_blocks += 1;
        Block::from_u32(self.num_blocks - 1)
    }

    /// Number of blocks ever made.
    #[inline]
    pub fn num_blocks(&self) -> usize {
        self.num_blocks as usize
    }

    /// The last instruction of a block, if it is a terminator.
    #[inline]
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.layout.last_inst(block).filter(|inst| self.dfg.op(*inst).is_terminator())
    }

    /// Calls `f` on each successor of a block, repeated targets repeatedly.
    #[inline]
    pub fn for_each_successor(&self, block: Block, mut f: impl FnMut(Block)) {
        if let Some(inst) = self.terminator(block) {
            self.dfg.for_each_target(inst, |call| f(call.block));
        }
    }

    /// Gives every call another callee: what `new_callee` says for the one that it has. It is asked
    /// in layout order, once for each call.
    pub fn map_callees(&mut self, mut new_callee: impl FnMut(Func) -> Func) {
        let Function { dfg, layout, .. } = self;
        for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
            if let Payload::Func(callee) = &mut dfg.inst_mut(inst).payload {
                *callee = new_callee(*callee);
            }
        }
    }

    /// True if there is an `alloca` in the layout.
    pub fn has_alloca(&self) -> bool {
        let mut insts = self.layout.blocks().flat_map(|block| self.layout.insts(block));
        self.dfg.may_have_alloca() && insts.any(|inst| self.dfg.op(inst) == Op::Alloca)
    }

    /// How often each value is used by instructions in the layout.
    pub fn count_uses(&self) -> SecondaryMap<Value, u32> {
        let mut uses = sized(self.dfg.num_values());
        for inst in self.layout.blocks().flat_map(|block| self.layout.insts(block)) {
            self.dfg.for_each_use(inst, |value| uses[value] += 1);
        }
        uses
    }

    /// A `constant` instruction, not in a block yet.
    pub fn make_constant(&mut self, word: Word, ty: Type) -> Inst {
        let id = self.dfg.make_const(word);
        let inst = self.dfg.make_inst(Op::Constant, &[], Payload::Const(id));
        self.dfg.append_result(inst, ty);
        inst
    }

    /// Place of an instruction in the input text; if it has none, that of its block or function.
    pub fn inst_place(&self, inst: Inst) -> Option<Span> {
        let block = || self.layout.inst_block(inst).map_or(self.span, |block| self.block_place(block));
        self.spans[inst].or_else(block)
    }

    /// Place of a block's label in the input text; if it has none, that of the function.
    pub fn block_place(&self, block: Block) -> Option<Span> {
        self.block_spans.get(&block).copied().or(self.span)
    }

    /// Parameters of the entry block: the function's parameters.
    #[inline]
    pub fn params(&self) -> &[Value] {
        self.dfg.params(self.layout.entry())
    }

    /// The number of a parameter of the function.
    #[inline]
    pub fn param_index(&self, value: Value) -> Option<usize> {
        match self.dfg.def(value) {
            ValueDef::Param(block, index) if block == self.layout.entry() => Some(usize::from(index)),
            ValueDef::Param(..) | ValueDef::Result(..) => None,
        }
    }
}
