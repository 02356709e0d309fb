//! Names of variables as Solidity has them.

use cairn_ir::Module;

/// Gives values the names that variables have in Solidity: solc writes `var_NAME_NUMBER` for
/// variables of Solidity and `usr$NAME` for those of inline assembly. Names of its own go.
pub(crate) fn use_names_of_solidity(module: &mut Module) {
    for func in module.funcs.values_mut() {
        func.value_names = func
            .value_names
            .drain()
            .filter_map(|(value, name)| Some((value, name_in_solidity(&name)?.into())))
            .collect();
    }
    module.modules.iter_mut().for_each(use_names_of_solidity);
}

fn name_in_solidity(name: &str) -> Option<&str> {
    let (mut name, is_assembly) = match (name.strip_prefix("usr$"), name.strip_prefix("var_")) {
        (Some(name), _) => (name, true),
        (None, Some(name)) => (name, false),
        (None, None) => return None,
    };
    // A number for the declaration, and one for a copy.
    while let Some((start, number)) = name.rsplit_once('_')
        && !is_assembly
        && !start.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        name = start;
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_solc_added() {
        let pairs =
            [("var_amount_123", Some("amount")), ("var_to_12_3", Some("to")), ("usr$x_1", Some("x_1"))];
        for (name, expected) in pairs.into_iter().chain([("expr_5", None), ("_7", None)]) {
            assert_eq!(name_in_solidity(name), expected);
        }
    }
}
