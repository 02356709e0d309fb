//! The entry function of a contract: which function a call is for.
//!
//! A call with at least four bytes of data goes to the method with that selector. A call without
//! data goes to `receive`. Everything else goes to `fallback`, or reverts without data. Whoever
//! does not take wei reverts when some is sent. A contract with a [`Contract::single`] function
//! has no selectors: all calldata is that function's arguments.

use crate::abi::{Abi, Source};
use crate::code::Code;
use crate::error::AbiError;
use crate::func::AbiFn;
use crate::signature::Method;
use cairn_evm::{Opcode, Word};
use cairn_ir::module::ENTRY_NAME;
use cairn_ir::{Block, Func, Value};
use rustc_hash::FxHashMap;

/// Whether a call may send wei.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Payment {
    /// Wei is refused.
    #[default]
    Refused,
    /// Wei is taken.
    Taken,
}

/// A function of a contract and the function of the module that carries it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name, parameters, results.
    pub method: Method,
    /// Takes one word for each parameter and gives one for each result.
    pub target: Func,
    /// Whether it takes wei.
    pub payment: Payment,
}

/// What can be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    entries: Vec<Entry>,
    single: Option<Entry>,
    fallback: Option<(Func, Payment)>,
    receive: Option<Func>,
}

impl Contract {
    /// Nothing can be called.
    pub fn new() -> Self {
        Contract::default()
    }

    /// A contract that is one function: calldata is its encoded arguments, without a selector.
    pub fn single(method: Method, target: Func, payment: Payment) -> Self {
        Contract { single: Some(Entry { method, target, payment }), ..Contract::default() }
    }

    /// Adds a method.
    #[must_use]
    pub fn method(mut self, method: Method, target: Func, payment: Payment) -> Self {
        self.entries.push(Entry { method, target, payment });
        self
    }

    /// Sets the function for calls that are for no method; it takes and gives nothing.
    #[must_use]
    pub fn fallback(self, target: Func, payment: Payment) -> Self {
        Contract { fallback: Some((target, payment)), ..self }
    }

    /// Sets the function for calls without data; it takes and gives nothing, and takes wei.
    #[must_use]
    pub fn receive(self, target: Func) -> Self {
        Contract { receive: Some(target), ..self }
    }

    /// The methods in the order they were added.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn check(&self, abi: &Abi<'_>) -> Result<(), AbiError> {
        let mut seen: FxHashMap<[u8; 4], &Method> = FxHashMap::default();
        for entry in &self.entries {
            if let Some(other) = seen.insert(entry.method.selector(), &entry.method) {
                return Err(AbiError::SelectorClash(other.to_string(), entry.method.to_string()));
            }
        }
        for Entry { method, target, .. } in self.entries.iter().chain(&self.single) {
            abi.check_target(*target, method.params.len(), method.results.len())?;
        }
        let plain = self.receive.iter().chain(self.fallback.iter().map(|(target, _)| target));
        plain.copied().try_for_each(|target| abi.check_target(target, 0, 0).map(drop))
    }

    /// True when no way through the contract takes wei.
    fn refuses_all(&self) -> bool {
        let payments = self.entries.iter().chain(&self.single).map(|entry| entry.payment);
        let mut payments = payments.chain(self.fallback.map(|(_, payment)| payment));
        self.receive.is_none() && payments.all(|payment| payment == Payment::Refused)
    }
}

/// Where wei that comes with a call is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// Before anything else: nothing takes any.
    AtEntry,
    /// In each method that takes none.
    AtEach,
}

impl Guard {
    /// The check in a method.
    fn check(self, code: &mut Code, payment: Payment) {
        if self == Guard::AtEach && payment == Payment::Refused {
            refuse_wei(code);
        }
    }
}

/// Decoder and returner of a method.
struct Coders {
    decoder: AbiFn,
    target: AbiFn,
    returner: AbiFn,
}

