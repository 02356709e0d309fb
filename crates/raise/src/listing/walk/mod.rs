//! Reads a function's statements in order and tells them as lines, with what memory holds at hand.
//!
//! Short functions without ways of their own are written out where they are called: compilers make one of
//! every encoding and of every failure.

mod addresses;
mod calls;
mod values;
mod ways;

use super::memory::{Layout, Spot, State, Stores};
use super::say::{Id, Line, Name, Say, What};
use super::short::ShortFunctions;
use crate::tree::{Callee, Elsewhere, Expr, Stmt, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function that is being read: the function itself, or one that is written out in it.
struct Frame {
    number: u32,
    args: FxHashMap<Var, Say>,
}

/// A loop or a part around what is being read.
struct Around {
    /// States of ways out of it.
    left: Vec<State>,
    /// States of ways back to its head.
    back: Vec<State>,
}

/// Tells one function.
pub(super) struct Walk<'a> {
    pub(super) short: &'a ShortFunctions<'a>,
    pub(super) stores: Stores,
    pub(super) state: State,
    pub(super) calls: u32,
    pub(super) lines: Vec<Line>,
    /// What variables are that have one value.
    pub(super) values: FxHashMap<Name, Say>,
    /// Those of them that may stand wherever the variable does.
    pub(super) lasting: FxHashMap<Name, Say>,
    /// Stores of words that were made of what storage held before another store.
    pub(super) stale: FxHashSet<u32>,
    /// When each variable was loaded from storage, and how often storage may have changed by now.
    loaded: FxHashMap<Name, u32>,
    changes: u32,
    spots: FxHashMap<Name, Spot>,
    /// Variables that one call gives several values.
    given: FxHashSet<Name>,
    /// Free pointers that are behind copies.
    free_ends: FxHashMap<u32, Spot>,
    /// Variables of the function itself that are set in several places.
    changing: FxHashSet<Var>,
    frame: Frame,
    around: Vec<Around>,
    results: u32,
    depth: u32,
    frames: u32,
    kept: u32,
    frees: u32,
}

