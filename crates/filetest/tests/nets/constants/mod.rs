//! Long words that many blocks use, where the stack is nearly full, full, and over.
//!
//! A program has a few *long* words (`words`): 20 to 32 bytes, masks, selectors at the top, amounts of 5 to 9
//! bytes, sums, complements and negatives of each other, immutables and the address of a library. Statements
//! (`statements`) use them in branches, in one arm or both, in arms that revert, return, stop and leave, in heads,
//! steps and bodies of loops with `break` and `continue`, in switches, also as what is compared there, and in
//! functions that are called several times, one of which calls itself; as operands, arguments, results, keys and
//! words of storage, words of memory that are hashed, logged and handed to other contracts. Up to twenty-two
//! variables live across all of that.
//!
//! Varies: how many words and variables there are, how often a statement asks for a long word, whether there is a
//! frame, whether code is deployed by a constructor that does such things itself.
//!
//! Not taken for granted: that a word is used again on the way that is taken; that two uses of equal words, or a
//! word and what is computed from it, have anything to do with each other; that what lies on the stack can be
//! reached.

mod statements;
mod teeth;
mod words;

use crate::harness::{self, Case, Role, Variant};
use crate::random::Random;
use crate::world;
use cairn_driver::Options;
use cairn_exec::{Message, U256};
use statements::Body;

/// Calls beside those of every net.
const CALLS: usize = 6;

/// The levels, with the library.
pub(crate) fn variants(seed: u64) -> Vec<Variant> {
    harness::variants(seed).into_iter().map(|(name, options)| (name, linked(options))).collect()
}

/// With an address for the library.
fn linked(options: Options) -> Options {
    let address = std::array::from_fn(|index| 0xa1 + 3 * index as u8);
    Options { libraries: vec![(words::LIBRARY.to_owned(), address)], ..options }
}

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let has_frame = !random.once_in(6);
    let is_deployed = random.once_in(2);
    let words = words::long_words(&mut random, is_deployed);
    let called = format!("code {{\n{}}}", code(&mut random, words, has_frame, true));
    let (text, role) = if is_deployed {
        let words = words::long_words(&mut random, false);
        let constructor = code(&mut random, words, has_frame, false);
        (
            format!("object \"a\" {{ code {{\n{constructor}}}\nobject \"b\" {{ {called} }} }}\n"),
            Role::Creation,
        )
    } else {
        (format!("object \"b\" {{ {called} }}\n"), Role::Runtime)
    };
    let mut calls = world::calls(&mut random);
    calls.extend((0..CALLS).map(|_| any_call(&mut random)));
    Case { text, role, to: world::CONTRACT, calls }
}

/// A call of words that have any bits, so that tests of bits go each way.
fn any_call(random: &mut Random) -> Message {
    let words: Vec<U256> = (0..5).map(|_| U256::from(random.next()) << random.below(3)).collect();
    world::words(&words)
}

/// The code of an object, with the functions that it calls. A constructor runs to its end and deploys `b`.
fn code(random: &mut Random, words: Vec<String>, has_frame: bool, is_called: bool) -> String {
    let n_live = if has_frame { random.between(1, 22) } else { random.between(1, 9) };
    let mut body = Body::new(random, words, is_called);
    let mut functions = String::new();
    for name in ["f", "g", "h"] {
        if !body.random.once_in(4) {
            let n_live = if has_frame { body.random.between(0, 12) } else { body.random.between(0, 3) };
            functions += &body.function(name, n_live);
        }
    }
    if body.random.once_in(2) {
        functions += &body.recursive_function();
    }
    let (start, place) =
        if has_frame { ("mstore(0x40, memoryguard(0x80))\n", "mload(0x40)") } else { ("", "0x80") };
    // A program that calls itself goes no further.
    let leaf = if is_called {
        "if lt(calldatasize(), 0x41) { mstore(0, not(calldataload(0))) return(0, 0x20) }\n"
    } else {
        ""
    };
    let main = body.main(n_live);
    let end = if is_called {
        "mstore(0, sum) return(0, 0x20)\n".to_owned()
    } else {
        let sets: String = words::IMMUTABLES
            .iter()
            .enumerate()
            .map(|(index, name)| format!("setimmutable(place, \"{name}\", {})\n", body.immutable(index)))
            .collect();
        format!(
            "sstore(8, sum)\nlet place := {place} let size := datasize(\"b\")\n\
             datacopy(place, dataoffset(\"b\"), size)\n{sets}return(place, size)\n"
        )
    };
    format!("{start}sstore(6, linkersymbol(\"{}\"))\n{leaf}{main}{end}{functions}", words::LIBRARY)
}
