//! Finds where each variable is declared: in the innermost block around all that it stands in, with its
//! first value where that stands there itself.
//!
//! A loop's body begins anew each time, with its variables. That is right, as no value of a round is read
//! in the next but by way of a variable that was set before the loop; only where a cycle is entered by
//! state does one round read what another one gave, and its body declares nothing.

use crate::tree::{Expr, Repeats, Stmt, Var};
use rustc_hash::FxHashMap;

/// Where a list of statements stands: statement and list in it, from the outside in.
type Path = Vec<(u32, u32)>;

/// Where a variable stands.
struct Scope {
    list: Path,
    /// The first statement of the list that it stands in.
    first: u32,
    /// That statement gives it its first value.
    is_given: bool,
}

/// What a list of statements is to variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Declares,
    /// It declares nothing: what is declared for it stands before its statement.
    IsOpen,
}

/// How a variable stands in a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// The statement itself gives it a value.
    Given,
    Within,
}

/// Declares all variables but these.
pub(crate) fn declare(stmts: &mut Vec<Stmt>, declared: &[Var]) {
    let mut finder = Finder {
        declared,
        scopes: FxHashMap::default(),
        vars: Vec::new(),
        path: Vec::new(),
        open: Vec::new(),
    };
    finder.list(stmts);
    let mut places: FxHashMap<Path, Vec<(u32, Var, bool)>> = FxHashMap::default();
    for var in finder.vars {
        let Scope { list, first, is_given } = &finder.scopes[&var];
        places.entry(list.clone()).or_default().push((*first, var, *is_given));
    }
    insert(stmts, &mut Vec::new(), &places);
}

struct Finder<'d> {
    declared: &'d [Var],
    scopes: FxHashMap<Var, Scope>,
    /// In the order of the text.
    vars: Vec<Var>,
    path: Path,
    /// For each list of the path.
    open: Vec<List>,
}

impl Finder<'_> {
    fn list(&mut self, stmts: &[Stmt]) {
        for (index, stmt) in stmts.iter().enumerate() {
            self.stmt(index as u32, stmt);
        }
    }

    fn stmt(&mut self, index: u32, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(_) | Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => {}
            Stmt::Do(value) => self.expr(index, value),
            Stmt::Assign { vars, value, .. } => {
                self.expr(index, value);
                vars.iter().for_each(|var| self.seen(index, *var, Seen::Given));
            }
            Stmt::If(condition, body, _) => {
                self.expr(index, condition);
                self.inner((index, 0), body, List::Declares);
            }
            Stmt::Switch(value, cases, default, _) => {
                self.expr(index, value);
                for (place, (_, body)) in cases.iter().enumerate() {
                    self.inner((index, place as u32), body, List::Declares);
                }
                self.inner((index, cases.len() as u32), default, List::Declares);
            }
            Stmt::For(of) => {
                self.expr(index, &of.condition);
                self.inner((index, 0), &of.init, List::IsOpen);
                self.inner((index, 1), &of.post, List::IsOpen);
                let list = match of.repeats {
                    Repeats::States => List::IsOpen,
                    Repeats::Loop | Repeats::Once => List::Declares,
                };
                self.inner((index, 2), &of.body, list);
            }
        }
    }

    fn inner(&mut self, place: (u32, u32), stmts: &[Stmt], list: List) {
        self.path.push(place);
        self.open.push(list);
        self.list(stmts);
        self.path.pop();
        self.open.pop();
    }

    fn expr(&mut self, index: u32, value: &Expr) {
        let mut read = Vec::new();
        value.for_each_var(&mut |var| read.push(var));
        read.into_iter().for_each(|var| self.seen(index, var, Seen::Within));
    }

    fn seen(&mut self, index: u32, var: Var, seen: Seen) {
        if self.declared.contains(&var) {
            return;
        }
        // Out of lists that declare nothing.
        let (mut end, mut index, mut is_given) = (self.path.len(), index, seen == Seen::Given);
        while end > 0 && self.open[end - 1] == List::IsOpen {
            end -= 1;
            (index, is_given) = (self.path[end].0, false);
        }
        let Some(scope) = self.scopes.get_mut(&var) else {
            let list = self.path[..end].to_vec();
            self.scopes.insert(var, Scope { list, first: index, is_given });
            self.vars.push(var);
            return;
        };
        let mut common = scope.list.iter().zip(&self.path[..end]).take_while(|(a, b)| a == b).count();
        while common > 0 && common < scope.list.len() && self.open[common - 1] == List::IsOpen {
            common -= 1;
        }
        if common < scope.list.len() {
            scope.first = scope.list[common].0;
            scope.is_given = false;
            scope.list.truncate(common);
        }
    }
}

fn insert(stmts: &mut Vec<Stmt>, path: &mut Path, places: &FxHashMap<Path, Vec<(u32, Var, bool)>>) {
    let here = places.get(path).map(Vec::as_slice).unwrap_or_default();
    let mut by_stmt: FxHashMap<u32, Vec<(Var, bool)>> = FxHashMap::default();
    here.iter().for_each(|(first, var, is_given)| by_stmt.entry(*first).or_default().push((*var, *is_given)));
    let old = std::mem::take(stmts);
    for (index, mut stmt) in old.into_iter().enumerate() {
        for (place, list) in stmt.lists_mut().into_iter().enumerate() {
            path.push((index as u32, place as u32));
            insert(list, path, places);
            path.pop();
        }
        let new = by_stmt.remove(&(index as u32)).unwrap_or_default();
        let given = new.iter().filter(|(_, is_given)| *is_given).count();
        let mut zero: Vec<Var> = new.iter().filter(|(_, is_given)| !is_given).map(|(var, _)| *var).collect();
        match &mut stmt {
            Stmt::Assign { vars, is_declaration, .. } if vars.len() == given => *is_declaration = true,
            _ => zero = new.iter().map(|(var, _)| *var).collect(),
        }
        if !zero.is_empty() {
            stmts.push(Stmt::Declare(zero));
        }
        stmts.push(stmt);
    }
}
