//! Two ends of paths: could anybody tell them apart?

use crate::assume::Assumption;
use crate::machine::{Difference, End, EndKind, Event, Machine, Sameness, State, Step, Stop, Store};
use crate::term::Term;
use cairn_evm::Opcode;

/// What others see of two ends of one path.
#[derive(Clone, Debug)]
pub(crate) enum Comparison {
    /// The same.
    Same,
    /// Something else on a run, as far as the solver says.
    Different(Difference),
    /// Not known: what.
    Unknown(String),
}

impl Comparison {
    fn of(sameness: Sameness, what: impl FnOnce() -> String) -> Self {
        match sameness {
            Sameness::Same => Comparison::Same,
            Sameness::Different(Difference { what: where_, conditions, model }) => {
                let what = format!("{}: {where_}", what());
                Comparison::Different(Difference { conditions, model, what })
            }
            Sameness::Unknown(where_) => Comparison::Unknown(format!("{}: {where_}", what())),
        }
    }

    /// True if they are the same.
    pub(crate) fn is_same(&self) -> bool {
        matches!(self, Comparison::Same)
    }

    /// Goes on where they are the same.
    ///
    /// # Errors
    /// What is not, or is not known to be.
    pub(crate) fn must_be_same(self) -> Step {
        match self {
            Comparison::Same => Ok(()),
            Comparison::Different(Difference { what, .. }) | Comparison::Unknown(what) => Stop::blocked(what),
        }
    }
}

/// Compares two ends of the runs that the conditions of the second describe; those of the first are
/// among them.
pub(crate) fn compare(machine: &mut Machine, first: &End, second: &End) -> Step<Comparison> {
    let state = &second.state;
    if first.kind != second.kind {
        let what = format!("ends with {:?}, not {:?}", second.kind, first.kind);
        return impossible_or(machine, state, what);
    }
    if [EndKind::Leave, EndKind::Inside].contains(&first.kind)
        && (first.state.calls, first.state.returned) != (state.calls, state.returned)
    {
        return Ok(Comparison::Unknown("what was returned last".to_owned()));
    }
    if first.kind == EndKind::Halt {
        return compare_events(machine, &first.state, state, Extent::Calls);
    }
    let changed = machine.same_word(state, first.state.changed, state.changed)?;
    if !changed.is_same() {
        return Ok(Comparison::of(changed, || "whether the state was changed".to_owned()));
    }
    let extent = if first.kind == EndKind::Revert { Extent::Calls } else { Extent::All };
    let events = compare_events(machine, &first.state, state, extent)?;
    if !events.is_same() {
        return Ok(events);
    }
    if let (Some(a), Some(b)) = (&first.data, &second.data) {
        let data = machine.same_region(state, a, b)?;
        if !data.is_same() {
            return Ok(Comparison::of(data, || "the data".to_owned()));
        }
    }
    match first.kind {
        EndKind::Return | EndKind::Leave => compare_stores(machine, state, &first.state, state, "at the end"),
        // What stores hold there goes with the call.
        EndKind::Inside => Ok(Comparison::Same),
        EndKind::Revert | EndKind::Halt | EndKind::Unreachable | EndKind::Cut => {
            machine.must_assume(Assumption::REVERTED)?;
            Ok(Comparison::Same)
        }
    }
}

/// A difference, unless no run comes here.
fn impossible_or(machine: &mut Machine, state: &State, what: String) -> Step<Comparison> {
    let one = machine.terms.one;
    Ok(match machine.find_difference(state, one)? {
        Sameness::Same => Comparison::Same,
        Sameness::Different(difference) => Comparison::Different(Difference { what, ..difference }),
        Sameness::Unknown(_) => Comparison::Unknown(what),
    })
}

/// Which events are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    /// Logs of a frame that does not succeed are seen by nobody.
    Calls,
}

