//! Sequences of steps: `dhfo[xa{VarNameCleaner}]u`.
//!
//! Letters stand for steps; `{Name}` and `{Name:argument}` for steps by name; `[…]` is repeated until
//! the size of the code stays the same, at most [`MAX_ROUNDS`] times. White space is ignored.

use std::fmt;
use std::str::FromStr;

use crate::step::{Run, Step};

/// Rounds of a repeated part.
pub(crate) const MAX_ROUNDS: usize = 12;

/// Nesting of brackets.
const MAX_DEPTH: usize = 32;

/// Steps in the order in which they run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// Parts in order.
    pub items: Vec<Item>,
}

/// A part of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A step.
    Step(StepCall),
    /// `[…]`
    Repeat(Vec<Item>),
}

/// A step with its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCall {
    /// The step.
    pub step: Step,
    /// What stands behind the colon in `{Name:argument}`.
    pub argument: Option<Box<str>>,
}

/// Why a text is no sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceError {
    /// Byte in the text.
    pub position: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SequenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {} of the sequence", self.message, self.position + 1)
    }
}

impl std::error::Error for SequenceError {}

impl From<Step> for Sequence {
    fn from(step: Step) -> Self {
        Sequence { items: vec![Item::Step(StepCall { step, argument: None })] }
    }
}

impl FromStr for Sequence {
    type Err = SequenceError;

    fn from_str(text: &str) -> Result<Self, SequenceError> {
        let mut open: Vec<(usize, Vec<Item>)> = Vec::new();
        let mut items = Vec::new();
        let mut rest = text.char_indices();
        while let Some((position, letter)) = rest.next() {
            let fault = |message: String| SequenceError { position, message };
            match letter {
                ' ' | '\n' | '\r' | '\t' => {}
                '[' if open.len() >= MAX_DEPTH => return Err(fault("too many nested brackets".into())),
                '[' => open.push((position, std::mem::take(&mut items))),
                ']' => {
                    let (_, outer) = open.pop().ok_or_else(|| fault("unbalanced `]`".into()))?;
                    let repeated = std::mem::replace(&mut items, outer);
                    items.push(Item::Repeat(repeated));
                }
                '{' => {
                    let inner = &text[position + 1..];
                    let length = inner.find('}').ok_or_else(|| fault("`{` without `}`".into()))?;
                    items.push(Item::Step(parse_call(&inner[..length]).map_err(fault)?));
                    rest = text.char_indices();
                    rest.by_ref().take_while(|(index, _)| *index < position + 1 + length).for_each(drop);
                }
                _ => {
                    let step = Step::from_letter(letter);
                    let step = step.ok_or_else(|| fault(format!("`{letter}` is no step")))?;
                    items.push(Item::Step(StepCall { step, argument: None }));
                }
            }
        }
        match open.pop() {
            Some((position, _)) => Err(SequenceError { position, message: "unbalanced `[`".into() }),
            None => Ok(Sequence { items }),
        }
    }
}

fn parse_call(text: &str) -> Result<StepCall, String> {
    let (name, argument) = match text.split_once(':') {
        Some((name, argument)) => (name, Some(argument.into())),
        None => (text, None),
    };
    let step = Step::from_name(name.trim()).ok_or_else(|| format!("`{name}` is no step"))?;
    match &argument {
        Some(_) if matches!(step.run, Run::Plain(_)) => Err(format!("`{name}` takes no argument")),
        None if matches!(step.run, Run::OnNames(_)) => {
            Err(format!("`{0}` needs names: `{{{0}:a,b}}`", step.name))
        }
        _ => Ok(StepCall { step, argument }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::{expression_splitter, name_displacer, var_decl_initializer, var_name_cleaner};

    fn fault(text: &str) -> String {
        text.parse::<Sequence>().expect_err("a fault").to_string()
    }

    #[test]
    fn letters_brackets_and_names() {
        let sequence: Sequence = "d [x{VarNameCleaner}] {NameDisplacer:a,b}".parse().expect("a sequence");
        let step =
            |step, argument: Option<&str>| Item::Step(StepCall { step, argument: argument.map(Into::into) });
        let expected = [
            step(var_decl_initializer::STEP, None),
            Item::Repeat(vec![step(expression_splitter::STEP, None), step(var_name_cleaner::STEP, None)]),
            step(name_displacer::STEP, Some("a,b")),
        ];
        assert_eq!(sequence.items, expected);
    }

    #[test]
    fn a_step_after_braces_is_read() {
        let sequence: Sequence = "{StackLimitEvader:$}hg".parse().expect("a sequence");
        assert_eq!(sequence.items.len(), 3);
    }

    #[test]
    fn faults_have_positions() {
        assert_eq!(fault("dz"), "`z` is no step at position 2 of the sequence");
        assert_eq!(fault("[d"), "unbalanced `[` at position 1 of the sequence");
        assert_eq!(fault("d]"), "unbalanced `]` at position 2 of the sequence");
        assert_eq!(fault("{Foo}"), "`Foo` is no step at position 1 of the sequence");
        assert_eq!(fault("{FullInliner:a}"), "`FullInliner` takes no argument at position 1 of the sequence");
        assert_eq!(fault("{FullInliner"), "`{` without `}` at position 1 of the sequence");
    }
}
