//! What is a copy, what a loop leaves behind, and what is no copy.

use super::*;
use crate::tree::{For, Repeats};

const X: Var = Var::Spare(0);
const N: Var = Var::Spare(1);
const TO: Var = Var::Spare(2);
const FROM: Var = Var::Spare(3);
const LOADED: Var = Var::Spare(4);

fn number(number: u64) -> Expr {
    Expr::Number(Word::from(number))
}

fn add(a: Expr, b: Expr) -> Expr {
    Expr::evm(Opcode::ADD, vec![a, b])
}

fn step(var: Var, by: u64) -> Stmt {
    Stmt::assign(var, add(Expr::Var(var), number(by)))
}

fn store(to: Expr, from: Expr) -> Stmt {
    Stmt::Do(Expr::evm(Opcode::MSTORE, vec![to, Expr::evm(Opcode::MLOAD, vec![from])]))
}

fn read(var: Var) -> Stmt {
    Stmt::Do(Expr::evm(Opcode::SSTORE, vec![number(0), Expr::Var(var)]))
}

fn until(counter: Var, limit: Expr, body: Vec<Stmt>) -> Stmt {
    let mut of = Stmt::endless(Repeats::Loop, body);
    if let Stmt::For(of) = &mut of {
        **of = For { condition: Expr::evm(Opcode::LT, vec![Expr::Var(counter), limit]), ..(**of).clone() };
    }
    of
}

/// `x := 0  for { } lt(x, n) { } { mstore(add(to, x), mload(add(from, x)))  x := add(x, 32) }`
fn plain() -> Vec<Stmt> {
    let [to, from] = [TO, FROM].map(|base| add(Expr::Var(base), Expr::Var(X)));
    vec![Stmt::assign(X, number(0)), until(X, Expr::Var(N), vec![store(to, from), step(X, 32)])]
}

fn told(mut stmts: Vec<Stmt>) -> Vec<Stmt> {
    copies(&mut stmts);
    stmts
}

fn mcopy(to: Expr, from: Expr, bytes: Expr) -> Stmt {
    Stmt::Do(Expr::evm(Opcode::MCOPY, vec![to, from, bytes]))
}

fn whole() -> Stmt {
    mcopy(Expr::Var(TO), Expr::Var(FROM), Expr::Var(N))
}

#[test]
fn a_loop_that_copies_words_is_a_copy() {
    assert_eq!(told(plain()), [whole()]);
}

#[test]
fn what_is_read_behind_it_has_its_last_value() {
    let stmts = told([plain(), vec![read(X)]].concat());
    let rounded = Expr::evm(Opcode::AND, vec![add(Expr::Var(N), number(31)), Expr::Number(!Word::from(31))]);
    assert_eq!(stmts, [Stmt::assign(X, number(0)), whole(), Stmt::assign(X, rounded), read(X)][1..]);
}

#[test]
fn zeros_behind_the_last_byte_are_left_out() {
    let above = Expr::evm(Opcode::GT, vec![Expr::Var(X), Expr::Var(N)]);
    let clear = Stmt::Do(Expr::evm(Opcode::MSTORE, vec![add(Expr::Var(TO), Expr::Var(N)), number(0)]));
    let at = crate::tree::At(None);
    let within = vec![Stmt::If(above.clone(), vec![clear.clone()], at)];
    assert_eq!(told([plain(), within, vec![read(N)]].concat()), [whole(), read(N)]);
    let not = Expr::evm(Opcode::ISZERO, vec![above.clone()]);
    let last = vec![Stmt::If(not.clone(), vec![read(N), Stmt::Leave], at), clear.clone(), read(N)];
    assert_eq!(told([plain(), last].concat()), [whole(), read(N)]);
    // Two ways that are not the same but for the zeros.
    let other = vec![Stmt::If(not, vec![read(TO), Stmt::Leave], at), clear, read(N)];
    assert!(matches!(told([plain(), other].concat()).as_slice(), [_, _, Stmt::If(..), ..]));
}

