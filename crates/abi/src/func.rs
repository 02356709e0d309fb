//! A function that can be called.

use cairn_ir::{Func, FuncBuilder, Signature, Value};
use smallvec::SmallVec;

/// A function that a builder made, ready to be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbiFn {
    /// The function.
    pub func: Func,
    /// Words that it takes and gives.
    pub signature: Signature,
}

impl AbiFn {
    /// Appends a call; its results.
    pub fn call(&self, builder: &mut FuncBuilder<'_>, args: &[Value]) -> SmallVec<[Value; 4]> {
        assert_eq!(args.len(), self.signature.params.len(), "arguments of {}", self.func);
        builder.icall(self.func, &self.signature, args)
    }

    /// Appends a call of a function that does not come back, and ends the block.
    pub fn end(&self, builder: &mut FuncBuilder<'_>, args: &[Value]) {
        self.call(builder, args);
        builder.unreachable();
    }
}
