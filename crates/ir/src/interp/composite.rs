//! Instructions on composites: their parts, loads and stores, and arithmetic lane by lane.

use super::arith::{Wide, eval_generic, eval_opcode, extend_sign};
use super::env::Outcome;
use super::fixed::{Format, convert, eval_fixed, ordered};
use super::float::{convert_float, eval_float, format_of};
use super::memory::padded;
use super::opcodes::{load_words, store_words};
use super::run::{Datum, Machine, Step, type_bits};
use crate::dfg::Payload;
use crate::ids::{Inst, Value};
use crate::infer::is_lanewise;
use crate::op::Op;
use crate::types::Type;
use cairn_evm::{Opcode, Word};

impl Machine<'_, '_, '_> {
    /// Executes an instruction with a composite.
    pub(super) fn composite_inst(&mut self, inst: Inst, op: Op) -> Step {
        let dfg = &self.frame().func.dfg;
        let args = dfg.args(inst);
        if is_lanewise(op, args.first().map(|value| dfg.ty(*value))) {
            return self.lanes(inst, op);
        }
        let index = match dfg.inst(inst).payload {
            Payload::Number(index) => index as usize,
            _ => 0,
        };
        let datum = match op {
            Op::Compose => Datum::Parts(self.compose(args, dfg.ty(dfg.result(inst)))),
            Op::Splat => {
                let result = dfg.ty(dfg.result(inst));
                let (count, lane) = result.lanes().unwrap_or((0, result));
                Datum::Parts(vec![Datum::number(self.wide(args[0]), lane); count as usize])
            }
            Op::Extract => self.parts(args[0])[index].clone(),
            Op::ExtractAt => {
                let ty = dfg.ty(dfg.result(inst));
                let part = usize::try_from(self.wide(args[1])).ok();
                let part = part.and_then(|index| self.parts(args[0]).get(index)).cloned();
                part.unwrap_or_else(|| decode(&mut vec![0; 32 * ty.words()].as_slice(), ty))
            }
            Op::Shuffle => Datum::Parts(self.shuffle(args, dfg.ty(args[0]).lane())),
            Op::Insert => {
                let mut parts = self.parts(args[0]).to_vec();
                let Type::Composite(whole) = dfg.ty(args[0]) else { return unsupported(op) };
                let ty = whole.part(index).unwrap_or(Type::U256);
                parts[index] = self.as_part(args[1], ty);
                Datum::Parts(parts)
            }
            Op::Select => {
                let is_set = !self.wide(args[0]).is_zero();
                self.datum(args[if is_set { 1 } else { 2 }]).clone()
            }
            Op::Evm(opcode) if dfg.results(inst).is_empty() => {
                return self.store_parts(opcode, self.operand(inst, 0), args[1]);
            }
            Op::Evm(opcode) => {
                let ty = dfg.ty(dfg.result(inst));
                let bytes = self.load_parts(opcode, self.operand(inst, 0), 32 * ty.words())?;
                decode(&mut bytes.as_slice(), ty)
            }
            op => return unsupported(op),
        };
        let result = self.frame().func.dfg.result(inst);
        self.set_datum(result, datum);
        Ok(())
    }

    fn parts(&self, value: Value) -> &[Datum] {
        match self.datum(value) {
            Datum::Parts(parts) => parts,
            Datum::Word(_) | Datum::Wide(_) => &[],
        }
    }

    /// A value as a part of this type, which it widens to.
    fn as_part(&self, value: Value, ty: Type) -> Datum {
        match ty {
            Type::Composite(_) => self.datum(value).clone(),
            ty => Datum::number(self.wide(value), ty),
        }
    }

    /// The lanes of two vectors that the other operands name.
    fn shuffle(&self, args: &[Value], lane: Type) -> Vec<Datum> {
        let lanes = [self.parts(args[0]), self.parts(args[1])].concat();
        let named = |index: &Value| lanes.get(usize::try_from(self.wide(*index)).ok()?).cloned();
        let zero = Datum::number(Wide::ZERO, lane);
        args[2..].iter().map(|index| named(index).unwrap_or_else(|| zero.clone())).collect()
    }

    fn compose(&self, args: &[Value], ty: Type) -> Vec<Datum> {
        let Type::Composite(composite) = ty else { return Vec::new() };
        args.iter().zip(composite.parts()).map(|(arg, ty)| self.as_part(*arg, ty)).collect()
    }

    fn load_parts(&mut self, opcode: Opcode, place: Word, size: usize) -> Step<Vec<u8>> {
        match opcode {
            Opcode::MLOAD => self.memory.read(place, size),
            Opcode::CALLDATALOAD => Ok(padded(&self.env.calldata, place, size)),
            Opcode::SLOAD => Ok(load_words(&self.storage, place, size)),
            Opcode::TLOAD => Ok(load_words(&self.transient, place, size)),
            opcode => unsupported(Op::Evm(opcode)),
        }
    }

    fn store_parts(&mut self, opcode: Opcode, place: Word, value: Value) -> Step {
        let mut bytes = Vec::new();
        encode(self.datum(value), &mut bytes, self.frame().func.dfg.ty(value));
        match opcode {
            Opcode::MSTORE => return self.memory.write(place, &bytes),
            Opcode::SSTORE => store_words(&mut self.storage, place, &bytes),
            Opcode::TSTORE => store_words(&mut self.transient, place, &bytes),
            opcode => return unsupported(Op::Evm(opcode)),
        }
        Ok(())
    }

    /// Arithmetic on vectors.
    fn lanes(&mut self, inst: Inst, op: Op) -> Step {
        let dfg = &self.frame().func.dfg;
        let types: Vec<Type> = dfg.args(inst).iter().map(|value| dfg.ty(*value).lane()).collect();
        let results = dfg.results(inst).to_vec();
        let result_types: Vec<Type> = results.iter().map(|value| dfg.ty(*value).lane()).collect();
        let count = dfg.ty(results[0]).lanes().map_or(0, |(count, _)| count as usize);
        let mut lanes: Vec<Vec<Datum>> = vec![Vec::new(); results.len()];
        for lane in 0..count {
            let args: Vec<Wide> =
                dfg.args(inst).iter().map(|value| self.parts(*value)[lane].wide()).collect();
            let numbers = eval_lane(op, &types, &args, &result_types)?;
            for ((lanes, number), ty) in lanes.iter_mut().zip(numbers).zip(&result_types) {
                lanes.push(Datum::number(number, *ty));
            }
        }
        for (result, lanes) in results.into_iter().zip(lanes) {
            self.set_datum(result, Datum::Parts(lanes));
        }
        Ok(())
    }
}

