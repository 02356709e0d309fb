//! Idioms: what libraries and contracts have again and again, as people write it, with numbers and widths that
//! vary. A program has a few of them, and its other functions call those that only compute.
//!
//! In texts `$W` is an unsigned type, `$N` a small number that is not zero, `$B` a number of any size; each
//! occurrence is chosen anew but `$W`, which is one type in an idiom.

mod numbers;
mod outside;
mod stored;
mod texts;

use super::scope::{Effects, Function, Reach, Writer};
use super::types::{Place, Type, WORD, width};

/// Something that people write.
struct Idiom {
    /// Its functions that are called from outside, with the types of their parameters.
    entries: &'static [(&'static str, Types)],
    /// Declarations within a contract.
    text: &'static str,
    /// Whether the first of the entries is pure, and takes and gives words, so that others can call it.
    is_callable: bool,
}

/// Types hold boxes, which constants can't make.
type Types = fn() -> Vec<Type>;

/// How many a program has.
const MIN_IDIOMS: usize = 2;
const MAX_IDIOMS: usize = 4;

fn one_word() -> Vec<Type> {
    vec![WORD]
}

fn two_words() -> Vec<Type> {
    vec![WORD, WORD]
}

fn three_words() -> Vec<Type> {
    vec![WORD, WORD, WORD]
}

fn many(kind: Type) -> Type {
    Type::Array(Box::new(kind))
}

impl Writer {
    /// Writes some idioms.
    pub(crate) fn idioms(&mut self) {
        let mut left: Vec<&Idiom> =
            [numbers::ALL, stored::ALL, texts::ALL, outside::ALL].into_iter().flatten().collect();
        for _ in 0..self.random.between(MIN_IDIOMS, MAX_IDIOMS) {
            let at = self.random.below(left.len());
            let idiom = left.swap_remove(at);
            self.idiom(idiom);
        }
    }

    fn idiom(&mut self, idiom: &Idiom) {
        let unsigned = format!("uint{}", width(&mut self.random));
        for line in idiom.text.lines() {
            let line = self.filled(line, &unsigned);
            self.line(line);
        }
        let typed = idiom.entries.iter().map(|(name, params)| ((*name).to_owned(), params()));
        self.entries.extend(typed);
        if let Some((name, params)) = idiom.entries.first().filter(|_| idiom.is_callable) {
            self.functions.push(Function {
                name: (*name).into(),
                params: params().into_iter().map(|kind| (kind, Place::Local)).collect(),
                results: vec![WORD],
                // They are public, but pure functions call them too, which `this` is not for.
                reach: Reach::Internal,
                level: 1,
                effects: Effects::None,
            });
        }
    }

    /// A line with something in the place of each hole.
    fn filled(&mut self, line: &str, unsigned: &str) -> String {
        let mut text = line.replace("$W", unsigned);
        while let Some(at) = text.find("$N") {
            let number = self.random.between(1, 9);
            text.replace_range(at..at + 2, &number.to_string());
        }
        while let Some(at) = text.find("$B") {
            let shift = self.random.below(192);
            let number = self.random.next() | 1;
            text.replace_range(at..at + 2, &format!("({number} << {shift})"));
        }
        text
    }
}
