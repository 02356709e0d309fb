//! Branches, switches and loops: what memory holds on each way, and behind where ways meet.

use super::{Around, Walk};
use crate::listing::memory::State;
use crate::listing::say::What;
use crate::tree::{At, Expr, For, Repeats, Stmt};
use cairn_evm::Word;

impl Walk<'_> {
    fn body(&mut self, stmts: &[Stmt], state: State) -> Option<State> {
        self.state = state;
        self.depth += 1;
        let completes = self.list(stmts);
        self.depth -= 1;
        let state = std::mem::take(&mut self.state);
        completes.then_some(state)
    }

    pub(super) fn branch(&mut self, condition: &Expr, body: &[Stmt], at: At) -> bool {
        let condition = self.say(condition);
        // What others would see is told even where no way leads there.
        if condition.as_number() == Some(Word::ZERO) && self.short.fails(body) {
            return true;
        }
        self.line(What::If(condition, at));
        let before = self.state.clone();
        let behind = self.body(body, before.clone());
        self.line(What::Close);
        self.state = match behind {
            Some(behind) => self.stores.join(vec![before, behind]).unwrap_or_default(),
            None => before,
        };
        true
    }

    pub(super) fn switch(
        &mut self,
        (value, at): (&Expr, At),
        cases: &[(Word, Vec<Stmt>)],
        default: &[Stmt],
    ) -> bool {
        let value = self.say(value);
        let before = std::mem::take(&mut self.state);
        if let [(Word::ZERO, no)] = cases
            && !default.is_empty()
        {
            self.line(What::If(value, at));
            let yes = self.body(default, before.clone());
            self.line(What::Else);
            let no = self.body(no, before);
            self.line(What::Close);
            return self.behind(yes.into_iter().chain(no).collect());
        }
        self.line(What::Switch(value, at));
        let mut states = Vec::new();
        for (word, body) in cases {
            self.line(What::Case(*word));
            states.extend(self.body(body, before.clone()));
        }
        if default.is_empty() {
            states.push(before);
        } else {
            self.line(What::Default);
            states.extend(self.body(default, before));
        }
        self.line(What::Close);
        self.behind(states)
    }

    fn behind(&mut self, states: Vec<State>) -> bool {
        let joined = self.stores.join(states);
        let completes = joined.is_some();
        self.state = joined.unwrap_or_default();
        completes
    }

    pub(super) fn repeat(&mut self, of: &For) -> bool {
        self.list(&of.init);
        self.around.push(Around { left: Vec::new(), back: Vec::new() });
        let first_unread = self.stores.unread.len();
        let is_loop = of.repeats != Repeats::Once;
        self.changes += 1;
        if is_loop {
            let Walk { stores, state, .. } = self;
            stores.enter_loop(state);
        }
        let is_endless = of.condition == Expr::Number(Word::from(1));
        let condition = self.say(&of.condition);
        self.line(if is_loop { What::While(condition, of.at) } else { What::Part });
        let head = self.state.clone();
        let mut end = self.body(&of.body, head.clone());
        if let Some(state) = end.take() {
            end = self.body(&of.post, state);
        }
        self.line(What::Close);
        let Some(Around { mut left, back }) = self.around.pop() else { return true };
        let rounds: Vec<State> = back.into_iter().chain(end).collect();
        if is_loop {
            rounds.iter().for_each(|state| self.stores.close_loop(first_unread, state));
            if !is_endless {
                left.extend(rounds.into_iter().chain([head]));
            }
        } else {
            left.extend(rounds);
        }
        if self.around.is_empty() {
            self.stores.unread.clear();
        }
        self.behind(left)
    }
}
