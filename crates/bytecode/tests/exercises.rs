//! The course's exercises on blocks and control flow, its worked example and its loop.

#[path = "common/graph.rs"]
mod graph;

use cairn_bytecode::{Analysis, EdgeKind, JumpStatus, Liveness, Structure, analyze, draw};
use cairn_evm::Opcode;
use graph::edges;

/// `PUSH1 4, JUMP, INVALID, JUMPDEST, STOP`
const WORKED_EXAMPLE: [u8; 6] = [0x60, 0x04, 0x56, 0xfe, 0x5b, 0x00];

/// `i = 0; while i < 5: i++; return i`
const LOOP: [u8; 27] = [
    0x60, 0x00, // PUSH1 0
    0x5b, // 2: JUMPDEST
    0x60, 0x05, 0x81, 0x10, // PUSH1 5, DUP2, LT
    0x60, 0x13, 0x57, // PUSH1 body, JUMPI
    0x60, 0x00, 0x52, 0x60, 0x20, 0x60, 0x00, 0xf3, // MSTORE, RETURN
    0xfe, // 18: INVALID
    0x5b, // 19: JUMPDEST
    0x60, 0x01, 0x01, // PUSH1 1, ADD
    0x60, 0x02, 0x56, // PUSH1 loop, JUMP
    0x00,
];

fn leaders(code: &[u8]) -> Vec<u32> {
    analyze(code).blocks.list().iter().map(|block| block.start).collect()
}

// Shows S004-09, S004-10, S004-13, S004-56.
#[test]
fn leaders_of_the_worked_example() {
    assert_eq!(leaders(&WORKED_EXAMPLE), [0, 3, 4]);
}

// Shows S004-10, S004-11, S004-52, S004-56.
#[test]
fn a_leader_stands_after_each_ender() {
    for ender in [Opcode::STOP, Opcode::RETURN, Opcode::REVERT, Opcode::INVALID, Opcode::SELFDESTRUCT] {
        assert_eq!(leaders(&[0x5f, 0x5f, ender.0, 0x5f, 0x00]), [0, 3], "{ender:?}");
    }
    assert_eq!(leaders(&[0x5f, 0x56, 0x00]), [0, 2], "JUMP");
    assert_eq!(leaders(&[0x5f, 0x5f, 0x57, 0x00]), [0, 3], "JUMPI");
    assert_eq!(leaders(&[0x0c, 0x00]), [0, 1], "an undefined byte");
    assert_eq!(leaders(&[0x60, 0x5b, 0x00]), [0], "a JUMPDEST in push data is none");
    assert_eq!(leaders(&[]), [0u32; 0]);
}

// Shows S004-19, S004-57.
#[test]
fn blocks_of_the_loop() {
    assert_eq!(leaders(&LOOP), [0, 2, 10, 18, 19, 26]);
}

// Shows S004-15, S004-58.
#[test]
fn sequential_code_falls_through() {
    let analysis = analyze(&[0x5f, 0x5b, 0x5b, 0x00]);
    assert_eq!(edges(&analysis), [(0, 1, EdgeKind::Fallthrough), (1, 2, EdgeKind::Fallthrough)]);
}

// Shows S004-02, S004-16, S004-25, S004-29, S004-59.
#[test]
fn a_pushed_jump_is_resolved() {
    let analysis = analyze(&WORKED_EXAMPLE);
    assert_eq!(edges(&analysis), [(0, 4, EdgeKind::Jump)]);
    assert_eq!(analysis.cfg.jumps()[0].status, JumpStatus::Resolved);
    assert!(!analysis.is_reached(1));
}

// Shows S004-31, S004-59.
#[test]
fn jumps_that_are_not_adjacent_to_their_push_are_resolved() {
    // PUSH1 6, PUSH1 1, SWAP1, JUMP: the target is pushed first.
    let analysis = analyze(&[0x60, 0x06, 0x60, 0x01, 0x90, 0x56, 0x5b, 0x00]);
    assert_eq!(edges(&analysis), [(0, 6, EdgeKind::Jump)]);
}

// Shows S004-14, S004-17, S004-60.
#[test]
fn a_conditional_jump_has_two_edges() {
    let analysis = analyze(&LOOP);
    let from_head: Vec<_> = edges(&analysis).into_iter().filter(|edge| edge.0 == 2).collect();
    assert_eq!(from_head, [(2, 10, EdgeKind::False), (2, 19, EdgeKind::True)]);
}

// Shows S004-30.
#[test]
fn a_jump_to_no_jumpdest_is_invalid() {
    let analysis = analyze(&[0x60, 0x03, 0x56, 0x00]);
    assert_eq!(analysis.cfg.jumps()[0].status, JumpStatus::Invalid);
    assert!(analysis.is_closed());
}

