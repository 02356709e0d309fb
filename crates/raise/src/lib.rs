//! EVM-IR to Yul: functions with `for`, `if`, `switch` and nested expressions, to be read and compiled.
//!
//! [`raise`] makes an object of a module in free form that has words alone, as the lifter writes it: the
//! entry's code and each function, nested modules as nested objects, data as `data`. The object does what
//! the module does, in everything but gas. What Yul cannot say is a [`Fault`] with its place.
//!
//! Control flow gets structure in five steps, a file each:
//!
//! 1. `graph`, `simplify`: blocks become nodes; rows are joined, comparisons in a row become switches, short
//!    ends stand wherever control goes to them.
//! 2. `states`: a cycle with several entries gets one, which switches on a state.
//! 3. `shape`: dominators and loops say where each node stands.
//! 4. `structure`: ways become nothing, `break`, `continue` or `leave`. Yul leaves one loop at a time: a
//!    variable says for which node several are left, and an `if` behind each goes on.
//! 5. `fold`, `polish`, `declare`: values become expressions, loops get their conditions and steps, and
//!    variables are declared where they begin.
//!
//! [`listing`] tells the same statements to readers, with what is known of a bytecode.
//!
//! ```
//! let text = "module @m { func @__entry() { ^0: %a = evm.constant 1 : u256 evm.sstore %a, %a evm.stop } }";
//! let module = cairn_ir::text::parse(text, cairn_diag::FileId(0)).expect("EVM-IR");
//! let dialect = cairn_yul::Dialect::default();
//! let raised = cairn_raise::raise(&module, &cairn_raise::Notes::default(), &dialect).expect("words alone");
//! let yul = cairn_yul::print_object(&raised.object, &raised.names, &dialect, Default::default());
//! assert!(yul.contains("sstore(1, 1)"), "{yul}");
//! ```

mod declare;
mod fault;
mod fold;
mod graph;
pub mod listing;
mod literal;
mod names;
mod needed;
mod notes;
mod object;
mod polish;
mod shape;
mod simplify;
mod states;
mod structure;
mod tree;
mod yul;

pub use fault::{Fault, Reason};
pub use notes::Notes;
pub use object::{Raised, raise};
pub use structure::Detours;
