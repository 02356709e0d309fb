//! Comparisons and tests.
//!
//! A value that equals its own masked part is one whose other bits are zero: one shift tells.

use super::{Rule, rules};

pub(super) static RULES: &[Rule] = rules! {
    "eq-itself": (EQ X X) => 1;
    "eq-zero": (EQ X 0) => (ISZERO X);
    "eq-add-const": (EQ (ADD X A) B) => (EQ X (SUB B A));
    "eq-sub-const": (EQ (SUB X A) B) => (EQ X (ADD B A));
    "eq-const-minus": (EQ (SUB A X) B) => (EQ X (SUB A B));
    "eq-not-const": (EQ (NOT X) A) => (EQ X (NOT A));
    "eq-nots": (EQ (NOT X) (NOT Y)) => (EQ X Y);
    "eq-xor-const": (EQ (XOR X A) B) => (EQ X (XOR A B));
    "eq-common-addend": (EQ (ADD X Y) (ADD X Z)) => (EQ Y Z);
    "eq-sum-and-addend": (EQ (ADD X Y) X) => (ISZERO Y);
    "eq-low-masked": (EQ X (AND X A)) => (ISZERO (SHR (SUB 256 (CLZ A)) X))
        when (ISZERO (AND A (ADD A 1))), (GT A 0), (GT MAX A);
    "eq-high-masked": (EQ X (AND X A)) => (ISZERO (SHL (CLZ (NOT A)) X))
        when (ISZERO (AND (NOT A) (ADD (NOT A) 1))), (GT A 0), (GT MAX A);
    "eq-bool-of-itself": (EQ X (ISZERO (ISZERO X))) => (ISZERO (SHR 1 X));
    "eq-quotient-of-shift": (EQ X (SHR A (SHL A X))) => (ISZERO (SHR (SUB 256 A) X)) when (GT A 0), (LT A 256);
    "iszero-sub": (ISZERO (SUB X Y)) => (EQ X Y);
    "iszero-xor": (ISZERO (XOR X Y)) => (EQ X Y);
    "iszero-thrice": (ISZERO (ISZERO (ISZERO X))) => (ISZERO X);
    "iszero-gt-zero": (ISZERO (GT X 0)) => (ISZERO X);
    "iszero-zero-lt": (ISZERO (LT 0 X)) => (ISZERO X);
    "iszero-lt-one": (ISZERO (LT X 1)) => (ISZERO (ISZERO X));
    "and-of-iszeros": (AND (ISZERO X) (ISZERO Y)) => (ISZERO (OR X Y));
    "lt-itself": (LT X X) => 0;
    "lt-zero": (LT X 0) => 0;
    "lt-one": (LT X 1) => (ISZERO X);
    "max-lt": (LT MAX X) => 0;
    "gt-itself": (GT X X) => 0;
    "gt-max": (GT X MAX) => 0;
    "zero-gt": (GT 0 X) => 0;
    "one-gt": (GT 1 X) => (ISZERO X);
    "slt-itself": (SLT X X) => 0;
    "sgt-itself": (SGT X X) => 0;
    "gt-difference-minuend": (GT (SUB X Y) X) => (LT X Y);
    "lt-minuend-difference": (LT X (SUB X Y)) => (LT X Y);
};
