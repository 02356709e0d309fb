//! What programs give back, stored word by word, while more values are alive than the stack has room for.
//!
//! A *crowd* is up to forty values that are computed from each other and alive at once, over branches, loops and calls
//! of functions with many parameters and results, so that some live in memory behind what the program reserves. In
//! it and at its end stand *outputs*: `return` or `revert` of up to 500 bytes, most of them longer than that.
//!
//! Varies: what is reserved, and whether there is a frame; where an output is built (free memory, memory allocated
//! before, constants, where a parameter says), its size, whether it begins with a selector; the order of its stores,
//! some over others, of single bytes, behind the output; what is stored (constants that other ends use, too, values of
//! the crowd, what is computed, loaded or given back by functions before all stores or between them); who deploys.
//!
//! Not taken for granted: that a value that is stored lies on the stack, that stores of an output come in order, that
//! nothing is computed behind the first of them, that what is called between them has no frame.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, code};
use crate::teeth::{faults_are_seen, passes_have_something_to_do};
use crate::ways::{chosen, filled};
use crate::world;

/// By what is reserved; 0 is a program without a frame, whose values have to find room on the stack.
const PICTURES: [fn() -> (usize, Picture); 9] =
    [of::<0>, of::<64>, of::<96>, of::<96>, of::<128>, of::<128>, of::<160>, of::<256>, of::<608>];

/// Beside two that every function has.
const N_PARAMETERS: usize = 6;

/// What a value of a crowd is made of, the one before it as `#b`.
const STEP: &str = "[add(mul(#b, 0x10001), #x)|add(mul(#b, 31), calldataload(#s))|xor(not(#b), sload(#s))|\
    sub(shl(3, #b), caller())|add(#b, shl(96, #k))|add(div(#b, 3), #c)]";

/// What is done to a crowd without a look at memory.
const CHANGE: &str = "[#c := add(mul(#c, 5), #c)|#v := xor(#c, #x)|#c := #f|if #t { #c := not(#c) #v := #f }|\
    switch and(#c, 3) case 0 { #c := #k } case 1 { #c := add(#c, 9) } default { #v := #c }|\
    for { let #n := 0 } lt(#n, and(#c, 3)) { #n := add(#n, 1) } { #c := add(mul(#c, 3), #n) }]\n";

/// What else is done; 0xe1 is [`world::ECHO`].
const EFFECT: &str = "[#w|#w|sstore(#s, #c)|tstore(1, #c)|log1(0, 0x20, #c)|mstore(0x20, #c)|if #t { #w }|\
    #c := keccak256(0, 0x40)|#c := add(mload(0), #c)|if call(gas(), 0xe1, 0, 0, 0x40, 0, 0x20) { #c := mload(0) }]\n";

/// Words of outputs, by kind; `#i` counts.
const WORDS: [&str; 7] = [
    "#k",
    "#c",
    "[#k|#k|#c|#x]",
    "[0|calldataload(#i)|calldataload(#i)|calldataload(#i)]",
    "[add(#c, #c)|mul(#c, 0x101)|sload(#s)|xor(calldataload(#s), #k)]",
    "[#c|#f|#k|add(#f, #f)]",
    "[#c|#k|#x|sload(#s)|add(#c, #k)|and(#c, 0xffffffffffffffffffff)|keccak256(0, 0x20)]",
];

/// Ends that differ from each other in some words.
const FAILURE: &str = "let #n := #p mstore(#n, shl(224, 0x8c379a0)) mstore(add(#n, 4), 0x20) \
    mstore(add(#n, 36), [11|12|#c]) mstore(add(#n, 68), [#k|#k|#c]) [revert(#n, 100)|mstore(add(#n, 100), #k) \
    mstore(add(#n, 132), #k) mstore(add(#n, 164), [#k|1]) mstore(add(#n, 196), [#k|#c]) revert(#n, 228)]\n";

/// What many outputs share.
const CONSTANT: &str = "[0x20|17|0x4e487b71|not(0)|shl(160, 0x9d)|\
    0x546f6f206d616e792076616c75657320666f722074686520737461636b210000|\
    0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47]";

