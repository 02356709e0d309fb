//! What each opcode does to a path.

use super::state::{Content, End, EndKind, Event, Region, State};
use super::{Machine, Step, Stop};
use crate::assume::Assumption;
use crate::term::{Leaf, Node, Term};
use cairn_evm::account::{ACCOUNT_BITS, account_operand};
use cairn_evm::static_frame::{StaticRule, static_rule};
use cairn_evm::{Effects, Opcode, Word, word};
use smallvec::SmallVec;

/// No calldata reaches here (A12).
const FAR: u64 = 1 << 63;

/// Positions of so many bits wrap nowhere.
const NEAR_BITS: usize = 64;

/// How a path goes on behind an opcode.
#[derive(Clone)]
pub(crate) enum Flow {
    /// With this word as its result.
    Value(Term),
    /// Without a result.
    Nothing,
    /// Not at all.
    End(EndKind, Option<Region>),
}

impl Machine {
    /// Executes an opcode that is no jump, push, dup or swap; `MSIZE`, `PC` and `CODESIZE`, `CODECOPY`
    /// are the programs' own.
    pub(crate) fn execute(&mut self, state: &mut State, opcode: Opcode, args: &[Term]) -> Step<Flow> {
        if let Some(value) = self.terms.apply(opcode, args) {
            return Ok(Flow::Value(value));
        }
        self.note_change(state, opcode, args)?;
        let args = &self.with_account(opcode, args)[..];
        match (opcode, args) {
            (Opcode::STOP, []) => {
                let zero = self.terms.zero;
                Ok(Flow::End(EndKind::Return, Some(state.region(zero, zero))))
            }
            (Opcode::RETURN | Opcode::REVERT, &[at, length]) => {
                self.touch(state, at, length)?;
                let kind = if opcode == Opcode::RETURN { EndKind::Return } else { EndKind::Revert };
                Ok(Flow::End(kind, Some(state.region(at, length))))
            }
            (Opcode::SELFDESTRUCT, &[beneficiary]) => {
                state.push_event(event(opcode, &[beneficiary], None));
                let zero = self.terms.zero;
                Ok(Flow::End(EndKind::Return, Some(state.region(zero, zero))))
            }
            (Opcode::MLOAD | Opcode::MSTORE | Opcode::MSTORE8, _) => self.access_memory(state, opcode, args),
            (Opcode::KECCAK256, &[at, length]) => {
                self.touch(state, at, length)?;
                self.keccak(state, at, length).map(Flow::Value)
            }
            (Opcode::SLOAD | Opcode::TLOAD | Opcode::SSTORE | Opcode::TSTORE, _) => {
                self.access_storage(state, opcode, args)
            }
            (Opcode::LOG0 | Opcode::LOG1 | Opcode::LOG2 | Opcode::LOG3 | Opcode::LOG4, _) => {
                self.touch(state, args[0], args[1])?;
                let region = state.region(args[0], args[1]);
                state.push_event(event(opcode, &args[2..], Some(region)));
                Ok(Flow::Nothing)
            }
            _ if opcode.info().is_some_and(|info| info.inputs == 0 && info.outputs == 1) => {
                self.environment(state, opcode).map(Flow::Value)
            }
            _ => self.execute_data(state, opcode, args),
        }
    }

    /// Calldata, return data, and other accounts.
    fn execute_data(&mut self, state: &mut State, opcode: Opcode, args: &[Term]) -> Step<Flow> {
        match (opcode, args) {
            (Opcode::CALLDATALOAD, &[at]) => Ok(Flow::Value(self.load_calldata(state, at))),
            (Opcode::CALLDATACOPY, &[to, from, length]) => {
                self.copy(state, to, length, Content::Calldata(from)).map(|()| Flow::Nothing)
            }
            (Opcode::MCOPY, &[to, from, length]) => {
                self.touch(state, from, length)?;
                let content = Content::Memory(state.memory.clone(), from);
                self.copy(state, to, length, content).map(|()| Flow::Nothing)
            }
            (Opcode::RETURNDATACOPY, &[to, from, length]) => self.copy_returned(state, to, from, length),
            (Opcode::EXTCODECOPY, &[account, to, from, length]) => {
                self.must_assume(Assumption::ENVIRONMENT)?;
                let content = Content::ForeignCode(state.calls, account, from);
                self.copy(state, to, length, content).map(|()| Flow::Nothing)
            }
            (Opcode::BALANCE, &[account]) if self.is_own_address(account) => {
                self.environment(state, Opcode::SELFBALANCE).map(Flow::Value)
            }
            (Opcode::BALANCE | Opcode::EXTCODESIZE | Opcode::EXTCODEHASH, _)
            | (Opcode::BLOCKHASH | Opcode::BLOBHASH, _) => {
                self.must_assume(Assumption::ENVIRONMENT)?;
                Ok(Flow::Value(self.terms.leaf(Leaf::Ask(opcode, state.calls), args)))
            }
            _ if opcode.info().is_some_and(|info| info.effects.contains(Effects::WRITE_RETURNDATA)) => {
                self.call(state, opcode, args).map(Flow::Value)
            }
            _ if opcode.halts() => Ok(Flow::End(EndKind::Halt, None)),
            _ => Stop::blocked(format!("{opcode:?}")),
        }
    }

