//! What opcodes do to memory, told by the values in it.

use super::fills::fills;
use super::memory::{Base, FREE_POINTER, Layout, Spot};
use super::plain::plainer;
use super::say::{Data, Effect, Piece, Say, What};
use super::walk::Walk;
use crate::tree::{At, Callee, Expr};
use cairn_evm::memory::{MemoryLength, memory_read, memory_write};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::Op;
use cairn_yul::Builtin;

/// Bytes of a word.
const WORD: u64 = 32;

/// Words of what a call gives back that have a name.
const MAX_RETURNED: u64 = 8;

impl Walk<'_> {
    /// Tells a statement that is a call; false when control does not come back.
    pub(super) fn effect(&mut self, value: &Expr) -> bool {
        let Expr::Call(callee, args, at) = value else {
            let say = self.say(value);
            self.line(What::Do(say));
            return true;
        };
        if let Callee::Func(func) = callee
            && let Some(short) = self.short.get(*func)
        {
            return self.write_out(*func, args, short).is_some();
        }
        if *callee == Callee::Builtin(Builtin::Evm(Opcode::POP))
            && let [inner @ Expr::Call(..)] = args.as_slice()
        {
            return self.effect(inner);
        }
        if *callee == Callee::Builtin(Builtin::Evm(Opcode::MSTORE))
            && let [to, value] = args.as_slice()
        {
            self.store(to, value, *at);
            return true;
        }
        let say = self.say(value);
        let ends = match &say {
            Say::Effect(effect, _) => effect.ends(),
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), ..) => opcode.halts(),
            Say::Call(Callee::Func(func), ..) => self.short.never_returns(*func),
            _ => false,
        };
        match fills(*callee) {
            true => self.fill(say),
            false => self.line(What::Do(say)),
        }
        !ends
    }

    /// `mstore`
    fn store(&mut self, to: &Expr, value: &Expr, at: At) {
        let value = self.say(value);
        let to = self.say(to);
        let id = self.stores.new_id();
        let is_pointer =
            self.stores.layout == Layout::Solidity && to.as_number() == Some(Word::from(FREE_POINTER));
        if is_pointer {
            let free = self.spot(&value);
            let (spot, kept) = (Spot { base: Base::Zero, at: FREE_POINTER }, self.is_lasting(&value));
            let Walk { stores, state, .. } = self;
            stores.move_free(state, free);
            stores.write(state, (spot, WORD), kept.then(|| value.clone()), Some(id));
            self.line(What::Write(id, at, to, value));
            return;
        }
        let (value, to) = (self.keep(value), self.keep(to));
        let spot = self.spot(&to);
        let Walk { stores, state, .. } = self;
        match spot {
            Some(spot) => stores.write(state, (spot, WORD), Some(value.clone()), Some(id)),
            None => {
                stores.need(id);
                stores.forget(state, None, None);
            }
        }
        self.line(What::Write(id, at, to, value));
    }

    /// Tells an operation on values that were told.
    pub(super) fn operation(&mut self, callee: Callee, args: Vec<Say>, at: At) -> Say {
        let Callee::Builtin(Builtin::Evm(opcode)) = callee else { return Say::Call(callee, args, at) };
        if let Some(plain) = plainer(opcode, &args, at) {
            return plain;
        }
        let whole = Say::Call(callee, args.clone(), at);
        if let Some(distance) =
            Some(&whole).filter(|_| opcode == Opcode::SUB).and_then(|say| self.length(say))
        {
            return Say::Number(Word::from(distance));
        }
        let say = match opcode {
            Opcode::MLOAD => return self.load(args, at),
            Opcode::KECCAK256 => self.hash(&args),
            Opcode::REVERT => Effect::Revert(self.data(&args[0], &args[1])),
            Opcode::RETURN => Effect::Return(self.data(&args[0], &args[1])),
            Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4 => {
                Effect::Emit { data: self.data(&args[0], &args[1]), topics: args[2..].to_vec() }
            }
            Opcode::CALL | Opcode::CALLCODE | Opcode::STATICCALL | Opcode::DELEGATECALL => {
                return self.message(opcode, args, at);
            }
            // What it reads is told when it fills memory.
            Opcode::MCOPY => return Say::Call(callee, args, at),
            _ => {
                self.touch(opcode, &args);
                if Op::Evm(opcode).effects().intersects(Effects::WRITE_STORAGE | Effects::WRITE_TRANSIENT) {
                    self.change_storage(at, args.get(1));
                }
                return Say::Call(callee, args, at);
            }
        };
        match say {
            Effect::Hash(Data::Known(pieces))
                if !pieces.is_empty() && pieces.iter().all(|piece| piece.bytes == WORD) =>
            {
                Say::Hash(pieces.into_iter().map(|piece| piece.value).collect())
            }
            effect => Say::Effect(Box::new(effect), at),
        }
    }

    /// What an opcode reads and writes otherwise.
    fn touch(&mut self, opcode: Opcode, args: &[Say]) {
        if let Some(region) = memory_read(opcode) {
            let (spot, bytes) = self.region(region.start, region.length, args);
            let Walk { stores, state, .. } = self;
            stores.read_unknown(state, spot, bytes);
        }
    }

    fn region(&self, start: u8, length: MemoryLength, args: &[Say]) -> (Option<Spot>, Option<u64>) {
        let spot = args.get(usize::from(start)).and_then(|say| self.spot(say));
        let bytes = match length {
            MemoryLength::Fixed(bytes) => Some(u64::from(bytes)),
            MemoryLength::Operand(index) => args.get(usize::from(index)).and_then(|say| self.length(say)),
        };
        (spot, bytes)
    }

    /// `mload`
    fn load(&mut self, args: Vec<Say>, at: At) -> Say {
        let spot = self.spot(&args[0]);
        let is_pointer = args[0].as_number() == Some(Word::from(FREE_POINTER));
        if is_pointer && self.stores.layout == Layout::Solidity {
            return self.free();
        }
        let end = |spot: Spot| Spot { at: spot.at.saturating_add(WORD), ..spot };
        if let Some(pieces) = spot.and_then(|spot| self.stores.read(&self.state, spot, end(spot)))
            && let [piece] = pieces.as_slice()
        {
            return piece.value.clone();
        }
        self.read(&args[0], Some(WORD));
        Say::Call(Callee::Builtin(Builtin::Evm(Opcode::MLOAD)), args, at)
    }

    fn hash(&mut self, args: &[Say]) -> Effect {
        Effect::Hash(self.data(&args[0], &args[1]))
    }

    /// The bytes of a region that is read.
    fn data(&mut self, start: &Say, length: &Say) -> Data {
        let (spot, bytes) = (self.spot(start), self.length(length));
        if bytes == Some(0) {
            return Data::Known(Vec::new());
        }
        if let Some(pieces) =
            spot.zip(self.end(start, length)).and_then(|(spot, end)| self.stores.read(&self.state, spot, end))
        {
            return Data::Known(pieces);
        }
        if let Some(pieces) = spot.zip(bytes).and_then(|(spot, bytes)| self.most_of(spot, bytes)) {
            return Data::Known(pieces);
        }
        self.read(start, bytes);
        Data::Memory(start.clone(), length.clone())
    }

    /// The values in a region of which some bytes at the end were never stored, less than a word: Solidity
    /// rounds the lengths of texts up.
    fn most_of(&mut self, spot: Spot, bytes: u64) -> Option<Vec<Piece>> {
        let short = (1..WORD).find_map(|less| {
            let known = bytes.checked_sub(less).filter(|known| *known > 0)?;
            let end = Spot { at: spot.at.checked_add(known)?, ..spot };
            let pieces = self.stores.read(&self.state, spot, end)?;
            Some((pieces, less))
        });
        let (pieces, less) = short?;
        let rest = Spot { at: spot.at + (bytes - less), ..spot };
        let Walk { stores, state, .. } = self;
        stores.read_unknown(state, Some(rest), Some(less));
        Some(pieces)
    }

    /// A call of other code.
    fn message(&mut self, opcode: Opcode, args: Vec<Say>, at: At) -> Say {
        let has_value = matches!(opcode, Opcode::CALL | Opcode::CALLCODE);
        let read = usize::from(has_value) + 2;
        let data = self.data(&args[read], &args[read + 1]);
        self.calls += 1;
        self.change_storage(at, None);
        let number = self.calls;
        if let Some(region) = memory_write(opcode) {
            let (spot, bytes) = self.region(region.start, region.length, &args);
            let Walk { stores, state, .. } = self;
            match (spot, bytes) {
                (_, Some(0)) => {}
                (Some(spot), Some(bytes)) => {
                    for word in 0..(bytes / WORD).min(MAX_RETURNED) {
                        let place = Spot { at: spot.at.saturating_add(word * WORD), ..spot };
                        stores.write(state, (place, WORD), Some(Say::Returned(number, word)), None);
                    }
                    let rest = bytes.saturating_sub(MAX_RETURNED * WORD);
                    if rest > 0 || bytes % WORD > 0 {
                        stores.forget(state, Some(spot), Some(bytes));
                    }
                }
                _ => stores.forget(state, spot, bytes),
            }
        }
        let [gas, to] = [args[0].clone(), args[1].clone()];
        let value = has_value.then(|| args[2].clone());
        Say::Effect(Box::new(Effect::Message { number, opcode, gas, to, value, data }), at)
    }
}
