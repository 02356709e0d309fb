// Comments stand between any two tokens; one that ends its line breaks it.
//! run: fmt
{
  let a, /* second */ b := f(/* none */)
  function f() /* no arguments */ -> /* x */ x, y /* body */ { x := 1 /** @src 0:1:2 */ }
  sstore(a, // the key
    add(b /* b */, /* two */ 2))
  for { /* init */ let i := 0 } lt(i, 2) /* post */ { i := add(i, 1) // next
  } { break /* out */ } // end of loop
  for
  // init
  { } 1
  // post
  { } { leave_() }
  function leave_() { } // the last
}
// ---- fmt
// {
//     let a, /* second */ b := f(/* none */)
//     function f() /* no arguments */ -> /* x */ x, y /* body */
//     { x := 1 /** @src 0:1:2 */ }
//     sstore(a, // the key
//         add(b /* b */, /* two */ 2))
//     for { /* init */ let i := 0 } lt(i, 2) /* post */ {
//         i := add(i, 1) // next
//     }
//     { break /* out */ } // end of loop
//     for
//         // init
//         { } 1
//         // post
//         { }
//     { leave_() }
//     function leave_()
//     { } // the last
// }
