//! Returns of nothing to the outside.
//!
//! solc's Yul encodes no values behind the used memory and returns the none bytes between. `stop()` before
//! that does the same: it gives back no bytes either, and what is behind it never runs.

/// What encodes no values, in a contract and in a library.
const ENCODERS: [&str; 2] = ["abi_encode_tuple__to__fromStack(", "abi_encode_tuple__to__fromStack_library("];

/// True if `line` returns the nothing that `before` has encoded.
pub(super) fn is_returned(before: &str, line: &str) -> bool {
    fn nothing<'a>(before: &'a str, line: &'a str) -> Option<bool> {
        let (end, encoded) = before.strip_prefix("let ")?.split_once(" := ")?;
        let start = ENCODERS.iter().find_map(|encoder| encoded.strip_prefix(encoder))?;
        let start = start.strip_suffix(')')?.trim();
        let (from, size) = line.strip_prefix("return(")?.strip_suffix(')')?.split_once(',')?;
        let (last, first) = size.trim().strip_prefix("sub(")?.strip_suffix(')')?.split_once(',')?;
        Some(from == start && first.trim() == start && last == end)
    }
    nothing(before, line) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_encoded_of_nothing_is_nothing() {
        let encoded = "let memEnd := abi_encode_tuple__to__fromStack(memPos  )";
        let returned = "return(memPos, sub(memEnd, memPos))";
        assert!(is_returned(encoded, returned));
        assert!(is_returned(&encoded.replace("Stack(", "Stack_library("), returned));
        for other in
            ["return(memPos, sub(memPos, memPos))", "return(memPos, memEnd)", "return(a, sub(memEnd, a))", ""]
        {
            assert!(!is_returned(encoded, other), "{other}");
        }
        for other in [
            "let memEnd := abi_encode_tuple_t_bool__to_t_bool__fromStack(memPos , ret_0)",
            "memEnd := abi_encode_tuple__to__fromStack(memPos  )",
            "",
        ] {
            assert!(!is_returned(other, returned), "{other}");
        }
    }
}
