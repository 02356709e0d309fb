//! Tests of the legalizer as a whole: exact text, meaning, arithmetic.

mod filetests;
mod generate;
mod random;
mod wide;
