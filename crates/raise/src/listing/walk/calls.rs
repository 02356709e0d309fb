//! Calls of internal functions: short ones are written out.

use super::{Frame, Walk};
use crate::listing::say::Say;
use crate::tree::{At, Callee, Expr, Stmt, Var};
use cairn_evm::Word;
use cairn_ir::Func;
use rustc_hash::FxHashMap;

impl<'a> Walk<'a> {
    /// Writes a short function out; its results, or nothing when it does not come back.
    pub(in crate::listing) fn write_out(
        &mut self,
        func: Func,
        args: &[Expr],
        short: &'a [Stmt],
    ) -> Option<Vec<Say>> {
        let mut says: Vec<Say> = args.iter().rev().map(|arg| self.say(arg)).collect();
        says.reverse();
        let params = self.short.params(func);
        let mut bound = FxHashMap::default();
        self.frames += 1;
        let caller =
            std::mem::replace(&mut self.frame, Frame { number: self.frames, args: FxHashMap::default() });
        for (param, say) in params.into_iter().zip(says) {
            let say = self.keep(say);
            bound.insert(param, say);
        }
        self.frame.args = bound;
        let completes = self.list(short);
        let results = (0..self.short.results(func)).map(|index| self.variable(self.name(Var::Result(index))));
        let results = results.collect();
        self.frame = caller;
        completes.then_some(results)
    }

    /// A call of an internal function within an expression.
    pub(super) fn call(&mut self, func: Func, args: &[Expr], at: At) -> Say {
        if let Some(short) = self.short.get(func)
            && let Some(results) = self.write_out(func, args, short)
        {
            return results.into_iter().next().unwrap_or(Say::Number(Word::ZERO));
        }
        let mut says: Vec<Say> = args.iter().rev().map(|arg| self.say(arg)).collect();
        says.reverse();
        self.call_out(func);
        Say::Call(Callee::Func(func), says, at)
    }

    pub(in crate::listing) fn call_out(&mut self, func: Func) {
        self.changes += 1;
        if self.short.touches_memory(func) {
            let Walk { stores, state, .. } = self;
            stores.hand_over(state);
        }
    }
}
