//! Routines of floating-point numbers: one text for all formats, in which words in capitals stand for
//! what is the format's own.
//!
//! A number is passed as its bits; a result has no others set.

use cairn_ir::types::float::FloatFormat;

/// A routine of numbers of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FloatRoutine {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Remainder with the sign of the dividend.
    Rem,
    /// Square root.
    Sqrt,
    /// Less than: a `bool`.
    Lt,
    /// Equal: a `bool`.
    Eq,
    /// The lesser one.
    Min,
    /// The greater one.
    Max,
    /// A number from an integer: the bit of its sign, and its magnitude.
    FromInteger,
    /// The magnitude as an integer, rounded towards zero, at most the greatest word; 0 for NaN.
    Integer,
    /// A number from one of another format.
    From(FloatFormat),
}

impl FloatRoutine {
    /// Every routine. There are three that convert, of which one is of the same format and in no text.
    pub(super) const ALL: [FloatRoutine; 14] = [
        FloatRoutine::Add,
        FloatRoutine::Mul,
        FloatRoutine::Div,
        FloatRoutine::Rem,
        FloatRoutine::Sqrt,
        FloatRoutine::Lt,
        FloatRoutine::Eq,
        FloatRoutine::Min,
        FloatRoutine::Max,
        FloatRoutine::FromInteger,
        FloatRoutine::Integer,
        FloatRoutine::From(FloatFormat::F16),
        FloatRoutine::From(FloatFormat::F32),
        FloatRoutine::From(FloatFormat::F64),
    ];

    /// The name of the function without `@`.
    pub(super) fn name(self, format: FloatFormat) -> String {
        let operation = match self {
            FloatRoutine::Add => "add",
            FloatRoutine::Mul => "mul",
            FloatRoutine::Div => "div",
            FloatRoutine::Rem => "rem",
            FloatRoutine::Sqrt => "sqrt",
            FloatRoutine::Lt => "lt",
            FloatRoutine::Eq => "eq",
            FloatRoutine::Min => "min",
            FloatRoutine::Max => "max",
            FloatRoutine::FromInteger => "from_integer",
            FloatRoutine::Integer => "integer",
            FloatRoutine::From(other) => return format!("__cairn_{format}_from_{other}"),
        };
        format!("__cairn_{format}_{operation}")
    }
}

/// The module of the routines of a format.
pub(super) fn text(format: FloatFormat) -> String {
    let mut text = include_str!("float.eir").to_owned();
    for other in FloatFormat::ALL.into_iter().filter(|other| *other != format) {
        text += &replaced(include_str!("float_from.eir"), "OTHER_", other);
    }
    replaced(&text, "", format)
}

/// The text with the words in capitals replaced that have this prefix; longer words come first.
fn replaced(text: &str, prefix: &str, format: FloatFormat) -> String {
    let (width, fraction, bias) = (format.bits(), format.fraction_bits(), format.bias());
    let below_least = format.least_exponent().unsigned_abs();
    let words = [
        ("LIFTED_LEAST", (200 + below_least).to_string()),
        ("TWICE_LEAST", (2 * below_least).to_string()),
        ("MINUS_LEAST", below_least.to_string()),
        ("TOP_STEPS", (254 + bias).to_string()),
        ("TOP_SHIFT", (255 - fraction).to_string()),
        ("MAGNITUDE", format!("{:#x}", format.magnitude())),
        ("INFINITY", format!("{:#x}", format.infinity())),
        ("FRACTION", fraction.to_string()),
        ("SIGN_BIT", (width - 1).to_string()),
        ("WIDTH", width.to_string()),
        ("LAST", format!("{:#x}", format.infinity() - cairn_evm::Word::from(1))),
        ("NAME", format.name().to_owned()),
        ("SIGN", format!("{:#x}", format.sign())),
        ("NAN", format!("{:#x}", format.nan())),
    ];
    let with_prefix =
        |text: String, (word, value): (&str, String)| text.replace(&format!("{prefix}{word}"), &value);
    words.into_iter().fold(text.to_owned(), with_prefix)
}
