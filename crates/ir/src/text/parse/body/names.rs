//! Names of values.
//!
//! A name may be defined in several blocks if each use stands behind a definition in its own block: those
//! are different values. Otherwise a name is defined once in a function.

use super::{Body, FIRST_PLACEHOLDER, Forward};
use crate::ids::{Block, Value};
use crate::text::fault;
use crate::text::lex::Kind;
use crate::text::literal;
use cairn_diag::Span;
use std::borrow::Cow;

/// A definition: its value, its place, and its block, which is not known for parameters of the function.
#[derive(Clone, Copy)]
pub(super) struct Definition {
    value: Value,
    span: Span,
    block: Option<Block>,
}

/// What is known of a name.
pub(super) enum NameState {
    /// Used and not defined yet: the index of its placeholder.
    Forward(usize),
    /// Defined once, and whether another block uses it.
    Defined(Definition, Reach),
    /// Defined in several blocks, each of which uses its own.
    Local(Vec<Definition>),
    /// The result of an operation that has none.
    Void,
    /// Its definition has a fault, which was reported.
    Poisoned,
}

/// Where a value is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Block,
    Function,
}

impl<'a> Body<'_, '_, 'a> {
    /// The value, or the placeholder, that a `%name` refers to.
    pub(crate) fn value_ref(&mut self) -> Option<Value> {
        let token = self.stream.expect(Kind::Value, "a value such as `%x`")?;
        let name = self.stream.name(token)?;
        let current = self.current;
        let fault = match self.values.get_mut(&name) {
            Some(NameState::Defined(definition, reach)) => {
                if definition.block != current {
                    *reach = Reach::Function;
                }
                return Some(definition.value);
            }
            Some(NameState::Local(definitions)) => match own(definitions, current) {
                Some(definition) => return Some(definition.value),
                None => "is defined in several blocks, and not in this one",
            },
            Some(NameState::Forward(index)) => return Some(placeholder(*index)),
            Some(NameState::Poisoned) => return Some(placeholder(0)),
            Some(NameState::Void) => "is `void`: there is no value",
            None => {
                let index = self.forwards.len();
                let shown = self.stream.shown(token);
                self.forwards.push(Forward { value: None, first_use: token.span, name: shown });
                self.values.insert(name, NameState::Forward(index));
                return Some(placeholder(index));
            }
        };
        let message = format!("value `{}` {fault}", self.stream.shown(token));
        self.stream.fault(fault::NOT_DEFINED, token.span, message)
    }

    /// Binds a name to a value.
    pub(crate) fn define_value(&mut self, name: Cow<'a, str>, span: Span, value: Value) {
        if !literal::is_number(&name) {
            self.func.value_names.insert(value, name.as_ref().into());
        }
        let new = Definition { value, span, block: self.current };
        let state = match self.values.remove(&name) {
            Some(NameState::Forward(index)) => {
                self.forwards[index].value = Some(value);
                NameState::Defined(new, Reach::Function)
            }
            Some(NameState::Defined(first, Reach::Block)) if first.block != new.block => {
                NameState::Local(vec![first, new])
            }
            Some(NameState::Local(mut definitions)) if own(&definitions, new.block).is_none() => {
                definitions.push(new);
                NameState::Local(definitions)
            }
            Some(NameState::Defined(first, _)) => self.defined_twice(first, new),
            Some(NameState::Local(definitions)) => self.defined_twice(definitions[0], new),
            Some(NameState::Void | NameState::Poisoned) | None => NameState::Defined(new, Reach::Block),
        };
        self.values.insert(name, state);
    }

    fn defined_twice(&mut self, first: Definition, new: Definition) -> NameState {
        let label = (first.span, "first here");
        let message = "the value is defined twice";
        self.stream.fault_with_label::<()>(fault::DEFINED_TWICE, new.span, message, label);
        NameState::Defined(new, Reach::Function)
    }

    /// The names of the instruction being read stand for no value.
    pub(crate) fn define_void(&mut self) {
        for (name, _) in std::mem::take(&mut self.lhs) {
            self.values.entry(name).or_insert(NameState::Void);
        }
    }

    /// Names of results of an instruction with a fault cause no further ones.
    pub(super) fn poison(&mut self) {
        for (name, span) in std::mem::take(&mut self.lhs) {
            self.define_value(name.clone(), span, placeholder(0));
            self.values.insert(name, NameState::Poisoned);
        }
    }

    /// Reports values and blocks that are used and never defined.
    pub(super) fn check_names(&mut self) {
        for forward in self.forwards.iter().filter(|forward| forward.value.is_none()) {
            let message = format!("value `{}` is not defined", forward.name);
            self.stream.fault::<()>(fault::NOT_DEFINED, forward.first_use, message);
        }
        for (span, name) in self.undefined_blocks() {
            self.stream.fault::<()>(fault::NOT_DEFINED, span, format!("block `^{name}` is not defined"));
        }
    }

    /// Blocks without a label, in the order of their first use.
    pub(super) fn undefined_blocks(&self) -> Vec<(Span, Cow<'a, str>)> {
        let undefined = self.blocks.iter().filter(|(_, state)| !state.defined);
        let mut undefined: Vec<(Span, Cow<'a, str>)> =
            undefined.map(|(name, state)| (state.first_use, name.clone())).collect();
        undefined.sort_unstable();
        undefined
    }
}

/// The definition in a block.
fn own(definitions: &[Definition], block: Option<Block>) -> Option<&Definition> {
    definitions.iter().find(|definition| definition.block == block)
}

fn placeholder(index: usize) -> Value {
    Value::from_u32(FIRST_PLACEHOLDER + index as u32)
}
