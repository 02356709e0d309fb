//! Where code stands: in an account, or before it.

/// Where code stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It is the code of an account: nothing follows.
    #[default]
    Runtime,
    /// It makes an account: arguments may follow, and what it returns is code.
    Creation,
    /// Not known: bytes may follow.
    Either,
}

impl Role {
    /// True when bytes that are not known may follow.
    pub fn is_open(self) -> bool {
        self != Role::Runtime
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Runtime => "runtime",
            Role::Creation => "creation",
            Role::Either => "either",
        }
    }
}
