//! What operations do when executed.

use cairn_diag::FileId;
use cairn_evm::{Opcode, Word};
use cairn_ir::interp::{Env, ExternalResult, Outcome, Run, interpret};
use cairn_ir::text::parse;

fn run_in(env: &mut Env<'_>, body: &str) -> Run {
    let text = format!(
        "module @M {{
           data @d = hex\"0102030405\"
           func @__entry() {{\n{body}\n}}
           func @factorial(%n : u256) -> u256 {{
           ^entry:
             %slot = evm.alloca
             evm.mstore %slot, %n
             evm.condbr %n, ^more, ^done
           ^done:
             %one = evm.constant 1
             evm.iret %one
           ^more:
             %below = evm.sub %n, %one2
             %rest = evm.icall @factorial(%below)
             %kept = evm.mload %slot
             %product = evm.mul %kept, %rest
             evm.iret %product
           }}
           module @Inner {{ }}
         }}"
    );
    let text =
        text.replace("%below = evm.sub %n, %one2", "%one2 = evm.constant 1\n%below = evm.sub %n, %one2");
    let module = parse(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?} in\n{text}"));
    interpret(&module, env).unwrap_or_else(|faults| panic!("{faults:?} in\n{text}"))
}

fn outcome(body: &str) -> Outcome {
    run_in(&mut Env::default(), body).outcome
}

/// The word that a body returns.
#[track_caller]
fn gives(body: &str, expected: u64) {
    let bytes = Word::from(expected).to_be_bytes_vec();
    assert_eq!(outcome(&format!("{body}\n evm.return %x")), Outcome::Return(bytes), "{body}");
}

#[test]
fn words_and_wide_integers() {
    gives("%a = evm.constant 7\n %b = evm.constant 3\n %x = evm.sub %a, %b", 4);
    gives("%a = evm.constant 200 : u8\n %x = evm.add %a, %a : u8", 144);
    gives(
        "%a = evm.constant -1\n %w = evm.zext %a : u512\n %p = evm.mul %w, %w\n %s = evm.constant 257 : u512\n %h = evm.shr %s, %p\n %m = evm.constant 255 : u512\n %l = evm.and %h, %m\n %x = evm.trunc %l : u256",
        255,
    );
    gives("%a = evm.constant -3 : u8\n %w = evm.sext %a\n %z = evm.constant 0\n %x = evm.sub %z, %w", 3);
    gives(
        "%p = evm.alloca 64\n %a = evm.constant 9 : u512\n evm.mstore %p, %a\n %t = evm.constant 32\n %q = evm.ptr_add %p, %t\n %x = evm.mload %q",
        9,
    );
    gives(
        "%c = evm.constant true\n %a = evm.constant 5\n %b = evm.constant 6\n %x = evm.select %c, %a, %b",
        5,
    );
    gives(
        "%h = evm.heap_base 128\n %v = evm.constant 0x1234\n evm.mstore8 %h, %v\n %x = evm.mload8 %h",
        0x34,
    );
}

#[test]
fn wide_values_in_storage_and_calldata() {
    gives(
        "%k = evm.constant 7\n %w = evm.constant 5 : u512\n evm.sstore %k, %w\n %l = evm.constant 8\n %x = evm.sload %l",
        5,
    );
    gives(
        "%k = evm.constant 7\n %w = evm.constant 5 : u512\n evm.tstore %k, %w\n %v = evm.tload %k : u512\n %x = evm.trunc %v : u256",
        5,
    );
    let mut env = Env { calldata: [vec![0; 63], vec![9]].concat(), ..Env::default() };
    let run = run_in(
        &mut env,
        "%z = evm.constant 0\n %v = evm.calldataload %z : u512\n %x = evm.trunc %v : u256\n evm.return %x",
    );
    assert_eq!(run.outcome, Outcome::Return([vec![0; 31], vec![9]].concat()));
}

#[test]
fn fixed_point_numbers() {
    let half_squared = "%a = evm.constant -50 : fixed<64,2>\n %b = evm.mul %a, %a\n %k = evm.constant 0\n evm.sstore %k, %b\n %x = evm.sload %k";
    gives(half_squared, 25);
}

#[test]
fn calls_keep_their_frames() {
    gives("%n = evm.constant 5\n %x = evm.icall @factorial(%n)", 120);
}

#[test]
fn edges_pass_all_arguments_at_once() {
    let body = "^e:\n %a = evm.constant 1\n %b = evm.constant 2\n %n = evm.constant 3\n evm.br ^loop(%a, %b, %n)
      ^loop(%p : u256, %q : u256, %i : u256):\n %one = evm.constant 1\n %j = evm.sub %i, %one\n evm.condbr %i, ^loop(%q, %p, %j), ^done
      ^done:\n %ten = evm.constant 10\n %t = evm.mul %p, %ten\n %x = evm.add %t, %q";
    gives(body, 21);
}

#[test]
fn code_behind_a_branch_is_on_the_last_edge() {
    let with = |condition: u64| {
        format!(
            "^e:\n %k = evm.constant 0\n %c = evm.constant {condition}\n %one = evm.constant 1\n evm.condbr %c, ^a, ^b\n evm.sstore %k, %one\n ^a:\n evm.br ^b\n^b:\n %x = evm.sload %k"
        )
    };
    gives(&with(0), 1);
    gives(&with(1), 0);
    let switch = "^e:\n %k = evm.constant 5\n evm.switch %k, default ^d\n case 5 -> ^five\n^d:\n evm.stop\n^five:\n %x = evm.constant 55";
    gives(switch, 55);
}

