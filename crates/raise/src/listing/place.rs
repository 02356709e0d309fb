//! Places of storage by variable: `slot3[caller]`, `slot5[i].2`, fields of packed words.

use super::bits::run_of_ones;
use super::say::Say;
use super::words::Words;
use cairn_evm::{Opcode, Word};

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

/// What is written into a part of a word.
pub(super) struct Field<'s> {
    /// Bytes below it.
    pub(super) offset: usize,
    pub(super) bytes: usize,
    pub(super) value: &'s Say,
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
                [base] => match self.root(base, steps + 1)? {
                    Root::Whole(text) => Some(Root::Items(text, None)),
                    Root::Items(..) => None,
                },
                [key, base] => {
                    let base = self.root(base, steps + 1).map(|root| self.whole(root))?;
                    let key = self.text(key);
                    Some(Root::Whole(format!("{base}[{key}]")))
                }
                _ => None,
            },
            Say::Name(name) => {
                let lasting = self.lasting;
                let value = lasting.get(name)?;
                let root = self.root(value, steps + 1)?;
                Some(Root::Whole(self.whole(root)))
            }
            Say::Call(..) => self.sum(say.args_of(Opcode::ADD)?, steps),
            _ => None,
        }
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
                Say::Name(name) => match self.lasting.get(name) {
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
            Say::Name(name) => matches!(self.lasting.get(name), Some(Say::Hash(_))),
            _ => false,
        }
    }

    /// The one field that a stored word changes: `or(and(sload(place), mask), value)`.
    pub(super) fn field_of_store<'s>(&self, place: &Say, value: &'s Say) -> Option<Field<'s>> {
        let [a, b] = value.args_of(Opcode::OR)? else { return None };
        let of = |old: &Say, new: &'s Say| {
            let [x, y] = old.args_of(Opcode::AND)? else { return None };
            let (mask, load) = x.as_number().map(|mask| (mask, y)).or(y.as_number().map(|mask| (mask, x)))?;
            let load = self.value_of(load);
            let is_same = load.args_of(Opcode::SLOAD).is_some_and(|args| args[0] == *place);
            let (low, high) = run_of_ones(!mask).filter(|_| is_same)?;
            let is_bytes = low % 8 == 0 && high % 8 == 0;
            is_bytes.then(|| Field { offset: low / 8, bytes: (high - low) / 8, value: new })
        };
        let mut field = of(a, b).or_else(|| of(b, a))?;
        field.value = unshifted(field.value, field.offset * 8, field.bytes * 8);
        Some(field)
    }

    pub(super) fn value_of<'s>(&'s self, say: &'s Say) -> &'s Say {
        match say {
            Say::Name(name) => self.values.get(name).unwrap_or(say),
            _ => say,
        }
    }
}

/// A value without the shift that brings it to its place, and without the mask that cuts it.
fn unshifted(mut say: &Say, shift: usize, bits: usize) -> &Say {
    let mut left = shift;
    for _ in 0..4 {
        let Some((opcode, [a, b])) = say.as_evm() else { break };
        let number = |say: &Say| say.as_number();
        say = match opcode {
            Opcode::SHL if number(a) == Some(Word::from(left)) => {
                left = 0;
                b
            }
            Opcode::MUL if left > 0 && number(b) == Some(Word::from(1) << left) => {
                left = 0;
                a
            }
            Opcode::MUL if left > 0 && number(a) == Some(Word::from(1) << left) => {
                left = 0;
                b
            }
            Opcode::AND if number(a).and_then(run_of_ones) == Some((left, left + bits)) => b,
            Opcode::AND if number(b).and_then(run_of_ones) == Some((left, left + bits)) => a,
            _ => break,
        };
    }
    say
}
