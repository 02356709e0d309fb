//! Stable codes of faults, and what each means.

/// A kind of fault. Codes are never given twice and never change; new ones are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultCode {
    /// Such as `I0001`.
    pub code: &'static str,
    /// What it means, in sentences.
    pub summary: &'static str,
}

/// Declares constants of [`FaultCode`], each with a code and the comment as what it means, and a list
/// `ALL` of them.
///
/// ```
/// mod fault {
///     cairn_diag::fault_codes! {
///         /// Nothing fits here.
///         NOTHING_FITS "X0001";
///     }
/// }
/// assert_eq!(fault::ALL[0], fault::NOTHING_FITS);
/// assert_eq!(fault::NOTHING_FITS.summary, " Nothing fits here.");
/// ```
#[macro_export]
macro_rules! fault_codes {
    ($($(#[doc = $doc:literal])+ $name:ident $code:literal;)*) => {
        $(
            $(#[doc = $doc])+
            pub const $name: $crate::FaultCode =
                $crate::FaultCode { code: $code, summary: concat!($($doc),+) };
        )*
        /// Every kind of fault.
        pub const ALL: &[$crate::FaultCode] = &[$($name),*];
    };
}