/// Creation code reads its arguments instead of call data.
const ARGUMENT: &str =
    "function argument(i) -> r { codecopy(0, add(datasize(\"a\"), i), 0x20) r := mload(0) }";

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let (guard, picture) = random.pick(&PICTURES)();
    let body = code(&mut random, &picture);
    let heap = if guard == 0 { "0x80".to_owned() } else { format!("memoryguard({guard})") };
    let text = format!("{{\n{body}function heap() -> p {{ p := {heap} }}\n");
    let calls = (0..6).flat_map(|_| world::calls(&mut random)).collect();
    if !random.once_in(8) {
        return Case { text: text + "}\n", role: Role::Runtime, to: world::CONTRACT, calls };
    }
    let text = text.replace("calldataload(", "argument(");
    let text = format!("object \"a\" {{ code {text}{ARGUMENT} }} }}\n");
    Case { text, role: Role::CreationWithArguments, to: world::CONTRACT, calls: Vec::new() }
}

fn of<const GUARD: usize>() -> (usize, Picture) {
    let special = |skeleton: &mut Skeleton<'_>| Crowd::new(GUARD, 2).block(skeleton, Crowd::mix);
    let end = |skeleton: &mut Skeleton<'_>| Crowd::new(GUARD, 2).block(skeleton, Crowd::output);
    (GUARD, Picture { start: start::<GUARD>, special, end, functions: "" })
}

/// The pointer, where there is room for it, and the functions: `out` does not come back.
fn start<const GUARD: usize>(skeleton: &mut Skeleton<'_>) -> String {
    skeleton.is_function = true;
    let [pure, wide, mut out] = [0, 1, 1].map(|n_functions| Crowd::new(GUARD, n_functions));
    out.place = format!("[p|p|{}]", out.place);
    let (list, out) = (out.names.join(", "), out.output(skeleton));
    let [pure, wide] = [pure, wide].map(|crowd| crowd.block(skeleton, Crowd::mix));
    skeleton.is_function = false;
    format!(
        "{}function pure(p0, p1, {list}) -> p2 {{\n{pure}}}\n\
         function wide(p0, p1, {list}) -> p2, r, s {{\n{wide}r := p0 s := add(a0, p2) }}\n\
         function out(p, p0, p1, {list}) {{ let p2 := not(p0)\n{out}}}\n",
        if GUARD == 64 { "" } else { "mstore(0x40, heap())\n" },
    )
}

/// Values that are alive at once.
struct Crowd {
    guard: usize,
    /// How many functions are called: `pure`, which does not look at memory, and `wide`.
    n_functions: usize,
    names: Vec<String>,
    /// Where outputs are built.
    place: String,
}

impl Crowd {
    /// The parameters of a function; what is outside of functions calls all of them.
    fn new(guard: usize, n_functions: usize) -> Self {
        let n = if n_functions > 1 { 0 } else { N_PARAMETERS };
        let names = (0..n).map(|index| format!("a{index}")).collect();
        let place = match guard {
            0 => "[heap()|mload(0x40)|0|0x20|0x80|0x100]",
            64 => "heap()",
            608 => "[heap()|mload(0x40)|0|0x20]",
            _ => "[heap()|mload(0x40)|mload(0x40)]",
        };
        Crowd { guard, n_functions, names, place: place.to_owned() }
    }

