// A store at a place that is another one in each round goes, too, where nothing is read; places that are known are
// told apart however far they are from each other.
//! run: yul-opt --steps S
{
    for { } calldataload(0) { }
    {
        let place := calldataload(1)
        let v := 1
        mstore(place, v)
    }
    let far := 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
    let near := 0
    let n := 64
    mstore(far, near)
    mcopy(near, n, n)
    return(near, n)
}
// ---- yul-opt --steps S
// {
//     for { } calldataload(0) { }
//     {
//         let place := calldataload(1)
//         let v := 1
//         mstore(place, v)
//     }
//     let far := 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
//     let near := 0
//     let n := 64
//     mcopy(near, n, n)
//     return(near, n)
// }
