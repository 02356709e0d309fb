//! More words than stack instructions reach, in every place where words can be: parameters, results,
//! arguments along edges, what lives across calls. Where memory may hold values none is too deep,
//! and nothing is left to the literal scheduler that the default one can do.

mod common;

use cairn_exec::Status;
use cairn_ir::Module;
use cairn_stackify::code::Reach;
use cairn_stackify::global::{Limits, schedule_module_within};
use cairn_stackify::{Mode, ModuleCx};
use common::{compile, options, parse, run};
use std::fmt::Write;

/// `prefix0, prefix1, …`, with what follows each.
fn list(prefix: &str, count: usize, suffix: &str) -> String {
    let words: Vec<String> = (0..count).map(|at| format!("{prefix}{at}{suffix}")).collect();
    words.join(", ")
}

/// An entry function that calls `@f` with this many words of calldata, the first its fuel, and
/// returns its results.
fn module(num_params: usize, num_results: usize, func: &str) -> Module {
    let mut text = String::from("module @M {\n  func @__entry() {\n  ^0:\n");
    let mut line = |line: std::fmt::Arguments<'_>| writeln!(text, "    {line}").expect("a string takes it");
    for at in 0..num_params {
        line(format_args!("%o{at} = evm.constant {} : u256", 32 * at));
        line(format_args!("%a{at} = evm.calldataload %o{at} : u256"));
    }
    let args = list("%a", num_params, "");
    line(format_args!("{} = evm.icall @f({args}) : {}", list("%r", num_results, ""), types(num_results)));
    line(format_args!("%heap = evm.heap_base 128 : ptr<0>"));
    line(format_args!("%start = evm.ptrtoint %heap : u256"));
    for at in 0..num_results {
        line(format_args!("%k{at} = evm.constant {} : u256", 32 * at));
        line(format_args!("%t{at} = evm.add %start, %k{at} : u256"));
        line(format_args!("evm.mstore %t{at}, %r{at}"));
    }
    line(format_args!("%size = evm.constant {} : u256", 32 * num_results));
    line(format_args!("evm.return %start, %size"));
    let params = list("%p", num_params, ": u256");
    let results = types(num_results);
    let text = format!("{text}  }}\n  func @f({params}) -> ({results}) {{\n{func}  }}\n}}\n");
    parse(&text)
}

fn types(count: usize) -> String {
    vec!["u256"; count].join(", ")
}

/// Both schedulers give `expected`; whether the default one gave functions up.
fn check(name: &str, module: &Module, calldata: &[u64], expected: &[u64]) -> bool {
    let bytes: Vec<u8> =
        expected.iter().flat_map(|word| cairn_evm::Word::from(*word).to_be_bytes::<32>()).collect();
    for mode in [Mode::Global, Mode::Spec] {
        let code = compile(module, &options(mode)).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert_eq!(run(&code, calldata).output, bytes, "{name} {mode:?}");
    }
    let options = options(Mode::Global);
    let limits = Limits { reach: Reach::LEGACY, given_up: Vec::new() };
    let scheduled = schedule_module_within(&ModuleCx::new(module, &options), limits);
    !scheduled.unwrap_or_else(|faults| panic!("{name}: {faults:?}")).given_up.is_empty()
}

fn numbers(count: usize) -> Vec<u64> {
    (0..count as u64).map(|at| 3 + 5 * at).collect()
}

#[test]
fn parameters_come_back_in_another_order() {
    for count in [17, 40, 300] {
        let order: Vec<usize> = (0..count).map(|at| (7 * at + 3) % count).collect();
        let returned: Vec<String> = order.iter().map(|at| format!("%p{at}")).collect();
        let module = module(count, count, &format!("  ^0:\n    evm.iret {}\n", returned.join(", ")));
        let words = numbers(count);
        let expected: Vec<u64> = order.iter().map(|at| words[*at]).collect();
        assert!(!check(&format!("{count} parameters"), &module, &words, &expected));
    }
}

/// A call of a function with many results of which some, or none, are used: unused ones lie above,
/// below and between them. Once the function itself, with words that live across the call.
#[test]
fn results_that_nobody_uses() {
    for (count, step) in [(18, 3), (40, 2), (40, 7), (40, 40), (120, 5)] {
        let used: Vec<usize> = (0..count).filter(|at| at % step == step - 1).collect();
        let words: Vec<String> = (0..count)
            .map(|at| if used.contains(&at) { format!("%c{at}") } else { format!("%p{at}") })
            .collect();
        let body = format!(
            "  ^0:\n    evm.condbr %p0, ^again, ^done\n  ^done:\n    evm.iret {}\n  ^again:\n    \
             %one = evm.constant 1 : u256\n    %less = evm.sub %p0, %one : u256\n    \
             {} = evm.icall @f(%less, {}) : {}\n    evm.iret {}\n",
            list("%p", count, ""),
            list("%c", count, ""),
            (1..count).map(|at| format!("%p{}", count - at)).collect::<Vec<_>>().join(", "),
            types(count),
            words.join(", "),
        );
        let module = module(count, count, &body);
        let mut given = numbers(count);
        given[0] = 1;
        let mut called: Vec<u64> = given.clone();
        called[1..].reverse();
        called[0] = 0;
        let pick = |at: usize| if used.contains(&at) { called[at] } else { given[at] };
        let expected: Vec<u64> = (0..count).map(pick).collect();
        assert!(!check(&format!("{count} results, one in {step} used"), &module, &given, &expected));
    }
}

