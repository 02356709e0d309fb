//! What instructions do, up to the names of values and blocks: equal heads, operands and edges mean that they do
//! the same.

use cairn_ir::{Func, Function, Inst, Op, Payload, Symbol, Type};
use smallvec::SmallVec;

/// An instruction without its operands, its results' names and the edges that it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Head {
    op: Op,
    results: SmallVec<[Type; 2]>,
    what: What,
}

/// What an instruction speaks of beside values, words and blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    Nothing,
    Number(u64),
    Symbol(Symbol),
    Func(Func),
    /// The function that it stands in.
    Itself,
}

impl Head {
    /// Of an instruction of a function; `id` is that function where it does not matter which one it is.
    pub(crate) fn of(func: &Function, inst: Inst, id: Option<Func>) -> Head {
        let what = match func.dfg.inst(inst).payload {
            Payload::None | Payload::Const(_) => What::Nothing,
            Payload::Jump(_) | Payload::Branch(_) | Payload::Switch(_) => What::Nothing,
            Payload::Number(number) => What::Number(number),
            Payload::Symbol(symbol) => What::Symbol(symbol),
            Payload::Func(callee) if Some(callee) == id => What::Itself,
            Payload::Func(callee) => What::Func(callee),
        };
        let results = func.dfg.results(inst).iter().map(|result| func.dfg.ty(*result));
        Head { op: func.dfg.op(inst), results: results.collect(), what }
    }
}