    /// The word of calldata at a place. Behind all calldata are zeros (A12): at `flag - 1`, where the flag is zero
    /// or one, and at `0 - callvalue`, is nothing or the first word.
    fn load_calldata(&mut self, state: &State, at: Term) -> Term {
        let (parts, unset) = self.terms.linear(at);
        let (flag, set) = match parts[..] {
            [] => (self.terms.zero, unset),
            [(flag, step)] if self.terms.facts(flag).hi() <= Word::ONE => (flag, unset.wrapping_add(step)),
            [(value, Word::MAX)] if unset.is_zero() && self.is_callvalue(value) => {
                (self.terms.is_nonzero(value), Word::MAX)
            }
            _ => return self.calldata_word(at),
        };
        let is_far = |place: &Word| *place >= Word::from(FAR);
        let is_known = |place: &Word| place.is_zero() || is_far(place);
        let places = [unset, set];
        if !places.iter().all(is_known) || !places.iter().any(is_far) || !self.may_assume(Assumption::BOUNDS)
        {
            return self.calldata_word(at);
        }
        // All of the first word, or nothing.
        let [unset, set] = places.map(|place| if place.is_zero() { Word::MAX } else { Word::ZERO });
        let flag = state.conditions.simplify(&mut self.terms, flag);
        let change = self.terms.scale(flag, set.wrapping_sub(unset));
        let unset = self.terms.word(unset);
        let mask = self.terms.add(unset, change);
        let first = self.calldata_word(self.terms.zero);
        self.terms.and(first, mask)
    }

    fn is_callvalue(&self, word: Term) -> bool {
        matches!(self.terms.node(word), Node::Leaf(Leaf::Environment(Opcode::CALLVALUE, _), _))
    }

    /// The operands, of the one that names an account only what the EVM takes of it: whether a program masks it, or
    /// leaves something in the upper bits, nobody sees.
    fn with_account(&mut self, opcode: Opcode, args: &[Term]) -> SmallVec<[Term; 8]> {
        let mut args = SmallVec::from_slice(args);
        if let Some(account) = account_operand(opcode).and_then(|index| args.get_mut(index)) {
            *account = self.terms.and_word(*account, word::low_mask(usize::from(ACCOUNT_BITS)));
        }
        args
    }

    /// Takes note of an operation that a static frame refuses.
    fn note_change(&mut self, state: &mut State, opcode: Opcode, args: &[Term]) -> Step {
        let change = match static_rule(opcode) {
            StaticRule::Allowed => return Ok(()),
            StaticRule::Refused => self.terms.one,
            StaticRule::RefusedWith(index) => self.terms.is_nonzero(args[usize::from(index)]),
        };
        state.changed = self.terms.or(state.changed, change);
        if state.changed != self.terms.zero && self.decide(state, state.changed) == Some(true) {
            state.changed = self.terms.one;
        }
        Ok(())
    }

    fn access_memory(&mut self, state: &mut State, opcode: Opcode, args: &[Term]) -> Step<Flow> {
        let at = args[0];
        let length = self.terms.number(if opcode == Opcode::MSTORE8 { 1 } else { 32 });
        self.touch(state, at, length)?;
        match (opcode, args) {
            (Opcode::MSTORE, &[_, value]) => state.write(at, length, Content::Word(value)),
            (Opcode::MSTORE8, &[_, value]) => {
                let byte = self.terms.and_word(value, Word::from(0xff));
                state.write(at, length, Content::Byte(byte));
            }
            _ => {
                self.trust_pointer(state, at)?;
                let memory = state.memory.clone();
                let word = self.load_word(state, &memory, at)?;
                self.trust_bound(state, at, word);
                return Ok(Flow::Value(word));
            }
        }
        Ok(Flow::Nothing)
    }

    fn access_storage(&mut self, state: &mut State, opcode: Opcode, args: &[Term]) -> Step<Flow> {
        self.must_assume(Assumption::OWN_STATE)?;
        match (opcode, args) {
            (Opcode::SSTORE, &[key, value]) => state.storage.write(key, value),
            (Opcode::TSTORE, &[key, value]) => state.transient.write(key, value),
            _ => {
                let store =
                    if opcode == Opcode::SLOAD { state.storage.clone() } else { state.transient.clone() };
                return self.load_key(state, &store, args[0]).map(Flow::Value);
            }
        }
        Ok(Flow::Nothing)
    }

