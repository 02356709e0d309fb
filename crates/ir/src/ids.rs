//! Typed ids of the entities of a function or module.

use cranelift_entity::{EntityRef, SecondaryMap, entity_impl};

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

/// A map with room for so many ids, all at the default: one that is made empty grows by one id each time it is written
/// to behind its end.
pub fn sized<K: EntityRef, V: Clone + Default>(num_ids: usize) -> SecondaryMap<K, V> {
    let mut map = SecondaryMap::new();
    map.resize(num_ids);
    map
}
