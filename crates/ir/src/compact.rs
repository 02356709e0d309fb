//! Drops from a function's arenas what its layout no longer has.
//!
//! Passes leave instructions, values and blocks behind: ids are never reused. Side tables are as
//! long as the arenas, and instructions that stand next to each other should lie next to each
//! other, so a function that shrank or was put together from others is rebuilt in layout order.

use crate::debug::drop_dead_traces;
use crate::dfg::{BlockCall, Payload, SwitchData};
use crate::function::Function;
use crate::ids::{Block, Inst, Value};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// Instructions ever made in a function from which it pays to look for those that are gone.
const MIN_COMPACTED: usize = 64;

impl Function {
    /// [Compacts](Function::compact) a function in which more instructions are gone than left.
    ///
    /// # Panics
    /// As [`Function::compact`].
    pub fn compact_sparse(&mut self) {
        let n_made = self.dfg.num_insts();
        if n_made > MIN_COMPACTED && n_made > 2 * self.layout.num_insts() {
            self.compact();
        }
    }

    /// Renumbers blocks, instructions and values in layout order and frees everything else. The
    /// text form stays the same up to generated names. Linear.
    ///
    /// # Panics
    /// If an instruction uses a value or block that is not in the layout.
    pub fn compact(&mut self) {
        drop_dead_traces(self);
        let old = std::mem::take(self);
        let mut rebuild = Rebuild {
            func: Function::default(),
            blocks: SecondaryMap::with_capacity(old.num_blocks()),
            values: SecondaryMap::with_capacity(old.dfg.num_values()),
            insts: Vec::with_capacity(old.layout.num_insts()),
        };
        rebuild.func.dfg.reserve(old.layout.num_insts(), old.layout.num_insts());
        old.layout.blocks().for_each(|block| rebuild.add_block(&old, block));
        for index in 0..rebuild.insts.len() {
            let (inst, made) = rebuild.insts[index];
            rebuild.fill(&old, inst, made);
        }
        *self = rebuild.finish(old);
    }
}

/// A function on its way into new arenas.
struct Rebuild {
    func: Function,
    blocks: SecondaryMap<Block, PackedOption<Block>>,
    values: SecondaryMap<Value, PackedOption<Value>>,
    /// Old and new instructions, in order.
    insts: Vec<(Inst, Inst)>,
}

impl Rebuild {
    /// Adds a block with its instructions, which have results but no operands yet: uses can come
    /// before definitions.
    fn add_block(&mut self, old: &Function, block: Block) {
        let made = self.func.make_block();
        self.blocks[block] = made.into();
        self.func.layout.append_block(made);
        for param in old.dfg.params(block) {
            self.values[*param] = self.func.dfg.append_param(made, old.dfg.ty(*param)).into();
        }
        for inst in old.layout.insts(block) {
            let copy = self.func.dfg.make_inst(old.dfg.op(inst), &[], Payload::None);
            for result in old.dfg.results(inst) {
                self.values[*result] = self.func.dfg.append_result(copy, old.dfg.ty(*result)).into();
            }
            self.func.dfg.inst_mut(copy).loc = old.dfg.inst(inst).loc;
            self.func.layout.append_inst(copy, made);
            self.insts.push((inst, copy));
        }
    }

    fn fill(&mut self, old: &Function, inst: Inst, made: Inst) {
        let args: SmallVec<[Value; 8]> = old.dfg.args(inst).iter().map(|arg| self.value(*arg)).collect();
        let payload = match old.dfg.inst(inst).payload {
            Payload::Const(id) => Payload::Const(self.func.dfg.make_const(old.dfg.word(id))),
            Payload::Jump(call) => Payload::Jump(self.edge(old, &call)),
            Payload::Branch([then, otherwise]) => {
                Payload::Branch([self.edge(old, &then), self.edge(old, &otherwise)])
            }
            Payload::Switch(id) => {
                let data = old.dfg.switch(id);
                let cases = data.cases.iter().map(|(word, call)| (*word, self.edge(old, call))).collect();
                let default = self.edge(old, &data.default);
                Payload::Switch(self.func.dfg.make_switch(SwitchData { default, cases }))
            }
            payload @ (Payload::None | Payload::Number(_) | Payload::Func(_) | Payload::Symbol(_)) => payload,
        };
        self.func.dfg.replace_inst(made, old.dfg.op(inst), &args, payload);
    }

    fn edge(&mut self, old: &Function, call: &BlockCall) -> BlockCall {
        let args: SmallVec<[Value; 8]> = old.dfg.call_args(call).iter().map(|arg| self.value(*arg)).collect();
        let block = self.blocks[call.block].expect("invariant: targets are in the layout");
        self.func.dfg.block_call(block, &args)
    }

    fn value(&self, value: Value) -> Value {
        self.values[value].expect("invariant: used values are defined in the layout")
    }

    fn finish(self, mut old: Function) -> Function {
        let Rebuild { mut func, blocks, values, insts } = self;
        if !old.value_names.is_empty() {
            for (value, made) in values.iter() {
                let named = made.expand().and_then(|made| Some((made, old.value_names.remove(&value)?)));
                func.value_names.extend(named);
            }
        }
        for (block, made) in blocks.iter() {
            let named = made.expand().and_then(|made| Some((made, old.block_names.remove(&block)?)));
            func.block_names.extend(named);
            let placed = made.expand().and_then(|made| Some((made, old.block_spans.remove(&block)?)));
            func.block_spans.extend(placed);
        }
        for (inst, made) in insts {
            if let Some(span) = old.spans[inst] {
                func.spans[made] = Some(span);
            }
        }
        (func.name, func.signature, func.attrs) = (old.name, old.signature, old.attrs);
        (func.span, func.loc) = (old.span, old.loc);
        func
    }
}

#[cfg(test)]
mod tests {
    use crate::text::{parse, print};
    use crate::verify::{Form, verify};
    use cairn_diag::FileId;

    const TEXT: &str = "module @M {
  func @__entry() {
  ^entry:
    %x = evm.constant 5 : u256
    %dead = evm.not %x : u256
    evm.switch %x, default ^last(%x)
      case 7 -> ^next
  ^last(%p : u256):
    evm.sstore %p, %x
    evm.stop
  ^next:
    %y = evm.add %x, %x : u256
    evm.condbr %y, ^next, ^last(%y)
  }
}
";

    // Shows S003-33, S003-49.
    #[test]
    fn what_is_left_prints_the_same() {
        let mut module = parse(TEXT, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
        let func = module.funcs.values_mut().next().expect("one function");
        let entry = func.layout.entry();
        let dead = func.layout.insts(entry).nth(1).expect("the second instruction");
        func.layout.remove_inst(dead);
        let (n_insts, n_values) = (func.dfg.num_insts(), func.dfg.num_values());
        func.compact();
        assert_eq!((func.dfg.num_insts(), func.dfg.num_values()), (n_insts - 1, n_values - 1));
        assert_eq!(func.layout.num_insts(), n_insts - 1);
        assert!(verify(&module, Form::Free).is_empty());
        let expected: Vec<&str> = TEXT.lines().filter(|line| !line.contains("%dead")).collect();
        assert_eq!(print(&module).lines().collect::<Vec<_>>(), expected);
    }
}
