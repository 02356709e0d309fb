//! Leaves out what a reader need not see: stores that nothing reads but what was told by their values, moves
//! of the free pointer, variables that nothing reads any more; a value that is read once stands where it is read.
//!
//! Linear in the lines.

use super::memory::Stores;
use super::say::{Line, Name, Say, What};
use super::walk::Walk;
use crate::tree::Callee;
use cairn_evm::Opcode;
use cairn_yul::Builtin;
use rustc_hash::FxHashMap;

/// Parts of an expression that another one is put into.
const MAX_SIZE: usize = 24;

/// Steps from a place in storage to the variable that it lies in.
const MAX_STEPS: usize = 3;

/// The lines that are left.
pub(super) fn tidy(walk: &mut Walk<'_>) -> Vec<Line> {
    let mut lines = std::mem::take(&mut walk.lines);
    lines.retain(|line| !is_noise(&walk.stores, &line.what));
    lines.iter_mut().flat_map(|line| line.what.says_mut()).for_each(|say| show_places(walk, say));
    drop_unread(&mut lines);
    put_in(walk, &mut lines);
    drop_empty(lines)
}

/// Places of storage stand where they are used, whatever variable they lie in.
fn show_places(walk: &Walk<'_>, say: &mut Say) {
    if let Say::Call(Callee::Builtin(Builtin::Evm(opcode)), args, _) = say
        && matches!(*opcode, Opcode::SLOAD | Opcode::SSTORE | Opcode::TLOAD | Opcode::TSTORE)
        && let Some(place) = args.first_mut()
    {
        show_place(walk, place, MAX_STEPS);
    }
    say.parts_mut().into_iter().for_each(|part| show_places(walk, part));
}

fn show_place(walk: &Walk<'_>, say: &mut Say, steps: usize) {
    if steps == 0 {
        return;
    }
    if let Say::Name(name) = say
        && let Some(value) = walk.lasting.get(name)
        && value.size(MAX_SIZE) < MAX_SIZE
        && is_place(walk, value, steps)
    {
        *say = value.clone();
    }
    match say {
        Say::Call(Callee::Builtin(Builtin::Evm(Opcode::ADD)), args, _) => {
            args.iter_mut().for_each(|arg| show_place(walk, arg, steps - 1));
        }
        Say::Hash(parts) if parts.len() <= 2 => {
            parts.last_mut().into_iter().for_each(|base| show_place(walk, base, steps - 1));
        }
        _ => {}
    }
}

/// True for a hash, and for what is counted from one.
fn is_place(walk: &Walk<'_>, say: &Say, steps: usize) -> bool {
    match say {
        Say::Hash(_) => true,
        _ if steps == 0 => false,
        Say::Name(name) => walk.lasting.get(name).is_some_and(|value| is_place(walk, value, steps - 1)),
        _ => {
            say.args_of(Opcode::ADD).is_some_and(|args| args.iter().any(|arg| is_place(walk, arg, steps - 1)))
        }
    }
}

fn is_noise(stores: &Stores, what: &What) -> bool {
    match what {
        What::Write(id, ..) | What::Fill(id, _) => !stores.is_needed(*id),
        _ => false,
    }
}

/// How often each variable is read.
fn count(lines: &[Line]) -> FxHashMap<Name, u32> {
    let mut reads = FxHashMap::default();
    for say in lines.iter().flat_map(|line| line.what.says()) {
        say.for_each_name(&mut |name| *reads.entry(name).or_insert(0) += 1);
    }
    reads
}

/// Drops variables that nothing reads, and what only they read.
fn drop_unread(lines: &mut Vec<Line>) {
    let mut reads = count(lines);
    let mut givers: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
    for (index, line) in lines.iter().enumerate() {
        if let What::Let(names, say) = &line.what
            && say.is_removable()
        {
            names.iter().for_each(|name| givers.entry(*name).or_default().push(index));
        }
    }
    let mut is_gone = vec![false; lines.len()];
    let mut work: Vec<usize> = (0..lines.len()).collect();
    while let Some(index) = work.pop() {
        let What::Let(names, say) = &lines[index].what else { continue };
        let is_read = names.iter().any(|name| reads.get(name).is_some_and(|count| *count > 0));
        if is_gone[index] || is_read || !say.is_removable() {
            continue;
        }
        is_gone[index] = true;
        say.for_each_name(&mut |name| {
            if let Some(count) = reads.get_mut(&name) {
                *count -= 1;
                if *count == 0 {
                    work.extend(givers.get(&name).into_iter().flatten());
                }
            }
        });
    }
    let mut index = 0;
    lines.retain(|_| {
        index += 1;
        !is_gone[index - 1]
    });
}

/// Puts values that are read once where they are read: what lasts anywhere, the rest in the next line.
fn put_in(walk: &Walk<'_>, lines: &mut Vec<Line>) {
    let reads = count(lines);
    let mut held: FxHashMap<Name, Say> = FxHashMap::default();
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    for mut line in std::mem::take(lines) {
        line.what.says_mut().into_iter().for_each(|say| replace(say, &mut held));
        if let Some(last) = kept.last()
            && let What::Let(names, say) = &last.what
            && let [name] = names.as_slice()
            && reads.get(name) == Some(&1)
            && !matches!(line.what, What::While(..))
            && may_follow(say, &line.what)
        {
            let mut next = FxHashMap::from_iter([(*name, say.clone())]);
            line.what.says_mut().into_iter().for_each(|say| replace(say, &mut next));
            if next.is_empty() {
                kept.pop();
            }
        }
        match &line.what {
            What::Let(names, say)
                if names.len() == 1
                    && reads.get(&names[0]) == Some(&1)
                    && walk.values.contains_key(&names[0])
                    && walk.is_lasting(say)
                    && say.size(MAX_SIZE) < MAX_SIZE =>
            {
                held.insert(names[0], say.clone());
            }
            _ => kept.push(line),
        }
    }
    // Read where the text is not that of its own place: above it, in a loop.
    *lines = kept;
}

/// True when a value may be computed within the line behind it: nothing in that line comes before it.
fn may_follow(say: &Say, what: &What) -> bool {
    let is_read_only = say.is_removable() && say.size(MAX_SIZE) < MAX_SIZE;
    let others = what.says();
    let is_plain = others.iter().all(|other| other.parts().into_iter().all(|part| part.is_pure()));
    is_read_only && is_plain
}

fn replace(say: &mut Say, held: &mut FxHashMap<Name, Say>) {
    if held.is_empty() {
        return;
    }
    if let Say::Name(name) = say {
        if let Some(value) = held.remove(name) {
            *say = value;
        }
        return;
    }
    say.parts_mut().into_iter().for_each(|part| replace(part, held));
}

/// Leaves out branches with nothing in them whose condition does nothing.
fn drop_empty(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        if matches!(line.what, What::Close)
            && let Some(Line { what: What::If(condition, _), .. }) = kept.last()
            && condition.is_removable()
        {
            kept.pop();
            continue;
        }
        kept.push(line);
    }
    kept
}