#[test]
fn pointers_move_beside_a_counter_of_words() {
    let body = vec![store(Expr::Var(TO), Expr::Var(FROM)), step(TO, 32), step(FROM, 32), step(X, 1)];
    let stmts = vec![Stmt::assign(X, number(0)), until(X, Expr::Var(N), body), read(TO)];
    let bytes = Expr::evm(Opcode::MUL, vec![Expr::Var(N), number(32)]);
    let copy = mcopy(Expr::Var(TO), Expr::Var(FROM), bytes.clone());
    assert_eq!(told(stmts), [copy, Stmt::assign(TO, add(Expr::Var(TO), bytes)), read(TO)]);
}

#[test]
fn what_is_no_copy_stays() {
    let stays = |stmts: Vec<Stmt>| assert_eq!(told(stmts.clone()), stmts);
    let [to, from] = [TO, FROM].map(|base| add(Expr::Var(base), Expr::Var(X)));
    let start = |from: u64| Stmt::assign(X, number(from));
    let of = |body: Vec<Stmt>| until(X, Expr::Var(N), body);
    // It begins somewhere else, or nobody knows where.
    stays(vec![start(32), of(vec![store(to.clone(), from.clone()), step(X, 32)])]);
    stays(vec![of(vec![store(to.clone(), from.clone()), step(X, 32)])]);
    // Every second word; half words; words of which the place stays.
    stays(vec![start(0), of(vec![store(to.clone(), from.clone()), step(X, 64)])]);
    stays(vec![start(0), of(vec![store(Expr::Var(TO), from.clone()), step(X, 32)])]);
    let twice = add(from.clone(), Expr::Var(X));
    stays(vec![start(0), of(vec![store(to.clone(), twice), step(X, 32)])]);
    // It does more, or steps before it stores.
    stays(vec![start(0), of(vec![store(to.clone(), from.clone()), read(X), step(X, 32)])]);
    stays(vec![start(0), of(vec![step(X, 32), store(to.clone(), from.clone())])]);
    // Its limit changes.
    let until_x = until(X, Expr::Var(X), vec![store(to.clone(), from.clone()), step(X, 32)]);
    stays(vec![start(0), until_x]);
    // The last word is read behind it.
    let load = Stmt::assign(LOADED, Expr::evm(Opcode::MLOAD, vec![from]));
    let put = Stmt::Do(Expr::evm(Opcode::MSTORE, vec![to, Expr::Var(LOADED)]));
    stays(vec![start(0), of(vec![load, put, step(X, 32)]), read(LOADED)]);
}

const REST: Var = Var::Spare(5);
const LAST: Var = Var::Spare(6);
const OTHER: Var = Var::Spare(7);

/// `mstore(last, and(not(sub(exp(256, sub(32, rest)), 1)), mload(last)))`
fn clear() -> Stmt {
    let power =
        Expr::evm(Opcode::EXP, vec![number(256), Expr::evm(Opcode::SUB, vec![number(32), Expr::Var(REST)])]);
    let mask = Expr::evm(Opcode::NOT, vec![Expr::evm(Opcode::SUB, vec![power, number(1)])]);
    let load = Expr::evm(Opcode::MLOAD, vec![Expr::Var(LAST)]);
    let value = Expr::evm(Opcode::AND, vec![mask, load]);
    Stmt::Do(Expr::evm(Opcode::MSTORE, vec![Expr::Var(LAST), value]))
}

fn give_back(end: Expr) -> Stmt {
    Stmt::Do(Expr::evm(Opcode::RETURN, vec![number(0), end]))
}

/// The copy, `rest := and(n, 31)`, one way for a rest of zero, the other otherwise, which begins where `last` is set.
fn clearing(aligned: Stmt, clear: Stmt, behind: Stmt) -> Vec<Stmt> {
    let rest = Stmt::assign(REST, Expr::evm(Opcode::AND, vec![Expr::Var(N), number(31)]));
    let is_whole = Expr::evm(Opcode::ISZERO, vec![Expr::Var(REST)]);
    let end = add(Expr::Var(N), Expr::Var(TO));
    let last = Stmt::assign(LAST, Expr::evm(Opcode::SUB, vec![end, Expr::Var(REST)]));
    let ask = Stmt::If(is_whole, vec![aligned], crate::tree::At(None));
    [plain(), vec![rest, ask, last, clear, behind]].concat()
}

