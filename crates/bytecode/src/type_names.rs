//! Names of elementary types, ready made: facts of a code name hundreds, and writing a number costs as much as
//! finding the field that it is of.

/// Bits of the narrowest integer, by which others grow.
const STEP: u16 = 8;

/// A name for each number behind the prefix.
macro_rules! names {
    ($prefix:literal: $($number:literal)*) => {
        [$(concat!($prefix, $number)),*]
    };
}

/// By the number of bytes, less one.
const UINTS: [&str; 32] = names!("uint":
    8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128
    136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256);
const INTS: [&str; 32] = names!("int":
    8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128
    136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256);
const BYTES: [&str; 32] = names!("bytes":
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);

/// `uintN` of so many bits; `None` where there is no such type.
pub(crate) fn uint(bits: u16) -> Option<&'static str> {
    of_bits(&UINTS, bits)
}

/// `intN` of so many bits; `None` where there is no such type.
pub(crate) fn int(bits: u16) -> Option<&'static str> {
    of_bits(&INTS, bits)
}

/// `bytesN` of so many bytes; `None` where there is no such type.
pub(crate) fn fixed_bytes(bytes: u16) -> Option<&'static str> {
    BYTES.get(usize::from(bytes).checked_sub(1)?).copied()
}

fn of_bits(names: &[&'static str; 32], bits: u16) -> Option<&'static str> {
    names.get(usize::from(bits / STEP).checked_sub(1)?).copied().filter(|_| bits.is_multiple_of(STEP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_own_name_and_nothing_else_has_one() {
        for number in 0..600 {
            let of_bits = |prefix: &str| {
                ((8..=256).contains(&number) && number % 8 == 0).then(|| format!("{prefix}{number}"))
            };
            assert_eq!(uint(number).map(str::to_owned), of_bits("uint"));
            assert_eq!(int(number).map(str::to_owned), of_bits("int"));
            let of_bytes = (1..=32).contains(&number).then(|| format!("bytes{number}"));
            assert_eq!(fixed_bytes(number).map(str::to_owned), of_bytes);
        }
    }
}
