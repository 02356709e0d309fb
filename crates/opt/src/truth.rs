//! What a branch tells of its condition.

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// It is not zero.
    Holds,
    /// It is zero.
    Fails,
}

impl Truth {
    /// What holds behind the target of a `condbr` with this index.
    pub(crate) fn behind(target: usize) -> Truth {
        if target == 0 { Truth::Holds } else { Truth::Fails }
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::Holds => Truth::Fails,
            Truth::Fails => Truth::Holds,
        }
    }
}
