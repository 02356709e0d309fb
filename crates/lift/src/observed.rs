//! What a program can learn that changes when it is compiled anew.

use crate::own_code::OwnCodeUses;
use cairn_evm::Opcode;
use cairn_ir::{Function, Inst, Module, Op, Value};

/// Observations of a program; each is kept or has to be refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Copies pieces of its own code: they are data now.
    pub own_code: bool,
    /// Copies its own code from places or in lengths that are not known: an image of all of it is
    /// data now.
    pub whole_image: bool,
    /// Asks for the size of its code: pinned to the original's.
    pub code_size: bool,
    /// Asks where it is: pinned to the original places.
    pub place: bool,
    /// Uses the remaining gas for more than passing it on with a call.
    pub gas: bool,
    /// Looks at the code of accounts, which may be its own, for more than whether there is any.
    pub code_of_accounts: bool,
}

impl Observed {
    pub(crate) fn compute(module: &Module, own: OwnCodeUses) -> Observed {
        let mut observed = Observed {
            own_code: own.copies,
            whole_image: own.image,
            code_size: own.size,
            place: own.place,
            ..Observed::default()
        };
        module.funcs.values().for_each(|func| observed.look_at(func));
        observed
    }

    fn look_at(&mut self, func: &Function) {
        let mut gas: Vec<Value> = Vec::new();
        let mut sizes: Vec<Value> = Vec::new();
        let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
        for inst in insts() {
            match func.dfg.op(inst) {
                Op::Evm(Opcode::GAS) => gas.push(func.dfg.result(inst)),
                Op::Evm(Opcode::EXTCODESIZE) => sizes.push(func.dfg.result(inst)),
                Op::Evm(Opcode::EXTCODEHASH | Opcode::EXTCODECOPY) => self.code_of_accounts = true,
                _ => {}
            }
        }
        gas.sort_unstable();
        sizes.sort_unstable();
        for inst in insts() {
            let mut place = 0;
            func.dfg.for_each_use(inst, |value| {
                let is_gas = gas.binary_search(&value).is_ok();
                self.gas |= is_gas && !(place == 0 && is_call(func, inst));
                let is_size = sizes.binary_search(&value).is_ok();
                self.code_of_accounts |= is_size && !is_test(func, inst);
                place += 1;
            });
        }
    }

    /// Reasons why a program that is compiled anew could behave differently.
    pub fn hazards(&self) -> Vec<&'static str> {
        let mut list = Vec::new();
        if self.gas {
            list.push("it computes with the remaining gas");
        }
        if self.code_of_accounts {
            list.push("it looks at the code of accounts, which may be its own");
        }
        list
    }
}

fn is_call(func: &Function, inst: Inst) -> bool {
    matches!(
        func.dfg.op(inst),
        Op::Evm(Opcode::CALL | Opcode::CALLCODE | Opcode::DELEGATECALL | Opcode::STATICCALL)
    )
}

fn is_test(func: &Function, inst: Inst) -> bool {
    matches!(func.dfg.op(inst), Op::Evm(Opcode::ISZERO) | Op::CondBr)
}
