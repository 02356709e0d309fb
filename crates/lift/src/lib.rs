//! Bytecode to EVM-IR: blocks with the stack as SSA values, internal functions as functions.
//!
//! [`lift`] gives a module in free form that behaves as the code does in everything but gas: each
//! context of [`cairn_bytecode::contexts`] becomes a block, each stack slot a variable of it, each
//! function a `func` that is called by `icall`. Return addresses stay where the program looks at
//! them as data; jumps no longer need them.
//!
//! The program's own code keeps what it says: `PC` and `CODESIZE` are constants of the original,
//! `CODECOPY` copies from data that holds the original bytes. What the program can learn about
//! itself in other ways is listed in [`Observed`]. Where bytes may follow the code they keep their
//! distance from its end, and the code that creation code deploys becomes a nested module.
//!
//! ```
//! // PUSH1 1, PUSH1 4, JUMP, STOP, JUMPDEST … : sstore(0, 1)
//! let code = [0x60, 0x01, 0x60, 0x06, 0x56, 0xfe, 0x5b, 0x5f, 0x55, 0x00];
//! let analysis = cairn_bytecode::analyze(&code);
//! let lifted = cairn_lift::lift(&analysis).expect("the program is closed");
//! assert!(cairn_ir::text::print(&lifted.module).contains("evm.sstore"));
//! ```

mod blocks;
mod constants;
mod deployed;
mod function;
mod immutables;
mod observed;
mod own_code;

pub use blocks::{LooseBlocks, lift_blocks};
pub use cairn_bytecode::Unresolved;
pub use deployed::Deployed;
pub use observed::Observed;

use cairn_bytecode::{Analysis, Contexts, Role, find_contexts};
use cairn_evm::Opcode;
use cairn_ir::module::ENTRY_NAME;
use cairn_ir::{DataSegment, Func, Function, MemoryModel, Module, Signature, Type};
use function::{FunctionLift, Shared};
use own_code::{OwnCode, Piece};
use std::ops::Range;

/// Name of the data that is laid last, whether or not anything refers to it.
const METADATA: &str = ".metadata";

/// A lifted program.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The program.
    pub module: Module,
    /// What it learns about its own code, its gas and the code of accounts.
    pub observed: Observed,
    /// The codes that it deploys, where it is creation code.
    pub deployed: Vec<Deployed>,
    /// Where creation code is that: pieces of it that it copies and that have the length of what some `return`
    /// gives back, with and without a proof that this is what it deploys.
    pub returned: Vec<Range<usize>>,
}

/// Lifts a program, and what it deploys.
///
/// # Errors
/// The program is not closed, or has no reasonable number of contexts.
pub fn lift(analysis: &Analysis<'_>) -> Result<Lifted, Unresolved> {
    lift_telling(analysis, Places::Unsaid, Inner::Lifted)
}

/// The same with places: each instruction says which bytes of the code it is, by its location in source
/// unit 0. The modules in it say nothing.
///
/// # Errors
/// As for [`lift`].
pub fn lift_with_places(analysis: &Analysis<'_>) -> Result<Lifted, Unresolved> {
    lift_telling(analysis, Places::Said, Inner::Lifted)
}

/// The same as [`lift`], but what it deploys stays the data that it is: the result tells where that stands. Cost:
/// as for [`lift_alone`], however many pieces of the code are deployed.
///
/// # Errors
/// As for [`lift`].
pub fn lift_outside(analysis: &Analysis<'_>) -> Result<Lifted, Unresolved> {
    lift_telling(analysis, Places::Unsaid, Inner::Kept)
}

fn lift_telling(analysis: &Analysis<'_>, places: Places, inner: Inner) -> Result<Lifted, Unresolved> {
    let (mut lifted, pieces) = lift_with_pieces(analysis, "lifted", places)?;
    if analysis.role == Role::Creation {
        lifted.returned = deployed::returned(&lifted.module, &pieces);
        lifted.deployed = deployed::lift_deployed(&mut lifted.module, &pieces, analysis, inner);
    }
    Ok(lifted)
}

