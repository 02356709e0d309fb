//! Rules of the course on bytecode and control flow that its exercises leave out.

#[path = "common/graph.rs"]
mod graph;

use cairn_bytecode::{EdgeKind, JumpStatus, Liveness, Structure, analyze};
use cairn_evm::Opcode;
use cairn_testkit::next_random;
use graph::edges;

/// What control may leave a block by.
const LEAVES: [Opcode; 7] = [
    Opcode::JUMP,
    Opcode::JUMPI,
    Opcode::STOP,
    Opcode::RETURN,
    Opcode::REVERT,
    Opcode::INVALID,
    Opcode::SELFDESTRUCT,
];

/// Codes of random bytes, the same in each run: every third is a jump, its target or an end.
fn random_codes() -> impl Iterator<Item = Vec<u8>> {
    let mut state = 1;
    let mut next = move || next_random(&mut state) as u8;
    let common = [0x5b, 0x56, 0x57, 0x60, 0x00, 0xf3, 0xfd, 0xfe];
    (0..200).map(move |_| {
        (0..60).map(|_| if next() % 3 == 0 { common[usize::from(next() % 8)] } else { next() }).collect()
    })
}

// Shows S004-06, S004-07.
#[test]
fn a_block_has_one_entry_and_one_exit() {
    for code in random_codes() {
        let analysis = analyze(&code);
        let mut at = 0;
        for block in analysis.blocks.list() {
            assert_eq!(block.start, at, "blocks take all of the code: {code:x?}");
            at = block.end;
            let pcs: Vec<(u32, Opcode)> =
                analysis.instructions(block).map(|inst| (inst.pc, inst.opcode)).collect();
            assert_eq!((pcs[0].0, pcs[pcs.len() - 1].0), (block.start, block.last_pc));
            assert!(pcs[1..].iter().all(|(_, opcode)| *opcode != Opcode::JUMPDEST), "{code:x?}");
            assert!(pcs[..pcs.len() - 1].iter().all(|(_, opcode)| !LEAVES.contains(opcode)), "{code:x?}");
        }
        assert_eq!(at as usize, code.len());
    }
}

// Shows S004-08, S004-42.
#[test]
fn the_net_effect_is_what_is_produced_less_what_is_consumed() {
    for code in random_codes() {
        for block in analyze(&code).blocks.list() {
            assert_eq!(i64::from(block.net), i64::from(block.defs) - i64::from(block.uses), "{code:x?}");
            assert!(block.needs >= block.uses);
        }
    }
}

// Shows S004-18.
#[test]
fn ends_have_no_edges() {
    for end in [Opcode::STOP, Opcode::RETURN, Opcode::REVERT, Opcode::INVALID] {
        let code = [0x5f, 0x5f, end.0, 0x5b, 0x00];
        assert_eq!(edges(&analyze(&code)), [], "{end:?}");
    }
}

// Shows S004-17.
#[test]
fn a_branch_on_a_known_condition_has_one_edge() {
    // PUSH1 1, PUSH1 6, JUMPI, STOP, JUMPDEST, STOP
    let analysis = analyze(&[0x60, 0x01, 0x60, 0x06, 0x57, 0x00, 0x5b, 0x00]);
    assert_eq!(edges(&analysis), [(0, 6, EdgeKind::True)]);
}

// Shows S004-26.
#[test]
fn a_dispatcher_is_resolved() {
    // PUSH0, CALLDATALOAD, PUSH1 e0, SHR; twice DUP1, PUSH4 selector, EQ, PUSH1 target, JUMPI; REVERT
    let code = [
        0x5f, 0x35, 0x60, 0xe0, 0x1c, 0x80, 0x63, 0xa9, 0x05, 0x9c, 0xbb, 0x14, 0x60, 0x1c, 0x57, // 15:
        0x80, 0x63, 0x11, 0x22, 0x33, 0x44, 0x14, 0x60, 0x1e, 0x57, // 25:
        0x5f, 0x5f, 0xfd, 0x5b, 0x00, 0x5b, 0x00,
    ];
    let analysis = analyze(&code);
    assert!(analysis.is_closed());
    assert!(analysis.cfg.jumps().iter().all(|jump| jump.status == JumpStatus::Resolved));
    let taken = edges(&analysis).into_iter().filter(|edge| edge.2 == EdgeKind::True);
    assert_eq!(taken.map(|edge| (edge.0, edge.1)).collect::<Vec<_>>(), [(0, 28), (15, 30)]);
}

// Shows S004-37.
#[test]
fn a_loop_that_pushes_has_every_height() {
    // JUMPDEST, PUSH0, PUSH0, JUMP: the work ends though the heights never agree.
    let analysis = analyze(&[0x5b, 0x5f, 0x5f, 0x56]);
    assert_eq!(analysis.entry_height(0), Some((0, 1024)));
}

// Shows S004-45, S004-46, S004-47, S004-48.
#[test]
fn blocks_that_fail_or_never_end_are_not_live() {
    // CALLDATASIZE, PUSH1 11, JUMPI; 4: PUSH0, SLOAD, PUSH1 13, JUMPI; 9: INVALID, STOP; 11: JUMPDEST, STOP; 13: an endless loop.
    let code = [
        0x36, 0x60, 0x0b, 0x57, // 4:
        0x5f, 0x54, 0x60, 0x0d, 0x57, // 9:
        0xfe, 0x00, // 11:
        0x5b, 0x00, // 13:
        0x5b, 0x60, 0x0d, 0x56,
    ];
    let analysis = analyze(&code);
    let liveness = Liveness::compute(&analysis);
    let starts = analysis.blocks.list().iter().zip(&liveness.is_useful);
    let useful: Vec<u32> = starts.filter(|(_, useful)| **useful).map(|(block, _)| block.start).collect();
    assert_eq!(useful, [0, 11], "9 fails, 10 is not reached, 13 never ends");
    let reached = |pc| analysis.is_reached(analysis.blocks.starting_at(pc).expect("a block"));
    assert!(reached(9) && reached(13) && !reached(10));
}

// Shows S004-22.
#[test]
fn a_back_edge_leads_to_what_dominates_its_source() {
    for code in random_codes() {
        let analysis = analyze(&code);
        let structure = Structure::compute(&analysis);
        for (from, to) in &structure.back_edges {
            assert!(structure.dominates(*to, *from), "{code:x?}");
            assert!(analysis.cfg.successors(*from).any(|block| block == *to));
        }
    }
}
