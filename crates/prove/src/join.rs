//! Divisions whose ways do nothing but to make words, taken both at once: where the ways come together, a word
//! that they make differently is a choice by the condition.
//!
//! So a row of such divisions is one path, not twice as many for each. Both ways are walked, block by block, each
//! under its condition; a way is left as soon as it does anything that others see, writes anywhere, ends or learns
//! more than its condition. Where the second way comes to a block that the first came to as well, the path goes
//! on. Nothing is lost by that: the runs of the path that goes on are those of both ways, and its words are what each
//! of them makes of them.

use crate::machine::{Machine, State, Step, Stop};
use crate::place::{Pace, Place, Turn};
use crate::term::Term;

/// Blocks that are walked for one division, on both ways.
const MAX_BLOCKS: usize = 64;
/// Divisions that are joined inside of a way.
const DEPTH: usize = 6;

/// The place where both ways of a division come together; `None` if they do not, as far as they are walked. What the
/// path did and what holds on it stays as it is.
pub(crate) fn join<P: Place>(
    machine: &mut Machine,
    (place, other): (&P, &P),
    state: &State,
    condition: Term,
) -> Step<Option<P>> {
    let ended = std::mem::take(&mut machine.ended);
    let joined = meet(machine, (place, other), state, condition, (MAX_BLOCKS, DEPTH));
    machine.ended = ended;
    joined
}

fn meet<P: Place>(
    machine: &mut Machine,
    (place, other): (&P, &P),
    state: &State,
    condition: Term,
    (blocks, depth): (usize, usize),
) -> Step<Option<P>> {
    let site = place.site();
    let negation = machine.terms.is_zero(condition);
    if !machine.joins.are_promising(site, machine.role, [condition, negation]) {
        return Ok(None);
    }
    let mut ways =
        [(place, condition), (other, negation)].map(|(place, holds)| Way::new(machine, place, state, holds));
    let mut joined = None;
    for turn in 0..blocks {
        // A division is looked at last: behind the place where the ways come together it need not be.
        let turns = [turn % 2, (turn + 1) % 2];
        let goes = turns.into_iter().find(|index| matches!(ways[*index].next, Next::Walk));
        let divides = || turns.into_iter().find(|index| matches!(ways[*index].next, Next::Divide(..)));
        let Some(index) = goes.or_else(divides) else { break };
        if !ways[index].walk(machine, (blocks / 2, depth))? {
            continue;
        }
        if let Some([yes, no]) = meeting(&ways, index) {
            joined = yes.joined(no, condition, machine).map(|joined| joined.with_pace(Pace::Runs));
            break;
        }
    }
    match joined {
        Some(_) => machine.joins.note_joined(site, condition),
        None => machine.joins.note_failed(site),
    }
    Ok(joined)
}

/// The places of both ways before the block to which this one came last.
fn meeting<P: Place>(ways: &[Way<P>; 2], index: usize) -> Option<[&P; 2]> {
    let (landing, place) = ways[index].landings.last()?;
    let (_, other) = ways[1 - index].landings.iter().find(|(other, _)| other == landing)?;
    Some(if index == 0 { [place, other] } else { [other, place] })
}

/// A way of a division.
struct Way<P: Place> {
    place: P,
    /// Where it began, and where it is.
    states: [State; 2],
    next: Next<P>,
    /// The blocks that it came to.
    landings: Vec<(P::Landing, P)>,
}

/// What is to be done with a way.
enum Next<P> {
    Walk,
    Divide(Term, P),
    Leave,
}

impl<P: Place> Way<P> {
    fn new(machine: &mut Machine, place: &P, state: &State, condition: Term) -> Self {
        let mut before = state.clone();
        before.conditions.assume(&mut machine.terms, condition);
        let (states, place) = ([before.clone(), before], place.clone().with_pace(Pace::Walks));
        Way { place, states, next: Next::Walk, landings: Vec::new() }
    }

    /// Goes on by a step; true if it came to a block.
    fn walk(&mut self, machine: &mut Machine, (blocks, depth): (usize, usize)) -> Step<bool> {
        let [before, state] = &mut self.states;
        if let Next::Divide(condition, other) = std::mem::replace(&mut self.next, Next::Leave) {
            if depth > 0
                && let Some(joined) =
                    meet(machine, (&self.place, &other), state, condition, (blocks, depth - 1))?
            {
                (self.place, self.next) = (joined.with_pace(Pace::Walks), Next::Walk);
            }
            return Ok(false);
        }
        let turn = match self.place.advance(machine, state) {
            Err(Stop::Blocked(_)) => return Ok(false),
            turn => turn?,
        };
        if !state.is_quiet_since(before) || !machine.ended.is_empty() {
            machine.ended.clear();
            return Ok(false);
        }
        match turn {
            Turn::Ended(..) => {}
            Turn::Stopped => {
                let Some(landing) = self.place.landing(machine) else { return Ok(false) };
                self.landings.push((landing, self.place.clone()));
                self.next = Next::Walk;
                return Ok(true);
            }
            Turn::Divided(condition, other) => match machine.decide(state, condition) {
                Some(true) => self.next = Next::Walk,
                Some(false) => (self.place, self.next) = (other, Next::Walk),
                None => self.next = Next::Divide(condition, other),
            },
        }
        Ok(false)
    }
}