#[test]
fn what_clears_the_last_word_is_left_out() {
    let whole_end = add(Expr::Var(TO), rounded(Expr::Var(N)));
    let end = add(Expr::Var(N), Expr::Var(TO));
    let behind_last = add(Expr::Var(LAST), number(32));
    let stmts = clearing(give_back(end.clone()), clear(), give_back(behind_last.clone()));
    let rest = stmts[2].clone();
    assert_eq!(told(stmts), [whole(), rest.clone(), give_back(whole_end.clone())]);

    // The same as two ways that meet again.
    let [.., last, clear, _] = &clearing(read(N), clear(), read(N))[..] else {
        panic!("a row of statements")
    };
    let ways = |aligned: Expr| {
        let cases = vec![(Word::ZERO, vec![Stmt::assign(FROM, aligned)])];
        let other = vec![last.clone(), clear.clone(), Stmt::assign(FROM, behind_last.clone())];
        let ask = Stmt::Switch(Expr::Var(REST), cases, other, crate::tree::At(None));
        [plain(), vec![rest.clone(), ask, read(FROM)]].concat()
    };
    assert_eq!(told(ways(end.clone())), [whole(), rest.clone(), Stmt::assign(FROM, whole_end), read(FROM)]);
    let turned = |stmts: Vec<Stmt>| {
        let turn = |stmt: Stmt| match stmt {
            Stmt::Switch(rest, cases, other, at) => {
                let is_whole = Expr::evm(Opcode::ISZERO, vec![rest]);
                Stmt::Switch(is_whole, vec![(Word::ZERO, other)], cases[0].1.clone(), at)
            }
            stmt => stmt,
        };
        stmts.into_iter().map(turn).collect::<Vec<Stmt>>()
    };
    assert_eq!(told(turned(ways(end.clone()))), told(ways(end)));
    assert_eq!(told(ways(Expr::Var(TO))).len(), 4, "another end");
}

#[test]
fn ways_that_are_not_the_same_stay() {
    let end = add(Expr::Var(N), Expr::Var(TO));
    let behind_last = add(Expr::Var(LAST), number(32));
    let stays = |stmts: Vec<Stmt>| assert_eq!(told(stmts.clone())[1..], stmts[2..]);
    // Another end, another word that is changed, and a last word that something else reads.
    stays(clearing(give_back(add(Expr::Var(N), Expr::Var(FROM))), clear(), give_back(behind_last.clone())));
    stays(clearing(give_back(end.clone()), store(Expr::Var(LAST), Expr::Var(FROM)), give_back(behind_last)));
    stays(clearing(give_back(end.clone()), clear(), give_back(Expr::Var(LAST))));
    // One way that comes to the other: both are gone.
    let keep = |end: Expr| Stmt::Do(Expr::evm(Opcode::SSTORE, vec![number(0), end]));
    stays(clearing(keep(end.clone()), clear(), keep(add(Expr::Var(LAST), number(32)))));
}

#[test]
fn each_way_may_have_a_variable_of_its_own() {
    let whole_end = add(Expr::Var(TO), rounded(Expr::Var(N)));
    let (end, behind_last) = (add(Expr::Var(N), Expr::Var(TO)), add(Expr::Var(LAST), number(32)));
    let free = |var: Var| Stmt::assign(var, Expr::evm(Opcode::MLOAD, vec![number(64)]));
    let from_free = |var: Var, end: Expr| give_back(Expr::evm(Opcode::SUB, vec![end, Expr::Var(var)]));
    let [copied @ .., rest, Stmt::If(ask, _, at), last, clears, _] = &clearing(read(N), clear(), read(N))[..]
    else {
        panic!("a row of statements")
    };
    let ask = Stmt::If(ask.clone(), vec![free(OTHER), from_free(OTHER, end.clone())], *at);
    let tail = [rest, &ask, last, clears].map(Stmt::clone);
    let other = [free(LOADED), from_free(LOADED, behind_last.clone())];
    let stmts = [copied, &tail, &other].concat();
    assert_eq!(told(stmts), [whole(), rest.clone(), free(LOADED), from_free(LOADED, whole_end.clone())]);
}