    /// Fills a part of memory.
    pub(crate) fn copy(&mut self, state: &mut State, to: Term, length: Term, content: Content) -> Step {
        self.touch(state, to, length)?;
        if length == self.terms.zero {
            return Ok(());
        }
        let content = self.without_wrap(state, content)?;
        state.write(to, length, content);
        Ok(())
    }

    /// What is copied, of which no byte lies at a position that a sum wraps to: from 2^64 on all data is zeros (A12).
    fn without_wrap(&mut self, state: &State, content: Content) -> Step<Content> {
        Ok(match content {
            Content::Calldata(from) => Content::Calldata(self.near_position(state, from)?),
            Content::Bytes(bytes, from) => Content::Bytes(bytes, self.near_position(state, from)?),
            Content::ForeignCode(calls, account, from) => {
                Content::ForeignCode(calls, account, self.near_position(state, from)?)
            }
            // Of return data nothing is read behind its end, and memory is not reached so far up.
            Content::Returned(..) | Content::Memory(..) => content,
            Content::Word(_) | Content::Byte(_) | Content::Unknown => content,
        })
    }

    /// A position of data, or 2^64 if it is beyond.
    fn near_position(&mut self, state: &State, from: Term) -> Step<Term> {
        let end = Word::ONE << NEAR_BITS;
        if state.conditions.facts(&self.terms, from).hi() < end {
            return Ok(from);
        }
        self.must_assume(Assumption::BOUNDS)?;
        let end = self.terms.word(end);
        let is_near = self.terms.lt(from, end);
        let is_near = state.conditions.simplify(&mut self.terms, is_near);
        Ok(self.terms.ite(is_near, from, end))
    }

    fn copy_returned(&mut self, state: &mut State, to: Term, from: Term, length: Term) -> Step<Flow> {
        let size = self.returned_size(state);
        let end = self.terms.add(from, length);
        let (is_past, wraps) = (self.terms.lt(size, end), self.terms.lt(end, from));
        let fails = self.terms.or(is_past, wraps);
        if !self.halt_where(state, fails)? {
            return Ok(Flow::End(EndKind::Halt, None));
        }
        match state.returned {
            Some(call) => self.copy(state, to, length, Content::Returned(call, from))?,
            // There is no return data, so nothing is copied.
            None => self.touch(state, to, length)?,
        }
        Ok(Flow::Nothing)
    }

    /// Lets the runs of the path that have a condition, 0 or 1, end exceptionally; false if all do.
    pub(crate) fn halt_where(&mut self, state: &mut State, condition: Term) -> Step<bool> {
        if !self.is_possible(state, condition)? {
            return Ok(true);
        }
        let mut halted = state.clone();
        halted.conditions.assume(&mut self.terms, condition);
        let goes_on = self.terms.is_zero(condition);
        if !self.is_possible(state, goes_on)? {
            return Ok(false);
        }
        self.ended.push(End { kind: EndKind::Halt, data: None, state: halted });
        state.conditions.assume(&mut self.terms, goes_on);
        Ok(true)
    }

    /// The size of the return data.
    pub(crate) fn returned_size(&mut self, state: &State) -> Term {
        match state.returned {
            Some(call) => self.terms.leaf(Leaf::ReturnedSize(call), &[]),
            None => self.terms.zero,
        }
    }

    fn is_own_address(&self, account: Term) -> bool {
        matches!(self.terms.node(account), Node::Leaf(Leaf::Environment(Opcode::ADDRESS, _), _))
    }

    fn environment(&mut self, state: &mut State, opcode: Opcode) -> Step<Term> {
        match opcode {
            Opcode::RETURNDATASIZE => Ok(self.returned_size(state)),
            Opcode::GAS => {
                self.must_assume(Assumption::GAS)?;
                state.gas_asked += 1;
                Ok(self.terms.leaf(Leaf::Gas(state.epoch + state.events.len() as u32, state.gas_asked), &[]))
            }
            Opcode::MSIZE | Opcode::PC | Opcode::CODESIZE => Stop::blocked(format!("{opcode:?}")),
            _ => {
                let may_change = opcode.known().effects.contains(Effects::READ_ENVIRONMENT);
                if may_change {
                    self.must_assume(Assumption::ENVIRONMENT)?;
                }
                let calls = if may_change { state.calls } else { 0 };
                Ok(self.terms.leaf(Leaf::Environment(opcode, calls), &[]))
            }
        }
    }
}

fn event(opcode: Opcode, operands: &[Term], input: Option<Region>) -> Event {
    Event { opcode, operands: operands.to_vec(), input, stores: None }
}
