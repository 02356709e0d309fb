//! New names: never one that is used, reserved by the dialect, or reserved by the user.
//!
//! One counter serves all names of an object, so a name is found in constant time however many
//! variables share a stem.

use cairn_yul::{Block, Dialect, NameClass, NameTable, YulName};

use super::name_collector::collect_all_names;

/// Numbers behind a name that is made into a new one. Copies of copies of code, each with new names,
/// would else have names as long as the copies are deep.
const MAX_NUMBERS: usize = 4;

/// Hands out names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dispenser {
    /// By name: used or reserved.
    is_taken: Vec<bool>,
    counter: u64,
    /// Where names are put together.
    text: String,
}

impl Dispenser {
    /// Knows the names in `code` and `reserved` as taken.
    pub(crate) fn new(code: &Block, reserved: &[YulName], names: &NameTable) -> Self {
        let mut dispenser = Dispenser { is_taken: vec![false; names.len()], counter: 0, text: String::new() };
        collect_all_names(code, &mut |name| dispenser.mark(name));
        reserved.iter().for_each(|name| dispenser.mark(*name));
        dispenser
    }

    /// Takes the name out of circulation.
    pub(crate) fn mark(&mut self, name: YulName) {
        let index = name.0 as usize;
        if index >= self.is_taken.len() {
            self.is_taken.resize(index + 1, false);
        }
        self.is_taken[index] = true;
    }

    pub(crate) fn is_taken(&self, name: YulName) -> bool {
        self.is_taken.get(name.0 as usize).copied().unwrap_or(false)
    }

    /// `hint`, or `hint` with the first number behind it that makes it a new name.
    pub(crate) fn new_name(&mut self, hint: &str, names: &mut NameTable, dialect: &Dialect) -> YulName {
        if is_declarable(hint, dialect) {
            let name = names.intern(hint);
            if !self.is_taken(name) {
                self.mark(name);
                return name;
            }
        }
        self.set_text(hint);
        self.numbered_name(names, dialect)
    }

    fn set_text(&mut self, text: &str) {
        self.text.clear();
        self.text.push_str(without_many_numbers(text));
    }

    /// The text with the first number behind it that makes it a new name.
    fn numbered_name(&mut self, names: &mut NameTable, dialect: &Dialect) -> YulName {
        // Of the names that end with a number after a line, only these mean anything.
        let may_be_reserved = self.text.starts_with("verbatim") || self.text.starts_with('.');
        self.text.push('_');
        let stem = self.text.len();
        loop {
            self.counter += 1;
            self.text.truncate(stem);
            push_number(&mut self.text, self.counter);
            if may_be_reserved && !is_declarable(&self.text, dialect) {
                continue;
            }
            let name = names.intern(&self.text);
            if !self.is_taken(name) {
                self.mark(name);
                return name;
            }
        }
    }

    /// A declared name if it is not taken, or a new one like it.
    pub(crate) fn new_name_like(
        &mut self,
        like: YulName,
        names: &mut NameTable,
        dialect: &Dialect,
    ) -> YulName {
        if !self.is_taken(like) {
            self.mark(like);
            return like;
        }
        self.set_text(names.text(like));
        self.numbered_name(names, dialect)
    }
}

/// The name without the numbers at its end, if it has [`MAX_NUMBERS`] or more.
fn without_many_numbers(name: &str) -> &str {
    let without_number = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.strip_suffix('_').filter(|_| stem.len() < name.len()).map(str::len)
    };
    let ends = std::iter::successors(without_number(name), |end| without_number(&name[..*end]));
    match ends.enumerate().last() {
        Some((index, end)) if index + 1 >= MAX_NUMBERS => &name[..end],
        _ => name,
    }
}

/// Adds the decimal digits, of which there are at most twenty.
fn push_number(text: &mut String, number: u64) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// True for names that a program may declare.
pub(crate) fn is_declarable(text: &str, dialect: &Dialect) -> bool {
    let has_outer_dot = text.is_empty() || text.starts_with('.') || text.ends_with('.');
    !has_outer_dot && !is_keyword(text) && dialect.classify(text) == NameClass::Plain
}

fn is_keyword(text: &str) -> bool {
    const KEYWORDS: [&str; 13] = [
        "break", "case", "continue", "default", "false", "for", "function", "hex", "if", "leave", "let",
        "switch", "true",
    ];
    KEYWORDS.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows S002-28.
    #[test]
    fn names_do_not_grow_with_each_copy() {
        let (mut names, dialect) = (NameTable::default(), Dialect::default());
        let mut dispenser = Dispenser::default();
        let mut name = dispenser.new_name("x", &mut names, &dialect);
        for _ in 0..1000 {
            name = dispenser.new_name_like(name, &mut names, &dialect);
            assert!(names.text(name).len() < 24, "{}", names.text(name));
        }
        assert_eq!(without_many_numbers("a_1_2_3"), "a_1_2_3");
        assert_eq!(without_many_numbers("a_1_2_3_4"), "a");
        assert_eq!(without_many_numbers("a_b_1_2__3_4"), "a_b_1_2__3_4");
    }
}
