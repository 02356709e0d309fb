//! Says the same more plainly: loops with conditions, steps and variables of their own, no `leave` at the
//! end of a function.

use crate::tree::{Expr, For, Repeats, Stmt, Var};
use cairn_evm::{Opcode, Word};
use rustc_hash::FxHashSet;

/// Before variables are declared.
pub(crate) fn polish(stmts: &mut Vec<Stmt>) {
    drop_last_leave(stmts);
    for stmt in stmts {
        polish_stmt(stmt);
    }
}

fn polish_stmt(stmt: &mut Stmt) {
    for list in stmt.lists_mut() {
        list.iter_mut().for_each(polish_stmt);
    }
    if let Stmt::For(of) = stmt
        && of.repeats == Repeats::Loop
    {
        find_condition(of);
        find_step(of);
    }
}

/// Control gets to the end of the function anyway.
fn drop_last_leave(stmts: &mut Vec<Stmt>) {
    if stmts.last() == Some(&Stmt::Leave) {
        stmts.pop();
    }
    match stmts.last_mut() {
        Some(Stmt::If(_, body, _)) => drop_last_leave(body),
        Some(Stmt::Switch(_, cases, default, _)) => {
            cases.iter_mut().for_each(|(_, body)| drop_last_leave(body));
            drop_last_leave(default);
        }
        _ => {}
    }
}

/// `for { } 1 { } { if c { break } … }` has the condition `iszero(c)`.
fn find_condition(of: &mut For) {
    let Some(Stmt::If(condition, body, at)) = of.body.first() else { return };
    if of.condition != Expr::Number(Word::from(1)) || body.as_slice() != [Stmt::Break] {
        return;
    }
    of.at = *at;
    of.condition = match condition.args_of(Opcode::ISZERO) {
        Some([inner]) => inner.clone(),
        _ => Expr::evm(Opcode::ISZERO, vec![condition.clone()]),
    };
    of.body.remove(0);
}

/// What the body does last with a variable of the loop is done behind it.
fn find_step(of: &mut For) {
    if continues(&of.body) {
        return;
    }
    let mut given = FxHashSet::default();
    let Some((last, before)) = of.body.split_last() else { return };
    before.iter().for_each(|stmt| assigned(stmt, &mut given));
    let Stmt::Assign { vars, value, .. } = last else { return };
    let [var] = vars.as_slice() else { return };
    let mut is_step = !given.contains(var) && value.reads(*var);
    value.for_each_var(&mut |read| is_step &= !given.contains(&read));
    if is_step {
        of.post.extend(of.body.pop());
    }
}

/// True when the body has a `continue` of its own loop.
fn continues(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Continue => true,
        Stmt::If(_, body, _) => continues(body),
        Stmt::Switch(_, cases, default, _) => {
            cases.iter().any(|(_, body)| continues(body)) || continues(default)
        }
        Stmt::For(_) | Stmt::Declare(_) | Stmt::Assign { .. } | Stmt::Do(_) => false,
        Stmt::Break | Stmt::Leave | Stmt::Go(_) => false,
    })
}

fn assigned(stmt: &Stmt, given: &mut FxHashSet<Var>) {
    match stmt {
        Stmt::Assign { vars, .. } => given.extend(vars),
        Stmt::If(_, body, _) => body.iter().for_each(|stmt| assigned(stmt, given)),
        Stmt::Switch(_, cases, default, _) => {
            let bodies = cases.iter().flat_map(|(_, body)| body);
            bodies.chain(default).for_each(|stmt| assigned(stmt, given));
        }
        Stmt::For(of) => {
            of.init.iter().chain(&of.post).chain(&of.body).for_each(|stmt| assigned(stmt, given));
        }
        Stmt::Declare(_) | Stmt::Do(_) | Stmt::Go(_) => {}
        Stmt::Break | Stmt::Continue | Stmt::Leave => {}
    }
}

/// Once variables are declared: a variable that is declared before a loop and read in it alone is the loop's.
pub(crate) fn move_into_loops(stmts: &mut Vec<Stmt>) {
    for stmt in stmts.iter_mut() {
        stmt.lists_mut().into_iter().for_each(move_into_loops);
    }
    for place in (1..stmts.len()).rev() {
        let Stmt::Assign { vars, is_declaration: true, .. } = &stmts[place - 1] else { continue };
        let vars = vars.clone();
        let is_loop = matches!(&stmts[place], Stmt::For(of) if of.repeats == Repeats::Loop && !of.post.is_empty()
            && of.init.is_empty() && vars.len() == 1 && of.post.iter().all(|post| matches!(post, Stmt::Assign { vars: own, .. } if *own == vars)));
        if !is_loop || stmts[place + 1..].iter().any(|stmt| mentions(stmt, vars[0])) {
            continue;
        }
        let declaration = stmts.remove(place - 1);
        if let Stmt::For(of) = &mut stmts[place - 1] {
            of.init.push(declaration);
        }
    }
}

fn mentions(stmt: &Stmt, var: Var) -> bool {
    let any = |stmts: &[Stmt]| stmts.iter().any(|stmt| mentions(stmt, var));
    match stmt {
        Stmt::Declare(vars) => vars.contains(&var),
        Stmt::Assign { vars, value, .. } => vars.contains(&var) || value.reads(var),
        Stmt::Do(value) => value.reads(var),
        Stmt::If(condition, body, _) => condition.reads(var) || any(body),
        Stmt::Switch(value, cases, default, _) => {
            value.reads(var) || cases.iter().any(|(_, body)| any(body)) || any(default)
        }
        Stmt::For(of) => of.condition.reads(var) || any(&of.init) || any(&of.post) || any(&of.body),
        Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => false,
    }
}
