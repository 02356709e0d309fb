//! Names that were probably meant.

use super::Resolver;
use super::scope::Binding;

/// Errors of a file for which similar names are looked for: that takes time, which a file of faults
/// should not.
const MAX_SIMILAR: usize = 20;

impl<'a> Resolver<'a> {
    /// The builtin or function in scope whose name is almost `text`.
    pub(super) fn similar_function(&self, text: &str) -> Option<&'a str> {
        let is_function = |binding: Binding| matches!(binding, Binding::Function(_));
        self.nearest(text, self.dialect.builtin_names(), is_function)
    }

    /// The variable in scope whose name is almost `text`.
    pub(super) fn similar_variable(&self, text: &str) -> Option<&'a str> {
        let is_ours = |binding: Binding| match binding {
            Binding::Variable { function } => function == self.function,
            Binding::Nothing | Binding::Function(_) => false,
        };
        self.nearest(text, std::iter::empty(), is_ours)
    }

    fn nearest(
        &self,
        text: &str,
        builtins: impl Iterator<Item = &'static str>,
        is_wanted: impl Fn(Binding) -> bool,
    ) -> Option<&'a str> {
        if self.n_errors >= MAX_SIMILAR {
            return None;
        }
        let bound = self.bound.iter().filter(|name| is_wanted(self.bindings[name.0 as usize]));
        let names = builtins.map(|name| -> &'a str { name }).chain(bound.map(|name| self.text(*name)));
        // Names of other lengths are further away than that.
        let near = names.filter(|name| name.len().abs_diff(text.len()) <= most(name));
        let near = near.map(|name| (strsim::osa_distance(text, name), name));
        near.filter(|(distance, name)| *distance > 0 && *distance <= most(name)).min().map(|(_, name)| name)
    }
}

/// How many letters may differ.
fn most(name: &str) -> usize {
    name.len() / 3
}
