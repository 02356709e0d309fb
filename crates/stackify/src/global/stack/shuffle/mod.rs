//! Turns one stack into another with `DUP`, `SWAP`, `POP` and words that are made anew.
//!
//! *Target*: the wanted stack, bottom first; [`Slot::JUNK`] accepts any word. *Source* of a target
//! position: the copy on the stack that will end there; a position without source is *missing* and
//! is filled with a `DUP` or a made word. A copy that is no source is *surplus*.
//!
//! Sources are chosen in place first, then from the top. Then each step looks at the top word:
//! surplus is popped; a word whose place lies below is swapped into it, which brings up the next
//! word of its cycle; when the top is in place, missing places below are filled, then cycles that
//! do not reach the top are rotated, then the stack grows. A permutation costs exactly
//! `m + c − 2·[top displaced]` swaps (m words displaced, c cycles), which is optimal (tested
//! against exhaustive search). Linear in the part of the stack above the common bottom, except for
//! the search of copies, which is quadratic in that part.

use super::slot::{Slot, Stack};
use crate::code::{MAX_HEIGHT, Reach};
use smallvec::SmallVec;

/// One action on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// Copies the word at this depth (1 = top) to the top.
    Dup(u16),
    /// Exchanges the top with the word this far below it.
    Swap(u16),
    /// Drops the top.
    Pop,
    /// Pushes a word without reading the stack.
    Make(Slot),
}

/// A list of actions.
pub(crate) type Moves = SmallVec<[Move; 12]>;

/// A word that is out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable {
    /// The word.
    pub(crate) slot: Slot,
    /// How deep it lies (1 = top).
    pub(crate) depth: u16,
}

/// What actions cost and which words can be made.
pub(crate) trait Prices {
    /// Cost of `DUPn`.
    fn dup(&self) -> u32;
    /// Cost of `SWAPn`.
    fn swap(&self) -> u32;
    /// Cost of `POP`.
    fn pop(&self) -> u32;
    /// Cost of making a word; `None` if it exists on the stack only.
    fn make(&self, slot: Slot) -> Option<u32>;
    /// How far stack instructions reach.
    fn reach(&self) -> Reach;
}

const NONE: u16 = u16::MAX;

/// A stack with its actions so far and what they cost.
pub(crate) struct Shuffle<'a, P: Prices> {
    /// The stack, bottom first.
    pub(crate) stack: &'a mut Stack,
    /// Actions so far.
    pub(crate) moves: &'a mut Moves,
    /// Their cost.
    pub(crate) cost: u32,
    prices: &'a P,
    target: &'a [Slot],
    /// Positions below this are in place from the beginning.
    base: usize,
    /// Target position of each word from `base` up; `NONE` for surplus.
    goal: SmallVec<[u16; 24]>,
    /// Whether a target position from `base` up has a source.
    has_source: SmallVec<[bool; 24]>,
}

/// Turns `stack` into `target`, appending what is done to `moves`; the cost.
pub(crate) fn shuffle<P: Prices>(
    stack: &mut Stack,
    target: &[Slot],
    prices: &P,
    moves: &mut Moves,
) -> Result<u32, Unreachable> {
    shuffle_from(stack, target, 0, prices, moves)
}

/// As [`shuffle`] for a target whose first `same` words are those of the stack.
pub(crate) fn shuffle_from<P: Prices>(
    stack: &mut Stack,
    target: &[Slot],
    same: usize,
    prices: &P,
    moves: &mut Moves,
) -> Result<u32, Unreachable> {
    let is_placed =
        |(have, want): &(&Slot, &Slot)| have == want || (**want == Slot::JUNK && !target.contains(have));
    let base = same + stack[same..].iter().zip(&target[same..]).take_while(is_placed).count();
    if base == stack.len() && base == target.len() {
        return Ok(0);
    }
    if target.len() > MAX_HEIGHT {
        return Err(Unreachable { slot: target[0], depth: target.len() as u16 });
    }
    let mut run = Shuffle {
        stack,
        moves,
        cost: 0,
        prices,
        target,
        base,
        goal: SmallVec::new(),
        has_source: SmallVec::new(),
    };
    if base == run.stack.len() {
        return run.append();
    }
    run.choose_sources();
    while run.step()? {}
    Ok(run.cost)
}

