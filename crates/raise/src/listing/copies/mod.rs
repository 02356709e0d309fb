//! Loops that copy memory word by word are told as one copy: compilers wrote them before there was `MCOPY`.
//!
//! `for { } lt(x, n) { x := add(x, 32) } { mstore(add(to, x), mload(add(from, x))) }` is `mcopy(to, from, n)` where
//! `x` is zero before it; so is a loop that counts words, or counts down what is left (`down`), and moves
//! pointers beside its counter. What the loop copies behind the last byte, up to a whole word, and what clears it (`around`,
//! `cleared`) are left out: nobody reads them. Variables of the loop get the values that they have behind it.

mod around;
mod cleared;
mod down;
#[cfg(test)]
mod tests;
mod up;

use crate::tree::{Expr, Stmt, Var};
use around::{Start, start_of, zeros_behind};
use cairn_evm::{Opcode, Word};
use cleared::without_clearing;
use rustc_hash::FxHashMap;

/// Bytes of a word.
const WORD: u64 = 32;

/// What a loop copies.
struct Copy {
    to: Expr,
    from: Expr,
    bytes: Expr,
    /// Its variables, with what each round adds to them.
    steps: Vec<(Var, u64)>,
    /// The variable that begins at zero.
    counter: Option<Var>,
    /// What the counter is compared with.
    limit: Expr,
    /// Variables that nothing but the loop may read, for what they are behind it is not told.
    inner: Vec<Var>,
    /// Statements behind the loop that are parts of it.
    behind: usize,
}

/// Tells loops that copy as copies, in the statements of a whole function.
pub(super) fn copies(stmts: &mut Vec<Stmt>) {
    let reads = count(stmts);
    copies_in(stmts, &reads);
}

fn copies_in(stmts: &mut Vec<Stmt>, reads: &FxHashMap<Var, usize>) {
    stmts.iter_mut().flat_map(Stmt::lists_mut).for_each(|list| copies_in(list, reads));
    let mut place = 0;
    while place < stmts.len() {
        if let Stmt::For(of) = &stmts[place]
            && let Some(copy) = up::copy_of(of).or_else(|| down::copy_of(of, &stmts[place + 1..]))
        {
            place = tell(stmts, (place, copy), reads);
            continue;
        }
        place += 1;
    }
}

/// Puts a copy in the place of its loop; the place behind it. The loop stays when it is not known where it begins,
/// or something else reads what is known in it alone.
fn tell(stmts: &mut Vec<Stmt>, (place, mut copy): (usize, Copy), reads: &FxHashMap<Var, usize>) -> usize {
    let (before, rest) = stmts.split_at(place);
    let Some((Stmt::For(of), behind)) = rest.split_first() else { return place + 1 };
    let starts: Vec<Option<Start>> = copy.steps.iter().map(|(var, _)| start_of(before, of, *var)).collect();
    let behind = match copy.behind {
        0 => zeros_behind(&copy, behind)
            .map(|left| (1, left))
            .or_else(|| without_clearing(&copy, behind).map(|left| (0, left))),
        count => Some((count, behind[count..].to_vec())),
    };
    let gone = &rest[..=behind.as_ref().map_or(0, |(count, _)| *count)];
    let own = count(gone);
    let is_read = |var: Var| reads.get(&var) > own.get(&var);
    let starts_at_zero = |var: Var, start: &Option<Start>| {
        copy.counter != Some(var)
            || start.as_ref().is_some_and(|start| start.value.as_number() == Some(Word::ZERO))
    };
    if !copy.steps.iter().zip(&starts).all(|((var, _), start)| starts_at_zero(*var, start))
        || copy.inner.iter().any(|var| is_read(*var))
    {
        return place + 1;
    }
    let (mut moved, mut begun) = (Vec::new(), Vec::new());
    for ((var, step), start) in std::mem::take(&mut copy.steps).into_iter().zip(starts) {
        if let Some(start) = &start {
            [&mut copy.to, &mut copy.from, &mut copy.bytes]
                .into_iter()
                .for_each(|expr| put(expr, var, &start.value));
            begun.extend((start.place < place).then_some(start.place));
        }
        if is_read(var) {
            let start = start.map_or(Expr::Var(var), |start| start.value);
            moved.push(Stmt::assign(var, copy.behind_loop(step, start)));
        }
    }
    if let Some((_, behind)) = behind {
        stmts.truncate(place + 1);
        stmts.extend(behind);
    }
    let whole = Stmt::Do(Expr::evm(Opcode::MCOPY, vec![copy.to, copy.from, copy.bytes]));
    let count = 1 + moved.len();
    stmts.splice(place..=place, [whole].into_iter().chain(moved));
    begun.sort_unstable();
    begun.iter().rev().for_each(|start| drop(stmts.remove(*start)));
    place + count - begun.len()
}

/// How often each variable is read.
fn count(stmts: &[Stmt]) -> FxHashMap<Var, usize> {
    let mut reads = FxHashMap::default();
    let mut add = |var| *reads.entry(var).or_insert(0) += 1;
    stmts.iter().for_each(|stmt| stmt.for_each_read(&mut add));
    reads
}

impl Copy {
    /// What a variable is behind the loop.
    fn behind_loop(&self, step: u64, start: Expr) -> Expr {
        match step {
            1 => self.limit.clone(),
            _ => sum(start, rounded(self.bytes.clone())),
        }
    }
}

/// Reads an expression in the place of a variable.
fn put(expr: &mut Expr, var: Var, by: &Expr) {
    match expr {
        Expr::Var(own) if *own == var => *expr = by.clone(),
        Expr::Call(_, args, _) => args.iter_mut().for_each(|arg| put(arg, var, by)),
        Expr::Var(_) | Expr::Number(_) | Expr::Text(_) => {}
    }
}

/// The parts of a sum; what reads memory or does something is none.
fn terms_of<'e>(expr: &'e Expr, terms: &mut Vec<&'e Expr>) -> Option<()> {
    if let Some(args) = expr.args_of(Opcode::ADD) {
        return args.iter().try_for_each(|arg| terms_of(arg, terms));
    }
    let is_plain = |expr: &Expr| matches!(expr, Expr::Number(_) | Expr::Var(_));
    let is_product = || {
        let args = expr.args_of(Opcode::SHL).or_else(|| expr.args_of(Opcode::MUL));
        args.is_some_and(|args| args.iter().all(is_plain))
    };
    (is_plain(expr) || is_product()).then(|| terms.push(expr))
}

fn sum(a: Expr, b: Expr) -> Expr {
    match (a.as_number(), b.as_number()) {
        (Some(Word::ZERO), _) => b,
        (_, Some(Word::ZERO)) => a,
        _ => Expr::evm(Opcode::ADD, vec![a, b]),
    }
}

/// A length up to whole words.
fn rounded(bytes: Expr) -> Expr {
    if let Some(word) = bytes.as_number() {
        return Expr::Number(word.wrapping_add(Word::from(WORD - 1)) & !Word::from(WORD - 1));
    }
    if bytes.args_of(Opcode::MUL).is_some() {
        return bytes;
    }
    let more = Expr::evm(Opcode::ADD, vec![bytes, Expr::Number(Word::from(WORD - 1))]);
    Expr::evm(Opcode::AND, vec![more, Expr::Number(!Word::from(WORD - 1))])
}
