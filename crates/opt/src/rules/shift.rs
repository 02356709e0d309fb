//! Shifts. Joined shifts must not wrap: each amount and their sum stay below 256.

use super::{Rule, rules};

pub(super) static RULES: &[Rule] = rules! {
    "shl-by-zero": (SHL 0 X) => X;
    "shl-of-zero": (SHL X 0) => 0;
    "shl-out": (SHL A X) => 0 when (GT A 255);
    "shl-shl": (SHL A (SHL B X)) => (SHL (ADD A B) X) when (LT A 256), (LT B 256), (LT (ADD A B) 256);
    "shl-shl-out": (SHL A (SHL B X)) => 0 when (LT A 256), (LT B 256), (GT (ADD A B) 255);
    "shl-of-mask": (SHL A (AND X B)) => (SHL A X) when (EQ (SHL A B) (SHL A MAX));
    "shl-of-disjoint-or": (SHL A (OR X B)) => (SHL A X) when (ISZERO (SHL A B));
    "shr-by-zero": (SHR 0 X) => X;
    "shr-of-zero": (SHR X 0) => 0;
    "shr-out": (SHR A X) => 0 when (GT A 255);
    "shr-shr": (SHR A (SHR B X)) => (SHR (ADD A B) X) when (LT A 256), (LT B 256), (LT (ADD A B) 256);
    "shr-shr-out": (SHR A (SHR B X)) => 0 when (LT A 256), (LT B 256), (GT (ADD A B) 255);
    "shr-of-mask": (SHR A (AND X B)) => (SHR A X) when (EQ (SHR A B) (SHR A MAX));
    "shr-of-partial-mask": (AND (SHR A (AND X B)) C) => (AND (SHR A X) (AND (SHR A B) C));
    "shr-of-disjoint-or": (SHR A (OR X B)) => (SHR A X) when (ISZERO (SHR A B));
    "shr-of-shl-small": (SHR A (SHL A X)) => (AND X (SHR A MAX)) when (GT A 223), (LT A 256);
    "sar-by-zero": (SAR 0 X) => X;
    "sar-of-zero": (SAR X 0) => 0;
    "sar-of-max": (SAR X MAX) => MAX;
    "sar-sar": (SAR A (SAR B X)) => (SAR (ADD A B) X) when (LT A 256), (LT B 256), (LT (ADD A B) 256);
    "sar-of-shl": (SAR A (SHL A X)) => (SIGNEXTEND (SUB 31 (SHR 3 A)) X) when (LT A 256), (ISZERO (AND A 7));
};
