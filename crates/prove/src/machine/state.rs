//! What a path of a program has done so far.

use super::bounds::Conditions;
use crate::term::{Space, Term, Terms};
use cairn_evm::Opcode;
use std::rc::Rc;

/// What a piece of memory was filled with.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A word.
    Word(Term),
    /// A byte.
    Byte(Term),
    /// Calldata from a position.
    Calldata(Term),
    /// Return data of a call, from a position.
    Returned(u32, Term),
    /// Known bytes, from an index; zeros behind their end.
    Bytes(Rc<[u8]>, Term),
    /// The code of an account behind so many calls, from a position.
    ForeignCode(u32, Term, Term),
    /// Memory as it was, from an address.
    Memory(Memory, Term),
    /// Nobody knows: a frame that nothing was written to.
    Unknown,
}

/// One write to memory.
#[derive(Debug)]
pub(crate) struct Write {
    /// What was written before.
    pub(crate) before: Memory,
    /// First address.
    pub(crate) at: Term,
    /// Number of bytes.
    pub(crate) length: Term,
    /// The bytes.
    pub(crate) content: Content,
}

/// Memory as the list of what was written to it, the last first; zeros where nothing was.
pub(crate) type Memory = Option<Rc<Write>>;

/// A part of memory at some time.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Memory at the time.
    pub(crate) memory: Memory,
    /// First address.
    pub(crate) at: Term,
    /// Number of bytes.
    pub(crate) length: Term,
}

/// One write to a space of keys.
#[derive(Debug)]
pub(crate) struct Update {
    before: Store,
    /// The key.
    pub(crate) key: Term,
    /// The word.
    pub(crate) value: Term,
}

/// A space of keys: what was there behind so many calls, and what was written since.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// Which one.
    pub(crate) space: Space,
    /// Number of calls before.
    pub(crate) calls: u32,
    updates: Option<Rc<Update>>,
}

impl Store {
    fn new(space: Space) -> Self {
        Store { space, calls: 0, updates: None }
    }

    /// Writes a word.
    pub(crate) fn write(&mut self, key: Term, value: Term) {
        let before = self.clone();
        self.updates = Some(Rc::new(Update { before, key, value }));
    }

    /// Somebody else has run: anything may be there.
    pub(crate) fn lose(&mut self, calls: u32) {
        (self.calls, self.updates) = (calls, None);
    }

    /// What was written since it was another one, the last first; `None` if it does not come of that.
    pub(crate) fn since(&self, before: &Store) -> Option<Vec<&Update>> {
        let mut found = Vec::new();
        let mut at = self;
        while !at.is_same(before) {
            let update = at.updates.as_deref()?;
            found.push(update);
            at = &update.before;
        }
        Some(found)
    }

    /// What was written, the last first.
    pub(crate) fn updates(&self) -> impl Iterator<Item = &Update> {
        std::iter::successors(self.updates.as_deref(), |update| update.before.updates.as_deref())
    }

    /// True if it is the same list of writes.
    pub(crate) fn is_same(&self, other: &Store) -> bool {
        let same = match (&self.updates, &other.updates) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        same && self.calls == other.calls
    }
}

/// Something that others see.
#[derive(Debug)]
pub(crate) struct Event {
    /// A call, a creation, a log, or the end of the account.
    pub(crate) opcode: Opcode,
    /// Operands, without those that say where memory is.
    pub(crate) operands: Vec<Term>,
    /// The memory that goes along.
    pub(crate) input: Option<Region>,
    /// Storage and transient storage, of what runs foreign code.
    pub(crate) stores: Option<[Store; 2]>,
}

/// What a path has done so far.
#[derive(Clone)]
pub(crate) struct State {
    /// Memory.
    pub(crate) memory: Memory,
    /// Storage.
    pub(crate) storage: Store,
    /// Transient storage.
    pub(crate) transient: Store,
    /// What holds on the path.
    pub(crate) conditions: Conditions,
    /// Bytes of frames of a source that there were at most.
    pub(crate) frames_end: u64,
    /// What others have seen.
    pub(crate) events: Vec<Rc<Event>>,
    /// Number of calls and creations.
    pub(crate) calls: u32,
    /// The call whose return data is there.
    pub(crate) returned: Option<u32>,
    /// 1 if an operation that changes the state ran.
    pub(crate) changed: Term,
    /// Number of events before the first of them.
    pub(crate) epoch: u32,
    /// How often gas was asked for since the last event.
    pub(crate) gas_asked: u32,
    /// Steps so far.
    pub(crate) steps: u64,
}

impl State {
    /// The beginning of a frame.
    pub(crate) fn new(terms: &Terms) -> Self {
        State {
            memory: None,
            storage: Store::new(Space::Storage),
            transient: Store::new(Space::Transient),
            conditions: Conditions::default(),
            frames_end: 0,
            events: Vec::new(),
            calls: 0,
            returned: None,
            changed: terms.zero,
            epoch: 0,
            gas_asked: 0,
            steps: 0,
        }
    }

    /// The same beginning under the conditions of a path.
    pub(crate) fn under(terms: &Terms, conditions: &Conditions) -> Self {
        State { conditions: conditions.clone(), ..State::new(terms) }
    }

    /// Writes to memory.
    pub(crate) fn write(&mut self, at: Term, length: Term, content: Content) {
        let before = self.memory.take();
        self.memory = Some(Rc::new(Write { before, at, length, content }));
    }

    /// What was written since memory was another one, the last first; `None` if it does not come of that.
    pub(crate) fn written_since(&self, before: &Memory) -> Option<Vec<Rc<Write>>> {
        let mut found = Vec::new();
        let mut at = &self.memory;
        loop {
            match (at, before) {
                (None, None) => return Some(found),
                (Some(a), Some(b)) if Rc::ptr_eq(a, b) => return Some(found),
                (None, Some(_)) => return None,
                (Some(write), _) => {
                    found.push(write.clone());
                    at = &write.before;
                }
            }
        }
    }

    /// True if nothing was done but to make words since it was another one, and no more is known.
    pub(crate) fn is_quiet_since(&self, before: &State) -> bool {
        self.written_since(&before.memory).is_some_and(|writes| writes.is_empty())
            && self.storage.is_same(&before.storage)
            && self.transient.is_same(&before.transient)
            && self.conditions.list().len() == before.conditions.list().len()
            && (self.events.len(), self.calls, self.returned, self.changed)
                == (before.events.len(), before.calls, before.returned, before.changed)
            && (self.epoch, self.gas_asked) == (before.epoch, before.gas_asked)
    }

    /// A part of memory as it is now.
    pub(crate) fn region(&self, at: Term, length: Term) -> Region {
        Region { memory: self.memory.clone(), at, length }
    }

    /// Others see something.
    pub(crate) fn push_event(&mut self, event: Event) {
        self.events.push(Rc::new(event));
        self.gas_asked = 0;
    }
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// Successfully.
    Return,
    /// With `revert`.
    Revert,
    /// Exceptionally.
    Halt,
    /// A promise of the front end is broken: without meaning.
    Unreachable,
    /// More rounds than are looked at.
    Cut,
    /// A function that is looked at by itself comes back; the data are its results.
    Leave,
    /// A function of the program is called whose contract is taken: what it does is not looked at here.
    Inside,
}

/// The end of a path.
#[derive(Clone)]
pub(crate) struct End {
    /// How.
    pub(crate) kind: EndKind,
    /// The data.
    pub(crate) data: Option<Region>,
    /// What was done.
    pub(crate) state: State,
}
