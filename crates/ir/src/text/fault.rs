//! What can be wrong with EVM-IR text. Breaches of the verifier's rules have the rule's name as code.

cairn_diag::fault_codes! {
    /// Something else was expected here, by the grammar of docs/ir.md.
    UNEXPECTED_TOKEN "I0001";
    /// A `{` has no `}`.
    UNCLOSED_BRACE "I0002";
    /// A name or string in quotes has an escape that means nothing, or is not UTF-8.
    INVALID_TEXT "I0003";
    /// Bytes are not pairs of hexadecimal digits, or a string that stands for bytes is malformed.
    INVALID_BYTES "I0004";
    /// A number is malformed, or does not fit where it stands.
    INVALID_NUMBER "I0005";
    /// Modules or types are nested too deeply.
    NESTING_TOO_DEEP "I0006";
    /// A name or number is defined a second time.
    DEFINED_TWICE "I0007";
    /// A name or number is used and nowhere defined; scopes must be defined before their use.
    NOT_DEFINED "I0008";
    /// There is no such operation.
    UNKNOWN_OPERATION "I0009";
    /// There is no such attribute here.
    UNKNOWN_ATTRIBUTE "I0010";
    /// There is no such type, or it has no values.
    INVALID_TYPE "I0011";
    /// The names, types and results of an instruction differ in number.
    RESULT_COUNT "I0012";
    /// The parameters at the entry block are not those of the function.
    ENTRY_PARAMETERS "I0013";
    /// A function has no block.
    NO_BLOCK "I0014";
    /// A `phi` stands where none may, or its values are not one for each predecessor.
    INVALID_PHI "I0015";
    /// The type that is written is not that of the value.
    TYPE_MISMATCH "I0016";
    /// The operands do not say what type the result has, so it must be written: `: u8`.
    TYPE_NOT_INFERRED "I0017";
}