fn compare_events(machine: &mut Machine, first: &State, second: &State, extent: Extent) -> Step<Comparison> {
    let is_log = |event: &Event| (Opcode::LOG0.0..=Opcode::LOG4.0).contains(&event.opcode.0);
    let chosen = |state: &State| -> Vec<_> {
        let events = state.events.iter();
        events.filter(|event| extent == Extent::All || !is_log(event)).cloned().collect()
    };
    let (a, b) = (chosen(first), chosen(second));
    let opcodes =
        |events: &[std::rc::Rc<Event>]| -> Vec<Opcode> { events.iter().map(|event| event.opcode).collect() };
    if opcodes(&a) != opcodes(&b) {
        let what = format!("does {:?}, not {:?}", opcodes(&b), opcodes(&a));
        return impossible_or(machine, second, what);
    }
    for (number, (a, b)) in a.iter().zip(&b).enumerate() {
        let found = compare_event(machine, second, a, b, number)?;
        if !found.is_same() {
            return Ok(found);
        }
    }
    Ok(Comparison::Same)
}

fn compare_event(
    machine: &mut Machine,
    state: &State,
    a: &Event,
    b: &Event,
    number: usize,
) -> Step<Comparison> {
    let name = a.opcode.known().lower;
    for (index, (x, y)) in a.operands.iter().zip(&b.operands).enumerate() {
        let same = machine.same_word(state, *x, *y)?;
        if !same.is_same() {
            return Ok(Comparison::of(same, || format!("operand {index} of {name}, event {number}")));
        }
    }
    if let (Some(x), Some(y)) = (&a.input, &b.input) {
        let same = machine.same_region(state, x, y)?;
        let creates = [Opcode::CREATE, Opcode::CREATE2].contains(&a.opcode);
        if !same.is_same() && creates {
            // The two programs bring other code for the same object.
            return Stop::blocked("creation code of another account");
        }
        if !same.is_same() {
            return Ok(Comparison::of(same, || format!("the memory given to {name}, event {number}")));
        }
    }
    if let (Some([a_storage, a_transient]), Some([b_storage, b_transient])) = (&a.stores, &b.stores) {
        let place = format!("at {name}, event {number}");
        let storage = compare_store(machine, state, a_storage, b_storage, &place)?;
        if !storage.is_same() {
            return Ok(storage);
        }
        return compare_store(machine, state, a_transient, b_transient, &place);
    }
    Ok(Comparison::Same)
}

/// Whether all that others saw of two frames that go on is the same.
pub(crate) fn same_events(machine: &mut Machine, first: &State, second: &State) -> Step<Comparison> {
    compare_events(machine, first, second, Extent::All)
}

/// Whether storage and transient storage hold the same on every run of a path.
pub(crate) fn same_stores(machine: &mut Machine, state: &State, a: &State, b: &State) -> Step<Comparison> {
    compare_stores(machine, state, a, b, "in a loop")
}

fn compare_stores(
    machine: &mut Machine,
    state: &State,
    a: &State,
    b: &State,
    place: &str,
) -> Step<Comparison> {
    let storage = compare_store(machine, state, &a.storage, &b.storage, place)?;
    if !storage.is_same() {
        return Ok(storage);
    }
    compare_store(machine, state, &a.transient, &b.transient, place)
}

/// Compares what two spaces hold at each key that was written.
fn compare_store(
    machine: &mut Machine,
    state: &State,
    a: &Store,
    b: &Store,
    place: &str,
) -> Step<Comparison> {
    if a.is_same(b) {
        return Ok(Comparison::Same);
    }
    if a.calls != b.calls {
        return Stop::blocked("stores behind another number of calls");
    }
    let mut keys: Vec<Term> = a.updates().chain(b.updates()).map(|update| update.key).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let x = machine.load_key(state, a, key)?;
        let y = machine.load_key(state, b, key)?;
        let same = machine.same_word(state, x, y)?;
        if !same.is_same() {
            let key = crate::term::show(&machine.terms, key, 3);
            return Ok(Comparison::of(same, || format!("{:?} {place} under {key}", a.space)));
        }
    }
    Ok(Comparison::Same)
}
