//! How the tested program calls functions of the reference that call themselves: guessed from one run.
//!
//! A guess may be wrong; then it proves nothing.

use super::{Conventions, number_of};
use crate::code::{CodePlace, Convention, Passed};
use crate::explore::{Care, Explorer};
use crate::machine::{Conditions, End, EndKind, MAX_RESULTS, Machine, Role, State, Step};
use crate::place::{Place, Turn};
use crate::source::{Inner, SourcePlace};
use crate::term::Term;
use cairn_evm::Opcode;
use cairn_ir::{Func, Module, Op, Payload, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Ends of paths that are looked at, and paths that are tried.
const MAX_ENDS: usize = 200;
const MAX_PATHS: usize = 4;
/// Calls of a function in the path that is looked at.
const MIN_CALLS: usize = 2;
const MAX_CALLS: usize = 5;
/// Words of the stack below the top that may be a function's.
const DEPTH: usize = 17;
/// Places that are tried for a function.
const MAX_PLACES: usize = 6;

/// The arguments of each call of each function, in order.
type Calls = BTreeMap<Func, Vec<Vec<Term>>>;

/// Ways in which functions that call themselves may be called, likely ones first; `None` if the reference comes to no
/// such function.
pub(super) fn conventions(
    machine: &mut Machine,
    reference: &SourcePlace<'_>,
    tested: &CodePlace,
    starts: &[State],
) -> Step<Option<Vec<Conventions>>> {
    let module = reference.module();
    let recursive = recursive(module);
    if recursive.is_empty() {
        return Ok(None);
    }
    let place = reference.clone().treating(Rc::new(Inner::Noted(recursive.clone())));
    machine.role = Role::Reference;
    let mut explorer = Explorer::new(place, starts.to_vec(), Care::Lazy, 1);
    let (mut ends, mut paths, mut comes_to_one) = (0, 0, false);
    let mut found = Vec::new();
    while let Some(end) = explorer.next_end(machine)? {
        ends += 1;
        if ends > MAX_ENDS || paths >= MAX_PATHS || !found.is_empty() {
            break;
        }
        let calls = calls_of(machine, &end, &recursive);
        comes_to_one |= !calls.is_empty();
        let most = calls.values().map(Vec::len).max().unwrap_or(0);
        let ended = [EndKind::Return, EndKind::Revert].contains(&end.kind);
        if !ended || !(MIN_CALLS..=MAX_CALLS).contains(&most) || !machine.is_feasible(&end.state)? {
            continue;
        }
        paths += 1;
        machine.role = Role::Tested;
        let trace = trace(machine, tested, &end.state.conditions)?;
        found = combined(machine, module, &calls, &trace);
        machine.role = Role::Reference;
    }
    machine.ended.clear();
    Ok(comes_to_one.then_some(found))
}

/// Functions that call themselves, by way of others or not.
fn recursive(module: &Module) -> BTreeSet<Func> {
    let mut callees: BTreeMap<Func, BTreeSet<Func>> = BTreeMap::new();
    for (id, func) in module.funcs.iter() {
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        let called = insts.filter_map(|inst| match (func.dfg.op(inst), func.dfg.inst(inst).payload) {
            (Op::Icall, Payload::Func(callee)) => Some(callee),
            _ => None,
        });
        callees.insert(id, called.collect());
    }
    let reaches_itself = |func: Func| {
        let mut open: Vec<Func> = callees[&func].iter().copied().collect();
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(&callees[&next]);
            }
        }
        seen.contains(&func)
    };
    callees.keys().copied().filter(|func| reaches_itself(*func)).collect()
}

fn calls_of(machine: &Machine, end: &End, recursive: &BTreeSet<Func>) -> Calls {
    let mut calls = Calls::new();
    for event in end.state.events.iter().filter(|event| event.opcode == Opcode::JUMP) {
        let [func, args @ ..] = &event.operands[..] else { continue };
        let number = machine.terms.as_u64(*func);
        let func = recursive.iter().find(|func| number == Some(number_of(**func).into()));
        if let Some(func) = func {
            calls.entry(*func).or_default().push(args.to_vec());
        }
    }
    calls
}