// Shows S004-16, S004-24.
#[test]
fn a_jump_to_calldata_is_imprecise() {
    // PUSH0, CALLDATALOAD, JUMP, JUMPDEST, STOP, JUMPDEST, POP, STOP: the jump to the second is taken,
    // too, and fails behind it for want of a word.
    let analysis = analyze(&[0x5f, 0x35, 0x56, 0x5b, 0x00, 0x5b, 0x50, 0x00]);
    assert_eq!(analysis.cfg.jumps()[0].status, JumpStatus::Imprecise);
    assert!(!analysis.is_closed());
    assert_eq!(edges(&analysis), [(0, 3, EdgeKind::Jump), (0, 5, EdgeKind::Jump)]);
}

// Shows S004-32, S004-33, S004-34, S004-35, S004-62.
#[test]
fn heights_of_the_loop() {
    let analysis = analyze(&LOOP);
    let heights: Vec<_> =
        (0..analysis.blocks.len() as u32).map(|block| analysis.entry_height(block)).collect();
    let at = |height| Some((height, height));
    assert_eq!(heights, [at(0), at(1), at(1), None, at(1), None]);
}

// Shows S004-36, S004-38.
#[test]
fn disagreeing_heights_are_a_range() {
    // CALLDATASIZE, PUSH1 6, JUMPI, PUSH0, STOP-or-join at 6 with one word more from above.
    let analysis = analyze(&[0x36, 0x60, 0x05, 0x57, 0x5f, 0x5b, 0x00]);
    let join = analysis.blocks.starting_at(5).expect("a block");
    assert_eq!(analysis.entry_height(join), Some((0, 1)));
}

// Shows S004-08, S004-40, S004-41, S004-42, S004-43, S004-44, S004-63.
#[test]
fn uses_and_defs() {
    let of = |code: &[u8]| {
        let analysis = analyze(code);
        let block = *analysis.blocks.get(0);
        (block.uses, block.defs, block.net)
    };
    assert_eq!(of(&[0x60, 0x01, 0x60, 0x02, 0x01, 0x00]), (0, 1, 1), "PUSH1, PUSH1, ADD, STOP");
    assert_eq!(of(&[0x50, 0x00]), (1, 0, -1), "POP, STOP");
    assert_eq!(of(&[0x5f, 0x50, 0x50, 0x50, 0x5f, 0x00]), (2, 1, -1), "the lowest point counts");
}

#[test]
fn needs_counts_what_is_looked_at() {
    let analysis = analyze(&[0x82, 0x00]);
    assert_eq!((analysis.blocks.get(0).uses, analysis.blocks.get(0).needs), (0, 3), "DUP3");
    assert_eq!(analysis.underflows(), [0]);
}

// Shows S004-34.
#[test]
fn an_underflow_has_a_way_that_leads_to_it() {
    // PUSH1 4, JUMP, INVALID, JUMPDEST, CALLDATASIZE, PUSH1 10, JUMPI, STOP, JUMPDEST, ADD
    let analysis = analyze(&[0x60, 0x04, 0x56, 0xfe, 0x5b, 0x36, 0x60, 0x0a, 0x57, 0x00, 0x5b, 0x01]);
    let block = analysis.blocks.starting_at(10).expect("a block");
    assert_eq!(analysis.underflows(), [block]);
    let way: Vec<u32> = analysis.way_to(block).expect("it is reached").into_iter().collect();
    assert_eq!(way.iter().map(|block| analysis.blocks.get(*block).start).collect::<Vec<_>>(), [0, 4, 10]);
}

#[test]
fn a_block_that_halts_can_overflow() {
    // 1,024 words, then JUMPDEST, PUSH0, PUSH0, RETURN.
    let code = [&[0x5f; 1024][..], &[0x5b, 0x5f, 0x5f, 0xf3]].concat();
    let analysis = analyze(&code);
    let last = analysis.blocks.starting_at(1024).expect("a block");
    assert_eq!(analysis.overflows(), [last]);
    assert!(analyze(&code[2..]).overflows().is_empty(), "two words less fit");
}

