//! A target of one's own: a chain with one more precompile.
//!
//! On this chain the account 0x0b00 divides integers of 512 bits: it takes two of them and returns the
//! quotient, 0 for a divisor of 0. The target says that `evm.div` on a `u512` is lowered by code of its
//! own, which calls the account by `evm.staticcall`; `evm.mod` calls a function of its library, which uses
//! that division; divisions of a little less than 512 bits are promoted to them. Everything else is
//! Cairn's.
//!
//! `cargo test -p cairn-legalize --test suite target` compiles a program for this chain and runs it on
//! revm, with code at 0x0b00 in the place of the precompile.

use cairn_evm::{Opcode, Word};
use cairn_ir::{Cursor, Op, Payload, Type, Value};
use cairn_legalize::{Target, TargetAction};

/// The account of the precompile.
pub const DIVIDER: u64 = 0x0b00;

/// The chain.
#[derive(Debug)]
pub struct Chain;

const WIDE: Type = Type::Int(512);

impl Target for Chain {
    fn action(&self, op: Op, ty: Type) -> Option<TargetAction> {
        match (op, ty) {
            (Op::Evm(Opcode::DIV), WIDE) => Some(TargetAction::Custom),
            (Op::Evm(Opcode::MOD), WIDE) => Some(TargetAction::LibCall("remainder")),
            (Op::Evm(Opcode::DIV | Opcode::MOD), Type::Int(400..512)) => Some(TargetAction::Promote(WIDE)),
            _ => None,
        }
    }

    fn lower(&self, code: &mut Cursor<'_>, _op: Op, args: &[Value], results: &[Type]) -> Vec<Value> {
        let number = |code: &mut Cursor<'_>, number: u64| code.constant(Word::from(number), Type::U256);
        // Both operands behind each other, 64 bytes each; the result takes their place.
        let room = code.insert(Op::Alloca, &[], Payload::Number(128), &[Type::MEMORY]);
        let room = code.func.dfg.result(room);
        let distance = number(code, 64);
        let second = code.value(Op::PtrAdd, &[room, distance], Type::MEMORY);
        for (place, operand) in [room, second].into_iter().zip(args) {
            let operand = code.value(Op::Zext, &[*operand], WIDE);
            code.insert(Op::Evm(Opcode::MSTORE), &[place, operand], Payload::None, &[]);
        }
        let gas = code.evm(Opcode::GAS, &[], Type::U256);
        let [account, taken, given] = [DIVIDER, 128, 64].map(|value| number(code, value));
        code.evm(Opcode::STATICCALL, &[gas, account, room, taken, room, given], Type::Bool);
        vec![code.evm(Opcode::MLOAD, &[room], results[0])]
    }

    fn library(&self) -> &'static str {
        "module @library {
           func @remainder(%a : u512, %b : u512) -> u512 {
           ^entry:
             %quotient = evm.div %a, %b : u512
             %product = evm.mul %quotient, %b : u512
             %rest = evm.sub %a, %product : u512
             evm.condbr %b, ^done, ^none
           ^done:
             evm.iret %rest
           ^none:
             %zero = evm.constant 0 : u512
             evm.iret %zero
           }
         }"
    }
}
