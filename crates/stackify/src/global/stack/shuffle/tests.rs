//! The permutation bound against exhaustive search, and random targets.

use super::*;
use cairn_ir::Value;
use std::collections::{HashMap, VecDeque};

struct Flat;

impl Prices for Flat {
    fn dup(&self) -> u32 {
        3
    }
    fn swap(&self) -> u32 {
        3
    }
    fn pop(&self) -> u32 {
        2
    }
    fn make(&self, slot: Slot) -> Option<u32> {
        (slot.as_value().is_none()).then_some(3)
    }
    fn reach(&self) -> Reach {
        Reach::LEGACY
    }
}

fn slot(index: u32) -> Slot {
    Slot::value(Value::from_u32(index))
}

fn stack(words: &[u32]) -> Stack {
    words.iter().map(|word| slot(*word)).collect()
}

/// Carries out the moves independently of the shuffler.
fn replay(start: &Stack, moves: &Moves) -> Stack {
    let mut stack = start.clone();
    for action in moves {
        let height = stack.len();
        match *action {
            Move::Dup(depth) => stack.push(stack[height - depth as usize]),
            Move::Swap(depth) => stack.swap(height - 1, height - 1 - depth as usize),
            Move::Pop => {
                stack.pop();
            }
            Move::Make(word) => stack.push(word),
        }
    }
    stack
}

fn run(start: &Stack, target: &[Slot]) -> Result<Moves, Unreachable> {
    let (mut work, mut moves) = (start.clone(), Moves::new());
    let cost = shuffle(&mut work, target, &Flat, &mut moves)?;
    for same in 0..=start.iter().zip(target).take_while(|(have, want)| have == want).count() {
        let (mut work, mut others) = (start.clone(), Moves::new());
        assert_eq!(shuffle_from(&mut work, target, same, &Flat, &mut others), Ok(cost));
        assert_eq!(others, moves, "the same words below {same} were told");
    }
    assert_eq!(replay(start, &moves), work);
    let fits = work.iter().zip(target).all(|(have, want)| *want == Slot::JUNK || have == want);
    assert!(fits && work.len() == target.len(), "{start:?} → {target:?} gave {work:?}");
    let price = |action: &Move| if *action == Move::Pop { 2 } else { 3 };
    assert_eq!(cost, moves.iter().map(price).sum::<u32>());
    Ok(moves)
}

/// Swaps needed for each permutation of `n` words, by breadth-first search from the identity.
fn distances(n: usize) -> HashMap<Vec<u32>, usize> {
    let start: Vec<u32> = (0..n as u32).collect();
    let mut found = HashMap::from([(start.clone(), 0)]);
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        let distance = found[&state] + 1;
        for at in 0..n - 1 {
            let mut next = state.clone();
            next.swap(at, n - 1);
            if !found.contains_key(&next) {
                found.insert(next.clone(), distance);
                queue.push_back(next);
            }
        }
    }
    found
}

#[test]
#[expect(clippy::iter_over_hash_type, reason = "the order of the cases does not matter")]
fn permutations_need_exactly_the_bound() {
    for n in 1..=7 {
        let target = stack(&(0..n as u32).collect::<Vec<_>>());
        for (start, distance) in distances(n) {
            let displaced = start.iter().enumerate().filter(|(at, word)| *at as u32 != **word).count();
            let mut seen = vec![false; n];
            let mut cycles = 0;
            for at in 0..n {
                let mut next = at;
                cycles += usize::from(!seen[at] && start[at] as usize != at);
                while !std::mem::replace(&mut seen[next], true) {
                    next = start[next] as usize;
                }
            }
            let bound = displaced + cycles - if start[n - 1] as usize == n - 1 { 0 } else { 2 };
            assert_eq!(bound, distance, "{start:?}");
            assert_eq!(run(&stack(&start), &target).expect("in reach").len(), distance, "{start:?}");
        }
    }
}

#[test]
fn equal_words_are_relabelled() {
    let moves = run(&stack(&[1, 1, 2]), &stack(&[1, 2, 1])).expect("in reach");
    assert_eq!(moves.as_slice(), [Move::Swap(1)]);
}

#[test]
fn surplus_is_removed_while_placing() {
    let moves = run(&stack(&[1, 9, 2]), &stack(&[1, 2])).expect("in reach");
    assert_eq!(moves.as_slice(), [Move::Swap(1), Move::Pop]);
}

#[test]
fn missing_word_below_goes_through_the_top() {
    let moves = run(&stack(&[7, 1]), &stack(&[7, 7, 1])).expect("in reach");
    assert_eq!(moves.as_slice(), [Move::Dup(2), Move::Swap(1)]);
}

#[test]
fn junk_accepts_what_is_there() {
    let target = [Slot::JUNK, slot(2), Slot::JUNK];
    assert_eq!(run(&stack(&[1, 2, 3]), &target), Ok(Moves::new()));
    let target = [Slot::JUNK, slot(1)];
    assert_eq!(run(&stack(&[1, 9]), &target).expect("in reach").as_slice(), [Move::Swap(1)]);
    assert_eq!(run(&stack(&[1]), &target).expect("in reach").as_slice(), [Move::Dup(1)]);
}

#[test]
fn far_word_is_named() {
    let start = stack(&(0..18).collect::<Vec<_>>());
    let mut target = start.clone();
    target.push(slot(1));
    assert_eq!(run(&start, &target), Err(Unreachable { slot: slot(1), depth: 17 }));
    target.pop();
    target.swap(0, 17);
    assert_eq!(run(&start, &target), Err(Unreachable { slot: slot(0), depth: 18 }));
    let start = stack(&(0..17).collect::<Vec<_>>());
    let mut target = start.clone();
    target.swap(0, 16);
    assert_eq!(run(&start, &target).expect("in reach").as_slice(), [Move::Swap(16)]);
}

proptest::proptest! {
    #[test]
    fn random_targets_are_reached(
        start in proptest::collection::vec(0u32..6, 0..9),
        picks in proptest::collection::vec(0u32..9, 0..9),
    ) {
        let start: Stack = stack(&start);
        let pick = |pick: &u32| match *pick {
            7 => Slot::JUNK,
            8 => Slot::constant(0),
            word if start.contains(&slot(word)) => slot(word),
            _ => Slot::constant(1),
        };
        let target: Vec<Slot> = picks.iter().map(pick).collect();
        let moves = run(&start, &target).expect("in reach");
        proptest::prop_assert!(moves.len() <= 2 * (start.len() + target.len()));
    }
}
