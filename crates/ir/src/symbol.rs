//! Interned strings: names of data segments, immutables and libraries.

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;

/// An interned string of one [`SymbolTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);
entity_impl!(Symbol, "sym");

/// Interned strings in order of first use.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    strings: PrimaryMap<Symbol, Box<str>>,
    index: FxHashMap<Box<str>, Symbol>,
}

impl SymbolTable {
    /// The symbol of `text`, made if it is new.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.index.get(text) {
            return *symbol;
        }
        let symbol = self.strings.push(text.into());
        self.index.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of `text`, if it was interned.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.index.get(text).copied()
    }

    /// The string of a symbol, if it is of this table.
    pub fn try_text(&self, symbol: Symbol) -> Option<&str> {
        self.strings.get(symbol).map(AsRef::as_ref)
    }

    /// The string of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.strings[symbol]
    }
}
