//! Functions that call themselves, proven for any depth.
//!
//! How the tested program calls such a function is guessed from a run ([`find`]). Then each of them is looked at by itself:
//! with any arguments, stores and memory, the same in both programs as far as both are given them, each path of the
//! reference has to be one of the tested program. Calls of these functions inside are not followed, but taken to do the
//! same in both programs if all that they are given is the same, which is shown of each. Last the programs are
//! compared from their beginning, in the same manner.
//!
//! Why that is no circle: a call in a run of the reference that ends has fewer steps than the run of the function it is
//! in. So by induction over steps both programs do the same from every call on: a function that comes back does so with
//! the same results, stores and memory, one that ends the frame ends it in the same way. A run of the reference that
//! never ends has not enough gas. That the stack has room for every depth is assumed (A10).
//!
//! Nothing is called different here: a function by itself is given what the program may never give it.

mod find;

use crate::code::{CodePlace, Convention, Inner as InnerCode};
use crate::compare::compare;
use crate::explore::{Care, Explorer};
use crate::machine::{Content, EndKind, Machine, Memory, Role, SCRATCH, State, Step, Stop};
use crate::source::{Inner, Known, SourcePlace};
use cairn_evm::Word;
use cairn_ir::{EntityRef, Func};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Rounds of loops in these functions.
const ROUNDS: u32 = 2;
/// Ways to call functions that are tried.
const MAX_TRIES: usize = 12;

// Where the numbers of an epoch go.
const HELD: u32 = 0x40;
const RETURNED: u32 = 0x80;
const CALLS: u32 = 0x100;

/// How each function is called.
type Conventions = BTreeMap<Func, Convention>;

/// Proves two programs the same at any depth of functions that call themselves; `None` if the reference comes to none.
///
/// # Errors
/// Says why not; the programs may be the same all the same.
pub(crate) fn prove(
    machine: &mut Machine,
    reference: &SourcePlace<'_>,
    tested: &CodePlace,
    starts: &[State],
) -> Step<Option<usize>> {
    let Some(ways) = find::conventions(machine, reference, tested, starts)? else { return Ok(None) };
    let mut reason = "a function that calls itself, to which the code has no counterpart".to_owned();
    for conventions in ways.into_iter().take(MAX_TRIES) {
        match prove_with(machine, reference, tested, starts, &conventions) {
            Err(Stop::Blocked(why)) => reason = why,
            other => return other.map(Some),
        }
        machine.ended.clear();
    }
    Stop::blocked(reason)
}

fn prove_with(
    machine: &mut Machine,
    reference: &SourcePlace<'_>,
    tested: &CodePlace,
    starts: &[State],
    conventions: &Conventions,
) -> Step<usize> {
    let known =
        |convention: &Convention| Known { has_args: convention.args.iter().map(Option::is_some).collect() };
    let trusted = conventions.iter().map(|(func, convention)| (*func, known(convention))).collect();
    let reference = reference.clone().treating(Rc::new(Inner::Trusted(trusted)));
    let by_place = conventions.values().map(|convention| (convention.pc, convention.clone())).collect();
    let by_place: Rc<BTreeMap<usize, Convention>> = Rc::new(by_place);
    for (func, convention) in conventions {
        let start = any_state(machine);
        let args: Vec<_> = convention.args.iter().map(|_| machine.any(256)).collect();
        let code = tested.inside(machine, convention, &args, by_place.clone());
        let place = reference.clone().inside(*func, &args);
        follow(machine, (place, start.clone()), (&code, &start))?;
    }
    let code = tested.treating(InnerCode { known: by_place, ..InnerCode::default() });
    let mut paths = 0;
    for start in starts {
        let begin = State::new(&machine.terms);
        paths += follow(machine, (reference.clone(), start.clone()), (&code, &begin))?;
    }
    Ok(paths)
}

/// Any state in which a function of both programs may begin. Memory is not read: it may be another in each.
fn any_state(machine: &mut Machine) -> State {
    let epoch = machine.new_epoch();
    let mut state = State::new(&machine.terms);
    state.storage.lose(epoch + HELD);
    state.transient.lose(epoch + HELD);
    (state.calls, state.returned, state.epoch) = (epoch + CALLS, Some(epoch + RETURNED), epoch);
    state.changed = machine.any(1);
    let (at, length) = (machine.terms.zero, machine.terms.word(Word::ONE << 64));
    state.write(at, length, Content::Unknown);
    state
}

/// Follows all paths of the reference, each with those of the tested program; how many there are.
fn follow(
    machine: &mut Machine,
    (place, start): (SourcePlace<'_>, State),
    (code, begin): (&CodePlace, &State),
) -> Step<usize> {
    let memory = begin.memory.clone();
    let mut explorer = Explorer::new(place, vec![start], Care::Lazy, ROUNDS);
    let mut paths = 0;
    loop {
        machine.role = Role::Reference;
        let Some(end) = explorer.next_end(machine)? else { return Ok(paths) };
        let ends_at = match end.kind {
            EndKind::Cut => return Stop::blocked("a loop in a function that calls itself"),
            // The front end promised that nobody comes here.
            EndKind::Unreachable => continue,
            EndKind::Inside => Some(end.state.events.len()),
            EndKind::Leave | EndKind::Return | EndKind::Revert | EndKind::Halt => None,
        };
        paths += 1;
        if paths > machine.limits.paths {
            return Stop::blocked("too many paths");
        }
        machine.role = Role::Tested;
        let state = State { conditions: end.state.conditions.clone(), ..begin.clone() };
        let mut others = Explorer::new(code.ending_at(ends_at), vec![state], Care::Eager, ROUNDS + 2);
        while let Some(other) = others.next_end(machine)? {
            if other.kind == EndKind::Cut {
                return Stop::blocked("a loop in a function that calls itself");
            }
            compare(machine, &end, &other)?.must_be_same()?;
            if end.kind == EndKind::Leave
                && !(keeps(machine, &end.state, &memory) && keeps(machine, &other.state, &memory))
            {
                return Stop::blocked("memory that a function which calls itself leaves behind");
            }
        }
    }
}

/// True if nothing was written to memory but scratch space.
fn keeps(machine: &Machine, state: &State, memory: &Memory) -> bool {
    let number = |term| machine.terms.as_u64(term);
    state.written_since(memory).is_some_and(|writes| {
        writes.iter().all(|write| {
            let end =
                number(write.at).zip(number(write.length)).and_then(|(at, length)| at.checked_add(length));
            end.is_some_and(|end| end <= SCRATCH)
        })
    })
}

/// The number by which a function is named in events.
fn number_of(func: Func) -> u32 {
    func.index() as u32
}
