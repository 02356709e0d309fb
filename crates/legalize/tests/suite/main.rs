//! Tests of the legalizer as a whole: meaning, arithmetic, idempotence.

mod differential;
mod generate;
mod random;
mod wide;
