//! Types and signatures in text: `uint8[2][]`, `transfer(address,uint256)(bool)`.

use crate::error::AbiError;
use crate::types::{AbiType, MAX_DEPTH, check_all, list};
use cairn_evm::keccak256;
use std::fmt;
use std::str::FromStr;

/// A function of a contract: name, parameters, results. A custom error is one without results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Name.
    pub name: String,
    /// Types of the parameters.
    pub params: Vec<AbiType>,
    /// Types of the results; not part of the selector.
    pub results: Vec<AbiType>,
}

impl Method {
    /// The first four bytes of the hash of name and parameters.
    ///
    /// ```
    /// let method: cairn_abi::Method = "transfer(address,uint256)(bool)".parse()?;
    /// assert_eq!(method.selector(), [0xa9, 0x05, 0x9c, 0xbb]);
    /// # Ok::<(), cairn_abi::AbiError>(())
    /// ```
    pub fn selector(&self) -> [u8; 4] {
        let hash = keccak256(self.to_string().as_bytes());
        [hash[0], hash[1], hash[2], hash[3]]
    }
}

/// The canonical signature, without results.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, list(&self.params))
    }
}

/// `name(params)` or `name(params)(results)`.
impl FromStr for Method {
    type Err = AbiError;

    fn from_str(text: &str) -> Result<Self, AbiError> {
        let mut reader = Reader { text, at: 0 };
        let name = reader.word().to_owned();
        if name.is_empty() {
            return Err(reader.fault());
        }
        let params = reader.types(0)?;
        let results = if reader.is_at_end() { Vec::new() } else { reader.types(0)? };
        reader.end()?;
        check_all(&params)?;
        check_all(&results)?;
        Ok(Method { name, params, results })
    }
}

/// The type's name as the ABI spells it; `uint` and `int` stand for 256 bits.
impl FromStr for AbiType {
    type Err = AbiError;

    fn from_str(text: &str) -> Result<Self, AbiError> {
        let mut reader = Reader { text, at: 0 };
        let ty = reader.ty(0)?;
        reader.end()?;
        ty.check()?;
        Ok(ty)
    }
}

/// The types of `(T1,T2,…)`.
///
/// # Errors
/// If the text is no such list or a type goes beyond a limit.
pub fn parse_types(text: &str) -> Result<Vec<AbiType>, AbiError> {
    let mut reader = Reader { text, at: 0 };
    let types = reader.types(0)?;
    reader.end()?;
    check_all(&types)?;
    Ok(types)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn fault(&self) -> AbiError {
        AbiError::Syntax(self.at)
    }

    fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    fn end(&self) -> Result<(), AbiError> {
        if self.is_at_end() { Ok(()) } else { Err(self.fault()) }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), AbiError> {
        if self.eat(byte) { Ok(()) } else { Err(self.fault()) }
    }

    /// Letters, digits, `_`, `$`; may be empty.
    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// `(T1,T2)`, possibly empty.
    fn types(&mut self, depth: usize) -> Result<Vec<AbiType>, AbiError> {
        self.expect(b'(')?;
        let mut types = Vec::new();
        if self.eat(b')') {
            return Ok(types);
        }
        loop {
            types.push(self.ty(depth)?);
            if self.eat(b')') {
                return Ok(types);
            }
            self.expect(b',')?;
        }
    }

    fn ty(&mut self, depth: usize) -> Result<AbiType, AbiError> {
        if depth >= MAX_DEPTH {
            return Err(AbiError::TooDeep);
        }
        let mut ty = match self.text.as_bytes().get(self.at) {
            Some(b'(') => AbiType::Tuple(self.types(depth + 1)?),
            _ => self.word_type()?,
        };
        let mut levels = depth;
        while self.eat(b'[') {
            levels += 1;
            if levels >= MAX_DEPTH {
                return Err(AbiError::TooDeep);
            }
            ty = match self.word() {
                "" => AbiType::Array(Box::new(ty)),
                length => AbiType::FixedArray(Box::new(ty), length.parse().map_err(|_| self.fault())?),
            };
            self.expect(b']')?;
        }
        Ok(ty)
    }

    fn word_type(&mut self) -> Result<AbiType, AbiError> {
        let start = self.at;
        let word = self.word();
        let number = |prefix: &str| {
            let digits = word.strip_prefix(prefix)?;
            let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
            if plain { digits.parse::<u16>().ok() } else { None }
        };
        let ty = match word {
            "uint" => AbiType::Uint(256),
            "int" => AbiType::Int(256),
            "bool" => AbiType::Bool,
            "address" => AbiType::Address,
            "function" => AbiType::Function,
            "bytes" => AbiType::Bytes,
            "string" => AbiType::String,
            "" => return Err(AbiError::Syntax(start)),
            _ => {
                let bytes = number("bytes").and_then(|n| u8::try_from(n).ok()).map(AbiType::FixedBytes);
                let ty = number("uint").map(AbiType::Uint).or(number("int").map(AbiType::Int)).or(bytes);
                ty.ok_or_else(|| AbiError::UnknownType(word.to_owned()))?
            }
        };
        Ok(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_back_as_printed() {
        for text in ["uint8", "int256", "bytes32", "bytes", "(uint256,(bool,string)[2][])[]", "function[3]"] {
            let ty: AbiType = text.parse().expect("a type");
            assert_eq!(ty.to_string(), text);
        }
        assert_eq!("uint[]".parse::<AbiType>().expect("a type").to_string(), "uint256[]");
    }

    #[test]
    fn faults_are_named() {
        let fault = |text: &str| text.parse::<AbiType>().expect_err("a fault");
        for name in ["uint7", "uint264", "bytes33", "bytes0", "uint08", "fixed", "u8"] {
            assert_eq!(fault(name), AbiError::UnknownType(name.into()));
        }
        assert_eq!(fault(""), AbiError::Syntax(0));
        assert_eq!(fault("uint8[x]"), AbiError::Syntax(7));
        assert_eq!(fault("uint8[2"), AbiError::Syntax(7));
        assert_eq!(fault("(uint8,)"), AbiError::Syntax(7));
        assert_eq!(fault("uint8[0]"), AbiError::Empty);
        assert_eq!(fault("()"), AbiError::Empty);
        assert_eq!(fault("uint8[65537]"), AbiError::TooLarge);
        assert_eq!(fault("uint8[65536][65536][65536][65536]"), AbiError::TooLarge);
        assert_eq!(fault(&format!("uint8{}", "[]".repeat(32))), AbiError::TooDeep);
        assert_eq!(fault(&"(".repeat(100_000)), AbiError::TooDeep);
        assert!(format!("uint8{}", "[]".repeat(31)).parse::<AbiType>().is_ok());
    }

    #[test]
    fn signatures() {
        let method: Method = "f(uint,(bytes)[])(bool)".parse().expect("a signature");
        assert_eq!(method.to_string(), "f(uint256,(bytes)[])");
        assert_eq!(method.results, [AbiType::Bool]);
        assert_eq!("f()".parse::<Method>().expect("a signature").selector(), [0x26, 0x12, 0x1f, 0xf0]);
        assert_eq!("(uint)".parse::<Method>(), Err(AbiError::Syntax(0)));
        assert_eq!("f(uint) ".parse::<Method>(), Err(AbiError::Syntax(7)));
    }

    #[test]
    fn heads() {
        let words = |text: &str| text.parse::<AbiType>().expect("a type").head_words();
        assert_eq!(["uint8", "bytes", "uint8[3]", "bytes[3]", "(bool,uint8[2])"].map(words), [1, 1, 3, 1, 3]);
    }
}
