//! What there is to compile: each distinct text and each distinct tree of objects once.

use crate::objects::{Outline, outline};
use crate::stats::Counts;
use cairn_driver::place::{Place, place};
use std::borrow::Cow;
use std::collections::HashMap;

/// The Yul of one contract.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name for messages.
    pub name: String,
    /// The text.
    pub yul: String,
}

impl Source {
    /// Where the contract stands: the first place that its Yul names.
    pub fn place(&self) -> Option<Place> {
        let comment = self.yul.find("@src ")?;
        let end = self.yul[comment..].find('\n')?;
        place(&self.yul, comment + end)
    }
}

/// An object without those nested in it.
pub(crate) struct OwnText<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Name for messages.
    pub(crate) name: &'t str,
}

/// An object with those nested in it, by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tree {
    pub(crate) text: usize,
    pub(crate) subs: Vec<usize>,
}

/// Distinct texts and trees; a tree stands behind its parts.
#[derive(Default)]
pub(crate) struct Plan<'t> {
    pub(crate) texts: Vec<OwnText<'t>>,
    known_texts: HashMap<Cow<'t, str>, usize>,
    pub(crate) trees: Vec<Tree>,
    known_trees: HashMap<Tree, usize>,
    pub(crate) counts: Counts,
}

impl<'t> Plan<'t> {
    /// Adds the objects of a contract; the number of its tree.
    pub(crate) fn add_source(&mut self, source: &'t Source) -> usize {
        self.counts.contracts += 1;
        self.counts.yul_bytes += source.yul.len();
        match outline(&source.yul) {
            Some(found) => self.add(source, &found),
            None => {
                let text = self.text(Cow::Borrowed(&source.yul), &source.name);
                self.tree(Tree { text, subs: Vec::new() })
            }
        }
    }

    fn add(&mut self, source: &'t Source, object: &Outline) -> usize {
        let subs = object.objects.iter().map(|inner| self.add(source, inner)).collect();
        let text = self.text(object.own_text(&source.yul), &source.name);
        self.tree(Tree { text, subs })
    }

    fn text(&mut self, text: Cow<'t, str>, name: &'t str) -> usize {
        self.counts.objects += 1;
        if let Some(known) = self.known_texts.get(&text) {
            return *known;
        }
        self.counts.distinct += 1;
        self.counts.distinct_bytes += text.len();
        self.known_texts.insert(text.clone(), self.texts.len());
        self.texts.push(OwnText { text, name });
        self.texts.len() - 1
    }

    fn tree(&mut self, tree: Tree) -> usize {
        if let Some(known) = self.known_trees.get(&tree) {
            return *known;
        }
        self.known_trees.insert(tree.clone(), self.trees.len());
        self.trees.push(tree);
        self.trees.len() - 1
    }
}
