// Comments on lines of their own stay above what follows, those behind code stay behind it.
//! run: fmt
// licence
/* the whole */ object "A" { // A
  code { // code
    // nothing yet
  } // after code
  /// @use-src 0:"a.sol"
  object "B" {
    code {
      /// @src 0:1:2
      if calldatasize() { sstore(0, 1) // one
      }
      switch callvalue() // value
      // none
      case 0 { } // zero
      default { /* all others */ }
      // end of code
    }
    // before data
    data "d" /* text */ "x" // after data
  }
}
// end
// ---- fmt
// // licence
// /* the whole */ object "A" { // A
//     code { // code
//         // nothing yet
//     } // after code
//     /// @use-src 0:"a.sol"
//     object "B" {
//         code {
//             /// @src 0:1:2
//             if calldatasize() {
//                 sstore(0, 1) // one
//             }
//             switch callvalue() // value
//             // none
//             case 0 { } // zero
//             default { /* all others */ }
//             // end of code
//         }
//         // before data
//         data "d" /* text */ hex"78" // after data
//     }
// }
// // end
