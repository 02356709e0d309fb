// The step changes this program.
// Shows S002-10.
//! run: yul-opt --steps {Disambiguator}
{
    {
        let a := 1
        sstore(0, a)
    }
    {
        let a := 2
        sstore(1, a)
    }
}
// ---- yul-opt --steps {Disambiguator}
// {
//     {
//         let a := 1
//         sstore(0, a)
//     }
//     {
//         let a_1 := 2
//         sstore(1, a_1)
//     }
// }
