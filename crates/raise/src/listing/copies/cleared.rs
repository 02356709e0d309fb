//! What clears the bytes behind the last one of a copy: Solidity's before 0.8, where it encodes texts itself.
//!
//! `rest := and(n, 31)  if iszero(rest) { A }  last := sub(end, rest)
//! mstore(last, and(not(sub(exp(256, sub(32, rest)), 1)), mload(last)))  B`, where `end` is where the copy ends, and `B`
//! is `A` with `add(last, 32)` in the place of `end`. Both are the end up to whole words; nobody reads what is cleared.

use super::around::without_leave;
use super::{Copy, WORD, rounded, sum, terms_of};
use crate::tree::{Callee, Expr, Stmt, Var};
use cairn_evm::{Opcode, Word};
use cairn_yul::Builtin;
use rustc_hash::FxHashMap;

/// Statements between a copy and the question how many bytes are in its last word.
const MAX_BETWEEN: usize = 6;

/// What comes behind a copy without what clears bytes; nothing if it does not clear any.
pub(super) fn without_clearing(copy: &Copy, behind: &[Stmt]) -> Option<Vec<Stmt>> {
    let mut known: FxHashMap<Var, &Expr> = FxHashMap::default();
    for (place, stmt) in behind.iter().enumerate().take(MAX_BETWEEN) {
        let (aligned, clearing, rest) = match stmt {
            Stmt::Assign { vars, value, .. } => {
                let [var] = vars.as_slice() else { return None };
                known.insert(*var, value);
                continue;
            }
            Stmt::If(condition, aligned, _) => {
                let [rest] = condition.args_of(Opcode::ISZERO)? else { return None };
                aligned.last().filter(|last| ends(last))?;
                (aligned, &behind[place + 1..], rest)
            }
            Stmt::Switch(asked, cases, default, _) => {
                let [(Word::ZERO, zero)] = cases.as_slice() else { return None };
                match asked.args_of(Opcode::ISZERO) {
                    Some([rest]) => (default, zero.as_slice(), rest),
                    _ => (zero, default.as_slice(), asked),
                }
            }
            _ => return None,
        };
        let told = Clearing { copy, known, rest }.told(aligned, clearing)?;
        let behind_switch = if let Stmt::Switch(..) = stmt { &behind[place + 1..] } else { &[] };
        return Some([&behind[..place], told.as_slice(), behind_switch].concat());
    }
    None
}

struct Clearing<'a> {
    copy: &'a Copy,
    /// What variables are that were set behind the copy.
    known: FxHashMap<Var, &'a Expr>,
    /// How many bytes are in the last word.
    rest: &'a Expr,
}

impl Clearing<'_> {
    /// What is done with either end, if it is the same.
    fn told(&self, aligned: &[Stmt], clearing: &[Stmt]) -> Option<Vec<Stmt>> {
        let [a, b] = self.resolved(self.rest).args_of(Opcode::AND)? else { return None };
        let mask = Expr::Number(Word::from(WORD - 1));
        ((*a == mask && *b == self.copy.bytes) || (*b == mask && *a == self.copy.bytes)).then_some(())?;
        let (last, end, done) = match clearing {
            [Stmt::Assign { vars, value, .. }, Stmt::Do(store), done @ ..] => {
                let [var] = vars.as_slice() else { return None };
                let last = Expr::Var(*var);
                self.clears(store, &last).then_some((last, self.end(value)?, done))?
            }
            [Stmt::Do(store), done @ ..] => {
                let last = store.args_of(Opcode::MSTORE)?.first()?;
                self.clears(store, last).then_some((last.clone(), self.end(last)?, done))?
            }
            _ => return None,
        };
        let word = Expr::Number(Word::from(WORD));
        let behind_last = [
            Expr::evm(Opcode::ADD, vec![last.clone(), word.clone()]),
            Expr::evm(Opcode::ADD, vec![word, last.clone()]),
        ];
        let whole = sum(self.copy.to.clone(), rounded(self.copy.bytes.clone()));
        let ends: Vec<Expr> = [end.clone()].into_iter().chain(self.ends()).collect();
        let put = |stmts: &[Stmt], ends: &[Expr]| {
            let mut stmts = stmts.to_vec();
            stmts.iter_mut().for_each(|stmt| put_in(stmt, ends, &whole));
            stmts
        };
        let (told, mut aligned) = (put(done, &behind_last), put(aligned, &ends));
        name_alike(&mut aligned, &told);
        let (mut own, mut is_read) = (Vec::new(), false);
        whole.for_each_var(&mut |var| own.push(var));
        if let Expr::Var(last) = last {
            told.iter().for_each(|stmt| stmt.for_each_read(&mut |read| is_read |= read == last));
        }
        let is_set =
            own.iter().any(|var| self.known.contains_key(var)) || told.iter().any(|stmt| sets(stmt, &own));
        (without_leave(&told) == without_leave(&aligned) && !is_read && !is_set).then_some(told)
    }

    fn resolved<'e>(&'e self, expr: &'e Expr) -> &'e Expr {
        match expr {
            Expr::Var(var) => self.known.get(var).copied().unwrap_or(expr),
            Expr::Number(_) | Expr::Text(_) | Expr::Call(..) => expr,
        }
    }

    /// The end of the copy of which `last` is where its last word begins.
    fn end<'e>(&self, last: &'e Expr) -> Option<&'e Expr> {
        let [end, rest] = last.args_of(Opcode::SUB)? else { return None };
        (rest == self.rest && self.is_end(end)).then_some(end)
    }

    /// True for where the copy ends.
    fn is_end(&self, expr: &Expr) -> bool {
        let terms = |exprs: &[&Expr]| {
            let mut terms = Vec::new();
            exprs.iter().try_for_each(|expr| terms_of(expr, &mut terms))?;
            let mut terms: Vec<String> = terms.into_iter().map(|term| format!("{term:?}")).collect();
            terms.sort_unstable();
            Some(terms)
        };
        let end = terms(&[&self.copy.to, &self.copy.bytes]);
        end.is_some() && end == terms(&[self.resolved(expr)])
    }

    /// Variables that are where the copy ends.
    fn ends(&self) -> Vec<Expr> {
        let mut ends: Vec<Var> =
            self.known.keys().copied().filter(|var| self.is_end(&Expr::Var(*var))).collect();
        ends.sort_unstable();
        ends.into_iter().map(Expr::Var).collect()
    }

    /// True for what keeps the first bytes of the word at `last`, as many as the rest is, and clears the others.
    fn clears(&self, store: &Expr, last: &Expr) -> bool {
        let number = |number: u64| Expr::Number(Word::from(number));
        let less = Expr::evm(Opcode::SUB, vec![number(WORD), self.rest.clone()]);
        let power = Expr::evm(Opcode::EXP, vec![number(256), less]);
        let mask = Expr::evm(Opcode::NOT, vec![Expr::evm(Opcode::SUB, vec![power, number(1)])]);
        let load = Expr::evm(Opcode::MLOAD, vec![last.clone()]);
        let Some([to, value]) = store.args_of(Opcode::MSTORE) else { return false };
        let is_both =
            |args: &[Expr]| *args == [mask.clone(), load.clone()] || *args == [load.clone(), mask.clone()];
        to == last && value.args_of(Opcode::AND).is_some_and(is_both)
    }
}

