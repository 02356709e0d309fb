//! What can be wrong with assembly text, and with bytecode in hexadecimal.

cairn_diag::fault_codes! {
    /// Something else was expected here, by the grammar of docs/asm.md.
    UNEXPECTED_TOKEN "A0001";
    /// There is no such instruction, or the fork that the code is for does not have it.
    UNKNOWN_INSTRUCTION "A0002";
    /// A number is malformed, or does not fit where it stands.
    INVALID_NUMBER "A0003";
    /// A string has an escape that means nothing, or bytes are not pairs of hexadecimal digits.
    INVALID_TEXT "A0004";
    /// A label is defined a second time in its object.
    LABEL_TWICE "A0005";
    /// A label is used and not defined in its object; objects do not see each other's labels.
    LABEL_NOT_DEFINED "A0006";
    /// A table of labels has a position that its two bytes do not hold: the code is larger than 64 KiB.
    TABLE_TOO_FAR "A0008";
    /// Objects are nested too deeply.
    NESTING_TOO_DEEP "A0007";
    /// In bytecode, something that is neither a hexadecimal digit nor white space nor a comment after `;`.
    NOT_A_DIGIT "H0001";
    /// The number of hexadecimal digits is odd: half a byte is missing.
    ODD_DIGITS "H0002";
}
