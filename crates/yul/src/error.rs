//! The faults of Yul programs: one row a fault.
//!
//! A fault has solc's kind and number, because that is what users search for. Its stable code is
//! `Y` and the number. Numbers are only ever added.

use cairn_diag::{Diagnostic, FileId, Severity, Span};

/// solc's kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not in the grammar.
    ParserError,
    /// A statement or name stands where it must not.
    SyntaxError,
    /// A name is unknown, or declared twice.
    DeclarationError,
    /// Numbers of values or kinds of literals do not fit.
    TypeError,
    /// Legal, but probably not meant.
    Warning,
}

impl ErrorKind {
    /// solc's name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::ParserError => "ParserError",
            ErrorKind::SyntaxError => "SyntaxError",
            ErrorKind::DeclarationError => "DeclarationError",
            ErrorKind::TypeError => "TypeError",
            ErrorKind::Warning => "Warning",
        }
    }
}

macro_rules! faults {
    ($($(#[doc = $doc:literal])* $name:ident $kind:ident $number:literal;)*) => {
        /// What can be wrong with a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Fault {
            $($(#[doc = $doc])* $name,)*
        }

        impl Fault {
            /// Every fault.
            pub const ALL: &'static [Fault] = &[$(Fault::$name),*];

            /// Its kind.
            pub fn kind(self) -> ErrorKind {
                match self { $(Fault::$name => ErrorKind::$kind,)* }
            }

            /// Its stable code: `Y` and solc's number.
            pub fn code(self) -> &'static str {
                match self { $(Fault::$name => concat!("Y", $number),)* }
            }

            /// What it means, in a sentence.
            pub fn summary(self) -> &'static str {
                match self { $(Fault::$name => concat!($($doc),*),)* }
            }
        }
    };
}

faults! {
    /// No token.
    IllegalToken ParserError "1465";
    /// Another token was expected.
    UnexpectedToken ParserError "2314";
    /// A literal, name or call was expected.
    ExpressionExpected ParserError "1856";
    /// A statement ends after a literal or name.
    CallOrAssignmentExpected ParserError "6913";
    /// A number that is none of Yul.
    InvalidNumber ParserError "4828";
    /// A builtin is declared.
    BuiltinAsName ParserError "5568";
    /// A builtin stands left of `:=`.
    AssignmentToBuiltin ParserError "6272";
    /// A builtin is used as value.
    BuiltinNotCalled ParserError "7104";
    /// A literal is called.
    FunctionNameExpected ParserError "9980";
    /// A literal stands left of `,` in an assignment.
    VariableBeforeComma ParserError "2856";
    /// A type annotation.
    TypeAnnotation ParserError "5473";
    /// `switch` without cases.
    SwitchWithoutCases ParserError "2418";
    /// `case` after `default`.
    CaseAfterDefault ParserError "4904";
    /// Two `default`s.
    SecondDefault ParserError "6931";
    /// A `case` value that is no literal.
    LiteralExpected ParserError "4805";
    /// Text nested too deep.
    NestingTooDeep ParserError "7319";
    /// The file does not start with an object or block.
    ObjectExpected ParserError "4294";
    /// An object does not start with `code`.
    CodeExpected ParserError "4846";
    /// Something else than an object or data in an object.
    DataOrObjectExpected ParserError "8143";
    /// Two things of an object have one name.
    DuplicateObjectName ParserError "8794";
    /// A nested object has its parent's name.
    ParentObjectName ParserError "8311";
    /// A nested thing without name.
    EmptyObjectName ParserError "3287";
    /// A malformed `@use-src`.
    InvalidUseSrc ParserError "9804";
    /// A malformed `@src`.
    InvalidSrc SyntaxError "8387";
    /// A number of `@src` that is none.
    SrcNumber SyntaxError "6367";
    /// A source index that `@use-src` does not name.
    UnknownSource SyntaxError "2674";
    /// A name that ends with a dot.
    NameEndsWithDot SyntaxError "3384";
    /// A name with dots in a row.
    NameWithDots SyntaxError "7771";
    /// `break` or `continue` outside of a loop.
    OutsideLoop SyntaxError "2592";
    /// `break` or `continue` in a post block.
    InsidePost SyntaxError "2461";
    /// `break` or `continue` in an init block.
    InsideInit SyntaxError "9615";
    /// `leave` outside of a function.
    LeaveOutsideFunction SyntaxError "8149";
    /// A function in an init block.
    FunctionInInit SyntaxError "3441";
    /// A reserved name is declared.
    ReservedName DeclarationError "5017";
    /// A variable's name is taken.
    VariableNameTaken DeclarationError "1395";
    /// A function's name is taken.
    FunctionNameTaken DeclarationError "6052";
    /// A variable is read before its declaration.
    ReadBeforeDeclaration DeclarationError "4990";
    /// A variable is written before its declaration.
    WrittenBeforeDeclaration DeclarationError "1133";
    /// An unknown name is read.
    IdentifierNotFound DeclarationError "8198";
    /// An unknown name is written.
    VariableNotFound DeclarationError "4634";
    /// An unknown function is called.
    FunctionNotFound DeclarationError "4619";
    /// A variable twice left of `:=`.
    DuplicateTarget DeclarationError "9005";
    /// Numbers of names and values of a declaration differ.
    DeclarationCount DeclarationError "3812";
    /// Numbers of names and values of an assignment differ.
    AssignmentCount DeclarationError "8678";
    /// Two cases of one value.
    DuplicateCase DeclarationError "6792";
    /// A function is used as value.
    FunctionNotCalled TypeError "6041";
    /// A function is assigned to.
    AssignmentToFunction TypeError "2657";
    /// A variable is called.
    VariableCalled TypeError "4202";
    /// Wrong number of arguments.
    ArgumentCount TypeError "7000";
    /// An expression of no or several values where one is needed.
    ValueCount TypeError "3950";
    /// A statement that leaves values.
    UnusedValues TypeError "3083";
    /// A number over 256 bits.
    NumberTooLarge TypeError "6708";
    /// A string over 32 bytes.
    StringTooLong TypeError "3069";
    /// A builtin's literal argument is no literal.
    DirectLiteralExpected TypeError "9114";
    /// A builtin's literal argument is of another kind.
    LiteralKindMismatch TypeError "5859";
    /// `datasize` of an unknown object.
    UnknownDataObject TypeError "3517";
    /// `verbatim` of no bytes.
    EmptyVerbatim TypeError "1844";
    /// An instruction that the fork lacks: `shl`, `shr`, `sar`.
    LaterBitOperation TypeError "6612";
    /// An instruction that the fork lacks: `returndatasize`.
    LaterReturndataSize TypeError "4778";
    /// An instruction that the fork lacks: `returndatacopy`.
    LaterReturndataCopy TypeError "7756";
    /// An instruction that the fork lacks: `staticcall`.
    LaterStaticCall TypeError "1503";
    /// An instruction that the fork lacks: `extcodehash`.
    LaterExtcodehash TypeError "7110";
    /// An instruction that the fork lacks: `create2`.
    LaterCreate2 TypeError "6166";
    /// An instruction that the fork lacks: `chainid`.
    LaterChainId TypeError "1561";
    /// An instruction that the fork lacks: `selfbalance`.
    LaterSelfBalance TypeError "7721";
    /// An instruction that the fork lacks: `basefee`.
    LaterBasefee TypeError "5430";
    /// An instruction that the fork lacks: `blobhash`.
    LaterBlobhash TypeError "8314";
    /// An instruction that the fork lacks: `blobbasefee`.
    LaterBlobBasefee TypeError "6679";
    /// An instruction that the fork lacks: `mcopy`.
    LaterMcopy TypeError "7755";
    /// An instruction that the fork lacks: `tload`, `tstore`.
    LaterTransient TypeError "6243";
    /// An instruction that the fork lacks: `clz`.
    LaterClz TypeError "4948";
    /// An instruction that the fork lacks: any other.
    LaterInstruction TypeError "0002";
    /// A file over 4 GB.
    FileTooLarge ParserError "0001";
    /// `switch` with only `default`.
    OnlyDefault Warning "9592";
    /// Transient storage is cleared late.
    TransientStorage Warning "2394";
    /// The rest of the errors is not shown.
    TooManyErrors Warning "4013";
}

impl Fault {
    /// The fault with this stable code.
    pub fn from_code(code: &str) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.code() == code)
    }

    /// The stage of solc that finds it; solc does not go on to the next one after an error.
    pub(crate) fn stage(self) -> u8 {
        match self {
            Fault::OutsideLoop | Fault::InsidePost | Fault::InsideInit => 0,
            Fault::LeaveOutsideFunction | Fault::FunctionInInit => 0,
            Fault::VariableNameTaken | Fault::FunctionNameTaken => 1,
            _ if self.kind() == ErrorKind::ParserError => 0,
            _ => 2,
        }
    }

    /// A message about it.
    pub fn at(self, file: FileId, span: Span, message: impl Into<String>) -> Diagnostic {
        let severity = match self.kind() {
            ErrorKind::Warning => Severity::Warning,
            ErrorKind::ParserError
            | ErrorKind::SyntaxError
            | ErrorKind::DeclarationError
            | ErrorKind::TypeError => Severity::Error,
        };
        Diagnostic { severity, ..Diagnostic::error(message).with_code(self.code()).at(file, span) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_found() {
        for fault in Fault::ALL {
            assert_eq!(Fault::from_code(fault.code()), Some(*fault));
        }
        assert_eq!(Fault::from_code("Y9999"), None);
    }
}