/// Where the tested program comes to under conditions, until they do not say where it goes.
fn trace(machine: &mut Machine, tested: &CodePlace, conditions: &Conditions) -> Step<Vec<Passed>> {
    let mut state = State::under(&machine.terms, conditions);
    let mut place = tested.tracing();
    while let Turn::Divided(condition, mut other) = place.advance(machine, &mut state)? {
        let negation = machine.terms.is_zero(condition);
        match (machine.is_possible(&state, condition)?, machine.is_possible(&state, negation)?) {
            (true, false) => {}
            (false, true) => std::mem::swap(&mut place, &mut other),
            _ => break,
        }
    }
    machine.ended.clear();
    Ok(place.trace().cloned().collect())
}

/// Ways to call all functions for which there are any.
fn combined(machine: &Machine, module: &Module, calls: &Calls, trace: &[Passed]) -> Vec<Conventions> {
    let mut all = vec![Conventions::new()];
    for (func, calls) in calls {
        let function = &module.funcs[*func];
        let signature = &function.signature;
        let results = signature.results.len();
        let has_words = signature.params.iter().chain(&signature.results).all(|ty| *ty == Type::Int(256));
        let ways = ways(machine, *func, results, calls, trace);
        if ways.is_empty() || !has_words || function.has_alloca() || results >= MAX_RESULTS {
            continue;
        }
        let with = |known: &Conventions, way: &Convention| {
            let mut known = known.clone();
            known.insert(*func, way.clone());
            known
        };
        // The code may have no such function any more: it went into another one.
        let each = |known: Conventions| -> Vec<Conventions> {
            let others = ways.iter().map(|way| with(&known, way)).collect::<Vec<_>>();
            others.into_iter().chain([known]).collect()
        };
        all = all.into_iter().flat_map(each).collect();
    }
    all.retain(|known| !known.is_empty());
    all
}

/// Ways to call one function: at a place to which the code comes as often, with arguments and an address to return to
/// at the same depths each time.
fn ways(
    machine: &Machine,
    func: Func,
    results: usize,
    calls: &[Vec<Term>],
    trace: &[Passed],
) -> Vec<Convention> {
    let mut stacks: BTreeMap<usize, Vec<&[Term]>> = BTreeMap::new();
    for passed in trace {
        stacks.entry(passed.spot.pc).or_default().push(&passed.stack);
    }
    let mut found = Vec::new();
    for (pc, stacks) in stacks.into_iter().filter(|(_, stacks)| stacks.len() == calls.len()) {
        let at = |stack: &[Term], depth: usize| stack.len().checked_sub(depth + 1).map(|index| stack[index]);
        let count = calls.first().map_or(0, Vec::len);
        let args: Vec<Option<usize>> = (0..count)
            .map(|arg| {
                let is_there = |depth: &usize| {
                    stacks.iter().zip(calls).all(|(stack, args)| at(stack, *depth) == args.get(arg).copied())
                };
                (0..DEPTH).find(is_there)
            })
            .collect();
        let is_address = |depth: &usize| {
            let number = |stack: &&[Term]| at(stack, *depth).and_then(|word| machine.terms.as_u64(word));
            !args.contains(&Some(*depth))
                && stacks.iter().all(|stack| number(stack).is_some_and(|word| word > 0))
        };
        for back in (0..DEPTH).filter(is_address) {
            let takes = args.iter().flatten().copied().chain([back]).max().unwrap_or(0) + 1;
            let orders = [(0..results).collect::<Vec<_>>(), (0..results).rev().collect()];
            for order in orders.into_iter().take(results.clamp(1, 2)) {
                let (func, args) = (number_of(func), args.clone());
                found.push(Convention { func, pc, takes, back, args, results: order });
            }
        }
    }
    // The more arguments, the likelier; and the fewer words, the nearer is the address.
    found.sort_by_key(|way| (way.args.iter().filter(|arg| arg.is_none()).count(), way.takes));
    found.truncate(MAX_PLACES);
    found
}