impl<'a> Walk<'a> {
    /// Reads the statements of a function that gives so many results: one text, or several with labels.
    pub(super) fn tell(
        short: &'a ShortFunctions<'a>,
        layout: Layout,
        results: u32,
        parts: &[(Option<u32>, Vec<Stmt>)],
    ) -> Walk<'a> {
        let mut seen = FxHashSet::default();
        let mut changing = FxHashSet::default();
        let stmts = parts.iter().flat_map(|(_, stmts)| stmts);
        stmts.for_each(|stmt| find_changing(stmt, &mut seen, &mut changing));
        let mut walk = Walk {
            short,
            stores: Stores::new(layout),
            state: State::default(),
            calls: 0,
            lines: Vec::new(),
            values: FxHashMap::default(),
            lasting: FxHashMap::default(),
            stale: FxHashSet::default(),
            loaded: FxHashMap::default(),
            changes: 0,
            spots: FxHashMap::default(),
            given: FxHashSet::default(),
            free_ends: FxHashMap::default(),
            changing,
            frame: Frame { number: 0, args: FxHashMap::default() },
            around: Vec::new(),
            results,
            depth: 0,
            frames: 0,
            kept: 0,
            frees: 0,
        };
        for (label, stmts) in parts {
            label.iter().for_each(|label| walk.line(What::Label(*label)));
            walk.state = State::default();
            if walk.list(stmts) {
                walk.leave();
            }
        }
        walk
    }

    pub(super) fn line(&mut self, what: What) {
        self.lines.push(Line { depth: self.depth, what });
    }

    /// A line that stands within the one before it.
    pub(super) fn line_within(&mut self, what: What) {
        self.lines.push(Line { depth: self.depth + 1, what });
    }

    /// True when control may come to the end.
    fn list(&mut self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Declare(_) => true,
            Stmt::Assign { vars, value, .. } => self.assign(vars, value),
            Stmt::Do(value) => self.effect(value),
            Stmt::If(condition, body, at) => self.branch(condition, body, *at),
            Stmt::Switch(value, cases, default, at) => self.switch((value, *at), cases, default),
            Stmt::For(of) => self.repeat(of),
            Stmt::Break => {
                let state = std::mem::take(&mut self.state);
                self.around.last_mut().into_iter().for_each(|around| around.left.push(state.clone()));
                self.line(What::Break);
                false
            }
            Stmt::Continue => {
                let state = std::mem::take(&mut self.state);
                let around = self.around.last_mut();
                around.into_iter().for_each(|around| around.back.push(state.clone()));
                self.line(What::Continue);
                false
            }
            // A function that is written out leaves at its end alone.
            Stmt::Leave if self.frame.number > 0 => true,
            Stmt::Leave => {
                self.leave();
                false
            }
            Stmt::Go(to) => {
                let mut state = std::mem::take(&mut self.state);
                if let Elsewhere::Node(_) = to {
                    self.stores.hand_over(&mut state);
                }
                self.line(What::Go(*to));
                false
            }
        }
    }

    /// The end of an internal function.
    fn leave(&mut self) {
        let mut state = std::mem::take(&mut self.state);
        self.stores.hand_over(&mut state);
        let results = (0..self.results).map(|index| Say::Name(self.name(Var::Result(index)))).collect();
        self.line(What::Leave(results));
    }

    fn name(&self, var: Var) -> Name {
        Name { frame: self.frame.number, id: Id::Var(var) }
    }

    /// A variable that nothing else has.
    fn new_name(&mut self) -> Name {
        self.kept += 1;
        Name { frame: self.frame.number, id: Id::Kept(self.kept) }
    }

    fn assign(&mut self, vars: &[Var], value: &Expr) -> bool {
        if let Expr::Call(Callee::Func(func), args, _) = value
            && let Some(short) = self.short.get(*func)
        {
            return match self.write_out(*func, args, short) {
                Some(results) => {
                    let names: Vec<Name> = vars.iter().map(|var| self.name(*var)).collect();
                    names.into_iter().zip(results).for_each(|(name, result)| self.give(name, result));
                    true
                }
                None => false,
            };
        }
        let say = self.say(value);
        let names: Vec<Name> = vars.iter().map(|var| self.name(*var)).collect();
        match names.as_slice() {
            [name] => self.give(*name, say),
            _ => {
                self.given.extend(&names);
                self.line(What::Let(names, say));
            }
        }
        true
    }

    /// Tells an expression; what reads memory reads it now.
    pub(super) fn say(&mut self, expr: &Expr) -> Say {
        match expr {
            Expr::Number(word) => Say::Number(*word),
            Expr::Text(text) => Say::Text(text.clone()),
            Expr::Var(var) => match self.frame.args.get(var) {
                Some(say) => say.clone(),
                None => self.variable(self.name(*var)),
            },
            Expr::Call(Callee::Func(func), args, at) => self.call(*func, args, *at),
            Expr::Call(callee, args, at) => {
                let mut says: Vec<Say> = args.iter().rev().map(|arg| self.say(arg)).collect();
                says.reverse();
                self.operation(*callee, says, *at)
            }
        }
    }
}

fn find_changing(stmt: &Stmt, seen: &mut FxHashSet<Var>, changing: &mut FxHashSet<Var>) {
    let mut all = |stmts: &[Stmt]| stmts.iter().for_each(|stmt| find_changing(stmt, seen, changing));
    match stmt {
        Stmt::Assign { vars, .. } => {
            changing.extend(vars.iter().filter(|var| !seen.insert(**var)));
        }
        // Variables that are zero until they are set.
        Stmt::Declare(vars) => changing.extend(vars),
        Stmt::If(_, body, _) => all(body),
        Stmt::Switch(_, cases, default, _) => {
            cases.iter().for_each(|(_, body)| all(body));
            all(default);
        }
        Stmt::For(of) => {
            all(&of.init);
            all(&of.body);
            all(&of.post);
        }
        Stmt::Do(_) | Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => {}
    }
}
