//! A3: frames lie between the reserved bound and the heap; the program touches what is next to them.
//!
//! Many variables live at once and functions with many arguments put values into frames, also of
//! constructors and before reverts. The program writes the last bytes below the bound and the first
//! from the heap on, and gives both back whole. Varies: the bound, unaligned ones too. Not taken for
//! granted: that the bound is 0x80, that 0x40 holds a pointer, that a frame ends well.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, code};
use crate::world;

const BOUNDS: [usize; 8] = [0x20, 0x40, 0x60, 0x80, 0x81, 0x9f, 0x100, 0x221];
const N_VARIABLES: usize = 18;

const STATEMENTS: [&str; 13] = [
    "mstore(sub(BOUND, 0x20), #x)",
    "mstore8(sub(BOUND, 1), #x)",
    "mstore8(0, #x)",
    "mstore(heap(), #x)",
    "mstore8(heap(), #x)",
    "mstore(add(heap(), and(#x, 0x3f)), #x)",
    "calldatacopy(heap(), 0, 0x45)",
    "calldatacopy(0, 1, BOUND)",
    "mcopy(heap(), 0, BOUND)",
    "mcopy(sub(BOUND, 0x20), heap(), 0x20)",
    "#v := mload(sub(BOUND, 0x20))",
    "#v := xor(#v, mload(heap()))",
    "pop(staticcall(gas(), 4, 0, BOUND, heap(), BOUND))",
];

pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let bound = *random.pick(&BOUNDS);
    let picture = Picture { start, special, end, functions: "" };
    let body = code(&mut random, &picture);
    let heap = format!("memoryguard(0x{bound:x})");
    let functions = format!("function heap() -> start {{ start := {heap} }}\n{}", many_arguments());
    let text = format!("{{\n{body}{functions}}}\n").replace("BOUND", &format!("0x{bound:x}"));
    let role = if random.once_in(4) { Role::Creation } else { Role::Runtime };
    Case { text, role, to: world::CONTRACT, calls: world::calls(&mut random) }
}

fn start(_: &mut Skeleton<'_>) -> String {
    (0..N_VARIABLES).map(|n| format!("let k{n} := add(calldataload({n}), {n})\n")).collect()
}

fn special(skeleton: &mut Skeleton<'_>) -> String {
    if !skeleton.is_function && skeleton.random.once_in(3) {
        let (one, other) = (skeleton.random.below(N_VARIABLES), skeleton.random.below(N_VARIABLES));
        return match skeleton.random.below(3) {
            0 => format!("k{one} := add(k{other}, {})", skeleton.value()),
            1 => format!("k{one}, k{} := many({})", (one + 1) % N_VARIABLES, all("k")),
            _ => skeleton.one_of(&["#v := add(#v, k3)", "#v := mul(#v, k17)"]),
        };
    }
    skeleton.one_of(&STATEMENTS)
}

fn all(prefix: &str) -> String {
    (0..N_VARIABLES).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join(", ")
}

/// A function whose arguments do not fit what stack instructions reach.
fn many_arguments() -> String {
    let sum = (0..N_VARIABLES).fold("1".to_owned(), |sum, n| format!("add(mul({sum}, 3), a{n})"));
    format!("function many({}) -> r, s {{ r := {sum} mstore(heap(), r) s := sub(a0, a17) }}\n", all("a"))
}

/// Every variable is needed up to the end, where all of the program's memory is given back.
fn end(skeleton: &mut Skeleton<'_>) -> String {
    let sum = (0..N_VARIABLES).fold("1".to_owned(), |sum, n| format!("add(mul({sum}, 3), k{n})"));
    let end = if skeleton.random.once_in(2) { "revert" } else { "return" };
    format!(
        "sstore(51, {sum}) sstore(52, keccak256(heap(), 0x60))\nif {} {{ {end}(heap(), 0x60) }}\n{end}(0, BOUND)",
        skeleton.test()
    )
}
