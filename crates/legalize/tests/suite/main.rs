//! Tests of the legalizer as a whole: meaning, arithmetic, idempotence.

mod canonical_rules;
mod differential;
mod fixpoint;
mod floats;
mod forks;
mod generate;
mod muldiv;
mod pipeline;
mod random;
mod rejected;
mod scale;
mod surroundings;
mod target;
mod wide;
mod widths;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
