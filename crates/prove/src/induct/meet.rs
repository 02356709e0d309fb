//! The block of the tested program that belongs to a loop of the reference.

use super::{Arrival, ROUNDS, Tested};
use crate::code::{CodePlace, Spot};
use crate::explore::{Care, Explorer, Found};
use crate::join::join;
use crate::looped::Looped;
use crate::machine::{Conditions, Machine, Role, State, Step};
use crate::place::{Place, Turn};
use rustc_hash::FxHashMap;

/// Ways of the first round that are tried.
const MAX_ROUNDS: usize = 40;
/// Blocks that are looked at.
const MAX_CANDIDATES: usize = 6;

/// Both programs at a loop for the first and for the second time.
pub(super) struct Meeting<P: Looped> {
    pub(super) spot: Spot,
    /// The tested program, the first time.
    pub(super) entry: Tested,
    /// Both, the second time, on one way.
    pub(super) second: (Arrival<P>, Tested),
}

/// Blocks of the tested program to which it comes once a round, likely ones first; `around` are the loops around.
pub(super) fn meetings<P: Looped>(
    machine: &mut Machine,
    first: &Arrival<P>,
    tested: &Tested,
    around: &[P::Location],
) -> Step<Vec<Meeting<P>>> {
    machine.role = Role::Tested;
    let before = trace(machine, tested, &first.state.conditions)?;
    let mut found = Vec::new();
    machine.role = Role::Reference;
    let mut explorer = Explorer::new(first.place.clone(), vec![first.state.clone()], Care::Lazy, ROUNDS);
    let mut tries = 0;
    while let Some(next) = explorer.next(machine)? {
        let Found::Stop(place, state) = next else { continue };
        tries += 1;
        if tries > MAX_ROUNDS {
            break;
        }
        let second = Arrival::new(machine, place, state)?;
        if around.iter().any(|other| P::is_same_location(&second.location, other)) {
            continue;
        }
        if !P::is_same_location(&second.location, &first.location) {
            explorer.go_on(second.place, second.state);
            continue;
        }
        if second.head.is_some() != first.head.is_some() || !machine.is_feasible(&second.state)? {
            continue;
        }
        machine.role = Role::Tested;
        let after = trace(machine, tested, &second.state.conditions)?;
        for spot in candidates(&before, &after).into_iter().take(MAX_CANDIDATES) {
            if let Some(meeting) = meeting(machine, first, tested, &second, spot)? {
                found.push(meeting);
            }
        }
        machine.role = Role::Reference;
        if !found.is_empty() {
            break;
        }
    }
    machine.role = Role::Reference;
    Ok(found)
}

fn meeting<P: Looped>(
    machine: &mut Machine,
    first: &Arrival<P>,
    tested: &Tested,
    second: &Arrival<P>,
    spot: Spot,
) -> Step<Option<Meeting<P>>> {
    let Some(entries) = arrivals(machine, tested, &first.state.conditions, spot)? else { return Ok(None) };
    let Ok([entry]) = <[Tested; 1]>::try_from(entries) else { return Ok(None) };
    let Some(nexts) = arrivals(machine, &entry, &second.state.conditions, spot)? else { return Ok(None) };
    let Ok([next]) = <[Tested; 1]>::try_from(nexts) else { return Ok(None) };
    let second = Arrival {
        location: second.location.clone(),
        place: second.place.clone(),
        state: second.state.clone(),
        head: second.head.clone(),
    };
    Ok(Some(Meeting { spot, entry, second: (second, next) }))
}

/// Where the tested program comes to a block next, under the conditions of a path; `None` if it does not
/// on every run.
pub(super) fn arrivals(
    machine: &mut Machine,
    (place, state): &Tested,
    conditions: &Conditions,
    spot: Spot,
) -> Step<Option<Vec<Tested>>> {
    let role = std::mem::replace(&mut machine.role, Role::Tested);
    let state = State { conditions: conditions.clone(), ..state.clone() };
    let mut explorer = Explorer::new(place.stopping_at(Some(spot)), vec![state], Care::Eager, ROUNDS + 2);
    let mut found = Vec::new();
    let mut is_missed = false;
    while let Some(next) = explorer.next(machine)? {
        match next {
            Found::Stop(place, state) => found.push((place, state)),
            Found::End(end) => {
                is_missed = machine.is_feasible(&end.state)?;
                if is_missed {
                    break;
                }
            }
        }
    }
    machine.role = role;
    Ok((!is_missed).then_some(found))
}

/// The blocks to which the tested program comes under conditions, until they do not say where it goes.
fn trace(machine: &mut Machine, (place, state): &Tested, conditions: &Conditions) -> Step<Vec<Spot>> {
    let mut state = State { conditions: conditions.clone(), ..state.clone() };
    let mut place: CodePlace = place.tracing();
    while let Turn::Divided(condition, mut other) = place.advance(machine, &mut state)? {
        if machine.decide(&state, condition).is_none()
            && let Some(joined) = join(machine, (&place, &other), &state, condition)?
        {
            place = joined;
            continue;
        }
        let negation = machine.terms.is_zero(condition);
        match (machine.is_possible(&state, condition)?, machine.is_possible(&state, negation)?) {
            (true, false) => {}
            (false, true) => std::mem::swap(&mut place, &mut other),
            _ => return Ok(place.trace().map(|passed| passed.spot).collect()),
        }
    }
    machine.ended.clear();
    Ok(place.trace().map(|passed| passed.spot).collect())
}

/// Blocks that are passed once more behind a round more. Those that were passed just once come first.
fn candidates(before: &[Spot], after: &[Spot]) -> Vec<Spot> {
    let count = |spots: &[Spot]| {
        let mut counts: FxHashMap<Spot, usize> = FxHashMap::default();
        spots.iter().for_each(|spot| *counts.entry(*spot).or_default() += 1);
        counts
    };
    let (fewer, more) = (count(before), count(after));
    let mut found: Vec<(usize, Spot)> = Vec::new();
    for spot in before {
        let times = fewer[spot];
        let is_known = found.iter().any(|(_, known)| known == spot);
        if more.get(spot) == Some(&(times + 1)) && !is_known {
            found.push((times, *spot));
        }
    }
    found.sort_by_key(|(times, _)| *times);
    found.into_iter().map(|(_, spot)| spot).collect()
}
