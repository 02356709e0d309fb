//! Sets of words against the words in them: given ones and random ones.

use super::*;
use cairn_testkit::next_random;

fn w(value: u64) -> Word {
    Word::from(value)
}

/// Sets with some of their members.
fn samples() -> Vec<(Facts, Vec<Word>)> {
    let words = [w(0), w(1), w(5), w(31), w(0x80), w(0xff), w(256), w(1) << 64, word::MIN_SIGNED, Word::MAX];
    let mut sets: Vec<Facts> = words.iter().map(|word| Facts::exactly(*word)).collect();
    sets.extend([Facts::ANY, Facts::low_bits(1), Facts::low_bits(8), Facts::low_bits(160)]);
    sets.extend([Facts::between(w(3), w(40)), Facts::between(word::MIN_SIGNED, Word::MAX)]);
    sets.extend([
        Facts::from_bits(w(31), w(0x80)),
        Facts::from_bits(!w(0xf0), w(0x10)),
        Facts::exactly(!w(31)),
    ]);
    let members = |facts: &Facts| {
        let mut members: Vec<Word> =
            words.into_iter().chain([facts.lo, facts.hi, w(0x90), w(17), w(0xa0)]).collect();
        members.retain(|word| facts.has(*word));
        members
    };
    sets.into_iter().map(|facts| (facts, members(&facts))).collect()
}

#[test]
fn transfer_keeps_every_result() {
    let samples = samples();
    for op in Opcode::all().filter(|op| op.is_arithmetic()) {
        for (a, a_members) in &samples {
            if op.known().inputs == 1 {
                check(op, &[a], &[a_members]);
                continue;
            }
            for (b, b_members) in &samples {
                match op.known().inputs {
                    2 => check(op, &[a, b], &[a_members, b_members]),
                    _ => check(op, &[a, b, a], &[a_members, b_members, a_members]),
                }
            }
        }
    }
}

fn check(op: Opcode, args: &[&Facts], members: &[&Vec<Word>]) {
    let result = transfer(op, args);
    let mut tuples: Vec<Vec<Word>> = vec![vec![]];
    for choices in members {
        let longer = |tuple: &Vec<Word>| {
            let tuple = tuple.clone();
            choices.iter().map(move |word| tuple.iter().copied().chain([*word]).collect::<Vec<_>>())
        };
        tuples = tuples.iter().flat_map(longer).collect();
    }
    for tuple in tuples {
        let word = word::eval(op, &tuple).expect("evaluable");
        assert!(result.has(word), "{op:?} {tuple:x?} = {word:x} not in {result:x?} from {args:x?}");
    }
}

#[test]
fn what_checks_rely_on() {
    let small = Facts::low_bits(64);
    let of = |op, a: Facts, b: Facts| transfer(op, &[&a, &b]);
    let sum = of(Opcode::ADD, small, Facts::exactly(w(31)));
    assert_eq!(of(Opcode::LT, sum, small).as_word(), None);
    assert_eq!(of(Opcode::GT, sum, Facts::low_bits(65)).as_word(), None);
    assert_eq!(of(Opcode::GT, small, Facts::exactly(word::low_mask(64))).as_word(), Some(w(0)));
    assert_eq!(of(Opcode::SLT, small, Facts::exactly(w(0))).as_word(), Some(w(0)));
    assert_eq!(of(Opcode::EQ, Facts::low_bits(8), Facts::exactly(w(256))).as_word(), Some(w(0)));
    let masked = of(Opcode::AND, Facts::ANY, Facts::exactly(w(0xff)));
    assert_eq!(masked.possible_ones(), w(0xff));
}

#[test]
fn contradictions_are_told() {
    assert_eq!(Facts::exactly(w(1)).meet(&Facts::exactly(w(2))), None);
    assert_eq!(Facts::low_bits(4).meet(&Facts::between(w(16), w(20))), None);
    assert_eq!(Facts::between(w(5), w(3)), Facts::ANY);
}

#[test]
fn bounds_and_bits_inform_each_other() {
    let facts = Facts::between(w(0x1230), w(0x1237));
    assert_eq!(facts.ones(), w(0x1230));
    assert_eq!(facts.possible_ones(), w(0x1237));
}

/// Words and sets of words of all shapes, the same ones each time.
struct Random(u64);

impl Random {
    /// A number below another.
    fn below(&mut self, end: u64) -> u64 {
        next_random(&mut self.0) % end
    }

    /// A word with few bits, all bits, runs of bits, or near the places where operations change what they do.
    fn word(&mut self) -> Word {
        let bits = self.below(257) as usize;
        let any = Word::from_limbs(std::array::from_fn(|_| next_random(&mut self.0)));
        let word = match self.below(6) {
            0 => any,
            1 => any & word::low_mask(bits),
            2 => word::low_mask(bits),
            3 => Word::from(1) << (bits % 256),
            4 => Word::from(self.below(40)),
            _ => word::MIN_SIGNED,
        };
        match self.below(4) {
            0 => !word,
            1 => word.wrapping_sub(Word::from(self.below(3))),
            _ => word,
        }
    }

