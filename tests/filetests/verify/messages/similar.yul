// The builtin, function or variable that was probably meant is offered.
//! run: verify
{
    function helper(a) -> b { b := a }
    let value := 1
    sstor(0, value)     // error: function `sstor` not found
    pop(helpr(value))   // error: function `helpr` not found
    pop(valeu)          // error: identifier `valeu` not found
}
// ---- verify
// exit 1
// error[Y4619]: function `sstor` not found
//  --> similar.yul:6:5
//   |
// 6 |     sstor(0, value)     // error: function `sstor` not found
//   |     ^^^^^
//   |
//   = help: did you mean `sstore`?
//
// error[Y4619]: function `helpr` not found
//  --> similar.yul:7:9
//   |
// 7 |     pop(helpr(value))   // error: function `helpr` not found
//   |         ^^^^^
//   |
//   = help: did you mean `helper`?
//
// error[Y8198]: identifier `valeu` not found
//  --> similar.yul:8:9
//   |
// 8 |     pop(valeu)          // error: identifier `valeu` not found
//   |         ^^^^^
//   |
//   = help: did you mean `value`?
//
