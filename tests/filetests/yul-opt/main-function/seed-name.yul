// The topmost block becomes the function `main`, without inputs or outputs; where the program has a function of
// that name, this one gets a number.
// Shows S002-161.
//! run: yul-opt --steps hg{MainFunction}
{
    sstore(0, main(1))
    function main(a) -> r { r := mul(a, 2) }
}
// ---- yul-opt --steps hg{MainFunction}
// {
//     function main_1()
//     { sstore(0, main(1)) }
//     function main(a) -> r
//     { r := mul(a, 2) }
// }
