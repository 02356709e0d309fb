//! Bodies of functions: blocks, and the names of blocks and values.
//!
//! A use of a value before its definition is a *placeholder*, a value id that no value has; see
//! `finish` for its replacement. Instructions before the first label belong to the first block.

mod finish;
mod literals;
mod names;
mod tail_calls;

use super::header::Header;
use super::stream::Stream;
use crate::dfg::Payload;
use crate::function::Function;
use crate::ids::{Block, Func, Inst, Loc, SwitchId, Value, Var};
use crate::op::Op;
use crate::symbol::SymbolTable;
use crate::text::fault;
use crate::text::lex::{Kind, Token};
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::Word;
use literals::Literals;
use names::NameState;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// What a body sees of its module.
pub(super) struct BodyCx<'m, 'a> {
    pub(super) funcs: &'m FxHashMap<&'m str, Func>,
    pub(super) headers: &'m [Header<'a>],
    pub(super) locs: &'m FxHashMap<u64, Loc>,
    pub(super) vars: &'m FxHashMap<u64, Var>,
    pub(super) symbols: &'m mut SymbolTable,
    /// True for the body of the entry function.
    pub(super) is_entry: bool,
}

/// First id of a placeholder.
const FIRST_PLACEHOLDER: u32 = 1 << 31;

/// A use before the definition.
pub(super) struct Forward {
    pub(super) value: Option<Value>,
    pub(super) first_use: Span,
    pub(super) name: String,
}

struct BlockState {
    block: Block,
    defined: bool,
    first_use: Span,
}

/// `phi` as written: where it stands, the parameter it became, its entries.
pub(super) struct PhiText {
    pub(super) block: Block,
    pub(super) param: Value,
    pub(super) entries: Vec<(Value, Block)>,
    pub(super) has_type: bool,
    pub(super) span: Span,
}

/// A switch as written: what is compared, and the numbers of its cases with their places. They
/// become words when the type of the value is known.
pub(super) struct SwitchText {
    pub(super) id: SwitchId,
    pub(super) value: Value,
    pub(super) numbers: Vec<((Word, bool), Span)>,
}

/// The state of reading one body.
pub(super) struct Body<'s, 'm, 'a> {
    pub(super) stream: &'s mut Stream<'a>,
    pub(super) cx: BodyCx<'m, 'a>,
    pub(super) header: &'m Header<'a>,
    pub(super) func: &'s mut Function,
    values: FxHashMap<Cow<'a, str>, NameState>,
    blocks: FxHashMap<Cow<'a, str>, BlockState>,
    pub(super) forwards: Vec<Forward>,
    pub(super) phis: Vec<PhiText>,
    pub(super) switches: Vec<SwitchText>,
    /// Instructions whose result types were left out.
    pub(super) untyped: Vec<Inst>,
    /// Instructions without results that were given the type of their operand.
    pub(super) annotated: Vec<(Inst, Type)>,
    /// Names that the instruction being read gives to its results.
    pub(super) lhs: Vec<(Cow<'a, str>, Span)>,
    pub(super) literals: Literals,
    /// True if an operand of the instruction being read has its type written behind it.
    pub(super) has_typed_operands: bool,
    /// Location of the switch being read, which stands before its cases.
    pub(super) switch_loc: Option<Loc>,
    current: Option<Block>,
    has_label: bool,
}

pub(super) fn parse_body<'a>(
    stream: &mut Stream<'a>,
    cx: BodyCx<'_, 'a>,
    header: &Header<'a>,
    func: &mut Function,
) {
    let faults_before = stream.num_faults;
    let mut body = Body {
        stream,
        cx,
        header,
        func,
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
        forwards: Vec::new(),
        phis: Vec::new(),
        switches: Vec::new(),
        untyped: Vec::new(),
        annotated: Vec::new(),
        lhs: Vec::new(),
        literals: Literals::default(),
        has_typed_operands: false,
        switch_loc: None,
        current: None,
        has_label: false,
    };
    while !body.stream.is_at_end() {
        let start = body.stream.position();
        let parsed = match body.stream.kind() {
            Kind::Block => body.label(),
            _ => body.inst(),
        };
        if parsed.is_none() {
            body.poison();
            body.skip_line(start);
        }
    }
    if body.current.is_none() {
        let message = format!("function `@{}` has no block", header.name);
        body.stream.fault::<()>(fault::NO_BLOCK, header.name_span, message);
    }
    body.append_tail_calls();
    body.check_names();
    if body.stream.num_faults == faults_before {
        finish::finish(&mut body);
    }
}

impl<'a> Body<'_, '_, 'a> {
    /// After a fault in what begins at `start`: goes to the next line.
    fn skip_line(&mut self, start: usize) {
        if self.stream.position() == start {
            self.stream.bump();
        }
        while !self.stream.is_at_end() && !self.stream.peek().starts_line {
            self.stream.bump();
        }
    }

    /// `^name(%x : u256):`.
    fn label(&mut self) -> Option<()> {
        let token = self.stream.bump();
        let block = self.define_block(token)?;
        let is_entry = self.func.layout.first_block() == Some(block);
        self.current = Some(block);
        self.has_label = true;
        if let Some(open) = self.stream.eat(Kind::OpenParen) {
            match is_entry {
                true => self.entry_params(open.span)?,
                false => self.block_params(block)?,
            }
        }
        self.stream.expect(Kind::Colon, "`:`")?;
        Some(())
    }

