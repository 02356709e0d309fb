//! `evm.muldiv` against the best published forms of 512-bit mulDiv: results are the same, gas is not more for
//! products of a word, but for 2^256 - 1, nor for others than golfers' form takes. The form of libraries may take up to
//! [`QUICK`] less for others: it does without the quick way out.
//!
//! Compared are two forms of the algorithm of Remco Bloemen, written here in Yul: that of gas golfers
//! (a quick way out if a division shows that the product fits a word) and that of the libraries of
//! contracts (the high word is computed first: more for products of a word, less for others). Both
//! divide exactly by an inverse from six Newton steps. All programs read three words from calldata and
//! return one, and go through the same pipeline.

use crate::generate::Choices;
use cairn_driver::{Emit, Input, Language, Level, Options, Session, build};
use cairn_evm::{Fork, Word};
use cairn_exec::{Environment, Machine, Message, Outcome, Status};

use crate::pipeline::CONTRACT;

const GOLFED: &str = "{
  {
    mstore(0, mul_div(calldataload(0), calldataload(32), calldataload(64)))
    return(0, 32)
  }
  function mul_div(x, y, d) -> z {
    z := mul(x, y)
    for {} 1 {} {
      if iszero(mul(or(iszero(x), eq(div(z, x), y)), d)) {
        let m := mulmod(x, y, not(0))
        let high := sub(m, add(z, lt(m, z)))
        let r := mulmod(x, y, d)
        let t := and(d, sub(0, d))
        if iszero(gt(d, high)) { revert(0, 0) }
        d := div(d, t)
        let inverse := xor(2, mul(3, d))
        inverse := mul(inverse, sub(2, mul(d, inverse)))
        inverse := mul(inverse, sub(2, mul(d, inverse)))
        inverse := mul(inverse, sub(2, mul(d, inverse)))
        inverse := mul(inverse, sub(2, mul(d, inverse)))
        inverse := mul(inverse, sub(2, mul(d, inverse)))
        z := mul(
          or(mul(sub(high, gt(r, z)), add(div(sub(0, t), t), 1)), div(sub(z, r), t)),
          mul(sub(2, mul(d, inverse)), inverse)
        )
        break
      }
      z := div(z, d)
      break
    }
  }
}";

const OF_LIBRARIES: &str = "{
  {
    mstore(0, mul_div(calldataload(0), calldataload(32), calldataload(64)))
    return(0, 32)
  }
  function mul_div(x, y, d) -> z {
    let m := mulmod(x, y, not(0))
    let low := mul(x, y)
    let high := sub(sub(m, low), lt(m, low))
    if iszero(high) {
      if iszero(d) { revert(0, 0) }
      z := div(low, d)
      leave
    }
    if iszero(gt(d, high)) { revert(0, 0) }
    let r := mulmod(x, y, d)
    high := sub(high, gt(r, low))
    low := sub(low, r)
    let t := and(d, sub(0, d))
    d := div(d, t)
    low := or(div(low, t), mul(high, add(div(sub(0, t), t), 1)))
    let inverse := xor(mul(3, d), 2)
    inverse := mul(inverse, sub(2, mul(d, inverse)))
    inverse := mul(inverse, sub(2, mul(d, inverse)))
    inverse := mul(inverse, sub(2, mul(d, inverse)))
    inverse := mul(inverse, sub(2, mul(d, inverse)))
    inverse := mul(inverse, sub(2, mul(d, inverse)))
    inverse := mul(inverse, sub(2, mul(d, inverse)))
    z := mul(low, inverse)
  }
}";

const OURS: &str = "module @m {
  func @__entry() {
    %0 = evm.constant 0
    %x = evm.calldataload %0
    %1 = evm.constant 32
    %y = evm.calldataload %1
    %2 = evm.constant 64
    %d = evm.calldataload %2
    %z = evm.muldiv %x, %y, %d
    %zero = evm.constant 0
    evm.mstore %zero, %z
    %word = evm.constant 32
    evm.return %zero, %word
  }
}";

/// Gas beyond a word that the quick way out costs where the high word is computed first instead.
const QUICK: u64 = 4;

fn deployed(text: &str, language: Language, fork: Fork, level: Level) -> Machine {
    let input = Input { name: "muldiv".to_owned(), text: text.to_owned(), language };
    let options = Options { level, fork, ..Options::default() };
    let mut session = Session::default();
    let artifacts = build(&input, &[Emit::Bin], &options, &mut session);
    let artifacts = artifacts.unwrap_or_else(|fault| panic!("{fault:?}: {:?}", session.diagnostics));
    let code = artifacts.get(Emit::Bin).expect("an artifact that was asked for");
    let mut machine = Machine::new(Environment { fork, ..Environment::default() });
    machine.set_code(CONTRACT, cairn_evm::hex::decode(code.trim()).expect("hex"));
    machine
}

fn call(machine: &mut Machine, args: &[Word; 3]) -> Outcome {
    let data: Vec<u8> = args.iter().flat_map(|word| word.to_be_bytes::<32>()).collect();
    machine.call(CONTRACT, &Message::new(data)).expect("a valid transaction")
}

/// The mean gas of ours and theirs, on products that fit a word and on those that do not, which may take `spare` more.
fn compare(published: &str, spare: u64, fork: Fork, level: Level, count: u64) -> [[u64; 2]; 2] {
    let mut published = deployed(published, Language::Yul, fork, level);
    let mut ours = deployed(OURS, Language::EvmIr, fork, level);
    let mut choices = Choices::from_seed(1);
    let mut sums = [[0, 0], [0, 0]];
    let mut counts = [0, 0];
    for _ in 0..count {
        let args = [256, 256, 256].map(|bits| choices.number(bits));
        let [theirs, ours] = [&mut published, &mut ours].map(|machine| call(machine, &args));
        assert_eq!((theirs.status, &theirs.output), (ours.status, &ours.output), "{args:x?}");
        // The one product of a word that the quick way out does not take.
        let product = args[0].checked_mul(args[1]);
        if theirs.status != Status::Success || product == Some(Word::MAX) {
            continue;
        }
        let kind = usize::from(product.is_none());
        let most = theirs.gas.execution + [0, spare][kind];
        assert!(ours.gas.execution <= most, "{args:x?}: {:?} {:?}", ours.gas, theirs.gas);
        sums[kind][0] += ours.gas.execution;
        sums[kind][1] += theirs.gas.execution;
        counts[kind] += 1;
    }
    [0, 1].map(|kind| sums[kind].map(|sum| sum / u64::max(counts[kind], 1)))
}

#[test]
fn gas_is_at_most_that_of_the_published_algorithms() {
    for (name, published, spare) in [("golfed", GOLFED, 0), ("of libraries", OF_LIBRARIES, QUICK)] {
        for (fork, level) in [(Fork::Osaka, Level::O2), (Fork::Osaka, Level::O3), (Fork::Cancun, Level::O2)] {
            let [single, wide] = compare(published, spare, fork, level, 400);
            eprintln!(
                "{name}, {fork} -O{level}: gas {} of {} in one word, {} of {} beyond",
                single[0], single[1], wide[0], wide[1]
            );
        }
    }
}
