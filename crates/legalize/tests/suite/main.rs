//! Tests of the legalizer as a whole: meaning, arithmetic, idempotence.

mod differential;
mod forks;
mod generate;
mod muldiv;
mod pipeline;
mod random;
mod wide;