/// A loop of three rounds, each of which passes all words on by one place.
#[test]
fn words_change_places_in_a_loop() {
    for count in [17, 60, 1100] {
        let lines = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
        let first = lines(&|at| {
            format!(
                "    %w{at} = evm.constant {} : u256\n    %x{at} = evm.add %w{at}, %p0 : u256\n    \
                 %s{at} = evm.alloca : ptr<0>\n    evm.mstore %s{at}, %x{at}\n",
                at % 50
            )
        });
        let load = lines(&|at| format!("    %v{at} = evm.mload %s{at} : u256\n"));
        let store = lines(&|at| format!("    evm.mstore %s{at}, %v{}\n", (at + 1) % count));
        let last = lines(&|at| format!("    %y{at} = evm.mload %s{at} : u256\n"));
        let body = format!(
            "  ^0:\n    %zero = evm.constant 0 : u256\n    %i = evm.alloca : ptr<0>\n    \
             evm.mstore %i, %zero\n{first}    evm.br ^header\n  ^header:\n    \
             %three = evm.constant 3 : u256\n    %done = evm.mload %i : u256\n    \
             %goes = evm.lt %done, %three : bool\n    evm.condbr %goes, ^body, ^exit\n  ^body:\n    \
             %one = evm.constant 1 : u256\n    %next = evm.add %done, %one : u256\n    \
             evm.mstore %i, %next\n{load}{store}    evm.br ^header\n  ^exit:\n{last}    evm.iret {}\n",
            list("%y", 17, ""),
        );
        let module = module(1, 17, &body);
        let expected: Vec<u64> = (0..17).map(|at| 9 + ((at + 3) % count % 50) as u64).collect();
        assert_eq!(check(&format!("{count} words in a loop"), &module, &[9], &expected), count > 1000);
    }
}

/// Words that are read before a call of the function itself and needed after it.
#[test]
fn words_live_across_recursion() {
    for count in [20, 150, 300] {
        let mut body = String::from(
            "  ^0:\n    evm.condbr %p0, ^again, ^done\n  ^done:\n    evm.iret %p0\n  ^again:\n    \
             %one = evm.constant 1 : u256\n    %less = evm.sub %p0, %one : u256\n",
        );
        for at in 0..count {
            write!(
                body,
                "    %k{at} = evm.constant {at} : u256\n    %l{at} = evm.sload %k{at} : u256\n    \
                 %m{at} = evm.add %l{at}, %p0 : u256\n    evm.sstore %k{at}, %m{at}\n"
            )
            .expect("a string takes it");
        }
        writeln!(body, "    %s0 = evm.icall @f(%less) : u256").expect("a string takes it");
        for at in 0..count {
            writeln!(body, "    %s{} = evm.add %s{at}, %l{at} : u256", at + 1).expect("a string takes it");
        }
        writeln!(body, "    evm.iret %s{count}").expect("a string takes it");
        let module = module(1, 1, &body);
        // The second activation finds what the first one stored: 2 in each place.
        assert!(!check(&format!("{count} words across"), &module, &[2], &[2 * count as u64]));
    }
}

/// What the EVM's stack cannot hold is an error of the program.
#[test]
fn more_saved_than_the_stack_holds() {
    let count = 600;
    let sum: String =
        (1..count).map(|at| format!("    %s{at} = evm.add %s{}, %p{at} : u256\n", at - 1)).collect();
    let load: String = (0..count)
        .map(|at| format!("    %k{at} = evm.constant {at} : u256\n    %l{at} = evm.sload %k{at} : u256\n    evm.sstore %k{at}, %p0\n"))
        .collect();
    let used: String = (0..count).map(|at| format!("    evm.sstore %l{at}, %s{}\n", count - 1)).collect();
    let body = format!(
        "  ^0:\n    evm.condbr %p0, ^again, ^done\n  ^done:\n    evm.iret %p0\n  ^again:\n{load}    \
         %s0 = evm.icall @f({}) : u256\n{sum}{used}    evm.iret %s{}\n",
        list("%p", count, ""),
        count - 1,
    );
    let module = module(count, 1, &body);
    for mode in [Mode::Global, Mode::Spec] {
        let faults = compile(&module, &options(mode)).expect_err("1200 words are needed at once");
        let text = format!("{faults:?}");
        assert!(text.contains("needs more memory after a call of itself"), "{mode:?} {text}");
    }
}

/// Results of a call that never comes back take no place.
#[test]
fn results_that_never_come() {
    let body = "  ^0:\n    %zero = evm.constant 0 : u256\n    evm.revert %zero, %zero\n";
    let module = module(0, 1000, body);
    for mode in [Mode::Global, Mode::Spec] {
        let code = compile(&module, &options(mode)).unwrap_or_else(|faults| panic!("{mode:?} {faults:?}"));
        assert_ne!(run(&code, &[]).status, Status::Success, "{mode:?}");
    }
}