    /// Computes more values, gives some back in branches, and ends in this way.
    fn block(mut self, skeleton: &mut Skeleton<'_>, end: fn(&Self, &mut Skeleton<'_>) -> String) -> String {
        let name = skeleton.fresh("c");
        let n = if self.guard == 0 { skeleton.random.between(1, 2) } else { skeleton.random.between(2, 40) };
        self.names.push(name.clone());
        let mut text = format!("let {name} := {}\n", skeleton.value());
        for index in 0..n {
            let step = STEP.replace("#b", &self.names[self.names.len() - 1]);
            text += &format!("let {name}_{index} := {}\n", self.fill(skeleton, &step));
            self.names.push(format!("{name}_{index}"));
        }
        if self.guard != 64 && self.n_functions > 0 && skeleton.random.once_in(3) {
            text += &format!("let {name}p := mload(0x40) mstore(0x40, add({name}p, 0x240))\n");
            self.place = format!("[{name}p|{}]", self.place);
        }
        for _ in 0..skeleton.random.below(3) {
            text += &self.fill(skeleton, CHANGE);
            if self.n_functions > 0 {
                text += &self.fill(skeleton, &format!("{EFFECT}if eq(and(#c, 7), [0|3|5])"));
                text += &format!("{{ {}}}\n", self.output(skeleton));
            }
        }
        format!("{{\n{text}{}}}\n", end(&self, skeleton))
    }

    /// Needs all values, and goes on.
    fn mix(&self, skeleton: &mut Skeleton<'_>) -> String {
        let sum = self.names.iter().fold("1".to_owned(), |sum, name| format!("add(mul({sum}, 31), {name})"));
        format!("{} := {sum}\n", skeleton.variable())
    }

    /// Ends the frame.
    fn output(&self, skeleton: &mut Skeleton<'_>) -> String {
        let (n, start) = (skeleton.random.between(1, 15), 4 * skeleton.random.below(2));
        let (place, at, size) = (chosen(&self.place, skeleton.random), skeleton.fresh("q"), 0x20 * n + start);
        match skeleton.random.below(8) {
            0 if self.n_functions > 1 => return self.fill(skeleton, &format!("out({place}, #a)\n")),
            1 | 2 => return self.fill(skeleton, &FAILURE.replace("#p", &place)),
            _ => {}
        }
        let (words, is_early) = (*skeleton.random.pick(&WORDS), skeleton.random.once_in(3));
        let (mut text, mut stores) = (format!("let {at} := {place}\n"), Vec::new());
        let others = [("mstore8", size / 3), ("mstore", size / 3), ("mstore", size)];
        for (operation, offset) in (0..n).map(|index| ("mstore", start + 0x20 * index)).chain(others) {
            let word = words.replace("#i", &offset.to_string());
            let store = format!("let #n := {word}\n@{operation}(add({at}, {offset}), #n)\n");
            let store = self.fill(skeleton, &store);
            let (before, behind) = store.split_once('@').filter(|_| is_early).unwrap_or(("", &store));
            text += before;
            stores.push(behind.replace('@', ""));
        }
        let effect = self.fill(skeleton, &format!("[{CHANGE}|{EFFECT}]"));
        let less = self.fill(skeleton, "[0|0|0|0|1|0x11|and(#c, 15)|and(#x, 15)]");
        let (random, others) = (&mut *skeleton.random, stores.split_off(n));
        match random.below(4) {
            0 => stores.reverse(),
            1 => (1..n).for_each(|index| stores.swap(index, random.below(index + 1))),
            _ => {}
        }
        if start > 0 {
            stores.insert(0, format!("mstore({at}, shl(224, 0x{:x}))\n", random.next() >> 32));
        }
        for other in others.into_iter().chain([effect]) {
            if random.once_in(5) {
                stores.insert(random.between(1, n), other);
            }
        }
        let end = *random.pick(&["return", "revert"]);
        format!("{text}{}{end}({at}, sub({size}, {less}))\n", stores.concat())
    }

    /// Beside what [`Skeleton::one_of`] knows: `#c` is a value of the crowd, `#k` a constant, `#s` a small number, `#a`
    /// arguments, `#f` and `#w` calls of functions with one result and three, where they may be called.
    fn fill(&self, skeleton: &mut Skeleton<'_>, template: &str) -> String {
        let template = chosen(template, skeleton.random);
        let text = filled(&template, |letter| match letter {
            "c" => skeleton.random.pick(&self.names).clone(),
            "k" => chosen(CONSTANT, skeleton.random),
            "s" => format!("{}", 4 + 0x20 * skeleton.random.below(4)),
            "a" => self.fill(skeleton, &["#c"; 2 + N_PARAMETERS].join(", ")),
            "f" => self.fill(skeleton, if self.n_functions > 0 { "pure(#a)" } else { "#c" }),
            "w" if self.n_functions > 1 && self.names.len() > 2 => {
                let first = skeleton.random.below(self.names.len() - 2);
                self.fill(skeleton, &format!("{} := wide(#a)", self.names[first..first + 3].join(", ")))
            }
            "w" => "pop(callvalue())".to_owned(),
            other => format!("#{other}"),
        });
        skeleton.one_of(&[&text])
    }
}

#[test]
fn outputs_are_moved() {
    passes_have_something_to_do(case, &["relocate-output"], 16, 3);
}

#[test]
fn other_outputs_are_seen() {
    faults_are_seen(case, "function heap()", &[("mstore(", "pass_over("), ("add(", "sub(")], 8);
}
