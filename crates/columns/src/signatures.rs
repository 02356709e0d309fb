//! The lists that tell signatures: arguments, and mutability.

use crate::list::Items;
use crate::lists::required;
use crate::texts::Texts;
use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use cairn_bytecode::{Arguments as Found, Mutability as Kind, Selector};

#[derive(Default)]
pub(crate) struct Arguments {
    selector: Texts,
    types: Texts,
}

impl Arguments {
    pub(crate) fn add(&mut self, found: &[Found]) {
        for arguments in found {
            self.selector.push_selector(arguments.selector);
            self.types.push_optional(arguments.text().as_deref().map(str::as_bytes));
        }
    }
}

impl Items for Arguments {
    fn fields() -> Vec<Field> {
        vec![required("selector", DataType::Utf8), Field::new("types", DataType::Utf8, true)]
    }

    fn len(&self) -> usize {
        self.selector.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![self.selector.into_texts(), self.types.into_texts()]
    }
}

#[derive(Default)]
pub(crate) struct Mutability {
    selector: Texts,
    mutability: Texts,
}

impl Mutability {
    pub(crate) fn add(&mut self, selectors: &[Selector], found: &[Kind]) {
        for (selector, kind) in selectors.iter().zip(found) {
            self.selector.push_selector(selector.selector);
            self.mutability.push(kind.name());
        }
    }
}

impl Items for Mutability {
    fn fields() -> Vec<Field> {
        vec![required("selector", DataType::Utf8), required("mutability", DataType::Utf8)]
    }

    fn len(&self) -> usize {
        self.selector.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![self.selector.into_texts(), self.mutability.into_texts()]
    }
}
