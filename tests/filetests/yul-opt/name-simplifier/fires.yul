// The step changes this program.
//! run: yul-opt --steps {NameSimplifier}
{
    let var_amount_12_mpos := f_t_uint256_to_t_uint256_fromStack()
    sstore(0, var_amount_12_mpos)
    function f_t_uint256_to_t_uint256_fromStack() -> x
    { x := 1 }
}
// ---- yul-opt --steps {NameSimplifier}
// {
//     let var_amount_mpos := f_uint256_to_uint256()
//     sstore(0, var_amount_mpos)
//     function f_uint256_to_uint256() -> x
//     { x := 1 }
// }
