//! Paths of a program, one after the other.

use crate::join::join;
use crate::machine::{End, EndKind, Machine, State, Step, Stop};
use crate::place::{Heading, Place, Turn};
use crate::term::Term;

/// Where a path came to.
pub(crate) enum Found<P> {
    /// Its end.
    End(End),
    /// A place where it was to be stopped.
    Stop(P, State),
}

/// How eagerly divisions are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// A first division is taken both ways without asking: an impossible path is harmless.
    Lazy,
    /// Each way is asked for.
    Eager,
}

/// Paths that are not looked at yet.
pub(crate) struct Explorer<P> {
    open: Vec<(P, State)>,
    ended: Vec<End>,
    stopped: Vec<(P, State)>,
    care: Care,
    rounds: u32,
}

impl<P: Place> Explorer<P> {
    /// All paths from a place in these states.
    pub(crate) fn new(place: P, states: Vec<State>, care: Care, rounds: u32) -> Self {
        let open = states.into_iter().map(|state| (place.clone(), state)).collect();
        Explorer { open, ended: Vec::new(), stopped: Vec::new(), care, rounds }
    }

    /// The next path that ends, of a program that is nowhere to be stopped.
    ///
    /// # Errors
    /// If the machine does not describe what the program does.
    pub(crate) fn next_end(&mut self, machine: &mut Machine) -> Step<Option<End>> {
        match self.next(machine)? {
            None => Ok(None),
            Some(Found::End(end)) => Ok(Some(end)),
            Some(Found::Stop(..)) => Stop::blocked("a path that stands still"),
        }
    }

    /// The next path that ends or stops.
    ///
    /// # Errors
    /// If the machine does not describe what the program does.
    pub(crate) fn next(&mut self, machine: &mut Machine) -> Step<Option<Found<P>>> {
        loop {
            if let Some(end) = self.ended.pop() {
                return Ok(Some(Found::End(end)));
            }
            if let Some((place, state)) = self.stopped.pop() {
                return Ok(Some(Found::Stop(place, state)));
            }
            let Some((place, state)) = self.open.pop() else { return Ok(None) };
            self.run(machine, place, state)?;
            self.ended.append(&mut machine.ended);
        }
    }

    /// Goes on with a path that was stopped.
    pub(crate) fn go_on(&mut self, place: P, state: State) {
        self.open.push((place, state));
    }

    /// Runs one path to its end; others are left for later.
    fn run(&mut self, machine: &mut Machine, mut place: P, mut state: State) -> Step {
        loop {
            match place.advance(machine, &mut state)? {
                Turn::Ended(kind, data) => {
                    self.ended.push(End { kind, data, state });
                    return Ok(());
                }
                Turn::Stopped => {
                    self.stopped.push((place, state));
                    return Ok(());
                }
                Turn::Divided(condition, other) => {
                    match self.divide(machine, &mut place, &mut state, condition, other)? {
                        Way::On => {}
                        Way::End(kind) => {
                            self.ended.push(End { kind, data: None, state });
                            return Ok(());
                        }
                        Way::Impossible => return Ok(()),
                    }
                }
            }
        }
    }

    fn divide(
        &mut self,
        machine: &mut Machine,
        place: &mut P,
        state: &mut State,
        condition: Term,
        mut other: P,
    ) -> Step<Way> {
        let known = machine.decide(state, condition);
        if known.is_none()
            && !place.is_in_open_loop(machine)
            && let Some(joined) = join(machine, (place, &other), state, condition)?
        {
            *place = joined;
            return Ok(Way::On);
        }
        let negation = machine.terms.is_zero(condition);
        let asks = self.care == Care::Eager || place.rounds() > 0;
        let (holds, fails) = match known {
            Some(known) => (known, !known),
            // Of a path that no run has both ways are impossible, and on one of them a loop may never end.
            None if asks => (machine.is_possible(state, condition)?, machine.is_possible(state, negation)?),
            None => (true, true),
        };
        match (holds, fails) {
            (true, true) => {
                // The last round is left, but no other is begun.
                let [is_cut, is_other_cut] =
                    [&*place, &other].map(|way| match place.rounds().checked_sub(self.rounds) {
                        None => false,
                        Some(0) => way.heading(machine) == Heading::On,
                        Some(_) => true,
                    });
                if is_cut || is_other_cut {
                    place.note_cut(machine);
                }
                if is_cut && is_other_cut {
                    return Ok(Way::End(EndKind::Cut));
                }
                place.count_round();
                other.count_round();
                let mut left = state.clone();
                left.conditions.assume(&mut machine.terms, negation);
                state.conditions.assume(&mut machine.terms, condition);
                if is_cut {
                    let cut = std::mem::replace(state, left);
                    self.ended.push(End { kind: EndKind::Cut, data: None, state: cut });
                    *place = other;
                } else if is_other_cut {
                    self.ended.push(End { kind: EndKind::Cut, data: None, state: left });
                } else {
                    self.open.push((other, left));
                    if self.open.len() > machine.limits.paths {
                        return Stop::blocked("too many paths");
                    }
                }
            }
            (true, false) => {}
            (false, true) => *place = other,
            (false, false) => return Ok(Way::Impossible),
        }
        Ok(Way::On)
    }
}

enum Way {
    On,
    End(EndKind),
    Impossible,
}
