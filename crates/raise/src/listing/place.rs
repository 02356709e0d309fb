//! Places of storage by variable: `slot3[caller]`, `slot5[i].2`; where a function is told the variable,
//! `storage[p1 + 1][key]`.

use super::say::{Data, Effect, Say};
use super::words::Words;
use cairn_evm::Opcode;

/// Steps that a place is followed.
const MAX_STEPS: usize = 8;

/// The greatest slot that has a name of its own.
const MAX_SLOT: u64 = 0xffff;

/// What an address of storage is counted from.
enum Root<'s> {
    /// A variable, or a member of one.
    Whole(String),
    /// Where items of an array begin.
    Items(String, Option<&'s Say>),
}

impl Words<'_> {
    /// The place that a word is when it is used as an address of storage.
    pub(super) fn place(&mut self, say: &Say) -> Option<String> {
        Some(match self.root(say, 0)? {
            Root::Whole(text) => text,
            Root::Items(text, None) => format!("{text}[0]"),
            Root::Items(text, Some(index)) => {
                let index = self.atom(index);
                format!("{text}[{index}]")
            }
        })
    }

    fn root<'s>(&mut self, say: &'s Say, steps: usize) -> Option<Root<'s>> {
        if steps > MAX_STEPS {
            return None;
        }
        match say {
            Say::Number(word) => {
                let number = u64::try_from(*word).ok().filter(|number| *number <= MAX_SLOT);
                Some(Root::Whole(match number {
                    Some(number) => format!("slot{number}"),
                    None => format!("storage({word:#x})"),
                }))
            }
            Say::Hash(parts) => match parts.as_slice() {
                [base] => match self.variable(base, steps)? {
                    Root::Whole(text) => Some(Root::Items(text, None)),
                    Root::Items(..) => None,
                },
                [key, base] => {
                    let base = self.variable(base, steps).map(|root| self.whole(root))?;
                    let key = self.text(key);
                    Some(Root::Whole(format!("{base}[{key}]")))
                }
                _ => None,
            },
            // The key is no word: a text, say.
            Say::Effect(effect, _) => {
                let Effect::Hash(Data::Known(pieces)) = &**effect else { return None };
                let (base, key) =
                    pieces.split_last().filter(|(base, key)| base.bytes == 32 && !key.is_empty())?;
                let base = self.variable(&base.value, steps).map(|root| self.whole(root))?;
                let key = self.pieces(key);
                Some(Root::Whole(format!("{base}[{key}]")))
            }
            Say::Name(name) => {
                let (lasting, values) = (self.lasting, self.values);
                let value =
                    lasting.get(name).or_else(|| values.get(name).filter(|say| is_hash_of_bytes(say)))?;
                let root = self.root(value, steps + 1)?;
                Some(Root::Whole(self.whole(root)))
            }
            Say::Call(..) => self.sum(say.args_of(Opcode::ADD)?, steps),
            _ => None,
        }
    }

    /// The variable that a hash is the place of something of: where it is not known which, by its slot.
    fn variable<'s>(&mut self, say: &'s Say, steps: usize) -> Option<Root<'s>> {
        if let Some(root) = self.root(say, steps + 1) {
            return Some(root);
        }
        let is_told = |say: &Say| matches!(say, Say::Name(_)) || say.is_argument();
        let is_slot = is_told(say)
            || say.args_of(Opcode::ADD).is_some_and(|args| {
                args.iter().any(is_told) && args.iter().any(|arg| arg.as_number().is_some())
            });
        is_slot.then(|| Root::Whole(format!("storage[{}]", self.text(say))))
    }

    fn whole(&mut self, root: Root<'_>) -> String {
        match root {
            Root::Whole(text) => text,
            Root::Items(text, None) => format!("{text}[0]"),
            Root::Items(text, Some(index)) => {
                let index = self.atom(index);
                format!("{text}[{index}]")
            }
        }
    }

    /// A place, and how far behind.
    fn sum<'s>(&mut self, args: &'s [Say], steps: usize) -> Option<Root<'s>> {
        let [a, b] = args else { return None };
        for (base, more) in [(a, b), (b, a)] {
            if base.as_number().is_some() || !self.is_hash(base) {
                continue;
            }
            return Some(match (self.root(base, steps + 1)?, more.as_number()) {
                (Root::Items(text, None), _) => Root::Items(text, Some(more)),
                (Root::Whole(text), Some(number)) => Root::Whole(format!("{text}.{number}")),
                (root, _) => {
                    let (text, more) = (self.whole(root), self.atom(more));
                    Root::Whole(format!("{text}.({more})"))
                }
            });
        }
        None
    }

    /// True for what a hash is the beginning of.
    fn is_hash(&self, say: &Say) -> bool {
        let mut say = say;
        for _ in 0..MAX_STEPS {
            say = match say {
                Say::Hash(_) => return true,
                Say::Effect(effect, _) => return matches!(**effect, Effect::Hash(_)),
                Say::Name(name) => match self.lasting.get(name).or_else(|| self.values.get(name)) {
                    Some(value) => value,
                    None => return false,
                },
                _ => match say.args_of(Opcode::ADD) {
                    Some([a, b]) => return self.is_hash_part(a) || self.is_hash_part(b),
                    _ => return false,
                },
            };
        }
        false
    }

    fn is_hash_part(&self, say: &Say) -> bool {
        match say {
            Say::Hash(_) => true,
            Say::Effect(effect, _) => matches!(**effect, Effect::Hash(_)),
            Say::Name(name) => self.values.get(name).is_some_and(|say| {
                matches!(say, Say::Hash(_)) && self.lasting.contains_key(name) || is_hash_of_bytes(say)
            }),
            _ => false,
        }
    }

    pub(super) fn value_of<'s>(&'s self, say: &'s Say) -> &'s Say {
        match say {
            Say::Name(name) => self.values.get(name).unwrap_or(say),
            _ => say,
        }
    }
}

/// True for a hash of other things than words, and for what is a number of slots behind it.
fn is_hash_of_bytes(say: &Say) -> bool {
    let is_hash = |say: &Say| matches!(say, Say::Effect(effect, _) if matches!(**effect, Effect::Hash(_)));
    let behind = |args: &[Say]| args.iter().any(is_hash) && args.iter().any(|arg| arg.as_number().is_some());
    is_hash(say) || say.args_of(Opcode::ADD).is_some_and(behind)
}
