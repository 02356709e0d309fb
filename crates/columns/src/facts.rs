//! Which facts are wanted.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

bitflags::bitflags! {
    /// A set of kinds of facts; each but the first two is a table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Facts: u32 {
        /// Length, hash and trailer of the code.
        const CODES = 1;
        /// Whether the graph is complete, and the role of the code.
        const CLOSED = 1 << 1;
        /// Selectors and where they lead.
        const SELECTORS = 1 << 2;
        /// External functions.
        const FUNCTIONS = 1 << 3;
        /// Internal functions.
        const INTERNALS = 1 << 4;
        /// Basic blocks.
        const BLOCKS = 1 << 5;
        /// Edges between blocks.
        const EDGES = 1 << 6;
        /// Jumps and what is known of them.
        const JUMPS = 1 << 7;
        /// Instructions that read and write storage.
        const STORAGE = 1 << 8;
        /// Instructions that write events.
        const EVENTS = 1 << 9;
        /// Arguments of external functions.
        const ARGUMENTS = 1 << 10;
        /// What external functions may do to the state.
        const MUTABILITY = 1 << 11;
        /// Variables in storage.
        const VARIABLES = 1 << 12;
    }
}

/// Names, in the order of all outputs.
const NAMES: [(&str, Facts); 13] = [
    ("codes", Facts::CODES),
    ("closed", Facts::CLOSED),
    ("selectors", Facts::SELECTORS),
    ("functions", Facts::FUNCTIONS),
    ("arguments", Facts::ARGUMENTS),
    ("mutability", Facts::MUTABILITY),
    ("internals", Facts::INTERNALS),
    ("blocks", Facts::BLOCKS),
    ("edges", Facts::EDGES),
    ("jumps", Facts::JUMPS),
    ("storage", Facts::STORAGE),
    ("variables", Facts::VARIABLES),
    ("events", Facts::EVENTS),
];

/// Facts that a walk of the dispatcher gives.
pub(crate) const OF_DISPATCHER: Facts = Facts::SELECTORS.union(Facts::FUNCTIONS);
/// Facts that need no analysis of control flow.
const CHEAP: Facts = OF_DISPATCHER.union(Facts::CODES).union(Facts::ARGUMENTS);

impl Facts {
    /// Every kind with its name, in the order of all outputs.
    pub fn named() -> impl Iterator<Item = (&'static str, Facts)> {
        NAMES.into_iter()
    }

    /// True when the set asks for more than a walk of the dispatcher and the trailer tell.
    pub fn needs_graph(self) -> bool {
        !CHEAP.contains(self)
    }
}

/// All of them.
impl Default for Facts {
    fn default() -> Facts {
        Facts::all()
    }
}

/// A name that is no kind of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFact {
    /// What was written.
    pub name: String,
    /// The name that was perhaps meant.
    pub meant: Option<&'static str>,
}

impl Display for UnknownFact {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "no facts are called `{}`", self.name)?;
        match self.meant {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => {
                let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                write!(f, "; there are {} and `all`", names.join(", "))
            }
        }
    }
}

impl std::error::Error for UnknownFact {}

/// Names with commas or spaces between; `all` is all of them.
impl FromStr for Facts {
    type Err = UnknownFact;

    fn from_str(text: &str) -> Result<Facts, UnknownFact> {
        let names = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty());
        names.map(fact_of).try_fold(Facts::empty(), |facts, fact| Ok(facts | fact?))
    }
}

fn fact_of(name: &str) -> Result<Facts, UnknownFact> {
    if name == "all" {
        return Ok(Facts::all());
    }
    let close = |candidate: &&str| strsim::damerau_levenshtein(candidate, name) <= 2;
    let unknown =
        || UnknownFact { name: name.to_owned(), meant: NAMES.iter().map(|(known, _)| *known).find(close) };
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, fact)| *fact).ok_or_else(unknown)
}

impl Display for Facts {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> =
            NAMES.iter().filter(|(_, fact)| self.contains(*fact)).map(|(name, _)| *name).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_as_names() {
        let facts: Facts = "blocks, codes".parse().expect("known names");
        assert_eq!(facts, Facts::BLOCKS | Facts::CODES);
        assert_eq!(facts.to_string(), "codes,blocks");
        assert_eq!(Facts::all().to_string().parse(), Ok(Facts::all()));
        assert_eq!("all".parse(), Ok(Facts::all()));
    }

    #[test]
    fn a_wrong_name_is_said_with_the_one_that_was_meant() {
        let error = "codes,edge".parse::<Facts>().expect_err("`edge` is no name");
        assert_eq!(error.to_string(), "no facts are called `edge`; did you mean `edges`?");
        let error = "opcodes_of_all".parse::<Facts>().expect_err("no name");
        assert!(error.to_string().ends_with("storage, variables, events and `all`"), "{error}");
    }

    #[test]
    fn selectors_need_no_graph() {
        assert!(!(Facts::CODES | Facts::FUNCTIONS | Facts::SELECTORS).needs_graph());
        assert!((Facts::CODES | Facts::CLOSED).needs_graph());
    }
}
