//! The words that may be places in a buffer, in one function.

use crate::pointer_word;
use cairn_analysis::{Cfg, callgraph};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Func, Function, Inst, Op, SecondaryMap, Value};
use cranelift_entity::EntitySet;

/// Where the values of a function are used.
pub(super) struct Shape {
    pub(super) cfg: Cfg,
    uses: SecondaryMap<Value, Vec<Inst>>,
}

impl Shape {
    /// Linear.
    pub(super) fn of(func: &Function) -> Shape {
        let cfg = Cfg::compute(func);
        let mut uses: SecondaryMap<Value, Vec<Inst>> = SecondaryMap::new();
        for inst in cfg.rpo().iter().flat_map(|block| func.layout.insts(*block)) {
            func.dfg.for_each_use(inst, |value| uses[value].push(inst));
        }
        Shape { cfg, uses }
    }
}

/// The words of a function that may be places in a buffer.
#[derive(Default)]
pub(super) struct Places {
    values: EntitySet<Value>,
    /// The results of the function that may be.
    pub(super) results: Vec<usize>,
}

impl Places {
    /// Those of the buffer that a word leads to; nothing if it is stored, or goes where it is not followed.
    /// `given_back` tells which results of a function may be places of a parameter, if that is not stored there.
    /// Linear in the uses of the places.
    pub(super) fn of(
        func: &Function,
        shape: &Shape,
        pointer: Value,
        given_back: impl Fn(Func, usize) -> Option<Vec<usize>>,
    ) -> Option<Places> {
        let mut places = Places::default();
        places.values.insert(pointer);
        let (mut open, mut differences) = (vec![pointer], Vec::new());
        while let Some(place) = open.pop() {
            for inst in shape.uses[place].iter().copied() {
                match func.dfg.op(inst) {
                    Op::Evm(Opcode::SUB) => differences.push(inst),
                    Op::Iret => places.give_back(func, inst, place),
                    _ => Way { func, inst, place }.follow(&given_back, |value| {
                        if places.values.insert(value) {
                            open.push(value);
                        }
                    })?,
                }
            }
            if open.is_empty() {
                // The distance of two places is none.
                for inst in std::mem::take(&mut differences) {
                    let args = func.dfg.args(inst);
                    let is_distance = args.iter().all(|arg| places.values.contains(*arg));
                    let result = func.dfg.result(inst);
                    if !is_distance && places.values.insert(result) {
                        open.push(result);
                    }
                }
            }
        }
        Some(places)
    }

    /// True if a word may be a place.
    pub(super) fn contains(&self, value: Value) -> bool {
        self.values.contains(value)
    }

    fn give_back(&mut self, func: &Function, inst: Inst, place: Value) {
        let given = func.dfg.args(inst).iter().enumerate().filter(|(_, arg)| **arg == place);
        for (index, _) in given {
            if !self.results.contains(&index) {
                self.results.push(index);
            }
        }
    }
}

/// A use of a place.
struct Way<'a> {
    func: &'a Function,
    inst: Inst,
    place: Value,
}

impl Way<'_> {
    /// Where the place goes; nothing if that is not followed.
    fn follow(
        &self,
        given_back: impl Fn(Func, usize) -> Option<Vec<usize>>,
        mut reach: impl FnMut(Value),
    ) -> Option<()> {
        let (dfg, inst) = (&self.func.dfg, self.inst);
        let args = dfg.args(inst);
        match dfg.op(inst) {
            Op::Evm(Opcode::ADD | Opcode::AND) | Op::PtrAdd | Op::PtrToInt | Op::IntToPtr => {
                reach(dfg.result(inst));
            }
            Op::Evm(Opcode::LT | Opcode::GT | Opcode::EQ | Opcode::ISZERO | Opcode::SLT | Opcode::SGT) => {}
            // What is left of a pointer is zero.
            Op::Evm(Opcode::SHR) => {
                let by = Word::from(pointer_word::BITS as u64);
                dfg.as_const(args[0]).filter(|bits| *bits >= by)?;
            }
            Op::Br | Op::CondBr | Op::Switch => dfg.for_each_target(inst, |call| {
                let params = dfg.params(call.block).iter();
                let passed = params.zip(dfg.call_args(call)).filter(|(_, arg)| **arg == self.place);
                passed.for_each(|(param, _)| reach(*param));
            }),
            Op::Icall => {
                let callee = callgraph::callee(self.func, inst)?;
                for (index, _) in args.iter().enumerate().filter(|(_, arg)| **arg == self.place) {
                    given_back(callee, index)?
                        .into_iter()
                        .for_each(|result| reach(dfg.results(inst)[result]));
                }
            }
            Op::DataCopy => args[1..].iter().all(|arg| *arg != self.place).then_some(())?,
            Op::Evm(opcode) => self.is_address(opcode).then_some(())?,
            _ => return None,
        }
        Some(())
    }

    /// True where the place is no more than an address of an operation on memory, or where memory is free now.
    fn is_address(&self, opcode: Opcode) -> bool {
        let args = self.func.dfg.args(self.inst);
        let regions = [memory_read(opcode), memory_write(opcode)];
        let is_start =
            |index: usize| regions.iter().flatten().any(|region| usize::from(region.start) == index);
        let moves_pointer = opcode == Opcode::MSTORE
            && self.func.dfg.as_const(args[0]) == Some(Word::from(pointer_word::ADDRESS));
        let mut args = args.iter().enumerate();
        moves_pointer || args.all(|(index, arg)| *arg != self.place || is_start(index))
    }
}
