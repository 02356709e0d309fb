//! `narrow-immutables`: immutables take no more bytes than the program asks for.
//!
//! An immutable is pushed as it was deployed. Where nothing depends on its upper bits (an address is masked,
//! called or compared behind a mask), they need not be there: the immutable becomes the narrowest legal integer
//! that has the bits, at all its loads alike. The assembler pushes so many bytes, and `setimmutable` stores so
//! many, whatever the value is; masks are gone when the types are known.
//!
//! ```text
//! %owner = evm.loadimmutable "owner" : u256        %owner = evm.loadimmutable "owner" : u160
//! %account = evm.and %owner, %mask            =>   %account = evm.and %owner, %mask
//! ```
//!
//! The program does what it did with another value of the immutable, one without upper bits: whatever is known
//! of it for all values stays true.
//!
//! Does nothing in a module without entry, whose functions others may call. Needs promoted slots. Preserves
//! everything. Cost: linear.

use crate::low_bits::LowBits;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_ir::{Func, Module, Op, Payload, Symbol, Type, Value};
use std::collections::BTreeMap;

/// Integers that the EVM-IR has for words, narrow ones first.
const LEGAL: [u16; 3] = [8, 32, 160];

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "narrow-immutables",
    summary: "immutables take no more bytes than the program asks for",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    let loads = loads(module);
    if loads.is_empty() || module.entry.is_none() {
        return Changed::No;
    }
    let low = LowBits::compute(module);
    let mut asked: BTreeMap<&str, u16> = BTreeMap::new();
    for (symbol, func, value) in &loads {
        let asked = asked.entry(module.symbols.text(*symbol)).or_default();
        *asked = low.of(*func, *value).max(*asked);
    }
    let mut narrow = Vec::new();
    for (symbol, func, value) in &loads {
        let asked = asked[module.symbols.text(*symbol)];
        let bits = LEGAL.into_iter().find(|bits| asked <= *bits);
        let is_wider = |bits: &u16| module.funcs[*func].dfg.ty(*value).bits().is_some_and(|had| had > *bits);
        narrow.extend(bits.filter(is_wider).map(|bits| (*func, *value, Type::Int(bits))));
    }
    for (func, value, ty) in &narrow {
        module.funcs[*func].dfg.set_ty(*value, *ty);
    }
    Changed::from(!narrow.is_empty())
}

/// What immutables are loaded, and where.
fn loads(module: &Module) -> Vec<(Symbol, Func, Value)> {
    let mut loads = Vec::new();
    for (id, func) in &module.funcs {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let (Op::LoadImmutable, Payload::Symbol(symbol)) =
                (func.dfg.op(inst), func.dfg.inst(inst).payload)
            {
                loads.push((symbol, id, func.dfg.result(inst)));
            }
        }
    }
    loads
}