    fn block_params(&mut self, block: Block) -> Option<()> {
        let mut is_first = true;
        while self.stream.eat(Kind::CloseParen).is_none() {
            if !std::mem::take(&mut is_first) {
                self.stream.expect(Kind::Comma, "`,` or `)`")?;
            }
            let token = self.stream.expect(Kind::Value, "a parameter such as `%x : u256`")?;
            let name = self.stream.name(token)?;
            self.stream.expect(Kind::Colon, "`:`")?;
            let ty = self.stream.ty()?;
            let param = self.func.dfg.append_param(block, ty);
            self.define_value(name, token.span, param);
        }
        Some(())
    }

    /// Names of the function's parameters at the entry block, where the header gave none.
    fn entry_params(&mut self, span: Span) -> Option<()> {
        let mut index = 0;
        while self.stream.eat(Kind::CloseParen).is_none() {
            if index > 0 {
                self.stream.expect(Kind::Comma, "`,` or `)`")?;
            }
            let token = self.stream.expect(Kind::Value, "a parameter such as `%x : u256`")?;
            let name = self.stream.name(token)?;
            self.stream.expect(Kind::Colon, "`:`")?;
            let ty = self.stream.ty()?;
            let is_free = self.header.param_names.get(index).is_some_and(Option::is_none);
            if !is_free || self.header.signature.params[index] != ty {
                return self.mismatched_entry(token.span);
            }
            let param = self.func.params()[index];
            self.define_value(name, token.span, param);
            index += 1;
        }
        if index != self.header.signature.params.len() {
            return self.mismatched_entry(span);
        }
        Some(())
    }

    fn mismatched_entry<T>(&mut self, span: Span) -> Option<T> {
        self.stream.fault_with_help(
            fault::ENTRY_PARAMETERS,
            span,
            "the parameters of the entry block are not those of the function",
            "name the parameters in the function's header",
        )
    }

    /// The block that a label defines.
    fn define_block(&mut self, token: Token) -> Option<Block> {
        let name = self.stream.name(token)?;
        let implicit = self.current.filter(|_| !self.has_label);
        let block = match self.blocks.get_mut(&name) {
            Some(state) if state.defined => {
                let first = state.first_use;
                let message = format!("block `{}` is defined twice", self.stream.shown(token));
                return self.stream.fault_with_label(
                    fault::DEFINED_TWICE,
                    token.span,
                    message,
                    (first, "first here"),
                );
            }
            Some(state) => {
                (state.defined, state.first_use) = (true, token.span);
                let block = state.block;
                self.append_block(block);
                block
            }
            None => {
                let block = implicit.unwrap_or_else(|| self.func.make_block());
                let state = BlockState { block, defined: true, first_use: token.span };
                self.blocks.insert(name.clone(), state);
                if implicit.is_none() {
                    self.append_block(block);
                }
                block
            }
        };
        self.func.block_spans.insert(block, token.span);
        if !literal::is_number(&name) {
            self.func.block_names.insert(block, name.into());
        }
        Some(block)
    }

    /// Puts a block at the end; the first one gets the function's parameters.
    fn append_block(&mut self, block: Block) {
        let is_entry = self.func.layout.first_block().is_none();
        self.func.layout.append_block(block);
        if !is_entry {
            return;
        }
        for (ty, name) in self.header.signature.params.iter().zip(&self.header.param_names) {
            let param = self.func.dfg.append_param(block, *ty);
            if let Some((name, span)) = name {
                self.define_value(name.clone(), *span, param);
            }
        }
    }

    /// The block that instructions are appended to.
    pub(super) fn current_block(&mut self) -> Block {
        if let Some(block) = self.current {
            return block;
        }
        let block = self.func.make_block();
        self.append_block(block);
        self.current = Some(block);
        block
    }

    /// Appends an instruction that stands for something written otherwise; it has no results yet.
    pub(super) fn append(&mut self, op: Op, args: &[Value], payload: Payload) -> Inst {
        let block = self.current_block();
        let inst = self.func.dfg.make_inst(op, args, payload);
        self.func.layout.append_inst(inst, block);
        inst
    }

    /// Appends a constant that stands for something written otherwise.
    pub(super) fn append_constant(&mut self, word: Word) -> Inst {
        let block = self.current_block();
        let inst = self.func.make_constant(word, Type::U256);
        self.func.layout.append_inst(inst, block);
        inst
    }

    /// The block that a `^name` refers to.
    pub(super) fn block_ref(&mut self) -> Option<Block> {
        let token = self.stream.expect(Kind::Block, "a block such as `^exit`")?;
        let name = self.stream.name(token)?;
        if let Some(state) = self.blocks.get(&name) {
            return Some(state.block);
        }
        let block = self.func.make_block();
        self.blocks.insert(name, BlockState { block, defined: false, first_use: token.span });
        Some(block)
    }

    /// The value that a placeholder stands for; other values unchanged.
    pub(super) fn resolve(forwards: &[Forward], value: Value) -> Value {
        match value.as_u32().checked_sub(FIRST_PLACEHOLDER) {
            Some(index) => forwards[index as usize].value.expect("invariant: all names were checked"),
            None => value,
        }
    }
}
