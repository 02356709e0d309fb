//! Which file of a crate imports which.

use crate::project::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Path, UseTree, Visibility};

/// A file.
#[derive(Clone, Debug)]
pub(super) struct Module {
    /// Its path below `src`.
    name: String,
    /// Its place among the modules.
    place: Vec<String>,
    /// Paths that it names, from the crate's root; what it passes on is not among them.
    paths: BTreeSet<Vec<String>>,
    /// Names that it passes on, and where they come from.
    passed_on: BTreeMap<String, Vec<String>>,
}

/// The files of a crate.
pub(super) struct Crate {
    modules: BTreeMap<Vec<String>, Module>,
}

/// The folder in which the children of a module lie, with a slash.
pub(super) fn folder_of(name: &str) -> String {
    let base = name.strip_suffix(".rs").unwrap_or(name);
    match base.strip_suffix("mod") {
        Some(folder) if folder.ends_with('/') => folder.to_owned(),
        _ if base == "lib" || base == "main" => String::new(),
        _ => format!("{base}/"),
    }
}

impl Module {
    /// Reads a file.
    pub(super) fn parse(name: &str, text: &str) -> Outcome<Module> {
        let file = syn::parse_file(text).map_err(|error| format!("{name}: {error}"))?;
        let folder = folder_of(name);
        let place: Vec<String> =
            folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut finder = Finder { place: place.clone(), paths: BTreeSet::new(), passed_on: BTreeMap::new() };
        file.items.iter().for_each(|item| finder.visit_item(item));
        Ok(Module { name: name.to_owned(), place, paths: finder.paths, passed_on: finder.passed_on })
    }
}

impl Crate {
    /// The crate that these files make.
    pub(super) fn new(modules: Vec<Module>) -> Crate {
        Crate { modules: modules.into_iter().map(|module| (module.place.clone(), module)).collect() }
    }

    /// All files.
    pub(super) fn names(&self) -> Vec<String> {
        self.modules.values().map(|module| module.name.clone()).collect()
    }

    /// Pairs of files, the importing one first.
    pub(super) fn edges(&self) -> Vec<(String, String)> {
        let all = self.modules.values();
        let of = |module: &Module| {
            let targets: BTreeSet<String> =
                module.paths.iter().filter_map(|path| self.file_of(path, 8)).collect();
            targets.into_iter().map(|target| (module.name.clone(), target)).collect::<Vec<_>>()
        };
        all.flat_map(of).collect()
    }

    /// The file that defines what a path names, behind at most so many files that pass it on.
    fn file_of(&self, path: &[String], depth: usize) -> Option<String> {
        let (at, module) =
            (0..=path.len()).rev().find_map(|at| self.modules.get(&path[..at]).map(|found| (at, found)))?;
        let passed = path.get(at).and_then(|next| module.passed_on.get(next));
        match (passed, depth) {
            (Some(from), 1..) if !from.is_empty() => {
                let further: Vec<String> = from.iter().chain(&path[at + 1..]).cloned().collect();
                self.file_of(&further, depth - 1)
            }
            _ => Some(module.name.clone()),
        }
    }
}

/// Collects the paths of one file.
struct Finder {
    place: Vec<String>,
    paths: BTreeSet<Vec<String>>,
    passed_on: BTreeMap<String, Vec<String>>,
}

impl Finder {
    /// A path from the crate's root, if it begins with `crate`, `self` or `super`, or may name a child.
    fn absolute(&self, parts: &[String]) -> Option<Vec<String>> {
        let (first, rest) = parts.split_first()?;
        let mut from = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.place.clone(),
            "super" => self.place[..self.place.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        let mut rest = rest;
        while let Some(("super", further)) =
            rest.split_first().map(|(next, further)| (next.as_str(), further))
        {
            from.pop();
            rest = further;
        }
        from.extend_from_slice(rest);
        Some(from)
    }

    fn import(&mut self, tree: &UseTree, before: &[String], is_passed_on: Passed) {
        let with = |name: &str| before.iter().cloned().chain([name.to_owned()]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident.to_string()), is_passed_on),
            UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.import(item, before, is_passed_on));
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                match name.as_str() {
                    "self" => self.add(before, before.last().map_or("", String::as_str), is_passed_on),
                    _ => self.add(&with(&name), &name, is_passed_on),
                }
            }
            UseTree::Rename(rename) => {
                self.add(&with(&rename.ident.to_string()), &rename.rename.to_string(), is_passed_on);
            }
            UseTree::Glob(_) => self.add(before, "*", is_passed_on),
        }
    }

    fn add(&mut self, parts: &[String], name: &str, is_passed_on: Passed) {
        // A path without a keyword names a child, or another crate, which no file answers to.
        let child = || self.place.iter().chain(parts).cloned().collect();
        let path = self.absolute(parts).unwrap_or_else(child);
        match is_passed_on {
            Passed::On => _ = self.passed_on.insert(name.to_owned(), path),
            Passed::No if path != self.place => _ = self.paths.insert(path),
            Passed::No => {}
        }
    }
}

/// Whether an import is for others.
#[derive(Clone, Copy)]
enum Passed {
    On,
    No,
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(ItemUse { attrs, vis, tree, .. }) if !is_for_tests(attrs) => {
                let passed = if matches!(vis, Visibility::Inherited) { Passed::No } else { Passed::On };
                self.import(tree, &[], passed);
            }
            Item::Mod(ItemMod { attrs, .. }) if is_for_tests(attrs) => {}
            Item::Fn(function) if is_for_tests(&function.attrs) => {}
            Item::Use(_) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1
            && let Some(found) = self.absolute(&parts)
            && found != self.place
        {
            self.paths.insert(found);
        }
        visit::visit_path(self, path);
    }
}