    /// A set of words that has this one: of some bits it knows what they are, and it has bounds on this side and
    /// that side of it, maybe close ones.
    fn set_with(&mut self, word: Word) -> Facts {
        let (known, lower, higher) = (self.word(), self.word(), self.word());
        let lo = match self.below(4) {
            0 => word,
            1 => word.saturating_sub(Word::from(self.below(300))),
            2 => word.min(lower),
            _ => Word::ZERO,
        };
        let hi = match self.below(4) {
            0 => word,
            1 => word.saturating_add(Word::from(self.below(300))),
            2 => word.max(higher),
            _ => Word::MAX,
        };
        let set = Facts { zeros: !word & known, ones: word & known, lo, hi };
        set.tightened().expect("it has a word")
    }

    /// A word of a set that has one: the one given, or another that is found.
    fn member(&mut self, set: &Facts, one: Word) -> Word {
        let near = match self.below(4) {
            0 => set.lo,
            1 => set.hi,
            _ => set.lo.saturating_add(self.word() & word::low_mask((set.hi - set.lo).bit_len())),
        };
        let other = (near & !set.zeros) | set.ones;
        if set.has(other) { other } else { one }
    }
}

/// Sets that are tried for each operation.
const ROUNDS: u32 = 3000;

#[test]
fn transfer_keeps_every_result_of_random_sets() {
    let mut random = Random(1);
    for op in Opcode::all().filter(|op| op.is_arithmetic()) {
        let n_inputs = usize::from(op.known().inputs);
        for _ in 0..ROUNDS {
            let words: Vec<Word> = (0..n_inputs).map(|_| random.word()).collect();
            let sets: Vec<Facts> = words.iter().map(|word| random.set_with(*word)).collect();
            let members: Vec<Vec<Word>> = sets
                .iter()
                .zip(&words)
                .map(|(set, word)| vec![*word, random.member(set, *word), random.member(set, *word)])
                .collect();
            check(op, &sets.iter().collect::<Vec<_>>(), &members.iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_a_result_tells_keeps_every_operand() {
    let mut random = Random(3);
    let ops = Opcode::all().filter(|op| op.is_arithmetic() && op.known().inputs == 2);
    for op in ops {
        let mut n_told = 0;
        for _ in 0..ROUNDS {
            let words = [random.word(), random.word()];
            let sets = words.map(|word| random.set_with(word));
            let given = word::eval(op, &words).expect("evaluable");
            let result = random.set_with(given);
            for index in [0, 1] {
                let told = transfer_back(op, [&sets[0], &sets[1]], index, &result);
                n_told += u32::from(told != Facts::ANY);
                let others = [words[1 - index], random.member(&sets[1 - index], words[1 - index])];
                for (other, operand) in
                    others.into_iter().zip([words[index], random.member(&sets[index], words[index])])
                {
                    let mut tuple = [other; 2];
                    tuple[index] = operand;
                    let word = word::eval(op, &tuple).expect("evaluable");
                    assert!(
                        !result.has(word) || told.has(operand),
                        "{op:?} {tuple:x?} gives {word:x}: {index} not in {told:x?}"
                    );
                }
            }
        }
        let tells = matches!(op, Opcode::ADD | Opcode::SUB | Opcode::AND | Opcode::OR | Opcode::XOR);
        let tells = tells || matches!(op, Opcode::SHL | Opcode::SHR | Opcode::SIGNEXTEND);
        assert_eq!(n_told > 0, tells, "{op:?}");
    }
}

#[test]
fn flags_tell_of_the_word_that_they_are_in() {
    let mask = Facts::exactly(w(0xff));
    let of = |op, result: Facts| transfer_back(op, [&Facts::ANY, &mask], 0, &result);
    assert_eq!(of(Opcode::AND, Facts::exactly(w(0))).possible_ones(), !w(0xff));
    assert_eq!(of(Opcode::AND, Facts::exactly(w(0x80))).ones(), w(0x80));
    assert_eq!(of(Opcode::ADD, Facts::exactly(w(0x100))).as_word(), Some(w(1)));
    let shifted = |op, result: Facts| transfer_back(op, [&Facts::exactly(w(96)), &Facts::ANY], 1, &result);
    assert_eq!(shifted(Opcode::SHR, Facts::exactly(w(0))), Facts::low_bits(96));
    assert_eq!(shifted(Opcode::SHR, Facts::between(w(2), w(3))).lo(), w(2) << 96);
    assert_eq!(shifted(Opcode::SHL, Facts::exactly(w(0))).possible_ones(), !word::low_mask(160));
}

#[test]
fn meeting_and_joining_lose_no_word() {
    let mut random = Random(2);
    for _ in 0..10 * ROUNDS {
        let (word, other) = (random.word(), random.word());
        let (a, b, c) = (random.set_with(word), random.set_with(word), random.set_with(other));
        for member in [word, random.member(&a, word), random.member(&b, word)] {
            assert!(a.has(word) && b.has(word));
            assert!(!(a.has(member) || c.has(member)) || a.join(&c).has(member));
            let met = a.meet(&b).expect("they have a word in common");
            assert!(!(a.has(member) && b.has(member)) || met.has(member), "{a:x?} {b:x?} {member:x}");
        }
    }
}