/// True if control does not come behind a statement.
fn ends(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => true,
        Stmt::Do(Expr::Call(Callee::Builtin(Builtin::Evm(opcode)), ..)) => opcode.halts(),
        Stmt::Do(_) | Stmt::Declare(_) | Stmt::Assign { .. } => false,
        Stmt::If(..) | Stmt::Switch(..) | Stmt::For(_) => false,
    }
}

/// Gives variables the names that statements in the same order give theirs.
fn name_alike(stmts: &mut [Stmt], like: &[Stmt]) {
    for (place, other) in like.iter().enumerate().take(stmts.len()) {
        let (Stmt::Assign { vars, .. }, Stmt::Assign { vars: names, .. }) = (&stmts[place], other) else {
            continue;
        };
        if let ([own], [name]) = (vars.as_slice(), names.as_slice())
            && own != name
        {
            let (own, name) = (*own, *name);
            if let Stmt::Assign { vars, .. } = &mut stmts[place] {
                *vars = vec![name];
            }
            stmts[place + 1..].iter_mut().for_each(|stmt| put_in(stmt, &[Expr::Var(own)], &Expr::Var(name)));
        }
    }
}

/// Writes an expression in the place of others.
fn put_in(stmt: &mut Stmt, places: &[Expr], by: &Expr) {
    match stmt {
        Stmt::Assign { value, .. } | Stmt::Do(value) | Stmt::If(value, ..) | Stmt::Switch(value, ..) => {
            put(value, places, by);
        }
        Stmt::For(of) => put(&mut of.condition, places, by),
        Stmt::Declare(_) | Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => {}
    }
    stmt.lists_mut().into_iter().flatten().for_each(|stmt| put_in(stmt, places, by));
}

fn put(expr: &mut Expr, places: &[Expr], by: &Expr) {
    if places.contains(expr) {
        *expr = by.clone();
    } else if let Expr::Call(_, args, _) = expr {
        args.iter_mut().for_each(|arg| put(arg, places, by));
    }
}

/// True when one of the variables is set in a statement.
fn sets(stmt: &Stmt, vars: &[Var]) -> bool {
    let any = |stmts: &[Stmt]| stmts.iter().any(|stmt| sets(stmt, vars));
    match stmt {
        Stmt::Declare(set) | Stmt::Assign { vars: set, .. } => set.iter().any(|var| vars.contains(var)),
        Stmt::If(_, body, _) => any(body),
        Stmt::Switch(_, cases, default, _) => cases.iter().any(|(_, body)| any(body)) || any(default),
        Stmt::For(of) => any(&of.init) || any(&of.body) || any(&of.post),
        Stmt::Do(_) | Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => false,
    }
}
