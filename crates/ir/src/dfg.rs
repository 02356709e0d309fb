//! The data-flow graph: instructions, values and constants of one function, in arenas.

use crate::ids::{Block, Const, Func, Inst, Loc, SwitchId, Value};
use crate::op::Op;
use crate::symbol::Symbol;
use crate::types::Type;
use cairn_evm::{Opcode, Word};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityList, ListPool, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The result with this index of an instruction.
    Result(Inst, u16),
    /// The parameter with this index of a block.
    Param(Block, u16),
}

#[derive(Clone, Copy, Debug)]
struct ValueData {
    ty: Type,
    def: ValueDef,
}

/// A branch target with the arguments passed along the edge.
#[derive(Clone, Copy, Debug)]
pub struct BlockCall {
    /// The target.
    pub block: Block,
    /// Arguments in the function's value pool; see [`Dfg::call_args`].
    pub args: EntityList<Value>,
}

/// The cases of a switch.
#[derive(Clone, Debug)]
pub struct SwitchData {
    /// Where unmatched values go.
    pub default: BlockCall,
    /// Compared word and target, in source order.
    pub cases: Vec<(Word, BlockCall)>,
}

/// What an instruction carries besides its operands.
#[derive(Clone, Copy, Debug, Default)]
pub enum Payload {
    /// Nothing.
    #[default]
    None,
    /// The word of `constant`.
    Const(Const),
    /// What the operation counts in: bytes of `alloca`, reserved bytes of `heap_base`, the index of the
    /// part of `extract` and `insert`, the variable of `dbg.trace`.
    Number(u64),
    /// The callee of `icall`.
    Func(Func),
    /// The name of a data segment, module, immutable or library; the text of `dbg.label`; the
    /// bytes of `verbatim` in hex.
    Symbol(Symbol),
    /// The target of `br`.
    Jump(BlockCall),
    /// The targets of `condbr`: not zero, zero.
    Branch([BlockCall; 2]),
    /// The cases of `switch`.
    Switch(SwitchId),
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct InstData {
    /// The operation; to change it, [`Dfg::set_op`].
    pub(crate) op: Op,
    /// Operands in the function's value pool; see [`Dfg::args`].
    pub args: EntityList<Value>,
    /// Results in the function's value pool; see [`Dfg::results`].
    pub results: EntityList<Value>,
    /// Everything else.
    pub payload: Payload,
    /// Source location.
    pub loc: PackedOption<Loc>,
}

impl InstData {
    /// The operation.
    #[inline]
    pub fn op(&self) -> Op {
        self.op
    }
}

/// Which rare operations any instruction was made so far, in the layout or not: walks that look for them
/// are not begun in vain.
#[derive(Clone, Copy, Debug, Default)]
struct Rare {
    alloca: bool,
    trace: bool,
}

impl Rare {
    #[inline]
    fn note(&mut self, op: Op) {
        self.alloca |= op == Op::Alloca;
        self.trace |= op == Op::DbgTrace;
    }
}

/// Instructions, values and constants of a function. Ids are never reused.
#[derive(Clone, Debug, Default)]
pub struct Dfg {
    insts: PrimaryMap<Inst, InstData>,
    values: PrimaryMap<Value, ValueData>,
    block_params: SecondaryMap<Block, EntityList<Value>>,
    switches: PrimaryMap<SwitchId, SwitchData>,
    consts: PrimaryMap<Const, Word>,
    const_index: FxHashMap<Word, Const>,
    pool: ListPool<Value>,
    rare: Rare,
}

impl Dfg {
    /// Makes room for so many more instructions and values.
    pub fn reserve(&mut self, insts: usize, values: usize) {
        self.insts.reserve(insts);
        self.values.reserve(values);
        if self.pool.capacity() == 0 {
            // A list of one value or two takes four places.
            self.pool = ListPool::with_capacity(4 * (insts + values));
        }
    }

