//! What a program can learn that changes when it is compiled anew.

use crate::own_code::OwnCodeUses;
use cairn_evm::{Opcode, Word, keccak256};
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
    /// Reads or measures what follows its code: that keeps its distance from the end.
    pub tail: bool,
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
            tail: own.tail,
            ..Observed::default()
        };
        module.funcs.values().for_each(|func| observed.look_at(func));
        observed
    }

    fn look_at(&mut self, func: &Function) {
        let mut gas: Vec<Value> = Vec::new();
        let mut sizes: Vec<Value> = Vec::new();
        let mut hashes: Vec<Value> = Vec::new();
        let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
        for inst in insts() {
            match func.dfg.op(inst) {
                Op::Evm(Opcode::GAS) => gas.push(func.dfg.result(inst)),
                Op::Evm(Opcode::EXTCODESIZE) => sizes.push(func.dfg.result(inst)),
                Op::Evm(Opcode::EXTCODEHASH) => hashes.push(func.dfg.result(inst)),
                Op::Evm(Opcode::EXTCODECOPY) => self.code_of_accounts = true,
                _ => {}
            }
        }
        gas.sort_unstable();
        sizes.sort_unstable();
        hashes.sort_unstable();
        for inst in insts() {
            let mut place = 0;
            func.dfg.for_each_use(inst, |value| {
                let is_gas = gas.binary_search(&value).is_ok();
                self.gas |= is_gas && !(place == 0 && is_call(func, inst));
                let is_size = sizes.binary_search(&value).is_ok();
                self.code_of_accounts |= is_size && !is_test_of_size(func, inst, place);
                let is_hash = hashes.binary_search(&value).is_ok();
                self.code_of_accounts |= is_hash && !is_test_of_hash(func, inst);
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

fn is_zero_test(func: &Function, inst: Inst) -> bool {
    matches!(func.dfg.op(inst), Op::Evm(Opcode::ISZERO) | Op::CondBr)
}

/// True when the size, operand `place` of the instruction, is only compared with zero.
fn is_test_of_size(func: &Function, inst: Inst, place: usize) -> bool {
    let with_zero = match func.dfg.op(inst) {
        Op::Evm(Opcode::EQ) => true,
        Op::Evm(Opcode::GT) => place == 0,
        Op::Evm(Opcode::LT) => place == 1,
        _ => false,
    };
    is_zero_test(func, inst) || (with_zero && compares_with(func, inst, Word::is_zero))
}

/// True when the hash is only compared with those of no account and of no code: accounts with code
/// have neither, before and after.
fn is_test_of_hash(func: &Function, inst: Inst) -> bool {
    let compares = matches!(func.dfg.op(inst), Op::Evm(Opcode::EQ | Opcode::SUB | Opcode::XOR));
    let empty = Word::from_be_bytes(keccak256([]).0);
    is_zero_test(func, inst)
        || (compares && compares_with(func, inst, |word| word.is_zero() || *word == empty))
}

/// True when an operand is a constant for which `is_fine` holds.
fn compares_with(func: &Function, inst: Inst, is_fine: impl Fn(&Word) -> bool) -> bool {
    let mut found = false;
    func.dfg.for_each_use(inst, |value| found |= func.dfg.as_const(value).is_some_and(|word| is_fine(&word)));
    found
}
