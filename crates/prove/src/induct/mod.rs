//! Loops whose number of rounds depends on the input, proven for any number of rounds.
//!
//! Where the reference comes to such a loop, behind its test, a beginning of a block of the tested
//! program is looked for to which it comes once a round, too ([`meet`]). Where both have done
//! the same so far, the two states there are made general ([`general`]): what each word is in the round with number
//! `k`, which words of the two programs are the same, what may have been written to memory and storage ([`memory`],
//! [`storage`]). From the general state every path of the reference is followed to its end, or back to the loop, and the tested program must
//! end the same way, or come back to its block in a state that is the general one for `k + 1`. What does
//! not hold is given up and all is done again, until nothing has to be given up: then it holds in every
//! round by induction. Loops in loops are done in the general state of the outer one.
//!
//! Nothing is found different here: a general state need not be one that the program comes to.

mod general;
mod invariant;
mod meet;
mod memory;
mod shape;
mod storage;

use crate::code::CodePlace;
use crate::compare::{compare, same_events};
use crate::explore::{Care, Explorer, Found};
use crate::looped::{Before, Looped};
use crate::machine::{End, EndKind, Machine, Role, State, Step, Stop};
use shape::Invariant;
use std::rc::Rc;

/// Rounds of loops that are not looked at in general.
const ROUNDS: u32 = 2;
/// How often what is taken to hold in every round is weakened.
const MAX_TRIES: usize = 12;
/// Blocks of the tested program that are tried for one loop.
const MAX_SPOTS: usize = 3;
/// Paths that are followed to find the loops.
const MAX_ENDS: usize = 300;
/// Rounds with which they are found.
const FEW_ROUNDS: u32 = 1;
/// How often loops that show only in general states of others are added.
const MAX_ADDITIONS: usize = 4;

/// Where the tested program is, and what it has done.
type Tested = (CodePlace, State);

/// The reference where it was stopped.
struct Arrival<P: Looped> {
    location: P::Location,
    place: P,
    state: State,
    /// Where the round began, if that was elsewhere.
    head: Option<Before<P>>,
}

/// What is left to be shown of a path of the reference; where the tested program goes on from, which is behind the
/// loops on that path.
enum Item<P: Looped> {
    End(Box<End>, Rc<Tested>),
    Back(Box<Arrival<P>>, Rc<Tested>),
}

impl<P: Looped> Arrival<P> {
    fn new(machine: &Machine, place: P, state: State) -> Step<Self> {
        let Some((location, head)) = place.stop(&machine.terms) else {
            return Stop::blocked("a loop without a place");
        };
        // Where the test has effects, the round begins behind it.
        let head = head.filter(|head| !has_effects(&head.1, &state));
        Ok(Arrival { location, place, state, head })
    }

    /// Where the round began.
    fn begin(&self) -> (&P, &State) {
        match &self.head {
            Some(head) => (&head.0, &head.1),
            None => (&self.place, &self.state),
        }
    }
}

fn has_effects(before: &State, after: &State) -> bool {
    let is_written = after.written_since(&before.memory).is_none_or(|writes| !writes.is_empty());
    is_written
        || !before.storage.is_same(&after.storage)
        || !before.transient.is_same(&after.transient)
        || before.events.len() != after.events.len()
        || before.changed != after.changed
        || before.gas_asked != after.gas_asked
}

/// What is found of loops of the reference.
pub(super) struct Survey<P> {
    /// The place, stopped at those that have to be looked at in general; `None` if there are none.
    pub(super) watching: Option<P>,
    /// Whether even with few rounds paths are many.
    pub(super) has_many_paths: bool,
}

/// Looks for the loops of the reference.
pub(super) fn survey<P: Looped>(machine: &mut Machine, place: &P, starts: &[State]) -> Step<Survey<P>> {
    machine.role = Role::Reference;
    machine.cut = Default::default();
    let mut explorer = Explorer::new(place.surveying(), starts.to_vec(), Care::Lazy, FEW_ROUNDS);
    let mut ends = 0;
    let mut has_many_paths = false;
    while let Some(found) = explorer.next(machine)? {
        ends += usize::from(matches!(found, Found::End(_)));
        has_many_paths = ends > machine.limits.paths.min(MAX_ENDS);
        if has_many_paths {
            break;
        }
    }
    Ok(Survey { watching: place.watching(machine), has_many_paths })
}

/// Proves two programs the same with any number of rounds of the loops that were found; `watching` is the place,
/// stopped at them. Loops that are left after the same number of rounds on each run of the program may not be in the
/// general state of another one: they are watched, too, as soon as they show.
///
/// # Errors
/// Says why not; the programs may be the same all the same.
pub(super) fn prove<P: Looped>(
    machine: &mut Machine,
    (place, mut watching): (&P, P),
    tested: &CodePlace,
    starts: &[State],
) -> Step<usize> {
    let mut additions = 0;
    loop {
        let known = machine.cut.len();
        let found = prove_watching(machine, &watching, tested, starts);
        let shows_more = matches!(found, Err(Stop::Blocked(_))) && machine.cut.len() > known;
        if !shows_more || additions == MAX_ADDITIONS {
            return found;
        }
        additions += 1;
        watching = place.watching(machine).unwrap_or(watching);
    }
}