#[test]
fn memory_data_and_logs() {
    let body = "%h = evm.heap_base 0\n %o = evm.dataoffset @M.d\n %l = evm.datasize @d\n evm.datacopy %h, %o, %l\n evm.log1 %h, %l, %l\n evm.return %h, %l";
    let run = run_in(&mut Env::default(), body);
    assert_eq!(run.outcome, Outcome::Return(vec![1, 2, 3, 4, 5]));
    assert_eq!(
        (run.logs[0].topics.clone(), run.logs[0].data.clone()),
        (vec![Word::from(5)], vec![1, 2, 3, 4, 5])
    );
    gives("%x = evm.datasize @Inner", 32);
    gives("%h = evm.constant 33\n %y = evm.mload %h\n %x = evm.msize", 96);
}

#[test]
fn calldata_ends_in_zeros() {
    let mut env = Env { calldata: vec![1, 2], ..Env::default() };
    let run = run_in(&mut env, "%one = evm.constant 1\n %x = evm.calldataload %one\n evm.return %x");
    assert_eq!(run.outcome, Outcome::Return([vec![2], vec![0; 31]].concat()));
}

#[test]
fn a_failing_run_leaves_no_trace() {
    let mut env = Env::default();
    env.storage.insert(Word::from(1), Word::from(2));
    let run = run_in(
        &mut env,
        "%one = evm.constant 1\n evm.sstore %one, %one\n evm.log0 %one, %one\n %z = evm.constant 0\n evm.revert %z, %one",
    );
    assert_eq!(run.outcome, Outcome::Revert(vec![0]));
    assert_eq!((run.storage, run.logs), (env.storage.clone(), vec![]));
}

#[test]
fn a_static_frame_halts_where_the_state_changes() {
    let static_outcome = |text: &str| run_in(&mut Env { is_static: true, ..Env::default() }, text).outcome;
    let ends = |op: &str| {
        let text = "%x = evm.constant 0\n %y = evm.constant 1";
        static_outcome(&format!("{text}\n {op}\n evm.revert %x, %y"))
    };
    for change in [
        "evm.sstore %x, %y",
        "evm.tstore %x, %y",
        "evm.log1 %x, %x, %y",
        "%a = evm.create %x, %x, %x",
        "%a = evm.create2 %x, %x, %x, %x",
        "%a = evm.call %x, %x, %y, %x, %x, %x, %x",
        "evm.selfdestruct %x",
    ] {
        assert_eq!(ends(change), Outcome::StaticChange, "{change}");
    }
    for other in [
        "%a = evm.sload %x",
        "%a = evm.call %y, %x, %x, %x, %x, %x, %x",
        "%a = evm.callcode %x, %x, %y, %x, %x, %x, %x",
        "%a = evm.delegatecall %x, %x, %x, %x, %x, %x",
    ] {
        assert_eq!(ends(other), Outcome::Revert(vec![0]), "{other}");
    }
}

#[test]
fn runs_end() {
    assert_eq!(outcome("evm.stop"), Outcome::Stop);
    assert_eq!(outcome("evm.invalid"), Outcome::Invalid);
    assert_eq!(outcome("evm.unreachable"), Outcome::Unreachable);
    assert_eq!(outcome("%x = evm.gas"), Outcome::Unreachable);
    assert_eq!(outcome("^e:\n evm.br ^e"), Outcome::Limit("steps"));
    assert_eq!(outcome("%x = evm.constant -1\n %y = evm.mload %x"), Outcome::Limit("memory"));
    assert_eq!(outcome("%x = evm.constant -1\n %y = evm.icall @factorial(%x)"), Outcome::Limit("depth"));
    assert_eq!(outcome("%x = evm.constant 7\n evm.selfdestruct %x"), Outcome::SelfDestruct(Word::from(7)));
    assert_eq!(outcome("%x = evm.constant 1\n evm.returndatacopy %x, %x, %x"), Outcome::Invalid);
    let zero = "%x = evm.constant 1\n %z = evm.constant 0\n %y = evm.muldiv %x, %x, %z";
    assert_eq!(outcome(zero), Outcome::Revert(vec![]));
}

#[test]
fn other_accounts_are_asked() {
    let mut inputs = Vec::new();
    let external = |call: &cairn_ir::interp::External| {
        inputs.push((call.opcode, call.input.clone()));
        ExternalResult {
            word: Word::from(1),
            output: vec![7, 8, 9],
            words: vec![(Opcode::TIMESTAMP, Word::from(5))],
        }
    };
    let mut env = Env { external: Some(Box::new(external)), ..Env::default() };
    env.words.insert(Opcode::CALLER, Word::from(99));
    let body = "%z = evm.constant 0\n %two = evm.constant 2\n %s, %n = evm.staticcall %z, %z, %z, %two, %z, %two
        %who = evm.caller\n evm.sstore %z, %s\n evm.sstore %two, %n\n evm.sstore %who, %who\n evm.return %z, %n";
    let run = run_in(&mut env, body);
    drop(env);
    assert_eq!(inputs, [(Opcode::STATICCALL, vec![0, 0])]);
    assert_eq!(run.outcome, Outcome::Return(vec![7, 8, 0]));
    let expected = [(0, 1), (2, 3), (99, 99)].map(|(key, word)| (Word::from(key), Word::from(word)));
    assert_eq!(run.storage.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(
        outcome("%z = evm.constant 0\n %x = evm.create %z, %z, %z\n evm.return %x"),
        Outcome::Return(vec![0; 32])
    );
}

#[test]
fn unverified_modules_are_refused() {
    let module =
        parse("module @M { func @__entry() { %x = evm.add %x, %x } }", FileId(0)).expect("well-formed");
    assert!(interpret(&module, &mut Env::default()).is_err());
    let module = parse("module @M { }", FileId(0)).expect("well-formed");
    assert!(interpret(&module, &mut Env::default()).is_err());
}