// Shows S004-37.
#[test]
fn heights_that_grow_without_end_overflow() {
    let overflows = |code: &[u8]| {
        let analysis = analyze(code);
        analysis.overflows().iter().map(|block| analysis.blocks.get(*block).start).collect::<Vec<_>>()
    };
    // 0: JUMPDEST, PUSH0, CALLDATASIZE, PUSH0, JUMPI; behind it a block that halts and takes one word more.
    assert_eq!(overflows(&[0x5b, 0x5f, 0x36, 0x5f, 0x57, 0x30, 0x00]), [0, 5]);
    // The same where the block behind takes a word before it gives one: any height is enough for it.
    assert_eq!(overflows(&[0x5b, 0x5f, 0x36, 0x5f, 0x57, 0x31, 0x00]), [0]);
    // A function at 7 that calls itself before it returns.
    let recursion = [
        0x60, 0x05, 0x60, 0x07, 0x56, 0x5b, 0x00, // PUSH1 5, PUSH1 7, JUMP; 5: JUMPDEST, STOP
        0x5b, 0x36, 0x60, 0x11, 0x57, // 7: JUMPDEST, CALLDATASIZE, PUSH1 17, JUMPI
        0x60, 0x11, 0x60, 0x07, 0x56, // 12: PUSH1 17, PUSH1 7, JUMP
        0x5b, 0x56, // 17: JUMPDEST, JUMP
    ];
    assert_eq!(overflows(&recursion), [7, 12]);
    // Where it does not call itself nothing grows.
    let mut plain = recursion;
    plain[15] = 0x11;
    assert_eq!(overflows(&plain), [0; 0]);
}

// Shows S004-38.
#[test]
fn ways_into_a_block_that_disagree_are_found() {
    // PUSH1 0, CALLDATALOAD, PUSH1 9, JUMPI; 6: PUSH1 1, CALLER; 9: JUMPDEST, CALLDATASIZE, PUSH1 0, JUMPI
    let code = [
        0x60, 0x00, 0x35, 0x60, 0x09, 0x57, 0x60, 0x01, 0x33, 0x5b, 0x36, 0x60, 0x0f, 0x57, 0x00, 0x5b, 0x00,
    ];
    let analysis = analyze(&code);
    let join = analysis.blocks.starting_at(9).expect("a block");
    assert_eq!(analysis.disagreeing_joins(), [join]);
    let height = |start| analysis.entry_height(analysis.blocks.starting_at(start).expect("a block"));
    assert_eq!((height(9), height(15)), (Some((0, 2)), Some((0, 2))), "blocks that halt do not count");
    assert_eq!(analysis.exit_height(join), Some((0, 2)));
}

#[test]
fn a_call_that_two_ways_share_returns_to_both() {
    let code = [
        0x60, 0x0f, 0x36, 0x60, 0x09, 0x57, // PUSH1 15, CALLDATASIZE, PUSH1 9, JUMPI
        0x50, 0x60, 0x0d, // 6: POP, PUSH1 13
        0x5b, 0x60, 0x11, 0x56, // 9: JUMPDEST, PUSH1 f, JUMP: back to 13 or 15
        0x5b, 0x00, 0x5b, 0x00, // 13: JUMPDEST, STOP; 15: JUMPDEST, STOP
        0x5b, 0x56, // f at 17: JUMPDEST, JUMP
    ];
    let analysis = analyze(&code);
    let structure = Structure::compute(&analysis);
    for start in [13, 15] {
        let block = analysis.blocks.starting_at(start).expect("a block");
        assert_eq!(
            structure.function_of[block as usize],
            Some(0),
            "the block at {start} is the program's own"
        );
    }
}

// Shows S004-04.
#[test]
fn calls_keep_their_return_addresses_apart() {
    // Two calls of one function that doubles its argument.
    let code = [
        0x60, 0x07, 0x60, 0x05, 0x60, 0x13, 0x56, // PUSH1 7, PUSH1 5, PUSH1 f, JUMP
        0x5b, 0x60, 0x11, 0x90, 0x60, 0x13, 0x56, // 7: JUMPDEST, PUSH1 17, SWAP1, PUSH1 f, JUMP
        0x00, 0x00, 0x00, 0x5b, 0x00, // 17: JUMPDEST, STOP
        0x5b, 0x80, 0x01, 0x90, 0x56, // 19: JUMPDEST, DUP1, ADD, SWAP1, JUMP
    ];
    let analysis = analyze(&code);
    assert!(analysis.is_closed());
    let found = edges(&analysis);
    assert!(found.contains(&(0, 19, EdgeKind::Call)) && found.contains(&(7, 19, EdgeKind::Call)));
    assert!(found.contains(&(19, 7, EdgeKind::Return)) && found.contains(&(19, 17, EdgeKind::Return)));
    let function = &analysis.functions[0];
    assert_eq!((analysis.blocks.get(function.entry).start, function.params, function.rets), (19, 1, Some(1)));
}