fn prove_watching<P: Looped>(
    machine: &mut Machine,
    place: &P,
    tested: &CodePlace,
    starts: &[State],
) -> Step<usize> {
    let mut paths = 0;
    for start in starts {
        let tested = Rc::new((tested.clone(), start.clone()));
        for item in explore(machine, (place.clone(), start.clone()), &tested, &[])? {
            match item {
                Item::End(end, tested) => {
                    compare_end(machine, &end, &tested)?;
                    paths += 1;
                }
                Item::Back(..) => return Stop::blocked("a round of no loop"),
            }
        }
    }
    Ok(paths)
}

/// Everything to which paths of the reference lead, but for loops that are shown here; `around` are the
/// loops around.
fn explore<P: Looped>(
    machine: &mut Machine,
    (place, state): (P, State),
    tested: &Rc<Tested>,
    around: &[P::Location],
) -> Step<Vec<Item<P>>> {
    let mut items = Vec::new();
    let mut explorer = Explorer::new(place, vec![state], Care::Lazy, ROUNDS);
    loop {
        machine.role = Role::Reference;
        match explorer.next(machine)? {
            None => return Ok(items),
            Some(Found::End(end)) => match end.kind {
                EndKind::Cut => return Stop::blocked("rounds of another loop"),
                EndKind::Unreachable => {}
                EndKind::Return | EndKind::Revert | EndKind::Halt => {
                    items.push(Item::End(Box::new(end), tested.clone()));
                }
                EndKind::Leave | EndKind::Inside => return Stop::blocked("a loop in a function by itself"),
            },
            Some(Found::Stop(place, state)) => {
                let arrival = Arrival::new(machine, place, state)?;
                match around.iter().any(|other| P::is_same_location(other, &arrival.location)) {
                    true => items.push(Item::Back(Box::new(arrival), tested.clone())),
                    false => items.extend(solve(machine, &arrival, tested, around)?),
                }
            }
        }
        if items.len() > machine.limits.paths {
            return Stop::blocked("too many paths");
        }
    }
}

/// Shows a loop to which the reference comes for the first time; what paths behind it lead to.
fn solve<P: Looped>(
    machine: &mut Machine,
    first: &Arrival<P>,
    tested: &Rc<Tested>,
    around: &[P::Location],
) -> Step<Vec<Item<P>>> {
    let mut reason = None;
    for meeting in meet::meetings(machine, first, tested, around)?.into_iter().take(MAX_SPOTS) {
        match induct(machine, first, &meeting, around) {
            // The first is the likeliest.
            Err(Stop::Blocked(why)) => _ = reason.get_or_insert(why),
            other => return other,
        }
    }
    Stop::blocked(reason.unwrap_or_else(|| "a loop to which the code has no counterpart".to_owned()))
}

fn induct<P: Looped>(
    machine: &mut Machine,
    first: &Arrival<P>,
    meeting: &meet::Meeting<P>,
    around: &[P::Location],
) -> Step<Vec<Item<P>>> {
    // From here on only what is done in rounds and behind them is compared.
    same_events(machine, &first.state, &meeting.entry.1)?.must_be_same()?;
    let mut invariant = Invariant::guess(machine, first, meeting)?;
    let around: Vec<P::Location> = around.iter().cloned().chain([first.location.clone()]).collect();
    for _ in 0..MAX_TRIES {
        let general = invariant.general(machine, first, &meeting.entry)?;
        let begin = general.behind_test(machine, first)?;
        let tested = Rc::new((
            general.tested.0.clone(),
            State { conditions: begin.1.conditions.clone(), ..general.tested.1.clone() },
        ));
        let mut others = Vec::new();
        let mut is_weaker = false;
        for item in explore(machine, begin, &tested, &around)? {
            match item {
                Item::Back(back, tested) if P::is_same_location(&back.location, &first.location) => {
                    if back.head.is_some() != first.head.is_some() {
                        return Stop::blocked("a round that begins elsewhere than others");
                    }
                    is_weaker |= check_round(machine, &mut invariant, &general, &tested, (&back, meeting))?;
                }
                other => others.push(other),
            }
        }
        if !is_weaker {
            return Ok(others);
        }
    }
    Stop::blocked("a loop of which nothing was found to hold in every round")
}

/// Runs a round of the tested program, or what is left of it behind loops in it, and compares where it leads; true if
/// the invariant was weakened.
fn check_round<P: Looped>(
    machine: &mut Machine,
    invariant: &mut Invariant,
    general: &general::General<P>,
    tested: &Tested,
    (back, meeting): (&Arrival<P>, &meet::Meeting<P>),
) -> Step<bool> {
    let Some(ends) = meet::arrivals(machine, tested, &back.state.conditions, meeting.spot)? else {
        // The tested program does something else; if the path has no runs at all, no matter.
        return match machine.is_feasible(&back.state)? {
            true => Stop::blocked("a round of a loop that the code does not have"),
            false => Ok(false),
        };
    };
    let mut is_weaker = false;
    for end in &ends {
        is_weaker |= invariant.weaken(machine, general, back, end)?;
    }
    Ok(is_weaker)
}

/// Runs the tested program under the conditions of a path that ends, and compares.
fn compare_end(machine: &mut Machine, end: &End, tested: &Tested) -> Step {
    let state = State { conditions: end.state.conditions.clone(), ..tested.1.clone() };
    machine.role = Role::Tested;
    let place = tested.0.stopping_at(None);
    let mut explorer = Explorer::new(place, vec![state], Care::Eager, ROUNDS + 2);
    while let Some(other) = explorer.next_end(machine)? {
        if other.kind == EndKind::Cut {
            return Stop::blocked("more rounds of a loop than in the source");
        }
        compare(machine, end, &other)?.must_be_same()?;
    }
    machine.role = Role::Reference;
    Ok(())
}