    /// Adds an instruction without results; it is not in a block yet.
    pub fn make_inst(&mut self, op: Op, args: &[Value], payload: Payload) -> Inst {
        let args = EntityList::from_slice(args, &mut self.pool);
        let loc = PackedOption::default();
        self.rare.note(op);
        self.insts.push(InstData { op, args, results: EntityList::new(), payload, loc })
    }

    /// Adds a result of type `ty` to an instruction.
    pub fn append_result(&mut self, inst: Inst, ty: Type) -> Value {
        let index = self.insts[inst].results.len(&self.pool) as u16;
        let value = self.values.push(ValueData { ty, def: ValueDef::Result(inst, index) });
        self.insts[inst].results.push(value, &mut self.pool);
        value
    }

    /// Makes a value that nothing defines any more (a removed parameter, a result of an
    /// instruction that is gone) the next result of an instruction. Its uses stay as they are.
    pub fn attach_result(&mut self, inst: Inst, value: Value) {
        let index = self.insts[inst].results.len(&self.pool) as u16;
        self.values[value].def = ValueDef::Result(inst, index);
        self.insts[inst].results.push(value, &mut self.pool);
    }

    /// Makes a value that nothing defines any more the next parameter of a block. Its uses stay as
    /// they are.
    pub fn attach_param(&mut self, block: Block, value: Value) {
        let index = self.block_params[block].len(&self.pool) as u16;
        self.values[value].def = ValueDef::Param(block, index);
        self.block_params[block].push(value, &mut self.pool);
    }

    /// Adds a parameter of type `ty` to a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.block_params[block].len(&self.pool) as u16;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, index) });
        self.block_params[block].push(value, &mut self.pool);
        value
    }

    /// Removes the parameters for which `keep` is false and renumbers the others. The values stay
    /// allocated; edges must be changed by the caller.
    pub fn retain_params(&mut self, block: Block, mut keep: impl FnMut(usize, Value) -> bool) {
        let old: Vec<Value> = self.block_params[block].as_slice(&self.pool).to_vec();
        let mut kept = EntityList::new();
        for (index, value) in old.into_iter().enumerate() {
            if keep(index, value) {
                self.values[value].def = ValueDef::Param(block, kept.len(&self.pool) as u16);
                kept.push(value, &mut self.pool);
            }
        }
        self.block_params[block] = kept;
    }

    /// The parameters of a block.
    #[inline]
    pub fn params(&self, block: Block) -> &[Value] {
        self.block_params[block].as_slice(&self.pool)
    }