impl Abi<'_> {
    /// Makes the entry function `@__entry` of a contract. To be called last: only then it is known
    /// whether memory is ever allocated.
    ///
    /// # Errors
    /// If two methods have one selector, a function does not fit its method, a type goes beyond a
    /// limit, or there is an entry function already.
    pub fn dispatch(&mut self, contract: &Contract) -> Result<Func, AbiError> {
        if self.module.entry.is_some() {
            return Err(AbiError::HasEntry);
        }
        contract.check(self)?;
        let entries = contract.entries.iter().chain(&contract.single);
        let coders = entries.map(|entry| self.coders(entry)).collect::<Result<Vec<_>, _>>()?;
        let initializer = self.uses_heap().then(|| self.initializer());
        let (mut code, _) = Code::new(ENTRY_NAME, 0, 0);
        initializer.iter().for_each(|made| drop(code.call(made, &[])));
        let guard = if contract.refuses_all() { Guard::AtEntry } else { Guard::AtEach };
        if guard == Guard::AtEntry {
            refuse_wei(&mut code);
        }
        match &contract.single {
            Some(entry) => {
                guard.check(&mut code, entry.payment);
                run(&mut code, 0, &coders[0]);
            }
            None => self.dispatch_by_selector(&mut code, contract, &coders, guard),
        }
        let entry = self.module.funcs.push(code.finish());
        self.module.entry = Some(entry);
        Ok(entry)
    }

    fn coders(&mut self, entry: &Entry) -> Result<Coders, AbiError> {
        let decoder = self.decoder(&entry.method.params, Source::Calldata)?;
        let returner = self.returner(&entry.method.results)?;
        let signature = self.module.funcs[entry.target].signature.clone();
        Ok(Coders { decoder, target: AbiFn { func: entry.target, signature }, returner })
    }

    fn dispatch_by_selector(&self, code: &mut Code, contract: &Contract, coders: &[Coders], guard: Guard) {
        let (short, long, other) = (code.new_block(), code.new_block(), code.new_block());
        let (size, four) = (code.op(Opcode::CALLDATASIZE, &[]), code.word(4));
        let is_short = code.op(Opcode::LT, &[size, four]);
        code.builder().cond_br(is_short, short, long);
        code.switch_to(long);
        let selector = load_selector(code);
        let targets: Vec<(Word, Block)> = contract
            .entries
            .iter()
            .map(|entry| (Word::from(u32::from_be_bytes(entry.method.selector())), code.new_block()))
            .collect();
        code.builder().switch(selector, &targets, other);
        for ((entry, coders), (_, block)) in contract.entries.iter().zip(coders).zip(&targets) {
            code.switch_to(*block);
            guard.check(code, entry.payment);
            run(code, 4, coders);
        }
        code.switch_to(short);
        if let Some(receive) = contract.receive {
            let (empty, rest) = (code.new_block(), other);
            code.builder().cond_br(size, rest, empty);
            code.switch_to(empty);
            self.run_plain(code, receive);
        } else {
            code.builder().br(other, &[]);
        }
        code.switch_to(other);
        match contract.fallback {
            Some((target, payment)) => {
                guard.check(code, payment);
                self.run_plain(code, target);
            }
            None => {
                let zero = code.word(0);
                code.effect(Opcode::REVERT, &[zero, zero]);
            }
        }
    }

    /// Runs a function that takes and gives nothing, and stops.
    fn run_plain(&self, code: &mut Code, target: Func) {
        let signature = self.module.funcs[target].signature.clone();
        code.call(&AbiFn { func: target, signature }, &[]);
        code.effect(Opcode::STOP, &[]);
    }
}

/// Decodes the arguments at `start` of calldata, runs the target, returns what it gave.
fn run(code: &mut Code, start: u64, coders: &Coders) {
    let (start, end) = (code.word(start), code.op(Opcode::CALLDATASIZE, &[]));
    let words = code.call(&coders.decoder, &[start, end]);
    let words = code.call(&coders.target, &words);
    code.call(&coders.returner, &words);
    code.unreachable();
}

fn load_selector(code: &mut Code) -> Value {
    let zero = code.word(0);
    let word = code.op(Opcode::CALLDATALOAD, &[zero]);
    let bits = code.word(224);
    code.op(Opcode::SHR, &[bits, word])
}

fn refuse_wei(code: &mut Code) {
    let value = code.op(Opcode::CALLVALUE, &[]);
    code.reject(value);
    code.flush();
}