/// Lifts a program; what it deploys stays the data that it is.
///
/// # Errors
/// As for [`lift`].
pub fn lift_alone(analysis: &Analysis<'_>) -> Result<Lifted, Unresolved> {
    lift_with_pieces(analysis, "lifted", Places::Unsaid).map(|(lifted, _)| lifted)
}

/// True for code that ends before it does anything: contracts that hold data for `EXTCODECOPY`.
pub fn is_data(code: &[u8]) -> bool {
    let ends = |byte: &u8| {
        let op = Opcode(*byte);
        op.info().is_none() || matches!(op, Opcode::STOP | Opcode::INVALID)
    };
    code.len() > 1 && code.first().is_some_and(ends)
}

/// Whether instructions say which bytes of the code they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    Said,
    Unsaid,
}

/// What becomes of code that is deployed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    /// Modules, where that is proven to be the same.
    Lifted,
    /// The data that it is.
    Kept,
}

/// Lifts a program to a module of a name; also the pieces of the code that are data now.
fn lift_with_pieces(
    analysis: &Analysis<'_>,
    name: &str,
    places: Places,
) -> Result<(Lifted, Vec<Piece>), Unresolved> {
    let contexts = find_contexts(analysis)?;
    let mut module = Module::new(name);
    module.memory = MemoryModel::NoFrame;
    let funcs = declare_functions(analysis, &contexts, &mut module);
    let mut own_code = OwnCode::new(analysis.code, name, analysis.role);
    for (index, func) in funcs.iter().enumerate() {
        let body = std::mem::take(&mut module.funcs[*func]);
        let Module { symbols, debug, .. } = &mut module;
        let places = (places == Places::Said).then_some(debug);
        let shared = Shared { own_code: &mut own_code, symbols, places };
        let mut lift = FunctionLift::new(analysis, &contexts, index as u32, body, &funcs, shared);
        lift.lift()?;
        module.funcs[*func] = lift.finish();
    }
    let observed = Observed::compute(&module, own_code.uses());
    let pieces = own_code.pieces().to_vec();
    module.data = own_code.into_data();
    module.data.extend(trailer(analysis).filter(|_| !observed.whole_image));
    module.entry = funcs.first().copied();
    Ok((Lifted { module, observed, deployed: Vec::new(), returned: Vec::new() }, pieces))
}

/// The compiler's trailer behind a byte that nothing runs past. Behind creation code there is none
/// of its own: it is the end of the code that is deployed.
fn trailer(analysis: &Analysis<'_>) -> Option<DataSegment> {
    let metadata = analysis.metadata.as_ref().filter(|_| analysis.role != Role::Creation)?;
    let start = analysis.code.len() - metadata.length as usize;
    let bytes = [&[Opcode::INVALID.0], &analysis.code[start..]].concat();
    Some(DataSegment { name: METADATA.to_owned(), bytes })
}

/// Functions with their signatures; the first is the program's beginning.
fn declare_functions(analysis: &Analysis<'_>, contexts: &Contexts, module: &mut Module) -> Vec<Func> {
    let words = |count: u32| vec![Type::U256; count as usize];
    contexts
        .procedures
        .iter()
        .enumerate()
        .map(|(index, procedure)| {
            let signature = Signature {
                params: words(procedure.params),
                results: words(procedure.exit.map_or(0, |exit| exit.gives)),
            };
            let name = match procedure.contexts.first() {
                Some(first) if index > 0 => {
                    let block = contexts.list[*first as usize].block;
                    format!("f_{:x}", analysis.blocks.get(block).start)
                }
                _ => ENTRY_NAME.to_owned(),
            };
            module.funcs.push(Function::new(name, signature))
        })
        .collect()
}