#[test]
fn a_function_returns_to_each_of_many_callers_once() {
    // PUSH2 next PUSH2 f JUMP, JUMPDEST, as often as there are calls; STOP; f: JUMPDEST JUMP
    for calls in [3usize, 16, 17, 60] {
        let function = 8 * calls + 1;
        let call = |number: usize| format!("61{:04x}61{function:04x}565b", 8 * number + 7);
        let text = (0..calls).map(call).collect::<String>() + "005b56";
        let code = cairn_evm::hex::decode(text).expect("digits");
        let analysis = analyze(&code);
        let back = edges(&analysis).into_iter().filter(|edge| edge.0 == function as u32);
        let expected = (1..=calls).map(|number| (function as u32, 8 * number as u32 - 1, EdgeKind::Return));
        assert_eq!(back.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert!(analysis.is_closed(), "{calls}");
    }
}

#[test]
fn a_function_that_is_called_behind_inlined_code_is_found() {
    // f(g(x)) with g inlined: its end jumps to where f is jumped to.
    let code = [
        0x60, 0x0d, 0x60, 0x09, 0x5f, 0x35, 0x90, 0x56,
        0xfe, // PUSH1 13, PUSH1 9, PUSH0, CALLDATALOAD, SWAP1, JUMP
        0x5b, 0x60, 0x10, 0x56, // 9: JUMPDEST, PUSH1 f, JUMP
        0x5b, 0x00, 0xfe, // 13: JUMPDEST, STOP
        0x5b, 0x60, 0x02, 0x02, 0x90, 0x56, // 16: JUMPDEST, PUSH1 2, MUL, SWAP1, JUMP
    ];
    assert_eq!(functions(&code), [(16, 1, Some(1))]);
}

#[test]
fn where_ways_of_a_function_join_is_no_function() {
    let code = [
        0x60, 0x08, 0x5f, 0x35, 0x60, 0x0a, 0x56, 0xfe, // PUSH1 8, PUSH0, CALLDATALOAD, PUSH1 f, JUMP
        0x5b, 0x00, // 8: JUMPDEST, STOP
        0x5b, 0x80, 0x60, 0x12, 0x57, // 10: JUMPDEST, DUP1, PUSH1 18, JUMPI
        0x60, 0x18, 0x56, // PUSH1 24, JUMP
        0x5b, 0x60, 0x18, 0x56, 0xfe, 0xfe, // 18: JUMPDEST, PUSH1 24, JUMP
        0x5b, 0x80, 0x02, 0x90, 0x56, // 24: JUMPDEST, DUP1, MUL, SWAP1, JUMP
    ];
    assert_eq!(functions(&code), [(10, 1, Some(1))]);
}

#[test]
fn where_inlined_code_ends_is_no_function() {
    // The address behind the jump is jumped to, and stays on the stack.
    let code = [0x60, 0x07, 0x5f, 0x35, 0x81, 0x56, 0xfe, 0x5b, 0x5f, 0x52, 0x00];
    let behind = [&[0x60, 0x06, 0x5f, 0x35, 0x81, 0x56][..], &[0x5b, 0x5f, 0x52, 0x00]].concat();
    assert_eq!(functions(&code), []);
    assert_eq!(functions(&behind), []);
}

/// Entry, parameters and results of each internal function.
fn functions(code: &[u8]) -> Vec<(u32, u32, Option<u32>)> {
    let analysis = analyze(code);
    let entry = |block| analysis.blocks.get(block).start;
    analysis.functions.iter().map(|one| (entry(one.entry), one.params, one.rets)).collect()
}

// Shows S004-27.
#[test]
fn computed_targets_are_bounded_by_their_condition() {
    // target = 21 + 9 * iszero(calldataload(0))
    let code = [
        0x5f, 0x35, 0x15, 0x60, 0x05, 0x02, 0x60, 0x0b, 0x01, 0x56, 0xfe, // 11:
        0x5b, 0x00, 0xfe, 0xfe, 0xfe, 0x5b, 0x00, 0x5b, 0x00,
    ];
    let analysis = analyze(&code);
    assert_eq!(edges(&analysis), [(0, 11, EdgeKind::Jump), (0, 16, EdgeKind::Jump)]);
    assert_eq!(analysis.cfg.jumps()[0].status, JumpStatus::Resolved);
}

/// Offsets of blocks for which a condition holds.
fn starts(analysis: &Analysis<'_>, is_wanted: impl Fn(u32) -> bool) -> Vec<u32> {
    let ids = (0..analysis.blocks.len() as u32).filter(|block| is_wanted(*block));
    ids.map(|block| analysis.blocks.get(block).start).collect()
}

// Shows S004-61.
#[test]
fn entry_and_exits_of_the_loop() {
    let analysis = analyze(&LOOP);
    let is_entered = |block: u32| analysis.cfg.edges().iter().any(|edge| edge.to == block);
    let reached = |block: u32| analysis.is_reached(block);
    assert_eq!(starts(&analysis, |block| reached(block) && !is_entered(block)), [0], "the entry");
    let leaves = |block: u32| !analysis.cfg.out_edges(block).is_empty();
    assert_eq!(starts(&analysis, |block| reached(block) && !leaves(block)), [10], "the exit");
}

// Shows S004-45, S004-50, S004-64.
#[test]
fn liveness_of_blocks_and_slots_converges() {
    let analysis = analyze(&LOOP);
    let liveness = Liveness::compute(&analysis);
    assert_eq!(starts(&analysis, |block| liveness.is_useful[block as usize]), [0, 2, 10, 19]);
    // The counter is live around the loop; nothing is at the entry.
    let live = |pc| liveness.live_in[analysis.blocks.starting_at(pc).expect("a block") as usize];
    assert_eq!((live(0), live(2), live(10), live(19)), (0, 1, 1, 1));
    assert_eq!(liveness.dead_pushes, [0u32; 0]);
    // Around a loop without an exit no block is useful, though all are reached.
    let endless = analyze(&[0x5b, 0x5f, 0x56]);
    assert_eq!(Liveness::compute(&endless).is_useful, [false]);
    assert!(endless.is_reached(0));
}

// Shows S004-03, S004-51.
#[test]
fn dead_pushes_are_found_across_blocks() {
    // PUSH1 7, PUSH1 8, PUSH1 8, JUMP; JUMPDEST, POP, PUSH0, SSTORE, STOP: the 8 is dropped.
    let code = [0x60, 0x07, 0x60, 0x08, 0x60, 0x08, 0x56, 0xfe, 0x5b, 0x50, 0x5f, 0x55, 0x00];
    let analysis = analyze(&code);
    assert_eq!(Liveness::compute(&analysis).dead_pushes, [2]);
}

// Shows S004-04, S004-22, S004-23, S004-54.
#[test]
fn structure_of_the_loop() {
    let analysis = analyze(&LOOP);
    let structure = Structure::compute(&analysis);
    let block = |pc| analysis.blocks.starting_at(pc).expect("a block");
    assert_eq!(structure.back_edges, [(block(19), block(2))]);
    assert!(structure.dominates(block(2), block(19)) && !structure.dominates(block(19), block(2)));
    assert_eq!(structure.loops[0].header, block(2));
    assert_eq!(structure.loops[0].blocks, [block(2), block(19)]);
    assert_eq!(structure.ipdom[block(19) as usize], Some(block(2)));
    assert!(structure.irreducible.is_empty());
}

// Shows S004-23.
#[test]
fn a_loop_with_two_entries_is_irreducible() {
    // CALLDATASIZE, PUSH1 7, JUMPI; 4: JUMPDEST, PUSH0, POP; 7: JUMPDEST, PUSH1 4, JUMP
    let analysis = analyze(&[0x36, 0x60, 0x07, 0x57, 0x5b, 0x5f, 0x50, 0x5b, 0x60, 0x04, 0x56]);
    let structure = Structure::compute(&analysis);
    assert!(!structure.irreducible.is_empty() && structure.loops.is_empty());
}

// Shows S004-20, S004-21.
#[test]
fn the_picture_of_the_loop_has_one_dashed_edge() {
    let analysis = analyze(&LOOP);
    let picture = draw::Picture::of(&analysis);
    let [cluster] = &picture.parts[0].clusters[..] else { panic!("one cluster") };
    let node = |index: usize| cluster.nodes[index].start;
    let lines: Vec<_> =
        cluster.lines.iter().map(|line| (node(line.from), node(line.to), line.kind, line.is_back)).collect();
    assert_eq!(
        lines,
        [
            (0, 2, EdgeKind::Fallthrough, false),
            (2, 10, EdgeKind::False, false),
            (2, 19, EdgeKind::True, false),
            (19, 2, EdgeKind::Jump, true),
        ]
    );
    assert_eq!(draw::dot(&picture).matches("dashed").count(), 1);
    assert_eq!(draw::svg(&picture).matches("class=\"l b\" marker-end").count(), 1);
    assert_eq!(draw::mermaid(&picture).matches("-.->").count(), 1);
    let page = draw::html("loop", std::slice::from_ref(&analysis), &picture);
    assert!(page.contains("<svg") && page.contains("\"code\"") && !page.contains("@DATA@"));
}
