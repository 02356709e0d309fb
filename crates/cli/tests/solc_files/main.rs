//! The program `cairn-solc` with Solidity: headings, names of files and streams, on a front end that
//! gives one answer always, and on npm's solc where there is one.
#![cfg(unix)]

mod build;
mod fake;
mod files;
mod lines;
