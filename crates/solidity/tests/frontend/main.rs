//! The front end: fakes that misbehave in every way, and solc itself where it is installed.

#![cfg(unix)]

mod access;
mod fakes;
mod find;
mod native;
mod real;
mod soljson;
mod version;
