// What the step needs is missing here, so it leaves the program alone.
// Shows S002-10.
//! run: yul-opt --steps {Disambiguator}
{
    {
        let a := 1
        sstore(0, a)
    }
    {
        let b := 2
        sstore(1, b)
    }
}
// ---- yul-opt --steps {Disambiguator}
// {
//     {
//         let a := 1
//         sstore(0, a)
//     }
//     {
//         let b := 2
//         sstore(1, b)
//     }
// }