fn unsupported<T>(op: Op) -> Step<T> {
    Err(Outcome::Unsupported(format!("{} on a composite", op.name())))
}

/// What an operation gives on numbers of these types, not cut yet.
fn eval_lane(op: Op, types: &[Type], args: &[Wide], results: &[Type]) -> Step<Vec<Wide>> {
    let one = |number: Option<Wide>| number.map(|number| vec![number]);
    let words = || args.iter().map(|arg| arg.wrapping_to()).collect::<Vec<Word>>();
    let float = types.iter().chain(results).find_map(|ty| format_of(*ty));
    let numbers = match op {
        Op::Convert | Op::Sconvert if float.is_some() => {
            one(convert_float(op, words()[0], types[0], results[0]).map(Wide::from))
        }
        op if let Some(format) = float.filter(|_| op != Op::Select) => {
            one(eval_float(op, &words(), format).map(Wide::from))
        }
        Op::Evm(opcode) => match types.iter().find_map(|ty| Format::of(*ty)) {
            Some(format) => one(eval_fixed(opcode, args, format)),
            None => {
                let bits = types.iter().chain(results).map(|ty| type_bits(*ty)).fold(256, usize::max);
                one(eval_opcode(opcode, args, bits))
            }
        },
        Op::Trunc | Op::Zext => Some(args.to_vec()),
        Op::Sext => one(Some(extend_sign(args[0], type_bits(types[0]), type_bits(results[0])))),
        Op::Convert | Op::Sconvert => one(Some(convert(op, args[0], types[0], results[0]))),
        Op::Select => one(Some(if args[0].is_zero() { args[2] } else { args[1] })),
        op => {
            let sized = if args.len() == 1 { types[0] } else { results[0] };
            let numbers = eval_generic(ordered(op, sized), args, type_bits(sized));
            if numbers.is_none() && op == Op::Muldiv {
                return Err(Outcome::Revert(Vec::new()));
            }
            numbers.map(|numbers| numbers.to_vec())
        }
    };
    numbers.map_or_else(|| unsupported(op), Ok)
}

/// Reads a value from the front of bytes.
fn decode(bytes: &mut &[u8], ty: Type) -> Datum {
    match ty {
        Type::Composite(composite) => {
            Datum::Parts(composite.parts().into_iter().map(|part| decode(bytes, part)).collect())
        }
        ty => {
            let (number, rest) = bytes.split_at(32 * ty.words());
            *bytes = rest;
            Datum::number(Wide::from_be_slice(number), ty)
        }
    }
}

/// Appends the bytes of a value.
fn encode(datum: &Datum, bytes: &mut Vec<u8>, ty: Type) {
    match (datum, ty) {
        (Datum::Parts(parts), Type::Composite(composite)) => {
            parts.iter().zip(composite.parts()).for_each(|(part, ty)| encode(part, bytes, ty));
        }
        (datum, ty) => {
            let number: [u8; 1024] = datum.wide().to_be_bytes();
            bytes.extend_from_slice(&number[1024 - 32 * ty.words()..]);
        }
    }
}
