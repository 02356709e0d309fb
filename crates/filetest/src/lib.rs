//! Placeholder head; see Cargo.toml.