    /// The instruction.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// The instruction, to change.
    #[inline]
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst]
    }

    /// The operation of an instruction.
    #[inline]
    pub fn op(&self, inst: Inst) -> Op {
        self.insts[inst].op
    }

    /// Makes an instruction another one with the same operands and payload.
    pub fn set_op(&mut self, inst: Inst, op: Op) {
        self.rare.note(op);
        self.insts[inst].op = op;
    }

    /// False if no instruction ever was an `alloca`.
    #[inline]
    pub fn may_have_alloca(&self) -> bool {
        self.rare.alloca
    }

    /// False if no instruction ever was a trace.
    #[inline]
    pub fn may_have_trace(&self) -> bool {
        self.rare.trace
    }

    /// The operands of an instruction, without those passed along edges.
    #[inline]
    pub fn args(&self, inst: Inst) -> &[Value] {
        self.insts[inst].args.as_slice(&self.pool)
    }

    /// The operands of an instruction, to change.
    #[inline]
    pub fn args_mut(&mut self, inst: Inst) -> &mut [Value] {
        self.insts[inst].args.as_mut_slice(&mut self.pool)
    }

    /// The results of an instruction.
    #[inline]
    pub fn results(&self, inst: Inst) -> &[Value] {
        self.insts[inst].results.as_slice(&self.pool)
    }

    /// The only result of an instruction.
    ///
    /// # Panics
    /// If it does not have exactly one.
    #[inline]
    pub fn result(&self, inst: Inst) -> Value {
        let results = self.results(inst);
        assert_eq!(results.len(), 1, "{inst} has {} results", results.len());
        results[0]
    }

    /// Makes an instruction another one, keeping its results and location.
    pub fn replace_inst(&mut self, inst: Inst, op: Op, args: &[Value], payload: Payload) {
        let args = EntityList::from_slice(args, &mut self.pool);
        self.rare.note(op);
        let data = &mut self.insts[inst];
        (data.op, data.args, data.payload) = (op, args, payload);
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The type of a value, if the value exists.
    #[inline]
    pub fn try_ty(&self, value: Value) -> Option<Type> {
        self.values.get(value).map(|data| data.ty)
    }

    /// Changes the type of a value.
    pub fn set_ty(&mut self, value: Value, ty: Type) {
        self.values[value].ty = ty;
    }

    /// Where a value comes from.
    #[inline]
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value].def
    }

    /// The instruction that defines a value; `None` for a parameter.
    #[inline]
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Result(inst, _) => Some(inst),
            ValueDef::Param(..) => None,
        }
    }

    /// The word of a value that is a constant.
    #[inline]
    pub fn as_const(&self, value: Value) -> Option<Word> {
        self.inst_const(self.def_inst(value)?)
    }

    /// The opcode that a value is the result of, and its operands.
    #[inline]
    pub fn as_evm(&self, value: Value) -> Option<(Opcode, &[Value])> {
        let inst = self.def_inst(value)?;
        match self.op(inst) {
            Op::Evm(opcode) => Some((opcode, self.args(inst))),
            _ => None,
        }
    }

    /// The pool entry of a value that is a constant: equal words have one.
    #[inline]
    pub fn const_id(&self, value: Value) -> Option<Const> {
        self.inst_const_id(self.def_inst(value)?)
    }

    /// The word of an instruction that is a `constant`.
    #[inline]
    pub fn inst_const(&self, inst: Inst) -> Option<Word> {
        self.inst_const_id(inst).map(|id| self.consts[id])
    }

    /// The pool entry of an instruction that is a `constant`.
    #[inline]
    pub fn inst_const_id(&self, inst: Inst) -> Option<Const> {
        let data = &self.insts[inst];
        match data.payload {
            Payload::Const(id) if data.op == Op::Constant => Some(id),
            _ => None,
        }
    }

    /// The pool entry of a word.
    pub fn make_const(&mut self, word: Word) -> Const {
        let consts = &mut self.consts;
        *self.const_index.entry(word).or_insert_with(|| consts.push(word))
    }

    /// The word of a pool entry.
    #[inline]
    pub fn word(&self, id: Const) -> Word {
        self.consts[id]
    }

    /// The word of a pool entry, if the entry exists.
    pub fn try_word(&self, id: Const) -> Option<Word> {
        self.consts.get(id).copied()
    }

    /// Stores the cases of a switch.
    pub fn make_switch(&mut self, data: SwitchData) -> SwitchId {
        self.switches.push(data)
    }

    /// The cases of a switch.
    #[inline]
    pub fn switch(&self, id: SwitchId) -> &SwitchData {
        &self.switches[id]
    }

    /// The cases of a switch, if they exist.
    pub fn try_switch(&self, id: SwitchId) -> Option<&SwitchData> {
        self.switches.get(id)
    }

    /// The cases of a switch, to change.
    pub fn switch_mut(&mut self, id: SwitchId) -> &mut SwitchData {
        &mut self.switches[id]
    }

    /// A branch target with arguments.
    #[inline]
    pub fn block_call(&mut self, block: Block, args: &[Value]) -> BlockCall {
        BlockCall { block, args: EntityList::from_slice(args, &mut self.pool) }
    }

    /// The arguments passed along an edge.
    #[inline]
    pub fn call_args(&self, call: &BlockCall) -> &[Value] {
        call.args.as_slice(&self.pool)
    }

    /// Calls `f` on each branch target of an instruction, in order (switch: cases, then default).
    #[inline]
    pub fn for_each_target(&self, inst: Inst, mut f: impl FnMut(&BlockCall)) {
        match &self.insts[inst].payload {
            Payload::Jump(call) => f(call),
            Payload::Branch(calls) => calls.iter().for_each(f),
            Payload::Switch(id) => {
                let data = &self.switches[*id];
                data.cases.iter().for_each(|(_, call)| f(call));
                f(&data.default);
            }
            Payload::None
            | Payload::Const(_)
            | Payload::Number(_)
            | Payload::Func(_)
            | Payload::Symbol(_) => {}
        }
    }

    /// Replaces each branch target of an instruction by what `f` returns for its block and
    /// arguments.
    pub fn map_targets(&mut self, inst: Inst, mut f: impl FnMut(Block, &[Value]) -> (Block, Vec<Value>)) {
        let pool = &mut self.pool;
        let mut map = |call: &mut BlockCall| {
            let (block, args) = f(call.block, call.args.as_slice(pool));
            *call = BlockCall { block, args: EntityList::from_slice(&args, pool) };
        };
        match &mut self.insts[inst].payload {
            Payload::Jump(call) => map(call),
            Payload::Branch(calls) => calls.iter_mut().for_each(map),
            Payload::Switch(id) => {
                let data = &mut self.switches[*id];
                data.cases.iter_mut().for_each(|(_, call)| map(call));
                map(&mut data.default);
            }
            Payload::None
            | Payload::Const(_)
            | Payload::Number(_)
            | Payload::Func(_)
            | Payload::Symbol(_) => {}
        }
    }

    /// Passes one more argument along the edge with this index, in the order of
    /// [`Dfg::for_each_target`].
    pub fn append_call_arg(&mut self, inst: Inst, target: usize, value: Value) {
        let call = match &mut self.insts[inst].payload {
            Payload::Jump(call) => Some(call),
            Payload::Branch(calls) => calls.get_mut(target),
            Payload::Switch(id) => {
                let data = &mut self.switches[*id];
                Some(data.cases.get_mut(target).map_or(&mut data.default, |(_, call)| call))
            }
            Payload::None
            | Payload::Const(_)
            | Payload::Number(_)
            | Payload::Func(_)
            | Payload::Symbol(_) => None,
        };
        call.expect("invariant: the instruction has this target").args.push(value, &mut self.pool);
    }

    /// Calls `f` on each value an instruction uses: operands, then arguments of each edge. A trace
    /// for debuggers uses nothing, so that it has no influence on the code.
    #[inline]
    pub fn for_each_use(&self, inst: Inst, mut f: impl FnMut(Value)) {
        if self.insts[inst].op == Op::DbgTrace {
            return;
        }
        self.args(inst).iter().copied().for_each(&mut f);
        self.for_each_target(inst, |call| self.call_args(call).iter().copied().for_each(&mut f));
    }

    /// Replaces each value an instruction uses, operands and edge arguments, by what `f` returns;
    /// the value of a trace too.
    #[inline]
    pub fn map_uses(&mut self, inst: Inst, mut f: impl FnMut(Value) -> Value) {
        let pool = &mut self.pool;
        let data = &mut self.insts[inst];
        let mut map =
            |list: &mut EntityList<Value>| list.as_mut_slice(pool).iter_mut().for_each(|v| *v = f(*v));
        map(&mut data.args);
        match &mut data.payload {
            Payload::Jump(call) => map(&mut call.args),
            Payload::Branch(calls) => calls.iter_mut().for_each(|call| map(&mut call.args)),
            Payload::Switch(id) => {
                let switch = &mut self.switches[*id];
                switch.cases.iter_mut().for_each(|(_, call)| map(&mut call.args));
                map(&mut switch.default.args);
            }
            Payload::None
            | Payload::Const(_)
            | Payload::Number(_)
            | Payload::Func(_)
            | Payload::Symbol(_) => {}
        }
    }

    /// The types of all values ever made. A value that nothing gives any more has one, too.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.values.values().map(|data| data.ty)
    }

    /// Number of values ever made.
    #[inline]
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Number of instructions ever made.
    #[inline]
    pub fn num_insts(&self) -> usize {
        self.insts.len()
    }
}
