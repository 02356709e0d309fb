//! Which stores are never read.

use cairn_evm::{Effects as OpcodeEffects, Opcode, memory};
use cairn_yul::facts::Access;
use cairn_yul::{Block, Builtin, Callee, Expression, For, FunctionCall, Statement, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use super::address;
use super::operation::{Argument, Location, Operation, written};
use crate::context::StepContext;
use crate::tools::name_collector::for_each_assigned;
use crate::tools::name_set::{Set, Sets};
use crate::tools::semantics::{Effects, Terminations};
use crate::tools::ssa_value_tracker::{SsaPlaces, SsaValue, SsaValues};

/// Stores that are active at a time; more are taken to be read.
pub(super) const MAX_ACTIVE: usize = 256;

/// Loops nested deeper are taken to read all stores.
const MAX_LOOP_DEPTH: usize = 6;

/// The addresses of the statements that can go.
pub(super) fn unused_stores(cx: &mut StepContext<'_>, code: &Block) -> FxHashSet<usize> {
    let mut is_assigned = vec![false; cx.names.len()];
    for_each_assigned(code, &mut |name| is_assigned[name.0 as usize] = true);
    let values = SsaValues::new(code, cx.names.len());
    let mut analysis = Analysis {
        effects: cx.effects(code),
        terminations: Terminations::new(code),
        places: SsaPlaces::new(&values, &is_assigned),
        values: &values,
        is_assigned: &is_assigned,
        declared_at: vec![0; cx.names.len()],
        time: 0,
        stores: Vec::new(),
        ids: FxHashMap::default(),
        loosened: FxHashMap::default(),
        sets: Sets::default(),
        buffer: Vec::new(),
        active: Active::NONE,
        loops: Vec::new(),
        returndata: 0,
        size_known_at: FxHashMap::default(),
    };
    analysis.block(code);
    analysis.read_all(Location::Storage);
    let mut unused: FxHashSet<usize> = analysis.stores.iter().map(|store| store.address).collect();
    for store in analysis.stores.iter().filter(|store| store.is_used) {
        unused.remove(&store.address);
    }
    unused
}

#[derive(Clone, Copy)]
struct Store {
    operation: Operation,
    address: usize,
    is_used: bool,
}

/// Active stores, by id.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Active {
    storage: Set,
    memory: Set,
}

impl Active {
    const NONE: Active = Active { storage: Set::EMPTY, memory: Set::EMPTY };
}

struct OpenLoop {
    at_break: Active,
    at_continue: Active,
}

struct Analysis<'v, 'a> {
    effects: Effects,
    terminations: Terminations,
    values: &'v SsaValues<'a>,
    places: SsaPlaces<'v, 'a>,
    is_assigned: &'v [bool],
    /// By name: when a variable was declared last, in the order of the walk; zero for not yet.
    declared_at: Vec<u32>,
    time: u32,
    stores: Vec<Store>,
    ids: FxHashMap<usize, u32>,
    /// What a store of a round of a loop is for the next round, by id.
    loosened: FxHashMap<u32, u32>,
    sets: Sets,
    /// Memory for lists of stores.
    buffer: Vec<u32>,
    active: Active,
    loops: Vec<OpenLoop>,
    /// Changes whenever the returned data may have been replaced.
    returndata: u32,
    /// The state of `returndata` when a variable got the value of `returndatasize()`.
    size_known_at: FxHashMap<YulName, u32>,
}

