//! Reads a function's statements in order and tells them as lines, with what memory holds at hand.
//!
//! Short functions without ways of their own are written out where they are called: compilers make one of
//! every encoding and of every failure.

mod ways;

use super::memory::{Base, Layout, Spot, State, Stores};
use super::say::{Id, Line, Name, Say, What};
use super::short::ShortFunctions;
use crate::tree::{At, Callee, Elsewhere, Expr, Stmt, Var};
use cairn_evm::{Opcode, Word};
use cairn_ir::Func;
use rustc_hash::{FxHashMap, FxHashSet};

/// Parts of an expression that is written out where its value is read from memory.
const MAX_SIZE: usize = 8;

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
            Stmt::If(condition, body) => self.branch(condition, body),
            Stmt::Switch(value, cases, default) => self.switch(value, cases, default),
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

    /// True for what is the same wherever it stands.
    pub(super) fn is_lasting(&self, say: &Say) -> bool {
        let mut lasts = say.is_pure();
        say.for_each_name(&mut |name| lasts &= !self.is_changing(name));
        lasts
    }

    fn is_changing(&self, name: Name) -> bool {
        matches!(name, Name { frame: 0, id: Id::Var(var) } if self.changing.contains(&var))
    }

    /// A value that may stand elsewhere: what may not, or is long, gets a name.
    pub(super) fn keep(&mut self, say: Say) -> Say {
        if self.is_lasting(&say) && say.size(MAX_SIZE + 1) <= MAX_SIZE {
            return say;
        }
        let name = self.new_name();
        self.give(name, say);
        Say::Name(name)
    }

    /// `name = say`
    fn give(&mut self, name: Name, say: Say) {
        if !self.is_changing(name) {
            if let Some(spot) = self.spot(&say) {
                self.spots.insert(name, spot);
            }
            self.values.insert(name, say.clone());
            if let Some(time) = self.loaded_when(&say) {
                self.loaded.insert(name, time);
            }
            if self.is_lasting(&say) {
                self.lasting.insert(name, say.clone());
            }
        }
        self.line(What::Let(vec![name], say));
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
            _ => self.line(What::Let(names, say)),
        }
        true
    }

    /// Writes a short function out; its results, or nothing when it does not come back.
    pub(super) fn write_out(&mut self, func: Func, args: &[Expr], short: &'a [Stmt]) -> Option<Vec<Say>> {
        let mut says: Vec<Say> = args.iter().rev().map(|arg| self.say(arg)).collect();
        says.reverse();
        let params = self.short.params(func);
        let mut bound = FxHashMap::default();
        self.frames += 1;
        let caller =
            std::mem::replace(&mut self.frame, Frame { number: self.frames, args: FxHashMap::default() });
        for (param, say) in params.into_iter().zip(says) {
            let say = self.keep(say);
            bound.insert(param, say);
        }
        self.frame.args = bound;
        let completes = self.list(short);
        let results = (0..self.short.results(func)).map(|index| self.variable(self.name(Var::Result(index))));
        let results = results.collect();
        self.frame = caller;
        completes.then_some(results)
    }

    /// When the oldest word in an expression was loaded from storage, if there is one.
    fn loaded_when(&self, say: &Say) -> Option<u32> {
        match say {
            Say::Name(name) => self.loaded.get(name).copied(),
            _ => {
                let own = say.args_of(Opcode::SLOAD).map(|_| self.changes);
                let parts = say.parts().into_iter().filter_map(|part| self.loaded_when(part));
                parts.chain(own).min()
            }
        }
    }

    /// Storage is written, or may be: by a store with its offset, or by something else.
    pub(super) fn change_storage(&mut self, at: At, value: Option<&Say>) {
        let loaded = value.and_then(|value| self.loaded_when(value));
        let is_stale = loaded.is_some_and(|time| time != self.changes);
        if is_stale && let At(Some(pc)) = at {
            self.stale.insert(pc);
        }
        self.changes += 1;
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

    /// A variable, or what it is if that is as short.
    fn variable(&self, name: Name) -> Say {
        let is_short = |say: &&Say| say.size(2) < 2 || say.is_argument();
        let known = self.lasting.get(&name).filter(is_short);
        known.cloned().unwrap_or(Say::Name(name))
    }

    /// A call of an internal function within an expression.
    fn call(&mut self, func: Func, args: &[Expr], at: At) -> Say {
        if let Some(short) = self.short.get(func)
            && let Some(results) = self.write_out(func, args, short)
        {
            return results.into_iter().next().unwrap_or(Say::Number(Word::ZERO));
        }
        let mut says: Vec<Say> = args.iter().rev().map(|arg| self.say(arg)).collect();
        says.reverse();
        self.call_out(func);
        Say::Call(Callee::Func(func), says, at)
    }

    pub(super) fn call_out(&mut self, func: Func) {
        self.changes += 1;
        if self.short.touches_memory(func) {
            let Walk { stores, state, .. } = self;
            stores.hand_over(state);
        }
    }

    /// Where in memory an address is.
    pub(super) fn spot(&self, say: &Say) -> Option<Spot> {
        match say {
            Say::Number(word) => Some(Spot { base: Base::Zero, at: u64::try_from(*word).ok()? }),
            Say::Free(number) => Some(Spot { base: Base::Free(*number), at: 0 }),
            Say::Name(name) if self.is_changing(*name) => None,
            Say::Name(name) => {
                Some(self.spots.get(name).copied().unwrap_or(Spot { base: Base::Name(*name), at: 0 }))
            }
            Say::Call(..) => {
                if let Some([a, Say::Number(number)]) = say.args_of(Opcode::SUB) {
                    let spot = self.spot(a)?;
                    return Some(Spot { at: spot.at.checked_sub(u64::try_from(*number).ok()?)?, ..spot });
                }
                let [a, b] = say.args_of(Opcode::ADD)? else { return None };
                let (a, b) = (self.spot(a)?, self.spot(b)?);
                match (a.base, b.base) {
                    (_, Base::Zero) => Some(Spot { base: a.base, at: a.at.checked_add(b.at)? }),
                    (Base::Zero, _) => Some(Spot { base: b.base, at: a.at.checked_add(b.at)? }),
                    _ => None,
                }
            }
            Say::Text(_) | Say::Hash(_) | Say::Returned(..) | Say::Effect(..) => None,
        }
    }

    /// How long a region is, as far as it is known.
    pub(super) fn length(&self, say: &Say) -> Option<u64> {
        u64::try_from(self.difference(say)?).ok()
    }

    /// A number, or how far two places are apart.
    fn difference(&self, say: &Say) -> Option<i64> {
        if let Some(spot) = self.spot(say) {
            return if spot.base == Base::Zero { i64::try_from(spot.at).ok() } else { None };
        }
        let (opcode, [a, b]) = say.as_evm()? else { return None };
        match opcode {
            Opcode::ADD => self.difference(a)?.checked_add(self.difference(b)?),
            Opcode::SUB => {
                let same = self.spot(a).zip(self.spot(b)).filter(|(a, b)| a.base == b.base);
                match same {
                    Some((a, b)) => i64::try_from(a.at).ok()?.checked_sub(i64::try_from(b.at).ok()?),
                    None => self.difference(a)?.checked_sub(self.difference(b)?),
                }
            }
            _ => None,
        }
    }

    /// What the free pointer is now.
    pub(super) fn free(&mut self) -> Say {
        if self.state.free.is_none() {
            self.frees += 1;
            self.state.free = Some(Spot { base: Base::Free(self.frees), at: 0 });
        }
        let base = match self.state.free {
            Some(Spot { base: Base::Free(number), at }) => (Say::Free(number), at),
            Some(Spot { base: Base::Name(name), at }) => (Say::Name(name), at),
            Some(Spot { base: Base::Zero, at }) => return Say::Number(Word::from(at)),
            None => return Say::Free(self.frees),
        };
        match base {
            (base, 0) => base,
            (base, at) => Say::evm(Opcode::ADD, vec![base, Say::Number(Word::from(at))]),
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
        Stmt::If(_, body) => all(body),
        Stmt::Switch(_, cases, default) => {
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
