//! ABI encoding of calls and decoding of results, by signatures such as `f(uint256)(bytes)`.

use alloy_dyn_abi::{DynSolType, DynSolValue, FunctionExt, JsonAbiExt};
use alloy_json_abi::Function;
use cairn_driver::panic_meaning;

/// Parses a signature: `f(uint256,bytes)`, with result types `f(uint256)(bytes)` or
/// `f(uint256) returns (bytes)`.
///
/// # Errors
/// What the ABI parser says.
pub(crate) fn parse_signature(text: &str) -> Result<Function, String> {
    Function::parse(text).map_err(|error| format!("signature `{text}`: {error}"))
}

/// Calldata of a call with arguments in text.
///
/// # Errors
/// Which argument does not fit its type.
pub(crate) fn encode_call(function: &Function, args: &[String]) -> Result<Vec<u8>, String> {
    if args.len() != function.inputs.len() {
        let expected = function.inputs.len();
        return Err(format!("`{}` takes {expected} arguments, not {}", function.signature(), args.len()));
    }
    let values: Result<Vec<_>, _> =
        function.inputs.iter().zip(args).map(|(param, arg)| coerce(&param.selector_type(), arg)).collect();
    function.abi_encode_input(&values?).map_err(|error| error.to_string())
}

fn coerce(ty: &str, text: &str) -> Result<DynSolValue, String> {
    let ty: DynSolType = ty.parse().map_err(|error| format!("type `{ty}`: {error}"))?;
    ty.coerce_str(text).map_err(|error| format!("`{text}` is not a value of type `{ty}`: {error}"))
}

/// The results of a call in text, one a line; `None` if the signature has no result types.
///
/// # Errors
/// What the ABI decoder says.
pub(crate) fn decode_results(function: &Function, data: &[u8]) -> Result<Option<Vec<String>>, String> {
    if function.outputs.is_empty() {
        return Ok(None);
    }
    let values =
        function.abi_decode_output(data).map_err(|error| format!("the result cannot be decoded: {error}"))?;
    Ok(Some(values.iter().map(show).collect()))
}

/// A readable form of revert data: `Error(string)` and `Panic(uint256)` are decoded.
pub(crate) fn describe_revert(data: &[u8]) -> Option<String> {
    let (selector, body) = data.split_at_checked(4)?;
    match selector {
        [0x08, 0xc3, 0x79, 0xa0] => {
            let value = DynSolType::String.abi_decode(body).ok()?;
            Some(format!("Error({})", show(&value)))
        }
        [0x4e, 0x48, 0x7b, 0x71] => {
            let (code, _) = DynSolType::Uint(256).abi_decode(body).ok()?.as_uint()?;
            let meaning = u64::try_from(code).ok().and_then(panic_meaning).unwrap_or("unknown code");
            Some(format!("Panic(0x{code:02x}): {meaning}"))
        }
        _ => None,
    }
}

/// A value in text.
pub(crate) fn show(value: &DynSolValue) -> String {
    match value {
        DynSolValue::Bool(value) => value.to_string(),
        DynSolValue::Int(value, _) => value.to_string(),
        DynSolValue::Uint(value, _) => value.to_string(),
        DynSolValue::FixedBytes(word, size) => alloy_primitives::hex::encode_prefixed(&word[..*size]),
        DynSolValue::Address(address) => address.to_string(),
        DynSolValue::Function(function) => function.to_string(),
        DynSolValue::Bytes(bytes) => alloy_primitives::hex::encode_prefixed(bytes),
        DynSolValue::String(text) => format!("{text:?}"),
        DynSolValue::Array(values) | DynSolValue::FixedArray(values) => format!("[{}]", show_all(values)),
        DynSolValue::Tuple(values) => format!("({})", show_all(values)),
    }
}

/// Values in text, separated by commas.
pub(crate) fn show_all(values: &[DynSolValue]) -> String {
    values.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_encoded_and_results_decoded() {
        let function = parse_signature("f(uint256,string)(int256,bool)").unwrap();
        let data = encode_call(&function, &["5".into(), "hi".into()]).unwrap();
        assert_eq!(data.len(), 4 + 32 * 4);
        let mut result = vec![0xff; 32];
        result.extend([&[0; 31][..], &[1]].concat());
        assert_eq!(decode_results(&function, &result).unwrap().unwrap(), ["-1", "true"]);
        assert!(encode_call(&function, &["x".into(), "hi".into()]).unwrap_err().contains("`x`"));
        assert!(encode_call(&function, &[]).is_err());
        assert!(
            parse_signature("f(uint7)").is_err()
                || encode_call(&parse_signature("f(uint7)").unwrap(), &["1".into()]).is_err()
        );
    }

    #[test]
    fn known_reverts_are_described() {
        let mut data = vec![0x4e, 0x48, 0x7b, 0x71];
        data.extend([&[0; 31][..], &[0x11]].concat());
        assert_eq!(describe_revert(&data).unwrap(), "Panic(0x11): arithmetic overflow");
        assert_eq!(describe_revert(&[1, 2]), None);
    }
}