impl<'a> Analysis<'_, 'a> {
    fn block(&mut self, block: &'a Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Expression(expression, ..) => self.expression_statement(statement, expression),
            Statement::Let(declaration) => {
                if let Some(value) = &declaration.value {
                    self.expression(value);
                    if let (Expression::Call(call), [variable]) = (value, declaration.variables.as_slice())
                        && call.callee == Callee::Builtin(Builtin::Evm(Opcode::RETURNDATASIZE))
                    {
                        self.size_known_at.insert(variable.name, self.returndata);
                    }
                }
                for variable in &declaration.variables {
                    self.time += 1;
                    self.declared_at[variable.name.0 as usize] = self.time;
                }
            }
            Statement::Assign(assignment) => self.expression(&assignment.value),
            Statement::If(branch) => {
                self.expression(&branch.condition);
                let skipped = self.active;
                self.block(&branch.body);
                self.join(skipped);
            }
            Statement::Switch(switch) => {
                self.expression(&switch.expression);
                let before = self.active;
                let has_default = switch.cases.iter().any(|case| case.value.is_none());
                let mut after = if has_default { Active::NONE } else { before };
                for case in &switch.cases {
                    self.active = before;
                    self.block(&case.body);
                    after = self.union(after, self.active);
                }
                self.active = after;
            }
            Statement::For(the_loop) => self.for_loop(the_loop),
            Statement::Function(function) => {
                let outer = std::mem::replace(&mut self.active, Active::NONE);
                let outer_loops = std::mem::take(&mut self.loops);
                self.block(&function.body);
                self.leave();
                self.loops = outer_loops;
                self.active = outer;
            }
            Statement::Break(..) => self.jump(|open| &mut open.at_break),
            Statement::Continue(..) => self.jump(|open| &mut open.at_continue),
            Statement::Leave(..) => self.leave(),
            Statement::Block(block) => self.block(block),
        }
    }

    fn jump(&mut self, target: fn(&mut OpenLoop) -> &mut Active) {
        let active = std::mem::replace(&mut self.active, Active::NONE);
        if let Some(mut open) = self.loops.pop() {
            let joined = self.union(*target(&mut open), active);
            *target(&mut open) = joined;
            self.loops.push(open);
        }
    }

    fn leave(&mut self) {
        self.read_all(Location::Storage);
        self.read_all(Location::Memory);
    }

    fn union(&mut self, a: Active, b: Active) -> Active {
        Active { storage: self.sets.union(a.storage, b.storage), memory: self.sets.union(a.memory, b.memory) }
    }

    fn join(&mut self, other: Active) {
        self.active = self.union(self.active, other);
    }

    fn for_loop(&mut self, the_loop: &'a For) {
        self.block(&the_loop.init);
        self.expression(&the_loop.condition);
        let skipped = self.active;
        let mut after = skipped;
        let is_too_deep = self.loops.len() >= MAX_LOOP_DEPTH;
        for _ in 0..2 {
            let before = self.active;
            after = self.round(the_loop, after);
            after = self.union(after, self.active);
            let joined = self.union(before, self.active);
            if is_too_deep {
                // Nothing is left for another round.
                self.leave();
                break;
            }
            if joined == before {
                break;
            }
        }
        self.active = after;
        self.returndata += 1;
    }

    /// One run of body, post block and condition; returns what is active after the loop.
    fn round(&mut self, the_loop: &'a For, after: Active) -> Active {
        self.returndata += 1;
        let started_at = self.time;
        self.loops.push(OpenLoop { at_break: Active::NONE, at_continue: Active::NONE });
        self.block(&the_loop.body);
        let Some(open) = self.loops.pop() else {
            return after;
        };
        self.join(open.at_continue);
        self.block(&the_loop.post);
        self.loosen_what_is_declared_since(started_at);
        self.expression(&the_loop.condition);
        self.union(after, open.at_break)
    }

    /// Variables declared in the loop get other values in the next round, so it is not known any more
    /// where stores are that depend on them.
    fn loosen_what_is_declared_since(&mut self, time: u32) {
        for location in [Location::Storage, Location::Memory] {
            let ids = self.active_ids(location);
            for &id in &ids {
                let Operation { start, length, .. } = self.stores[id as usize].operation;
                let is_inside = |argument: Option<Argument>| {
                    let base = argument.and_then(|argument| argument.place.base);
                    base.is_some_and(|(name, _)| self.declared_at[name.0 as usize] > time)
                };
                let [start, length] =
                    [start, length].map(|argument| if is_inside(argument) { None } else { argument });
                self.loosen(id, Operation { location, start, length });
            }
            self.done_with(ids);
        }
    }

    fn loosen(&mut self, id: u32, operation: Operation) {
        let Store { operation: exact, address, .. } = self.stores[id as usize];
        if operation == exact {
            return;
        }
        let location = operation.location;
        let next = self.stores.len() as u32;
        let loose = *self.loosened.entry(id).or_insert(next);
        if loose == next {
            self.stores.push(Store { operation, address, is_used: false });
        }
        self.forget(location, id);
        let set = *self.set(location);
        *self.set(location) = self.sets.insert(set, loose);
    }

    fn set(&mut self, location: Location) -> &mut Set {
        match location {
            Location::Storage => &mut self.active.storage,
            Location::Memory => &mut self.active.memory,
        }
    }

    /// The active stores, in memory that [`Analysis::done_with`] takes back.
    fn active_ids(&mut self, location: Location) -> Vec<u32> {
        let set = *self.set(location);
        let mut ids = std::mem::take(&mut self.buffer);
        self.sets.members_into(set, &mut ids);
        ids
    }

    fn done_with(&mut self, mut ids: Vec<u32>) {
        ids.clear();
        self.buffer = ids;
    }

    fn read(&mut self, location: Location, id: u32) {
        self.stores[id as usize].is_used = true;
        self.forget(location, id);
    }

    fn forget(&mut self, location: Location, id: u32) {
        let set = *self.set(location);
        *self.set(location) = self.sets.remove(set, id);
    }

    fn read_all(&mut self, location: Location) {
        let ids = self.active_ids(location);
        for &id in &ids {
            self.stores[id as usize].is_used = true;
        }
        self.done_with(ids);
        *self.set(location) = Set::EMPTY;
    }

    fn apply_read(&mut self, operation: Operation) {
        let ids = self.active_ids(operation.location);
        for &id in &ids {
            if !self.stores[id as usize].operation.is_unrelated(&operation) {
                self.read(operation.location, id);
            }
        }
        self.done_with(ids);
    }

    fn apply_write(&mut self, operation: Operation) {
        let ids = self.active_ids(operation.location);
        for &id in &ids {
            if self.stores[id as usize].operation.is_covered_by(&operation) {
                self.forget(operation.location, id);
            }
        }
        self.done_with(ids);
    }

    /// Where the value of an argument lies; `None` when it is not known or can change.
    fn place(&mut self, argument: &Expression) -> Option<Argument> {
        match argument {
            // As in solc before 0.8.34, parameters and what a call gives together with others are not known.
            Expression::Identifier(identifier)
                if matches!(self.values.get(identifier.name), SsaValue::Unknown) =>
            {
                None
            }
            Expression::Identifier(identifier) => {
                let place = self.places.of(identifier.name);
                let base = place.base.map(|(name, _)| name);
                let is_fixed = base.is_none_or(|name| !self.is_assigned[name.0 as usize]);
                is_fixed.then_some(Argument { place, variable: Some(identifier.name) })
            }
            // As in solc, which looks at split code.
            Expression::Literal(_) | Expression::Call(_) => None,
        }
    }

    fn places(&mut self, call: &FunctionCall) -> Vec<Option<Argument>> {
        call.args.iter().map(|argument| self.place(argument)).collect()
    }

    fn expression_statement(&mut self, statement: &'a Statement, expression: &'a Expression) {
        self.expression(expression);
        let Expression::Call(call) = expression else {
            return;
        };
        let Callee::Builtin(Builtin::Evm(opcode)) = call.callee else {
            return;
        };
        let places = self.places(call);
        let Some(operation) = written(opcode, &places) else {
            return;
        };
        self.apply_write(operation);
        if self.is_candidate(opcode, call) {
            self.activate(operation, address(statement));
        }
    }

    fn is_candidate(&self, opcode: Opcode, call: &FunctionCall) -> bool {
        let is_simple = call.args.iter().all(|argument| !matches!(argument, Expression::Call(_)));
        let is_memory = opcode != Opcode::SSTORE;
        is_simple
            && opcode != Opcode::MCOPY
            && !(is_memory && self.effects.has_msize)
            && (opcode != Opcode::RETURNDATACOPY || self.copies_all_returndata(call))
    }

    /// Copying beyond the end of the returned data fails, so only copies of all of it can go.
    fn copies_all_returndata(&self, call: &FunctionCall) -> bool {
        let [_, Expression::Identifier(offset), Expression::Identifier(size)] = call.args.as_slice() else {
            return false;
        };
        let is_zero = match self.values.get(offset.name) {
            SsaValue::Zero => true,
            SsaValue::Expression(Expression::Literal(literal)) => literal.value.is_zero(),
            SsaValue::Expression(_) | SsaValue::Unknown => false,
        };
        let is_fresh = self.size_known_at.get(&size.name) == Some(&self.returndata);
        is_zero && is_fresh && !self.is_assigned[size.name.0 as usize]
    }

    fn activate(&mut self, operation: Operation, address: usize) {
        let next = self.stores.len() as u32;
        let id = *self.ids.entry(address).or_insert(next);
        if id == next {
            self.stores.push(Store { operation, address, is_used: false });
        }
        let set = *self.set(operation.location);
        *self.set(operation.location) = self.sets.insert(set, id);
        let set = *self.set(operation.location);
        if self.sets.len(set) > MAX_ACTIVE {
            self.read_all(operation.location);
        }
    }

    fn expression(&mut self, expression: &'a Expression) {
        let Expression::Call(call) = expression else {
            return;
        };
        call.args.iter().rev().for_each(|argument| self.expression(argument));
        match call.callee {
            Callee::Builtin(Builtin::Evm(opcode)) => self.apply_opcode(opcode, call),
            Callee::Builtin(_) => {
                let effects = self.effects.of_callee(call.callee);
                self.apply_effects(effects.storage, effects.memory);
            }
            Callee::User(_) => {
                let effects = self.effects.of_callee(call.callee);
                self.apply_effects(effects.storage, effects.memory);
                self.returndata += u32::from(effects.other_state == Access::Write);
            }
        }
        self.apply_ends(call.callee);
    }

    fn apply_effects(&mut self, storage: Access, memory: Access) {
        if storage != Access::None {
            self.apply_read(Operation::everything(Location::Storage));
        }
        if memory != Access::None {
            self.apply_read(Operation::everything(Location::Memory));
        }
    }

    fn apply_opcode(&mut self, opcode: Opcode, call: &FunctionCall) {
        let effects = opcode.known().effects;
        // What `sstore` reads of storage shows in its price only.
        if effects.contains(OpcodeEffects::READ_STORAGE) && opcode != Opcode::SSTORE {
            let start = if opcode == Opcode::SLOAD { self.place(&call.args[0]) } else { None };
            self.apply_read(Operation { start, ..Operation::everything(Location::Storage) });
        }
        if let Some(region) = memory::memory_read(opcode) {
            let places = self.places(call);
            self.apply_read(Operation::of_region(region, &places));
        }
        self.returndata += u32::from(effects.contains(OpcodeEffects::WRITE_RETURNDATA));
    }

    /// The execution may end in the call.
    fn apply_ends(&mut self, callee: Callee) {
        let flow = self.terminations.flow_of(callee);
        let may_hide_an_end = matches!(callee, Callee::Builtin(Builtin::Verbatim { .. }));
        if flow.can_terminate || may_hide_an_end {
            self.read_all(Location::Storage);
        }
        if !flow.can_continue {
            self.active = Active::NONE;
        }
    }
}
