//! Typed ids of the entities of a function or module.

use cranelift_entity::entity_impl;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(u32);
            entity_impl!($name, $prefix);
        )*
    };
}

ids! {
    /// An SSA value.
    Value "%";
    /// An instruction.
    Inst "inst";
    /// A basic block.
    Block "^b";
    /// A word in a function's constant pool.
    Const "const";
    /// The cases of a switch.
    SwitchId "switch";
    /// A function of a module.
    Func "func";
    /// A source location in a module's debug tables.
    Loc "!";
    /// A function or block of the source in a module's debug tables.
    Scope "!";
    /// A variable of the source in a module's debug tables.
    Var "!";
}
