//! `and`, `or`, `xor`, `not`, `byte`.

use super::{Rule, rules};

pub(super) static RULES: &[Rule] = rules! {
    "and-zero": (AND X 0) => 0;
    "and-max": (AND X MAX) => X;
    "and-itself": (AND X X) => X;
    "and-complement": (AND X (NOT X)) => 0;
    "and-and-const": (AND (AND X A) B) => (AND X (AND A B));
    "and-absorbs-and": (AND X (AND X Y)) => (AND X Y);
    "and-absorbs-or": (AND X (OR X Y)) => X;
    "and-of-nots": (AND (NOT X) (NOT Y)) => (NOT (OR X Y));
    "and-of-or-disjoint-const": (AND (OR X A) B) => (AND X B) when (ISZERO (AND A B));
    "or-zero": (OR X 0) => X;
    "or-max": (OR X MAX) => MAX;
    "or-itself": (OR X X) => X;
    "or-complement": (OR X (NOT X)) => MAX;
    "or-or-const": (OR (OR X A) B) => (OR X (OR A B));
    "or-absorbs-or": (OR X (OR X Y)) => (OR X Y);
    "or-absorbs-and": (OR X (AND X Y)) => X;
    "or-of-nots": (OR (NOT X) (NOT Y)) => (NOT (AND X Y));
    "or-of-masks": (OR (AND X A) (AND X B)) => (AND X (OR A B));
    "or-of-same-mask": (OR (AND X A) (AND Y A)) => (AND (OR X Y) A);
    "xor-zero": (XOR X 0) => X;
    "xor-max": (XOR X MAX) => (NOT X);
    "xor-itself": (XOR X X) => 0;
    "xor-complement": (XOR X (NOT X)) => MAX;
    "xor-cancels": (XOR (XOR X Y) Y) => X;
    "xor-xor-const": (XOR (XOR X A) B) => (XOR X (XOR A B));
    "xor-of-nots": (XOR (NOT X) (NOT Y)) => (XOR X Y);
    "not-not": (NOT (NOT X)) => X;
    "not-of-minus-const": (NOT (SUB A X)) => (ADD X (NOT A)) when (SLT A 1), (SLT (SUB 0 (SHL 128 1)) A);
    "byte-out-of-range": (BYTE A X) => 0 when (GT A 31);
    "byte-last": (BYTE 31 X) => (AND X 0xff);
};
