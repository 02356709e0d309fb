//! What tests of several crates share. Nothing depends on it but tests.

/// The next number of a deterministic stream (SplitMix64: Steele, Lea, Flood, *Fast splittable
/// pseudorandom number generators*, OOPSLA 2014). Every state is a seed.
pub fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that the authors' program gives for this seed.
    #[test]
    fn numbers_are_those_of_the_paper() {
        let mut state = 1_234_567;
        let found: Vec<u64> = (0..3).map(|_| next_random(&mut state)).collect();
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
