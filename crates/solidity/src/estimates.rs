//! `evm.gasEstimates`: how much gas a contract's creation and its functions take at most.
//!
//! Functions that others call are entered by a call of their name; what takes all other calls, whose name is
//! empty here, by one of any other name. Functions that only the contract itself calls are entered where code
//! jumps into them, so that they have a bound where that place is known: at `-O0`. Elsewhere they lie in others.

use crate::callables::{Callables, Fallback};
use crate::compile::Code;
use crate::functions::inner_entries;
use crate::gas::{self, Entry};
use cairn_asm::Assembled;
use cairn_driver::Calls;
use cairn_evm::Fork;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Gas of a byte that is deployed (EIP-2).
const GAS_OF_BYTE: u64 = 200;

/// What estimates are made of.
pub(crate) struct Estimates<'a> {
    pub(crate) code: &'a Code,
    pub(crate) deployed: Option<&'a Code>,
    pub(crate) fork: Fork,
    pub(crate) callables: &'a Callables,
    pub(crate) yul: Option<&'a str>,
    pub(crate) calls: Calls,
}

impl Estimates<'_> {
    /// In solc's form: what there is none of is left out.
    pub(crate) fn shown(&self) -> Value {
        let mut shown = Map::new();
        shown.insert("creation".to_owned(), self.creation());
        for (name, found) in [("external", self.external()), ("internal", self.internal())] {
            if !found.is_empty() {
                shown.insert(name.to_owned(), Value::Object(found));
            }
        }
        Value::Object(shown)
    }

    fn creation(&self) -> Value {
        let deposit = self.deployed.map_or(0, |deployed| deployed.assembled.bytes.len() as u64) * GAS_OF_BYTE;
        let execution = self.most(self.code, Entry::Creation);
        json!({
            "codeDepositCost": deposit.to_string(),
            "executionCost": text(execution),
            "totalCost": text(execution.and_then(|gas| gas.checked_add(deposit))),
        })
    }

    fn external(&self) -> Map<String, Value> {
        let functions = self.callables.external.iter();
        let functions = functions.map(|(name, selector)| (name.clone(), Entry::Function(*selector)));
        let mut found: Map<String, Value> =
            functions.map(|(name, entry)| (name, text(self.called(entry)))).collect();
        if self.callables.fallback != Fallback::Absent {
            found.insert(String::new(), text(self.fallback()));
        }
        found
    }

    /// The most that a call of none of the functions takes.
    fn fallback(&self) -> Option<u64> {
        let names: Vec<u32> = self.callables.external.iter().map(|(_, name)| *name).collect();
        let least = match self.callables.fallback {
            Fallback::BesideReceive => 1,
            Fallback::Alone | Fallback::Absent => 0,
        };
        let short = (least..4).map(Entry::Short);
        let all: Option<Vec<u64>> =
            short.chain([Entry::Other(&names)]).map(|entry| self.called(entry)).collect();
        all?.into_iter().max()
    }

    fn internal(&self) -> Map<String, Value> {
        let entries = match (self.yul, self.deployed) {
            (Some(yul), Some(deployed)) if !self.callables.internal.is_empty() => {
                inner_entries(yul, deployed, self.calls)
            }
            _ => BTreeMap::new(),
        };
        let gas = |id: &u64| {
            let (pc, words) = *entries.get(id)?;
            self.called(Entry::Inner { pc, words })
        };
        self.callables.internal.iter().map(|(name, id)| (name.clone(), text(gas(id)))).collect()
    }

    fn called(&self, entry: Entry<'_>) -> Option<u64> {
        self.most(self.deployed?, entry)
    }

    fn most(&self, code: &Code, entry: Entry<'_>) -> Option<u64> {
        let Assembled { bytes, immutables, links, .. } = &code.assembled;
        let open: Vec<usize> =
            immutables.iter().map(|one| one.offset).chain(links.iter().map(|one| one.offset)).collect();
        gas::most(gas::Code { bytes, open: &open, fork: self.fork }, entry)
    }
}

fn text(gas: Option<u64>) -> Value {
    Value::from(gas.map_or("infinite".to_owned(), |gas| gas.to_string()))
}
