//! `share-constants`: pushes a long constant once for several blocks.
//!
//! ```text
//! ^e:                                     ^e:
//!   evm.condbr %x, ^b, ^c                   %k = evm.constant 0x3608…2bbc : u256
//! ^b:                                       evm.condbr %x, ^b, ^c
//!   %k = evm.constant 0x3608…2bbc         ^b:
//!   evm.sstore %k, %x               =>      evm.sstore %k, %x
//!   evm.stop                                evm.stop
//! ^c:                                     ^c:
//!   %l = evm.constant 0x3608…2bbc           %m = evm.sload %k
//!   %m = evm.sload %l                       …
//!   …
//! ```
//!
//! A push of 32 bytes is 33 bytes of code, a copy of what lies on the stack is one, and both take three gas. But what
//! lies there is one word more on every way from the definition to the uses, in reach of which are only sixteen, and
//! has to go where a way leaves to code that does not use it.
//!
//! A constant, an immutable and the address of a library are *long* if the code that makes them takes [`MIN_BYTES`]
//! bytes; of what is long, that goes on the stack first which takes most bytes (`constant`). Which blocks share one
//! definition, and where it stands, is a matter of price (`groups`).
//!
//! Needs promotion and definitions in each block that uses them (`localize`); preserves blocks; comes last. Cost:
//! linear in the blocks for each of [`MAX_TRIED`] constants.

mod constant;
mod groups;

use crate::edit::{Renaming, copy_inst, rename_everywhere};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_ir::{Block, Function, Inst};
use constant::Constant;
use cranelift_entity::EntitySet;
use groups::{Group, Sharing};

/// Bytes of the code that makes a constant, from which on it is shared.
const MIN_BYTES: u64 = 4;
/// Constants of a function that are looked at, those that take most bytes first.
const MAX_TRIED: usize = 32;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "share-constants",
    summary: "pushes a long constant once for several blocks",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let mut constants = Constant::find(func, cx);
    constants.truncate(MAX_TRIED);
    if constants.is_empty() {
        return Changed::No;
    }
    let mut sharing = Sharing::new(func, cx);
    let mut shared = Renaming::new();
    let mut changed = false;
    for constant in constants {
        for group in sharing.groups(&constant) {
            share(func, &constant, &group, &mut shared);
            changed = true;
        }
    }
    if changed {
        // Debuggers may be told of a value in other blocks than those that use it.
        rename_everywhere(func, &shared);
    }
    Changed::from(changed)
}

/// Lets the blocks of a group use one definition: takes the others away, and notes what stands for them.
fn share(func: &mut Function, constant: &Constant, group: &Group, shared: &mut Renaming) {
    let of_root = constant.defs.iter().find(|(block, _)| *block == group.root);
    let def = of_root.map_or_else(|| define(func, constant, group.root), |(_, def)| *def);
    let mut users = EntitySet::new();
    users.extend(group.users.iter().copied());
    let others = constant.defs.iter().filter(|(block, inst)| *inst != def && users.contains(*block));
    for (_, inst) in others {
        shared[func.dfg.result(*inst)] = func.dfg.result(def).into();
        func.layout.remove_inst(*inst);
    }
}

/// A definition at the start of a block: below what the block puts on the stack.
fn define(func: &mut Function, constant: &Constant, block: Block) -> Inst {
    let def = copy_inst(func, constant.defs[0].1);
    let first = func.layout.first_inst(block).expect("invariant: each block has a terminator");
    func.layout.insert_inst_before(def, first);
    def
}