impl<P: Prices> Shuffle<'_, P> {
    /// All that is there is in place: only words on top are missing.
    fn append(mut self) -> Result<u32, Unreachable> {
        for word in &self.target[self.base..] {
            let (action, cost) = self.source_of(*word)?;
            self.moves.push(action);
            self.stack.push(*word);
            self.cost += cost;
        }
        Ok(self.cost)
    }

    fn choose_sources(&mut self) {
        let (stack, target) = (&self.stack[self.base..], &self.target[self.base..]);
        self.goal = SmallVec::from_elem(NONE, stack.len());
        self.has_source = SmallVec::from_elem(false, target.len());
        let mut sources = Sources {
            stack,
            target,
            base: self.base as u16,
            goal: &mut self.goal,
            has_source: &mut self.has_source,
        };
        sources.choose_in_place();
        sources.choose_from_top();
        if target.contains(&Slot::JUNK) {
            sources.choose_junk();
        }
    }

    /// Does one action; false when the target is reached.
    fn step(&mut self) -> Result<bool, Unreachable> {
        let height = self.stack.len();
        if height > self.base {
            let top = height - 1;
            let goal = self.goal[top - self.base];
            if goal == NONE {
                self.pop();
                return Ok(true);
            }
            let goal = goal as usize;
            if goal < top {
                return self.swap_top(goal).map(|()| true);
            }
            if goal > top {
                return self.fill_under_top(top).map(|()| true);
            }
        }
        self.extend()
    }

    /// The top belongs higher than it is: puts the right word in its place first.
    fn fill_under_top(&mut self, top: usize) -> Result<(), Unreachable> {
        if !self.has_source[top - self.base] {
            return self.fill(top);
        }
        let source = self.goal.iter().position(|goal| *goal as usize == top);
        let at = self.base + source.expect("invariant: a place with a source has one");
        self.swap_top(at)
    }

    /// The top is in place (or nothing is above the common bottom).
    fn extend(&mut self) -> Result<bool, Unreachable> {
        let (base, height) = (self.base, self.stack.len());
        let limit = height.min(self.target.len());
        let mut hole = None;
        for place in base..limit {
            if !self.has_source[place - base] {
                hole = Some(place);
                if self.goal[place - base] as usize == height {
                    break;
                }
            }
        }
        if let Some(place) = hole {
            self.fill(place)?;
            return Ok(true);
        }
        let displaced = (base..height).rev().find(|at| self.goal[*at - base] as usize != *at);
        if let Some(at) = displaced {
            self.swap_top(at)?;
            return Ok(true);
        }
        if height < self.target.len() {
            self.fill(height)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Puts the word for a missing place on top, to be swapped down if the place lies below.
    fn fill(&mut self, place: usize) -> Result<(), Unreachable> {
        let height = self.stack.len();
        let word = self.target[place];
        self.has_source[place - self.base] = true;
        if word == Slot::JUNK && place < height {
            // The word in the way goes on as a copy; what stays is junk.
            let goal = std::mem::replace(&mut self.goal[place - self.base], place as u16);
            let dup = self.dup_depth(self.stack[place], Some(place))?;
            self.push(Move::Dup(dup), self.stack[place], goal);
            self.cost += self.prices.dup();
            return Ok(());
        }
        let (action, cost) = self.source_of(word)?;
        self.push(action, word, place as u16);
        self.cost += cost;
        Ok(())
    }

    fn source_of(&self, word: Slot) -> Result<(Move, u32), Unreachable> {
        let made = self.prices.make(word);
        let dup = self.dup_depth(word, None);
        match (dup, made) {
            (Ok(_), Some(cost)) if cost < self.prices.dup() => Ok((Move::Make(word), cost)),
            (Ok(depth), _) => Ok((Move::Dup(depth), self.prices.dup())),
            (Err(_), Some(cost)) => Ok((Move::Make(word), cost)),
            (Err(far), None) => Err(far),
        }
    }

    fn dup_depth(&self, word: Slot, at: Option<usize>) -> Result<u16, Unreachable> {
        let at = at.or_else(|| self.stack.iter().rposition(|have| *have == word));
        let depth = at.map_or(NONE, |at| (self.stack.len() - at) as u16);
        if depth > self.prices.reach().dup {
            return Err(Unreachable { slot: word, depth });
        }
        Ok(depth)
    }

    fn push(&mut self, action: Move, word: Slot, goal: u16) {
        self.moves.push(action);
        self.stack.push(word);
        self.goal.push(goal);
    }

    fn pop(&mut self) {
        self.moves.push(Move::Pop);
        self.cost += self.prices.pop();
        self.stack.pop();
        self.goal.pop();
    }

    /// Exchanges the top with the word at `at`; equal words only exchange their goals.
    fn swap_top(&mut self, at: usize) -> Result<(), Unreachable> {
        let top = self.stack.len() - 1;
        self.goal.swap(top - self.base, at - self.base);
        if self.stack[top] == self.stack[at] {
            return Ok(());
        }
        let distance = (top - at) as u16;
        if distance > self.prices.reach().swap {
            return Err(Unreachable { slot: self.stack[at], depth: distance + 1 });
        }
        self.stack.swap(top, at);
        self.moves.push(Move::Swap(distance));
        self.cost += self.prices.swap();
        Ok(())
    }
}

/// Chooses sources; all that lies above the common bottom, positions counted from there.
struct Sources<'a> {
    stack: &'a [Slot],
    target: &'a [Slot],
    /// Height of the common bottom.
    base: u16,
    goal: &'a mut [u16],
    has_source: &'a mut [bool],
}

impl Sources<'_> {
    fn choose_in_place(&mut self) {
        for at in 0..self.stack.len().min(self.target.len()) {
            if self.stack[at] == self.target[at] {
                self.assign(at, at);
            }
        }
    }

    fn choose_from_top(&mut self) {
        for place in (0..self.target.len()).rev() {
            let word = self.target[place];
            if !self.has_source[place] && word != Slot::JUNK {
                let words = self.stack.iter().zip(self.goal.iter());
                let found = words.rev().position(|(have, goal)| *have == word && *goal == NONE);
                if let Some(from_top) = found {
                    self.assign(self.stack.len() - 1 - from_top, place);
                }
            }
        }
    }

    /// Surplus words may stay where the target accepts anything, or go there.
    fn choose_junk(&mut self) {
        for place in 0..self.stack.len().min(self.target.len()) {
            if self.accepts_any(place) && self.goal[place] == NONE {
                self.assign(place, place);
            }
        }
        for place in 0..self.target.len() {
            if self.accepts_any(place) {
                let Some(at) = self.goal.iter().rposition(|goal| *goal == NONE) else {
                    return;
                };
                self.assign(at, place);
            }
        }
    }

    /// True for a place without source that any word may have.
    fn accepts_any(&self, place: usize) -> bool {
        self.target[place] == Slot::JUNK && !self.has_source[place]
    }

    fn assign(&mut self, at: usize, place: usize) {
        self.goal[at] = self.base + place as u16;
        self.has_source[place] = true;
    }
}

#[cfg(test)]
mod tests;
