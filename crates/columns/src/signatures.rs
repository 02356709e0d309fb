//! The lists that tell signatures: arguments, and mutability.

use crate::list::{Items, texts};
use crate::lists::{push_selector, required};
use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;
use arrow_schema::{DataType, Field};
use cairn_bytecode::{Arguments as Found, Mutability as Kind, Selector};

#[derive(Default)]
pub(crate) struct Arguments {
    selector: StringBuilder,
    types: StringBuilder,
    count: usize,
}

impl Arguments {
    pub(crate) fn add(&mut self, found: &[Found]) {
        for arguments in found {
            push_selector(&mut self.selector, arguments.selector);
            self.types.append_option(arguments.text());
        }
        self.count += found.len();
    }
}

impl Items for Arguments {
    fn fields() -> Vec<Field> {
        vec![required("selector", DataType::Utf8), Field::new("types", DataType::Utf8, true)]
    }

    fn len(&self) -> usize {
        self.count
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![texts(self.selector), texts(self.types)]
    }
}

#[derive(Default)]
pub(crate) struct Mutability {
    selector: StringBuilder,
    mutability: StringBuilder,
    count: usize,
}

impl Mutability {
    pub(crate) fn add(&mut self, selectors: &[Selector], found: &[Kind]) {
        for (selector, kind) in selectors.iter().zip(found) {
            push_selector(&mut self.selector, selector.selector);
            self.mutability.append_value(kind.name());
        }
        self.count += selectors.len().min(found.len());
    }
}

impl Items for Mutability {
    fn fields() -> Vec<Field> {
        vec![required("selector", DataType::Utf8), required("mutability", DataType::Utf8)]
    }

    fn len(&self) -> usize {
        self.count
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![texts(self.selector), texts(self.mutability)]
    }
}
